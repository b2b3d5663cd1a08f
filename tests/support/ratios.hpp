// Checks the residual and the orthogonality ratio of eigenpairs against the limits of their family of matrices.
//
//   ||A Z - Z W||_1 / (n ulp ||A||_1)     ||Z^T Z - I||_1 / (n ulp)       of T with T in A's place
//
// tests/data/limits.csv has the worst ratios that were measured, by family, device and order. A limit is three times that value,
// and at least one ulp of the norm, 1/n, unless all values of the family are 0: such a family is solved without rounding.
//
// Environment:
//   EIGEN_G_PRINT_RATIOS=1    prints the worst ratios of this program at its end, one line a row of the file with "ratios;" before it
//   EIGEN_G_LIMITS_USED=FILE  appends the rows that this program used to FILE, for tests/test_limits.sh
//
// The worst ratios of all programs of a build, as rows for the file:
//
//   for t in build/tests/test_*; do EIGEN_G_PRINT_RATIOS=1 $t; done | grep '^ratios;' | sort -t';' -k2,4 |
//     awk -F';' '{k = $2 ";" $3 ";" $4; if ($5 > r[k]) r[k] = $5; if ($6 > o[k]) o[k] = $6}
//                END {for (k in r) print k ";" r[k] ";" o[k]}'
#pragma once

#include <cstdint>
#include <string>

namespace support {

enum class Machine { cpu, gpu };

struct PairRatios {
  double residual, orthogonality;
};

// Fails the test if the family has no row for this machine and order, or if the file is malformed.
PairRatios pair_limits(const std::string& family, std::int64_t n, Machine machine);

// CHECKs both ratios and records the worst ones of the program.
void check_ratios(const std::string& family, std::int64_t n, Machine machine, PairRatios found);

// Writes what the environment asks for. main() calls it at the end of the program.
void report_ratios();

}  // namespace support
