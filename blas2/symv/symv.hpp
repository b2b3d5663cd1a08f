// Symmetric and Hermitian matrix-vector product on a GPU, one triangle stored, each stored element read once:
//
//   y := alpha A x + beta y,   A = A^T (S, D, W) or A = A^H (C, Z).
//
// Five types by one kernel family: float, double, std::complex<float>, std::complex<double>, DoubleDouble.
// For the same GPU, configuration and input the result repeats bit for bit: every sum has a fixed order.
// The configurations, their names and the tables are plain host code; what runs on the GPU is in CUDA builds
// only.
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

struct CUstream_st;  // cudaStream_t is CUstream_st*; no CUDA header is needed to use this one

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

// Who adds the partial sums: the last block to arrive at a strip of rows; all blocks after a barrier over the
// grid (a cooperative launch); a second kernel.
enum class SymvFinish : char { last_arrival = 'a', grid_barrier = 'g', second_kernel = 'k' };

// A kernel and how it is launched. A block has row_warps x column_warps warps; a lane loads `loads` times 16
// bytes of a column, `columns` columns at a time, and the same again is on its way. Strips have row_warps *
// 32 * loads * (16 / element bytes) rows.
struct SymvConfig {
  int row_warps = 8;
  int column_warps = 1;
  int loads = 1;
  int columns = 8;
  int blocks_per_multiprocessor = 2;  // as many as fit are taken where they do not fit
  SymvFinish finish = SymvFinish::second_kernel;
  friend bool operator==(const SymvConfig&, const SymvConfig&) = default;
};

constexpr std::int64_t rows_per_strip(SymvType type, const SymvConfig& config) {
  return std::int64_t{config.row_warps} * 32 * config.loads * (16 / element_bytes(type));
}

// "r8x1-l1-c8-b2-k": the fields in their order; a table file is written with these names.
std::string name(const SymvConfig& config);

// Every configuration that can be launched, the same list for all builds of one version.
std::span<const SymvConfig> symv_candidates(SymvType type);
// The candidate with this name; nothing where there is none (a table of another version).
std::optional<SymvConfig> find_symv_config(SymvType type, const std::string& name);

// A sound choice without a table.
SymvConfig default_symv_config(SymvType type, Uplo uplo, std::int64_t n, int multiprocessors);

// What the tuner found on one GPU: for n in [n_from, n_to) take config. The first row that fits is taken.
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

// Device memory that one product takes besides its arguments: partial sums, about 2/rows_per_strip of the
// triangle.
std::uint64_t symv_workspace_bytes(SymvType type, std::int64_t n, const SymvConfig& config,
                                   int multiprocessors);

// Partial sums and arrival counters on the GPU that is current when it first grows. Move-only. It grows on
// demand, but not while a stream is being captured: reserve() before. Products that share one must follow
// each other in stream order. CUDA builds only.
class SymvWorkspace {
 public:
  SymvWorkspace();
  ~SymvWorkspace();
  SymvWorkspace(SymvWorkspace&&) noexcept;
  SymvWorkspace& operator=(SymvWorkspace&&) noexcept;

  // Room for every product of this type up to n with the configuration that symv would choose, or with
  // `config`.
  void reserve(SymvType type, std::int64_t n);
  void reserve(SymvType type, std::int64_t n, const SymvConfig& config);
  std::uint64_t bytes() const;  // held now

  SymvTable table;  // consulted before the library's own for this GPU and default_symv_config

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// y := alpha A x + beta y.
//   stream   the work is queued there and the call returns at once; null: the default stream
//   uplo     the triangle of A that is used; the other one is not, nor is a Hermitian diagonal's imaginary part
//   n        order, >= 0; n = 0 returns
//   a        n x n, leading dimension lda >= max(1, n), column-major, device, in. A 16-byte aligned base with
//            lda * sizeof(T) a multiple of 16 is faster
//   x, y     n elements with steps incx, incy != 0, device; a negative step begins at the far end, as in BLAS.
//            x in, y in and out, no overlap. beta = 0: y is not read; alpha = 0: neither a nor x
//   config   one of symv_candidates(); left out: workspace.table, the table shipped for the GPU, else
//            default_symv_config
// Throws InvalidArgument naming the argument, OutOfMemory, DeviceError.
// Cost: 2 n^2 multiply-adds (complex: as complex), (n^2 / 2) sizeof(T) bytes and 2/rows_per_strip of that
// again. BLAS: ssymv, dsymv, chemv, zhemv; wsymv of CUDA-xSYMV (IPSJ HPC-146 No. 14). T is float, double,
// std::complex<float>, std::complex<double> or DoubleDouble. CUDA builds only.
template <class T>
void symv(CUstream_st* stream, Uplo uplo, std::int64_t n, T alpha, const T* a, std::int64_t lda, const T* x,
          std::int64_t incx, T beta, T* y, std::int64_t incy, SymvWorkspace& workspace);
template <class T>
void symv(CUstream_st* stream, Uplo uplo, std::int64_t n, T alpha, const T* a, std::int64_t lda, const T* x,
          std::int64_t incx, T beta, T* y, std::int64_t incy, SymvWorkspace& workspace,
          const SymvConfig& config);

}  // namespace eigen_g::blas2
