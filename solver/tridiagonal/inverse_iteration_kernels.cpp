#include "solver/tridiagonal/inverse_iteration_kernels.hpp"

#include "hybrid/instantiate.hpp"
#include "hybrid/vector/lanes.hpp"

namespace eigen_g::EIGEN_G_WIDTH {

using Index = std::int32_t;

namespace {

constexpr int steps = 3;

template <class R>
constexpr int bundle = few::bundle<R>;
template <class R>
constexpr int vectors = bundle<R> / lanes<R>;  // in a bundle
template <class R>
constexpr R roundoff = sizeof(R) == 8 ? R(0x1p-53) : R(0x1p-24);

// T - value = P L U with partial pivoting. A row has six entries for each vector of the bundle: the solution, the reciprocal of U's
// diagonal, U's two entries to its right, L's entry below it, and a mask: the row was exchanged with the next one.
template <class R>
struct Pivoted {
  R *x, *inverse, *next, *second, *factor, *exchanged;
  Pivoted(Index n, R* memory)
      : x(memory),
        inverse(x + static_cast<std::int64_t>(n) * bundle<R>),
        next(inverse + static_cast<std::int64_t>(n) * bundle<R>),
        second(next + static_cast<std::int64_t>(n) * bundle<R>),
        factor(second + static_cast<std::int64_t>(n) * bundle<R>),
        exchanged(factor + static_cast<std::int64_t>(n) * bundle<R>) {}
};

template <class R>
EIGEN_G_INLINE Vector<R> magnitude(Vector<R> x) {
  return x < 0 ? -x : x;
}
template <class R>
EIGEN_G_INLINE Mask<R> load_mask(const R* p) {
  Mask<R> mask;
  __builtin_memcpy(&mask, p, sizeof mask);
  return mask;
}

template <class R>
void factor(Index n, const R* d, const R* e, const R* value, const Pivoted<R>& f) {
  const Vector<R> tiny = broadcast(roundoff<R>), one = broadcast(R(1));
  Vector<R> shift[vectors<R>], diagonal[vectors<R>], beside[vectors<R>];
  for (int v = 0; v < vectors<R>; ++v) {
    shift[v] = load(value + v * lanes<R>);
    diagonal[v] = broadcast(d[0]) - shift[v];
    beside[v] = broadcast(n > 1 ? e[0] : R(0));
  }
  for (Index i = 0; i < n; ++i) {
    const bool last = i + 1 == n;
    const Vector<R> below = broadcast(last ? R(0) : e[i]), after = broadcast(i + 2 < n ? e[i + 1] : R(0));
    const Vector<R> on = broadcast(last ? R(0) : d[i + 1]);
    for (int v = 0; v < vectors<R>; ++v) {
      const std::int64_t at = static_cast<std::int64_t>(i) * bundle<R> + v * lanes<R>;
      const Vector<R> next_diagonal = on - shift[v];
      const Mask<R> exchange = magnitude<R>(diagonal[v]) < magnitude<R>(below);
      Vector<R> pivot = exchange ? below : diagonal[v];
      pivot = magnitude<R>(pivot) < tiny ? (pivot < 0 ? -tiny : tiny) : pivot;
      const Vector<R> inverse = one / pivot;
      const Vector<R> multiple = (exchange ? diagonal[v] : below) * inverse;
      const Vector<R> above = exchange ? next_diagonal : beside[v];
      const Vector<R> zero{};
      store<R>(f.inverse + at, inverse);
      store<R>(f.next + at, above);
      store<R>(f.second + at, exchange ? after : zero);
      store<R>(f.factor + at, multiple);
      __builtin_memcpy(f.exchanged + at, &exchange, sizeof exchange);
      diagonal[v] = (exchange ? beside[v] : next_diagonal) - multiple * above;
      beside[v] = exchange ? -(multiple * after) : after;
    }
  }
}

// x := L^-1 P x
template <class R>
void solve_lower(Index n, const Pivoted<R>& f) {
  Vector<R> carried[vectors<R>];
  for (int v = 0; v < vectors<R>; ++v) carried[v] = load(f.x + v * lanes<R>);
  for (Index i = 0; i + 1 < n; ++i)
    for (int v = 0; v < vectors<R>; ++v) {
      const std::int64_t at = static_cast<std::int64_t>(i) * bundle<R> + v * lanes<R>;
      const Mask<R> exchange = load_mask(f.exchanged + at);
      const Vector<R> below = load(f.x + at + bundle<R>), kept = exchange ? below : carried[v];
      store<R>(f.x + at, kept);
      carried[v] = (exchange ? carried[v] : below) - load(f.factor + at) * kept;
    }
  for (int v = 0; v < vectors<R>; ++v)
    store<R>(f.x + static_cast<std::int64_t>(n - 1) * bundle<R> + v * lanes<R>, carried[v]);
}

// x := U^-1 x; squares: the sums of x's squares.
template <class R>
void solve_upper(Index n, const Pivoted<R>& f, R* squares) {
  Vector<R> one_below[vectors<R>], two_below[vectors<R>], sum[vectors<R>];
  for (int v = 0; v < vectors<R>; ++v) one_below[v] = two_below[v] = sum[v] = Vector<R>{};
  for (Index i = n; i-- > 0;)
    for (int v = 0; v < vectors<R>; ++v) {
      const std::int64_t at = static_cast<std::int64_t>(i) * bundle<R> + v * lanes<R>;
      const Vector<R> x =
          ((load(f.x + at) - load(f.second + at) * two_below[v]) - load(f.next + at) * one_below[v]) *
          load(f.inverse + at);
      store<R>(f.x + at, x);
      sum[v] += x * x;
      two_below[v] = one_below[v];
      one_below[v] = x;
    }
  for (int v = 0; v < vectors<R>; ++v) store<R>(squares + v * lanes<R>, sum[v]);
}

// Makes vector c orthogonal to the vectors of its group before it, and normalises it.
template <class R>
void orthogonalize(Index n, Index c, const Index* group, R* x) {
  for (int again = 0; again < 2; ++again) {
    for (Index other = 0; other < c; ++other) {
      if (group[other] != group[c]) continue;
      R product = 0;
      for (Index i = 0; i < n; ++i)
        product += x[i * static_cast<std::int64_t>(bundle<R>) + other] *
                   x[i * static_cast<std::int64_t>(bundle<R>) + c];
      for (Index i = 0; i < n; ++i)
        x[i * static_cast<std::int64_t>(bundle<R>) + c] -=
            product * x[i * static_cast<std::int64_t>(bundle<R>) + other];
    }
    R squares = 0;
    for (Index i = 0; i < n; ++i)
      squares +=
          x[i * static_cast<std::int64_t>(bundle<R>) + c] * x[i * static_cast<std::int64_t>(bundle<R>) + c];
    const R factor = static_cast<R>(1 / __builtin_sqrt(squares));
    for (Index i = 0; i < n; ++i) x[i * static_cast<std::int64_t>(bundle<R>) + c] *= factor;
  }
}

template <class R>
void iterate(Index n, const R* d, const R* e, Index count, const R* value, const Index* group, R* memory) {
  const Pivoted<R> f(n, memory);
  R values[bundle<R>], squares[bundle<R>], inverse_norm[bundle<R>];
  for (Index c = 0; c < bundle<R>; ++c) values[c] = value[c < count ? c : count - 1];
  factor(n, d, e, values, f);
  std::uint64_t random = 0x9e3779b97f4a7c15;
  for (std::int64_t k = 0; k < static_cast<std::int64_t>(n) * bundle<R>; ++k) {
    random = random * 6364136223846793005 + 1442695040888963407;
    f.x[k] = static_cast<R>(static_cast<std::int64_t>(random) >> 11) * R(0x1p-52);
  }
  for (int step = 0; step < steps; ++step) {
    if (step > 0) solve_lower(n, f);
    solve_upper(n, f, squares);
    for (Index c = 0; c < bundle<R>; ++c) inverse_norm[c] = static_cast<R>(1 / __builtin_sqrt(squares[c]));
    for (Index i = 0; i < n; ++i)
      for (int v = 0; v < vectors<R>; ++v) {
        R* const x = f.x + static_cast<std::int64_t>(i) * bundle<R> + v * lanes<R>;
        store<R>(x, load(x) * load(inverse_norm + v * lanes<R>));
      }
    for (Index c = 1; c < count; ++c)
      if (group[c] == group[c - 1]) orthogonalize(n, c, group, f.x);
  }
}

template <class R>
R dot(Index n, const R* x, const R* y) {
  Vector<R> part[4]{};
  Index i = 0;
  for (; i + 4 * lanes<R> <= n; i += 4 * lanes<R>)
    for (int v = 0; v < 4; ++v) part[v] += load(x + i + v * lanes<R>) * load(y + i + v * lanes<R>);
  R result = sum<R>((part[0] + part[1]) + (part[2] + part[3]));
  for (; i < n; ++i) result += x[i] * y[i];
  return result;
}

template <class R>
void add(Index n, R a, const R* x, R* y) {
  Index i = 0;
  for (; i + lanes<R> <= n; i += lanes<R>) store<R>(y + i, load(y + i) + broadcast(a) * load(x + i));
  for (; i < n; ++i) y[i] += a * x[i];
}

}  // namespace

template <class R>
few::Kernels<R> few_kernels() {
  return {iterate<R>, dot<R>, add<R>};
}

EIGEN_G_INSTANTIATE(real_types, few_kernels);

}  // namespace eigen_g::EIGEN_G_WIDTH
