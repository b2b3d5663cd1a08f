#include "solver/driver/device_stages.hpp"

#include <algorithm>
#include <optional>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/driver/device_parts.hpp"
#include "solver/path/device_clock.hpp"
#include "solver/path/one_stage.hpp"
#include "solver/prepare/check_input.hpp"
#include "solver/prepare/scale.hpp"
#include "solver/reduction/one_stage/reflector_layout.hpp"

namespace eigen_g {

namespace {

static_assert(sytrd_in_place_lda(1) == tridiagonalize_row_multiple);

// What each stage takes on the device; on host pointers also what stands in for them there.
struct SytrdParts {
  MatrixView<double> given, working;  // working: null where it is a itself
  Tridiagonal<double> t;
  double* tau = nullptr;
  double* padding = nullptr;
  Arena kept, scratch;

  SytrdParts(Arena& arena, Pointers pointers, Uplo uplo, std::int64_t n, std::int64_t lda, bool aligned,
             int multiprocessors) {
    const bool host = pointers == Pointers::host;
    const bool in_place = !host && uplo == Uplo::lower && lda == sytrd_in_place_lda(n) && aligned;
    const PathBytes path = OneStageOnDevice<double>::bytes(n, 0, multiprocessors);
    if (host) {
      given = arena.matrix<double>(n, n, n);
      t = {arena.take<double>(n), arena.take<double>(n)};
    }
    if (in_place)
      padding = arena.take<double>((lda - n) * n);
    else
      working = arena.matrix<double>(n, n, sytrd_in_place_lda(n));
    kept = arena.part(path.kept);
    scratch = arena.part(std::max(path.scratch, check_input_bytes));
  }
};

struct StedcParts {
  Tridiagonal<double> t;
  MatrixView<double> z;
  Arena scratch;

  StedcParts(Arena& arena, Pointers pointers, std::int64_t n, bool vectors) {
    if (pointers == Pointers::host) {
      t = {arena.take<double>(n), arena.take<double>(n)};
      if (vectors) z = arena.matrix<double>(n, n, n);
    }
    scratch = arena.part(divide_and_conquer_bytes<double>(n, vectors));
  }
};

struct OrmtrParts {
  MatrixView<double> given, z, reflectors;
  Arena kept, scratch;

