// Signal handlers: on Ctrl-C, kill, hang-up, a closed pipe or a truncated mapped file, remove unfinished outputs and end the command.
#pragma once

namespace eigen_g::apps {

// SIGINT, SIGTERM and SIGHUP end the process with exit code 130 and one line on stderr. SIGPIPE, SIGQUIT, SIGXCPU, SIGALRM, SIGUSR1
// and SIGUSR2 end it as by default. SIGBUS, which occurs if a mapped file is truncated, ends it with exit code 3. SIGXFSZ is ignored,
// so that the write beyond the limit fails. A signal that the parent process ignores (nohup, a background job) stays ignored.
//   announce   false: no line on stderr (another process prints it)
void install_signal_handlers(bool announce = true);

// Opens /dev/null for each of stdin, stdout and stderr that is closed. Otherwise the next opened file would get its descriptor.
void open_standard_descriptors();

// Records if a progress line is on the terminal. A handler erases the line before it prints its own message.
void note_progress_line(bool shown);

// Delays signals for its lifetime: a signal is handled at the end. Held while the two result files are renamed, so that both appear or
// neither.
class HoldSignals {
 public:
  HoldSignals();
  ~HoldSignals();
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;
};

}  // namespace eigen_g::apps
