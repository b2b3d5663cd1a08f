#include "apps/distributed/solve.hpp"

#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "apps/cli/command.hpp"
#include "apps/cli/help.hpp"
#include "apps/cli/launcher.hpp"
#include "apps/cli/named_files.hpp"
#include "apps/cli/signals.hpp"
#include "apps/cli/solve_options.hpp"
#include "apps/cli/stopwatch.hpp"
#include "apps/cli/text.hpp"
#include "apps/distributed/collective.hpp"
#include "apps/distributed/matrix_source.hpp"
#include "apps/distributed/result_writer.hpp"
#include "apps/io/hdf5_name.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/distributed/distributed.hpp"
#include "solver/distributed/panels.hpp"
#include "solver/distributed/verify.hpp"

namespace eigen_g::apps {

namespace {

using distributed::Grid;
using distributed::LocalMatrix;

struct DistributedOptions {
  SolveOptions solve;
  std::string engine = "auto";
  int block = 0;                      // 0: by n
  std::vector<std::string> generate;  // KIND N
  std::uint64_t seed = 1;
};

// What only one process has.
void require_meaning(const DistributedOptions& o) {
  const SolveOptions& s = o.solve;
  const SolveOptions usual;
  const std::pair<bool, const char*> others[] = {
      {s.few.wanted() || s.few.only_for_few(), "--lowest, --highest, --near, --grid and what goes with them"},
      {s.generalised.wanted(), "--b"},
      {s.gemm != usual.gemm, "--gemm"},
      {s.precision != usual.precision, "--precision"},
      {s.ratio != usual.ratio, "--ratio"},
      {s.gpus != usual.gpus, "--gpus"},
      {s.gpu_sms != usual.gpu_sms, "--gpu-sms"},
      {!s.calibration.empty(), "--calibration"},
      {s.explain, "--explain"},
      {s.format != usual.format, "--format but npy"},
      {io::names_hdf5(s.prefix), "-o FILE.h5"},
      {s.run.device == "gpu" && !distributed::has_engine("cusolvermp"),
       "--device gpu in a build without cuSOLVERMp"}};
  for (const auto& [given, what] : others)
    if (given) throw UsageError("several processes do not take " + std::string(what));
  if (s.matrix.file.empty() == o.generate.empty())
    throw UsageError("MATRIX is required, or --generate KIND N");
  if (o.engine != "auto" && !distributed::has_engine(o.engine))
    throw UsageError("--engine " + o.engine + ": this build does not have it: when it was configured, " +
                     (o.engine == "cusolvermp" ? "CUDA, cuSOLVERMp's cusolverMp.h or NCCL's nccl.h was not "
                                                 "found (-DEIGEN_G_CUSOLVERMP_ROOT=FOLDER)"
                                               : "its header and library were not found") +
                     "; 'eigen_g_mpi --version' lists those it has");
  if (s.path == "two" && (o.engine == "scalapack" || o.engine == "cusolvermp"))
    throw UsageError("--path two: " + o.engine + " has one stage");
  if ((s.run.device == "cpu" && o.engine == "cusolvermp") ||
      (s.run.device == "gpu" && o.engine != "auto" && o.engine != "cusolvermp"))
    throw UsageError("--engine " + o.engine + " excludes --device " + s.run.device);
}

// --device chooses among the engines too.
std::string engine_of(const DistributedOptions& o) {
  if (o.engine != "auto" || o.solve.run.device == "auto") return o.engine;
  if (o.solve.run.device == "gpu") return "cusolvermp";
  return distributed::has_engine("elpa") ? "elpa" : "scalapack";
}

std::optional<generate::Spec> spec_of(const DistributedOptions& o) {
  if (o.generate.empty()) return std::nullopt;
  generate::Spec spec;
  spec.kind = o.generate[0];
  spec.seed = o.seed;
  if (!CLI::detail::lexical_cast(o.generate[1], spec.n) || spec.n < 1)
    throw UsageError("--generate: " + o.generate[1] + " is no order");
  return spec;
}

// The shape of the grid and its blocks: nearly square, of no more processes than there are blocks in a row and a column.
struct Shape {
  int rows = 1, cols = 1;
  std::int64_t block = 1;
  int processes() const { return rows * cols; }
};
Shape shape_of(std::int64_t n, int processes, int block) {
  constexpr std::int64_t usual_block = 64;
  Shape best;
  best.block = std::clamp<std::int64_t>(block > 0 ? block : usual_block, 1, std::max<std::int64_t>(1, n));
  const auto blocks = [&] { return (n + best.block - 1) / best.block; };
  for (; processes > 1; --processes) {
    best.rows = static_cast<int>(std::sqrt(static_cast<double>(processes)));
    while (processes % best.rows != 0) --best.rows;
    best.cols = processes / best.rows;
    // A process each is worth smaller blocks, within reason.
    constexpr std::int64_t least_block = 16;
    while (block == 0 && blocks() < best.cols && best.block > least_block) best.block /= 2;
    if (blocks() >= best.cols) return best;
  }
  best.rows = best.cols = 1;
  return best;
}

MPI_Comm of_host(MPI_Comm comm) {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  return host;
}

// As many as leave the processes of a host one processor each.
int threads_of(MPI_Comm comm, const RunOptions& run) {
  MPI_Comm host = of_host(comm);
  const int beside = size_of(host);
  MPI_Comm_free(&host);
  if (run.threads > 0) return std::min(run.threads, usable_cores());
  const int all = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, std::min(usable_cores(), all / beside));
}

std::uint64_t peak_bytes(MPI_Comm comm) {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::uint64_t bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_UINT64_T, MPI_MAX, comm);
  return bytes;
}

