// back_transform_chase(), Z := Q2 Z: the back-transformation by the reflectors of the bulge chase (band_to_tridiagonal.hpp, chase_tiles.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "gemm_df/engines/products.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "solver/reduction/two_stage/chase_tiles.hpp"

namespace eigen_g {

template <class T>
struct CutWork;
template <class T>
class SolveTeam;

// CPU, by threads.
//   reflectors  as band_to_tridiagonal_on_cpu() leaves them, host, packed or with a stride of any kind, in
//   z           n x m, host, in and out
//   scratch     back_transform_chase_bytes_on_cpu<T>(n, tiles.b, m) bytes of host memory
//   progress    called by the calling thread with the fraction of the work that is done. Its exceptions pass through; Z is then unspecified
// Takes up to team_threads(n) threads. The bits of a column depend neither on their number nor on the other columns. They are others for each vector
// width (hybrid/vector/width.hpp).
// Cost: 2 n^2 m flops (complex: 8 n^2 m). With the zeros of its blocks it executes up to (b + 32) / b times this number.
// Source: LAPACK dlarft, dlarfb.
template <class T>
void back_transform_chase_on_cpu(const ChaseTiles& tiles, const ChaseReflectors<const T>& reflectors,
                                 MatrixView<T> z, Arena scratch,
                                 const std::function<void(double fraction)>& progress = {});
template <class T>
std::uint64_t back_transform_chase_bytes_on_cpu(std::int64_t n, std::int64_t b, std::int64_t m);

// GPU, CUDA builds only. The variants of back_transform_chase():
//   fused     one kernel that keeps a window of Z in registers
//   products  batched products of cuBLAS, a wavefront of tiles at a time
//   engine    products of many tiles, by the engine of `products` (chase_blocks.hpp)
//   automatic fused if possible, else products
enum class ChaseBack { automatic, fused, products, engine };
// Returns the variant for an engine on the current GPU. `automatic` is for Engine::native. It is also for Engine::automatic, if the GPU's
// rate in double is at least half of its rate in float. `engine` is for all other cases.
ChaseBack back_transform_chase_on_gpu(Engine engine);

// Bytes of workspace for back_transform_chase() of m columns.
//   slab  bytes of V and factors that are in the workspace at the same time. They are for a slab of consecutive sweep groups, at least one.
//         With a larger workspace back_transform_chase() takes longer slabs
//   cut   a team may take columns (double only): room for V and the factors of all tiles, 1.15 n^2 elements
inline constexpr std::int64_t back_transform_chase_slab_bytes = std::int64_t{1} << 30;
template <class T>
std::uint64_t back_transform_chase_bytes(std::int64_t n, std::int64_t b, std::int64_t m, bool cut = false,
                                         std::int64_t slab = back_transform_chase_slab_bytes);

// Sweep groups first ... end - 1. By default all groups.
struct ChaseGroups {
  std::int64_t first = 0, end = std::numeric_limits<std::int64_t>::max();
};

// GPU. Everything is in device memory.
//   reflectors  as band_to_tridiagonal() leaves them, in
//   z_dev       n x m, lda >= n, in and out; rows from n on are not touched
//   workspace   back_transform_chase_bytes<T>(n, tiles.b, m) bytes or more
//   how         the variant. `fused` needs:
//                 the tensor core's mma of 16 x 8 x 8 doubles (compute capability 9.0), 150 KB of shared memory per thread block
//                 b <= 64; for float b = 64; complex: for the real image (chase_image.hpp)
//                 lda even, z_dev 16-byte aligned
//               If it is chosen without these, it is an InvalidArgument
//   team        GPUs that take columns of Z; null: none. It is used for double in the fused variant; the workspace must then be for
//               cut = true. The CPU takes no columns
//   groups      the sweep groups to apply. Only their v arrays are read. Higher groups must have been applied before. Only without a team
// Ordered on the products' queue. Does not block the host; if a team takes columns, it blocks as ColumnTeam::run does.
// Arithmetic of the fused variant:
//   double           double
//   complex<double>  three real products for a complex one (back_transform_chase_planes.cuh)
//   float            fp16 pairs (back_transform_chase_halves.cuh); complex<float> too, by its real image. For columns of Z of about unit length:
//                    entries of Z are below 8, entries of V at most 1
// Complex matrices have no engine: `engine` is `products`.
// Throws DeviceError, InvalidArgument. Every variant repeats bit for bit on the same GPU. The bits of a column do not depend on the
// other columns.
// Cost: 2 n^2 m flops (complex: 8 n^2 m). For b = 64 the fused variant executes 1.41 times this number, the other variants 2 times.
// Z: 8 n^2 m / width bytes (double). Times: data/perf/DECISIONS.md, "Back-transformation of the chase".
// Source: Schreiber and Van Loan 1989; Auckenthaler et al. 2011 (ELPA2); Gates, Haidar and Dongarra 2018.
template <class T>
void back_transform_chase(const Products<T>& products, const ChaseTiles& tiles,
                          const ChaseReflectors<const T>& reflectors, MatrixView<T> z_dev, Arena workspace,
                          ChaseBack how = ChaseBack::automatic, SolveTeam<T>* team = nullptr,
                          ChaseGroups groups = {});

// GPU. back_transform_chase() with the v arrays of the reflectors in host memory. While the GPU applies a slab of sweep groups,
// the arrays of the next slab are copied to a slot on the GPU.
//   reflectors  v: host memory of any kind, packed or with a negative stride, in. tau: device memory, in
//   workspace   back_transform_chase_from_host_bytes<T>(n, tiles.b, m) bytes or more. Slabs are not longer than back_transform_chase_slab_bytes
// All else is as in back_transform_chase(), without a team. Z has the same bits. The host is busy with the copies until the last slab has been sent.
template <class T>
void back_transform_chase_from_host(const Products<T>& products, const ChaseTiles& tiles,
                                    const ChaseReflectors<const T>& reflectors, MatrixView<T> z_dev,
                                    Arena workspace, ChaseBack how = ChaseBack::automatic);
template <class T>
std::uint64_t back_transform_chase_from_host_bytes(std::int64_t n, std::int64_t b, std::int64_t m,
                                                   std::int64_t slab = back_transform_chase_slab_bytes);

// The work that back_transform_chase() will cut over a team for these arguments; empty if it will not cut any. Nothing is read or written.
template <class T>
CutWork<T> back_transform_chase_cut(const ChaseTiles& tiles, MatrixView<T> z_dev);

}  // namespace eigen_g
