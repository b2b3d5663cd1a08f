#include "apps/python/reports.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <eigen_g/batched.hpp>
#include <eigen_g/verify.hpp>
#include <eigen_g/verify_generalised.hpp>

#include "apps/python/context.hpp"

namespace eigen_g::python {

namespace nb = nanobind;

namespace {

// The members of each structure in the order of its pickle. `each` is called with all of them.
constexpr auto members = [](auto& x, const auto& each) {
  using X = std::remove_const_t<std::remove_reference_t<decltype(x)>>;
  if constexpr (std::is_same_v<X, EngineFlops>)
    each(x.values);
  else if constexpr (std::is_same_v<X, StageWork>)
    each(x.stage, x.seconds, x.flops);
  else if constexpr (std::is_same_v<X, DeviceWork>)
    each(x.name, x.gpu, x.multiprocessors, x.share, x.seconds, x.bytes, x.flops, x.stages);
  else if constexpr (std::is_same_v<X, Refinement>)
    each(x.result, x.steps, x.clusters, x.largest_cluster, x.correction, x.float_seconds, x.seconds);
  else if constexpr (std::is_same_v<X, WorkspaceBytes>)
    each(x.host, x.device);
  else if constexpr (std::is_same_v<X, PythonReport>)
    each(x.status, x.info, x.m, x.first_index, x.path, x.stages, x.seconds, x.devices, x.refinement,
         x.fallbacks, x.bytes, x.bad_minor, x.mode, x.slabs_of_rows, x.slabs_of_columns);
  else if constexpr (std::is_same_v<X, BatchReport>)
    each(x.count, x.failed, x.first_failed, x.m, x.seconds, x.devices, x.bytes);
  else if constexpr (std::is_same_v<X, Verification>)
    each(x.n, x.m, x.eps, x.norm_one, x.norm_frobenius, x.residual_frobenius, x.reconstruction,
         x.orthogonality, x.lapack_residual, x.lapack_orthogonality, x.worst_residual, x.worst_index,
         x.ascending, x.finite, x.seconds, x.on_gpu);
  else if constexpr (std::is_same_v<X, GeneralisedVerification>)
    each(x.n, x.m, x.itype, x.bad_minor, x.condition, x.norm_a, x.norm_b, x.residual, x.residual_limit,
         x.orthogonality, x.orthogonality_limit, x.ascending, x.finite, x.seconds, x.on_gpu);
};

template <class T>
constexpr bool is_vector = false;
template <class T>
constexpr bool is_vector<std::vector<T>> = true;

// Values as Python objects. A structure is the tuple of its members, a vector or an array the tuple of its elements, an enumerator its
// number.
template <class T>
nb::object saved(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return nb::int_(static_cast<int>(value));
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return nb::cast(value);
  } else {
    nb::list list;
    if constexpr (requires { value.begin(); })
      for (const auto& element : value) list.append(saved(element));
    else
      members(value, [&](const auto&... member) { (list.append(saved(member)), ...); });
    return nb::tuple(list);
  }
}

template <class T>
void restore(nb::handle state, T& value) {
  if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>(nb::cast<int>(state));
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    value = nb::cast<T>(state);
  } else {
    const auto parts = nb::cast<nb::tuple>(state);
    std::size_t k = 0;
    const auto next = [&](auto& part) { restore(parts[k++], part); };
    const auto require = [&](std::size_t count) {
      if (parts.size() != count) throw nb::value_error("the pickle is of another version of eigen_g");
    };
    if constexpr (is_vector<T>) {
      value.resize(parts.size());
      for (auto& element : value) next(element);
    } else if constexpr (requires { value.begin(); }) {
      require(value.size());
      for (auto& element : value) next(element);
    } else {
      members(value, [&](auto&... member) {
        require(sizeof...(member));
        (next(member), ...);
      });
    }
  }
}

template <class T>
nb::class_<T> pickled(nb::module_& m, const char* name, const char* doc) {
  return nb::class_<T>(m, name, doc)
      .def("__getstate__", [](const T& value) { return saved(value); })
      .def("__setstate__", [](T& value, const nb::object& state) {
        T restored;
        restore(state, restored);
        new (&value) T(std::move(restored));
      });
}

nb::list stages_of(const std::vector<StageWork>& works) {
  nb::list stages;
  for (const StageWork& work : works) stages.append(nb::make_tuple(name(work.stage), work.seconds));
  return stages;
}

