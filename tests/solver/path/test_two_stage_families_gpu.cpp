// Compares the two-stage path with the one-stage path: for each family the worst residual and orthogonality ratio of the
// two-stage path are at most twice the worst of the one-stage path. Also solves in a loop while another stream is busy.
// EIGEN_G_TABLE names a file for the table of the worst ratios.
#include <cstdlib>
#include <fstream>
#include <numeric>

#include "gemm_df/gemm.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/api/eigen_g.hpp"
#include "tests/support/reduction.hpp"
#include "tests/support/solving.hpp"

using namespace eigen_g;
using support::OptionsAndDevices;
using support::Solved;
using support::Stored;

namespace {

// Worst ratios; values below 0.1 count as 0.1.
struct Worst {
  double residual = 0, orthogonality = 0;
  void take(const Verification& v) {
    residual = std::max(residual, v.lapack_residual);
    orthogonality = std::max(orthogonality, v.lapack_orthogonality);
  }
};
constexpr double least = 0.1;

OptionsAndDevices by(Path path, int multiprocessors = 0) {
  OptionsAndDevices o = support::options(DeviceChoice::gpu);
  o.path = path;
  o.multiprocessors = multiprocessors;
  return o;
}

Verification verified(const Stored& s, const OptionsAndDevices& o, DeviceChoice place) {
  const Solved pairs = support::solve_guarded(s, o);
  REQUIRE(pairs.report.status == Status::converged);
  const Verification v =
      verify(s.uplo, s.n, s.a.data(), s.lda, s.n, pairs.w.data(), pairs.z.data(), pairs.ldz, place);
  REQUIRE(v.finite);
  REQUIRE(passed(v));
  return v;
}

class Table {
 public:
  explicit Table(const char* title) {
    if (const char* const file = std::getenv("EIGEN_G_TABLE")) out_.open(file, std::ios::app);
    out_ << title << "\nfamily: residual one, two; orthogonality one, two\n";
  }
  void check(const std::string& family, const Worst& one, const Worst& two) {
    CAPTURE(family, one.residual, two.residual, one.orthogonality, two.orthogonality);
    out_ << family << ": " << one.residual << ", " << two.residual << "; " << one.orthogonality << ", "
         << two.orthogonality << std::endl;
    CHECK(two.residual <= 2 * std::max(one.residual, least));
    CHECK(two.orthogonality <= 2 * std::max(one.orthogonality, least));
  }

 private:
  std::ofstream out_;
};

void compare(Table& table, const std::string& family, const std::vector<std::int64_t>& orders,
             const std::function<std::vector<double>(std::int64_t)>& matrix,
             DeviceChoice place = DeviceChoice::cpu) {
  Worst one, two;
  for (const std::int64_t n : orders) {
    CAPTURE(family, n);
    const Stored s = support::stored(matrix(n), n);
    one.take(verified(s, by(Path::one_stage), place));
    two.take(verified(s, by(Path::two_stage), place));
  }
  table.check(family, one, two);
}

// Orders around multiples of the bandwidths, and some between them.
std::vector<std::int64_t> small_orders() {
  std::vector<std::int64_t> orders;
  for (std::int64_t n = 1; n <= 200; n += n < 8 ? 1 : 13) orders.push_back(n);
  for (const std::int64_t b : {32, 64, 128})
    for (const std::int64_t n : {b - 1, b, b + 1, 2 * b + 1, 3 * b - 1, 3 * b + 1}) orders.push_back(n);
  return orders;
}

}  // namespace

TEST_CASE("two-stage and one-stage path: random matrices of every order to 200", "[gpu][large]") {
  NEEDS_GPU();
  Table table("random, n = 1 ... 200");
  std::vector<std::int64_t> orders;
  for (std::int64_t n = 1; n <= 200; ++n) orders.push_back(n);
  compare(table, "random", orders, [](std::int64_t n) { return support::reduction::family("random", n); });
}

