// The extension module eigen_g._core: the library's calls, with addresses as integers, and its reports. Users see the Python code next
// to it (eigen_g/).
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <type_traits>

#include <eigen_g/device.hpp>
#include <eigen_g/eigen_g.hpp>
#include <eigen_g/stages.hpp>
#include <eigen_g/verify.hpp>
#include <eigen_g/verify_generalised.hpp>

#include "apps/python/batch.hpp"
#include "apps/python/context.hpp"
#include "apps/python/gil.hpp"
#include "apps/python/jax.hpp"
#include "apps/python/plan.hpp"
#include "apps/python/reports.hpp"
#include "apps/python/shards.hpp"
#include "apps/python/sparse.hpp"
#include "apps/python/types.hpp"

namespace eigen_g::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Address = std::uintptr_t;

PythonReport solve_host(const CallOptions& plan, std::int64_t n, Address a, std::int64_t lda, Address b,
                        std::int64_t ldb, Address w, Address z, std::int64_t ldz, nb::object progress) {
  if (is_batch_of_one(plan, n, !progress.is_none())) {
    const GilReleased free;
    return solve_batch_of_one(plan, n, a, lda, w, z, ldz);
  }
  const Options options = with_progress(plan.options, n, std::move(progress));
  const GilReleased free;
  if (plan.itype == 0)
    return with_type(plan.dtype, [&]<class T>() {
      return reported(eigen_g<T>(n, pointer<const T>(a), lda, pointer<real_t<T>>(w), pointer<T>(z), ldz,
                                 options, plan.devices));
    });
  return with_type(
      plan.dtype,
      [&]<class T>() {
        return sygvd<T>(plan.problem(), n, pointer<const T>(a), lda, pointer<T>(b), ldb,
                        pointer<real_t<T>>(w), pointer<T>(z), ldz, options, plan.devices);
      },
      generalised_types);
}

// The stages. gpu == -1: the addresses are host memory; else memory of that GPU.
PythonReport sytrd_at(const CallOptions& plan, std::int64_t n, Address a, std::int64_t lda, Address d,
                      Address e, Address tau, int gpu, Address stream) {
  const GilReleased free;
  const OnGpu on(gpu);
  const Uplo uplo = plan.options.uplo;
  return with_type(
      plan.dtype,
      [&]<class T>() {
        using R = real_t<T>;
        if (gpu < 0)
          return reported(sytrd<T>(uplo, n, pointer<T>(a), lda, pointer<R>(d), pointer<R>(e), pointer<T>(tau),
                                   plan.devices));
        return reported(sytrd<T>(uplo, n, device(pointer<T>(a)), lda, device(pointer<R>(d)),
                                 device(pointer<R>(e)), device(pointer<T>(tau)),
                                 pointer<CUstream_st>(stream)));
      },
      stage_types);
}

PythonReport stedc_at(const CallOptions& plan, std::int64_t n, Address d, Address e, Address z,
                      std::int64_t ldz, int gpu, Address stream) {
  const GilReleased free;
  const OnGpu on(gpu);
  return with_type(
      plan.dtype,
      [&]<class T>() {
        using R = real_t<T>;
        if (gpu < 0)
          return reported(stedc<R>(n, pointer<R>(d), pointer<R>(e), pointer<R>(z), ldz, plan.devices));
        return reported(stedc<R>(n, device(pointer<R>(d)), device(pointer<R>(e)), device(pointer<R>(z)), ldz,
                                 pointer<CUstream_st>(stream)));
      },
      stage_types);
}

PythonReport ormtr_at(const CallOptions& plan, bool right, bool adjoint, std::int64_t n, std::int64_t m,
                      Address a, std::int64_t lda, Address tau, Address z, std::int64_t ldz, int gpu,
                      Address stream) {
  const GilReleased free;
  const OnGpu on(gpu);
  const Uplo uplo = plan.options.uplo;
  const Side side = right ? Side::right : Side::left;
  const Trans trans = adjoint ? Trans::adjoint : Trans::none;
  return with_type(
      plan.dtype,
      [&]<class T>() {
        if (gpu < 0)
          return reported(ormtr<T>(side, uplo, trans, n, m, pointer<const T>(a), lda, pointer<const T>(tau),
                                   pointer<T>(z), ldz, plan.devices));
        return reported(ormtr<T>(side, uplo, trans, n, m, device(pointer<const T>(a)), lda,
                                 device(pointer<const T>(tau)), device(pointer<T>(z)), ldz,
                                 pointer<CUstream_st>(stream)));
      },
      stage_types);
}

