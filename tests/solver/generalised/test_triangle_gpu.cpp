// Compares the Cholesky factor, products with it and the reduction to standard form on a GPU with LAPACK and BLAS on the CPU.
#include "solver/generalised/triangle.hpp"

#include <cblas.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/generalised/cholesky.hpp"
#include "solver/generalised/standard_form.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/generalised.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/sanitized.hpp"

using namespace eigen_g;
using support::positive_definite;
using support::random_rectangle;
using support::random_symmetric;

namespace {

template <class T>
std::vector<T> narrow(const std::vector<double>& x) {
  return std::vector<T>(x.begin(), x.end());
}

// A matrix on the GPU whose leading dimension exceeds its rows. The padding is NaN, and so is every element of a new matrix.
template <class T>
struct OnDevice {
  std::int64_t rows, cols, ld;
  DeviceBuffer<T> memory;
  OnDevice(std::int64_t r, std::int64_t c, std::int64_t padding = 3)
      : rows(r), cols(c), ld(r + padding), memory(ld * c) {
    EIGEN_G_CUDA(cudaMemset(memory.data(), 0xff, memory.bytes()));
    EIGEN_G_CUDA(cudaDeviceSynchronize());
  }
  OnDevice(const std::vector<T>& host, std::int64_t r, std::int64_t c) : OnDevice(r, c) {
    EIGEN_G_CUDA(cudaMemcpy2D(memory.data(), sizeof(T) * ld, host.data(), sizeof(T) * rows, sizeof(T) * rows,
                              cols, cudaMemcpyHostToDevice));
    EIGEN_G_CUDA(cudaDeviceSynchronize());  // a short copy may still be in flight
  }
  MatrixView<T> at() const { return {memory.data(), rows, cols, ld}; }
  std::vector<T> get() const {
    std::vector<T> host(static_cast<std::size_t>(rows * cols));
    EIGEN_G_CUDA(cudaMemcpy2D(host.data(), sizeof(T) * rows, memory.data(), sizeof(T) * ld, sizeof(T) * rows,
                              cols, cudaMemcpyDeviceToHost));
    return host;
  }
  bool padding_kept() const {
    std::vector<T> host(static_cast<std::size_t>(ld * cols));
    EIGEN_G_CUDA(cudaMemcpy(host.data(), memory.data(), memory.bytes(), cudaMemcpyDeviceToHost));
    for (std::int64_t j = 0; j < cols; ++j)
      for (std::int64_t i = rows; i < ld; ++i)
        if (host[i + j * ld] == host[i + j * ld]) return false;
    return true;
  }
};

// max |x - y| / (n ulp max |y|) over columns of n rows, or their lower triangle.
template <class T>
double distance(const std::vector<T>& x, const std::vector<T>& y, std::int64_t n, bool lower = false) {
  double error = 0, largest = 0;
  for (std::int64_t j = 0; j < static_cast<std::int64_t>(x.size()) / n; ++j)
    for (std::int64_t i = lower ? j : 0; i < n; ++i) {
      const double difference = std::fabs(double(x[i + j * n]) - double(y[i + j * n]));
      if (!(difference <= error)) error = difference;
      largest = std::max(largest, std::fabs(double(y[i + j * n])));
    }
  return error / (static_cast<double>(n) * std::numeric_limits<T>::epsilon() * largest);
}

constexpr double cond = 20, limit = 10;

template <class T>
std::vector<T> with_upper(std::vector<T> a, std::int64_t n, T fill) {
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < j; ++i) a[i + j * n] = fill;
  return a;
}

