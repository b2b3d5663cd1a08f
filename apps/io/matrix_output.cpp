#include "apps/io/matrix_output.hpp"

#include <algorithm>
#include <string>

#include "apps/io/npy.hpp"
#include "apps/io/text_lines.hpp"

namespace eigen_g::io {

namespace {

enum class Ending { unknown, mtx, npy, raw };

Ending ending_of(const std::filesystem::path& path) {
  const std::string text = path.extension().string();
  if (text == ".mtx") return Ending::mtx;
  if (text == ".npy") return Ending::npy;
  if (text == ".raw" || text == ".bin") return Ending::raw;
  return Ending::unknown;
}

// The matrix by its lower triangle, whichever is stored.
struct Lower {
  std::int64_t n;
  const double* a;
  std::int64_t lda;
  Uplo uplo;
  double operator()(std::int64_t i, std::int64_t j) const {
    return uplo == Uplo::lower ? a[i + j * lda] : a[j + i * lda];
  }
};

std::int64_t count_nonzeros(const Lower& a, int threads) {
  std::int64_t nonzeros = 0;
#pragma omp parallel for schedule(dynamic, 16) num_threads(thread_count(threads)) if (a.n > 128) reduction(+ : nonzeros)
  for (std::int64_t j = 0; j < a.n; ++j)
    for (std::int64_t i = j; i < a.n; ++i) nonzeros += a(i, j) != 0;
  return nonzeros;
}

void write_mtx(OutputFile& out, const Lower& a, int threads) {
  const std::int64_t nonzeros = count_nonzeros(a, threads);
  const bool coordinate = nonzeros < a.n * (a.n + 1) / 8;
  std::string head =
      std::string("%%MatrixMarket matrix ") + (coordinate ? "coordinate" : "array") + " real symmetric\n";
  append_number(head, a.n);
  append_number(head += ' ', a.n);
  if (coordinate) append_number(head += ' ', nonzeros);
  out.write(head += '\n');
  // Pieces are blocks of columns; eight share a cache line of a matrix stored by its upper triangle.
  constexpr std::int64_t columns = 8;
  write_pieces(out, (a.n + columns - 1) / columns, threads, [&](std::int64_t piece, std::string& text) {
    for (std::int64_t j = piece * columns; j < std::min((piece + 1) * columns, a.n); ++j)
      for (std::int64_t i = j; i < a.n; ++i) {
        const double value = a(i, j);
        if (coordinate) {
          if (value == 0) continue;
          append_number(text, i + 1);
          append_number(text += ' ', j + 1);
          text += ' ';
        }
        append_number(text, value);
        text += '\n';
      }
  });
}

// out (n x n, leading dimension n) := both triangles.
void fill_both(const Lower& a, double* out, int threads) {
  constexpr std::int64_t tile = 32;
#pragma omp parallel for schedule(dynamic, 4) num_threads(thread_count(threads)) if (a.n > 128)
  for (std::int64_t j0 = 0; j0 < a.n; j0 += tile)
    for (std::int64_t i0 = j0; i0 < a.n; i0 += tile)
      for (std::int64_t j = j0; j < std::min(j0 + tile, a.n); ++j)
        for (std::int64_t i = std::max(i0, j); i < std::min(i0 + tile, a.n); ++i)
          out[i + j * a.n] = out[j + i * a.n] = a(i, j);
}

}  // namespace

void require_matrix_ending(const std::filesystem::path& path) {
  if (ending_of(path) == Ending::unknown)
    throw FileError(path, 0, "names no matrix format; .mtx, .npy, .raw and .bin are written");
}

void write_matrix(const std::filesystem::path& path, std::int64_t n, const double* a, std::int64_t lda,
                  Uplo uplo, int threads, Existing existing) {
  require_matrix_ending(path);
  const Lower lower{n, a, lda, uplo};
  if (ending_of(path) == Ending::npy) {
    NpyWriter writer(path, {n, n}, existing);
    fill_both(lower, writer.data(), threads);
    writer.commit();
    return;
  }
  OutputFile out(path, existing);
  if (ending_of(path) == Ending::mtx)
    write_mtx(out, lower, threads);
  else if (n > 0)
    fill_both(lower, reinterpret_cast<double*>(out.map(static_cast<std::uint64_t>(n * n) * sizeof(double))),
              threads);
  out.commit();
}

}  // namespace eigen_g::io
