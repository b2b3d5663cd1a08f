// Times the tridiagonal eigenproblem on the CPU in comparison with LAPACK, in turns, medians in ms:
//
//   time_divide_and_conquer [-n 100,500,...] [-t 1,4,...] [-s seconds of one measurement]
//
// It prints a line for each order and number of threads. Each part has this library's time, LAPACK's time, and LAPACK's time divided by this
// library's:
//
//   all     all pairs of T, and dstedc
//   values  the values of T, and dsterf
//   few     the n / 160 + 1 smallest pairs of T, and dstemr
//   dense   the n / 160 + 1 smallest pairs of a dense matrix, and dsyevr
#include <cblas.h>
#include <lapacke.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/vector/width.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"

namespace {

using eigen_g::DivideAndConquerResult;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The medians of two calls that take turns.
std::pair<double, double> compare(double limit, const std::function<void()>& own,
                                  const std::function<void()>& other) {
  std::vector<double> times[2];
  const double start = seconds();
  for (int round = 0; round < 3 || (round < 200 && seconds() - start < limit); ++round)
    for (const int k : {0, 1}) {
      const double begin = seconds();
      (k == 0 ? own : other)();
      times[k].push_back(seconds() - begin);
      if (k == 1 && round == 2 && seconds() - start > 4 * limit) round = 200;
    }
  for (auto& t : times) std::nth_element(t.begin(), t.begin() + t.size() / 2, t.end());
  return {times[0][times[0].size() / 2], times[1][times[1].size() / 2]};
}

std::vector<int> numbers(const std::string& list) {
  std::vector<int> found;
  std::istringstream stream(list);
  for (std::string item; std::getline(stream, item, ',');) found.push_back(std::stoi(item));
  return found;
}

void time_order(int n, int threads, double limit) {
  const eigen_g::ThreadLimit threads_limit(threads);
  openblas_set_num_threads(threads);
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  std::normal_distribution<double> normal;
  std::vector<double> diagonal,
      off_diagonal;  // T is the tridiagonal form of a random dense matrix (Dumitriu and Edelman 2002)
  for (int i = 0; i < n; ++i) {
    diagonal.push_back(std::sqrt(2.0) * normal(random));
    if (i + 1 < n)
      off_diagonal.push_back(std::sqrt(std::chi_squared_distribution<double>(n - 1 - i)(random)));
  }
  const int few = n / 160 + 1;
  std::vector<double> d, e, w(static_cast<std::size_t>(n)), z(static_cast<std::size_t>(n) * n),
      z_own(z.size());
  std::vector<lapack_int> support(2 * static_cast<std::size_t>(n));
  const auto fresh = [&] {
    d = diagonal;
    e = off_diagonal;
    e.push_back(0);
  };
  std::vector<char> scratch;
  const auto own = [&](bool vectors, const eigen_g::Subset& subset) {
    fresh();
    const std::int64_t most = subset.max_count(n);
    scratch.resize(eigen_g::divide_and_conquer_bytes_on_cpu<double>(n, vectors ? n : 0, most) + 256);
    void* at = scratch.data();
    std::size_t room = scratch.size();
    std::align(256, room - 256, at, room);
    const DivideAndConquerResult outcome = eigen_g::divide_and_conquer_on_cpu<double>(
        n, d.data(), e.data(), {vectors ? z_own.data() : nullptr, n, vectors ? most : 0, n},
        eigen_g::Arena(at, room), {subset, 0});
    if (outcome.status != eigen_g::Status::converged) std::abort();
  };
  std::printf("n %5d threads %2d", n, threads);
  const auto print = [](const char* name, std::pair<double, double> times) {
    std::printf(" | %s %8.3f %8.3f %5.2f", name, times.first * 1e3, times.second * 1e3,
                times.second / times.first);
    std::fflush(stdout);
  };
  print("all", compare(
                   limit, [&] { own(true, {}); },
                   [&] {
                     fresh();
                     LAPACKE_dstedc(LAPACK_COL_MAJOR, 'I', n, d.data(), e.data(), z.data(), n);
                   }));
  print("values", compare(
                      limit, [&] { own(false, {}); },
                      [&] {
                        fresh();
                        LAPACKE_dsterf(n, d.data(), e.data());
                      }));
  lapack_int found = 0, tryrac = 1;
  print("few", compare(
                   limit, [&] { own(true, eigen_g::Subset::by_index(1, few)); },
                   [&] {
                     fresh();
                     LAPACKE_dstemr(LAPACK_COL_MAJOR, 'V', 'I', n, d.data(), e.data(), 0, 0, 1, few, &found,
                                    w.data(), z.data(), n, few, support.data(), &tryrac);
                   }));
  std::vector<double> matrix(z.size()), a;  // the lower triangle is read
  for (double& x : matrix) x = normal(random);
  eigen_g::Options options;
  options.subset = eigen_g::Subset::by_index(1, few);
  eigen_g::Devices devices;
  devices.device = eigen_g::DeviceChoice::cpu;
  devices.threads = threads;
  print("dense", compare(
                     limit,
                     [&] {
                       a = matrix;
                       (void)eigen_g::eigen_g(n, a.data(), n, w.data(), z_own.data(), n, options, devices);
                     },
                     [&] {
                       a = matrix;
                       LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'L', n, a.data(), n, 0, 0, 1, few, 0,
                                      &found, w.data(), z.data(), n, support.data());
                     }));
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> orders{100, 200, 500, 1000, 2000, 4000}, threads{1, 4, 16, 32};
  double limit = 0.5;
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string option = argv[k];
    if (option == "-n") orders = numbers(argv[k + 1]);
    if (option == "-t") threads = numbers(argv[k + 1]);
    if (option == "-s") limit = std::atof(argv[k + 1]);
  }
  std::printf("vector width %d (0 generic, 1 AVX2, 2 AVX-512), %d cores, %s; own ms, LAPACK ms, ratio\n",
              static_cast<int>(eigen_g::vector_width()), eigen_g::usable_cores(), openblas_get_config());
  for (const int t : threads)
    for (const int n : orders) time_order(n, t, limit);
}