template <class T>
struct Factored {
  Queue queue;
  Products<T> products{queue};
  std::int64_t n;
  OnDevice<T> l;
  DeviceBuffer<std::int64_t> minor{1};
  std::vector<T> truth;  // LAPACK's factor, zeros above the diagonal
  explicit Factored(std::int64_t order)
      : n(order),
        l(with_upper(narrow<T>(positive_definite(n, cond)), n, std::numeric_limits<T>::quiet_NaN()), n, n),
        truth(narrow<T>(positive_definite(n, cond))) {
    REQUIRE(cholesky<T>(Uplo::lower, {truth.data(), n, n, n}) == 0);
    truth = with_upper(truth, n, T{0});
    EIGEN_G_CUDA(cudaMemset(minor.data(), 0xff, minor.bytes()));
    EIGEN_G_CUDA(cudaDeviceSynchronize());
    cholesky(products, l.at(), minor.data());
    queue.wait();
  }
  std::int64_t bad_minor() const {
    std::int64_t found = -1;
    EIGEN_G_CUDA(cudaMemcpy(&found, minor.data(), sizeof found, cudaMemcpyDeviceToHost));
    return found;
  }
};

template <class T>
void multiply(With with, Side side, Op op, std::int64_t rows, std::int64_t cols, const std::vector<T>& l,
              std::int64_t n, std::vector<T>& x) {
  const auto call = [&](auto routine) {
    routine(CblasColMajor, side == Side::left ? CblasLeft : CblasRight, CblasLower,
            op == Op::none ? CblasNoTrans : CblasTrans, CblasNonUnit, static_cast<int>(rows),
            static_cast<int>(cols), T{1}, l.data(), static_cast<int>(n), x.data(), static_cast<int>(rows));
  };
  if constexpr (std::is_same_v<T, double>)
    with == With::inverse ? call(cblas_dtrsm) : call(cblas_dtrmm);
  else
    with == With::inverse ? call(cblas_strsm) : call(cblas_strmm);
}

}  // namespace

TEMPLATE_TEST_CASE("triangle: the factor", "[gpu]", double, float) {
  NEEDS_GPU();
  using T = TestType;
  for (const std::int64_t n :
       support::sizes({1, 2, 15, 16, 17, 63, 64, 65, 128, 190, 641, 1290}, {17, 130})) {
    CAPTURE(n);
    const Factored<T> f(n), again(n);
    CHECK(f.bad_minor() == 0);
    const std::vector<T> l = f.l.get();
    CHECK(distance(l, f.truth, n, true) <= limit);
    CHECK(f.l.padding_kept());
    CHECK(distance(again.l.get(), l, n, true) == 0);
  }
}

TEST_CASE("triangle: the first bad minor, also of several", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t n : support::sizes({1, 64, 65, 200}, {65}))
    for (std::int64_t bad = 1; bad <= n; bad += n > 100 || support::sanitized() ? 17 : 5) {
      CAPTURE(n, bad);
      std::vector<double> b = positive_definite(n, cond);
      b[(n - 1) * (n + 1)] = support::nan;
      b[(bad - 1) * (n + 1)] = -1;
      const Queue queue;
      const Products<double> products(queue);
      const OnDevice<double> l(b, n, n);
      const DeviceBuffer<std::int64_t> minor(1);
      cholesky(products, l.at(), minor.data());
      queue.wait();
      std::int64_t found = -1;
      EIGEN_G_CUDA(cudaMemcpy(&found, minor.data(), sizeof found, cudaMemcpyDeviceToHost));
      CHECK(found == bad);
    }
}

