// Runs the kernels of gemm_df/engines/ozaki on the CPU, with each thread as a fiber. The products of bytes between them are loops.
#include "tests/support/emulation.hpp"
// The kernels follow the emulation.
#include "gemm_df/engines/ozaki/launching.cuh"
#include "gemm_df/engines/ozaki/product_kernel.cuh"

#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "hybrid/matrix_view.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;
using namespace eigen_g::ozaki;

namespace {

using Index = std::int64_t;
__extension__ typedef __int128 Signed;
__extension__ typedef __float128 Quad;

const auto emulated = [](auto kernel, Index blocks, int shared, const auto&... arguments) {
  emulation::launch(kernel, blocks, threads, shared, arguments...);
};

// Memory that is aligned as on a GPU and full of NaNs.
template <class T>
struct Poisoned {
  explicit Poisoned(Index count) : words(static_cast<std::size_t>(count) * sizeof(T) / 16 + 2) {
    std::memset(words.data(), 0xff, words.size() * sizeof(Word));
  }
  T* data() { return reinterpret_cast<T*>(words.data()); }
  struct alignas(16) Word {
    std::uint64_t x[2];
  };
  std::vector<Word> words;
};

struct Converted {
  Converted(int moduli, const Pieces& pieces)
      : residues(planes_of(moduli) * pieces.padded_lines() * pieces.stride()),
        parts(pieces.lines() * pieces.parts()),
        bases(pieces.padded_lines() + 1) {
    const OperandMemory memory{residues.data(), parts.data(), bases.data(),
                               bases.data() + pieces.padded_lines()};
    if (moduli == 14) view = queue_operand<14>(emulated, pieces, memory);
    if (moduli == 15) view = queue_operand<15>(emulated, pieces, memory);
    if (moduli == 16) view = queue_operand<16>(emulated, pieces, memory);
    if (moduli == 18) view = queue_operand<18>(emulated, pieces, memory);
  }
  Poisoned<std::int8_t> residues;
  Poisoned<Squares> parts;
  Poisoned<int> bases;
  OperandView view;
};

// sum_l a(i, l) b(j, l) of the residues modulo number p.
Index sum_of_residues(const OperandView& a, const OperandView& b, int p, Index i, Index j) {
  Index sum = 0;
  for (Index l = 0; l < b.terms; ++l)
    sum += Index{a.residues.data[p * a.residues.step + i * a.residues.stride + l]} *
           b.residues.data[p * b.residues.step + j * b.residues.stride + l];
  return sum;
}

// As above, modulo a modulus of products of floats; at least 0.
Index residue_of_float_sums(const OperandView& a, const OperandView& b, int modulus, Index i, Index j) {
  const FloatModulus m = FloatModulus::of(modulus);
  constexpr Index weights[] = {306, 18, -17};
  const auto at = [&](const OperandView& x, int plane, Index line, Index l) {
    return static_cast<Index>(
        emulated::e4m3(x.residues.data[plane * x.residues.step + line * x.residues.stride + l]));
  };
  Index sum = 0;
  for (int digit = 0; digit < m.digits; ++digit)
    for (Index l = 0; l < b.terms; ++l)
      sum += (m.digits == 1 ? 1 : weights[digit]) * at(a, m.first_plane + digit, i, l) *
             at(b, m.first_plane + digit, j, l);
  const Index p = float_moduli[static_cast<std::size_t>(modulus)];
  return (sum % p + p) % p;
}

template <int count>
void reconstruct(const Sums& sums, const OperandView& a, const OperandView& b, const Result& result) {
  queue_result<count>(emulated, sums, a, b, result);
}
template <int count>
void reconstruct(const Planes& planes, const OperandView& a, const OperandView& b, const Result& result) {
  queue_result_of_planes<count>(emulated, planes, a, b, result);
}
template <class From>
void reconstruct(int moduli, const From& from, const OperandView& a, const OperandView& b,
                 const Result& result) {
  if (moduli == 14) reconstruct<14>(from, a, b, result);
  if (moduli == 15) reconstruct<15>(from, a, b, result);
  if (moduli == 16) reconstruct<16>(from, a, b, result);
  if constexpr (std::is_same_v<From, Planes>)
    if (moduli == 18) reconstruct<18>(from, a, b, result);
}

// As multiply() of ozaki_gemm.hpp, in one block, from the sums. The result from planes must be the same. Products of floats have planes only.
void multiply(int moduli, double alpha, const OperandView& a, const OperandView& b, double beta,
              MatrixView<double> c, bool lower = false, Index row_step = 1) {
  const Index rows = whole(a.lines, tile_lines) * tile_lines, plane = whole(a.lines, plane_rows) * plane_rows;
  std::vector<std::int32_t> sums(static_cast<std::size_t>(moduli * rows * b.lines));
  Poisoned<std::uint8_t> residues(moduli * plane * b.lines * bytes_of_residue(moduli));
  for (int p = 0; p < moduli; ++p)
    for (Index j = 0; j < b.lines; ++j)
      for (Index i = 0; i < a.lines; ++i) {
        if (has_floats(moduli)) {
          reinterpret_cast<std::uint16_t*>(residues.data())[(p * b.lines + j) * plane + place_in_plane(i)] =
              static_cast<std::uint16_t>(residue_of_float_sums(a, b, p, i, j));
          continue;
        }
        const Index sum = sum_of_residues(a, b, p, i, j);
        REQUIRE(std::abs(sum) <= std::numeric_limits<std::int32_t>::max());
        sums[static_cast<std::size_t>(p * rows * b.lines + i + j * rows)] = static_cast<std::int32_t>(sum);
        residues.data()[(p * b.lines + j) * plane + place_in_plane(i)] = static_cast<std::uint8_t>(
            SumModulus::of(all_moduli[static_cast<std::size_t>(p)]).residue(static_cast<std::int32_t>(sum)));
      }
  Result result{c.data, row_step, c.lda, a.lines, b.lines, alpha, beta, lower ? 0 : INT64_MIN};
  const auto size = static_cast<std::size_t>((c.cols - 1) * c.lda + (c.rows - 1) * row_step + 1);
  const std::vector<double> before(c.data, c.data + size);
  if (has_floats(moduli))
    reconstruct(moduli, Planes{residues.data(), plane * b.lines, plane}, a, b, result);
  else
    reconstruct(moduli, Sums{sums.data(), rows * b.lines, rows}, a, b, result);
  const std::vector<double> from_sums(c.data, c.data + size);
  for (const bool pairs : {false, true}) {
    if (pairs && (row_step != 1 || c.lda % 2 != 0)) continue;
    result.pairs = pairs;
    std::copy(before.begin(), before.end(), c.data);
    reconstruct(moduli, Planes{residues.data(), plane * b.lines, plane}, a, b, result);
    CHECK(std::memcmp(c.data, from_sums.data(), size * sizeof(double)) == 0);
  }
  queue_repair(emulated, a, b, result, 2);
}

// `lines` lines of `terms` terms; terms adjacent, or lines adjacent.
struct Matrix {
  Matrix(Index line_count, Index term_count, bool adjacent)
      : lines(line_count),
        terms(term_count),
        terms_adjacent(adjacent),
        values(static_cast<std::size_t>((line_count + 3) * (term_count + 3)), std::nan("")) {}
  double& operator()(Index line, Index term) {
    return values[static_cast<std::size_t>(terms_adjacent ? term + line * (terms + 3)
                                                          : line + term * (lines + 3))];
  }
  Source source() const {
    return terms_adjacent ? Source{values.data(), terms + 3, 1, lines, terms}
                          : Source{values.data(), 1, lines + 3, lines, terms};
  }
  Index lines, terms;
  bool terms_adjacent;
  std::vector<double> values;
};

using Fill = std::function<double(std::mt19937_64&, Index line, Index term)>;
Matrix filled(Index lines, Index terms, bool adjacent, unsigned seed, const Fill& value) {
  std::mt19937_64 random(seed);
  Matrix x(lines, terms, adjacent);
  for (Index i = 0; i < lines; ++i)
    for (Index l = 0; l < terms; ++l) x(i, l) = value(random, i, l);
  return x;
}
double uniform(std::mt19937_64& random) {
  return std::uniform_real_distribution<double>(-1, 1)(random);
}

// Errors of C = A B^T, relative to |a|_2 |b|_2 and to |A||B|: the largest of all entries.
struct Errors {
  double of_norms = 0, of_terms = 0;
};
Errors errors(Matrix& a, Matrix& b, const std::function<double(Index, Index)>& c) {
  Errors worst;
  for (Index i = 0; i < a.lines; ++i)
    for (Index j = 0; j < b.lines; ++j) {
      Quad sum = 0, absolute = 0, square_a = 0, square_b = 0;
      for (Index l = 0; l < a.terms; ++l) {
        const Quad x = a(i, l), y = b(j, l);
        sum += x * y;
        absolute += x * y < 0 ? -x * y : x * y;
        square_a += x * x;
        square_b += y * y;
      }
      Quad off = sum - c(i, j);
      if (off < 0) off = -off;
      const auto relative = [&](Quad to) {
        return to > 0 ? static_cast<double>(off / to) : off > 0 ? HUGE_VAL : 0;
      };
      const auto root = [](Quad x) { return Quad(sqrtl(static_cast<long double>(x))); };
      worst.of_norms = std::max(worst.of_norms, relative(root(square_a) * root(square_b)));
      worst.of_terms = std::max(worst.of_terms, relative(absolute));
    }
  return worst;
}
double native(Matrix& a, Matrix& b, Index i, Index j) {
  double sum = 0;
  for (Index l = 0; l < a.terms; ++l) sum = std::fma(a(i, l), b(j, l), sum);
  return sum;
}

std::vector<double> product(int moduli, const Matrix& a, const Matrix& b) {
  const Converted left(moduli, {a.source()}), right(moduli, {b.source()});
  std::vector<double> c(static_cast<std::size_t>(a.lines * b.lines), std::nan(""));
  multiply(moduli, 1, left.view, right.view, 0, {c.data(), a.lines, b.lines, a.lines});
  return c;
}

template <int count>
double through_residues(Signed x) {
  Fraction f;
  for_each_modulus<count>([&](auto i) {
    using M = Modulus<count, decltype(i)::value>;
    auto r = static_cast<int>(x % M::p);
    f.add<M>(static_cast<std::uint32_t>(r < 0 ? r + M::p : r));
  });
  return f.value<count>();
}

template <int count>
void check_fractions() {
  std::mt19937_64 random(count);
  const Wide half = product_of_moduli(count) / 2;
  for (int i = 0; i < 2000; ++i) {
    Wide size = (static_cast<Wide>(random()) << 64 | random()) % half;
    size >>= i % 120;
    const auto x = static_cast<Signed>(size);
    for (const Signed y : {x, -x}) {
      const double got = through_residues<count>(y);
      Quad off = static_cast<Quad>(y) - static_cast<Quad>(got);
      if (off < 0) off = -off;
      const Quad limit = static_cast<Quad>(size) * Quad(0x1p-51) + static_cast<Quad>(half) * Quad(0x1p-82);
      CHECK(static_cast<bool>(off <= limit));
    }
  }
}

}  // namespace

