#include "apps/cli/solve_options.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "apps/io/hdf5_name.hpp"
#include "apps/io/text_number.hpp"
#include "apps/support/exit_codes.hpp"
#include "apps/support/help.hpp"
#include "apps/support/solve_picture.hpp"
#include "solver/prepare/subset.hpp"

namespace eigen_g::apps {

namespace {

// Parses LO:HI into two numbers. An omitted side keeps the value of `low` or `high`.
template <class Number, class Parser>
void parse_range(const char* option, const std::string& text, Number& low, Number& high, Parser&& parse) {
  const auto colon = text.find(':');
  const auto side = [&](const std::string& number, Number& value) {
    const char* p = number.data();
    const char* const end = p + number.size();
    return number.empty() || (parse(p, end, value) == io::Parse::done && p == end);
  };
  if (colon == std::string::npos || !side(text.substr(0, colon), low) || !side(text.substr(colon + 1), high))
    throw UsageError(std::string(option) + ": " + text + " must be LO:HI");
}

}  // namespace

ResultFormat result_format(const SolveOptions& options) {
  const std::string& name = options.format;
  if (io::names_hdf5(options.prefix)) {
    if (name != SolveOptions().format)
      throw UsageError("--format " + name + ": " + options.prefix + " names an HDF5 file; omit --format");
    return ResultFormat::hdf5;
  }
  return name == "mtx"   ? ResultFormat::mtx
         : name == "txt" ? ResultFormat::txt
         : name == "csv" ? ResultFormat::csv
                         : ResultFormat::npy;
}

std::string options_of_gpu(const SolveOptions& options) {
  const SolveOptions usual;
  const bool open = options.run.device != "cpu";  // with --device cpu the library refuses the last two
  const std::pair<bool, const char*> all[] = {
      {options.engine != usual.engine, "--engine"},
      {options.precision != usual.precision, "--precision"},
      {open && options.ratio != usual.ratio, "--ratio"},
      {open && options.multiprocessors != usual.multiprocessors, "--multiprocessors"},
      {open && options.memory_limit != usual.memory_limit, "--memory-limit"}};
  std::string names;
  for (const auto& [given, name] : all)
    if (given) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

Subset subset_of(const SolveOptions& options, std::int64_t n) {
  Subset subset;
  const char* option = nullptr;
  if (!options.subset_by_index.empty()) {
    option = "--subset-by-index";
    subset = Subset::by_index(1, n);
    parse_range(option, options.subset_by_index, subset.first, subset.last, io::parse_integer);
  } else if (!options.subset_by_value.empty()) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    option = "--subset-by-value";
    subset = Subset::by_value(-infinite, infinite);
    parse_range(option, options.subset_by_value, subset.above, subset.upto, io::parse_real);
  }
  try {
    check_subset(n, subset);
  } catch (const InvalidArgument& error) {
    throw UsageError(std::string(option) + ": " + name(error.argument()) + " " + error.reason());
  }
  return subset;
}

std::pair<double, double> parse_interval(const std::string& text) {
  double low = std::numeric_limits<double>::quiet_NaN(), high = low;
  parse_range("--interval", text, low, high, io::parse_real);
  if (!std::isfinite(low) || !std::isfinite(high) || !(low < high))
    throw UsageError("--interval: " + text + " must be LO:HI with LO < HI, both finite");
  return {low, high};
}

void add_generalised_options(CLI::App& command, GeneralisedOptions& options) {
  begin_group(command, "Generalised problem");
  CLI::Option* const b = not_empty(command.add_option("--b", options.file,
                                                      "Matrix B of a generalised problem A x = w B x, "
                                                      "symmetric (Hermitian) and positive definite; for a "
                                                      "stack MATRIX a stack of the same shape; for few pairs "
                                                      "semidefinite, or a vector: the diagonal of B"))
                             ->option_text("FILE");
  command.add_option("--itype", options.itype, "1: A x = w B x (default), 2: A B x = w x, 3: B A x = w x")
      ->check(CLI::Range(1, 3))
      ->needs(b)
      ->option_text("TYPE");
}

void add_few_options(CLI::App& command, CLI::Option& file, FewCommandOptions& few_options) {
  begin_group(command, "A few pairs of a sparse matrix");
  const auto count = [&](const char* option, std::int64_t& value, const char* text) {
    return positive(command.add_option(option, value, text))->option_text("K");
  };
  CLI::Option* const lowest =
      count("--lowest", few_options.lowest, "Only the K lowest pairs, by a method for large sparse matrices");
  CLI::Option* const highest =
      count("--highest", few_options.highest, "Only the K highest pairs, by the same method")
          ->excludes(lowest);
  command
      .add_option_function<double>(
          "--near",
          [&few_options](double value) {
            few_options.near = value;
            few_options.near_given = true;
          },
          "Only the --count pairs nearest to X, by a factorisation of A - X I, or of A - X B")
      ->excludes(lowest)
      ->excludes(highest)
      ->option_text("X");
  CLI::Option* const near = command.get_option("--near");
  count("--count", few_options.count, "Number of pairs for --near (default: 1)");
  CLI::Option* const above =
      command.add_flag("--above", few_options.above, "With --near: only pairs above X")->needs(near);
  command.add_flag("--below", few_options.below, "With --near: only pairs below X")
      ->needs(near)
      ->excludes(above);
  CLI::Option* const interval = not_empty(command.add_option("--interval", few_options.interval,
                                                             "Only the pairs with LO <= w < HI, all of them"))
                                    ->excludes(lowest)
                                    ->excludes(highest)
                                    ->excludes(near)
                                    ->option_text("LO:HI");
  count("--max-pairs", few_options.max_pairs,
        "With --interval: refuse more than K pairs before any is computed")
      ->needs(interval);
  command.add_flag(
      "--count-only", few_options.count_only,
      "With --interval or --near: no pairs, only the number of eigenvalues in the interval, or below X");
  command.add_flag(
      "--buckling", few_options.buckling,
      "A is positive definite (stiffness), B may be indefinite (geometric stiffness); the values are "
      "load factors of both signs");
  command
      .add_option(
          "--proof", few_options.proof,
          "Proof that no pair is missing: counts (of the eigenvalues below two points; exit code 4 if they "
          "prove nothing), probe (by random vectors), none, auto (default: counts with a factorisation)")
      ->check(CLI::IsMember({"auto", "counts", "probe", "none"}))
      ->option_text("PROOF");
  command
      .add_option("--method", few_options.method,
                  "Method for few pairs: auto (default), dense, lanczos, shift-invert (with a factorisation)")
      ->check(CLI::IsMember({"auto", "dense", "lanczos", "shift-invert"}))
      ->option_text("METHOD");
  command
      .add_option("--tolerance", few_options.tolerance,
                  "Few pairs: residuals |Az-wz| <= T |A|, with B |Az-wBz| <= T (|A| + |w| |B|) |z|; T from "
                  "1e-14 to 1 "
                  "(default: such that verify passes)")
      ->option_text("T");
  count(
      "--max-products", few_options.max_products,
      "Few pairs: maximum number of products with A; if it is reached, the exit code is 4 (default: 200000)");
  not_empty(command.add_option("--start", few_options.start,
                               "Few pairs: start vectors, an .npy file or HDF5 dataset with N rows"))
      ->option_text("FILE");
  command.add_flag(
      "--keep-unconverged", few_options.keep_unconverged,
      "Few pairs, stacks: write the results even if some pairs did not converge or some matrices failed "
      "(the exit code is still 4)");
  not_empty(
      command.add_option("--grid", few_options.grid,
                         "Instead of MATRIX: the operator on a box of NX x NY x NZ points, zero outside"))
      ->option_text("NXxNYxNZ");
  command.add_option("--stencil", few_options.stencil, "Points of the stencil for --grid: 7 (default) or 19")
      ->check(CLI::IsMember({7, 19}))
      ->option_text("POINTS");
  file.required(false);
}

CLI::Option* add_solve_options(CLI::App& command, SolveOptions& wanted) {
  SolveOptions* const options = &wanted;
  CLI::Option* const file = add_matrix_options(command, options->matrix);
  begin_group(command, "Results");
  named_output(
      command.add_option(
          "-o,--output", options->prefix,
          "Write PREFIX.values.npy and PREFIX.vectors.npy; column k is the vector of value k. If PREFIX ends "
          "in .h5: one HDF5 file with datasets values and vectors. The results of a stack (..., n, n) are "
          "(..., m) "
          "and (..., n, m)"))
      ->option_text("PREFIX");
  command.add_option("--format", options->format, "Format of the results: npy (default), mtx, txt, csv")
      ->check(CLI::IsMember({"npy", "mtx", "txt", "csv"}))
      ->option_text("FORMAT");
  begin_group(command, "Which pairs");
  CLI::Option* subset_by_index =
      not_empty(command.add_option(
                    "--subset-by-index", options->subset_by_index,
                    "Only the eigenvalues of index LO to HI, ascending from 1; LO or HI may be omitted"))
          ->option_text("LO:HI");
  not_empty(command.add_option("--subset-by-value", options->subset_by_value,
                               "Only the eigenvalues with LO < w <= HI; LO or HI may be omitted: no bound"))
      ->option_text("LO:HI")
      ->excludes(subset_by_index);
  begin_group(command, "Method and shares of the devices");
  command
      .add_option("--path", options->path,
                  "Reduction to tridiagonal form: one (at once), two (through a band), auto (default)")
      ->check(CLI::IsMember({"auto", "one", "two"}))
      ->option_text("PATH");
  std::vector<std::string> engine_names;
  std::string engine_list;
  const auto list_engine = [&](Engine engine) {
    engine_names.emplace_back(name(engine));
    engine_list += (engine_list.empty() ? "" : ", ") + engine_names.back() + " (" + description(engine) +
                   (engine_names.back() == options->engine ? "; default)" : ")");
  };
  for (const Engine engine : engines()) list_engine(engine);
  list_engine(Engine::automatic);
  command.add_option("--engine", options->engine, "Engine of the matrix products on a GPU: " + engine_list)
      ->check(CLI::IsMember(engine_names))
      ->option_text("ENGINE");
  std::vector<std::string> library_names;
  std::string libraries;
  for (const FactorLibrary library : {FactorLibrary::automatic, FactorLibrary::none, FactorLibrary::own,
                                      FactorLibrary::mumps, FactorLibrary::pardiso, FactorLibrary::cudss}) {
    library_names.emplace_back(name(library));
    libraries += (libraries.empty() ? "" : ", ") + library_names.back() +
                 (library == FactorLibrary::automatic ? " (default)" : "");
  }
  command
      .add_option("--library", options->library,
                  "For few pairs: the library that factorises sparse matrices: " + libraries)
      ->check(CLI::IsMember(library_names))
      ->option_text("LIBRARY");
  command
      .add_option("--precision", options->precision,
                  "For real doubles on one GPU: native (default), mixed (in float, then refined to double by "
                  "products of the engine; native if that does not succeed)")
      ->check(CLI::IsMember({"native", "mixed"}))
      ->option_text("PRECISION");
  command
      .add_option(
          "--ratio", options->ratio,
          "Shares of GPU[:GPU...]:CPU in the large products, as 27:14 or 4:4:1; auto (default): by the "
          "machine's rates, 0 for a device that would not help")
      ->option_text("RATIO");
  command
      .add_option("--gpus", options->gpus,
                  "Number of GPUs to use (default: 1); 0: the number that pays, at most all of them. On the "
                  "two-stage path all of them run every stage, for large orders")
      ->check(CLI::Range(0, 64))
      ->option_text("N");
  command
      .add_option("--multiprocessors", options->multiprocessors,
                  "Use only N multiprocessors of the first GPU, to imitate a smaller one")
      ->check(CLI::Range(1, 1 << 16))
      ->option_text("N");
  command
      .add_option("--memory-limit", options->memory_limit,
                  "Largest size of the GPU memory of a dense solve, as 20G (K, M, G, T: powers of 1024; "
                  "default: what is free). A solve that needs more keeps data in host memory")
      ->transform(CLI::AsSizeValue(false))
      ->option_text("BYTES");
  not_empty(command.add_option("--calibration", options->calibration,
                               "Rates of this machine from 'eigen_g calibrate' (default: the cached file)"))
      ->option_text("FILE");
  command.add_flag("--predict", options->predict, "Print the plan and the predicted times before the solve");
  begin_group(command, "Results");
  command.add_flag("--print", options->print,
                   "Print every eigenvalue (default: the first five and the last five)");
  add_plot_option(command, options->plot);
  CLI::Option* values_only =
      command.add_flag("--values-only", options->values_only, "Compute no eigenvectors; not with --verify");
  command
      .add_flag("--verify", options->verify,
                "Check the result; a result that fails is not written (exit code 4)")
      ->excludes(values_only);
  add_generalised_options(command, options->generalised);
  add_few_options(command, *file, options->few);
  add_run_options(command, options->run);
  return file;
}

}  // namespace eigen_g::apps
