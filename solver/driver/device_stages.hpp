// The stages of stages.hpp on the current GPU; arguments are checked already and n >= 1. CUDA builds only.
#pragma once

#include <cstdint>
#include <vector>

#include "hybrid/matrix_view.hpp"
#include "solver/api/stages.hpp"
#include "solver/path/reduction.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"

namespace eigen_g {

// Pointers::host: everything named is in host memory, and `stream` is not used. The steps go into report.stages.
template <class T>
void sytrd_on_gpu(Pointers pointers, Uplo uplo, MatrixView<T> a, Tridiagonal<real_t<T>> t, T* tau,
                  CUstream_st* stream, Report& report);
template <class R>
Outcome stedc_on_gpu(Pointers pointers, std::int64_t n, Tridiagonal<R> t, MatrixView<R> z,
                     CUstream_st* stream);
template <class T>
void ormtr_on_gpu(Pointers pointers, Uplo uplo, MatrixView<const T> a, const T* tau, MatrixView<T> z,
                  CUstream_st* stream, Report& report);

template <class T>
void sytrd_sy2sb_on_gpu(Pointers pointers, Uplo uplo, std::int64_t kd, MatrixView<T> a, MatrixView<T> ab,
                        T* tau, CUstream_st* stream, Report& report);
template <class T>
void sytrd_sb2st_on_gpu(Pointers pointers, Uplo uplo, std::int64_t kd, MatrixView<const T> ab,
                        Tridiagonal<real_t<T>> t, T* hous, CUstream_st* stream, Report& report);
template <class T>
void ormtr_sb2st_on_gpu(Pointers pointers, std::int64_t kd, const T* hous, MatrixView<T> z,
                        CUstream_st* stream);
template <class T>
void ormtr_sy2sb_on_gpu(Pointers pointers, Uplo uplo, std::int64_t kd, MatrixView<const T> a, const T* tau,
                        MatrixView<T> z, CUstream_st* stream);

WorkspaceBytes sytrd_sy2sb_gpu_bytes(Pointers pointers, std::int64_t n, std::int64_t kd);
WorkspaceBytes sytrd_sb2st_gpu_bytes(Pointers pointers, std::int64_t n, std::int64_t kd);
WorkspaceBytes ormtr_sb2st_gpu_bytes(Pointers pointers, std::int64_t n, std::int64_t m, std::int64_t kd);
WorkspaceBytes ormtr_sy2sb_gpu_bytes(Pointers pointers, std::int64_t n, std::int64_t m, std::int64_t kd);

WorkspaceBytes sytrd_gpu_bytes(Pointers pointers, Uplo uplo, std::int64_t n, std::int64_t lda);
WorkspaceBytes stedc_gpu_bytes(Pointers pointers, std::int64_t n, bool vectors);
WorkspaceBytes ormtr_gpu_bytes(Pointers pointers, Uplo uplo, std::int64_t n, std::int64_t m);

// `count` values from device memory, ordered after what `stream` holds; blocks.
std::vector<double> on_host(const double* values_dev, std::int64_t count, CUstream_st* stream);

}  // namespace eigen_g
