// Factorisations by cuDSS on a GPU. cuDSS is loaded at the first call.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "solver/sparse/cudss_calls.hpp"
#include "solver/sparse/factorisation.hpp"

namespace eigen_g {

namespace {

struct Cudss {
  SharedLibrary library;
  template <class Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(library.find(name));
  }
  cudss::Create create = find<cudss::Create>("cudssCreate");
  cudss::Destroy destroy = find<cudss::Destroy>("cudssDestroy");
  cudss::GetProperty get_property = find<cudss::GetProperty>("cudssGetProperty");
  cudss::ConfigCreate config_create = find<cudss::ConfigCreate>("cudssConfigCreate");
  cudss::ConfigDestroy config_destroy = find<cudss::ConfigDestroy>("cudssConfigDestroy");
  cudss::ConfigSet config_set = find<cudss::ConfigSet>("cudssConfigSet");
  cudss::DataCreate data_create = find<cudss::DataCreate>("cudssDataCreate");
  cudss::DataDestroy data_destroy = find<cudss::DataDestroy>("cudssDataDestroy");
  cudss::DataGet data_get = find<cudss::DataGet>("cudssDataGet");
  cudss::Execute execute = find<cudss::Execute>("cudssExecute");
  cudss::MatrixCreateCsr create_csr = find<cudss::MatrixCreateCsr>("cudssMatrixCreateCsr");
  cudss::MatrixCreateDn create_dense = find<cudss::MatrixCreateDn>("cudssMatrixCreateDn");
  cudss::MatrixDestroy matrix_destroy = find<cudss::MatrixDestroy>("cudssMatrixDestroy");
  std::string version;

  Cudss() : library({"libcudss.so.1"}) {
    std::array<int, 3> number{};  // MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL
    for (int part = 0; part < 3; ++part) get_property(part, &number[part]);
    version = std::to_string(number[0]) + "." + std::to_string(number[1]) + "." + std::to_string(number[2]);
    if (number[0] != cudss::major_version)
      throw DeviceError("cuDSS is " + version + ", must be " + std::to_string(cudss::major_version) + ".x");
  }
};
const Cudss& cudss_library() {
  static const Cudss loaded;
  return loaded;
}

void check_cudss(int status, const char* what) {
  if (status == cudss::allocation_failed)
    throw OutOfMemory(OutOfMemory::Where::device, std::string("the GPU for the ") + what + " of cuDSS", 0,
                      gpu_memory_free(current_gpu()));
  if (status != cudss::success)
    throw DeviceError(std::string("cuDSS: the ") + what + " failed with status " + std::to_string(status));
}

class CudssFactorisation : public ColumnFactorisation {
 public:
  explicit CudssFactorisation(const LowerPattern& pattern) : pattern_(pattern) {
    release_kept_memory();  // cuDSS allocates for itself
    try {
      check_cudss(cudss_library().create(&handle_), "creation");
      check_cudss(cudss_library().config_create(&config_), "creation");
      check_cudss(cudss_library().data_create(handle_, &data_), "creation");
      const auto set = [&](cudss::Setting setting, const auto& value) {
        check_cudss(cudss_library().config_set(config_, setting, &value, sizeof value), "configuration");
      };
      set(cudss::matching, cudss::no_matching);  // with matching the signs do not belong to S
      set(cudss::pivot_type, cudss::bunch_kaufman);
      set(cudss::pivot_epsilon, 1e-11);  // as the null pivots of Mumps
      // cuDSS refuses superpanels with Bunch-Kaufman pivots in the deterministic mode.
      set(cudss::superpanels, 0);
      set(cudss::deterministic, 1);
      // Column j of the lower triangle is row j of the upper one.
      const bool small = pattern.entries() <= std::numeric_limits<std::int32_t>::max();
      offsets_ = DeviceMemory(static_cast<std::uint64_t>(pattern.n + 1) * (small ? 4 : 8));
      columns_ = DeviceBuffer<std::int32_t>(pattern.entries());
      values_ = DeviceBuffer<double>(pattern.entries());
      b_ = DeviceBuffer<double>(pattern.n);
      x_ = DeviceBuffer<double>(pattern.n);
      if (small) {
        const std::vector<std::int32_t> offsets(pattern.offsets.begin(), pattern.offsets.end());
        copy_in(offsets.data(), offsets.size() * 4, offsets_.data());
      } else {
        copy_in(pattern.offsets.data(), pattern.offsets.size() * 8, offsets_.data());
      }
      copy_in(pattern.row.data(), pattern.row.size() * 4, columns_.data());
      check_cudss(cudss_library().create_csr(
                      &matrix_, pattern.n, pattern.n, pattern.entries(), offsets_.data(), nullptr,
                      columns_.data(), values_.data(), small ? cudss::int32 : cudss::int64, cudss::int32,
                      cudss::float64, cudss::symmetric, cudss::upper_triangle, cudss::from_zero),
                  "description of the matrix");
      check_cudss(cudss_library().create_dense(&right_side_, pattern.n, 1, pattern.n, b_.data(),
                                               cudss::float64, cudss::column_major),
                  "description of b");
      check_cudss(cudss_library().create_dense(&solution_, pattern.n, 1, pattern.n, x_.data(), cudss::float64,
                                               cudss::column_major),
                  "description of x");
      check_cudss(run(cudss::analysis), "analysis");
      read(cudss::factor_entries, entries_);
      std::array<std::int64_t, 16> estimates{};
      read(cudss::memory_estimates, estimates);
      bytes_ =
          static_cast<std::uint64_t>(std::max(estimates[0], estimates[1]));  // on the GPU: kept, at the peak
      const std::uint64_t free = gpu_memory_free(current_gpu());
      if (bytes_ > free)
        throw OutOfMemory(OutOfMemory::Where::device,
                          "the GPU for a factorisation with " + std::to_string(entries_) + " entries of L",
                          bytes_, free);
    } catch (...) {
      release();
      throw;
    }
  }
  ~CudssFactorisation() override { release(); }
  CudssFactorisation(const CudssFactorisation&) = delete;
  CudssFactorisation& operator=(const CudssFactorisation&) = delete;

