// A model of the seconds of a solve whose stages are divided over P GPUs of one host (Devices::gpus). Pure arithmetic; needs no GPU.
//
// The coefficients are fitted to the stages of a measured machine at several orders and numbers of GPUs (MeasuredTeam), by least squares of the relative
// errors, without negative coefficients. n: order, m: vectors.
//
//   load                     n^2, n^2 / P          host pointers
//   full to band             n, n^2 (P - 1) / P, n^3 / P         panels in turn, messages, products
//   chase                    n, n^2                one GPU
//   divide and conquer       n^2, n^3 / P          every GPU finds all values; products by rows
//   back-transformations     n^2, n^3 / P          factors on every GPU, products by columns; both times m / n
//   store                    n^2, n^2 (P - 1) / P  both times m / n; one GPU copies while it computes
//
// The products of the divide and conquer take the fraction 1/4 + 3/4 m / n of their n^3 term, and for values only they take no time. For GPUs of another
// model than the measured ones the n^3 terms are scaled by the rate of their products. Complex and float matrices have further factors of the terms.
#pragma once

#include <array>
#include <cstdint>

#include "solver/calibrate/machines.hpp"
#include "solver/calibrate/model.hpp"
#include "solver/path/choice.hpp"

namespace eigen_g {

struct TeamProblem {
  std::int64_t n = 0, vectors = 0;
  int gpus = 1;
  EntryType type = {};
};

// The prediction of a solve with host pointers on the two-stage path by native products, with the stages of MeasuredTeam.
//   products   flop/s of large native products of the GPUs; 0: the rate of `measured`
// Throws InvalidArgument("machine") if several GPUs of the machine were not measured, and InvalidArgument for gpus < 1, n < 0, vectors < 0 or vectors > n.
Prediction predict_team(const MeasuredMachine& measured, const TeamProblem& problem, double products = 0);

// The terms of order n^2 of the bytes of a GPU. They are A, U, and Z, which shares its memory with the divide and conquer, and on the first GPU
// (member 0) the chase's reflectors. Buffers of some GB come in addition.
double leading_team_bytes(const TeamProblem& problem, int member);

// Returns the fewest GPUs whose predicted seconds are at most 1.05 times the smallest predicted seconds of 1 to `most` GPUs. The prediction is for the
// usual machine. `most` >= 1.
int fastest_team(EntryType type, std::int64_t n, std::int64_t vectors, int most);

}  // namespace eigen_g
