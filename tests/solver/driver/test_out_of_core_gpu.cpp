// Solves that keep the reflectors and the vectors in host memory (MemoryMode), forced by a memory limit.
#include <cmath>
#include <complex>
#include <limits>
#include <map>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/api/eigen_g.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/solving.hpp"

using namespace eigen_g;
using support::OptionsAndDevices;
using support::random_matrix;
using support::Stored;

namespace {

OptionsAndDevices in_mode(OptionsAndDevices o, std::int64_t n, MemoryMode mode,
                          Pointers pointers = Pointers::host) {
  o.memory_limit = workspace_bytes<double>(n, o, true, pointers, mode).device;
  return o;
}

OptionsAndDevices on_gpu(Path path) {
  OptionsAndDevices o = support::options(DeviceChoice::gpu);
  o.path = path;
  return o;
}

double real_of(double x) {
  return x;
}
double real_of(std::complex<double> x) {
  return x.real();
}

// Largest |A z - w z| and |Z^H Z - I| of `count` pairs, in double.
template <class T>
std::pair<double, double> errors(std::int64_t n, const std::vector<T>& a, const std::vector<real_t<T>>& w,
                                 const std::vector<T>& z, std::int64_t count) {
  using D = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  const auto at = [n](const std::vector<T>& x, std::int64_t i, std::int64_t j) {
    return D(x[static_cast<std::size_t>(i + j * n)]);
  };
  const auto conjugate = [](D x) {
    if constexpr (is_complex<T>)
      return std::conj(x);
    else
      return x;
  };
  double residual = 0, orthogonality = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    for (std::int64_t i = 0; i < n; ++i) {
      D sum = -D(w[static_cast<std::size_t>(k)]) * at(z, i, k);
      for (std::int64_t j = 0; j < n; ++j)
        sum += (i > j ? at(a, i, j) : i < j ? conjugate(at(a, j, i)) : D(real_of(at(a, i, i)))) * at(z, j, k);
      residual = std::max(residual, std::abs(sum));
    }
    for (std::int64_t l = 0; l <= k; ++l) {
      D sum = l == k ? -1 : 0;
      for (std::int64_t i = 0; i < n; ++i) sum += conjugate(at(z, i, l)) * at(z, i, k);
      orthogonality = std::max(orthogonality, std::abs(sum));
    }
  }
  return {residual, orthogonality};
}

// Block columns are for the two-stage path. For small orders they need as much memory as slabs, so that no limit leads to them.
bool has_mode(Path path, MemoryMode mode, std::int64_t n) {
  return mode != MemoryMode::block_columns || (path == Path::two_stage && n >= 700);
}
// The values of a mode have the same bits as in core. In block columns they differ from the values in core by rounding.
template <class R>
void check_values(MemoryMode mode, const std::vector<R>& w, const std::vector<R>& in_core) {
  if (mode != MemoryMode::block_columns) {
    CHECK(w == in_core);
    return;
  }
  REQUIRE(w.size() == in_core.size());
  double worst = 0, largest = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    const double error = std::fabs(static_cast<double>(w[k]) - static_cast<double>(in_core[k]));
    if (!(error <= worst)) worst = error;
    largest = std::max(largest, std::fabs(static_cast<double>(in_core[k])));
  }
  const double unit =
      static_cast<double>(std::numeric_limits<R>::epsilon()) * std::sqrt(static_cast<double>(w.size()));
  CHECK(worst <= 4 * unit * largest);
}

// A pool of the caller that counts its allocations. It refuses to have more than `most` bytes.
struct Pool {
  std::map<void*, std::size_t> held;
  std::size_t bytes = 0, peak = 0, most = std::numeric_limits<std::size_t>::max();

  static void* allocate(std::size_t size, CUstream_st*, void* context) {
    Pool& pool = *static_cast<Pool*>(context);
    void* memory = nullptr;
    if (size > pool.most - pool.bytes || cudaMalloc(&memory, size) != cudaSuccess) return nullptr;
    pool.held[memory] = size;
    pool.bytes += size;
    pool.peak = std::max(pool.peak, pool.bytes);
    return memory;
  }
  static void free(void* memory, std::size_t size, CUstream_st*, void* context) {
    Pool& pool = *static_cast<Pool*>(context);
    pool.bytes -= size;
    pool.held.erase(memory);
    cudaDeviceSynchronize();
    cudaFree(memory);
  }
  Allocator allocator() { return {allocate, free, this}; }
};

}  // namespace

