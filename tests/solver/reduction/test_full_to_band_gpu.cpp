// Tests Q^T A Q = B on a GPU. The back-transformation of I from row b on makes Q.
#include "solver/reduction/two_stage/full_to_band.hpp"

#include <algorithm>
#include <complex>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/parts.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/prepare/pack.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/two_stage/band_layout.hpp"
#include "solver/reduction/two_stage/full_to_band_on_team.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/reduction.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scratch.hpp"

using namespace eigen_g;
using namespace support::reduction;
using support::random_symmetric;

namespace {

std::vector<std::int64_t> bandwidths() {
  return support::sizes({32, 48, 64, 96, 128}, {48});
}
std::vector<const char*> kinds() {
  if (support::sanitized()) return {"random", "ones"};
  return {std::begin(families), std::end(families)};
}
std::vector<const char*> kinds_of_few_numbers() {
  if (support::sanitized()) return {"ones"};
  return {"zero", "identity", "ones", "rank two", "arrow", "tridiagonal", "blocks"};
}
// Orders with more than one block of pending columns.
std::int64_t two_blocks() {
  return support::sanitized() ? 350 : 700;
}

template <class S = double>
struct Banded {
  std::vector<S> band, q;  // (b + 1) x n, n x n
};

std::size_t bytes(std::int64_t count) {
  return sizeof(double) * static_cast<std::size_t>(count);
}

template <class T = double, class S = support::wide_t<T>>
Banded<S> reduce_on_gpu(const std::vector<S>& a, std::int64_t n, std::int64_t b) {
  Queue queue;
  const std::int64_t multiple = tridiagonalize_row_multiple, lda = round_up(n, multiple);
  const std::int64_t left = std::max<std::int64_t>(n - b, 0);
  DeviceBuffer<T> given(n * n), matrix(lda * n), band((b + 1) * n), tau(n), z(n * n);
  const support::DeviceScratch scratch(
      std::max(full_to_band_bytes<T>(n, b, queue.multiprocessors()), back_transform_bytes<T>(left, n)));
  // NaN shows elements that are not written.
  for (const auto* buffer : {&matrix, &band, &tau})
    EIGEN_G_CUDA(cudaMemset(buffer->data(), 0xff, buffer->bytes()));
  support::upload_as(a, given);
  support::upload_as(identity<S>(n), z);
  EIGEN_G_CUDA(cudaDeviceSynchronize());  // the queue does not wait for the default stream
  const MatrixView<T> working{matrix.data(), n, n, lda};
  pack_lower<T>(queue, Uplo::lower, MatrixView<const T>{given.data(), n, n, n}, working);
  full_to_band<T>(queue, b, working, {band.data(), b + 1, n, b + 1}, tau.data(), scratch);
  if (left > 1) {
    clear_above<T>(queue, working.block(b, 0, left, left));
    back_transform<T>(queue, working.block(b, 0, left, left), tau.data(), {z.data() + b, left, n, n},
                      scratch);
  }
  queue.wait();
  return {support::download_from(band, band.size()), support::download_from(z, n * n)};
}

// Reduces the lower block columns of A, packed, in strips of `height` columns.
template <class T = double, class S = support::wide_t<T>>
Banded<S> reduce_in_blocks(const std::vector<S>& a, std::int64_t n, std::int64_t b, std::int64_t height,
                           bool second_queue = true) {
  Queue queue;
  const std::int64_t lda = round_up(n, tridiagonalize_row_multiple), left = std::max<std::int64_t>(n - b, 0);
  const DealtColumns deal{n, height, 1, height, true};
  const std::int64_t values = deal.most_values(lda);
  std::vector<S> memory(static_cast<std::size_t>(values), S(std::nan("")));
  const DealtPart<S> host{deal, 0, memory.data(), lda};
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j / height * height; i < n; ++i) {
      const S entry = a[static_cast<std::size_t>(std::max(i, j) + std::min(i, j) * n)];
      host.column(j)[i] = i >= j ? entry : conjugate(entry);
    }
  DeviceBuffer<T> packed(values), matrix(lda * n), band((b + 1) * n), tau(n), z(n * n);
  const support::DeviceScratch scratch(std::max(FullToBandOnTeam<T>::bytes(deal, b, queue.multiprocessors()),
                                                back_transform_bytes<T>(left, n)));
  for (const auto* buffer : {&band, &tau}) EIGEN_G_CUDA(cudaMemset(buffer->data(), 0xff, buffer->bytes()));
  EIGEN_G_CUDA(cudaMemset(matrix.data(), 0, matrix.bytes()));  // back_transform() reads zeros below row n
  support::upload_as(memory, packed);
  support::upload_as(identity<S>(n), z);
  EIGEN_G_CUDA(cudaDeviceSynchronize());
  const DealtPart<T> part{deal, 0, packed.data(), lda};
  const Products<T> products(queue);
  std::vector<std::int64_t> milestones;
  {
    GpuTeam alone({current_gpu()});
    FullToBandOnTeam<T> on_team(
        alone, deal, b,
        {{&products, part, {band.data(), b + 1, n, b + 1}, tau.data(), scratch, second_queue}});
    alone.run([&](int member) {
      on_team.run(member, {}, [&](std::int64_t columns) { milestones.push_back(columns); });
    });
  }
  CHECK(std::is_sorted(milestones.begin(), milestones.end()));
  REQUIRE_FALSE(milestones.empty());
  CHECK(milestones.back() == n);
  queue.wait();
  if (left > 1) {
    const MatrixView<T> v{matrix.data(), n, n, lda};
    for (std::int64_t j = 0; j < n; ++j) {
      const std::int64_t row = j / height * height;
      EIGEN_G_CUDA(cudaMemcpy(&v(row, j), part.column(j) + row, sizeof(T) * static_cast<std::size_t>(n - row),
                              cudaMemcpyDeviceToDevice));
    }
    EIGEN_G_CUDA(cudaDeviceSynchronize());  // the copies may not be done yet
    clear_above<T>(queue, v.block(b, 0, left, left));
    back_transform<T>(queue, v.block(b, 0, left, left), tau.data(), {z.data() + b, left, n, n}, scratch);
  }
  queue.wait();
  return {support::download_from(band, band.size()), support::download_from(z, n * n)};
}

