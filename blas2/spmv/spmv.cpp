#include "blas2/spmv/spmv.hpp"

#include <algorithm>
#include <array>

#include "blas2/spmv/crs.hpp"
#include "blas2/spmv/row_statistics.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g::blas2 {

template <class T>
SpmvOperator<T>::SpmvOperator(const Queue& queue, const CrsView<T>& a_dev, SpmvFormat format,
                              SpmvChoice choice, int k)
    : a_(a_dev) {
  const RowStatistics rows = row_statistics(queue, a_dev);
  for (const SpmvCandidate& c : spmv_candidates(rows, sizeof(T), format, k)) trials_.push_back({c});
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
  if (candidate.format == SpmvFormat::sell)
    sell_ = Sell<T>(queue, a_, {.sigma = candidate.sigma, .cut = candidate.cut, .hot = candidate.hot});
}

// Times all candidates shortly, then the ones near the best again for longer. The medians of the longer runs decide, because
// shorter ones cannot separate formats that differ by a few per cent.
template <class T>
void SpmvOperator<T>::try_candidates(const Queue& queue, int k) {
  constexpr int rounds = 5;
  constexpr double a_round = 3e-4, a_long_round = 2e-3, near_best = 1.12;
  const DeviceBuffer<T> x(queue, std::max<std::int64_t>(k * a_.cols, 1)),
      y(queue, std::max<std::int64_t>(k * a_.rows, 1));
  EIGEN_G_CUDA(cudaMemsetAsync(x.data(), 0, x.bytes(), queue.stream()));
  const auto seconds = [&](auto work) {
    Event from, to;
    from.record(queue);
    work();
    to.record(queue);
    to.wait();
    return to.seconds_since(from);
  };
  const auto measure = [&](SpmvTrial& trial, double round_seconds) {
    trial.conversion_seconds = seconds([&] { convert(queue, trial.candidate); });
    const auto products = [&](int count) {
      for (int p = 0; p < count; ++p) multiply(queue, k, T(1), x.data(), T(0), y.data());
    };
    products(1);
    const double one = std::max(seconds([&] { products(1); }), 1e-6);
    const int count = static_cast<int>(std::clamp(round_seconds / one, 1.0, 200.0));
    std::array<double, rounds> times;
    for (double& time : times) time = seconds([&] { products(count); }) / count;
    std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
    trial.seconds = times[rounds / 2];
  };
  for (SpmvTrial& trial : trials_) measure(trial, a_round);
  const auto faster = [](const SpmvTrial& a, const SpmvTrial& b) { return a.seconds < b.seconds; };
  std::stable_sort(trials_.begin(), trials_.end(), faster);
  const double limit = near_best * trials_.front().seconds;
  auto end = std::find_if(trials_.begin(), trials_.end(), [&](const auto& t) { return t.seconds > limit; });
  if (end - trials_.begin() > 1)
    for (auto trial = trials_.begin(); trial != end; ++trial) measure(*trial, a_long_round);
  std::stable_sort(trials_.begin(), end, faster);
}

template <class T>
void SpmvOperator<T>::multiply(const Queue& queue, int k, T alpha, const T* x_dev, T beta, T* y_dev,
                               T gamma) const {
  if (chosen_.format == SpmvFormat::sell)
    return sell_multiply<T>(queue, k, alpha, sell_, x_dev, beta, y_dev, gamma);
  crs_multiply_by<T>(queue, chosen_.group, k, alpha, a_, x_dev, beta, y_dev, gamma);
}

EIGEN_G_INSTANTIATE_CLASS(real_types, SpmvOperator);

}  // namespace eigen_g::blas2
