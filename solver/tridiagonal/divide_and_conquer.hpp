// T = Z diag(w) Z^T for a symmetric tridiagonal T with diagonal d and off-diagonal e.
#pragma once

#include <cstdint>

#include "gemm_df/products.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"
#include "solver/api/types.hpp"
#include "solver/prepare/subset.hpp"

namespace eigen_g {

template <class T>
class SolveTeam;

// A numerical outcome. `failed` is positive where it did not converge: LAPACK's info on the CPU, a row or a root of T,
// from 1, on a GPU.
struct Outcome {
  Status status = Status::converged;
  std::int64_t failed = 0;
  Selected found;  // the eigenpairs that are stored
};

// The eigenpairs of T that are to be stored, and of which only the vectors are formed.
struct Wanted {
  Subset subset;
  int scale = 0;  // a subset of values is one of 2^scale times T's eigenvalues
};

// CPU. LAPACK: dstedc, or dsterf for values only.
//   d  n values, host, in; out: the eigenvalues found, ascending     e  n-1 values, host, in, destroyed
//   z  n x wanted.subset.most(n), ldz, host, out: the eigenvectors found; data null: values only
//   scratch   divide_and_conquer_bytes_on_cpu<R>(n, vectors, wanted.subset.most(n)) of host memory
// A subset is cut out of the whole solution, so that its values are those of the whole; by number this takes another
// n^2 doubles.
// Blocks until done. Cost: at most 4/3 n^3 flops (less where eigenvalues deflate) and n^2 + O(n) doubles;
// values only: O(n^2) flops. Throws OutOfMemory, DeviceError, InvalidArgument where LAPACK's integers are too
// short for n.
template <class R>
Outcome divide_and_conquer(std::int64_t n, R* d, R* e, MatrixView<same_t<R>> z, Arena scratch,
                           const Wanted& wanted = {});
template <class R>
std::uint64_t divide_and_conquer_bytes_on_cpu(std::int64_t n, bool with_vectors, std::int64_t most);

// n x n matrices in device memory that the caller has at hand; data null: none.
template <class R>
struct MergePlaces {
  MatrixView<R> q, compressed;
};

// GPU: all of it there. T is scaled by a power of two, its small off-diagonals are dropped as dstedc does, and it is torn
// into leaves on the host, from copies of d and e; the leaves are solved and merged level by level (dc_*.hpp, one act a
// file).
//   d_dev, e_dev, z_dev: as above in device memory; ldz >= n
//   scratch_dev: divide_and_conquer_bytes<R>(n, with_vectors): O(n), and with vectors n^2 for Q and U of
//   3/16 n columns, but at least 1024 and at most 4096
//   places: `q` in place of the scratch memory's (divide_and_conquer_bytes then takes with_q false); `compressed` in place
//   of z_dev, which else needs n columns whatever is wanted. z_dev may be `compressed` itself.
//   team: devices that take columns of the large merges' products; null: none
// Of a subset only the vectors found are formed by the last merge, which costs O(n^2) and a product in proportion.
// T may have any finite entries; a NaN or an infinity is a Status with its row, from 1. `failed` is else the index of the
// leaf's first row or of the root that did not converge.
// Ordered on the products' queue; blocks until done. Two runs give the same bits. Cost: at most 4/3 n^3 flops; one host round trip at
// either end, one for each level with a merge of more than 512 rows, and one or two for a subset.
// Sources: Cuppen 1981; Gu and Eisenstat 1994, 1995; LAPACK dstedc, dlaed1 to dlaed4.
template <class R>
Outcome divide_and_conquer(const Products<R>& products, std::int64_t n, same_t<R>* d_dev, same_t<R>* e_dev,
                           MatrixView<same_t<R>> z_dev, Arena scratch_dev, const Wanted& wanted = {},
                           const MergePlaces<R>& places = {}, SolveTeam<R>* team = nullptr);
template <class R>
std::uint64_t divide_and_conquer_bytes(std::int64_t n, bool with_vectors, bool with_q = true);

}  // namespace eigen_g
