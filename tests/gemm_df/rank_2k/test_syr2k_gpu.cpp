// Tests of C := alpha (A B^H + B A^H) + beta C on the lower triangle, and of the product that the update makes on its way,
// against sums in long double. Memory that must not be read or written is NaN.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>
#include <vector>

#include "gemm_df/gemm.hpp"
#include "gemm_df/rank_2k/syr2k.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/tolerances.hpp"

using namespace eigen_g;

namespace {

using Complex = std::complex<double>;
using Index = std::int64_t;
constexpr long double u = 0x1p-53L;

template <class T>
using Long = std::conditional_t<is_complex<T>, std::complex<long double>, long double>;

Long<double> conjugate(long double x) {
  return x;
}
Long<Complex> conjugate(const Long<Complex>& x) {
  return std::conj(x);
}

// rows x cols random entries that begin in row `row` of an array with leading dimension lda and a column more. The rest is NaN.
template <class T>
struct Poisoned {
  static constexpr bool complex = is_complex<T>;
  std::vector<T> host;
  DeviceBuffer<T> device;
  Index row, rows, cols, lda;

  Poisoned(Index row_, Index rows_, Index cols_, Index lda_, unsigned seed)
      : host(static_cast<std::size_t>(lda_ * (cols_ + 1)), nan()),
        device(lda_ * (cols_ + 1)),
        row(row_),
        rows(rows_),
        cols(cols_),
        lda(lda_) {
    const std::vector<double> numbers = support::random_rectangle(complex ? 2 * rows : rows, cols, seed);
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < rows; ++i) {
        const auto at = static_cast<std::size_t>(i + j * rows);
        if constexpr (complex)
          host[index(i, j)] = {numbers[2 * at], numbers[2 * at + 1]};
        else
          host[index(i, j)] = numbers[at];
      }
  }
  static T nan() {
    if constexpr (complex)
      return {std::nan(""), std::nan("")};
    else
      return std::nan("");
  }
  std::size_t index(Index i, Index j) const { return static_cast<std::size_t>(row + i + j * lda); }
  Long<T> operator()(Index i, Index j) const { return Long<T>(host[index(i, j)]); }

  MatrixView<T> on_device() const {
    support::upload(device.data(), host.data(), device.bytes());
    EIGEN_G_CUDA(cudaDeviceSynchronize());  // a queue does not wait for the default stream
    return {device.data() + row, rows, cols, lda};
  }
  void poison_above_diagonal() {
    for (Index j = 1; j < cols; ++j)
      for (Index i = 0; i < j; ++i) host[index(i, j)] = nan();
  }
  // Elements outside of the lower triangle whose bits differ from the host's.
  Index changed_outside(const std::vector<T>& after) const {
    Index changed = 0;
    for (Index j = 0; j <= cols; ++j)
      for (Index i = -row; i < lda - row; ++i)
        if (i < j || i >= rows || j >= cols)
          changed += std::memcmp(&after[index(i, j)], &host[index(i, j)], sizeof(T)) != 0;
    return changed;
  }
};

template <class T>
std::vector<T> downloaded(const DeviceBuffer<T>& from) {
  std::vector<T> to(static_cast<std::size_t>(from.size()));
  EIGEN_G_CUDA(cudaMemcpy(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToHost));
  return to;
}

bool same(const std::vector<double>& x, const std::vector<double>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
}

double or_infinity(long double error) {
  return std::isnan(error) ? INFINITY : static_cast<double>(error);
}

struct Case {
  Index m, k;
  Index row = 0;  // first row of each of the three blocks
  Index row_of_b = row;
  double alpha = -1, beta = 1;
};

// Largest error of the lower triangle; only about every `stride`-th element of a column is compared. Complex T has twice the
// number of terms.
//
//   |c_ij - truth| / (u sqrt(2 k + 2) (|alpha| (|A| |B|^H + |B| |A|^H) + |beta C|))
template <class T>
double largest_error(const Case& given, const Poisoned<T>& a, const Poisoned<T>& b, const Poisoned<T>& c,
                     const std::vector<T>& after, Index stride) {
  const auto terms = static_cast<long double>((is_complex<T> ? 4 : 2) * given.k + 2);
  const long double alpha = given.alpha, beta = given.beta;
  double worst = 0;
  for (Index j = 0; j < given.m; ++j)
    for (Index i = j + (j * 7) % stride; i < given.m; i += stride) {
      Long<T> sum = 0, before = c(i, j);
      if constexpr (is_complex<T>)
        if (i == j) before.imag(0);
      long double size = 0;
      for (Index l = 0; l < given.k; ++l) {
        const Long<T> first = a(i, l) * conjugate(b(j, l)), second = b(i, l) * conjugate(a(j, l));
        sum += first + second;
        size += std::abs(first) + std::abs(second);
      }
      size = std::fabs(alpha) * size + std::abs(beta * before);
      const Long<T> off = Long<T>(after[c.index(i, j)]) - (alpha * sum + beta * before);
      worst = std::max(worst, or_infinity(std::abs(off) / (u * std::sqrt(terms) * size)));
    }
  return worst;
}

