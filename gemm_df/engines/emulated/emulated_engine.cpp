// The engine emulated: products of double by cuBLAS's fixed-point emulation on the integer tensor cores. cuBLAS does not
// emulate dsyr2k, so rank-2k updates are native.
//
// cuBLAS chooses the number of bits by the entries. If too many bits were needed, it multiplies in double; the times of a
// random eigenproblem's merges show this. Therefore sums are computed in slices here too. Measurements: data/perf/DECISIONS.md,
// "Products by cuBLAS".
#include "gemm_df/engines/engine_table.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "gemm_df/engines/native/cublas_products.hpp"
#include "gemm_df/engines/native/native_engine.hpp"
#include "hybrid/stream/queue.hpp"
#endif

namespace eigen_g {

namespace {

#if defined(EIGEN_G_HAVE_CUDA) && CUBLAS_VER_MAJOR >= 13

// The function has an overload; this is the one that the library exports.
constexpr cublasStatus_t (*set_strategy)(cublasHandle_t,
                                         cublasEmulationStrategy_t) = cublasSetEmulationStrategy;

class EmulatedEngine final : public NativeEngine<double> {
 public:
  using NativeEngine::NativeEngine;

  void gemm(Op op_a, Op op_b, double alpha, MatrixView<const double> a_dev, MatrixView<const double> b_dev,
            double beta, MatrixView<double> c_dev) override {
    EIGEN_G_CUBLAS(Cublas<set_strategy>::call(queue_.blas(), CUBLAS_EMULATION_STRATEGY_EAGER));
    in_slices<double>(
        op_a, op_b, a_dev, b_dev, beta, c_dev,
        [&](MatrixView<const double> a, MatrixView<const double> b, std::int64_t terms, double onto) {
          EIGEN_G_CUBLAS(Cublas<cublasGemmEx_64>::call(
              queue_.blas(), cublas_op(op_a), cublas_op(op_b), c_dev.rows, c_dev.cols, terms, &alpha, a.data,
              CUDA_R_64F, a.lda, b.data, CUDA_R_64F, b.lda, &onto, c_dev.data, CUDA_R_64F, c_dev.lda,
              CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, CUBLAS_GEMM_DEFAULT));
        });
  }
};

// No property of the GPU gives the engine's speed; with rate 0 it is never the fastest.
EngineRate emulated_estimated_rate(const Queue&) {
  return {};
}
constexpr EngineOnGpu emulated_on_gpu{
    emulated_estimated_rate,
    {[](const Queue& queue, std::uint64_t) -> std::unique_ptr<EngineProducts<double>> {
       return std::make_unique<EmulatedEngine>(queue);
     },
     nullptr, nullptr, nullptr}};

#else
constexpr EngineOnGpu emulated_on_gpu{};
#endif

}  // namespace

EngineRow emulated_engine() {
  return {"a build with CUDA 13 or later", false, seconds_by_rate, emulated_on_gpu};
}

}  // namespace eigen_g
