// Loops that several threads share.
//
// A loop is cut into pieces. Each thread claims pieces of its own share of the loop and then pieces of the others' shares. The calling
// thread takes part. A thread that the system does not run claims nothing, so on a busy machine it delays no other thread. OpenMP's
// loops end with a barrier, at which all other threads wait for such a thread. A thread without work polls for a few microseconds and
// then sleeps, so that it takes no time from other programs. OpenMP's threads poll for milliseconds.
//
// The body of a loop must not throw, and its results must not depend on the way in which the loop is cut. A loop inside the body of
// another runs in one thread. Several threads may run loops at the same time; they share the helping threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>

#include "hybrid/machine/cpu.hpp"

namespace eigen_g {

namespace loops {
using Call = void (*)(const void* body, std::int64_t piece);
// body(piece) for piece = 0 ... pieces - 1, in up to `threads` threads.
void run(std::int64_t pieces, int threads, Call call, const void* body);
}  // namespace loops

// body(first, last) for ranges that together are 0 ... count - 1. threads: the largest number of threads; 1: the calling thread alone.
template <class Body>
void for_ranges(std::int64_t count, int threads, const Body& body) {
  if (count <= 0) return;
  // Several pieces for each thread even out loops whose steps differ, and threads that come late.
  const std::int64_t pieces = threads > 1 ? std::min<std::int64_t>(count, std::int64_t{8} * threads) : 1;
  if (pieces == 1) return body(std::int64_t{0}, count);
  const auto piece = [&](std::int64_t k) noexcept {
    const std::int64_t least = count / pieces, longer = count % pieces;
    const std::int64_t first = k * least + std::min(k, longer);
    body(first, first + least + (k < longer ? 1 : 0));
  };
  loops::run(
      pieces, threads, [](const void* p, std::int64_t k) { (*static_cast<const decltype(piece)*>(p))(k); },
      &piece);
}

// body(i) for i = 0 ... count - 1.
template <class Body>
void for_each(std::int64_t count, int threads, const Body& body) {
  for_ranges(count, threads, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) body(i);
  });
}

// Returns the maximum of `least` and of body(i) for i = 0 ... count - 1.
template <class R, class Body>
R largest_of(std::int64_t count, int threads, R least, const Body& body) {
  std::mutex mutex;
  R largest = least;
  for_ranges(count, threads, [&](std::int64_t first, std::int64_t last) {
    R own = least;
    for (std::int64_t i = first; i < last; ++i) own = std::max(own, static_cast<R>(body(i)));
    const std::lock_guard lock(mutex);
    largest = std::max(largest, own);
  });
  return largest;
}

// Threads of a loop: one if `large` is false.
inline int threads_if(bool large) {
  return large ? loop_threads() : 1;
}

}  // namespace eigen_g
