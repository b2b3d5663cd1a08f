// eigen_g bench symv: the symmetric and Hermitian matrix-vector product in five types beside cuBLAS's.
#include <CLI/CLI.hpp>

#include "apps/bench/bench.hpp"
#include "apps/bench/symv_operands.hpp"
#include "apps/cli/lists.hpp"
#include "apps/cli/symv_tables.hpp"
#include "hybrid/machine/device.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include <algorithm>
#include <complex>
#include <optional>

#include "apps/bench/peers.hpp"
#include "hybrid/cuda_check.hpp"
#endif

namespace eigen_g::apps::bench {

namespace {

#ifdef EIGEN_G_HAVE_CUDA

using blas2::SymvType;

// What the cases of one type share, made for the first of them.
template <class T>
struct Operands {
  Operands(const Queue& queue, std::int64_t n_max, std::uint64_t l2)
      : doubles(queue, n_max, l2), own(queue, n_max, l2) {}
  static std::uint64_t bytes(std::int64_t n, std::uint64_t l2) {
    return SymvOperands<T>::bytes(n, l2) + SymvOperands<double>::bytes(n, l2);
  }
  SymvOperands<double> doubles;
  SymvOperands<T> own;
  blas2::SymvWorkspace workspace;
};

template <class T>
class SymvCase final : public Case {
 public:
  SymvCase(const Queue& queue, Operands<T>& operands, Uplo uplo, std::int64_t n, int repeats,
           const blas2::SymvTable& table)
      : queue_(queue),
        doubles_(operands.doubles),
        operands_(operands.own),
        workspace_(operands.workspace),
        uplo_(uplo),
        n_(n),
        repeats_(repeats),
        config_(
            table.find(type, uplo, n).value_or(default_symv_config(type, uplo, n, queue.multiprocessors()))) {
    workspace_.reserve(type, n, config_);
  }

  std::vector<Call> calls() override {
    const auto order = static_cast<double>(n_);
    const double half = half_bytes(), whole = order * order * sizeof(T),
                 whole_double = order * order * sizeof(double);
    constexpr bool is_complex = type == SymvType::c || type == SymvType::z;
    std::vector<Call> calls;
    const auto add = [&](const char* name, bool capture, double bytes, double factor, std::int64_t rotation,
                         auto call) {
      calls.push_back({name, [call, rotation](std::int64_t k) { call(k % rotation); }, nullptr, rotation,
                       capture, bytes, factor * order * order, operands_.fits_l2(bytes)});
    };
    constexpr double factor = is_complex ? 8 : 2;
    add("eigen_g", true, half, factor, operands_.rotation(n_, half), [this](std::int64_t k) { multiply(k); });
    if constexpr (type != SymvType::w) {
      // In a captured graph cuBLAS takes other kernels than on a stream.
      for (const bool capture : {true, false})
        for (const bool atomics : {false, true}) {
          const std::string name =
              std::string(capture ? "cublas" : "cublas_stream") + (atomics ? "_atomics" : "");
          add(name.c_str(), capture, half, factor, operands_.rotation(n_, half),
              [this, atomics](std::int64_t k) {
                EIGEN_G_CUBLAS(cublasSetAtomicsMode(
                    queue_.blas(), atomics ? CUBLAS_ATOMICS_ALLOWED : CUBLAS_ATOMICS_NOT_ALLOWED));
                cublas_symv<T>(queue_, uplo_, n_, operands_.a(n_, k), n_, operands_.x(), operands_.y());
              });
        }
      if constexpr (type != SymvType::d)
        add("cublas_gemv", true, whole, factor, operands_.rotation(n_, whole), [this](std::int64_t k) {
          cublas_gemv<T>(queue_, n_, operands_.a(n_, k), n_, operands_.x(), operands_.y());
        });
    }
    add("cublas_dgemv", true, whole_double, 2, doubles_.rotation(n_, whole_double), [this](std::int64_t k) {
      cublas_gemv<double>(queue_, n_, doubles_.a(n_, k), n_, doubles_.x(), doubles_.y());
    });
    calls_ = calls;
    return calls;
  }