TEST_CASE("The moduli are coprime, and their product leaves the bits that the header states") {
  for (int i = 0; i < max_moduli; ++i)
    for (int j = 0; j < i; ++j)
      CHECK(std::gcd(all_moduli[static_cast<std::size_t>(i)], all_moduli[static_cast<std::size_t>(j)]) == 1);
  CHECK(std::log2(largest_square(14)) / 2 == Approx(54.58).epsilon(0.001));
  CHECK(std::log2(largest_square(15)) / 2 == Approx(58.39).epsilon(0.001));
  CHECK(std::log2(largest_square(16)) / 2 == Approx(62.18).epsilon(0.001));
  for (std::size_t i = 0; i < float_moduli.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK(std::gcd(float_moduli[i], float_moduli[j]) == 1);
  CHECK(std::log2(largest_square(moduli_of_floats)) / 2 == Approx(58.13).epsilon(0.0005));
  CHECK(planes_of(moduli_of_floats) == 34);
}

TEST_CASE("Integers up to 16 as floats of 8 bits") {
  for (int x = -16; x <= 16; ++x) {
    CHECK(e4m3_of(x) <= 255);
    CHECK(emulated::e4m3(static_cast<std::int8_t>(e4m3_of(x))) == static_cast<float>(x));
  }
}

TEST_CASE("The digits of a number's residues are floats of 8 bits, and give the number modulo each modulus") {
  std::mt19937_64 random(1);
  for (int n = 0; n < 3000; ++n) {
    std::int64_t x[4];
    for (std::int64_t& y : x) y = static_cast<std::int64_t>(random()) >> (1 + n % 63);
    if (n == 0) x[0] = INT64_MAX / 100 * 98, x[1] = -x[0], x[2] = 288, x[3] = -288;
    std::int8_t out[planes_of(18)][4];
    put_residues<18>(out[0], 4, digits_of(x[0]), digits_of(x[1]), digits_of(x[2]), digits_of(x[3]));
    for (int i = 0; i < moduli_of_floats; ++i)
      for (int number = 0; number < 4; ++number) {
        const FloatModulus m = FloatModulus::of(i);
        const auto digit = [&](int plane) {
          const float value = emulated::e4m3(out[m.first_plane + plane][number]);
          REQUIRE((std::abs(value) <= 16 && value == std::trunc(value)));
          return static_cast<Index>(value);
        };
        const Index residue = m.digits == 1 ? digit(0) : 17 * digit(0) + digit(1);
        if (m.digits == 3) REQUIRE(digit(2) == digit(1) - digit(0));
        if ((x[number] - residue) % float_moduli[static_cast<std::size_t>(i)] != 0)
          FAIL(x[number] << " modulo number " << i << " is not " << residue);
      }
  }
}

TEST_CASE("Sums in floats are reduced exactly, also at the edges of what max_terms terms give") {
  std::mt19937_64 random(2);
  const Index edge = 256 * max_terms + 290;
  REQUIRE(edge <= 1 << 24);
  for (int i = 0; i < moduli_of_floats; ++i) {
    const FloatModulus m = FloatModulus::of(i);
    const Index p = float_moduli[static_cast<std::size_t>(i)];
    for (int n = 0; n < 3000; ++n) {
      const Index sum = n < 2   ? (n == 0 ? edge : -edge)
                        : n < 9 ? (n - 5) * p
                                : static_cast<Index>(random() % (2 * std::uint64_t(edge))) - edge;
      const float near = m.near_zero(static_cast<float>(sum));
      REQUIRE(std::abs(near) <= static_cast<float>(p) / 2 + 1);
      if ((sum - static_cast<Index>(near)) % p != 0) FAIL(sum << " modulo " << p << " is not " << near);
      const Index factor = m.digits == 1 ? 1 : static_cast<Index>(m.factors[n % 3]);
      const std::uint32_t r = m.residue(m.after_plane(static_cast<float>(sum), static_cast<float>(factor)));
      REQUIRE(r < p);
      REQUIRE((sum % p * factor - r) % p == 0);
      if (sum % p == 0) REQUIRE(r == 0);
    }
    if (m.digits == 1) continue;
    // 306, 18 and -17 for the three sums
    Index weight = 1;
    constexpr Index wanted[] = {306, 18, -17};
    for (int digit = 2; digit >= 0; --digit) {
      weight = weight * static_cast<Index>(m.factors[digit]) % p;
      CHECK((weight - wanted[digit]) % p == 0);
    }
  }
}

TEST_CASE("A residue is that of the number, in a signed byte") {
  std::mt19937_64 random(1);
  for (int n = 0; n < 3000; ++n) {
    auto x = static_cast<std::int64_t>(random()) >> (1 + n % 63);
    if (n == 0) x = INT64_MAX / 100 * 98;
    if (n == 1) x = -(INT64_MAX / 100 * 98);
    for_each_modulus<16>([&](auto i) {
      using M = Modulus<16, decltype(i)::value>;
      const auto r = static_cast<std::int8_t>(residue_of<M>(digits_of(x)) & 255);
      if ((x - r) % M::p != 0) FAIL(x << " mod " << M::p << " is not " << int{r});
      if (M::p < 256) CHECK(std::abs(int{r}) <= 127);
    });
  }
}

TEST_CASE("A residue of a sum is right for every sum, also at the edges of what max_terms terms give") {
  std::mt19937_64 random(2);
  const auto edge = static_cast<std::int32_t>(128 * 128 * max_terms);
  for (int n = 0; n < 3000; ++n) {
    const auto sum = n < 2 ? (n == 0 ? edge : -edge)
                           : static_cast<std::int32_t>(
                                 static_cast<std::int64_t>(random() % (2 * std::uint64_t(edge))) - edge);
    for_each_modulus<16>([&](auto i) {
      using M = Modulus<16, decltype(i)::value>;
      const std::uint32_t r = residue_of_sum<M>(sum);
      if (r >= M::p || (std::int64_t{sum} - r) % M::p != 0) FAIL(sum << " mod " << M::p << " is not " << r);
    });
  }
}

TEST_CASE("A number is found again from its residues") {
  check_fractions<14>();
  check_fractions<15>();
  check_fractions<16>();
  check_fractions<18>();
}

TEST_CASE("The integer of an entry is rounded to nearest, for every exponent") {
  std::mt19937_64 random(3);
  for (int n = 0; n < 5000; ++n) {
    const std::uint64_t bits = random();
    const double x = double_of(bits);
    if (!std::isfinite(x)) continue;
    const int target = static_cast<int>(random() % 70) - 6;  // the integer has about this number of bits
    const int base = target - 53 - field_of(bits);
    if (target > 62) continue;
    const std::int64_t got = integer_of(bits, base);
    const long double exact = std::ldexp(static_cast<long double>(x), base + 1075);
    CHECK(got == std::llround(exact));
  }
  CHECK(integer_of(bits_of(5e-324), -1 + 60) == std::int64_t{1} << 60);
  CHECK(integer_of(bits_of(-5e-324), -1 + 60) == -(std::int64_t{1} << 60));
  CHECK(integer_of(bits_of(0.0), 1000) == 0);
}

TEST_CASE("Products of ragged sizes: C, guards, alpha and beta, both ways to store the operands") {
  for (const auto& [m, n, k] :
       {std::array<Index, 3>{1, 1, 1}, {17, 5, 15}, {16, 33, 16}, {35, 18, 130}, {3, 2, 1029}})
    for (const bool left : {false, true})
      for (const bool right : {false, true}) {
        CAPTURE(m, n, k, left, right);
        emulation::seed(static_cast<unsigned>(m + n));
        const auto value = [](std::mt19937_64& r, Index, Index) { return uniform(r); };
        Matrix a = filled(m, k, left, 1, value), b = filled(n, k, right, 2, value);
        const int count = m % 2 == 0 ? 15 : 18;
        const Converted x(count, {a.source()}), y(count, {b.source()});
        const Index lda = m + 2;
        std::vector<double> c(static_cast<std::size_t>(lda * n)), before;
        std::mt19937_64 random(3);
        for (double& e : c) e = uniform(random);
        before = c;
        multiply(count, 2, x.view, y.view, -3, {c.data(), m, n, lda});
        for (Index j = 0; j < n; ++j)
          for (Index i = 0; i < lda; ++i) {
            const auto at = static_cast<std::size_t>(i + j * lda);
            if (i >= m)
              CHECK(c[at] == before[at]);
            else
              CHECK(c[at] == Approx(2 * native(a, b, i, j) - 3 * before[at]).epsilon(1e-13).margin(1e-14));
          }
        multiply(count, 1, x.view, y.view, 0, {c.data(), m, n, lda});
        const Errors e =
            errors(a, b, [&](Index i, Index j) { return c[static_cast<std::size_t>(i + j * lda)]; });
        CHECK(e.of_norms <= 0x1p-52);
      }
}

TEST_CASE("Errors compared with those of native products") {
  struct Family {
    const char* name;
    Fill a, b;
  };
  const Fill random = [](std::mt19937_64& r, Index, Index) { return uniform(r); };
  const Fill normal = [](std::mt19937_64& r, Index, Index) { return std::normal_distribution<double>()(r); };
  const Fill graded = [](std::mt19937_64& r, Index i, Index) {
    return uniform(r) * std::pow(10.0, -20.0 * double(i));
  };
  const Fill scaled = [](std::mt19937_64& r, Index, Index l) {
    return uniform(r) * std::pow(10.0, double(l % 7) - 3);
  };
  const Fill one_sign = [](std::mt19937_64& r, Index, Index) { return 1 + uniform(r); };
  const Fill spread = [](std::mt19937_64& r, Index, Index) {
    return uniform(r) * std::exp(std::normal_distribution<double>()(r));
  };
  const Family families[] = {{"random", random, random},
                             {"normal", normal, normal},
                             {"graded rows", graded, graded},
                             {"ill-scaled columns", scaled, random},
                             {"ill-scaled columns, both", scaled, scaled},
                             {"one sign", one_sign, one_sign},
                             {"spread", spread, spread}};
  for (const Family& family : families)
    for (const Index k : {64, 512, 2048}) {
      CAPTURE(family.name, k);
      Matrix a = filled(9, k, false, 5, family.a), b = filled(8, k, true, 6, family.b);
      const Errors of_native = errors(a, b, [&](Index i, Index j) { return native(a, b, i, j); });
      for (const int count : {14, 15, 16, 18}) {
        CAPTURE(count);
        const std::vector<double> c = product(count, a, b);
        const Errors e =
            errors(a, b, [&](Index i, Index j) { return c[static_cast<std::size_t>(i + j * a.lines)]; });
        const double r = std::sqrt(largest_square(count)), terms = static_cast<double>(k);
        CHECK(e.of_norms <= 2.02 * std::sqrt(terms) / r + terms / r / r + 0x1p-80 + 3 * 0x1p-53);
        if (count == 14)
          CHECK(e.of_norms <= 4 * of_native.of_norms);
        else
          CHECK(e.of_terms <= 1.2 * of_native.of_terms);
      }
    }
}

TEST_CASE("The largest number of terms, all with the largest residues") {
  // 128 is the residue of largest size modulo 256. With equal terms all sums are as large as they can be.
  const Index k = max_terms;
  Matrix a(1, k, true), b(2, k, true);
  for (Index l = 0; l < k; ++l) {
    a(0, l) = 1;
    b(0, l) = 1;
    b(1, l) = l % 2 == 0 ? 1 : -1;
  }
  const Converted x(15, {a.source()});
  const int shift = x.view.bases[0] + 1075;  // 1 becomes 2^shift
  REQUIRE(shift >= 9);
  const double worst = 1 + std::ldexp(128.0, -shift);  // its integer is 128 modulo 256
  for (Index l = 0; l < k; ++l) {
    a(0, l) = b(0, l) = worst;
    b(1, l) = l % 2 == 0 ? worst : -worst;
  }
  const std::vector<double> c = product(15, a, b);
  CHECK(c[0] == Approx(static_cast<double>(k) * worst * worst).epsilon(1e-14));
  CHECK(c[1] == 0);
}

TEST_CASE("Infinities and NaNs give what sums in double give, and nothing else changes") {
  const Index m = 20, n = 19, k = 40;
  const auto value = [](std::mt19937_64& r, Index, Index) { return uniform(r); };
  for (const double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    Matrix a = filled(m, k, false, 1, value), b = filled(n, k, true, 2, value);
    const std::vector<double> finite = product(15, a, b);
    a(3, 7) = bad;
    b(11, 39) = bad;
    b(12, 7) = 0;
    const std::vector<double> c = product(15, a, b);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < m; ++i) {
        CAPTURE(i, j, bad);
        const double got = c[static_cast<std::size_t>(i + j * m)], sum = native(a, b, i, j);
        if (i != 3 && j != 11 && j != 12) {
          CHECK(got == finite[static_cast<std::size_t>(i + j * m)]);
        } else if (std::isnan(sum)) {
          CHECK(std::isnan(got));
        } else {
          CHECK(got == Approx(sum));
        }
      }
  }
}

