#include "apps/support/exit_codes.hpp"

#include <filesystem>
#include <new>

#include "apps/io/file_error.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;
using apps::ExitCode;

namespace {

template <class E>
apps::Failure failure(const E& error) {
  return apps::failure_of(std::make_exception_ptr(error));
}

}  // namespace

TEST_CASE("every failure has its exit code") {
  CHECK(failure(apps::UsageError("x")).code == ExitCode::usage);
  CHECK(failure(InvalidArgument("n", "is -1")).code == ExitCode::usage);
  CHECK(failure(io::FileError("a.mtx", 3, "x")).code == ExitCode::file);
  CHECK(failure(NonFiniteEntry(0, 1, 1e308 * 10)).code == ExitCode::file);
  CHECK(failure(std::filesystem::filesystem_error("x", std::error_code())).code == ExitCode::file);
  CHECK(failure(OutOfMemory(OutOfMemory::Where::host, "the host", 2, 1)).code == ExitCode::memory);
  CHECK(failure(std::bad_alloc()).code == ExitCode::memory);
  CHECK(failure(DeviceError("x")).code == ExitCode::device);
  CHECK(failure(std::runtime_error("x")).code == ExitCode::internal);
  CHECK(failure(42).code == ExitCode::internal);
}

TEST_CASE("a message stays one line and moves no cursor") {
  const apps::Failure f = failure(io::FileError("a\nb\x1b[2J.mtx", 3, "bad"));
  CHECK(f.message == "a?b?[2J.mtx:3: bad");
}

TEST_CASE("the help lists every code") {
  const std::string help = apps::exit_code_help();
  for (const char* code : {"  0  ", "  1  ", "  2  ", "  3  ", "  4  ", "  5  ", "  6  ", "  130  "})
    CHECK_THAT(help, ContainsSubstring(code));
}
