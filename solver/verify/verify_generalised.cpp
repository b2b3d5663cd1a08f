// Checks generalised eigenpairs: the products on a GPU or the CPU, the rest on the CPU.
#include "solver/verify/verify_generalised.hpp"

#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "gemm_df/cpu_gemm.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/prepare/lapack.hpp"
#include "solver/verify/verify_columns.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/transfer.hpp"
#endif

namespace eigen_g {

namespace {

// A matrix with its memory. W is double or std::complex<double> in this file.
template <class W>
struct Owned {
  HostArray<W> memory;
  MatrixView<W> at;
  Owned(std::int64_t rows, std::int64_t cols)
      : memory(host_array<W>(rows * cols)), at{memory.get(), rows, cols, std::max<std::int64_t>(1, rows)} {}
};

double scaled_copy(double x, int k) {
  return std::ldexp(x, k);
}
std::complex<double> scaled_copy(std::complex<double> x, int k) {
  return {std::ldexp(x.real(), k), std::ldexp(x.imag(), k)};
}
bool is_finite(std::complex<double> x) {
  return std::isfinite(x.real()) && std::isfinite(x.imag());
}

// Entry (i, j) of a Hermitian matrix whose triangle `uplo` is stored.
template <class T>
wide_t<T> entry(Uplo uplo, MatrixView<const T> a, std::int64_t i, std::int64_t j) {
  const bool stored = uplo == Uplo::lower ? i >= j : i <= j;
  const wide_t<T> x(stored ? a(i, j) : a(j, i));
  if constexpr (is_complex<T>)
    return {x.real(), i == j ? 0 : stored ? x.imag() : -x.imag()};
  else
    return x;
}

// Both triangles of a matrix, multiplied by 2^-k. k is even, and the largest finite entry becomes about 1.
template <class T>
struct Scaled : Owned<wide_t<T>> {
  using Owned<wide_t<T>>::at;
  int k = 0;
  Scaled(Uplo uplo, MatrixView<const T> a) : Owned<wide_t<T>>(a.rows, a.cols) {
    double largest = 0;
    for (std::int64_t j = 0; j < a.cols; ++j)
      for (std::int64_t i = 0; i < a.rows; ++i) {
        const wide_t<T> x = at(i, j) = entry(uplo, a, i, j);
        if (is_finite(x)) largest = std::max({largest, std::fabs(std::real(x)), std::fabs(std::imag(x))});
      }
    if (largest > 0) k = std::ilogb(largest) / 2 * 2;
    for (std::int64_t j = 0; j < a.cols; ++j)
      for (std::int64_t i = 0; i < a.rows; ++i) at(i, j) = scaled_copy(at(i, j), -k);
  }
};

// sum_i |entry(i, j)| of each column.
template <class Entry>
std::vector<double> column_sums(std::int64_t rows, std::int64_t cols, const Entry& entry) {
  std::vector<double> sums(static_cast<std::size_t>(cols));
  for (std::int64_t j = 0; j < cols; ++j)
    for (std::int64_t i = 0; i < rows; ++i) sums[j] += std::abs(entry(i, j));
  return sums;
}

template <class W>
void multiply_on_gpu([[maybe_unused]] Op op, [[maybe_unused]] MatrixView<const W> a,
                     [[maybe_unused]] MatrixView<const W> b, [[maybe_unused]] MatrixView<W> c) {
#ifdef EIGEN_G_HAVE_CUDA
  const Queue queue;
  const DeviceBuffer<W> x(a.rows * a.cols), y(b.rows * b.cols), out(c.rows * c.cols);
  const MatrixView<W> x_dev{x.data(), a.rows, a.cols, a.rows}, y_dev{y.data(), b.rows, b.cols, b.rows},
      out_dev{out.data(), c.rows, c.cols, c.rows};
  upload<W>(queue, Part::all, a, x_dev);
  upload<W>(queue, Part::all, b, y_dev);
  gemm<W>(queue, op, Op::none, 1, x_dev, y_dev, 0, out_dev);
  download<W>(queue, out_dev, c);
#endif
}

// C := op(A) B on the GPU if `device` allows it. If the GPU has too little memory, this and all later products run on the CPU.
class Product {
 public:
  explicit Product(DeviceChoice device)
      : gpu_(device != DeviceChoice::cpu && gpu_count() > 0), must_(device == DeviceChoice::gpu) {
    if (must_) require_gpu();
  }
  template <class W>
  void operator()(Op op, MatrixView<const same_t<W>> a, MatrixView<const same_t<W>> b, MatrixView<W> c) {
    if (c.rows == 0 || c.cols == 0) return;
    try {
      if (gpu_) return multiply_on_gpu<W>(op, a, b, c);
    } catch (const OutOfMemory& error) {
      if (must_ || !error.on_device()) throw;
      gpu_ = false;
    }
    gemm_on_cpu<W>(op, Op::none, 1, a, b, 0, c);
  }
  bool on_gpu() const { return gpu_; }

 private:
  bool gpu_, must_;
};

// X := L^-1 X
void solve_lower(MatrixView<const double> l, MatrixView<double> x) {
  const BlasTurn turn(l.rows);
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, lapack_size(x.rows, "n"),
              lapack_size(x.cols, "m"), 1, l.data, lapack_size(l.lda, "n"), x.data, lapack_size(x.lda, "n"));
}
void solve_lower(MatrixView<const std::complex<double>> l, MatrixView<std::complex<double>> x) {
  const BlasTurn turn(l.rows);
  const std::complex<double> one = 1;
  cblas_ztrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, lapack_size(x.rows, "n"),
              lapack_size(x.cols, "m"), &one, l.data, lapack_size(l.lda, "n"), x.data,
              lapack_size(x.lda, "n"));
}

