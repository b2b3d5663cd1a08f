// Names of the engines, in a file of their own, so that code that needs only the names does not link the engines.
#include <array>

#include "gemm_df/engines/engine.hpp"

namespace eigen_g {

namespace {

struct EngineNames {
  const char* name;  // in options, files and reports
  const char* what;  // short description for users
};
// In the order of the enum; the last row is for `automatic`.
constexpr std::array<EngineNames, engine_count + 1> names{{{"native", "double"},
                                                           {"df", "two floats a double"},
                                                           {"emulated", "double from integer tensor cores"},
                                                           {"ozaki", "double from residues of 8 bits"},
                                                           {"ozaki-fast", "the same with fewer moduli"},
                                                           {"ozaki-fp8", "double from floats of 8 bits"},
                                                           {"auto", "by the GPU's rates"}}};
static_assert(static_cast<std::size_t>(Engine::automatic) == engine_count);

}  // namespace

const char* name(Engine engine) {
  return names[static_cast<std::size_t>(engine)].name;
}

const char* description(Engine engine) {
  return names[static_cast<std::size_t>(engine)].what;
}

std::optional<Engine> engine_of(const std::string& wanted) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (wanted == names[i].name) return static_cast<Engine>(i);
  return std::nullopt;
}

}  // namespace eigen_g
