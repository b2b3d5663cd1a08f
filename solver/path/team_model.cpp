#include "solver/path/team_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "hybrid/error.hpp"
#include "hybrid/machine/fork.hpp"

namespace eigen_g {

namespace {

enum Term { columns, square, square_over_gpus, messages, cube_over_gpus, term_count };

double term_of(Term term, double n, double gpus) {
  switch (term) {
    case columns:
      return n;
    case square:
      return n * n;
    case square_over_gpus:
      return n * n / gpus;
    case messages:
      return n * n * (gpus - 1) / gpus;
    default:
      return n * n * n / gpus;
  }
}

struct StageTerms {
  const char* name;
  std::vector<Term> terms;
};
const std::array<StageTerms, team_stages.size()>& stage_terms() {
  static constinit MadeOnce<const std::array<StageTerms, team_stages.size()>> terms;
  return terms.get([] {
    return std::array<StageTerms, team_stages.size()>{{{"load", {square, square_over_gpus}},
                                                       {"dense to band", {columns, messages, cube_over_gpus}},
                                                       {"band to tridiagonal", {columns, square}},
                                                       {"divide and conquer", {square, cube_over_gpus}},
                                                       {"tridiagonal to band", {square, cube_over_gpus}},
                                                       {"band to dense", {square, cube_over_gpus}},
                                                       {"store", {square, messages}}}};
  });
}

using Coefficients = std::array<double, term_count>;

// The solution of the normal equations of sum_j a(i, j) x_j = 1; nothing if they are singular.
std::optional<std::vector<double>> least_squares(const std::vector<std::vector<double>>& rows) {
  const std::size_t n = rows.front().size();
  std::vector<std::vector<double>> m(n, std::vector<double>(n + 1, 0));
  for (const std::vector<double>& row : rows)
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) m[i][j] += row[i] * row[j];
      m[i][n] += row[i];
    }
  for (std::size_t i = 0; i < n; ++i) {
    if (!(std::fabs(m[i][i]) > 1e-12)) return std::nullopt;
    for (std::size_t k = 0; k < n; ++k) {
      if (k == i) continue;
      const double factor = m[k][i] / m[i][i];
      for (std::size_t j = i; j <= n; ++j) m[k][j] -= factor * m[i][j];
    }
  }
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = m[i][n] / m[i][i];
  return x;
}

// The coefficients of a stage: the best fit of all sets of its terms that has no negative coefficient.
Coefficients fit(const std::vector<MeasuredTeam>& measured, std::size_t stage) {
  const std::vector<Term>& terms = stage_terms()[stage].terms;
  const auto entry = [&](const MeasuredTeam& row, Term term) {
    const double largest = term_of(term, measured.back().n, 1) + term_of(term, measured.back().n, 2);
    return term_of(term, row.n, row.gpus) / (largest * row.seconds[stage]);
  };
  Coefficients best{};
  double least = std::numeric_limits<double>::infinity();
  for (unsigned chosen = 1; chosen < 1U << terms.size(); ++chosen) {
    std::vector<Term> set;
    for (std::size_t k = 0; k < terms.size(); ++k)
      if ((chosen >> k & 1U) != 0) set.push_back(terms[k]);
    std::vector<std::vector<double>> rows;
    for (const MeasuredTeam& row : measured) {
      rows.emplace_back();
      for (const Term term : set) rows.back().push_back(entry(row, term));
    }
    const std::optional<std::vector<double>> x = least_squares(rows);
    if (!x || std::any_of(x->begin(), x->end(), [](double value) { return value < 0; })) continue;
    double error = 0;
    for (const std::vector<double>& row : rows) {
      double sum = -1;
      for (std::size_t k = 0; k < set.size(); ++k) sum += row[k] * (*x)[k];
      error += sum * sum;
    }
    if (error >= least) continue;
    least = error;
    best = {};
    for (std::size_t k = 0; k < set.size(); ++k)
      best[set[k]] =
          (*x)[k] / (term_of(set[k], measured.back().n, 1) + term_of(set[k], measured.back().n, 2));
  }
  return best;
}

using TeamCoefficients = std::array<Coefficients, team_stages.size()>;

TeamCoefficients coefficients_of(const MeasuredMachine& measured) {
  if (measured.team.empty())
    throw InvalidArgument("machine", measured.name + " was not measured with several GPUs");
  TeamCoefficients all;
  for (std::size_t stage = 0; stage < all.size(); ++stage) all[stage] = fit(measured.team, stage);
  return all;
}

