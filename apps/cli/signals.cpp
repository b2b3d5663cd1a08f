#include "apps/cli/signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <string_view>

#include "apps/cli/exit_codes.hpp"
#include "apps/io/output_file.hpp"

namespace eigen_g::apps {

namespace {

// A handler can reach nothing but statics; these are lock-free, so it may touch them.
std::atomic<bool> progress_line_shown{false};
std::atomic<bool> held{false};
std::atomic<int> pending{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void say(std::string_view text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nobody is left to tell
}

void obey(int signal) {
  io::remove_unfinished_outputs();
  if (progress_line_shown) say("\r\x1b[K");
  if (signal == SIGPIPE) {
    ::signal(SIGPIPE, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
    ::raise(SIGPIPE);
  }
  say("eigen_g: interrupted; no unfinished file is left\n");
  ::_exit(static_cast<int>(ExitCode::interrupted));
}

extern "C" void eigen_g_on_signal(int signal) {
  pending = signal;
  if (!held) obey(signal);
}

}  // namespace

void install_signal_handlers() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = eigen_g_on_signal;
    sigfillset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

void note_progress_line(bool shown) {
  progress_line_shown = shown;
}

HoldSignals::HoldSignals() {
  held = true;
}

HoldSignals::~HoldSignals() {
  held = false;  // before the look at `pending`: a signal in between is obeyed by its handler
  if (const int signal = pending) obey(signal);
}

}  // namespace eigen_g::apps
