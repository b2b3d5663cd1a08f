// Compiled once for each vector width: see hybrid/vector/width.hpp for what such a source may use.
#include "solver/reduction/two_stage/band_kernels.hpp"

#include <complex>

#include "hybrid/instantiate.hpp"
#include "hybrid/vector/packet.hpp"

namespace eigen_g::EIGEN_G_WIDTH {

namespace {

// Columns whose sums or factors are in registers at the same time. They are in the same vector of rows.
template <class T>
constexpr int columns_at_once = is_complex<T> ? tile_columns / 2 : tile_columns;
static_assert(lanes<double> % tile_columns == 0);

template <class T>
EIGEN_G_INLINE Packet<T> load_at(const real_t<T>* p, std::int64_t plane) {
  if constexpr (is_complex<T>)
    return {load(p), load(p + plane)};
  else
    return {load(p)};
}
template <class T>
EIGEN_G_INLINE void store_at(real_t<T>* p, std::int64_t plane, const Packet<T>& x) {
  store(p, x.re);
  if constexpr (is_complex<T>) store(p + plane, x.im);
}

// The lanes from `first` on.
template <class R>
EIGEN_G_INLINE Mask<R> lanes_from(int first) {
  Mask<R> number{};
#pragma GCC unroll 16
  for (int k = 0; k < lanes<R>; ++k) number[k] = k;
  return number >= static_cast<decltype(number[0] + 0)>(first);
}
template <class T>
EIGEN_G_INLINE Packet<T> only(Mask<real_t<T>> mask, const Packet<T>& x) {
  const Vector<real_t<T>> zero{};
  if constexpr (is_complex<T>)
    return {mask ? x.re : zero, mask ? x.im : zero};
  else
    return {mask ? x.re : zero};
}

// to += the sums over the lanes of totals.
template <class T, int count>
EIGEN_G_INLINE void add_totals(const Packet<T>* totals, real_t<T>* to, std::int64_t plane) {
  using R = real_t<T>;
  Vector<R> part[count];
#pragma GCC unroll 8
  for (int c = 0; c < count; ++c) part[c] = totals[c].re;
  add_sums<R, count>(part, to);
  if constexpr (is_complex<T>) {
#pragma GCC unroll 8
    for (int c = 0; c < count; ++c) part[c] = totals[c].im;
    add_sums<R, count>(part, to + plane);
  }
}

// A complex number, or a real number with imaginary part 0.
template <class R>
struct Number {
  R re, im;
};
template <class R>
EIGEN_G_INLINE Number<R> product(Number<R> a, Number<R> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T>
EIGEN_G_INLINE Number<real_t<T>> number_at(const real_t<T>* p, std::int64_t plane) {
  if constexpr (is_complex<T>)
    return {p[0], p[plane]};
  else
    return {p[0], 0};
}
template <class T>
EIGEN_G_INLINE Packet<T> broadcast_number(Number<real_t<T>> x) {
  if constexpr (is_complex<T>)
    return {broadcast(x.re), broadcast(x.im)};
  else
    return {broadcast(x.re)};
}

// x^H y
template <class T>
EIGEN_G_INLINE Number<real_t<T>> dot(int b, const real_t<T>* x, const real_t<T>* y) {
  using R = real_t<T>;
  Packet<T> total{};
  for (int i = 0; i < b; i += lanes<R>)
    add_adjoint_product(total, load_at<T>(x + i, b), load_at<T>(y + i, b));
  if constexpr (is_complex<T>)
    return {sum<R>(total.re), sum<R>(total.im)};
  else
    return {sum<R>(total.re), 0};
}

template <class T>
EIGEN_G_INLINE void clear(int b, real_t<T>* x) {
  for (int i = 0; i < b * planes<T>; i += lanes<real_t<T>>) store(x + i, Vector<real_t<T>>{});
}

// Overwrites x with v of its reflector. Returns beta.
template <class T>
EIGEN_G_INLINE real_t<T> reflect(int b, real_t<T>* x, real_t<T> negligible, real_t<T>* tau) {
  using R = real_t<T>;
  const Number<R> alpha = number_at<T>(x, b);
  x[0] = 0;
  if constexpr (is_complex<T>) x[b] = 0;
  const R tail = dot<T>(b, x, x).re;
  R beta = alpha.re;
  Number<R> scale{0, 0};
  tau[0] = tau[1] = 0;
  if (tail + alpha.im * alpha.im >= negligible) {
    const R norm = R(__builtin_sqrt(alpha.re * alpha.re + alpha.im * alpha.im + tail));
    beta = alpha.re < 0 ? norm : -norm;
    tau[0] = (beta - alpha.re) / beta;
    tau[1] = -alpha.im / beta;
    const R pivot = alpha.re - beta;
    if constexpr (is_complex<T>) {
      const R square = pivot * pivot + alpha.im * alpha.im;
      scale = {pivot / square, -alpha.im / square};
    } else {
      scale.re = 1 / pivot;
    }
  }
  const Packet<T> factor = broadcast_number<T>(scale);
  for (int i = 0; i < b; i += lanes<R>) {
    Packet<T> y{};
    add_product(y, load_at<T>(x + i, b), factor);
    store_at<T>(x + i, b, y);
  }
  x[0] = 1;
  return beta;
}

template <class T>
EIGEN_G_INLINE void set_column(int b, real_t<T>* x, std::int64_t plane, real_t<T> beta) {
  using R = real_t<T>;
  for (int i = 0; i < b; i += lanes<R>) store_at<T>(x + i, plane, Packet<T>{});
  x[0] = beta;
}

template <class T>
void begin(BandStep<T>& s) {
  using R = real_t<T>;
  for (int i = 0; i < s.b; i += lanes<R>) store_at<T>(s.next + i, s.b, load_at<T>(s.diagonal + i, s.plane));
  const R beta = reflect<T>(s.b, s.next, s.negligible, s.next_tau);
  set_column<T>(s.b, s.diagonal, s.plane, beta);
}

// y := D v for the lower triangle of a Hermitian D. In the vector of rows with the diagonal, entries above it do not count.
template <class T>
void multiply_triangle(const BandStep<T>& s, const real_t<T>* v, real_t<T>* y) {
  using R = real_t<T>;
  constexpr int count = columns_at_once<T>, l = lanes<R>;
  const int b = s.b;
  clear<T>(b, y);
  for (int c = 0; c < b; c += count) {
    const R* const columns = s.diagonal + c * s.ld;
    Packet<T> v_c[count], total[count] = {};
#pragma GCC unroll 8
    for (int k = 0; k < count; ++k) v_c[k] = broadcast_packet<T>(v + c + k, b);
    const int first = c / l * l;
    Packet<T> x = load_at<T>(v + first, b), rows = load_at<T>(y + first, b);
#pragma GCC unroll 8
    for (int k = 0; k < count; ++k) {
      const Packet<T> d = load_at<T>(columns + k * s.ld + first, s.plane);
      add_product(rows, only<T>(lanes_from<R>(c + k - first), d), v_c[k]);
      add_adjoint_product(total[k], only<T>(lanes_from<R>(c + k - first + 1), d), x);
    }
    store_at<T>(y + first, b, rows);
    for (int i = first + l; i < b; i += l) {
      x = load_at<T>(v + i, b);
      rows = load_at<T>(y + i, b);
#pragma GCC unroll 8
      for (int k = 0; k < count; ++k) {
        const Packet<T> d = load_at<T>(columns + k * s.ld + i, s.plane);
        add_product(rows, d, v_c[k]);
        add_adjoint_product(total[k], d, x);
      }
      store_at<T>(y + i, b, rows);
    }
    add_totals<T, count>(total, y + c, b);
  }
}

// D := D - v w^H - w v^H in the lower triangle.
template <class T>
void update_triangle(const BandStep<T>& s, const real_t<T>* v, const real_t<T>* w) {
  using R = real_t<T>;
  constexpr int count = columns_at_once<T>, l = lanes<R>;
  const int b = s.b;
  for (int c = 0; c < b; c += count) {
    R* const columns = s.diagonal + c * s.ld;
    Packet<T> v_c[count], w_c[count];
#pragma GCC unroll 8
    for (int k = 0; k < count; ++k) {
      v_c[k] = broadcast_packet<T>(v + c + k, b);
      w_c[k] = broadcast_packet<T>(w + c + k, b);
    }
    const int first = c / l * l;
    for (int i = first; i < b; i += l) {
      const Packet<T> x = load_at<T>(v + i, b), y = load_at<T>(w + i, b);
#pragma GCC unroll 8
      for (int k = 0; k < count; ++k) {
        R* const at = columns + k * s.ld + i;
        Packet<T> d = load_at<T>(at, s.plane);
        subtract_product_adjoint(d, x, w_c[k]);
        subtract_product_adjoint(d, y, v_c[k]);
        store_at<T>(at, s.plane, d);
      }
    }
    if constexpr (is_complex<T>)
      for (int k = 0; k < count; ++k) columns[k * s.ld + c + k + s.plane] = 0;
  }
}

// u := F v in `count` vectors of rows.
template <class T, int count>
EIGEN_G_INLINE void multiply_rows(const real_t<T>* f, std::int64_t ld, std::int64_t plane, int b,
                                  const real_t<T>* v, real_t<T>* u) {
  using R = real_t<T>;
  constexpr int l = lanes<R>, chains = count <= 4 && !is_complex<T> ? 2 : 1;
  Packet<T> total[chains][count] = {};
  for (int j = 0; j < b; j += chains, f += chains * ld)
#pragma GCC unroll 2
    for (int chain = 0; chain < chains; ++chain) {
      const Packet<T> x = broadcast_packet<T>(v + j + chain, b);
#pragma GCC unroll 8
      for (int i = 0; i < count; ++i)
        add_product(total[chain][i], load_at<T>(f + chain * ld + i * l, plane), x);
    }
#pragma GCC unroll 8
  for (int i = 0; i < count; ++i) {
    if constexpr (chains == 2) add(total[0][i], total[1][i]);
    store_at<T>(u + i * l, b, total[0][i]);
  }
}

template <class T>
void multiply(const BandStep<T>& s, const real_t<T>* f, const real_t<T>* v, real_t<T>* u) {
  constexpr int l = lanes<real_t<T>>, most = is_complex<T> ? 4 : 8;
  const int b = s.b;
  int i = 0;
  for (; i + most * l <= b; i += most * l) multiply_rows<T, most>(f + i, s.ld, s.plane, b, v, u + i);
  if constexpr (!is_complex<T>)
    for (; i + 6 * l <= b; i += 6 * l) multiply_rows<T, 6>(f + i, s.ld, s.plane, b, v, u + i);
  for (; i + 4 * l <= b; i += 4 * l) multiply_rows<T, 4>(f + i, s.ld, s.plane, b, v, u + i);
  for (; i + 2 * l <= b; i += 2 * l) multiply_rows<T, 2>(f + i, s.ld, s.plane, b, v, u + i);
  for (; i < b; i += l) multiply_rows<T, 1>(f + i, s.ld, s.plane, b, v, u + i);
}

// F := H'^H (F - tau u v^H) = F - u a - v' z with the rows a = tau v^H and z = conj(tau') (v'^H F - (v'^H u) a).
template <class T>
void update_below(const BandStep<T>& s, real_t<T>* f, const real_t<T>* u) {
  using R = real_t<T>;
  constexpr int count = columns_at_once<T>, l = lanes<R>;
  const int b = s.b;
  const R* const next = s.next;
  const Number<R> tau{s.tau[0], s.tau[1]}, next_tau{s.next_tau[0], -s.next_tau[1]},
      next_u = dot<T>(b, next, u);
  for (int c = 0; c < b; c += count) {
    R* const columns = f + c * s.ld;
    Packet<T> total[count] = {};
    for (int i = 0; i < b; i += l) {
      const Packet<T> x = load_at<T>(next + i, b);
#pragma GCC unroll 8
      for (int k = 0; k < count; ++k)
        add_adjoint_product(total[k], x, load_at<T>(columns + k * s.ld + i, s.plane));
    }
    R sums_[2 * count] = {};
    add_totals<T, count>(total, sums_, count);
    Packet<T> a[count], z[count];
#pragma GCC unroll 8
    for (int k = 0; k < count; ++k) {
      const Number<R> v = number_at<T>(s.v + c + k, b), own = product(tau, Number<R>{v.re, -v.im}),
                      lost = product(next_u, own);
      a[k] = broadcast_number<T>(own);
      z[k] =
          broadcast_number<T>(product(next_tau, Number<R>{sums_[k] - lost.re, sums_[count + k] - lost.im}));
    }
    for (int i = 0; i < b; i += l) {
      const Packet<T> x = load_at<T>(u + i, b), y = load_at<T>(next + i, b);
#pragma GCC unroll 8
      for (int k = 0; k < count; ++k) {
        R* const at = columns + k * s.ld + i;
        Packet<T> entry = load_at<T>(at, s.plane);
        subtract_product(entry, x, a[k]);
        subtract_product(entry, y, z[k]);
        store_at<T>(at, s.plane, entry);
      }
    }
  }
}

template <class T>
void advance(BandStep<T>& s) {
  using R = real_t<T>;
  constexpr int l = lanes<R>;
  const int b = s.b;
  const Number<R> tau{s.tau[0], s.tau[1]};
  const bool reflects = tau.re != 0 || tau.im != 0;
  if (reflects) {
    R *const y = s.scratch, *const w = y + b * planes<T>;
    multiply_triangle<T>(s, s.v, y);
    const R half = (tau.re * tau.re + tau.im * tau.im) / 2 * dot<T>(b, s.v, y).re;
    const Packet<T> factor = broadcast_number<T>(tau);
    const Vector<R> minus_half = broadcast(-half);
    for (int i = 0; i < b; i += l) {
      const Packet<T> v = load_at<T>(s.v + i, b);
      Packet<T> sum{};
      sum.re = v.re * minus_half;
      if constexpr (is_complex<T>) sum.im = v.im * minus_half;
      add_product(sum, load_at<T>(y + i, b), factor);
      store_at<T>(w + i, b, sum);
    }
    update_triangle<T>(s, s.v, w);
  }
  if (!s.below) return;
  R *const f = s.diagonal + b, *const u = s.scratch;
  if (reflects)
    multiply<T>(s, f, s.v, u);
  else
    clear<T>(b, u);
  const Packet<T> factor = broadcast_number<T>(tau);
  for (int i = 0; i < b; i += l) {
    Packet<T> x = load_at<T>(f + i, s.plane);
    subtract_product(x, load_at<T>(u + i, b), factor);
    store_at<T>(s.next + i, b, x);
  }
  const R beta = reflect<T>(b, s.next, s.negligible, s.next_tau);
  if (reflects || s.next_tau[0] != 0 || s.next_tau[1] != 0) update_below<T>(s, f, u);
  set_column<T>(b, f, s.plane, beta);
}

}  // namespace

template <class T>
BandKernels<T> band_kernels() {
  return {begin<T>, advance<T>};
}

EIGEN_G_INSTANTIATE(all_types, band_kernels);

}  // namespace eigen_g::EIGEN_G_WIDTH
