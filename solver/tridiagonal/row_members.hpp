// RowMembers, RowMember: several GPUs that each compute a range of rows of the eigenvectors of one tridiagonal matrix. CUDA builds only.
#pragma once

#include <utility>
#include <vector>

#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/team/gpu_team.hpp"
#include "solver/tridiagonal/dc_arrays.hpp"

namespace eigen_g {

// The data that the members of a solve share. Each member can read and write the memory of all others.
//   rows           of each member
//   most_moved     rows that a member can compute for others
//   compressed, q  each member's C and Q; a member sets its own
template <class R>
struct RowMembers {
  GpuTeam& team;
  std::vector<dc::Rows> rows;
  dc::Index most_moved;
  std::vector<MatrixView<R>> compressed, q;

  RowMembers(GpuTeam& of, std::vector<dc::Rows> rows_of, dc::Index most)
      : team(of), rows(std::move(rows_of)), most_moved(most), compressed(rows.size()), q(rows.size()) {}
};

// One member. Its thread calls divide_and_conquer() within GpuTeam::run(), as the threads of all other members do.
//   number    in `all`
//   scratch   on its GPU, with room for most_moved rows of n values
template <class R>
struct RowMember {
  RowMembers<R>* all;
  int number;
  Arena scratch;
};

}  // namespace eigen_g