  OrmtrParts(Arena& arena, Pointers pointers, Uplo uplo, std::int64_t n, std::int64_t m,
             int multiprocessors) {
    if (pointers == Pointers::host) {
      if (uplo == Uplo::upper) given = arena.matrix<double>(n, n, n);
      z = arena.matrix<double>(n, m, n);
    }
    reflectors = arena.matrix<double>(n, n, sytrd_in_place_lda(n));
    const PathBytes path = OneStageOnDevice<double>::bytes(n, m, multiprocessors);
    kept = arena.part(path.kept);
    scratch = arena.part(path.scratch);
  }
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
double check_working(const Queue& queue, Uplo uplo, MatrixView<const double> working, Arena scratch) {
  try {
    return check_input<double>(queue, Uplo::lower, working, scratch).largest;
  } catch (const NonFiniteEntry& entry) {
    if (uplo == Uplo::lower) throw;
    double value = 0;
    copy_values(queue, &value, &working(entry.row(), entry.col()), 1);
    queue.wait();
    throw NonFiniteEntry(working.rows - 1 - entry.row(), working.rows - 1 - entry.col(), value);
  }
}

// Device memory throughout. `working`: n x n in the reduction's layout, or a itself.
void reduce(Steps& step, OneStageOnDevice<double>& path, const Queue& queue, Uplo uplo, MatrixView<double> a,
            Tridiagonal<double> t, double* tau, MatrixView<double> working, double* padding, Arena scratch) {
  const std::int64_t n = a.cols;
  const bool in_place = working.data == a.data;
  if (!in_place) take_triangle(queue, uplo, a, working);
  const int k =
      scale_exponent(step(Stage::check, [&] { return check_working(queue, uplo, working, scratch); }));
  std::optional<KeptPadding> kept;
  if (in_place) {
    kept.emplace(queue, a, padding);
    take_triangle(queue, uplo, a, working);
  }
  step(Stage::scale, [&] { scale(queue, working, k); });
  path.run(step, working, t, {});
  scale_values(queue, n, t.d, -k);
  scale_values(queue, n - 1, t.e, -k);
  copy_values(queue, tau, path.tau(), n - 1);
  if (uplo == Uplo::upper) {
    reverse_rows<double>(queue, {t.d, n, 1, n});
    reverse_rows<double>(queue, {t.e, n - 1, 1, n});
    reverse_rows<double>(queue, {tau, n - 1, 1, n});
  }
  give_reflectors(queue, uplo, working, t.d, t.e, a);
  if (kept) kept->give_back();
}

}  // namespace

template <>
void sytrd_on_gpu<double>(Pointers pointers, Uplo uplo, MatrixView<double> a, Tridiagonal<double> t,
                          double* tau, CUstream_st* stream, Report& report) {
  const std::int64_t n = a.cols;
  const Queue queue = queue_for(pointers, stream);
  const bool aligned = reinterpret_cast<std::uintptr_t>(a.data) % 16 == 0;
  const Placed<SytrdParts> own(queue, pointers, uplo, n, a.lda, aligned, queue.multiprocessors());
  const Products<double> products(queue);
  OneStageOnDevice<double> path(products, n, own->kept, own->scratch);
  DeviceClock<double> clock(queue, products);
  const Progress nobody;
  Steps step(clock, nobody, report.stages);
  const auto reduce_in = [&](MatrixView<double> a_dev, Tridiagonal<double> t_dev, double* tau_dev) {
    reduce(step, path, queue, uplo, a_dev, t_dev, tau_dev, own->working.data ? own->working : a_dev,
           own->padding, own->scratch);
  };
  if (pointers == Pointers::device) {
    reduce_in(a, t, tau);
  } else {
    upload<double>(queue, Part::all, a,
                   own->given);  // both triangles go back as they came, but for the results
    reduce_in(own->given, own->t, path.tau());
    download<double>(queue, own->given, a);
    copy_values(queue, t.d, own->t.d, n);
    copy_values(queue, t.e, own->t.e, n - 1);
    copy_values(queue, tau, path.tau(), n - 1);
  }
  step.finish();
}

template <>
Outcome stedc_on_gpu<double>(Pointers pointers, std::int64_t n, Tridiagonal<double> t, MatrixView<double> z,
                             CUstream_st* stream) {
  const Queue queue = queue_for(pointers, stream);
  const Placed<StedcParts> own(queue, pointers, n, z.data != nullptr);
  const Products<double> products(queue);
  if (pointers == Pointers::device) return divide_and_conquer<double>(products, n, t.d, t.e, z, own->scratch);

  copy_values(queue, own->t.d, t.d, n);
  copy_values(queue, own->t.e, t.e, n - 1);
  const Outcome outcome = divide_and_conquer<double>(products, n, own->t.d, own->t.e, own->z, own->scratch);
  copy_values(queue, t.d, own->t.d, n);
  if (z.data) download<double>(queue, own->z, z);
  queue.wait();
  return outcome;
}

template <>
void ormtr_on_gpu<double>(Pointers pointers, Uplo uplo, MatrixView<const double> a, const double* tau,
                          MatrixView<double> z, CUstream_st* stream, Report& report) {
  const std::int64_t n = a.cols, m = z.cols;
  const bool host = pointers == Pointers::host, upper = uplo == Uplo::upper;
  const Queue queue = queue_for(pointers, stream);
  const Placed<OrmtrParts> own(queue, pointers, uplo, n, m, queue.multiprocessors());
  const Products<double> products(queue);
  OneStageOnDevice<double> path(products, n, own->kept, own->scratch);
  DeviceClock<double> clock(queue, products);
  const Progress nobody;
  Steps step(clock, nobody, report.stages);
  const MatrixView<double> v = own->reflectors, z_dev = host ? own->z : z;

  MatrixView<const double> a_dev = a;
  if (host) {  // a lower triangle becomes v where it arrives
    const MatrixView<double> arrival = upper ? own->given : v;
    upload<double>(queue, upper ? Part::upper : Part::lower, a, arrival);
    upload<double>(queue, Part::all, z, z_dev);
    a_dev = arrival;
  }
  take_reflectors(queue, uplo, a_dev, v);
  copy_values(queue, path.tau(), tau, n - 1);
  if (upper) {
    reverse_rows<double>(queue, {path.tau(), n - 1, 1, n});
    reverse_rows(queue, z_dev);
  }
  path.of(v).apply(step, z_dev);
  if (upper) reverse_rows(queue, z_dev);
  if (host) download<double>(queue, z_dev, z);
  step.finish();
}

WorkspaceBytes sytrd_gpu_bytes(Pointers pointers, Uplo uplo, std::int64_t n, std::int64_t lda) {
  const int multiprocessors = gpu_facts(current_gpu()).cores;
  return {0, bytes_taken([&](Arena& a) { SytrdParts(a, pointers, uplo, n, lda, true, multiprocessors); })};
}

WorkspaceBytes stedc_gpu_bytes(Pointers pointers, std::int64_t n, bool vectors) {
  return {bytes_of(4 * n),  // host: copies of d and e, the tree
          bytes_taken([&](Arena& a) { StedcParts(a, pointers, n, vectors); })};
}

WorkspaceBytes ormtr_gpu_bytes(Pointers pointers, Uplo uplo, std::int64_t n, std::int64_t m) {
  const int multiprocessors = gpu_facts(current_gpu()).cores;
  return {0, bytes_taken([&](Arena& a) { OrmtrParts(a, pointers, uplo, n, m, multiprocessors); })};
}

std::vector<double> on_host(const double* values_dev, std::int64_t count, CUstream_st* stream) {
  std::vector<double> values(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
  if (values.empty()) return values;
  EIGEN_G_CUDA(cudaMemcpyAsync(values.data(), values_dev, bytes_of(count), cudaMemcpyDefault, stream));
  EIGEN_G_CUDA(cudaStreamSynchronize(stream));
  return values;
}

}  // namespace eigen_g
