#include "apps/io/matrix_output.hpp"

#include <algorithm>
#include <complex>
#include <string>

#include "apps/io/hdf5_name.hpp"
#include "apps/io/hdf5_output.hpp"
#include "apps/io/npy.hpp"
#include "apps/io/stored_matrix.hpp"
#include "apps/io/text_lines.hpp"
#include "apps/io/text_output.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::io {

namespace {

enum class Ending { unknown, mtx, npy, raw, hdf5, csv, txt };

Ending ending_of(const std::filesystem::path& path) {
  if (names_hdf5(path)) return Ending::hdf5;
  const std::string text = path.extension().string();
  if (text == ".mtx") return Ending::mtx;
  if (text == ".npy") return Ending::npy;
  if (text == ".raw" || text == ".bin") return Ending::raw;
  if (text == ".csv") return Ending::csv;
  if (text == ".txt") return Ending::txt;
  return Ending::unknown;
}

// Reads entries of the lower triangle from a matrix that stores either triangle.
template <class T>
struct Lower {
  std::int64_t n;
  const T* a;
  std::int64_t lda;
  Uplo uplo;
  T operator()(std::int64_t i, std::int64_t j) const {
    const T entry = uplo == Uplo::lower ? a[i + j * lda] : mirrored(a[j + i * lda]);
    return i == j ? T(std::real(entry)) : entry;
  }
};

template <class T>
std::int64_t count_nonzeros(const Lower<T>& a, int threads) {
  std::int64_t nonzeros = 0;
#pragma omp parallel for schedule(dynamic, 16) num_threads(thread_count(threads)) if (a.n > 128) reduction(+ : nonzeros)
  for (std::int64_t j = 0; j < a.n; ++j)
    for (std::int64_t i = j; i < a.n; ++i) nonzeros += a(i, j) != T{};
  return nonzeros;
}

template <class T>
void write_mtx(OutputFile& out, const Lower<T>& a, int threads) {
  const std::int64_t nonzeros = count_nonzeros(a, threads);
  const bool coordinate = nonzeros < a.n * (a.n + 1) / 8;
  std::string head = std::string("%%MatrixMarket matrix ") + (coordinate ? "coordinate" : "array") +
                     (is_complex<T> ? " complex hermitian\n" : " real symmetric\n");
  append_number(head, a.n);
  append_number(head += ' ', a.n);
  if (coordinate) append_number(head += ' ', nonzeros);
  out.write(head += '\n');
  // A piece is a block of columns. Eight columns share cache lines of a matrix that stores its upper triangle.
  constexpr std::int64_t columns = 8;
  write_pieces(out, (a.n + columns - 1) / columns, threads, [&](std::int64_t piece, std::string& text) {
    for (std::int64_t j = piece * columns; j < std::min((piece + 1) * columns, a.n); ++j)
      for (std::int64_t i = j; i < a.n; ++i) {
        const T value = a(i, j);
        if (coordinate) {
          if (value == T{}) continue;
          append_number(text, i + 1);
          append_number(text += ' ', j + 1);
          text += ' ';
        }
        append_number(text, value);
        text += '\n';
      }
  });
}

// out (n x n, leading dimension n) := both triangles of a, column by column or row by row.
template <class T>
void fill_both(const Lower<T>& a, bool by_rows, T* out, int threads) {
  constexpr std::int64_t tile = 32;
#pragma omp parallel for schedule(dynamic, 4) num_threads(thread_count(threads)) if (a.n > 128)
  for (std::int64_t j0 = 0; j0 < a.n; j0 += tile)
    for (std::int64_t i0 = j0; i0 < a.n; i0 += tile)
      for (std::int64_t j = j0; j < std::min(j0 + tile, a.n); ++j)
        for (std::int64_t i = std::max(i0, j); i < std::min(i0 + tile, a.n); ++i)
          out[by_rows ? i + j * a.n : j + i * a.n] =
              mirrored(out[by_rows ? j + i * a.n : i + j * a.n] = a(i, j));
}

}  // namespace

void require_matrix_ending(const std::filesystem::path& path) {
  if (ending_of(path) == Ending::unknown)
    throw FileError(path, 0,
                    "names no matrix format; .mtx, .npy, .h5, .csv, .txt, .raw and .bin are written");
  if (ending_of(path) == Ending::hdf5) require_hdf5(path);
}

template <class T>
void write_matrix(const std::filesystem::path& path, std::int64_t n, const T* a, std::int64_t lda, Uplo uplo,
                  int threads, Existing existing) {
  require_matrix_ending(path);
  const Lower<T> lower{n, a, lda, uplo};
  if (ending_of(path) == Ending::npy) {
    NpyWriterOf<T> writer(path, {n, n}, existing);
    fill_both(lower, false, writer.data(), threads);
    writer.commit();
    return;
  }
  if (ending_of(path) == Ending::hdf5) {
    const Hdf5Name name = hdf5_name(path);
    Hdf5Writer writer(name.file, {{name.dataset.empty() ? "/A" : name.dataset, scalar_type<T>, {n, n}}},
                      existing);
    fill_both(lower, true, writer.data<T>(0), threads);
    writer.commit();
    return;
  }
  OutputFile out(path, existing);
  const Ending ending = ending_of(path);
  if (ending == Ending::mtx) {
    write_mtx(out, lower, threads);
  } else if (ending == Ending::csv || ending == Ending::txt) {
    const std::shared_ptr<T> both = allocate_matrix<T>(n, n);
    fill_both(lower, false, both.get(), threads);
    write_text<T>(out, {both.get(), n, n, std::max<std::int64_t>(1, n)},
                  ending == Ending::csv ? TextFormat::csv : TextFormat::txt, threads);
  } else if (n > 0)
    fill_both(lower, false, reinterpret_cast<T*>(out.map(static_cast<std::uint64_t>(n * n) * sizeof(T))),
              threads);
  out.commit();
}

EIGEN_G_INSTANTIATE(all_types, write_matrix);

}  // namespace eigen_g::io
