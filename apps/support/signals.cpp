#include "apps/support/signals.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>

#include "apps/io/output_file.hpp"
#include "apps/support/exit_codes.hpp"

namespace eigen_g::apps {

namespace {

// State of the handlers. It is static because a handler has no argument, and atomic without locks so that a handler may use it.
std::atomic<bool> progress_line_shown{false};
std::atomic<bool> announced{true};
std::atomic<bool> held{false};
std::atomic<int> pending{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void say(std::string_view text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // stderr is closed
}

void end_by(int signal) {
  ::signal(signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(signal);
}

void obey(int signal) {
  io::remove_unfinished_outputs();
  if (progress_line_shown) say("\r\x1b[K");
  if (signal != SIGINT && signal != SIGTERM && signal != SIGHUP) end_by(signal);
  if (announced) say("eigen_g: interrupted; no unfinished file is left\n");
  ::_exit(static_cast<int>(ExitCode::interrupted));
}

extern "C" void eigen_g_on_signal(int signal) {
  pending = signal;
  if (!held) obey(signal);
}

// SIGBUS is not delayed by HoldSignals: the instruction that caused it cannot continue.
extern "C" void eigen_g_on_lost_page(int signal, siginfo_t* info, void*) {
  io::remove_unfinished_outputs();
  if (progress_line_shown) say("\r\x1b[K");
  if (info->si_code != BUS_ADRERR) return end_by(signal);
  say("eigen_g: a file was truncated while it was read or written, or its disk failed; no unfinished file is "
      "left\n");
  ::_exit(static_cast<int>(ExitCode::file));
}

}  // namespace

void install_signal_handlers(bool announce) {
  announced = announce;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = eigen_g_on_signal;
    sigfillset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
  struct sigaction lost_page {};
  lost_page.sa_sigaction = eigen_g_on_lost_page;
  lost_page.sa_flags = SA_SIGINFO;
  sigfillset(&lost_page.sa_mask);
  ::sigaction(SIGBUS, &lost_page, nullptr);
  ::signal(SIGXFSZ, SIG_IGN);
}

void open_standard_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      if (::open("/dev/null", O_RDWR) < 0)
        return;  // open() returns the lowest free descriptor, which is this one
}

void note_progress_line(bool shown) {
  progress_line_shown = shown;
}

HoldSignals::HoldSignals() {
  held = true;
}

HoldSignals::~HoldSignals() {
  held = false;  // before `pending` is read: the handler handles a signal in between
  if (const int signal = pending) obey(signal);
}

}  // namespace eigen_g::apps
