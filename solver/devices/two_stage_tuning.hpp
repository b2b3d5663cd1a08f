// What was measured of the two-stage path, by compute capability. The values are those of an H200 (9.0); what else was measured:
// data/perf/DECISIONS.md, "Two stages".
#pragma once

#include <cstdint>
#include <limits>

namespace eigen_g {

// Orders from which two stages take less time than one.
struct PathOrders {
  std::int64_t with_vectors, of_values;
};

// Diagonals beside the main one.
struct GivenBands {
  std::int64_t with_vectors, of_values;
};

struct TwoStageTuning {
  // With vectors n = 2600: 20.5 and 20.1 ms, 2800: 22.6 and 23.2; without 2400: 15.1 and 15.1, 2600: 16.6 and 17.8.
  PathOrders orders_of_double{2700, 2450};
  // With vectors 3000: 21.4 and 18.1, 3500: 28.0 and 27.2; without 3000: 16.3 and 14.6, 4000: 23.7 and 30.1.
  PathOrders orders_of_float{3600, 3200};
  // With vectors 2800: 38.7 and 39.5, 3200: 51.0 and 49.2; without 2100: 17.8 and 18.8, 2400: 23.7 and 22.0.
  PathOrders orders_of_complex_double{3000, 2250};
  // With vectors 3000: 35.7 and 31.1, 4000: 56.5 and 57.8, 5000: 93.3 and 99.9; without 2500: 17.0 and 19.5, 2900: 23.7 and 23.4.
  PathOrders orders_of_complex_float{3900, 2900};
  std::int64_t min_order_of_64 = 1;  // from here on the band has 64 diagonals below the main one, before 32

  // The widest band that a matrix may be to be chased as it is; a wider one goes both stages. n = 10000, ms with vectors and
  // without: full 252, 120; 32 136, 24; 64 124, 36; 96 311, 44; 128 356, 87.
  GivenBands max_given_band{64, 128};

  // Reduction to a band
  // Columns whose update of the matrix is pending at most: few take little memory (2 n numbers each), many make fast products.
  std::int64_t pending = 256, pending_wide = 512;
  std::int64_t min_order_wide = 16000;  // takes the latter
  std::int64_t update_columns =
      1024;  // of one product of the update, which makes its tile on the diagonal whole
};

const TwoStageTuning& two_stage_tuning();  // of CUDA's current GPU; without one, the first entry

}  // namespace eigen_g
