// Batches for the kernels of solver/batched: hard families, arrays with padding, and the checks of their eigenpairs.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "solver/batched/batched_device.hpp"
#include "tests/support/batches.hpp"
#include "tests/support/tolerances.hpp"

namespace support::batched {

using eigen_g::is_complex;
using eigen_g::real_t;
using support::same_bits;
using Complex = std::complex<double>;

template <class T>
T number_of(Complex x) {
  if constexpr (is_complex<T>)
    return T(x);
  else
    return static_cast<T>(x.real());
}

inline const std::vector<const char*> families{
    "random",     "zero",        "identity",           "rank one",     "geometric",
    "clusters",   "graded down", "Wilkinson",          "1-2-1",        "huge",
    "tiny",       "one small",   "identity and noise", "Clement",      "graded up",
    "two scales", "arithmetic",  "T graded up",        "T graded down"};

// The whole matrix, column by column.
template <class T>
std::vector<Complex> hard_matrix(int family, int n, unsigned seed) {
  using R = real_t<T>;
  const double eps = std::numeric_limits<R>::epsilon(), last = std::max(1, n - 1);
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto draw = [&] {
    const double re = normal(random);
    return Complex(re, is_complex<T> ? normal(random) : 0.0);
  };
  const auto at = [n](int i, int j) { return static_cast<std::size_t>(i + j * n); };
  std::vector<Complex> a(static_cast<std::size_t>(n * n)), q(a.size());
  const auto set = [&](const auto& entry) {
    for (int j = 0; j < n; ++j)
      for (int i = j; i < n; ++i) {
        const Complex x = entry(i, j);
        a[at(i, j)] = i == j ? Complex(x.real()) : x;
        a[at(j, i)] = std::conj(a[at(i, j)]);
      }
  };
  const auto set_spectrum = [&](const auto& value) {  // Q diag(values) Q^H with a random unitary Q
    for (Complex& x : q) x = draw();
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < 2 * j; ++k) {  // twice
        Complex dot = 0;
        for (int i = 0; i < n; ++i) dot += std::conj(q[at(i, k % j)]) * q[at(i, j)];
        for (int i = 0; i < n; ++i) q[at(i, j)] -= dot * q[at(i, k % j)];
      }
      double squares = 0;
      for (int i = 0; i < n; ++i) squares += std::norm(q[at(i, j)]);
      for (int i = 0; i < n; ++i) q[at(i, j)] /= std::sqrt(squares);
    }
    set([&](int i, int j) {
      Complex sum = 0;
      for (int k = 0; k < n; ++k) sum += q[at(i, k)] * static_cast<double>(value(k)) * std::conj(q[at(j, k)]);
      return sum;
    });
  };
  const auto tridiagonal = [](int i, int j, double on, double off) {
    return Complex(i == j ? on : i - j == 1 ? off : 0.0);
  };
  const double large = std::numeric_limits<R>::max() / 100, small = std::numeric_limits<R>::min() * 100;
  switch (family) {
    case 0:
      set([&](int, int) { return draw(); });
      break;
    case 1:
      set([&](int, int) { return Complex(0); });
      break;
    case 2:
      set([&](int i, int j) { return Complex(i == j); });
      break;
    case 3:
      for (Complex& x : q) x = draw();
      set([&](int i, int j) { return q[at(i, 0)] * std::conj(q[at(j, 0)]); });
      break;
    case 4:
      set_spectrum([&](int k) { return std::pow(eps, k / last); });
      break;
    case 5:
      set_spectrum([&](int k) { return (k % 3 == 0 ? 1 : k % 3 == 1 ? -1 : eps) * (1 + 2 * eps * (k % 5)); });
      break;
    case 6:
      set([&](int i, int j) { return draw() * std::pow(10, -0.1 * (i + j)); });
      break;
    case 7:
      set([&](int i, int j) { return tridiagonal(i, j, std::fabs(i - last / 2), 1); });
      break;
    case 8:
      set([&](int i, int j) { return tridiagonal(i, j, 2, -1); });
      break;
    case 9:
      set([&](int, int) { return draw() * large; });
      break;
    case 10:
      set([&](int, int) { return draw() * small; });
      break;
    case 11:
      set_spectrum([&](int k) { return k == 0 ? eps : 1; });
      break;
    case 12:
      set([&](int i, int j) { return Complex(i == j) + eps * draw(); });
      break;
    case 13:
      set([&](int i, int j) { return tridiagonal(i, j, 0, std::sqrt(static_cast<double>(i) * (n - i))); });
      break;
    case 14:
      set([&](int i, int j) { return draw() * std::pow(10, -0.1 * (2 * n - 2 - i - j)); });
      break;
    case 15:
      set([&](int i, int j) { return (i < n / 2) != (j < n / 2) ? 0 : draw() * (i < n / 2 ? 1 : 1e-10); });
      break;
    case 16:
      set_spectrum([&](int k) { return 1 - k / last * (1 - eps); });
      break;
    case 17:
      set([&](int i, int j) { return tridiagonal(i, j, 1, 0.5) * std::pow(10, 0.2 * j); });
      break;
    default:
      set([&](int i, int j) { return tridiagonal(i, j, 1, 0.5) * std::pow(10, -0.2 * j); });
  }
  return a;
}

