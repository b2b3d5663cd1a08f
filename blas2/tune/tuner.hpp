// The two sieves of the auto-tuner, as pure functions of measured rates. first_sieve() selects the candidates that are worth
// measuring at every size; second_sieve() decides which of them to use for which n. A candidate is a number that has a meaning
// only for the caller. No GPU is needed.
// Source: CUDA-xSYMV (IPSJ HPC-146 No.14), section 3.2. It measures all candidates at a few sizes. Then it fits a d-spline over
// n for the best few and makes a table "for n in [n1, n2) kernel k".
#pragma once

#include <cstdint>
#include <vector>

namespace eigen_g::blas2 {

// The rate of one candidate at one size. Repeated measurements are averaged. A candidate that failed at a size has no
// Measurement there, or one with a rate that is not positive and finite.
struct Measurement {
  int candidate = 0;
  std::int64_t n = 0;  // >= 1
  double rate = 0;     // more is better, for example bytes per second
};

struct FirstSieve {
  double within = 0.10;  // a candidate qualifies if at some size it is at most this fraction below the best
  int keep = 6;          // largest number of candidates that stay
};

// The candidates that stay, the most useful first. Only qualified ones are taken (FirstSieve::within). The next one taken is
// always the one that increases most the sum over the sizes of
//   (best rate among the candidates taken) / (best rate of all).
// On a tie, also if none increases the sum, it is the one with the greatest sum of rate / (best rate) over all sizes. So a
// candidate that is best at one size comes before one that is second everywhere, and close seconds fill the remaining places.
std::vector<int> first_sieve(const std::vector<Measurement>& measured, const FirstSieve& rule = {});

// Use `candidate` for n_from <= n < n_from of the next segment. The last segment has no end.
struct Segment {
  std::int64_t n_from = 0;
  int candidate = 0;
};

struct SecondSieve {
  int cells_an_octave = 16;  // cells of the d-spline's grid for each doubling of n; uniform in log2 n
  double alpha = 0;          // smoothing of the d-spline; 0: choose_alpha() from 0.01 to 1
  // A change of candidate must gain at least this much, as the integral of log2(rate ratio) over log2 n. The default is the
  // gain of 1 % over a doubling of n; less is not worth a row of the table.
  double change_cost = 0.0144;
  // A change must also gain at least this number of standard deviations of noise. The noise is the integral over all sizes that
  // the samples' deviations from their splines would produce by chance.
  double noise_deviations = 2;
};

// The table of candidates by n, from measurements of the candidates that stayed.
//
// log2(rate) of each candidate becomes a d-spline over t = log2(n). A matrix-vector product has two regimes: constant time for
// small n and constant bandwidth for large n. In these coordinates both are straight lines, which the spline reproduces, and
// relative noise is the same everywhere. The table is the path through the candidates that maximises
//   integral of spline(candidate(t), t) dt  -  cost * number of changes.
// It is found by dynamic programming on the grid. A change between two nodes is placed where the two polygons cross.
//
// A candidate is used only between neighbouring measured sizes at both of which it ran. If no candidate ran at both, one that
// ran at the upper size is used. The first segment begins at n = 0. The last one has a candidate that ran at the largest size,
// and no end. So every n is in exactly one segment. The result is empty if there is no usable measurement.
// Cost: O(grid * candidates^2).
std::vector<Segment> second_sieve(const std::vector<Measurement>& measured, const SecondSieve& rule = {});

}  // namespace eigen_g::blas2