  Pivots factor(const double* values) override {
    scaling_ = power_of_two_scaling(pattern_, values);
    scaled_.resize(pattern_.row.size());
    std::vector<double> sums(static_cast<std::size_t>(pattern_.n));
    for_entries([&](std::int64_t i, std::int64_t j, std::int64_t p) {
      scaled_[p] = values[p] * scaling_[j] * scaling_[i];
      sums[i] += std::abs(scaled_[p]);
      if (i != j) sums[j] += std::abs(scaled_[p]);
    });
    norm_ = largest(sums);
    copy_in(scaled_.data(), scaled_.size() * 8, values_.data());
    check_cudss(run(cudss::factorisation), "factorisation");
    std::array<int, 2> signs{};
    int perturbed = 0;
    read(cudss::inertia, signs);
    read(cudss::perturbed_pivots, perturbed);
    read(cudss::factor_entries, entries_);
    const cudss::Signs found{signs[0], signs[1], perturbed};
    solves_on_cpu_ = false;
    if (found.believed(pattern_.n)) return {found.negative, 0, -1};
    // The CPU counts. A factor with changed pivots is not S's, so that the CPU solves too.
    constexpr FactorLibrary on_cpu[] = {FactorLibrary::own, FactorLibrary::mumps, FactorLibrary::pardiso};
    const auto* const counts =
        std::find_if(std::begin(on_cpu), std::end(on_cpu), [](FactorLibrary l) { return available(l); });
    if (counts == std::end(on_cpu)) return {found.negative, std::max<std::int64_t>(1, found.perturbed), -1};
    if (!on_cpu_) on_cpu_ = analyse(*counts, pattern_);
    const Pivots pivots = on_cpu_->factor(values);
    solves_on_cpu_ = found.perturbed > 0;
    return pivots;
  }
  void solve(std::int64_t blocks, const double* x, double* y) override {
    solves_on_cpu_ ? on_cpu_->solve(blocks, x, y) : ColumnFactorisation::solve(blocks, x, y);
  }
  std::int64_t entries() const override { return entries_; }
  std::uint64_t bytes() const override { return bytes_; }

