// spmv_benchmark: `eigen_g bench spmv`, products with a sparse matrix in every format against cuSPARSE, and the solves of paper 3.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "apps/generate/random.hpp"
#include "apps/generate/sparse_matrices.hpp"
#include "apps/io/sparse_file.hpp"
#include "apps/papers/benchmarks.hpp"
#include "apps/papers/ccs.hpp"
#include "apps/papers/jds.hpp"
#include "apps/support/stopwatch.hpp"
#include "blas2/spmv/crs.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "apps/papers/bicgstab.hpp"
#include "apps/papers/cusparse.hpp"
#include "apps/papers/minres.hpp"
#include "blas2/spmv/crs_device.hpp"
#include "blas2/spmv/row_statistics.hpp"
#include "blas2/spmv/spmv.hpp"
#include "blas2/symv/symv_truth.hpp"
#include "hybrid/cuda_check.hpp"
#endif

namespace eigen_g::apps::bench {

namespace {

using blas2::CrsMatrix;

// In units of u sqrt(m + 2) times the sum of the sizes of a row's m terms; the tests have the same limit.
constexpr double spmv_error_limit = 3;
constexpr double solve_tolerance = 1e-8;
constexpr int max_iterations = 5000;

struct Source {
  std::string name;
  std::function<CrsMatrix<double>()> make;
};

// The generated matrices. rows_of_NAME has the numbers of rows and entries of the matrix NAME of paper 3.
std::vector<Source> generated_sources() {
  std::vector<Source> all{
      {"7_points_200", [] { return generate::seven_points(200); }},
      {"3_x_27_points_70", [] { return generate::coupled_27_points(70, 3); }},
      {"power_law_20", [] { return generate::power_law(20, 8600000); }},
      {"expected_degrees_20", [] { return generate::expected_degrees(20, 7965000, 0.7345); }}};
  for (const generate::RowCounts& counts : generate::paper_row_counts())
    all.push_back({"rows_of_" + counts.name, [counts] { return generate::banded(counts.n, counts.nnz); }});
  return all;
}

// A X by the CPU in long double, and the sums of the sizes of the terms. X is row-major with k columns.
class Truth {
 public:
  Truth(const blas2::CrsView<double>& a, int k, const std::vector<double>& x)
      : truth_(static_cast<std::size_t>(a.rows * k)), scale_(truth_.size()) {
#pragma omp parallel for schedule(dynamic, 512)
    for (std::int64_t i = 0; i < a.rows; ++i)
      for (int v = 0; v < k; ++v) {
        long double t = 0, s = 0;
        for (std::int64_t p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
          const long double term = static_cast<long double>(a.value[p]) *
                                   x[static_cast<std::size_t>(std::int64_t{a.col[p]} * k + v)];
          t += term;
          s += std::fabs(term);
        }
        const auto at = static_cast<std::size_t>(i * k + v);
        truth_[at] = static_cast<double>(t);
        scale_[at] = static_cast<double>(s) * 0x1p-53 *
                     std::sqrt(static_cast<double>(a.row_offsets[i + 1] - a.row_offsets[i] + 2));
      }
  }
  // max |y - t| / (u sqrt(m + 2) s)
  double error(const std::vector<double>& y) const {
    double worst = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double miss = std::fabs(y[i] - truth_[i]);
      if (miss == 0) continue;
      worst = std::isnan(miss) ? std::numeric_limits<double>::infinity() : std::max(worst, miss / scale_[i]);
    }
    return worst;
  }

