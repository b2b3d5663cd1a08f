// The order of the kernels. The tests run it on the CPU with a `launch` of their own:
//
//   launch(kernel, blocks, bytes of shared memory, arguments...)   each block has `threads` threads
#pragma once

#include <cstdint>

#include "gemm_df/engines/ozaki/kernels.cuh"

namespace eigen_g::ozaki {

// The memory of an operand.
struct OperandMemory {
  std::int8_t* residues;  // planes_of(count) * padded_lines() * stride()
  Squares* parts;         // lines() * parts()
  int* bases;             // padded_lines()
  int* any;               // one
};

template <class Launch>
void queue_stat(const Launch& launch, const Source& source, Squares* parts, int* any) {
  if (source.terms == 0) return;
  const std::int64_t count = whole(source.terms, terms_of_stat);
  if (source.terms_adjacent())
    launch(stat_kernel<true>, whole(source.lines, stat_lines<true>) * count, 0, source, parts, any);
  else
    launch(stat_kernel<false>, whole(source.lines, stat_lines<false>) * count, stat_shared_bytes, source,
           parts, any);
}

template <int count, class Launch>
void queue_residues(const Launch& launch, const Source& source, const int* bases, std::int64_t padded_lines,
                    std::int64_t first, const Residues& out) {
  if (source.terms == 0) return;
  const std::int64_t padded = Pieces::padded(source.terms);
  const std::int64_t blocks = whole(padded_lines, tile_lines) * whole(padded, tile_terms);
  if (source.terms_adjacent())
    launch(residue_kernel<count, true>, blocks, residue_shared_bytes, source, bases, padded_lines, first,
           padded, out);
  else
    launch(residue_kernel<count, false>, blocks, residue_shared_bytes, source, bases, padded_lines, first,
           padded, out);
}

// Converts an operand that has lines and terms.
template <int count, class Launch>
OperandView queue_operand(const Launch& launch, const Pieces& pieces, const OperandMemory& memory) {
  const std::int64_t lines = pieces.lines(), padded_lines = pieces.padded_lines();
  const Source& only = pieces.first;
  if (pieces.second.terms == 0 && pieces.third == Pieces::Third::none && only.term_step == 1 &&
      only.terms <= max_terms_of_pass) {
    const std::int64_t padded = Pieces::padded(only.terms);
    const Residues out{memory.residues, padded_lines * padded, padded};
    launch(clear_kernel<>, 1, 0, memory.any);
    launch(line_kernel<count>, padded_lines, line_shared_bytes(padded), only, largest_square(count),
           memory.bases, memory.any, padded, out);
    return {out, memory.bases, memory.any, only, pieces.second, Source{}, lines, padded};
  }
  queue_stat(launch, pieces.first, memory.parts, memory.any);
  queue_stat(launch, pieces.second, memory.parts + lines * whole(pieces.first.terms, terms_of_stat),
             memory.any);
  launch(base_kernel<>, whole(padded_lines, threads), 0, Parts{memory.parts, lines, pieces.parts()},
         padded_lines, largest_square(count), memory.bases, memory.any);
  const Residues out{memory.residues, padded_lines * pieces.stride(), pieces.stride()};
  const std::int64_t second = Pieces::padded(pieces.first.terms);
  queue_residues<count>(launch, pieces.first, memory.bases, padded_lines, 0, out);
  queue_residues<count>(launch, pieces.second, memory.bases, padded_lines, second, out);
  const bool third = pieces.third != Pieces::Third::none;
  if (third)
    queue_residues<count>(launch, pieces.third_source(), memory.bases, padded_lines,
                          second + Pieces::padded(pieces.second.terms), out);
  return {out,           memory.bases,
          memory.any,    pieces.first,
          pieces.second, third ? pieces.third_source() : Source{},
          lines,         third ? second + Pieces::padded(pieces.second.terms) : pieces.stride()};
}

// C from the sums of products of the lines of a and b. Lines that are not finite are left to queue_repair().
template <int count, class Launch>
void queue_result(const Launch& launch, const Sums& sums, const OperandView& a, const OperandView& b,
                  const Result& c) {
  launch(result_kernel<count>, whole(c.rows, threads) * whole(c.columns, columns_of_result), 0, sums, a.bases,
         b.bases, c);
}

template <int count, class Launch>
void queue_result_of_planes(const Launch& launch, const Planes& planes, const OperandView& a,
                            const OperandView& b, const Result& c) {
  launch(result_of_planes_kernel<count>, whole(words_of(c.rows) * c.columns, threads), 0, planes, a.bases,
         b.bases, c);
}

template <class Launch>
void queue_repair(const Launch& launch, const OperandView& a, const OperandView& b, const Result& c,
                  std::int64_t multiprocessors) {
  const std::int64_t blocks = 4 * multiprocessors;
  launch(repair_kernel<>, blocks, 0, Lines{a.first, a.second, a.bases, a.any},
         Lines{b.first, b.second, b.bases, b.any}, c, blocks);
}

}  // namespace eigen_g::ozaki
