// DeviceBackend: the stages of a standard solve on one GPU, with or without helpers. If T is complex, the divide and conquer works on real
// matrices, and there are no helpers. The functions below the class are for all recipes.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "gemm_df/engines/native/halves.hpp"
#include "gemm_df/load_products.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/calibrate/share_rule.hpp"
#include "solver/devices/solve_team.hpp"
#include "solver/devices/tuning.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/driver/backend.hpp"
#include "solver/driver/device_frame.hpp"
#include "solver/driver/places.hpp"
#include "solver/path/one_stage.hpp"
#include "solver/path/two_stage.hpp"
#include "solver/prepare/check_input.hpp"
#include "solver/prepare/pack.hpp"
#include "solver/prepare/scale.hpp"
#include "solver/tridiagonal/dc_large_product.hpp"
#include "solver/tridiagonal/widen.hpp"

namespace eigen_g {

namespace {

// The buffers of the workspace. A matrix that is stored elsewhere has null data.
template <class T>
struct DeviceParts {
  MatrixView<T> matrix, z;
  MatrixView<real_t<T>> u, q;  // U: a buffer of its own only if T is complex
  Tridiagonal<real_t<T>> t;
  Arena kept, scratch;  // for the path (PathBytes); scratch also for all other stages
  Arena back;           // q, u and scratch as one buffer, for the back-transformation; not used if back_in_a
  bool back_in_a = false;
  std::span<std::byte> products;  // for Products::lend()

  DeviceParts(Arena& arena, const Plan& plan, const Places& places, int multiprocessors) {
    const std::int64_t n = plan.n, m = plan.max_count();
    // Products are faster with this leading dimension.
    const std::int64_t even = round_up(n, 16 / sizeof(real_t<T>));
    const PathBytes path = plan.path == Path::two_stage
                               ? TwoStageOnDevice<T>::bytes(n, m, multiprocessors, plan.devices.gpus > 1)
                               : OneStageOnDevice<T>::bytes(n, m, multiprocessors);
    if (places.a.where == Where::own)
      matrix = arena.matrix<T>(n, n, round_up(n, tridiagonalize_row_multiple));
    if (places.owns_z()) z = arena.matrix<T>(n, n, even);
    t = {arena.take<real_t<T>>(n), arena.take<real_t<T>>(n)};
    kept = arena.part(path.kept);
    const auto vectors_of_t = [&](Arena& a) {
      if (places.q.where == Where::own) q = a.matrix<real_t<T>>(n, n, even);
      if (places.u.where == Where::own) u = a.matrix<real_t<T>>(n, n, even);
    };
    const std::uint64_t of_t = bytes_taken(vectors_of_t);
    const std::uint64_t of_loading = bytes_taken([](Arena& a) { a.take<T>(loading_values); });
    const std::uint64_t rest =
        std::max({path.scratch, check_input_bytes, of_loading,
                  divide_and_conquer_bytes<real_t<T>>(n, plan.options.vectors, false)});
    back_in_a = places.back_in_a && bytes_in_a(n) >= path.back_min;
    back = arena.part(std::max(of_t + rest, back_in_a ? 0 : of_t > 0 ? path.back_preferred : path.back_min));
    Arena parts = back;
    vectors_of_t(parts);
    scratch = parts.part(rest);
    const auto lent = static_cast<std::int64_t>(bytes_to_lend<T>(n));
    products = {arena.take<std::byte>(lent), static_cast<std::size_t>(lent)};
  }
  // The back-transformation's workspace. `a` is the caller's array of A.
  Arena back_at(MatrixView<T> a) const {
    if (!back_in_a) return back;
    const auto at = reinterpret_cast<std::uintptr_t>(a.data);
    return {a.data + (Arena::alignment - at % Arena::alignment) / sizeof(T), bytes_in_a(a.cols)};
  }

