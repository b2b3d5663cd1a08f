// C := alpha op(A) op(B) + beta C by products of 8-bit integers or floats (residues.hpp has the method and its error).
//
// Matrices are column-major, in device memory, with 64-bit sizes. Work is ordered on `queue`. A GPU gives the same bits in every run, for
// any number of lines that are converted or multiplied at once. Throws OutOfMemory, DeviceError. CUDA builds only.
//
// Infinities and NaNs: the results of a line that has one are sums in double, one after the other. If a matrix has many of them, this
// is slow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "gemm_df/engines/ozaki/operand.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g::ozaki {

// The part of C that multiply() computes: all entries, or the lower triangle of a square C.
enum class Entries { all, lower };

// C in device memory: entry (i, j) is data[i * row_step + j * lda]. The real or the imaginary parts of a complex matrix are one too.
struct Target {
  double* data = nullptr;
  std::int64_t row_step = 1, lda = 1;
};

// Memory of the integer sums or of their residues, and a second queue. C is computed in blocks. If cuBLAS computes the sums, the products
// of the next block run while one block is reconstructed. The memory grows when necessary and is kept for the next call.
class SumsMemory {
 public:
  // Allocates the memory for multiply() of a result of rows x columns entries.
  void reserve(const Queue& queue, int moduli, std::int64_t rows, std::int64_t columns, std::uint64_t most);
  void release();
  std::uint64_t bytes() const { return memory_.bytes(); }

 private:
  friend void multiply(const Queue&, int, double, const OperandView&, const OperandView&, double,
                       const Target&, Entries, SumsMemory&, std::uint64_t);
  // A stream whose kernels take free multiprocessors before the kernels of other streams. A reconstruction, which waits for the memory
  // only, then runs between the blocks of a product.
  struct UrgentStream {
    UrgentStream();
    ~UrgentStream();
    UrgentStream(const UrgentStream&) = delete;
    UrgentStream& operator=(const UrgentStream&) = delete;
    cudaStream_t stream = nullptr;
  };
  struct Beside {
    explicit Beside(Resources& resources)
        : queue(resources, urgent.stream),
          written{Event(resources), Event(resources)},
          read{Event(resources), Event(resources)} {}
    UrgentStream urgent;
    Queue queue;
    Event written[2], read[2];  // for each half of the sums: it is written, it was read
  };
  DeviceBuffer<std::byte> memory_;
  std::optional<Beside> beside_;
};

// Bytes of sums, or of their residues, of a block of C for products of this number of terms.
std::uint64_t bytes_at_once(std::int64_t terms);

// c(i, j) := alpha sum_l a(i, l) b(j, l) + beta c(i, j). C is not read if beta = 0.
//   a, b    converted with the same number of moduli; a.lines x b.lines results; b.terms terms
//   memory  for the sums
//   most    bytes of sums, or of their residues, of a block of C (bytes_at_once); at least one block of 16 x 16, or of 256 x 256 residues, is
//           computed at once
// Cost: 2 m n k planes_of(moduli) operations; 2 m n `moduli` bytes with residues of the sums (residue_products.hpp), 4 m n `moduli` for
// floats, 8 m n `moduli` with sums. Floats need residue_products_run(); otherwise throws DeviceError.
void multiply(const Queue& queue, int moduli, double alpha, const OperandView& a, const OperandView& b,
              double beta, const Target& c, Entries entries, SumsMemory& memory, std::uint64_t most);

}  // namespace eigen_g::ozaki
