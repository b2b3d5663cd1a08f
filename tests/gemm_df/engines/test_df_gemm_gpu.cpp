// Compares the double-float product with a product in long double, within the bound that gemm_df/README.md derives.
#include "tests/support/catch.hpp"
#include "tests/support/device_copy.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gemm_df/engines/double_float/df_gemm.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"

using namespace eigen_g;

namespace {

using Index = std::int64_t;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Column-major, lda > rows; the gap is NaN.
struct Matrix {
  Index rows, cols, lda;
  std::vector<double> data;
  Matrix(Index r, Index c, Index gap = 3)
      : rows(r),
        cols(c),
        lda(r + gap),
        data(static_cast<std::size_t>(lda * std::max<Index>(c, 1)), not_a_number) {}
  double& operator()(Index i, Index j) { return data[static_cast<std::size_t>(i + j * lda)]; }
  double operator()(Index i, Index j) const { return data[static_cast<std::size_t>(i + j * lda)]; }
};

class OnDevice {
 public:
  explicit OnDevice(const Matrix& host)
      : rows_(host.rows), cols_(host.cols), lda_(host.lda), memory_(static_cast<Index>(host.data.size())) {
    support::upload(memory_.data(), host.data.data(), memory_.bytes());
    EIGEN_G_CUDA(
        cudaDeviceSynchronize());  // a copy from pageable memory may end after the call; queues do not wait
  }
  MatrixView<double> view() const { return {memory_.data(), rows_, cols_, lda_}; }
  void to(Matrix& host) const {
    EIGEN_G_CUDA(cudaMemcpy(host.data.data(), memory_.data(), memory_.bytes(), cudaMemcpyDeviceToHost));
  }

 private:
  Index rows_, cols_, lda_;
  DeviceBuffer<double> memory_;
};

// Entry l of line i of `lines` lines of `terms` terms.
using Entries = double (*)(std::mt19937_64&, Index line, Index term, Index lines, Index terms);
double uniform(std::mt19937_64& random, Index, Index, Index, Index) {
  return std::uniform_real_distribution<double>(-1, 1)(random);
}
double normal(std::mt19937_64& random, Index, Index, Index, Index) {
  return std::normal_distribution<double>()(random);
}
double graded_lines(std::mt19937_64& random, Index line, Index, Index lines, Index) {
  return std::normal_distribution<double>()(random) *
         std::pow(10, 300 - 450 * static_cast<double>(line) / static_cast<double>(lines));
}
double graded_terms(std::mt19937_64& random, Index, Index term, Index, Index terms) {
  return std::normal_distribution<double>()(random) *
         std::pow(10, -12 * static_cast<double>(term) / static_cast<double>(terms));
}
double steep_terms(std::mt19937_64& random, Index, Index term, Index, Index terms) {
  return std::normal_distribution<double>()(random) *
         std::pow(10, 150 - 300 * static_cast<double>(term) / static_cast<double>(terms));
}
double wild(std::mt19937_64& random, Index, Index, Index, Index) {
  return std::uniform_real_distribution<double>(-1, 1)(random) *
         std::pow(10, std::uniform_real_distribution<double>(-150, 150)(random));
}
double huge_and_tiny_lines(std::mt19937_64& random, Index line, Index, Index, Index) {
  return std::uniform_real_distribution<double>(-1, 1)(random) * (line % 2 ? 1e300 : 1e-300);
}
double subnormal(std::mt19937_64& random, Index, Index, Index, Index) {
  return std::uniform_real_distribution<double>(-1, 1)(random) * 1e-310;
}
double same_sign(std::mt19937_64& random, Index, Index, Index, Index) {
  return std::uniform_real_distribution<double>(0.5, 1)(random);
}

struct Family {
  const char* name;
  Entries a, b;
  bool cancels = false;  // pairs of terms that nearly cancel
};
const Family families[] = {
    {"uniform", uniform, uniform},
    {"normal", normal, normal},
    {"one sign", same_sign, same_sign},
    {"cancelling", normal, normal, true},
    {"graded lines", graded_lines, uniform},
    {"graded lines on the right", uniform, graded_lines},
    {"graded terms", graded_terms, graded_terms},
    {"steep terms", steep_terms, steep_terms},
    {"wild", wild, wild},
    {"1e300 and 1e-300", huge_and_tiny_lines, uniform},
    {"subnormal", subnormal, normal},
};

struct Problem {
  Index m, n, k;
  bool a_lines_are_rows, b_lines_are_rows;
  Matrix a, b;
  double a_line(Index i, Index l) const { return a_lines_are_rows ? a(i, l) : a(l, i); }
  double b_line(Index j, Index l) const { return b_lines_are_rows ? b(j, l) : b(l, j); }