TEST_CASE("Zero lines, subnormal lines, lines of 1e300 and 1e-300, and results that overflow") {
  const Index k = 50;
  Matrix a = filled(6, k, true, 1, [](std::mt19937_64& r, Index i, Index) {
    constexpr double sizes[] = {0, 1e-310, 1e300, 1e-300, 1, 5e-324};
    return sizes[i] * (i == 5 ? 1 : uniform(r));
  });
  Matrix b = filled(5, k, false, 2, [](std::mt19937_64& r, Index i, Index) {
    constexpr double sizes[] = {0, 1e300, 1e-300, 1, 5e-324};
    return sizes[i] * (i == 4 ? 1 : uniform(r));
  });
  const std::vector<double> c = product(15, a, b);
  for (Index i = 0; i < a.lines; ++i)
    for (Index j = 0; j < b.lines; ++j) {
      CAPTURE(i, j);
      const double got = c[static_cast<std::size_t>(i + j * a.lines)];
      long double sum = 0, size = 0;
      for (Index l = 0; l < k; ++l) {
        const long double x = static_cast<long double>(a(i, l)) * b(j, l);
        sum += x;
        size += std::abs(x);
      }
      if (size == 0) CHECK(got == 0);
      if (std::abs(sum) > std::numeric_limits<double>::max())
        CHECK(got == std::copysign(HUGE_VAL, static_cast<double>(sum)));
      else
        CHECK(std::abs(got - sum) <= 1e-15L * size + 5e-324L);
    }
}

