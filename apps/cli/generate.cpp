// eigen_g generate: writes a test matrix by name to a file, and its exact spectrum if it is known.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/command.hpp"
#include "apps/cli/generate_options.hpp"
#include "apps/generate/hermitian.hpp"
#include "apps/generate/matrices.hpp"
#include "apps/io/eigenpairs_file.hpp"
#include "apps/io/hdf5_name.hpp"
#include "apps/io/hdf5_output.hpp"
#include "apps/io/matrix_output.hpp"
#include "apps/io/npy.hpp"
#include "apps/io/text_output.hpp"
#include "apps/support/help.hpp"
#include "apps/support/named_files.hpp"
#include "apps/support/progress.hpp"
#include "apps/support/run_options.hpp"
#include "apps/support/text.hpp"
#include "hybrid/machine/cpu.hpp"

namespace eigen_g::apps {

namespace {

struct GenerateOptions {
  generate::Spec spec;
  std::string output;
  std::string exact;
  std::string values;
  std::vector<
      std::pair<CLI::Option*, const char*>>  // options for some kinds only; the member of Spec that each sets
      parameters;    // options that apply to some kinds only, with the name of their member of Spec
  std::string type;  // "": d, or z for a Hermitian kind
  bool diagonal = false;
  bool list = false;
  bool force = false;
  bool quiet = false;
  int threads = 0;
};

// "seed random_signs" as options: "--seed --random-signs".
std::string options_named(std::string_view parameters) {
  std::string names;
  std::istringstream words{std::string(parameters)};
  for (std::string word; words >> word;) {
    std::replace(word.begin(), word.end(), '_', '-');
    if (word.rfind("rotate", 0) == 0) word.replace(0, 6, "diagonal");  // the option has the opposite meaning
    names += (names.empty() ? "--" : " --") + word;
  }
  return names;
}

std::string list_of_kinds() {
  constexpr std::size_t name_width = 18;
  std::string text;
  std::vector<generate::Kind> all(generate::kinds().begin(), generate::kinds().end());
  all.insert(all.end(), generate::hermitian_kinds().begin(), generate::hermitian_kinds().end());
  for (const generate::Kind& kind : all) {
    std::string notes;
    const auto note = [&notes](const std::string& more) { notes += (notes.empty() ? "" : "; ") + more; };
    if (!kind.alias.empty()) note("also " + std::string(kind.alias));
    if (!kind.n_rule.empty()) note("N " + std::string(kind.n_rule));
    if (!kind.parameters.empty()) note(options_named(kind.parameters));
    if (kind.spectrum_known) note("spectrum known");
    text += left_column(std::string(kind.name), name_width) + std::string(kind.what) +
            (notes.empty() ? "" : " (" + notes + ")") + "\n";
  }
  return text;
}

// Writes values in one column. The name's ending decides the format.
class ValuesFile {
 public:
  ValuesFile(const std::string& path, const std::vector<double>& values, io::Existing existing) {
    const auto count = static_cast<std::int64_t>(values.size());
    if (path.ends_with(".npy")) {
      npy_ = std::make_unique<io::NpyWriter>(path, std::vector<std::int64_t>{count}, existing);
      std::copy(values.begin(), values.end(), npy_->data());
      return;
    }
    if (io::names_hdf5(path)) {
      const io::Hdf5Name name = io::hdf5_name(path);
      const std::vector<io::Hdf5Dataset> dataset{
          {name.dataset.empty() ? "/values" : name.dataset, io::ScalarType::d, {count}}};
      hdf5_ = std::make_unique<io::Hdf5Writer>(name.file, dataset, existing);
      std::copy(values.begin(), values.end(), hdf5_->data<double>(0));
      return;
    }
    text_ = std::make_unique<io::OutputFile>(path, existing);
    const bool mtx = path.ends_with(".mtx");
    io::write_text(*text_, {values.data(), count, 1, count}, mtx ? io::TextFormat::mtx : io::TextFormat::txt);
  }
  void commit() {
    if (npy_) npy_->commit();
    if (hdf5_) hdf5_->commit();
    if (text_) text_->commit();
  }

