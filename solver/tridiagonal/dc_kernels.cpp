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
                    t = quotient<R>(w, (load(pole + i) - broadcast(origin)) - broadcast(tau));
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
      const Vector<R> factor = quotient<R>(to_root, gap);
      const Vector<R> rest = remainder<R>(to_root, factor, gap) + ((root_low + base_low) - factor * gap_low);
      const Vector<R> product = value * factor;
      error += rest * rough_reciprocal<R>(to_root) +
               error_of_product<R>(value, factor, product) * rough_reciprocal<R>(product);
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
constexpr int vectors = group<R> / lanes<R>;  // of a group

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
  return {tile_rows<R>, group<R>, secular_sums<R>, correct_weights<R>, form_columns<R>, multiply_block<R>};
}

EIGEN_G_INSTANTIATE(real_types, dc_kernels);

}  // namespace eigen_g::EIGEN_G_WIDTH
