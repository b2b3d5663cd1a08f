#include "apps/python/sparse.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <eigen_g/sparse.hpp>
#include <eigen_g/verify.hpp>
#include <eigen_g/verify_counts.hpp>

#include "apps/python/context.hpp"
#include "apps/python/gil.hpp"

namespace eigen_g::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Address = std::uintptr_t;

// A sparse matrix as Python passes it: addresses of its three arrays, zeros: no matrix.
using Rows = std::tuple<Address, Address, Address>;

CsrMatrix<double> csr(std::int64_t n, const Rows& rows) {
  return {n, pointer<const std::int64_t>(std::get<0>(rows)), pointer<const std::int32_t>(std::get<1>(rows)),
          pointer<const double>(std::get<2>(rows))};
}
SparseMass<double> mass(std::int64_t n, const Rows& rows, Address diagonal) {
  return {std::get<0>(rows) == 0 ? CsrMatrix<double>() : csr(n, rows), pointer<const double>(diagonal)};
}

constexpr std::pair<const char*, End> ends[] = {{"lowest", End::lowest},   {"highest", End::highest},
                                                {"nearest", End::nearest}, {"above", End::above},
                                                {"below", End::below},     {"both", End::both}};

End end_of(const std::string& name) {
  for (const auto& [text, end] : ends)
    if (name == text) return end;
  throw InvalidArgument("end", "is '" + name + "'");
}

// The options of a call without its callbacks, and its devices.
struct FewCall {
  FewOptions options;
  Devices devices;
  std::shared_ptr<const nb::object> progress;  // not null: progress(fraction) is called

  // The options with their callback. The last copy must be destroyed while the GIL is held.
  FewOptions with_progress() const {
    FewOptions result = options;
    result.progress = [callback = progress](double fraction) {
      const GilHeld gil;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (callback) (*callback)(fraction);
    };
    return result;
  }
};

FewCall few_call(const std::string& end, std::int64_t count, double target, const std::string& method,
                 double tolerance, std::int64_t max_products, Address start, const std::string& proof,
                 const std::string& library, bool buckling, const std::string& device, int threads,
                 const nb::object& progress) {
  FewCall call;
  FewOptions& options = call.options;
  options.end = end_of(end);
  options.count = count;
  options.target = target;
  options.method = method == "dense"     ? FewMethod::dense
                   : method == "lanczos" ? FewMethod::lanczos
                                         : FewMethod::automatic;
  options.tolerance = tolerance;
  if (max_products > 0) options.max_products = max_products;
  options.start = pointer<const double>(start);
  options.start_count = start == 0 ? 0 : 1;
  const auto wanted_proof = proof_of(proof);
  if (!wanted_proof)
    throw InvalidArgument("proof", "is '" + proof + "', must be one of auto, counts, probe, none");
  options.proof = *wanted_proof;
  const auto chosen = factor_library_of(library);
  if (!chosen)
    throw InvalidArgument("library",
                          "is '" + library + "', must be one of auto, none, own, mumps, pardiso, cudss");
  options.library = *chosen;
  options.buckling = buckling;
  call.devices.device = device == "cpu"   ? DeviceChoice::cpu
                        : device == "gpu" ? DeviceChoice::gpu
                                          : DeviceChoice::automatic;
  call.devices.threads = threads;
  if (!progress.is_none()) call.progress = std::make_shared<const nb::object>(progress);
  return call;
}

// multiply(x, y), which sets the 4 columns at address y to the product with the 4 columns at address x. None: no operator.
SparseOperator<double> operator_of(std::int64_t n, const nb::object& multiply) {
  if (multiply.is_none()) return {n, {}};
  return {n, [call = std::make_shared<const nb::object>(multiply)](const double* x, double* y) {
            const GilHeld gil;
            (*call)(reinterpret_cast<Address>(x), reinterpret_cast<Address>(y));
          }};
}

FewReport solve_rows(const FewCall& call, std::int64_t n, const Rows& a, const Rows& m, Address diagonal,
                     Address w, Address z) {
  FewOptions options = call.with_progress();
  options.start_ld = std::max<std::int64_t>(1, n);
  const GilReleased free;
  const bool pencil = std::get<0>(m) != 0 || diagonal != 0;
  const std::int64_t ldz = std::max<std::int64_t>(1, n);
  return pencil || options.buckling
             ? solve_few(csr(n, a), mass(n, m, diagonal), pointer<double>(w), pointer<double>(z), ldz,
                         options, call.devices)
             : solve_few(csr(n, a), pointer<double>(w), pointer<double>(z), ldz, options, call.devices);
}

