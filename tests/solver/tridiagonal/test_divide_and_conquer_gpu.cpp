// Compares the whole divide and conquer on a GPU with LAPACK's dstedc and with the host executor.
#include "solver/tridiagonal/divide_and_conquer.hpp"

#include <cmath>
#include <cstring>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/dc_on_cpu.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/tridiagonal.hpp"

using namespace eigen_g;
using support::Tridiagonal;
namespace limits = support::limits;

namespace {

struct OnGpuResult {
  DivideAndConquerResult outcome;
  std::vector<double> w, z;
  std::int64_t ldz = 1;
};

// Runs with NaN in all memory, and guards after Z's columns and the workspace.
OnGpuResult dc_on_gpu(const Tridiagonal& t, bool vectors = true, std::int64_t padding = 0) {
  const std::int64_t n = t.n(), ldz = n + padding, margin = 128;
  const Queue queue;
  DeviceBuffer<double> d(n), e(n), z(vectors ? ldz * n : 0);
  const support::DeviceScratch scratch(divide_and_conquer_bytes<double>(n, vectors ? n : 0), margin);
  for (const auto* buffer : {&d, &e, &z})
    if (buffer->bytes() > 0) EIGEN_G_CUDA(cudaMemset(buffer->data(), 0xff, buffer->bytes()));
  support::upload(d.data(), t.d.data(), sizeof(double) * t.d.size());
  if (n > 1) support::upload(e.data(), t.e.data(), sizeof(double) * t.e.size());
  EIGEN_G_CUDA(cudaDeviceSynchronize());  // the queue's stream does not wait for the default one

  OnGpuResult r;
  r.ldz = ldz;
  r.outcome = divide_and_conquer<double>(queue, n, d.data(), e.data(), {z.data(), n, n, ldz}, scratch);
  r.w.resize(static_cast<std::size_t>(n));
  r.z.resize(static_cast<std::size_t>(z.size()));
  EIGEN_G_CUDA(cudaMemcpy(r.w.data(), d.data(), d.bytes(), cudaMemcpyDeviceToHost));
  if (vectors) EIGEN_G_CUDA(cudaMemcpy(r.z.data(), z.data(), z.bytes(), cudaMemcpyDeviceToHost));
  std::int64_t touched = scratch.touched();
  for (std::int64_t j = 0; vectors && j < n; ++j)
    for (std::int64_t i = n; i < ldz; ++i)
      touched += r.z[static_cast<std::size_t>(i + j * ldz)] == r.z[static_cast<std::size_t>(i + j * ldz)];
  CHECK(touched == 0);
  return r;
}

bool same(const std::vector<double>& x, const std::vector<double>& y) {
  return x.size() == y.size() &&
         (x.empty() || std::memcmp(x.data(), y.data(), sizeof(double) * x.size()) == 0);
}

// Rows first ... first + count - 1 of the vectors, with NaN in all memory.
OnGpuResult rows_on_gpu(const Tridiagonal& t, std::int64_t first, std::int64_t count, std::int64_t padding,
                        const Subset& subset = {}) {
  const std::int64_t n = t.n(), ldz = count + padding;
  const Queue queue;
  DeviceBuffer<double> d(n), e(n), z(ldz * n);
  const support::DeviceScratch scratch(divide_and_conquer_bytes<double>(n, count), 128);
  for (const auto* buffer : {&d, &e, &z}) EIGEN_G_CUDA(cudaMemset(buffer->data(), 0xff, buffer->bytes()));
  support::upload(d.data(), t.d.data(), sizeof(double) * t.d.size());
  if (n > 1) support::upload(e.data(), t.e.data(), sizeof(double) * t.e.size());
  EIGEN_G_CUDA(cudaDeviceSynchronize());
  OnGpuResult r;
  r.ldz = ldz;
  r.outcome = divide_and_conquer<double>(queue, n, d.data(), e.data(), {z.data(), count, n, ldz}, scratch,
                                         {.subset = subset, .scale = 0, .first_row = first});
  r.w.resize(static_cast<std::size_t>(n));
  r.z.resize(static_cast<std::size_t>(z.size()));
  EIGEN_G_CUDA(cudaMemcpy(r.w.data(), d.data(), d.bytes(), cudaMemcpyDeviceToHost));
  EIGEN_G_CUDA(cudaMemcpy(r.z.data(), z.data(), z.bytes(), cudaMemcpyDeviceToHost));
  std::int64_t touched = scratch.touched();
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = count; i < ldz; ++i)
      touched += r.z[static_cast<std::size_t>(i + j * ldz)] == r.z[static_cast<std::size_t>(i + j * ldz)];
  CHECK(touched == 0);
  return r;
}

