// Many threads solve many problems at the same time. Each result must have the bits of a serial solve, and memory must not grow.
#pragma once

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "hybrid/machine/cpu.hpp"
#include "solver/api/eigen_g.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/solving.hpp"

namespace support::stress {

struct Problem {
  Stored matrix;
  std::int64_t ldz = 1;
  OptionsAndDevices options;
  bool on_device = false;           // the pointers
  std::int64_t row = -1, col = -1;  // index of a NaN in A; -1: none
};

struct Result {
  std::vector<double> w, z;  // the pairs found; z packed
  std::int64_t row = -1, col = -1;
  bool operator==(const Result& other) const {
    return same_bits(w, other.w) && same_bits(z, other.z) && row == other.row && col == other.col;
  }
};

// Problems with every combination of options in turn, of orders up to `largest`, mostly small ones.
inline std::vector<Problem> problems(std::int64_t largest, eigen_g::DeviceChoice device,
                                     bool device_pointers) {
  std::vector<Problem> all;
  for (const std::int64_t n : {1,   2,   3,   5,   8,   9,   17,  31,  33,   40,   50,   64,   65,
                               71,  72,  73,  90,  96,  100, 120, 129, 150,  160,  200,  240,  257,
                               280, 300, 350, 400, 513, 640, 700, 800, 1000, 1025, 1300, 1500, 2100})
    for (int copy = 0; copy < 2 && n <= largest; ++copy) {
      const auto k = static_cast<std::int64_t>(all.size());
      Problem p;
      p.options.device = device;
      p.options.threads = 1;
      p.options.uplo = k % 3 == 0 ? eigen_g::Uplo::upper : eigen_g::Uplo::lower;
      p.options.vectors = k % 5 != 4;
      p.on_device = device_pointers && k % 2 == 1;
      const std::int64_t padding = k % 4 == 3 ? 1 + n % 2 : 0;  // odd leading dimensions
      p.matrix = random_matrix(n, p.options.uplo, padding, static_cast<std::uint64_t>(k));
      p.ldz = n + (k % 4 == 1 ? 1 + n % 2 : 0);
      if (k % 7 == 2) p.options.subset = eigen_g::Subset::by_index((n + 2) / 3, (2 * n + 2) / 3);
      if (k % 7 == 5) p.options.subset = eigen_g::Subset::by_value(-0.3 * std::sqrt(n), 0.9 * std::sqrt(n));
      if (k % 11 == 10) {
        p.row = p.options.uplo == eigen_g::Uplo::lower ? n - 1 : n / 2;
        p.col = p.options.uplo == eigen_g::Uplo::lower ? n / 2 : n - 1;
        p.matrix.at(p.row, p.col) = nan;
      }
      all.push_back(std::move(p));
    }
  return all;
}

// Only this function calls the library with host pointers.
inline Result solve_on_host(const Problem& p) {
  const std::int64_t n = p.matrix.n, most = p.options.subset.max_count(n);
  Result r;
  r.w.resize(static_cast<std::size_t>(most));
  r.z.resize(static_cast<std::size_t>(p.options.vectors ? p.ldz * most : 0));
  std::int64_t m = 0;
  try {
    m = eigen_g::eigen_g(n, p.matrix.a.data(), p.matrix.lda, r.w.data(),
                         p.options.vectors ? r.z.data() : nullptr, p.ldz, p.options, p.options)
            .m;
  } catch (const eigen_g::NonFiniteEntry& error) {
    return {{}, {}, error.row(), error.col()};
  }
  r.w.resize(static_cast<std::size_t>(m));
  for (std::int64_t j = 0; p.options.vectors && j < m; ++j)
    std::copy_n(r.z.begin() + j * p.ldz, n, r.z.begin() + j * n);
  r.z.resize(static_cast<std::size_t>(p.options.vectors ? n * m : 0));
  return r;
}

inline double resident_mib() {
  malloc_trim(0);
  std::ifstream file("/proc/self/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// The differences from the serial results and the exceptions of all threads.
inline std::vector<std::string> run_threads(const std::vector<Problem>& all,
                                            const std::vector<Result>& serial, int threads, int solves,
                                            const std::function<Result(const Problem&)>& solve) {
  std::vector<std::vector<std::string>> faults(static_cast<std::size_t>(threads));
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([&, t] {
      std::mt19937_64 random(static_cast<std::uint64_t>(t));
      std::uniform_real_distribution<double> uniform(0, 1);
      const auto note = [&](std::size_t k, const std::string& what) {
        faults[static_cast<std::size_t>(t)].push_back("n = " + std::to_string(all[k].matrix.n) +
                                                      ", problem " + std::to_string(k) + ": " + what);
      };
      for (int i = 0; i < solves; ++i) {
        const double x = uniform(random);
        const auto k =
            std::min(all.size() - 1, static_cast<std::size_t>(x * x * static_cast<double>(all.size())));
        try {
          if (!(solve(all[k]) == serial[k])) note(k, "other bits than alone");
        } catch (const std::exception& error) {
          note(k, error.what());
        }
      }
    });
  for (std::thread& worker : workers) worker.join();
  std::vector<std::string> list;
  for (const auto& of_thread : faults) list.insert(list.end(), of_thread.begin(), of_thread.end());
  return list;
}

// EIGEN_G_STRESS_SOLVES is the number of solves for each thread and pass instead of `solves`. device_mib  device memory in use;
// null: not checked
inline void check(const std::vector<Problem>& all, int threads, int solves,
                  const std::function<Result(const Problem&)>& solve,
                  const std::function<double()>& device_mib = nullptr) {
  if (const char* wanted = std::getenv("EIGEN_G_STRESS_SOLVES")) solves = std::atoi(wanted);
  const eigen_g::ThreadLimit one(
      1);  // OpenBLAS has one number of threads for the process; overlapping solves restore it in any order
  std::vector<Result> serial;
  for (const Problem& p : all) {
    serial.push_back(solve(p));
    CAPTURE(p.matrix.n);
    CHECK(serial.back().row == p.row);
    CHECK(serial.back().col == p.col);
    if (p.row < 0 && p.options.subset.by == eigen_g::Subset::By::all)
      CHECK(static_cast<std::int64_t>(serial.back().w.size()) == p.matrix.n);
  }
  // A leak adds some bytes for each solve in every pass. Without a leak the heap varies by less than A and Z of the largest
  // problem and 16 MiB, as soon as the threads' arenas exist: in the second pass or in a later one.
  const auto largest = static_cast<double>(all.back().matrix.n);
  const double scatter = 16 + 2 * sizeof(double) * largest * largest / (1 << 20);
  std::vector<double> resident, on_device;
  const auto grew = [&](const std::vector<double>& mib) {
    return mib.size() > 1 && mib.back() > mib[mib.size() - 2] + scatter;
  };
  for (int pass = 0; pass < 4; ++pass) {
    const std::vector<std::string> faults = run_threads(all, serial, threads, solves, solve);
    CAPTURE(pass, faults.size(), faults.empty() ? "" : faults.front());
    CHECK(faults.empty());
    resident.push_back(resident_mib());
    on_device.push_back(device_mib ? device_mib() : 0);
    if (pass > 0 && !grew(resident) && !grew(on_device)) break;
  }
  CAPTURE(resident, on_device);
  CHECK_FALSE(grew(resident));
  CHECK_FALSE(grew(on_device));
}

}  // namespace support::stress