TEST_CASE("out of core: values as in core, and the pairs are right", "[gpu]") {
  NEEDS_GPU();
  const Path path = GENERATE(Path::one_stage, Path::two_stage);
  const MemoryMode mode = GENERATE(MemoryMode::parked, MemoryMode::slabs, MemoryMode::block_columns);
  const std::int64_t n = GENERATE(129, 300, 701, 1100, 3000);
  if (!has_mode(path, mode, n)) return;
  const bool upper = n % 2 == 1;
  CAPTURE(name(path), name(mode), n);
  const Stored s = random_matrix(n, upper ? Uplo::upper : Uplo::lower, n % 5);
  const OptionsAndDevices o = on_gpu(path);
  const support::Solved whole = support::solve_guarded(s, o, n % 3);
  CHECK(whole.report.mode == MemoryMode::in_core);
  const OptionsAndDevices limited = in_mode(o, n, mode);
  const support::Solved solved = support::solve_guarded(s, limited, n % 3);
  CHECK(solved.report.mode == mode);
  CHECK(solved.report.path == path);
  CHECK(solved.report.fallbacks.size() == static_cast<std::size_t>(mode));
  CHECK((solved.report.slabs_of_rows > 0) == (mode != MemoryMode::parked));
  CHECK((solved.report.slabs_of_columns > 0) == (mode != MemoryMode::parked));
  CHECK(solved.report.bytes.device <= limited.memory_limit);
  CHECK(solved.report.bytes.host >= sizeof(double) * static_cast<std::uint64_t>(n * n));
  if (n >= 701) CHECK(limited.memory_limit < whole.report.bytes.device);
  check_values(mode, solved.w, whole.w);
  support::check_pairs(s, solved);
  const support::Solved again = support::solve_guarded(s, limited, n % 3);
  CHECK(support::same_bits(again.w, solved.w));
  CHECK(support::same_bits(again.z, solved.z));
}

TEST_CASE("out of core: values only in block columns", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = GENERATE(700, 1100, 3000);
  const bool upper = n % 2 == 1;
  CAPTURE(n);
  const Stored s = random_matrix(n, upper ? Uplo::upper : Uplo::lower, n % 5);
  OptionsAndDevices o = on_gpu(Path::two_stage);
  const support::Solved with_vectors = support::solve_guarded(s, in_mode(o, n, MemoryMode::block_columns));
  REQUIRE(with_vectors.report.mode == MemoryMode::block_columns);
  o.vectors = false;
  std::vector<double> whole(static_cast<std::size_t>(n)), w(static_cast<std::size_t>(n), -7.25e77);
  const auto solve = [&](std::vector<double>& to, const OptionsAndDevices& how) {
    return ::eigen_g::eigen_g<double>(n, s.a.data(), s.lda, to.data(), nullptr, n, how, how);
  };
  const Report in_core = solve(whole, o);
  CHECK(in_core.mode == MemoryMode::in_core);
  const OptionsAndDevices limited = in_mode(o, n, MemoryMode::block_columns);
  const Report report = solve(w, limited);
  CHECK(report.mode == MemoryMode::block_columns);
  CHECK(report.fallbacks == std::vector<Fallback>{Fallback::to_block_columns});
  CHECK(report.slabs_of_rows == 0);
  CHECK(report.bytes.device <= limited.memory_limit);
  CHECK(report.bytes.host < sizeof(double) * static_cast<std::uint64_t>(n * n));
  if (n == 3000) CHECK(report.bytes.device < in_core.bytes.device - sizeof(double) * 9000000 / 3);
  CHECK(support::same_bits(w, with_vectors.w));
  check_values(MemoryMode::block_columns, w, whole);
}

