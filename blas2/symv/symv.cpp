// Configurations of the symmetric product, their names and the choice among them. Host code; no GPU is needed.
#include "blas2/symv/symv.hpp"

#include <algorithm>

#include "blas2/symv/symv_partition.hpp"
#include "blas2/symv/symv_shapes.hpp"
#include "hybrid/stream/grid_barrier.hpp"

namespace eigen_g::blas2 {

namespace {

std::vector<SymvConfig> all_configs() {
  constexpr int max_blocks = 8;  // blocks per multiprocessor; more are not worth trying
  std::vector<SymvConfig> list;
  for (const SymvShapeParameters& shape : symv_shapes) {
    const int threads = 32 * shape.row_warps * shape.column_warps;
    const int fitting = 65536 / (symv_registers(shape) * threads);
    for (int blocks = 1; blocks <= std::min(fitting, max_blocks); ++blocks)
      for (const auto finish :
           {SymvFinish::last_arrival, SymvFinish::grid_barrier, SymvFinish::second_kernel})
        list.push_back({shape.row_warps, shape.column_warps, shape.loads, shape.columns, blocks, finish});
  }
  return list;
}

}  // namespace

std::string name(const SymvConfig& c) {
  return "r" + std::to_string(c.row_warps) + "x" + std::to_string(c.column_warps) + "-l" +
         std::to_string(c.loads) + "-c" + std::to_string(c.columns) + "-b" +
         std::to_string(c.blocks_per_multiprocessor) + "-" + static_cast<char>(c.finish);
}

std::span<const SymvConfig> symv_candidates(SymvType) {
  static const std::vector<SymvConfig> list = all_configs();
  return list;
}

std::optional<SymvConfig> find_symv_config(SymvType type, const std::string& text) {
  for (const SymvConfig& config : symv_candidates(type))
    if (name(config) == text) return config;
  return std::nullopt;
}

SymvConfig default_symv_config(SymvType type, Uplo, std::int64_t n, int multiprocessors) {
  // Bytes of the triangle for each multiprocessor. With little work, low strips give every block some of it, and a finish
  // without a second launch is faster.
  const double share = 0.5 * static_cast<double>(n) * static_cast<double>(n) *
                       static_cast<double>(element_bytes(type)) / std::max(1, multiprocessors);
  constexpr double kib = 1024;
  if (share < 256 * kib) return {2, 4, 1, 8, 2, SymvFinish::grid_barrier};
  if (share < 1024 * kib) return {4, 2, 1, 8, 2, SymvFinish::second_kernel};
  return {8, 1, 1, 8, 2, SymvFinish::second_kernel};
}

std::optional<SymvConfig> SymvTable::find(SymvType type, Uplo uplo, std::int64_t n) const {
  for (const SymvTableRow& row : rows)
    if (row.type == type && row.uplo == uplo && row.n_from <= n && n < row.n_to) return row.config;
  return std::nullopt;
}

std::uint64_t symv_workspace_bytes(SymvType type, std::int64_t n, const SymvConfig& config,
                                   int multiprocessors) {
  if (n <= 0) return 0;
  const std::int64_t rows = rows_per_strip(type, config);
  const std::int64_t strips = (n + rows - 1) / rows;
  const std::int64_t pieces = std::int64_t{multiprocessors} * config.blocks_per_multiprocessor + strips;
  return static_cast<std::uint64_t>((pieces * rows + strips * symv_column_stride(strips * rows)) *
                                    element_bytes(type)) +
         static_cast<std::uint64_t>(strips + grid_barrier_words) * sizeof(unsigned);
}

}  // namespace eigen_g::blas2