TEST_CASE("two-stage and one-stage path: families and LAPACK's types", "[gpu][large]") {
  NEEDS_GPU();
  Table table("families, n = 1 ... 385");
  for (const char* family : support::reduction::families)
    compare(table, family, small_orders(),
            [family](std::int64_t n) { return support::reduction::family(family, n); });
  const std::vector<std::int64_t> edges{31, 33, 47, 49, 63, 65, 95, 97, 127, 129, 200};
  for (int type = 1; type <= support::lapack_types; ++type)
    compare(table, "type " + std::to_string(type), edges,
            [type](std::int64_t n) { return support::lapack_matrix(type, n, 3); });
  std::vector<std::int64_t> orders(200);
  std::iota(orders.begin(), orders.end(), 1);
  compare(table, "type 9, n = 1 ... 200", orders,
          [](std::int64_t n) { return support::lapack_matrix(9, n, 3); });
}

TEST_CASE("two-stage and one-stage path: n = 10000", "[gpu][large][alone]") {
  NEEDS_GPU();
  Table table("n = 10000");
  for (const char* family : {"random", "graded down", "tridiagonal", "blocks"})
    compare(
        table, family, {10000}, [family](std::int64_t n) { return support::reduction::family(family, n); },
        DeviceChoice::gpu);
}

// Here the one-stage path has nearly no error, because all reflectors except one are the identity.
TEST_CASE("two-stage path: all entries equal, n = 10000", "[gpu][large][alone]") {
  NEEDS_GPU();
  const Stored s = support::stored(support::reduction::family("ones", 10000), 10000);
  const Verification v = verified(s, by(Path::two_stage), DeviceChoice::gpu);
  CHECK(v.lapack_orthogonality <= 1);
  CHECK(v.lapack_residual <= 1);
}

// Rounding errors of equal sums have one sign. Chains of n terms gave residual ratios of 2.6 at 1537 and 2.0 at 2048.
TEST_CASE("two-stage and one-stage path: two blocks of equal entries", "[gpu][large]") {
  NEEDS_GPU();
  const Path path = GENERATE(Path::two_stage, Path::one_stage);
  for (const std::int64_t n : {513, 1025, 1537, 2048, 2049}) {
    std::vector<double> a(static_cast<std::size_t>(n * n));
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i)
        a[static_cast<std::size_t>(i + j * n)] = (2 * i < n) == (2 * j < n) ? 3 : 0.1;
    CAPTURE(n);
    const Verification v = verified(support::stored(a, n), by(path), DeviceChoice::gpu);
    CHECK(v.lapack_orthogonality <= 1);
    CHECK(v.lapack_residual <= 1);
  }
}

TEST_CASE("two-stage path: 200 solves during another stream's products, on all and on a part of the GPU",
          "[gpu][large]") {
  NEEDS_GPU();
  const std::int64_t n = 600, order = 2048;
  const Stored s = support::random_matrix(n);
  const Solved alone = support::solve_guarded(s, by(Path::two_stage));
  const Queue other;
  DeviceBuffer<double> factor(order * order), product(order * order);
  EIGEN_G_CUDA(cudaMemset(factor.data(), 0, factor.bytes()));
  EIGEN_G_CUDA(cudaDeviceSynchronize());
  const MatrixView<const double> view{factor.data(), order, order, order};
  for (const int multiprocessors : {0, 16}) {
    int different = 0;
    for (int run = 0; run < 200; ++run) {
      for (int k = 0; k < 4; ++k)
        gemm<double>(other, Op::none, Op::none, 1, view, view, 0, {product.data(), order, order, order});
      const Solved again = support::solve_guarded(s, by(Path::two_stage, multiprocessors));
      different += multiprocessors == 0 && !support::same_bits(again.w, alone.w);
      if (multiprocessors > 0)
        CHECK(support::eigenvalue_ratio(again.w, alone.w) <= support::limits::eigenvalue);
    }
    other.wait();
    CHECK(different == 0);
  }
}
