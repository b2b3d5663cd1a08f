#include "solver/tridiagonal/dc_kernels.hpp"

#include "hybrid/instantiate.hpp"
#include "hybrid/vector/lanes.hpp"
#if defined(__FMA__)
#include <immintrin.h>
#endif

namespace eigen_g::EIGEN_G_WIDTH {

using Index = std::int32_t;

namespace {

constexpr bool wide = vector_bytes == 64;

// a b + c, fused where the processor has a fused operation.
template <class R>
EIGEN_G_INLINE Vector<R> fused(Vector<R> a, Vector<R> b, Vector<R> c) {
  return a * b + c;
}
// 1 / x with a relative error below 2^-14.
template <class R>
EIGEN_G_INLINE Vector<R> rough_reciprocal(Vector<R> x) {
  return 1 / x;
}
// w / x with a relative error of about one roundoff, for sums that have larger errors and for factors whose errors are computed.
template <class R>
EIGEN_G_INLINE Vector<R> near_quotient(Vector<R> w, Vector<R> x) {
  return w / x;
}
template <class R>
EIGEN_G_INLINE Vector<R> square_root(Vector<R> x) {
  for (int c = 0; c < lanes<R>; ++c) x[c] = static_cast<R>(__builtin_sqrt(x[c]));
  return x;
}
// w / x for x far from overflow and underflow (dc_quotient.hpp).
template <class R>
EIGEN_G_INLINE Vector<R> quotient(Vector<R> w, Vector<R> x) {
  return w / x;
}
#if defined(__AVX512F__)
template <>
EIGEN_G_INLINE Vector<double> fused<double>(Vector<double> a, Vector<double> b, Vector<double> c) {
  return _mm512_fmadd_pd(a, b, c);
}
template <>
EIGEN_G_INLINE Vector<float> fused<float>(Vector<float> a, Vector<float> b, Vector<float> c) {
  return _mm512_fmadd_ps(a, b, c);
}
template <>
EIGEN_G_INLINE Vector<double> square_root<double>(Vector<double> x) {
  return _mm512_maskz_sqrt_pd(0xff, x);
}
template <>
EIGEN_G_INLINE Vector<float> square_root<float>(Vector<float> x) {
  return _mm512_maskz_sqrt_ps(0xffff, x);
}
template <>
EIGEN_G_INLINE Vector<double> rough_reciprocal<double>(Vector<double> x) {
  return _mm512_maskz_rcp14_pd(0xff, x);
}
template <>
EIGEN_G_INLINE Vector<float> rough_reciprocal<float>(Vector<float> x) {
  return _mm512_maskz_rcp14_ps(0xffff, x);
}
// The divider takes 16 cycles on some processors, the multiplications below take half of that.
template <>
EIGEN_G_INLINE Vector<double> quotient<double>(Vector<double> w, Vector<double> x) {
  const Vector<double> rough = rough_reciprocal<double>(x), one = broadcast(1.0);
  const Vector<double> e = fused<double>(-x, rough, one);
  const Vector<double> r =
      fused<double>(rough * e, fused<double>(e, e, e + one), rough);  // rough (1 + e + e^2 + e^3)
  const Vector<double> q = w * r;
  return fused<double>(r, fused<double>(-x, q, w), q);
}
template <>
EIGEN_G_INLINE Vector<double> near_quotient<double>(Vector<double> w, Vector<double> x) {
  const Vector<double> rough = rough_reciprocal<double>(x), one = broadcast(1.0);
  const Vector<double> r = fused<double>(rough, fused<double>(-x, rough, one), rough);  // 28 bits
  const Vector<double> q = w * r;
  return fused<double>(q, fused<double>(-x, r, one), q);
}
template <>
EIGEN_G_INLINE Vector<float> near_quotient<float>(Vector<float> w, Vector<float> x) {
  const Vector<float> rough = rough_reciprocal<float>(x), q = w * rough;
  return fused<float>(q, fused<float>(-x, rough, broadcast(1.0f)), q);
}
template <>
EIGEN_G_INLINE Vector<float> quotient<float>(Vector<float> w, Vector<float> x) {
  const Vector<float> rough = rough_reciprocal<float>(x);
  const Vector<float> r = fused<float>(rough, fused<float>(-x, rough, broadcast(1.0f)), rough);
  const Vector<float> q = w * r;
  return fused<float>(r, fused<float>(-x, q, w), q);
}
#elif defined(__FMA__)
template <>
EIGEN_G_INLINE Vector<double> fused<double>(Vector<double> a, Vector<double> b, Vector<double> c) {
  return _mm256_fmadd_pd(a, b, c);
}
template <>
EIGEN_G_INLINE Vector<float> fused<float>(Vector<float> a, Vector<float> b, Vector<float> c) {
  return _mm256_fmadd_ps(a, b, c);
}
template <>
EIGEN_G_INLINE Vector<double> square_root<double>(Vector<double> x) {
  return _mm256_sqrt_pd(x);
}
template <>
EIGEN_G_INLINE Vector<float> square_root<float>(Vector<float> x) {
  return _mm256_sqrt_ps(x);
}
#endif

// a b - p for the rounded product p = a b; exact.
template <class R>
EIGEN_G_INLINE Vector<R> error_of_product(Vector<R> a, Vector<R> b, Vector<R> p) {
#if defined(__FMA__)
  return fused<R>(a, b, -p);
#elif defined(__x86_64__)  // Dekker 1971
  const Vector<R> split = broadcast(sizeof(R) == 8 ? R(134217729) : R(4097));
  const Vector<R> a_split = a * split, b_split = b * split;
  const Vector<R> a_high = a_split - (a_split - a), b_high = b_split - (b_split - b);
  const Vector<R> a_low = a - a_high, b_low = b - b_high;
  return ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low;
#else
  Vector<R> error;
  for (int c = 0; c < lanes<R>; ++c)
    error[c] =
        static_cast<R>(sizeof(R) == 8 ? __builtin_fma(a[c], b[c], -p[c]) : __builtin_fmaf(a[c], b[c], -p[c]));
  return error;
#endif
}

// x - a b for a b near x, rounded once or nearly so.
template <class R>
EIGEN_G_INLINE Vector<R> remainder(Vector<R> x, Vector<R> a, Vector<R> b) {
#if defined(__FMA__)
  return fused<R>(-a, b, x);
#else
  const Vector<R> p = a * b;
  return (x - p) - error_of_product<R>(a, b, p);
#endif
}

// The sum a + b; low: its rounding error.
template <class R>
EIGEN_G_INLINE Vector<R> two_sum(Vector<R> a, Vector<R> b, Vector<R>& low) {
  const Vector<R> s = a + b, t = s - a;
  low = (a - (s - t)) + (b - t);
  return s;
}

template <class R>
EIGEN_G_INLINE void part_of_sums(const R* pole, const R* weight, R origin, R tau, Index begin, Index end,
                                 R* sums) {
  Vector<R> value{}, slope{};
  Index i = begin;
  for (; i + lanes<R> <= end; i += lanes<R>) {
    const Vector<R> w = load(weight + i),
                    t = near_quotient<R>(w, (load(pole + i) - broadcast(origin)) - broadcast(tau));
    value = fused<R>(w, t, value);
    slope = fused<R>(t, t, slope);
  }
  R values = sum<R>(value), slopes = sum<R>(slope);
  for (; i < end; ++i) {
    const R t = weight[i] / ((pole[i] - origin) - tau);
    values += weight[i] * t;
    slopes += t * t;
  }
  sums[0] = values;
  sums[1] = slopes;
}

template <class R>
void secular_sums(const R* pole, const R* weight, Index k, R origin, R tau, Index psi_end, Index phi_begin,
                  R* sums) {
  part_of_sums(pole, weight, origin, tau, 0, psi_end, sums);
  part_of_sums(pole, weight, origin, tau, phi_begin, k, sums + 2);
}

template <class R>
EIGEN_G_INLINE Vector<R> magnitude(Vector<R> x) {
  return x < 0 ? -x : x;
}
template <class R>
EIGEN_G_INLINE bool any(Mask<R> mask) {
  decltype(mask[0] + 0) lane[lanes<R>], some = 0;
  __builtin_memcpy(lane, &mask, sizeof mask);
  for (int c = 0; c < lanes<R>; ++c) some |= lane[c];
  return some != 0;
}

// Z := Z + Z (I - Z^T Z) / 2, as orthogonalize(). Columns z[j].
template <class R>
void orthogonalize(Vector<R> (&z)[8][8]) {
  Vector<R> defect[8][8];
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j <= i; ++j) {
      Vector<R> sum = broadcast(R(i == j ? -1 : 0));
      for (int k = 0; k < 8; ++k) sum = fused<R>(z[i][k], z[j][k], sum);
      defect[i][j] = defect[j][i] = sum * broadcast(R(-0.5));
    }
  for (int row = 0; row < 8; ++row) {
    Vector<R> old[8];
    for (int k = 0; k < 8; ++k) old[k] = z[k][row];
    for (int j = 0; j < 8; ++j) {
      Vector<R> change{};
      for (int k = 0; k < 8; ++k) change = fused<R>(old[k], defect[k][j], change);
      z[j][row] = old[j] + change;
    }
  }
}

// A round of Jacobi's method rotates four pairs of rows and columns that have nothing in common, and seven rounds have all pairs. Entries
// with i <= j of A are kept.
template <class R>
bool solve_leaves(R* d, const R* e, R* z) {
  constexpr int most_sweeps = 15;
  constexpr R negligible = sizeof(R) == 8 ? R(0x1p-53) : R(0x1p-24);
  const Vector<R> one = broadcast(R(1)), zero{};
  Vector<R> a[8][8], v[8][8], largest = zero;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      a[i][j] = i == j ? load(d + i * lanes<R>) : j == i + 1 ? load(e + i * lanes<R>) : zero;
      v[i][j] = i == j ? one : zero;
      largest = magnitude<R>(a[i][j]) > largest ? magnitude<R>(a[i][j]) : largest;
    }
  const auto at = [&](int i, int j) -> Vector<R>& { return i < j ? a[i][j] : a[j][i]; };
  bool converged = false;
  for (int sweep = 0; sweep < most_sweeps && !converged; ++sweep) {
    for (int round = 0; round < 7; ++round) {
      int p[4], q[4];
      Vector<R> c[4], s[4];
      for (int k = 0; k < 4; ++k) {
        p[k] = (round + k) % 7;
        q[k] = k == 0 ? 7 : (round + 7 - k) % 7;
        const Vector<R> entry = at(p[k], q[k]);
        const Vector<R> theta = (a[q[k]][q[k]] - a[p[k]][p[k]]) / (2 * (entry == 0 ? one : entry));
        const Vector<R> tangent = one / (magnitude<R>(theta) + square_root<R>(theta * theta + one));
        const Vector<R> t = entry == 0 ? zero : theta < 0 ? -tangent : tangent;
        c[k] = one / square_root<R>(t * t + one);
        s[k] = t * c[k];
        a[p[k]][p[k]] -= t * entry;
        a[q[k]][q[k]] += t * entry;
        at(p[k], q[k]) = zero;
      }
      for (int k = 1; k < 4; ++k)
        for (int l = 0; l < k; ++l) {
          Vector<R>&pp = at(p[k], p[l]), &pq = at(p[k], q[l]), &qp = at(q[k], p[l]), &qq = at(q[k], q[l]);
          const Vector<R> upper[] = {c[l] * pp - s[l] * pq, s[l] * pp + c[l] * pq};
          const Vector<R> lower[] = {c[l] * qp - s[l] * qq, s[l] * qp + c[l] * qq};
          pp = c[k] * upper[0] - s[k] * lower[0];
          qp = s[k] * upper[0] + c[k] * lower[0];
          pq = c[k] * upper[1] - s[k] * lower[1];
          qq = s[k] * upper[1] + c[k] * lower[1];
        }
      for (int k = 0; k < 4; ++k)
        for (int row = 0; row < 8; ++row) {
          const Vector<R> x = v[p[k]][row], y = v[q[k]][row];
          v[p[k]][row] = c[k] * x - s[k] * y;
          v[q[k]][row] = s[k] * x + c[k] * y;
        }
    }
    Vector<R> rest = zero;
    for (int i = 0; i < 8; ++i)
      for (int j = i + 1; j < 8; ++j) rest = magnitude<R>(a[i][j]) > rest ? magnitude<R>(a[i][j]) : rest;
    converged = !any<R>(rest > negligible * largest);
  }
  orthogonalize<R>(v);
  for (int j = 0; j < 8; ++j) {
    store<R>(d + j * lanes<R>, a[j][j]);
    for (int row = 0; row < 8; ++row) store<R>(z + (j * 8 + row) * lanes<R>, v[j][row]);
  }
  return converged;
}

