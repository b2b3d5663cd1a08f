// Lists of sizes and types on the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blas2/symv/symv.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g::apps {

// "1000,2000,4096:16384:4096": numbers and ranges from:to:step, to included where it is met; in the order
// given, repeated sizes once. Throws UsageError naming `option`.
std::vector<std::int64_t> parse_sizes(const std::string& text, const std::string& option);

// "sdczw": any of these letters, each once. Throws UsageError naming --types.
std::vector<blas2::SymvType> parse_types(const std::string& text);

// "L", "U", "both". Throws UsageError naming --uplo.
std::vector<Uplo> parse_triangles(const std::string& text);

}  // namespace eigen_g::apps
