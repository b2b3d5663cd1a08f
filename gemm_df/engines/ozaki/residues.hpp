// Products of doubles by 8-bit integers (Ozaki scheme II): moduli, residues of a number, and a number from its residues. Host and device.
//
// A line is a row of op(A) or a column of op(B), a vector of k terms. A product C(i, j) = sum_l a(l) b(l) of two lines is computed so:
//
//   integers      a'(l) = round(2^e a(l)),  b'(l) = round(2^f b(l)),  with |a'|_2 <= R and |b'|_2 <= R,  R^2 = (1 - 2^-9) P / 2
//   residues      a'(l) mod p and b'(l) mod p for `count` coprime moduli p of at most 256, each in a signed byte
//   products      c_p = sum_l (a'(l) mod p) (b'(l) mod p), an exact sum of products of bytes in 32 bits, one for each p
//   result        C' = sum_l a'(l) b'(l), exactly, from the c_p by the Chinese remainder theorem;  C(i, j) = 2^-(e + f) C'
//
// P is the product of the moduli. |C'| <= |a'|_2 |b'|_2 < P / 2 (Cauchy and Schwarz), so the residues determine C'. No sum of the
// method is rounded before the last step, so the result does not depend on the order of the sums.
//
// Terms. A residue is at most 127 in absolute value, or 128 for p = 256. A sum of max_terms = 65520 products is at most 2^14 max_terms =
// 2^30 - 2^18, so no sum leaves 31 bits, and its residue needs one product (SumModulus). Longer lines are divided into slices of max_terms
// terms, and the results are added in double.
//
// Error. Rounding to integers changes each a(l) by at most 2^-e / 2. e is the largest integer that keeps |a'|_2 <= R, so 2^-e <= 2 |a|_2 / R
// times 1 + 2^-7 for the bound of the norm. With 2^-f alike, against exact arithmetic on the doubles:
//
//   |error| <= (2^-e |b|_1 + 2^-f |a|_1 + 2^-(e + f) k / 2) / 2  <=  2.02 sqrt(k) |a|_2 |b|_2 / R + k |a|_2 |b|_2 / R^2
//
// and in addition 2^-80 |a|_2 |b|_2 and three roundings of the result in double. If roundings are independent, their root mean square
// is at most 0.83 |a|_2 |b|_2 / R. R is 2^54.6, 2^58.4 and 2^62.2 for 14, 15 and 16 moduli.
//
// For comparison, the errors of k terms added one after the other in double are about 0.3 2^-53 |a|_2 |b|_2 for random terms of one
// size, and at most k 2^-53 |a|^T |b|. So 14 moduli have errors like native products if all terms of a line have about one size. 15
// moduli keep them up to terms whose sizes differ as 1 to 2^-4 in the mean. The error does not depend on the size of other lines.
//
// From residues to the number. With the integers w_p = (P / p)^-1 mod p the theorem says C' / P = sum_p c_p w_p / p modulo 1, in [-1/2, 1/2).
// So C' / P is computed as a fraction of 96 bits, F = sum_p (c_p mod p) D_p modulo 2^96 with D_p = round(2^96 w_p / p). The modulus
// 2^96 is that of the integers' overflow. F is wrong by at most count p / 2 <= 2^11 units, so C' is wrong by at most 2^-85 P.
//
// Source: Ozaki, Uchino and Imamura 2025 (arXiv 2504.08009); Uchino, Ozaki and Imamura 2025 (arXiv 2508.03984). There the sum over p is
// formed in double-double.
#pragma once

#include <array>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "hybrid/host_device.hpp"

