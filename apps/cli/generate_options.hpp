// Options that describe a generated test matrix, for 'eigen_g generate' and for --generate of eigen_g_mpi.
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

// Each function throws UsageError.
const generate::Kind& named_kind(const std::string& name);
// The type that --type names. Without --type: double, or complex double for a Hermitian kind.
io::ScalarType type_of(const generate::Kind& kind, const std::string& type);
// Throws unless this kind of matrix uses the field of Spec that `option` sets.
void require_parameter(const generate::Kind& kind, const char* field, const std::string& option);

CLI::Option* add_seed_option(CLI::App& command, std::uint64_t& seed, const std::string& text);

}  // namespace eigen_g::apps