 private:
  static std::uint64_t bytes_in_a(std::int64_t n) {
    const auto bytes = static_cast<std::uint64_t>(n * n) * sizeof(T);
    return bytes - std::min(bytes, Arena::alignment);
  }
};

template <class T>
std::uint64_t device_parts_bytes(const Plan& plan, const Places& places, int multiprocessors) {
  return bytes_taken([&](Arena& arena) { DeviceParts<T>(arena, plan, places, multiprocessors); });
}

// Bytes of host memory for d, e and the tree of the divide and conquer.
std::uint64_t host_bytes(const Plan& plan) {
  return 4 * sizeof(double) * static_cast<std::uint64_t>(plan.n);
}

std::optional<Partition> partition_of(const Devices& devices) {
  if (devices.multiprocessors == 0) return std::nullopt;
  const int all = gpu_facts(current_gpu()).multiprocessors;
  require(devices.multiprocessors <= all, Argument::multiprocessors,
          "is " + std::to_string(devices.multiprocessors) + ", this GPU has " + std::to_string(all) +
              " multiprocessors");
  return std::optional<Partition>(std::in_place, devices.multiprocessors);
}

template <class T>
class DeviceBackend final : public StandardBackend<T> {
 public:
  DeviceBackend(const Plan& plan, Resources& resources)
      : StandardBackend<T>(plan),
        gpu_(current_gpu()),
        further_(helper_gpus(plan.devices.gpus)),
        frame_(plan, resources, partition_of(plan.devices)) {
    if constexpr (!is_complex<T>)
      if (plan_.options.vectors)
        team_.emplace(
            queue_,
            share_rule(plan_.devices, plan_.n, std::is_same_v<T, double>, further_, queue_.multiprocessors()),
            Helpers{further_, true, plan_.devices.threads});
  }
  ~DeviceBackend() override {
    try {
      wait_for_pending();
    } catch (const DeviceError&) {  // the queued work has failed, so nothing uses the memory
    }
  }

  void set_workspace(const Workspace& workspace) override {
    wait_for_pending();
    frame_.memory.set_workspace(workspace);
  }

  void begin(const CallerMatrices<T>& problem) override {
    p_ = problem;
    frame_.begin(p_.stream);
    if (pending_) pending_->hold(queue_);
    places_ = places_of(plan_, p_);
    if (!copies_z() || !take(places_)) {
      places_ = places_of(plan_, p_, true);
      place(places_);
    }
    products_.lend(parts_->products);
    const std::int64_t n = plan_.n, m = plan_.max_count();
    const MatrixView<T> spare = p_.spare(plan_);
    if (plan_.path == Path::two_stage)
      reduction_ = std::make_unique<TwoStageOnDevice<T>>(
          products_, n, m, parts_->kept, parts_->scratch, parts_->back_at(spare), team(),
          is_complex<T> ? ChaseBack::automatic : back_transform_chase_on_gpu(plan_.options.engine));
    else
      reduction_ = std::make_unique<OneStageOnDevice<T>>(products_, n, parts_->kept, parts_->scratch, team());
    a_ = places_.a.where == Where::own ? parts_->matrix : spare;
    if (!plan_.options.vectors) return;
    z_ = copies_z() ? parts_->z.block(0, 0, n, m) : places_.z.where == Where::own ? parts_->z : p_.z;
    const bool own_q = places_.q.where == Where::own;
    if constexpr (is_complex<T>) {
      merge_.compressed = parts_->u;
      merge_.q =
          own_q ? parts_->q : MatrixView<real_t<T>>{reinterpret_cast<real_t<T>*>(z_.data), n, n, 2 * z_.lda};
    } else {
      merge_.compressed = parts_->z;
      merge_.q = own_q ? parts_->q : spare;
    }
  }
  void end() noexcept override {
    frame_.end();
    fetch_.reset();
    ready_columns_.clear();
    pending_.reset();
  }
  void end_async() override {
    if (on_host_ || frame_.partition) return end();
    if (!pending_) pending_.emplace(queue_.resources());
    pending_->record(queue_);
  }
  Clock& clock() override { return frame_.clock; }

  void load() override {
    MatrixView<const T> source = p_.a;
    if (on_host_) {
      upload<T>(queue_, part_of(plan_.options.uplo), p_.a, a_);
      source = a_;
    }
    pack_lower<T>(queue_, plan_.options.uplo, source, a_);
  }
  real_t<T> check() override {
    facts_ = check_input<T>(queue_, plan_.options.uplo, a_, parts_->scratch);
    return facts_.largest;
  }
  void scale(int k) override { eigen_g::scale<T>(queue_, a_, k); }