namespace eigen_g::ozaki {

__extension__ typedef unsigned __int128 Wide;

inline constexpr int max_moduli = 16;
// The largest pairwise coprime integers up to 256.
inline constexpr std::array<int, max_moduli> all_moduli{256, 255, 253, 251, 247, 241, 239, 233,
                                                        229, 227, 223, 217, 211, 199, 197, 193};
// Number of moduli for errors like the errors of native products, and for faster products with somewhat larger errors.
inline constexpr int moduli_of_native_errors = 15, moduli_of_fast_products = 14;

// The terms of a line are padded to a multiple of this, because integer products need aligned columns.
inline constexpr std::int64_t term_multiple = 16;
inline constexpr std::int64_t max_terms = 65520;
static_assert(max_terms % term_multiple == 0 && max_terms * 128 * 128 + (1 << 16) < (1 << 30));

// The base of a line with an infinity or a NaN: its results are not computed from residues.
inline constexpr int not_finite = INT_MIN;

constexpr Wide product_of_moduli(int count) {
  Wide p = 1;
  for (int i = 0; i < count; ++i) p *= static_cast<Wide>(all_moduli[static_cast<std::size_t>(i)]);
  return p;
}
constexpr double power_of_two(int exponent) {
  double x = 1;
  for (; exponent > 0; --exponent) x *= 2;
  for (; exponent < 0; ++exponent) x /= 2;
  return x;
}
constexpr int length_of(Wide x) {
  int bits = 0;
  for (; x != 0; x >>= 1) ++bits;
  return bits;
}
// The leading 53 bits of x.
constexpr double leading(Wide x) {
  const int below = length_of(x) > 53 ? length_of(x) - 53 : 0;
  return static_cast<double>(static_cast<std::uint64_t>(x >> below)) * power_of_two(below);
}

// The constants of modulus number i of `count`.
template <int count, int i>
struct Modulus {
  static constexpr int p = all_moduli[i];
  // Residue of 256^digit, at least -128 and at most 127.
  static constexpr int residue_of_digit(int digit) {
    int r = 1;
    for (int d = 0; d < digit; ++d) r = r * 256 % p;
    return r > 127 ? r - p : r;
  }
  // The residues of four digits as four signed bytes.
  static constexpr std::uint32_t four_digits(int first) {
    std::uint32_t packed = 0;
    for (int d = 3; d >= 0; --d)
      packed = packed << 8 | (static_cast<std::uint32_t>(residue_of_digit(first + d)) & 255);
    return packed;
  }
  static constexpr std::uint32_t low_digits = four_digits(0), high_digits = four_digits(4);
  // A sum of eight digits times residues is at least -2^17; with the offset it is not negative.
  static constexpr int half = (p - 1) / 2;
  static constexpr int offset_of_digits = ((1 << 17) / p + 1) * p + half;
  // floor(u / p) is the upper half of u times this, for u < 2^19.
  static constexpr std::uint32_t reciprocal_above = static_cast<std::uint32_t>(0xffffffffU / p + 1);

