// Reads a raw file: n x n numbers of this machine, column by column, without a header.
#include <cmath>
#include <complex>

#include "apps/io/stored_matrix.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::io {

template <class T>
Stored<T> read_raw(std::shared_ptr<const MappedFile> file, const ReadOptions& options) {
  constexpr std::int64_t bytes = sizeof(T);
  constexpr std::int64_t most = std::int64_t{1} << 29;  // so that n * n * bytes does not overflow
  const std::string names = std::string(name(scalar_type<T>)) + "s", size = std::to_string(file->size());
  const std::int64_t count = file->size() / bytes;
  std::int64_t n = options.n;
  if (n == 0) {
    n = std::llround(std::sqrt(static_cast<double>(count)));
    if (file->size() % bytes != 0 || n * n != count)
      throw FileError(file->path(), 0, "has " + size + " bytes, which is not a square number of " + names);
  } else if (n < 0 || n > most || n * n != count || file->size() % bytes != 0) {
    const std::string needed =
        n < 0 || n > most ? "an order within 1..2^29" : std::to_string(n * n * bytes) + " bytes";
    throw FileError(
        file->path(), 0,
        "has " + size + " bytes; a raw matrix of order " + std::to_string(n) + " needs " + needed);
  }
  Stored<T> m;
  m.n = n;
  m.data = reinterpret_cast<const T*>(file->bytes());
  m.owner = std::move(file);
  m.format_name = "raw " + names;
  return m;
}

EIGEN_G_INSTANTIATE(all_types, read_raw);

}  // namespace eigen_g::io
