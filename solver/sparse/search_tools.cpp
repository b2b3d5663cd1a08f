// Texts and gaps for the steps of PencilSolver.
#include "solver/sparse/search_tools.hpp"

#include <cmath>
#include <cstdio>

namespace eigen_g {

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

Cut widest_gap(const std::vector<double>& distances, double next, std::int64_t count, double unit) {
  Cut cut;
  for (std::size_t i = static_cast<std::size_t>(std::max<std::int64_t>(count - 1, 0)); i < distances.size();
       ++i) {
    const double upper = i + 1 < distances.size() ? distances[i + 1] : next;
    const double gap = upper == infinity ? 1 : (upper - distances[i]) / upper;
    if (!(gap > cut.gap)) continue;
    cut.gap = gap;
    cut.at = upper == infinity ? 2 * distances[i] + unit : distances[i] + (upper - distances[i]) / 2;
  }
  return cut;
}

bool larger(double x, double y) {
  return std::abs(x) > std::abs(y);
}

}  // namespace eigen_g
