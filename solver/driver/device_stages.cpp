#include "solver/driver/device_stages.hpp"

#include <algorithm>
#include <optional>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/prepare/check_input.hpp"
#include "solver/prepare/scale.hpp"
#include "solver/reduction/one_stage/reflector_layout.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"

namespace eigen_g {

namespace {

static_assert(sytrd_in_place_lda(1) == tridiagonalize_row_multiple);

std::uint64_t bytes_of(std::int64_t doubles) {
  return static_cast<std::uint64_t>(doubles) * sizeof(double);
}

void copy_values(const Queue& queue, double* to, const double* from, std::int64_t count) {
  if (count > 0) EIGEN_G_CUDA(cudaMemcpyAsync(to, from, bytes_of(count), cudaMemcpyDefault, queue.stream()));
}

void copy_matrix(const Queue& queue, MatrixView<double> to, MatrixView<const double> from) {
  if (from.rows > 0 && from.cols > 0)
    EIGEN_G_CUDA(cudaMemcpy2DAsync(to.data, bytes_of(to.lda), from.data, bytes_of(from.lda),
                                   bytes_of(from.rows), static_cast<std::size_t>(from.cols),
                                   cudaMemcpyDefault, queue.stream()));
}

void require_free(std::uint64_t needed) {
  const Device gpu = gpu_device(current_gpu());
  if (needed > gpu.memory_free)
    throw OutOfMemory(OutOfMemory::Where::device, gpu.name, needed, gpu.memory_free);
}

Queue queue_for(Pointers pointers, CUstream_st* stream) {
  return pointers == Pointers::host ? Queue() : Queue(stream);
}

// Doubles that a call takes on the device: the one place of each stage that knows them.
struct SytrdSizes {
  bool in_place;
  std::int64_t given, values, working, padding, scratch;

  SytrdSizes(Pointers pointers, Uplo uplo, std::int64_t n, std::int64_t lda, bool aligned,
             int multiprocessors)
      : in_place(pointers == Pointers::device && uplo == Uplo::lower && lda == sytrd_in_place_lda(n) &&
                 aligned),
        given(pointers == Pointers::host ? n * n : 0),
        values(pointers == Pointers::host ? 3 * n : 0),
        working(in_place ? 0 : sytrd_in_place_lda(n) * n),
        padding(in_place ? (lda - n) * n : 0),
        scratch(tridiagonalize_workspace(n, multiprocessors)) {}
  std::uint64_t bytes() const { return bytes_of(given + values + working + padding + scratch); }
};

struct StedcSizes {
  std::int64_t values, vectors, scratch;

  StedcSizes(Pointers pointers, std::int64_t n, bool with_vectors)
      : values(pointers == Pointers::host ? 2 * n : 0),
        vectors(pointers == Pointers::host && with_vectors ? n * n : 0),
        scratch(divide_and_conquer_workspace(n, with_vectors)) {}
  std::uint64_t bytes() const { return bytes_of(values + vectors + scratch); }
};

struct OrmtrSizes {
  std::int64_t given, z, tau, reflectors, scratch;

  OrmtrSizes(Pointers pointers, Uplo uplo, std::int64_t n, std::int64_t m)
      : given(pointers == Pointers::host && uplo == Uplo::upper ? n * n : 0),
        z(pointers == Pointers::host ? n * m : 0),
        tau(n),
        reflectors(sytrd_in_place_lda(n) * n),
        scratch(back_transform_workspace(n, m)) {}
  std::uint64_t bytes() const { return bytes_of(given + z + tau + reflectors + scratch); }
};

// The rows between n and lda belong to the caller; the reduction wants zeros there.
class KeptPadding {
 public:
  KeptPadding(const Queue& queue, MatrixView<double> a_dev, double* keep_dev)
      : queue_(queue),
        padding_{a_dev.data + a_dev.rows, a_dev.lda - a_dev.rows, a_dev.cols, a_dev.lda},
        kept_{keep_dev, padding_.rows, padding_.cols, padding_.rows} {
    copy_matrix(queue_, kept_, padding_);
  }
  void give_back() const { copy_matrix(queue_, padding_, kept_); }