// Checks that the update is near its truth, repeats bit for bit and changes nothing outside of the lower triangle. The update
// reads only the real parts of a Hermitian diagonal and sets the imaginary parts to 0.
template <class T>
void check(const Case& given, Index stride = 1) {
  const auto [m, k, row, row_of_b, alpha, beta] = given;
  CAPTURE(m, k, row, row_of_b, alpha, beta);
  const auto leading = [](Index rows) { return is_complex<T> ? rows + 2 : (rows + 63) / 64 * 64; };
  const Poisoned<T> a(row, m, k, leading(row + m + 1), 1), b(row_of_b, m, k, leading(row_of_b + m + 1), 2);
  Poisoned<T> c(row, m, m, leading(row + m + 1), 3);
  c.poison_above_diagonal();
  const Queue queue;
  const auto updated = [&] {
    const MatrixView<T> c_dev = c.on_device();
    syr2k_lower<T>(queue, given.alpha, a.on_device(), b.on_device(), given.beta, c_dev);
    queue.wait();
    return downloaded(c.device);
  };
  const std::vector<T> got = updated(), again = updated();
  REQUIRE(std::memcmp(got.data(), again.data(), c.device.bytes()) == 0);
  CHECK(largest_error(given, a, b, c, got, stride) < support::limits::rank_2k);
  CHECK(c.changed_outside(got) == 0);
  if constexpr (is_complex<T>)
    for (Index i = 0; i < m; ++i) CHECK(got[c.index(i, i)].imag() == 0);
}

// Results of the update with a product: C, y and the partial sums of x^T y.
struct WithProduct {
  std::vector<double> c, y, dots;
};

// Largest |y - C x| / (u sqrt(m + 2) |C| |x|) for the symmetric C whose lower triangle is in `updated`.
double product_error(const Poisoned<double>& c, const std::vector<double>& updated, const Poisoned<double>& x,
                     const Poisoned<double>& y, const std::vector<double>& product) {
  const Index m = c.rows;
  double worst = 0;
  for (Index i = 0; i < m; ++i) {
    long double truth = 0, size = 0;
    for (Index j = 0; j < m; ++j) {
      const long double term = updated[c.index(std::max(i, j), std::min(i, j))] * x(j, 0);
      truth += term;
      size += std::fabs(term);
    }
    const long double unit = u * std::sqrt(static_cast<long double>(m) + 2) * size;
    worst = std::max(worst, or_infinity(std::fabs(product[y.index(i, 0)] - truth) / unit));
  }
  return worst;
}

// |sum of dots - x^T y| / (m u |x|^T |y|)
double dot_error(const Poisoned<double>& x, const Poisoned<double>& y, const WithProduct& got) {
  long double dot = 0, size = 0, sum = 0;
  for (Index i = 0; i < x.rows; ++i) {
    const long double term = got.y[y.index(i, 0)] * x(i, 0);
    dot += term;
    size += std::fabs(term);
  }
  for (const double part : got.dots) sum += part;
  return or_infinity(std::fabs(sum - dot) / (u * static_cast<long double>(x.rows) * size));
}