  Problem(const Family& family, Index m_, Index n_, Index k_, bool a_rows, bool b_rows, unsigned seed = 1)
      : m(m_),
        n(n_),
        k(k_),
        a_lines_are_rows(a_rows),
        b_lines_are_rows(b_rows),
        a(a_rows ? m : k, a_rows ? k : m),
        b(b_rows ? n : k, b_rows ? k : n) {
    std::mt19937_64 random(seed);
    for (Index i = 0; i < m; ++i)
      for (Index l = 0; l < k; ++l) {
        double x = family.a(random, i, l, m, k);
        if (family.cancels && l % 2) x = a_line(i, l - 1);
        (a_rows ? a(i, l) : a(l, i)) = x;
      }
    for (Index j = 0; j < n; ++j)
      for (Index l = 0; l < k; ++l) {
        double x = family.b(random, j, l, n, k);
        if (family.cancels && l % 2) x = -b_line(j, l - 1) * (1 + 1e-10 * x);
        (b_rows ? b(j, l) : b(l, j)) = x;
      }
  }
};

struct Truth {
  long double sum = 0, absolute = 0, norms = 0, largest = 0;
};

Truth truth(const Problem& p, Index i, Index j) {
  Truth t;
  long double aa = 0, bb = 0, max_a = 0, max_b = 0;
  for (Index l = 0; l < p.k; ++l) {
    const long double x = p.a_line(i, l), y = p.b_line(j, l);
    t.sum += x * y;
    t.absolute += std::fabs(x * y);
    aa += x * x;
    bb += y * y;
    max_a = std::max(max_a, std::fabs(x));
    max_b = std::max(max_b, std::fabs(y));
  }
  t.norms = std::sqrt(aa) * std::sqrt(bb);
  t.largest = max_a * max_b;
  return t;
}

// The bound of gemm_df/engines/double_float/df_gemm.hpp for a sum of k terms, which is a part of `all_terms` terms in a rank-2k
// update.
long double bound(const Truth& t, Index k, Index all_terms) {
  const auto terms = static_cast<long double>(k);
  const df::AnchoredBound anchored = df::anchored_bound(k);
  return 0x1p-45L * (all_terms < df::anchored_terms
                         ? terms * t.absolute
                         : anchored.of_terms * t.absolute + anchored.of_norms * t.norms) +
         terms * 0x1p-194L * t.largest;
}
long double bound(const Truth& t, Index k) {
  return bound(t, k, k);
}

// Roundings in double of alpha (sum) + beta c, subnormal results included; `absolute` is alpha |A||B|.
long double rounding(long double product, long double rest, long double absolute, Index k) {
  const auto sums = static_cast<long double>(k / df::part_terms);
  return 0x1p-52L * (std::fabs(product) + std::fabs(rest)) + sums * 0x1p-53L * (absolute + std::fabs(rest)) +
         0x1p-1073L;
}

struct Worst {
  long double of_bound = 0, of_aim = 0, of_absolute = 0, of_norms = 0;
  long double typical = 0;  // root mean square, in units of |a|_2 |b|_2 / sqrt(k)
};

Worst compare(const Problem& p, const Matrix& before, const Matrix& after, double alpha, double beta) {
  Worst worst;
  long double squares = 0;
  for (Index j = 0; j < p.n; ++j)
    for (Index i = 0; i < p.m; ++i) {
      const Truth t = truth(p, i, j);
      const long double product = alpha * t.sum,
                        rest = beta == 0 ? 0 : static_cast<long double>(beta) * before(i, j);
      const long double wanted = product + rest;
      if (std::fabs(wanted) > std::numeric_limits<double>::max()) {
        if (after(i, j) != (wanted > 0 ? 1 : -1) * std::numeric_limits<double>::infinity())
          worst.of_bound = 1e9L;
        continue;
      }
      const long double error = std::fabs(after(i, j) - wanted);
      const long double in_double = rounding(product, rest, std::fabs(alpha) * t.absolute, p.k);
      const long double allowed = std::fabs(alpha) * bound(t, p.k) + in_double;
      if (!(error <= allowed))
        worst.of_bound = std::max(worst.of_bound, std::isnan(error) ? 1e9L : error / allowed);
      const long double own = std::max(0.0L, error - in_double);
      worst.of_bound = std::max(worst.of_bound, error / allowed);
      if (t.absolute > 0 && alpha != 0) {
        worst.of_absolute = std::max(worst.of_absolute, own / (std::fabs(alpha) * t.absolute));
        worst.of_norms = std::max(worst.of_norms, own / (std::fabs(alpha) * t.norms));
        const long double of_norms = own / (std::fabs(alpha) * t.norms);
        squares += of_norms * of_norms;
      }
    }
  const auto terms = static_cast<long double>(std::max<Index>(p.k, 1));
  worst.of_aim = worst.of_absolute / (0x1p-46L * std::sqrt(terms));
  worst.typical = std::sqrt(squares / static_cast<long double>(std::max<Index>(p.m * p.n, 1)) * terms);
  return worst;
}

Matrix filled(Index rows, Index cols, unsigned seed) {
  Matrix c(rows, cols);
  std::mt19937_64 random(seed);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) c(i, j) = uniform(random, 0, 0, 0, 0);
  return c;
}

