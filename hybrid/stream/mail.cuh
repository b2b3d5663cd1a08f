// Messages between the thread blocks of a cooperative launch, without a barrier or a fence. Each 64-bit word has the number of
// the step in its upper half and 32 bits of the value in its lower half. A float is one word, a double two. The reader polls
// until the words have the number.
//
// Two sets of packets, for even and for odd steps, are enough if each block reads all packets of step k before it sends step
// k + 1. A block that has read all packets of step k + 1 then knows that every block has read step k, and may overwrite it.
#pragma once

namespace eigen_g {

template <class T>
struct Packet;
template <>
struct alignas(16) Packet<double> {
  unsigned long long low, high;
};
template <>
struct Packet<float> {
  unsigned long long word;
};

__device__ inline void publish(Packet<double>* to, double value, unsigned step) {
  const unsigned long long bits = __double_as_longlong(value);
  const unsigned long long tag = static_cast<unsigned long long>(step) << 32;
  const unsigned long long low = tag | (bits & 0xffffffffu), high = tag | bits >> 32;
#if __CUDA_ARCH__ >= 700
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(low), "l"(high) : "memory");
#else
  asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(low), "l"(high) : "memory");
#endif
}
__device__ inline Packet<double> look(const Packet<double>* from) {
  Packet<double> p;
#if __CUDA_ARCH__ >= 700
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(p.low), "=l"(p.high)
               : "l"(from)
               : "memory");
#else
  asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(p.low), "=l"(p.high)
               : "l"(from)
               : "memory");
#endif
  return p;
}
// A packet of a later step counts as arrived. Only a reader that does not use the value can meet one.
__device__ inline bool arrived(const Packet<double>& p, unsigned step) {
  return static_cast<unsigned>(p.low >> 32) >= step && static_cast<unsigned>(p.high >> 32) >= step;
}
__device__ inline double value(const Packet<double>& p) {
  return __longlong_as_double(static_cast<long long>(p.high << 32 | (p.low & 0xffffffffu)));
}

__device__ inline void publish(Packet<float>* to, float value, unsigned step) {
  const unsigned long long word = static_cast<unsigned long long>(step) << 32 | __float_as_uint(value);
#if __CUDA_ARCH__ >= 700
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
#else
  asm volatile("st.volatile.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
#endif
}
__device__ inline Packet<float> look(const Packet<float>* from) {
  Packet<float> p;
#if __CUDA_ARCH__ >= 700
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(p.word) : "l"(from) : "memory");
#else
  asm volatile("ld.volatile.global.u64 %0, [%1];" : "=l"(p.word) : "l"(from) : "memory");
#endif
  return p;
}
__device__ inline bool arrived(const Packet<float>& p, unsigned step) {
  return static_cast<unsigned>(p.word >> 32) >= step;
}
__device__ inline float value(const Packet<float>& p) {
  return __uint_as_float(static_cast<unsigned>(p.word));
}

}  // namespace eigen_g
