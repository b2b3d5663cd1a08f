#include "hybrid/vector/lanes.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "hybrid/vector/width.hpp"
#include "tests/hybrid/vector/lanes_kernels.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;

namespace {

template <class T>
struct Functions {
  decltype(&generic::axpy<T>) axpy;
  decltype(&generic::sum_of<T>) sum_of;
  decltype(&generic::sums_of<T>) sums_of;
  decltype(&generic::broadcast_to<T>) broadcast_to;
  decltype(&generic::larger_of<T>) larger_of;
  int lanes;
};
#define OF_WIDTH(width)                                                                               \
  Functions<T> {                                                                                      \
    width::axpy<T>, width::sum_of<T>, width::sums_of<T>, width::broadcast_to<T>, width::larger_of<T>, \
        width::lanes_of<T>()                                                                          \
  }

// The functions of every width that this processor has.
template <class T>
std::vector<Functions<T>> widths() {
  std::vector<Functions<T>> all{OF_WIDTH(generic)};
#if defined(__x86_64__)
  const VectorWidth widest = vector_width_for("");
  if (widest >= VectorWidth::avx2) all.push_back(OF_WIDTH(avx2));
  if (widest >= VectorWidth::avx512) all.push_back(OF_WIDTH(avx512));
#endif
  return all;
}

template <class T>
void check_functions() {
  for (const Functions<T>& of : widths<T>()) {
    const std::size_t l = static_cast<std::size_t>(of.lanes);
    std::vector<T> x(l * l + 1), y(l * l + 1), to(l + 1);
    std::iota(x.begin(), x.end(), T(1));
    std::fill(y.begin(), y.end(), T(3));
    of.axpy(static_cast<std::int64_t>(l * l), 2, &x[1], &y[1]);  // addresses that are not aligned
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == (i == 0 ? 3 : 2 * x[i] + 3));
    CHECK(of.sum_of(static_cast<std::int64_t>(l * l), &x[0]) == T(l * l * (l * l + 1) / 2));
    of.sums_of(&x[1], &to[1]);
    for (std::size_t c = 0; c < l; ++c)
      CHECK(to[c + 1] == std::accumulate(&x[1 + c * l], &x[1 + c * l] + l, T(0)));
    of.broadcast_to(T(-0.0), &to[1]);
    for (std::size_t c = 0; c < l; ++c) CHECK(std::signbit(to[c + 1]));
    x[0] = 100;
    y.assign(y.size(), 2);
    of.larger_of(&x[0], &y[0], &to[1]);
    for (std::size_t c = 0; c < l; ++c) CHECK(to[c + 1] == std::max(x[c], y[c]));
  }
}

}  // namespace

TEST_CASE("vectors of each width: arithmetic, sums of lanes, selection") {
  check_functions<float>();
  check_functions<double>();
}

TEST_CASE("the environment variable asks for a narrower width only") {
  const VectorWidth widest = vector_width_for("");
  CHECK(vector_width_for("generic") == VectorWidth::generic);
  CHECK(vector_width_for("avx2") == std::min(widest, VectorWidth::avx2));
  CHECK(vector_width_for("avx512") == widest);
  CHECK(vector_width_for("no width") == widest);
  CHECK(vector_width() <= widest);
  CHECK(EIGEN_G_OF_WIDTH(lanes_of<double>)() == (vector_width() == VectorWidth::avx512 ? 8
                                                 : vector_width() == VectorWidth::avx2 ? 4
                                                                                       : 4));
}
