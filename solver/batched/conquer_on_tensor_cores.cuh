// conquer() for doubles on the tensor cores (compute capability 8.0 or later): the last product and the back-transformation stay in
// registers. A warp has 16 columns of Z, transposed, as accumulators of the instruction m8n8k4: lane (m = lane / 4, k = lane % 4) has
//
//   z[t][i].x, z[t][i].y   rows 8 i + 2 k and 8 i + 2 k + 1 of column 16 warp + 8 t + m
//
// The same registers are the left operand of the next product if its sum runs over the rows 2 k first and over the rows 2 k + 1 then.
// The products therefore need no exchange between lanes.
#pragma once

#include "hybrid/multiply_8x8x4.cuh"
#include "solver/batched/conquer.cuh"

namespace eigen_g::batched {

// A warp computes -T of the eight reflectors from k0 on, 8 x 8, row-major: column j of T solves
//   t_q = tau_q ((q = j) - sum over p > q of (v_q, v_p) t_p)
template <int NP>
__device__ __forceinline__ void negative_factor(const Reflectors<double>& vs, const double* tau, int n,
                                                int k0, double* to) {
  const int lane = threadIdx.x % 32, lm = lane / 4, lk = lane % 4, k = k0 + lm;
  double2 even, odd;  // V^T V over the rows 2 k and 2 k + 1
  even.x = even.y = odd.x = odd.y = 0;
#pragma unroll 4
  for (int r = k0 + 2 * lk; r < n + 2 * lk; r += 8) {
    const double v0 = k < n - 1 && r > k && r < n ? vs(r, k) : 0.0,
                 v1 = k < n - 1 && r + 1 > k && r + 1 < n ? vs(r + 1, k) : 0.0;
    multiply_8x8x4(even, v0, v0);
    multiply_8x8x4(odd, v1, v1);
  }
  to[8 * lm + 2 * lk] = even.x + odd.x;
  to[8 * lm + 2 * lk + 1] = even.y + odd.y;
  __syncwarp();
  double t[8];
#pragma unroll
  for (int q = 7; q >= 0; --q) {
    double sum = q == lm ? 1 : 0;
#pragma unroll
    for (int p = 7; p > q; --p) sum = fma(-to[8 * q + p], t[p], sum);
    t[q] = k0 + q < n - 1 ? tau[k0 + q] * sum : 0.0;
  }
  __syncwarp();
  if (lk == 0)
#pragma unroll
    for (int q = 0; q < 8; ++q) to[8 * q + lm] = -t[q];
}

// Some registers are left to a block of find_values() on the same multiprocessor. Without them find_values() waits for whole blocks.
template <int NP>
__global__ void EIGEN_G_REGISTERS(2 * NP, 1, (NP == 64 ? 120 : 240))
    conquer_on_tensor_cores(Chunk<double> chunk, Work<double> work) {
  using Plan = ConquerPlan<double, NP>;
  constexpr int LDU = Plan::LD, QS = Plan::QS, RT = NP / 8, VS = 10;
  const ConquerMemory<double, NP> sm(reinterpret_cast<double*>(DynamicShared<double2>::memory()));
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, lm = lane / 4, lk = lane % 4;
  const std::int64_t matrix = blockIdx.x, id = chunk.id(matrix), row = matrix * work.ld;
  const int n = chunk.order(id);
  const Reflectors<double> vs(work, matrix);
  leaves_and_merges<MergeResult::factors>(sm, work, matrix, n);

  double2 z[2][RT];
#pragma unroll
  for (int t = 0; t < 2; ++t)
#pragma unroll
    for (int i = 0; i < RT; ++i) z[t][i].x = z[t][i].y = 0;
  {  // Z = Q U: the first s1 rows from Q's first block, the others from its second
    const int s1 = leaf_begin(n, 2, 4), s2 = n - s1;
    const double* const u = sm.x + 16 * warp + lm;
    const double scale[2] = {sm.scale[16 * warp + lm], sm.scale[16 * warp + 8 + lm]};
#pragma unroll 1
    for (int k0 = 0; k0 < s1; k0 += 4) {
      const int k = k0 + lk;
      const bool in = k < s1;
      double a[2];
#pragma unroll
      for (int t = 0; t < 2; ++t) a[t] = in ? scale[t] * u[k * LDU + 8 * t] : 0.0;
#pragma unroll
      for (int i = 0; i < RT / 2; ++i) {
        const int r = 8 * i + lm;
        const double q = in && r < s1 ? sm.y[k * QS + r] : 0.0;
#pragma unroll
        for (int t = 0; t < 2; ++t) multiply_8x8x4(z[t][i], a[t], q);
      }
    }
#pragma unroll 1
    for (int k0 = 0; k0 < s2; k0 += 4) {
      const int k = k0 + lk;
      const bool in = k < s2;
      double a[2];
#pragma unroll
      for (int t = 0; t < 2; ++t) a[t] = in ? scale[t] * u[(s1 + k) * LDU + 8 * t] : 0.0;
#pragma unroll
      for (int i = RT / 4; i < RT; ++i) {
        if (8 * i + 7 >= s1 && 8 * i < n) {
          const int r = 8 * i + lm - s1;
          const double q = in && r >= 0 && r < s2 ? sm.y[(NP / 2 + k) * QS + r] : 0.0;
#pragma unroll
          for (int t = 0; t < 2; ++t) multiply_8x8x4(z[t][i], a[t], q);
        }
      }
    }
  }

  // Z := H_1 H_2 ... Z, eight reflectors at once, the last eight first: Z := Z - V T V^T Z with the upper triangular T of
  // H_1 ... H_8 = I - V T V^T.
  const int top = (n - 3) / 8 * 8;
  double* const minus_t = sm.x;  // [block of reflectors][8][8]: -T
  __syncthreads();
  for (int k0 = 8 * warp; k0 <= top; k0 += NP / 2)
    negative_factor<NP>(vs, work.tau + row, n, k0, minus_t + 8 * k0);
  {
    double* v = sm.y;  // [row][VS], two buffers in turn
    ReflectorRow<double, NP> next;
    next.fetch(vs, work.tau + row, n, top);
#pragma unroll 1
    for (int k0 = top; k0 >= 0; k0 -= 8) {
      next.put(v, VS);
      __syncthreads();
      if (k0 > 0) next.fetch(vs, work.tau + row, n, k0 - 8);
      const int first = k0 / 8;  // V is zero in the rows above 8 first
      double2 even[2], odd[2];   // V^T Z over the rows 2 k and 2 k + 1: column m, reflectors 2 k and 2 k + 1
#pragma unroll
      for (int t = 0; t < 2; ++t) even[t].x = even[t].y = odd[t].x = odd[t].y = 0;
#pragma unroll
      for (int i = 0; i < RT; ++i) {
        if (i >= first && 8 * i < n) {
          const double v0 = v[(8 * i + 2 * lk) * VS + lm], v1 = v[(8 * i + 2 * lk + 1) * VS + lm];
#pragma unroll
          for (int t = 0; t < 2; ++t) {
            multiply_8x8x4(even[t], z[t][i].x, v0);
            multiply_8x8x4(odd[t], z[t][i].y, v1);
          }
        }
      }
      const double2 factor = *reinterpret_cast<const double2*>(minus_t + 8 * k0 + 8 * lm + 2 * lk);
      double2 y[2];  // -T V^T Z
#pragma unroll
      for (int t = 0; t < 2; ++t) {
        y[t].x = y[t].y = 0;
        multiply_8x8x4(y[t], even[t].x + odd[t].x, factor.x);
        multiply_8x8x4(y[t], even[t].y + odd[t].y, factor.y);
      }
#pragma unroll
      for (int i = 0; i < RT; ++i) {
        if (i >= first && 8 * i < n) {
          const double v0 = v[(8 * i + lm) * VS + 2 * lk], v1 = v[(8 * i + lm) * VS + 2 * lk + 1];
#pragma unroll
          for (int t = 0; t < 2; ++t) {
            multiply_8x8x4(z[t][i], y[t].x, v0);
            multiply_8x8x4(z[t][i], y[t].y, v1);
          }
        }
      }
      v = v == sm.y ? sm.y + NP * VS : sm.y;
    }
  }

  const bool valid = store_values(sm, chunk, work, matrix, id, n);
  const std::int64_t ldz = chunk.ldz.of(id);
#pragma unroll
  for (int t = 0; t < 2; ++t) {
    const int c = 16 * warp + 8 * t + lm, place = c < n ? sm.src[c] : -1;
    if (place < 0 || place >= chunk.to - chunk.from) continue;
    double* const to = chunk.z.of(id) + place * ldz;
#pragma unroll
    for (int i = 0; i < RT; ++i) {
      const int r = 8 * i + 2 * lk;
      if (r < n) to[r] = valid ? z[t][i].x : NAN;
      if (r + 1 < n) to[r + 1] = valid ? z[t][i].y : NAN;
    }
  }
}

}  // namespace eigen_g::batched
