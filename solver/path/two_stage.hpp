// Two stages: to a band, whose bulges are then chased to tridiagonal form; Q = Q1 Q2. CUDA builds only.
#pragma once

#include <cstdint>

#include "hybrid/memory/arena.hpp"
#include "solver/back/chase_back.hpp"
#include "solver/path/path_bytes.hpp"
#include "solver/path/reduction.hpp"
#include "solver/reduction/two_stage/chase_tiles.hpp"
#include "solver/reduction/two_stage/full_to_band.hpp"

namespace eigen_g {

template <class T>
struct CutWork;
template <class T>
class SolveTeam;

// GPU, on the lower triangle, rows padded as full_to_band() wants them. n >= 1.
//   m      columns of Z; 0: values only, without the chase's reflectors
//   team   that takes columns of Z; null: none
//   cut    the team has further GPUs, which take columns in Q2's part too
//   back   of the factor: PathBytes::less_back or more, of which it makes use; may be other memory that is free by then
// The chase's reflectors lie above the matrix' diagonal; in a real matrix that is a band already, up to widest_given_band(), which
// has no first stage, Q1 = I, in all of its memory.
template <class T>
class TwoStageOnDevice final : public Reduction<T>, public Factor<T> {
 public:
  static PathBytes bytes(std::int64_t n, std::int64_t m, int multiprocessors, bool cut);
  TwoStageOnDevice(const Products<T>& products, std::int64_t n, std::int64_t m, Arena kept, Arena scratch,
                   Arena back, SolveTeam<T>* team = nullptr, ChaseBack how = ChaseBack::automatic);
  // Of the matrix that comes next: A(i, j) = 0 for |i - j| > width.
  void given_band(std::int64_t width) { given_band_ = width; }
  Factor<T>& run(Steps& step, MatrixView<T> a_dev, Tridiagonal<real_t<T>> t_dev,
                 const std::function<void()>& queued) override;
  void apply(Steps& step, MatrixView<T> z_dev, const std::function<void(ColumnRange)>& leaving) override;

  // back_transform()'s arguments for Q1, which leaves the first rows of Z as they are.
  static MatrixView<T> reflectors_of_q1(MatrixView<T> a_dev);
  static MatrixView<T> rows_of_q1(MatrixView<T> z_dev);
  // What further GPUs have to expect in Q2's part.
  CutWork<T> cut_of_q2(MatrixView<T> z_dev) const;

 private:
  SolveTeam<T>* team_of_q2(MatrixView<T> z_dev) const;
  bool is_banded(MatrixView<T> a_dev) const;

  const Products<T>* products_;
  ChaseTiles tiles_;  // of a full matrix
  T* tau_;
  T* chase_tau_;
  std::int64_t given_band_;
  bool banded_ = false;
  ChaseTiles chased_;  // of the last matrix
  ChaseReflectors<T> reflectors_;
  Arena scratch_, back_;
  SolveTeam<T>* team_;
  ChaseBack how_;
  MatrixView<T> a_;
};

// The bandwidth for order n, of complex matrices 32: with vectors and without the same, so that the values are.
template <class T>
std::int64_t band_width(std::int64_t n);

}  // namespace eigen_g