TEST_CASE("out of core: a limit of memory gives the number of slabs in block columns", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n =
      5000;  // smaller orders have fewer slabs, because the buffers of the reduction are larger than they
  const Stored s = random_matrix(n);
  OptionsAndDevices o = in_mode(on_gpu(Path::two_stage), n, MemoryMode::block_columns);
  const std::uint64_t least = o.memory_limit, of_slabs = in_mode(o, n, MemoryMode::slabs).memory_limit;
  REQUIRE(least < of_slabs);
  std::map<std::int64_t, support::Solved> by_slabs;
  std::int64_t before = n;
  constexpr int steps = 6;
  for (int step = 0; step < steps; ++step) {
    o.memory_limit = least + (of_slabs - 1 - least) * static_cast<std::uint64_t>(step) / (steps - 1);
    support::Solved solved = support::solve_guarded(s, o);
    REQUIRE(solved.report.mode == MemoryMode::block_columns);
    CHECK(solved.report.bytes.device <= o.memory_limit);
    CHECK(solved.report.slabs_of_rows <= before);
    before = solved.report.slabs_of_rows;
    by_slabs.emplace(before, std::move(solved));
  }
  CHECK(by_slabs.size() > 1);
  for (const auto& [slabs, solved] : by_slabs) {
    CAPTURE(slabs);
    CHECK(support::same_bits(solved.w, by_slabs.begin()->second.w));
  }
  REQUIRE(by_slabs.count(4) == 1);
  support::check_pairs(s, by_slabs.at(4));
}

// At this order the vectors of a slab leave the GPU in groups, and vectors of the next slab take the place of a group at once.
TEST_CASE("out of core: slabs of several groups of columns", "[gpu][large]") {
  NEEDS_GPU();
  const MemoryMode mode = GENERATE(MemoryMode::parked, MemoryMode::slabs);
  const std::int64_t n = 6464;
  CAPTURE(name(mode));
  const Stored s = random_matrix(n);
  const OptionsAndDevices o = on_gpu(Path::two_stage);
  const support::Solved whole = support::solve_guarded(s, o),
                        solved = support::solve_guarded(s, in_mode(o, n, mode));
  REQUIRE(solved.report.mode == mode);
  CHECK(solved.report.slabs_of_columns == (mode == MemoryMode::slabs ? 2 : 0));
  CHECK(solved.w == whole.w);
  double worst = 0;
  for (std::int64_t k = 0; k < n;
       ++k) {  // random values are far apart, so that the vectors agree up to rounding
    double with = 0;
    for (std::int64_t i = 0; i < n; ++i)
      with += solved.z[static_cast<std::size_t>(i + k * solved.ldz)] *
              whole.z[static_cast<std::size_t>(i + k * whole.ldz)];
    if (!(std::fabs(std::fabs(with) - 1) <= worst)) worst = std::fabs(std::fabs(with) - 1);
  }
  CHECK(worst < 1e-9);
}

TEST_CASE("out of core: entries that are not finite are found in block columns", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 900, row = 700, col = GENERATE(0, 255, 256, 650);
  const bool upper = GENERATE(false, true), vectors = GENERATE(false, true);
  CAPTURE(col, upper, vectors);
  Stored s = random_matrix(n, upper ? Uplo::upper : Uplo::lower);
  OptionsAndDevices o = on_gpu(Path::two_stage);
  o.uplo = upper ? Uplo::upper : Uplo::lower;
  o.vectors = vectors;
  o = in_mode(o, n, MemoryMode::block_columns);
  const std::int64_t i = upper ? col : row, j = upper ? row : col;
  s.a[static_cast<std::size_t>(i + j * s.lda)] = std::nan("");
  std::vector<double> w(static_cast<std::size_t>(n)), z(static_cast<std::size_t>(n * n));
  try {
    (void)::eigen_g::eigen_g(n, s.a.data(), s.lda, w.data(), vectors ? z.data() : nullptr, n, o, o);
    FAIL("the entry was not found");
  } catch (const NonFiniteEntry& error) {
    CHECK(error.row() == i);
    CHECK(error.col() == j);
  }
}

TEST_CASE("out of core: block columns of a matrix that is scaled", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 700;
  const double by = GENERATE(0x1p-400, 0x1p400);
  const Stored s = random_matrix(n);
  const OptionsAndDevices o = in_mode(on_gpu(Path::two_stage), n, MemoryMode::block_columns);
  const support::Solved truth = support::solve_guarded(s, o);
  Stored scaled = s;
  for (double& x : scaled.a) x *= by;
  const support::Solved solved = support::solve_guarded(scaled, o);
  double worst = 0;
  for (std::size_t k = 0; k < truth.w.size(); ++k)
    worst = std::max(worst, std::fabs(solved.w[k] / by - truth.w[k]) / std::fabs(truth.w.back()));
  CHECK(worst < 1e-13);
}

