// TwoStageOnCpu, TwoStageOnDevice: reduce a matrix to a band (Q1), and the band to tridiagonal form by bulge chasing (Q2). Q = Q1 Q2.
#pragma once

#include <cstdint>

#include "hybrid/memory/arena.hpp"
#include "solver/back/back_transform_chase.hpp"
#include "solver/path/reduction.hpp"
#include "solver/reduction/two_stage/chase_tiles.hpp"
#include "solver/reduction/two_stage/dealt_columns.hpp"
#include "solver/reduction/two_stage/full_to_band.hpp"

namespace eigen_g {

template <class T>
class SolveTeam;

// The two-stage path on the CPU, with A in the triangle `uplo`. The matrix needs an even leading dimension.
//   m   columns of Z; 0: values only, and the reflectors of the chase are not stored
// If A is in the upper triangle, run() first reverses the order of all rows and columns, and gets a lower triangle. The reduction thus begins at
// the last row of A. A reduction of an upper triangle on the one-stage path also begins there.
// run() overwrites both triangles of A: the reflectors of the chase are stored above the diagonal.
template <class T>
class TwoStageOnCpu final : public Reduction<T>, public ImplicitQ<T> {
 public:
  static PathBytes bytes(std::int64_t n, std::int64_t m);
  TwoStageOnCpu(Uplo uplo, std::int64_t n, std::int64_t m, Arena kept, Arena scratch);
  ImplicitQ<T>& run(StageRunner& run_stage, MatrixView<T> a, Tridiagonal<real_t<T>> t,
                    const std::function<void()>& when_queued) override;
  void apply(StageRunner& run_stage, MatrixView<T> z,
             const std::function<void(ColumnRange)>& columns_ready) override;

 private:
  Uplo uplo_;
  std::int64_t b_;
  T *tau_, *chase_tau_;
  ChaseReflectors<T> reflectors_;
  Arena scratch_;
  MatrixView<T> a_;
};

// The two-stage path on a GPU, with A in the lower triangle and rows padded as full_to_band() requires. n >= 1.
//   m      columns of Z; 0: values only, and the reflectors of the chase are not stored
//   back   workspace of apply(): at least PathBytes::back_min bytes, faster with more. It is free for other data until apply()
//   team   the devices that share the columns of Z; null: this GPU alone
//   how    the variant of back_transform_chase()
// The code is in two_stage_device.cpp, in CUDA builds only.
// The chase's reflectors are stored above the diagonal of A. There is one exception: given_band() may promise that a real matrix is a band with
// a bandwidth of at most widest_given_band(). If A's memory is large enough for the chase's reflectors of this band, full_to_band() does not
// run, Q1 = I, and the reflectors use all of A's memory.
template <class T>
class TwoStageOnDevice final : public DeviceReduction<T>, public ImplicitQ<T> {
 public:
  // Returns the bytes of the path.
  //   cut      other GPUs take a share of the columns of Z := Q2 Z too
  //   parked   the reflectors are parked in host memory
  //   blocks   A is in block columns
  static PathBytes bytes(std::int64_t n, std::int64_t m, int multiprocessors, bool cut, bool parked = false,
                         bool blocks = false);
  // Returns the layout of A in block columns. The caller sets DealtPart::data to block_values(n) values on the GPU. Parked reflectors need
  // parked_block_values(n) values in host memory.
  static DealtPart<T> in_block_columns(std::int64_t n);
  static std::int64_t block_values(std::int64_t n);
  static std::int64_t parked_block_values(std::int64_t n);
  //   parked   park() will be called
  TwoStageOnDevice(const Products<T>& products, std::int64_t n, std::int64_t m, Arena kept, Arena scratch,
                   Arena back, bool parked = false, SolveTeam<T>* team = nullptr,
                   ChaseBack how = ChaseBack::automatic);
  void given_band(std::int64_t width) override { given_band_ = width; }
  void park(ParkedReflectors<T>& parked) override { parked_ = &parked; }
  // From now on A is in block columns, and run() does not use a_dev.data. run() ignores the bandwidth of given_band(). With vectors the reflectors
  // of full_to_band() must be parked, because the chase overwrites the block columns with its own reflectors.
  //   part           the layout from in_block_columns(), with the address of its values on the GPU
  //   second_queue   as BandMember::second_queue
  void use(const DealtPart<T>& part, bool second_queue) {
    part_ = part;
    second_queue_ = second_queue;
  }
  ImplicitQ<T>& run(StageRunner& run_stage, MatrixView<T> a_dev, Tridiagonal<real_t<T>> t_dev,
                    const std::function<void()>& when_queued) override;
  void apply(StageRunner& run_stage, MatrixView<T> z_dev,
             const std::function<void(ColumnRange)>& columns_ready) override;
  std::vector<CutWork<T>> cuts(MatrixView<T> a_dev, MatrixView<T> z_dev) const override;

 private:
  SolveTeam<T>* team_of_q2(MatrixView<T> z_dev) const;
  bool is_banded(MatrixView<T> a_dev) const;
  void full_to_band_of_blocks(MatrixView<T> band, Arena scratch, const StageProgress& progress,
                              const std::function<void(std::int64_t)>& reached);
  ChaseReflectors<const T> chased_on_host() const;
  void park_sweeps(std::int64_t first, std::int64_t end);

  const Products<T>* products_;
  ChaseTiles tiles_;  // tiles for a full matrix
  T* tau_;
  T* chase_tau_;
  std::int64_t given_band_;
  bool banded_ = false;
  ChaseTiles chased_;  // tiles of the last chase
  ChaseReflectors<T> reflectors_;
  ChaseReflectors<const T> on_host_;  // parked: with v in host memory
  Arena scratch_, back_;
  SolveTeam<T>* team_;
  ChaseBack how_;
  ParkedReflectors<T>* parked_ = nullptr;
  MatrixView<T> a_;
  DealtPart<T> part_;  // A in block columns; data is null: A is a matrix
  bool second_queue_ = false;
};

}  // namespace eigen_g
