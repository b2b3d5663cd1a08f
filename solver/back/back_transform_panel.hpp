// The back-transformation of few rows in one kernel, panels of columns of Z in shared memory.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

class Queue;

// Z := H_1 ... H_{n-1} Z; the arguments are those of back_transform() on a GPU, but
//   workspace_dev  back_transform_panels_workspace(n) elements
// and n such that back_transform_panels_fit(n). Ordered on `queue`. Throws DeviceError. Repeats bit for bit.
// Cost: 2 n^2 m flops; each eight columns of Z read the reflectors (n^2 / 2 elements) twice from L2.
template <class T>
void back_transform_panels(const Queue& queue, MatrixView<const same_t<T>> a_dev, const same_t<T>* tau_dev,
                           MatrixView<T> z_dev, same_t<T>* workspace_dev);
std::int64_t back_transform_panels_workspace(std::int64_t n);
template <class T>
bool back_transform_panels_fit(std::int64_t n);  // into the shared memory of the current GPU

}  // namespace eigen_g