// Lane c has root begin + c.
template <class R>
void solve_group(const R* pole, const R* weight, Index k, R rho, Index begin, Index end, R* of_base,
                 R* of_tau, R* of_root) {
  constexpr R unit = sizeof(R) == 8 ? R(0x1p-53) : R(0x1p-24);
  constexpr R short_step = sizeof(R) == 8 ? R(0x1p-28) : R(0x1p-13);
  constexpr int max_steps = 12;
  const Vector<R> inverse_rho = broadcast(1 / rho), zero{};
  R array[6][lanes<
      R>];  // per lane: poles left and left + 1 with their weights, the number of the left pole, the last root's length
  Mask<R> last;
  Index lefts[lanes<R>];
  for (Index c = 0; c < lanes<R>; ++c) {
    const Index j = begin + c < end ? begin + c : end - 1;
    const Index left = lefts[c] = j == k - 1 ? j - 1 : j;
    last[c] = j == k - 1 ? -1 : 0;
    array[0][c] = pole[left];
    array[1][c] = pole[left + 1];
    array[2][c] = weight[left];
    array[3][c] = weight[left + 1];
    array[4][c] = static_cast<R>(left);
    array[5][c] = 0;
    if (j == k - 1) {
      R squares = 0;
      for (Index i = 0; i < k; ++i) squares += weight[i] * weight[i];
      array[5][c] = rho * squares * (1 + 8 * unit);
    }
  }
  const Vector<R> left_pole = load(array[0]), gap = load(array[1]) - left_pole, left = load(array[4]),
                  length = load(array[5]);
  const Vector<R> w_l = load(array[2]) * load(array[2]), w_r = load(array[3]) * load(array[3]);
  const Index first_left = lefts[0], last_left = lefts[lanes<R> - 1];

  // secular_guess()
  const Vector<R> beyond = last ? gap + length / 2 : gap / 2;
  Vector<R> c = inverse_rho;
  const auto add_to_guess = [&](Index begin_pole, Index end_pole, bool some_own) {
    for (Index i = begin_pole; i < end_pole; ++i) {
      const Vector<R> w = broadcast(weight[i]);
      const Vector<R> sum = fused<R>(w, near_quotient<R>(w, (broadcast(pole[i]) - left_pole) - beyond), c);
      const Vector<R> distance = broadcast(static_cast<R>(i)) - left;
      c = some_own ? (((distance == 0) | (distance == 1)) ? c : sum) : sum;
    }
  };
  add_to_guess(0, first_left, false);
  add_to_guess(first_left, last_left + 2, true);
  add_to_guess(last_left + 2, k, false);
  const Vector<R> f_middle = c - w_l / beyond + w_r / (gap - beyond);
  const Vector<R> half = beyond * (1 + R(0x1p-7));
  const Mask<R> at_left = (f_middle > 0) & ~last;
  const Vector<R> a = at_left ? c * gap + w_l + w_r : c * gap - w_l - w_r, b = (at_left ? w_l : w_r) * gap;
  const Vector<R> square = a * a, product = 4 * b * c;
  const Vector<R> root = square_root<R>(magnitude<R>(at_left ? square - product : square + product));
  const Mask<R> from_left = at_left | last;
  Vector<R> low = from_left ? zero : -half, high = at_left ? half : last ? length : zero;
  const Mask<R> smaller = from_left ? a > 0 : a < 0;  // no cancellation in the denominator
  const Vector<R> denominator = smaller ? (from_left ? a + root : a - root) : 2 * c;
  const Vector<R> numerator = smaller ? 2 * b : at_left ? a - root : last ? root - a : -(a + root);
  Vector<R> tau = numerator / denominator;
  tau = ((tau > low) & (tau < high)) ? tau : (low + high) / 2;

  // The middle way, as secular_root()
  const Vector<R> origin = at_left ? left_pole : load(array[1]);
  Mask<R> active = ~Mask<R>{}, solved{};
  Vector<R> before =
      zero + (sizeof(R) == 8 ? static_cast<R>(__builtin_huge_val()) : static_cast<R>(__builtin_huge_valf()));
  for (int step = 0; step < max_steps; ++step) {
    Vector<R> psi{}, psi_slope{}, phi{}, phi_slope{};
    const auto add = [&](Index begin_pole, Index end_pole, Vector<R>& sum, Vector<R>& slope) {
      for (Index i = begin_pole; i < end_pole; ++i) {
        const Vector<R> w = broadcast(weight[i]),
                        t = near_quotient<R>(w, (broadcast(pole[i]) - origin) - tau);
        sum = fused<R>(w, t, sum);
        slope = fused<R>(t, t, slope);
      }
    };
    add(0, first_left + 1, psi, psi_slope);
    for (Index i = first_left + 1; i <= last_left; ++i) {
      const Mask<R> below = broadcast(static_cast<R>(i)) <= left;
      Vector<R> sum = below ? psi : phi, slope = below ? psi_slope : phi_slope;
      add(i, i + 1, sum, slope);
      psi = below ? sum : psi;
      psi_slope = below ? slope : psi_slope;
      phi = below ? phi : sum;
      phi_slope = below ? phi_slope : slope;
    }
    add(last_left + 1, k, phi, phi_slope);
    const Vector<R> value = inverse_rho + psi + phi, slope = psi_slope + phi_slope,
                    size = magnitude<R>(value);
    const Vector<R> noise =
        8 * (magnitude<R>(psi) + magnitude<R>(phi)) + inverse_rho + magnitude<R>(tau) * slope;
    low = value < 0 ? tau : low;
    high = value < 0 ? high : tau;
    const Mask<R> done = (size <= unit * noise) | (high - low <= 4 * unit * magnitude<R>(tau));
    solved |= active & done;
    active &= ~done & (size <= R(0.1) * before);
    if (!any<R>(active)) break;
    before = size;
    const Vector<R> to_l = (left_pole - origin) - tau, to_r = (load(array[1]) - origin) - tau;
    const Vector<R> m_a = (to_l + to_r) * value - to_l * to_r * slope, m_b = to_l * to_r * value;
    const Vector<R> m_c = value - to_l * psi_slope - to_r * phi_slope;
    const Vector<R> m_root = square_root<R>(magnitude<R>(m_a * m_a - 4 * m_b * m_c));
    const Mask<R> plus = last ? m_a >= 0 : m_a > 0, by_c = last ? plus : ~plus;
    const Vector<R> sum = plus ? m_a + m_root : m_a - m_root;
    const Vector<R> eta = (by_c ? sum : 2 * m_b) / (by_c ? (last ? 2 * magnitude<R>(m_c) : 2 * m_c) : sum);
    Vector<R> next = tau + eta;
    next = ((next > low) & (next < high)) ? next : tau - value / slope;
    active &= (next > low) & (next < high);
    // The middle way converges quadratically: after a step so short the root has all of its digits.
    const Mask<R> settled = active & (magnitude<R>(next - tau) <= short_step * magnitude<R>(next));
    tau = active ? next : tau;
    solved |= settled;
    active &= ~settled;
    if (!any<R>(active)) break;
  }
  R bases[lanes<R>], taus[lanes<R>], roots[lanes<R>];
  store<R>(bases, origin);
  store<R>(taus, tau);
  store<R>(roots, solved ? origin + tau
                         : zero + (sizeof(R) == 8 ? static_cast<R>(__builtin_nan(""))
                                                  : static_cast<R>(__builtin_nanf(""))));
  for (Index i = 0; i < lanes<R> && begin + i < end; ++i) {
    of_base[begin + i] = bases[i];
    of_tau[begin + i] = taus[i];
    of_root[begin + i] = roots[i];
  }
}
template <class R>
void solve_roots(const R* pole, const R* weight, Index k, R rho, Index begin, Index end, R* base, R* tau,
                 R* root) {
  for (Index j = begin; j < end; j += lanes<R>) solve_group(pole, weight, k, rho, j, end, base, tau, root);
}

