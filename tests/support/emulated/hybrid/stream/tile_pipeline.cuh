// The pipeline of hybrid/stream/tile_pipeline.cuh on the CPU: copies and products end at once, and a thread that waits at a gate lets the
// others run.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "tests/support/emulation.hpp"

namespace eigen_g {

struct TileMap {
  const std::int8_t* data;
  std::int64_t terms, lines, planes, line_step, plane_step;
  int box_lines;

  std::int8_t at(std::int64_t term, std::int64_t line, std::int64_t plane) const {
    const bool inside =
        term >= 0 && term < terms && line >= 0 && line < lines && plane >= 0 && plane < planes;
    return inside ? data[term + line * line_step + plane * plane_step] : std::int8_t{0};
  }
};

namespace emulated {

inline unsigned rank() {
  return static_cast<unsigned>(emulation::block.rank);
}
template <class T>
T* in_block(T* mine, unsigned rank) {
  return const_cast<T*>(in_block_of_cluster(mine, static_cast<int>(rank)));
}
inline std::int64_t place_in_tile(std::int64_t line, std::int64_t at) {
  return line * 128 + ((at / 16) ^ (line % 8)) * 16 + at % 16;
}

}  // namespace emulated

struct Gate {
  std::int32_t arrivals, pending, bytes, phase;
  void end_of_phase() {
    if (pending < 0 || (pending == 0 && bytes < 0))
      emulation::fail("a gate has more arrivals or bytes than it expects");
    if (pending > 0 || bytes > 0) return;
    pending = arrivals;
    ++phase;
  }
};
inline void open_gate(Gate* gate, unsigned arrivals) {
  *gate = {static_cast<std::int32_t>(arrivals), static_cast<std::int32_t>(arrivals), 0, 0};
}
inline void publish_gates() {}
inline void expect_bytes(Gate* gate, unsigned bytes) {
  gate->bytes += static_cast<std::int32_t>(bytes);
  --gate->pending;
  gate->end_of_phase();
}
inline void arrive(Gate* gate, unsigned rank) {
  Gate* const there = emulated::in_block(gate, rank);
  --there->pending;
  there->end_of_phase();
}
inline void wait_for(Gate* gate, unsigned parity) {
  for (int turn = 0; static_cast<unsigned>(gate->phase % 2) == parity; ++turn) {
    if (turn > 1000000) emulation::fail("a thread waits at a gate for ever");
    emulation::wait(emulation::nowhere);
  }
}

inline void load_tile_for(unsigned ranks, const TileMap& map, int term, int line, int plane, void* to,
                          Gate* gate) {
  auto* const mine = static_cast<std::int8_t*>(to);
  for (unsigned rank = 0; rank < static_cast<unsigned>(emulation::block.cluster); ++rank) {
    if ((ranks >> rank & 1) == 0) continue;
    std::int8_t* const tile = emulated::in_block(mine, rank);
    for (int i = 0; i < map.box_lines; ++i)
      for (int l = 0; l < 128; ++l) tile[emulated::place_in_tile(i, l)] = map.at(term + l, line + i, plane);
    Gate* const there = emulated::in_block(gate, rank);
    there->bytes -= map.box_lines * 128;  // below 0 if the gate expects the bytes later
    there->end_of_phase();
  }
}
inline unsigned rank_in_cluster() {
  return emulated::rank();
}
inline void load_tile(const TileMap& map, int term, int line, int plane, void* to, Gate* gate) {
  load_tile_for(1U << rank_in_cluster(), map, term, line, plane, to, gate);
}
inline void prefetch(const TileMap&) {}

template <int count>
void keep_registers() {}
template <int count>
void take_registers() {}

inline void begin_products() {}
inline void commit_products() {}
// A warp is at one place in these instructions, so none of its lanes falls behind.
template <int groups>
void wait_for_products() {
  __syncwarp();
}

inline void multiply_64x256x32(std::int32_t (&d)[128], const void* a, const void* b, int step, bool add) {
  const int t = emulation::block.current % 128;
  const auto* const left = static_cast<const std::int8_t*>(a);
  const auto* const right = static_cast<const std::int8_t*>(b);
  for (int j = 0; j < 32; ++j)
    for (int half = 0; half < 2; ++half)
      for (int e = 0; e < 2; ++e) {
        const int row = t / 32 * 16 + t % 32 / 4 + 8 * half, column = 8 * j + 2 * (t % 4) + e;
        std::int32_t sum = add ? d[4 * j + 2 * half + e] : 0;
        for (int l = 32 * step; l < 32 * step + 32; ++l)
          sum +=
              std::int32_t{left[emulated::place_in_tile(row, l)]} * right[emulated::place_in_tile(column, l)];
        d[4 * j + 2 * half + e] = sum;
      }
}

namespace emulated {

// The number of a float of 8 bits (e4m3). Not for NaNs.
inline float e4m3(std::int8_t byte) {
  const int field = byte >> 3 & 15, mantissa = byte & 7;
  const float size = field == 0 ? std::ldexp(static_cast<float>(mantissa), -9)
                                : std::ldexp(static_cast<float>(8 + mantissa), field - 10);
  return byte < 0 ? -size : size;
}
inline float e4m3_at(const std::int8_t* tile, std::int64_t line, std::int64_t at) {
  static const auto table = [] {
    std::array<float, 256> all{};
    for (int i = 0; i < 256; ++i) all[static_cast<std::size_t>(i)] = e4m3(static_cast<std::int8_t>(i));
    return all;
  }();
  return table[static_cast<std::uint8_t>(tile[place_in_tile(line, at)])];
}
// A sum with the bits that the tensor cores keep.
inline float kept(float sum) {
  int exponent = 0;
  const float part = std::frexp(sum, &exponent);
  return std::ldexp(std::trunc(std::ldexp(part, 14)), exponent - 14);
}

}  // namespace emulated

inline void multiply_64x128x32(float (&d)[64], const void* a, const void* b, int step, bool add) {
  const int t = emulation::block.current % 128;
  const auto* const left = static_cast<const std::int8_t*>(a);
  const auto* const right = static_cast<const std::int8_t*>(b);
  for (int half = 0; half < 2; ++half) {
    float row[32];
    for (int l = 0; l < 32; ++l)
      row[l] = emulated::e4m3_at(left, t / 32 * 16 + t % 32 / 4 + 8 * half, 32 * step + l);
    for (int j = 0; j < 16; ++j)
      for (int e = 0; e < 2; ++e) {
        float sum = add ? d[4 * j + 2 * half + e] : 0;
        for (int l = 0; l < 32; ++l)
          sum += row[l] * emulated::e4m3_at(right, 8 * j + 2 * (t % 4) + e, 32 * step + l);
        d[4 * j + 2 * half + e] = emulated::kept(sum);
      }
  }
}

}  // namespace eigen_g
