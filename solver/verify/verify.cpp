// verify(), and its sums over columns on the CPU.
#include "solver/verify/verify.hpp"

#include <algorithm>
#include <cfloat>
#include <chrono>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>

#include "gemm_df/adjoint.hpp"
#include "gemm_df/cpu_gemm.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/blas_turn.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/team/loops.hpp"
#include "solver/verify/verify_columns.hpp"

namespace eigen_g {
namespace {

constexpr std::int64_t verify_columns = 256;
constexpr std::int64_t expand_tile = 64;

// The imaginary part of an entry of A; zero on the diagonal.
template <class T>
double imaginary(T x, bool on_diagonal) {
  return on_diagonal ? 0 : static_cast<double>(std::imag(x));
}

// Largest |a_ij| of the triangle; for complex entries the larger of |Re| and |Im|. Entries that are not finite do not count.
template <class T>
double largest_entry(Uplo uplo, const MatrixView<const T>& a) {
  return largest_of(a.cols, threads_if(a.rows > 256), 0.0, [&](std::int64_t j) {
    double largest = 0;
    const std::int64_t begin = uplo == Uplo::lower ? j : 0, end = uplo == Uplo::lower ? a.rows : j + 1;
    for (std::int64_t i = begin; i < end; ++i)
      for (const double part : {static_cast<double>(std::real(a(i, j))), imaginary(a(i, j), i == j)})
        if (std::isfinite(part)) largest = std::max(largest, std::fabs(part));
    return largest;
  });
}

void check_leading(Argument argument, std::int64_t n, std::int64_t value) {
  const std::int64_t least = std::max<std::int64_t>(1, n), most = std::numeric_limits<int>::max();
  if (value < least || value > most)
    throw InvalidArgument(argument, "is " + std::to_string(value) + ", must be at least max(1, n) = " +
                                        std::to_string(least) + " and at most " + std::to_string(most));
}

template <class T>
bool all_finite(const MatrixView<const T>& z) {
  const auto infinite = [](T x) { return !std::isfinite(std::real(x)) || !std::isfinite(std::imag(x)); };
  return !largest_of(z.cols, threads_if(z.rows > 256), 0, [&](std::int64_t j) {
    return std::any_of(&z(0, j), &z(0, j) + z.rows, infinite) ? 1 : 0;
  });
}

// panel := scale A(:, j0 : j0 + b) with both triangles, formed from the one that is stored.
template <class T>
void expand_panel(const ScaledPairs<T>& p, std::int64_t j0, const MatrixView<wide_t<T>>& panel) {
  const std::int64_t n = p.a.rows, tiles = (n + expand_tile - 1) / expand_tile;
  for_each(tiles, threads_if(n > 256), [&](std::int64_t t) {
    for (std::int64_t c0 = 0; c0 < panel.cols; c0 += expand_tile)
      for (std::int64_t i = t * expand_tile; i < std::min(n, (t + 1) * expand_tile); ++i)
        for (std::int64_t c = c0; c < std::min(panel.cols, c0 + expand_tile); ++c) {
          const std::int64_t j = j0 + c;
          const bool stored = p.uplo == Uplo::lower ? i >= j : i <= j;
          const T entry = stored ? p.a(i, j) : p.a(j, i);
          if constexpr (is_complex<T>)
            panel(i, c) = p.scale * std::complex<double>(entry.real(), i == j   ? 0
                                                                       : stored ? entry.imag()
                                                                                : -entry.imag());
          else
            panel(i, c) = p.scale * entry;
        }
  });
}

// abs[k] += sum_i |x(i, k)|, squares[k] += sum_i |x(i, k)|^2, where x(i, k) = entry(i, k).
template <class Entry>
void add_columns(std::int64_t rows, std::int64_t cols, double* abs, double* squares, const Entry& entry) {
  for_each(cols, threads_if(rows > 256), [&](std::int64_t k) {
    double sum = 0, sum_squares = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto x = entry(i, k);
      sum += std::abs(x);
      sum_squares += std::norm(x);
    }
    if (abs) abs[k] += sum;
    squares[k] += sum_squares;
  });
}

// c := alpha op(a) op(b) + beta c, by slices of the sum (slice_of_sum()).
template <class W>
void multiply(Op op_a, Op op_b, same_t<W> alpha, MatrixView<const same_t<W>> a, MatrixView<const same_t<W>> b,
              same_t<W> beta, MatrixView<W> c) {
  const std::int64_t inner = op_a == Op::none ? a.cols : a.rows, slice = slice_of_sum(inner);
  const BlasTurn turn(std::max({c.rows, c.cols, inner}));
  for (std::int64_t k = 0; k < inner; k += slice) {
    const std::int64_t terms = std::min(slice, inner - k);
    gemm_on_cpu<W>(
        op_a, op_b, alpha, op_a == Op::none ? a.block(0, k, a.rows, terms) : a.block(k, 0, terms, a.cols),
        op_b == Op::none ? b.block(k, 0, terms, b.cols) : b.block(0, k, b.rows, terms), k == 0 ? beta : 1, c);
  }
}

template <class T>
ColumnSums column_sums(const ScaledPairs<T>& pairs, DeviceChoice device, bool& on_gpu) {
  on_gpu = false;
  if (device == DeviceChoice::gpu) require_gpu();
#ifdef EIGEN_G_HAVE_CUDA
  if (device != DeviceChoice::cpu && gpu_count() > 0) {
    try {
      ColumnSums sums = column_sums_gpu(pairs);
      on_gpu = true;
      return sums;
    } catch (const OutOfMemory& error) {
      if (device == DeviceChoice::gpu || !error.on_device()) throw;
    }
  }
#endif
  return column_sums_cpu(pairs);
}

void check_arguments(Uplo uplo, std::int64_t n, const void* a, std::int64_t lda, std::int64_t m,
                     const void* w, const void* z, std::int64_t ldz) {
  if (uplo != Uplo::lower && uplo != Uplo::upper)
    throw InvalidArgument(Argument::uplo, "must be lower or upper");
  if (n < 0) throw InvalidArgument(Argument::n, "is " + std::to_string(n) + ", must not be negative");
  if (n > 0 && !a) throw InvalidArgument(Argument::a, "is null");
  check_leading(Argument::lda, n, lda);
  check_pairs(n, m, w, z, ldz);
}

// Returns Z itself if it is in double, else a copy in double.
template <class T>
MatrixView<const wide_t<T>> in_double(const MatrixView<const T>& z,
                                      [[maybe_unused]] HostArray<wide_t<T>>& memory) {
  if constexpr (std::is_same_v<T, wide_t<T>>) {
    return z;
  } else {
    memory = host_array<wide_t<T>>(z.rows * z.cols);
    const MatrixView<wide_t<T>> copy{memory.get(), z.rows, z.cols, std::max<std::int64_t>(1, z.rows)};
    for_each(z.cols, threads_if(z.rows > 256),
             [&](std::int64_t j) { std::copy_n(&z(0, j), z.rows, &copy(0, j)); });
    return copy;
  }
}

}  // namespace

