// The back-transformation of few rows in one kernel, which keeps columns of Z in shared memory.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

class Queue;

// Z := H_1 ... H_{n-1} Z. Arguments as in back_transform() on a GPU, except:
//   workspace_dev  back_transform_panels_workspace(n) elements
// back_transform_panels_fit<T>(n) must hold. Ordered on `queue`. Throws DeviceError. Repeated runs give the same bits.
// Cost: 2 n^2 m flops. For every eight columns of Z the reflectors (n^2 / 2 elements) are read twice from L2.
template <class T>
void back_transform_panels(const Queue& queue, MatrixView<const same_t<T>> a_dev, const same_t<T>* tau_dev,
                           MatrixView<T> z_dev, same_t<T>* workspace_dev);
std::int64_t back_transform_panels_workspace(std::int64_t n);
template <class T>
// True: the kernel fits into the shared memory of the current GPU.
bool back_transform_panels_fit(std::int64_t n);

}  // namespace eigen_g
