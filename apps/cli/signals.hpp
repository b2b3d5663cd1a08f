// Ctrl-C, kill, hang-up and a closed pipe: unfinished outputs are removed, and the command ends.
#pragma once

namespace eigen_g::apps {

// SIGINT, SIGTERM and SIGHUP end in exit code 130 with one line on stderr. SIGPIPE ends the process as it
// does by default. A signal that the parent chose to ignore (nohup, a background job) stays ignored.
void install_signal_handlers();

// A progress line stands on the terminal: a handler wipes it before its own message.
void note_progress_line(bool shown);

// For its lifetime a signal is remembered instead of obeyed; it is obeyed at the end. Held while a pair of
// outputs gets its names, so that both appear or none.
class HoldSignals {
 public:
  HoldSignals();
  ~HoldSignals();
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;
};

}  // namespace eigen_g::apps