TEST_CASE("A rank-2k update on the lower triangle, from one operand") {
  const Index n = 37, k = 21;
  const auto value = [](std::mt19937_64& r, Index, Index) { return uniform(r); };
  Matrix a = filled(n, k, false, 1, value), b = filled(n, k, false, 2, value);
  const Converted both(15, {a.source(), b.source(), Pieces::Third::first});
  std::vector<double> c(static_cast<std::size_t>(n * n), 1.5);
  multiply(15, -1, both.view, both.view.behind_first(), 1, {c.data(), n, n, n}, true);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) {
      const double got = c[static_cast<std::size_t>(i + j * n)];
      if (i < j)
        CHECK(got == 1.5);
      else
        CHECK(got == Approx(1.5 - native(a, b, i, j) - native(b, a, i, j)).epsilon(1e-13).margin(1e-14));
    }
}

TEST_CASE(
    "Lines and terms of an operand that begin anywhere, and the order of threads, do not change a bit") {
  const auto value = [](std::mt19937_64& r, Index, Index) { return uniform(r); };
  Matrix a = filled(40, 96, false, 1, value), b = filled(10, 64, true, 2, value);
  const Converted right(15, {b.source()});
  std::vector<std::vector<double>> results;
  for (const unsigned seed : {1U, 2U}) {
    emulation::seed(seed);
    const Converted left(15, {a.source()});
    OperandView part = left.view.part(5, 20);
    part.residues.data += 32;
    part.first = a.source().part(5, 20, 32, 64);
    std::vector<double> c(20 * 10, std::nan(""));
    multiply(15, 1, part, right.view, 0, {c.data(), 20, 10, 20});
    results.push_back(c);
  }
  CHECK(results[0] == results[1]);
  for (Index j = 0; j < 10; ++j)
    for (Index i = 0; i < 20; ++i) {
      double sum = 0;
      for (Index l = 0; l < 64; ++l) sum += a(5 + i, 32 + l) * b(j, l);
      CHECK(results[0][static_cast<std::size_t>(i + j * 20)] == Approx(sum).epsilon(1e-13).margin(1e-14));
    }
}

