// Z := Q2 Z with the reflectors of the chase (band_to_tridiagonal.hpp).
#pragma once

#include <cstdint>

#include "gemm_df/products.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "solver/reduction/two_stage/chase_tiles.hpp"

namespace eigen_g {

template <class T>
struct CutWork;
template <class T>
class SolveTeam;

// CPU, a tile at a time.
//   reflectors  host, in     z  n x m, host, in and out     scratch  chase_back_bytes_on_cpu<T>(b, m)
// Cost: (b + width) / b 2 n^2 m flops. Throws DeviceError. LAPACK: dlarft, dlarfb.
template <class T>
void chase_back(const ChaseTiles& tiles, const ChaseReflectors<const T>& reflectors, MatrixView<T> z,
                Arena scratch);
template <class T>
std::uint64_t chase_back_bytes_on_cpu(std::int64_t n, std::int64_t b, std::int64_t m);

// GPU, CUDA builds only.
// How: one kernel that keeps a window of Z in registers; or batched products of cuBLAS, an anti-diagonal of tiles at a time; or the
// same products one by one, by the engine of `products`.
enum class ChaseBack { automatic, fused, products, engine };

// Bytes of workspace with which chase_back() of m columns takes groups by slabs of `slab` bytes of V and factors, at least a group; with
// more it takes longer slabs.
//   cut   columns may be cut over GPUs (double): V and the factors of all tiles, 1.15 n^2 elements
inline constexpr std::int64_t chase_back_slab_bytes = std::int64_t{1} << 30;
template <class T>
std::uint64_t chase_back_bytes(std::int64_t n, std::int64_t b, std::int64_t m, bool cut = false,
                               std::int64_t slab = chase_back_slab_bytes);

//   reflectors  as band_to_tridiagonal() leaves them
//   z_dev       n x m, lda >= n, in and out; rows from n on are not touched
//   how         automatic: fused where the GPU has the tensor core's steps of 16 x 8 x 8 (compute capability 9.0) and 150 KB of shared
//               memory a block, b <= 64 (in float b = 64; complex by its image, chase_image.hpp), lda is even and z_dev lies on 16
//               bytes; else products. `fused` where that is not so is an InvalidArgument.
//   team        GPUs that take columns of Z, in double where the fused way serves and the workspace is for a cut; the CPU takes none
// All in device memory, ordered on the products' queue, which is not waited for.
// The fused way works in double, of complex<double> by three real products for one (chase_back_planes.cuh); of floats with b = 64
// (complex: 32) in halves (chase_back_halves.cuh), for columns of Z of about unit length: entries below 8, V's at most 1. Complex
// matrices have no engine: `engine` is `products`. Throws DeviceError. Each way repeats bit for bit on the same GPU, and a column's
// bits do not depend on the others.
// Cost: 2 n^2 m flops (complex: 8 n^2 m), for b = 64 1.41 times as many executed, or 2 times by products; 8 n^2 m / width bytes of Z. H200, m = n,
// b = 64: 4.7 ms at n = 4000, 62 at 10000, 527 at 20000 (31 TFLOP/s); by products 298 at 10000. Floats 3.3, 38.5, 306 (52 TFLOP/s).
// Source: Schreiber and Van Loan 1989; Auckenthaler et al. 2011 (ELPA2); Gates, Haidar and Dongarra 2018.
template <class T>
void chase_back(const Products<T>& products, const ChaseTiles& tiles,
                const ChaseReflectors<const T>& reflectors, MatrixView<T> z_dev, Arena workspace,
                ChaseBack how = ChaseBack::automatic, SolveTeam<T>* team = nullptr);

// What a team has to expect of chase_back() with these arguments. Nothing is read or written.
template <class T>
CutWork<T> chase_back_cut(const ChaseTiles& tiles, MatrixView<T> z_dev);

}  // namespace eigen_g