// A and, with vectors, Z; refused before they are touched where the processes of a host have not room for them together.
struct Matrices {
  std::optional<LocalMatrix> a, z;
};
void allocate(MPI_Comm comm, const Grid& grid, std::int64_t n, const Shape& shape, bool vectors,
              Matrices& m) {
  const distributed::BlockCyclic layout = distributed::layout_of(grid, n, n, shape.block);
  MPI_Comm host = of_host(comm);
  auto bytes = static_cast<std::uint64_t>(layout.entries()) * sizeof(double) * (vectors ? 2 : 1);
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_UINT64_T, MPI_SUM, host);
  MPI_Comm_free(&host);
  agree(comm, [&] {
    require_host_memory(bytes);
    m.a.emplace(grid.context(), layout);
    if (vectors) m.z.emplace(grid.context(), layout);
  });
}

// The solve of the processes that hold the matrix. The report is whole on rank 0.
class Solve {
 public:
  Solve(MPI_Comm comm, const DistributedOptions& options, const Shape& shape, MatrixSource& source,
        const Subset& subset, Progress& progress)
      : comm_(comm),
        options_(options),
        shape_(shape),
        source_(source),
        grid_(comm, shape.rows, shape.cols),
        progress_(progress),
        n_(source.n()),
        vectors_(!options.solve.values_only) {
    report_.subset = subset;
  }

  SolveReport run(int threads) {
    const SolveOptions& o = options_.solve;
    const std::string why_not = distributed::why_not(comm_, engine_of(options_));
    agree(comm_, [&] {
      if (!why_not.empty()) throw DeviceError("--engine " + engine_of(options_) + ": " + why_not);
    });
    ResultWriter results(comm_, result_names(o.prefix, ResultFormat::npy, vectors_), n_,
                         report_.subset.by == Subset::By::value ? 0 : report_.subset.most(n_),
                         existing_files(o.run.force));
    report_.threads = threads;
    allocate(comm_, grid_, n_, shape_, vectors_, m_);
    const Stopwatch reading;
    report_.matrix = source_.fill(comm_, view(*m_.a));
    report_.seconds.read = reading.seconds();
    solve();
    const bool converged = report_.solve.status == Status::converged && report_.infinite == 0;
    if (o.verify && converged) verify();
    report_.distributed->peak_bytes = peak_bytes(comm_);
    if (!succeeded(report_) || o.prefix.empty()) return report_;
    const Stopwatch writing;
    progress_.at("write");
    const distributed::LocalView z = vectors_ ? view(*m_.z) : distributed::LocalView();
    results.write(report_.values, vectors_ ? &z : nullptr);
    results.commit();
    report_.seconds.write = writing.seconds();
    const ResultNames names = result_names(o.prefix, ResultFormat::npy, vectors_);
    report_.values_file = names.values;
    report_.vectors_file = names.vectors;
    return report_;
  }

