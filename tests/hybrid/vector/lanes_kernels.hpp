// The operations of hybrid/vector/lanes.hpp as functions of each width.
#pragma once

#include <cstdint>

#include "hybrid/vector/width.hpp"

namespace eigen_g {

// y := a x + y and sum(x) by vectors, for n a multiple of the lanes; the sums of the lanes of `lanes` vectors; the number of lanes.
EIGEN_G_BY_WIDTH(template <class T> void axpy(std::int64_t n, T a, const T* x, T* y);
                 template <class T> T sum_of(std::int64_t n, const T* x);
                 template <class T> void sums_of(const T* x, T* to);
                 template <class T> void broadcast_to(T x, T* to);
                 template <class T> void larger_of(const T* x, const T* y, T* to);
                 template <class T> int lanes_of(););

}  // namespace eigen_g
