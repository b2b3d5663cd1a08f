// The libraries that factorise sparse matrices: their names, the choice among them, and blocks of right-hand sides as columns.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "gemm_df/tall_product.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/team/loops.hpp"
#include "solver/api/argument.hpp"
#include "solver/sparse/factorisation.hpp"

namespace eigen_g {

namespace {

constexpr const char* library_names[] = {"auto", "none", "own", "mumps", "pardiso", "cudss"};
constexpr const char* proof_names[] = {"auto", "counts", "probe", "none"};

// The enumerator with this name among `names`.
template <class Enum, std::size_t n>
std::optional<Enum> named(const char* const (&names)[n], std::string_view name) {
  for (std::size_t i = 0; i < n; ++i)
    if (name == names[i]) return static_cast<Enum>(i);
  return std::nullopt;
}

}  // namespace

const char* name(FactorLibrary library) {
  return library_names[static_cast<int>(library)];
}
std::optional<FactorLibrary> factor_library_of(std::string_view name) {
  return named<FactorLibrary>(library_names, name);
}
const char* name(Proof proof) {
  return proof_names[static_cast<int>(proof)];
}
std::optional<Proof> proof_of(std::string_view name) {
  return named<Proof>(proof_names, name);
}

namespace {

struct LibraryOfBuild {
  FactorLibrary library;
  std::string (*missing)();
  std::string (*version)();
  std::unique_ptr<Factorisation> (*analyse)(const LowerPattern& pattern);
  bool automatic;
};
// The libraries of this build, in the order in which `automatic` tries them.
const LibraryOfBuild libraries[] = {
    {FactorLibrary::own, own_missing, [] { return std::string("with METIS"); }, analyse_by_own, true},
#ifdef EIGEN_G_HAVE_MUMPS
    {FactorLibrary::mumps, mumps_missing, mumps_version, analyse_by_mumps, true},
#endif
    {FactorLibrary::pardiso, pardiso_missing, pardiso_version, analyse_by_pardiso, true},
#ifdef EIGEN_G_HAVE_CUDA
    {FactorLibrary::cudss, cudss_missing, cudss_version, analyse_by_cudss, false},
#endif
};
// Null: there is none.
const LibraryOfBuild* library_of(FactorLibrary library) {
  for (const LibraryOfBuild& one : libraries)
    if (library == FactorLibrary::automatic ? one.automatic && one.missing().empty() : one.library == library)
      return &one;
  return nullptr;
}

}  // namespace

bool available(FactorLibrary library) {
  if (library == FactorLibrary::none) return true;
  const LibraryOfBuild* const found = library_of(library);
  return found && found->missing().empty();
}
std::string version(FactorLibrary library) {
  return library != FactorLibrary::none && available(library) ? library_of(library)->version()
                                                              : std::string();
}

FactorLibrary require_library(FactorLibrary library, const std::string& purpose) {
  if (library == FactorLibrary::none)
    throw InvalidArgument(Argument::library, purpose + "; library none excludes it");
  const LibraryOfBuild* const found = library_of(library);
  if (found && found->missing().empty()) return found->library;
  const bool any = library == FactorLibrary::automatic;
  throw InvalidArgument(
      Argument::library,
      purpose + (any ? "" : std::string(" by ") + name(library) + ", which is not available") +
          (any     ? ""
           : found ? ": " + found->missing()
                   : ": it is not in this build") +
          (library == FactorLibrary::mumps
               ? "; install libmumps-seq-dev and libmetis-dev, and build eigen_g again"
           : library == FactorLibrary::cudss
               ? "; install the Python package nvidia-cudss-cu13 or nvidia-cudss-cu12"
           : library == FactorLibrary::pardiso ? "; install the Python package mkl"
                                               : "; install METIS (libmetis5) or the Python package mkl"));
}

std::unique_ptr<Factorisation> analyse(FactorLibrary library, const LowerPattern& pattern) {
  return library_of(library)->analyse(pattern);
}

std::vector<double> power_of_two_scaling(const LowerPattern& pattern, const double* values) {
  std::vector<double> scale(static_cast<std::size_t>(pattern.n), 1.0), largest(scale.size());
  for (int pass = 0; pass < 3; ++pass) {
    std::fill(largest.begin(), largest.end(), 0.0);
    for (std::int64_t j = 0; j < pattern.n; ++j)
      for (std::int64_t p = pattern.offsets[j]; p < pattern.offsets[j + 1]; ++p) {
        const std::int64_t i = pattern.row[p];
        const double value = std::abs(values[p]) * scale[i] * scale[j];
        largest[i] = std::max(largest[i], value);
        largest[j] = std::max(largest[j], value);
      }
    for (std::size_t i = 0; i < largest.size(); ++i)
      if (largest[i] > 0 && std::isfinite(largest[i]))
        scale[i] = std::ldexp(scale[i], -std::ilogb(largest[i]) / 2);
  }
  return scale;
}

void ColumnFactorisation::solve(std::int64_t blocks, const double* x, double* y) {
  constexpr std::int64_t blocks_at_once = 8;
  const std::int64_t n = order();
  for (std::int64_t first = 0; first < blocks; first += blocks_at_once) {
    const std::int64_t here = std::min(blocks - first, blocks_at_once);
    by_columns_.resize(static_cast<std::size_t>(here * block_width * n));
    const auto for_values = [&](const auto& use) {
      for (std::int64_t p = 0; p < here; ++p)
        for_each(n, threads_if(n >= smallest_parallel_order), [&](std::int64_t i) {
          for (std::int64_t j = 0; j < block_width; ++j)
            use(by_columns_[(p * block_width + j) * n + i], ((first + p) * n + i) * block_width + j);
        });
    };
    for_values([&](double& value, std::int64_t at) { value = x[at]; });
    solve_columns(here * block_width, by_columns_.data());
    for_values([&](double value, std::int64_t at) { y[at] = value; });
  }
}

}  // namespace eigen_g
