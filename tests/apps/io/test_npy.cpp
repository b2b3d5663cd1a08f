#include "apps/io/npy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/io/input_file.hpp"
#include "apps/io/npy_header.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace eigen_g;
using namespace eigen_g::io;
using support::refusal;

namespace {

// A file with this header; the elements begin at byte `total`.
std::string npy_file(const std::string& dict, const std::string& elements, int version = 1,
                     std::size_t total = 128) {
  const std::size_t prefix = version == 1 ? 10 : 12;
  std::string body = dict;
  body.resize(total - prefix, ' ');
  body.back() = '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (std::size_t i = 0; i < (version == 1 ? 2U : 4U); ++i)
    file += static_cast<char>(body.size() >> (8 * i) & 0xff);
  return file + body + elements;
}

std::string dict(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

template <class T>
std::string swapped_bytes_of(const std::vector<T>& values) {
  std::string bytes = support::bytes_of(values);
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(T))
    std::reverse(bytes.begin() + i, bytes.begin() + i + sizeof(T));
  return bytes;
}

template <class T>
void check_type(const std::string& type, const std::vector<T>& values) {
  const support::TemporaryFolder folder;
  std::vector<double> expected(values.begin(), values.end());
  const std::string shape = '(' + std::to_string(values.size()) + ",)";
  for (const char order : {'<', '>'}) {
    CAPTURE(type, order);
    support::write_file(folder / "v.npy",
                        npy_file(dict(order + type, "False", shape),
                                 order == '<' ? support::bytes_of(values) : swapped_bytes_of(values)));
    CHECK(support::equal_bits(read_npy_vector(open_input(folder / "v.npy")), expected));
  }
}

}  // namespace

TEST_CASE("every element type in both byte orders") {
  check_type<double>("f8", {1.5, -2.25, 1e300, 5e-324, -0.0, std::numeric_limits<double>::infinity()});
  check_type<float>("f4", {1.5F, -2.25F, 1e30F, 1e-45F, -0.0F});
  check_type<std::int8_t>("i1", {0, 1, -1, 127, -128});
  check_type<std::int16_t>("i2", {0, 1, -1, 32767, -32768});
  check_type<std::int32_t>("i4", {0, 1, -1, INT32_MAX, INT32_MIN});
  check_type<std::int64_t>("i8", {0, 1, -1, INT64_MAX, INT64_MIN});
  check_type<std::uint8_t>("u1", {0, 1, 255});
  check_type<std::uint16_t>("u2", {0, 1, 65535});
  check_type<std::uint32_t>("u4", {0, 1, UINT32_MAX});
  check_type<std::uint64_t>("u8", {0, 1, UINT64_MAX});
  const support::TemporaryFolder folder;
  support::write_file(folder / "b.npy", npy_file(dict("|b1", "False", "(3,)"), std::string("\0\1\2", 3)));
  CHECK(read_npy_vector(open_input(folder / "b.npy")) == std::vector<double>{0, 1, 1});
}

TEST_CASE("headers as others write them") {
  const support::TemporaryFolder folder;
  const std::string values = support::bytes_of(std::vector<double>{1, 2, 3, 4});
  for (const std::string header : {
           "{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }",
           "{'shape': (4,), 'fortran_order': False, 'descr': '<f8'}",
           "{\"descr\":\"<f8\",\"fortran_order\":True,\"shape\":(4,)}",
           " { 'descr' : '=f8' , 'fortran_order' : False , 'shape' : ( 4 , ) , } ",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (4L,), }",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 4), }",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 1)}",
       })
    for (const int version : {1, 2, 3})
      for (const std::size_t total : {96U, 112U, 128U, 131U, 4096U}) {  // 131: elements on an odd address
        CAPTURE(header, version, total);
        support::write_file(folder / "v.npy", npy_file(header, values, version, total));
        CHECK(read_npy_vector(open_input(folder / "v.npy")) == std::vector<double>{1, 2, 3, 4});
      }
}

TEST_CASE("rectangular matrices in C and Fortran order") {
  const support::TemporaryFolder folder;
  const std::vector<double> by_columns{1, 2, 3, 4, 5, 6};  // 3 x 2
  const std::vector<double> by_rows{1, 4, 2, 5, 3, 6};
  support::write_file(folder / "f.npy",
                      npy_file(dict("<f8", "True", "(3, 2)"), support::bytes_of(by_columns)));
  support::write_file(folder / "c.npy", npy_file(dict("<f8", "False", "(3, 2)"), support::bytes_of(by_rows)));
  support::write_file(folder / "be.npy",
                      npy_file(dict(">f8", "True", "(3, 2)"), swapped_bytes_of(by_columns)));
  support::write_file(folder / "f4.npy", npy_file(dict("<f4", "False", "(3, 2)"),
                                                  support::bytes_of(std::vector<float>{1, 4, 2, 5, 3, 6})));
  for (const char* name : {"f.npy", "c.npy", "be.npy", "f4.npy"}) {
    CAPTURE(name);
    const DenseMatrix m = read_npy_matrix(open_input(folder / name));
    REQUIRE(m.rows == 3);
    REQUIRE(m.cols == 2);
    CHECK(m.ld == 3);
    CHECK(std::vector<double>(m.data, m.data + 6) == by_columns);
  }
  support::write_file(folder / "v.npy",
                      npy_file(dict("<f8", "False", "(6,)"), support::bytes_of(by_columns)));
  CHECK(read_npy_matrix(open_input(folder / "v.npy")).rows == 6);
  CHECK(read_npy_matrix(open_input(folder / "v.npy")).cols == 1);
  CHECK(refusal([&] { read_npy_vector(open_input(folder / "f.npy")); }).reason ==
        "has shape (3, 2); a vector is required");
}

