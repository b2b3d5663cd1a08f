#include "apps/io/input_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "apps/io/eigenpairs_file.hpp"
#include "apps/io/matrix_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

using namespace eigen_g::io;
using support::refusal;

namespace {

const std::string market = "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n";

void check_market(const SymmetricMatrix& m) {
  REQUIRE(m.n == 2);
  CHECK(support::full(m) == std::vector<double>{1, 2, 2, 3});
}

std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (; bytes > 0; --bytes, value >>= 8) text += static_cast<char>(value);
  return text;
}

struct Member {
  std::string name, content;
  int method = 0;
};

// A zip archive in the form of NumPy's savez; with `wide` the sizes are in the 64-bit fields.
std::string zip(const std::vector<Member>& members, bool wide) {
  std::string text, directory;
  for (const Member& m : members) {
    const std::uint64_t size = m.content.size();
    const std::string extra = wide ? little(1, 2) + little(16, 2) + little(size, 8) + little(size, 8) : "";
    const std::uint64_t told = wide ? 0xffffffff : size;
    const std::string common = little(0, 2) + little(static_cast<std::uint64_t>(m.method), 2) + little(0, 4) +
                               little(support::crc32_of(m.content), 4) + little(told, 4) + little(told, 4) +
                               little(m.name.size(), 2) + little(extra.size(), 2);
    directory += "PK\x01\x02" + little(45, 2) + little(45, 2) + common + little(0, 10) +
                 little(text.size(), 4) + m.name + extra;
    text += "PK\x03\x04" + little(45, 2) + common + m.name + extra + m.content;
  }
  const std::uint64_t at = text.size();
  return text + directory + "PK\x05\x06" + little(0, 4) + little(members.size(), 2) +
         little(members.size(), 2) + little(directory.size(), 4) + little(at, 4) + little(0, 2);
}

std::string npy() {
  std::string header = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }";
  header.resize(117, ' ');
  header += '\n';
  std::string text = "\x93NUMPY";
  text += std::string("\x01\x00", 2) + little(header.size(), 2) + header;
  for (const double value : {1.0, 2.0, 2.0, 3.0})
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
  return text;
}

}  // namespace

TEST_CASE("the one .npy that a zip archive stores is the matrix") {
  const support::TemporaryFolder folder;
  for (const bool wide : {false, true}) {
    support::write_file(folder / "a.npz", zip({{"readme.txt", "text"}, {"arr_0.npy", npy()}}, wide));
    check_market(read_matrix(folder / "a.npz"));
  }
  for (const char* const name :
       {"shape.npy", "format.npy"}) {  // names of SciPy's too, which has more of them
    support::write_file(folder / "a.npz", zip({{name, npy()}}, true));
    check_market(read_matrix(folder / "a.npz"));
  }
  const auto reason = [&](const std::string& content) {
    support::write_file(folder / "b.npz", content);
    return refusal([&] { read_matrix(folder / "b.npz"); }).reason;
  };
  CHECK(reason(zip({{"a.npy", npy()}, {"b.npy", npy()}}, false)) ==
        "holds several arrays; FILE:/NAME names one: a, b");
  CHECK_THAT(reason(zip({{"a.npy", npy(), 12}}, true)), ContainsSubstring("is packed by method 12"));
  CHECK_THAT(reason(zip({{"a.txt", npy()}}, true)), ContainsSubstring("without a .npy"));
  CHECK_THAT(reason("PK\x03\x04"), ContainsSubstring("zip archive"));
}

TEST_CASE("of several arrays in an archive FILE:/NAME names one") {
  const support::TemporaryFolder folder;
  const std::string path = folder / "a.npz";
  support::write_file(
      path, zip({{"S.npy", "no array"}, {"g/H.npy", npy()}, {"H.npy", npy()}, {"w.txt", ""}}, false));
  for (const char* const name : {":/H", ":H", ":/g/H"}) check_market(read_matrix(path + name));
  CHECK(open_input(path + ":/H")->path() == path + ":/H");
  CHECK(eigen_g::io::read_vectors(path + ":/H").cols == 2);
  const auto reason = [&](const std::string& name) {
    return refusal([&] { read_matrix(path + name); }).reason;
  };
  CHECK(reason("") == "holds several arrays; FILE:/NAME names one: S, g/H, H");
  CHECK(reason(":/K") == "has no array K; FILE:/NAME names one: S, g/H, H");
  CHECK(reason(":/w") == "has no array w; FILE:/NAME names one: S, g/H, H");
  CHECK_THAT(reason(":/S"), ContainsSubstring("is neither Matrix Market, .npy"));
  CHECK(open_input(std::string(EIGEN_G_DATA_DIR) + "/valid/rosser_coo.npz:/data")
            ->text()
            .starts_with("\x93NUMPY"));
  support::write_file(folder / "a.mtx", market);
  CHECK_THAT(refusal([&] { read_matrix(folder / "a.mtx:/H"); }).reason,
             ContainsSubstring("is neither an HDF5 file nor an .npz"));
}

TEST_CASE("a zip archive that is cut anywhere, or has any byte changed, is refused or read, never more") {
  const support::TemporaryFolder folder;
  const std::string whole = zip({{"arr_0.npy", npy()}}, true);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    std::string changed = whole;
    changed[cut] = static_cast<char>(~changed[cut]);
    for (const std::string& content : {whole.substr(0, cut), changed}) {
      if (content.empty()) continue;
      support::write_file(folder / "c.npz", content);
      try {
        read_matrix(folder / "c.npz");
      } catch (const eigen_g::Error&) {  // refused
      }
    }
  }
  SUCCEED();
}

TEST_CASE("gzip files are read, also several members; a damaged file is an error") {
  const support::TemporaryFolder folder;
  support::write_file(folder / "a.mtx", market);
  REQUIRE(support::Process({"/bin/sh", "-c",
                            "cd \"$0\" && gzip -k a.mtx && head -c 20 a.mtx | gzip > b.gz && "
                            "tail -c +21 a.mtx | gzip >> b.gz",
                            folder / "."})
              .wait()
              .code == 0);
  if (!refusal([&] { read_matrix(folder / "a.mtx.gz"); }).reason.empty()) SKIP_TEST("built without zlib");
  check_market(read_matrix(folder / "a.mtx.gz"));
  check_market(read_matrix(folder / "b.gz"));
  const std::string packed = support::text_of_file(folder / "a.mtx.gz");
  support::write_file(folder / "cut.gz", packed.substr(0, packed.size() - 9));
  CHECK_THAT(refusal([&] { read_matrix(folder / "cut.gz"); }).reason, ContainsSubstring("ends too early"));
  std::string changed = packed;
  changed[changed.size() - 6] = static_cast<char>(~changed[changed.size() - 6]);
  support::write_file(folder / "bad.gz", changed);
  CHECK_THAT(refusal([&] { read_matrix(folder / "bad.gz"); }).reason, ContainsSubstring("is damaged"));
}

TEST_CASE("the name - is stdin, a pipe too") {
  const int before = ::dup(STDIN_FILENO);
  const auto from_pipe = [](const std::string& text) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    REQUIRE(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    ::close(ends[1]);
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
  };
  from_pipe(market);
  check_market(read_matrix("-"));
  from_pipe("");
  CHECK_THAT(refusal([&] { read_matrix("-"); }).reason, ContainsSubstring("stdin is empty"));
  ::dup2(before, STDIN_FILENO);
  ::close(before);
}
