#include "hybrid/c_info.hpp"
#include "solver/api/eigen_g.h"
#include "solver/api/eigen_g.hpp"

namespace {

using namespace eigen_g;

Options options_of(char jobz, char uplo) {
  if (c_info::upper(jobz) != 'N' && c_info::upper(jobz) != 'V')
    throw InvalidArgument(Argument::job, "must be 'N' or 'V'");
  Options options;
  options.vectors = c_info::upper(jobz) == 'V';
  options.uplo = c_info::uplo_of(uplo);
  return options;
}

Subset subset_of(char range, double vl, double vu, std::int64_t il, std::int64_t iu) {
  switch (c_info::upper(range)) {
    case 'A':
      return {};
    case 'V':
      return Subset::values(vl, vu);
    case 'I':
      return Subset::numbers(il, iu);
    default:
      throw InvalidArgument(Argument::range, "must be 'A', 'V' or 'I'");
  }
}

std::int64_t info_of(const Report& report) {
  return report.status == Status::converged ? 0 : report.failed;
}

}  // namespace

extern "C" {

std::int64_t eigen_g_dsyevd(char jobz, char uplo, std::int64_t n, double* a, std::int64_t lda, double* w) {
  return c_info::of({"jobz", "uplo", "n", "a", "lda", "w"}, [&] {
    const Options options = options_of(jobz, uplo);
    return info_of(eigen_g::eigen_g(n, a, lda, w, options.vectors ? a : nullptr, lda, options));
  });
}

std::int64_t eigen_g_dsyevd_device(char jobz, char uplo, std::int64_t n, double* a_dev, std::int64_t lda,
                                   double* w_dev, double* z_dev, std::int64_t ldz, CUstream_st* stream) {
  return c_info::of({"jobz", "uplo", "n", "a", "lda", "w", "z", "ldz"}, [&] {
    const Options options = options_of(jobz, uplo);
    return info_of(eigen_g::eigen_g(n, a_dev, lda, w_dev, z_dev, ldz, stream, options));
  });
}

std::int64_t eigen_g_dsyevdx(char jobz, char range, char uplo, std::int64_t n, double* a, std::int64_t lda,
                             double vl, double vu, std::int64_t il, std::int64_t iu, std::int64_t* m,
                             double* w) {
  return c_info::of({"jobz", "range", "uplo", "n", "a", "lda", "options.subset.above", "options.subset.upto",
                     "options.subset.first", "options.subset.last", "m", "w"},
                    [&] {
                      Options options = options_of(jobz, uplo);
                      options.subset = subset_of(range, vl, vu, il, iu);
                      if (!m) throw InvalidArgument(Argument::m, "is null");
                      const Report report =
                          eigen_g::eigen_g(n, a, lda, w, options.vectors ? a : nullptr, lda, options);
                      *m = report.m;
                      return info_of(report);
                    });
}

std::int64_t eigen_g_dsyevdx_device(char jobz, char range, char uplo, std::int64_t n, double* a_dev,
                                    std::int64_t lda, double vl, double vu, std::int64_t il, std::int64_t iu,
                                    std::int64_t* m, double* w_dev, double* z_dev, std::int64_t ldz,
                                    CUstream_st* stream) {
  return c_info::of({"jobz", "range", "uplo", "n", "a", "lda", "options.subset.above", "options.subset.upto",
                     "options.subset.first", "options.subset.last", "m", "w", "z", "ldz"},
                    [&] {
                      Options options = options_of(jobz, uplo);
                      options.subset = subset_of(range, vl, vu, il, iu);
                      if (!m) throw InvalidArgument(Argument::m, "is null");
                      const Report report =
                          eigen_g::eigen_g(n, a_dev, lda, w_dev, z_dev, ldz, stream, options);
                      *m = report.m;
                      return info_of(report);
                    });
}

void eigen_g_release_kept(void) {
  eigen_g::release_kept();
}

const char* eigen_g_info_text(std::int64_t info) {
  if (info > 0) return "the divide and conquer did not converge";
  switch (info) {
    case 0:
      return "done";
    case c_info::host_memory:
      return "not enough host memory";
    case c_info::device_memory:
      return "not enough device memory";
    case c_info::device_failure:
      return "CUDA, cuBLAS or LAPACK failed, or there is no GPU";
    case c_info::internal:
      return "internal error";
    default:
      return info > -20 ? "an argument is wrong; minus info is its position" : "unknown info";
  }
}

const char* eigen_g_version(void) {
  return eigen_g::version();
}

}  // extern "C"