  // Of the products of the triangle the error on the first matrix, from a poisoned y; of ours whether it repeats.
  void check(Json& result) override {
    const std::int64_t rotation = calls_.front().rotation;
    result["half_bytes"] = half_bytes();
    result["rotation"] = rotation;
    result["past_l2"] = operands_.past_l2(rotation, half_bytes());
    result["config"] = blas2::name(config_);
    result["repeats"] = 0;
    result["bit_for_bit"] = false;
    const blas2::SymvTruth<T> truth(queue_, uplo_, n_, operands_.a(n_, 0), n_, operands_.x());
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      Json& call = result["figures"][i];
      call["error"] = nullptr;
      if (!call["failure"].is_null() || calls_[i].name.ends_with("gemv")) continue;
      poison();
      calls_[i].enqueue(0);
      call["error"] = truth.error(queue_, operands_.y());
    }
    if (!result["figures"][0]["failure"].is_null()) return;
    result["repeats"] = repeats_;
    const auto first = result_bits();
    bool same = true;
    for (int k = 1; k < repeats_; ++k) same = result_bits() == first && same;
    result["bit_for_bit"] = same;
  }

 private:
  static constexpr SymvType type = blas2::symv_type_of<T>;

  double half_bytes() const {
    const auto order = static_cast<double>(n_);
    return order * (order + 1) / 2 * sizeof(T);
  }
  void multiply(std::int64_t k) const {
    blas2::symv<T>(queue_.stream(), uplo_, n_, T{1}, operands_.a(n_, k), n_, operands_.x(), 1, T{0},
                   operands_.y(), 1, workspace_, config_);
  }
  void poison() const {
    EIGEN_G_CUDA(
        cudaMemsetAsync(operands_.y(), 0xff, static_cast<std::size_t>(n_) * sizeof(T), queue_.stream()));
  }
  std::vector<unsigned char> result_bits() const {
    std::vector<unsigned char> bits(static_cast<std::size_t>(n_) * sizeof(T));
    poison();
    multiply(0);
    EIGEN_G_CUDA(
        cudaMemcpyAsync(bits.data(), operands_.y(), bits.size(), cudaMemcpyDeviceToHost, queue_.stream()));
    queue_.wait();
    return bits;
  }

  const Queue& queue_;
  const SymvOperands<double>& doubles_;
  const SymvOperands<T>& operands_;
  blas2::SymvWorkspace& workspace_;
  Uplo uplo_;
  std::int64_t n_;
  int repeats_;
  blas2::SymvConfig config_;
  std::vector<Call> calls_;
};

#endif

class Symv final : public Benchmark {
 public:
  Symv()
      : Benchmark({"symv", "Symmetric matrix-vector product against cuBLAS: GB/s and GFLOP/s over n.", R"(
  eigen_g bench symv                                  all types, both triangles
  eigen_g bench symv --types d --uplo L --sizes 1000:20000:1000
  eigen_g bench symv --json symv.json                 for scripts/plot_symv.py
  eigen_g bench symv --table my_table.txt             with another tuning table)",
                   "figures"}) {}
  std::string title(const Json& c) const override {
    return c["type"].get<std::string>() + " " + c["uplo"].get<std::string>() + " n = " + c["n"].dump();
  }

  void add_options(CLI::App& command) override {
    command
        .add_option_function<std::string>(
            "--types", [this](const std::string& text) { types_ = parse_types(text); },
            "Letters of s d c z w (default: all)")
        ->option_text("LETTERS");
    command
        .add_option_function<std::string>(
            "--uplo", [this](const std::string& text) { triangles_ = parse_triangles(text); },
            "Triangle: L, U or both (default)")
        ->option_text("L|U|both");
    add_sizes(command, "--sizes", "500,1000,1500,2000,3000,4096,6000,8192,10000,14000,20000,28000,32768",
              "Numbers and ranges from:to:step (default: 500 to 32768)");
    add_rounds(command, "Timed rounds a contender (default: 21)", 3);
    command.add_option("--repeats", repeats_, "Runs that must agree bit for bit (default: 20)")
        ->check(CLI::Range(2, 1000000))
        ->option_text("N");
    command.add_option("--table", table_, "Tuning table to use (default: see 'eigen_g tune symv --help')")
        ->option_text("FILE");
  }

#ifdef EIGEN_G_HAVE_CUDA
  std::vector<CasePlan> cases(const Session& session, Json& head) override {
    const ChosenTable chosen = choose_symv_table(table_, gpu_device(current_gpu()));
    if (!chosen.refused.empty()) complain(chosen.refused);
    if (!run.quiet) complain("SYMV's configurations: " + chosen.source);
    head["table"] = chosen.source;
    head["error_limit"] = symv_error_limit;
    std::vector<CasePlan> plans;
    for (const SymvType type : types_) {
      if (type == SymvType::s) add_cases<float>(session, chosen.table, plans);
      if (type == SymvType::d) add_cases<double>(session, chosen.table, plans);
      if (type == SymvType::c) add_cases<std::complex<float>>(session, chosen.table, plans);
      if (type == SymvType::z) add_cases<std::complex<double>>(session, chosen.table, plans);
      if (type == SymvType::w) add_cases<blas2::DoubleDouble>(session, chosen.table, plans);
    }
    return plans;
  }
#endif

