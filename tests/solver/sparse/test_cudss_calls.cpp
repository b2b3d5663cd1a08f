// The numbers and types of cuDSS's interface against its header, if cuDSS is installed, and which signs of D are believed.
#include "solver/sparse/cudss_calls.hpp"
#include "tests/support/catch.hpp"

#if __has_include(<cudss.h>)
#include <cudss.h>

#include <type_traits>

namespace {

// The number and the order of the arguments are the same, and each pair of types has one size and is a pointer or is none.
template <class A, class B>
constexpr bool alike = sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>;
template <class Ours, class Theirs>
constexpr bool same = false;
template <class... A, class... B>
requires(sizeof...(A) ==
         sizeof...(B)) constexpr bool same<int (*)(A...), cudssStatus_t (*)(B...)> = (alike<A, B> && ...);

using namespace eigen_g::cudss;
static_assert(same<Create, decltype(&cudssCreate)> && same<Destroy, decltype(&cudssDestroy)>);
static_assert(same<GetProperty, decltype(&cudssGetProperty)>);
static_assert(same<ConfigCreate, decltype(&cudssConfigCreate)> &&
              same<ConfigDestroy, decltype(&cudssConfigDestroy)>);
static_assert(same<ConfigSet, decltype(&cudssConfigSet)>);
static_assert(same<DataCreate, decltype(&cudssDataCreate)> && same<DataDestroy, decltype(&cudssDataDestroy)>);
static_assert(same<DataGet, decltype(&cudssDataGet)> && same<Execute, decltype(&cudssExecute)>);
static_assert(same<MatrixCreateCsr, decltype(&cudssMatrixCreateCsr)>);
static_assert(same<MatrixCreateDn, decltype(&cudssMatrixCreateDn)> &&
              same<MatrixDestroy, decltype(&cudssMatrixDestroy)>);
static_assert(major_version == CUDSS_VERSION_MAJOR);
static_assert(success == int{CUDSS_STATUS_SUCCESS} && allocation_failed == int{CUDSS_STATUS_ALLOC_FAILED});
static_assert(matching == int{CUDSS_CONFIG_MATCHING_ALG} && pivot_type == int{CUDSS_CONFIG_PIVOT_TYPE});
static_assert(pivot_epsilon == int{CUDSS_CONFIG_PIVOT_EPSILON} &&
              superpanels == int{CUDSS_CONFIG_USE_SUPERPANELS} &&
              deterministic == int{CUDSS_CONFIG_DETERMINISTIC_MODE});
static_assert(factor_entries == int{CUDSS_DATA_LU_NNZ} && perturbed_pivots == int{CUDSS_DATA_NPIVOTS});
static_assert(inertia == int{CUDSS_DATA_INERTIA} && memory_estimates == int{CUDSS_DATA_MEMORY_ESTIMATES});
static_assert(analysis == int{CUDSS_PHASE_ANALYSIS} && factorisation == int{CUDSS_PHASE_FACTORIZATION});
static_assert(solution == int{CUDSS_PHASE_SOLVE});
static_assert(no_matching == int{CUDSS_MATCHING_ALG_NONE} && bunch_kaufman == int{CUDSS_PIVOT_BUNCH_KAUFMAN});
static_assert(symmetric == int{CUDSS_MTYPE_SYMMETRIC} && upper_triangle == int{CUDSS_MVIEW_UPPER});
static_assert(from_zero == int{CUDSS_BASE_ZERO} && column_major == int{CUDSS_LAYOUT_COL_MAJOR});
static_assert(int32 == int{CUDA_R_32I} && int64 == int{CUDA_R_64I} && float64 == int{CUDA_R_64F});

}  // namespace
#endif

TEST_CASE("cuDSS: signs are believed without changed pivots and with one for each row") {
  using eigen_g::cudss::Signs;
  CHECK(Signs{7, 3, 0}.believed(10));
  CHECK(!Signs{7, 3, 1}.believed(10));
  CHECK(!Signs{7, 2, 0}.believed(10));
  CHECK(!Signs{0, 0, 0}.believed(10));  // as with matching
}