  static constexpr Wide scaled_weight() {  // round(2^96 w / p)
    const auto rest = static_cast<int>(product_of_moduli(count) / p % p);
    int w = 1;
    while (rest * w % p != 1) ++w;
    return ((static_cast<Wide>(w) << 97) / p + 1) >> 1;
  }
  static constexpr auto weight_0 = static_cast<std::uint32_t>(scaled_weight());
  static constexpr auto weight_1 = static_cast<std::uint32_t>(scaled_weight() >> 32);
  static constexpr auto weight_2 = static_cast<std::uint32_t>(scaled_weight() >> 64);
};

// P of `count` moduli in units of 2^48 and of 2^96, as doubles.
template <int count>
struct Product {
  static constexpr Wide p = product_of_moduli(count);
  static constexpr int below = length_of(p) - 53;
  static constexpr double leading_48 = leading(p) * power_of_two(-48);
  static constexpr double rest_48 = leading(p & ((static_cast<Wide>(1) << below) - 1)) * power_of_two(-48);
  static constexpr double leading_96 = leading(p) * power_of_two(-96);
};

// R^2, the largest |a'|_2^2, for `count` moduli.
constexpr double largest_square(int count) {
  return leading(product_of_moduli(count)) / 2 * (1 - power_of_two(-9));
}

// Calls f(std::integral_constant<int, i>) for i = 0 ... count - 1.
template <class F, int... i>
EIGEN_G_HOST_DEVICE inline void for_each_of(std::integer_sequence<int, i...>, const F& f) {
  (f(std::integral_constant<int, i>{}), ...);
}
template <int count, class F>
EIGEN_G_HOST_DEVICE inline void for_each_modulus(const F& f) {
  for_each_of(std::make_integer_sequence<int, count>{}, f);
}

EIGEN_G_HOST_DEVICE inline std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
EIGEN_G_HOST_DEVICE inline double double_of(std::uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
EIGEN_G_HOST_DEVICE inline float float_of(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// The exponent field of |x|: at least 1, also for zero and subnormal numbers; 2047 for infinities and NaNs.
EIGEN_G_HOST_DEVICE inline int field_of(std::uint64_t bits) {
  const int field = static_cast<int>(bits >> 52 & 2047);
  return field > 0 ? field : 1;
}

// A sum of squares: 4^(field - 1023) squares, where `field` is the largest exponent field of the terms.
struct Squares {
  int field = 1;
  float squares = 0;
};
// 4^-down for down >= 0; 0 if it is very small.
EIGEN_G_HOST_DEVICE inline float quarter_power(int down) {
  return down > 60 ? 0 : float_of(static_cast<std::uint32_t>(127 - 2 * down) << 23);
}
EIGEN_G_HOST_DEVICE inline Squares sum_of(Squares a, Squares b) {
  const int field = a.field > b.field ? a.field : b.field;
  return {field, a.squares * quarter_power(field - a.field) + b.squares * quarter_power(field - b.field)};
}
// |x| 2^(1023 - field) to 2^-22 of it, or a larger number if x is subnormal. It is from 1 to 2 if x is normal and `field` is its own.
EIGEN_G_HOST_DEVICE inline float relative_size(std::uint64_t bits, int field) {
  const int own = static_cast<int>(bits >> 52 & 2047), down = field - (own > 0 ? own : 1);
  const std::uint64_t mantissa = (bits & 0xfffffffffffffU) | (own > 0 ? std::uint64_t{1} << 52 : 0);
  if (down > 60 || mantissa == 0) return 0;
  return (static_cast<float>(static_cast<std::uint32_t>(mantissa >> 21)) + 1) *
         float_of(static_cast<std::uint32_t>(127 - 31 - down) << 23);
}

// The base B of a line: entry x of exponent field f becomes its mantissa (53 bits) times 2^(f + B). 2^e of the line is 2^(B + 1075).
//   limit  largest_square(count)
// The sum of squares is taken to be 2^-8 larger than computed, which covers its roundings.
EIGEN_G_HOST_DEVICE inline int base_of(double squares, int field, double limit) {
  if (field == 2047) return not_finite;
  if (!(squares > 0)) return -field - 52;
  const auto exponent = static_cast<int>(bits_of(limit / (squares * (1 + 0x1p-8))) >> 52 & 2047) - 1023;
  return (exponent >> 1) - field - 52;
}

// The integer of an entry: its mantissa times 2^(f + base), rounded to nearest, halves away from zero. At most 2^62.3 in absolute value.
EIGEN_G_HOST_DEVICE inline std::int64_t integer_of(std::uint64_t bits, int base) {
  const int own = static_cast<int>(bits >> 52 & 2047);
  auto mantissa =
      static_cast<std::int64_t>((bits & 0xfffffffffffffU) | (own > 0 ? std::uint64_t{1} << 52 : 0));
  const int shift = (own > 0 ? own : 1) + base;
  if (shift >= 0)
    mantissa <<= shift < 62 ? shift : 62;  // larger shifts are of zeros only
  else
    mantissa = shift < -54 ? 0 : (mantissa + (std::int64_t{1} << (-shift - 1))) >> -shift;
  return bits >> 63 != 0 ? -mantissa : mantissa;
}

// The eight signed digits of x in base 256, as bytes; |x| < 2^62.9.
EIGEN_G_HOST_DEVICE inline std::uint64_t digits_of(std::int64_t x) {
  constexpr std::uint64_t halves = 0x8080808080808080U;
  return (static_cast<std::uint64_t>(x) + halves) ^ halves;
}

// c + the sum of the products of four signed bytes.
EIGEN_G_HOST_DEVICE inline int dot_4(std::uint32_t a, std::uint32_t b, int c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 610
  return __dp4a(static_cast<int>(a), static_cast<int>(b), c);
#else
  for (int i = 0; i < 32; i += 8)
    c += static_cast<int>(static_cast<std::int8_t>(a >> i)) *
         static_cast<int>(static_cast<std::int8_t>(b >> i));
  return c;
#endif
}
EIGEN_G_HOST_DEVICE inline std::uint32_t upper_product(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(a) * b >> 32);
}

// The residue of a number, given by its digits, as a signed byte in the lowest bits. The other bits are undefined.
template <class M>
EIGEN_G_HOST_DEVICE inline std::uint32_t residue_of(std::uint64_t digits) {
  const int low = dot_4(static_cast<std::uint32_t>(digits), M::low_digits, M::offset_of_digits);
  const auto u =
      static_cast<std::uint32_t>(dot_4(static_cast<std::uint32_t>(digits >> 32), M::high_digits, low));
  return u - upper_product(u, M::reciprocal_above) * static_cast<std::uint32_t>(M::p) -
         static_cast<std::uint32_t>(M::half);
}

// The residue of a sum of products, at least 0 and below p. It is 0 for all p if C' = 0, so the result is then exactly 0.
// u = sum + offset, with a multiple of p that makes it positive, is less than 2^31; then floor(u / p) is floor(u reciprocal / 2^39).
// The offset is also a multiple of 256, so a byte of sum - p floor(u / p) is the residue.
struct SumModulus {
  std::uint32_t p, offset, reciprocal;
  static constexpr SumModulus of(int p) {
    const auto q = static_cast<std::uint32_t>(p);
    return {q, ((std::uint32_t{1} << 30) / (256 * q) + 1) * (256 * q),
            static_cast<std::uint32_t>(((std::uint64_t{1} << 39) + q - 1) / q)};
  }
  // The residue is in the lowest byte; the other bytes are undefined.
  EIGEN_G_HOST_DEVICE std::uint32_t residue_byte(std::int32_t sum) const {
    const std::uint32_t c = static_cast<std::uint32_t>(sum);
    return c - (upper_product(c + offset, reciprocal) >> 7) * p;
  }
  EIGEN_G_HOST_DEVICE std::uint32_t residue(std::int32_t sum) const { return residue_byte(sum) & 255; }
};
// The lowest bytes of four numbers.
EIGEN_G_HOST_DEVICE inline std::uint32_t four_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                                    std::uint32_t d) {
#ifdef __CUDA_ARCH__
  return __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040), 0x5410);
