#include "solver/driver/places.hpp"

#include <algorithm>
#include <complex>

#include "hybrid/instantiate.hpp"
#include "solver/devices/tuning.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/two_stage/full_to_band.hpp"

namespace eigen_g {

namespace {

constexpr MatrixPlace callers{Where::callers}, owned{Where::own};

constexpr MatrixPlace shared(MatrixName with) {
  return {Where::shared, with};
}

bool on_16_bytes(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}

// Returns true if the solve can work on an A with lda = n. This is so if n is a multiple of tridiagonalize_row_multiple. On the two-stage path it
// is also so if two conditions hold together: the bytes of a column must be a multiple of 32, and n - bandwidth must be larger than
// back_max_rows_of_panels. With fewer rows one kernel applies all reflectors of the reduction to a band, and this kernel needs padded columns.
template <class T>
bool columns_serve(const Plan& plan) {
  constexpr std::int64_t in_32_bytes = 32 / std::min<std::int64_t>(32, sizeof(T));
  if (plan.n % tridiagonalize_row_multiple == 0) return true;
  return plan.path == Path::two_stage && plan.n % in_32_bytes == 0 &&
         plan.n - band_width<T>(plan.n) > solver_tuning().back_max_rows_of_panels;
}

}  // namespace

template <class T>
CallerMatrices<T> arrays_of(MatrixLayout layout, std::int64_t n) {
  alignas(64) static T z;  // an address that differs from a's; nothing reads it
  const bool contiguous = layout == MatrixLayout::contiguous;
  return {{nullptr, n, n, contiguous ? n : n + 1}, nullptr, {&z, n, n, contiguous ? n : n + n % 2}};
}

template <class T>
Places places_of(const Plan& plan, const CallerMatrices<T>& given, bool over_any_columns) {
  const bool vectors = plan.options.vectors, on_host = plan.on_host_pointers(),
             part = plan.max_count() < plan.n;
  Places places;
  places.a = owned;
  if (!plan.on_gpu) {
    if (vectors) places.z = callers;
    if (vectors) places.u = is_complex<T> ? owned : shared(MatrixName::z);
    return places;
  }

  const bool z_over_a = vectors && given.z.data == given.a.data, packed = given.a.lda == plan.n;
  if (!on_host && !z_over_a && packed && on_16_bytes(given.a.data) && columns_serve<T>(plan))
    places.a = callers;
  if (!vectors) return places;

  if constexpr (is_complex<T>) {
    places.z = on_host ? owned : callers;
    places.u = owned;
    places.c = shared(MatrixName::u);
    places.q = !on_host && part ? owned : shared(MatrixName::z);
    if (plan.mode != MemoryMode::in_core) places.u = places.c = shared(MatrixName::a);
  } else {
    const bool z_serves = over_any_columns || plan.path == Path::one_stage ||
                          (on_16_bytes(given.z.data) && given.z.lda % 2 == 0);
    places.z = on_host || !z_serves ? owned : callers;
    places.u = shared(MatrixName::z);
    places.c = places.z == callers && part ? owned : shared(MatrixName::z);
    places.q = on_host || z_over_a || places.a == callers ? owned : callers;
    if (plan.mode != MemoryMode::in_core) places.q = places.a == callers ? callers : shared(MatrixName::a);
    places.back_in_a = places.q == callers && packed;
  }
  if (plan.mode == MemoryMode::slabs || plan.mode == MemoryMode::block_columns) {
    places.z = callers;
    places.c = places.q = places.u = shared(MatrixName::a);
    places.back_in_a = false;
  }
  return places;
}

EIGEN_G_INSTANTIATE(all_types, arrays_of, places_of);

}  // namespace eigen_g
