// RowMembers, RowMember: several GPUs that each compute a range of rows of the eigenvectors of one tridiagonal matrix. CUDA builds only.
#pragma once

#include <utility>
#include <vector>

#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/team/gpu_team.hpp"
#include "solver/tridiagonal/dc_arrays.hpp"

namespace eigen_g {

// The data that all members of a solve share. The GPU of each member can read and write the memory of all other GPUs.
//   rows           of each member
//   most_moved     the largest number of rows that one member computes for all others together
//   compressed, q  C and Q of each member. A member sets its own entry before the first meeting
template <class R>
struct RowMembers {
  GpuTeam& team;
  std::vector<dc::Rows> rows;
  dc::Index most_moved;
  std::vector<MatrixView<R>> compressed, q;

  RowMembers(GpuTeam& of, std::vector<dc::Rows> rows_of, dc::Index most)
      : team(of), rows(std::move(rows_of)), most_moved(most), compressed(rows.size()), q(rows.size()) {}
};

// One member. All members call divide_and_conquer() at the same time, each in its thread within GpuTeam::run().
//   number    the index of this member in the vectors of `all`
//   scratch   on the member's GPU. It has room for most_moved + 2 M rows of n values, where M is the number of members. For each
//             move (RowMove) the member copies rows of C here. The copy needs room for up to two more rows. One makes its leading
//             dimension even, and the other is for its alignment
template <class R>
struct RowMember {
  RowMembers<R>* all;
  int number;
  Arena scratch;
};

}  // namespace eigen_g
