// Parses the bodies of Matrix Market files, coordinate and array, in parallel.
//
// Accepted: entries above the diagonal of a symmetric file (they are mirrored), duplicates (they are summed), blank and comment lines
// anywhere, CR LF, blanks around numbers, no line end after the last line, D exponents, + signs, inf and nan. On the diagonal of a
// Hermitian matrix an imaginary part of at most n eps times the real part counts as rounding, and is dropped.
// Refused with line and reason: an index outside 1..n, a word that is not a number, text after an entry, a number beyond the type's
// range, fewer or more entries than the header announces, an entry of a symmetric file together with its mirror image, and an
// imaginary part in a real type, in a symmetric matrix or, beyond rounding, on the diagonal of a Hermitian matrix.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "apps/io/matrix_market_header.hpp"
#include "apps/io/text_chunks.hpp"

namespace eigen_g::io {

template <class T>
struct CoordinateOf {
  std::uint32_t row, col;  // from 0
  T value;
};
using Coordinate = CoordinateOf<double>;

// In the functions below T is float, double, std::complex<float> or std::complex<double>. The mirror image of an entry of a
// Hermitian matrix is its conjugate.
//
// Calls accept() with the entries of a coordinate body, piece by piece in the file's order, from the calling thread. With
// header.symmetric an entry above the diagonal is passed as its mirror image.
template <class T>
void read_coordinates(const TextBody& body, const MarketHeader& header,
                      const std::function<void(std::span<const CoordinateOf<T>>)>& accept);

// Adds the entries of a coordinate body to `a` (n x n, leading dimension n, zeroed before). With header.symmetric only the lower
// triangle of `a` is touched. Entries are added in the file's order, so the sums do not depend on the number of threads.
template <class T>
void add_coordinates(const TextBody& body, const MarketHeader& header, T* a);

// Fills `a` (header.rows x header.cols, leading dimension header.rows) from an array body. With header.symmetric it fills the lower
// triangle only.
template <class T>
void fill_array(const TextBody& body, const MarketHeader& header, T* a);

}  // namespace eigen_g::io
