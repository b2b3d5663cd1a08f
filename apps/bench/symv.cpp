// eigen_g bench symv: the symmetric and Hermitian matrix-vector product in five types, compared with cuBLAS's.
#include <CLI/CLI.hpp>

#include "apps/bench/benchmarks.hpp"
#include "apps/support/lists.hpp"
#include "apps/support/symv_operands.hpp"
#include "apps/support/symv_tables.hpp"
#include "hybrid/machine/device.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include <algorithm>
#include <optional>

#include "apps/bench/peers.hpp"
#include "apps/io/scalar_type.hpp"
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

// All products of a triangle are checked on the first matrix; eigen_g's is repeated.
template <class T>
Case symv_case(const Queue& queue, Operands<T>& operands, Uplo uplo, std::int64_t n, int repeats,
               const blas2::SymvTable& table) {
  constexpr SymvType type = blas2::symv_type_of<T>;
  const auto config =
      table.find(type, uplo, n).value_or(default_symv_config(type, uplo, n, queue.multiprocessors()));
  operands.workspace.reserve(type, n, config);
  const SymvOperands<T>& t = operands.own;
  const SymvOperands<double>& d = operands.doubles;
  const auto order = static_cast<double>(n);
  const double half = order * (order + 1) / 2 * sizeof(T), square = order * order;
  constexpr double flops = type == SymvType::c || type == SymvType::z ? 8 : 2;
  std::vector<Call> calls;
  const auto add = [&](const std::string& name, const auto& of, double bytes, double work, auto multiply) {
    const std::int64_t rotation = of.rotation(n, bytes);
    calls.push_back({name, [=, &of](std::int64_t k) { multiply(of.a(n, k % rotation)); }, nullptr, rotation,
                     true, bytes, work * square, t.fits_l2(bytes)});
  };
  add("eigen_g", t, half, flops, [=, &queue, &t, &operands](const T* a) {
    blas2::symv<T>(queue.stream(), uplo, n, T{1}, a, n, t.x(), 1, T{0}, t.y(), 1, operands.workspace, config);
  });
  if constexpr (type != SymvType::w) {
    for (const std::string name : {"cublas", "cublas_atomics", "cublas_stream", "cublas_stream_atomics"}) {
      const auto mode = name.ends_with("atomics") ? CUBLAS_ATOMICS_ALLOWED : CUBLAS_ATOMICS_NOT_ALLOWED;
      add(name, t, half, flops, [=, &queue, &t](const T* a) {
        EIGEN_G_CUBLAS(Cublas<cublasSetAtomicsMode>::call(queue.blas(), mode));
        cublas_symv<T>(queue, uplo, n, a, n, t.x(), t.y());
      });
      calls.back().capture = !name.starts_with("cublas_stream");  // cuBLAS uses other kernels in a graph
    }
    if constexpr (type != SymvType::d)
      add("cublas_gemv", t, square * sizeof(T), flops,
          [=, &queue, &t](const T* a) { cublas_gemv<T>(queue, n, a, n, t.x(), t.y()); });
  }
  add("cublas_dgemv", d, square * sizeof(double), 2,
      [=, &queue, &d](const double* a) { cublas_gemv<double>(queue, n, a, n, d.x(), d.y()); });

  return {calls, [=, &queue, &t](Json& result) {
            Json& figures = result["figures"];
            const blas2::SymvTruth<T> truth(queue, uplo, n, t.a(n, 0), n, t.x());
            const Result y{queue, t.y(), static_cast<std::uint64_t>(n) * sizeof(T)};
            y.add_errors(calls, figures, [&](std::size_t call) {
              return calls[call].name.ends_with("gemv") ? Json() : Json(truth.error(queue, t.y()));
            });
            for (Json& call : figures) call.emplace("in_l2_seconds", nullptr);
            const Call& own = calls.front();
            result.update({{"half_bytes", half},
                           {"rotation", own.rotation},
                           {"past_l2", t.past_l2(own.rotation, half)},
                           {"config", blas2::name(config)},
                           {"repeats", repeats},
                           {"bit_for_bit", figures[0]["failure"].is_null() && y.same_bits(own, repeats)}});
          }};
}

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
    const std::uint64_t l2 = gpu_device(current_gpu()).l2_bytes;
    // All sizes of a type that fit share one block of memory.
    const auto add = [&]<class T>(T) {
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
          const auto make = [=, &queue = session.queue, repeats = repeats_, table = chosen.table] {
            if (!*shared) shared->emplace(queue, n_max, l2);
            return symv_case<T>(queue, **shared, uplo, n, repeats, table);
          };
          plans.push_back(
              {{{"type", letter(blas2::symv_type_of<T>)}, {"uplo", letter(uplo)}, {"n", n}, {"lda", n}},
               {.rounds = rounds},
               make,
               why_not(n)});
        }
    };
    for (const SymvType type : types_)
      type == SymvType::w ? add(blas2::DoubleDouble{})
                          : io::with_type(io::ScalarType{static_cast<char>(type)}, add);
    return plans;
  }
#endif

 private:
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