Verification verify_at(const CallOptions& plan, std::int64_t n, Address a, std::int64_t lda, std::int64_t m,
                       Address w, Address z, std::int64_t ldz) {
  const GilReleased free;
  return with_type(plan.dtype, [&]<class T>() {
    return verify<T>(plan.options.uplo, n, pointer<const T>(a), lda, m, pointer<const real_t<T>>(w),
                     pointer<const T>(z), ldz, plan.devices.device, plan.devices.threads);
  });
}

GeneralisedVerification verify_generalised_at(const CallOptions& plan, std::int64_t n, Address a,
                                              std::int64_t lda, Address b, std::int64_t ldb, std::int64_t m,
                                              Address w, Address z, std::int64_t ldz) {
  const GilReleased free;
  return with_type(
      plan.dtype,
      [&]<class T>() {
        return verify_generalised<T>(plan.itype, plan.options.uplo, n, pointer<const T>(a), lda,
                                     pointer<const T>(b), ldb, m, pointer<const real_t<T>>(w),
                                     pointer<const T>(z), ldz, plan.devices.device, plan.devices.threads);
      },
      generalised_types);
}

WorkspaceBytes workspace_at(const CallOptions& plan, std::int64_t n, bool on_gpu, bool on_device, int gpu) {
  if (!on_gpu && !on_device && is_batch_of_one(plan, n, false)) return batch_of_one_workspace(plan, n);
  const OnGpu on(gpu);
  const Pointers pointers = on_device ? Pointers::device : Pointers::host;
  if (plan.itype == 0)
    return with_type(plan.dtype,
                     [&]<class T>() { return workspace_bytes<T>(n, plan.options, on_gpu, pointers); });
  return with_type(
      plan.dtype,
      [&]<class T>() {
        return generalised_workspace_bytes<T>(n, plan.problem(), plan.options, on_gpu, pointers);
      },
      generalised_types);
}

void bind_errors(nb::module_& m) {
  const auto add = [&]<class Error>(std::type_identity<Error>, const char* name, nb::handle base,
                                    const char* doc) {
    nb::exception<Error>(m, name, base).attr("__doc__") = doc;
  };
  add(std::type_identity<DeviceError>(), "DeviceError", PyExc_RuntimeError,
      "A call into CUDA, cuBLAS or LAPACK failed, or a GPU was requested and none was found.");
  add(std::type_identity<OutOfMemory>(), "OutOfMemory", PyExc_MemoryError,
      "The host or a GPU has too little memory; raised before any work.");
  add(std::type_identity<InvalidArgument>(), "InvalidArgument", PyExc_ValueError,
      "An argument breaks its contract; the message says which one and why.");
  add(std::type_identity<NonFiniteEntry>(), "NonFiniteEntry", m.attr("InvalidArgument"),
      "The triangle that is read holds a NaN or an infinity.");
}

}  // namespace

