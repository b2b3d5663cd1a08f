#include "apps/io/stack_file.hpp"

#include <complex>
#include <numeric>

#include "apps/io/hdf5_file.hpp"
#include "apps/io/hdf5_output.hpp"
#include "apps/io/input_file.hpp"
#include "apps/io/npy.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"

using namespace eigen_g;
using namespace eigen_g::io;
using support::TemporaryFolder;

namespace {

// Entry (i, j), i >= j, of matrix k: all are different.
template <class T>
T entry(std::int64_t k, std::int64_t i, std::int64_t j) {
  const double re = static_cast<double>(100 * k + 10 * i + j),
               im = i == j ? 0 : static_cast<double>(k + i) / 4;
  return scalar_of<T>(re, is_complex<T> ? im : 0);
}
template <class T>
T full(std::int64_t k, std::int64_t i, std::int64_t j) {
  return i >= j ? entry<T>(k, i, j) : mirrored(entry<T>(k, j, i));
}

// A stack (leading, n, n) in a file. set(k, i, j) returns the entry.
template <class T, class Set>
void write_stack(const std::string& path, const std::vector<std::int64_t>& leading, std::int64_t n,
                 NpyOrder order, const Set& set) {
  std::vector<std::int64_t> shape = leading;
  shape.insert(shape.end(), {n, n});
  NpyWriterOf<T> writer(path, shape, Existing::replace, order);
  const std::int64_t count =
      std::accumulate(leading.begin(), leading.end(), std::int64_t{1}, std::multiplies<>());
  for (std::int64_t k = 0; k < count; ++k) {
    std::int64_t offset = 0, rest = k, step = 1;  // in Fortran order the first dimension runs fastest
    for (std::size_t d = leading.size(); d-- > 0; rest /= leading[d]) {
      std::int64_t before = 1;
      for (std::size_t e = 0; e < d; ++e) before *= leading[e];
      offset += rest % leading[d] * before;
    }
    step = count;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        writer.data()[order == NpyOrder::c ? (k * n + i) * n + j : offset + step * (i + j * n)] =
            set(k, i, j);
  }
  writer.commit();
}

template <class T>
HermitianStack<T> stack_in(const std::string& path, Triangle triangle = Triangle::automatic) {
  ReadOptions options;
  options.triangle = triangle;
  const auto file = open_input(path, DatasetShape::square_matrices);
  REQUIRE(is_stack(file, options));
  return read_stack<T>(file, options);
}

template <class T>
void check_entries(const HermitianStack<T>& s) {
  bool same = true;
  for (std::int64_t k = 0; k < s.count; ++k)
    for (std::int64_t j = 0; j < s.n; ++j)
      for (std::int64_t i = s.uplo == Uplo::lower ? j : 0; i < (s.uplo == Uplo::lower ? s.n : j + 1); ++i)
        same = same && s.data[i + j * s.n + k * s.n * s.n] == full<T>(k, i, j);
  CHECK(same);
}

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const FileError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEMPLATE_TEST_CASE("a stack has its matrices in NumPy's order, from both orders of elements", "", float,
                   double, std::complex<float>, std::complex<double>) {
  using T = TestType;
  const TemporaryFolder folder;
  const std::string path = folder / "a.npy";
  for (const std::vector<std::int64_t>& leading :
       {std::vector<std::int64_t>{1}, {4}, {2, 3}, {2, 1, 3}, {0}, {3, 0}})
    for (const NpyOrder order : {NpyOrder::c, NpyOrder::fortran})
      for (const std::int64_t n : {0, 1, 2, 5}) {
        CAPTURE(leading, order, n);
        write_stack<T>(path, leading, n, order, full<T>);
        const HermitianStack<T> s = stack_in<T>(path);
        CHECK(s.leading == leading);
        CHECK(s.n == n);
        check_entries(s);
        check_entries(stack_in<T>(path, Triangle::lower));
        check_entries(stack_in<T>(path, Triangle::upper));
        check_entries(stack_in<T>(path, Triangle::symmetrize));
      }
}

TEST_CASE("a stack converts its elements, and refuses those that the type cannot hold") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.npy";
  for (const NpyOrder order : {NpyOrder::c, NpyOrder::fortran}) {
    write_stack<double>(path, {3}, 4, order, full<double>);
    check_entries(stack_in<float>(path));
    check_entries(stack_in<double>(path));
    const HermitianStack<std::complex<double>> complex = stack_in<std::complex<double>>(path);
    CHECK(complex.data[1] == full<double>(0, 1, 0));
    write_stack<double>(path, {3}, 2, order,
                        [](auto k, auto i, auto j) { return k == 1 && i == j ? 1e300 : 0; });
    CHECK_THAT(refusal([&] { stack_in<float>(path); }), ContainsSubstring("is beyond the range of float"));
    write_stack<double>(path, {2, 2}, 2, order, [](auto k, auto, auto) { return k == 2 ? 1.1e-41 : 1; });
    CHECK_THAT(refusal([&] { stack_in<float>(path); }),
               ContainsSubstring("a.npy[1, 0]: has only entries below the range of float"));
    write_stack<std::complex<double>>(path, {2}, 2, order, full<std::complex<double>>);
    CHECK_THAT(refusal([&] { stack_in<double>(path); }), ContainsSubstring("has an imaginary part"));
  }
}