TEST_CASE("A complex product by two real ones, with conjugates") {
  using Complex = std::complex<double>;
  const Index m = 19, n = 18, k = 35, lda = 21;
  std::mt19937_64 random(1);
  std::vector<Complex> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(n * k)),
      c(static_cast<std::size_t>(lda * n), Complex(7, 8));
  for (Complex& x : a) x = {uniform(random), uniform(random)};
  for (Complex& x : b) x = {uniform(random), uniform(random)};
  const auto part = [](const std::vector<Complex>& x, Index lines, Index terms, bool adjacent, int which) {
    return Source{reinterpret_cast<const double*>(x.data()) + which, adjacent ? 2 * terms : 2,
                  adjacent ? 2 : 2 * lines, lines, terms};
  };
  for (const bool conjugated : {false, true}) {
    // Lines of A are rows of an m x k matrix, lines of B columns of a k x n one.
    const Source imaginary = part(b, n, k, true, 1);
    const Converted left(15, {part(a, m, k, false, 1), part(a, m, k, false, 0)}),
        right(15, {conjugated ? imaginary : imaginary.opposite(), part(b, n, k, true, 0),
                   Pieces::Third::minus_first});
    for (int product = 0; product < 2; ++product)
      multiply(15, -2, left.view, product == 0 ? right.view : right.view.behind_first(), product == 0 ? 1 : 0,
               {reinterpret_cast<double*>(c.data()) + product, m, n, 2 * lda}, false, 2);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < lda; ++i) {
        const Complex got = c[static_cast<std::size_t>(i + j * lda)];
        if (i >= m) {
          CHECK(got == Complex(7, 8));
          continue;
        }
        Complex sum = 0;
        for (Index l = 0; l < k; ++l) {
          const Complex y = b[static_cast<std::size_t>(l + j * k)];
          sum += a[static_cast<std::size_t>(i + l * m)] * (conjugated ? std::conj(y) : y);
        }
        const Complex expected(7 - 2 * sum.real(), -2 * sum.imag());
        CHECK(std::abs(got - expected) < 1e-13);
      }
    std::fill(c.begin(), c.end(), Complex(7, 8));
  }
}

