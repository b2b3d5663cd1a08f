// Bulge chase on the CPU. Threads take groups of successive sweeps, in their order, and all groups are on their way through the band at the same time.
//
// Step t of sweep s reads and writes columns r ... r + b - 1 for r = s + 1 + t b, and rows up to r + 2 b - 1 of them. So it needs steps 0 ... t + 1 of
// sweep s - 1, and later steps of that sweep touch none of its columns. The sweeps of a group follow each other at this distance in one thread, which
// finds the band in its cache. The last sweep of a group publishes its steps for the first sweep of the next group.
//
// A thread waits only for a group that was taken before its own, so the first group that is not complete never waits. The arithmetic of a step
// depends neither on the threads nor on the groups.
//
// All threads wait for one that other programs keep from its core. If a thread waits longer than it works, half of the threads leave. A thread also
// leaves when the sweeps have become too short for all threads.
#include "solver/reduction/two_stage/band_to_tridiagonal.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <complex>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "hybrid/instantiate.hpp"
#include "hybrid/team/loops.hpp"
#include "hybrid/team/team.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/reduction_progress.hpp"
#include "solver/reduction/two_stage/band_kernels.hpp"

namespace eigen_g {

namespace {

// Sweeps of a group, at most. A group of k sweeps has k + 1 blocks of the band in the cache.
constexpr int most_sweeps = 4;
// Steps of a sweep for each thread, at least. With fewer steps between them, one thread that is late makes all others wait one after another.
constexpr std::int64_t steps_of_thread = 6;

// The number of steps that a sweep has done. A pair of cache lines each, because processors fetch lines in pairs.
struct alignas(128) StepsDone {
  std::atomic<int> steps{0};
};

template <class T>
class Chase {
 public:
  using R = real_t<T>;

  Chase(std::int64_t b, std::int64_t n, const ChaseReflectors<T>& out, R* values,
        const std::function<void(double)>& progress)
      : n_(n),
        b_(b),
        tiles_(chase_tiles<T>(n, b)),
        layout_(n, b),
        values_(values),
        out_(out),
        kernels_(EIGEN_G_OF_WIDTH(band_kernels<T>)()),
        progress_(n, 2, progress),
        done_(static_cast<std::size_t>(tiles_.sweeps())) {}

