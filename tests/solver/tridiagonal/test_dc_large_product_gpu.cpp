// Tests of the divide and conquer whose large merges are divided: over a team, or over members with a range of rows each. The checks are the checks of
// one GPU.
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/devices/solve_team.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"
#include "solver/tridiagonal/row_members.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/tridiagonal.hpp"

using namespace eigen_g;
using support::Tridiagonal;
namespace limits = support::limits;

namespace {

struct Decomposed {
  std::vector<double> w, z, shares, seconds;
  std::int64_t found = 0, first = 0;
  bool moved = false;  // rows moved between members
};

// Everything that has not been written is NaN.
Decomposed decompose(const Tridiagonal& t, const Helpers& members, const char* ratio,
                     const Subset& subset = {}) {
  const std::int64_t n = t.n();
  const Queue queue;
  SolveTeam<double> team(queue, ShareRule(parse_ratio(ratio)), members);
  DeviceBuffer<double> d(n), e(n), z(n * n);
  const support::DeviceScratch scratch(divide_and_conquer_bytes<double>(n, n));
  for (const auto* buffer : {&d, &e, &z}) EIGEN_G_CUDA(cudaMemset(buffer->data(), 0xff, buffer->bytes()));
  support::upload(d.data(), t.d.data(), sizeof(double) * t.d.size());
  support::upload(e.data(), t.e.data(), sizeof(double) * t.e.size());
  EIGEN_G_CUDA(cudaDeviceSynchronize());
  const DivideAndConquerResult outcome = divide_and_conquer<double>(
      queue, n, d.data(), e.data(), {z.data(), n, n, n}, scratch, {subset, 0}, {}, &team);
  REQUIRE(outcome.status == Status::converged);
  Decomposed r;
  r.found = outcome.found.count;
  r.first = outcome.found.first;
  r.shares = team.take_work_shares();
  r.seconds = team.take_seconds();
  r.w.resize(static_cast<std::size_t>(r.found));
  r.z.resize(static_cast<std::size_t>(n * r.found));
  EIGEN_G_CUDA(cudaMemcpy(r.w.data(), d.data(), r.w.size() * sizeof(double), cudaMemcpyDeviceToHost));
  EIGEN_G_CUDA(cudaMemcpy(r.z.data(), z.data(), r.z.size() * sizeof(double), cudaMemcpyDeviceToHost));
  return r;
}

// Solves with several members on one GPU and puts their rows together. A member computes at most `most` rows of others.
Decomposed decompose_by_members(const Tridiagonal& t, int members, dc::Index most,
                                const Subset& subset = {}) {
  const std::int64_t n = t.n(), each = ((n + members - 1) / members + 7) / 8 * 8;
  GpuTeam team(std::vector<int>(static_cast<std::size_t>(members), current_gpu()));
  std::vector<dc::Rows> rows;
  for (int p = 0; p < members; ++p)
    rows.push_back({static_cast<dc::Index>(p * each), static_cast<dc::Index>(std::min(each, n - p * each))});
  RowMembers<double> all(team, rows, most);
  std::vector<Decomposed> parts(rows.size());
  team.run([&](int p) {
    const std::int64_t own = rows[static_cast<std::size_t>(p)].count, ldz = own + own % 2;
    const Queue queue;
    const Products<double> products(queue, Engine::native);
    DeviceBuffer<double> d(n), e(n), z(ldz * n);
    const support::DeviceScratch scratch(divide_and_conquer_bytes<double>(n, own), 128);
    const support::DeviceScratch moved(sizeof(double) * static_cast<std::size_t>((most + 2 * members) * n),
                                       128);
    for (const auto* buffer : {&d, &e, &z}) EIGEN_G_CUDA(cudaMemset(buffer->data(), 0xff, buffer->bytes()));
    support::upload(d.data(), t.d.data(), sizeof(double) * t.d.size());
    support::upload(e.data(), t.e.data(), sizeof(double) * t.e.size());
    EIGEN_G_CUDA(cudaDeviceSynchronize());
    const RowMember<double> member{&all, p, moved};
    const DivideAndConquerResult outcome = divide_and_conquer<double>(
        products, n, d.data(), e.data(), {z.data(), own, n, ldz}, scratch,
        {.subset = subset, .scale = 0, .first_row = rows[static_cast<std::size_t>(p)].first}, {}, nullptr,
        nullptr, &member);
    if (outcome.status != Status::converged || scratch.touched() + moved.touched() > 0)
      throw std::runtime_error("a member failed");
    Decomposed& r = parts[static_cast<std::size_t>(p)];
    r.found = outcome.found.count;
    r.w.resize(static_cast<std::size_t>(r.found));
    r.z.resize(static_cast<std::size_t>(own * r.found));
    EIGEN_G_CUDA(cudaMemcpy(r.w.data(), d.data(), r.w.size() * sizeof(double), cudaMemcpyDeviceToHost));
    EIGEN_G_CUDA(cudaMemcpy2D(r.z.data(), sizeof(double) * static_cast<std::size_t>(own), z.data(),
                              sizeof(double) * static_cast<std::size_t>(ldz),
                              sizeof(double) * static_cast<std::size_t>(own),
                              static_cast<std::size_t>(r.found), cudaMemcpyDeviceToHost));
  });
  Decomposed whole = parts.front();
  whole.moved = all.compressed.front().data != nullptr;
  whole.z.assign(static_cast<std::size_t>(n * whole.found), NAN);
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (std::int64_t j = 0; j < whole.found; ++j)
      std::copy_n(&parts[p].z[static_cast<std::size_t>(j * rows[p].count)], rows[p].count,
                  &whole.z[static_cast<std::size_t>(rows[p].first + j * n)]);
  return whole;
}

bool same(const std::vector<double>& x, const std::vector<double>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), sizeof(double) * x.size()) == 0;
}

