// Compares products by the team of threads with a sum in long double, and their bits for several numbers of threads and parts of C.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "gemm_df/cpu_gemm.hpp"
#include "hybrid/machine/cpu.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"

using namespace eigen_g;

namespace {

constexpr std::int64_t padding = 3;

// A stored matrix with guards between its columns.
template <class R>
struct Stored {
  static constexpr R guard = R(-7.25e30);
  std::int64_t rows, cols;
  std::vector<R> values;
  Stored(std::int64_t r, std::int64_t c, unsigned seed)
      : rows(r), cols(c), values(static_cast<std::size_t>((r + padding) * c), guard) {
    const std::vector<double> entries = support::random_rectangle(r, c, seed);
    for (std::int64_t j = 0; j < c; ++j)
      for (std::int64_t i = 0; i < r; ++i) (*this)(i, j) = R(entries[static_cast<std::size_t>(i + j * r)]);
  }
  R& operator()(std::int64_t i, std::int64_t j) {
    return values[static_cast<std::size_t>(i + j * (rows + padding))];
  }
  MatrixView<R> view() { return {values.data(), rows, cols, rows + padding}; }
};

struct Shape {
  std::int64_t m, n, k;
};

template <class R>
struct Product {
  Shape s;
  Op op_a, op_b;
  R alpha, beta;
  Stored<R> a, b, c;
  Product(Shape shape, Op a_, Op b_, R alpha_, R beta_)
      : s(shape),
        op_a(a_),
        op_b(b_),
        alpha(alpha_),
        beta(beta_),
        a(a_ == Op::none ? s.m : s.k, a_ == Op::none ? s.k : s.m, 1),
        b(b_ == Op::none ? s.k : s.n, b_ == Op::none ? s.n : s.k, 2),
        c(s.m, s.n, 3) {
    if (beta == 0)
      for (std::int64_t j = 0; j < s.n; ++j)
        for (std::int64_t i = 0; i < s.m; ++i) c(i, j) = std::numeric_limits<R>::quiet_NaN();
  }
  Stored<R> by(int threads) {
    Stored<R> result = c;
    const ThreadLimit limit(threads);
    gemm_on_threads<R>(op_a, op_b, alpha, a.view(), b.view(), beta, result.view());
    return result;
  }
  // |error| <= (k + 3) u (|alpha| |A||B| + |beta C|) holds for any order of the terms.
  void check(Stored<R>& got) {
    const long double unit = std::numeric_limits<R>::epsilon() / 2;
    std::int64_t wrong = 0, touched = 0;
    for (std::int64_t j = 0; j < s.n; ++j) {
      for (std::int64_t i = 0; i < s.m; ++i) {
        long double sum = beta == 0 ? 0 : static_cast<long double>(beta) * c(i, j), size = std::fabs(sum);
        for (std::int64_t l = 0; l < s.k; ++l) {
          const long double term = static_cast<long double>(alpha) * (op_a == Op::none ? a(i, l) : a(l, i)) *
                                   (op_b == Op::none ? b(l, j) : b(j, l));
          sum += term;
          size += std::fabs(term);
        }
        wrong += !(std::fabs(sum - got(i, j)) <= static_cast<long double>(s.k + 3) * unit * size);
      }
      for (std::int64_t i = s.m; i < s.m + padding; ++i) touched += got(i, j) != Stored<R>::guard;
    }
    CHECK(wrong == 0);
    CHECK(touched == 0);
  }
};

bool same_bits(const auto& x, const auto& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), sizeof(x[0]) * x.size()) == 0;
}

}  // namespace

TEMPLATE_TEST_CASE("a product by the team of threads", "", float, double) {
  for (const Op op_a : {Op::none, Op::transpose})
    for (const Op op_b : {Op::none, Op::transpose})
      for (const Shape s : {Shape{1, 1, 1}, Shape{33, 9, 7}, Shape{128, 64, 256}, Shape{131, 70, 257},
                            Shape{300, 37, 513}, Shape{5, 600, 65}})
        for (const TestType beta : {TestType(0), TestType(1), TestType(-0.75)}) {
          CAPTURE(s.m, s.n, s.k, static_cast<char>(op_a), static_cast<char>(op_b), beta);
          Product<TestType> product(s, op_a, op_b, TestType(-1.5), beta);
          Stored<TestType> once = product.by(1);
          product.check(once);
          for (const int threads : {2, 3, 5}) CHECK(same_bits(product.by(threads).values, once.values));
        }
}

TEST_CASE("a product without terms is beta C, and one without entries is nothing") {
  for (const double beta : {0.0, 1.0, 0.5}) {
    Product<double> product({19, 5, 0}, Op::none, Op::none, 1, beta);
    Stored<double> got = product.by(2);
    product.check(got);
  }
  Product<double>({0, 4, 3}, Op::none, Op::none, 1, 0).by(2);
  Product<double>({4, 0, 3}, Op::none, Op::none, 1, 0).by(2);
}

TEST_CASE("an entry of a product has the same bits in a product of some of the rows and columns") {
  Product<double> product({203, 150, 600}, Op::transpose, Op::none, 1, 1);
  Stored<double> whole = product.by(2);
  for (const std::int64_t row : {0, 1, 77})
    for (const std::int64_t column : {0, 3, 101}) {
      CAPTURE(row, column);
      const std::int64_t rows = 203 - row, columns = 150 - column;
      Stored<double> part = product.c;
      gemm_on_threads<double>(Op::transpose, Op::none, 1, product.a.view().block(0, row, 600, rows),
                              product.b.view().block(0, column, 600, columns), 1,
                              part.view().block(row, column, rows, columns));
      std::int64_t other = 0;
      for (std::int64_t j = column; j < 150; ++j)
        for (std::int64_t i = row; i < 203; ++i) other += part(i, j) != whole(i, j);
      CHECK(other == 0);
    }
}
