// eigen_g bench solve: whole solves of uniform random matrices, compared with cuSOLVER's Xsyevd, or on a CPU with LAPACK. eigen_g bench generalised
// and gemm-accuracy.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <optional>

#include "apps/bench/benchmarks.hpp"
#include "apps/generate/random.hpp"
#include "apps/io/scalar_type.hpp"
#include "apps/support/lists.hpp"
#include "apps/support/stopwatch.hpp"
#include "apps/support/text.hpp"
#include "apps/support/timing.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/prepare/lapack.hpp"
#include "solver/verify/verify.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "apps/bench/peers.hpp"
#include "apps/bench/solve_case.hpp"
#include "apps/bench/team_case.hpp"
#endif

namespace eigen_g::apps::bench {

namespace {

constexpr double value_limit = 3;    // limit of max |w - w'| / (n ulp max |w|), w' computed without vectors
constexpr double path_limit = 1.03;  // limit of automatic_over_faster

// The calls of the forced paths. A case with "compared" times them in turns with the automatic path.
struct ForcedCall {
  const char* name;
  bool vectors;
  Path path;
};
constexpr std::array<ForcedCall, 4> forced_calls{{{"device_vectors_one_stage", true, Path::one_stage},
                                                  {"device_vectors_two_stage", true, Path::two_stage},
                                                  {"device_values_one_stage", false, Path::one_stage},
                                                  {"device_values_two_stage", false, Path::two_stage}}};

constexpr const char* sizes_on_gpu = "128,256,512,1000,2000,4000,10000";
constexpr const char* sizes_on_cpu = "100,300,1000,2000";

// Solves on the CPU, next to LAPACK's syevd. Each call is timed here, because the runner times work on a GPU.
template <class T>
void solve_on_cpu(std::int64_t n, int rounds, int threads, Json& result) {
  using R = real_t<T>;
  const ThreadLimit limit(threads);
  const std::int64_t square = n * n;
  const HostArray<T> a = host_array<T>(square), z = host_array<T>(square);
  std::vector<R> w(static_cast<std::size_t>(n)), reference;
  std::vector<T> first;  // the vectors of the first round
  const generate::CounterRandom re(1, generate::entry_stream), im(1, generate::imaginary_stream);
  for (std::int64_t e = 0; e < square; ++e)
    a[e] = io::scalar_of<T>(2 * re.uniform(e, 0) - 1, e / n == e % n ? 0 : 2 * im.uniform(e, 0) - 1);
  const auto measure = [&](const char* name, bool vectors, bool repeated, const auto& solve) {
    std::vector<double> seconds;
    Json extra = Json::object();
    for (int round = 0; round <= rounds; ++round) {  // the first one warms up
      std::fill(w.begin(), w.end(), std::numeric_limits<R>::quiet_NaN());
      const Stopwatch watch;
      extra = solve();
      if (round > 0) seconds.push_back(watch.seconds());
      if (repeated && round == 0) first.assign(z.get(), z.get() + square);
    }
    if (repeated) result["bit_for_bit"] = std::equal(first.begin(), first.end(), z.get());
    Json& call = result["calls"].emplace_back(
        Json{{"name", name}, {"rounds", rounds}, {"seconds", median(seconds)}, {"failure", nullptr}});
    call.update(extra);
    if (reference.empty()) reference = w;
    call["values"] = distance(w, reference);
    if (!vectors) return;
    const Verification v =
        verify<T>(Uplo::lower, n, a.get(), n, n, w.data(), z.get(), n, DeviceChoice::cpu, threads);
    call.update({{"residual", v.finite && v.ascending ? v.lapack_residual : std::nan("")},
                 {"orthogonality", v.lapack_orthogonality},
                 {"passed", passed(v)}});
  };
  const auto ours = [&](bool vectors) {
    Options options;
    options.vectors = vectors;
    Devices devices;
    devices.device = DeviceChoice::cpu;
    devices.threads = threads;
    const Report report = eigen_g::eigen_g(n, a.get(), n, w.data(), z.get(), n, options, devices);
    Json call = Json::object();
    for (const StageWork& work : report.stages)
      call["stages"][name(work.stage)] = report.seconds_of(work.stage);
    return call;
  };
  const auto lapack_call = [&](char jobz) {
    constexpr auto syevd =
        lapack::routine<T>(&LAPACKE_dsyevd, &LAPACKE_ssyevd, &LAPACKE_zheevd, &LAPACKE_cheevd);
    std::copy(a.get(), a.get() + square, z.get());
    const auto order = static_cast<lapack_int>(n);
    syevd(LAPACK_COL_MAJOR, jobz, 'L', order, lapack::of_lapack(z.get()), order, w.data());
    return Json(Json::object());
  };
  measure("host_vectors", true, true, [&] { return ours(true); });
  measure("host_values", false, false, [&] { return ours(false); });
  measure("lapack_vectors", true, false, [&] { return lapack_call('V'); });
  measure("lapack_values", false, false, [&] { return lapack_call('N'); });
}

// True for a case that solve_on_cpu() has measured.
bool of_cpu(const Json& c) {
  return c.contains("calls") && std::ranges::any_of(c["calls"], [](const Json& call) {
           return call.value("name", "").starts_with("lapack_");
         });
}

// A case of several numbers of GPUs, and the names of its calls.
bool of_team(const Json& c) {
  return c.contains("gpus");
}
std::string team_call_of(const Json& gpus, const char* what) {
  return "gpus_" + gpus.dump() + what;
}

// For each number of GPUs: its seconds over the seconds of one GPU, and cuSOLVERMg's seconds over its own.
void conclude_team(Json& c) {
  for (Json& call : c["calls"]) {
    if (!call.contains("gpus")) continue;
    const std::string own = call["name"], number = call["gpus"].dump();
    const char* const what = own.ends_with("_values") ? "_values" : "";
    call["over_one"] = quotient(c, {own + "/seconds"}, team_call_of(1, what) + "/seconds");
    if (*what == '\0')
      call["cusolvermg_over"] = quotient(c, {"cusolvermg_" + number + "/seconds"}, own + "/seconds");
  }
}

std::vector<Limit> limits_of_team(const Json& c, bool all) {
  std::vector<Limit> limits{{"bit_for_bit", 0, !all}, {"values", value_limit}};
  for (const Json& gpus : c["gpus"]) {
    limits.push_back({team_call_of(gpus, "/seconds")});
    limits.push_back({team_call_of(gpus, "/passed")});
    if (all) limits.push_back({team_call_of(gpus, "_values/seconds")});
  }
  return limits;
}

// Columns of the stages that the calls of the cases have, each once.
std::string stage_columns(const Json& report) {
  std::string columns;
  for (const Json& c : report["cases"])
    for (const Json& call : c["calls"]) {
      if (!call.contains("stages")) continue;
      for (const auto& stage : call["stages"].items())
        if (const std::string column = "; " + words(stage.key()) + " = stages/" + stage.key() + " %.2f 1e3";
            columns.find(column) == std::string::npos)
          columns += column;
    }
  return columns;
}

std::vector<Table> tables_of_teams(const Json& report) {
  return {
      {R"(call = name; type = type; n = n; seconds = seconds time; of one GPU = over_one %.3f; cuSOLVERMg, x = cusolvermg_over %.2f;
      verified = verified; residual = residual %.2g; orthog. = orthogonality %.2g; GPU memory, GB = device_bytes %.2f 1e-9)",
       "Host pointers. cuSOLVERMg, x: its time on the same GPUs over eigen_g's; its matrix is on the GPUs "
       "before. residual, orthog.: LAPACK's "
       "ratios, limit 10.\n",
       "", true},
      {"ms a stage = name; type = type; n = n" + stage_columns(report), "", "stages", true}};
}

class Solve final : public Benchmark {
 public:
  Solve()
      : Benchmark({"solve",
                   "Whole solves, compared with cuSOLVER's Xsyevd or, on a CPU, with LAPACK: seconds by "
                   "stage and n, and verification.",
                   R"(
  eigen_g bench solve                                 128 to 10000 on a GPU, about a minute; 100 to 2000 on a CPU
  eigen_g bench solve --device cpu --threads 8        beside LAPACK's syevd
  eigen_g bench solve --sizes 2000,20000,32768 --brief
  eigen_g bench solve --types sdcz                    float, double and complex, each beside cuSOLVER in its type
  eigen_g bench solve --path one,two                  both reductions, beside each other
  eigen_g bench solve --path auto,one,two --engine df --sizes 1000,2000,3000
                                                      the automatic path against the faster one
  eigen_g bench solve --gpus 1,2,4,8 --sizes 10000,20000     all stages on several GPUs, compared with one GPU and cuSOLVERMg
  eigen_g bench solve --json s.json && scripts/plot_solver.py s.json -o figures)",
                   "calls", 2}) {}

