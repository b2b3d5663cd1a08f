// The libraries that factorise sparse matrices: their names and what is available.
#include "solver/api/sparse.hpp"

namespace eigen_g {

namespace {

constexpr const char* library_names[] = {"auto", "none", "mumps", "pardiso", "cudss"};
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

bool available(FactorLibrary library) {
  return library == FactorLibrary::none;
}
std::string version(FactorLibrary) {
  return "";
}

}  // namespace eigen_g
