#include "apps/io/eigenpairs_file.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>
#include <utility>

#include "apps/io/input_file.hpp"
#include "apps/io/matrix_market.hpp"
#include "apps/io/number_table.hpp"
#include "apps/io/stored_matrix.hpp"
#include "apps/io/text_number.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::io {

namespace {

const std::function<void(double)> silent;

template <class T>
Dense<T> dense(std::shared_ptr<T> memory, std::int64_t rows, std::int64_t cols) {
  const T* const data = memory.get();
  return {rows, cols, std::max<std::int64_t>(1, rows), data, std::move(memory)};
}

template <class T>
Dense<T> read_market_array(const MappedFile& file, int threads) {
  const MarketHeader header = read_market_header(file);
  if (header.coordinate || header.symmetric)
    throw FileError(file.path(), 1, "is '" + header.description + "'; a general array is required");
  std::shared_ptr<T> memory = allocate_matrix<T>(header.rows, header.cols);
  const TextBody body{
      file.path(),           header.body, file.text().data() + file.size(), header.size_line + 1, threads,
      std::int64_t{1} << 20, silent};
  fill_array(body, header, memory.get());
  return dense(std::move(memory), header.rows, header.cols);
}

bool is_npy(const MappedFile& file) {
  return file.text().substr(0, 6) == "\x93NUMPY";
}

void refuse_foreign(const MappedFile& file) {
  const std::string_view foreign = foreign_kind(file.text());
  if (!foreign.empty()) throw FileError(file.path(), 0, std::string("is ").append(foreign));
}

std::vector<double> read_doubles(const std::filesystem::path& path) {
  const std::shared_ptr<const MappedFile> opened = open_input(path, DatasetShape::vector);
  const MappedFile& file = *opened;
  if (is_npy(file)) return read_npy_vector<double>(opened);
  if (has_market_banner(file.text())) {
    const Dense<double> m = read_market_array<double>(file, 1);
    if (m.rows != 1 && m.cols != 1)
      throw FileError(
          path, 0,
          "is " + std::to_string(m.rows) + " x " + std::to_string(m.cols) + "; a vector is required");
    return {m.data, m.data + m.rows * m.cols};
  }
  refuse_foreign(file);
  std::vector<double> values = read_number_table(file, false, 1).values;
  if (path.extension() == ".eig") {
    const double announced = values.front();
    values.erase(values.begin());
    if (announced != static_cast<double>(values.size()))
      throw FileError(path, 1,
                      "announces " + std::to_string(announced) + " values; the file has " +
                          std::to_string(values.size()));
  }
  return values;
}

// values as Ts. Refuses values that T cannot hold.
template <class T>
std::vector<T> converted_values(const std::filesystem::path& path, const std::vector<double>& values) {
  const auto refuse = [&](std::size_t k, const std::string& fault) {
    throw FileError(path, 0, "element " + std::to_string(k + 1) + fault);
  };
  std::vector<T> out;
  bool loses = false, all_small = true;
  std::size_t largest = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (const char* const fault = misfit<T>(values[k], 0); *fault != 0) refuse(k, std::string(" ") + fault);
    out.push_back(scalar_of<T>(values[k]));
    all_small = all_small && below_normal(out[k]);
    loses = loses || values[k] != out[k];
    if (std::abs(values[k]) > std::abs(values[largest])) largest = k;
  }
  if (all_small && loses) refuse(largest, ", the largest one, is below the range of float");
  return out;
}

}  // namespace

template <class T>
std::vector<T> read_values(const std::filesystem::path& path) {
  if constexpr (std::is_same_v<T, double>)
    return read_doubles(path);
  else
    return converted_values<T>(path, read_doubles(path));
}

template <class T>
Dense<T> read_vectors(const std::filesystem::path& path, int threads) {
  const std::shared_ptr<const MappedFile> opened = open_input(path, DatasetShape::matrix);
  const MappedFile& file = *opened;
  if (is_npy(file)) return read_npy_matrix<T>(opened, threads);
  if (has_market_banner(file.text())) return read_market_array<T>(file, threads);
  refuse_foreign(file);
  return dense_of<T>(path, read_number_table(file, true, threads));
}

EIGEN_G_INSTANTIATE(real_types, read_values);
EIGEN_G_INSTANTIATE(all_types, read_vectors);

}  // namespace eigen_g::io
