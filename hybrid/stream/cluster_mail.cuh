// Messages between the thread blocks of a cluster, without a barrier of the cluster. A message is stored into the shared memory of another
// block, and counted there by a gate. The reader waits at the gate of its own block until all expected bytes have come. Compute
// capability 9.0 or later.
//
// Tests replace this header by tests/support/emulated/hybrid/stream/cluster_mail.cuh.
//
// Source: NVIDIA, PTX ISA 8.1, chapters on mbarrier and st.async.
#pragma once

#include <cstdint>

#include "hybrid/stream/cluster.cuh"

namespace eigen_g {

// A phase of a gate ends when one thread has set the number of bytes that the phase expects, and these bytes have come. Bytes may come before they are
// expected, but not before the phase begins. The first phase is number 0.
struct MailGate {
  std::uint64_t state;
};

// The place of something in the shared memory of a block of the cluster.
struct MailPlace {
  std::uint32_t address;
};

#ifdef __CUDACC__

__device__ __forceinline__ std::uint32_t address_in_shared(const void* at) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
}

// Before the barrier of the cluster after which the gate is used.
__device__ __forceinline__ void open_mail(MailGate* gate) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
      "fence.mbarrier_init.release.cluster;" ::"r"(address_in_shared(gate))
      : "memory");
#else
  __trap();
#endif
}
// The phase that runs now expects this number of bytes.
__device__ __forceinline__ void expect_mail(MailGate* gate, unsigned bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address_in_shared(gate)),
               "r"(bytes)
               : "memory");
#else
  __trap();
#endif
}
// Waits for the end of a phase whose number is even (parity = 0) or odd (parity = 1).
__device__ __forceinline__ void wait_for_mail(MailGate* gate, unsigned parity) {
#if __CUDA_ARCH__ >= 900
  unsigned ended = 0;
  while (ended == 0)
    asm volatile(
        "{\n\t"
        ".reg .pred p;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, p;\n\t"
        "}"
        : "=r"(ended)
        : "r"(address_in_shared(gate)), "r"(parity)
        : "memory");
#else
  __trap();
#endif
}
// The place in the shared memory of block `rank` that corresponds to `mine` in the caller's block.
__device__ __forceinline__ MailPlace place_in_cluster(const void* mine, int rank) {
  MailPlace place{};
#if __CUDA_ARCH__ >= 900
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(place.address) : "r"(address_in_shared(mine)), "r"(rank));
#endif
  return place;
}
// Stores `message` at `offset` bytes behind `to`, and adds its bytes to the gate at `gate_offset` bytes behind `to`. A message has 8 bytes or
// a multiple of 16, and is at a multiple of its size or of 16.
template <class Message>
__device__ __forceinline__ void send_mail(MailPlace to, int offset, const Message& message, int gate_offset) {
  static_assert(sizeof(Message) == 8 || sizeof(Message) % 16 == 0);
#if __CUDA_ARCH__ >= 900
  union Words {
    Message message;
    unsigned long long word[sizeof(Message) / 8];
    __device__ Words() {}
  } words;
  words.message = message;
  const std::uint32_t at = to.address + static_cast<std::uint32_t>(offset),
                      gate = to.address + static_cast<std::uint32_t>(gate_offset);
  if constexpr (sizeof(Message) == 8) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(at),
                 "l"(words.word[0]), "r"(gate)
                 : "memory");
  } else {
#pragma unroll
    for (unsigned i = 0; i < sizeof(Message) / 8; i += 2) {
      const std::uint32_t pair = at + 8 * i;
      asm volatile(
          "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%0], {%1, %2}, [%3];" ::"r"(
              pair),
          "l"(words.word[i]), "l"(words.word[i + 1]), "r"(gate)
          : "memory");
    }
  }
#else
  __trap();
#endif
}

#endif

}  // namespace eigen_g
