#include "gemm_df/tuning.hpp"

#include "hybrid/machine/fork.hpp"

namespace eigen_g {

ProductTuning product_tuning_by(TuningValues values) {
  ProductTuning t;
#define EIGEN_G_REPLACE(member) values.replace(#member, t.member)
  EIGEN_G_REPLACE(max_terms_of_a_sum);
  EIGEN_G_REPLACE(max_columns_of_whole_sums);
  EIGEN_G_REPLACE(min_products_of_three);
  EIGEN_G_REPLACE(max_terms_of_halves);
  EIGEN_G_REPLACE(halves_cut_of_a_term);
  EIGEN_G_REPLACE(halves_min_lines);
  EIGEN_G_REPLACE(halves_min_products);
  EIGEN_G_REPLACE(narrow_halves_min_entries);
  EIGEN_G_REPLACE(rank_2k_max_columns);
  EIGEN_G_REPLACE(rank_2k_min_rows_medium);
  EIGEN_G_REPLACE(rank_2k_min_rows_large);
  EIGEN_G_REPLACE(rank_2k_min_rows_product);
  EIGEN_G_REPLACE(ozaki_min_entries);
  EIGEN_G_REPLACE(ozaki_min_terms);
  EIGEN_G_REPLACE(ozaki_native_lines);
  EIGEN_G_REPLACE(ozaki_own_products);
  EIGEN_G_REPLACE(ozaki_planes_of_few);
  EIGEN_G_REPLACE(ozaki_planes_of_many);
  EIGEN_G_REPLACE(ozaki_moduli_at_once);
  EIGEN_G_REPLACE(ozaki_overlap);
  EIGEN_G_REPLACE(ozaki_few_terms);
  EIGEN_G_REPLACE(ozaki_sums_of_few);
  EIGEN_G_REPLACE(ozaki_sums_of_many);
#undef EIGEN_G_REPLACE
  values.finish();
  return t;
}

const ProductTuning& product_tuning() {
  static constinit MadeOnce<const ProductTuning> tuning;
  return tuning.get([] { return product_tuning_by(TuningValues::of_environment("products")); });
}

}  // namespace eigen_g