NB_MODULE(_core, m) {
  wait_for_the_library_at_exit();
  bind_errors(m);
  bind_reports(m);
  bind_sparse(m);

  nb::class_<CallOptions>(m, "CallOptions")
      .def("__init__",
           [](CallOptions* self, const std::string& dtype, bool lower, bool vectors,
              std::optional<std::pair<std::int64_t, std::int64_t>> index_range,
              std::optional<std::pair<double, double>> values, const std::string& path,
              const std::string& engine, const std::string& device, int gpus, int threads,
              const std::optional<std::string>& ratio, const std::string& precision, int multiprocessors,
              std::int64_t memory_limit, int itype, const std::string& factor) {
             new (self) CallOptions(make_plan(dtype, lower, vectors, index_range, values, path, engine,
                                              device, gpus, threads, ratio, precision, multiprocessors,
                                              memory_limit, itype, factor));
           })
      .def_ro("dtype", &CallOptions::dtype)
      .def("max_count",
           [](const CallOptions& plan, std::int64_t n) { return plan.options.subset.max_count(n); });
  const auto names = [](const auto& solved) {
    return std::apply([](auto... type) { return std::vector<std::string>{type.name...}; }, solved);
  };
  m.def("types", [=] { return names(types); });
  m.def("generalised_types", [=] { return names(generalised_types); });
  m.def("stage_types", [=] { return names(stage_types); });

  nb::class_<PythonContext>(m, "Context", nb::is_weak_referenceable())
      .def(nb::init<const CallOptions&, nb::object, nb::object>(), "plan"_a, "allocate"_a.none(),
           "free"_a.none())
      .def("close", &PythonContext::close);
  nb::class_<PythonSolver>(m, "Solver")
      .def(nb::init<PythonContext&, const CallOptions&, std::int64_t, bool, int, nb::object>(),
           nb::keep_alive<1, 2>(), "context"_a, "plan"_a, "n"_a, "on_device"_a, "gpu"_a, "progress"_a.none())
      .def_prop_ro("workspace_bytes",
                   [](const PythonSolver& solver) { return pair_of(solver.workspace(MatrixLayout::any)); })
      .def_prop_ro(
          "contiguous_workspace_bytes",
          [](const PythonSolver& solver) { return pair_of(solver.workspace(MatrixLayout::contiguous)); })
      .def_prop_ro("on_gpu", &PythonSolver::on_gpu)
      .def("set_workspace", &PythonSolver::set_workspace)
      .def("set_factor", &PythonSolver::set_factor)
      .def("solve", &PythonSolver::solve);

  m.def("solve_host", &solve_host, "plan"_a, "n"_a, "a"_a, "lda"_a, "b"_a, "ldb"_a, "w"_a, "z"_a, "ldz"_a,
        "progress"_a.none());
  m.def("solve_shards", &solve_shards, "plan"_a, "n"_a, "a"_a, "w"_a, "z"_a, "progress"_a.none());
  nb::class_<PythonBatchedSolver>(m, "BatchedSolver")
      .def(nb::init<PythonContext&, const CallOptions&, std::int64_t, std::int64_t, int>(),
           nb::keep_alive<1, 2>(), "context"_a, "plan"_a, "n"_a, "most"_a, "gpu"_a)
      .def_prop_ro("workspace_bytes",
                   [](const PythonBatchedSolver& solver) { return pair_of(solver.workspace()); })
      .def("set_workspace", &PythonBatchedSolver::set_workspace)
      .def("solve",
           [](PythonBatchedSolver& solver, std::int64_t n, std::int64_t count, Address a, std::int64_t lda,
              std::int64_t stride_a, Address b, std::int64_t ldb, std::int64_t stride_b, Address w, Address z,
              std::int64_t ldz, std::int64_t stride_z, Address status, Address stream) {
             return solver.solve({n, count, a, lda, stride_a, b, ldb, stride_b, w, z, ldz, stride_z, status},
                                 stream);
           });
  m.def("solve_batch",
        [](const CallOptions& plan, std::int64_t n, std::int64_t count, Address a, std::int64_t lda,
           std::int64_t stride_a, Address b, std::int64_t ldb, std::int64_t stride_b, Address w, Address z,
           std::int64_t ldz, std::int64_t stride_z, Address status) {
          return solve_batch_on_host(
              plan, {n, count, a, lda, stride_a, b, ldb, stride_b, w, z, ldz, stride_z, status});
        });
  m.def("solve_ragged", &solve_ragged);
  m.def("sytrd", &sytrd_at);
  m.def("stedc", &stedc_at);
  m.def("ormtr", &ormtr_at);
  m.def("verify", &verify_at);
  m.def("verify_generalised", &verify_generalised_at);
  m.def("workspace_bytes", [](const CallOptions& plan, std::int64_t n, bool on_gpu, bool on_device, int gpu) {
    return pair_of(workspace_at(plan, n, on_gpu, on_device, gpu));
  });
  m.def("jax_handlers", [] {
    nb::dict handlers;
#ifdef EIGEN_G_HAVE_JAX
    handlers["cpu"] = nb::capsule(jax_cpu_handler());
#ifdef EIGEN_G_HAVE_CUDA
    handlers["CUDA"] = nb::capsule(jax_cuda_handler());
#endif
#endif
    return handlers;
  });
  m.attr("min_order_to_interrupt") = min_order_to_interrupt;
  m.def("gpu_count", &gpu_count, R"(Returns the number of GPUs that this process can use.

    >>> eigen_g.gpu_count() >= 0
    True)");
  m.def("release_thread_cache", [] {
    const GilReleased free;
    release_thread_cache();
  });
  m.def("version", [] { return version(); });
  m.def("cuda_toolkit_version", &cuda_toolkit_version);
}

}  // namespace eigen_g::python
