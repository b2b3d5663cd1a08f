#include "blas2/spmv/choice.hpp"

#include <algorithm>
#include <cmath>

#include "blas2/tune/tuner.hpp"
#include "hybrid/machine/fork.hpp"

namespace eigen_g::blas2 {

const char* name(SpmvFormat format) {
  constexpr const char* names[] = {"automatic", "crs", "sell"};
  return names[static_cast<std::size_t>(format)];
}

std::string description(const SpmvCandidate& c) {
  if (c.format == SpmvFormat::crs)
    return "crs, " + std::to_string(c.group) + (c.group == 1 ? " thread a row" : " threads a row");
  if (c.format != SpmvFormat::sell) return name(c.format);
  return "sell-32-" + std::to_string(c.sigma) +
         (c.cut == spmv_cuts.back() ? "" : ", rows beyond " + std::to_string(c.cut) + " split off") +
         (c.hot == 0 ? "" : ", " + std::to_string(c.hot) + " columns gathered");
}

namespace {

// True if at most a tenth of the rows exceed the second cut and hold at least a fifth of the entries. In a symmetric matrix the
// same then holds for the columns.
bool skewed(const RowStatistics& a) {
  return a.nnz > 0 && 10 * a.long_rows[1] <= a.rows && 5 * a.long_entries[1] >= a.nnz &&
         a.cols > 4 * spmv_hot;
}

}  // namespace

double predicted_seconds(const SpmvCandidate& c, const RowStatistics& a, int element_bytes, int k,
                         const SpmvRates& rates) {
  const auto rows = static_cast<double>(a.rows), nnz = static_cast<double>(a.nnz),
             longest = static_cast<double>(a.longest);
  const double mean = nnz / std::max(rows, 1.0), group = c.group;
  const double vectors = 2.0 * element_bytes * k * rows;
  const auto bytes = [&](double entries, double a_row) {
    return (4.0 + element_bytes) * entries + vectors + a_row * rows;
  };
  const double gather = skewed(a) ? rates.gather_seconds * nnz : 0;
  switch (c.format) {
    case SpmvFormat::crs: {
      const double read = bytes(nnz, 8), cached = read <= rates.cached_bytes ? rates.cached_gain : 1;
      return rates.launch_seconds +
             std::max({cached * read / rates.bytes_a_second *
                           (1 + std::min(mean, rates.crs_most) / (rates.crs_reach * group)),
                       rows * group * (rates.thread_seconds + rates.step_seconds * std::ceil(mean / group)),
                       rates.crs_entry_seconds * longest / group, gather});
    }
    case SpmvFormat::sell: {
      const auto cut =
          static_cast<std::size_t>(std::find(spmv_cuts.begin(), spmv_cuts.end(), c.cut) - spmv_cuts.begin());
      const auto split = static_cast<double>(a.long_entries[cut]);
      const double entries = c.sigma == 1 ? static_cast<double>(a.padded[cut]) + split : nnz;
      const double deepest = std::min(longest, static_cast<double>(c.cut));
      const double reading = bytes(entries, c.sigma > 1 || split > 0 ? 4 : 0) / rates.bytes_a_second *
                             (c.sigma > 1 ? rates.order_loss : 1);
      const double pieces =
          // As a product in CSR with 32 threads for each row.
          rates.thread_seconds * (64.0 * static_cast<double>(a.long_rows[cut]) + split);
      return rates.launch_seconds * (1 + (split > 0) + (c.hot > 0)) + rates.sell_tail_seconds * deepest +
             std::max({reading, pieces, gather * (c.hot > 0 ? rates.hot_gain : 1)});
    }
    default:
      return INFINITY;
  }
}

std::vector<SpmvCandidate> spmv_candidates(const RowStatistics& a, int element_bytes, SpmvFormat format,
                                           int k, const SpmvRates& rates) {
  std::vector<SpmvCandidate> all;
  const bool power_law = skewed(a);
  if (power_law && k == 1) all.push_back({SpmvFormat::sell, 1, a.rows, spmv_cuts[0], spmv_hot});
  for (int group = 1; group <= 32; group *= 2) all.push_back({SpmvFormat::crs, group});
  for (std::size_t cut = 0; cut < spmv_cuts.size(); ++cut) {
    if (cut + 1 < spmv_cuts.size() && (a.long_rows[cut] == 0 || (cut == 0 && !power_law))) continue;
    for (const std::int64_t sigma : {std::int64_t{1}, std::int64_t{4096}, a.rows})
      if (sigma == 1 || (sigma == 4096 ? a.rows > sigma : a.rows > 1))
        all.push_back({SpmvFormat::sell, 1, sigma, spmv_cuts[cut]});
  }
  if (format != SpmvFormat::automatic)
    std::erase_if(all, [&](const SpmvCandidate& c) { return c.format != format; });
  std::vector<Measurement> predicted;
  const std::int64_t n = std::max<std::int64_t>(a.nnz, 1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].seconds = predicted_seconds(all[i], a, element_bytes, k, rates);
    predicted.push_back({static_cast<int>(i), n, static_cast<double>(n) / all[i].seconds});
  }
  std::vector<SpmvCandidate> kept;
  for (const int i : first_sieve(predicted, {.within = 0.4, .keep = 8}))
    kept.push_back(all[static_cast<std::size_t>(i)]);
  std::stable_sort(kept.begin(), kept.end(),
                   [](const SpmvCandidate& p, const SpmvCandidate& q) { return p.seconds < q.seconds; });
  return kept;
}

SpmvRates spmv_rates_by(TuningValues values) {
  SpmvRates t;
#define EIGEN_G_REPLACE(member) values.replace(#member, t.member)
  EIGEN_G_REPLACE(bytes_a_second);
  EIGEN_G_REPLACE(crs_reach);
  EIGEN_G_REPLACE(crs_most);
  EIGEN_G_REPLACE(cached_bytes);
  EIGEN_G_REPLACE(cached_gain);
  EIGEN_G_REPLACE(thread_seconds);
  EIGEN_G_REPLACE(step_seconds);
  EIGEN_G_REPLACE(order_loss);
  EIGEN_G_REPLACE(gather_seconds);
  EIGEN_G_REPLACE(hot_gain);
  EIGEN_G_REPLACE(crs_entry_seconds);
  EIGEN_G_REPLACE(sell_tail_seconds);
  EIGEN_G_REPLACE(launch_seconds);
#undef EIGEN_G_REPLACE
  values.finish(t.bytes_a_second > 0 && t.crs_reach > 0);
  return t;
}

const SpmvRates& spmv_rates() {
  static constinit MadeOnce<const SpmvRates> rates;
  return rates.get([] { return spmv_rates_by(TuningValues::of_environment("spmv")); });
}

}  // namespace eigen_g::blas2