// One lane for each of `lanes` poles. The errors of the factors and of the multiplications are summed as in CorrectedProduct.
template <class R>
void correct_weights(const dc::RankOne<R>& x, Index first, Index count, R* weight) {
  for (Index i = 0; i < count; i += lanes<R>) {
    R poles[lanes<R>];
    for (Index c = 0; c < lanes<R>; ++c) poles[c] = x.pole[first + (i + c < count ? i + c : count - 1)];
    const Vector<R> pole = load(poles), one = broadcast(R(1));
    Vector<R> value = one, error{};
    for (Index j = 0; j < x.k; ++j) {
      Vector<R> base_low, root_low, gap_low;
      const Vector<R> to_base = two_sum<R>(pole, broadcast(-x.base[j]), base_low);
      const Vector<R> to_root = two_sum<R>(to_base, broadcast(-x.tau[j]), root_low);
      const Vector<R> distance = two_sum<R>(pole, broadcast(-x.pole[j]), gap_low);
      const Vector<R> gap = distance == 0 ? one : distance;  // j is the lane's own pole
      const Vector<R> factor = near_quotient<R>(to_root, gap);
      const Vector<R> rest = remainder<R>(to_root, factor, gap) + ((root_low + base_low) - factor * gap_low);
      const Vector<R> product = value * factor;
      error += (rest * product + error_of_product<R>(value, factor, product) * to_root) *
               rough_reciprocal<R>(to_root * product);
      value = product;
    }
    R values[lanes<R>], errors[lanes<R>];
    store<R>(values, value);
    store<R>(errors, error);
    for (Index c = 0; c < lanes<R> && i + c < count; ++c) {
      // An error of 1 or more: a factor is zero, and there is nothing to correct.
      const R product = __builtin_fabs(errors[c]) < 1 ? values[c] * (1 + errors[c]) : values[c];
      weight[i + c] = static_cast<R>(__builtin_sqrt(__builtin_fabs(product)));
    }
  }
}

