#include "solver/api/eigen_g.hpp"

#include <algorithm>
#include <complex>

#include "hybrid/instantiate.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/driver/frame.hpp"

namespace eigen_g {

template <class T>
Report standard_solve(Pointers pointers, std::int64_t n, const T* a, std::int64_t lda, real_t<T>* w, T* z,
                      std::int64_t ldz, CUstream_st* stream, const Options& options, const Devices& devices) {
  return SolveFrame<T>({n, options, devices, pointers}, resources_of_this_thread())
      .solve(pointers, a, lda, nullptr, 0, w, z, ldz, stream);
}

template <class T>
GeneralisedReport generalised_solve(const GeneralisedProblem& problem, Pointers pointers, std::int64_t n,
                                    const T* a, std::int64_t lda, T* b, std::int64_t ldb, real_t<T>* w, T* z,
                                    std::int64_t ldz, CUstream_st* stream, const Options& options,
                                    const Devices& devices) {
  return SolveFrame<T>({n, options, devices, pointers, problem}, resources_of_this_thread())
      .solve(pointers, a, lda, b, ldb, w, z, ldz, stream);
}

template <class T>
Solution<T> solve(std::int64_t n, const T* a, std::int64_t lda, const Options& options,
                  const Devices& devices) {
  const std::int64_t ldz = std::max<std::int64_t>(1, n);
  check_plan({n, options, devices, Pointers::host});
  require_pointer(a, n > 0, Argument::a);
  require_leading_dimension(lda, n, Argument::lda);
  const auto vector_values = [&](std::int64_t columns) {
    return options.vectors ? static_cast<std::size_t>(n) * static_cast<std::size_t>(columns) : 0;
  };
  const std::int64_t most = options.subset.max_count(n);
  const auto order = static_cast<std::uint64_t>(n), columns = static_cast<std::uint64_t>(most);
  require_host_memory(columns * (sizeof(real_t<T>) + (options.vectors ? order * sizeof(T) : 0)));
  Solution<T> solution;
  solution.values.resize(static_cast<std::size_t>(most));
  solution.vectors.resize(vector_values(most));
  solution.report = standard_solve(Pointers::host, n, a, lda, solution.values.data(), solution.vectors.data(),
                                   ldz, nullptr, options, devices);
  solution.values.resize(static_cast<std::size_t>(solution.report.m));
  solution.vectors.resize(vector_values(solution.report.m));
  return solution;
}

template <class T>
WorkspaceBytes workspace_bytes(std::int64_t n, const Options& options, bool on_gpu, Pointers pointers,
                               MemoryMode mode) {
  const Plan plan{n, options, {}, pointers};
  check_plan(plan);
  return plan_bytes<T>(plan_in_mode<T>(plan_on<T>(plan, on_gpu), mode), MatrixLayout::contiguous);
}

template <class T>
WorkspaceBytes generalised_workspace_bytes(std::int64_t n, const GeneralisedProblem& problem,
                                           const Options& options, bool on_gpu, Pointers pointers) {
  const Plan plan{n, options, {}, pointers, problem};
  check_plan(plan);
  return plan_bytes<T>(plan_on<T>(plan, on_gpu));
}

void start_gpu() {
  if (gpu_count() > 0) start_device();
}

void release_thread_cache() {
  release(resources_of_this_thread());
}

EIGEN_G_INSTANTIATE(all_types, standard_solve, generalised_solve, solve, workspace_bytes,
                    generalised_workspace_bytes);

}  // namespace eigen_g