bool gap_untouched(const Matrix& c) {
  for (Index j = 0; j < c.cols; ++j)
    for (Index i = c.rows; i < c.lda; ++i)
      if (!std::isnan(c.data[static_cast<std::size_t>(i + j * c.lda)])) return false;
  return true;
}

df::Lines lines(bool rows) {
  return rows ? df::Lines::rows : df::Lines::columns;
}

Matrix product(const Queue& queue, const Problem& p, double alpha, double beta, const Matrix& before) {
  const OnDevice a(p.a), b(p.b), c(before);
  df::Operand left, right;
  left.convert(queue, lines(p.a_lines_are_rows), a.view());
  right.convert(queue, lines(p.b_lines_are_rows), b.view());
  DeviceBuffer<double> partials;
  df::multiply(queue, alpha, left.view(), right.view(), beta, c.view(), partials);
  queue.wait();
  Matrix after = before;
  c.to(after);
  return after;
}

}  // namespace

TEST_CASE("Double-float product: every family of entries, either sum, within the bound", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  for (const Family& family : families)
    for (const Index k : {1, 7, 31, 32, 64, 128, 130, 256, 500}) {
      CAPTURE(family.name, k);
      const Problem p(family, 67, 70, k, true, false);
      const Matrix before(p.m, p.n);  // poison: beta = 0 does not read it
      const Matrix after = product(queue, p, 1, 0, before);
      const Worst worst = compare(p, before, after, 1, 0);
      std::printf(
          "%-26s k %4d  error / bound %.3f   / (2^-46 sqrt(k) |A||B|) %8.3f   / |A||B| %.2e   / norms %.2e\n",
          family.name, static_cast<int>(k), static_cast<double>(worst.of_bound),
          static_cast<double>(worst.of_aim), static_cast<double>(worst.of_absolute),
          static_cast<double>(worst.of_norms));
      CHECK(worst.of_bound <= 1);
      CHECK(gap_untouched(after));
    }
}