template <class R>
constexpr int group = lanes<R> > tile_columns ? lanes<R> : tile_columns;
template <class R>
constexpr int vectors = group<R> / lanes<R>;  // in a group

// Lane c has column j + c, so that no sum goes across lanes. The sums are the same with and without the columns.
template <class R, bool with_columns>
EIGEN_G_INLINE void form_group(const dc::RankOne<R>& x, Index j, Index end, bool end_rows, R* u) {
  R of_base[group<R>], of_tau[group<R>];
  for (Index c = 0; c < group<R>; ++c) {
    const Index column = j + c < end ? j + c : end - 1;
    of_base[c] = x.base[column];
    of_tau[c] = x.tau[column];
  }
  Vector<R> base[vectors<R>], tau[vectors<R>], squares[vectors<R>], first[vectors<R>], last[vectors<R>];
  for (Index v = 0; v < vectors<R>; ++v) {
    base[v] = load(of_base + v * lanes<R>);
    tau[v] = load(of_tau + v * lanes<R>);
    squares[v] = first[v] = last[v] = Vector<R>{};
  }
  for (Index g = 0; g < x.k; ++g) {
    const Vector<R> pole = broadcast(x.group_pole[g]), weight = broadcast(x.group_weight[g]);
    for (Index v = 0; v < vectors<R>; ++v) {
      const Vector<R> t = quotient<R>(weight, (pole - base[v]) - tau[v]);
      squares[v] = fused<R>(t, t, squares[v]);
      if (with_columns) store<R>(u + g * group<R> + v * lanes<R>, t);
      if (end_rows && g < x.upper_end) first[v] = fused<R>(t, broadcast(x.first_of_c[g]), first[v]);
      if (end_rows && g >= x.upper) last[v] = fused<R>(t, broadcast(x.last_of_c[g]), last[v]);
    }
  }
  for (Index v = 0; v < vectors<R>; ++v) {
    R inverse_norm[lanes<R>], first_of_q[lanes<R>], last_of_q[lanes<R>];
    store<R>(inverse_norm, squares[v]);
    for (Index c = 0; c < lanes<R>; ++c)
      inverse_norm[c] = static_cast<R>(1 / __builtin_sqrt(inverse_norm[c]));
    const Vector<R> factor = load(inverse_norm);
    store<R>(first_of_q, first[v] * factor);
    store<R>(last_of_q, last[v] * factor);
    for (Index c = 0; end_rows && c < lanes<R> && j + v * lanes<R> + c < end; ++c) {
      x.first_of_q[j + v * lanes<R> + c] = first_of_q[c];
      x.last_of_q[j + v * lanes<R> + c] = last_of_q[c];
    }
    for (Index g = 0; with_columns && g < x.k; ++g) {
      R* const entries = u + g * group<R> + v * lanes<R>;
      store<R>(entries, load(entries) * factor);
    }
  }
}
template <class R>
void form_columns(const dc::RankOne<R>& x, Index j, Index end, bool end_rows, R* u) {
  u ? form_group<R, true>(x, j, end, end_rows, u) : form_group<R, false>(x, j, end, end_rows, u);
}