// Compares ranges of rows with the whole solution. Above 512 rows cuBLAS may sum in another order for other numbers of rows.
void check_rows(const Tridiagonal& t, std::int64_t first, std::int64_t count) {
  const std::int64_t n = t.n();
  CAPTURE(n, first, count);
  const OnGpuResult whole = dc_on_gpu(t), part = rows_on_gpu(t, first, count, n % 3);
  REQUIRE(part.outcome.status == Status::converged);
  CHECK(same(part.w, whole.w));
  double worst = 0;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < count; ++i) {
      const double away = std::fabs(part.z[static_cast<std::size_t>(i + j * part.ldz)] -
                                    whole.z[static_cast<std::size_t>(first + i + j * whole.ldz)]);
      if (!(away <= worst)) worst = away;
    }
  CHECK(worst <= (n <= 512 ? 0 : 1e-14));
}

void check_on_gpu(const Tridiagonal& t, const std::string& kind, std::int64_t padding = 0) {
  const OnGpuResult pairs = dc_on_gpu(t, true, padding), again = dc_on_gpu(t, true, padding),
                    values = dc_on_gpu(t, false);
  REQUIRE(pairs.outcome.status == Status::converged);
  REQUIRE(values.outcome.status == Status::converged);
  support::check_decomposition(t, pairs.w, pairs.z, pairs.ldz, "T: " + kind, support::Machine::gpu);
  CHECK(same(pairs.w, again.w));
  CHECK(same(pairs.z, again.z));
  CHECK(same(values.w, pairs.w));
}

}  // namespace

TEST_CASE("On a GPU: random T of a few sizes", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t n : {1, 2, 3, 31, 32, 33, 64, 65, 100, 129}) {
    CAPTURE(n);
    check_on_gpu(support::random_tridiagonal(n, 7), "random", n % 3);
  }
}

TEST_CASE("On a GPU: a range of rows has the values and the rows of the whole", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t n : {1, 2, 7, 8, 9, 33, 64, 65, 100, 129, 300, 512}) {
    const Tridiagonal t = support::random_tridiagonal(n, static_cast<std::uint64_t>(n));
    check_rows(t, 0, n);
    check_rows(t, 0, (n + 1) / 2);
    check_rows(t, n / 2, n - n / 2);
    check_rows(t, n / 3, std::max<std::int64_t>(1, n / 5));
    check_rows(t, n - 1, 1);
  }
  for (const char* kind : {"glued 1e-14", "glued 1e-3", "identity", "mostly zeros", "a zero early", "ones",
                           "wilkinson", "near overflow"}) {
    CAPTURE(kind);
    const Tridiagonal t = support::tridiagonal(kind, 399);
    check_rows(t, 0, 100);
    check_rows(t, 100, 143);
    check_rows(t, 243, 156);
  }
  for (const std::int64_t n : {777, 1500, 2600}) {
    const Tridiagonal t = support::reduced_random(n);
    check_rows(t, 0, n / 4);
    check_rows(t, n / 4, n / 2);
    check_rows(t, n / 4 + n / 2, n - n / 4 - n / 2);
  }
}

TEST_CASE("On a GPU: a range of rows of a subset", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t n : {40, 399, 1300}) {
    const Tridiagonal t = support::reduced_random(n);
    const OnGpuResult whole = dc_on_gpu(t);
    const std::int64_t low = n / 4, count = n / 2, first = n / 3, rows = n / 3;
    const OnGpuResult part = rows_on_gpu(t, first, rows, 1, Subset::by_index(low + 1, low + count));
    CAPTURE(n);
    REQUIRE(part.outcome.found.count == count);
    double worst = 0;
    std::int64_t other_values = 0;
    for (std::int64_t j = 0; j < count; ++j) {
      other_values += part.w[static_cast<std::size_t>(j)] != whole.w[static_cast<std::size_t>(low + j)];
      for (std::int64_t i = 0; i < rows; ++i) {
        const double away = std::fabs(part.z[static_cast<std::size_t>(i + j * part.ldz)] -
                                      whole.z[static_cast<std::size_t>(first + i + (low + j) * whole.ldz)]);
        if (!(away <= worst)) worst = away;
      }
    }
    CHECK(other_values == 0);
    CHECK(worst <= 1e-14);
  }
}

