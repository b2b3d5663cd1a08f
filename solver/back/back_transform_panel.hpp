// The back-transformation of few rows in one kernel, panels of columns of Z in shared memory.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"

namespace eigen_g {

class Queue;

// Z := H_1 ... H_{n-1} Z; the arguments are those of back_transform() on a GPU, but
//   workspace_dev  back_transform_panels_workspace(n) doubles
// and n such that back_transform_panels_fit(n). Ordered on `queue`. Throws DeviceError. Repeats bit for bit.
// Cost: 2 n^2 m flops; each eight columns of Z read the reflectors (n^2 / 2 doubles) twice from L2.
void back_transform_panels(const Queue& queue, MatrixView<const double> a_dev, const double* tau_dev,
                           MatrixView<double> z_dev, double* workspace_dev);
std::int64_t back_transform_panels_workspace(std::int64_t n);
bool back_transform_panels_fit(std::int64_t n);  // into the shared memory of the current GPU

}  // namespace eigen_g
