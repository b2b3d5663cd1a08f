// Grid, LocalMatrix, LocalView: processes arranged in a rectangle, row by row, and a matrix that is distributed over them.
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

// All processes of `comm`, rows * cols of them; rank r is at (r / cols, r % cols). Constructor and destructor are collective.
class Grid {
 public:
  Grid(MPI_Comm comm, int rows, int cols);
  Grid(MPI_Comm comm, int context);  // the grid of the caller's BLACS context, which is not freed
  ~Grid();
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  MPI_Comm comm() const { return comm_; }
  int context() const { return context_; }  // BLACS context
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

// Layout of rows x cols entries in square blocks on the grid; the first block is at process (0, 0).
BlockCyclic layout_of(const Grid& grid, std::int64_t rows, std::int64_t cols, std::int64_t block);
Descriptor descriptor_of(int context, const BlockCyclic& layout);

// The local part of a matrix; its entries are not initialised. T is float, double, std::complex<float> or std::complex<double>.
template <class T>
struct LocalMatrix {
  LocalMatrix(int context, const BlockCyclic& of)
      : layout(of), descriptor(descriptor_of(context, of)), data(host_array<T>(of.entries())) {}
  BlockCyclic layout;
  Descriptor descriptor;
  HostArray<T> data;
};

// A view of the local part of a matrix in the caller's memory.
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
