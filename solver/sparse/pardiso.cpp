// Factorisations by PARDISO of Intel's MKL, which is loaded at the first call.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <string>

#include "hybrid/error.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/machine/shared_library.hpp"
#include "solver/sparse/factorisation.hpp"

namespace eigen_g {

namespace {

// MKL's functions. Each integer is 64-bit in pardiso_64.
struct Mkl {
  using Integer = long long;
  using Pardiso = void (*)(void** handle, const Integer* matrices, const Integer* matrix, const Integer* type,
                           const Integer* phase, const Integer* n, const double* values,
                           const Integer* offsets, const Integer* columns, Integer* permutation,
                           const Integer* right_sides, Integer* parameters, const Integer* messages,
                           double* b, double* x, Integer* error);
  SharedLibrary library;
  Pardiso pardiso;
  int (*set_threads)(int);
  std::string version;

  Mkl()
      : library({"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"}),
        pardiso(reinterpret_cast<Pardiso>(library.find("pardiso_64"))),
        set_threads(reinterpret_cast<int (*)(int)>(library.find("MKL_Set_Num_Threads_Local"))) {
    require_parts();
    // Threads by GNU's OpenMP, as in the rest of the process. A process that has chosen another layer before keeps it.
    constexpr int gnu = 3;
    reinterpret_cast<int (*)(int)>(library.find("MKL_Set_Threading_Layer"))(gnu);
    std::array<char, 200> text{};
    reinterpret_cast<void (*)(char*, int)>(library.find("MKL_Get_Version_String"))(
        text.data(), static_cast<int>(text.size()) - 1);
    version = text.data();
    const std::size_t digit = version.find_first_of("0123456789");
    version =
        digit == std::string::npos ? "unknown" : version.substr(digit, version.find(' ', digit) - digit);
  }

 private:
  // libmkl_rt loads other libraries from its folder, and ends the process if one of them is missing.
  void require_parts() const {
    Dl_info at;
    if (dladdr(reinterpret_cast<void*>(pardiso), &at) == 0 || !at.dli_fname) return;
    const std::filesystem::path file = std::filesystem::canonical(at.dli_fname);
    const std::string name = file.filename().string(), ending = name.substr(name.find(".so"));
    for (const char* part : {"libmkl_core", "libmkl_gnu_thread", "libmkl_intel_lp64"})
      if (!std::filesystem::exists(file.parent_path() / (part + ending)))
        throw DeviceError(file.string() + " has no " + part + ending + " beside it");
  }
};
const Mkl& mkl() {
  static const Mkl loaded;
  return loaded;
}

class PardisoFactorisation : public ColumnFactorisation {
 public:
  explicit PardisoFactorisation(const LowerPattern& pattern)
      : pattern_(pattern),
        n_(pattern.n),
        offsets_(pattern.offsets.begin(), pattern.offsets.end()),
        columns_(pattern.row.begin(), pattern.row.end()),
        values_(pattern.row.size()) {
    parameters_[0] = 1;    // the parameters are given
    parameters_[1] = 2;    // nested dissection by METIS
    parameters_[7] = 2;    // steps of refinement at most: pivots come from their supernode alone
    parameters_[9] = 11;   // a pivot below 1e-11 |S| is changed, as the null pivots of Mumps
    parameters_[17] = -1;  // counts the entries of L
    parameters_[20] = 1;   // pivots of order 1 and 2
    parameters_[34] = 1;   // indices from 0
    const Integer error = run(analyse_pattern, 0, nullptr, nullptr);
    if (error == no_memory) throw too_large(host_memory_available());
    require(error == 0, "analysis", error);
    entries_ = parameters_[17];
    // Kilobytes: of the analysis at its peak, or of what stays and the factor.
    bytes_ = 1024 * static_cast<std::uint64_t>(std::max(parameters_[14], parameters_[15] + parameters_[16]));
    const std::uint64_t available = host_memory_available();
    if (available > 0 && bytes_ > available) {
      run(release, 0, nullptr, nullptr);
      throw too_large(available);
    }
  }
  ~PardisoFactorisation() override { run(release, 0, nullptr, nullptr); }
  PardisoFactorisation(const PardisoFactorisation&) = delete;
  PardisoFactorisation& operator=(const PardisoFactorisation&) = delete;

  Pivots factor(const double* values) override {
    scaling_ = power_of_two_scaling(pattern_, values);
    for (std::int64_t j = 0; j < n_; ++j)
      for (std::int64_t p = pattern_.offsets[j]; p < pattern_.offsets[j + 1]; ++p)
        values_[p] = values[p] * scaling_[j] * scaling_[pattern_.row[p]];
    const Integer error = run(factorise, 0, nullptr, nullptr);
    if (error == no_memory) throw too_large(host_memory_available());
    if (error == zero_pivot) return {0, 1, -1};
    require(error == 0, "factorisation", error);
    const Integer positive = parameters_[21], negative = parameters_[22], changed = parameters_[13];
    return {negative, std::max(changed, n_ - positive - negative), -1};
  }
  std::int64_t entries() const override { return entries_; }
  std::uint64_t bytes() const override { return bytes_; }

 private:
  using Integer = Mkl::Integer;
  enum Phase { analyse_pattern = 11, factorise = 22, solve_right_sides = 33, release = -1 };
  static constexpr Integer no_memory = -2, zero_pivot = -4;

  std::int64_t order() const override { return n_; }
  void solve_columns(std::int64_t columns, double* x) override {
    const auto scale = [&](double* at) {
      for (std::int64_t c = 0; c < columns; ++c)
        for (std::int64_t i = 0; i < n_; ++i) at[i + c * n_] *= scaling_[i];
    };
    scale(x);
    result_.resize(static_cast<std::size_t>(n_ * columns));
    const Integer error = run(solve_right_sides, columns, x, result_.data());
    require(error == 0, "solve", error);
    std::copy(result_.begin(), result_.end(), x);
    scale(x);
  }
  Integer run(Phase phase, Integer right_sides, double* b, double* x) {
    constexpr Integer one = 1, indefinite = -2, silent = 0;
    const Integer step = phase;
    Integer error = 0;
    const int threads = mkl().set_threads(blas_threads());
    mkl().pardiso(handle_.data(), &one, &one, &indefinite, &step, &n_, values_.data(), offsets_.data(),
                  columns_.data(), nullptr, &right_sides, parameters_.data(), &silent, b, x, &error);
    mkl().set_threads(threads);
    return error;
  }
  static void require(bool good, const char* phase, Integer error) {
    if (!good)
      throw DeviceError("PARDISO: the " + std::string(phase) + " failed with error " + std::to_string(error));
  }
  OutOfMemory too_large(std::uint64_t available) const {
    return {OutOfMemory::Where::host,
            "the host for a factorisation with " + std::to_string(entries_) + " entries of L", bytes_,
            available};
  }

  LowerPattern pattern_;
  Integer n_;
  std::vector<Integer> offsets_, columns_;
  std::vector<double> values_, scaling_, result_;
  std::array<void*, 64> handle_{};
  std::array<Integer, 64> parameters_{};
  std::int64_t entries_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

std::string pardiso_missing() {
  static const std::string reason = [] {
    try {
      mkl();
      return std::string();
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
  }();
  return reason;
}
std::string pardiso_version() {
  return mkl().version;
}
std::unique_ptr<Factorisation> analyse_by_pardiso(const LowerPattern& pattern) {
  return std::make_unique<PardisoFactorisation>(pattern);
}

}  // namespace eigen_g
