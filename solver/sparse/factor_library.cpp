// The libraries that factorise sparse matrices: their names, the choice among them, and blocks of right-hand sides as columns.
#include <algorithm>
#include <cstddef>
#include <iterator>
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

// In the order of preference.
constexpr FactorLibrary libraries[] = {FactorLibrary::own, FactorLibrary::mumps};

}  // namespace

bool available(FactorLibrary library) {
  switch (library) {
    case FactorLibrary::none:
      return true;
    case FactorLibrary::automatic:
      return std::any_of(std::begin(libraries), std::end(libraries),
                         [](FactorLibrary l) { return available(l); });
    case FactorLibrary::own:
      return metis_available();
#ifdef EIGEN_G_HAVE_MUMPS
    case FactorLibrary::mumps:
      return mumps_available();
#endif
    default:
      return false;
  }
}
std::string version(FactorLibrary library) {
  if (!available(library)) return {};
  switch (library) {
    case FactorLibrary::automatic:
      return version(require_library(library, ""));
    case FactorLibrary::own:
      return "with METIS";
#ifdef EIGEN_G_HAVE_MUMPS
    case FactorLibrary::mumps:
      return mumps_version();
#endif
    default:
      return {};
  }
}

FactorLibrary require_library(FactorLibrary library, const std::string& purpose) {
  if (library != FactorLibrary::none && available(library))
    return library == FactorLibrary::automatic ? *std::find_if(std::begin(libraries), std::end(libraries),
                                                               [](FactorLibrary l) { return available(l); })
                                               : library;
  const std::string asked = library == FactorLibrary::automatic || library == FactorLibrary::none
                                ? ""
                                : std::string(" by ") + name(library) + ", which is not available";
  throw InvalidArgument(Argument::library,
                        purpose + asked +
                            (library == FactorLibrary::none
                                 ? "; library none excludes it"
                                 : "; install libmumps-seq-dev and libmetis-dev, and build eigen_g again"));
}

std::unique_ptr<Factorisation> analyse(FactorLibrary library, const LowerPattern& pattern) {
  switch (library) {
    case FactorLibrary::own:
      return analyse_by_own(pattern);
#ifdef EIGEN_G_HAVE_MUMPS
    case FactorLibrary::mumps:
      return analyse_by_mumps(pattern);
#endif
    default:
      throw InvalidArgument(Argument::library, std::string(name(library)) + " is not in this build");
  }
}

void ColumnFactorisation::solve(std::int64_t blocks, const double* x, double* y) {
  constexpr std::int64_t blocks_at_once = 8;
  const std::int64_t n = order();
  for (std::int64_t first = 0; first < blocks; first += blocks_at_once) {
    const std::int64_t here = std::min(blocks - first, blocks_at_once);
    columns_.resize(static_cast<std::size_t>(here * block_width * n));
    const auto for_values = [&](const auto& use) {
      for (std::int64_t p = 0; p < here; ++p)
        for_each(n, threads_if(n >= smallest_parallel_order), [&](std::int64_t i) {
          for (std::int64_t j = 0; j < block_width; ++j)
            use(columns_[(p * block_width + j) * n + i], ((first + p) * n + i) * block_width + j);
        });
    };
    for_values([&](double& value, std::int64_t at) { value = x[at]; });
    solve_columns(here * block_width, columns_.data());
    for_values([&](double value, std::int64_t at) { y[at] = value; });
  }
}

}  // namespace eigen_g