TEST_CASE("out of core: subsets", "[gpu]") {
  NEEDS_GPU();
  const Path path = GENERATE(Path::one_stage, Path::two_stage);
  const MemoryMode mode = GENERATE(MemoryMode::parked, MemoryMode::slabs, MemoryMode::block_columns);
  const bool by_value = GENERATE(false, true);
  const std::int64_t n = 900;
  if (!has_mode(path, mode, n)) return;
  CAPTURE(name(path), name(mode), by_value);
  const Stored s = random_matrix(n);
  OptionsAndDevices o = on_gpu(path);
  const support::Solved whole = support::solve_guarded(s, o);
  const std::int64_t first = 200, count = 333;
  const auto value = [&](std::int64_t k) { return whole.w[static_cast<std::size_t>(k)]; };
  o.subset = by_value ? Subset::by_value((value(first - 1) + value(first)) / 2,
                                         (value(first + count - 1) + value(first + count)) / 2)
                      : Subset::by_index(first + 1, first + count);
  const OptionsAndDevices limited = in_mode(o, n, mode);
  const std::int64_t most = o.subset.max_count(n);
  std::vector<double> w(static_cast<std::size_t>(most)), z(static_cast<std::size_t>(n * most), -7.25e77);
  const Report report = ::eigen_g::eigen_g(n, s.a.data(), s.lda, w.data(), z.data(), n, limited, limited);
  CHECK(report.mode == mode);
  REQUIRE(report.m == count);
  CHECK(report.first_index == first + 1);
  check_values(mode, std::vector<double>(w.begin(), w.begin() + count),
               std::vector<double>(whole.w.begin() + first, whole.w.begin() + first + count));
  double worst = 0;
  for (std::int64_t k = 0; k < count;
       ++k) {  // random values are far apart, so that the vectors agree up to rounding
    double with = 0;
    for (std::int64_t i = 0; i < n; ++i)
      with += z[static_cast<std::size_t>(i + k * n)] *
              whole.z[static_cast<std::size_t>(i + (first + k) * whole.ldz)];
    worst = std::max(worst, std::fabs(std::fabs(with) - 1));
  }
  CHECK(worst < 1e-11);
}

TEMPLATE_TEST_CASE("out of core: all types", "[gpu]", double, float, std::complex<double>,
                   std::complex<float>) {
  NEEDS_GPU();
  using T = TestType;
  const std::int64_t n = GENERATE(150, 333, 720);  // the last one in block columns only
  const Path path = GENERATE(Path::one_stage, Path::two_stage);
  if (n == 720 && path == Path::one_stage) return;
  CAPTURE(n, name(path));
  const Stored s = random_matrix(n), imaginary = random_matrix(n, Uplo::lower, 0, 5);
  std::vector<T> a(static_cast<std::size_t>(n * n));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i + j * n);
      if constexpr (is_complex<T>)
        a[k] = {static_cast<real_t<T>>(s.a[k]), i == j ? 0 : static_cast<real_t<T>>(imaginary.a[k])};
      else
        a[k] = static_cast<T>(s.a[k]);
    }
  OptionsAndDevices o = on_gpu(path);
  std::vector<real_t<T>> whole(static_cast<std::size_t>(n));
  std::vector<T> z(static_cast<std::size_t>(n * n));
  (void)::eigen_g::eigen_g(n, a.data(), n, whole.data(), z.data(), n, o, o);
  for (const MemoryMode mode : {MemoryMode::parked, MemoryMode::slabs, MemoryMode::block_columns}) {
    CAPTURE(name(mode));
    if (!has_mode(path, mode, n) || (n == 720 && mode != MemoryMode::block_columns)) continue;
    o.memory_limit = workspace_bytes<T>(n, o, true, Pointers::host, mode).device;
    std::vector<real_t<T>> w(static_cast<std::size_t>(n));
    std::fill(z.begin(), z.end(), T(static_cast<real_t<T>>(-7.25e7)));
    const Report report = ::eigen_g::eigen_g(n, a.data(), n, w.data(), z.data(), n, o, o);
    CHECK(report.mode == mode);
    check_values(mode, w, whole);
    const auto [residual, orthogonality] = errors<T>(n, a, w, z, n);
    const double unit =
        static_cast<double>(std::numeric_limits<real_t<T>>::epsilon()) * static_cast<double>(n);
    CHECK(residual / (unit * std::fabs(static_cast<double>(whole.back()))) < 1);
    CHECK(orthogonality / unit < 1);
  }
}

