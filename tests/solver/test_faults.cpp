// Each host allocation of the library fails in turn. The call throws std::bad_alloc or OutOfMemory and loses no memory, and the
// next solve is right.
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>

#include "solver/api/generalised.hpp"
#include "solver/api/sparse.hpp"
#include "tests/support/closed_forms.hpp"
#include "tests/support/solving.hpp"

namespace {

std::atomic<bool> armed = false;
std::atomic<std::int64_t> calls = 0, failing = 0, standing = 0;

void* allocate(std::size_t size, std::size_t alignment) {
  if (armed && ++calls == failing) throw std::bad_alloc();
  void* const p = alignment > 0
                      ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
                      : std::malloc(size > 0 ? size : 1);
  if (!p) throw std::bad_alloc();
  ++standing;
  return p;
}

void release(void* p) {
  if (!p) return;
  --standing;
  std::free(p);
}

}  // namespace

// The library uses this operator new too, because it takes the program's.
void* operator new(std::size_t size) {
  return allocate(size, 0);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return allocate(size, 0);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* p) noexcept {
  release(p);
}
void operator delete(void* p, std::size_t) noexcept {
  release(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
  release(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  release(p);
}

using namespace eigen_g;
using support::random_matrix;
using support::Stored;

namespace {

void check_every_failure(const std::function<void(std::vector<double>&)>& solve, std::vector<double> room) {
  std::vector<double> truth = room, found = room;
  solve(truth);
  solve(found);
  REQUIRE(support::same_bits(found, truth));
  armed = true;
  calls = failing = 0;
  solve(found);
  armed = false;
  const std::int64_t all = calls, before = standing;
  REQUIRE(all > 0);
  std::int64_t told = 0, wrong = 0, other = 0, lost = 0;
  for (std::int64_t k = 1; k <= all; k += 1 + all / 2000) {
    found = room;
    calls = 0;
    failing = k;
    armed = true;
    try {
      solve(found);
      wrong += !support::same_bits(found, truth);  // done without it
    } catch (const std::bad_alloc&) {
      ++told;
    } catch (const OutOfMemory&) {
      ++told;
    } catch (...) {
      ++other;
    }
    armed = false;
    lost += standing != before;
    solve(found);
    wrong += !support::same_bits(found, truth);
  }
  lost += standing != before;
  CAPTURE(all, told);
  CHECK(told > 0);
  CHECK(other == 0);
  CHECK(wrong == 0);
  CHECK(lost == 0);
}

Devices on_cpu() {
  Devices cpu;
  cpu.device = DeviceChoice::cpu;
  return cpu;
}

}  // namespace

TEST_CASE("a failed allocation of a solve is reported, and the next solve is right") {
  const std::int64_t n = GENERATE(1, 40, 150);
  const Stored s = random_matrix(n);
  Options o;
  o.vectors = GENERATE(true, false);
  const auto room = std::vector<double>(static_cast<std::size_t>(n + n * n), 0.0);
  check_every_failure(
      [&](std::vector<double>& x) {
        (void)::eigen_g::eigen_g(n, s.a.data(), s.lda, x.data(), x.data() + n, n, o, on_cpu());
      },
      room);
  std::vector<double> b(s.a.size(), 0.0);
  for (std::int64_t i = 0; i < n; ++i)
    b[static_cast<std::size_t>(i * (s.lda + 1))] = 1 + static_cast<double>(i % 3);
  std::vector<double> factor = b;
  check_every_failure(
      [&](std::vector<double>& x) {
        std::copy(b.begin(), b.end(), factor.begin());
        (void)sygvd({}, n, s.a.data(), s.lda, factor.data(), s.lda, x.data(), x.data() + n, n, o, on_cpu());
      },
      room);
}

TEST_CASE("a failed allocation of few pairs of a sparse matrix is reported") {
  const support::SparseCase a = support::cube(7);
  FewOptions options;
  options.method = FewMethod::lanczos;
  options.count = 2;
  check_every_failure(
      [&](std::vector<double>& x) {
        (void)solve_few(a.rows(), x.data(), x.data() + 2, a.n(), options, on_cpu());
      },
      std::vector<double>(static_cast<std::size_t>(2 + 2 * a.n()), 0.0));
}