 private:
  std::int64_t order() const override { return pattern_.n; }
  // Calls f(i, j, p) for each entry (i, j) of the lower triangle. p: its position in pattern_.row.
  template <class F>
  void for_entries(const F& f) const {
    for (std::int64_t j = 0; j < pattern_.n; ++j)
      for (std::int64_t p = pattern_.offsets[j]; p < pattern_.offsets[j + 1]; ++p) f(pattern_.row[p], j, p);
  }
  static double largest(const std::vector<double>& all) {
    double most = 0;
    for (const double value : all)
      if (!(std::abs(value) <= most)) most = std::abs(value);  // a NaN stays
    return most;
  }
  // One column after the other: cuDSS refuses several at a time in its deterministic mode. Its pivots come from their supernode
  // alone, so the solution with a nearly singular matrix is refined.
  void solve_columns(std::int64_t columns, double* x) override {
    constexpr int max_steps = 3;
    constexpr double small_enough = 4e-16;  // |r| / (|D S D| |y|)
    const std::int64_t n = pattern_.n;
    std::vector<double> r(static_cast<std::size_t>(n)), y(r.size()), change(r.size());
    for (double* column = x; column < x + n * columns; column += n) {
      for (std::int64_t i = 0; i < n; ++i) r[i] = column[i] *= scaling_[i];
      solve_scaled(r, y);
      std::vector<double> best = y;
      double least = std::numeric_limits<double>::infinity();
      for (int step = 0; step <= max_steps; ++step) {
        const double relative = residual(column, y, r);
        if (!(relative < least)) break;
        const bool slow = relative > least / 2;
        least = relative;
        best = y;
        if (relative <= small_enough || slow || step == max_steps) break;
        solve_scaled(r, change);
        for (std::int64_t i = 0; i < n; ++i) y[i] += change[i];
      }
      for (std::int64_t i = 0; i < n; ++i) column[i] = best[i] * scaling_[i];
    }
  }
  // y := (D S D)^-1 b by the last factor.
  void solve_scaled(const std::vector<double>& b, std::vector<double>& y) {
    copy_in(b.data(), b.size() * 8, b_.data());
    check_cudss(run(cudss::solution), "solve");
    EIGEN_G_CUDA(cudaMemcpy(y.data(), x_.data(), y.size() * 8, cudaMemcpyDeviceToHost));
  }
  // r := b - D S D y. Returns |r| / (|D S D| |y|): largest entries, and the matrix's largest row sum.
  double residual(const double* b, const std::vector<double>& y, std::vector<double>& r) const {
    std::copy(b, b + pattern_.n, r.begin());
    for_entries([&](std::int64_t i, std::int64_t j, std::int64_t p) {
      r[i] -= scaled_[p] * y[j];
      if (i != j) r[j] -= scaled_[p] * y[i];
    });
    const double rest = largest(r), scale = norm_ * largest(y);
    return rest == 0 ? 0 : rest / scale;
  }
  int run(cudss::Phase phase) {
    const int status =
        cudss_library().execute(handle_, phase, config_, data_, matrix_, solution_, right_side_);
    if (status == cudss::success) EIGEN_G_CUDA(cudaDeviceSynchronize());
    return status;
  }
  template <class T>
  void read(cudss::Result result, T& value) {
    std::size_t written = 0;
    check_cudss(cudss_library().data_get(handle_, data_, result, &value, sizeof value, &written), "query");
  }
  static void copy_in(const void* from, std::size_t bytes, void* to) {
    EIGEN_G_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
  }
  void release() {
    for (cudss::Matrix matrix : {matrix_, solution_, right_side_})
      if (matrix) cudss_library().matrix_destroy(matrix);
    if (data_) cudss_library().data_destroy(handle_, data_);
    if (config_) cudss_library().config_destroy(config_);
    if (handle_) cudss_library().destroy(handle_);
  }

  LowerPattern pattern_;
  cudss::Handle handle_ = nullptr;
  cudss::Config config_ = nullptr;
  cudss::Data data_ = nullptr;
  cudss::Matrix matrix_ = nullptr, solution_ = nullptr, right_side_ = nullptr;
  DeviceMemory offsets_;
  DeviceBuffer<std::int32_t> columns_;
  DeviceBuffer<double> values_, b_, x_;
  std::vector<double> scaling_, scaled_;  // D, and D S D's lower triangle in the order of pattern_.row
  double norm_ = 0;                       // the largest row sum of |D S D|
  std::unique_ptr<Factorisation> on_cpu_;
  std::int64_t entries_ = 0;
  std::uint64_t bytes_ = 0;
  bool solves_on_cpu_ = false;
};

}  // namespace

std::string cudss_missing() {
  static const std::string reason = [] {
    try {
      require_gpu();
      cudss_library();
      return std::string();
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
  }();
  return reason;
}
std::string cudss_version() {
  return cudss_library().version;
}
std::unique_ptr<Factorisation> analyse_by_cudss(const LowerPattern& pattern) {
  return std::make_unique<CudssFactorisation>(pattern);
}

}  // namespace eigen_g
