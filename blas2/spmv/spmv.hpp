// A sparse matrix on a GPU, ready for many products: its format chosen, converted once. CUDA builds only.
//
//   Y := alpha A X + gamma X + beta Y
#pragma once

#include <cstdint>
#include <vector>

#include "blas2/spmv/ccs.hpp"
#include "blas2/spmv/choice.hpp"
#include "blas2/spmv/jds.hpp"
#include "blas2/spmv/sell.hpp"

namespace eigen_g::blas2 {

// model: by the prediction alone, the same format always. trial: the predicted best few are converted and timed, those within 12 % of
// the fastest twice; a near tie may then fall either way, and another format may sum in another order.
enum class SpmvChoice { model, trial };

struct SpmvTrial {
  SpmvCandidate candidate;                     // with its predicted seconds
  double seconds = 0, conversion_seconds = 0;  // measured; 0: not tried
};

template <class T>
class SpmvOperator {
 public:
  SpmvOperator() = default;
  // a_dev: device, in; it stays the caller's, and must live on while this one is used. By the GPU; blocks.
  // format: automatic, or the one that is taken (of SELL and CRS the configuration is chosen), for products with k
  // vectors.
  // Throws OutOfMemory, DeviceError.
  SpmvOperator(const Queue& queue, const CrsView<T>& a_dev, SpmvFormat format = SpmvFormat::automatic,
               SpmvChoice choice = SpmvChoice::model, int k = 1);

  SpmvOperator(const Queue& queue, const CrsView<T>& a_dev, const SpmvCandidate& candidate);  // this one

  // As crs_multiply: x_dev cols x k, y_dev rows x k, row-major, k = 1 or 4. Queued; takes no memory. One product at a time. Repeats
  // bit for bit unless the format is ccs.
  // Throws InvalidArgument (gamma) where the format is ccs and gamma is not 0.
  void multiply(const Queue& queue, int k, T alpha, const T* x_dev, T beta, T* y_dev, T gamma = 0) const;

  std::int64_t rows() const { return a_.rows; }
  std::int64_t cols() const { return a_.cols; }
  const SpmvCandidate& chosen() const { return chosen_; }
  const std::vector<SpmvTrial>& trials() const {
    return trials_;
  }  // what was considered, the chosen one first
  std::uint64_t bytes() const { return sell_.bytes() + jds_.bytes() + ccs_.bytes(); }  // beside a_dev's

 private:
  void convert(const Queue& queue, const SpmvCandidate& candidate);
  void try_candidates(const Queue& queue, int k);
  CrsView<T> a_;
  SpmvCandidate chosen_;
  std::vector<SpmvTrial> trials_;
  Sell<T> sell_;
  JdsOnDevice<T> jds_;
  CcsOnDevice<T> ccs_;
};

}  // namespace eigen_g::blas2
