#include "apps/io/stack_file.hpp"

#include <algorithm>
#include <complex>
#include <exception>
#include <type_traits>
#include <utility>

#include "apps/io/input_file.hpp"
#include "apps/io/npy.hpp"
#include "apps/io/stored_matrix.hpp"
#include "apps/io/symmetry.hpp"
#include "apps/io/text_chunks.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::io {

namespace {

// The index of matrix k in each leading dimension.
std::vector<std::int64_t> index_of(const std::vector<std::int64_t>& leading, std::int64_t k) {
  std::vector<std::int64_t> index(leading.size());
  for (std::size_t d = leading.size(); d-- > 0; k /= leading[d]) index[d] = k % leading[d];
  return index;
}

// Offset of the first element of matrix k in an array in Fortran order.
std::int64_t offset_by_columns(const std::vector<std::int64_t>& leading, std::int64_t k) {
  const std::vector<std::int64_t> index = index_of(leading, k);
  std::int64_t offset = 0;
  for (std::size_t d = leading.size(); d-- > 0;) offset = offset * leading[d] + index[d];
  return offset;
}

// keep_rows: matrices that the file has row by row stay so, and are then transposed.
template <class T>
DenseStack<T> dense_stack(const std::filesystem::path& path, const NpyArray& array, bool values,
                          bool keep_rows, int threads) {
  std::vector<std::int64_t> shape = array.shape;
  if (values) shape.push_back(1);
  if (shape.size() < 2)
    throw FileError(path, 0, "has shape " + shape_text(array.shape) + "; a stack is required");
  DenseStack<T> s;
  s.cols = shape.back();
  s.rows = shape[shape.size() - 2];
  s.leading.assign(shape.begin(), shape.end() - 2);
  s.count = 1;
  for (const std::int64_t extent : s.leading) s.count *= extent;
  s.format_name = format_name(array);
  s.data = array.in_place<T>();
  s.owner = array.owner;
  const auto keep = [&s](std::shared_ptr<T> memory) {
    s.data = memory.get();
    s.owner = memory;
    s.writable = std::move(memory);
  };
  if (!s.data) keep(converted<T>(path, array, threads));
  const std::int64_t size = s.rows * s.cols;
  if (array.fortran_order && s.count > 1) {
    std::shared_ptr<T> gathered = allocate_matrix<T>(size, s.count);
#pragma omp parallel for num_threads(thread_count(threads)) if (array.count > (1 << 16))
    for (std::int64_t k = 0; k < s.count; ++k) {
      const T* const from = s.data + offset_by_columns(s.leading, k);
      for (std::int64_t e = 0; e < size; ++e) gathered.get()[e + k * size] = from[e * s.count];
    }
    keep(std::move(gathered));
  } else if (!array.fortran_order && s.rows > 1 && s.cols > 1) {
    s.transposed = keep_rows;
    if (!keep_rows) {
      std::shared_ptr<T> turned = allocate_matrix<T>(size, s.count);
      transpose_each(s.data, s.cols, s.rows, s.count, turned.get(), threads);
      keep(std::move(turned));
    }
  }
  return s;
}

// Copies the elements into memory that may be changed, if they are not there yet.
template <class T>
void make_writable(DenseStack<T>& s) {
  if (s.writable) return;
  s.writable = allocate_matrix<T>(s.rows * s.cols, s.count);
  std::copy_n(s.data, s.rows * s.cols * s.count, s.writable.get());
  s.data = s.writable.get();
  s.owner = s.writable;
}

// Refuses a matrix that float cannot hold, because all of its entries are below float's normal numbers and some lose digits.
template <class T>
void require_digits(const std::filesystem::path& path, const NpyArray& array, const DenseStack<T>& s) {
  using Wide = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  const std::int64_t size = s.rows * s.cols;
  for (std::int64_t k = 0; k < s.count; ++k) {
    const T* const a = s.data + k * size;
    if (!std::all_of(a, a + size, [](T x) { return below_normal(x); })) continue;
    for (std::int64_t e = 0; e < size; ++e) {
      Wide wide;
      array.convert(array.fortran_order ? offset_by_columns(s.leading, k) + e * s.count : k * size + e, 1,
                    &wide);
      const auto part = [](double x) { return static_cast<double>(static_cast<real_t<T>>(x)) != x; };
      if (part(std::real(wide)) || part(std::imag(wide)))
        throw FileError(name_in_stack(path, s.leading, k), 0, "has only entries below the range of float");
    }
  }
}

}  // namespace