void check_pairs(std::int64_t n, std::int64_t m, const void* w, const void* z, std::int64_t ldz) {
  if (m < 0 || m > n)
    throw InvalidArgument(Argument::m,
                          "is " + std::to_string(m) + ", must be between 0 and n = " + std::to_string(n));
  if (m > 0 && !w) throw InvalidArgument(Argument::w, "is null");
  if (m > 0 && !z) throw InvalidArgument(Argument::z, "is null");
  check_leading(Argument::ldz, n, ldz);
}

template <class T>
Verification pairs_to_verify(std::int64_t m, const real_t<T>* w, const MatrixView<const T>& z) {
  using R = real_t<T>;
  Verification v;
  v.n = z.rows;
  v.m = m;
  v.eps = std::numeric_limits<R>::epsilon() / 2;
  v.ascending = std::adjacent_find(w, w + m, [](R x, R y) { return !(x <= y); }) == w + m;
  v.finite = all_finite<R>({w, m, m > 0 ? 1 : 0, std::max<std::int64_t>(1, m)}) && all_finite(z);
  return v;
}

template <class T>
void add_gram_sums(const MatrixView<const wide_t<T>>& z, ColumnSums& sums) {
  using W = wide_t<T>;
  const std::int64_t n = z.rows, m = z.cols, block = std::min(m, verify_columns);
  sums.gram_abs.resize(m);
  sums.gram_squares.resize(m);
  const HostArray<W> memory = host_array<W>(m * block);
  for (std::int64_t j0 = 0; j0 < m; j0 += block) {
    const std::int64_t b = std::min(block, m - j0);
    const MatrixView<W> gram{memory.get(), m, b, m};
    multiply(adjoint<T>, Op::none, 1, z, z.block(0, j0, n, b), 0, gram);
    add_columns(m, b, &sums.gram_abs[j0], &sums.gram_squares[j0],
                [&](std::int64_t i, std::int64_t k) { return gram(i, k) - (i == j0 + k ? 1.0 : 0.0); });
  }
}

