#include "apps/io/hdf5_file.hpp"

#include <sys/resource.h>

#include <cmath>
#include <complex>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "apps/io/eigenpairs_file.hpp"
#include "apps/io/hdf5_handle.hpp"
#include "apps/io/hdf5_name.hpp"
#include "apps/io/hdf5_output.hpp"
#include "apps/io/input_file.hpp"
#include "apps/io/matrix_output.hpp"
#include "apps/io/sparse_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace eigen_g;
using namespace eigen_g::io;
using support::refusal;
using support::TemporaryFolder;
using C = std::complex<double>;

TEST_CASE("a name is a file, or a file and a dataset") {
  const TemporaryFolder folder;
  support::write_file(folder / "a:b", "text");
  support::write_file(folder / "data", "text");
  const auto split = [](const std::string& path) {
    const Hdf5Name name = hdf5_name(path);
    return name.file.string() + "|" + name.dataset;
  };
  CHECK(split("x.h5:/g/H") == "x.h5|/g/H");
  CHECK(split("x.hdf5:H:1") == "x.hdf5|H:1");
  CHECK(split("x.h5") == "x.h5|");
  CHECK(split("x.h5:") == "x.h5:|");
  CHECK(split("x.npy:H") == "x.npy:H|");
  CHECK(split(folder / "a:b") == folder / "a:b|");
  CHECK(split(folder / "data:/H") == folder / "data|/H");
  CHECK(names_hdf5("x.h5:/g"));
  CHECK_FALSE(names_hdf5("x.h5.npy"));
}

TEST_CASE("a signature behind a user block") {
  const std::string signature("\x89HDF\r\n\x1a\n", 8);
  for (const std::size_t block : {0, 512, 1024, 4096})
    CHECK(begins_as_hdf5(std::string(block, 'x') + signature + "more"));
  for (const std::size_t block : {1, 511, 513, 1536})
    CHECK_FALSE(begins_as_hdf5(std::string(block, 'x') + signature + "more"));
  CHECK_FALSE(begins_as_hdf5(""));
}

TEST_CASE("of another file no dataset is named") {
  const TemporaryFolder folder;
  support::write_file(folder / "a.h5", "%%MatrixMarket matrix array real symmetric\n1 1\n1\n");
  CHECK(read_matrix(folder / "a.h5").n == 1);
  CHECK_THAT(refusal([&] { read_matrix(folder / "a.h5:/H"); }).reason,
             ContainsSubstring("is neither an HDF5 file nor an .npz"));
  CHECK_THAT(refusal([&] { read_matrix(folder / "b.h5:/H"); }).reason, ContainsSubstring("No such file"));
}

#ifndef EIGEN_G_HAVE_HDF5

TEST_CASE("a build without HDF5 says so") {
  const TemporaryFolder folder;
  support::write_file(folder / "a.h5", std::string("\x89HDF\r\n\x1a\n", 8) + std::string(88, '\0'));
  CHECK(hdf5_version().empty());
  CHECK_THAT(refusal([&] { read_matrix(folder / "a.h5"); }).reason, ContainsSubstring("built without HDF5"));
  CHECK_THAT(refusal([&] { require_matrix_ending("a.h5"); }).reason, ContainsSubstring("built without HDF5"));
  SKIP_TEST("built without HDF5");
}

#else