bool is_stack(const std::shared_ptr<const MappedFile>& file, const ReadOptions& options) {
  if (options.format == Format::automatic && begins_as_zip(file->text())) return false;
  return format_of(*file, options) == Format::npy && map_npy(file).shape.size() > 2;
}

std::string name_in_stack(const std::filesystem::path& path, const std::vector<std::int64_t>& leading,
                          std::int64_t k) {
  std::string text;
  for (const std::int64_t i : index_of(leading, k)) text += (text.empty() ? "" : ", ") + std::to_string(i);
  return path.native() + "[" + text + "]";
}

template <class T>
DenseStack<T> read_dense_stack(const std::filesystem::path& path, bool values, int threads) {
  const std::shared_ptr<const MappedFile> file = open_input(path, DatasetShape::array);
  return dense_stack<T>(path, map_npy(file), values, false, threads);
}

template <class T>
HermitianStack<T> read_stack(const std::shared_ptr<const MappedFile>& file, const ReadOptions& options) {
  const std::filesystem::path& path = file->path();
  const NpyArray array = map_npy(file);
  if (array.shape.back() != array.shape[array.shape.size() - 2])
    throw FileError(path, 0,
                    "has shape " + shape_text(array.shape) + "; a stack of square matrices is required");
  DenseStack<T> s = dense_stack<T>(path, array, false, !is_complex<T>, options.threads);
  require_order(path, s.rows, options.n);
  if (std::is_same_v<real_t<T>, float> && !array.in_place<T>()) require_digits(path, array, s);
  if (options.triangle == Triangle::symmetrize) make_writable(s);

  HermitianStack<T> stack;
  stack.n = s.rows;
  const std::int64_t n = s.rows, size = n * n;
  const bool fixed = options.triangle == Triangle::lower || options.triangle == Triangle::upper;
  if (fixed) stack.uplo = (options.triangle == Triangle::lower) != s.transposed ? Uplo::lower : Uplo::upper;
  std::vector<std::int64_t> in_upper;  // matrices whose NaN or infinity is in the upper triangle alone
  std::exception_ptr failure;
  std::int64_t failed = s.count;
  const bool small = n <= 256;
#pragma omp parallel for num_threads(thread_count(options.threads)) if (small && size * s.count > (1 << 16))
  for (std::int64_t k = 0; k < (fixed ? 0 : s.count); ++k) try {
      Stored<T> one;
      one.n = n;
      one.data = s.data + k * size;
      if (s.writable) one.writable = std::shared_ptr<T>(s.writable, s.writable.get() + k * size);
      one.transposed = s.transposed;
      const HermitianMatrix<T> settled = settle_triangle(name_in_stack(path, s.leading, k), std::move(one),
                                                         options.triangle, small ? 1 : options.threads);
#pragma omp critical(eigen_g_stack)
      {
        stack.asymmetry = std::max(stack.asymmetry, settled.asymmetry);
        if (settled.uplo == Uplo::upper) in_upper.push_back(k);
      }
    } catch (...) {
#pragma omp critical(eigen_g_stack)
      if (k < failed) {
        failed = k;
        failure = std::current_exception();
      }
    }
  if (failure) std::rethrow_exception(failure);
  if (!in_upper.empty()) make_writable(s);
  for (const std::int64_t k : in_upper) {
    T* const a = s.writable.get() + k * size;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = j + 1; i < n; ++i) a[i + j * n] = mirrored(a[j + i * n]);
  }
  stack.leading = std::move(s.leading);
  stack.count = s.count;
  stack.data = s.data;
  stack.owner = std::move(s.owner);
  stack.format_name = std::move(s.format_name);
  return stack;
}

EIGEN_G_INSTANTIATE(all_types, read_dense_stack, read_stack);

}  // namespace eigen_g::io