  void add_options(CLI::App& command) override {
    add_sizes(command, "--sizes", sizes_on_gpu,
              "Numbers and ranges from:to:step (default: 128 to 10000; on the CPU 100 to 2000)");
    command
        .add_option("--device", device_,
                    "auto (default): a GPU if there is one, else the CPU; gpu; cpu: beside LAPACK's syevd")
        ->check(CLI::IsMember({"auto", "gpu", "cpu"}))
        ->option_text("DEVICE");
    add_threads_option(command, run.threads);
    command
        .add_option(
            "--path", paths_,
            "Paths of the reduction, one after the other: auto (default), one, two. auto,one,two: in turns, "
            "and the path that auto takes may need at most 1.03 times the time of the faster path")
        ->delimiter(',')
        ->check(CLI::IsMember({"auto", "one", "two"}))
        ->option_text("LIST");
    command
        .add_option("--engine", engine_,
                    "Engine of the matrix products: native (default), df, emulated, ozaki, ozaki-fast, "
                    "ozaki-fp8, auto")
        ->check(CLI::IsMember({"native", "df", "emulated", "ozaki", "ozaki-fast", "ozaki-fp8", "auto"}))
        ->option_text("NAME");
    command
        .add_option("--gpus", gpus_,
                    "Numbers of GPUs whose solves are compared, in host memory: 1, and the listed ones that "
                    "the machine has. "
                    "They are compared with cuSOLVERMg, if its library is found")
        ->delimiter(',')
        ->check(CLI::Range(1, 64))
        ->option_text("LIST");
    command.add_flag("--no-peer", no_peer_, "With --gpus: without cuSOLVERMg");
    add_rounds(command, "Timed rounds a call (default: 7, but 3 where they take long, 1 with --brief)", 1);
    add_types(command, "a solve");
    command.add_flag("--brief", brief,
                     "For large sizes: device pointers only, one cuSOLVER mode, with vectors (the "
                     "non-deterministic), one round, beyond n = 20000 no warm-up but of the first size. With "
                     "--gpus: vectors only, and no second solve for the bits");
    command.add_flag("--energy", energy_,
                     "Also the joules of a solve, by the GPU's counter: each call is repeated for 2 s");
  }

