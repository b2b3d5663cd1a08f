// Formats text with all threads and writes it in order.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "apps/io/output_file.hpp"
#include "apps/io/text_chunks.hpp"

namespace eigen_g::io {

inline constexpr std::int64_t lines_a_piece = 4096;

void append_number(std::string& text, double value);
void append_number(std::string& text, float value);
template <class R>
void append_number(std::string& text, const std::complex<R>& value) {
  append_number(text, value.real());
  append_number(text += ' ', value.imag());
}
void append_number(std::string& text, std::int64_t value);

// Calls format(piece, text) for 0 <= piece < pieces, from any thread, and writes the texts in the order of the pieces.
template <class FormatPiece>
void write_pieces(OutputFile& out, std::int64_t pieces, int threads, FormatPiece format) {
  const int team = thread_count(threads);
  std::vector<std::string> texts(static_cast<std::size_t>(4 * team));
  const auto wave = static_cast<std::int64_t>(texts.size());
  for (std::int64_t first = 0; first < pieces; first += wave) {
    const std::int64_t used = std::min(wave, pieces - first);
    std::exception_ptr thrown;
#pragma omp parallel for schedule(dynamic, 1) num_threads(team) if (used > 1)
    for (std::int64_t i = 0; i < used; ++i) {
      try {
        std::string& text = texts[static_cast<std::size_t>(i)];
        text.clear();
        format(first + i, text);
      } catch (...) {
#pragma omp critical
        thrown = std::current_exception();
      }
    }
    if (thrown) std::rethrow_exception(thrown);
    for (std::int64_t i = 0; i < used; ++i) out.write(texts[static_cast<std::size_t>(i)]);
  }
}

}  // namespace eigen_g::io