TEST_CASE("Double-float product: typical errors correspond to 48 bits of each block's sum", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  for (const Family& family : {families[0], families[1]})
    for (const Index k : {128, 256, 257, 1000, 3000}) {
      CAPTURE(family.name, k);
      const Problem p(family, 67, 70, k, true, false);
      const Matrix before(p.m, p.n);
      const Worst worst = compare(p, before, product(queue, p, 1, 0, before), 1, 0);
      std::printf("%-26s k %4d  root mean square of the error %.2f 2^-48 |a||b| / sqrt(k)\n", family.name,
                  static_cast<int>(k), static_cast<double>(worst.typical * 0x1p48L));
      CHECK(worst.typical <= 0x1p-47L);
    }
}

TEST_CASE("Double-float product: every shape and both ways to store an operand", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  for (const bool a_rows : {false, true})
    for (const bool b_rows : {false, true})
      for (const Index m : {1, 2, 63, 64, 65, 131})
        for (const Index n : {1, 63, 64, 65, 130})
          for (const Index k : {0, 1, 15, 16, 17, 35, 129}) {
            CAPTURE(a_rows, b_rows, m, n, k);
            const Problem p(families[1], m, n, k, a_rows, b_rows);
            const Matrix before = filled(m, n, 5);
            const Matrix after = product(queue, p, -0.75, 1.5, before);
            CHECK(compare(p, before, after, -0.75, 1.5).of_bound <= 1);
            CHECK(gap_untouched(after));
          }
}

TEST_CASE("Double-float product: thousands of terms", "[gpu][large]") {
  NEEDS_GPU();
  const Queue queue;
  for (const Family& family : {families[0], families[1], families[3], families[6]}) {
    CAPTURE(family.name);
    const Problem p(family, 40, 130, 8192, false, false);
    const Matrix before(p.m, p.n);
    const Worst worst = compare(p, before, product(queue, p, 1, 0, before), 1, 0);
    std::printf("%-26s k %4d  error / bound %.4f   / (2^-46 sqrt(k) |A||B|) %.4f\n", family.name, 8192,
                static_cast<double>(worst.of_bound), static_cast<double>(worst.of_aim));
    CHECK(worst.of_bound <= 1);
    CHECK(worst.of_aim <= 1);
  }
}

TEST_CASE("Double-float product: few entries of many terms, whose parts are added, and many entries",
          "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  struct Shape {
    Index m, n, k;
  };
  for (const Shape& s :
       {Shape{3, 5, 2500}, Shape{64, 64, 256}, Shape{70, 129, 1000}, Shape{1400, 1300, 140}}) {
    CAPTURE(s.m, s.n, s.k);
    const Problem p(families[1], s.m, s.n, s.k, true, false);
    const Matrix before = filled(s.m, s.n, 4);
    const Matrix after = product(queue, p, 1.5, -0.5, before);
    CHECK(compare(p, before, after, 1.5, -0.5).of_bound <= 1);
    CHECK(gap_untouched(after));
    const Matrix poison(s.m, s.n);
    CHECK(compare(p, poison, product(queue, p, 1, 0, poison), 1, 0).of_bound <= 1);
  }
}

TEST_CASE("Double-float product: nothing to multiply, nothing to write", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const Problem none(families[0], 0, 5, 3, true, true);
  CHECK_NOTHROW(product(queue, none, 1, 1, Matrix(0, 5)));
  const Problem no_columns(families[0], 5, 0, 3, true, true);
  CHECK_NOTHROW(product(queue, no_columns, 1, 1, Matrix(5, 0)));

  const Problem no_terms(families[0], 66, 70, 0, true, true);  // beta C, also if beta is 0 and C is NaN
  const Matrix zeros = product(queue, no_terms, 1, 0, Matrix(66, 70));
  for (Index j = 0; j < 70; ++j)
    for (Index i = 0; i < 66; ++i) REQUIRE(zeros(i, j) == 0);
}

