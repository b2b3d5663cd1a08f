#include "apps/io/output_file.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <memory>

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace eigen_g::io;
using support::refusal;

namespace {

// While this object exists, files of this process cannot grow beyond `bytes`. This simulates a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = SIG_DFL;
};

}  // namespace

TEST_CASE("a file appears only at commit, under its name") {
  const support::TemporaryFolder folder;
  {
    OutputFile out(folder / "w.txt");
    out.write("one\n");
    out.write("two\n");
    CHECK_FALSE(std::filesystem::exists(folder / "w.txt"));
    CHECK(folder.names().size() == 1);
    out.commit();
    CHECK(support::text_of_file(folder / "w.txt") == "one\ntwo\n");
  }
  CHECK(folder.names() == std::vector<std::string>{"w.txt"});
}

TEST_CASE("without commit no file remains, and an older file is unchanged") {
  const support::TemporaryFolder folder;
  support::write_file(folder / "w.txt", "old");
  { OutputFile(folder / "w.txt", Existing::replace).write("new"); }
  CHECK(folder.names() == std::vector<std::string>{"w.txt"});
  CHECK(support::text_of_file(folder / "w.txt") == "old");
  {
    OutputFile out(folder / "w.txt", Existing::replace);
    out.write("new");
    out.commit();
  }
  CHECK(support::text_of_file(folder / "w.txt") == "new");
}

TEST_CASE("an existing file is kept unless it may be replaced, also one that appears meanwhile") {
  const support::TemporaryFolder folder;
  support::write_file(folder / "w.txt", "old");
  CHECK_THAT(refusal([&] { OutputFile(folder / "w.txt"); }).reason, ContainsSubstring("--force"));
  OutputFile out(folder / "z.txt");
  out.write("new");
  support::write_file(folder / "z.txt", "another's");
  CHECK_THAT(refusal([&] { out.commit(); }).reason, ContainsSubstring("exists by now"));
  CHECK(support::text_of_file(folder / "z.txt") == "another's");
}

TEST_CASE("unfinished files of one target have names of their own, and no other file is removed") {
  const support::TemporaryFolder folder;
  const std::string foreign = folder / (".w.txt." + std::to_string(::getpid()) + ".0.part");
  support::write_file(foreign, "of another container's process with this number");
  {
    OutputFile one(folder / "w.txt"), other(folder / "w.txt");
    CHECK(folder.names().size() == 3);
    remove_unfinished_outputs();
    CHECK(folder.names().size() == 1);
  }
  CHECK(support::text_of_file(foreign).size() > 0);
}

TEST_CASE("a mapped file has its size and content") {
  const support::TemporaryFolder folder;
  constexpr std::size_t size = 100001;
  {
    OutputFile out(folder / "m.bin");
    std::byte* p = out.map(size);
    std::memset(p, 7, size);
    out.commit();
  }
  CHECK(support::text_of_file(folder / "m.bin") == std::string(size, '\7'));
  { OutputFile(folder / "n.bin").map(size); }
  CHECK(folder.names() == std::vector<std::string>{"m.bin"});
}

TEST_CASE("a symbolic link is followed") {
  const support::TemporaryFolder folder;
  support::write_file(folder / "real.txt", "old");
  std::filesystem::create_symlink(folder / "real.txt", folder / "link.txt");
  OutputFile out(folder / "link.txt", Existing::replace);
  out.write("new");
  out.commit();
  CHECK(std::filesystem::is_symlink(folder / "link.txt"));
  CHECK(support::text_of_file(folder / "real.txt") == "new");
}

TEST_CASE("an output that cannot be written is an error at once") {
  const support::TemporaryFolder folder;
  CHECK_THAT(refusal([&] { OutputFile(folder / "no/such/w.npy"); }).reason,
             ContainsSubstring("no such folder"));
  CHECK_THAT(refusal([&] { OutputFile out(folder / "."); }).reason, ContainsSubstring("is a folder"));
  CHECK_THAT(refusal([&] { OutputFile("/dev/null"); }).reason, ContainsSubstring("not a regular file"));
  CHECK_THAT(refusal([&] { OutputFile(folder / std::string(300, 'x')); }).reason,
             ContainsSubstring("cannot be created"));
  CHECK(folder.names().empty());
  std::filesystem::create_symlink(folder / "nothing", folder / "link");
  CHECK_THAT(refusal([&] { OutputFile(folder / "link"); }).reason,
             ContainsSubstring("link to a file that does not exist"));
}

TEST_CASE("an unwritable folder is an error at once") {
  if (::geteuid() == 0) SKIP_TEST("an unwritable folder: root may write everywhere");
  const support::TemporaryFolder folder;
  ::chmod((folder / "").c_str(), 0500);
  CHECK_THAT(refusal([&] { OutputFile(folder / "w.npy"); }).reason, ContainsSubstring("cannot be created"));
}

TEST_CASE("no room: a refusal, and no file") {
  const support::TemporaryFolder folder;
  const FileSizeLimit limit(1 << 16);
  CHECK_THAT(refusal([&] { OutputFile(folder / "m.npy").map(1 << 20); }).reason,
             ContainsSubstring("cannot be written"));
  CHECK_THAT(refusal([&] {
               OutputFile out(folder / "w.txt");
               for (int k = 0; k < 100; ++k) out.write(std::string(1024, 'x'));
             }).reason,
             ContainsSubstring("cannot be written"));
  CHECK(folder.names().empty());
}

TEST_CASE("a signal handler can remove all unfinished files and no others") {
  const support::TemporaryFolder folder;
  {
    OutputFile a(folder / "a"), b(folder / "b"), c(folder / "c");
    b.commit();
    CHECK(folder.names().size() == 3);
    remove_unfinished_outputs();
    CHECK(folder.names() == std::vector<std::string>{"b"});
  }
  CHECK(folder.names() == std::vector<std::string>{"b"});
  remove_unfinished_outputs();
  CHECK(folder.names() == std::vector<std::string>{"b"});
}

TEST_CASE("slots of the registry are released; one too many is an error") {
  const support::TemporaryFolder folder;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<OutputFile>> files;
    for (int k = 0; k < 16; ++k) files.push_back(std::make_unique<OutputFile>(folder / std::to_string(k)));
    CHECK_THAT(refusal([&] { OutputFile(folder / "one too many"); }).reason, ContainsSubstring("too many"));
  }
  CHECK(folder.names().empty());
}
