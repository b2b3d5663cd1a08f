// SparseSolver, and solve_few() of a pencil.
#include "hybrid/instantiate.hpp"
#include "solver/api/sparse.hpp"
#include "solver/verify/verify.hpp"

namespace eigen_g {

namespace {

[[noreturn]] void missing() {
  throw InvalidArgument("library", "no library that factorises sparse matrices is in this build");
}

}  // namespace

template <class T>
struct SparseSolver<T>::Impl {};

template <class T>
SparseSolver<T>::SparseSolver(const CsrMatrix<T>&, const SparseMass<T>&, const FewOptions&, const Devices&) {
  missing();
}
template <class T>
SparseSolver<T>::~SparseSolver() = default;
template <class T>
SparseSolver<T>::SparseSolver(SparseSolver&&) noexcept = default;
template <class T>
SparseSolver<T>& SparseSolver<T>::operator=(SparseSolver&&) noexcept = default;
template <class T>
std::int64_t SparseSolver<T>::order() const {
  return 0;
}
template <class T>
std::int64_t SparseSolver<T>::factor_entries() const {
  return 0;
}
template <class T>
std::uint64_t SparseSolver<T>::factor_bytes() const {
  return 0;
}
template <class T>
EigenvalueCount SparseSolver<T>::count(double) {
  missing();
}
template <class T>
FewReport SparseSolver<T>::solve(const FewOptions&, real_t<T>*, T*, std::int64_t) {
  missing();
}
template <class T>
IntervalReport SparseSolver<T>::interval(double, double, std::int64_t, std::vector<real_t<T>>&,
                                         std::vector<T>*) {
  missing();
}
template <class T>
void SparseSolver<T>::set_values(const T*, const T*) {
  missing();
}

template <class T>
FewReport solve_few(const CsrMatrix<T>&, const SparseMass<T>&, same_t<real_t<T>>*, same_t<T>*, std::int64_t,
                    const FewOptions&, const Devices&) {
  missing();
}
template <class T>
FewReport solve_few(const SparseOperator<T>&, const SparseOperator<T>&, const SparseOperator<T>&,
                    same_t<real_t<T>>*, same_t<T>*, std::int64_t, const FewOptions&, const Devices&) {
  missing();
}
template <class T>
Verification verify(const CsrMatrix<T>&, const SparseMass<T>&, std::int64_t, const same_t<real_t<T>>*,
                    const same_t<T>*, std::int64_t, bool, int) {
  missing();
}

EIGEN_G_INSTANTIATE_CLASS(double_type, SparseSolver);
EIGEN_G_INSTANTIATE_OVERLOAD(double_type, solve_few,
                             FewReport(const CsrMatrix<T>&, const SparseMass<T>&, T*, T*, std::int64_t,
                                       const FewOptions&, const Devices&));
EIGEN_G_INSTANTIATE_OVERLOAD(double_type, solve_few,
                             FewReport(const SparseOperator<T>&, const SparseOperator<T>&,
                                       const SparseOperator<T>&, T*, T*, std::int64_t, const FewOptions&,
                                       const Devices&));
EIGEN_G_INSTANTIATE_OVERLOAD(double_type, verify,
                             Verification(const CsrMatrix<T>&, const SparseMass<T>&, std::int64_t, const T*,
                                          const T*, std::int64_t, bool, int));

}  // namespace eigen_g
