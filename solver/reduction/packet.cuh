// A double on its way from one thread block to another through device memory: its halves, each with a number in the upper word, of
// the step that it belongs to. The reader looks until the number is there: no barrier, no fence, no flag.
#pragma once

namespace eigen_g::reduction {

struct alignas(16) Packet {
  unsigned long long low, high;
};

__device__ inline void publish(Packet* to, double value, unsigned step) {
  const unsigned long long bits = __double_as_longlong(value);
  const unsigned long long tag = static_cast<unsigned long long>(step) << 32;
  const unsigned long long low = tag | (bits & 0xffffffffu), high = tag | bits >> 32;
#if __CUDA_ARCH__ >= 700
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(low), "l"(high) : "memory");
#else
  asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(low), "l"(high) : "memory");
#endif
}
__device__ inline Packet look(const Packet* from) {
  Packet p;
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
// A later step's packet counts: only a block that ends with this step and has no use for the values can meet one.
__device__ inline bool arrived(const Packet& p, unsigned step) {
  return static_cast<unsigned>(p.low >> 32) >= step && static_cast<unsigned>(p.high >> 32) >= step;
}
__device__ inline double value(const Packet& p) {
  return __longlong_as_double(static_cast<long long>(p.high << 32 | (p.low & 0xffffffffu)));
}

}  // namespace eigen_g::reduction
