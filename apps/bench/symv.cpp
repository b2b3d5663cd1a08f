// eigen_g bench symv: the symmetric and Hermitian matrix-vector product in five types, compared with cuBLAS's.
#include <CLI/CLI.hpp>

#include "apps/bench/benchmarks.hpp"
#include "apps/support/lists.hpp"
#include "apps/support/symv_operands.hpp"
#include "apps/support/symv_tables.hpp"
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

// Operands that the cases of one type share; the first case allocates them.
template <class T>
struct Operands {
  Operands(const Queue& queue, std::int64_t n_max, std::uint64_t l2)
      : doubles(queue, n_max, l2), own(queue, n_max, l2) {}
  SymvOperands<double> doubles;
  SymvOperands<T> own;
  blas2::SymvWorkspace workspace;
};

template <class T>
class SymvCase {
 public:
  SymvCase(const Queue& queue, Operands<T>& operands, Uplo uplo, std::int64_t n, int repeats,
           const blas2::SymvTable& table)
      : queue_(queue), operands_(operands), t_(operands.own), uplo_(uplo), n_(n), repeats_(repeats) {
    const auto usual = default_symv_config(type, uplo, n, queue.multiprocessors());
    config_ = table.find(type, uplo, n).value_or(usual);
    operands.workspace.reserve(type, n, config_);
    const auto order = static_cast<double>(n);
    const double half = order * (order + 1) / 2 * sizeof(T), whole = order * order * sizeof(T);
    constexpr double flops = type == SymvType::c || type == SymvType::z ? 8 : 2;
    add("eigen_g", half, flops, t_, [this](std::int64_t k) {
      blas2::symv<T>(queue_.stream(), uplo_, n_, T{1}, t_.a(n_, k), n_, t_.x(), 1, T{0}, t_.y(), 1,
                     operands_.workspace, config_);
    });
    if constexpr (type != SymvType::w) {
      for (const std::string name : {"cublas", "cublas_atomics", "cublas_stream", "cublas_stream_atomics"}) {
        const auto mode = name.ends_with("atomics") ? CUBLAS_ATOMICS_ALLOWED : CUBLAS_ATOMICS_NOT_ALLOWED;
        add(name, half, flops, t_, [this, mode](std::int64_t k) {
          EIGEN_G_CUBLAS(Cublas<cublasSetAtomicsMode>::call(queue_.blas(), mode));
          cublas_symv<T>(queue_, uplo_, n_, t_.a(n_, k), n_, t_.x(), t_.y());
        });
        calls_.back().capture = !name.starts_with("cublas_stream");  // cuBLAS uses other kernels in a graph
      }
      if constexpr (type != SymvType::d)
        add("cublas_gemv", whole, flops, t_,
            [this](std::int64_t k) { cublas_gemv<T>(queue_, n_, t_.a(n_, k), n_, t_.x(), t_.y()); });
    }
    const SymvOperands<double>& d = operands_.doubles;
    add("cublas_dgemv", order * order * sizeof(double), 2, d,
        [this, &d](std::int64_t k) { cublas_gemv<double>(queue_, n_, d.a(n_, k), n_, d.x(), d.y()); });
  }

  std::vector<Call> calls() { return calls_; }

