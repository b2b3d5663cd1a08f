#include "apps/cli/solve_options.hpp"

#include <CLI/CLI.hpp>
#include <limits>
#include <string>
#include <vector>

#include "apps/cli/exit_codes.hpp"
#include "apps/io/hdf5_name.hpp"
#include "apps/io/text_number.hpp"
#include "solver/prepare/subset.hpp"

namespace eigen_g::apps {

namespace {

// LO:HI as two numbers; a side that is left out keeps what `low` or `high` holds.
template <class Number, class Parser>
void parse_range(const char* option, const std::string& text, Number& low, Number& high, Parser&& parse) {
  const auto colon = text.find(':');
  const auto side = [&](const std::string& number, Number& value) {
    const char* p = number.data();
    const char* const end = p + number.size();
    return number.empty() || (parse(p, end, value) == io::Parse::done && p == end);
  };
  if (colon == std::string::npos || !side(text.substr(0, colon), low) || !side(text.substr(colon + 1), high))
    throw UsageError(std::string(option) + ": " + text + " is not LO:HI");
}

}  // namespace

ResultFormat result_format(const SolveOptions& options) {
  const std::string& name = options.format;
  if (io::names_hdf5(options.prefix)) {
    if (name != SolveOptions().format)
      throw UsageError("--format " + name + ": " + options.prefix + " is HDF5");
    return ResultFormat::hdf5;
  }
  return name == "mtx" ? ResultFormat::mtx : name == "txt" ? ResultFormat::txt : ResultFormat::npy;
}

Subset subset_of(const SolveOptions& options, std::int64_t n) {
  Subset subset;
  const char* option = nullptr;
  if (!options.range_index.empty()) {
    option = "--range-index";
    subset = Subset::numbers(1, n);
    parse_range(option, options.range_index, subset.first, subset.last, io::parse_integer);
  } else if (!options.range_value.empty()) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    option = "--range-value";
    subset = Subset::values(-infinite, infinite);
    parse_range(option, options.range_value, subset.above, subset.upto, io::parse_real);
  }
  try {
    check_subset(n, subset);
  } catch (const InvalidArgument& error) {
    throw UsageError(std::string(option) + ": " + name(error.argument()) + " " + error.reason());
  }
  return subset;
}

void add_generalised_options(CLI::App& command, GeneralisedOptions& options) {
  CLI::Option* const b =
      not_empty(command.add_option(
                    "--b", options.file,
                    "B of a generalised problem A x = w B x, symmetric (Hermitian) and positive definite"))
          ->option_text("FILE");
  command.add_option("--itype", options.itype, "1: A x = w B x (default), 2: A B x = w x, 3: B A x = w x")
      ->check(CLI::Range(1, 3))
      ->needs(b)
      ->option_text("TYPE");
}

void add_few_options(CLI::App& command, CLI::Option& file, FewWishes& wishes) {
  const auto count = [&](const char* option, std::int64_t& value, const char* text) {
    return command.add_option(option, value, text)->check(CLI::PositiveNumber)->option_text("K");
  };
  CLI::Option* const lowest =
      count("--lowest", wishes.lowest, "Only the K lowest pairs, by a method for large sparse matrices");
  CLI::Option* const highest =
      count("--highest", wishes.highest, "Only the K highest pairs, likewise")->excludes(lowest);
  command
      .add_option_function<double>(
          "--near",
          [&wishes](double value) {
            wishes.near = value;
            wishes.near_given = true;
          },
          "Only the --count pairs nearest to X, by the dense solver")
      ->excludes(lowest)
      ->excludes(highest)
      ->option_text("X");
  count("--count", wishes.count, "Of --near (default: 1)");
  command.add_option("--method", wishes.method, "Of few pairs: auto (default), dense, lanczos")
      ->check(CLI::IsMember({"auto", "dense", "lanczos"}))
      ->option_text("METHOD");
  command.add_option("--tolerance", wishes.tolerance, "Of few pairs: |Az-wz| <= T |A| (default: 1e-9)")
      ->option_text("T");
  count("--max-products", wishes.max_products, "Of few pairs: products with A, at most (default: 200000)");
  not_empty(command.add_option("--start", wishes.start,
                               "Of few pairs: vectors to begin with, an .npy file or HDF5 dataset of N rows"))
      ->option_text("FILE");
  command.add_flag("--keep-unconverged", wishes.keep_unconverged,
                   "Of few pairs: write them also where some have not converged (exit code 4 all the same)");
  not_empty(command.add_option("--grid", wishes.grid,
                               "In place of MATRIX: the operator of a box of so many points, zero outside"))
      ->option_text("NXxNYxNZ");
  command.add_option("--stencil", wishes.stencil, "Of --grid: 7 (default) or 19")
      ->check(CLI::IsMember({7, 19}))
      ->option_text("POINTS");
  file.required(false);
}