  ImplicitQ<T>& reduce(StageRunner& run_stage) override {
    const std::int64_t n = plan_.n;
    // Band matrices in float were not measured, so they count as full.
    constexpr bool measured = std::is_same_v<T, double>;
    reduction_->given_band(measured ? facts_.bandwidth : std::numeric_limits<std::int64_t>::max());
    if constexpr (!is_complex<T>)
      if (team_) {
        std::vector<CutWork<T>> works{dc::last_merge_cut<T>(merge_.q)};
        for (CutWork<T>& work : reduction_->cuts(a_, z_.block(0, 0, n, plan_.max_count())))
          works.push_back(std::move(work));
        team_->prepare(works);
      }
    return reduction_->run(run_stage, a_, parts_->t, [&] {
      if (!plan_.options.vectors) return;
      if (n >= solver_tuning().min_order_with_cublas) load_products<T>(queue_, parts_->scratch);
      if (on_host_ && plan_.options.subset.by != Subset::By::value) fetch_.emplace(queue_, p_.z);
    });
  }
  DivideAndConquerResult divide_and_conquer(int k, const StageProgress&) override {
    const auto solve = [&](const auto& products, MatrixView<real_t<T>> z, SolveTeam<real_t<T>>* team) {
      return eigen_g::divide_and_conquer<real_t<T>>(products, plan_.n, parts_->t.d, parts_->t.e, z,
                                                    parts_->scratch, {plan_.options.subset, -k}, merge_,
                                                    team);
    };
    DivideAndConquerResult outcome;
    if constexpr (is_complex<T>) {
      // ozaki and ozaki-fast multiply complex matrices, and then the real matrices of this stage too.
      const bool chosen = sizeof(real_t<T>) == sizeof(double) && plan_.options.engine != Engine::automatic;
      Products<real_t<T>> of_reals(queue_, chosen ? plan_.options.engine : Engine::native);
      of_reals.lend(parts_->products);
      outcome = solve(of_reals, parts_->u, nullptr);
      if (plan_.options.vectors) widen<T>(queue_, parts_->u.block(0, 0, plan_.n, outcome.found.count), z_);
    } else {
      outcome = solve(products_, z_, team());
    }
    found_ = outcome.found.count;
    return outcome;
  }
  void back_transform(StageRunner& run_stage, ImplicitQ<T>& q) override {
    const auto leave = [this](ColumnRange columns) {
      ready_columns_.push_back({columns, Event(queue_.resources())});
      ready_columns_.back().ready.record(queue_);
    };
    q.apply(run_stage, z_.block(0, 0, plan_.n, found_),
            on_host_ ? std::function<void(ColumnRange)>(leave) : std::function<void(ColumnRange)>());
  }
  void unscale(int k) override { scale_values(queue_, found_, parts_->t.d, -k); }
  void store() override {
    fetch_.reset();
    if (found_ == 0) return;
    std::optional<Queue> second;
    if (ready_columns_.size() > 1) second.emplace(queue_.resources());
    const Queue& out = second ? *second : queue_;
    for (const ReadyColumns& part : ready_columns_) {
      const auto of = [&](MatrixView<T> z) {
        return z.block(0, part.columns.first, plan_.n, part.columns.count);
      };
      part.ready.hold(out);
      download<T>(out, of(z_), of(p_.z));
    }
    if (copies_z())
      copy_on_gpu<T>(queue_, p_.z.block(0, 0, plan_.n, found_), z_.block(0, 0, plan_.n, found_));
    // This copy is the last one, because a copy to host memory may wait for all queued work.
    copy_values(queue_, p_.w, parts_->t.d, found_);
  }

  void account(Report& report) override {
    report.path = plan_.path;
    report.bytes = {host_bytes(plan_), frame_.used + products_.scratch_bytes()};
    report.devices = {{gpu_facts(gpu_).name, gpu_, queue_.multiprocessors(), 1, 0}};
    if constexpr (!is_complex<T>)
      if (team_) team_->account(report);
  }

