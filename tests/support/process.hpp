// Runs a program as a shell does, with its exit code, its stdout and stderr apart, signals and a terminal.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace support {

// An empty folder that the destructor removes.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "eigen_g_test_XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      list.push_back(entry.path().filename());
    return list;
  }

 private:
  std::filesystem::path path_;
};

inline std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct ProcessResult {
  int code = 0;  // exit code, or 128 + signal if a signal ended it
  std::string out;
  std::string err;
};

using Environment = std::map<std::string, std::string>;

class Process {
 public:
  enum class Stderr { file, terminal };

  // True if this machine has pseudo-terminals; a bare chroot may have none.
  static bool terminals() {
    int master = -1, terminal = -1;
    if (::openpty(&master, &terminal, nullptr, nullptr, nullptr) != 0) return false;
    ::close(master);
    ::close(terminal);
    return true;
  }

  explicit Process(const std::vector<std::string>& arguments, const Environment& environment = {},
                   Stderr kind = Stderr::file, const std::string& stdout_path = {}) {
    int terminal = -1;
    if (kind == Stderr::terminal) {
      winsize size{};
      size.ws_col = 100;
      size.ws_row = 30;
      if (::openpty(&master_, &terminal, nullptr, nullptr, &size) != 0)
        throw std::runtime_error("no terminal");
    }
    std::vector<char*> argv;
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    const std::string out_path = stdout_path.empty() ? folder_ / "out" : stdout_path;
    const std::string err_path = folder_ / "err";
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("fork failed");
    if (pid_ == 0) {
      const int in = ::open("/dev/null", O_RDONLY);
      const int out = ::open(out_path.c_str(), O_WRONLY | O_CREAT, 0600);
      const int err = terminal >= 0 ? terminal : ::open(err_path.c_str(), O_WRONLY | O_CREAT, 0600);
      ::dup2(in, STDIN_FILENO);
      ::dup2(out, STDOUT_FILENO);
      ::dup2(err, STDERR_FILENO);
      for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT}) ::signal(signal, SIG_DFL);
      for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
      ::execv(argv[0], argv.data());
      ::_exit(126);
    }
    if (terminal >= 0) ::close(terminal);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    if (master_ >= 0) ::close(master_);
  }

  void send(int signal) const { ::kill(pid_, signal); }

  bool running() {
    int status = 0;
    if (pid_ <= 0 || ::waitpid(pid_, &status, WNOHANG) != pid_) return pid_ > 0;
    ended(status);
    return false;
  }

  ProcessResult wait() {
    ProcessResult outcome;
    if (master_ >= 0) outcome.err = read_terminal();
    if (pid_ > 0) {
      int status = 0;
      ::waitpid(pid_, &status, 0);
      ended(status);
    }
    outcome.code = code_;
    outcome.out = text_of_file(folder_ / "out");
    if (master_ < 0) outcome.err = text_of_file(folder_ / "err");
    return outcome;
  }

 private:
  void ended(int status) {
    pid_ = -1;
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  std::string read_terminal() const {
    std::string text;
    char buffer[4096];
    // The loop ends when the last writer closes the terminal.
    for (ssize_t got = 0; (got = ::read(master_, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(got));
    return text;
  }

  TemporaryFolder folder_;
  pid_t pid_ = -1;
  int master_ = -1;
  int code_ = 0;
};

}  // namespace support