void check_sizes(int itype, std::int64_t n, std::int64_t m, std::int64_t lda, std::int64_t ldb,
                 std::int64_t ldz) {
  const auto require = [](bool good, const char* name, const char* reason) {
    if (!good) throw InvalidArgument(name, reason);
  };
  const std::int64_t least = std::max<std::int64_t>(1, n);
  require(itype >= 1 && itype <= 3, "itype", "must be 1, 2 or 3");
  require(n >= 0, "n", "must not be negative");
  require(m >= 0 && m <= n, "m", "must be between 0 and n");
  require(lda >= least, "lda", "must be at least max(1, n)");
  require(ldb >= least, "ldb", "must be at least max(1, n)");
  require(ldz >= least, "ldz", "must be at least max(1, n)");
}

}  // namespace

template <class T>
GeneralisedVerification verify_generalised(int itype, Uplo uplo, std::int64_t n, const T* a, std::int64_t lda,
                                           const same_t<T>* b, std::int64_t ldb, std::int64_t m,
                                           const same_t<real_t<T>>* w, const same_t<T>* z, std::int64_t ldz,
                                           DeviceChoice device, int threads) {
  const auto start = std::chrono::steady_clock::now();
  check_sizes(itype, n, m, lda, ldb, ldz);
  const ThreadLimit limit(threads);
  Product product(device);
  GeneralisedVerification v;
  v.n = n;
  v.m = m;
  v.itype = itype;
  using R = real_t<T>;
  using W = wide_t<T>;
  v.ascending = std::adjacent_find(w, w + m, [](R x, R y) { return !(x <= y); }) == w + m;
  v.finite = std::all_of(w, w + m, [](R x) { return std::isfinite(x); });
  for (std::int64_t j = 0; j < m; ++j)
    v.finite = v.finite && std::all_of(z + j * ldz, z + j * ldz + n, [](T x) { return is_finite(x); });
  if (n == 0) return v;

  const Scaled<T> a_all(uplo, {a, n, n, lda}), b_all(uplo, {b, n, n, ldb});
  const double one_a = maximum(column_sums(n, n, [&](auto i, auto j) { return a_all.at(i, j); })),
               one_b = maximum(column_sums(n, n, [&](auto i, auto j) { return b_all.at(i, j); }));
  v.norm_a = std::ldexp(one_a, a_all.k);
  v.norm_b = std::ldexp(one_b, b_all.k);

  Owned<W> factor(n, n);
  std::copy_n(b_all.at.data, n * n, factor.at.data);
  const lapack_int order = lapack_size(n, "n");
  v.bad_minor = lapack::potrf('L', order, factor.at.data, order);
  if (v.bad_minor != 0) return v;
  double reciprocal = std::numeric_limits<double>::quiet_NaN();
  if (std::isfinite(one_b))  // pocon does not accept other norms
    check_lapack(lapack::pocon('L', order, factor.at.data, order, one_b, &reciprocal), "pocon");
  v.condition = 1 / reciprocal;

  // The exponents that scale z and w to the eigenpairs of the scaled A and B.
  const int kz = (itype == 3 ? -1 : 1) * b_all.k / 2, kw = -a_all.k + (itype == 1 ? b_all.k : -b_all.k);
  Owned<W> x(n, m), inner(n, m), outer(n, m);
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t i = 0; i < n; ++i) x.at(i, j) = scaled_copy(W(z[i + j * ldz]), kz);
  const auto value = [&](std::int64_t j) { return std::ldexp(static_cast<double>(w[j]), kw); };

  //   itype 1: A Z, B Z      2: A (B Z)      3: B (A Z)
  product(Op::none, itype == 3 ? a_all.at : b_all.at, x.at, inner.at);
  product(Op::none, itype == 3 ? b_all.at : a_all.at, itype == 1 ? x.at : inner.at, outer.at);
  const MatrixView<W> right = itype == 1 ? inner.at : x.at;
  GeneralisedSums sums{itype == 1 ? one_a : one_a * one_b, itype == 1 ? one_b : 1, {}, {}, {}, {}};
  for (std::int64_t j = 0; j < m; ++j) sums.values.push_back(value(j));
  sums.vectors = column_sums(n, m, [&](auto i, auto j) { return x.at(i, j); });
  sums.residual =
      column_sums(n, m, [&](auto i, auto j) { return outer.at(i, j) - right(i, j) * sums.values[j]; });

  //   Z^T (B Z); for itype 3 (L^-1 Z)^T (L^-1 Z)
  Owned<W> gram(m, m);
  if (itype == 3) solve_lower(factor.at, x.at);
  product(is_complex<T> ? Op::conjugate_transpose : Op::transpose, x.at, itype == 3 ? x.at : inner.at,
          gram.at);
  sums.gram = column_sums(m, m, [&](auto i, auto j) { return gram.at(i, j) - (i == j ? 1.0 : 0.0); });

  set_figures(sums, std::numeric_limits<R>::epsilon(), v);
  v.on_gpu = product.on_gpu();
  v.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return v;
}

EIGEN_G_INSTANTIATE(all_types, verify_generalised);

}  // namespace eigen_g
