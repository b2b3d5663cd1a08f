// Operations on a whole distributed matrix, by panels of columns.
#include "solver/distributed/panels.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

#include "hybrid/error.hpp"
#include "hybrid/instantiate.hpp"
#include "solver/distributed/scalapack_calls.hpp"

namespace eigen_g::distributed {

namespace {

BlockCyclic panel_of(const BlockCyclic& layout, std::int64_t columns) {
  BlockCyclic panel = layout;
  panel.cols.n = columns;
  return panel;
}

}  // namespace

std::int64_t panel_columns(const BlockCyclic& layout) {
  constexpr std::int64_t local_columns = 256;
  const std::int64_t blocks = std::max<std::int64_t>(1, local_columns / layout.cols.block);
  return layout.cols.block * std::lcm<std::int64_t>(layout.rows.parts, layout.cols.parts) * blocks;
}

template <class T>
void for_mirrored(const LocalView<T>& a,
                  const same_t<std::function<void(std::int64_t, std::int64_t, T&, T)>>& visit) {
  constexpr T unit = 1, zero = 0;
  const std::int64_t n = a.layout.cols.n, most = panel_columns(a.layout);
  const std::int64_t rows = a.layout.rows.count();
  const LocalMatrix<T> panel(a.descriptor[1], panel_of(a.layout, std::min(most, n)));
  for (std::int64_t j0 = 0; j0 < n; j0 += most) {
    const int order = static_cast<int>(n), width = static_cast<int>(std::min(most, n - j0));
    const int from = static_cast<int>(j0) + 1;
    ptranc<T>(&order, &width, &unit, a.data, &from, &one, a.descriptor.data(), &zero, panel.data.get(), &one,
              &one, panel.descriptor.data());
    const std::int64_t first = a.layout.cols.below(j0), last = a.layout.cols.below(j0 + width);
    for (std::int64_t l = first; l < last; ++l)
      for (std::int64_t k = 0; k < rows; ++k)
        visit(a.layout.rows.global(k), a.layout.cols.global(l), a(k, l),
              panel.data[k + (l - first) * panel.layout.ld()]);
  }
}

template <class T>
void mirror(const LocalView<T>& a, Uplo from) {
  for_mirrored(a, [from](std::int64_t i, std::int64_t j, T& a_ij, T a_ji) {
    if (i == j)
      a_ij = std::real(a_ij);
    else if (from == Uplo::lower ? i < j : i > j)
      a_ij = a_ji;
  });
}

template <class T>
double largest_entry(MPI_Comm comm, Uplo uplo, const LocalView<T>& a) {
  const std::int64_t n = a.layout.rows.n, rows = a.layout.rows.count(), cols = a.layout.cols.count();
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  enum { nan, infinite, minus_infinite, kinds };
  double largest = 0;
  std::int64_t worst = none;  // (j n + i) kinds + kind of the first entry that is not finite
  for (std::int64_t l = 0; l < cols && worst == none; ++l)
    for (std::int64_t k = 0; k < rows && worst == none; ++k) {
      const std::int64_t i = a.layout.rows.global(k), j = a.layout.cols.global(l);
      if (uplo == Uplo::lower ? i < j : i > j) continue;
      for (const double x : {static_cast<double>(std::real(a(k, l))),
                             i == j ? 0.0 : static_cast<double>(std::imag(a(k, l)))}) {
        if (std::isfinite(x))
          largest = std::max(largest, std::fabs(x));
        else if (worst == none)
          worst = (j * n + i) * kinds + (std::isnan(x) ? nan : x > 0 ? infinite : minus_infinite);
      }
    }
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT64_T, MPI_MIN, comm);
  if (worst == none) return largest;
  constexpr double values[] = {std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity()};
  throw NonFiniteEntry(worst / kinds % n, worst / kinds / n, values[worst % kinds]);
}

template <class T>
void shift_columns(const LocalView<T>& z, std::int64_t by, std::int64_t count) {
  if (by == 0 || count == 0) return;
  constexpr T unit = 1, zero = 0;
  const std::int64_t most = panel_columns(z.layout);
  const LocalMatrix<T> panel(z.descriptor[1], panel_of(z.layout, std::min(most, count)));
  for (std::int64_t j0 = 0; j0 < count; j0 += most) {
    const int rows = static_cast<int>(z.layout.rows.n), width = static_cast<int>(std::min(most, count - j0));
    const int from = static_cast<int>(j0 + by) + 1;
    pgeadd<T>("N", &rows, &width, &unit, z.data, &one, &from, z.descriptor.data(), &zero, panel.data.get(),
              &one, &one, panel.descriptor.data());
    const std::int64_t first = z.layout.cols.below(j0), last = z.layout.cols.below(j0 + width);
    for (std::int64_t l = first; l < last; ++l)
      std::copy_n(&panel.data[(l - first) * panel.layout.ld()], z.layout.rows.count(), &z(0, l));
  }
}

EIGEN_G_INSTANTIATE(all_types, for_mirrored, mirror, largest_entry, shift_columns);

}  // namespace eigen_g::distributed