TEST_CASE("out of core: a band matrix on the two-stage path", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 1501, kd = GENERATE(3, 20, 60);
  const MemoryMode mode = GENERATE(MemoryMode::parked, MemoryMode::slabs, MemoryMode::block_columns);
  CAPTURE(kd, name(mode));
  Stored s = random_matrix(n);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      if (std::abs(i - j) > kd && s.used(i, j)) s.a[static_cast<std::size_t>(i + j * s.lda)] = 0;
  const OptionsAndDevices o = on_gpu(Path::two_stage);
  const support::Solved whole = support::solve_guarded(s, o),
                        solved = support::solve_guarded(s, in_mode(o, n, mode));
  CHECK(solved.report.mode == mode);
  check_values(mode, solved.w, whole.w);
  support::check_pairs(s, solved);
}

TEST_CASE("out of core: a solver's workspace is a bound of what it allocates", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 2000;
  const MemoryMode mode = GENERATE(MemoryMode::parked, MemoryMode::slabs, MemoryMode::block_columns);
  CAPTURE(name(mode));
  const Stored s = random_matrix(n);
  const OptionsAndDevices limited = in_mode(on_gpu(Path::two_stage), n, mode);
  Pool pool;
  std::vector<double> first;
  {
    Context context(limited, pool.allocator());
    Solver<double> solver(context, n, limited);
    CHECK(solver.workspace().device == limited.memory_limit);
    std::vector<double> w(static_cast<std::size_t>(n)), z(static_cast<std::size_t>(n * n));
    for (int round = 0; round < 2; ++round) {
      const Report report = solver.solve(s.a.data(), n, w.data(), z.data(), n);
      CHECK(report.mode == mode);
      if (round == 0) first = z;
      CHECK(support::same_bits(first, z));
    }
    // cuBLAS's workspace, for each queue
    const std::size_t of_handles = std::size_t{mode == MemoryMode::block_columns ? 80U : 40U} << 20;
    CHECK(pool.peak <= limited.memory_limit + of_handles);
    CHECK(pool.peak >= limited.memory_limit);
  }
  CHECK(pool.held.empty());
}

TEST_CASE("out of core: a limit above the memory that is there leaves the smallest slabs of block columns",
          "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 5000;
  const Stored s = random_matrix(n);
  OptionsAndDevices o = in_mode(on_gpu(Path::two_stage), n, MemoryMode::block_columns);
  constexpr std::size_t of_handle = 42U << 20;  // cuBLAS's workspace for a queue
  Pool pool;
  pool.most = o.memory_limit + 2 * of_handle;
  o.memory_limit = in_mode(o, n, MemoryMode::slabs).memory_limit - 1;
  REQUIRE(o.memory_limit + of_handle > pool.most);
  Context context(o, pool.allocator());
  support::Solved solved{std::vector<double>(static_cast<std::size_t>(n)),
                         std::vector<double>(static_cast<std::size_t>(n * n)),
                         n,
                         {}};
  solved.report =
      Solver<double>(context, n, o).solve(s.a.data(), s.lda, solved.w.data(), solved.z.data(), solved.ldz);
  CHECK(solved.report.mode == MemoryMode::block_columns);
  support::check_pairs(s, solved);
}