nb::list devices_of(const std::vector<DeviceWork>& works) {
  nb::list devices;
  for (const DeviceWork& work : works) {
    nb::dict device;
    device["name"] = work.name;
    device["gpu"] = work.gpu < 0 ? nb::none() : nb::object(nb::int_(work.gpu));
    device["share"] = work.share;
    device["seconds"] = work.seconds;
    device["bytes"] = work.bytes;
    device["flops"] = work.flops;
    device["stages"] = stages_of(work.stages);
    devices.append(device);
  }
  return devices;
}

nb::dict refinement_of(const PythonReport& r) {
  nb::dict refinement;
  refinement["result"] = name(r.refinement.result);
  refinement["steps"] = r.refinement.steps;
  refinement["clusters"] = r.refinement.clusters;
  refinement["largest_cluster"] = r.refinement.largest_cluster;
  refinement["correction"] = r.refinement.correction;
  refinement["float_seconds"] = r.refinement.float_seconds;
  refinement["seconds"] = r.refinement.seconds;
  return refinement;
}

nb::list fallbacks_of(const PythonReport& r) {
  nb::list steps;
  for (const Fallback fallback : r.fallbacks) steps.append(name(fallback));
  return steps;
}

void bind_solves(nb::module_& m) {
  using R = PythonReport;
  pickled<R>(m, "Report", "Results of a call other than its arrays: status, counts, times, devices.")
      .def_prop_ro(
          "converged", [](const R& r) { return r.status == Status::converged; },
          "True if every pair was found.")
      .def_ro("info", &Report::info,
              "0: converged. Otherwise a row or an eigenvalue of the tridiagonal matrix, from 1.")
      .def_ro("m", &Report::m, "Number of pairs found.")
      .def_prop_ro(
          "first_index", [](const R& r) { return r.first_index - 1; },
          "Index of the first of them in the whole spectrum, from 0.")
      .def_ro("bad_minor", &R::bad_minor,
              "Order of b's first leading minor that is not positive definite; 0: none.")
      .def_prop_ro(
          "path", [](const R& r) { return name(r.path); },
          "Path of the reduction: \"one_stage\" or \"two_stage\".")
      .def_ro("seconds", &Report::seconds, "Time of the whole call.")
      .def_prop_ro(
          "stages", [](const R& r) { return stages_of(r.stages); },
          "Name and seconds of each stage, in the order in which they began. Empty for orders up to "
          "48 on the CPU.")
      .def_prop_ro(
          "devices", [](const R& r) { return devices_of(r.devices); },
          R"(name, gpu (None: the CPU), share, seconds, bytes, flops and stages of each device that took part.

bytes and flops: of the GPU's memory and of its matrix products; 0: not counted for each device. stages: its own (stage, seconds),
if several GPUs divide all stages.)")
      .def_prop_ro("refinement", &refinement_of, R"(Result of mixed precision.

result is "native" (mixed precision was not requested), "refined", or the reason for a solve in native precision:
"out_of_scope", "float_failed", "large_clusters", "diverged".)")
      .def_prop_ro("fallbacks", &fallbacks_of,
                   R"(Steps to a smaller solve, in their order, because the GPU has too little memory.

They are "mixed_to_native", "in_core_to_parked", "parked_to_slabs", "to_block_columns", "two_stage_to_one_stage" and
"gpu_to_cpu". Empty: the memory sufficed.)")
      .def_prop_ro(
          "mode", [](const R& r) { return name(r.mode); },
          R"(Where a solve on a GPU kept its matrices.

"in_core", "parked" (reflectors in host memory), "slabs" (vectors, too) or "block_columns" (the matrix as its lower half, too).)")
      .def_ro("slabs_of_rows", &Report::slabs_of_rows,
              "Number of slabs of rows in which the vectors of T were computed; 0: all at once.")
      .def_ro("slabs_of_columns", &Report::slabs_of_columns,
              "Number of slabs of columns in which the vectors were transformed; 0: all at once.")
      .def_prop_ro(
          "workspace_bytes", [](const R& r) { return pair_of(r.bytes); },
          "(host, device) bytes in addition to the matrix and the results.");

  using B = BatchReport;
  pickled<B>(m, "BatchReport", "Results of a call for many matrices, other than its arrays.")
      .def_ro("count", &B::count, "Number of matrices.")
      .def_ro("failed", &B::failed, "Number of matrices that have a NaN or an infinity, or did not converge.")
      .def_prop_ro(
          "first_failed",
          [](const B& r) { return r.failed == 0 ? std::optional<std::int64_t>() : r.first_failed; },
          "Index of the first of them; None: there is none. A stack (..., n, n) counts as (count, n, n).")
      .def_ro("m", &B::m,
              "Number of pairs of each matrix; of matrices of different orders, of the largest one.")
      .def_ro("seconds", &B::seconds, "Time of the whole call.")
      .def_prop_ro(
          "devices", [](const B& r) { return devices_of(r.devices); }, "As Report.devices.")
      .def_prop_ro(
          "workspace_bytes", [](const B& r) { return pair_of(r.bytes); },
          "(host, device) bytes in addition to the matrices and the results.");
}

