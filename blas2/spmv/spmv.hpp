// SpmvOperator: a sparse matrix on a GPU, prepared for many products. The constructor chooses a format and converts the matrix
// once. CUDA builds only.
//
//   Y := alpha A X + gamma X + beta Y
#pragma once

#include <cstdint>
#include <vector>

#include "blas2/spmv/choice.hpp"
#include "blas2/spmv/sell.hpp"

namespace eigen_g::blas2 {

// The method that chooses the format.
//   model   the predicted times decide, so the format is the same in every run
//   trial   the candidates with the best predictions are converted and timed. If several are within 12 % of the fastest, these are
//           timed again for longer. Near ties may fall either way, and another format may add in another order
enum class SpmvChoice { model, trial };

struct SpmvTrial {
  SpmvCandidate candidate;                     // with its predicted seconds
  double seconds = 0, conversion_seconds = 0;  // measured; 0: not tried
};

template <class T>
class SpmvOperator {
 public:
  SpmvOperator() = default;
  // Prepares a_dev for products with k vectors. Runs on the GPU; blocks.
  //   a_dev   device, in; not copied, so it must live as long as this object
  //   format  automatic, or a format to use; SELL and CSR still have a configuration to choose
  // Throws OutOfMemory, DeviceError.
  SpmvOperator(const Queue& queue, const CrsView<T>& a_dev, SpmvFormat format = SpmvFormat::automatic,
               SpmvChoice choice = SpmvChoice::model, int k = 1);

  // Uses this candidate.
  SpmvOperator(const Queue& queue, const CrsView<T>& a_dev, const SpmvCandidate& candidate);

  // The product of crs_multiply(): x_dev is cols x k, y_dev is rows x k, both row-major, k = 1 or 4. Queued; allocates nothing.
  // Products must not overlap in time, because they share buffers. Every run gives the same bits.
  void multiply(const Queue& queue, int k, T alpha, const T* x_dev, T beta, T* y_dev, T gamma = 0) const;

  std::int64_t rows() const { return a_.rows; }
  std::int64_t cols() const { return a_.cols; }
  const SpmvCandidate& chosen() const { return chosen_; }
  // The candidates that were considered; the chosen one is the first.
  const std::vector<SpmvTrial>& trials() const { return trials_; }
  std::uint64_t bytes() const { return sell_.bytes(); }  // in addition to a_dev

 private:
  void convert(const Queue& queue, const SpmvCandidate& candidate);
  void try_candidates(const Queue& queue, int k);
  CrsView<T> a_;
  SpmvCandidate chosen_;
  std::vector<SpmvTrial> trials_;
  Sell<T> sell_;
};

}  // namespace eigen_g::blas2
