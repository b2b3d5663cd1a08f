// Compares apps/io/sparse_file with the dense readers: the same matrices and the same refusals. Also reads archives that SciPy
// does not write.
#include "apps/io/sparse_file.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/io/zip_archive.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace eigen_g;
using namespace eigen_g::io;
using support::refusal;

namespace {

const std::string data = EIGEN_G_DATA_DIR;

std::vector<std::string> sparse_files(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string ending = entry.path().extension();
    if (ending == ".mtx" || ending == ".csc" || ending == ".npz") paths.push_back(entry.path());
  }
  return paths;
}

bool is_array(const std::string& path) {
  std::ifstream file(path);
  std::string banner;
  std::getline(file, banner);
  return banner.find(" array ") != std::string::npos;
}

// The lower triangle, column by column.
std::vector<double> lower_of(const SymmetricMatrix& m) {
  std::vector<double> a;
  for (std::int64_t j = 0; j < m.n; ++j)
    for (std::int64_t i = j; i < m.n; ++i)
      a.push_back(m.uplo == Uplo::lower ? m.data[i + j * m.lda] : m.data[j + i * m.lda]);
  return a;
}
std::vector<double> lower_of(const blas2::CrsView<double>& a) {
  std::vector<double> dense(static_cast<std::size_t>(a.rows * a.rows), 0.0), lower;
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p)
      dense[static_cast<std::size_t>(i + a.col[p] * a.rows)] = a.value[p];
  for (std::int64_t j = 0; j < a.rows; ++j)
    for (std::int64_t i = j; i < a.rows; ++i)
      lower.push_back(dense[static_cast<std::size_t>(i + j * a.rows)]);
  return lower;
}

void check_same_matrix(const std::string& path, const ReadOptions& options) {
  CAPTURE(path);
  const SparseMatrix sparse = read_sparse_matrix(path, options);
  const SymmetricMatrix dense = read_matrix(path, options);
  blas2::check_crs(sparse.a.view());
  CHECK(blas2::asymmetry(sparse.a.view()).largest == 0);
  CHECK(sparse.format_name == dense.format_name);
  CHECK(sparse.asymmetry == dense.asymmetry);
  CHECK(lower_of(sparse.a.view()) == lower_of(dense));
}

template <class Number>
void append(std::string& to, Number number, int bytes) {
  auto left = static_cast<std::uint64_t>(number);
  for (; bytes > 0; --bytes, left >>= 8) to += static_cast<char>(left & 0xff);
}

// An archive of one member; `deflated`: in one deflate block without compression. The other arguments are fields with wrong
// values.
struct Archive {
  std::string name = "a.npy", content = "twelve bytes";
  bool deflated = false, zip64 = false;
  int method = -1, flags = 0;
  std::optional<std::uint32_t> crc = {};
  std::optional<std::uint64_t> size = {}, header_at = {};

  std::string bytes() const {
    std::string packed = content;
    if (deflated) {
      packed = '\1';
      append(packed, content.size(), 2);
      append(packed, ~content.size(), 2);
      packed += content;
    }
    const std::uint64_t told = size.value_or(content.size());
    const auto common = [&](std::string& to) {
      append(to, flags, 2);
      append(to, method >= 0 ? method : deflated ? 8 : 0, 2);
      append(to, 0, 4);
      append(to, crc.value_or(support::crc32_of(content)), 4);
      append(to, zip64 ? 0xffffffffu : packed.size(), 4);
      append(to, zip64 ? 0xffffffffu : told, 4);
      append(to, name.size(), 2);
    };
    std::string extra;
    if (zip64) {
      append(extra, 1, 2);
      append(extra, 16, 2);
      append(extra, told, 8);
      append(extra, packed.size(), 8);
    }
    std::string file = "PK\3\4";
    append(file, 20, 2);
    common(file);
    append(file, extra.size(), 2);
    file += name + extra + packed;
    const std::size_t directory = file.size();
    file += "PK\1\2";
    append(file, 20, 2);
    append(file, 20, 2);
    common(file);
    append(file, extra.size(), 2);
    append(file, 0, 10);
    append(file, header_at.value_or(0), 4);
    file += name + extra;
    const std::size_t length = file.size() - directory;
    file += "PK\5\6";
    append(file, 0, 4);
    append(file, 1, 2);
    append(file, 1, 2);
    append(file, length, 4);
    append(file, directory, 4);
    append(file, 0, 2);
    return file;
  }
};

std::string written(const support::TemporaryFolder& folder, const std::string& bytes) {
  const std::string path = folder / "a.npz";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string content_of(const std::string& path) {
  const MappedFile file(path);
  const std::vector<ZipMember> members = zip_members(file);
  REQUIRE(members.size() == 1);
  return std::string(unpacked(file, members[0]).text);
}

}  // namespace

TEST_CASE(
    "every sparse file of data/valid is the dense reader's matrix, by any number of threads and chunks") {
  int files = 0;
  for (const std::string& path : sparse_files(data + "/valid")) {
    if (is_array(path)) continue;
    ++files;
    CHECK(is_sparse_file(path));
    for (const Triangle triangle :
         {Triangle::automatic, Triangle::lower, Triangle::upper, Triangle::symmetrize})
      for (const int threads : {1, 3}) {
        ReadOptions options;
        options.triangle = triangle;
        options.threads = threads;
        options.chunk_bytes = 16;
        check_same_matrix(path, options);
      }
  }
  CHECK(files >= 8);
}