void bind_verifications(nb::module_& m) {
  using V = Verification;
  pickled<V>(m, "Verification",
             "Residual and orthogonality of eigenpairs. The two lapack_ ratios are divided by n ulp, as in "
             "LAPACK's tests.")
      .def_prop_ro(
          "passed", [](const V& v) { return passed(v); },
          "True if both LAPACK ratios are at most `limit`, w and v are finite, and w is ascending.")
      .def_ro("n", &V::n, "Order of the matrix.")
      .def_ro("m", &V::m, "Number of pairs.")
      .def_prop_ro(
          "limit", [](const V&) { return lapack_ratio_limit; }, "Limit of the two LAPACK ratios.")
      .def_ro("residual_frobenius", &V::residual_frobenius, "|a v - v diag(w)|_F.")
      .def_ro("reconstruction", &V::reconstruction,
              "|a - v diag(w) v^H|_F / (n |a|_F); -1: not all vectors are given, or a is sparse.")
      .def_ro("orthogonality", &V::orthogonality, "|v^H v - 1|_F / n.")
      .def_ro("lapack_residual", &V::lapack_residual, "|a v - v diag(w)|_1 / (|a|_1 n ulp).")
      .def_ro("lapack_orthogonality", &V::lapack_orthogonality, "|v^H v - 1|_1 / (n ulp).")
      .def_ro("worst_residual", &V::worst_residual, "Largest |a v[:, k] - w[k] v[:, k]|_2 / |a|_F.")
      .def_ro("worst_index", &V::worst_index, "Its k, from 0.")
      .def_ro("ascending", &V::ascending, "True if w is ascending.")
      .def_ro("finite", &V::finite, "True if w and v have no NaN and no infinity.")
      .def_ro("on_gpu", &V::on_gpu, "True if the products ran on a GPU.")
      .def_ro("seconds", &V::seconds, "Time of the check.");

  using G = GeneralisedVerification;
  pickled<G>(m, "GeneralisedVerification",
             "Residual and orthogonality ratios of generalised eigenpairs, and their limits, which grow with "
             "the condition of b.")
      .def_prop_ro(
          "passed", [](const G& v) { return passed(v); },
          "True if both ratios are at most their limits, w and v are finite, w is ascending, and b is "
          "positive definite.")
      .def_ro("n", &G::n, "Order of the matrices.")
      .def_ro("m", &G::m, "Number of pairs.")
      .def_ro("type", &G::itype, "Type of the problem: 1, 2 or 3.")
      .def_ro("bad_minor", &G::bad_minor,
              "Order of b's first leading minor that is not positive definite; 0: none.")
      .def_ro("condition", &G::condition, "Estimate of b's condition.")
      .def_ro("residual", &G::residual, "Residual ratio of the worst pair.")
      .def_ro("residual_limit", &G::residual_limit, "Limit of residual.")
      .def_ro("orthogonality", &G::orthogonality, "Ratio of |v^H b v - 1|.")
      .def_ro("orthogonality_limit", &G::orthogonality_limit, "Limit of orthogonality.")
      .def_ro("ascending", &G::ascending, "True if w is ascending.")
      .def_ro("finite", &G::finite, "True if w and v have no NaN and no infinity.")
      .def_ro("on_gpu", &G::on_gpu, "True if the products ran on a GPU.")
      .def_ro("seconds", &G::seconds, "Time of the check.");
}

}  // namespace

void bind_reports(nb::module_& m) {
  bind_solves(m);
  bind_verifications(m);
}

}  // namespace eigen_g::python
