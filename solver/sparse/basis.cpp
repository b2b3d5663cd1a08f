#include "solver/sparse/basis.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "hybrid/error.hpp"

namespace eigen_g {

namespace {

constexpr std::int64_t panel_entries = panel_width * panel_width;
// Pivots of the first factor may lose as many digits as the second pass gives back. The second's are near 1, else the panel was
// roundoff within V, and each such panel would multiply what V has lost.
constexpr double least_first = 1e-13, least_second = 0.999;

}  // namespace

template <class T>
Basis<T>::Basis(Executor<T>& on, std::int64_t max_panels)
    : on_(on), panel_values_(on.order() * panel_width), max_panels_(max_panels) {
  memory_ = on.take_panels(max_panels);
  small_ = on.take(basis_small_values(max_panels));
}

template <class T>
unsigned Basis<T>::orthonormalise() {
  T *const w = panel(panels_), *const r1 = small_, *const r2 = r1 + panel_entries,
           *const c1 = r2 + panel_entries;
  T *const c2 = c1 + panels_ * panel_entries, *const g = c2 + panels_ * panel_entries,
           *const inverse = g + panel_entries;
  for (const bool first : {true, false}) {
    T* const c = first ? c1 : c2;
    T* const r = first ? r1 : r2;
    if (panels_ > 0) on_.gram(panels_, memory_, w, c);
    on_.subtract(panels_, memory_, c, w, g);
    on_.factor(g, T(first ? least_first : least_second), r, inverse);
    on_.times(w, inverse);
  }
  host_.resize(static_cast<std::size_t>((2 + 2 * panels_) * panel_entries));
  on_.get(small_, static_cast<std::int64_t>(host_.size()), host_.data());
  unsigned dependent = 0;
  for (int j = 0; j < panel_width; ++j)
    if (!(host_[5 * j] > T(0)) || !(host_[panel_entries + 5 * j] >= T(least_second))) dependent |= 1u << j;
  return dependent;
}

template <class T>
const typename Basis<T>::Coefficients& Basis<T>::append() {
  unsigned dependent = orthonormalise();
  const T *const r1 = host_.data(), *const r2 = r1 + panel_entries;
  const T *const c1 = r2 + panel_entries, *const c2 = c1 + panels_ * panel_entries;
  std::vector<T>& c = coefficients_.c;
  c.assign(c1, c2);
  for (std::int64_t row = 0; row < panels_ * panel_width; ++row)  // C := C_1 + C_2 R_1
    for (int j = 0; j < panel_width; ++j)
      for (int i = 0; i <= j; ++i) c[panel_width * row + j] += c2[panel_width * row + i] * r1[4 * i + j];
  coefficients_.r.fill(T(0));
  for (int i = 0; i < panel_width; ++i)
    for (int j = i; j < panel_width; ++j)
      for (int k = i; k <= j; ++k) coefficients_.r[4 * i + j] += r2[4 * i + k] * r1[4 * k + j];
  if (!std::all_of(c.begin(), c.end(), [](T value) { return std::isfinite(value); }))
    throw InvalidArgument(Argument::a, "its product with a finite vector is not finite");
  while (dependent) {
    random_columns_ += std::popcount(dependent);
    on_.randomise(dependent, ++seed_, panel(panels_));
    dependent = orthonormalise();
  }
  ++panels_;
  return coefficients_;
}

template <class T>
void Basis<T>::append_random() {
  on_.randomise(0xf, ++seed_, panel(panels_));
  append();
}

template class Basis<double>;

}  // namespace eigen_g
