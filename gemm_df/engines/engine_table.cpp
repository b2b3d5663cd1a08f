#include "gemm_df/engines/engine_table.hpp"

#include <array>

namespace eigen_g {

EngineRow native_engine();
EngineRow double_float_engine();
EngineRow emulated_engine();

// The rows are in the order of the enum.
const EngineRow& row_of(Engine engine) {
  static const std::array<EngineRow, engine_count> rows{native_engine(), double_float_engine(),
                                                        emulated_engine()};
  return rows[static_cast<std::size_t>(engine)];
}

}  // namespace eigen_g
