#include "apps/support/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "apps/support/signals.hpp"

namespace eigen_g::apps {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto first_after = std::chrono::milliseconds(300);  // a shorter run shows nothing
constexpr auto redraw_every = std::chrono::milliseconds(100);
constexpr std::string_view wipe_line = "\r\x1b[K";

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool terminal_can_redraw() {
  const std::string term = environment("TERM");
  return ::isatty(STDERR_FILENO) == 1 && !term.empty() && term != "dumb";
}

bool locale_is_utf8() {
  std::string locale = environment("LC_ALL");
  if (locale.empty()) locale = environment("LC_CTYPE");
  if (locale.empty()) locale = environment("LANG");
  std::transform(locale.begin(), locale.end(), locale.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

int terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void put(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

std::string padded(std::string text, std::size_t width, bool right) {
  const std::string blanks(text.size() < width ? width - text.size() : 0, ' ');
  return right ? blanks + text : text + blanks;
}

// A bar of `width` cells; the cells [from, to) are full.
std::string bar(int width, int from, int to, const ProgressStyle& style) {
  const std::string_view full = style.unicode ? "━" : "#";
  const std::string_view empty = style.unicode ? "─" : "-";
  std::string text;
  bool bright = false;
  for (int cell = 0; cell < width; ++cell) {
    const bool is_full = cell >= from && cell < to;
    if (style.colour && (cell == 0 || is_full != bright)) text += is_full ? "\x1b[36m" : "\x1b[0m\x1b[2m";
    bright = is_full;
    text += is_full ? full : empty;
  }
  if (style.colour) text += "\x1b[0m";
  return text;
}

}  // namespace

std::string clock_text(double seconds) {
  const auto whole = static_cast<long long>(std::max(0.0, std::floor(seconds)));
  const long long h = whole / 3600, m = whole / 60 % 60, s = whole % 60;
  const std::string two = (s < 10 ? "0" : "") + std::to_string(s);
  if (h == 0) return std::to_string(m) + ":" + two;
  return std::to_string(h) + (m < 10 ? ":0" : ":") + std::to_string(m) + ":" + two;
}

std::string progress_line(const ProgressState& state, const ProgressStyle& style) {
  constexpr int stage_width = 20, percent_width = 5, time_width = 14, smallest_bar = 8, largest_bar = 48;
  const bool known = state.fraction > 0;
  const int percent = static_cast<int>(std::clamp(state.fraction, 0.0, 1.0) * 100);
  const std::string percent_text = padded(known ? std::to_string(percent) + " %" : "", percent_width, true);
  const std::string time_text = known && state.seconds_left >= 0
                                    ? clock_text(std::ceil(state.seconds_left)) + " left"
                                    : clock_text(state.seconds);

  const int room = style.columns - 1 - stage_width - 1 - percent_width - time_width;
  if (room < smallest_bar) {
    const std::string line = state.stage + percent_text + "  " + time_text;
    return line.substr(0, static_cast<std::size_t>(std::max(0, style.columns - 1)));
  }
  const int width = std::min(room, largest_bar);
  int from = 0, to = static_cast<int>(std::floor(std::clamp(state.fraction, 0.0, 1.0) * width));
  if (!known) {  // unknown fraction: a block moves back and forth, ten cells a second
    const int block = width / 5, way = width - block;
    const int step = static_cast<int>(static_cast<long long>(state.seconds * 10) % (2LL * way));
    from = step < way ? step : 2 * way - step;
    to = from + block;
  }
  return padded(state.stage, stage_width, false) + bar(width, from, to, style) + " " + percent_text +
         padded(time_text, time_width, true);
}

// Draws from its own thread, so that the clock keeps running while a stage inside one LAPACK call reports nothing.
struct Progress::Display {
  explicit Display(ProgressStyle s) : style(s), ticker([this] { tick(); }) {}

  ~Display() {
    {
      const std::lock_guard lock(mutex);
      ending = true;
    }
    wake.notify_all();
    ticker.join();
    wipe();
  }

  void tick() {
    std::unique_lock lock(mutex);
    while (!ending) {
      wake.wait_for(lock, redraw_every);
      const auto now = Clock::now();
      if (ending || !active || now - run_began < first_after) continue;
      ProgressState shown = state;
      shown.seconds = seconds_between(stage_began, now);
      if (left_at_report >= 0)
        shown.seconds_left = std::max(0.0, left_at_report - seconds_between(reported, now));
      style.columns = terminal_columns();
      note_progress_line(true);
      put(std::string(wipe_line) + progress_line(shown, style));
      drawn = true;
    }
  }

  void at(std::string_view stage, double fraction) {
    const std::lock_guard lock(mutex);
    const auto now = Clock::now();
    if (!active) run_began = now;
    if (!active || state.stage != stage) {
      state.stage = stage;
      stage_began = now;
    }
    active = true;
    reported = now;
    state.fraction = fraction;
    const double spent = seconds_between(stage_began, now);
    left_at_report = fraction >= 0.01 && spent > 0.5 ? spent * (1 - fraction) / fraction : -1;
  }

  void finish() {
    const std::lock_guard lock(mutex);
    active = false;
    wipe();
  }

  void wipe() {
    if (drawn) put(wipe_line);
    drawn = false;
    note_progress_line(false);
  }

  ProgressStyle style;
  std::mutex mutex;  // guards everything below
  std::condition_variable wake;
  bool ending = false, active = false, drawn = false;
  ProgressState state;
  double left_at_report = -1;
  Clock::time_point run_began, stage_began, reported;
  std::thread ticker;  // last member: the thread uses all of the above
};

Progress::Progress(bool wanted) {
  if (!wanted || !terminal_can_redraw()) return;
  ProgressStyle style;
  style.colour = environment("NO_COLOR").empty();
  style.unicode = locale_is_utf8();
  display_ = std::make_unique<Display>(style);
}

Progress::~Progress() = default;

void Progress::at(std::string_view stage, double fraction) {
  if (display_) display_->at(stage, fraction);
}

void Progress::finish() {
  if (display_) display_->finish();
}

}  // namespace eigen_g::apps
