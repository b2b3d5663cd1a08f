// Messages of complex values between thread blocks (mail.cuh).
#pragma once

#include "hybrid/device_complex.cuh"
#include "hybrid/stream/mail.cuh"

namespace eigen_g {

// A complex<float> is sent like the halves of a double: its real part as the lower 32 bits, its imaginary part as the upper 32.
template <>
struct Packet<DeviceComplex<float>> : Packet<double> {};
__device__ inline void publish(Packet<DeviceComplex<float>>* to, DeviceComplex<float> value, unsigned step) {
  publish(static_cast<Packet<double>*>(to),
          __hiloint2double(__float_as_int(value.im), __float_as_int(value.re)), step);
}
__device__ inline Packet<DeviceComplex<float>> look(const Packet<DeviceComplex<float>>* from) {
  return {look(static_cast<const Packet<double>*>(from))};
}
__device__ inline DeviceComplex<float> value(const Packet<DeviceComplex<float>>& p) {
  return {__uint_as_float(static_cast<unsigned>(p.low)), __uint_as_float(static_cast<unsigned>(p.high))};
}

template <>
struct Packet<DeviceComplex<double>> {
  Packet<double> re, im;
};
__device__ inline void publish(Packet<DeviceComplex<double>>* to, DeviceComplex<double> value,
                               unsigned step) {
  publish(&to->re, value.re, step);
  publish(&to->im, value.im, step);
}
__device__ inline Packet<DeviceComplex<double>> look(const Packet<DeviceComplex<double>>* from) {
  return {look(&from->re), look(&from->im)};
}
__device__ inline bool arrived(const Packet<DeviceComplex<double>>& p, unsigned step) {
  return arrived(p.re, step) && arrived(p.im, step);
}
__device__ inline DeviceComplex<double> value(const Packet<DeviceComplex<double>>& p) {
  return {value(p.re), value(p.im)};
}

}  // namespace eigen_g
