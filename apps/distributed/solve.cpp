#include "apps/distributed/solve.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "apps/cli/command.hpp"
#include "apps/cli/generalised_report.hpp"
#include "apps/cli/generate_options.hpp"
#include "apps/cli/launcher.hpp"
#include "apps/distributed/collective.hpp"
#include "apps/distributed/matrix_source.hpp"
#include "apps/distributed/problem.hpp"
#include "apps/io/hdf5_name.hpp"
#include "apps/io/scalar_type.hpp"
#include "apps/support/help.hpp"
#include "apps/support/named_files.hpp"
#include "apps/support/signals.hpp"
#include "apps/support/stopwatch.hpp"
#include "apps/support/text.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/distributed/distributed.hpp"

namespace eigen_g::apps {

namespace {

// Refuses options that only a solve by one process has, and options that exclude each other.
void require_meaning(const DistributedOptions& o) {
  const SolveOptions& s = o.solve;
  const SolveOptions usual;
  const std::pair<bool, const char*> others[] = {
      {s.few.wanted() || s.few.only_for_few() || s.few.keep_unconverged,
       "--lowest, --highest, --near, --grid and the options for few pairs"},
      {s.engine != usual.engine, "--engine"},
      {s.precision != usual.precision, "--precision"},
      {s.ratio != usual.ratio, "--ratio"},
      {s.gpus != usual.gpus, "--gpus"},
      {s.multiprocessors != usual.multiprocessors, "--multiprocessors"},
      {!s.calibration.empty(), "--calibration"},
      {s.predict, "--predict"},
      {!s.plot.empty(), "--plot"},
      {s.format != usual.format, "--format other than npy"},
      {io::names_hdf5(s.prefix), "-o FILE.h5"},
      {s.run.device == "gpu" && !distributed::has_library("cusolvermp"),
       "--device gpu in a build without cuSOLVERMp"}};
  for (const auto& [given, what] : others)
    if (given) throw UsageError("a solve by several processes does not support " + std::string(what));
  if (s.matrix.file.empty() == o.generate.empty())
    throw UsageError("MATRIX or --generate KIND N is required");
  if (o.library != "auto" && !distributed::has_library(o.library))
    throw UsageError("--library " + o.library + ": this build does not have it: when it was configured, " +
                     (o.library == "cusolvermp" ? "CUDA, cuSOLVERMp's cusolverMp.h or NCCL's nccl.h was not "
                                                  "found (-DEIGEN_G_CUSOLVERMP_ROOT=FOLDER)"
                                                : "its header and library were not found") +
                     "; 'eigen_g_mpi --version' lists the available ones");
  if (s.path == "two" && (o.library == "scalapack" || o.library == "cusolvermp"))
    throw UsageError("--path two: " + o.library + " has the one-stage path only");
  if ((s.run.device == "cpu" && o.library == "cusolvermp") ||
      (s.run.device == "gpu" && o.library != "auto" && o.library != "cusolvermp"))
    throw UsageError("--library " + o.library + " cannot be combined with --device " + s.run.device);
}

bool has_type(const std::string& library, io::ScalarType type) {
  return distributed::has_library(library, io::real_type(type) == io::ScalarType::s,
                                  io::real_type(type) != type);
}

// The library to use; if --library is auto, --device may choose it.
std::string library_of(const DistributedOptions& o, io::ScalarType type) {
  if (o.library != "auto" || o.solve.run.device == "auto") return o.library;
  if (o.solve.run.device == "gpu") return "cusolvermp";
  return has_type("elpa", type) ? "elpa" : "scalapack";
}

// Throws, before the work, if the library does not support the type of the matrix.
void require_engine(const DistributedOptions& o, io::ScalarType type) {
  if (o.library != "auto" && !has_type(o.library, type))
    throw UsageError("--library " + o.library + " does not support type " + io::name(type));
}

std::optional<generate::Spec> spec_of(const DistributedOptions& o) {
  if (o.generate.empty()) return std::nullopt;
  require_no_file(o.solve.matrix, "--generate", o.solve.generalised.wanted());
  if (o.seed_given) require_parameter(named_kind(o.generate[0]), "seed", "--seed");
  generate::Spec spec;
  spec.kind = o.generate[0];
  spec.seed = o.seed;
  if (!CLI::detail::lexical_cast(o.generate[1], spec.n) || spec.n < 1)
    throw UsageError("--generate: " + o.generate[1] + " must be an order, at least 1");
  return spec;
}

// Number of threads of this process: the node's cores divided by its processes. --threads overrides it.
int threads_of(MPI_Comm comm, const RunOptions& run) {
  MPI_Comm node = node_communicator(comm);
  const int processes = size_of(node);
  MPI_Comm_free(&node);
  if (run.threads > 0) return std::min(run.threads, usable_cores());
  const int all = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, std::min(usable_cores(), all / processes));
}

// Hint that one process would be faster, if this node could solve the matrix by one process. In all measurements it was faster
// (data/perf/distributed.md). LAPACK with vectors needs three matrices and n <= 46338. A file whose elements have to be converted needs
// one matrix more.
std::string better_plain(const MatrixSource& a, io::ScalarType type, bool vectors) {
  const auto entry = io::with_type(type, []<class T>(T) { return sizeof(T); });
  const auto n = static_cast<double>(a.n());
  const double bytes = ((vectors ? 3 : 1) + (a.is_in_place() ? 0 : 1)) * static_cast<double>(entry) * n * n;
  if (bytes > static_cast<double>(host_memory_available()) || (vectors && n > 46338)) return "";
  return print("this matrix fits into the memory of this node (%.2g GB); without mpirun the solve is faster",
               bytes / 1e9);
}

std::string why_not(const SolveReport& r) {
  if (r.solve.status != Status::converged)
    return print("%s did not converge (info %lld)", r.distributed->routine.c_str(),
                 static_cast<long long>(r.solve.info));
  return r.infinite > 0 ? std::string("eigenvalues are beyond the range of ") +
                              io::name(io::real_type(r.matrix.type)) + "; scale the matrix first"
                        : "verification FAILED";
}

// The result of a solve, as rank 0 prints it.
struct SolveOutput {
  bool good = false;
  std::string table, json, why_not;
};
SolveOutput solve_and_report(const DistributedSolve& problem, const Stopwatch& total) {
  if (problem.b) {
    GeneralisedFound found = solve_generalised(problem);
    found.total = total.seconds();
    return {found.good(), solve_table(found), solve_json(found), found.good() ? "" : why_not(found)};
  }
  SolveReport report = solve_standard(problem);
  report.seconds.total = total.seconds();
  return {succeeded(report), to_table(report), json_of(report), succeeded(report) ? "" : why_not(report)};
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
    require_apart({{"MATRIX", spec ? "" : o.solve.matrix.file}, {"--b", o.solve.generalised.file}},
                  {{"-o", names.values}, {"-o", names.vectors}, {"--json", o.solve.run.json}},
                  o.solve.run.force);
    sink.emplace(o.solve.run);
  });
  Progress progress(!o.solve.run.quiet && rank == 0);
  const int threads = threads_of(world, o.solve.run);
  const ThreadLimit limit(threads);
  MatrixSource a(world, o.solve.matrix, spec ? &*spec : nullptr, threads, progress);
  MatrixOptions of_b = o.solve.matrix;
  of_b.file = o.solve.generalised.file;
  of_b.format = "auto";  // the content of B's file decides its format
  std::optional<MatrixSource> b;
  if (o.solve.generalised.wanted()) b.emplace(world, of_b, nullptr, threads, progress);
  const io::ScalarType type = b ? io::common_type(a.type(), b->type()) : a.type();
  Subset subset;
  agree(world, [&] {
    subset = subset_of(o.solve, a.n());
    if (b && b->n() != a.n())
      throw io::FileError(of_b.file, 0,
                          print("B has order %lld, but A has order %lld", static_cast<long long>(b->n()),
                                static_cast<long long>(a.n())));
    o.library = library_of(o, type);
    require_engine(o, type);
  });

  if (rank == 0 && !o.solve.run.quiet)
    if (const std::string hint = better_plain(a, type, !o.solve.values_only); !hint.empty()) {
      progress.finish();
      warn(hint);
    }

  // The first processes hold the matrix; the remaining ones only wait for the end.
  const Shape shape = shape_of(a.n(), size_of(world), o.block);
  const bool takes_part = rank < shape.processes();
  MPI_Comm workers = MPI_COMM_NULL;
  MPI_Comm_split(world, takes_part ? 0 : MPI_UNDEFINED, rank, &workers);
  int code = static_cast<int>(ExitCode::done);
  if (takes_part) {
    try {
      const std::string why_not = distributed::why_not(workers, o.library);
      agree(workers, [&] {
        if (!why_not.empty()) throw DeviceError("--library " + o.library + ": " + why_not);
      });
      const SolveOutput outcome =
          solve_and_report({workers, o, shape, a, b ? &*b : nullptr, type, subset, progress, threads}, total);
      progress.finish();
      agree(workers, [&] {
        if (sink) sink->put(outcome.table, outcome.json);
      });
      if (!outcome.good) {
        code = static_cast<int>(ExitCode::not_verified);
        if (rank == 0)
          warn(o.solve.matrix.file + ": " + outcome.why_not +
               (o.solve.prefix.empty() ? "" : ", no result is written"));
      }
    } catch (const AgreedFailure& failure) {
      progress.finish();
      code = static_cast<int>(failure.code());
      if (rank == 0) warn(failure.what());
    }
    MPI_Comm_free(&workers);
  }
  MPI_Bcast(&code, 1, MPI_INT, 0, world);
  return static_cast<ExitCode>(code);
}