namespace {

// The storage of a dataset.
struct Written {
  std::string name = "/H";
  hid_t type = H5T_IEEE_F64LE, memory = H5T_NATIVE_DOUBLE;
  std::vector<hsize_t> extents;
  bool chunked = false;
  const char* matlab_class = nullptr;
};

void add(hid_t file, const Written& w, const void* elements) {
  const Hdf5Handle space(::H5Screate_simple(static_cast<int>(w.extents.size()), w.extents.data(), nullptr),
                         H5Sclose),
      links(::H5Pcreate(H5P_LINK_CREATE), H5Pclose), how(::H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  ::H5Pset_create_intermediate_group(links, 1);
  if (w.chunked) {
    const std::vector<hsize_t> chunk(w.extents.size(), 2);
    ::H5Pset_chunk(how, static_cast<int>(chunk.size()), chunk.data());
    ::H5Pset_shuffle(how);
    ::H5Pset_deflate(how, 6);
  }
  const Hdf5Handle made(::H5Dcreate2(file, w.name.c_str(), w.type, space, links, how, H5P_DEFAULT), H5Dclose);
  REQUIRE(made.is_open());
  REQUIRE(::H5Dwrite(made, w.memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements) >= 0);
  if (!w.matlab_class) return;
  const Hdf5Handle text(::H5Tcopy(H5T_C_S1), H5Tclose), one(::H5Screate(H5S_SCALAR), H5Sclose);
  ::H5Tset_size(text, std::strlen(w.matlab_class));
  const Hdf5Handle attribute(::H5Acreate2(made, "MATLAB_class", text, one, H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
  REQUIRE(::H5Awrite(attribute, text, w.matlab_class) >= 0);
}

Hdf5Handle new_file(const std::string& path, hsize_t user_block = 0) {
  begin_hdf5();
  const Hdf5Handle how(::H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  ::H5Pset_userblock(how, user_block);
  return {::H5Fcreate(path.c_str(), H5F_ACC_TRUNC, how, H5P_DEFAULT), H5Fclose};
}

template <class T>
void write(const std::string& path, const Written& w, const std::vector<T>& elements) {
  const Hdf5Handle file = new_file(path);
  add(file, w, elements.data());
}

Hdf5Handle complex_type(hid_t part, const char* re, const char* im) {
  const std::size_t size = ::H5Tget_size(part);
  Hdf5Handle type(::H5Tcreate(H5T_COMPOUND, 2 * size), H5Tclose);
  ::H5Tinsert(type, re, 0, part);
  ::H5Tinsert(type, im, size, part);
  return type;
}

const std::vector<double> frank{1, 1, 1, 1, 2, 2, 1, 2, 3};  // min(i, j)

// Hermitian, row by row.
const std::vector<C> hermitian{{1, 0}, {2, 3}, {4, -5}, {2, -3}, {6, 0}, {7, 8}, {4, 5}, {7, -8}, {9, 0}};

template <class T>
T entry(const HermitianMatrix<T>& m, std::int64_t i, std::int64_t j) {
  if (m.transposed) std::swap(i, j);
  const bool stored = m.uplo == Uplo::lower ? i >= j : i <= j;
  return stored ? m.data[i + j * m.lda] : mirrored(m.data[j + i * m.lda]);
}

}  // namespace

TEST_CASE("floats and integers of either byte order, in one piece and in compressed chunks") {
  const TemporaryFolder folder;
  const bool chunked = GENERATE(false, true);
  const hid_t types[] = {H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE,    H5T_IEEE_F64BE, H5T_STD_I8LE,
                         H5T_STD_U8BE,   H5T_STD_I16BE,  H5T_STD_U16LE,     H5T_STD_I32LE,  H5T_STD_U32BE,
                         H5T_STD_I64BE,  H5T_STD_U64LE,  H5T_NATIVE_LDOUBLE};
  for (const hid_t type : types) {
    write(folder / "a.h5", {"/g/H", type, H5T_NATIVE_DOUBLE, {3, 3}, chunked}, frank);
    const SymmetricMatrix m = read_matrix(folder / "a.h5:/g/H");
    CAPTURE(m.format_name);
    REQUIRE(m.n == 3);
    CHECK(support::full(m) == frank);
    CHECK(m.asymmetry == 0);
    CHECK_THAT(m.format_name, ContainsSubstring("HDF5 '"));
    const bool single = ::H5Tequal(type, H5T_IEEE_F32LE) > 0 || ::H5Tequal(type, H5T_IEEE_F32BE) > 0;
    CHECK(type_of(*open_input(folder / "a.h5")) == (single ? ScalarType::s : ScalarType::d));
    CHECK(read_matrix<float>(folder / "a.h5:g/H").n == 3);
  }
  CHECK(!open_input(folder / "a.h5")->is_mapped());
  write(folder / "a.h5", {"/H", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {3, 3}, chunked}, frank);
  CHECK(open_input(folder / "a.h5")->is_mapped() == !chunked);
}

TEST_CASE("rows are rows: triangles and refusals are named as h5py names them, and as MATLAB does") {
  const TemporaryFolder folder;
  const bool chunked = GENERATE(false, true), matlab = GENERATE(false, true);
  {
    const Hdf5Handle file = new_file(folder / "a.mat", 512);
    add(file, {"/H", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {2, 2}, chunked, matlab ? "double" : nullptr},
        std::vector<double>{1, 2, 30, 4}.data());
  }
  ReadOptions options;
  options.triangle = Triangle::lower;
  CHECK(entry(read_matrix(folder / "a.mat:/H", options), 1, 0) == (matlab ? 2 : 30));
  options.triangle = Triangle::upper;
  CHECK(entry(read_matrix(folder / "a.mat", options), 0, 1) == (matlab ? 30 : 2));
  options.triangle = Triangle::automatic;
  CHECK_THAT(refusal([&] { read_matrix(folder / "a.mat", options); }).reason,
             ContainsSubstring(matlab ? "entry (2, 1) is 2, entry (1, 2) is 30"
                                      : "entry (2, 1) is 30, entry (1, 2) is 2"));
}

TEST_CASE("complex numbers are compounds of two floats; of MATLAB's file the columns are columns") {
  const TemporaryFolder folder;
  const bool chunked = GENERATE(false, true);
  const std::pair<const char*, const char*> names[] = {{"r", "i"}, {"real", "imag"}, {"Re", "Im"}};
  for (const hid_t part : {H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_IEEE_F64LE})
    for (const auto& [re, im] : names)
      for (const bool matlab : {false, true}) {
        const Hdf5Handle type = complex_type(part, re, im), memory = complex_type(H5T_NATIVE_DOUBLE, re, im);
        {
          const Hdf5Handle file = new_file(folder / "a.h5", matlab ? 512 : 0);
          add(file, {"/H", type, memory, {3, 3}, chunked, matlab ? "double" : nullptr}, hermitian.data());
        }
        CHECK(type_of(*open_input(folder / "a.h5")) ==
              (::H5Tget_size(part) == 4 ? ScalarType::c : ScalarType::z));
        const HermitianMatrix<C> m = read_matrix<C>(folder / "a.h5");
        for (std::int64_t i = 0; i < 3; ++i)
          for (std::int64_t j = 0; j < 3; ++j) {
            const C stored = hermitian[static_cast<std::size_t>(3 * i + j)];
            CHECK(entry(m, i, j) == (matlab ? std::conj(stored) : stored));
          }
        CHECK_THAT(refusal([&] { read_matrix<double>(folder / "a.h5"); }).reason,
                   ContainsSubstring("has an imaginary part"));
      }
}

TEST_CASE("files of other writers: every one of data/hdf5") {
  const std::string data = std::string(EIGEN_G_DATA_DIR) + "/hdf5/";
  for (const char* name : {"minij_6.h5", "minij_6_latest.h5", "minij_6_gzip.h5", "links.h5:/H",
                           "links.h5:/soft", "links.h5:/linked/H"}) {
    const SymmetricMatrix m = read_matrix(data + name);
    REQUIRE(m.n == 6);
    for (std::int64_t i = 0; i < 6; ++i)
      for (std::int64_t j = 0; j < 6; ++j) CHECK(entry(m, i, j) == static_cast<double>(1 + std::min(i, j)));
  }
  for (const char* name : {"ring_4.h5", "ring_4.mat"}) {
    const HermitianMatrix<C> m = read_matrix<C>(data + name);
    REQUIRE(m.n == 4);
    CHECK(entry(m, 1, 0) == C(0, 1));
    CHECK(entry(m, 0, 1) == C(0, -1));
    CHECK(entry(m, 0, 3) == C(0, 1));
  }
  const std::vector<double> w = read_values(data + "result_5.h5");
  const DenseMatrix z = read_vectors(data + "result_5.h5");
  for (std::int64_t k = 0; k < 5; ++k)  // the first row of A z = w z
    CHECK(std::abs(2 * z.data[k * z.ld] - z.data[1 + k * z.ld] -
                   w[static_cast<std::size_t>(k)] * z.data[k * z.ld]) < 1e-14);
}

TEST_CASE("a file of a newer HDF5 is read by one that can, or told so") {
  const std::string path = std::string(EIGEN_G_DATA_DIR) + "/hdf5/ring_4_v112.h5";
  for (const char* const name : {":/H", ""}) {
#if H5_VERSION_GE(1, 12, 0)
    CHECK(entry(read_matrix<C>(path + name), 1, 0) == C(0, 1));
#else
    CHECK_THAT(
        refusal([&] { read_matrix<C>(path + name); }).reason,
        ContainsSubstring("has a form that HDF5 " + hdf5_version() + " of this program does not know") &&
            ContainsSubstring("1.12 or later") && ContainsSubstring("libver=('earliest', 'v110')"));
#endif
  }
}

namespace {

// A matrix of order 4 that differs from frank, in a file whose offset of it lies within the linking file too.
const std::vector<double> diagonal{1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4};

void link_to(const std::string& path, const char* target_file, const char* target, const char* name) {
  const Hdf5Handle file(::H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  const Hdf5Handle groups(::H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  ::H5Pset_create_intermediate_group(groups, 1);
  REQUIRE((target_file ? ::H5Lcreate_external(target_file, target, file, name, groups, H5P_DEFAULT)
                       : ::H5Lcreate_soft(target, file, name, groups, H5P_DEFAULT)) >= 0);
}

// data.h5 holds /g/H. middle.h5 and index.h5 hold links, and other numbers.
struct Linked : TemporaryFolder {
  explicit Linked(bool chunked) {
    const std::vector<double> sevens(64 * 64, 7.0);
    write(*this / "data.h5", {"/g/H", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {4, 4}, chunked}, diagonal);
    for (const char* const name : {"middle.h5", "index.h5"})
      write(*this / name, {"/other", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {64, 64}}, sevens);
    link_to(*this / "middle.h5", "data.h5", "/g/H", "/H");
    link_to(*this / "index.h5", "data.h5", "/g/H", "/H");
    link_to(*this / "index.h5", nullptr, "/H", "/deep/soft");
    link_to(*this / "index.h5", "data.h5", "/g", "/group");
    link_to(*this / "index.h5", "middle.h5", "/H", "/chain");
    link_to(*this / "index.h5", "missing.h5", "/H", "/nowhere");
    link_to(*this / "index.h5", nullptr, "/nothing", "/loose");
  }
};

}  // namespace

TEST_CASE("a dataset behind links is read from the file in which it lies") {
  const Linked folder(GENERATE(false, true));
  const std::string index = folder / "index.h5";
  for (const char* const name : {":/H", ":/deep/soft", ":/group/H", ":/chain"}) {
    CAPTURE(name);
    CHECK(support::full(read_matrix(index + name)) == diagonal);
    CHECK(read_vectors(index + name).cols == 4);
    CHECK(open_input(index + name)->path() == index + name);
  }
  CHECK(open_input(index)->path() == index + ":/other");  // a link is read only by its name
  CHECK_THAT(refusal([&] { read_matrix(index + ":/nowhere"); }).reason,
             ContainsSubstring("/nowhere is a link into missing.h5, which cannot be followed"));
  CHECK_THAT(refusal([&] { read_matrix(index + ":/loose"); }).reason,
             ContainsSubstring("has no dataset /loose") && ContainsSubstring("/H (a link)"));
  write(folder / "index.h5", {"/v", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {3}}, frank);
  link_to(index, "data.h5", "/g/H", "/H");
  CHECK_THAT(refusal([&] { read_matrix(index); }).reason,
             ContainsSubstring("holds no square matrix") && ContainsSubstring("/H (a link), /v (3 numbers)"));
  std::filesystem::remove(folder / "data.h5");
  CHECK_THAT(refusal([&] { read_matrix(index + ":/H"); }).reason,
             ContainsSubstring("is a link into data.h5"));
}

TEST_CASE("every file on the way to a dataset is known") {
  const Linked folder(false);
  const auto on_the_way = [&](const std::string& dataset) {
    std::set<std::string> names;
    for (const std::filesystem::path& file : hdf5_files(MappedFile(folder / "index.h5"), dataset))
      names.insert(file.filename());
    return names;
  };
  using Names = std::set<std::string>;
  CHECK(on_the_way("").empty());
  CHECK(on_the_way("/other") == Names{"index.h5"});
  CHECK(on_the_way("/H") == Names{"index.h5", "data.h5"});
  CHECK(on_the_way("/deep/soft") == Names{"index.h5", "data.h5"});
  CHECK(on_the_way("/group/H") == Names{"index.h5", "data.h5"});
  CHECK(on_the_way("/chain") == Names{"index.h5", "middle.h5", "data.h5"});
}

TEST_CASE("virtual datasets and external raw storage are refused, also behind a link") {
  const TemporaryFolder folder;
  write(folder / "data.h5", {"/H", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {4, 4}}, diagonal);
  support::write_file(folder / "raw", support::bytes_of(diagonal));
  {
    const Hdf5Handle file = new_file(folder / "a.h5"), how(::H5Pcreate(H5P_DATASET_CREATE), H5Pclose),
                     virtual_how(::H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const hsize_t extents[] = {4, 4};
    const Hdf5Handle space(::H5Screate_simple(2, extents, nullptr), H5Sclose);
    ::H5Pset_external(how, "raw", 0, 128);
    ::H5Pset_virtual(virtual_how, space, "data.h5", "/H", space);
    const Hdf5Handle outside(::H5Dcreate2(file, "/raw", H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT),
                             H5Dclose),
        composed(::H5Dcreate2(file, "/virtual", H5T_IEEE_F64LE, space, H5P_DEFAULT, virtual_how, H5P_DEFAULT),
                 H5Dclose);
    REQUIRE((outside.is_open() && composed.is_open()));
  }
  { const Hdf5Handle file = new_file(folder / "b.h5"); }
  for (const char* const name : {"/raw", "/virtual"}) {
    link_to(folder / "b.h5", "a.h5", name, name);
    for (const char* const file : {"a.h5:", "b.h5:"})
      CHECK_THAT(refusal([&] { read_matrix(folder / file + name); }).reason,
                 ContainsSubstring(std::string(name) + " is stored in other files"));
  }
}

TEST_CASE("a group with a sparse matrix is named as one") {
  const TemporaryFolder folder;
  for (const char* const rows : {"/L/ir", "/L/indices"}) {
    {
      const Hdf5Handle file = new_file(folder / "a.mat", 512);
      add(file, {"/L/data", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {3}}, frank.data());
      add(file, {rows, H5T_STD_U64LE, H5T_NATIVE_DOUBLE, {3}}, frank.data());
    }
    CHECK_THAT(refusal([&] { read_matrix(folder / "a.mat:/L"); }).reason,
               ContainsSubstring("/L is a group with the parts of a sparse matrix") &&
                   ContainsSubstring("scipy.sparse.save_npz()"));
  }
}

TEST_CASE("h5py's booleans, an enumeration") {
  const TemporaryFolder folder;
  const Hdf5Handle type(::H5Tenum_create(H5T_STD_I8LE), H5Tclose);
  const std::int8_t no = 0, yes = 1;
  ::H5Tenum_insert(type, "FALSE", &no);
  ::H5Tenum_insert(type, "TRUE", &yes);
  for (const bool chunked : {false, true}) {
    write(folder / "a.h5", {"/H", type, type, {2, 2}, chunked}, std::vector<std::int8_t>{0, 1, 1, 0});
    CHECK(support::full(read_matrix(folder / "a.h5")) == std::vector<double>{0, 1, 1, 0});
  }
}

TEST_CASE("the only dataset of the right shape needs no name") {
  const TemporaryFolder folder;
  {
    const Hdf5Handle file = new_file(folder / "a.h5");
    add(file, {"/m", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {3, 3}}, frank.data());
    add(file, {"/g/v", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {3}}, frank.data() + 6);
  }
  CHECK(read_matrix(folder / "a.h5").n == 3);
  CHECK(read_values(folder / "a.h5") == std::vector<double>{1, 2, 3});
  CHECK(read_vectors(folder / "a.h5").cols == 3);
  CHECK(read_values(folder / "a.h5:g/v") == std::vector<double>{1, 2, 3});
  CHECK(std::holds_alternative<SymmetricMatrix>(read_sparse_or_dense(folder / "a.h5")));
  {
    const Hdf5Handle file(::H5Fopen((folder / "a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    add(file, {"/n", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {2, 4}}, frank.data());
    add(file, {"/o", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {1, 1}}, frank.data());
  }
  const auto several = refusal([&] { read_matrix(folder / "a.h5"); }).reason;
  for (const char* part : {"several datasets", "/g/v (3 numbers)", "/m (3 x 3)", "/n (2 x 4)", "/o (1 x 1)"})
    CHECK_THAT(several, ContainsSubstring(part));
  CHECK(read_matrix(folder / "a.h5:/m").n == 3);
  CHECK(read_vectors(folder / "a.h5:/n").rows == 2);
  CHECK(read_vectors(folder / "a.h5:/n").data[1] == 2);
}

TEST_CASE("refusals name the dataset") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.h5";
  const auto reason = [&](const std::string& name) {
    return refusal([&] { read_matrix(path + name); }).reason;
  };
  { const Hdf5Handle file = new_file(path); }
  CHECK_THAT(reason(""), ContainsSubstring("holds no square matrix") && ContainsSubstring("it has none"));
  {
    const Hdf5Handle file(::H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const std::vector<double> numbers(27);
    add(file, {"/g/wide", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {2, 3}}, numbers.data());
    add(file, {"/chunks", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {2, 3}, true}, numbers.data());
    add(file, {"/cube", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {3, 3, 3}}, numbers.data());
    add(file, {"/vector", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {3}}, numbers.data());
    const Hdf5Handle text(::H5Tcopy(H5T_C_S1), H5Tclose), pair = complex_type(H5T_NATIVE_DOUBLE, "x", "y");
    add(file, {"/text", text, text, {2, 2}}, "abcd");
    add(file, {"/pairs", pair, pair, {2, 2}}, numbers.data());
  }
  CHECK_THAT(reason(":/nothing"), ContainsSubstring("has no dataset /nothing") &&
                                      ContainsSubstring("/g/wide (2 x 3)") && ContainsSubstring("/cube"));
  CHECK_THAT(reason(":/g"), ContainsSubstring("/g is not a dataset"));
  CHECK_THAT(reason(":/g/wide"), ContainsSubstring("shape (2, 3); a square matrix is required"));
  CHECK_THAT(reason(":/chunks"), ContainsSubstring("shape (2, 3); a square matrix is required"));
  CHECK_THAT(reason(":/cube"), ContainsSubstring("is 3 x 3 x 3; a matrix is required"));
  CHECK_THAT(reason(":/vector"), ContainsSubstring("shape (3,); a square matrix is required"));
  CHECK_THAT(reason(":/text"), ContainsSubstring("holds text"));
  CHECK_THAT(reason(":/pairs"), ContainsSubstring("a compound type"));
  ReadOptions raw;
  raw.format = Format::raw;
  CHECK_THAT(refusal([&] { read_matrix(path + ":/vector", raw); }).reason, ContainsSubstring("HDF5"));
  CHECK_THAT(refusal([&] { read_values(path + ":/cube"); }).reason,
             ContainsSubstring("a matrix is required"));
}

TEST_CASE("a file cut anywhere, or with any byte changed, is refused or read, and this process continues") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.h5";
  const bool chunked = GENERATE(false, true);
  write(path, {"/g/H", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {3, 3}, chunked}, frank);
  const std::string whole = support::text_of_file(path);
  for (std::size_t size = 8; size < whole.size(); size += 97) {
    support::write_file(path, whole.substr(0, size));
    CHECK_FALSE(refusal([&] { read_matrix(path); }).reason.empty());
  }
  std::uint32_t random = 1;
  for (int k = 0; k < 60; ++k) {
    std::string changed = whole;
    for (int change = 0; change < 3; ++change) {
      random = random * 1664525 + 1013904223;
      changed[8 + (random >> 8) % (whole.size() - 8)] = static_cast<char>(random >> 3);
    }
    support::write_file(path, changed);
    std::int64_t n = 0;
    const std::string reason = refusal([&] { n = read_matrix(path).n; }).reason;
    CHECK((n >= 0 && reason.find('\n') == std::string::npos));
  }
}

TEST_CASE("written datasets read back to the same bits, with room taken before they are filled in") {
  const TemporaryFolder folder;
  const std::string path = folder / "w.h5";
  {
    Hdf5Writer writer(path, {{"/values", ScalarType::d, {3}},
                             {"/g/vectors", ScalarType::z, {3, 2}},
                             {"/single", ScalarType::c, {1, 1}},
                             {"/none", ScalarType::s, {0, 4}}});
    CHECK(folder.names().size() == 1);
    CHECK_FALSE(std::filesystem::exists(path));
    for (int k = 0; k < 3; ++k) writer.data<double>(0)[k] = 0.1 * k;
    for (int k = 0; k < 6; ++k) writer.data<C>(1)[k] = C(k, -0.5 * k);
    writer.data<std::complex<float> >(2)[0] = {1, 2};
    CHECK(writer.data<float>(3) == nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(writer.data<C>(1)) % 64 == 0);
    writer.commit();
  }
  CHECK(folder.names() == std::vector<std::string>{"w.h5"});
  CHECK(read_values(path) == std::vector<double>{0, 0.1, 0.2});
  const Dense<C> z = read_vectors<C>(path + ":/g/vectors");
  REQUIRE((z.rows == 3 && z.cols == 2));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j) CHECK(z.data[i + j * z.ld] == C(2 * i + j, -0.5 * (2 * i + j)));
  CHECK(read_vectors<std::complex<float> >(path + ":single").data[0] == std::complex<float>(1, 2));
  CHECK(read_vectors<float>(path + ":none").rows == 0);

  CHECK_THAT(refusal([&] {
               Hdf5Writer(path, {{"/a", ScalarType::d, {1}}});
             }).reason,
             ContainsSubstring("exists; --force replaces it"));
  CHECK_THAT(refusal([&] {
               Hdf5Writer(folder / "v.h5", {{"/a", ScalarType::d, {1}}, {"/a/b", ScalarType::d, {1}}});
             }).reason,
             ContainsSubstring("cannot be written"));
  CHECK(folder.names() == std::vector<std::string>{"w.h5"});
}

TEST_CASE("a full disk shows before the elements are computed") {
  const TemporaryFolder folder;
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  void (*const handler)(int) = std::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t most : {rlim_t{100}, rlim_t{100'000}}) {
    rlimit limit = before;
    limit.rlim_cur = most;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string reason = refusal([&] {
                                 Hdf5Writer(folder / "w.h5", {{"/a", ScalarType::d, {1000, 1000}}});
                               }).reason;
    ::setrlimit(RLIMIT_FSIZE, &before);
    CHECK_THAT(reason, ContainsSubstring("cannot be written: File too large"));
    CHECK(folder.names().empty());
  }
  std::signal(SIGXFSZ, handler);
  const std::int64_t much = std::int64_t{1} << 40;
  CHECK_THAT(refusal([&] {
               Hdf5Writer(folder / "w.h5", {{"/a", ScalarType::z, {much, much}}});
             }).reason,
             ContainsSubstring("cannot be written: File too large"));
}

TEST_CASE("matrices are written with both triangles, row by row") {
  const TemporaryFolder folder;
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    std::vector<C> stored = hermitian;  // row by row is the transpose column by column
    for (C& x : stored) x = std::conj(x);
    write_matrix(folder / "a.h5:/g/H", 3, stored.data(), 3, uplo, 1, Existing::replace);
    const Dense<C> m = read_vectors<C>(folder / "a.h5:/g/H");
    for (std::int64_t i = 0; i < 3; ++i)
      for (std::int64_t j = 0; j < 3; ++j)
        CHECK(m.data[i + j * m.ld] == hermitian[static_cast<std::size_t>(3 * i + j)]);
  }
  write_matrix(folder / "b.h5", 3, frank.data(), 3, Uplo::lower);
  CHECK(support::full(read_matrix(folder / "b.h5:/A")) == frank);
}

#endif