 private:
  std::vector<double> truth_, scale_;
};

// The three formats of paper 3 on the CPU, by one thread.
void check_on_host(const CrsMatrix<double>& matrix, int rounds, Json& result) {
  const blas2::CrsView<double> a = matrix.view();
  const generate::CounterRandom random(1, 0);
  std::vector<double> x(static_cast<std::size_t>(a.cols));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = random.uniform(static_cast<std::int64_t>(i), 0);
  const Truth truth(a, 1, x);
  const Stopwatch converting;
  const papers::Jds<double> jds(a);
  const double conversion = converting.seconds();
  const papers::Ccs<double> ccs(a);
  double worst = 0;
  bool same = true;
  const auto measure = [&](const char* name, auto multiply) {
    std::vector<double> y(static_cast<std::size_t>(a.rows)), seconds;
    multiply(y.data());
    const std::vector<double> first = y;
    for (int round = 0; round < rounds; ++round) {
      const Stopwatch watch;
      multiply(y.data());
      seconds.push_back(watch.seconds());
    }
    worst = std::max(worst, truth.error(y));
    same = same && y == first;
    result[name] = median(seconds);
  };
  measure("crs", [&](double* y) { blas2::crs_multiply(1, 1.0, a, x.data(), 0.0, y, 1); });
  measure("ccs", [&](double* y) { papers::ccs_multiply_on_cpu(1, 1.0, ccs.view(), x.data(), 0.0, y, 1); });
  measure("jds", [&](double* y) { papers::jds_multiply_on_cpu(1, 1.0, jds.view(), x.data(), 0.0, y, 1); });
  result.update({{"jds_conversion_seconds", conversion}, {"worst_error", worst}, {"bit_for_bit", same}});
}

#ifdef EIGEN_G_HAVE_CUDA

using blas2::SpmvCandidate;
using blas2::SpmvFormat;

std::string short_name(const SpmvCandidate& c, std::int64_t rows) {
  if (c.format == SpmvFormat::crs) return "crs_" + std::to_string(c.group);
  return "sell_" + (c.sigma == rows ? "all" : std::to_string(c.sigma)) +
         (c.cut == blas2::spmv_cuts.back() ? "" : "_cut_" + std::to_string(c.cut)) +
         (c.hot > 0 ? "_hot" : "");
}

// The matrix in a format: y := A x of k vectors on the queue, and its memory in addition to the CRS arrays.
using Product = std::function<void(int k, const double* x, double* y)>;
struct Converted {
  Product multiply;
  std::uint64_t bytes = 0;
};

template <class Matrix, class Multiply>
Converted converted(Matrix matrix, Multiply multiply) {
  const auto held = std::make_shared<const Matrix>(std::move(matrix));
  return {[held, multiply](int k, const double* x, double* y) { multiply(*held, k, x, y); }, held->bytes()};
}

struct Format {
  std::string name;
  std::function<Converted()> convert;  // on the GPU; blocks
  Converted matrix = {};
  double conversion_seconds = 0;
  bool repeats = true;  // bit for bit
  bool is_crs() const { return name.starts_with("crs_"); }
};

// Every configuration of every format.
std::vector<Format> formats(const Queue& queue, const blas2::CrsView<double>& a_dev) {
  const blas2::RowStatistics a = blas2::row_statistics(queue, a_dev);
  std::vector<Format> all;
  const auto add = [&](const SpmvCandidate& candidate) {
    all.push_back({short_name(candidate, a.rows), [=, &queue] {
                     return converted(blas2::SpmvOperator<double>(queue, a_dev, candidate),
                                      [&queue](const auto& op, int k, const double* x, double* y) {
                                        op.multiply(queue, k, 1, x, 0, y);
                                      });
                   }});
  };
  for (int group = 1; group <= 32; group *= 2) add({SpmvFormat::crs, group});
  all.push_back({"ccs", [=, &queue] {
                   return converted(papers::CcsOnDevice<double>(queue, a_dev),
                                    [&queue](const auto& ccs, int k, const double* x, double* y) {
                                      papers::ccs_multiply<double>(queue, k, 1, ccs.view(), x, 0, y);
                                    });
                 }});
  all.back().repeats = false;
  all.push_back({"jds", [=, &queue] {
                   return converted(papers::JdsOnDevice<double>(queue, a_dev),
                                    [&queue](const auto& jds, int k, const double* x, double* y) {
                                      papers::jds_multiply<double>(queue, k, 1, jds.view(), x, 0, y);
                                    });
                 }});
  for (std::size_t cut = 0; cut < blas2::spmv_cuts.size(); ++cut) {
    if (cut + 1 < blas2::spmv_cuts.size() && a.long_rows[cut] == 0) continue;
    for (const std::int64_t sigma : {std::int64_t{1}, std::int64_t{4096}, a.rows})
      add({SpmvFormat::sell, 1, sigma, blas2::spmv_cuts[cut]});
  }
  if (a.long_rows[1] > 0) add({SpmvFormat::sell, 1, a.rows, blas2::spmv_cuts[0], blas2::spmv_hot});
  return all;
}

class SpmvCase {
 public:
  SpmvCase(const Queue& queue, CrsMatrix<double> matrix, int k, bool solve)
      : queue_(queue),
        k_(k),
        solve_(solve),
        a_(std::move(matrix)),
        a_dev_(queue, a_.view()),
        x_(queue, a_.cols * k),
        y_(queue, a_.rows * k) {
    blas2::fill_random(queue, x_.data(), x_.size(), 1);
    formats_ = formats(queue, a_dev_.view());
    for (Format& f : formats_) {
      f.matrix = f.convert();  // warm-up
      const Stopwatch watch;
      f.matrix = f.convert();
      f.conversion_seconds = watch.seconds();
    }
    const Stopwatch watch;
    chosen_ =
        blas2::SpmvOperator<double>(queue, a_dev_.view(), SpmvFormat::automatic, blas2::SpmvChoice::trial, k);
    choice_seconds_ = watch.seconds();
    modelled_ =
        blas2::SpmvOperator<double>(queue, a_dev_.view(), SpmvFormat::automatic, blas2::SpmvChoice::model, k);
#ifdef EIGEN_G_HAVE_CUSPARSE
    if (k == 1) {
      cusparse_ = std::make_unique<CusparseCsr>(queue, a_dev_.view(), x_.data(), y_.data(), false);
      cusparse_deterministic_ =
          std::make_unique<CusparseCsr>(queue, a_dev_.view(), x_.data(), y_.data(), true);
    }
#endif
  }