TEMPLATE_TEST_CASE("triangle: products with L and its inverse, from either side", "[gpu]", double, float) {
  NEEDS_GPU();
  using T = TestType;
  for (const std::int64_t n : support::sizes({1, 63, 64, 65, 200, 333}, {65}))
    for (const std::int64_t other : support::sizes({1, 70, 401}, {70})) {
      const Factored<T> f(n);
      for (const With with : {With::inverse, With::itself}) {
        for (const Side side : {Side::left, Side::right})
          for (const Op op : {Op::none, Op::conjugate_transpose}) {
            CAPTURE(n, other, int(with), int(side), char(op));
            const std::int64_t rows = side == Side::left ? n : other, cols = side == Side::left ? other : n;
            std::vector<T> x = narrow<T>(random_rectangle(rows, cols, 4));
            const OnDevice<T> x_dev(x, rows, cols), twice(x, rows, cols);
            apply(f.products, with, side, op, f.l.at(), x_dev.at());
            apply(f.products, with, side, op, f.l.at(), twice.at());
            f.queue.wait();
            multiply(with, side, op, rows, cols, f.truth, n, x);
            const std::vector<T> got = x_dev.get(), again = twice.get();
            CHECK(distance(got, x, rows) * double(rows) / double(n) <= limit * cond);
            CHECK(std::memcmp(got.data(), again.data(), got.size() * sizeof(T)) == 0);
            CHECK(x_dev.padding_kept());
          }
      }
    }
}

TEMPLATE_TEST_CASE("triangle: standard form, whole and recursive, and back", "[gpu]", double, float) {
  NEEDS_GPU();
  using T = TestType;
  for (const std::int64_t n : support::sizes({1, 65, 130, 1700, 6300}, {65})) {
    const Factored<T> f(n);
    for (const int itype : {1, 2, 3}) {
      CAPTURE(n, itype);
      const std::vector<T> a = narrow<T>(random_symmetric(n, 6));
      std::vector<T> truth = a, got[2];
      for (std::vector<T>& g : got) {
        const OnDevice<T> a_dev(with_upper(a, n, std::numeric_limits<T>::quiet_NaN()), n, n);
        const DeviceBuffer<T> y(standard_form_scratch(n));
        if (y.size() > 0) EIGEN_G_CUDA(cudaMemset(y.data(), 0xff, y.bytes()));
        EIGEN_G_CUDA(cudaDeviceSynchronize());
        to_standard_form(f.products, itype, f.l.at(), a_dev.at(), y.data());
        f.queue.wait();
        g = a_dev.get();
        CHECK(a_dev.padding_kept());
      }
      to_standard_form<T>(itype, Uplo::lower, {truth.data(), n, n, n}, {f.truth.data(), n, n, n});
      CHECK(distance(got[0], truth, n, true) <= limit * cond);
      CHECK(distance(got[1], got[0], n, true) == 0);
    }
    for (const int itype : {3, 2}) {
      std::vector<T> x = narrow<T>(random_rectangle(n, 5));
      const OnDevice<T> x_dev(x, n, 5);
      from_standard_form(f.products, itype, f.l.at(), x_dev.at());
      f.queue.wait();
      from_standard_form<T>(itype, Uplo::lower, {f.truth.data(), n, n, n}, {x.data(), n, 5, n});
      CHECK(distance(x_dev.get(), x, n) <= limit * cond);
    }
  }
}

TEMPLATE_TEST_CASE("triangle: mirror and subtract", "[gpu]", double, float) {
  NEEDS_GPU();
  using T = TestType;
  for (const std::int64_t n : {1, 31, 32, 33, 100, 257}) {
    const std::vector<T> full = narrow<T>(random_rectangle(n, n));
    for (const Uplo from : {Uplo::lower, Uplo::upper}) {
      CAPTURE(n, support::name(from));
      const OnDevice<T> a(full, n, n), c(full, n, n);
      const Queue queue;
      mirror(queue, from, a.at());
      subtract<T>(queue, a.at(), c.at());
      queue.wait();
      const std::vector<T> mirrored = a.get(), difference = c.get();
      bool right = true;
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i) {
          const bool stored = from == Uplo::lower ? i >= j : i <= j;
          right = right && mirrored[i + j * n] == (stored ? full[i + j * n] : full[j + i * n]) &&
                  difference[i + j * n] == full[i + j * n] - mirrored[i + j * n];
        }
      CHECK(right);
      CHECK(a.padding_kept());
      CHECK(c.padding_kept());
    }
  }
}
