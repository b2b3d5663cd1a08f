// OperandView: a matrix converted for products by 8-bit integers or floats, as lines of residues (residues.hpp). Lines are rows of op(A) on the
// left of a product, columns of op(B) on its right.
#pragma once

#include <cstdint>

#include "gemm_df/engines/ozaki/residues.hpp"
#include "hybrid/host_device.hpp"

namespace eigen_g::ozaki {

// Lines that are converted together, and terms of a line that are counted together.
inline constexpr std::int64_t tile_lines = 16, terms_of_stat = 1024;

EIGEN_G_HOST_DEVICE constexpr std::int64_t whole(std::int64_t count, std::int64_t unit) {
  return (count + unit - 1) / unit;
}

// A matrix as lines and terms. The real or the imaginary parts of a complex matrix are one too.
struct Source {
  const double* data = nullptr;
  std::int64_t line_step = 0, term_step = 0, lines = 0, terms = 0;
  bool negated = false;  // the matrix times -1

  EIGEN_G_HOST_DEVICE double operator()(std::int64_t line, std::int64_t term) const {
    const double x = data[line * line_step + term * term_step];
    return negated ? -x : x;
  }
  bool terms_adjacent() const { return term_step <= line_step; }
  Source opposite() const {
    Source other = *this;
    other.negated = !negated;
    return other;
  }
  Source part(std::int64_t line, std::int64_t line_count, std::int64_t term, std::int64_t term_count) const {
    return {
        data + line * line_step + term * term_step, line_step, term_step, line_count, term_count, negated};
  }
};

// The matrices whose lines follow each other in the lines of an operand. A product A B^T has one matrix on each side. A rank-2k update
// A B^T + B A^T has lines [A B A] in memory: the left side begins with A, the right side with B.
//
// A complex product A B^T consists of two real ones, with i the imaginary and r the real parts:
//
//   left [Ai Ar],  right [-Bi Br Bi]:   real part Ai (-Bi)^T + Ar Br^T,  imaginary part Ai Br^T + Ar Bi^T
struct Pieces {
  Source first, second = {};                                          // second.terms = 0: there is none
  enum class Third { none, first, minus_first } third = Third::none;  // a piece behind the second

  Source third_source() const { return third == Third::minus_first ? first.opposite() : first; }

  std::int64_t lines() const { return first.lines; }
  std::int64_t padded_lines() const { return whole(first.lines, tile_lines) * tile_lines; }
  static std::int64_t padded(std::int64_t terms) { return whole(terms, term_multiple) * term_multiple; }
  std::int64_t stride() const {
    return padded(first.terms) * (third != Third::none ? 2 : 1) + padded(second.terms);
  }
  std::int64_t parts() const {
    return whole(first.terms, terms_of_stat) + whole(second.terms, terms_of_stat);
  }
};

// The residue modulo number i of (line, term), or byte number i of its digits, is at i * step + line * stride + term.
struct Residues {
  std::int8_t* data = nullptr;
  std::int64_t step = 0, stride = 0;
};

// A converted operand, or some of its lines and terms.
struct OperandView {
  Residues residues;
  const int* bases = nullptr;   // the base of each line
  const int* any = nullptr;     // 1 if some line of the operand is not finite
  Source first, second, third;  // the entries
  std::int64_t lines = 0;
  std::int64_t terms =
      0;  // a multiple of term_multiple; beyond a product's terms one of the operands has zeros

  OperandView part(std::int64_t from, std::int64_t count) const {
    OperandView view = *this;
    view.residues.data += from * residues.stride;
    view.bases += from;
    view.first = first.part(from, count, 0, first.terms);
    view.second = second.part(from, count, 0, second.terms);
    view.third = third.part(from, count, 0, third.terms);
    view.lines = count;
    return view;
  }
  // The second and the third piece. The view before has the first and the second.
  OperandView behind_first() const {
    OperandView view = *this;
    view.residues.data += Pieces::padded(first.terms);
    view.first = second;
    view.second = third;
    return view;
  }
};

}  // namespace eigen_g::ozaki