  bool on_host() const override { return device_ == "cpu" || (device_ == "auto" && gpu_count() == 0); }
  std::vector<CaseOptions> host_cases(Json& head) override {
    if (brief || energy_ || engine_ != "native" || !gpus_.empty() ||
        paths_ != std::vector<std::string>{"auto"})
      throw UsageError("--brief, --energy, --engine, --gpus and --path are for solves on a GPU");
    head.update({{"limit", lapack_ratio_limit}, {"value_limit", value_limit}});
    if (sizes == parse_sizes(sizes_on_gpu, "--sizes")) sizes = parse_sizes(sizes_on_cpu, "--sizes");
    return each_case([&](char type, std::int64_t n) -> CaseOptions {
      const int wanted = rounds > 0 ? rounds : n < 1500 ? 7 : 3;
      return {{{"type", std::string(1, type)}, {"n", n}}, {}, [=, threads = run.threads] {
                return Case{{}, [=](Json& result) {
                              io::with_type(io::ScalarType{type},
                                            [&]<class T>(T) { solve_on_cpu<T>(n, wanted, threads, result); });
                            }};
              }};
    });
  }

#ifdef EIGEN_G_HAVE_CUDA
  std::vector<CaseOptions> cases(const Session& session, Json& head) override {
    head.update({{"cusolver", Cusolver::version()},
                 {"limit", lapack_ratio_limit},
                 {"value_limit", value_limit},
                 {"path_limit", path_limit}});
    if (!gpus_.empty()) return team_cases(session, head);
    const auto listed = [&](const char* path) { return std::ranges::count(paths_, path) > 0; };
    const bool compared = listed("auto") && listed("one") && listed("two");
    std::vector<CaseOptions> plans;
    for (const char type : scalar_types) {
      const std::optional<Engine> engine = engine_of(engine_);
      if (engine_ != "native" && engine_ != "auto" && type != 'd' &&
          !(engine && by_residues(*engine) && type == 'z'))
        throw UsageError("--engine " + engine_ + " multiplies matrices of double alone; use --types d");
      for (const std::int64_t n : sizes)
        for (const std::string& path : compared ? std::vector<std::string>{"auto"} : paths_)
          add_plan(session, type, n, path, compared, plans);
    }
    return plans;
  }