  void run(MatrixView<const T> band, R* d, R* e) {
    threads_ = std::min(team_threads(n_), useful_threads(0));
    for_ranges(layout_.columns(), threads_,
               [&](std::int64_t first, std::int64_t last) { load(band, first, last); });
    if (out_.v) std::fill_n(out_.tau, tiles_.tau_count(), T{});
    // One long piece for each thread instead of a piece for each group: loops do not hand out pieces in order.
    // A thread that has left may have taken the piece of the calling thread, which therefore works until all groups are taken.
    for_each(threads_, threads_, [&](std::int64_t) { work(); });
    work();
    progress_.rethrow();
    progress_.reached(n_);
    progress_.rethrow();
    for (std::int64_t j = 0; j < n_; ++j) {
      d[j] = values_[layout_.at(j, j)];
      if (j + 1 < n_) e[j] = values_[layout_.at(j + 1, j)];
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  struct Group {
    std::int64_t first;
    int count;
  };

  // Number of steps of a sweep: the diagonal blocks with a row of the matrix.
  std::int64_t steps(std::int64_t sweep) const { return (n_ - 2 - sweep) / b_ + 1; }

  // Threads that this sweep and the next ones can keep at work.
  int useful_threads(std::int64_t sweep) const {
    return static_cast<int>(
        std::clamp<std::int64_t>(steps(sweep) / steps_of_thread, 1, max_team_threads(n_)));
  }

  void load(MatrixView<const T> band, std::int64_t first, std::int64_t last) {
    R* const begin = values_ + (first == 0 ? 0 : layout_.at(first, first));
    R* const end = values_ + (last == layout_.columns() ? layout_.values() : layout_.at(last, last));
    std::fill(begin, end, R(0));
    for (std::int64_t j = first; j < std::min(last, n_); ++j) {
      R* const to = values_ + layout_.at(j, j);
      for (std::int64_t i = 0; i < std::min(b_ + 1, n_ - j); ++i) {
        to[i] = std::real(band(i, j));
        if constexpr (is_complex<T>) to[layout_.plane + i] = i == 0 ? R(0) : std::imag(band(i, j));
      }
    }
  }

  // Seconds of a thread at work and in long waits in its last groups. A part is subtracted after each group.
  struct Recent {
    double worked = 0, stalled = 0;
  };

  // Takes the next group. Later sweeps have fewer steps, so that fewer of them are on their way at the same time: groups become smaller.
  // The calling thread never leaves before the last group is taken, because it reports.
  Group take_group(bool caller, Recent& recent) {
    constexpr double least_stall = 1e-3, forgotten = 1. / 32;
    const std::lock_guard lock(mutex_);
    if (recent.stalled > std::max(least_stall, recent.worked)) {
      max_active_ = std::max(1, std::min(max_active_, active_) / 2);
      recent = {};
    }
    recent.worked -= forgotten * recent.worked;
    recent.stalled -= forgotten * recent.stalled;
    const std::int64_t first = next_, left = tiles_.sweeps() - first;
    if (left > 0) max_active_ = std::min(max_active_, useful_threads(first));
    if (left <= 0 || stopped_ || (!caller && active_ > max_active_)) {
      --active_;  // under the same lock, so that no two threads leave for the same reason
      return {first, 0};
    }
    const int threads = std::min(threads_, max_active_);
    const std::int64_t apart = threads == 1 ? most_sweeps : 4 * steps(first) / (5 * threads) - 1;
    const auto count =
        static_cast<int>(std::min<std::int64_t>(left, std::clamp<std::int64_t>(apart, 1, most_sweeps)));
    next_ += count;
    return {first, count};
  }

  void work() {
    const bool caller = std::this_thread::get_id() == caller_;
    Recent recent;
    {
      const std::lock_guard lock(mutex_);
      ++active_;
    }
    for (Group group = take_group(caller, recent); group.count > 0; group = take_group(caller, recent)) {
      const Clock::time_point begin = Clock::now();
      double stalled = 0;
      if (!chase(group, stalled)) return;  // the chase has been stopped
      recent.stalled += stalled;
      recent.worked += seconds_since(begin) - stalled;
      if (caller && !progress_.reached(group.first + group.count)) stopped_ = true;
    }
  }

  // False if the chase has been stopped. stalled: the seconds of long waits are added.
  bool chase(const Group& group, double& stalled) {
    alignas(64) R reflectors[most_sweeps][2][max_chase_bandwidth * planes<T>];
    alignas(64) R scratch[BandStep<T>::scratch_values(max_chase_bandwidth)];
    R tau[most_sweeps][2];
    const std::int64_t last = group.first + group.count - 1;
    bool next_is_free = false;  // the group before has left the next block
    for (std::int64_t turn = 0; turn < steps(group.first) + group.count - 1; ++turn)
      for (int k = 0; k < group.count; ++k) {
        const std::int64_t sweep = group.first + k, t = turn - k, row = sweep + 1 + t * b_;
        if (t < 0 || t >= steps(sweep)) continue;
        if (k == 0 && sweep > 0 && !wait_for(sweep - 1, std::min(t + 2, steps(sweep - 1)), stalled))
          return false;
        if (k == 0) next_is_free = sweep == 0 || is_done(sweep - 1, std::min(t + 3, steps(sweep - 1)));
        if (next_is_free) call_block(row + b_, k, group.count);
        BandStep<T> step{values_ + layout_.at(row, sweep),
                         layout_.ld,
                         layout_.plane,
                         static_cast<int>(b_),
                         row + b_ < n_,
                         negligible_square<R>,
                         reflectors[k][t % 2],
                         reflectors[k][t % 2],
                         {},
                         {},
                         scratch};
        if (t == 0) {
          kernels_.begin(step);
          std::copy_n(step.next_tau, 2, tau[k]);
        }
        step.diagonal = values_ + layout_.at(row, row);
        step.next = reflectors[k][(t + 1) % 2];
        std::copy_n(tau[k], 2, step.tau);
        if (out_.v) keep(sweep, t, step.v, step.tau);
        kernels_.advance(step);
        std::copy_n(step.next_tau, 2, tau[k]);
        if (sweep == last)
          done_[static_cast<std::size_t>(sweep)].steps.store(static_cast<int>(t) + 1,
                                                             std::memory_order_release);
      }
    return true;
  }

  // Stores the reflector, and zeros behind the last one of a sweep.
  void keep(std::int64_t sweep, std::int64_t t, const R* v, const R* tau) const {
    const std::int64_t rows = chase_rows<T>(tiles_, sweep, t);
    T* const to = out_.sweep(tiles_, sweep) + t * b_;
    for (std::int64_t i = 0; i < rows; ++i) {
      if constexpr (is_complex<T>)
        to[i] = {v[i], v[b_ + i]};
      else
        to[i] = v[i];
    }
    if (t + 1 == steps(sweep))
      std::fill(to + rows,
                out_.stride == 0 ? out_.v + tiles_.sweep_offset(sweep + 1)
                                 : out_.sweep(tiles_, sweep) + n_ - 1 - sweep,
                T{});
    if (rows == 0) return;
    T& value = out_.tau[tiles_.tile(sweep / tiles_.width, t) * tiles_.width + sweep % tiles_.width];
    if constexpr (is_complex<T>)
      value = {tau[0], tau[1]};
    else
      value = tau[0];
  }

  bool is_done(std::int64_t sweep, std::int64_t steps) const {
    return done_[static_cast<std::size_t>(sweep)].steps.load(std::memory_order_acquire) >= steps;
  }

  // Calls for a block in advance, in `parts` parts: another thread has it in its cache, or it is in a slower one.
  void call_block(std::int64_t row, std::int64_t part, std::int64_t parts) const {
    constexpr std::int64_t line = 64 / sizeof(R);
    const std::int64_t first = row + b_ * part / parts,
                       last = std::min(row + b_ * (part + 1) / parts, layout_.columns());
    for (std::int64_t j = first; j < last; ++j)
      for (int p = 0; p < planes<T>; ++p) {
        const R* const column = values_ + layout_.at(j, j) + p * layout_.plane;
        for (std::int64_t i = 0; i < 2 * b_; i += line) __builtin_prefetch(column + i, 1);
      }
  }

  // Waits for steps of the last sweep of the group before. False if the chase has been stopped. A thread that has waited for a long time sleeps, because
  // the thread for which it waits may need its core.
  bool wait_for(std::int64_t sweep, std::int64_t steps, double& stalled) const {
    constexpr double longest_poll = 200e-6;
    constexpr std::chrono::microseconds sleep(50);
    Clock::time_point begin;
    bool slept = false;
    for (unsigned polls = 0; !is_done(sweep, steps); ++polls) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
      if (polls == 0) begin = Clock::now();
      if (polls % 16 != 15) continue;
      if (stopped_) return false;
      if (slept || seconds_since(begin) > longest_poll) {
        std::this_thread::sleep_for(sleep);
        slept = true;
        polls = 14;  // looks once between two sleeps
      }
    }
    if (slept) stalled += seconds_since(begin);
    return true;
  }

  const std::int64_t n_, b_;
  const ChaseTiles tiles_;
  const BandLayout<T> layout_;
  R* const values_;
  const ChaseReflectors<T> out_;
  const BandKernels<T> kernels_;
  ReductionProgress progress_;
  const std::thread::id caller_ = std::this_thread::get_id();
  int threads_ = 1;
  std::mutex mutex_;
  std::int64_t next_ = 0;                               // the first sweep of the next group
  int active_ = 0, max_active_ = max_team_threads(n_);  // threads that take groups, and how many may
  std::vector<StepsDone> done_;
  std::atomic<bool> stopped_{false};
};

}  // namespace

template <class T>
std::uint64_t band_to_tridiagonal_bytes_on_cpu(std::int64_t n, std::int64_t b) {
  return bytes_taken([&](Arena& arena) { arena.take<real_t<T>>(BandLayout<T>(n, b).values()); });
}

template <class T>
void band_to_tridiagonal_on_cpu(std::int64_t b, MatrixView<const T> band, real_t<T>* d, real_t<T>* e,
                                const ChaseReflectors<T>& out, Arena scratch,
                                const std::function<void(double fraction)>& progress) {
  const std::int64_t n = band.cols;
  if (n > 0)
    Chase<T>(b, n, out, scratch.take<real_t<T>>(BandLayout<T>(n, b).values()), progress).run(band, d, e);
}

EIGEN_G_INSTANTIATE(all_types, band_to_tridiagonal_on_cpu, band_to_tridiagonal_bytes_on_cpu);

}  // namespace eigen_g