template <class T>
ColumnSums column_sums_cpu(const ScaledPairs<T>& p) {
  const std::int64_t n = p.a.rows, m = p.z.cols, block = std::min(n, verify_columns);
  ColumnSums sums;
  for (auto* column : {&sums.matrix_abs, &sums.matrix_squares}) column->resize(n);
  for (auto* column : {&sums.residual_abs, &sums.residual_squares}) column->resize(m);
  if (m == n) sums.reconstruction_squares.resize(n);

  using W = wide_t<T>;
  HostArray<W> z_memory;
  const MatrixView<const W> z = in_double(p.z, z_memory);
  const HostArray<W> a_memory = host_array<W>(n * block);
  const HostArray<W> product_memory = host_array<W>(block * n);
  const HostArray<W> scaled_memory = host_array<W>(block * n);
  for (std::int64_t j0 = 0; j0 < n; j0 += block) {
    const std::int64_t b = std::min(block, n - j0);
    const MatrixView<W> a{a_memory.get(), n, b, n};
    expand_panel(p, j0, a);
    add_columns(n, b, &sums.matrix_abs[j0], &sums.matrix_squares[j0],
                [&](std::int64_t i, std::int64_t k) { return a(i, k); });

    const MatrixView<W> zw{scaled_memory.get(), b, m, b};  // Z(J, :) W
    for_each(m, threads_if(b > 256), [&](std::int64_t k) {
      for (std::int64_t i = 0; i < b; ++i) zw(i, k) = z(j0 + i, k) * p.w[k];
    });
    const MatrixView<W> az{product_memory.get(), b, m, b};  // A(:, J)^H Z
    multiply(adjoint<T>, Op::none, 1, a, z, 0, az);
    add_columns(b, m, sums.residual_abs.data(), sums.residual_squares.data(),
                [&](std::int64_t i, std::int64_t k) { return az(i, k) - zw(i, k); });

    if (m == n) {
      multiply(Op::none, adjoint<T>, -1, z, zw, 1, a);
      add_columns(n, b, nullptr, &sums.reconstruction_squares[j0],
                  [&](std::int64_t i, std::int64_t k) { return a(i, k); });
    }
  }
  add_gram_sums<T>(z, sums);
  return sums;
}

template <class T>
Verification verify_on(DeviceChoice device, Uplo uplo, std::int64_t n, const T* a, std::int64_t lda,
                       std::int64_t m, const real_t<T>* w, const T* z, std::int64_t ldz) {
  const auto start = std::chrono::steady_clock::now();
  ScaledPairs<T> pairs{uplo, {a, n, n, lda}, 1, std::vector<double>(w, w + m), {z, n, m, ldz}};
  Verification v = pairs_to_verify<T>(m, w, pairs.z);

  // A := 2^-e A, whose largest entry is in [1, 2). scale_of_check() limits e so that 2^-e itself neither overflows nor underflows.
  const double largest = largest_entry(uplo, pairs.a);
  const int e = scale_of_check(largest);
  pairs.scale = std::ldexp(1.0, -e);
  for (double& value : pairs.w) value = std::ldexp(value, -e);

  const ColumnSums sums = column_sums(pairs, device, v.on_gpu);
  set_figures(sums, e, std::numeric_limits<real_t<T>>::epsilon(), v);
  v.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return v;
}

template <class T>
Verification verify(Uplo uplo, std::int64_t n, const T* a, std::int64_t lda, std::int64_t m,
                    const same_t<real_t<T>>* w, const same_t<T>* z, std::int64_t ldz, DeviceChoice device,
                    int threads) {
  check_arguments(uplo, n, a, lda, m, w, z, ldz);
  const ThreadLimit limit(threads);
  return verify_on<T>(device, uplo, n, a, lda, m, w, z, ldz);
}

EIGEN_G_INSTANTIATE(all_types, column_sums_cpu, pairs_to_verify, add_gram_sums, verify_on);
EIGEN_G_INSTANTIATE_OVERLOAD(all_types, verify,
                             Verification(Uplo, std::int64_t, const T*, std::int64_t, std::int64_t,
                                          const same_t<real_t<T>>*, const same_t<T>*, std::int64_t,
                                          DeviceChoice, int));

}  // namespace eigen_g