CLI::Option* add_solve_options(CLI::App& command, SolveOptions& wanted) {
  SolveOptions* const options = &wanted;
  CLI::Option* const file = add_matrix_options(command, options->matrix);
  named_output(
      command.add_option(
          "-o,--output", options->prefix,
          "Write PREFIX.values.npy and PREFIX.vectors.npy, column k the vector of value k; of a PREFIX that "
          "ends in .h5 one HDF5 file of datasets values and vectors"))
      ->option_text("PREFIX");
  command.add_option("--format", options->format, "Of the results: npy (default), mtx, txt")
      ->check(CLI::IsMember({"npy", "mtx", "txt"}))
      ->option_text("FORMAT");
  CLI::Option* range_index =
      not_empty(
          command.add_option("--range-index", options->range_index,
                             "Only eigenvalues number LO to HI, ascending from 1; a side left out: the end"))
          ->option_text("LO:HI");
  not_empty(
      command.add_option("--range-value", options->range_value,
                         "Only eigenvalues above LO up to HI (LO < w <= HI); a side left out: no bound"))
      ->option_text("LO:HI")
      ->excludes(range_index);
  command
      .add_option(
          "--path", options->path,
          "To tridiagonal form in one stage, or on a GPU in two, by way of a band: auto (default), one, two")
      ->check(CLI::IsMember({"auto", "one", "two"}))
      ->option_text("PATH");
  std::vector<std::string> engine_names;
  std::string engine_list;
  const auto list_engine = [&](Engine engine) {
    engine_names.emplace_back(name(engine));
    engine_list += (engine_list.empty() ? "" : ", ") + engine_names.back() + " (" + description(engine) +
                   (engine_names.back() == options->gemm ? "; default)" : ")");
  };
  for (const Engine engine : engines()) list_engine(engine);
  list_engine(Engine::automatic);
  command.add_option("--gemm", options->gemm, "Engine of the matrix products on a GPU: " + engine_list)
      ->check(CLI::IsMember(engine_names))
      ->option_text("ENGINE");
  command
      .add_option("--precision", options->precision,
                  "Of doubles on one GPU: native (default), mixed (in float, then refined to double by "
                  "products of the "
                  "engine; natively where that does not succeed)")
      ->check(CLI::IsMember({"native", "mixed"}))
      ->option_text("PRECISION");
  command
      .add_option(
          "--ratio", options->ratio,
          "Shares of GPU[:GPU...]:CPU in the large products, as 27:14 or 4:4:1; auto (default): by the "
          "machine's rates, none where one does not pay")
      ->option_text("RATIO");
  command.add_option("--gpus", options->gpus, "GPUs that take part (default: 1)")
      ->check(CLI::Range(1, 64))
      ->option_text("N");
  command
      .add_option("--gpu-sms", options->gpu_sms,
                  "Only so many multiprocessors of the first GPU, to see how a small one would fare")
      ->check(CLI::Range(1, 1 << 16))
      ->option_text("N");
  not_empty(command.add_option("--calibration", options->calibration,
                               "Rates of this machine, by 'eigen_g tune hybrid' (default: the cached ones)"))
      ->option_text("FILE");
  command.add_flag("--explain", options->explain, "Print the plan and the predicted times before the solve");
  CLI::Option* values_only = command.add_flag("--values-only", options->values_only,
                                              "Eigenvalues without eigenvectors; not with --verify");
  command
      .add_flag("--verify", options->verify, "Check the result; one that fails is not written (exit code 4)")
      ->excludes(values_only);
  add_generalised_options(command, options->generalised);
  add_few_options(command, *file, options->few);
  add_run_options(command, options->run);
  return file;
}

}  // namespace eigen_g::apps
