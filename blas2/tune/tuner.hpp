// The auto-tuner's two sieves, as pure functions of measured rates: which candidates are worth measuring at
// every size, and which of these to use for which n. Candidates are numbers here; what they stand for is the
// caller's. Needs no GPU. Source: CUDA-xSYMV (IPSJ HPC-146 No.14), section 3.2: all candidates at a few
// sizes, then a d-spline over n for the best few and a table "for n in [n1, n2) kernel k".
#pragma once

#include <cstdint>
#include <vector>

namespace eigen_g::blas2 {

// What one candidate reached at one size. Repeated measurements are averaged. A candidate that failed at a
// size is left out there, or has a rate that is not a positive finite number.
struct Measurement {
  int candidate = 0;
  std::int64_t n = 0;  // >= 1
  double rate = 0;     // more is better: bytes a second
};

struct FirstSieve {
  double within = 0.10;  // fit to stay: at some size at most this far below the best there, as a fraction
  int keep = 6;          // at most so many stay
};

// The candidates that stay, the most useful first. Of those that come within `within` of the best somewhere,
// the next one taken is always the one that most raises the sum over the sizes of
//   (best rate among those taken) / (best rate of all);
// where none raises it further, the one with the greatest mean of rate / (best rate) over all sizes. So a
// specialist of one size stays before an all-rounder that is second everywhere, and close seconds fill the
// places left.
std::vector<int> first_sieve(const std::vector<Measurement>& measured, const FirstSieve& rule = {});

// Sizes n in [n_from, next segment's n_from) take `candidate`; the last one has no end.
struct Segment {
  std::int64_t n_from = 0;
  int candidate = 0;
};

struct SecondSieve {
  int cells_an_octave = 16;  // of the d-spline's grid, uniform in log2 n
  double alpha = 0;          // the d-spline's smoothing; 0: choose_alpha() from 0.01 to 1
  // A change of candidate must gain at least this much, as the integral of log2(rate ratio) over log2 n: by
  // default what 1 % over an octave of n gains. Less is not worth a line.
  double change_cost = 0.0144;
  // and at least so many standard deviations of what the same integral over all sizes gathers from noise
  // alone, the noise being what the splines left over.
  double noise_deviations = 2;
};

// The table from measurements of the candidates that stayed.
//
// Each candidate's log2(rate) over log2(n) becomes a d-spline. In these coordinates the two regimes of a
// matrix-vector product, time independent of n and bandwidth independent of n, are straight lines, which the
// spline reproduces, and relative noise is the same everywhere. The table is the path through the candidates
// that maximises
//   integral of spline(candidate(t), t) dt  -  cost * changes
// found by dynamic programming on the grid; a change between two nodes goes to where the two polygons cross.
// A candidate is used only between neighbouring measured sizes at both of which it ran (where no candidate
// ran at both: one that ran at the upper one). The first segment begins at n = 0; the last, by a candidate
// that ran at the largest size, goes on for ever; every n has exactly one segment. Empty without a usable
// measurement. Cost: O(grid * candidates^2).
std::vector<Segment> second_sieve(const std::vector<Measurement>& measured, const SecondSieve& rule = {});

}  // namespace eigen_g::blas2