TEST_CASE("On a GPU: random T of every size to 200", "[gpu][large]") {
  NEEDS_GPU();
  for (std::int64_t n = 1; n <= 200; ++n) {
    CAPTURE(n);
    const Tridiagonal t = support::random_tridiagonal(n, static_cast<std::uint64_t>(n));
    check_on_gpu(t, "random", n % 3);
    CHECK(support::value_distance(t, dc_on_gpu(t).w, support::dstedc_values(t)) <= limits::eigenvalue);
  }
}

TEST_CASE("On a GPU: around the edges of levels, tiles, panels and products", "[gpu][large]") {
  NEEDS_GPU();
  for (const std::int64_t n : {255, 256, 257, 383, 511, 512, 513, 639, 1000, 1023, 1024, 1025, 1026, 1500,
                               2047, 2048, 2049, 2100, 3001}) {
    CAPTURE(n);
    check_on_gpu(support::reduced_random(n), "reduced random", n % 2);
  }
}

TEST_CASE("On a GPU: the vectors of a random T are orthogonal to the same accuracy", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t n : {777, 3000}) {
    CAPTURE(n);
    CHECK(support::orthogonality(n, dc_on_gpu(support::reduced_random(n)).z) <=
          limits::tridiagonal_orthogonality);
  }
}

TEST_CASE("On a GPU: every kind of T", "[gpu][large]") {
  NEEDS_GPU();
  for (const std::string& kind : support::tridiagonal_kinds)
    for (const std::int64_t n : {40, 105, 399, 1197}) {
      CAPTURE(kind, n);
      check_on_gpu(support::tridiagonal(kind, n), kind);
    }
}

TEST_CASE("On a GPU: kinds that deflate much or little, with large merges and several panels",
          "[gpu][large]") {
  NEEDS_GPU();
  for (const char* kind : {"glued 1e-14", "glued 1e-3", "glued 1", "clement", "clustered", "identity",
                           "mostly zeros", "a zero early", "1-2-1", "ones"}) {
    CAPTURE(kind);
    check_on_gpu(support::tridiagonal(kind, 2604), kind);
  }
}

TEST_CASE("On a GPU: published tridiagonal matrices", "[gpu][large]") {
  NEEDS_GPU();
  const auto paths = support::published_tridiagonals();
  if (paths.empty()) SKIP_TEST("no folder of real matrices");
  for (const std::string& path : paths) {
    CAPTURE(path);
    check_on_gpu(support::read_tridiagonal(path), path.substr(path.rfind('/') + 1));
  }
}

TEST_CASE("On a GPU: the values equal those of the phases on the CPU", "[gpu]") {
  NEEDS_GPU();
  for (const char* kind : {"reduced random", "glued 1e-3", "wilkinson", "near overflow"}) {
    CAPTURE(kind);
    const Tridiagonal t = support::tridiagonal(kind, 399);
    CHECK(support::value_distance(t, dc_on_gpu(t).w, support::dc_on_cpu(t.d, t.e).w) <= limits::values_only);
  }
}

TEST_CASE("On a GPU: a NaN or an infinity in T is an outcome with its row", "[gpu]") {
  NEEDS_GPU();
  Tridiagonal t = support::random_tridiagonal(60);
  t.e[41] = std::numeric_limits<double>::infinity();
  const OnGpuResult r = dc_on_gpu(t);
  CHECK(r.outcome.status == Status::not_converged);
  CHECK(r.outcome.info == 42);
}

TEST_CASE("The workspace is at most two matrices and O(n), without vectors O(n)") {
  for (const std::int64_t n : {1, 2, 31, 100, 1000, 2048, 5000, 10000, 20000, 50000}) {
    CAPTURE(n);
    const std::int64_t matrices = n > 10240 ? 6 * n * (n + 1) / 5 + 128 * (n + 1) : 2 * (n + 1) * n;
    constexpr std::uint64_t parts = 5 * Arena::alignment;  // each begins on its own alignment boundary
    const auto bytes = [](std::int64_t doubles) { return 8 * static_cast<std::uint64_t>(doubles); };
    CHECK(divide_and_conquer_bytes<double>(n, n) <= bytes(matrices + 40 * n + 16) + parts);
    CHECK(divide_and_conquer_bytes<double>(n, 0) <= bytes(40 * n + 16) + parts);
  }
}
