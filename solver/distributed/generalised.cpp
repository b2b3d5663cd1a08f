// The Cholesky factor and the standard form by ScaLAPACK.
#include "solver/distributed/generalised.hpp"

#include <complex>
#include <string>

#include "hybrid/error.hpp"
#include "hybrid/instantiate.hpp"
#include "solver/distributed/scalapack_calls.hpp"

namespace eigen_g::distributed {

namespace {

void require_no_info(int info, const char* routine) {
  if (info != 0)
    throw DeviceError(std::string("ScaLAPACK: ") + routine + ": invalid argument " +
                      std::to_string(info <= -100 ? -info / 100 : -info));
}

}  // namespace

template <class T>
std::int64_t cholesky(const LocalView<T>& b) {
  const int n = static_cast<int>(b.layout.rows.n);
  int info = 0;
  ppotrf<T>("L", &n, b.data, &one, &one, b.descriptor.data(), &info);
  if (info > 0) return info;
  require_no_info(info, "potrf");
  return 0;
}

template <class T>
void to_standard_form(int itype, const LocalView<T>& a, const LocalView<T>& factor) {
  const int n = static_cast<int>(a.layout.rows.n);
  int info = 0;
  real_t<T> scale = 1;
  const auto run = [&](T* work, int length) {
    pngst<T>(&itype, "L", &n, a.data, &one, &one, a.descriptor.data(), factor.data, &one, &one,
             factor.descriptor.data(), &scale, work, &length, &info);
    require_no_info(info, "sygst");
  };
  T asked = 0;
  run(&asked, -1);
  const std::int64_t block = a.layout.rows.block;
  // At least the length of the routine's documentation, because a float may not represent the queried length exactly.
  const std::int64_t length = std::max(
      static_cast<std::int64_t>(std::real(asked)),
      2 * (a.layout.rows.count() + block) * block + (a.layout.cols.count() + block) * block + block * block);
  const HostArray<T> work = host_array<T>(length);
  run(work.get(), static_cast<int>(length));
}

template <class T>
void from_standard_form(int itype, const LocalView<T>& factor, const LocalView<T>& z, std::int64_t m) {
  if (m == 0) return;
  const int n = static_cast<int>(z.layout.rows.n), columns = static_cast<int>(m);
  constexpr T unit = 1;
  if (itype == 3)
    ptrmm<T>("L", "L", "N", "N", &n, &columns, &unit, factor.data, &one, &one, factor.descriptor.data(),
             z.data, &one, &one, z.descriptor.data());
  else
    ptrsm<T>("L", "L", "C", "N", &n, &columns, &unit, factor.data, &one, &one, factor.descriptor.data(),
             z.data, &one, &one, z.descriptor.data());
}

EIGEN_G_INSTANTIATE(all_types, cholesky, to_standard_form, from_standard_form);

}  // namespace eigen_g::distributed
