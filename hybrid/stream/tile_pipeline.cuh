// A pipeline from global memory through shared memory to the tensor cores, for clusters of blocks: tiles of bytes, barriers in shared memory,
// and products of warpgroups by integers and by floats of 8 bits. The code must be compiled for sm_90a. A warpgroup is four warps, the first of which has a number that is a
// multiple of four.
//
// A tile in shared memory has lines of 128 bytes and begins at a multiple of 1024 bytes. Byte `at` of line `line` is at
//
//   128 line + 16 ((at / 16) xor (line mod 8)) + at mod 16
//
// Tests replace this header by tests/support/emulated/hybrid/stream/tile_pipeline.cuh.
//
// Source: NVIDIA, PTX ISA 8.0, chapters on wgmma, cp.async.bulk.tensor and mbarrier.
#pragma once

#include <cstdint>

#include <cuda.h>

namespace eigen_g {

// Byte (term, line, plane) of an array in global memory. Coordinates outside the array have zeros.
using TileMap = CUtensorMap;

#ifdef __CUDACC__

__device__ __forceinline__ std::uint32_t shared_address(const void* at) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
}

// A barrier in shared memory. A phase of it ends when the given number of arrivals and all expected bytes have come. The first phase is number
// 0.
struct Gate {
  std::uint64_t state;
};
__device__ __forceinline__ void open_gate(Gate* gate, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(gate)), "r"(arrivals)
               : "memory");
}
// Between open_gate() and the barrier of the cluster after which the gates are used.
__device__ __forceinline__ void publish_gates() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
// One arrival; the phase expects `bytes` more.
__device__ __forceinline__ void expect_bytes(Gate* gate, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(gate)),
               "r"(bytes)
               : "memory");
}
// One arrival at the same gate of block `rank` of the cluster.
__device__ __forceinline__ void arrive(Gate* gate, unsigned rank) {
  asm volatile(
      "{\n\t"
      ".reg .b32 there;\n\t"
      "mapa.shared::cluster.u32 there, %0, %1;\n\t"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n\t"
      "}" ::"r"(shared_address(gate)),
      "r"(rank)
      : "memory");
}
// Waits for the end of a phase whose number is even (parity = 0) or odd (parity = 1).
__device__ __forceinline__ void wait_for(Gate* gate, unsigned parity) {
  unsigned ended = 0;
  while (ended == 0)
    asm volatile(
        "{\n\t"
        ".reg .pred p;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, p;\n\t"
        "}"
        : "=r"(ended)
        : "r"(shared_address(gate)), "r"(parity)
        : "memory");
}

// Starts the copy of a tile to `to` and adds its bytes to `gate`; both at the same place in each block of the cluster whose bit is in `ranks`.
// The second function copies to the caller's own block.
__device__ __forceinline__ void load_tile_for(unsigned ranks, const TileMap& map, int term, int line,
                                              int plane, void* to, Gate* gate) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(shared_address(to)),
      "l"(&map), "r"(term), "r"(line), "r"(plane), "r"(shared_address(gate)),
      "h"(static_cast<unsigned short>(ranks))
      : "memory");
}
__device__ __forceinline__ void load_tile(const TileMap& map, int term, int line, int plane, void* to,
                                          Gate* gate) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
      "l"(&map), "r"(term), "r"(line), "r"(plane), "r"(shared_address(gate))
      : "memory");
}
__device__ __forceinline__ void prefetch(const TileMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

__device__ __forceinline__ unsigned rank_in_cluster() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// Registers of a thread, a multiple of 8. All warps of a warpgroup call one of them.
template <int count>
__device__ __forceinline__ void keep_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
}
template <int count>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
}

// Products of a warpgroup run during its other instructions: begin_products(), multiply_64x256x32() or multiply_64x128x32() some times, commit_products(). Each
// commit ends a group. wait_for_products<n>() waits until at most n groups run. Meanwhile nothing else may use the sums.
__device__ __forceinline__ void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int groups>
__device__ __forceinline__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
}

// Describes the tile that begins at `tile`, from byte 32 step of its lines on.
__device__ __forceinline__ std::uint64_t description_of(const void* tile, int step) {
  constexpr std::uint64_t lines_of_8 = 1024 >> 4, swizzled_128 = 1;
  return ((shared_address(tile) & 0x3ffff) >> 4) + static_cast<std::uint64_t>(2 * step) |
         std::uint64_t{1} << 16 | lines_of_8 << 32 | swizzled_128 << 62;
}

// d := d + A B^T, or A B^T if !add, where A has 64 lines and B has 256, with the signed bytes 32 step ... 32 step + 31 of their tiles. Thread t
// of the warpgroup has the sums (line of A, line of B), for j = 0 ... 31 and e = 0, 1:
//
//   d[4j + e]       (16 (t / 32) + t % 32 / 4,      8j + 2 (t % 4) + e)
//   d[4j + 2 + e]   (16 (t / 32) + t % 32 / 4 + 8,  8j + 2 (t % 4) + e)
__device__ __forceinline__ void multiply_64x256x32(std::int32_t (&d)[128], const void* a, const void* b,
                                                   int step, bool add) {
#define EIGEN_G_SUMS_8(i)                                                                     \
  "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3]), "+r"(d[i + 4]), "+r"(d[i + 5]), \
      "+r"(d[i + 6]), "+r"(d[i + 7])
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.b32 p, %130, 0;\n\t"
      "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
      "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
      "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"
      "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,"
      "%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,"
      "%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,"
      "%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,"
      "%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127},"
      " %128, %129, p;\n\t"
      "}"
      : EIGEN_G_SUMS_8(0), EIGEN_G_SUMS_8(8), EIGEN_G_SUMS_8(16), EIGEN_G_SUMS_8(24), EIGEN_G_SUMS_8(32),
        EIGEN_G_SUMS_8(40), EIGEN_G_SUMS_8(48), EIGEN_G_SUMS_8(56), EIGEN_G_SUMS_8(64), EIGEN_G_SUMS_8(72),
        EIGEN_G_SUMS_8(80), EIGEN_G_SUMS_8(88), EIGEN_G_SUMS_8(96), EIGEN_G_SUMS_8(104), EIGEN_G_SUMS_8(112),
        EIGEN_G_SUMS_8(120)
      : "l"(description_of(a, step)), "l"(description_of(b, step)), "r"(static_cast<int>(add)));
#undef EIGEN_G_SUMS_8
}

// As above for floats of 8 bits (e4m3), B with 128 lines, and j = 0 ... 15. The tensor cores keep 14 significant bits of a sum and drop the others.
__device__ __forceinline__ void multiply_64x128x32(float (&d)[64], const void* a, const void* b, int step,
                                                   bool add) {
#define EIGEN_G_SUMS_8(i)                                                                     \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.b32 p, %66, 0;\n\t"
      "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
      "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
      "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"
      "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63},"
      " %64, %65, p, 1, 1;\n\t"
      "}"
      : EIGEN_G_SUMS_8(0), EIGEN_G_SUMS_8(8), EIGEN_G_SUMS_8(16), EIGEN_G_SUMS_8(24), EIGEN_G_SUMS_8(32),
        EIGEN_G_SUMS_8(40), EIGEN_G_SUMS_8(48), EIGEN_G_SUMS_8(56)
      : "l"(description_of(a, step)), "l"(description_of(b, step)), "r"(static_cast<int>(add)));
#undef EIGEN_G_SUMS_8
}

#endif

}  // namespace eigen_g
