// Products of doubles by 8-bit integers or floats (Ozaki scheme II): moduli, residues of a number, and a number from its residues. Host and device.
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
// 2^96 is that of the integers' overflow. F is wrong by at most count p / 2 <= 2^12 units, so C' is wrong by at most 2^-84 P.
//
// Floats of 8 bits. With moduli_of_floats = 18 moduli (float_moduli) the products are of floats with four significant bits (e4m3), which
// have all integers up to 16. A residue r mod p in [-p/2, p/2] is one such number for p <= 32. For p <= 577 it has three,
//
//   r = 17 u + v    u, v of one sign, |u| <= 16, |v| <= 16;    d = v - u, so |d| <= 16
//   r r' = 289 u u' + 17 (u v' + v u') + v v' = 306 u u' + 18 v v' - 17 d d'
//
// so c_p needs the three sums of u u', v v' and d d'. All 18 moduli together need planes_of(18) = 34 sums. R is 2^58.1.
//
// Terms with floats. The tensor cores of compute capability 9.0 keep 14 significant bits of a sum. A product of two digits is an integer of at
// most 2^8, so a sum of exact_float_terms = 64 products and all its parts are integers of at most 2^14, and no bit is lost. Each such sum is
// added to a float in a register. A sum of max_terms products is at most 2^24 - 4096 there, to which a residue of at most 290 is added, so
// it is exact too. FloatModulus reduces it.
//
// Source: Ozaki, Uchino and Imamura 2025 (arXiv 2504.08009); Uchino, Ozaki and Imamura 2025 (arXiv 2508.03984). There the sum over p is
// formed in double-double. Floats of 8 bits: Uchino, Ozaki and Imamura 2026 (arXiv 2603.10634); the moduli and digits here are others. 14 bits:
// DeepSeek-AI 2024 (arXiv 2412.19437).
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

// A number of moduli says which ones they are: 14 to 16 are of bytes, this one is of floats.
inline constexpr int moduli_of_floats = 18;
// The largest pairwise coprime integers for three digits, and then for one.
inline constexpr std::array<int, moduli_of_floats> float_moduli{577, 571, 569, 563, 557, 553, 547, 541, 32,
                                                                31,  29,  27,  25,  23,  19,  17,  13,  11};
inline constexpr int digit_base = 17, largest_digit = 16;
constexpr bool has_floats(int count) {
  return count == moduli_of_floats;
}
constexpr int modulus_of(int count, int i) {
  return has_floats(count) ? float_moduli[static_cast<std::size_t>(i)]
                           : all_moduli[static_cast<std::size_t>(i)];
}
// Digits of a residue modulo p, for products of floats.
constexpr int digits_of_modulus(int p) {
  return p > 2 * largest_digit ? 3 : 1;
}
// Planes of an operand, one byte for each entry. Each needs a product.
constexpr int planes_of(int count) {
  if (!has_floats(count)) return count;
  int planes = 0;
  for (const int p : float_moduli) planes += digits_of_modulus(p);
  return planes;
}
// Bytes of the residue of a sum.
constexpr int bytes_of_residue(int count) {
  return has_floats(count) ? 2 : 1;
}

// The terms of a line are padded to a multiple of this, because integer products need aligned columns.
inline constexpr std::int64_t term_multiple = 16;
inline constexpr std::int64_t max_terms = 65520;
static_assert(max_terms % term_multiple == 0 && max_terms * 128 * 128 + (1 << 16) < (1 << 30));

// Terms of a sum of products of digits that the tensor cores compute exactly.
inline constexpr int exact_float_terms = 64;
static_assert(exact_float_terms * largest_digit * largest_digit <= 1 << 14);
static_assert(max_terms * largest_digit * largest_digit + digit_base * digit_base + 1 <= 1 << 24);

// The base of a line with an infinity or a NaN: its results are not computed from residues.
inline constexpr int not_finite = INT_MIN;