 private:
  void solve() {
    const SolveOptions& o = options_.solve;
    distributed::Options wanted;
    wanted.uplo = report_.matrix.triangle;
    wanted.vectors = vectors_;
    wanted.subset = report_.subset;
    wanted.path = path_of(o.path).value();
    wanted.engine = engine_of(options_);
    std::vector<double> w(static_cast<std::size_t>(n_));
    progress_.at("solve");
    distributed::Report r;
    try {
      r = distributed::eigen_g(comm_, n_, m_.a->data.get(), m_.a->descriptor.data(), w.data(),
                               m_.z ? m_.z->data.get() : nullptr, m_.z ? m_.z->descriptor.data() : nullptr,
                               wanted);
    } catch (const NonFiniteEntry& entry) {
      refuse(entry);
    }
    report_.solve.status = r.status;
    report_.solve.failed = r.failed;
    report_.solve.m = r.m;
    report_.solve.first = r.first;
    report_.solve.path = r.path;
    report_.solve.seconds = r.seconds;
    report_.solve.devices.push_back(
        r.gpu < 0 ? DeviceWork{cpu_name(), -1, 0, 1, 0}
                  : DeviceWork{gpu_facts(r.gpu).name, r.gpu, gpu_facts(r.gpu).cores, 1, 0});
    report_.distributed = {r.engine,     r.routine, shape_.processes(), shape_.rows, shape_.cols,
                           shape_.block, 0};
    if (r.status != Status::converged) return;
    w.resize(static_cast<std::size_t>(r.m));
    const auto beyond = std::find_if(w.begin(), w.end(), [](double x) { return !std::isfinite(x); });
    if (beyond != w.end()) report_.infinite = beyond - w.begin() + 1;
    report_.values = std::move(w);
    report_.vectors = vectors_ ? r.m : 0;
  }

  [[noreturn]] void refuse(const NonFiniteEntry& entry) {
    const distributed::LocalView a = view(*m_.a);
    const distributed::Deal &rows = a.layout.rows, &cols = a.layout.cols;
    const bool here = entry.row() / rows.block % rows.parts == rows.part &&
                      entry.col() / cols.block % cols.parts == cols.part;
    double value = here ? a(rows.below(entry.row()), cols.below(entry.col())) : 0;
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, comm_);
    agree(comm_, [&] { throw source_.not_finite(entry.row(), entry.col(), value); });
    throw entry;  // not reached: agree() has thrown
  }

  // The solve has destroyed A: it is read, or made, again.
  void verify() {
    const Stopwatch checking;
    progress_.at("verify");
    const distributed::LocalView a = view(*m_.a);
    source_.fill(comm_, a);
    mirror(a, report_.matrix.triangle);
    progress_.at("verify");
    report_.check = distributed::verify(comm_, a, report_.values, view(*m_.z));
    report_.seconds.verify = checking.seconds();
  }

  MPI_Comm comm_;
  const DistributedOptions& options_;
  Shape shape_;
  MatrixSource& source_;
  Grid grid_;
  Progress& progress_;
  std::int64_t n_;
  bool vectors_;
  Matrices m_;
  SolveReport report_;
};

std::string why_not(const SolveReport& r) {
  if (r.solve.status != Status::converged)
    return print("%s did not converge (its number: %lld)", r.distributed->routine.c_str(),
                 static_cast<long long>(r.solve.failed));
  return r.infinite > 0 ? "eigenvalues are beyond the range of double; scale the matrix first"
                        : "verification FAILED";
}

ExitCode solve_distributed(MPI_Comm world, DistributedOptions o) {
  const Stopwatch total;
  const int rank = rank_in(world);
  std::optional<generate::Spec> spec;
  std::optional<ReportSink> sink;
  agree(world, [&] {
    require_meaning(o);
    spec = spec_of(o);
    if (spec) o.solve.matrix.file = o.generate[0] + " " + o.generate[1];
    const ResultNames names = result_names(o.solve.prefix, ResultFormat::npy, !o.solve.values_only);
    if (rank != 0) return;
    require_apart({{"MATRIX", spec ? "" : o.solve.matrix.file}},
                  {{"-o", names.values}, {"-o", names.vectors}, {"--json", o.solve.run.json}},
                  o.solve.run.force);
    sink.emplace(o.solve.run);
  });
  Progress progress(!o.solve.run.quiet && rank == 0);
  const int threads = threads_of(world, o.solve.run);
  const ThreadLimit limit(threads);
  MatrixSource source(world, o.solve.matrix, spec ? &*spec : nullptr, threads, progress);
  Subset subset;
  agree(world, [&] { subset = subset_of(o.solve, source.n()); });

  // The first processes hold the matrix; those that are too many wait for the others' end.
  const Shape shape = shape_of(source.n(), size_of(world), o.block);
  const bool takes_part = rank < shape.processes();
  MPI_Comm workers = MPI_COMM_NULL;
  MPI_Comm_split(world, takes_part ? 0 : MPI_UNDEFINED, rank, &workers);
  int code = static_cast<int>(ExitCode::done);
  if (takes_part) {
    try {
      SolveReport report = Solve(workers, o, shape, source, subset, progress).run(threads);
      progress.finish();
      agree(workers, [&] {
        if (!sink) return;
        report.seconds.total = total.seconds();
        sink->put(to_table(report), json_of(report));
      });
      if (!succeeded(report)) {
        code = static_cast<int>(ExitCode::not_verified);
        if (rank == 0)
          complain(o.solve.matrix.file + ": " + why_not(report) +
                   (o.solve.prefix.empty() ? "" : ", no result is written"));
      }
    } catch (const AgreedFailure& failure) {
      progress.finish();
      code = static_cast<int>(failure.code());
      if (rank == 0) complain(failure.what());
    }
    MPI_Comm_free(&workers);
  }
  MPI_Bcast(&code, 1, MPI_INT, 0, world);
  return static_cast<ExitCode>(code);
}