  std::vector<CaseOptions> team_cases(const Session& session, Json& head) {
    if (energy_ || engine_ != "native" || paths_ != std::vector<std::string>{"auto"})
      throw UsageError("--gpus cannot be combined with --energy, --engine and --path");
    std::vector<int> counts{1}, without;
    for (const int count : gpus_) (count <= gpu_count() ? counts : without).push_back(count);
    std::ranges::sort(counts);
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    head["gpus"] = gpu_count();
    head["gpus_left_out"] = without;
    return each_case([&](char type, std::int64_t n) {
      return team_case(session,
                       {.n = n,
                        .type = type,
                        .rule = rule_for_long_calls(n),
                        .gpus = counts,
                        .values_only = !brief,
                        .repeated = !brief,
                        .peer = !no_peer_},
                       {{"type", std::string(1, type)}, {"brief", brief}});
    });
  }

  void add_plan(const Session& session, char type, std::int64_t n, const std::string& path, bool compared,
                std::vector<CaseOptions>& plans) const {
    using By = Solver::By;
    const TimingRule rule = rule_for_long_calls(n);
    std::vector<Solver> ours{{"device_vectors", By::device_pointers, true, true, !brief || rule.rounds > 1},
                             {"device_values", By::device_pointers, false},
                             {"host_vectors", By::host_pointers, true, true},
                             {"host_values", By::host_pointers, false}};
    std::vector<Solver> solvers{
        {"cusolver_vectors", By::cusolver, true, true},
        {"cusolver_values", By::cusolver, false},
        {"cusolver_nondeterministic_vectors", By::cusolver, true, false, false, false},
        {"cusolver_nondeterministic_values", By::cusolver, false, false, false, false}};
    if (brief)
      solvers = {solvers[2], ours[1],
                 ours[0]};  // eigen_g's vectors are the last ones computed, so the checks use them
    else
      solvers.insert(solvers.begin(), ours.begin(), ours.end());
    for (Solver& solver : solvers) solver.path = path_of(path).value();
    for (const ForcedCall& f : forced_calls)
      if (compared)
        solvers.push_back({.name = f.name, .vectors = f.vectors, .checked = f.vectors, .path = f.path});
    for (Solver& solver : solvers) solver.engine = engine_;
    plans.push_back(solve_case(session,
                               {.n = n,
                                .rule = rule,
                                .solvers = solvers,
                                .solve_again = !brief || compared,
                                .type = type,
                                .energy = energy_},
                               {{"brief", brief},
                                {"type", std::string(1, type)},
                                {"path", path},
                                {"engine", engine_},
                                {"compared", compared}}));
  }
#endif

