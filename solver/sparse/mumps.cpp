// Factorisations by MUMPS (sequential) with the ordering of METIS. MUMPS is loaded at the first call.
#include <dmumps_c.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <string>

#include "hybrid/error.hpp"
#include "hybrid/machine/blas_turn.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/machine/shared_library.hpp"
#include "solver/sparse/factorisation.hpp"

namespace eigen_g {

namespace {

static_assert(sizeof(MUMPS_INT) == sizeof(std::int32_t));

// MUMPS numbers its parameters from 1.
constexpr int negative_pivots = 12, entries_of_factors = 29, predicted_entries = 3, null_pivots = 28,
              predicted_megabytes = 17, used_megabytes = 19, predicted_work = 8;
// KEEP: percent of further entries of L for which MUMPS joins two fronts. A solve with fewer and larger fronts is faster if rows of S have few
// entries, at most this number in the lower triangle.
constexpr int amalgamation = 1;
constexpr std::int64_t max_entries_of_thin_rows = 8;
enum Job { begin = -1, end = -2, analyse_pattern = 1, factorise = 2, solve_right_sides = 3 };
enum Failure {
  integers_too_few = -8,
  reals_too_few = -9,
  singular = -10,
  work_too_small = -11,
  allocation = -13
};

struct MumpsLibrary {
  SharedLibrary mumps;
  decltype(&dmumps_c) call;
  MumpsLibrary()
      : mumps({"libdmumps_seq-" +
                   std::string(MUMPS_VERSION).substr(0, std::string(MUMPS_VERSION).rfind('.')) + ".so",
               EIGEN_G_MUMPS_FILE}),
        call(reinterpret_cast<decltype(&dmumps_c)>(mumps.find("dmumps_c"))) {}
};
const MumpsLibrary& mumps_library() {
  static const MumpsLibrary loaded;
  return loaded;
}

// MUMPS has data of the process, so one thread at a time calls it.
std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

// MUMPS returns a number beyond its range in millions, negative.
std::int64_t large(MUMPS_INT number) {
  return number < 0 ? -std::int64_t{number} * 1000000 : number;
}

class Mumps : public ColumnFactorisation {
 public:
  explicit Mumps(const LowerPattern& pattern) {
    if (pattern.n > std::numeric_limits<MUMPS_INT>::max() - 1)
      throw InvalidArgument("n", "is " + std::to_string(pattern.n) + ", MUMPS has 32-bit indices");
    row_.resize(pattern.row.size());
    column_.resize(pattern.row.size());
    for (std::int64_t j = 0; j < pattern.n; ++j)
      for (std::int64_t p = pattern.offsets[j]; p < pattern.offsets[j + 1]; ++p) {
        row_[p] = pattern.row[p] + 1;
        column_[p] = static_cast<MUMPS_INT>(j + 1);
      }
    values_.resize(pattern.row.size());
    m_.sym = 2;  // general symmetric: pivots of order 1 and 2
    m_.par = 1;
    m_.comm_fortran = -987654;  // the communicator of all processes
    run(begin);
    try {
      for (const int output : {1, 2, 3, 4}) icntl(output) = output == 4 ? 0 : -1;
      icntl(6) = 0;    // no matching of rows and columns by their values
      icntl(7) = 1;    // the ordering is given
      icntl(12) = 1;   // it is used as it is
      icntl(13) = 1;   // no ScaLAPACK for the last front: it would count no negative pivots
      icntl(14) = 40;  // percent of memory in addition to the prediction
      icntl(24) = 1;   // finds null pivots
      m_.cntl[2] = least_pivot;
      if (pattern.entries() <= max_entries_of_thin_rows * pattern.n) m_.keep[amalgamation - 1] = 8;
      m_.n = static_cast<MUMPS_INT>(pattern.n);
      m_.nnz = pattern.entries();
      m_.irn = row_.data();
      m_.jcn = column_.data();
      order_ = nested_dissection(pattern);
      for (MUMPS_INT& position : order_) ++position;
      m_.perm_in = order_.data();
      run(analyse_pattern);
      m_.a = values_.data();
      require(m_.infog[0] >= 0, "analysis");
      entries_ = large(infog(predicted_entries));
      bytes_ = megabytes(infog(predicted_megabytes));
      const std::uint64_t available = host_memory_available();
      if (available > 0 && bytes_ > available) throw too_large(available);
    } catch (...) {
      run(end);
      throw;
    }
  }
  ~Mumps() override { run(end); }
  Mumps(const Mumps&) = delete;
  Mumps& operator=(const Mumps&) = delete;

