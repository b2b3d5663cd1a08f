// Residual and orthogonality of eigenpairs against the limits of their family, and the worst of a test program, which
// EIGEN_G_PRINT_RATIOS=1 prints when it ends: "ratios;family;cpu or gpu;least n of the size class;residual;orthogonality".
// The worst over all programs of a folder, for tolerances.hpp's tables:
//
//   for t in build/tests/test_*; do EIGEN_G_PRINT_RATIOS=1 $t; done | grep '^ratios;' | sort -t';' -k2,4 |
//     awk -F';' '{k = $2 ";" $3 ";" $4; if ($5 > r[k]) r[k] = $5; if ($6 > o[k]) o[k] = $6}
//                END {for (k in r) print k, r[k], o[k]}'
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/tolerances.hpp"

namespace support {

enum class Machine { cpu, gpu };

limits::Ratios pair_limits(const std::string& family, std::int64_t n, Machine machine);
// CHECKs them, and keeps the worst.
void check_ratios(const std::string& family, std::int64_t n, Machine machine, limits::Ratios found);
void print_ratios();

}  // namespace support
