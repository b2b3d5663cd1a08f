// Tests of the distributed calls under mpirun: every library, every grid of the processes (of more than 4 only grids with two
// sides), blocks that do not divide n, both triangles with NaN in the other one, subsets, values only, scales, the four types,
// generalised problems and refusals. With an argument only the cases of this library run, and each is reported on stderr. A case
// that fails prints a line, and the exit code is 1.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "apps/generate/formula.hpp"
#include "apps/generate/hermitian.hpp"
#include "apps/io/scalar_type.hpp"
#include "solver/distributed/distributed.hpp"
#include "solver/distributed/grid.hpp"
#include "solver/distributed/panels.hpp"
#include "solver/distributed/verify.hpp"

extern "C" int call_from_c(MPI_Comm comm, std::int64_t n, double* a, double* b, const int* desc,
                           std::int64_t first, double* w, double* z);

namespace {

using namespace eigen_g;
using distributed::Grid;
using distributed::LocalMatrix;
using distributed::LocalView;
using io::ScalarType;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Case {
  std::string kind = "minij";
  std::int64_t n = 0, block = 1;
  distributed::Options options;
  double scale = 1;
  ScalarType type = ScalarType::d;
  int itype = 0;  // 0: a standard problem
};

std::string words(const Case& c, const Grid& grid) {
  return c.options.library + " " + static_cast<char>(c.type) + " " + c.kind +
         (c.itype > 0 ? " itype " + std::to_string(c.itype) : "") + " n = " + std::to_string(c.n) +
         " block " + std::to_string(c.block) + " grid " + std::to_string(grid.rows()) + " x " +
         std::to_string(grid.cols()) + " triangle " + static_cast<char>(c.options.uplo) + " subset " +
         std::to_string(c.options.subset.first) + ":" + std::to_string(c.options.subset.last) +
         (c.options.vectors ? "" : " values") + " scale " + std::to_string(c.scale);
}

generate::Spec spec_of(const Case& c, const std::string& kind) {
  generate::Spec spec;
  spec.kind = kind;
  spec.n = c.n;
  return spec;
}

// The entries of a kind as T; the triangle that is not read is NaN.
template <class T>
void fill(const Case& c, const generate::Spec& spec, double scale, const LocalView<T>& a) {
  using W = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  const auto formula = [&] {
    if constexpr (is_complex<T>)
      return generate::HermitianFormula(spec);
    else
      return generate::formula_of(spec);
  }();
  for (std::int64_t l = 0; l < a.layout.cols.count(); ++l)
    for (std::int64_t k = 0; k < a.layout.rows.count(); ++k) {
      const std::int64_t i = a.layout.rows.global(k), j = a.layout.cols.global(l);
      W entry{};
      formula.column(j, i, 1, &entry);
      a(k, l) = static_cast<T>(scale * entry);
      if (c.options.uplo == Uplo::lower ? i < j : i > j) a(k, l) = static_cast<real_t<T>>(nan);
    }
}

// Both triangles of the matrix in double.
template <class T>
auto again(const Case& c, const generate::Spec& spec, double scale, const Grid& grid) {
  using W = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  const distributed::BlockCyclic layout = distributed::layout_of(grid, c.n, c.n, c.block);
  const LocalMatrix<T> a(grid.context(), layout);
  fill(c, spec, scale, view(a));
  mirror(view(a), c.options.uplo);
  LocalMatrix<W> wide(grid.context(), layout);
  std::copy_n(a.data.get(), layout.entries(), wide.data.get());
  return wide;
}

// B of a generalised problem: the KMS matrix, whose eigenvalues are between 1/3 and 3.
constexpr const char* kind_of_b = "kms";

// The error of a case, the same on every process; "": none.
template <class T>
std::string fault_as(const Case& c, const Grid& grid) {
  using R = real_t<T>;
  using W = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  const generate::Spec spec = spec_of(c, c.kind), spec_b = spec_of(c, kind_of_b);
  const distributed::BlockCyclic layout = distributed::layout_of(grid, c.n, c.n, c.block);
  const LocalMatrix<T> a(grid.context(), layout), b(grid.context(), layout), z(grid.context(), layout);
  std::fill_n(z.data.get(), layout.entries(), static_cast<R>(nan));
  fill(c, spec, c.scale, view(a));
  std::vector<R> w(static_cast<std::size_t>(c.n), static_cast<R>(nan));
  distributed::Report report;
  if (c.itype > 0) {
    fill(c, spec_b, 1, view(b));
    report = distributed::sygvd(grid.comm(), c.itype, c.n, a.data.get(), a.descriptor.data(), b.data.get(),
                                b.descriptor.data(), w.data(), z.data.get(), z.descriptor.data(), c.options);
  } else {
    report = distributed::eigen_g(grid.comm(), c.n, a.data.get(), a.descriptor.data(), w.data(), z.data.get(),
                                  z.descriptor.data(), c.options);
  }
  if (report.status != Status::converged) return "did not converge: " + std::to_string(report.info);
  const Subset& subset = c.options.subset;
  if (subset.by == Subset::By::index &&
      (report.m != subset.last - subset.first + 1 || report.first_index != subset.first))
    return "found " + std::to_string(report.m) + " from " + std::to_string(report.first_index);
  constexpr double ulp = std::numeric_limits<R>::epsilon();
  std::vector<double> values(w.begin(), w.begin() + report.m);
  const bool known = c.itype == 0 && !(is_complex<T> && (c.kind == "random" || c.kind == "uniform"));
  if (const auto exact = generate::exact(spec); known && exact)
    for (std::int64_t k = 0; k < report.m; ++k) {
      const double error = std::fabs(values[k] / c.scale - (*exact)[report.first_index - 1 + k]);
      const double limit =
          static_cast<double>(c.n) * ulp * std::max(std::fabs(exact->front()), std::fabs(exact->back()));
      if (!(error <= limit))
        return "value " + std::to_string(k) + " is off by " + std::to_string(error / limit) + " limits";
    }
  if (!c.options.vectors) return "";
  const LocalMatrix<W> whole = again<T>(c, spec, c.scale, grid), wide_z(grid.context(), layout);
  std::copy_n(z.data.get(), layout.entries(), wide_z.data.get());
  if (c.itype > 0) {
    const LocalMatrix<W> whole_b = again<T>(c, spec_b, 1, grid);
    const GeneralisedVerification check = distributed::verify_generalised(
        grid.comm(), c.itype, view(whole), view(whole_b), values, view(wide_z), ulp);
    if (passed(check)) return "";
    return "residual " + std::to_string(check.residual) + " of " + std::to_string(check.residual_limit) +
           ", orthogonality " + std::to_string(check.orthogonality) + " of " +
           std::to_string(check.orthogonality_limit);
  }
  const Verification check = distributed::verify(grid.comm(), view(whole), values, view(wide_z), ulp);
  if (passed(check)) return "";
  return "residual " + std::to_string(check.lapack_residual) + ", orthogonality " +
         std::to_string(check.lapack_orthogonality);
}

std::string fault_of(const Case& c, const Grid& grid) {
  return io::with_type(c.type, [&]<class T>(T) { return fault_as<T>(c, grid); });
}

// B's entry (6, 6) is -1; every process must name it.
std::string fault_of_indefinite(const Grid& grid) {
  Case c{"random", 20, 3, {}, 1};
  c.options.library = "scalapack";
  const distributed::BlockCyclic layout = distributed::layout_of(grid, c.n, c.n, c.block);
  const LocalMatrix<double> a(grid.context(), layout), b(grid.context(), layout), z(grid.context(), layout);
  fill(c, spec_of(c, "random"), 1, view(a));
  fill(c, spec_of(c, kind_of_b), 1, view(b));
  const distributed::Deal &rows = b.layout.rows, &cols = b.layout.cols;
  if (6 / rows.block % rows.parts == rows.part && 6 / cols.block % cols.parts == cols.part)
    view(b)(rows.below(6), cols.below(6)) = -1;
  std::vector<double> w(20);
  const distributed::Report report =
      distributed::sygvd(grid.comm(), 1, c.n, a.data.get(), a.descriptor.data(), b.data.get(),
                         b.descriptor.data(), w.data(), z.data.get(), z.descriptor.data(), c.options);
  return report.status == Status::not_converged && report.bad_minor == 7
             ? ""
             : "the minor is " + std::to_string(report.bad_minor);
}

// B = I with one other entry on the diagonal. 1e-32: wrong pairs must not pass any of the limits. NaN: neither must this B, and its norm
// must be NaN, also if sums of other columns follow.
std::string fault_of_ill_conditioned(const Grid& grid) {
  const Case c{"random", 20, 3, {}, 1};
  const distributed::BlockCyclic layout = distributed::layout_of(grid, c.n, c.n, c.block);
  for (const auto& [row, other] : {std::pair(19, 1e-32), std::pair(19, nan), std::pair(0, nan)})
    for (int itype = 1; itype <= 3; ++itype) {
      const LocalMatrix<double> a = again<double>(c, spec_of(c, "random"), 1, grid),
                                z = again<double>(c, spec_of(c, "uniform"), 1, grid),
                                b(grid.context(), layout);
      const distributed::Deal &rows = layout.rows, &cols = layout.cols;
      for (std::int64_t l = 0; l < cols.count(); ++l)
        for (std::int64_t k = 0; k < rows.count(); ++k)
          view(b)(k, l) = rows.global(k) != cols.global(l) ? 0 : rows.global(k) == row ? other : 1;
      const GeneralisedVerification v = distributed::verify_generalised(
          grid.comm(), itype, view(a), view(b), std::vector<double>(20, 1.0), view(z));
      if (std::isnan(v.norm_b) != std::isnan(other)) return "the norm of B is " + std::to_string(v.norm_b);
      if (passed(v) || v.residual <= v.residual_limit || v.orthogonality <= v.orthogonality_limit)
        return "passes, itype " + std::to_string(itype) + ", residual " + std::to_string(v.residual);
    }
  return "";
}

// A NaN in the triangle on one process; all must name it before any work.
std::string fault_of_refusal(const Grid& grid) {
  Case c{"random", 40, 3, {}, 1};
  c.options.library = "scalapack";
  const LocalMatrix<double> a(grid.context(), distributed::layout_of(grid, c.n, c.n, c.block));
  fill(c, spec_of(c, "random"), 1, view(a));
  const distributed::Deal &rows = a.layout.rows, &cols = a.layout.cols;
  if (30 / rows.block % rows.parts == rows.part && 20 / cols.block % cols.parts == cols.part)
    view(a)(rows.below(30), cols.below(20)) = nan;
  std::vector<double> w(40);
  try {
    const distributed::Report report =
        distributed::eigen_g(grid.comm(), c.n, a.data.get(), a.descriptor.data(), w.data(), nullptr,
                             a.descriptor.data(), c.options);
    return "null z: no refusal, m = " + std::to_string(report.m);
  } catch (const NonFiniteEntry&) {
    return "null z: the entry was looked at first";
  } catch (const InvalidArgument&) {
  }
  c.options.vectors = false;
  try {
    const distributed::Report report = distributed::eigen_g(
        grid.comm(), c.n, a.data.get(), a.descriptor.data(), w.data(), nullptr, nullptr, c.options);
    return "NaN: no refusal, m = " + std::to_string(report.m);
  } catch (const NonFiniteEntry& entry) {
    return entry.row() == 30 && entry.col() == 20 ? "" : std::string("NaN: ") + entry.what();
  }
}

// A library that cannot be used here is an error on all processes; auto takes another one.
std::string fault_of_unusable(const Grid& grid, const std::string& library) {
  Case c{"minij", 6, 1, {}, 1};
  c.options.vectors = false;
  const LocalMatrix<double> a(grid.context(), distributed::layout_of(grid, c.n, c.n, c.block));
  std::vector<double> w(6);
  const auto solve = [&] {
    fill(c, spec_of(c, c.kind), 1, view(a));
    return distributed::eigen_g(grid.comm(), c.n, a.data.get(), a.descriptor.data(), w.data(), nullptr,
                                nullptr, c.options);
  };
  if (solve().library == library) return "auto takes it";
  c.options.library = library;
  try {
    return "no refusal, m = " + std::to_string(solve().m);
  } catch (const DeviceError& error) {
    return std::string(error.what()).rfind(library + ": process ", 0) == 0 ? "" : error.what();
  }
}

// Values 8 to 12 of the 1-2-1 matrix, 2 + 2 cos(k pi / (n + 1)).
std::string fault_of_c(const Grid& grid) {
  const Case c{"1-2-1", 12, 2, {}, 1};
  const distributed::BlockCyclic layout = distributed::layout_of(grid, c.n, c.n, c.block);
  const LocalMatrix<double> a(grid.context(), layout), z(grid.context(), layout);
  fill(c, spec_of(c, c.kind), 1, view(a));
  std::vector<double> w(12, nan);
  if (const int fault = call_from_c(grid.comm(), c.n, a.data.get(), a.data.get(), a.descriptor.data(), 8,
                                    w.data(), z.data.get()))
    return "return " + std::to_string(fault);
  const std::vector<double> exact = *generate::exact(spec_of(c, c.kind));
  for (std::size_t k = 0; k < 5; ++k)
    if (!(std::fabs(w[k] - exact[7 + k]) <= 1e-14)) return "value " + std::to_string(8 + k);
  return "";
}

bool has_type(const std::string& library, ScalarType type) {
  return distributed::has_library(library, io::real_type(type) == ScalarType::s, io::real_type(type) != type);
}

std::vector<Case> cases_of(const std::string& library, int rows, int cols) {
  std::vector<Case> cases;
  const auto add = [&](Case c) {
    c.options.library = library;
    // Each process has a block of rows and one of columns, as eigen_g_mpi chooses grids.
    if ((c.n + c.block - 1) / c.block >= std::max(rows, cols)) cases.push_back(c);
  };
  // ScaLAPACK sends a message for each column, which is slow with more processes than cores.
  for (const auto& [n, block] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {2, 1}, {3, 2}, {17, 4}, {40, 7}, {70, 16}})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      if (n > 50 && library == "scalapack") continue;
      Case c{n % 2 ? "minij" : "random", n, block, {}, 1};
      c.options.uplo = uplo;
      add(c);
    }
  Case subset{"minij", 33, 4, {}, 1};
  for (const auto& [first, last] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 12}, {14, 27}, {33, 33}}) {
    subset.options.subset = Subset::by_index(first, last);
    add(subset);
  }
  subset.options.vectors = false;
  add(subset);
  Case large{"wilkinson", 21, 3, {}, 0x1p900};
  add(large);
  Case small{"1-2-1", 30, 4, {}, 0x1p-900};
  add(small);
  for (const ScalarType type : {ScalarType::s, ScalarType::c, ScalarType::z}) {
    if (!has_type(library, type)) continue;
    const bool complex = type != ScalarType::s;
    Case other{complex ? "flux-ring" : "minij", 18, 4, {}, 1, type};
    add(other);
    other.options.uplo = Uplo::upper;
    other.options.subset = Subset::by_index(5, 12);
    add(other);
    other.options.vectors = false;
    add(other);
    Case dense{"random", 13, 3, {}, 1, type};
    add(dense);
  }
  for (const ScalarType type : {ScalarType::d, ScalarType::z, ScalarType::s, ScalarType::c})
    for (int itype = 1; itype <= 3; ++itype) {
      if (!has_type(library, type)) continue;
      if (rows * cols > 4 && type != ScalarType::d && itype != 1) continue;
      Case pencil{"random", 14, 4, {}, 1, type, itype};
      add(pencil);
      pencil.options.uplo = Uplo::upper;
      pencil.options.subset = Subset::by_index(3, 9);
      if (type == ScalarType::d || itype == 1) add(pencil);
    }
  if (library != "scalapack" && rows * cols <= 4) {
    Case two{"random", 500, 64, {}, 1};
    add(two);
    if (library == "cusolvermp") {  // smaller orders go to ScaLAPACK
      add({"random", 499, 128, {}, 1});
      for (const ScalarType type : {ScalarType::d, ScalarType::z, ScalarType::s, ScalarType::c}) {
        Case uneven{"random", 257, 50, {}, 1, type};
        add(uneven);
        uneven.options.uplo = Uplo::upper;
        uneven.options.subset = Subset::by_index(5, 20);
        add(uneven);
      }
      return cases;
    }
    two.options.path = Path::two_stage;
    add(two);
    Case complex{"random", 200, 32, {}, 1, ScalarType::z};
    complex.options.path = Path::two_stage;
    add(complex);
  }
  return cases;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1, faults = 0, done = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto tell = [&](const std::string& what, const std::string& fault) {
    ++done;
    if (argc > 1 && rank == 0) std::fprintf(stderr, "%s\n", what.c_str());
    if (fault.empty()) return;
    ++faults;
    if (rank == 0) std::printf("FAILED: %s: %s\n", what.c_str(), fault.c_str());
  };
  for (int rows = 1; rows <= size; ++rows) {
    if (size % rows != 0 || (size > 4 && (rows == 1 || rows == size))) continue;
    const Grid grid(MPI_COMM_WORLD, rows, size / rows);
    tell("refusals", fault_of_refusal(grid));
    tell("an indefinite B", fault_of_indefinite(grid));
    tell("an ill-conditioned B", fault_of_ill_conditioned(grid));
    tell("from C", fault_of_c(grid));
    for (const std::string& library : distributed::libraries()) {
      if (argc > 1 && library != argv[1]) continue;
      if (const std::string reason = distributed::why_not(MPI_COMM_WORLD, library); !reason.empty()) {
        tell(library, fault_of_unusable(grid, library));
        if (rank == 0) std::printf("skipped: %s: %s\n", library.c_str(), reason.c_str());
        continue;
      }
      for (const Case& c : cases_of(library, grid.rows(), grid.cols()))
        tell(words(c, grid), fault_of(c, grid));
    }
  }
  if (rank == 0) std::printf("%d cases, %d failed\n", done, faults);
  MPI_Finalize();
  return faults > 0 || done < 10;
}