  Pivots factor(const double* values) override {
    std::copy_n(values, values_.size(), values_.begin());
    while (true) {
      take_work();
      run(factorise);
      const int info = m_.infog[0];
      if (info != integers_too_few && info != reals_too_few && info != work_too_small) break;
      const std::uint64_t available = host_memory_available();
      if (icntl(14) > 100000 || (available > 0 && bytes_ / 100 * (100 + icntl(14)) > 2 * available))
        throw too_large(available);
      icntl(14) *= 2;
    }
    if (m_.infog[0] == allocation) throw too_large(host_memory_available());
    if (m_.infog[0] == singular) return {0, 1, -1};
    require(m_.infog[0] >= 0, "factorisation");
    entries_ = large(infog(entries_of_factors));
    bytes_ = megabytes(infog(used_megabytes));
    Pivots pivots{infog(negative_pivots), infog(null_pivots), -1};
    if (pivots.null > 0 && m_.pivnul_list) pivots.null_row = m_.pivnul_list[0] - 1;
    return pivots;
  }
  std::int64_t entries() const override { return entries_; }
  std::uint64_t bytes() const override { return bytes_; }

 private:
  std::int64_t order() const override { return m_.n; }
  void solve_columns(std::int64_t columns, double* x) override {
    m_.rhs = x;
    m_.nrhs = static_cast<MUMPS_INT>(columns);
    m_.lrhs = m_.n;
    icntl(27) = static_cast<MUMPS_INT>(std::min<std::int64_t>(columns, 32));  // columns at a time
    run(solve_right_sides);
    require(m_.infog[0] >= 0, "solve");
  }
  // Limit of a null pivot, relative to the norm of the scaled matrix. A shift next to an eigenvalue has such a pivot, and the signs of D
  // are then not reliable.
  static constexpr double least_pivot = 1e-11;

  // The memory for the factors and the fronts, in large pages. MUMPS would take other memory, in small pages, at every factorisation.
  void take_work() {
    const std::int64_t wanted = large(m_.info[predicted_work - 1]) / 100 * (100 + icntl(14)) + 1000000;
    if (wanted > work_values_) {
      work_values_ = 0;
      work_.reset();
      work_ = host_array<double>(wanted);
      work_values_ = wanted;
    }
    m_.wk_user = work_.get();
    // A size beyond the range of the type is given in millions, negative.
    m_.lwk_user = static_cast<MUMPS_INT>(
        work_values_ > std::numeric_limits<MUMPS_INT>::max() ? -(work_values_ / 1000000) : work_values_);
  }
  void run(Job job) {
    const std::lock_guard lock(one_at_a_time());
    const BlasTurn turn(job == factorise ? m_.n : 1);
    m_.job = job;
    mumps_library().call(&m_);
  }
  void require(bool good, const char* phase) const {
    if (!good)
      throw DeviceError("MUMPS: the " + std::string(phase) + " failed with INFOG(1) = " +
                        std::to_string(m_.infog[0]) + ", INFOG(2) = " + std::to_string(m_.infog[1]));
  }
  OutOfMemory too_large(std::uint64_t available) const {
    return {OutOfMemory::Where::host,
            "the host for a factorisation with " + std::to_string(entries_) + " entries of L", bytes_,
            available};
  }
  static std::uint64_t megabytes(MUMPS_INT number) {
    return static_cast<std::uint64_t>(large(number)) * 1000000;
  }
  MUMPS_INT& icntl(int number) { return m_.icntl[number - 1]; }
  MUMPS_INT infog(int number) const { return m_.infog[number - 1]; }

  DMUMPS_STRUC_C m_{};
  std::vector<MUMPS_INT> row_, column_, order_;
  std::vector<double> values_;
  HostArray<double> work_;
  std::int64_t work_values_ = 0, entries_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

std::string mumps_missing() {
  static const std::string reason = [] {
    try {
      mumps_library();
      return own_missing();
    } catch (const DeviceError& error) {
      return std::string(error.what());
    }
  }();
  return reason;
}
std::string mumps_version() {
  return MUMPS_VERSION;
}
std::unique_ptr<Factorisation> analyse_by_mumps(const LowerPattern& pattern) {
  return std::make_unique<Mumps>(pattern);
}

}  // namespace eigen_g