  std::vector<Call> calls() {
    const double n = static_cast<double>(a_.rows), nnz = static_cast<double>(a_.nnz), k = k_;
    const auto add = [&](const std::string& name, std::function<void()> once) {
      calls_.push_back({.name = name,
                        .enqueue = [once](std::int64_t) { once(); },
                        .capture = false,
                        .bytes = 12 * nnz + (4 + 16 * k) * n,
                        .flops = 2 * k * nnz});
    };
    for (const Format& f : formats_) add(f.name, [this, &f] { f.matrix.multiply(k_, x_.data(), y_.data()); });
    add("chosen", [this] { multiply(chosen_); });
    add("modelled", [this] { multiply(modelled_); });
#ifdef EIGEN_G_HAVE_CUSPARSE
    if (cusparse_) {
      add("cusparse", [this] { cusparse_->multiply(); });
      add("cusparse_deterministic", [this] { cusparse_deterministic_->multiply(); });
    }
#endif
    return calls_;
  }

  void check(Json& result) {
    result["chosen_format"] = blas2::description(chosen_.chosen());
    result["modelled_format"] = blas2::description(modelled_.chosen());
    result["choice_seconds"] = choice_seconds_;
    double best = std::numeric_limits<double>::infinity(), best_crs = best, worst = 0, peers_worst = 0;
    for (std::size_t i = 0; i < formats_.size(); ++i) {
      Json& call = result["calls"][i];
      if (!call["failure"].is_null()) continue;
      const double seconds = call["seconds"];
      if (formats_[i].repeats) best = std::min(best, seconds);
      if (formats_[i].is_crs()) best_crs = std::min(best_crs, seconds);
    }
    bool same = true;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      Json& call = result["calls"][i];
      if (!call["failure"].is_null()) continue;
      const std::vector<double> y = bits_of(calls_[i]);
      call["error"] = error(y);
      if (i < formats_.size()) {
        const double gain = best_crs - call["seconds"].get<double>();
        call["conversion_seconds"] = formats_[i].conversion_seconds;
        call["products_to_pay"] = gain > 0 ? Json(std::ceil(formats_[i].conversion_seconds / gain)) : Json();
        call["matrix_bytes"] = formats_[i].matrix.bytes;
        if (!formats_[i].repeats) continue;
        same = same && bits_of(calls_[i]) == y;
      }
      double& of = calls_[i].name.starts_with("cusparse") ? peers_worst : worst;
      of = std::max(of, call["error"].get<double>());
    }
    result["peers_worst_error"] = peers_worst;
    result["worst_error"] = worst;
    result["bit_for_bit"] = same;
    result["chosen_over_best"] = number_at(result, "chosen/seconds").value_or(NAN) / best;
    if (solve_) result["solve"] = solves();
  }

 private:
  void multiply(const blas2::SpmvOperator<double>& op) const {
    op.multiply(queue_, k_, 1, x_.data(), 0, y_.data());
  }

  std::vector<double> bits_of(const Call& call) const {
    std::vector<double> y(static_cast<std::size_t>(y_.size()));
    EIGEN_G_CUDA(cudaMemsetAsync(y_.data(), 0xff, y_.bytes(), queue_.stream()));
    call.enqueue(0);
    queue_.wait();
    EIGEN_G_CUDA(cudaMemcpy(y.data(), y_.data(), y_.bytes(), cudaMemcpyDeviceToHost));
    return y;
  }
  double error(const std::vector<double>& y) {
    if (!truth_) {
      std::vector<double> x(static_cast<std::size_t>(x_.size()));
      EIGEN_G_CUDA(cudaMemcpy(x.data(), x_.data(), x_.bytes(), cudaMemcpyDeviceToHost));
      truth_ = std::make_unique<Truth>(a_.view(), k_, x);
    }
    return truth_->error(y);
  }

