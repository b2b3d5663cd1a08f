// The operations of CpuExecutor.
#include "solver/sparse/cpu_executor.hpp"

#include <algorithm>
#include <utility>

#include "hybrid/instantiate.hpp"
#include "hybrid/team/loops.hpp"
#include "solver/sparse/small_matrices.hpp"

namespace eigen_g {

template <class T>
CpuExecutor<T>::CpuExecutor(std::int64_t n, MatrixOperator<T> product, std::int64_t first_row)
    : n_(n), first_row_(first_row), product_(std::move(product)) {}

template <class T>
T* CpuExecutor<T>::take(std::int64_t values) {
  bytes_ += static_cast<std::uint64_t>(values) * sizeof(T);
  memory_.push_back(host_array<T>(values));
  return memory_.back().get();
}
template <class T>
void CpuExecutor<T>::put(const T* host, std::int64_t values, T* to) {
  std::copy_n(host, values, to);
}
template <class T>
void CpuExecutor<T>::get(const T* from, std::int64_t values, T* host) {
  std::copy_n(from, values, host);
}
template <class T>
void CpuExecutor<T>::copy(const T* from, std::int64_t values, T* to) {
  std::copy_n(from, values, to);
}

template <class T>
void CpuExecutor<T>::product(T alpha, const T* x, T gamma, T beta, T* y) {
  product_(alpha, x, gamma, beta, y);
}

template <class T>
void CpuExecutor<T>::randomise(unsigned columns, std::uint64_t seed, T* x) {
  for_each(n_, threads_if(n_ >= smallest_parallel_order), [&](std::int64_t row) {
    for (int j = 0; j < block_width; ++j)
      if (columns >> j & 1u)
        x[block_width * row + j] =
            random_value<T>(seed, static_cast<std::uint64_t>(block_width * (first_row_ + row) + j));
  });
}

template <class T>
void CpuExecutor<T>::gram(std::int64_t p, const T* v, const T* w, T* c) {
  tall_gram_on_cpu(n_, p, v, w, c);
}
template <class T>
void CpuExecutor<T>::subtract(std::int64_t p, const T* v, const T* c, T* w, T* g) {
  tall_subtract_on_cpu(n_, p, v, c, w, g);
}
template <class T>
void CpuExecutor<T>::times(T* w, const T* s) {
  tall_times_on_cpu(n_, w, s);
}
template <class T>
void CpuExecutor<T>::combine(std::int64_t p, const T* v, const T* q, std::int64_t q_blocks, T* z) {
  tall_combine_on_cpu(n_, p, v, q, q_blocks, z);
}
template <class T>
void CpuExecutor<T>::factor(const T* g, T least, T* r, T* inverse) {
  factor_gram(g, least, r, inverse);
}
template <class T>
void CpuExecutor<T>::keep_diagonal(T* c) {
  for (int e = 0; e < block_width * block_width; ++e)
    if (e % (block_width + 1) != 0) c[e] = T(0);
}

template <class T>
void CpuExecutor<T>::column(const T* blocks, std::int64_t column, T* to) {
  const T* const from = blocks + column / block_width * block_width * n_ + column % block_width;
  for_each(n_, threads_if(n_ >= smallest_parallel_order),
           [=](std::int64_t i) { to[i] = from[block_width * i]; });
}

EIGEN_G_INSTANTIATE_CLASS(double_type, CpuExecutor);

}  // namespace eigen_g
