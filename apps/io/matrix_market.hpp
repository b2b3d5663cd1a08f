// Matrix Market bodies, coordinate and array, parsed in parallel.
//
// Lenient: upper entries of a symmetric file (mirrored), duplicates (summed, also an entry and its mirror image),
// blank and comment lines anywhere, CR LF, blanks around numbers, no final line end, D exponents, + signs, inf and
// nan. Refused with line and reason: an index outside 1..n, a word that is no number, text behind an entry, a
// number beyond the type's range, an imaginary part where the type has none, on the diagonal of a Hermitian matrix or anywhere in a
// symmetric one, fewer or more entries than announced.
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

// T below: float, double or std::complex of one. Mirror images of a Hermitian matrix are conjugated.
//
// Calls accept() from the calling thread with the entries of a coordinate body, piece by piece in the file's order; with
// header.symmetric those above the diagonal as their mirror images.
template <class T>
void read_coordinates(const TextBody& body, const MarketHeader& header,
                      const std::function<void(std::span<const CoordinateOf<T>>)>& accept);

// Adds the entries of a coordinate body to `a` (n x n, leading dimension n, zeroed); with header.symmetric only
// its lower triangle is touched. Sums are formed in the file's order whatever the number of threads.
template <class T>
void add_coordinates(const TextBody& body, const MarketHeader& header, T* a);

// Fills `a` (header.rows x header.cols, leading dimension header.rows) from an array body; with header.symmetric
// its lower triangle.
template <class T>
void fill_array(const TextBody& body, const MarketHeader& header, T* a);

}  // namespace eigen_g::io
