#include "apps/cli/generate_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "apps/generate/hermitian.hpp"
#include "apps/support/exit_codes.hpp"

namespace eigen_g::apps {

namespace {

// Checks --seed as text, because the parser would convert -1 to the largest seed.
std::string seed_fault(const std::string& text) {
  std::uint64_t seed = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seed);
  return error == std::errc() && stop == end ? "" : text + " must be a number from 0 to 2^64 - 1";
}

}  // namespace

const generate::Kind& named_kind(const std::string& name) {
  try {
    return generate::find_kind(name);
  } catch (const InvalidArgument&) {
    throw UsageError("unknown kind of matrix '" + name + "' (see 'eigen_g generate --list')");
  }
}

io::ScalarType type_of(const generate::Kind& kind, const std::string& type) {
  const auto all = generate::hermitian_kinds();
  const bool hermitian =
      std::any_of(all.begin(), all.end(), [&](const generate::Kind& one) { return one.name == kind.name; });
  const io::ScalarType taken =
      io::scalar_type_of(type).value_or(hermitian ? io::ScalarType::z : io::ScalarType::d);
  if (hermitian && io::real_type(taken) == taken)
    throw UsageError("--type: " + std::string(kind.name) + " is complex; must be c or z");
  return taken;
}

void require_parameter(const generate::Kind& kind, const char* field, const std::string& option) {
  if (kind.parameters.find(field) == std::string_view::npos)
    throw UsageError(option + " does not apply to KIND " + std::string(kind.name));
}

CLI::Option* add_seed_option(CLI::App& command, std::uint64_t& seed, const std::string& text) {
  return command.add_option("--seed", seed, text)->check(seed_fault)->option_text("SEED");
}

}  // namespace eigen_g::apps
