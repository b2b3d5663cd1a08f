// The stages of solver/api/stages.hpp on the current GPU, in every type; the stages through a band in double. The caller has checked the
// arguments; n >= 1. call.pointers says if the arrays are in host or in device memory. In a build without CUDA these functions throw
// DeviceError (solver/driver/no_device.cpp).
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "solver/driver/stage_frame.hpp"
#include "solver/path/reduction.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"

namespace eigen_g {

template <class T>
void sytrd_on_gpu(const StageCall& call, Uplo uplo, MatrixView<T> a, Tridiagonal<real_t<T>> t, T* tau,
                  Report& report);
// Throws InvalidArgument for a NaN or an infinity in device memory.
template <class T>
DivideAndConquerResult stedc_on_gpu(const StageCall& call, const TridiagonalVectors& vectors, std::int64_t n,
                                    Tridiagonal<real_t<T>> t, MatrixView<T> z, Report& report);
template <class T>
void ormtr_on_gpu(const StageCall& call, Side side, Uplo uplo, Trans trans, MatrixView<const T> a,
                  const T* tau, MatrixView<T> z, Report& report);
template <class T>
void orgtr_on_gpu(const StageCall& call, Uplo uplo, MatrixView<T> a, const T* tau, Report& report);

void sytrd_sy2sb_on_gpu(const StageCall& call, Uplo uplo, std::int64_t kd, MatrixView<double> a,
                        MatrixView<double> ab, double* tau, Report& report);
void sytrd_sb2st_on_gpu(const StageCall& call, Uplo uplo, std::int64_t kd, MatrixView<const double> ab,
                        Tridiagonal<double> t, double* hous, Report& report);
void ormtr_sb2st_on_gpu(const StageCall& call, std::int64_t kd, const double* hous, MatrixView<double> z,
                        Report& report);
void ormtr_sy2sb_on_gpu(const StageCall& call, Uplo uplo, std::int64_t kd, MatrixView<const double> a,
                        const double* tau, MatrixView<double> z, Report& report);

// NAME_gpu_bytes() returns the bytes of workspace of NAME_on_gpu().
template <class T>
WorkspaceBytes sytrd_gpu_bytes(Pointers pointers, Uplo uplo, std::int64_t n, std::int64_t lda);
template <class T>
WorkspaceBytes stedc_gpu_bytes(Pointers pointers, std::int64_t n, bool vectors,
                               const TridiagonalVectors& which);
template <class T>
WorkspaceBytes ormtr_gpu_bytes(Pointers pointers, Uplo uplo, std::int64_t n, std::int64_t m);
template <class T>
WorkspaceBytes orgtr_gpu_bytes(Pointers pointers, Uplo uplo, std::int64_t n);
WorkspaceBytes sytrd_sy2sb_gpu_bytes(Pointers pointers, std::int64_t n, std::int64_t kd);
WorkspaceBytes sytrd_sb2st_gpu_bytes(Pointers pointers, std::int64_t n, std::int64_t kd);
WorkspaceBytes ormtr_sb2st_gpu_bytes(Pointers pointers, std::int64_t n, std::int64_t m, std::int64_t kd);
WorkspaceBytes ormtr_sy2sb_gpu_bytes(Pointers pointers, std::int64_t n, std::int64_t m, std::int64_t kd);

}  // namespace eigen_g
