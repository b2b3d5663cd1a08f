#include "apps/io/isolated.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <string_view>

#include "apps/io/file_error.hpp"

namespace eigen_g::io {

namespace {

constexpr char done = 'd', refused = 'r';

// In the child: resets the parent's signal handlers, which would remove the parent's unfinished files and print for it. Limits the CPU
// time. A crash's messages and core file are suppressed.
void leave_parent_alone(std::int64_t seconds, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit no_core{0, 0}, time{static_cast<rlim_t>(seconds), static_cast<rlim_t>(seconds) + 1};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setrlimit(RLIMIT_CPU, &time);
  if (const int nothing = ::open("/dev/null", O_RDWR); nothing >= 0) ::dup2(nothing, STDERR_FILENO);
}

void send(int pipe, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::write(pipe, bytes.data(), bytes.size());
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) ::_exit(1);
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string answer_of(const std::function<std::string()>& work) {
  try {
    return done + work();
  } catch (const FileError& error) {
    return refused + error.reason();
  } catch (const std::exception& error) {
    return refused + std::string("cannot be read: ") + error.what();
  }
}

std::string received(int pipe) {
  std::string text;
  std::array<char, 4096> piece;
  for (;;) {
    const ssize_t got = ::read(pipe, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

std::string isolated(const std::filesystem::path& path, const char* library, std::int64_t seconds,
                     const std::function<std::string()>& work) {
  std::array<int, 2> ends;
  const auto refuse = [&](int error) {
    throw FileError(path, 0, std::string("cannot be read: no child process: ") + std::strerror(error));
  };
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) refuse(errno);
  const pid_t parent = ::getpid(), child = ::fork();
  if (child < 0) {
    const int error = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    refuse(error);
  }
  if (child == 0) {
    leave_parent_alone(seconds, parent);
    send(ends[1], answer_of(work));
    ::_exit(0);
  }
  ::close(ends[1]);
  const std::string answer = received(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const std::string by = std::string(" (") + ::strsignal(signal) + ")";
    throw FileError(
        path, 0,
        signal == SIGXCPU   ? std::string("is damaged: ") + library + " did not finish reading it" + by
        : signal == SIGKILL ? std::string("cannot be read: ") + library + " was stopped" + by
                            : std::string("is damaged: ") + library + " crashed while reading it" + by);
  }
  if (answer.empty()) throw FileError(path, 0, std::string("is damaged: ") + library + " returned no result");
  if (answer.front() != done) throw FileError(path, 0, answer.substr(1));
  return answer.substr(1);
}

}  // namespace eigen_g::io
