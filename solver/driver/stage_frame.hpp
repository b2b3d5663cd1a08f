// The parts that all functions of solver/api/stages.hpp share. Each of them calls run_stage(), which chooses the device, checks the pointers, runs the
// work, measures the time and returns the report. Further functions check arguments, and reduce_scaled() reduces 2^k A on the CPU.
//
// In reduce_scaled() and in the class DeviceStage `run_stage` is another thing: a StageRunner (solver/path/stage_runner.hpp), which times the parts
// of the call.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "hybrid/memory/memory.hpp"
#include "hybrid/vector/groups.hpp"
#include "solver/api/stages.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/driver/frame.hpp"
#include "solver/path/host_clock.hpp"
#include "solver/prepare/check_input.hpp"
#include "solver/prepare/scale.hpp"

namespace eigen_g {

// Runs one stage on one device. With host pointers and DeviceChoice::automatic a GPU is used only if needed(true).device bytes are free there.
//   pointers         the caller's arrays; call.pointers says if they must be in host or in device memory
//   nothing          true: the stage has no work for these sizes
//   needed           needed(true) returns the bytes of workspace on a GPU, needed(false) the bytes on the CPU
//   on_gpu, on_cpu   the work: on_gpu(report), or on_cpu(report, workspace). The workspace has needed(false).host bytes
//   may_be_on_gpu    false: with host pointers the stage runs on the CPU
template <class Needed, class OnGpu, class OnCpu>
Report run_stage(const StageCall& call, std::int64_t n, std::initializer_list<NamedPointer> pointers,
                 bool nothing, Needed&& needed, OnGpu&& on_gpu, OnCpu&& on_cpu, bool may_be_on_gpu = true) {
  const Devices& devices = call.devices;
  bool gpu = !call.on_host();
  if (call.on_host() && may_be_on_gpu) {
    check_devices(devices);
    gpu = use_gpu(devices.device, n) &&
          (devices.device == DeviceChoice::gpu || needed(true).device <= device_memory_available());
  }
  require_in_memory(call.pointers, pointers);
  const WorkspaceBytes bytes = needed(gpu);
  return timed(gpu, devices.threads, [&] {
    Report report;
    if (nothing) return report;
    if (gpu) {
      on_gpu(report);
    } else {
      const auto memory = host_array<std::byte>(static_cast<std::int64_t>(bytes.host));
      on_cpu(report, Arena(memory.get(), bytes.host));
    }
    report.bytes = bytes;
    return report;
  });
}

// Each of the next four functions checks arguments of a stage, and throws InvalidArgument. `a` is n x n, and only its triangle `uplo`
// is used. `z` is n x m. `t` has n values d and n - 1 values e.
template <class T>
void check_matrix(Uplo uplo, MatrixView<T> a) {
  require_uplo(uplo);
  require_size(a.cols, Argument::n);
  require_pointer(a.data, a.cols > 0, Argument::a);
  require_leading_dimension(a.lda, a.cols, Argument::lda);
}
inline void require_sizes(std::int64_t n, std::int64_t m) {
  require_size(n, Argument::n);
  require_size(m, Argument::m);
}
template <class T>
void check_columns(MatrixView<T> z) {
  require_sizes(z.rows, z.cols);
  require_pointer(z.data, z.rows > 0 && z.cols > 0, Argument::z);
  require_leading_dimension(z.lda, z.rows, Argument::ldz);
}

template <class R>
void check_tridiagonal(std::int64_t n, Tridiagonal<R> t) {
  require_pointer(t.d, n > 0, Argument::d);
  require_pointer(t.e, n > 1, Argument::e);
}

using Compz = TridiagonalVectors::Compz;

// Returns the memory of z as a real matrix. If z is complex, row 2 i of this matrix has the real parts of row i of z, and row 2 i + 1 has the
// imaginary parts. For a real matrix R, as_real(z) R is therefore as_real(z R).
template <class T>
MatrixView<real_t<T>> as_real(MatrixView<T> z) {
  return {reinterpret_cast<real_t<T>*>(z.data), planes<T> * z.rows, z.cols, planes<T> * z.lda};
}

// Throws InvalidArgument if one of `count` values in host memory (d or e) is NaN or infinite.
template <class R>
void require_finite(const R* values, std::int64_t count, ArgumentName argument) {
  for (std::int64_t i = 0; i < count; ++i)
    require(std::isfinite(values[i]), argument,
            "entry " + std::to_string(i + 1) + " is " + (std::isnan(values[i]) ? "NaN" : "infinite"));
}

// Throws InvalidArgument, because entry (row, col) of a band matrix is NaN or infinite. row and col count from 0.
[[noreturn]] inline void refuse_band_entry(std::int64_t row, std::int64_t col) {
  throw InvalidArgument("ab", "has an entry that is not finite: (" + std::to_string(row + 1) + ", " +
                                  std::to_string(col + 1) + ")");
}

// On the CPU: overwrites A with 2^k A, calls reduce() and times it as `stage`. Returns k; the caller multiplies the results by 2^-k. If an entry is
// not finite, throws NonFiniteEntry before A is changed.
template <class T, class Reduce>
int reduce_scaled(Uplo uplo, MatrixView<T> a, Stage stage, Report& report, Reduce&& reduce) {
  HostClock clock;
  const Progress silent;
  StageRunner run_stage(clock, silent, report.stages);
  const int k = scale_exponent(run_stage(Stage::check, [&] { return check_input<T>(uplo, a); }));
  run_stage(Stage::scale, [&] { scale(uplo, a, k); });
  run_stage(stage, reduce);
  run_stage.finish();
  return k;
}

}  // namespace eigen_g
