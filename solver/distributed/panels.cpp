#include "solver/distributed/panels.hpp"

#include <algorithm>
#include <complex>
#include <numeric>

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

template void for_mirrored(const LocalView<double>&,
                           const std::function<void(std::int64_t, std::int64_t, double&, double)>&);
template void mirror(const LocalView<double>&, Uplo);
template void shift_columns(const LocalView<double>&, std::int64_t, std::int64_t);
template void for_mirrored(const LocalView<float>&,
                           const std::function<void(std::int64_t, std::int64_t, float&, float)>&);
template void mirror(const LocalView<float>&, Uplo);
template void shift_columns(const LocalView<float>&, std::int64_t, std::int64_t);
template void for_mirrored(
    const LocalView<std::complex<double>>&,
    const std::function<void(std::int64_t, std::int64_t, std::complex<double>&, std::complex<double>)>&);
template void mirror(const LocalView<std::complex<double>>&, Uplo);
template void shift_columns(const LocalView<std::complex<double>>&, std::int64_t, std::int64_t);
template void for_mirrored(
    const LocalView<std::complex<float>>&,
    const std::function<void(std::int64_t, std::int64_t, std::complex<float>&, std::complex<float>)>&);
template void mirror(const LocalView<std::complex<float>>&, Uplo);
template void shift_columns(const LocalView<std::complex<float>>&, std::int64_t, std::int64_t);

}  // namespace eigen_g::distributed
