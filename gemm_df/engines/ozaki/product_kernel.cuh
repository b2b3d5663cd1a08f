// The kernel of products of bytes on the tensor cores, integers or floats: residues of both operands -> planes. It needs code for sm_90a.
#pragma once

#include <cstdint>
#include <type_traits>

#include <vector_types.h>

#include "gemm_df/engines/ozaki/planes.hpp"
#include "hybrid/stream/cluster.cuh"
#include "hybrid/stream/dynamic_shared.cuh"
#include "hybrid/stream/tile_pipeline.cuh"

namespace eigen_g::ozaki {

inline constexpr int product_threads = 3 * 128;  // one warpgroup copies, two multiply
inline constexpr int slots = 4, slot_terms = 128, map_lines = 128;
inline constexpr int slot_bytes = (plane_rows + block_columns) * slot_terms;
inline constexpr int product_shared_bytes = 1024 + slots * (slot_bytes + 2 * static_cast<int>(sizeof(Gate)));

// out := the residues of sum_l a(row, l) b(column, l) for all moduli. There are `clusters` clusters of `cluster` blocks of
// product_threads threads. A tile has plane_rows rows and cluster * block_columns columns.
//   a, b   the residues of the lines, with map_lines lines in a box
//
// The first warpgroup copies tiles of slot_terms terms into the slots, in turn; each block of a cluster copies a part of the rows of A for
// all of them. The other warpgroups multiply: each has half of the block's columns. A gate `full` ends when the tiles are there, a gate `empty`
// when all warps of the cluster have read them.
//
// Floats: the planes of a modulus are multiplied one after the other. The tensor cores add exact_float_terms products, which are then added to the
// sums. Meanwhile the tensor cores work for the other warpgroup.
template <int cluster, bool floats = false>
__global__ void __launch_bounds__(product_threads, 1)
    product_kernel(const __grid_constant__ TileMap a, const __grid_constant__ TileMap b,
                   const __grid_constant__ ProductWork work, int clusters) {
  constexpr int warps = (product_threads - 128) / 32, boxes = plane_rows / map_lines;
  static_assert(cluster == 1 || boxes % cluster == 0);
  auto* const shared = reinterpret_cast<std::int8_t*>(DynamicShared<double2>::memory());
  std::int8_t* const tiles_a = shared + (1024 - reinterpret_cast<std::uintptr_t>(shared) % 1024) % 1024;
  std::int8_t* const tiles_b = tiles_a + slots * plane_rows * slot_terms;
  auto* const full = reinterpret_cast<Gate*>(tiles_b + slots * block_columns * slot_terms);
  Gate* const empty = full + slots;
  const int thread = static_cast<int>(threadIdx.x);
  const int rank = cluster == 1 ? 0 : static_cast<int>(rank_in_cluster());
  if (thread == 0) {
    for (int i = 0; i < slots; ++i) {
      open_gate(full + i, 1);
      open_gate(empty + i, static_cast<unsigned>(warps * cluster));
    }
    publish_gates();
  }
  cluster_barrier();

  const int steps = (work.terms + slot_terms - 1) / slot_terms;
  TileWalk tile(work.tiles);
  bool more = tile.go(static_cast<int>(blockIdx.x) / cluster);
  int slot = 0;
  unsigned turn = 0;  // parity of the gates' phase
  const auto next_slot = [&] {
    if (++slot < slots) return;
    slot = 0;
    turn ^= 1;
  };
  if (thread < 128) {
    keep_registers<40>();
    if (thread == 0) {
      prefetch(a);
      prefetch(b);
      for (; more; more = tile.go(clusters)) {
        const int row = tile.row() * plane_rows, column = (tile.column() * cluster + rank) * block_columns;
        int plane = tile.plane(), digits = 1;
        if constexpr (floats) {
          digits = work.floats[plane].digits;
          plane = work.floats[plane].first_plane;
        }
        for (int step = 0; digits > 0; next_slot()) {
          wait_for(empty + slot, turn ^ 1);
          expect_bytes(full + slot, static_cast<unsigned>(slot_bytes));
          for (int box = rank; box < boxes; box += cluster) {
            std::int8_t* const to = tiles_a + (slot * plane_rows + box * map_lines) * slot_terms;
            if constexpr (cluster == 1)
              load_tile(a, step * slot_terms, row + box * map_lines, plane, to, full + slot);
            else
              load_tile_for((1U << cluster) - 1, a, step * slot_terms, row + box * map_lines, plane, to,
                            full + slot);
          }
          load_tile(b, step * slot_terms, column, plane, tiles_b + slot * block_columns * slot_terms,
                    full + slot);
          if (++step < steps) continue;
          step = 0;
          ++plane;
          --digits;
        }
      }
    }
  } else {
    take_registers<232>();
    const int lane = thread % 32, half = thread / 128 - 1;
    const auto done_with = [&](int read) {
      if (lane < cluster) arrive(empty + read, static_cast<unsigned>(lane));
    };
    const auto first_column = [&] {
      return (static_cast<std::int64_t>(tile.column()) * cluster + rank) * block_columns + half * 64 +
             thread % 128 / 32 * 16 + lane / 4;
    };
    const auto first_place = [&] {
      return tile.plane() * work.out.step + static_cast<std::int64_t>(tile.row()) * plane_rows +
             lane % 4 * 16;
    };
    std::conditional_t<floats, float, std::int32_t> sums[128];
    for (; more; more = tile.go(clusters)) {
      if constexpr (floats) {
        constexpr int parts = slot_terms / exact_float_terms;
        const FloatModulus& modulus = work.floats[tile.plane()];
        float few[64];
#pragma unroll
        for (int i = 0; i < 128; ++i) sums[i] = 0;
        for (int digit = 0; digit < modulus.digits; ++digit) {
          for (int step = 0; step < steps; ++step, next_slot()) {
            wait_for(full + slot, turn);
#pragma unroll
            for (int part = 0; part < 2 * parts; ++part) {
              const int rows = part / parts, first = part % parts * (exact_float_terms / 32);
              begin_products();
#pragma unroll
              for (int i = 0; i < exact_float_terms / 32; ++i)
                multiply_64x128x32(few, tiles_b + (slot * block_columns + half * 64) * slot_terms,
                                   tiles_a + (slot * plane_rows + rows * 128) * slot_terms, first + i, i > 0);
              commit_products();
              wait_for_products<0>();
#pragma unroll
              for (int i = 0; i < 64; ++i) sums[64 * rows + i] += few[i];
            }
            done_with(slot);
          }
          const float factor = modulus.factors[digit];
#pragma unroll
          for (int i = 0; i < 128; ++i) sums[i] = modulus.after_plane(sums[i], factor);
        }
        auto* const out = reinterpret_cast<std::uint16_t*>(work.out.data) + first_place();
#pragma unroll
        for (int lower = 0; lower < 2; ++lower) {
          const std::int64_t column = first_column() + 8 * lower;
          if (column >= work.columns) continue;
#pragma unroll
          for (int group = 0; group < plane_rows / row_group; ++group) {
            std::uint32_t words[8];
#pragma unroll
            for (int w = 0; w < 8; ++w) {
              const int at = 4 * (8 * group + w) + 2 * lower;
              words[w] = modulus.residue(sums[at]) | modulus.residue(sums[at + 1]) << 16;
            }
            auto* const to = reinterpret_cast<uint4*>(out + column * work.out.stride + group * row_group);
            to[0] = uint4{words[0], words[1], words[2], words[3]};
            to[1] = uint4{words[4], words[5], words[6], words[7]};
          }
        }
      } else {
        int before = 0;
        for (int step = 0; step < steps; ++step, next_slot()) {
          wait_for(full + slot, turn);
          begin_products();
#pragma unroll
          for (int i = 0; i < slot_terms / 32; ++i)
            multiply_64x256x32(sums, tiles_b + (slot * block_columns + half * 64) * slot_terms,
                               tiles_a + slot * plane_rows * slot_terms, i, step > 0 || i > 0);
          commit_products();
          if (step > 0) {
            wait_for_products<1>();
            done_with(before);
          }
          before = slot;
        }
        wait_for_products<0>();
        done_with(before);

        const SumModulus modulus = work.moduli[tile.plane()];
        std::uint8_t* const out = work.out.data + first_place();
#pragma unroll
        for (int lower = 0; lower < 2; ++lower) {
          const std::int64_t column = first_column() + 8 * lower;
          if (column >= work.columns) continue;
#pragma unroll
          for (int group = 0; group < plane_rows / row_group; ++group) {
            std::uint32_t words[4];
#pragma unroll
            for (int w = 0; w < 4; ++w) {
              const int at = 4 * (8 * group + 2 * w) + 2 * lower;
              words[w] = four_bytes(modulus.residue_byte(sums[at]), modulus.residue_byte(sums[at + 1]),
                                    modulus.residue_byte(sums[at + 4]), modulus.residue_byte(sums[at + 5]));
            }
            *reinterpret_cast<uint4*>(out + column * work.out.stride + group * row_group) =
                uint4{words[0], words[1], words[2], words[3]};
          }
        }
      }
    }
  }
  cluster_barrier();  // a block ends only when no other one writes into its shared memory
}

}  // namespace eigen_g::ozaki