// Checks the update with a product: C has the bits of the update alone, y is C x, the sum of the dots is x^T y, everything
// repeats bit for bit, and nothing around y is written.
void check_product(Index m, Index k, Index row) {
  CAPTURE(m, k, row);
  REQUIRE(syr2k_product_scratch<double>(m) > 0);
  int shared = 0;
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  if (shared < 227 << 10) SKIP_TEST("this GPU has too little shared memory for large tiles");
  const Index lda = (row + m + 64) / 64 * 64;
  const Poisoned<double> a(row, m, k, lda, 1), b(row, m, k, lda, 2), x(row, m, 1, lda, 4),
      y(row, 0, 1, lda, 5);
  Poisoned<double> c(row, m, m, lda, 3);
  c.poison_above_diagonal();
  constexpr int dots = 264;
  const Queue queue;
  const DeviceBuffer<double> scratch(syr2k_product_scratch<double>(m)), dots_dev(dots);

  const MatrixView<double> c_dev = c.on_device();
  REQUIRE(syr2k_lower_narrow(queue, -1, a.on_device(), b.on_device(), c_dev));
  queue.wait();
  const std::vector<double> alone = downloaded(c.device);
  const auto with_product = [&]() -> WithProduct {
    c.on_device();
    EIGEN_G_CUDA(cudaMemset(scratch.data(), 0xff, scratch.bytes()));
    EIGEN_G_CUDA(cudaMemset(dots_dev.data(), 0xff, dots_dev.bytes()));
    const ProductBeside beside{x.on_device().data, y.on_device().data, dots_dev.data(), dots, scratch.data()};
    REQUIRE(syr2k_lower_and_product(queue, -1, a.on_device(), b.on_device(), c_dev, beside));
    queue.wait();
    return {downloaded(c.device), downloaded(y.device), downloaded(dots_dev)};
  };
  const WithProduct got = with_product(), again = with_product();

  CHECK(same(got.c, alone));
  CHECK((same(again.c, got.c) && same(again.y, got.y) && same(again.dots, got.dots)));
  CHECK(product_error(c, alone, x, y, got.y) < support::limits::symv);
  CHECK(dot_error(x, y, got) <= 1);
  Index changed = 0;
  for (Index i = -row; i < 2 * lda - row; ++i)
    if (i < 0 || i >= m) changed += !std::isnan(got.y[y.index(i, 0)]);
  CHECK(changed == 0);
}

// True if this GPU has the project's own kernel; else cuBLAS runs.
bool own_kernel_runs() {
  Queue queue;
  DeviceBuffer<double> data(64);
  EIGEN_G_CUDA(cudaMemset(data.data(), 0, data.bytes()));
  EIGEN_G_CUDA(cudaDeviceSynchronize());
  return syr2k_lower_narrow<double>(queue, 1, {data.data(), 2, 1, 2}, {data.data() + 16, 2, 1, 2},
                                    {data.data() + 32, 2, 2, 2});
}

}  // namespace

TEST_CASE("syr2k: every number of rows around the tiles' edges", "[gpu]") {
  NEEDS_GPU();
  CAPTURE(own_kernel_runs());
  for (const Index m :
       {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 130, 255, 257, 300})
    for (const Index k : {1, 8, 21}) check<double>({m, k, m % 5});
}

TEST_CASE("syr2k: every number of columns, and blocks that begin in any row", "[gpu]") {
  NEEDS_GPU();
  for (Index k = 1; k <= 130; k += k < 20 ? 1 : 11) check<double>({100, k, k % 17});
  for (Index row = 0; row < 18; ++row) check<double>({130, 40, row});
}

TEST_CASE("syr2k: rows that are not equally aligned, and any alpha and beta", "[gpu]") {
  NEEDS_GPU();
  for (const Index row_of_b : {0, 1, 2, 15}) check<double>({90, 33, 1, row_of_b});
  for (const double alpha : {-1.0, 0.0, 2.5})
    for (const double beta : {0.5, 1.0, -1.0}) check<double>({70, 12, 2, 2, alpha, beta});
}

TEST_CASE("syr2k: the update that also makes a product", "[gpu][large]") {
  NEEDS_GPU();
  CHECK(syr2k_product_scratch<double>(100) == 0);
  for (const Index row : {0, 1, 15}) check_product(5000, 64, row);
  check_product(5120, 128, 0);
  check_product(5131, 49, 6);
}

TEST_CASE("syr2k: numbers of rows that take the largest tiles", "[gpu][large]") {
  NEEDS_GPU();
  for (const Index m : {1000, 1499, 1500, 2049}) check<double>({m, 30, m % 11}, 5);
  for (const Index m : {2501, 2560, 2561, 2689})
    for (const Index k : {3, 64, 100}) check<double>({m, k, m % 11}, 23);
  check<double>({7001, 64, 15}, 101);
  check<double>({8000, 49, 2}, 101);
  check<double>({8131, 64, 15}, 101);
}

TEST_CASE("her2k: every number of rows around the tiles' edges, and blocks that begin in any row", "[gpu]") {
  NEEDS_GPU();
  for (const Index m : {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 129, 200})
    for (const Index k : {1, 8, 21}) check<Complex>({m, k, m % 9});
  for (const Index k : {2, 7, 64, 128}) check<Complex>({100, k, k % 9});
  for (Index row = 0; row < 9; ++row) check<Complex>({70, 40, row});
}

TEST_CASE("her2k: numbers of rows that take the larger tiles", "[gpu][large]") {
  NEEDS_GPU();
  for (const Index m : {1000, 1501, 2111}) check<Complex>({m, 64, m % 11}, 7);
}