  // b = A (1, ..., 1), x = 0 at the start: Bi-CGSTAB with CRS, with JDS and with the chosen format, MINRES with the chosen format.
  Json solves() const {
    const std::int64_t n = a_.rows;
    const DeviceBuffer<double> ones(queue_, n), b(queue_, n), x(queue_, n);
    const std::vector<double> host(static_cast<std::size_t>(n), 1.0);
    EIGEN_G_CUDA(
        cudaMemcpyAsync(ones.data(), host.data(), ones.bytes(), cudaMemcpyHostToDevice, queue_.stream()));
    queue_.wait();
    const auto run = [&](const Product& product, auto method, int limit = max_iterations) {
      product(1, ones.data(), b.data());
      EIGEN_G_CUDA(cudaMemsetAsync(x.data(), 0, x.bytes(), queue_.stream()));
      const auto space = papers::device_krylov_space(
          queue_, n, [&](const double* from, double* to) { product(1, from, to); });
      queue_.wait();
      const Stopwatch watch;
      const papers::KrylovResult result = method(*space, b.data(), x.data(), {solve_tolerance, limit});
      queue_.wait();
      return Json{{"seconds", watch.seconds()},
                  {"iterations", result.iterations},
                  {"residual", result.residual},
                  {"converged", result.end == papers::KrylovEnd::converged}};
    };
    const auto named = [&](const char* name) -> const Format& {
      return *std::find_if(formats_.begin(), formats_.end(), [&](const Format& f) { return f.name == name; });
    };
    const Format &crs = named("crs_1"), &jds = named("jds");
    const Product chosen = [this](int k, const double* from, double* to) {
      chosen_.multiply(queue_, k, 1, from, 0, to);
    };
    run(crs.matrix.multiply, papers::bicgstab, 5);  // warm-up
    Json all{{"crs", run(crs.matrix.multiply, papers::bicgstab)},
             {"jds", run(jds.matrix.multiply, papers::bicgstab)},
             {"chosen", run(chosen, papers::bicgstab)},
             {"minres", run(chosen, papers::minres)}};
    all["jds_over_crs"] =
        (all["jds"]["seconds"].get<double>() + jds.conversion_seconds) / all["crs"]["seconds"].get<double>();
    return all;
  }

  const Queue& queue_;
  int k_;
  bool solve_;
  CrsMatrix<double> a_;
  blas2::CrsOnDevice<double> a_dev_;
  DeviceBuffer<double> x_, y_;
  std::vector<Format> formats_;
  blas2::SpmvOperator<double> chosen_, modelled_;
  double choice_seconds_ = 0;
  std::vector<Call> calls_;
  std::unique_ptr<Truth> truth_;
#ifdef EIGEN_G_HAVE_CUSPARSE
  std::unique_ptr<CusparseCsr> cusparse_, cusparse_deterministic_;
#endif
};

#endif

