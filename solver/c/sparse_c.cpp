#include <algorithm>
#include <vector>

#include "hybrid/c_info.hpp"
#include "solver/api/sparse.h"
#include "solver/api/sparse.hpp"
#include "solver/c/c_arguments.hpp"
#include "solver/verify/verify.hpp"

using namespace eigen_g;

extern "C" std::int64_t eigen_g_dsfew(char end, std::int64_t n, std::int64_t count,
                                      const std::int64_t* row_offsets, const std::int32_t* column,
                                      const double* value, double tolerance, double* w, double* z,
                                      std::int64_t ldz, double* residuals) {
  return c_info::of({Argument::job, Argument::n, Argument::m, Argument::a, Argument::x, Argument::y,
                     Argument::other, Argument::w, Argument::z, Argument::ldz},
                    [&] {
                      const char letter = c_arguments::one_of("LH", end, Argument::job);
                      if (count < 1 || count > std::max<std::int64_t>(1, n))
                        throw InvalidArgument(Argument::m, "must be from 1 to n");
                      FewOptions options;
                      options.count = count;
                      options.end = letter == 'H' ? End::highest : End::lowest;
                      if (tolerance != 0) options.tolerance = tolerance;
                      const CsrMatrix<double> a{n, row_offsets, column, value};
                      const FewReport report = solve_few(a, w, z, ldz, options);
                      if (residuals) std::copy(report.residuals.begin(), report.residuals.end(), residuals);
                      return std::int64_t{report.status != Status::converged};
                    });
}

extern "C" std::int64_t eigen_g_dsfew_verify(std::int64_t n, std::int64_t count,
                                             const std::int64_t* row_offsets, const std::int32_t* column,
                                             const double* value, const double* w, const double* z,
                                             std::int64_t ldz, double* residual, double* orthogonality) {
  return c_info::of({Argument::n, Argument::m, Argument::a, Argument::x, Argument::y, Argument::w,
                     Argument::z, Argument::ldz},
                    [&] {
                      const CsrMatrix<double> a{n, row_offsets, column, value};
                      const Verification v = verify(a, count, w, z, ldz);
                      if (residual) *residual = v.lapack_residual;
                      if (orthogonality) *orthogonality = v.lapack_orthogonality;
                      return std::int64_t{!passed(v)};
                    });
}
