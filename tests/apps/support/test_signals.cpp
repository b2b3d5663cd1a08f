#include "apps/support/signals.hpp"

#include "apps/io/output_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"

using namespace eigen_g;

namespace {

// Runs work in a forked child and returns the child's exit status.
template <class Work>
int in_child(const Work& work) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(STDERR_FILENO);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("a signal removes unfinished outputs and ends in 130") {
  const support::TemporaryFolder folder;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const int code = in_child([&] {
      apps::install_signal_handlers();
      io::OutputFile file(folder / "result");
      file.write("half");
      ::raise(signal);
    });
    CHECK(code == 130);
    CHECK(folder.names().empty());
  }
}

TEST_CASE("a closed pipe ends the process as by default, without a file") {
  const support::TemporaryFolder folder;
  const int code = in_child([&] {
    apps::install_signal_handlers();
    io::OutputFile file(folder / "result");
    ::raise(SIGPIPE);
  });
  CHECK(code == 128 + SIGPIPE);
  CHECK(folder.names().empty());
}

TEST_CASE("a held signal takes effect at the end of the hold") {
  const support::TemporaryFolder folder;
  const int code = in_child([&] {
    apps::install_signal_handlers();
    {
      const apps::HoldSignals hold;
      ::raise(SIGINT);
      io::OutputFile file(folder / "result");
      file.commit();
    }
    io::OutputFile(folder / "after").commit();
  });
  CHECK(code == 130);
  CHECK(folder.names() == std::vector<std::string>{"result"});
}

TEST_CASE("a signal that was ignored stays ignored") {
  const int code = in_child([] {
    ::signal(SIGHUP, SIG_IGN);
    apps::install_signal_handlers();
    ::raise(SIGHUP);
    ::_exit(7);
  });
  CHECK(code == 7);
}