TEST_CASE("out of core: parked with device pointers", "[gpu]") {
  NEEDS_GPU();
  const Path path = GENERATE(Path::one_stage, Path::two_stage);
  const bool over_a = GENERATE(false, true);
  const std::int64_t n = GENERATE(640, 1280);  // multiples of 64: in core A is the caller's
  CAPTURE(name(path), over_a, n);
  const Stored s = random_matrix(n);
  const OptionsAndDevices o = on_gpu(path);
  const auto solve = [&](const OptionsAndDevices& how) {
    const Queue queue;
    DeviceBuffer<double> a(n * n), z(n * n), w(n);
    support::upload(a.data(), s.a.data(), a.bytes());
    EIGEN_G_CUDA(cudaDeviceSynchronize());
    support::Solved solved;
    double* const to = over_a ? a.data() : z.data();
    solved.report =
        ::eigen_g::eigen_g(n, device(a.data()), n, device(w.data()), device(to), n, queue.stream(), how, how);
    solved.ldz = n;
    solved.w.resize(static_cast<std::size_t>(n));
    solved.z.resize(static_cast<std::size_t>(n * n));
    EIGEN_G_CUDA(cudaMemcpy(solved.w.data(), w.data(), w.bytes(), cudaMemcpyDeviceToHost));
    EIGEN_G_CUDA(cudaMemcpy(solved.z.data(), to, z.bytes(), cudaMemcpyDeviceToHost));
    return solved;
  };
  const support::Solved whole = solve(o);
  OptionsAndDevices limited = o;
  limited.memory_limit = whole.report.bytes.device - sizeof(double) * static_cast<std::uint64_t>(n * n) / 2;
  const support::Solved solved = solve(limited);
  CHECK(solved.report.mode == MemoryMode::parked);
  CHECK(solved.report.bytes.device <= limited.memory_limit);
  CHECK(support::same_bits(solved.w, whole.w));
  support::check_pairs(s, solved);
}

TEST_CASE("out of core: too small a limit", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 500;
  const Stored s = random_matrix(n);
  OptionsAndDevices o = support::options(DeviceChoice::gpu);
  o.memory_limit = 100000;
  std::vector<double> w(static_cast<std::size_t>(n)), z(static_cast<std::size_t>(n * n));
  const auto solve = [&] { return ::eigen_g::eigen_g(n, s.a.data(), s.lda, w.data(), z.data(), n, o, o); };
  CHECK_THROWS_AS(solve(), OutOfMemory);
  o.path = Path::two_stage;  // the last fallback is block columns
  CHECK_THROWS_AS(solve(), OutOfMemory);
  o.path = Path::automatic;
  o.device = DeviceChoice::automatic;
  const Report report = solve();
  CHECK(report.devices.front().gpu < 0);
  CHECK(report.mode == MemoryMode::in_core);
  REQUIRE_FALSE(report.fallbacks.empty());
  CHECK(report.fallbacks.back() == Fallback::gpu_to_cpu);
}

TEST_CASE("out of core: progress comes, and an exception of it ends the solve", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 700;
  const MemoryMode mode = GENERATE(MemoryMode::parked, MemoryMode::slabs, MemoryMode::block_columns);
  const Path path = GENERATE(Path::one_stage, Path::two_stage);
  if (!has_mode(path, mode, n)) return;
  CAPTURE(name(mode), name(path));
  const Stored s = random_matrix(n);
  const OptionsAndDevices limited = in_mode(on_gpu(path), n, mode);
  const support::Solved truth = support::solve_guarded(s, limited);
  struct GivenUp {};
  std::int64_t told = 0, ended = 0;
  for (bool whole = false; !whole;) {
    std::int64_t calls = 0;
    OptionsAndDevices interrupted = limited;
    std::map<Stage, double> reached;
    interrupted.progress = [&](Stage stage, double fraction) {
      CHECK(fraction >= reached[stage]);
      CHECK(fraction <= 1);
      reached[stage] = fraction;
      if (calls++ == told) throw GivenUp();
    };
    support::Solved solved{std::vector<double>(static_cast<std::size_t>(n)),
                           std::vector<double>(static_cast<std::size_t>(n * n)),
                           n,
                           {}};
    try {
      (void)::eigen_g::eigen_g(n, s.a.data(), s.lda, solved.w.data(), solved.z.data(), n, interrupted,
                               interrupted);
      CHECK(support::same_bits(solved.w, truth.w));
      CHECK(support::same_bits(solved.z, truth.z));
      whole = true;
    } catch (const GivenUp&) {
      ++told;
      ++ended;
    }
  }
  CHECK(ended >= 8);
}
