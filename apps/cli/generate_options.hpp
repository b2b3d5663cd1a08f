// What a line that names a test matrix may say of it: of 'eigen_g generate', and of --generate of several processes.
#pragma once

#include <cstdint>
#include <string>

#include "apps/generate/matrices.hpp"
#include "apps/io/scalar_type.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace eigen_g::apps {

// Each throws UsageError.
const generate::Kind& named_kind(const std::string& name);
// The type that --type names; where it names none, double, of a Hermitian kind complex double.
io::ScalarType type_of(const generate::Kind& kind, const std::string& type);
// `option` sets this field of Spec, which is to matter to the kind.
void require_parameter(const generate::Kind& kind, const char* field, const std::string& option);

CLI::Option* add_seed_option(CLI::App& command, std::uint64_t& seed, const std::string& text);

}  // namespace eigen_g::apps