TEST_CASE("an unsymmetric matrix of a stack is named") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.npy";
  const auto broken = [](std::int64_t k, std::int64_t i, std::int64_t j) {
    return full<double>(k, i, j) + (k >= 4 && i == 2 && j == 0 ? 1 : 0);
  };
  write_stack<double>(path, {2, 3}, 3, NpyOrder::c, broken);
  CHECK_THAT(refusal([&] { stack_in<double>(path); }),
             ContainsSubstring("a.npy[1, 1]: is not symmetric: entry (3, 1) is 421, entry (1, 3) is 420"));
  const HermitianStack<double> s = stack_in<double>(path, Triangle::symmetrize);
  CHECK(s.asymmetry == 1);
  CHECK(s.data[4 * 9 + 2] == 420.5);
  check_entries(stack_in<double>(path, Triangle::upper));
}

TEST_CASE("a NaN in either triangle of a matrix is in the triangle that is read") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.npy";
  for (const bool upper : {false, true}) {
    write_stack<double>(path, {4}, 3, NpyOrder::c, [&](std::int64_t k, std::int64_t i, std::int64_t j) {
      const bool here = k == 2 && (upper ? i == 0 && j == 2 : i == 2 && j == 0);
      return here ? std::nan("") : full<double>(k, i, j);
    });
    const HermitianStack<double> s = stack_in<double>(path);
    for (std::int64_t k = 0; k < 4; ++k) {
      bool found = false;
      for (std::int64_t j = 0; j < 3; ++j)
        for (std::int64_t i = s.uplo == Uplo::lower ? j : 0; i < (s.uplo == Uplo::lower ? 3 : j + 1); ++i)
          found = found || std::isnan(s.data[i + 3 * j + 9 * k]);
      CHECK(found == (k == 2));
    }
  }
}

TEST_CASE("what is no stack of square matrices") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.npy";
  NpyWriterOf<double>(path, {3, 3}).commit();
  CHECK_FALSE(is_stack(open_input(path), {}));
  NpyWriterOf<double>(path, {5, 3, 2}, Existing::replace).commit();
  CHECK_THAT(refusal([&] { stack_in<double>(path); }),
             ContainsSubstring("has shape (5, 3, 2); a stack of square matrices is required"));
}

TEST_CASE("values and vectors of a stack, and stacks in HDF5") {
  const TemporaryFolder folder;
  const std::string path = folder / "z.npy";
  for (const NpyOrder order : {NpyOrder::c, NpyOrder::fortran}) {
    NpyWriterOf<double> writer(path, {2, 2, 3}, Existing::replace, order);
    for (int i = 0; i < 12; ++i) writer.data()[i] = i;
    writer.commit();
    const DenseStack<double> z = read_dense_stack<double>(path, false, 1),
                             w = read_dense_stack<double>(path, true, 1);
    const bool c = order == NpyOrder::c;
    CHECK(z.leading == std::vector<std::int64_t>{2});
    CHECK(z.rows == 2);
    CHECK(z.cols == 3);
    CHECK(z.data[1] == (c ? 3 : 2));      // (0, 1, 0)
    CHECK(z.data[2] == (c ? 1 : 4));      // (0, 0, 1)
    CHECK(z.data[6 + 1] == (c ? 9 : 3));  // (1, 1, 0)
    CHECK(w.leading == std::vector<std::int64_t>{2, 2});
    CHECK(w.rows == 3);
    CHECK(w.data[3 * 1 + 2] == (c ? 5 : 10));  // (0, 1, 2)
  }
  CHECK_THAT(refusal([&] { static_cast<void>(read_dense_stack<double>(path + "x", false, 1)); }),
             ContainsSubstring("z.npyx"));
  if (hdf5_version().empty()) return;
  const std::string h5 = folder / "a.h5";
  {
    Hdf5Writer writer(h5, {{"/a", ScalarType::d, {4, 3, 3}}, {"/w", ScalarType::d, {4, 2}}});
    for (std::int64_t k = 0; k < 4; ++k)
      for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t j = 0; j < 3; ++j)
          writer.data<double>(0)[(k * 3 + i) * 3 + j] = full<double>(k, i, j);
    writer.commit();
  }
  check_entries(stack_in<double>(h5));
  CHECK_THAT(refusal([&] { open_input(h5 + ":/a"); }), ContainsSubstring("4 x 3 x 3; a matrix is required"));
}