// One triangle of each matrix of a batch. Everything else is NaN: the other triangle, the imaginary parts of the diagonal, the rows behind
// a matrix and the place behind it.
template <class T>
struct Batch {
  int n = 0;  // the largest order
  bool upper = false;
  std::vector<std::int32_t> orders, lda;
  std::int64_t stride = 0;
  std::vector<T> a;

  std::int64_t count() const { return static_cast<std::int64_t>(orders.size()); }
  T& at(std::int64_t k, int i, int j) {
    return a[static_cast<std::size_t>(k * stride + i + std::int64_t{j} * lda[static_cast<std::size_t>(k)])];
  }
  // Entry (i, j) of the whole matrix k.
  Complex entry(std::int64_t k, int i, int j) const {
    const int r = upper ? std::min(i, j) : std::max(i, j), c = i + j - r;
    const Complex x =
        a[static_cast<std::size_t>(k * stride + r + std::int64_t{c} * lda[static_cast<std::size_t>(k)])];
    return i == j ? x.real() : i == r ? x : std::conj(x);
  }
};

// Matrix k has the order orders[k], the family family[k] and the leading dimension orders[k] + padding + k % 3.
template <class T>
Batch<T> make_batch(const std::vector<int>& orders, const std::vector<int>& family, bool upper = false,
                    int padding = 1, unsigned seed = 1) {
  constexpr auto nan = std::numeric_limits<real_t<T>>::quiet_NaN();
  Batch<T> batch;
  batch.n = *std::max_element(orders.begin(), orders.end());
  batch.upper = upper;
  batch.orders.assign(orders.begin(), orders.end());
  batch.stride = std::int64_t{batch.n + padding + 3} * batch.n + 3;  // Pairs has one row more
  batch.a.assign(static_cast<std::size_t>(batch.stride * batch.count()), number_of<T>({nan, nan}));
  for (std::size_t k = 0; k < orders.size(); ++k) {
    const int n = orders[k];
    batch.lda.push_back(n + padding + static_cast<int>(k % 3));
    const std::vector<Complex> whole = hard_matrix<T>(family[k], n, seed + static_cast<unsigned>(k));
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        if (upper ? i > j : i < j) continue;
        const Complex x = whole[static_cast<std::size_t>(i + j * n)];
        batch.at(static_cast<std::int64_t>(k), i, j) = number_of<T>(i == j ? Complex(x.real(), nan) : x);
      }
  }
  return batch;
}
template <class T>
Batch<T> make_batch(int n, const std::vector<int>& family, bool upper = false, int padding = 1,
                    unsigned seed = 1) {
  return make_batch<T>(std::vector<int>(family.size(), n), family, upper, padding, seed);
}

// One matrix of a batch as a batch of its own.
template <class T>
Batch<T> alone(const Batch<T>& batch, std::int64_t k) {
  const auto at = static_cast<std::size_t>(k);
  Batch<T> one = batch;
  one.n = batch.orders[at];
  one.orders = {batch.orders[at]};
  one.lda = {batch.lda[at]};
  one.a.assign(batch.a.begin() + k * batch.stride, batch.a.begin() + (k + 1) * batch.stride);
  return one;
}

// Results of a batch. Matrix k has its values from k n on, and its vectors from k stride on with the leading dimension ldz[k]. All other
// numbers are guards.
template <class T>
struct Pairs {
  using R = real_t<T>;
  int n = 0, from = 0, to = 0;
  std::vector<std::int32_t> orders, ldz;
  std::int64_t stride = 0;
  std::vector<R> w;
  std::vector<T> z, before;  // before: z as the solve found it
  std::vector<std::int32_t> status;
  unsigned long long failures[2] = {0, ~0ull};  // their number and the smallest of them

