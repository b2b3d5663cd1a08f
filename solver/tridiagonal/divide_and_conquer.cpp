// The divide and conquer on the CPU.
#include "solver/tridiagonal/divide_and_conquer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "hybrid/instantiate.hpp"
#include "hybrid/team/team.hpp"
#include "solver/api/argument.hpp"
#include "solver/tridiagonal/dc_crew.hpp"
#include "solver/tridiagonal/dc_host.hpp"
#include "solver/tridiagonal/dc_leaf.hpp"
#include "solver/tridiagonal/dc_on_threads.hpp"
#include "solver/tridiagonal/inverse_iteration.hpp"

namespace eigen_g {

namespace {

// The deflation counts three kinds of entries in 21 bits each.
constexpr std::int64_t largest_order = (std::int64_t{1} << 21) - 1;

// Up to this order the implicit QL method is faster than a merge. Up to the other order it solves a graded T, whose small eigenvalues lose
// digits in a merge.
constexpr std::int64_t largest_order_by_ql = 14, largest_graded_order_by_ql = 72;

// True if T is graded: the first or the last diagonal entry is much smaller than the other one.
template <class R>
bool is_graded(const std::vector<R>& d) {
  constexpr R much = 1024;
  const R first = std::fabs(d.front()), last = std::fabs(d.back());
  return much * std::min(first, last) < std::max(first, last);
}

// Columns for implicit_ql(). An entry of e is negligible if it is small compared with the neighbouring entries of d, so that small eigenvalues of a
// graded T keep their digits. Source: LAPACK dsteqr.
template <class R>
struct GradedVectors : dc::PlainVectors<R> {
  const R* d;
  dc::Index end_of_block(const R* e, dc::Index l, dc::Index size, R) const {
    constexpr R square = dc::unit_roundoff<R> * dc::unit_roundoff<R>;
    const auto negligible = [&](dc::Index i) {
      return e[i] * e[i] <= square * std::fabs(d[i]) * std::fabs(d[i + 1]) + dc::leaf_negligible_square<R>;
    };
    while (l + 1 < size && !negligible(l)) ++l;
    return l;
  }
};

// All pairs, or a subset, of a small T; d and e are scaled and are destroyed.
template <class R>
DivideAndConquerResult solve_small(std::vector<R>& d, std::vector<R>& e, R* w, MatrixView<R> z,
                                   const Selection& selection, int exponent) {
  const std::size_t size = d.size();
  const auto n = static_cast<dc::Index>(size);
  std::vector<R> u(z.data ? size * size : 0), scratch(u.size());
  // The QL method begins at the first row, where a graded T must have its small entries.
  const bool reversed = std::fabs(d.front()) > std::fabs(d.back());
  if (reversed) {
    std::reverse(d.begin(), d.end());
    std::reverse(e.begin(), e.end());
  }
  e.push_back(0);  // implicit_ql() asks for room
  const std::vector<R> given_d = d, given_e = e;
  const auto solve_by = [&](auto vectors) {
    std::fill(u.begin(), u.end(), R(0));
    for (std::size_t i = 0; z.data && i < size; ++i) u[i * size + (reversed ? size - 1 - i : i)] = 1;
    return dc::implicit_ql(n, d.data(), e.data(), vectors);
  };
  const dc::PlainVectors<R> columns{u.data(), z.data ? n : 0, n};
  // Rounding errors may be larger than every entry that counts as small compared with its neighbours. Then small means compared with T.
  if (!solve_by(GradedVectors<R>{columns, d.data()})) {
    d = given_d;
    e = given_e;
    if (!solve_by(columns)) return {Status::not_converged, 1, {}};
  }
  if (z.data) dc::orthogonalize(dc::OneThread{}, n, n, u.data(), scratch.data());
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return d[i] < d[j] || (d[i] == d[j] && i < j); });
  std::vector<R> values(size);
  std::transform(order.begin(), order.end(), values.begin(), [&](std::size_t i) { return d[i]; });
  const Selected found = select(selection.subset, n, values.data(), exponent, selection.scale);
  for (std::int64_t k = 0; k < found.count; ++k) {
    const auto from = static_cast<std::size_t>(found.first + k);
    w[k] = std::ldexp(values[from], exponent);
    if (z.data)
      std::copy_n(&u[order[from] * size + static_cast<std::size_t>(selection.first_row)], z.rows, &z(0, k));
  }
  return {Status::converged, 0, found};
}

// Vectors of at most n / 8 pairs come from the inverse iteration.
constexpr std::int64_t smallest_order_of_few = 16;
bool few(std::int64_t n, std::int64_t count) {
  return n >= smallest_order_of_few && count > 0 && count <= n / 8;
}

// A range of rows of such vectors is taken from all of their rows.
std::int64_t max_of_few(std::int64_t n, std::int64_t rows, std::int64_t most) {
  return rows > 0 && rows < n ? std::min(most, n / 8) : 0;
}