TEST_CASE("Double-float product: infinities and NaNs stay in their lines and in C", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  for (const Index k : {20, 200})
    for (const double bad : {not_a_number, std::numeric_limits<double>::infinity()}) {
      CAPTURE(k, bad);
      Problem p(families[1], 70, 66, k, true, true);
      p.a(3, 1) = bad;
      p.b(5, 0) = bad;
      Matrix before = filled(p.m, p.n, 3);
      before(7, 9) = bad;
      const Matrix after = product(queue, p, 1, 2, before);
      for (Index j = 0; j < p.n; ++j)
        for (Index i = 0; i < p.m; ++i) {
          if (i == 3 || j == 5)
            REQUIRE(std::isnan(after(i, j)));
          else if (i == 7 && j == 9)
            REQUIRE(!std::isfinite(after(i, j)));
          else
            REQUIRE(std::isfinite(after(i, j)));
        }
    }
}

TEST_CASE("Double-float product: the same bits every time, a converted operand used again", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  for (const Index k : {100, 700}) {
    const Problem p(families[1], 300, 200, k, false, true);
    const OnDevice a(p.a), b(p.b);
    df::Operand left, right;
    left.convert(queue, lines(false), a.view());
    right.convert(queue, lines(true), b.view());
    Matrix first(p.m, p.n);
    DeviceBuffer<double> partials;
    for (int run = 0; run < 10; ++run) {
      const OnDevice c(Matrix(p.m, p.n));
      df::multiply(queue, 1.25, left.view(), right.view(), 0, c.view(), partials);
      queue.wait();
      Matrix again(p.m, p.n);
      c.to(again);
      if (run == 0)
        first = again;
      else
        for (Index j = 0; j < p.n; ++j)
          for (Index i = 0; i < p.m; ++i) REQUIRE(again(i, j) == first(i, j));
    }
    // The transposed product C^T = B^T A^T.
    const OnDevice c(Matrix(p.n, p.m));
    df::multiply(queue, 1.25, right.view(), left.view(), 0, c.view(), partials);
    queue.wait();
    Matrix transposed(p.n, p.m);
    c.to(transposed);
    for (Index j = 0; j < p.n; ++j)
      for (Index i = 0; i < p.m; ++i)
        REQUIRE(std::fabs(transposed(j, i) - first(i, j)) <=
                2 * static_cast<double>(bound(truth(p, i, j), k)));
  }
}

TEST_CASE("Double-float rank-2k update: one triangle, the other unchanged", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const Index n : {0, 1, 64, 65, 200})
      for (const Index k : {0, 1, 15, 16, 32, 64, 128, 150, 300}) {
        CAPTURE(static_cast<char>(uplo), n, k);
        const Problem p(families[1], n, n, k, true, true);  // A and B, n x k each
        const OnDevice a(p.a), b(p.b);
        Matrix before = filled(n, n, 8);
        const auto stored = [&](Index i, Index j) { return uplo == Uplo::lower ? i >= j : i <= j; };
        for (Index j = 0; j < n; ++j)
          for (Index i = 0; i < n; ++i)
            if (!stored(i, j)) before(i, j) = not_a_number;
        for (const double beta : {1.0, 0.0, -0.5}) {
          const OnDevice c(before);
          df::Operand left, right;
          left.convert(queue, df::Lines::rows, a.view());
          right.convert(queue, df::Lines::rows, b.view());
          df::multiply_symmetric(queue, uplo, -1, left.view(), right.view(), beta, c.view());
          queue.wait();
          Matrix after = before;
          c.to(after);
          CHECK(gap_untouched(after));
          for (Index j = 0; j < n; ++j)
            for (Index i = 0; i < n; ++i) {
              if (!stored(i, j)) {
                REQUIRE(std::isnan(after(i, j)));
                continue;
              }
              const Truth ab = truth(p, i, j), ba = truth(p, j, i);
              const long double product = -(ab.sum + ba.sum),
                                rest = static_cast<long double>(beta) * before(i, j);
              const long double allowed = bound(ab, k, 2 * k) + bound(ba, k, 2 * k) +
                                          2 * rounding(ab.sum, rest, ab.absolute, k) +
                                          rounding(ba.sum, 0, ba.absolute, k);
              REQUIRE(std::fabs(after(i, j) - (product + rest)) <= allowed);
            }
        }
      }
}
