// Processes in a rectangle, row by row, and a matrix dealt out to them.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>

#include "hybrid/machine/cpu.hpp"
#include "solver/distributed/block_cyclic.hpp"

namespace eigen_g::distributed {

// ScaLAPACK's descriptor of a dense matrix: type 1, context, rows, columns, row block, column block, process row and column of
// the first block, local leading dimension.
using Descriptor = std::array<int, 9>;

// All processes of `comm`, rows * cols of them, rank r at (r / cols, r % cols). Collective, and so is its end.
class Grid {
 public:
  Grid(MPI_Comm comm, int rows, int cols);
  Grid(MPI_Comm comm, int context);  // that of a BLACS context, which stays the caller's
  ~Grid();
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  MPI_Comm comm() const { return comm_; }
  int context() const { return context_; }  // BLACS'
  int rows() const { return rows_; }
  int cols() const { return cols_; }
  int row() const { return row_; }
  int col() const { return col_; }

 private:
  MPI_Comm comm_;
  bool owner_;
  int handle_ = -1, context_ = -1;
  int rows_ = 0, cols_ = 0, row_ = 0, col_ = 0;
};

// rows x cols in square blocks, the first at process (0, 0). The context is that of the grid.
BlockCyclic layout_of(const Grid& grid, std::int64_t rows, std::int64_t cols, std::int64_t block);
Descriptor descriptor_of(int context, const BlockCyclic& layout);

// The local part of a matrix, whose entries are not initialised. T here and below: float, double or std::complex of one.
template <class T>
struct LocalMatrix {
  LocalMatrix(int context, const BlockCyclic& of)
      : layout(of), descriptor(descriptor_of(context, of)), data(host_array<T>(of.entries())) {}
  BlockCyclic layout;
  Descriptor descriptor;
  HostArray<T> data;
};

// A view of one, the caller's memory.
template <class T>
struct LocalView {
  BlockCyclic layout;
  Descriptor descriptor;
  T* data = nullptr;
  std::int64_t ld = 1;
  T& operator()(std::int64_t i, std::int64_t j) const { return data[i + j * ld]; }
};
template <class T>
LocalView<T> view(const LocalMatrix<T>& m) {
  return {m.layout, m.descriptor, m.data.get(), m.layout.ld()};
}

}  // namespace eigen_g::distributed
