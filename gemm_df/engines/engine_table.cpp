#include "gemm_df/engines/engine_table.hpp"

#include <array>

#include "hybrid/machine/fork.hpp"

namespace eigen_g {

EngineRow native_engine();
EngineRow double_float_engine();
EngineRow emulated_engine();
EngineRow ozaki_engine();
EngineRow ozaki_fast_engine();
EngineRow ozaki_fp8_engine();

// The rows are in the order of the enum.
const EngineRow& row_of(Engine engine) {
  using Rows = std::array<EngineRow, engine_count>;
  static constinit MadeOnce<const Rows> rows;
  return rows.get([] {
    return Rows{native_engine(), double_float_engine(), emulated_engine(),
                ozaki_engine(),  ozaki_fast_engine(),   ozaki_fp8_engine()};
  })[static_cast<std::size_t>(engine)];
}

}  // namespace eigen_g
