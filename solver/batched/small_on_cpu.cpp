#include "solver/batched/small_on_cpu.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

#include "hybrid/instantiate.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/parts.hpp"
#include "solver/prepare/scale.hpp"
#include "solver/tridiagonal/dc_crew.hpp"
#include "solver/tridiagonal/dc_host.hpp"

namespace eigen_g::batched {

namespace {

// Up to this order the errors of the rotations show in units of n ulp, and U is made orthogonal again.
constexpr std::int64_t largest_orthogonalized_order = 24;

// Products without the tests for infinities of std::complex's operators.
template <class R>
R product(R x, R y) {
  return x * y;
}
template <class R>
std::complex<R> product(std::complex<R> x, std::complex<R> y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}
template <class T>
real_t<T> square(T x) {
  return std::real(x) * std::real(x) + std::imag(x) * std::imag(x);
}

// The real and the imaginary parts of a row of Z, as real arrays.
template <class T>
constexpr std::int64_t parts = is_complex<T> ? 2 : 1;

}  // namespace

template <class T>
struct SmallSolver<T>::Arrays {
  T *a, *v, *p;  // A, n x n; a reflector and the vector of its two-sided product
  T* phase;
  R *d, *e, *tau, *u;  // U: n x n
  R *rows, *sums;      // Z: n rows of parts * n values
  std::int64_t* order;
  Arrays(Arena& arena, std::int64_t n)
      : a(arena.take<T>(n * n)),
        v(arena.take<T>(n)),
        p(arena.take<T>(n)),
        phase(arena.take<T>(n)),
        d(arena.take<R>(n)),
        e(arena.take<R>(n)),
        tau(arena.take<R>(n)),
        u(arena.take<R>(n * n)),
        rows(arena.take<R>(parts<T> * n * n)),
        sums(arena.take<R>(parts<T> * n)),
        order(arena.take<std::int64_t>(n)) {}

  // Copies the triangle of the caller's matrix to the lower triangle of A. Returns max |a_ij|, or NaN.
  R load(const SmallProblem<T>& x) {
    const std::int64_t n = x.n;
    R largest = 0, poison = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const bool lower = x.uplo == Uplo::lower;
      for (std::int64_t i = lower ? j : 0; i < (lower ? n : j + 1); ++i) {
        const T given = x.a[i + j * x.lda], value = i == j ? T(std::real(given)) : given;
        largest = std::max({largest, std::fabs(std::real(value)), std::fabs(std::imag(value))});
        poison += 0 * std::real(value) + 0 * std::imag(value);
        a[lower ? i + j * n : j + i * n] = lower ? value : conjugate(value);
      }
    }
    return largest + poison;
  }
  void mirror(std::int64_t n) {
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = j + 1; i < n; ++i) a[j + i * n] = conjugate(a[i + j * n]);
  }

  // A := H ... H A H ... H = D T D^H. Reflector k is I - tau_k v v^H; v stays in column k below the diagonal.
  void reduce(std::int64_t n) {
    phase[0] = 1;
    for (std::int64_t k = 0; k + 1 < n; ++k) {
      const std::int64_t rows_left = n - k - 1;
      T* const column = a + k * n + k + 1;
      R tail = 0;
      for (std::int64_t i = 1; i < rows_left; ++i) tail += square(column[i]);
      const R head = square(column[0]);
      const bool head_counts = head > dc::leaf_negligible_square<R>;
      const R alpha = head_counts ? std::sqrt(head) : 0;
      const T sign = head_counts ? column[0] / alpha : T(1);
      d[k] = std::real(a[k * n + k]);
      if (!(tail > dc::leaf_negligible_square<R>)) {
        tau[k] = 0;
        e[k] = alpha;
        phase[k + 1] = product(phase[k], sign);
        continue;
      }
      const R norm = std::sqrt(tail + (head_counts ? head : 0));
      tau[k] = 1 / (norm * (norm + alpha));
      e[k] = norm;
      phase[k + 1] = product(phase[k], T(-sign));
      for (std::int64_t i = 0; i < rows_left; ++i) v[i] = column[i];
      v[0] = sign * (alpha + norm);
      column[0] = v[0];
      update(n, k, rows_left);
    }
    d[n - 1] = std::real(a[n * n - 1]);
  }
  // A := H A H in the rows and columns after k.
  void update(std::int64_t n, std::int64_t k, std::int64_t rows_left) {
    T* const rest = a + (k + 1) * (n + 1);
    std::fill_n(p, rows_left, T(0));
    for (std::int64_t j = 0; j < rows_left; ++j) {
      const T v_j = v[j] * tau[k];
      const T* const column = rest + j * n;
      for (std::int64_t i = 0; i < rows_left; ++i) p[i] += product(column[i], v_j);
    }
    R inner = 0;  // v^H A v is real
    for (std::int64_t i = 0; i < rows_left; ++i)
      inner += std::real(v[i]) * std::real(p[i]) + std::imag(v[i]) * std::imag(p[i]);
    const R half = R(0.5) * tau[k] * inner;
    for (std::int64_t i = 0; i < rows_left; ++i) p[i] -= half * v[i];
    for (std::int64_t j = 0; j < rows_left; ++j) {
      const T v_j = conjugate(v[j]), p_j = conjugate(p[j]);
      T* const column = rest + j * n;
      for (std::int64_t i = 0; i < rows_left; ++i) column[i] -= product(v[i], p_j) + product(p[i], v_j);
    }
  }

  // rows := Q D U in the columns of `chosen`, m of them.
  void back_transform(std::int64_t n, const std::int64_t* chosen, std::int64_t m) {
    const std::int64_t width = parts<T> * m;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < m; ++j) {
        const R x = u[i + chosen[j] * n];
        rows[i * width + j] = std::real(phase[i]) * x;
        if constexpr (is_complex<T>) rows[i * width + m + j] = std::imag(phase[i]) * x;
      }
    for (std::int64_t k = n - 3; k >= 0; --k) {
      if (tau[k] == 0) continue;
      const T* const reflector = a + k * n;
      std::fill_n(sums, width, R(0));
      for (std::int64_t i = k + 1; i < n; ++i) {
        const R re = std::real(reflector[i]), im = std::imag(reflector[i]);
        const R* const row = rows + i * width;
        if constexpr (is_complex<T>)
          for (std::int64_t j = 0; j < m; ++j) {
            sums[j] += re * row[j] + im * row[m + j];
            sums[m + j] += re * row[m + j] - im * row[j];
          }
        else
          for (std::int64_t j = 0; j < m; ++j) sums[j] += re * row[j];
      }
      for (std::int64_t i = k + 1; i < n; ++i) {
        const R re = tau[k] * std::real(reflector[i]), im = tau[k] * std::imag(reflector[i]);
        R* const row = rows + i * width;
        if constexpr (is_complex<T>)
          for (std::int64_t j = 0; j < m; ++j) {
            row[j] -= re * sums[j] - im * sums[m + j];
            row[m + j] -= re * sums[m + j] + im * sums[j];
          }
        else
          for (std::int64_t j = 0; j < m; ++j) row[j] -= re * sums[j];
      }
    }
  }
  void store(std::int64_t n, std::int64_t m, T* z, std::int64_t ldz) const {
    const std::int64_t width = parts<T> * m;
    for (std::int64_t j = 0; j < m; ++j)
      for (std::int64_t i = 0; i < n; ++i)
        if constexpr (is_complex<T>)
          z[i + j * ldz] = {rows[i * width + j], rows[i * width + m + j]};
        else
          z[i + j * ldz] = rows[i * width + j];
  }
};

