#include "solver/back/reflector_blocks.hpp"

namespace eigen_g {

ColumnProducts back_transform_products(std::int64_t n, std::int64_t width, std::int64_t m, double element) {
  const ReflectorBlocks blocks{n, width};
  ColumnProducts p;
  p.work = TeamWork::reflectors;
  p.columns = m;
  p.rows = static_cast<double>(n);
  p.inner = static_cast<double>(width);
  p.steps = static_cast<double>(std::max<std::int64_t>(1, blocks.count()));
  for (std::int64_t b = 0; b < blocks.count(); ++b) {
    const auto rows = static_cast<double>(blocks.rows(b)), k = static_cast<double>(blocks.columns(b));
    p.column_flops += 4 * rows * k + 2 * k * k;
    p.common_bytes += element * (rows * k + k * k);
  }
  p.beside = 2 * p.inner;
  p.column_bytes = element * static_cast<double>(n);
  return p;
}

}  // namespace eigen_g