TEST_CASE("The order of tiles has every tile that is needed once in each plane, for any number of clusters") {
  for (const auto& [rows, columns, width, diagonal] : {std::array<int, 4>{1, 1, 8, all_tiles},
                                                       {5, 19, 8, all_tiles},
                                                       {7, 7, 4, 0},
                                                       {9, 5, 4, 3},
                                                       {4, 11, 4, -6},
                                                       {6, 6, 4, -2},
                                                       {1, 3, 4, -2},
                                                       {3, 9, 2, -7}})
    for (const int clusters : {1, 2, 3, 7, 66, 200}) {
      CAPTURE(rows, columns, diagonal, clusters);
      const TileOrder order{rows, columns, width, diagonal, 3};
      std::vector<int> times(static_cast<std::size_t>(3 * rows * columns));
      Index all = 0;
      for (int first = 0; first < clusters; ++first) {
        TileWalk walk(order);
        for (bool more = walk.go(first); more; more = walk.go(clusters), ++all)
          ++times[static_cast<std::size_t>((walk.plane() * columns + walk.column()) * rows + walk.row())];
      }
      CHECK(all == tiles_of(order));
      for (int plane = 0; plane < 3; ++plane)
        for (int j = 0; j < columns; ++j)
          for (int i = 0; i < rows; ++i)
            CHECK(times[static_cast<std::size_t>((plane * columns + j) * rows + i)] ==
                  (i >= j + diagonal ? 1 : 0));
    }
}