void check(const std::string& kind, std::int64_t n, const Helpers& members, const char* ratio) {
  const Tridiagonal t = support::tridiagonal(kind, n);
  CAPTURE(kind, ratio, n);
  const Decomposed once = decompose(t, members, ratio), again = decompose(t, members, ratio);
  support::check_decomposition(t, once.w, once.z, t.n(), "T: " + kind, support::Machine::gpu);
  CHECK(same(once.w, again.w));
  CHECK(same(once.z, again.z));
  if (kind != "reduced random") return;  // other kinds may deflate until no product remains
  const std::vector<double> wanted = parse_ratio(ratio).shares;
  double all = 0;
  for (const double part : wanted) all += part;
  REQUIRE(once.shares.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(once.shares[i] == Approx(wanted[i] / all));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] > 0)
      CHECK(once.seconds[i] > 0);
    else if (i > 0)
      CHECK(once.seconds[i] == 0);
}

}  // namespace

TEST_CASE("large merges over a GPU and the CPU: any cut, several levels and panels", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t n : {513, 1025, 2604})
    for (const char* ratio : {"3:1", "0:1", "1:5"}) check("reduced random", n, {{}, true, 0}, ratio);
}

TEST_CASE("large merges over a GPU and the CPU: T that deflates much or all", "[gpu]") {
  NEEDS_GPU();
  for (const char* kind : {"glued 1e-14", "glued 1e-3", "clement", "clustered", "identity", "mostly zeros",
                           "a zero early", "1-2-1", "ones"}) {
    CAPTURE(kind);
    check(kind, 1302, {{}, true, 0}, "2:1");
  }
}

TEST_CASE("large merges over a GPU and the CPU: of a subset only its columns", "[gpu]") {
  NEEDS_GPU();
  const Tridiagonal t = support::reduced_random(1500);
  const Helpers members{{}, true, 0};
  const Decomposed all = decompose(t, members, "3:1"),
                   some = decompose(t, members, "3:1", Subset::by_index(400, 700));
  REQUIRE(some.found == 301);
  REQUIRE(some.first == 399);
  CHECK(same(some.w, {all.w.begin() + 399, all.w.begin() + 700}));
  // The vectors equal the vectors of the whole solution, except for the different cut of the columns.
  double worst = 0;
  for (std::size_t i = 0; i < some.z.size(); ++i) {
    const double off = std::fabs(some.z[i] - all.z[i + 399 * 1500]);
    worst = std::isnan(off) ? INFINITY : std::max(worst, off);
  }
  CHECK(worst <= 1e-13);
}

TEST_CASE("members with ranges of rows compute moved rows of the last merge", "[gpu]") {
  NEEDS_GPU();
  const int members = GENERATE(2, 3, 4);
  const auto kind = GENERATE("reduced random", "glued 1e-3", "clement", "identity", "1-2-1");
  const std::int64_t n = GENERATE(513, 2604, 3001);
  CAPTURE(members, kind, n);
  const Tridiagonal t = support::tridiagonal(kind, n);
  const Decomposed unmoved = decompose_by_members(t, members, 0),
                   moved = decompose_by_members(t, members, static_cast<dc::Index>(n / members)),
                   again = decompose_by_members(t, members, static_cast<dc::Index>(n / members));
  support::check_decomposition(t, moved.w, moved.z, n, std::string("T: ") + kind, support::Machine::gpu);
  CHECK(!unmoved.moved);
  if (std::string("reduced random") == kind && n == 3001) CHECK(moved.moved);
  CHECK(same(moved.w, unmoved.w));
  CHECK(same(moved.w, again.w));
  CHECK(same(moved.z, again.z));
  const Subset subset = Subset::by_index(n / 4, n / 2);
  const Decomposed some = decompose_by_members(t, members, 200, subset);
  REQUIRE(some.found == n / 2 - n / 4 + 1);
  CHECK(std::memcmp(some.w.data(), &moved.w[static_cast<std::size_t>(n / 4 - 1)],
                    sizeof(double) * some.w.size()) == 0);
  double worst = 0;
  for (std::size_t i = 0; i < some.z.size(); ++i) {
    const double off = std::fabs(some.z[i] - moved.z[i + static_cast<std::size_t>((n / 4 - 1) * n)]);
    worst = std::isnan(off) ? INFINITY : std::max(worst, off);
  }
  CHECK(worst <= 1e-13);
}

TEST_CASE("large merges over several GPUs", "[gpu]") {
  NEEDS_GPU();
  if (gpu_count() < 2) SKIP_TEST("fewer than two GPUs");
  for (const std::int64_t n : {1025, 2604}) {
    check("reduced random", n, {{1}, true, 0}, "1:1:0");
    check("reduced random", n, {{1}, true, 0}, "4:3:1");
    check("reduced random", n, {{1}, true, 0}, "0:1:0");
  }
  check("glued 1e-3", 1302, {{1}, true, 0}, "1:1:0");
}