FewReport solve_operators(const FewCall& call, std::int64_t n, const nb::object& k, const nb::object& m,
                          const nb::object& op_inverse, Address w, Address z) {
  FewOptions options = call.with_progress();
  options.start_ld = std::max<std::int64_t>(1, n);
  const auto of_k = operator_of(n, k), of_m = operator_of(n, m), of_inverse = operator_of(n, op_inverse);
  const std::int64_t ldz = std::max<std::int64_t>(1, n);
  const GilReleased free;
  return of_inverse.multiply
             ? solve_few(of_k, of_m, of_inverse, pointer<double>(w), pointer<double>(z), ldz, options,
                         call.devices)
             : solve_few(of_k, pointer<double>(w), pointer<double>(z), ldz, options, call.devices);
}

FewReport solve_rows_on_gpu(const FewCall& call, std::int64_t n, std::int64_t nnz, const Rows& a, Address w,
                            Address z, int gpu, Address stream) {
  const FewOptions options = call.with_progress();
  const GilReleased free;
  const OnGpu on(gpu);
  const CsrMatrix<double> at = csr(n, a);
  return solve_few(
      DeviceCsrMatrix<double>{n, nnz, device(at.row_offsets), device(at.column_indices), device(at.values)},
      pointer<double>(w), device(pointer<double>(z)), std::max<std::int64_t>(1, n),
      pointer<CUstream_st>(stream), options);
}

Verification verify_rows(int threads, std::int64_t n, const Rows& a, const Rows& m, Address diagonal,
                         std::int64_t count, Address w, Address z, bool buckling) {
  const GilReleased free;
  const auto* const values = pointer<const double>(w);
  const auto* const vectors = pointer<const double>(z);
  const std::int64_t ldz = std::max<std::int64_t>(1, n);
  return std::get<0>(m) != 0 || diagonal != 0
             ? verify(csr(n, a), mass(n, m, diagonal), count, values, vectors, ldz, buckling, threads)
             : verify(csr(n, a), count, values, vectors, ldz, threads);
}

struct IntervalPairs {
  IntervalReport report;
  std::vector<double> w, z;
};

class PythonSparseSolver {
 public:
  PythonSparseSolver(const FewCall& call, std::int64_t n, const Rows& a, const Rows& m, Address diagonal)
      : solver_(made(call, n, a, m, diagonal)) {}
  std::int64_t factor_entries() const { return solver_.factor_entries(); }
  std::uint64_t factor_bytes() const { return solver_.factor_bytes(); }
  std::tuple<std::int64_t, double, bool> count(double s) {
    const GilReleased free;
    const EigenvalueCount count = solver_.count(s);
    return {count.below, count.at, count.moved};
  }
  FewReport solve(const FewCall& call, Address w, Address z) {
    const FewOptions options = call.with_progress();
    const GilReleased free;
    return solver_.solve(options, pointer<double>(w), pointer<double>(z),
                         std::max<std::int64_t>(1, solver_.order()));
  }
  IntervalPairs interval(double a, double b, std::int64_t max_pairs, bool vectors) {
    const GilReleased free;
    IntervalPairs pairs;
    pairs.report = solver_.interval(a, b, max_pairs, pairs.w, vectors ? &pairs.z : nullptr);
    return pairs;
  }
  CountVerification verify_counts(std::int64_t m, Address w) {
    const GilReleased free;
    return ::eigen_g::verify_counts(solver_, m, pointer<const double>(w));
  }
  void set_values(Address k, Address m) {
    const GilReleased free;
    solver_.set_values(pointer<const double>(k), pointer<const double>(m));
  }

 private:
  static SparseSolver<double> made(const FewCall& call, std::int64_t n, const Rows& a, const Rows& m,
                                   Address diagonal) {
    const GilReleased free;
    return {csr(n, a), mass(n, m, diagonal), call.options, call.devices};
  }
  SparseSolver<double> solver_;
};