// A type compared with double: factors of the bytes, of the reduction's products, of the back-transformations' products, of the divide and conquer and
// of the chase.
struct TypeFactors {
  double bytes, reduction, back, divide_and_conquer, chase;
};
TypeFactors factors_of(EntryType type) {
  if (type.is_complex)
    return type.is_single ? TypeFactors{1, 4.4, 2.6, 0.7, 0.8} : TypeFactors{2, 4.4, 3.8, 1.1, 1.1};
  return type.is_single ? TypeFactors{0.5, 1.1, 0.65, 0.7, 0.65} : TypeFactors{1, 1, 1, 1, 1};
}

double factor_of(Term term, Stage stage, EntryType type) {
  const TypeFactors f = factors_of(type);
  switch (stage) {
    case Stage::chase:
      return f.chase;
    case Stage::divide_and_conquer:
      return f.divide_and_conquer;
    case Stage::full_to_band:
      return term == cube_over_gpus ? f.reduction : term == columns ? 1 : f.bytes;
    case Stage::back_transform_chase:
    case Stage::back_transform_band:
      return term == cube_over_gpus ? f.back : f.bytes;
    default:
      return f.bytes;
  }
}

// The part of a term that is left with m of n vectors.
double part_of(Term term, Stage stage, double part) {
  switch (stage) {
    case Stage::divide_and_conquer:
      return term != cube_over_gpus ? 1 : part > 0 ? 0.25 + 0.75 * part : 0;
    case Stage::back_transform_chase:
    case Stage::back_transform_band:
      return term == cube_over_gpus || part == 0 ? part : 1;
    case Stage::store:
      return part;
    default:
      return 1;
  }
}

Prediction predicted(const TeamCoefficients& all, const TeamProblem& problem, double speed) {
  const auto n = static_cast<double>(problem.n), gpus = static_cast<double>(problem.gpus);
  const double part = problem.n > 0 ? static_cast<double>(problem.vectors) / n : 0;
  Prediction prediction{Path::two_stage, Engine::native, {}, 0};
  for (std::size_t k = 0; k < all.size(); ++k) {
    double seconds = 0;
    for (const Term term : stage_terms()[k].terms)
      seconds += all[k][term] * term_of(term, n, gpus) * factor_of(term, team_stages[k], problem.type) *
                 part_of(term, team_stages[k], part) / (term == cube_over_gpus ? speed : 1);
    prediction.times.push_back({stage_terms()[k].name, seconds, {}});
    prediction.seconds += seconds;
  }
  return prediction;
}

}  // namespace

Prediction predict_team(const MeasuredMachine& measured, const TeamProblem& problem, double products) {
  const auto require_that = [](bool good, Argument argument, std::int64_t is, const char* must) {
    if (!good) throw InvalidArgument(argument, "is " + std::to_string(is) + ", " + must);
  };
  require_that(problem.n >= 0, Argument::n, problem.n, "must not be negative");
  require_that(problem.vectors >= 0 && problem.vectors <= problem.n, Argument::m, problem.vectors,
               "must be from 0 to n");
  require_that(problem.gpus >= 1, Argument::gpus, problem.gpus, "must be at least 1");
  return predicted(coefficients_of(measured), problem,
                   products > 0 ? products / measured.products[Engine::native] : 1);
}

double leading_team_bytes(const TeamProblem& problem, int member) {
  const auto n = static_cast<double>(problem.n), gpus = static_cast<double>(problem.gpus);
  double matrices = 1 / gpus;
  if (problem.vectors > 0) matrices += 2 / gpus + (member == 0 ? 0.5 : 0);
  return (problem.type.is_single ? 4 : 8) * (problem.type.is_complex ? 2 : 1) * matrices * n * n;
}

int fastest_team(EntryType type, std::int64_t n, std::int64_t vectors, int most) {
  static constinit MadeOnce<const TeamCoefficients> usual;
  const TeamCoefficients& all = usual.get([] { return coefficients_of(measured_machine(usual_machine)); });
  constexpr double worth = 1.05;
  std::vector<double> seconds;
  for (int gpus = 1; gpus <= most; ++gpus)
    seconds.push_back(predicted(all, {n, vectors, gpus, type}, 1).seconds);
  const double least = *std::min_element(seconds.begin(), seconds.end());
  int fewest = 1;
  while (seconds[static_cast<std::size_t>(fewest) - 1] > worth * least) ++fewest;
  return fewest;
}

}  // namespace eigen_g
