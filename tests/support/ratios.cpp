#include "tests/support/ratios.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>

#include "tests/support/catch.hpp"

namespace support {

namespace {

using limits::Ratios;

struct Worst {
  double residual = 0, orthogonality = 0;
};
std::map<std::tuple<std::string, Machine, std::int64_t>, Worst> worst;

std::int64_t size_class(std::int64_t n) {
  return *(std::upper_bound(limits::size_classes.begin() + 1, limits::size_classes.end(), n) - 1);
}

void raise(double& most, double x) {
  if (!(x <= most)) most = x;  // NaN stays
}

}  // namespace

Ratios pair_limits(const std::string& family, std::int64_t n, Machine machine) {
  const auto limit = [&](Ratios worst, double least) {
    return Ratios{std::max(limits::loss * worst.residual, least),
                  std::max(limits::loss * worst.orthogonality, least)};
  };
  const double one_ulp = 1 / static_cast<double>(std::max<std::int64_t>(1, n));
  const auto look = [&](const auto& table) -> std::optional<Ratios> {
    for (const limits::FamilyWorst& row : table) {
      if (row.family != family) continue;
      const auto rounds = [](Ratios r) { return r.residual > 0 || r.orthogonality > 0; };
      const double least = std::any_of(row.worst.begin(), row.worst.end(), rounds) ? one_ulp : 0;
      const auto last = std::find(limits::size_classes.begin(), limits::size_classes.end(), size_class(n));
      for (auto k = last - limits::size_classes.begin(); k >= 0; --k)
        if (const Ratios worst = row.worst[static_cast<std::size_t>(k)]; worst.residual >= 0)
          return limit(worst, least);
    }
    return std::nullopt;
  };
  if (machine == Machine::gpu) return look(limits::gpu_worst).value_or(limits::gpu_limit_kept);
  if (const std::optional<Ratios> found = look(limits::cpu_worst)) return *found;
  FAIL("no limits for " + family + " of " + std::to_string(n) + " rows in tests/support/tolerances.hpp");
  return {};
}

void check_ratios(const std::string& family, std::int64_t n, Machine machine, Ratios found) {
  Worst& so_far = worst[{family, machine, size_class(n)}];
  raise(so_far.residual, found.residual);
  raise(so_far.orthogonality, found.orthogonality);
  const Ratios limit = pair_limits(family, n, machine);
  CAPTURE(family, n, limit.residual, limit.orthogonality);
  CHECK(found.residual <= limit.residual);
  CHECK(found.orthogonality <= limit.orthogonality);
}

void print_ratios() {
  if (!std::getenv("EIGEN_G_PRINT_RATIOS")) return;
  for (const auto& [key, ratios] : worst) {
    const auto& [family, machine, from_n] = key;
    std::printf("ratios;%s;%s;%lld;%.4g;%.4g\n", family.c_str(), machine == Machine::gpu ? "gpu" : "cpu",
                static_cast<long long>(from_n), ratios.residual, ratios.orthogonality);
  }
}

}  // namespace support
