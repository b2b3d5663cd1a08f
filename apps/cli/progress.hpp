// A progress line on the terminal: the stage at work, a bar, percent and time left.
//
//   tridiagonalize      ━━━━━━━━━━━━━━━━━━━━━──────────────────────────   42 %   0:12 left
//
// It is shown on stderr only where that is a terminal that can move its cursor (TERM is set and not "dumb"),
// and only once a run has lasted a moment; it is wiped at the end. Colour follows NO_COLOR.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace eigen_g::apps {

struct ProgressState {
  std::string stage;
  double fraction = 0;       // of the stage, 0 to 1; 0: not known (yet)
  double seconds = 0;        // since the stage began
  double seconds_left = -1;  // -1: not known (yet)
};

struct ProgressStyle {
  int columns = 80;
  bool colour = false;
  bool unicode = false;
};

// One line of fewer than style.columns columns, without newline. A stage that tells no fraction gets a moving
// block and the time it has taken.
std::string progress_line(const ProgressState& state, const ProgressStyle& style);

// "0:07", "12:34", "1:02:03"
std::string clock_text(double seconds);

class Progress {
 public:
  explicit Progress(bool wanted);  // false (--quiet): never shown
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // A call with a new stage begins it; calls from one thread at a time.
  void at(std::string_view stage, double fraction = 0);
  void finish();  // wipes the line; at() shows it again

 private:
  struct Display;
  std::unique_ptr<Display> display_;  // null: not shown
};

}  // namespace eigen_g::apps
