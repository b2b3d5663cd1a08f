// symv(): symmetric and Hermitian matrix-vector product on a GPU. One triangle is stored, and each stored element is read once:
//
//   y := alpha A x + beta y,   A = A^T (S, D, W) or A = A^H (C, Z)
//
// The five types are float (S), double (D), std::complex<float> (C), std::complex<double> (Z) and DoubleDouble (W). Two runs
// with one GPU, configuration and input give the same bits, because every sum has a fixed order. Configurations, their names and the
// tables are plain host code; symv() and SymvWorkspace exist in CUDA builds only.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "blas2/symv/double_double.hpp"
#include "hybrid/uplo.hpp"

struct CUstream_st;  // cudaStream_t is CUstream_st*; this header needs no CUDA header

namespace eigen_g::blas2 {

enum class SymvType : char { s = 's', d = 'd', c = 'c', z = 'z', w = 'w' };

inline constexpr SymvType all_symv_types[] = {SymvType::s, SymvType::d, SymvType::c, SymvType::z,
                                              SymvType::w};

template <class T>
inline constexpr SymvType symv_type_of = SymvType::d;
template <>
inline constexpr SymvType symv_type_of<float> = SymvType::s;
template <>
inline constexpr SymvType symv_type_of<std::complex<float>> = SymvType::c;
template <>
inline constexpr SymvType symv_type_of<std::complex<double>> = SymvType::z;
template <>
inline constexpr SymvType symv_type_of<DoubleDouble> = SymvType::w;

constexpr std::int64_t element_bytes(SymvType type) {
  return type == SymvType::s ? 4 : type == SymvType::d || type == SymvType::c ? 8 : 16;
}

// Blocks that add the partial sums:
//   last_arrival    the last block that arrives at a strip of rows
//   grid_barrier    all blocks, after a barrier over the grid (a cooperative launch)
//   second_kernel   the blocks of a second kernel
enum class SymvFinish : char { last_arrival = 'a', grid_barrier = 'g', second_kernel = 'k' };

// A kernel and its launch. A block has row_warps x column_warps warps. A lane handles `columns` columns at a time (a group): of
// each column it reads `loads` words of 16 bytes. While one group is multiplied, the next one is loaded. A strip has row_warps
// * 32 * loads * (16 / element bytes) rows.
struct SymvConfig {
  int row_warps = 8;
  int column_warps = 1;
  int loads = 1;
  int columns = 8;
  int blocks_per_multiprocessor = 2;  // if fewer fit, that number is used
  SymvFinish finish = SymvFinish::second_kernel;
  friend bool operator==(const SymvConfig&, const SymvConfig&) = default;
};

constexpr std::int64_t rows_per_strip(SymvType type, const SymvConfig& config) {
  return std::int64_t{config.row_warps} * 32 * config.loads * (16 / element_bytes(type));
}

// "r8x1-l1-c8-b2-k": the members in their order. Table files use these names.
std::string name(const SymvConfig& config);

// All configurations that can be launched. The list is the same in all builds of one version.
std::span<const SymvConfig> symv_candidates(SymvType type);
// The candidate with this name, or nothing if there is none, for example in a table of another version.
std::optional<SymvConfig> find_symv_config(SymvType type, const std::string& name);

// A reasonable configuration if there is no table.
SymvConfig default_symv_config(SymvType type, Uplo uplo, std::int64_t n, int multiprocessors);

// A row of the tuner's result for one GPU: use `config` for n_from <= n < n_to. find() returns the first row that fits.
struct SymvTableRow {
  SymvType type = SymvType::d;
  Uplo uplo = Uplo::lower;
  std::int64_t n_from = 0, n_to = 0;
  SymvConfig config;
};
struct SymvTable {
  std::vector<SymvTableRow> rows;
  std::optional<SymvConfig> find(SymvType type, Uplo uplo, std::int64_t n) const;
};

// Bytes of device memory that one product needs in addition to its arguments. Most of it is partial sums, about 2 /
// rows_per_strip of the triangle.
std::uint64_t symv_workspace_bytes(SymvType type, std::int64_t n, const SymvConfig& config,
                                   int multiprocessors);

// Partial sums and arrival counters, on the GPU that is current when they are first allocated. Move-only. The memory grows when
// a product needs more, but it cannot grow while a stream is being captured: call reserve() before. Products that share a
// workspace must be in stream order. CUDA builds only.
class SymvWorkspace {
 public:
  SymvWorkspace();
  ~SymvWorkspace();
  SymvWorkspace(SymvWorkspace&&) noexcept;
  SymvWorkspace& operator=(SymvWorkspace&&) noexcept;

  // Allocates memory for every product of this type up to n, with the configuration that symv() would choose or with `config`.
  void reserve(SymvType type, std::int64_t n);
  void reserve(SymvType type, std::int64_t n, const SymvConfig& config);
  std::uint64_t bytes() const;  // bytes now allocated

  SymvTable table;  // preferred to the compiled-in table and to default_symv_config()

  struct Impl;
  Impl& state() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// y := alpha A x + beta y.
//   stream    the work is queued there, and the call returns at once; null: the default stream
//   uplo      the triangle of A that is read. The other triangle and the imaginary part of a Hermitian diagonal are not used
//   n         order, 0 to 240000; n = 0 returns at once
//   alpha     0: a and x are not read
//   a         n x n, column-major, leading dimension lda >= max(1, n), device, in. Faster if a is 16-byte aligned and
//             lda * sizeof(T) is a multiple of 16
//   x         n elements with step incx != 0, device, in; a negative step begins at the far end, as in BLAS
//   beta      0: y is not read
//   y         n elements with step incy != 0, device, in and out; no overlap with x
//   workspace memory for the partial sums; grows when necessary
//   config    one of symv_candidates(). Without it: workspace.table, else the table of the GPU, else default_symv_config()
// Throws InvalidArgument with the argument's name, OutOfMemory, DeviceError.
// Cost: n^2 multiply-adds of T; (n^2 / 2) sizeof(T) bytes of the matrix, and 2 / rows_per_strip of that for partial sums.
// T: float, double, std::complex<float>, std::complex<double>, DoubleDouble. CUDA builds only.
// Source: BLAS ssymv, dsymv, chemv, zhemv; wsymv of CUDA-xSYMV (IPSJ HPC-146 No. 14).
template <class T>
void symv(CUstream_st* stream, Uplo uplo, std::int64_t n, T alpha, const T* a, std::int64_t lda, const T* x,
          std::int64_t incx, T beta, T* y, std::int64_t incy, SymvWorkspace& workspace);
template <class T>
void symv(CUstream_st* stream, Uplo uplo, std::int64_t n, T alpha, const T* a, std::int64_t lda, const T* x,
          std::int64_t incx, T beta, T* y, std::int64_t incy, SymvWorkspace& workspace,
          const SymvConfig& config);

}  // namespace eigen_g::blas2