  void conclude(Json& c) const override {
    if (of_team(c)) return conclude_team(c);
    for (const std::string what : {"vectors", "values"}) {
      if (of_cpu(c)) {
        c["ratios"][what] = quotient(c, {"lapack_" + what + "/seconds"}, "host_" + what + "/seconds");
        continue;
      }
      const std::string ours = "device_" + what + "/seconds";
      c["ratios"][what] = quotient(
          c, {"cusolver_" + what + "/seconds", "cusolver_nondeterministic_" + what + "/seconds"}, ours);
      if (at(c, "compared") != true) continue;
      std::vector<std::string> forced;
      for (const ForcedCall& f : forced_calls)
        if (f.vectors == (what == "vectors")) forced.push_back(std::string(f.name) + "/seconds");
      // Both times of the quotient are times of forced calls. The quotient is 1 if automatic took the faster path.
      const Json taken = at(c, "device_" + what + "/path");
      const Json faster_over_taken =
          taken.is_string()
              ? quotient(c, forced, "device_" + what + "_" + taken.get<std::string>() + "/seconds")
              : Json();
      c["automatic_over_faster"][what] =
          faster_over_taken.is_null() ? Json() : Json(1 / faster_over_taken.get<double>());
    }
  }

  std::vector<Limit> limits(const Json& c) const override {
    if (of_cpu(c))
      return {{"bit_for_bit"},
              {"host_values/values", value_limit},
              {"host_vectors/residual", lapack_ratio_limit},
              {"host_vectors/orthogonality", lapack_ratio_limit}};
    const bool all = c["brief"] == false, compared = at(c, "compared") == true;
    if (of_team(c)) return limits_of_team(c, all);
    std::vector<Limit> limits{{"bit_for_bit", 0, !all}, {"values", value_limit, !all}};
    std::vector<std::string> calls{"device_vectors"};
    if (all) calls.insert(calls.end(), {"host_vectors", "device_values", "host_values"});
    for (const ForcedCall& f : forced_calls)
      if (compared) calls.push_back(f.name);
    for (const std::string& call : calls) {
      limits.push_back({call + "/seconds"});
      if (call.find("vectors") == std::string::npos) continue;
      for (const char* check : {"/residual", "/orthogonality"})
        limits.push_back({call + check, lapack_ratio_limit});
    }
    for (const std::string what : {"vectors", "values"})
      if (compared) limits.push_back({"automatic_over_faster/" + what, path_limit});
    return limits;
  }

