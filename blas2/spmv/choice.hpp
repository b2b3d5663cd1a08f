// The choice of the format of a sparse matrix. A model predicts the time of a product in each format from statistics of the
// rows. A sieve keeps the few candidates that are worth a trial. Pure functions; no GPU is needed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hybrid/machine/tuning_file.hpp"

namespace eigen_g::blas2 {

enum class SpmvFormat { automatic, crs, sell };
const char* name(SpmvFormat format);

// Limits for SELL: rows with more entries than the limit are long rows, which are stored apart.
inline constexpr std::array<std::int64_t, 4> spmv_cuts = {32, 128, 1024, std::int64_t{1} << 31};

struct RowStatistics {
  std::int64_t rows = 0, cols = 0, nnz = 0;
  std::int64_t longest = 0;
  std::array<std::int64_t, spmv_cuts.size()> long_rows{}, long_entries{};  // for each cut
  // For each cut: stored entries of slices of 32 rows in their original order, padding included, without the long rows.
  std::array<std::int64_t, spmv_cuts.size()> padded{};
};

struct SpmvCandidate {
  SpmvFormat format = SpmvFormat::crs;
  int group = 1;                        // crs: threads for each row
  std::int64_t sigma = 1;               // sell: rows in a window in which rows are sorted
  std::int64_t cut = spmv_cuts.back();  // sell: rows with more entries are long rows
  std::int32_t hot = 0;                 // sell: columns whose rows of X are gathered before a product
  double seconds = 0;                   // predicted time of a product
};
std::string description(const SpmvCandidate& candidate);  // "sell-32-4096, rows beyond 128 split off"

// Number of columns that are gathered if a few columns are in many rows. Their elements of X take 128 KB as doubles and stay in
// the L1 caches.
inline constexpr std::int32_t spmv_hot = 16384;

// Constants of the model, fitted to the times of 13 matrices with 5 to 400 entries in a row on one H200. A file can replace them
// (hybrid/machine/tuning_file.hpp, section "spmv").
struct SpmvRates {
  double bytes_a_second = 4.3e12;  // bandwidth for matrix and vectors
  // A product in CSR reads its bytes 1 + min(entries in a row, crs_most) / (crs_reach * threads for each row) times.
  double crs_reach = 34, crs_most = 70;
  // If CSR reads at most cached_bytes, they stay in L2 for the next product, whose reading then takes cached_gain of the time.
  double cached_bytes = 40e6, cached_gain = 0.8;
  double thread_seconds = 3.4e-12, step_seconds = 2.7e-12;  // CSR: for a thread; for each step of a thread
  double order_loss = 1.03;                                 // factor of the time for sorted rows
  double gather_seconds = 8e-12;  // for an entry of a power-law graph: a sector of L2 at 4 TB/s
  double hot_gain = 0.85;         // factor of gather_seconds if the hot columns are gathered
  // For each entry of the longest row, whose entries come one after another. SELL's is added to the rest of the time.
  double crs_entry_seconds = 0.25e-6, sell_tail_seconds = 0.07e-6;
  double launch_seconds = 3e-6;
};
const SpmvRates&
spmv_rates();  // the values of this process; throws InvalidArgument for a damaged tuning file
SpmvRates spmv_rates_by(TuningValues values);  // the values above, except the replaced ones
// Predicted time of a product with k vectors.
double predicted_seconds(const SpmvCandidate& candidate, const RowStatistics& rows, int element_bytes, int k,
                         const SpmvRates& rates);

// The candidates worth a trial, the best first. They are chosen by the first sieve of blas2/tune, applied to predicted rates.
// format: automatic, or the one format of the candidates. With k = 4 no columns are gathered, because their rows of X do not
// fit into L1.
std::vector<SpmvCandidate> spmv_candidates(const RowStatistics& rows, int element_bytes,
                                           SpmvFormat format = SpmvFormat::automatic, int k = 1,
                                           const SpmvRates& rates = spmv_rates());

}  // namespace eigen_g::blas2