TEST_CASE("native doubles are used in place, others and unaligned ones converted") {
  const support::TemporaryFolder folder;
  const std::string values = support::bytes_of(std::vector<double>{1, 2, 2, 1});
  const auto file = [&](const std::string& descr, std::size_t total) {
    support::write_file(folder / "a.npy", npy_file(dict(descr, "True", "(2, 2)"), values, 1, total));
    return map_npy(open_input(folder / "a.npy"));
  };
  CHECK(file("<f8", 128).in_place<double>() != nullptr);
  CHECK(file("<f8", 104).in_place<double>() != nullptr);
  CHECK(file("<f8", 99).in_place<double>() == nullptr);
  CHECK(file(">f8", 128).in_place<double>() == nullptr);
  CHECK(file("<i8", 128).in_place<double>() == nullptr);
}

TEST_CASE("a square matrix: order, triangle and in-place use") {
  const support::TemporaryFolder folder;
  // Rows 1 2 3 / 20 4 5 / 30 50 6: the lower triangle is 20 30 50.
  const std::vector<double> by_rows{1, 2, 3, 20, 4, 5, 30, 50, 6};
  const std::vector<double> by_columns{1, 20, 30, 2, 4, 50, 3, 5, 6};
  support::write_file(folder / "c.npy", npy_file(dict("<f8", "False", "(3, 3)"), support::bytes_of(by_rows)));
  support::write_file(folder / "f.npy",
                      npy_file(dict("<f8", "True", "(3, 3)"), support::bytes_of(by_columns)));
  support::write_file(folder / "i.npy",
                      npy_file(dict("<i4", "False", "(3, 3)"),
                               support::bytes_of(std::vector<std::int32_t>(by_rows.begin(), by_rows.end()))));
  for (const char* name : {"c.npy", "f.npy", "i.npy"}) {
    CAPTURE(name);
    ReadOptions options;
    CHECK_THAT(refusal([&] { read_matrix(folder / name, options); }).reason,
               ContainsSubstring("entry (3, 2) is 50, entry (2, 3) is 5;"));
    options.triangle = Triangle::lower;
    CHECK(support::full(read_matrix(folder / name, options)) ==
          std::vector<double>{1, 20, 30, 20, 4, 50, 30, 50, 6});
    options.triangle = Triangle::upper;
    CHECK(support::full(read_matrix(folder / name, options)) ==
          std::vector<double>{1, 2, 3, 2, 4, 5, 3, 5, 6});
    options.triangle = Triangle::symmetrize;
    CHECK(support::full(read_matrix(folder / name, options)) ==
          std::vector<double>{1, 11, 16.5, 11, 4, 27.5, 16.5, 27.5, 6});
  }
}

TEST_CASE("the files that NpyWriter writes") {
  const support::TemporaryFolder folder;
  {
    NpyWriter writer(folder / "z.npy", {3, 2});
    CHECK(reinterpret_cast<std::uintptr_t>(writer.data()) % 64 == 0);
    for (int k = 0; k < 6; ++k) writer.data()[k] = k + 0.5;
    CHECK_FALSE(std::filesystem::exists(folder / "z.npy"));
    writer.commit();
  }
  CHECK(folder.names() == std::vector<std::string>{"z.npy"});
  const std::string text = support::text_of_file(folder / "z.npy");
  CHECK(text.size() == 128 + 48);
  CHECK(text.substr(0, 8) == std::string("\x93NUMPY\x01\0", 8));
  CHECK_THAT(text, ContainsSubstring("{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2), }"));
  CHECK(text[127] == '\n');
  const DenseMatrix m = read_npy_matrix(open_input(folder / "z.npy"));
  CHECK(m.rows == 3);
  CHECK(std::vector<double>(m.data, m.data + 6) == std::vector<double>{0.5, 1.5, 2.5, 3.5, 4.5, 5.5});

  {
    NpyWriter writer(folder / "w.npy", {2});
    writer.data()[0] = -1;
    writer.data()[1] = 1e-300;
    writer.commit();
  }
  CHECK_THAT(support::text_of_file(folder / "w.npy"), ContainsSubstring("'shape': (2,), }"));
  CHECK(read_npy_vector(open_input(folder / "w.npy")) == std::vector<double>{-1, 1e-300});
  {
    NpyWriter writer(folder / "empty.npy", {0, 0});
    writer.commit();
  }
  CHECK(read_matrix(folder / "empty.npy").n == 0);
  CHECK_THROWS_AS(NpyWriter(folder / "huge.npy", {std::int64_t{1} << 40, std::int64_t{1} << 40}), FileError);
  CHECK_THROWS_AS(NpyWriter(folder / "huge.npy", {std::int64_t{1} << 28, std::int64_t{1} << 28}), FileError);
  CHECK_FALSE(std::filesystem::exists(folder / "huge.npy"));
  CHECK(folder.names().size() == 3);
}

TEST_CASE("random bytes in a header are read or refused, never worse") {
  const support::TemporaryFolder folder;
  const std::string good =
      npy_file(dict("<f8", "False", "(2, 2)"), support::bytes_of(std::vector<double>{1, 2, 2, 1}));
  std::uint64_t state = 88172645463325252U;
  const auto random = [&] { return state ^= state << 13, state ^= state >> 7, state ^= state << 17; };
  int refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::string damaged = good;
    for (int k = 0; k < 2; ++k) damaged[random() % 70] = static_cast<char>(random() % 256);
    support::write_file(folder / "a.npy", damaged);
    ReadOptions options;
    options.format = Format::npy;
    try {
      read_matrix(folder / "a.npy", options);
    } catch (const FileError&) {
      ++refused;
    } catch (const OutOfMemory&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);
}
