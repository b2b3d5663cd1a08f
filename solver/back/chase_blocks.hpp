// Z := Q2 Z in products with many terms, for any engine: the variant ChaseBack::engine of back_transform_chase(). CUDA builds only.
//
// A block has the tiles of q sweep groups at q steps. All of them act on q (b + width) rows, and their product is an orthogonal matrix of
// this order. So Z takes one product for q^2 tiles, with q (b + width) terms instead of b + width or width:
//
//   tiles (group, step) of a block        rows of Z
//        step  0   1   2                  0 ......... first row of (first group, first step)
//   group 0    A   B   C                     A          each tile begins b rows below the tile before it in its group,
//         1    D   E   F                     B D        and width rows below the tile of the group before
//         2    G   H   I                     C E G
//                                              F H
//   applied: G H I D E F A B C                   I .... q (b + width) rows
//
// The product of a block's tiles is formed in the matrix' own type, by batched products over many blocks at once. Its zeros are left out:
// when tile (d, e) of the block is applied to the product, its rows have entries only in the columns from d width on, and up to
// the last row of the tile and width further rows for each group that was applied before (b + width if b > width).
//
// On a GPU that is slow in double the native products stop at half of q. The matrices of the four quarters of a block are multiplied to that of the
// block by the engine, in the order of the tiles of a block with q = 2 (TwoStageTuning::engine_native_rows_slow).
//
// Blocks follow each other as tiles do in the batched products (back_transform_chase.cu): block (I, J) belongs to wavefront I + J, where I counts
// from the last groups and J from the first steps. The blocks of a wavefront have no row in common.
//
// Source: Bischof, Lang and Sun 2000 (SBR); Braman, Byers and Mathias 2002 (reflectors of a chase as one small matrix).
#pragma once

#include <cstdint>

#include "gemm_df/engines/products.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "solver/reduction/two_stage/chase_tiles.hpp"

namespace eigen_g {

// Groups, and steps, of a block (TwoStageTuning::engine_block_rows).
std::int64_t chase_block_tiles(const ChaseTiles& tiles);

// The least bytes of workspace for m columns. With more, more blocks are formed and more columns are multiplied at once.
template <class R>
std::uint64_t back_transform_chase_in_blocks_bytes(const ChaseTiles& tiles, std::int64_t m);

// Applies the groups first_group ... last_group to z_dev (n x m, m > 0).
//   v, factors  V and -T of these groups' tiles, as chase_factors() leaves them; device, in
//   workspace   back_transform_chase_in_blocks_bytes() bytes or more; device
// Ordered on the products' queue. The bits do not depend on the size of the workspace if the bits of the engine's products do not depend
// on the number of columns. Throws DeviceError. Cost, in flops of the products: 4 n^2 m by the engine, about 2.4 n^2 q (b + width) native. If native
// products form the quarters, half of the latter, and 2.5 n^2 q (b + width) by the engine.
template <class R>
void back_transform_chase_in_blocks(const Products<R>& products, const ChaseTiles& tiles, const double* v,
                                    const double* factors, std::int64_t first_group, std::int64_t last_group,
                                    MatrixView<R> z_dev, Arena workspace);

}  // namespace eigen_g
