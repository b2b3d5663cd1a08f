// CusparseCsr: cuSPARSE's product with a CSR matrix, for `eigen_g bench spmv`. CUDA builds with cuSPARSE only.
#pragma once

#ifdef EIGEN_G_HAVE_CUSPARSE

#include <cusparse.h>

#include <limits>
#include <vector>

#include "blas2/spmv/sparse_matrix.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g::apps::bench {

inline const SharedLibrary& cusparse_library() {
  static const SharedLibrary library = SharedLibrary::of_toolkit("cusparse", CUSPARSE_VER_MAJOR);
  return library;
}
template <auto* function>
using Cusparse = LateCall<cusparse_library, symbol_name<function>(), decltype(function)>;

inline void check(cusparseStatus_t status, const char* call, const char* file, int line) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw_device_error(call, Cusparse<cusparseGetErrorName>::call(status), file, line);
}
#define EIGEN_G_CUSPARSE(call) ::eigen_g::apps::bench::check((call), #call, __FILE__, __LINE__)

// y := A x. deterministic: by CUSPARSE_SPMV_CSR_ALG2. The constructor preprocesses A. The arrays of A, x and y stay the caller's.
class CusparseCsr {
 public:
  CusparseCsr(const Queue& queue, const blas2::CrsView<double>& a_dev, const double* x_dev, double* y_dev,
              bool deterministic)
      : algorithm_(deterministic ? CUSPARSE_SPMV_CSR_ALG2 : CUSPARSE_SPMV_CSR_ALG1),
        row_offsets_(queue, a_dev.rows + 1) {
    // The fast kernels of cuSPARSE take 32-bit offsets.
    std::vector<std::int64_t> wide(static_cast<std::size_t>(a_dev.rows + 1));
    EIGEN_G_CUDA(
        cudaMemcpy(wide.data(), a_dev.row_offsets, wide.size() * sizeof wide[0], cudaMemcpyDeviceToHost));
    if (wide.back() > std::numeric_limits<std::int32_t>::max())
      throw DeviceError("cuSPARSE with 32-bit offsets: too many entries");
    const std::vector<std::int32_t> narrow(wide.begin(), wide.end());
    queue.wait();
    EIGEN_G_CUDA(
        cudaMemcpy(row_offsets_.data(), narrow.data(), row_offsets_.bytes(), cudaMemcpyHostToDevice));
    EIGEN_G_CUSPARSE(Cusparse<cusparseCreate>::call(&handle_));
    EIGEN_G_CUSPARSE(Cusparse<cusparseSetStream>::call(handle_, queue.stream()));
    EIGEN_G_CUSPARSE(Cusparse<cusparseCreateCsr>::call(
        &a_, a_dev.rows, a_dev.cols, a_dev.nnz, row_offsets_.data(), const_cast<std::int32_t*>(a_dev.col),
        const_cast<double*>(a_dev.value), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
        CUDA_R_64F));
    EIGEN_G_CUSPARSE(
        Cusparse<cusparseCreateDnVec>::call(&x_, a_dev.cols, const_cast<double*>(x_dev), CUDA_R_64F));
    EIGEN_G_CUSPARSE(Cusparse<cusparseCreateDnVec>::call(&y_, a_dev.rows, y_dev, CUDA_R_64F));
    std::size_t bytes = 0;
    EIGEN_G_CUSPARSE(Cusparse<cusparseSpMV_bufferSize>::call(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_,
                                                             a_, x_, &zero_, y_, CUDA_R_64F, algorithm_,
                                                             &bytes));
    buffer_ = DeviceBuffer<std::byte>(queue, static_cast<std::int64_t>(bytes + 16));
    EIGEN_G_CUSPARSE(Cusparse<cusparseSpMV_preprocess>::call(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_,
                                                             a_, x_, &zero_, y_, CUDA_R_64F, algorithm_,
                                                             buffer_.data()));
  }
  ~CusparseCsr() {
    Cusparse<cusparseDestroyDnVec>::call(y_);
    Cusparse<cusparseDestroyDnVec>::call(x_);
    Cusparse<cusparseDestroySpMat>::call(a_);
    Cusparse<cusparseDestroy>::call(handle_);
  }
  CusparseCsr(const CusparseCsr&) = delete;
  CusparseCsr& operator=(const CusparseCsr&) = delete;
  void multiply() {
    EIGEN_G_CUSPARSE(Cusparse<cusparseSpMV>::call(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, a_, x_,
                                                  &zero_, y_, CUDA_R_64F, algorithm_, buffer_.data()));
  }

 private:
  double one_ = 1, zero_ = 0;
  cusparseSpMVAlg_t algorithm_;
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t a_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
  DeviceBuffer<std::int32_t> row_offsets_;
  DeviceBuffer<std::byte> buffer_;
};

}  // namespace eigen_g::apps::bench

#endif