template <class T>
std::uint64_t SmallSolver<T>::bytes(std::int64_t most) {
  return bytes_taken([&](Arena& arena) { Arrays(arena, most); });
}

template <class T>
SmallSolver<T>::SmallSolver(std::int64_t most)
    : memory_(host_array<std::byte>(static_cast<std::int64_t>(bytes(most)))), bytes_(bytes(most)) {}

template <class T>
std::int32_t SmallSolver<T>::solve(const SmallProblem<T>& x) {
  const std::int64_t n = x.n, m = x.count;
  Arena arena(memory_.get(), bytes_);
  Arrays arrays(arena, n);
  const R largest = arrays.load(x);
  if (!std::isfinite(largest)) {
    fill_with_nan<T>(n, m, x.w, x.z, x.ldz);
    return not_finite;
  }
  const int k = scale_exponent(largest);
  scale<T>(Uplo::lower, MatrixView<T>{arrays.a, n, n, n}, k);
  arrays.mirror(n);
  arrays.reduce(n);

  if (x.z) {
    std::fill_n(arrays.u, n * n, R(0));
    for (std::int64_t i = 0; i < n; ++i) arrays.u[i * (n + 1)] = 1;
  }
  const bool converged = dc::implicit_ql(static_cast<dc::Index>(n), arrays.d, arrays.e,
                                         dc::PlainVectors<R>{arrays.u, x.z ? n : 0, n});
  if (x.z && n <= largest_orthogonalized_order)
    dc::orthogonalize(dc::OneThread(), static_cast<dc::Index>(n), static_cast<dc::Index>(n), arrays.u,
                      arrays.rows);
  std::iota(arrays.order, arrays.order + n, std::int64_t{0});
  std::stable_sort(arrays.order, arrays.order + n,
                   [&](std::int64_t i, std::int64_t j) { return arrays.d[i] < arrays.d[j]; });
  const std::int64_t* const chosen = arrays.order + x.first;
  for (std::int64_t j = 0; j < m; ++j) x.w[j] = arrays.d[chosen[j]];
  scale_values(m, x.w, -k);
  if (x.z) {
    arrays.back_transform(n, chosen, m);
    arrays.store(n, m, x.z, x.ldz);
  }
  return converged ? 0 : 1;
}

template <class T>
void fill_with_nan(std::int64_t n, std::int64_t count, real_t<T>* w, T* z, std::int64_t ldz) {
  constexpr real_t<T> nan = std::numeric_limits<real_t<T>>::quiet_NaN();
  std::fill_n(w, count, nan);
  for (std::int64_t j = 0; z && j < count; ++j) {
    if constexpr (is_complex<T>)
      std::fill_n(z + j * ldz, n, T(nan, nan));
    else
      std::fill_n(z + j * ldz, n, nan);
  }
}

EIGEN_G_INSTANTIATE_CLASS(all_types, SmallSolver);
EIGEN_G_INSTANTIATE(all_types, fill_with_nan);

}  // namespace eigen_g::batched
