// BLACS grids and descriptors.
#include "solver/distributed/grid.hpp"

#include "solver/distributed/scalapack_calls.hpp"

namespace eigen_g::distributed {

Grid::Grid(MPI_Comm comm, int rows, int cols)
    : comm_(comm), owner_(true), handle_(Csys2blacs_handle(comm)), context_(handle_) {
  Cblacs_gridinit(&context_, "Row-major", rows, cols);
  Cblacs_gridinfo(context_, &rows_, &cols_, &row_, &col_);
}

Grid::Grid(MPI_Comm comm, int context) : comm_(comm), owner_(false), context_(context) {
  Cblacs_gridinfo(context_, &rows_, &cols_, &row_, &col_);
}

Grid::~Grid() {
  if (!owner_) return;
  Cblacs_gridexit(context_);
  Cfree_blacs_system_handle(handle_);
}

BlockCyclic layout_of(const Grid& grid, std::int64_t rows, std::int64_t cols, std::int64_t block) {
  return {{rows, block, grid.rows(), grid.row()}, {cols, block, grid.cols(), grid.col()}};
}

Descriptor descriptor_of(int context, const BlockCyclic& layout) {
  return {1,
          context,
          static_cast<int>(layout.rows.n),
          static_cast<int>(layout.cols.n),
          static_cast<int>(layout.rows.block),
          static_cast<int>(layout.cols.block),
          0,
          0,
          static_cast<int>(layout.ld())};
}

}  // namespace eigen_g::distributed
