// C := alpha (A B^T + B A^T) + beta C against long double, with everything poisoned that is not to be read or written.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <vector>

#include "gemm_df/gemm.hpp"
#include "gemm_df/rank_2k/syr2k.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/tolerances.hpp"

using namespace eigen_g;

namespace {

// Random in the block's rows and columns, NaN around it.
struct Poisoned {
  std::vector<double> host;
  DeviceBuffer<double> device;
  std::int64_t row, rows, cols, lda;

  Poisoned(std::int64_t row_, std::int64_t rows_, std::int64_t cols_, std::int64_t lda_, unsigned seed)
      : host(static_cast<std::size_t>(lda_ * (cols_ + 1)), std::nan("")),
        device(lda_ * (cols_ + 1)),
        row(row_),
        rows(rows_),
        cols(cols_),
        lda(lda_) {
    const std::vector<double> entries = support::random_rectangle(rows, cols, seed);
    for (std::int64_t j = 0; j < cols; ++j)
      for (std::int64_t i = 0; i < rows; ++i)
        host[index(i, j)] = entries[static_cast<std::size_t>(i + j * rows)];
  }
  std::size_t index(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(row + i + j * lda);
  }
  double operator()(std::int64_t i, std::int64_t j) const { return host[index(i, j)]; }
  MatrixView<double> on_device() {
    EIGEN_G_CUDA(cudaMemcpy(device.data(), host.data(), device.bytes(), cudaMemcpyHostToDevice));
    EIGEN_G_CUDA(cudaDeviceSynchronize());  // a queue does not wait for the default stream
    return {device.data() + row, rows, cols, lda};
  }
};

struct Case {
  std::int64_t m, k;
  std::int64_t row = 0;  // of the three blocks in their columns
  std::int64_t row_of_b = row;
  double alpha = -1, beta = 1;
};

// Whether every element that is asked for is near its truth and no other has changed.
void check(const Case& given, std::int64_t stride = 1) {
  const auto [m, k, row, row_of_b, alpha, beta] = given;
  CAPTURE(m, k, row, row_of_b, alpha, beta);
  const auto padded = [](std::int64_t rows) { return (rows + 63) / 64 * 64; };
  Poisoned a(row, m, k, padded(row + m + 1), 1), b(row_of_b, m, k, padded(row_of_b + m + 1), 2),
      c(row, m, m, padded(row + m + 1), 3);
  for (std::int64_t j = 1; j < m; ++j)
    for (std::int64_t i = 0; i < j; ++i) c.host[c.index(i, j)] = std::nan("");
  std::vector<double> got(c.host.size()), again(c.host.size());
  Queue queue;
  for (std::vector<double>* result : {&got, &again}) {
    const MatrixView<double> c_dev = c.on_device();
    syr2k_lower(queue, alpha, a.on_device(), b.on_device(), beta, c_dev);
    queue.wait();
    EIGEN_G_CUDA(cudaMemcpy(result->data(), c.device.data(), c.device.bytes(), cudaMemcpyDeviceToHost));
  }
  REQUIRE(std::memcmp(got.data(), again.data(), c.device.bytes()) == 0);

  // |got - truth| / (u sqrt(2 k + 2) (|alpha| (|A| |B|^T + |B| |A|^T) + |beta C|))
  double worst = 0;
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t i = j + (j * 7) % stride; i < m; i += stride) {
      long double sum = 0, size = 0;
      for (std::int64_t l = 0; l < k; ++l) {
        const long double first = static_cast<long double>(a(i, l)) * b(j, l),
                          second = static_cast<long double>(b(i, l)) * a(j, l);
        sum += first + second;
        size += std::fabs(first) + std::fabs(second);
      }
      const long double truth = alpha * sum + static_cast<long double>(beta) * c(i, j);
      size = std::fabs(alpha) * size + std::fabs(static_cast<long double>(beta) * c(i, j));
      const double error =
          static_cast<double>(std::fabs(got[c.index(i, j)] - truth) /
                              (0x1p-53L * std::sqrt(2.0L * static_cast<long double>(k) + 2) * size));
      worst = std::max(worst, std::isnan(error) ? INFINITY : error);
    }
  CHECK(worst < support::limits::rank_2k);

  std::int64_t changed = 0;
  for (std::int64_t j = 0; j <= m; ++j)
    for (std::int64_t i = -row; i < c.lda - row; ++i)
      if (i < j || i >= m || j >= m)
        changed += std::memcmp(&got[c.index(i, j)], &c.host[c.index(i, j)], sizeof(double)) != 0;
  CHECK(changed == 0);
}