constexpr Wide product_of_moduli(int count) {
  Wide p = 1;
  for (int i = 0; i < count; ++i) p *= static_cast<Wide>(modulus_of(count, i));
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
  static constexpr int p = modulus_of(count, i);
  static constexpr bool is_wide = p > 256;
  // Residue of 256^digit, at least -128 and at most 127 if p <= 256.
  static constexpr int residue_of_digit(int digit) {
    int r = 1;
    for (int d = 0; d < digit; ++d) r = r * 256 % p;
    return r > (is_wide ? p / 2 : 127) ? r - p : r;
  }
  // The residues of four digits as four signed bytes.
  static constexpr std::uint32_t four_digits(int first) {
    std::uint32_t packed = 0;
    for (int d = 3; d >= 0; --d)
      packed = packed << 8 | (static_cast<std::uint32_t>(residue_of_digit(first + d)) & 255);
    return packed;
  }
  static constexpr std::uint32_t low_digits = four_digits(0), high_digits = four_digits(4);
  // The residues of two digits as two signed numbers of 16 bits.
  static constexpr std::uint32_t two_digits(int first) {
    return (static_cast<std::uint32_t>(residue_of_digit(first)) & 0xffff) |
           static_cast<std::uint32_t>(residue_of_digit(first + 1)) << 16;
  }
  // A sum of eight digits times residues is at least -2^17, or -2^19 if p is wide; with the offset it is not negative.
  static constexpr int half = (p - 1) / 2;
  static constexpr int offset_of_digits = ((is_wide ? 1 << 19 : 1 << 17) / p + 1) * p + half;
  // floor(u / p) is the upper half of u times this, for u p < 2^32.
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
// c + the sum of the products of two signed numbers of 16 bits and two signed bytes, the lower or the upper two of b.
template <bool upper>
EIGEN_G_HOST_DEVICE inline int dot_2(std::uint32_t a, std::uint32_t b, int c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 610
  return upper ? __dp2a_hi(static_cast<int>(a), static_cast<int>(b), c)
               : __dp2a_lo(static_cast<int>(a), static_cast<int>(b), c);
#else
  for (int i = 0; i < 2; ++i)
    c += static_cast<int>(static_cast<std::int16_t>(a >> 16 * i)) *
         static_cast<int>(static_cast<std::int8_t>(b >> (8 * i + (upper ? 16 : 0))));
  return c;
#endif
}
EIGEN_G_HOST_DEVICE inline std::uint32_t upper_product(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(a) * b >> 32);
}