 private:
  // Returns true if the vectors are computed in the workspace and then copied to the caller's z on the GPU.
  bool copies_z() const { return !on_host_ && places_.z.where == Where::own; }
  void place(const Places& places) {
    const int multiprocessors = queue_.multiprocessors();
    if (frame_.memory.would_take(device_parts_bytes<T>(plan_, places, multiprocessors))) wait_for_pending();
    parts_ = frame_.template take<DeviceParts<T>>(plan_, places, multiprocessors);
  }
  // Calls place(), or returns false if there is too little memory.
  bool take(const Places& places) {
    if (!frame_.memory.may_hold(device_parts_bytes<T>(plan_, places, queue_.multiprocessors()))) return false;
    try {
      place(places);
      return true;
    } catch (const OutOfMemory&) {
      return false;
    }
  }
  // Columns of Z that can be copied to the host while the GPU does the work that is queued after them.
  struct ReadyColumns {
    ColumnRange columns;
    Event ready;
  };
  // Waits for the end of the last asynchronous solve. It does not wait for the queue, whose stream the caller may have destroyed since.
  void wait_for_pending() {
    if (pending_) pending_->wait();
    pending_.reset();
  }
  SolveTeam<T>* team() {
    if constexpr (is_complex<T>)
      return nullptr;
    else
      return team_ ? &*team_ : nullptr;
  }

  using StandardBackend<T>::plan_;
  int gpu_;
  std::vector<int> further_;
  DeviceFrame<T> frame_;
  const bool on_host_ = frame_.on_host;
  Queue& queue_ = frame_.queue;
  Products<T>& products_ = frame_.products;
  std::optional<Event> pending_;  // the end of the last asynchronous solve
  Places places_;
  std::optional<DeviceParts<T>> parts_;
  std::unique_ptr<DeviceReduction<T>> reduction_;
  CallerMatrices<T> p_;
  InputFacts<real_t<T>> facts_;
  MatrixView<T> a_, z_;
  MergeBuffers<real_t<T>> merge_;
  std::int64_t found_ = 0;
  std::optional<PageFetch> fetch_;
  std::vector<ReadyColumns> ready_columns_;
  struct NoTeam {};
  // The last member, so that it is destroyed first: its destructor waits for queued work that uses the other members.
  std::conditional_t<is_complex<T>, NoTeam, std::optional<SolveTeam<T>>> team_;
};

template <class T>
WorkspaceBytes standard_bytes_on_gpu(const Plan& plan, MatrixLayout layout) {
  const auto bytes = [&](MatrixLayout of) {
    const Places places = places_of(plan, arrays_of<T>(of, plan.n));
    return device_parts_bytes<T>(plan, places, gpu_facts(current_gpu()).multiprocessors);
  };
  const std::uint64_t packed = bytes(MatrixLayout::contiguous);
  return {host_bytes(plan),
          layout == MatrixLayout::contiguous ? packed : std::max(packed, bytes(MatrixLayout::any))};
}

}  // namespace

template <class T>
WorkspaceBytes bytes_on_gpu(const Plan& plan, MatrixLayout layout) {
  if (plan.generalised) return generalised_bytes_on_gpu<T>(plan);
  return wants_mixed<T>(plan) ? mixed_bytes_on_gpu(plan) : standard_bytes_on_gpu<T>(plan, layout);
}

template <class T>
std::unique_ptr<Backend<T>> backend_on_gpu(const Plan& plan, Resources* resources) {
  require_gpu();
  if (plan.generalised) return generalised_on_gpu<T>(plan, *resources);
  if constexpr (std::is_same_v<T, double>)
    if (wants_mixed<T>(plan)) return mixed_on_gpu(plan, *resources);
  return std::make_unique<DeviceBackend<T>>(plan, *resources);
}

std::shared_ptr<Resources> new_resources(const Allocator& allocator) {
  return std::make_shared<Resources>(allocator);
}
Resources* resources_of_this_thread() {
  return &Resources::of_this_thread();
}
void release(Resources* resources) {
  resources->release();
}

void start_device() {
  const Queue queue;
  const WorkMemory memory(queue, sizeof(double) * loading_values + Arena::alignment);
  load_products<double>(queue, Arena(memory.data(), sizeof(double) * loading_values + Arena::alignment));
  queue.wait();
}

EIGEN_G_INSTANTIATE(all_types, bytes_on_gpu, backend_on_gpu);

}  // namespace eigen_g