#else
  return (a & 255) | (b & 255) << 8 | (c & 255) << 16 | d << 24;
#endif
}
template <class M>
EIGEN_G_HOST_DEVICE inline std::uint32_t residue_of_sum(std::int32_t sum) {
  constexpr SumModulus modulus = SumModulus::of(M::p);
  return modulus.residue(sum);
}

// F, the fraction C' / P in 96 bits, from the residues one after the other.
struct Fraction {
  std::uint64_t low = 0, middle = 0;
  std::uint32_t high = 0;

  template <class M>
  EIGEN_G_HOST_DEVICE void add(std::uint32_t residue) {
    low += static_cast<std::uint64_t>(residue) * M::weight_0;
    middle += static_cast<std::uint64_t>(residue) * M::weight_1;
    high += residue * M::weight_2;
  }
  // C' in double.
  template <int count>
  EIGEN_G_HOST_DEVICE double value() const {
    const std::uint64_t second = middle + (low >> 32);
    const std::uint32_t top = high + static_cast<std::uint32_t>(second >> 32);
    const auto upper = static_cast<std::int64_t>(static_cast<std::uint64_t>(top) << 32 |
                                                 static_cast<std::uint32_t>(second)) >>
                       16;
    const std::int64_t lower =
        static_cast<std::int64_t>(second & 0xffff) << 32 | static_cast<std::uint32_t>(low);
    using P = Product<count>;
    const auto u = static_cast<double>(upper), l = static_cast<double>(lower);
    return fma(u, P::leading_48, fma(u, P::rest_48, l * P::leading_96));
  }
};

// 2^-(e + f) x for lines with these bases. Each factor alone may leave the range of double.
EIGEN_G_HOST_DEVICE inline double unscaled(double x, int base_a, int base_b) {
  const int exponent = -(base_a + base_b + 2150);
  const auto power = [](int k) { return double_of(static_cast<std::uint64_t>(k + 1023) << 52); };
  if (exponent >= -1000 && exponent <= 900) return x * power(exponent);
  const int third = exponent / 3;
  return x * power(third) * power(third) * power(exponent - 2 * third);
}

}  // namespace eigen_g::ozaki