// The residue of a number, given by its digits, from -(p - 1) / 2 to p / 2, as a signed integer.
template <class M>
EIGEN_G_HOST_DEVICE inline std::uint32_t residue_of(std::uint64_t digits) {
  const auto lower = static_cast<std::uint32_t>(digits), higher = static_cast<std::uint32_t>(digits >> 32);
  int sum = M::offset_of_digits;
  if constexpr (M::is_wide) {
    sum = dot_2<true>(M::two_digits(2), lower, dot_2<false>(M::two_digits(0), lower, sum));
    sum = dot_2<true>(M::two_digits(6), higher, dot_2<false>(M::two_digits(4), higher, sum));
  } else {
    sum = dot_4(higher, M::high_digits, dot_4(lower, M::low_digits, sum));
  }
  const auto u = static_cast<std::uint32_t>(sum);
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

// An integer from -16 to 16 as a float of 8 bits (e4m3: four bits of exponent, three of mantissa), in the lowest byte; the other bits are zero.
EIGEN_G_HOST_DEVICE inline std::uint32_t e4m3_of(int x) {
  // The number times 2^-120 has the exponent field of the float of 8 bits.
  const float scaled = (float_of(0x4b400000U + static_cast<std::uint32_t>(x)) - 0x1.8p23F) * 0x1p-120F;
  std::uint32_t bits;
  std::memcpy(&bits, &scaled, sizeof bits);
  return (bits >> 24 & 0x80) | (bits >> 20 & 0x7f);
}
// The three digits of a residue of at most 288 in absolute value.
struct Digits {
  int upper, lower, difference;
  EIGEN_G_HOST_DEVICE static Digits of(int residue) {
    const int size = residue < 0 ? -residue : residue;
    const int upper = size * 241 >> 12, lower = size - digit_base * upper;  // the quotient by 17
    return residue < 0 ? Digits{-upper, -lower, upper - lower} : Digits{upper, lower, lower - upper};
  }
};

// The residues of four numbers, given by their digits in base 256, in all planes of an operand: four bytes each.
template <int count>
EIGEN_G_HOST_DEVICE inline void put_residues(std::int8_t* to, std::int64_t step, std::uint64_t a,
                                             std::uint64_t b, std::uint64_t c, std::uint64_t d) {
  const auto put = [&](std::uint32_t word) {
    *reinterpret_cast<std::uint32_t*>(to) = word;
    to += step;
  };
  for_each_modulus<count>([&](auto i) {
    using M = Modulus<count, decltype(i)::value>;
    const std::uint32_t residues[] = {residue_of<M>(a), residue_of<M>(b), residue_of<M>(c), residue_of<M>(d)};
    if constexpr (!has_floats(count)) {
      put(four_bytes(residues[0], residues[1], residues[2], residues[3]));
    } else {
      const auto put_floats = [&](int w, int x, int y, int z) {
        put(four_bytes(e4m3_of(w), e4m3_of(x), e4m3_of(y), e4m3_of(z)));
      };
      const int r[] = {static_cast<int>(residues[0]), static_cast<int>(residues[1]),
                       static_cast<int>(residues[2]), static_cast<int>(residues[3])};
      if constexpr (digits_of_modulus(M::p) == 1) {
        put_floats(r[0], r[1], r[2], r[3]);
      } else {
        const Digits w = Digits::of(r[0]), x = Digits::of(r[1]), y = Digits::of(r[2]), z = Digits::of(r[3]);
        put_floats(w.upper, x.upper, y.upper, z.upper);
        put_floats(w.lower, x.lower, y.lower, z.lower);
        put_floats(w.difference, x.difference, y.difference, z.difference);
      }
    }
  });
}

// The residue of the sum c_p from the sums of products of digits. After the sum of plane number i of a modulus, it is
//
//   c := (c + sum_i) factor_i mod p;  with three digits 17, -18 / 17, -17 for u u', v v', d d', with one digit 1
//
// All numbers are integers of at most 2^24 in floats, so all operations are exact.
struct FloatModulus {
  float p = 1, inverse = 1, factors[3] = {1, 1, 1};
  int first_plane = 0, digits = 1;

  static constexpr FloatModulus of(int i) {
    FloatModulus m;
    const int p = float_moduli[static_cast<std::size_t>(i)];
    m.p = static_cast<float>(p);
    m.inverse = 1 / m.p;
    m.digits = digits_of_modulus(p);
    for (int before = 0; before < i; ++before)
      m.first_plane += digits_of_modulus(float_moduli[static_cast<std::size_t>(before)]);
    if (m.digits == 1) return m;
    int w = 1;  // 1 / 17
    while (digit_base * w % p != 1) ++w;
    const int middle = (p - (digit_base + 1) * w % p) % p;
    m.factors[0] = digit_base;
    m.factors[1] = static_cast<float>(middle > p / 2 ? middle - p : middle);
    m.factors[2] = -digit_base;
    return m;
  }
  // A number of at most p / 2 + 1 that is x modulo p; |x| <= 2^24.
  EIGEN_G_HOST_DEVICE float near_zero(float x) const {
    constexpr float rounding = 0x1.8p23F;
    const float quotient = fmaf(x, inverse, rounding) - rounding;
    return fmaf(-quotient, p, x);
  }
  EIGEN_G_HOST_DEVICE float after_plane(float sum, float factor) const {
    return near_zero(near_zero(sum) * factor);
  }
  // The residue, at least 0 and below p, of a result of after_plane(), in the lower 16 bits.
  EIGEN_G_HOST_DEVICE std::uint32_t residue(float c) const {
    const float r = (c < 0 ? c + p : c) + 0x1p23F;
    std::uint32_t bits;
    std::memcpy(&bits, &r, sizeof bits);
    return bits & 0xffff;
  }
};

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