std::string version_text() {
  std::string text = std::string("eigen_g ") + version() + ", engines";
  for (const std::string& name : distributed::engines()) text += " " + name;
  return text;
}

constexpr const char* examples = R"(
  mpirun -n 4 eigen_g solve matrix.npy -o result --verify      over four processes
  mpirun -n 16 eigen_g solve --generate minij 100000           a matrix that no file holds
  mpirun -n 4 eigen_g solve matrix.npy -o result --range-index 1:100 --engine elpa
  mpirun -n 2 eigen_g solve matrix.npy -o result --engine cusolvermp           on two GPUs)";

ExitCode parse(MPI_Comm world, int argc, const char* const* argv) {
  CLI::App app("Eigenvalues and eigenvectors of dense real symmetric matrices, by many processes.",
               "eigen_g_mpi");
  set_help(app, "mpirun -n P eigen_g solve MATRIX [-o PREFIX] [OPTIONS]", examples);
  app.footer(exit_code_help());
  app.set_version_flag("--version", version_text(), "Print the version and the engines and leave");
  app.set_help_flag("-h,--help", "Print this help and leave");
  app.require_subcommand(1);
  auto options = std::make_shared<DistributedOptions>();
  CLI::App& command = *app.add_subcommand(
      "solve", "The solve of a matrix in a file, dealt out over the processes of mpirun.");
  set_help(command, "mpirun -n P eigen_g solve MATRIX [-o PREFIX] [OPTIONS]", examples);
  add_solve_options(command, options->solve)->required(false);
  command
      .add_option(
          "--engine", options->engine,
          "auto (default: the first of those that follow that this build has and these processes can use), "
          "cusolvermp (a GPU for each process), elpa, scalapack")
      ->check(CLI::IsMember({"auto", "cusolvermp", "elpa", "scalapack"}))
      ->option_text("ENGINE");
  command
      .add_option("--block", options->block,
                  "Rows and columns of a block (default: 64, less of small matrices)")
      ->check(CLI::Range(1, 4096))
      ->option_text("N");
  command
      .add_option("--generate", options->generate,
                  "In place of MATRIX: a KIND of 'eigen_g generate' with a formula, and its order")
      ->expected(2)
      ->option_text("KIND N");
  command.add_option("--seed", options->seed, "Of --generate random, uniform (default: 1)")
      ->option_text("SEED");
  return parse_and_run(
      app, [&] { return solve_distributed(world, *options); }, argc, argv);
}

}  // namespace

int run_distributed(MPI_Comm comm, int argc, const char* const* argv) {
  const bool speaks = rank_in(comm) == 0;
  const ThreadLimit as_usual(0);
  try {
    const auto launch = launch_of_process();
    if (launch && size_of(comm) == 1)
      throw UsageError("solve: started as one of " + std::to_string(launch->processes) + " processes (" +
                       launch->variable +
                       "), of which this build's MPI knows nothing: start it by that MPI's mpirun");
    const ExitCode code = parse(comm, argc, argv);
    return static_cast<int>(code);
  } catch (const UsageError& error) {  // of the line, which all processes have read
    if (speaks) complain(failure_of(std::current_exception()).message);
    return static_cast<int>(ExitCode::usage);
  } catch (const AgreedFailure& failure) {
    if (speaks) complain(failure.what());
    return static_cast<int>(failure.code());
  }
}

}  // namespace eigen_g::apps
