#include "apps/papers/himeno.hpp"

#include <omp.h>

#include <string>
#include <utility>

#include "apps/papers/himeno_point.hpp"
#include "hybrid/error.hpp"

namespace eigen_g::papers {

HimenoGrid himeno_grid(std::string_view size) {
  if (size == "S") return {65, 65, 129};
  if (size == "M") return {129, 129, 257};
  if (size == "L") return {257, 257, 513};
  if (size == "XL") return {513, 513, 1025};
  throw InvalidArgument("size", "'" + std::string(size) + "'; S, M, L or XL is required");
}

HimenoOnHost::HimenoOnHost(const HimenoGrid& grid, int threads)
    : grid_(grid), layout_(grid), threads_(threads > 0 ? threads : omp_get_max_threads()) {
  const std::int64_t elements = layout_.elements(grid.mi), plane = layout_.plane();
  require_host_memory(static_cast<std::uint64_t>(elements) * himeno_arrays * sizeof(float));
  for (int which = 0; which < himeno_arrays; ++which) {
    arrays_.push_back(host_array<float>(elements));
    float* const to = array(which);
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::int64_t i = 0; i < grid.mi; ++i)
      for (std::int64_t e = 0; e < plane; ++e) to[i * plane + e] = himeno_start(which, i, grid.mi);
  }
}

// Calls add_row(i, values of ss, their number) for each row of the interior. The rows of a plane come in order, from one thread; planes
// come in any order.
template <class AddRow>
void HimenoOnHost::sweep_once(AddRow add_row) {
  const std::int64_t plane = layout_.plane(), row = layout_.row, last = grid_.mk - 3;
  const HimenoPointers h{array(himeno_p),   array(himeno_next), array(himeno_a0), array(himeno_a1),
                         array(himeno_a2),  array(himeno_a3),   array(himeno_b0), array(himeno_b1),
                         array(himeno_b2),  array(himeno_c0),   array(himeno_c1), array(himeno_c2),
                         array(himeno_bnd), array(himeno_wrk1)};
#pragma omp parallel num_threads(threads_)
  {
    std::vector<float> ss(static_cast<std::size_t>(grid_.mk));
    float* const out = ss.data();
#pragma omp for schedule(static)
    for (std::int64_t i = 1; i <= grid_.mi - 3; ++i)
      for (std::int64_t j = 1; j <= grid_.mj - 3; ++j) {
        const std::int64_t at = i * plane + j * row;
#pragma omp simd
        for (std::int64_t k = 1; k <= last; ++k) out[k] = himeno_point(h, at + k, plane, row);
        add_row(i, out + 1, last);
      }
  }
  std::swap(arrays_[himeno_p], arrays_[himeno_next]);
}

double HimenoOnHost::sweep(int count) {
  for (int n = 1; n < count; ++n) sweep_once([](std::int64_t, const float*, std::int64_t) {});
  std::vector<double> of_plane(static_cast<std::size_t>(grid_.mi), 0.0);
  sweep_once([&](std::int64_t i, const float* ss, std::int64_t length) {
    double sum = 0;
    for (std::int64_t k = 0; k < length; ++k) sum += static_cast<double>(ss[k]) * static_cast<double>(ss[k]);
    of_plane[static_cast<std::size_t>(i)] += sum;
  });
  double gosa = 0;
  for (const double sum : of_plane) gosa += sum;
  return gosa;
}

double HimenoOnHost::sweep_summing_in_float(int count) {
  for (int n = 1; n < count; ++n) sweep_once([](std::int64_t, const float*, std::int64_t) {});
  float gosa = 0;
  const int threads = std::exchange(threads_, 1);
  sweep_once([&](std::int64_t, const float* ss, std::int64_t length) {
    for (std::int64_t k = 0; k < length; ++k) gosa += ss[k] * ss[k];
  });
  threads_ = threads;
  return static_cast<double>(gosa);
}

}  // namespace eigen_g::papers