constexpr int tile_vectors = vector_bytes == 32 ? 3 : 2;
template <class R>
constexpr int tile_rows = tile_vectors* lanes<R>;
constexpr Index depth = 256;  // inner indices for which a tile of A and of B stay in the first cache

// tile_vectors * lanes x tile_columns entries of c := or += A B.
template <class R>
EIGEN_G_INLINE void multiply_tile(R* c, Index ldc, bool fresh, const R* a, const R* b, Index inner) {
  Vector<R> sum[tile_columns][tile_vectors];
#pragma GCC unroll 8
  for (int j = 0; j < tile_columns; ++j)
#pragma GCC unroll 3
    for (int v = 0; v < tile_vectors; ++v)
      sum[j][v] = fresh ? Vector<R>{} : load(c + j * static_cast<std::int64_t>(ldc) + v * lanes<R>);
  for (Index k = 0; k < inner; ++k) {
    Vector<R> left[tile_vectors];
#pragma GCC unroll 3
    for (int v = 0; v < tile_vectors; ++v) left[v] = load(a + k * tile_rows<R> + v * lanes<R>);
#pragma GCC unroll 8
    for (int j = 0; j < tile_columns; ++j) {
      const Vector<R> right = broadcast(b[k * group<R> + j]);
#pragma GCC unroll 3
      for (int v = 0; v < tile_vectors; ++v) sum[j][v] = fused<R>(left[v], right, sum[j][v]);
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < tile_columns; ++j)
#pragma GCC unroll 3
    for (int v = 0; v < tile_vectors; ++v)
      store<R>(c + j * static_cast<std::int64_t>(ldc) + v * lanes<R>, sum[j][v]);
}

template <class R>
void multiply_block(Index rows, Index groups, Index inner, const R* a, std::int64_t a_inner, const R* b,
                    std::int64_t b_inner, R* c) {
  for (Index k = 0; k < inner; k += depth) {
    const Index part = inner - k < depth ? inner - k : depth;
    for (Index j = 0; j < groups * group<R>; j += tile_columns) {
      const R* const right = b + (j / group<R> * b_inner + k) * group<R> + j % group<R>;
      for (Index i = 0; i < rows; i += tile_rows<R>)
        multiply_tile<R>(c + static_cast<std::int64_t>(j) * rows + i, rows, k == 0,
                         a + i * a_inner + static_cast<std::int64_t>(k) * tile_rows<R>, right, part);
    }
  }
}

}  // namespace

template <class R>
dc::Kernels<R> dc_kernels() {
  static_assert(dc::block_rows % tile_rows<R> == 0 && dc::block_columns % group<R> == 0);
  return {tile_rows<R>,       group<R>,        lanes<R> >= 4 ? lanes<R> : 1,
          solve_leaves<R>,    secular_sums<R>, solve_roots<R>,
          correct_weights<R>, form_columns<R>, multiply_block<R>};
}

EIGEN_G_INSTANTIATE(real_types, dc_kernels);

}  // namespace eigen_g::EIGEN_G_WIDTH
