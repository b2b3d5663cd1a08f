#include "solver/verify/verify_batched.hpp"

#include <algorithm>
#include <chrono>
#include <complex>
#include <limits>
#include <string>

#include "hybrid/first_failure.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/machine/tuning.hpp"
#include "hybrid/team/loops.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/verify/verify_columns.hpp"
#include "solver/verify/verify_generalised.hpp"
#include "solver/verify/verify_matrices.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/transfer.hpp"
#endif

namespace eigen_g {

namespace {

// The kernels index the entries of a matrix in 32 bits.
constexpr std::int64_t largest_order_of_kernels = 32768;

bool worse(double x, double than) {
  return x > than || (x != x && than == than);
}

struct MatrixRatios {
  double residual = 0, orthogonality = 0;
  bool ascending = false, finite = false, passes = false;

  MatrixRatios() = default;
  explicit MatrixRatios(const Verification& v)
      : residual(v.lapack_residual),
        orthogonality(v.lapack_orthogonality),
        ascending(v.ascending),
        finite(v.finite),
        passes(passed(v)) {}
  explicit MatrixRatios(const GeneralisedVerification& v)
      : residual(v.residual),
        orthogonality(v.orthogonality / v.condition),
        ascending(v.ascending),
        finite(v.finite),
        passes(passed(v)) {
    if (v.n == 0) orthogonality = 0;
    if (v.bad_minor > 0) residual = orthogonality = std::numeric_limits<double>::quiet_NaN();
  }
};

void note_verification(const MatrixRatios& v, std::int64_t k, BatchVerification& all) {
  if (!v.passes && all.failed++ == 0) all.first_failed = k;
  if (all.residual_matrix < 0 || worse(v.residual, all.lapack_residual)) {
    all.lapack_residual = v.residual;
    all.residual_matrix = k;
  }
  if (all.orthogonality_matrix < 0 || worse(v.orthogonality, all.lapack_orthogonality)) {
    all.lapack_orthogonality = v.orthogonality;
    all.orthogonality_matrix = k;
  }
  all.ascending = all.ascending && v.ascending;
  all.finite = all.finite && v.finite;
}

template <class T>
BatchToVerify<T> checked(BatchToVerify<T> batch) {
  require_uplo(batch.uplo);
  require_size(batch.n, Argument::n);
  require(batch.count >= 0, "count", "is " + std::to_string(batch.count) + ", must not be negative");
  require_pointer(batch.a, batch.n > 0 && batch.count > 0, Argument::a);
  require_leading_dimension(batch.lda, batch.n, Argument::lda);
  if (batch.count > 0) check_pairs(batch.n, batch.m, batch.w, batch.z, batch.ldz);
  if (batch.strides.a == 0) batch.strides.a = batch.lda * batch.n;
  if (batch.strides.w == 0) batch.strides.w = batch.m;
  if (batch.strides.z == 0) batch.strides.z = batch.ldz * batch.m;
  return batch;
}

// verify_one(k) verifies matrix k. Matrices of an order for which OpenBLAS uses several threads are verified one after the other.
template <class VerifyOne>
BatchVerification verified_on_cpu(std::int64_t n, std::int64_t count, const VerifyOne& verify_one) {
  std::vector<MatrixRatios> each(static_cast<std::size_t>(count));
  FirstFailure failure;
  for_each(count, threads_if(thread_tuning().of_order(n) == 1), [&](std::int64_t k) {
    failure.guard([&] { each[static_cast<std::size_t>(k)] = MatrixRatios(verify_one(k)); });
  });
  failure.rethrow();
  BatchVerification all;
  for (std::int64_t k = 0; k < count; ++k) note_verification(each[static_cast<std::size_t>(k)], k, all);
  return all;
}

#ifdef EIGEN_G_HAVE_CUDA

// The largest order for which matrices on host pointers are verified together. Larger ones are verified one after the other, with products by cuBLAS.
constexpr std::int64_t largest_order_of_a_block = 1024;
constexpr std::int64_t bytes_at_once = std::int64_t{1} << 28;

template <class T>
void verify_on_device(const Queue& queue, const BatchToVerify<T>& batch, std::int64_t first,
                      BatchVerification& all) {
  for (const MatrixSums& s : verify_matrices(queue, batch)) {
    Verification v;
    v.n = batch.n;
    v.m = batch.m;
    set_figures({{s.matrix}, {}, {s.residual}, {}, {}, {s.gram}, {}}, s.scale,
                std::numeric_limits<real_t<T>>::epsilon(), v);
    v.ascending = s.ascending;
    v.finite = s.finite;
    note_verification(MatrixRatios(v), first++, all);
  }
}

// to_dev := the matrices of a batch, one after the other without gaps.
template <class X>
void bring_matrices(const Queue& queue, std::int64_t rows, std::int64_t cols, std::int64_t count,
                    const X* from, std::int64_t ld, std::int64_t stride, X* to_dev) {
  if (stride == ld * cols)
    return upload<X>(queue, Part::all, {from, rows, cols * count, ld}, {to_dev, rows, cols * count, rows});
  for (std::int64_t k = 0; k < count; ++k)
    upload<X>(queue, Part::all, {from + k * stride, rows, cols, ld},
              {to_dev + k * rows * cols, rows, cols, rows});
}

template <class T>
BatchVerification verified_on_gpu(const BatchToVerify<T>& b) {
  using R = real_t<T>;
  BatchVerification all;
  const auto bytes = static_cast<std::int64_t>(sizeof(T)) * b.n * (b.n + b.m + 1);
  const std::int64_t at_once = std::clamp<std::int64_t>(bytes_at_once / bytes, 1, b.count);
  const Queue queue;
  const DeviceBuffer<T> a(b.n * b.n * at_once), z(b.n * b.m * at_once);
  const DeviceBuffer<R> w(b.m * at_once);
  for (std::int64_t k = 0; k < b.count; k += at_once) {
    const std::int64_t count = std::min(at_once, b.count - k);
    bring_matrices<T>(queue, b.n, b.n, count, b.a + k * b.strides.a, b.lda, b.strides.a, a.data());
    if (b.m > 0) {
      bring_matrices<R>(queue, b.m, 1, count, b.w + k * b.strides.w, b.m, b.strides.w, w.data());
      bring_matrices<T>(queue, b.n, b.m, count, b.z + k * b.strides.z, b.ldz, b.strides.z, z.data());
    }
    verify_on_device<T>(
        queue, {b.uplo, b.n, count, b.m, a.data(), b.n, w.data(), z.data(), b.n, {b.n * b.n, b.m, b.n * b.m}},
        k, all);
  }
  all.on_gpu = true;
  return all;
}

#endif

template <class T>
BatchVerification verified(const BatchToVerify<T>& b, DeviceChoice device) {
  if (device == DeviceChoice::gpu) require_gpu();
#ifdef EIGEN_G_HAVE_CUDA
  if (device != DeviceChoice::cpu && b.count > 0 && b.n > 0 && gpu_count() > 0) {
    BatchVerification all;
    for (std::int64_t k = 0; k < b.count && b.n > largest_order_of_a_block; ++k) {
      const Verification v = verify_on<T>(device, b.uplo, b.n, b.a + k * b.strides.a, b.lda, b.m,
                                          b.w + k * b.strides.w, b.z + k * b.strides.z, b.ldz);
      note_verification(MatrixRatios(v), k, all);
      all.on_gpu = v.on_gpu;
    }
    if (b.n > largest_order_of_a_block) return all;
    try {
      return verified_on_gpu(b);
    } catch (const OutOfMemory& error) {
      if (device == DeviceChoice::gpu || !error.on_device()) throw;
    }
  }
#endif
  return verified_on_cpu(b.n, b.count, [&](std::int64_t k) {
    return verify_on<T>(DeviceChoice::cpu, b.uplo, b.n, b.a + k * b.strides.a, b.lda, b.m,
                        b.w + k * b.strides.w, b.z + k * b.strides.z, b.ldz);
  });
}

template <class Work>
BatchVerification with_time(std::int64_t count, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  BatchVerification v = work();
  v.count = count;
  v.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return v;
}

}  // namespace

bool passed(const BatchVerification& v) {
  return v.failed == 0;
}

template <class T>
BatchVerification verify_batched(Uplo uplo, std::int64_t n, std::int64_t count, const T* a, std::int64_t lda,
                                 std::int64_t m, const same_t<real_t<T>>* w, const same_t<T>* z,
                                 std::int64_t ldz, const BatchStrides& strides, DeviceChoice device,
                                 int threads) {
  const BatchToVerify<T> batch = checked<T>({uplo, n, count, m, a, lda, w, z, ldz, strides});
  const ThreadLimit limit(threads);
  return with_time(count, [&] { return verified(batch, device); });
}

template <class T>
BatchVerification verify_generalised_batched(Uplo uplo, std::int64_t n, std::int64_t count, const T* a,
                                             std::int64_t lda, const same_t<T>* b, std::int64_t ldb,
                                             std::int64_t m, const same_t<real_t<T>>* w, const same_t<T>* z,
                                             std::int64_t ldz, const BatchStrides& strides, int threads) {
  const BatchToVerify<T> all = checked<T>({uplo, n, count, m, a, lda, w, z, ldz, strides});
  require_pointer(b, n > 0 && count > 0, Argument::b);
  require_leading_dimension(ldb, n, Argument::ldb);
  const std::int64_t stride_b = strides.b == 0 ? ldb * n : strides.b;
  const ThreadLimit limit(threads);
  return with_time(count, [&] {
    return verified_on_cpu(n, count, [&](std::int64_t k) {
      return verify_generalised<T>(1, uplo, n, a + k * all.strides.a, lda, b + k * stride_b, ldb, m,
                                   w + k * all.strides.w, z + k * all.strides.z, ldz, DeviceChoice::cpu);
    });
  });
}

template <class T>
BatchVerification verify_batched(Uplo uplo, std::int64_t n, std::int64_t count, DevicePointer<T> a,
                                 std::int64_t lda, std::int64_t m, same_t<DevicePointer<real_t<T>>> w,
                                 same_t<DevicePointer<T>> z, std::int64_t ldz,
                                 [[maybe_unused]] CUstream_st* stream, const BatchStrides& strides) {
  const BatchToVerify<T> batch =
      checked<T>({uplo, n, count, m, a.get(), lda, w.get(), z.get(), ldz, strides});
  require(n <= largest_order_of_kernels, Argument::n, n, "must be at most 32768");
  require_on_gpu({{Argument::a, batch.a}, {Argument::w, batch.w}, {Argument::z, batch.z}});
  for (const auto& [argument, p] : {NamedPointer{Argument::a, batch.a}, {Argument::z, batch.z}})
    require(reinterpret_cast<std::uintptr_t>(p) % sizeof(T) == 0, argument,
            "must be aligned to the size of its elements");
  return with_time(count, [&] {
    BatchVerification all;
#ifdef EIGEN_G_HAVE_CUDA
    if (count > 0) verify_on_device(Queue(stream), batch, 0, all);
#endif
    all.on_gpu = true;
    return all;
  });
}

EIGEN_G_INSTANTIATE(all_types, verify_generalised_batched);
EIGEN_G_INSTANTIATE_OVERLOAD(all_types, verify_batched,
                             BatchVerification(Uplo, std::int64_t, std::int64_t, const T*, std::int64_t,
                                               std::int64_t, const real_t<T>*, const T*, std::int64_t,
                                               const BatchStrides&, DeviceChoice, int));
EIGEN_G_INSTANTIATE_OVERLOAD(all_types, verify_batched,
                             BatchVerification(Uplo, std::int64_t, std::int64_t, DevicePointer<T>,
                                               std::int64_t, std::int64_t, DevicePointer<real_t<T>>,
                                               DevicePointer<T>, std::int64_t, CUstream_st*,
                                               const BatchStrides&));

}  // namespace eigen_g