TEST_CASE("Places of rows in a plane") {
  std::vector<int> times(256);
  for (Index row = 0; row < 256; ++row) ++times[static_cast<std::size_t>(place_in_plane(row))];
  CHECK(times == std::vector<int>(256, 1));
  for (Index row = 0; row < 256; ++row) CHECK(place_in_plane(row) / 64 == row / 64);
}

namespace {

// The planes of a product by the kernel, compared with the residues of the sums.
template <int cluster>
void check_planes(Index m, Index n, Index k, Index diagonal, int clusters) {
  CAPTURE(m, n, k, diagonal, cluster, clusters);
  constexpr int moduli = 3;
  constexpr Index guard = 4096;
  const Index stride_a = whole(k, term_multiple) * term_multiple + 16, stride_b = stride_a + 32;
  std::mt19937_64 random(static_cast<std::uint64_t>(m + n + k));
  std::vector<std::int8_t> a(static_cast<std::size_t>(moduli * m * stride_a)),
      b(static_cast<std::size_t>(moduli * n * stride_b));
  for (auto* x : {&a, &b})
    for (std::int8_t& r : *x) r = static_cast<std::int8_t>(random());
  OperandView left, right;
  left.residues = {a.data(), m * stride_a, stride_a};
  right.residues = {b.data(), n * stride_b, stride_b};
  left.lines = m;
  right.lines = n;
  right.terms = whole(k, term_multiple) * term_multiple;
  const Index stride = whole(m, plane_rows) * plane_rows, bytes = moduli * stride * n;
  Poisoned<std::uint8_t> planes(bytes + guard);
  const ProductWork work =
      product_work(moduli, {planes.data(), stride * n, stride}, m, n, right.terms, cluster, diagonal);
  const TileMap of_a{a.data(), right.terms, m, moduli, stride_a, m * stride_a, map_lines},
      of_b{b.data(), right.terms, n, moduli, stride_b, n * stride_b, map_lines};
  emulation::launch(product_kernel<cluster>, emulation::InClusters{clusters * cluster, cluster},
                    product_threads, product_shared_bytes, of_a, of_b, work, clusters);
  Index wrong = 0;
  for (int p = 0; p < moduli; ++p)
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < m; ++i) {
        if (i - j < diagonal) continue;
        const Index q = all_moduli[static_cast<std::size_t>(p)], sum = sum_of_residues(left, right, p, i, j);
        wrong += planes.data()[(p * n + j) * stride + place_in_plane(i)] != (sum % q + q) % q;
      }
  CHECK(wrong == 0);
  for (Index i = bytes; i < bytes + guard; ++i) REQUIRE(planes.data()[i] == 0xff);
}

