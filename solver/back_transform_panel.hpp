#pragma once
#include <cstdint>
#include "hybrid/matrix_view.hpp"
namespace eigen_g {
class Queue;
inline constexpr int panel_width = 32, panel_columns = 8;
void back_transform_panels(Queue& queue, MatrixView<const double> a_dev, const double* tau_dev,
                           MatrixView<double> z_dev, double* workspace_dev);
std::int64_t back_transform_panels_workspace(std::int64_t n);
bool back_transform_panels_fit(std::int64_t n);
}  // namespace eigen_g
