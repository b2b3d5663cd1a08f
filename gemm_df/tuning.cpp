#include "gemm_df/tuning.hpp"

#include "hybrid/machine/tuning.hpp"

namespace eigen_g {

const ProductTuning& product_tuning(int capability) {
  static constexpr std::array<TunedFor<ProductTuning>, 1> entries{{{90, {}}}};
  return tuning_for(capability, entries);
}

const ProductTuning& product_tuning() {
  return product_tuning(current_capability());
}

}  // namespace eigen_g
