// Deflation: finds the eigenpairs of diag(T1, T2) that are eigenpairs of the merged matrix already, to working accuracy.
//
//   tol = 8 u max(|d|, |z|),  u the unit roundoff
//   rho |z_s| <= tol:                         the pair (d_s, q_s) deflates
//   |(d_t - d_s) c sn| <= tol, where s < t are neighbours among the entries that are left, r = hypot(z_s, z_t), c = z_t / r and
//     sn = -z_s / r: a rotation of q_s, q_t by (c, sn) makes z_s = 0 and z_t = r with an error below tol, and (d_s, q_s) deflates
//
// Example with tol = 0.1, rho = 1:   d = 1   2    2.01   5      z = 0.6  0.5  0.5  0.05
//   5 deflates (0.05 <= tol). 2 and 2.01 are close (0.01 / 2 <= tol): 2 deflates with d = 2.005. The rest is
//   pole = (1, 2.005), weight = (0.6, 0.707).
//
// All pairs of close neighbours are found at once, by the z before any rotation. Only one step is sequential: one thread follows the
// chains of rotations that start at a close pair, because a rotation changes z_t before t meets its own successor.
//
// Source: LAPACK dlaed2 (tolerances and column types).
#pragma once

#include <math.h>

#include "hybrid/scalar.hpp"
#include "solver/tridiagonal/dc_arrays.hpp"

namespace eigen_g::dc {

template <class R>
struct Rotation {
  R c, s, r;
  bool close;
};

template <class R>
EIGEN_G_HOST_DEVICE Rotation<R> rotation_of(R d_s, R z_s, R d_t, R z_t, R tolerance) {
  const R r = sqrt(z_s * z_s + z_t * z_t);
  const R c = z_t / r, s = -z_s / r;
  return {c, s, r, fabs((d_t - d_s) * c * s) <= tolerance};
}

// Deflates one merge, by one crew.
//   x      the arrays at the merge's first row; in: merged_d, merged_z, source. Out: kind, link, linked, target, cosine, sine, pole,
//          weight, group and deflated; `survivor` and `close` are scratch, and merged_d and merged_z of rotated entries change
//   e      the off-diagonal entry at the cut
//   shape  out
// `deflated` has its values in merged order; order_value() sorts them.
template <class Crew, class R>
EIGEN_G_HOST_DEVICE void deflate(const Crew& crew, const Merge& merge, const Arrays<R>& x, same_t<R> e,
                                 Shape<R>* shape) {
  const Index size = merge.size;
  const R rho = 2 * fabs(e);
  R largest = 0;
  for (Index s = crew.rank(); s < size; s += crew.size())
    largest = fmax(largest, fmax(fabs(x.merged_d[s]), fabs(x.merged_z[s])));
  const R tolerance = 8 * unit_roundoff<R> * crew.largest(largest);

  // Each thread takes a contiguous range of entries, so that a scan of its counts gives ascending positions.
  const auto begin_of = [&](Index count, Index rank) {
    return static_cast<Index>(static_cast<std::int64_t>(count) * rank / crew.size());
  };
  const Index begin = begin_of(size, crew.rank()), end = begin_of(size, crew.rank() + 1);

  const auto negligible = [&](Index s) { return rho * fabs(x.merged_z[s]) <= tolerance; };
  std::int64_t survivors = 0, count = 0;
  for (Index s = begin; s < end; ++s) {
    const Index column = x.source[s] - merge.first;
    x.kind[s] = negligible(s) ? deflated_kind : column < merge.upper ? upper_kind : lower_kind;
    x.link[s] = -1;
    x.linked[s] = 0;
    count += x.kind[s] != deflated_kind;
  }
  Index place = static_cast<Index>(crew.scan(count, survivors));
  for (Index s = begin; s < end; ++s)
    if (x.kind[s] != deflated_kind) x.survivor[place++] = s;
  crew.sync();

  const auto left = static_cast<Index>(survivors);
  const auto try_rotation = [&](Index i) {
    const Index s = x.survivor[i], t = x.survivor[i + 1];
    return rotation_of(x.merged_d[s], x.merged_z[s], x.merged_d[t], x.merged_z[t], tolerance);
  };
  const Index pairs = left > 0 ? left - 1 : 0;
  const Index pair_begin = begin_of(pairs, crew.rank()), pair_end = begin_of(pairs, crew.rank() + 1);
  count = 0;
  for (Index i = pair_begin; i < pair_end; ++i) {
    x.target[i] = try_rotation(i).close;  // 1: close. Scratch use: `target` is not needed yet
    count += x.target[i];
  }
  std::int64_t close_pairs = 0;
  place = static_cast<Index>(crew.scan(count, close_pairs));
  for (Index i = pair_begin; i < pair_end; ++i)
    if (x.target[i]) x.close[place++] = i;
  crew.sync();

  if (crew.rank() == 0) {
    Index next = 0;  // pairs before this one are done
    for (Index k = 0; k < static_cast<Index>(close_pairs); ++k) {
      if (x.close[k] < next) continue;
      for (Index i = x.close[k]; i < pairs; ++i) {
        next = i + 1;
        const Rotation<R> rotation = try_rotation(i);
        if (!rotation.close) break;
        const Index s = x.survivor[i], t = x.survivor[i + 1];
        const R d_s = x.merged_d[s], d_t = x.merged_d[t];
        const R c2 = rotation.c * rotation.c, s2 = rotation.s * rotation.s;
        x.merged_d[s] = d_s * c2 + d_t * s2;
        x.merged_d[t] = d_s * s2 + d_t * c2;
        x.merged_z[s] = 0;
        x.merged_z[t] = rotation.r;
        x.cosine[s] = rotation.c;
        x.sine[s] = rotation.s;
        x.link[s] = t;
        x.linked[t] = 1;
        if (x.kind[s] != x.kind[t]) x.kind[t] = dense_kind;
        x.kind[s] = deflated_kind;
      }
    }
  }
  crew.sync();

  // The counts of the three kinds in one integer, 21 bits each.
  const auto unit = [](Index kind) {
    return kind == deflated_kind ? std::int64_t{0} : std::int64_t{1} << (21 * kind);
  };
  const auto field = [](std::int64_t counts, Index kind) {
    return static_cast<Index>(counts >> (21 * kind) & 0x1fffff);
  };
  std::int64_t counts = 0, totals = 0;
  for (Index s = begin; s < end; ++s) counts += unit(x.kind[s]);
  counts = crew.scan(counts, totals);
  const Index uppers = field(totals, upper_kind), denses = field(totals, dense_kind),
              lowers = field(totals, lower_kind);
  const Index first_of_kind[] = {0, uppers, uppers + denses};
  const Index k = uppers + denses + lowers;
  for (Index s = begin; s < end; ++s) {
    const Index i = field(counts, upper_kind) + field(counts, dense_kind) + field(counts, lower_kind);
    const Index kind = x.kind[s];
    if (kind == deflated_kind) {
      x.target[s] = k + (s - i);
      x.deflated[s - i] = x.merged_d[s];
    } else {
      const Index group = first_of_kind[kind] + field(counts, kind);
      x.target[s] = group;
      x.group[i] = group;
      x.pole[i] = x.merged_d[s];
      x.weight[i] = x.merged_z[s];
    }
    counts += unit(kind);
  }
  if (crew.rank() == 0) *shape = {k, uppers, denses, lowers, rho};
}

}  // namespace eigen_g::dc
