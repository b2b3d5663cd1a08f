// Shows a progress line on the terminal: current stage, bar, percentage and time left.
//
//   tridiagonalize      ━━━━━━━━━━━━━━━━━━━━━──────────────────────────   42 %   0:12 left
//
// The line appears only if stderr is a terminal that can move its cursor (TERM is set and not "dumb"), and only after a run has lasted
// 0.3 s. It is erased at the end. It has colour unless NO_COLOR is set.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace eigen_g::apps {

struct ProgressState {
  std::string stage;
  double fraction = 0;       // fraction of the stage that is done, 0 to 1; 0: unknown
  double seconds = 0;        // since the stage began
  double seconds_left = -1;  // -1: unknown
};

struct ProgressStyle {
  int columns = 80;
  bool colour = false;
  bool unicode = false;
};

// One line of fewer than style.columns columns, without newline. A stage without a fraction gets a moving block and its elapsed time.
std::string progress_line(const ProgressState& state, const ProgressStyle& style);

// "0:07", "12:34", "1:02:03"
std::string clock_text(double seconds);

class Progress {
 public:
  explicit Progress(bool wanted);  // false (--quiet): the line never appears
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Reports the current stage and its fraction. A new name begins a new stage. To be called by one thread at a time.
  void at(std::string_view stage, double fraction = 0);
  void finish();  // erases the line; at() shows it again

 private:
  struct Display;
  std::unique_ptr<Display> display_;  // null: nothing is shown
};

}  // namespace eigen_g::apps