//   ||A - Q B Q^H||_F          ||Q^H Q - I||_F
//   -----------------          ---------------
//    n ||A||_F ulp                  n ulp
template <class S>
Ratios band_ratios(const std::vector<S>& a, std::int64_t n, std::int64_t b, const Banded<S>& r) {
  std::vector<S> full(static_cast<std::size_t>(n * n), S(0)), qb = full;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < std::min(n, j + b + 1); ++i) {
      const S x = r.band[static_cast<std::size_t>(i - j + j * (b + 1))];
      full[static_cast<std::size_t>(i + j * n)] = x;
      full[static_cast<std::size_t>(j + i * n)] = i == j ? x : conjugate(x);
    }
  multiply(false, false, n, 1, r.q, full, 0, qb);
  return ratios_of_product(a, n, qb, r.q);
}

//   height   of the strips of block columns; 0: A is a matrix
template <class T = double>
void check(const std::string& kind, std::int64_t n, std::int64_t b, std::int64_t height = 0) {
  using S = support::wide_t<T>;
  std::vector<S> a = family_of<S>(kind, n);
  for (std::int64_t j = 0; j < n; ++j)  // graded matrices are symmetric up to rounding
    for (std::int64_t i = 0; i < j; ++i)
      a[static_cast<std::size_t>(i + j * n)] = conjugate(a[static_cast<std::size_t>(j + i * n)]);
  std::vector<S> poisoned = a;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < j; ++i) poisoned[static_cast<std::size_t>(i + j * n)] = std::nan("");
  const Banded<S> r =
      height > 0 ? reduce_in_blocks<T>(poisoned, n, b, height) : reduce_on_gpu<T>(poisoned, n, b);
  const Ratios found = band_ratios(a, n, b, r);
  CAPTURE(kind, n, b, height, found.backward, found.orthogonality);
  const double limit = support::limits::reduction * (support::ulp_of<T> / 0x1p-52);
  CHECK(found.backward < limit);
  CHECK(found.orthogonality < limit);
  std::int64_t touched = 0;  // beyond row n - 1
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = n; i <= j + b; ++i)
      touched += !std::isnan(std::abs(r.band[static_cast<std::size_t>(i - j + j * (b + 1))]));
  CHECK(touched == 0);
}

}  // namespace

TEST_CASE("full_to_band on a GPU: Q B Q^T = A around every edge", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t b : bandwidths()) {
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{2}, b - 1, b, b + 1, b + 2, b + 3, 2 * b - 1,
                                 2 * b, 2 * b + 1, 2 * b + 2, 3 * b + 5})
      check("random", n, b);
    for (const char* kind : kinds()) check(kind, 3 * b + 7, b);
  }
}

TEST_CASE("full_to_band on a GPU: few columns", "[gpu][racecheck]") {
  NEEDS_GPU();
  for (const char* kind : {"random", "ones"}) check(kind, 70, 32);
}