class Spmv final : public Benchmark {
 public:
  Spmv()
      : Benchmark({"spmv",
                   "Sparse matrix-vector product in every format, compared with cuSPARSE: GB/s, conversion, "
                   "choice.",
                   R"(
  eigen_g bench spmv                                  generated matrices, ten with the rows and entries of paper 3's
  eigen_g bench spmv ldoor.mtx A.npz --json spmv.json
  eigen_g bench spmv --matrices 7_points_200,power_law_20 --block 4
  eigen_g bench spmv --solve                          paper 3: Bi-CGSTAB by CRS and JDS; MINRES
  eigen_g bench spmv --device cpu                     paper 3: its formats on one core)"}) {}
  std::string title(const Json& c) const override { return c["matrix"]; }

  void add_options(CLI::App& command) override {
    std::string names;
    for (const Source& source : generated_sources()) names += (names.empty() ? "" : ", ") + source.name;
    command.add_option("FILES", files_, "Sparse matrices: Matrix Market coordinate, ELSI CSC, SciPy .npz")
        ->option_text(" ");
    command.add_option("--matrices", names_, "Generated ones, where no FILES are given: " + names)
        ->delimiter(',')
        ->option_text("LIST");
    command.add_option("--block", k_, "Vectors a product: 1 (default) or 4")
        ->check(CLI::IsMember({1, 4}))
        ->option_text("K");
    command.add_flag("--solve", solve_,
                     "Bi-CGSTAB by CRS and by JDS with its conversion, and MINRES: b = A (1, ..., 1), 1e-8");
    command.add_option("--device", device_, "gpu (default), or cpu: CRS, CCS and JDS by one thread")
        ->check(CLI::IsMember({"gpu", "cpu"}))
        ->option_text("gpu|cpu");
    add_rounds(command, "Timed rounds a contender (default: 21)", 3);
    rounds = 21;
  }

  bool on_host() const override { return device_ == "cpu"; }
  std::vector<CaseOptions> host_cases(Json& head) override {
    head["error_limit"] = spmv_error_limit;
    if (k_ != 1 || solve_) throw UsageError("--device cpu cannot be combined with --block or --solve");
    return plans([r = rounds](CrsMatrix<double> a) -> Case {
      const auto matrix = std::make_shared<const CrsMatrix<double>>(std::move(a));
      return {{}, [matrix, r](Json& result) { check_on_host(*matrix, r, result); }};
    });
  }
#ifdef EIGEN_G_HAVE_CUDA
  std::vector<CaseOptions> cases(const Session& session, Json& head) override {
    head["error_limit"] = spmv_error_limit;
    head["solve_tolerance"] = solve_tolerance;
    return plans([&queue = session.queue, k = k_, solve = solve_](CrsMatrix<double> a) {
      return case_of<SpmvCase>(queue, std::move(a), k, solve);
    });
  }
#endif

  std::vector<Limit> limits(const Json&) const override {
    return {{"worst_error", spmv_error_limit}, {"bit_for_bit"}};
  }

  std::vector<Table> tables(const Json&) const override {
    if (on_host())
      return {
          {"matrix = matrix; CRS = crs time; CCS = ccs time; JDS = jds time; its conversion = "
           "jds_conversion_seconds time; error = worst_error %.2g; bits = bit_for_bit bits",
           "Products by one thread of the CPU.\n"}};
    std::vector<Table> all{
        {R"(matrix = matrix; format = name; us = seconds us; GB/s = gbytes_per_second %.0f; conversion = conversion_seconds time;
      pays after = products_to_pay %.0f; error = error %.2g)",
         R"(GB/s of 12 nnz + 20 n bytes (a further vector: 16 n). conversion: from CRS on the GPU; pays after so many products against
the fastest CRS. ccs adds by atomics: its bits differ from run to run, and it is never chosen.
)",
         "", true},
        {R"(matrix = matrix; chosen = chosen_format; over the best = chosen_over_best %.3f; choice = choice_seconds time;
      model alone = modelled_format; us = modelled/seconds us; cuSPARSE = cusparse/seconds us; x = cusparse/seconds:chosen/seconds %.2f;
      deterministic = cusparse_deterministic/seconds us; x = cusparse_deterministic/seconds:chosen/seconds %.2f; its error = peers_worst_error %.2g; bits = bit_for_bit bits)",
         "chosen: by the model and a trial; x: cuSPARSE's time over it; its error: of both modes, which is "
         "none of ours.\n"}};
    if (solve_)
      all.push_back(
          {R"(matrix = matrix; iterations = solve/crs/iterations; CRS = solve/crs/seconds time; JDS = solve/jds/seconds time;
      JDS with conversion / CRS = solve/jds_over_crs %.3f; chosen = solve/chosen/seconds time; residual = solve/crs/residual %.1e;
      MINRES = solve/minres/seconds time; its iterations = solve/minres/iterations; residual = solve/minres/residual %.1e)",
           "Bi-CGSTAB without a preconditioner, at most 5000 iterations, b = A (1, ..., 1), |r| <= 1e-8 "
           "|b|.\n"});
    return all;
  }

 private:
  template <class Make>
  std::vector<CaseOptions> plans(Make make) const {
    std::vector<Source> sources;
    for (const std::string& file : files_)
      sources.push_back(
          {std::filesystem::path(file).filename(), [file] { return io::read_sparse_matrix(file).a; }});
    if (files_.empty())
      for (const Source& source : generated_sources())
        if (names_.empty() || std::find(names_.begin(), names_.end(), source.name) != names_.end())
          sources.push_back(source);
    if (sources.empty()) throw UsageError("--matrices: none of these is made here");
    std::vector<CaseOptions> all;
    for (const Source& source : sources)
      all.push_back({{{"matrix", source.name}, {"generated", files_.empty()}, {"k", k_}},
                     {.rounds = rounds, .seconds = 3},
                     [source, make] {
                       CrsMatrix<double> a = source.make();
                       blas2::check_crs(a.view());
                       return make(std::move(a));
                     }});
    return all;
  }

  std::string device_ = "gpu";
  std::vector<std::string> files_, names_;
  int k_ = 1;
  bool solve_ = false;
};

}  // namespace

std::shared_ptr<Benchmark> spmv_benchmark() {
  return std::make_shared<Spmv>();
}

}  // namespace eigen_g::apps::bench