template <class Report>
void bind_report(nb::class_<Report>& c) {
  c.def_prop_ro("converged", [](const Report& r) { return r.status == Status::converged; })
      .def_prop_ro("method", [](const Report& r) { return name(r.method); })
      .def_prop_ro("library", [](const Report& r) { return name(r.library); })
      .def_ro("on_gpu", &Report::on_gpu)
      .def_ro("m", &Report::m)
      .def_ro("tolerance", &Report::tolerance)
      .def_ro("residuals", &Report::residuals)
      .def_ro("norm", &Report::norm)
      .def_ro("mass_norm", &Report::mass_norm)
      .def_ro("error_bounds", &Report::error_bounds)
      .def_ro("backward_errors", &Report::backward_errors)
      .def_ro("products", &Report::products)
      .def_ro("restarts", &Report::restarts)
      .def_ro("probed", &Report::probed)
      .def_ro("shift_wished", &Report::shift_wished)
      .def_ro("shift_used", &Report::shift_used)
      .def_ro("shift_reason", &Report::shift_reason)
      .def_ro("proven", &Report::proven)
      .def_ro("low", &Report::low)
      .def_ro("high", &Report::high)
      .def_ro("count_low", &Report::count_low)
      .def_ro("count_high", &Report::count_high)
      .def_ro("found", &Report::found)
      .def_ro("repaired", &Report::repaired)
      .def_ro("proof_reason", &Report::proof_reason)
      .def_ro("factorisations", &Report::factorisations)
      .def_ro("factor_entries", &Report::factor_entries)
      .def_ro("factor_bytes", &Report::factor_bytes)
      .def_ro("seconds", &Report::seconds);
}

}  // namespace

void bind_sparse(nb::module_& m) {
  nb::class_<FewCall>(m, "FewCall")
      .def(
          "__init__",
          [](FewCall* self, const std::string& end, std::int64_t count, double target,
             const std::string& method, double tolerance, std::int64_t max_products, Address start,
             const std::string& proof, const std::string& library, bool buckling, const std::string& device,
             int threads, const nb::object& progress) {
            new (self) FewCall(few_call(end, count, target, method, tolerance, max_products, start, proof,
                                        library, buckling, device, threads, progress));
          },
          "end"_a, "count"_a, "target"_a, "method"_a, "tolerance"_a, "max_products"_a, "start"_a, "proof"_a,
          "library"_a, "buckling"_a, "device"_a, "threads"_a, "progress"_a.none());
  auto few =
      nb::class_<FewReport>(m, "FewReport", "Report of a call for a few pairs of a sparse matrix or pencil.");
  bind_report(few);
  auto interval =
      nb::class_<IntervalReport>(m, "IntervalReport", "Report of a call for all pairs in an interval.");
  bind_report(interval);
  interval.def_ro("expected", &IntervalReport::expected).def_ro("shifts", &IntervalReport::shifts);
  nb::class_<IntervalPairs>(m, "IntervalPairs")
      .def_ro("report", &IntervalPairs::report)
      .def_ro("w", &IntervalPairs::w)
      .def_prop_ro("z", [](const IntervalPairs& p) { return reinterpret_cast<Address>(p.z.data()); });
  nb::class_<PythonSparseSolver>(m, "SparseSolver")
      .def(nb::init<const FewCall&, std::int64_t, const Rows&, const Rows&, Address>(), "call"_a, "n"_a,
           "a"_a, "m"_a, "diagonal"_a)
      .def_prop_ro("factor_entries", &PythonSparseSolver::factor_entries)
      .def_prop_ro("factor_bytes", &PythonSparseSolver::factor_bytes)
      .def("count", &PythonSparseSolver::count)
      .def("solve", &PythonSparseSolver::solve)
      .def("interval", &PythonSparseSolver::interval)
      .def("verify_counts",
           [](PythonSparseSolver& solver, std::int64_t count, Address w) {
             const CountVerification v = solver.verify_counts(count, w);
             return std::tuple(v.low, v.high, v.below, v.expected, v.given, v.all);
           })
      .def("set_values", &PythonSparseSolver::set_values);
  m.def("solve_rows", &solve_rows);
  m.def("solve_operators", &solve_operators, "call"_a, "n"_a, "k"_a.none(), "m"_a.none(),
        "op_inverse"_a.none(), "w"_a, "z"_a);
  m.def("solve_rows_on_gpu", &solve_rows_on_gpu);
  m.def("verify_rows", &verify_rows);
  m.def("factor_library_available",
        [](const std::string& library) { return available(factor_library_of(library).value()); });
  m.def("factor_libraries", [] {
    std::vector<std::pair<std::string, std::string>> libraries;
    for (const FactorLibrary library :
         {FactorLibrary::own, FactorLibrary::mumps, FactorLibrary::pardiso, FactorLibrary::cudss})
      if (available(library)) libraries.emplace_back(name(library), version(library));
    return libraries;
  });
}

}  // namespace eigen_g::python