TEST_CASE("full_to_band on a GPU: several blocks of pending columns", "[gpu][large]") {
  NEEDS_GPU();
  for (const std::int64_t b : bandwidths())
    for (const std::int64_t n : {700, 1537}) check("random", n, b);
  for (const char* kind : kinds()) check(kind, 1200, 64);
  check("random", 2500, 64);
}

TEST_CASE("full_to_band on a GPU: repeats bit for bit", "[gpu][large]") {
  NEEDS_GPU();
  const std::int64_t n = 1450;
  const Matrix a = random_symmetric(n, 5);
  const Banded<> first = reduce_on_gpu(a, n, 64);
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Banded<> again = reduce_on_gpu(a, n, 64);
    REQUIRE(std::memcmp(again.band.data(), first.band.data(), bytes(65 * n)) == 0);
    REQUIRE(again.q == first.q);
  }
}

TEST_CASE("block columns on a GPU: Q B Q^T = A around every edge", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t b : {std::int64_t{32}, std::int64_t{64}}) {
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{2}, b - 1, b, b + 1, b + 2, b + 3, 2 * b - 1,
                                 2 * b, 2 * b + 1, 2 * b + 2, 3 * b + 5, 5 * b, 5 * b + 1})
      for (const std::int64_t height : {64, 128}) check("random", n, b, height);
    for (const char* kind : kinds()) check(kind, 3 * b + 7, b, 64);
  }
}

TEST_CASE("block columns on a GPU: few columns", "[gpu][racecheck]") {
  NEEDS_GPU();
  for (const char* kind : {"random", "ones"}) check(kind, 70, 32, 64);
}

TEST_CASE("block columns on a GPU: several blocks of pending columns", "[gpu][large]") {
  NEEDS_GPU();
  for (const std::int64_t n : {700, 1537})
    for (const std::int64_t height : {64, 256, 448, 2048}) check("random", n, 64, height);
  for (const char* kind : kinds()) check(kind, 1200, 64, 256);
  check("random", 2500, 64, 512);
  check("random", 2500, 64, 2048);  // the update of a strip is two products
}

TEST_CASE("block columns on a GPU: the other types", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t n : {70, 300, 700}) {
    check<float>("random", n, 64, 128);
    check<std::complex<double>>("random", n, 32, 128);
    check<std::complex<float>>("random", n, 32, 64);
  }
}

TEST_CASE("block columns on a GPU: the same bits again, in one queue and in two", "[gpu][large]") {
  NEEDS_GPU();
  const std::int64_t n = 1450, height = 256;
  const Matrix a = random_symmetric(n, 5);
  const Banded<> first = reduce_in_blocks(a, n, 64, height);
  for (const bool second_queue : {true, true, false}) {
    CAPTURE(second_queue);
    const Banded<> again = reduce_in_blocks(a, n, 64, height, second_queue);
    REQUIRE(std::memcmp(again.band.data(), first.band.data(), bytes(65 * n)) == 0);
    REQUIRE(again.q == first.q);
  }
}

TEST_CASE("full_to_band on a GPU in float", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t b : bandwidths())
    for (const std::int64_t n : {std::int64_t{1}, b, b + 1, b + 2, 2 * b + 1, 3 * b + 5})
      check<float>("random", n, b);
  for (const char* kind : kinds_of_few_numbers()) check<float>(kind, two_blocks(), 64);
  for (const std::int64_t n : support::sizes({1537}, {})) check<float>("random", n, 64);
}

TEMPLATE_TEST_CASE("full_to_band on a GPU of Hermitian matrices", "[gpu]", std::complex<double>,
                   std::complex<float>) {
  NEEDS_GPU();
  constexpr bool single = std::is_same_v<TestType, std::complex<float>>;
  const std::int64_t b = 32;
  for (const std::int64_t n :
       support::sizes({1, 2, 31, 32, 33, 34, 35, 63, 64, 65, 66, 101, 350, 700, 1537}, {66}))
    check<TestType>("random", n, b);
  for (const char* kind : kinds_of_few_numbers()) check<TestType>(kind, two_blocks(), b);
  if (!single)
    for (const char* kind : kinds()) check<TestType>(kind, 3 * b + 7, b);
  const std::int64_t n = two_blocks() + 200;
  const auto a = family_of<std::complex<double>>("random", n);
  const auto first = reduce_on_gpu<TestType>(a, n, b), again = reduce_on_gpu<TestType>(a, n, b);
  CHECK(first.q == again.q);
  CHECK(std::memcmp(first.band.data(), again.band.data(), sizeof(a[0]) * first.band.size()) == 0);
}