 private:
  std::unique_ptr<io::NpyWriter> npy_;
  std::unique_ptr<io::Hdf5Writer> hdf5_;
  std::unique_ptr<io::OutputFile> text_;
};

void require_sensible(const GenerateOptions& options) {
  const generate::Kind& kind = named_kind(options.spec.kind);
  if (options.output.empty())
    throw UsageError("generate: -o FILE is required (see 'eigen_g generate --help')");
  if (options.spec.n < 1)
    throw UsageError("generate: N is required, at least 1 (see 'eigen_g generate --help')");
  for (const auto& [option, parameter] : options.parameters)
    if (option->count() > 0) require_parameter(kind, parameter, option->get_name());
  if (!options.exact.empty() && !kind.spectrum_known)
    throw UsageError("--exact: the spectrum of " + std::string(kind.name) + " is not known");
  try {
    io::require_matrix_ending(options.output);
  } catch (const io::FileError& error) {
    throw UsageError(error.what());
  }
}

// Generates the matrix in double or complex double, and rounds its entries to T.
template <class T>
void write_as(const GenerateOptions& options, Progress& progress) {
  using W = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  const std::int64_t n = options.spec.n;
  const HostArray<W> wide = host_array<W>(n * n);
  generate::fill(options.spec, wide.get(), n);
  const T* a = nullptr;
  HostArray<T> rounded;
  if constexpr (std::is_same_v<T, W>) {
    a = wide.get();
  } else {
    rounded = host_array<T>(n * n);
    bool finite = true;
    for (std::int64_t k = 0; k < n * n; ++k) {
      rounded[k] = T(wide[k]);
      finite = finite && std::isfinite(std::real(rounded[k])) && std::isfinite(std::imag(rounded[k]));
    }
    if (!finite) throw UsageError("--type " + options.type + ": entries are beyond its range");
    a = rounded.get();
  }
  progress.at("write");
  io::write_matrix(options.output, n, a, n, Uplo::lower, options.threads, existing_files(options.force));
}

ExitCode generate_file(GenerateOptions options) {
  if (options.list) {
    std::cout << list_of_kinds();
    return ExitCode::done;
  }
  require_sensible(options);
  require_apart({{"--values", options.values}}, {{"-o", options.output}, {"--exact", options.exact}},
                options.force);
  const io::Existing existing = existing_files(options.force);
  options.spec.rotate = !options.diagonal;
  if (!options.values.empty()) options.spec.values = io::read_values(options.values);
  const ThreadLimit limit(options.threads);
  Progress progress(!options.quiet);
  const io::ScalarType type = type_of(named_kind(options.spec.kind), options.type);

  {
    const io::OutputFile writable(io::hdf5_name(options.output).file, existing);
  }  // a missing folder is an error before the work
  std::optional<ValuesFile> exact_file;
  if (!options.exact.empty()) {
    progress.at("exact spectrum");
    exact_file.emplace(options.exact, generate::exact(options.spec).value(), existing);
  }
  progress.at("generate");
  io::with_type(type, [&]<class T>(T) { write_as<T>(options, progress); });
  if (exact_file) exact_file->commit();
  return ExitCode::done;
}

constexpr const char* generate_examples = R"(
  eigen_g generate --list                                          all KINDs, one a line
  eigen_g generate minij 1000 -o frank.npy --exact frank.txt       with its exact eigenvalues
  eigen_g generate random 500 --seed 7 -o random.mtx               normal entries
  eigen_g generate minij 1000 -o frank.h5:/group/H                 as a dataset of a new HDF5 file
  eigen_g generate geometric 500 --cond 1e8 -o graded.npy          a prescribed spectrum, rotated at random
  eigen_g generate values 500 --values spectrum.txt -o mine.npy    the spectrum in a file
  eigen_g generate hofstadter 900 -o torus.mtx --exact torus.txt   complex Hermitian
  eigen_g generate geometric 500 --type c -o graded.npy            the spectrum rotated by a unitary matrix)";

}  // namespace

