#include "blas2/spmv/spmv.hpp"

#include <algorithm>

#include "blas2/spmv/crs.hpp"
#include "blas2/spmv/row_statistics.hpp"
#include "blas2/tune/tuner.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g::blas2 {

template <class T>
SpmvOperator<T>::SpmvOperator(const Queue& queue, const CrsView<T>& a_dev, SpmvFormat format,
                              SpmvChoice choice, int k)
    : a_(a_dev) {
  const RowStatistics rows = row_statistics(queue, a_dev);
  if (format == SpmvFormat::jds || format == SpmvFormat::ccs) {
    trials_.push_back({{.format = format}});
  } else {
    for (const SpmvCandidate& c : spmv_candidates(rows, sizeof(T), format, k)) trials_.push_back({c});
  }
  if (choice == SpmvChoice::trial && trials_.size() > 1) try_candidates(queue, k);
  convert(queue, trials_.front().candidate);
}

template <class T>
SpmvOperator<T>::SpmvOperator(const Queue& queue, const CrsView<T>& a_dev, const SpmvCandidate& candidate)
    : a_(a_dev) {
  trials_.push_back({candidate});
  convert(queue, candidate);
}

template <class T>
void SpmvOperator<T>::convert(const Queue& queue, const SpmvCandidate& candidate) {
  chosen_ = candidate;
  sell_ = {};
  jds_ = {};
  ccs_ = {};
  if (candidate.format == SpmvFormat::sell)
    sell_ = Sell<T>(queue, a_, {.sigma = candidate.sigma, .cut = candidate.cut, .hot = candidate.hot});
  if (candidate.format == SpmvFormat::jds) jds_ = JdsOnDevice<T>(queue, a_);
  if (candidate.format == SpmvFormat::ccs) ccs_ = CcsOnDevice<T>(queue, a_);
}

// The measured rates decide by the same sieve as the predicted ones.
template <class T>
void SpmvOperator<T>::try_candidates(const Queue& queue, int k) {
  constexpr int products = 5;
  const DeviceBuffer<T> x(queue, std::max<std::int64_t>(k * a_.cols, 1)),
      y(queue, std::max<std::int64_t>(k * a_.rows, 1));
  EIGEN_G_CUDA(cudaMemsetAsync(x.data(), 0, x.bytes(), queue.stream()));
  std::vector<Measurement> measured;
  const std::int64_t n = std::max<std::int64_t>(a_.nnz, 1);
  const auto seconds = [&](auto work) {
    Event from, to;
    from.record(queue);
    work();
    to.record(queue);
    to.wait();
    return to.seconds_since(from);
  };
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    SpmvTrial& trial = trials_[i];
    trial.conversion_seconds = seconds([&] { convert(queue, trial.candidate); });
    const auto product = [&] { multiply(queue, k, T(1), x.data(), T(0), y.data()); };
    product();
    std::vector<double> times;
    for (int p = 0; p < products; ++p) times.push_back(seconds(product));
    std::nth_element(times.begin(), times.begin() + products / 2, times.end());
    trial.seconds = times[products / 2];
    measured.push_back({static_cast<int>(i), n, static_cast<double>(n) / trial.seconds});
  }
  const std::vector<int> best = first_sieve(measured, {.within = 0, .keep = 1});
  if (!best.empty()) std::swap(trials_.front(), trials_[static_cast<std::size_t>(best.front())]);
}

template <class T>
void SpmvOperator<T>::multiply(const Queue& queue, int k, T alpha, const T* x_dev, T beta, T* y_dev,
                               T gamma) const {
  switch (chosen_.format) {
    case SpmvFormat::sell:
      return sell_multiply<T>(queue, k, alpha, sell_, x_dev, beta, y_dev, gamma);
    case SpmvFormat::jds:
      return jds_multiply<T>(queue, k, alpha, jds_.view(), x_dev, beta, y_dev, gamma);
    case SpmvFormat::ccs:
      if (gamma != T(0)) throw InvalidArgument("gamma", "is not 0, which ccs does not add");
      return ccs_multiply<T>(queue, k, alpha, ccs_.view(), x_dev, beta, y_dev);
    default:
      return crs_multiply_by<T>(queue, chosen_.group, k, alpha, a_, x_dev, beta, y_dev, gamma);
  }
}

template class SpmvOperator<float>;
template class SpmvOperator<double>;

}  // namespace eigen_g::blas2
