#include <cctype>
#include <new>

#include "solver/eigen_g.h"
#include "solver/eigen_g.hpp"

namespace {

enum : std::int64_t { host_memory = -1001, device_memory = -1002, device_failure = -1003, internal = -1004 };

// What C++ throws, as an info code. `positions` names the arguments in the order of the C function.
template <class Call>
std::int64_t as_info(std::initializer_list<const char*> positions, Call&& call) {
  try {
    const eigen_g::Report report = call();
    return report.status == eigen_g::Status::converged ? 0 : report.failed;
  } catch (const eigen_g::InvalidArgument& error) {
    std::int64_t position = 0;
    for (const char* name : positions) {
      ++position;
      if (error.argument() == name) return -position;
    }
    return internal;
  } catch (const eigen_g::OutOfMemory& error) {
    return error.on_device() ? device_memory : host_memory;
  } catch (const std::bad_alloc&) {
    return host_memory;
  } catch (const eigen_g::DeviceError&) {
    return device_failure;
  } catch (...) {
    return internal;
  }
}

eigen_g::Options options_of(char jobz, char uplo) {
  const auto upper = [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); };
  eigen_g::Options options;
  if (upper(jobz) != 'N' && upper(jobz) != 'V') throw eigen_g::InvalidArgument("jobz", "must be 'N' or 'V'");
  if (upper(uplo) != 'L' && upper(uplo) != 'U') throw eigen_g::InvalidArgument("uplo", "must be 'L' or 'U'");
  options.vectors = upper(jobz) == 'V';
  options.uplo = static_cast<eigen_g::Uplo>(upper(uplo));
  return options;
}

}  // namespace

extern "C" {

std::int64_t eigen_g_dsyevd(char jobz, char uplo, std::int64_t n, double* a, std::int64_t lda, double* w) {
  return as_info({"jobz", "uplo", "n", "a", "lda", "w"}, [&] {
    const eigen_g::Options options = options_of(jobz, uplo);
    return eigen_g::eigen_g(n, a, lda, w, options.vectors ? a : nullptr, lda, options);
  });
}

std::int64_t eigen_g_dsyevd_device(char jobz, char uplo, std::int64_t n, double* a_dev, std::int64_t lda,
                                   double* w_dev, double* z_dev, std::int64_t ldz, CUstream_st* stream) {
  return as_info({"jobz", "uplo", "n", "a", "lda", "w", "z", "ldz"}, [&] {
    const eigen_g::Options options = options_of(jobz, uplo);
    return eigen_g::eigen_g(n, a_dev, lda, w_dev, z_dev, ldz, stream, options);
  });
}

const char* eigen_g_info_text(std::int64_t info) {
  if (info > 0) return "the divide and conquer did not converge";
  switch (info) {
    case 0:
      return "done";
    case host_memory:
      return "not enough host memory";
    case device_memory:
      return "not enough device memory";
    case device_failure:
      return "CUDA, cuBLAS or LAPACK failed, or there is no GPU";
    case internal:
      return "internal error";
    default:
      return info > -20 ? "an argument is wrong; minus info is its position" : "unknown info";
  }
}

const char* eigen_g_version(void) {
  return eigen_g::version();
}

}  // extern "C"
