// Work arrays of a chunk of generalised problems, in addition to Work (batch.hpp).
#pragma once

#include "hybrid/memory/arena.hpp"
#include "solver/batched/batched_device.hpp"

namespace eigen_g::batched {

// Entries of the factor of a matrix of order n: the blocks of 8 x 8 entries of the lower triangle.
EIGEN_G_HOST_DEVICE constexpr int entries_of_factor(int n) {
  const int blocks = (n + 7) / 8;
  return blocks * (blocks + 1) / 2 * 64;
}

// Problem k of the chunk has array k of each member. B = L L^H, C = L^-1 A L^-H, and Y has the eigenvectors of C. ld is at least n.
template <class T>
struct PencilWork {
  int ld = 0;
  T* c = nullptr;          // ld x ld: C, then Y
  T* factor = nullptr;     // entries_of_factor(ld): L^H in reverse; null: values only
  int* order = nullptr;    // ld: row k of Y is row order[k] of X; null: values only
  real_t<T>* w = nullptr;  // ld: eigenvalues of C
  int* orders = nullptr;   // the orders of the matrices
  int* state = nullptr;    // 0; -1: a NaN or an infinity; n + k: B's leading minor of order k is not positive
  int* status = nullptr;   // the status of the standard problem
  int2* exponents = nullptr;  // x: w is multiplied by 2^x; y: the vectors by 2^-y
};

template <class T>
PencilWork<T> place_pencil_work(Arena& arena, int n, bool vectors, std::int64_t count) {
  PencilWork<T> work;
  if (method_of<T>(n, vectors, true) == Method::jacobi) return work;
  work.ld = n;
  work.c = arena.take<T>(count * n * n);
  if (vectors) {
    work.factor = arena.take<T>(count * entries_of_factor(n));
    work.order = arena.take<int>(count * n);
  }
  work.w = arena.take<real_t<T>>(count * n);
  work.orders = arena.take<std::int32_t>(count);
  work.state = arena.take<int>(count);
  work.status = arena.take<int>(count);
  work.exponents = arena.take<int2>(count);
  return work;
}

// Returns the chunk of the standard problems C of a chunk. Its arrays are in `work`.
template <class T>
Chunk<T> standard_chunk(const Chunk<T>& chunk, const PencilWork<T>& work) {
  Chunk<T> standard;
  standard.count = chunk.count;
  standard.n = chunk.n;
  standard.orders = chunk.orders ? work.orders : nullptr;
  standard.upper = true;
  standard.from = chunk.from;
  standard.to = chunk.to;
  standard.a = {work.c, std::int64_t{work.ld} * work.ld, nullptr};
  if (work.factor) standard.z = standard.a;
  standard.lda.all = standard.ldz.all = work.ld;
  standard.w = {work.w, work.ld, nullptr};
  standard.status = work.status;
  return standard;
}

// Returns the status of a generalised problem, from PencilWork::state and the status of its standard problem. A status from 1 to n says that the
// standard problem did not converge.
EIGEN_G_HOST_DEVICE constexpr int pencil_info(int state, int standard, int n) {
  return state != 0 ? state : standard > n ? n : standard;
}

}  // namespace eigen_g::batched