std::string version_text() {
  std::string text = std::string("eigen_g ") + version() + ", libraries";
  for (const std::string& name : distributed::libraries()) text += " " + name;
  return text;
}

constexpr const char* examples = R"(
  mpirun -n 4 eigen_g solve matrix.npy -o result --verify      over four processes
  mpirun -n 16 eigen_g solve --generate minij 100000           a generated matrix
  mpirun -n 4 eigen_g solve matrix.npy -o result --subset-by-index 1:100 --library elpa
  mpirun -n 4 eigen_g solve a.npy --b b.npy -o result          A x = w B x; --itype 2, 3
  mpirun -n 4 eigen_g solve --generate flux-ring 20000    complex Hermitian

  mpirun -n 2 eigen_g solve matrix.npy -o result --library cusolvermp    on two GPUs)";

ExitCode parse(MPI_Comm world, int argc, const char* const* argv) {
  CLI::App app("Eigenvalues and eigenvectors of dense symmetric or Hermitian matrices, by many processes.",
               "eigen_g_mpi");
  set_help(app, "mpirun -n P eigen_g solve MATRIX [-o PREFIX] [OPTIONS]", examples);
  app.footer(exit_code_help());
  app.set_version_flag("--version", version_text(), "Print the version and the libraries, and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(1);
  auto options = std::make_shared<DistributedOptions>();
  CLI::App& command = *app.add_subcommand(
      "solve", "Solve for the eigenpairs of a matrix that is distributed over the processes of mpirun.");
  set_help(command, "mpirun -n P eigen_g solve MATRIX [-o PREFIX] [OPTIONS]", examples);
  add_solve_options(command, options->solve)->required(false);
  command.remove_option(command.get_option("--library"));  // the libraries for sparse matrices
  command
      .add_option(
          "--library", options->library,
          "auto (default: the first of the following that this build has and these processes can use), "
          "cusolvermp (a GPU for each process), elpa, scalapack")
      ->check(CLI::IsMember({"auto", "cusolvermp", "elpa", "scalapack"}))
      ->option_text("LIBRARY");
  command
      .add_option("--block", options->block,
                  "Rows and columns of a block (default: 64, fewer for small matrices)")
      ->check(CLI::Range(1, 4096))
      ->option_text("N");
  CLI::Option* const generate =
      command
          .add_option("--generate", options->generate,
                      "Instead of MATRIX: a KIND of 'eigen_g generate' with a formula, and its order")
          ->expected(2)
          ->option_text("KIND N");
  const CLI::Option* const seed =
      add_seed_option(command, options->seed, "Seed for --generate random and uniform (default: 1)")
          ->needs(generate);
  return parse_and_run(
      app,
      [&] {
        options->seed_given = seed->count() > 0;
        return solve_distributed(world, *options);
      },
      argc, argv);
}

}  // namespace

int run_distributed(MPI_Comm comm, int argc, const char* const* argv) {
  const bool speaks = rank_in(comm) == 0;
  const ThreadLimit as_usual(0);
  try {
    const auto launch = launch_of_process();
    if (launch && size_of(comm) == 1)
      throw UsageError(
          "solve: started as one of " + std::to_string(launch->processes) + " processes (" +
          launch->variable +
          "), but this build's MPI does not know of them; start it with the mpirun of this build's MPI");
    const ExitCode code = parse(comm, argc, argv);
    return static_cast<int>(code);
  } catch (const UsageError& error) {  // an error in the command line, which all processes have parsed
    if (speaks) warn(failure_of(std::current_exception()).message);
    return static_cast<int>(ExitCode::usage);
  } catch (const AgreedFailure& failure) {
    if (speaks) warn(failure.what());
    return static_cast<int>(failure.code());
  }
}

}  // namespace eigen_g::apps