  void conclude(Json& c) const override {
    for (Json& call : c["figures"]) {
      call.emplace("in_l2_seconds", nullptr);
      call["rate_of_eigen_g"] =
          quotient(c, {"eigen_g/gbytes_per_second"}, call["name"].get<std::string>() + "/gbytes_per_second");
    }
  }

  std::vector<Limit> limits(const Json&) const override {
    return {{"eigen_g/error", symv_error_limit}, {"bit_for_bit"}};
  }

  std::vector<Table> tables(const Json&) const override {
    const std::string rate = "/gbytes_per_second %.0f; x = ", ratio = "/rate_of_eigen_g %.2f; ";
    std::string columns = R"(type = type; uplo = uplo; n = n; past L2 = past_l2; us = eigen_g/seconds us;
      GB/s = eigen_g/gbytes_per_second %.0f; GFLOP/s = eigen_g/gflops %.0f; )";
    for (const auto& [header, name] : {std::pair<std::string, std::string>{"cuBLAS", "cublas"},
                                       {"atomics", "cublas_atomics"},
                                       {"stream", "cublas_stream"},
                                       {"stream at.", "cublas_stream_atomics"},
                                       {"dgemv", "cublas_dgemv"}})
      columns += header + " = " + name + rate + name + ratio;
    return {{columns + R"(L2: us = eigen_g/in_l2_seconds us; cuBLAS = cublas/in_l2_seconds us;
      atomics = cublas_atomics/in_l2_seconds us; error = eigen_g/error %.2g; bits = bit_for_bit bits; config = config)",
             "GB/s of the half matrix (dgemv: of the whole), inputs rotated past the L2; x: eigen_g's rate "
             "over that "
             "one's; stream:\ncuBLAS queued call by call, not as a graph; at.: with atomics. L2: one matrix "
             "again and "
             "again, microseconds a call.\nerror: limit 3.\n"}};
  }

 private:
#ifdef EIGEN_G_HAVE_CUDA
  // Sizes that fit share one slab.
  template <class T>
  void add_cases(const Session& session, const blas2::SymvTable& table, std::vector<CasePlan>& plans) const {
    const std::uint64_t l2 = gpu_device(current_gpu()).l2_bytes;
    std::int64_t n_max = 0;
    for (const std::int64_t n : sizes)
      if (too_large(Operands<T>::bytes(n, l2), 90).empty()) n_max = std::max(n_max, n);
    const auto operands = std::make_shared<std::optional<Operands<T>>>();
    TimingRule rule;
    if (rounds > 0) rule.rounds = rounds;
    const Queue& queue = session.queue;
    for (const Uplo uplo : triangles_)
      for (const std::int64_t n : sizes)
        plans.push_back({{{"type", std::string(1, static_cast<char>(blas2::symv_type_of<T>))},
                          {"uplo", std::string(1, static_cast<char>(uplo))},
                          {"n", n},
                          {"lda", n}},
                         rule,
                         [=, this, &queue] {
                           if (!*operands) operands->emplace(queue, n_max, l2);
                           return std::make_unique<SymvCase<T>>(queue, **operands, uplo, n, repeats_, table);
                         },
                         too_large(Operands<T>::bytes(n, l2), 90)});
  }
#endif

  std::vector<blas2::SymvType> types_ = parse_types("sdczw");
  std::vector<Uplo> triangles_ = parse_triangles("both");
  int repeats_ = 20;
  std::string table_;
};

}  // namespace

std::shared_ptr<Benchmark> symv_benchmark() {
  return std::make_shared<Symv>();
}

}  // namespace eigen_g::apps::bench