// As above by floats of 8 bits, with all moduli. The digits of every third line are the largest ones, and of the others all digits.
template <int cluster>
void check_float_planes(Index m, Index n, Index k, Index diagonal, int clusters) {
  CAPTURE(m, n, k, diagonal, cluster, clusters);
  constexpr int moduli = moduli_of_floats, bytes_planes = planes_of(moduli);
  constexpr Index guard = 4096;
  const Index stride_a = whole(k, term_multiple) * term_multiple + 16, stride_b = stride_a + 32;
  std::mt19937_64 random(static_cast<std::uint64_t>(m + n + k));
  std::vector<std::int8_t> a(static_cast<std::size_t>(bytes_planes * m * stride_a)),
      b(static_cast<std::size_t>(bytes_planes * n * stride_b));
  const auto fill = [&](std::vector<std::int8_t>& x, Index lines, Index stride) {
    for (Index i = 0; i < static_cast<Index>(x.size()); ++i) {
      const Index line = i / stride % lines;
      const auto any = static_cast<int>(random() % 33) - 16;
      // Line 1: sums of 64 products with line 0 are odd and next to the largest one.
      const int digit = line == 0 ? 16 : line == 1 ? (i % 64 == 5 ? 1 : 16) : line == 2 ? -16 : any;
      x[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(e4m3_of(digit));
    }
  };
  fill(a, m, stride_a);
  fill(b, n, stride_b);
  if (m > 1)
    for (Index i = 0; i < bytes_planes; ++i)
      for (Index l = 5; l < stride_a; l += 64) {
        a[static_cast<std::size_t>(i * m * stride_a + stride_a + l)] = static_cast<std::int8_t>(e4m3_of(15));
        if (n > 1)
          b[static_cast<std::size_t>(i * n * stride_b + stride_b + l)] =
              static_cast<std::int8_t>(e4m3_of(15));
      }
  OperandView left, right;
  left.residues = {a.data(), m * stride_a, stride_a};
  right.residues = {b.data(), n * stride_b, stride_b};
  left.lines = m;
  right.lines = n;
  right.terms = whole(k, term_multiple) * term_multiple;
  const Index stride = whole(m, plane_rows) * plane_rows, bytes = 2 * moduli * stride * n;
  Poisoned<std::uint8_t> planes(bytes + guard);
  const ProductWork work =
      product_work(moduli, {planes.data(), stride * n, stride}, m, n, right.terms, cluster, diagonal);
  const TileMap of_a{a.data(), right.terms, m, bytes_planes, stride_a, m * stride_a, map_lines},
      of_b{b.data(), right.terms, n, bytes_planes, stride_b, n * stride_b, map_lines};
  emulation::launch(product_kernel<cluster, true>, emulation::InClusters{clusters * cluster, cluster},
                    product_threads, product_shared_bytes, of_a, of_b, work, clusters);
  const auto* const found = reinterpret_cast<const std::uint16_t*>(planes.data());
  Index wrong = 0;
  for (int p = 0; p < moduli; ++p)
    for (Index j = 0; j<n; j += n> 40 ? 7 : 1)
      for (Index i = 0; i<m; i += m> 40 && i > 2 ? 11 : 1) {
        if (i - j < diagonal) continue;
        wrong +=
            found[(p * n + j) * stride + place_in_plane(i)] != residue_of_float_sums(left, right, p, i, j);
      }
  CHECK(wrong == 0);
  for (Index i = bytes; i < bytes + guard; ++i) REQUIRE(planes.data()[i] == 0xff);
}

}  // namespace

TEST_CASE("The kernel of products of floats of 8 bits: sums of the largest digits lose no bit of the 14") {
  emulation::seed(4);
  check_float_planes<1>(1, 1, 1, INT64_MIN, 1);
  check_float_planes<2>(3, 2, 130, INT64_MIN, 1);
  check_float_planes<1>(70, 40, 200, INT64_MIN, 2);
}
TEST_CASE("The kernel of products of floats of 8 bits: several tiles, and a triangle") {
  emulation::seed(5);
  check_float_planes<2>(300, 300, 32, 0, 3);
}

TEST_CASE(
    "The kernel of integer products: ragged sizes, more terms than the slots have, clusters of one and two "
    "blocks") {
  emulation::seed(1);
  check_planes<1>(1, 1, 1, INT64_MIN, 1);
  check_planes<2>(1, 1, 1, INT64_MIN, 1);
  check_planes<1>(300, 130, 200, INT64_MIN, 2);
  check_planes<2>(257, 300, 144, INT64_MIN, 2);
  emulation::seed(2);
  check_planes<1>(70, 40, 700, INT64_MIN, 1);
  check_planes<2>(256, 129, 1030, INT64_MIN, 1);
}

TEST_CASE("The kernel of integer products on the lower triangle, and on a part of it") {
  emulation::seed(3);
  check_planes<2>(520, 520, 32, 0, 2);
  check_planes<2>(300, 530, 32, -260, 3);
  check_planes<1>(300, 200, 32, 100, 2);
}