// The update with the product beside it: y against the C that it leaves, and that C against the update alone.
//
//   |y - C x| / (u sqrt(m + 2) |C| |x|),     |sum of dots - x^T y| / (m u |x|^T |y|)
void check_product(std::int64_t m, std::int64_t k, std::int64_t row) {
  CAPTURE(m, k, row);
  REQUIRE(syr2k_product_scratch<double>(m) > 0);
  int shared = 0;
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  if (shared < 227 << 10) SKIP_TEST("this GPU has too little shared memory for large tiles");
  const std::int64_t lda = (row + m + 64) / 64 * 64;
  Poisoned a(row, m, k, lda, 1), b(row, m, k, lda, 2), c(row, m, m, lda, 3), x(row, m, 1, lda, 4),
      y(row, 0, 1, lda, 5);
  for (std::int64_t j = 1; j < m; ++j)
    for (std::int64_t i = 0; i < j; ++i) c.host[c.index(i, j)] = std::nan("");
  constexpr int dots = 264;
  Queue queue;
  DeviceBuffer<double> scratch(syr2k_product_scratch<double>(m)), dots_dev(dots);
  const auto down = [](std::vector<double>& to, const DeviceBuffer<double>& from) {
    to.resize(static_cast<std::size_t>(from.size()));
    EIGEN_G_CUDA(cudaMemcpy(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToHost));
  };
  std::vector<double> alone, got[2], product[2], parts[2];
  const MatrixView<double> c_dev = c.on_device();
  REQUIRE(syr2k_lower_narrow(queue, -1, a.on_device(), b.on_device(), c_dev));
  queue.wait();
  down(alone, c.device);
  for (int run = 0; run < 2; ++run) {
    c.on_device();
    EIGEN_G_CUDA(cudaMemset(scratch.data(), 0xff, scratch.bytes()));
    EIGEN_G_CUDA(cudaMemset(dots_dev.data(), 0xff, dots_dev.bytes()));
    const ProductBeside beside{x.on_device().data, y.on_device().data, dots_dev.data(), dots, scratch.data()};
    REQUIRE(syr2k_lower_and_product(queue, -1, a.on_device(), b.on_device(), c_dev, beside));
    queue.wait();
    down(got[run], c.device);
    down(product[run], y.device);
    down(parts[run], dots_dev);
  }
  const auto same = [](const std::vector<double>& p, const std::vector<double>& q) {
    return std::memcmp(p.data(), q.data(), p.size() * sizeof(double)) == 0;
  };
  CHECK(same(got[0], alone));
  CHECK((same(got[1], got[0]) && same(product[1], product[0]) && same(parts[1], parts[0])));

  const auto rows = static_cast<std::size_t>(m);
  std::vector<long double> truth(rows), size(rows);
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t i = j; i < m; ++i) {
      const long double value = alone[c.index(i, j)];
      const auto add = [&](std::int64_t to, std::int64_t from) {
        truth[static_cast<std::size_t>(to)] += value * x(from, 0);
        size[static_cast<std::size_t>(to)] += std::fabs(value * x(from, 0));
      };
      add(i, j);
      if (i > j) add(j, i);
    }
  double worst = 0;
  long double dot = 0, dot_size = 0;
  for (std::int64_t i = 0; i < m; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double value = product[0][y.index(i, 0)];
    const auto error = static_cast<double>(
        std::fabs(value - truth[at]) / (0x1p-53L * std::sqrt(static_cast<long double>(m) + 2) * size[at]));
    worst = std::max(worst, std::isnan(error) ? INFINITY : error);
    dot += static_cast<long double>(value) * x(i, 0);
    dot_size += std::fabs(static_cast<long double>(value) * x(i, 0));
  }
  CHECK(worst < support::limits::symv);
  long double sum = 0;
  for (const double part : parts[0]) sum += part;
  CHECK(std::fabs(sum - dot) <= 0x1p-53L * static_cast<long double>(m) * dot_size);
  std::int64_t changed = 0;
  for (std::int64_t i = -row; i < 2 * lda - row; ++i)
    if (i < 0 || i >= m) changed += !std::isnan(product[0][y.index(i, 0)]);
  CHECK(changed == 0);
}