TEST_CASE("every sparse file of data/invalid is refused in the dense reader's words, at its line") {
  const std::set<std::string> left_to_the_solver{"nan_entry.mtx", "infinite_entry.mtx",
                                                 "nan_above_diagonal.mtx"};
  for (const std::string& path : sparse_files(data + "/invalid")) {
    CAPTURE(path);
    if (left_to_the_solver.count(std::filesystem::path(path).filename()) == 1) {
      CHECK_THROWS_AS(blas2::check_crs(read_sparse_matrix(path).a.view()), NonFiniteEntry);
      continue;
    }
    const auto sparse = refusal([&] { read_sparse_matrix(path); }),
               dense = refusal([&] { read_matrix(path); });
    if (sparse.reason == "lists every entry of a dense matrix; a coordinate file is required" ||
        sparse.reason == "is neither Matrix Market, ELSI CSC nor an .npz of SciPy's save_npz")
      continue;
    CHECK(sparse.reason == dense.reason);
    CHECK(sparse.line == dense.line);
  }
}

TEST_CASE("dense and sparse files are distinguished") {
  CHECK_FALSE(is_sparse_file(data + "/valid/minij_12.mtx"));
  CHECK_FALSE(is_sparse_file(data + "/valid/minij_12_fortran.npy"));
  CHECK(is_sparse_file(data + "/valid/rosser_coo.npz"));
  ReadOptions options;
  options.n = 7;
  for (const char* const name : {"/valid/rosser_coo.npz", "/valid/poisson_4x4.csc", "/valid/poisson_6x6.mtx"})
    CHECK_THAT(refusal([&] { read_sparse_matrix(data + name, options); }).reason,
               ContainsSubstring("--n says 7"));
  CHECK_THAT(refusal([&] { read_sparse_matrix(data + "/valid/minij_12.mtx"); }).reason,
             ContainsSubstring("a coordinate file is required"));
  CHECK_THAT(refusal([&] { read_sparse_matrix(data + "/valid/minij_12_fortran.npy"); }).reason,
             ContainsSubstring("is neither Matrix Market"));
}

TEST_CASE(
    "triangles that differ: within the limit the lower one counts, beyond it both are named, on demand one "
    "or the mean") {
  const support::TemporaryFolder folder;
  const std::string path = folder / "a.mtx";
  const auto write = [&](const std::string& upper) {
    std::ofstream(path) << "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1\n3 3 1\n3 1 0.5\n1 3 "
                        << upper << "\n";
  };
  write("0.5000000000000001");
  check_same_matrix(path, {});
  CHECK(read_sparse_matrix(path).asymmetry > 0);
  write("0.25");
  CHECK_THAT(refusal([&] { read_sparse_matrix(path); }).reason,
             ContainsSubstring("entry (3, 1) is 0.5, entry (1, 3) is 0.25"));
  for (const Triangle triangle : {Triangle::lower, Triangle::upper, Triangle::symmetrize}) {
    ReadOptions options;
    options.triangle = triangle;
    check_same_matrix(path, options);
  }
}

TEST_CASE("a million rows are read, although a dense matrix would not fit") {
  const support::TemporaryFolder folder;
  const std::string path = folder / "a.mtx";
  constexpr std::int64_t n = 1000000;
  {
    std::ofstream file(path);
    file << "%%MatrixMarket matrix coordinate pattern symmetric\n" << n << " " << n << " " << n << "\n";
    for (std::int64_t i = 1; i <= n; ++i) file << i << " " << (i == 1 ? 1 : i - 1) << "\n";
  }
  const SparseMatrix m = read_sparse_matrix(path);
  blas2::check_crs(m.a.view());
  CHECK(m.a.rows == n);
  CHECK(m.a.nnz == 2 * n - 1);
}

TEST_CASE("members of an archive: stored, deflated, with zip64 sizes") {
  const support::TemporaryFolder folder;
  for (const bool zip64 : {false, true}) {
    CHECK(content_of(written(folder, Archive{.zip64 = zip64}.bytes())) == "twelve bytes");
    const std::string path = written(folder, Archive{.deflated = true, .zip64 = zip64}.bytes());
#ifdef EIGEN_G_HAVE_ZLIB
    CHECK(content_of(path) == "twelve bytes");
#else
    CHECK_THAT(refusal([&] { content_of(path); }).reason, ContainsSubstring("built without zlib"));
#endif
  }
}

TEST_CASE("damaged archives are refused with the reason") {
  const support::TemporaryFolder folder;
  const auto fault = [&](const Archive& archive) {
    const std::string path = written(folder, archive.bytes());
    return refusal([&] { content_of(path); }).reason;
  };
  CHECK_THAT(fault({.method = 12}), ContainsSubstring("packed by method 12; deflate is read"));
  CHECK_THAT(fault({.flags = 1}), ContainsSubstring("is an encrypted zip archive"));
  CHECK_THAT(fault({.size = 11}), ContainsSubstring("two different lengths"));
  CHECK_THAT(fault({.deflated = true, .size = 1u << 30}),
             ContainsSubstring("cannot unpack to 1073741824 bytes"));
  CHECK_THAT(fault({.header_at = 5}), ContainsSubstring("damaged directory"));
  CHECK_THAT(fault({.header_at = 1u << 30}), ContainsSubstring("an offset beyond its end"));
#ifdef EIGEN_G_HAVE_ZLIB
  CHECK_THAT(fault({.crc = 1}), ContainsSubstring("its checksum differs"));
  CHECK_THAT(fault({.deflated = true, .crc = 1}), ContainsSubstring("its checksum differs"));
  CHECK_THAT(fault({.deflated = true, .size = 13}), ContainsSubstring("it unpacks to 12 of 13 bytes"));
  CHECK_THAT(fault({.deflated = true, .size = 11}), ContainsSubstring("of 11 bytes"));
#endif
  const std::string whole = Archive{}.bytes();
  for (std::size_t length = 4; length < whole.size(); length += 3) {
    const std::string path = written(folder, whole.substr(0, length));
    CHECK_THROWS_AS(content_of(path), FileError);
  }
}
