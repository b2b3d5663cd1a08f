// PencilSolver: pairs of a sparse pencil K - w M next to a shift, by InverseLanczos, with counts of eigenvalues by the inertia of K - s M.
//
//   shift    the target, moved if K - s M has null pivots, or if it is so near to an eigenvalue that the others lose digits
//   Lanczos  until the wanted pairs and a gap behind them are known
//   finish   y = OP z for each pair; bound |w - w*| <= delta (w - s)^2 / (1 - delta |w - s|), delta = |y - theta z|; Rayleigh-Ritz with all y
//   counts   of the eigenvalues below two points in the gaps around the found pairs; missing pairs are searched in addition to the found ones
//
// Everything is in the scaled quantities of Pencil. A point s has the number N(s) of eigenvalues below it. For buckling N(s) is the number between
// 0 and s, negative for s < 0. Differences of N count eigenvalues in both cases.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solver/sparse/cpu_executor.hpp"
#include "solver/sparse/factorisation.hpp"
#include "solver/sparse/inverse_lanczos.hpp"
#include "solver/sparse/pencil.hpp"

namespace eigen_g {

// Pairs in the executor's memory: values ascend, vectors are blocks with columns of 0 at the end.
struct FoundPairs {
  std::vector<double> w, bound, residual, length;  // residual |K z - w M z|, length |z|, 2-norms
  double* vectors = nullptr;
  double orthogonality = 0;
  std::int64_t size() const { return static_cast<std::int64_t>(w.size()); }
};

class PencilSolver {
 public:
  // Takes library and buckling from the options. Throws InvalidArgument, OutOfMemory.
  PencilSolver(Pencil pencil, const FewOptions& options);
  // By products: op_inverse is (K - target M)^-1. There are no counts, and the shift stays.
  PencilSolver(Pencil pencil, const FewOptions& options, const SparseOperator<double>& op_inverse);

  const Pencil& pencil() const { return pencil_; }
  const Factorisation& factorisation() const { return *factorisation_; }
  void set_values(const double* k, const double* m);
  EigenvalueCount count(double s);  // s and the result are not scaled
  FewReport solve(const FewOptions& options, double* w, double* z, std::int64_t ldz);
  IntervalReport interval(double a, double b, std::int64_t max_pairs, std::vector<double>& w,
                          std::vector<double>* z, double tolerance = 0);

 private:
  struct Point {
    double s = 0;
    std::int64_t number = 0;  // N(s)
  };
  struct Range {
    double low = 0, high = 0;
  };
  // The state of a search by its Ritz pairs. With `done`, `pairs` are the numbers of the Ritz pairs between low and high.
  struct Judgement {
    bool done = false;
    bool few = false;  // V is complete, and there are fewer pairs than wanted
    std::int64_t leading = 0;
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity(),
           gap = 0;
    std::vector<std::int64_t> pairs;
  };
  struct Slice;

  // Limit of delta / |theta| of a converged pair.
  static constexpr double inner_tolerance = 1e-12, buckling_tolerance = 1e-14;
  // Smallest relative gap in which a count is made, and one with which no further pair has to converge.
  static constexpr double least_gap = 1e-7, good_gap = 1e-3;
  // If the largest |theta| exceeds that of the last wanted pair by this factor, the shift all but hits an eigenvalue.
  static constexpr double hit = 1e5;
  // If all wanted theta agree to this part, the shift is far from the eigenvalues.
  static constexpr double far = 1e-2;
  // A smaller |theta|, relative to the largest one, is that of an infinite eigenvalue.
  static constexpr double infinite = 1e-13;
  static constexpr int max_moves = 6, max_repairs = 3, max_purifications = 4;

  Pivots factor(double s);
  std::int64_t number_of(double s, std::int64_t negative) const;
  Point point(double s, double step);
  Point shift_near(double wished, double direction, FewReport& report);
  std::optional<Range> range_of_lowest(const Point& zero, std::int64_t count);
  FewReport solve_in(const Range& range, const FewOptions& options, double* w, double* z, std::int64_t ldz);
  double value_of(double theta, double s) const;
  double theta_of(double w, double s) const;
  double slope_at(double s) const;
  InverseOperator inverse();
  Judgement judge(const FewOptions& options, const RitzPairs& ritz, const Point& shift, std::int64_t extra,
                  bool exhausted) const;
  FoundPairs finish(InverseLanczos& lanczos, const std::vector<std::int64_t>& pairs, double s,
                    const std::vector<std::int64_t>& others = {});
  FoundPairs on_side_of(FoundPairs found, double s, bool positive);
  std::vector<std::int64_t> other_side(const RitzPairs& ritz, const std::vector<std::int64_t>& pairs) const;
  bool repair(FoundPairs& found, double s, double low, double high, std::int64_t expected,
              std::uint64_t seed);
  void probe(FoundPairs& found, const Point& shift, const Judgement& window, FewReport& report);
  void prove(FoundPairs& found, const Point& shift, const Judgement& window, FewReport& report);
  void report_costs(FewReport& report) const;
  const double* start_blocks(const FewOptions& options, std::int64_t width);
  void begin_call(double tolerance);
  void refine(std::int64_t blocks, const double* x, double s, double* y);
  FoundPairs purify(double* z, const std::vector<double>& theta_of_pairs, double s, bool refined);
  double backward(const FoundPairs& found, std::int64_t j) const;  // |K z - w M z| / ((|K| + |w| |M|) |z|)
  double largest_backward(const FoundPairs& found, double s, double side) const;
  void orthogonalise(FoundPairs& found, std::vector<double>& blocks, bool keep_all);
  std::optional<double> better_shift(const FewOptions& options, const RitzPairs& ritz, double s, bool few,
                                     std::string& reason) const;
  std::vector<std::int64_t> choose(const FoundPairs& found, const FewOptions& options, double s) const;
  void write(const FoundPairs& found, const std::vector<std::int64_t>& chosen, double* w, double* z,
             std::int64_t ldz, FewReport& report);

  Pencil pencil_;
  bool buckling_;
  FactorLibrary library_ = FactorLibrary::none;
  SparseOperator<double> op_inverse_;
  std::unique_ptr<Factorisation> factorisation_;
  std::vector<double> values_;      // the values of K - s M
  std::optional<double> factored_;  // the shift of the present factor
  Pivots pivots_;
  std::unique_ptr<CpuExecutor<double>> on_;  // the executor of the present call
  double goal_ = 0;                          // largest backward error of a converged pair
  double aim_ = 0;                           // purification goes on above this backward error; at most goal_
  std::int64_t factorisations_ = 0, solved_ = 0;
  double analysis_seconds_ = 0, factorisation_seconds_ = 0, solve_seconds_ = 0;
};

}  // namespace eigen_g