  // For all products of a triangle: the error on the first matrix, with y poisoned before. For eigen_g's also: bits of repeated runs.
  void check(Json& result) {
    const Call& own = calls_.front();
    const blas2::SymvTruth<T> truth(queue_, uplo_, n_, t_.a(n_, 0), n_, t_.x());
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      Json& call = result["figures"][i];
      call["error"] = nullptr;
      call.emplace("in_l2_seconds", nullptr);
      if (!call["failure"].is_null() || calls_[i].name.ends_with("gemv")) continue;
      bits_of(calls_[i]);
      call["error"] = truth.error(queue_, t_.y());
    }
    bool same = result["figures"][0]["failure"].is_null();
    const auto first = same ? bits_of(own) : std::vector<unsigned char>();
    for (int k = 1; same && k < repeats_; ++k) same = bits_of(own) == first;
    result["half_bytes"] = own.bytes, result["rotation"] = own.rotation;
    result["past_l2"] = t_.past_l2(own.rotation, own.bytes), result["config"] = blas2::name(config_);
    result["repeats"] = repeats_, result["bit_for_bit"] = same;
  }

 private:
  static constexpr SymvType type = blas2::symv_type_of<T>;

  template <class Slab, class Multiply>
  void add(const std::string& name, double bytes, double flops, const Slab& slab, Multiply multiply) {
    const std::int64_t rotation = slab.rotation(n_, bytes);
    calls_.push_back({name, [=](std::int64_t k) { multiply(k % rotation); }, nullptr, rotation, true, bytes,
                      flops * static_cast<double>(n_) * static_cast<double>(n_), t_.fits_l2(bytes)});
  }

  std::vector<unsigned char> bits_of(const Call& call) const {
    std::vector<unsigned char> bits(static_cast<std::size_t>(n_) * sizeof(T));
    EIGEN_G_CUDA(cudaMemsetAsync(t_.y(), 0xff, bits.size(), queue_.stream()));
    call.enqueue(0);
    EIGEN_G_CUDA(cudaMemcpyAsync(bits.data(), t_.y(), bits.size(), cudaMemcpyDeviceToHost, queue_.stream()));
    queue_.wait();
    return bits;
  }

  const Queue& queue_;
  Operands<T>& operands_;
  const SymvOperands<T>& t_;
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
      : Benchmark(
            {"symv",
             "Symmetric matrix-vector product, compared with cuBLAS: GB/s and GFLOP/s by n.",
             R"(
  eigen_g bench symv                                  all types, both triangles
  eigen_g bench symv --types d --uplo L --sizes 1000:20000:1000
  eigen_g bench symv --json symv.json                 for scripts/plot_symv.py
  eigen_g bench symv --table my_table.txt             with another tuning table)",
             "figures",
             1,
             {{"eigen_g/error", symv_error_limit}, {"bit_for_bit"}},
             {{R"(type = type; uplo = uplo; n = n; past L2 = past_l2; us = eigen_g/seconds us;
      GB/s = eigen_g/gbytes_per_second %.0f; GFLOP/s = eigen_g/gflops %.0f;
      cuBLAS = cublas/gbytes_per_second %.0f; x = eigen_g/gbytes_per_second:cublas/gbytes_per_second %.2f;
      atomics = cublas_atomics/gbytes_per_second %.0f; x = eigen_g/gbytes_per_second:cublas_atomics/gbytes_per_second %.2f;
      stream = cublas_stream/gbytes_per_second %.0f; x = eigen_g/gbytes_per_second:cublas_stream/gbytes_per_second %.2f;
      stream at. = cublas_stream_atomics/gbytes_per_second %.0f; x = eigen_g/gbytes_per_second:cublas_stream_atomics/gbytes_per_second %.2f;
      dgemv = cublas_dgemv/gbytes_per_second %.0f; x = eigen_g/gbytes_per_second:cublas_dgemv/gbytes_per_second %.2f;
      L2: us = eigen_g/in_l2_seconds us; cuBLAS = cublas/in_l2_seconds us; atomics = cublas_atomics/in_l2_seconds us;
      error = eigen_g/error %.2g; bits = bit_for_bit bits; config = config)",
               R"(GB/s of the half matrix (dgemv: of the whole), inputs rotated past the L2; x: eigen_g's rate over that one's;
stream: cuBLAS queued call by call, not as a graph; at.: with atomics. L2: one matrix again and again, microseconds a
call. error: limit 3.
)"}}}) {}
  std::string title(const Json& c) const override {
    return std::string(c["type"]) + " " + std::string(c["uplo"]) + " n = " + c["n"].dump();
  }

  std::vector<NamedFile> inputs() const override { return {{"--table", table_}}; }
  void add_options(CLI::App& command) override {
    const auto types = [this](const std::string& text) { types_ = parse_types(text); };
    const auto triangles = [this](const std::string& text) { triangles_ = parse_triangles(text); };
    command.add_option_function<std::string>("--types", types, "Letters of s d c z w (default: all)")
        ->option_text("LETTERS");
    command.add_option_function<std::string>("--uplo", triangles, "Triangle: L, U or both (default)")
        ->option_text("L|U|both");
    add_sizes(command, "--sizes", "500,1000,1500,2000,3000,4096,6000,8192,10000,14000,20000,28000,32768",
              "Numbers and ranges from:to:step (default: 500 to 32768)");
    add_rounds(command, "Timed rounds a contender (default: 21)", 3);
    rounds = 21;
    command.add_option("--repeats", repeats_, "Runs that must agree bit for bit (default: 20)")
        ->check(CLI::Range(2, 1000000))
        ->option_text("N");
    command.add_option("--table", table_, "Tuning table to use (default: see 'eigen_g tune symv --help')")
        ->option_text("FILE");
  }

#ifdef EIGEN_G_HAVE_CUDA
  std::vector<CaseOptions> cases(const Session& session, Json& head) override {
    const ChosenTable chosen = choose_symv_table(table_, gpu_device(current_gpu()));
    if (!chosen.refused.empty()) warn(chosen.refused);
    if (!run.quiet) warn("SYMV's configurations: " + chosen.source);
    head["table"] = chosen.source;
    head["error_limit"] = symv_error_limit;
    std::vector<CaseOptions> plans;
    for (const SymvType type : types_) {
      if (type == SymvType::s) add_cases<float>(session.queue, chosen.table, plans);
      if (type == SymvType::d) add_cases<double>(session.queue, chosen.table, plans);
      if (type == SymvType::c) add_cases<std::complex<float>>(session.queue, chosen.table, plans);
      if (type == SymvType::z) add_cases<std::complex<double>>(session.queue, chosen.table, plans);
      if (type == SymvType::w) add_cases<blas2::DoubleDouble>(session.queue, chosen.table, plans);
    }
    return plans;
  }
#endif

 private:
#ifdef EIGEN_G_HAVE_CUDA
  // All sizes that fit share one block of memory.
  template <class T>
  void add_cases(const Queue& queue, const blas2::SymvTable& table, std::vector<CaseOptions>& plans) const {
    const std::uint64_t l2 = gpu_device(current_gpu()).l2_bytes;
    const auto why_not = [&](std::int64_t n) {
      return too_large(SymvOperands<T>::bytes(n, l2) + SymvOperands<double>::bytes(n, l2), 90);
    };
    std::int64_t n_max = 0;
    for (const std::int64_t n : sizes)
      if (why_not(n).empty()) n_max = std::max(n_max, n);
    const auto shared = std::make_shared<std::optional<Operands<T>>>();
    const auto letter = [](auto value) { return std::string(1, static_cast<char>(value)); };
    for (const Uplo uplo : triangles_)
      for (const std::int64_t n : sizes) {
        const auto make = [=, this, &queue] {
          if (!*shared) shared->emplace(queue, n_max, l2);
          return case_of<SymvCase<T>>(queue, **shared, uplo, n, repeats_, table);
        };
        plans.push_back(
            {{{"type", letter(blas2::symv_type_of<T>)}, {"uplo", letter(uplo)}, {"n", n}, {"lda", n}},
             {.rounds = rounds},
             make,
             why_not(n)});
      }
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
