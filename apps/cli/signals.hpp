// Ctrl-C, kill, hang-up, a closed pipe, a file cut short under our eyes: unfinished outputs are removed, and the command ends.
#pragma once

namespace eigen_g::apps {

// SIGINT, SIGTERM and SIGHUP end in exit code 130 with one line on stderr. SIGPIPE, SIGQUIT, SIGXCPU, SIGALRM, SIGUSR1 and
// SIGUSR2 end the process as they do by default. SIGBUS, which a mapped file gives that was cut short, ends in exit code 3.
// SIGXFSZ is ignored: the write that met the limit fails. A signal that the parent chose to ignore (nohup, a background job)
// stays ignored.
//   announce   false: no line on stderr, of processes beside one that says it
void install_signal_handlers(bool announce = true);

// Those of stdin, stdout and stderr that are closed become /dev/null; else the next file that is opened would be taken for one.
void open_standard_descriptors();

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
