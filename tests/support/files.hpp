// Writes files for a test, reads them, and returns the message of a refusal.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "apps/io/matrix_file.hpp"
#include "tests/support/process.hpp"

namespace support {

inline void write_file(const std::string& path, std::string_view content) {
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

// The checksum in zip archives.
inline std::uint32_t crc32_of(std::string_view text) {
  std::uint32_t crc = ~0u;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? 0xedb88320u : 0u);
  }
  return ~crc;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// Both triangles column by column, from the one that is valid.
inline std::vector<double> full(const eigen_g::io::SymmetricMatrix& m) {
  std::vector<double> a(static_cast<std::size_t>(m.n * m.n));
  for (std::int64_t j = 0; j < m.n; ++j)
    for (std::int64_t i = 0; i < m.n; ++i) {
      const bool stored = m.uplo == eigen_g::Uplo::lower ? i >= j : i <= j;
      a[static_cast<std::size_t>(i + j * m.n)] = stored ? m.data[i + j * m.lda] : m.data[j + i * m.lda];
    }
  return a;
}

inline bool equal_bits(const std::vector<double>& x, const std::vector<double>& y) {
  return x.size() == y.size() &&
         (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0);
}

struct Refusal {
  std::int64_t line = -1;  // -1: not refused
  std::string reason;
};

template <class Action>
Refusal refusal(Action action) {
  try {
    action();
  } catch (const eigen_g::io::FileError& e) {
    return {e.line(), e.reason()};
  }
  return {};
}

}  // namespace support
