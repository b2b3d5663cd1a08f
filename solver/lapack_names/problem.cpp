#include "solver/lapack_names/problem.hpp"

#include <algorithm>
#include <complex>
#include <vector>

#include "hybrid/c_info.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/api/generalised.hpp"
#include "solver/api/stages.hpp"
#include "solver/c/c_arguments.hpp"

namespace {

using namespace eigen_g;
using lapack_names::Problem;
using lapack_names::Task;

Devices devices_of(const Problem& p) {
  Devices devices;
  devices.device = p.require_gpu   ? DeviceChoice::gpu
                   : p.require_cpu ? DeviceChoice::cpu
                                   : DeviceChoice::automatic;
  if (!p.require_cpu) devices.gpus = std::clamp(p.gpus, 0, std::max(1, gpu_count()));
  if (p.threads < core_threads()) devices.threads = p.threads;  // the program has chosen fewer
  return devices;
}

template <class T>
Report solve_dense(const Problem& p) {
  const Options options =
      c_arguments::options_of(p.jobz, p.uplo, c_arguments::subset_of(p.range, p.vl, p.vu, p.il, p.iu));
  T *const a = static_cast<T*>(p.a), *const b = static_cast<T*>(p.b), *const z = static_cast<T*>(p.z);
  auto* const w = static_cast<real_t<T>*>(p.w);
  if (p.task == Task::generalised)
    return generalised_solve({p.itype, CholeskyFactor::compute_and_return}, Pointers::host, p.n, a, p.lda, b,
                             p.ldb, w, z, p.ldz, nullptr, options, devices_of(p));
  return standard_solve(Pointers::host, p.n, a, p.lda, w, z, p.ldz, nullptr, options, devices_of(p));
}

// A = Q T Q^T by the chase, T = U diag(w) U^T, Z = Q U.
Report solve_band(const Problem& p) {
  const Devices devices = devices_of(p);
  const std::int64_t n = p.n;
  auto *const ab = static_cast<double*>(p.a), *const w = static_cast<double*>(p.w),
              *const z = static_cast<double*>(p.z), *const q = static_cast<double*>(p.b);
  const auto values = [](std::int64_t count) { return std::vector<double>(static_cast<std::size_t>(count)); };
  std::vector<double> d = values(n), e = values(n), hous = values(z || q ? sytrd_sb2st_hous(n, p.kd) : 0);
  const auto apply_q = [&](std::int64_t columns, double* to, std::int64_t ld) {
    return ormtr_sb2st_stage(devices, n, columns, p.kd, hous.data(), to, ld).seconds;
  };
  const Report reduced = sytrd_sb2st_stage(devices, c_info::uplo_of(p.uplo), n, p.kd, ab, p.lda, d.data(),
                                           e.data(), hous.empty() ? nullptr : hous.data());
  const TridiagonalVectors pairs{.subset = c_arguments::subset_of(p.range, p.vl, p.vu, p.il, p.iu)};
  std::vector<double> u =
      values(z && p.range == 'V' ? n * n : 0);  // z may have no more columns than there are pairs
  Report report =
      stedc_stage(devices, pairs, n, d.data(), e.data(), u.empty() ? z : u.data(), u.empty() ? p.ldz : n);
  report.seconds += reduced.seconds;
  if (report.status != Status::converged) return report;
  std::copy_n(d.begin(), report.m, w);
  for (std::int64_t k = 0; !u.empty() && k < report.m; ++k) std::copy_n(u.data() + k * n, n, z + k * p.ldz);
  if (z) report.seconds += apply_q(report.m, z, p.ldz);
  if (!q) return report;
  for (std::int64_t j = 0; j < n; ++j) {
    std::fill_n(q + j * p.ldb, n, 0.0);
    q[j * (p.ldb + 1)] = 1;
  }
  report.seconds += apply_q(n, q, p.ldb);
  return report;
}

template <class T>
Report solve_stage(const Problem& p) {
  using R = real_t<T>;
  const Devices devices = devices_of(p);
  T *const a = static_cast<T*>(p.a), *const z = static_cast<T*>(p.z), *const tau = static_cast<T*>(p.tau);
  R *const d = static_cast<R*>(p.d), *const e = static_cast<R*>(p.e);
  const Uplo uplo = c_info::uplo_of(p.uplo);
  if (p.task == Task::reduction) return sytrd_stage(devices, uplo, p.n, a, p.lda, d, e, tau);
  if (p.task == Task::orthogonal) return orgtr_stage(devices, uplo, p.n, a, p.lda, tau);
  if (p.task == Task::transformation) {
    const bool left = p.side == 'L';
    return ormtr_stage(devices, static_cast<Side>(p.side), uplo, static_cast<Trans>(p.trans),
                       left ? p.n : p.m, left ? p.m : p.n, a, p.lda, tau, z, p.ldz);
  }
  TridiagonalVectors vectors;
  vectors.subset = c_arguments::subset_of(p.range, p.vl, p.vu, p.il, p.iu);
  if (p.multiply) vectors.compz = TridiagonalVectors::Compz::multiply;
  return stedc_stage(devices, vectors, p.n, d, e, z, p.ldz);
}

template <class T>
Report solve_typed(const Problem& p) {
  return p.task == Task::standard || p.task == Task::generalised ? solve_dense<T>(p) : solve_stage<T>(p);
}

Report solve(const Problem& p) {
  if (p.task == Task::band) return solve_band(p);
  switch (p.type) {
    case 's':
      return solve_typed<float>(p);
    case 'c':
      return solve_typed<std::complex<float>>(p);
    case 'z':
      return solve_typed<std::complex<double>>(p);
    default:
      return solve_typed<double>(p);
  }
}

}  // namespace

std::int64_t eigen_g_lapack_solve(Problem* problem) {
  return c_info::of({"options"}, [&] {  // every argument's error is -1
    const Report report = solve(*problem);
    problem->found = report.m;
    problem->seconds = report.seconds;
    problem->on_gpu = !report.devices.empty() && report.devices.front().gpu >= 0;
    return c_arguments::info_of(report);
  });
}

int eigen_g_lapack_gpu() {
  try {
    return eigen_g::gpu_count() > 0;
  } catch (...) {
    return 0;
  }
}
