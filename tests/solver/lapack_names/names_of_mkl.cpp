// A library like MKL with 64-bit integers: the routine in lower and in upper case, with and without an underscore. It computes nothing; its info
// is 77.
#include <cstdint>

#define DSYEVD(name)                                                                                         \
  extern "C" void name(const char*, const char*, const std::int64_t*, double*, const std::int64_t*, double*, \
                       double*, const std::int64_t*, std::int64_t*, const std::int64_t*,                     \
                       std::int64_t* info) {                                                                 \
    *info = 77;                                                                                              \
  }
DSYEVD(dsyevd)
DSYEVD(dsyevd_)
DSYEVD(DSYEVD)

extern "C" void ilaver_(std::int64_t* major, std::int64_t* minor, std::int64_t* patch) {
  *major = *minor = *patch = 3;
}
