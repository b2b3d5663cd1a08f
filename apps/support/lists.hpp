// Parses lists of sizes, types and triangles of the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blas2/symv/symv.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g::apps {

// "1000,2000,4096:16384:4096": numbers, and ranges from:to:step (`to` is included if the steps reach it). The order is kept; repeated
// sizes count once. Throws UsageError with the name of `option`.
std::vector<std::int64_t> parse_sizes(const std::string& text, const std::string& option);

// Any of the letters s d c z w, each counted once. Throws UsageError with --types.
std::vector<blas2::SymvType> parse_types(const std::string& text);

// "L", "U" or "both". Throws UsageError with --uplo.
std::vector<Uplo> parse_triangles(const std::string& text);

}  // namespace eigen_g::apps