 private:
  const Queue& queue_;
  MatrixView<double> padding_, kept_;
};

// The largest entry of the working matrix; a bad one is named as it stands in the caller's.
double check_working(const Queue& queue, Uplo uplo, MatrixView<const double> working) {
  try {
    return check_input(queue, Uplo::lower, working);
  } catch (const NonFiniteEntry& entry) {
    if (uplo == Uplo::lower) throw;
    double value = 0;
    copy_values(queue, &value, &working(entry.row(), entry.col()), 1);
    queue.wait();
    throw NonFiniteEntry(working.rows - 1 - entry.row(), working.rows - 1 - entry.col(), value);
  }
}

// Device memory throughout. `working`: n x n in the reduction's layout, or a itself.
void reduce(Queue& queue, Uplo uplo, MatrixView<double> a, double* d, double* e, double* tau,
            MatrixView<double> working, double* padding, double* scratch) {
  const std::int64_t n = a.cols;
  const bool in_place = working.data == a.data;
  if (!in_place) take_triangle(queue, uplo, a, working);
  const int k = scale_exponent(check_working(queue, uplo, working));
  std::optional<KeptPadding> kept;
  if (in_place) {
    kept.emplace(queue, a, padding);
    take_triangle(queue, uplo, a, working);
  }
  scale(queue, working, k);
  tridiagonalize(queue, working, d, e, tau, scratch);
  scale_values(queue, n, d, -k);
  scale_values(queue, n - 1, e, -k);
  if (uplo == Uplo::upper) {
    reverse_rows(queue, {d, n, 1, n});
    reverse_rows(queue, {e, n - 1, 1, n});
    reverse_rows(queue, {tau, n - 1, 1, n});
  }
  give_reflectors(queue, uplo, working, d, e, a);
  if (kept) kept->give_back();
}

}  // namespace

void sytrd_on_gpu(Pointers pointers, Uplo uplo, MatrixView<double> a, double* d, double* e, double* tau,
                  CUstream_st* stream) {
  const std::int64_t n = a.cols;
  Queue queue = queue_for(pointers, stream);
  const bool aligned = reinterpret_cast<std::uintptr_t>(a.data) % 16 == 0;
  const SytrdSizes sizes(pointers, uplo, n, a.lda, aligned, queue.multiprocessors());
  require_free(sizes.bytes());
  const DeviceBuffer<double> given(sizes.given), values(sizes.values), copy(sizes.working),
      padding(sizes.padding), scratch(sizes.scratch);
  const auto working_of = [&](MatrixView<double> a_dev) {
    return sizes.in_place ? a_dev : MatrixView<double>{copy.data(), n, n, sytrd_in_place_lda(n)};
  };
  if (pointers == Pointers::device) {
    reduce(queue, uplo, a, d, e, tau, working_of(a), padding.data(), scratch.data());
  } else {
    const MatrixView<double> a_dev{given.data(), n, n, n};
    double *const d_dev = values.data(), *const e_dev = d_dev + n, *const tau_dev = e_dev + n;
    upload(queue, Part::all, a, a_dev);  // both triangles go back as they came, but for the results
    reduce(queue, uplo, a_dev, d_dev, e_dev, tau_dev, working_of(a_dev), padding.data(), scratch.data());
    download(queue, a_dev, a);
    copy_values(queue, d, d_dev, n);
    copy_values(queue, e, e_dev, n - 1);
    copy_values(queue, tau, tau_dev, n - 1);
  }
  queue.wait();
}

Outcome stedc_on_gpu(Pointers pointers, std::int64_t n, double* d, double* e, MatrixView<double> z,
                     CUstream_st* stream) {
  const Queue queue = queue_for(pointers, stream);
  const StedcSizes sizes(pointers, n, z.data != nullptr);
  require_free(sizes.bytes());
  const DeviceBuffer<double> values(sizes.values), vectors(sizes.vectors), scratch(sizes.scratch);
  if (pointers == Pointers::device) return divide_and_conquer(queue, n, d, e, z, scratch.data());

  double *const d_dev = values.data(), *const e_dev = d_dev + n;
  const MatrixView<double> z_dev{vectors.data(), n, n, n};
  copy_values(queue, d_dev, d, n);
  copy_values(queue, e_dev, e, n - 1);
  const Outcome outcome = divide_and_conquer(queue, n, d_dev, e_dev, z_dev, scratch.data());
  copy_values(queue, d, d_dev, n);
  if (z.data) download(queue, z_dev, z);
  queue.wait();
  return outcome;
}

void ormtr_on_gpu(Pointers pointers, Uplo uplo, MatrixView<const double> a, const double* tau,
                  MatrixView<double> z, CUstream_st* stream) {
  const std::int64_t n = a.cols, m = z.cols;
  const bool host = pointers == Pointers::host, upper = uplo == Uplo::upper;
  Queue queue = queue_for(pointers, stream);
  const OrmtrSizes sizes(pointers, uplo, n, m);
  require_free(sizes.bytes());
  const DeviceBuffer<double> given(sizes.given), staged_z(sizes.z), tau_dev(sizes.tau),
      reflectors(sizes.reflectors), scratch(sizes.scratch);
  const MatrixView<double> v{reflectors.data(), n, n, sytrd_in_place_lda(n)};
  const MatrixView<double> z_dev = host ? MatrixView<double>{staged_z.data(), n, m, n} : z;

  MatrixView<const double> a_dev = a;
  if (host) {  // a lower triangle becomes v where it arrives
    const MatrixView<double> arrival = upper ? MatrixView<double>{given.data(), n, n, n} : v;
    upload(queue, upper ? Part::upper : Part::lower, a, arrival);
    upload(queue, Part::all, z, z_dev);
    a_dev = arrival;
  }
  take_reflectors(queue, uplo, a_dev, v);
  copy_values(queue, tau_dev.data(), tau, n - 1);
  if (upper) {
    reverse_rows(queue, {tau_dev.data(), n - 1, 1, n});
    reverse_rows(queue, z_dev);
  }
  back_transform(queue, v, tau_dev.data(), z_dev, scratch.data());
  if (upper) reverse_rows(queue, z_dev);
  if (host) download(queue, z_dev, z);
  queue.wait();
}

WorkspaceBytes sytrd_gpu_bytes(Pointers pointers, Uplo uplo, std::int64_t n, std::int64_t lda) {
  return {0, SytrdSizes(pointers, uplo, n, lda, true, gpu_device(current_gpu()).cores).bytes()};
}

WorkspaceBytes stedc_gpu_bytes(Pointers pointers, std::int64_t n, bool vectors) {
  return {bytes_of(4 * n), StedcSizes(pointers, n, vectors).bytes()};  // host: copies of d and e, the tree
}

WorkspaceBytes ormtr_gpu_bytes(Pointers pointers, Uplo uplo, std::int64_t n, std::int64_t m) {
  return {0, OrmtrSizes(pointers, uplo, n, m).bytes()};
}

std::vector<double> on_host(const double* values_dev, std::int64_t count, CUstream_st* stream) {
  std::vector<double> values(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
  if (values.empty()) return values;
  EIGEN_G_CUDA(cudaMemcpyAsync(values.data(), values_dev, bytes_of(count), cudaMemcpyDefault, stream));
  EIGEN_G_CUDA(cudaStreamSynchronize(stream));
  return values;
}

}  // namespace eigen_g