  std::vector<Table> tables(const Json& report) const override {
    std::string stages;
    if (std::ranges::any_of(report["cases"], of_team)) return tables_of_teams(report);
    const bool on_cpu = std::ranges::any_of(report["cases"], of_cpu);
    const std::string vectors = on_cpu ? "host_vectors" : "device_vectors";
    for (const Json& c : report["cases"]) {
      const Json all = at(c, vectors + "/stages");
      for (const auto& stage : all.items())
        if (const std::string column = "; " + words(stage.key()) + " = stages/" + stage.key() + " %.2f 1e3";
            stages.find(column) == std::string::npos)
          stages += column;
    }
    if (on_cpu)
      return {
          {R"(type = type; n = n; eigen_g = host_vectors/seconds time; LAPACK = lapack_vectors/seconds time; x = ratios/vectors %.2f;
      values only = host_values/seconds time; LAPACK = lapack_values/seconds time; x = ratios/values %.2f;
      residual = host_vectors/residual %.2g; orthog. = host_vectors/orthogonality %.2g;
      LAPACK: residual = lapack_vectors/residual %.2g; orthog. = lapack_vectors/orthogonality %.2g; bits = bit_for_bit bits)",
           "x: syevd's time over eigen_g's. residual, orthog.: LAPACK's ratios, limit 10.\n"},
          {"ms a stage = name; type = type; n = n" + stages, "", "stages", true}};
    return {
        {R"(type = type; n = n; path = device_vectors/path; eigen_g = device_vectors/seconds time; cuSOLVER = cusolver_vectors/seconds time;
      non-det. = cusolver_nondeterministic_vectors/seconds time; x = ratios/vectors %.2f;
      values only = device_values/seconds time; cuSOLVER = cusolver_values/seconds time;
      non-det. = cusolver_nondeterministic_values/seconds time; x = ratios/values %.2f;
      host pointers = host_vectors/seconds time; values only = host_values/seconds time;
      residual = device_vectors/residual %.2g; orthog. = device_vectors/orthogonality %.2g;
      host: residual = host_vectors/residual %.2g; orthog. = host_vectors/orthogonality %.2g;
      cuSOLVER: residual = cusolver_vectors/residual %.2g; orthog. = cusolver_vectors/orthogonality %.2g;
      bits = bit_for_bit bits)",
         R"(x: the faster cuSOLVER mode's time over eigen_g's on device pointers. residual, orthog.: LAPACK's ratios, limit 10.
eigen_g allocates within its time, cuSOLVER's workspace is there before.
)"},
        {R"(type = type; engine = engine; n = n; path = device_vectors/path; automatic = device_vectors/seconds time;
      one-stage = device_vectors_one_stage/seconds time; two-stage = device_vectors_two_stage/seconds time;
      auto / faster path = automatic_over_faster/vectors %.3f;
      values only = device_values/seconds time; path = device_values/path;
      one-stage = device_values_one_stage/seconds time; two-stage = device_values_two_stage/seconds time;
      auto / faster path = automatic_over_faster/values %.3f;
      one-stage: residual = device_vectors_one_stage/residual %.2g; orthog. = device_vectors_one_stage/orthogonality %.2g;
      two-stage: residual = device_vectors_two_stage/residual %.2g; orthog. = device_vectors_two_stage/orthogonality %.2g)",
         "Both paths in turns with the automatic one, on device pointers. auto / faster path: the forced "
         "path that automatic took over the faster one, limit "
         "1.03.\n",
         "automatic_over_faster"},
        {"ms a stage = name; type = type; n = n; path = path" + stages, "", "stages", true},
        {"joules = name; type = type; n = n; engine = engine; J a solve = joules %.1f", "", "joules", true}};
  }

  std::string title(const Json& c) const override {
    return "type " + c.value("type", "d") + ", n = " + c["n"].dump();
  }

 private:
  std::vector<std::string> paths_{"auto"};
  std::string engine_ = "native", device_ = "auto";
  std::vector<int> gpus_;  // empty: one GPU, by all calls
  bool energy_ = false, no_peer_ = false;
};

// A x = w B x, compared with cuSOLVER's sygvd.
class Generalised final : public Benchmark {
 public:
  Generalised()
      : Benchmark(
            {"generalised",
             "A x = w B x, compared with cuSOLVER's sygvd: seconds by stage and n, and verification.",
             R"(
  eigen_g bench generalised                           1000 to 10000
  eigen_g bench generalised --types sdcz              float, double and complex, each beside cuSOLVER in its type
  eigen_g bench generalised --sizes 2000,20000 --brief)",
             "calls",
             2,
             {{"device_vectors/seconds"},
              {"device_values/seconds"},
              {"device_vectors/passed"},
              {"bit_for_bit"}},
             {{R"(type = type; n = n; eigen_g = device_vectors/seconds time; cuSOLVER = cusolver_vectors/seconds time;
      non-det. = cusolver_nondeterministic_vectors/seconds time; x = ratio %.2f; values only = device_values/seconds time;
      A alone = standard_vectors/seconds time; residual = device_vectors/residual %.2g;
      orthog. = device_vectors/orthogonality %.2g; bits = bit_for_bit bits)",
               R"(x: the faster cuSOLVER mode's time over eigen_g's on device pointers. A alone: eigen_g's standard solve of A.
residual, orthog.: verify_generalised.hpp's ratios. eigen_g allocates within its time, cuSOLVER's workspace is there before.
)"},
              {R"(ms a stage = name; type = type; n = n; Cholesky = stages/cholesky %.3f 1e3;
      standard form = stages/standard_form %.3f 1e3; back = stages/back_substitute %.3f 1e3)",
               "", "stages", true}}}) {}

  void add_options(CLI::App& command) override {
    add_sizes(command, "--sizes", "1000,2000,4000,10000",
              "Numbers and ranges from:to:step (default: 1000 to 10000)");
    add_rounds(command, "Timed rounds a call (default: 7, but 3 where they take long, 1 with --brief)", 1);
    add_types(command, "a generalised solve");
    command.add_flag("--brief", brief,
                     "For large sizes: one cuSOLVER mode (the non-deterministic), one round, beyond n = "
                     "20000 no warm-up but "
                     "of the first size");
  }

