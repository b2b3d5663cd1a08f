// Which format a sparse matrix is multiplied in: a pure model of each one's time from the rows' statistics, whose sieve leaves a
// few worth a trial. Needs no GPU. CCS is no candidate: its product does not repeat.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace eigen_g::blas2 {

enum class SpmvFormat { automatic, crs, ccs, jds, sell };
const char* name(SpmvFormat format);

// Rows with more entries than these are long ones of a SELL candidate.
inline constexpr std::array<std::int64_t, 4> spmv_cuts = {32, 128, 1024, std::int64_t{1} << 31};

struct RowStatistics {
  std::int64_t rows = 0, cols = 0, nnz = 0;
  std::int64_t longest = 0;
  std::array<std::int64_t, spmv_cuts.size()> long_rows{}, long_entries{};  // by cut
  std::array<std::int64_t, spmv_cuts.size()>
      padded{};  // entries of slices of 32 rows in their order, long rows left out
};

struct SpmvCandidate {
  SpmvFormat format = SpmvFormat::crs;
  int group = 1;                        // crs: threads a row
  std::int64_t sigma = 1;               // sell: window that is sorted
  std::int64_t cut = spmv_cuts.back();  // sell
  std::int32_t hot = 0;                 // sell: columns that are gathered before a product
  double seconds = 0;                   // predicted
};
std::string description(const SpmvCandidate& candidate);  // "sell-32-4096, rows beyond 64 split off"

// Columns that are gathered where a few are in many rows; 128 KB of doubles, in the L1 caches.
inline constexpr std::int32_t spmv_hot = 16384;

// What the model counts with; fitted to one H200's times of 13 matrices of 5 to 400 entries a row.
struct SpmvRates {
  double bytes_a_second = 4.3e12;  // of matrix and vectors
  double crs_reach = 34,
         crs_most = 70;  // CRS reads 1 + min(entries a row, most) / (reach x threads a row) times the bytes
  double cached_bytes = 40e6,
         cached_gain = 0.8;  // CRS leaves so much in L2 for the next product, which takes so much of the time
  double thread_seconds = 3.4e-12, step_seconds = 2.7e-12;  // CRS: of a thread; of a step of it
  double order_loss = 1.03, jds_loss = 1.25;  // of the time, by sorted rows; by jagged diagonals
  double gather_seconds = 8e-12;              // of an entry of a power-law graph: a sector of L2 at 4 TB/s
  double hot_gain = 0.85;                     // of that, by gathering the hot columns
  double crs_entry_seconds = 0.25e-6, jds_entry_seconds = 0.6e-6,
         sell_tail_seconds =
             0.07e-6;  // of an entry of the longest row, one after the other; SELL's add to the rest
  double launch_seconds = 3e-6;
};
// Of a product with k vectors.
double predicted_seconds(const SpmvCandidate& candidate, const RowStatistics& rows, int element_bytes, int k,
                         const SpmvRates& rates);

// The candidates worth a trial, by the first sieve of blas2/tune on the predicted rates, the best first. format: automatic, or
// crs or sell, of which all are candidates then. k = 4 gathers no columns: their block does not stay in L1.
std::vector<SpmvCandidate> spmv_candidates(const RowStatistics& rows, int element_bytes,
                                           SpmvFormat format = SpmvFormat::automatic, int k = 1,
                                           const SpmvRates& rates = {});

}  // namespace eigen_g::blas2