// The number of eigenvalues of tridiag(e, d, e) below x, or a number next to it. Source: Kahan 1966; LAPACK dstebz.
template <class R>
std::int64_t count_below(const std::vector<R>& d, const std::vector<R>& e, R x) {
  std::int64_t count = 0;
  R pivot = 1;
  for (std::size_t i = 0; i < d.size(); ++i) {
    pivot = (d[i] - x) - (i > 0 ? e[i - 1] * e[i - 1] / pivot : R(0));
    if (std::fabs(pivot) < std::numeric_limits<R>::min()) pivot = -std::numeric_limits<R>::min();
    count += pivot < 0;
  }
  return count;
}

// The scaled T before it was torn.
template <class R>
struct Whole {
  std::vector<R> d;
  const std::vector<R>& e;
};

// About how many pairs are wanted.
template <class R>
std::int64_t wanted_pairs(const Whole<R>& t, const Selection& selection, int exponent) {
  const Subset& subset = selection.subset;
  if (subset.by != Subset::By::value) return subset.max_count(static_cast<std::int64_t>(t.d.size()));
  const auto below = [&](double x) {
    return count_below<R>(t.d, t.e,
                          static_cast<R>(std::clamp(std::ldexp(x, -exponent - selection.scale), -4.0, 4.0)));
  };
  return below(subset.upto) - below(subset.above);
}

// A few pairs by inverse iteration. Returns false if the vectors are not good enough; z is then undefined.
template <class R>
bool solve_few(const Whole<R>& t, const dc::Division& division, const std::vector<R>& torn_d, R* d,
               MatrixView<R> z, Arena scratch, const Selection& selection, int threads,
               DivideAndConquerResult& outcome) {
  const auto n = static_cast<std::int64_t>(t.d.size());
  Arena arena = scratch;
  const typename dc::OnThreads<R>::Workspace own(arena, n, 0, n);
  dc::OnThreads<R> on(division, torn_d, t.e, d, {}, own, threads, selection);
  outcome = dc::solve_levels(on, division.tree, static_cast<dc::Index>(n), {}, selection);
  const Selected found = outcome.found;
  if (outcome.status != Status::converged || found.count == 0) return true;
  if (found.count > n / 8) return false;
  const std::vector<R> values = on.values();
  return inverse_iteration<R>(n, t.d.data(), t.e.data(), values.data() + found.first,
                              z.block(0, 0, n, found.count), scratch, threads);
}

}  // namespace

template <class R>
std::uint64_t divide_and_conquer_bytes_on_cpu(std::int64_t n, std::int64_t rows, std::int64_t most) {
  if (n > largest_order)
    throw InvalidArgument(Argument::n, "is " + std::to_string(n) +
                                           "; the divide and conquer on the CPU takes at most " +
                                           std::to_string(largest_order));
  using Workspace = typename dc::OnThreads<R>::Workspace;
  const auto bytes_of = [&](std::int64_t height) {
    return bytes_taken([&](Arena& arena) { Workspace(arena, n, height, most); });
  };
  const std::int64_t few = max_of_few(n, rows, most);
  if (few == 0) return bytes_of(rows);
  return std::max(bytes_of(rows), bytes_taken([&](Arena& arena) {
                    arena.matrix<R>(n, few, n);
                    arena.part(std::max(bytes_of(0), inverse_iteration_bytes<R>(n, few)));
                  }));
}

template <class R>
DivideAndConquerResult divide_and_conquer_on_cpu(std::int64_t n, R* d, R* e, MatrixView<same_t<R>> z,
                                                 Arena scratch, const Selection& selection) {
  if (n == 0) return {};
  std::vector<R> torn_d(d, d + n), torn_e(e, e + n - 1);
  const dc::Division division = dc::divide(torn_d, torn_e);
  if (division.not_finite >= 0) return {Status::not_converged, division.not_finite + 1, {}};
  Whole<R> whole{std::vector<R>(d, d + n), torn_e};
  for (R& x : whole.d) x = std::ldexp(x, -division.exponent);
  if (n <= largest_order_by_ql || (n <= largest_graded_order_by_ql && is_graded(whole.d)))
    return solve_small<R>(whole.d, torn_e, d, z, selection, division.exponent);
  const int threads = team_threads(n);
  const std::int64_t most = selection.subset.max_count(n);
  if (z.data && few(n, wanted_pairs(whole, selection, division.exponent))) {
    DivideAndConquerResult outcome;
    Arena rest = scratch;
    const std::int64_t columns = max_of_few(n, z.rows, most);
    const MatrixView<R> vectors = columns > 0 ? rest.matrix<R>(n, columns, n) : z;
    if (solve_few(whole, division, torn_d, d, vectors, rest, selection, threads, outcome)) {
      for (std::int64_t k = 0; columns > 0 && k < outcome.found.count; ++k)
        std::copy_n(&vectors(selection.first_row, k), z.rows, &z(0, k));
      return outcome;
    }
  }
  const dc::Rows rows = dc::rows_of(z, selection);
  const typename dc::OnThreads<R>::Workspace own(scratch, n, rows.count, most);
  dc::OnThreads<R> on(division, torn_d, torn_e, d, z, own, threads, selection);
  return dc::solve_levels(on, division.tree, static_cast<dc::Index>(n), rows, selection);
}

EIGEN_G_INSTANTIATE(real_types, divide_and_conquer_on_cpu, divide_and_conquer_bytes_on_cpu);

}  // namespace eigen_g