void add_generate(CLI::App& app, Action& action) {
  auto options = std::make_shared<GenerateOptions>();
  generate::Spec& spec = options->spec;
  CLI::App& command =
      *app.add_subcommand("generate", "Write a test matrix by name, and its exact spectrum if it is known.");
  set_help(command, "eigen_g generate KIND N -o FILE [OPTIONS]", generate_examples);
  CLI::Option* list = command.add_flag("--list", options->list, "List the kinds and exit");
  std::vector<std::string> names;
  for (const auto kinds : {generate::kinds(), generate::hermitian_kinds()})
    for (const generate::Kind& kind : kinds) names.emplace_back(kind.name);
  offers(command.add_option("KIND", spec.kind, "Name of the matrix; see --list"), names);
  command.add_option("N", spec.n, "Order of the matrix")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
  begin_group(command, "Results");
  named_output(command.add_option("-o,--output", options->output,
                                  "Output file; the ending is its format: .mtx, .npy, .csv, .txt, .raw, "
                                  ".bin, .h5 (FILE.h5:/NAME: a dataset)"))
      ->option_text("FILE");
  named_output(command.add_option("--exact", options->exact,
                                  "Write the exact eigenvalues to FILE: .npy, .h5, .mtx, otherwise text"))
      ->option_text("FILE");
  begin_group(command, "Parameters of the matrix");
  command.add_option("--scale", spec.scale, "Scale of the matrix (default: 1)")->option_text("X");
  const auto parameter = [&options](const char* name, CLI::Option* option) {
    options->parameters.emplace_back(option, name);
    return option;
  };
  parameter("seed", add_seed_option(command, spec.seed, "Seed of the random numbers (default: 1)"));
  parameter("cond", command.add_option("--cond", spec.cond,
                                       "max|w| / min|w| of a prescribed spectrum (default: 1e6)"))
      ->option_text("X");
  parameter("random_signs",
            command.add_flag("--random-signs", spec.random_signs, "Random signs in a prescribed spectrum"));
  parameter("rotate", command.add_flag("--diagonal", options->diagonal,
                                       "Write a prescribed spectrum as a diagonal matrix"));
  parameter("values",
            command.add_option("--values", options->values, "KIND values: file with the N eigenvalues"))
      ->option_text("FILE");
  parameter("rho",
            command.add_option("--rho", spec.rho, "KIND kms, hermitian-kms: rho of rho^|i-j| (default: 0.5)"))
      ->option_text("X");
  parameter("gamma", command.add_option("--gamma", spec.gamma,
                                        "KIND glued-wilkinson: entry that joins the blocks (default: 1e-14)"))
      ->option_text("X");
  parameter("flux", command.add_option("--flux", spec.flux,
                                       "KIND flux-ring, hermitian-kms: flux in radians (default: 1)"))
      ->option_text("X");
  command
      .add_option("--type", options->type,
                  "s, d, c, z: float, double, complex float, complex double (default: d; for a complex KIND "
                  "z). With c and z, random entries have both parts, and prescribed spectra are rotated by a "
                  "unitary matrix")
      ->check(CLI::IsMember({"s", "d", "c", "z"}))
      ->option_text("TYPE");
  parameter("alpha", command.add_option("--alpha", spec.alpha,
                                        "KIND hueckel-*, flux-ring, hofstadter: diagonal entry (default: 0)"))
      ->option_text("X");
  parameter("beta",
            command.add_option("--beta", spec.beta, "The same KINDs: entry between neighbours (default: -1)"))
      ->option_text("X");
  begin_group(command, "Run");
  add_threads_option(command, options->threads);
  add_force_option(command, options->force);
  add_quiet_option(command, options->quiet);
  list->excludes(command.get_option("KIND"));
  command.callback([options, &action] { action = [options] { return generate_file(*options); }; });
}

}  // namespace eigen_g::apps