  // Arrays that no solve has written.
  Pairs(const Batch<T>& batch, bool vectors, int first, int last, bool in_place)
      : n(batch.n), from(first), to(last), orders(batch.orders), ldz(batch.lda), stride(batch.stride) {
    constexpr R guard = R(-7.25e27);
    w.assign(static_cast<std::size_t>(n * batch.count()), guard);
    status.assign(batch.orders.size(), 77);
    if (vectors) z = in_place ? batch.a : std::vector<T>(batch.a.size(), T(guard));
    if (!in_place)
      for (auto& ld : ldz) ++ld;
    before = z;
  }
  int columns(std::int64_t k) const {
    return std::clamp(orders[static_cast<std::size_t>(k)] - from, 0, to - from);
  }
  std::vector<R> values(std::int64_t k) const { return {w.begin() + k * n, w.begin() + k * n + columns(k)}; }
  // Without the padding.
  std::vector<T> vectors(std::int64_t k) const {
    std::vector<T> packed;
    for (int j = 0; j < columns(k) && !z.empty(); ++j) {
      const auto column = z.begin() + k * stride + std::int64_t{j} * ldz[static_cast<std::size_t>(k)];
      packed.insert(packed.end(), column, column + orders[static_cast<std::size_t>(k)]);
    }
    return packed;
  }
  // Numbers that a solve wrote outside of the results.
  std::int64_t touched() const {
    std::int64_t found = 0;
    for (std::int64_t k = 0; k < static_cast<std::int64_t>(orders.size()); ++k) {
      const auto order = orders[static_cast<std::size_t>(k)], ld = ldz[static_cast<std::size_t>(k)];
      for (std::int64_t q = columns(k); q < n; ++q)
        found += w[static_cast<std::size_t>(k * n + q)] != R(-7.25e27);
      for (std::int64_t q = 0; q < stride && !z.empty(); ++q) {
        const auto at = static_cast<std::size_t>(k * stride + q);
        if (q / ld >= columns(k) || q % ld >= order)
          found += std::memcmp(&z[at], &before[at], sizeof(T)) != 0;
      }
    }
    return found;
  }
};

// True if matrix k of x and matrix l of y have the same results, bit for bit.
template <class T>
bool same_results(const Pairs<T>& x, std::int64_t k, const Pairs<T>& y, std::int64_t l) {
  return same_bits(x.values(k), y.values(l)) && same_bits(x.vectors(k), y.vectors(l)) &&
         x.status[static_cast<std::size_t>(k)] == y.status[static_cast<std::size_t>(l)];
}
template <class T>
bool same_results(const Pairs<T>& x, const Pairs<T>& y) {
  bool same = x.orders == y.orders;
  for (std::int64_t k = 0; same && k < static_cast<std::int64_t>(x.orders.size()); ++k)
    same = same_results(x, k, y, k);
  return same;
}

// max |w - w'| / (n ulp max |w'|)
template <class R>
double value_distance(const std::vector<R>& w, const std::vector<R>& other) {
  double largest = 0, distance = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    largest = std::max(largest, std::fabs(static_cast<double>(other[k])));
    const double difference = std::fabs(static_cast<double>(w[k]) - static_cast<double>(other[k]));
    if (!(difference <= distance)) distance = difference;
  }
  return distance == 0
             ? 0
             : distance / (static_cast<double>(w.size()) * std::numeric_limits<R>::epsilon() * largest);
}

// Checks the residual and the orthogonality of matrix k, the order of its values and its status.
template <class T>
void check_pairs(const Batch<T>& batch, const Pairs<T>& pairs, std::int64_t k) {
  const int n = batch.orders[static_cast<std::size_t>(k)];
  const std::vector<real_t<T>> w = pairs.values(k);
  const std::vector<T> z = pairs.vectors(k);
  const BatchQuality q = quality_of(
      n,
      [&](std::int64_t i, std::int64_t j) {
        return batch.entry(k, static_cast<int>(i), static_cast<int>(j));
      },
      w, z);
  CAPTURE(k, n, q.residual, q.orthogonality);
  CHECK(q.residual <= limits::batch(n));
  CHECK(q.orthogonality <= limits::batch(n));
  CHECK(q.ascending);
  CHECK(pairs.status[static_cast<std::size_t>(k)] == 0);
}

}  // namespace support::batched