#ifdef EIGEN_G_HAVE_CUDA
  std::vector<CaseOptions> cases(const Session& session, Json& head) override {
    head["cusolver"] = Cusolver::version();
    using By = Solver::By;
    std::vector<Solver> solvers{
        {.name = "cusolver_vectors", .by = By::cusolver},
        {.name = "cusolver_nondeterministic_vectors", .by = By::cusolver, .deterministic = false},
        {.name = "standard_vectors", .without_b = true},
        {.name = "device_values", .vectors = false},
        {.name = "device_vectors", .checked = true, .repeated = true}};
    if (brief) solvers.erase(solvers.begin());
    return each_case([&](char type, std::int64_t n) {
      return solve_case(
          session,
          {.n = n, .rule = rule_for_long_calls(n), .solvers = solvers, .type = type, .generalised = true},
          {{"n", n}, {"type", std::string(1, type)}, {"brief", brief}});
    });
  }
#endif

  void conclude(Json& c) const override {
    c["ratio"] = quotient(c, {"cusolver_vectors/seconds", "cusolver_nondeterministic_vectors/seconds"},
                          "device_vectors/seconds");
  }
};

// A solve of a random matrix with each engine, with the paper's measures of accuracy.
class Accuracy final : public Benchmark {
 public:
  Accuracy()
      : Benchmark(
            {"gemm-accuracy",
             "A solve with every engine, in the paper's figures of accuracy.",
             R"(
  eigen_g bench gemm-accuracy
  eigen_g bench gemm-accuracy --n 4000 --json accuracy.json)",
             "calls",
             2,
             {{"native/passed"}, {"df/passed"}, {"emulated/passed"}, {"ozaki/passed"}, {"ozaki-fast/passed"}},
             {{R"(n = n; engine = name; |AZ-ZW|_F = residual_frobenius %.2e; |A-ZWZ^t|/(N|A|) = reconstruction %.2e;
      |Z^tZ-I|/(N) = paper_orthogonality %.2e; LAPACK residual = residual %.3f; orthogonality = orthogonality %.3f;
      D&C s = stages/divide_and_conquer %.4f; back s = stages/back_transform %.4f; solve s = seconds %.4f;
      passed = passed)",
               "Random matrices. Eigen-G's own for N = 10000 (IPSJ SIG):\n"
               "paper, double        3.37e-11  6.93e-19  7.79e-17\n"
               "paper, double-float  5.66e-10  6.67e-18  1.39e-15\n",
               "", true}}}) {}

  void add_options(CLI::App& command) override {
    add_sizes(command, "--n", "10000", "Orders: numbers and from:to:step (default: 10000)");
    command.add_option("--seed", seed_, "Seed of the random entries (default: 1)")->option_text("N");
  }

#ifdef EIGEN_G_HAVE_CUDA
  std::vector<CaseOptions> cases(const Session& session, Json& head) override {
    head["seed"] = seed_;
    std::vector<Solver> solvers;
    for (const std::string engine : {"native", "df", "emulated", "ozaki", "ozaki-fast"})
      solvers.push_back({.name = engine, .by = Solver::By::host_pointers, .checked = true, .engine = engine});
    return each_case([&](char, std::int64_t n) {
      return solve_case(session, {n, {.rounds = 1, .warm_up = false}, solvers, true, seed_}, {});
    });
  }
#endif

 private:
  std::uint64_t seed_ = 1;
};

}  // namespace

std::shared_ptr<Benchmark> solve_benchmark() {
  return std::make_shared<Solve>();
}
std::shared_ptr<Benchmark> generalised_benchmark() {
  return std::make_shared<Generalised>();
}
std::shared_ptr<Benchmark> gemm_accuracy_benchmark() {
  return std::make_shared<Accuracy>();
}

}  // namespace eigen_g::apps::bench
