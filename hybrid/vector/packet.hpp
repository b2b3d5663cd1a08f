// Packet<T>: a vector of lanes of a real type, or two vectors with the real and the imaginary parts of complex numbers. Kernels that are
// written with packets serve real and complex matrices. As lanes.hpp, the header belongs to the sources of eigen_g_vector_sources().
//
// In memory, numbers come in groups of a cache line: [group][plane][number of the group], with one plane for real numbers and two planes,
// first the real and then the imaginary parts, for complex ones. The layout is the same for all vector widths.
#pragma once

#include "hybrid/scalar.hpp"
#include "hybrid/vector/groups.hpp"
#include "hybrid/vector/lanes.hpp"

namespace eigen_g::EIGEN_G_WIDTH {

template <class T>
inline constexpr int vectors_of_group = group_size<T> / lanes<real_t<T>>;

template <class T, bool = is_complex<T>>
struct Packet;

template <class T>
struct Packet<T, false> {
  Vector<T> re;
};
template <class T>
struct Packet<T, true> {
  Vector<real_t<T>> re, im;
};

// p: the real parts; the imaginary parts are one group further.
template <class T>
EIGEN_G_INLINE Packet<T> load_packet(const real_t<T>* p) {
  if constexpr (is_complex<T>)
    return {load(p), load(p + group_size<T>)};
  else
    return {load(p)};
}
// load_packet() for a packet that is used more than once.
template <class T>
EIGEN_G_INLINE Packet<T> load_into_register(const real_t<T>* p) {
  if constexpr (is_complex<T>)
    return {in_register<real_t<T>>(load(p)), in_register<real_t<T>>(load(p + group_size<T>))};
  else
    return {in_register<real_t<T>>(load(p))};
}
template <class T>
EIGEN_G_INLINE void store_packet(real_t<T>* p, const Packet<T>& x) {
  store(p, x.re);
  if constexpr (is_complex<T>) store(p + group_size<T>, x.im);
}
// All lanes are the number whose imaginary part is `apart` behind the real part.
template <class T>
EIGEN_G_INLINE Packet<T> broadcast_packet(const real_t<T>* p, std::int64_t apart) {
  if constexpr (is_complex<T>)
    return {broadcast(p[0]), broadcast(p[apart])};
  else
    return {broadcast(p[0])};
}
template <class T>
EIGEN_G_INLINE void add(Packet<T>& c, const Packet<T>& a) {
  c.re += a.re;
  if constexpr (is_complex<T>) c.im += a.im;
}
// c += a b
template <class T>
EIGEN_G_INLINE void add_product(Packet<T>& c, const Packet<T>& a, const Packet<T>& b) {
  c.re += a.re * b.re;
  if constexpr (is_complex<T>) {
    c.im += a.re * b.im;
    c.re -= a.im * b.im;
    c.im += a.im * b.re;
  }
}
// c -= a b
template <class T>
EIGEN_G_INLINE void subtract_product(Packet<T>& c, const Packet<T>& a, const Packet<T>& b) {
  c.re -= a.re * b.re;
  if constexpr (is_complex<T>) {
    c.im -= a.re * b.im;
    c.re += a.im * b.im;
    c.im -= a.im * b.re;
  }
}
// c += conj(a) b
template <class T>
EIGEN_G_INLINE void add_adjoint_product(Packet<T>& c, const Packet<T>& a, const Packet<T>& b) {
  c.re += a.re * b.re;
  if constexpr (is_complex<T>) {
    c.im += a.re * b.im;
    c.re += a.im * b.im;
    c.im -= a.im * b.re;
  }
}
// c -= a conj(b)
template <class T>
EIGEN_G_INLINE void subtract_product_adjoint(Packet<T>& c, const Packet<T>& a, const Packet<T>& b) {
  c.re -= a.re * b.re;
  if constexpr (is_complex<T>) {
    c.im += a.re * b.im;
    c.re -= a.im * b.im;
    c.im -= a.im * b.re;
  }
}

}  // namespace eigen_g::EIGEN_G_WIDTH