// C := C - A B^H - B A^H against long double; of the diagonal only real parts count, and real they become. What is not to be
// read or written is poisoned.
void check_hermitian(std::int64_t m, std::int64_t k, std::int64_t row, std::int64_t stride = 1) {
  CAPTURE(m, k, row);
  using Complex = std::complex<double>;
  using Long = std::complex<long double>;
  const std::int64_t lda = row + m + 3;
  const auto poisoned = [&](std::int64_t cols, unsigned seed) {
    std::vector<Complex> x(static_cast<std::size_t>(lda * cols), Complex(std::nan(""), std::nan("")));
    const std::vector<double> entries = support::random_rectangle(2 * m, cols, seed);
    for (std::int64_t j = 0; j < cols; ++j)
      for (std::int64_t i = 0; i < m; ++i) {
        const auto at = static_cast<std::size_t>(2 * (i + j * m));
        x[static_cast<std::size_t>(row + i + j * lda)] = {entries[at], entries[at + 1]};
      }
    return x;
  };
  const auto at = [&](const std::vector<Complex>& x, std::int64_t i, std::int64_t j) {
    return Long(x[static_cast<std::size_t>(row + i + j * lda)]);
  };
  const std::vector<Complex> a = poisoned(k, 1), b = poisoned(k, 2);
  std::vector<Complex> c = poisoned(m + 1, 3);
  for (std::int64_t j = 0; j <= m; ++j)
    for (std::int64_t i = 0; i < std::min(j, m); ++i)
      c[static_cast<std::size_t>(row + i + j * lda)] = {std::nan(""), std::nan("")};
  const auto up = [](const DeviceBuffer<Complex>& to, const std::vector<Complex>& from) {
    EIGEN_G_CUDA(cudaMemcpy(to.data(), from.data(), to.bytes(), cudaMemcpyHostToDevice));
    EIGEN_G_CUDA(cudaDeviceSynchronize());  // a queue does not wait for the default stream
  };
  DeviceBuffer<Complex> a_dev(lda * k), b_dev(lda * k), c_dev(lda * (m + 1));
  up(a_dev, a);
  up(b_dev, b);
  std::vector<Complex> got(c.size()), again(c.size());
  Queue queue;
  for (std::vector<Complex>* result : {&got, &again}) {
    up(c_dev, c);
    syr2k_lower<Complex>(queue, -1, {a_dev.data() + row, m, k, lda}, {b_dev.data() + row, m, k, lda}, 1,
                         {c_dev.data() + row, m, m, lda});
    queue.wait();
    EIGEN_G_CUDA(cudaMemcpy(result->data(), c_dev.data(), c_dev.bytes(), cudaMemcpyDeviceToHost));
  }
  REQUIRE(std::memcmp(got.data(), again.data(), c_dev.bytes()) == 0);

  // |got - truth| / (u sqrt(4 k + 2) (|A| |B|^H + |B| |A|^H + |C|))
  double worst = 0;
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t i = j + (j * 7) % stride; i < m; i += stride) {
      Long sum = at(c, i, j);
      if (i == j) sum.imag(0);
      long double size = std::abs(sum);
      for (std::int64_t l = 0; l < k; ++l) {
        const Long first = at(a, i, l) * std::conj(at(b, j, l)),
                   second = at(b, i, l) * std::conj(at(a, j, l));
        sum -= first + second;
        size += std::abs(first) + std::abs(second);
      }
      const auto error =
          static_cast<double>(std::abs(at(got, i, j) - sum) /
                              (0x1p-53L * std::sqrt(4.0L * static_cast<long double>(k) + 2) * size));
      worst = std::max(worst, std::isnan(error) ? INFINITY : error);
      if (i == j) CHECK(at(got, i, i).imag() == 0);
    }
  CHECK(worst < support::limits::rank_2k);
  std::int64_t changed = 0;
  for (std::int64_t j = 0; j <= m; ++j)
    for (std::int64_t i = 0; i < lda; ++i)
      if (i - row < j || i - row >= m || j >= m) {
        const auto place = static_cast<std::size_t>(i + j * lda);
        changed += std::memcmp(&got[place], &c[place], sizeof(Complex)) != 0;
      }
  CHECK(changed == 0);
}

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
  for (const std::int64_t m :
       {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 130, 255, 257, 300})
    for (const std::int64_t k : {1, 8, 21}) check({m, k, m % 5});
}

TEST_CASE("syr2k: every number of columns, and rows that begin anywhere", "[gpu]") {
  NEEDS_GPU();
  for (std::int64_t k = 1; k <= 130; k += k < 20 ? 1 : 11) check({100, k, k % 17});
  for (std::int64_t row = 0; row < 18; ++row) check({130, 40, row});
}

TEST_CASE("syr2k: rows that are not equally aligned, and any alpha and beta", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t row_of_b : {0, 1, 2, 15}) check({90, 33, 1, row_of_b});
  for (const double alpha : {-1.0, 0.0, 2.5})
    for (const double beta : {0.5, 1.0, -1.0}) check({70, 12, 2, 2, alpha, beta});
}

TEST_CASE("syr2k: the product beside it", "[gpu][large]") {
  NEEDS_GPU();
  CHECK(syr2k_product_scratch<double>(100) == 0);
  for (const std::int64_t row : {0, 1, 15}) check_product(5000, 64, row);
  check_product(5120, 128, 0);
  check_product(5131, 49, 6);
}

TEST_CASE("syr2k: as many rows as the largest tiles are for", "[gpu][large]") {
  NEEDS_GPU();
  for (const std::int64_t m : {1000, 1499, 1500, 2049}) check({m, 30, m % 11}, 5);
  for (const std::int64_t m : {2501, 2560, 2561, 2689})
    for (const std::int64_t k : {3, 64, 100}) check({m, k, m % 11}, 23);
  check({7001, 64, 15}, 101);
  check({8000, 49, 2}, 101);
  check({8131, 64, 15}, 101);
}

TEST_CASE("her2k: every number of rows around the tiles' edges, rows that begin anywhere", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t m : {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 129, 200})
    for (const std::int64_t k : {1, 8, 21}) check_hermitian(m, k, m % 9);
  for (const std::int64_t k : {2, 7, 64, 128}) check_hermitian(100, k, k % 9);
  for (std::int64_t row = 0; row < 9; ++row) check_hermitian(70, 40, row);
}

TEST_CASE("her2k: as many rows as the larger tiles are for", "[gpu][large]") {
  NEEDS_GPU();
  for (const std::int64_t m : {1000, 1501, 2111}) check_hermitian(m, 64, m % 11, 7);
}
