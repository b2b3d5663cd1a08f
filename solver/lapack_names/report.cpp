#include "solver/lapack_names/report.hpp"

#include <fcntl.h>
#include <strings.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace eigen_g::lapack_names {

namespace {

constexpr const char* reason_texts[] = {"taken",
                                        "below the size",
                                        "workspace query",
                                        "arguments that LAPACK judges",
                                        "from inside a solve",
                                        "no GPU",
                                        "not offered",
                                        "NaN or infinity",
                                        "too little memory, or the device failed"};
static_assert(std::size(reason_texts) == static_cast<std::size_t>(Reason::count));

std::int64_t number_of(const char* variable, std::int64_t otherwise, std::int64_t least) {
  const char* const text = std::getenv(variable);
  if (!text || !*text) return otherwise;
  char* end = nullptr;
  const long long value = std::strtoll(text, &end, 10);
  if (*end == '\0' && value >= least) return value;
  warn(least > 0 ? "not a positive number, and not used" : "not a number from 0 on, and not used", variable);
  return otherwise;
}

DeviceWish device_wish() {
  const char* const text = std::getenv("EIGEN_G_DEVICE");
  if (!text || !*text || strcasecmp(text, "auto") == 0) return DeviceWish::automatic;
  if (strcasecmp(text, "gpu") == 0) return DeviceWish::gpu;
  if (strcasecmp(text, "cpu") == 0) return DeviceWish::cpu;
  warn("not one of auto, cpu, gpu, and not used", "EIGEN_G_DEVICE");
  return DeviceWish::automatic;
}

Settings read_settings() {
  Settings s;
  s.min_n = number_of("EIGEN_G_MIN_N", s.min_n, 1);
  s.device = device_wish();
  s.gpus = static_cast<int>(number_of("EIGEN_G_GPUS", 1, 0));
  s.log = std::getenv("EIGEN_G_LOG");
  if (s.log && !*s.log) s.log = nullptr;
  return s;
}

std::atomic<Routine*> first_listed{nullptr};

void list(Routine& routine) {
  if (routine.listed.exchange(true)) return;
  routine.next = first_listed.load();
  while (!first_listed.compare_exchange_weak(routine.next, &routine)) {
  }
}

double seconds(const std::atomic<std::int64_t>& nanoseconds) {
  return static_cast<double>(nanoseconds.load()) * 1e-9;
}

void print(std::FILE* out, const Routine& r) {
  std::fprintf(out, "  %-20s", r.name);
  const char* between = "";
  if (const std::int64_t taken = r.calls[0]; taken > 0) {
    const std::int64_t on_gpu = r.on_gpu;
    std::fprintf(out, "taken %" PRId64 ", n %" PRId64, taken, r.smallest.load());
    if (r.largest != r.smallest) std::fprintf(out, " to %" PRId64, r.largest.load());
    if (on_gpu > 0)
      std::fprintf(out, ", %" PRId64 " on the GPU in %.3f s", on_gpu, seconds(r.nanoseconds_on_gpu));
    if (on_gpu < taken)
      std::fprintf(out, ", %" PRId64 " on the CPU in %.3f s", taken - on_gpu,
                   seconds(r.nanoseconds) - seconds(r.nanoseconds_on_gpu));
    between = "; ";
  }
  for (std::size_t reason = 1; reason < r.calls.size(); ++reason)
    if (const std::int64_t calls = r.calls[reason]; calls > 0) {
      std::fprintf(out, "%s%" PRId64 " to LAPACK (%s)", between, calls, reason_texts[reason]);
      between = ", ";
    }
  std::fputc('\n', out);
}

// One write, so that the reports of several processes do not mix.
void write_report() {
  char* text = nullptr;
  std::size_t length = 0;
  std::FILE* const out = open_memstream(&text, &length);
  if (!out) return;
  std::fprintf(out, "eigen_g: LAPACK's names in process %d, %s\n", static_cast<int>(getpid()),
               program_invocation_short_name);
  for (const Routine* r = first_listed; r; r = r->next) print(out, *r);
  std::fclose(out);
  const bool to_stderr = std::strcmp(settings().log, "-") == 0;
  const int file =
      to_stderr ? STDERR_FILENO : open(settings().log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0 || write(file, text, length) < 0) warn("the report cannot be written", settings().log);
  if (!to_stderr && file >= 0) close(file);
  std::free(text);
}

// A process that called no routine prints nothing.
[[gnu::destructor]] void at_end() {
  if (first_listed.load() && settings().log) write_report();
}

}  // namespace

const Settings& settings() {
  static const Settings all = read_settings();
  return all;
}

void count_call(Routine& routine, Reason reason) {
  if (!routine.listed.load(std::memory_order_relaxed)) list(routine);
  routine.calls[static_cast<std::size_t>(reason)].fetch_add(1, std::memory_order_relaxed);
}

void count_solve(Routine& routine, std::int64_t n, double seconds_of_solve, bool on_gpu) {
  const auto nanoseconds = static_cast<std::int64_t>(seconds_of_solve * 1e9);
  routine.nanoseconds += nanoseconds;
  if (on_gpu) {
    ++routine.on_gpu;
    routine.nanoseconds_on_gpu += nanoseconds;
  }
  for (std::int64_t known = routine.smallest;
       n < known && !routine.smallest.compare_exchange_weak(known, n);) {
  }
  for (std::int64_t known = routine.largest; n > known && !routine.largest.compare_exchange_weak(known, n);) {
  }
}

void warn(const char* text, const char* name) {
  std::fprintf(stderr, "eigen_g: %s: %s\n", name, text);
}

}  // namespace eigen_g::lapack_names
