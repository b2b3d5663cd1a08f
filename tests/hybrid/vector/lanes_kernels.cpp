#include "tests/hybrid/vector/lanes_kernels.hpp"

#include "hybrid/instantiate.hpp"
#include "hybrid/vector/lanes.hpp"

namespace eigen_g::EIGEN_G_WIDTH {

template <class T>
void axpy(std::int64_t n, T a, const T* x, T* y) {
  for (std::int64_t i = 0; i < n; i += lanes<T>) store(y + i, broadcast(a) * load(x + i) + load(y + i));
}
template <class T>
T sum_of(std::int64_t n, const T* x) {
  Vector<T> total{};
  for (std::int64_t i = 0; i < n; i += lanes<T>) total += load(x + i);
  return sum<T>(total);
}
template <class T>
void sums_of(const T* x, T* to) {
  Vector<T> a[lanes<T>];
  for (int c = 0; c < lanes<T>; ++c) a[c] = load(x + c * lanes<T>);
  store(to, sums<T>(a));
}
template <class T>
void broadcast_to(T x, T* to) {
  store(to, broadcast(x));
}
template <class T>
void larger_of(const T* x, const T* y, T* to) {
  const Vector<T> a = load(x), b = load(y);
  store(to, a > b ? a : b);
}
template <class T>
int lanes_of() {
  return lanes<T>;
}

EIGEN_G_INSTANTIATE(real_types, axpy, sum_of, sums_of, broadcast_to, larger_of, lanes_of);

}  // namespace eigen_g::EIGEN_G_WIDTH
