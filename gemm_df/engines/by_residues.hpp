// The engines that multiply by residues of 8 bits.
#pragma once

#include "gemm_df/engines/engine.hpp"

namespace eigen_g {

constexpr bool by_residues(Engine engine) {
  return engine == Engine::ozaki || engine == Engine::ozaki_fast || engine == Engine::ozaki_fp8;
}

}  // namespace eigen_g
