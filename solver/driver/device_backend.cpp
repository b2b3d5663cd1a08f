// DeviceBackend: the stages of a standard solve on one GPU, with or without helpers. If T is complex, the divide and conquer works on real
// matrices, and there are no helpers.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "gemm_df/load_products.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/transfer/copy_2d.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "hybrid/transfer/transfer_thread.hpp"
#include "solver/calibrate/share_rule.hpp"
#include "solver/devices/solve_team.hpp"
#include "solver/devices/tuning.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/driver/backend.hpp"
#include "solver/driver/device_frame.hpp"
#include "solver/driver/device_parts.hpp"
#include "solver/path/one_stage.hpp"
#include "solver/path/parked_reflectors.hpp"
#include "solver/path/two_stage.hpp"
#include "solver/prepare/pack.hpp"
#include "solver/prepare/queued_check.hpp"
#include "solver/prepare/scale.hpp"
#include "solver/tridiagonal/dc_end.hpp"
#include "solver/tridiagonal/dc_large_product.hpp"
#include "solver/tridiagonal/widen.hpp"

namespace eigen_g {

namespace {

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
        helpers_(helper_gpus(plan.devices.gpus)),
        frame_(plan, resources, partition_of(plan.devices)) {
    if (parks()) transfers_.emplace(queue_.resources());
    if constexpr (!is_complex<T>)
      if (plan_.options.vectors && plan_.mode == MemoryMode::in_core)
        team_.emplace(
            queue_,
            share_rule(plan_.devices, plan_.n, std::is_same_v<T, double>, helpers_, queue_.multiprocessors()),
            Helpers{helpers_, true, plan_.devices.threads});
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
    const std::int64_t n = plan_.n, m = plan_.max_count();
    if (parks() && !on_park_) on_park_ = host_array<T>(parked_values<T>(plan_));
    places_ = places_of(plan_, p_);
    if (!copies_z() || !take(places_)) {
      places_ = places_of(plan_, p_, true);
      place(places_);
    }
    products_.lend(parts_->products);
    const MatrixView<T> spare = p_.spare(plan_);
    Arena back = parts_->back_at(spare);
    if (slabs()) back = parts_->columns_of_z(n).back;
    if (plan_.path == Path::two_stage) {
      auto two_stage = std::make_unique<TwoStageOnDevice<T>>(
          products_, n, m, parts_->kept, parts_->scratch, back, parks(), team(),
          is_complex<T> ? ChaseBack::automatic : back_transform_chase_on_gpu(plan_.options.engine));
      if (blocks())
        two_stage->use(parts_->blocks, plan_.options.engine == Engine::native && !frame_.partition);
      reduction_ = std::move(two_stage);
    } else {
      reduction_ =
          std::make_unique<OneStageOnDevice<T>>(products_, n, parts_->kept, parts_->scratch, back, team());
    }
    if (parks()) {
      parked_.emplace(queue_, *transfers_, MatrixView<T>{on_park_.get(), n, n, n});
      reduction_->park(*parked_);
    }
    a_ = places_.a.where == Where::own ? parts_->matrix : spare;
    if (blocks()) a_ = {nullptr, n, n, n};
    if (!plan_.options.vectors || slabs()) return;
    z_ = copies_z() ? parts_->z.block(0, 0, n, m) : places_.z.where == Where::own ? parts_->z : p_.z;
    const bool own_q = places_.q.where == Where::own;
    if constexpr (is_complex<T>) {
      u_ = places_.u.where == Where::own ? parts_->u : in_reals(a_);
      merge_.compressed = u_;
      merge_.q = own_q ? parts_->q : MatrixView<real_t<T>>{in_reals(z_).data, n, n, 2 * z_.lda};
    } else {
      merge_.compressed = parts_->z;
      merge_.q = own_q ? parts_->q : places_.q.where == Where::shared ? a_ : spare;
    }
  }
  void end() noexcept override {
    frame_.end();
    if (transfers_) transfers_->stop();
    fetch_.reset();
    ready_columns_.clear();
    pending_.reset();
    parked_.reset();
  }
  void end_async() override {
    if (on_host_ || frame_.partition) return end();
    if (!pending_) pending_.emplace(queue_.resources());
    pending_->record(queue_);
  }
  Clock& clock() override { return frame_.clock; }

  void load() override {
    if (blocks()) return load_blocks();
    MatrixView<const T> source = p_.a;
    if (on_host_) {
      upload<T>(queue_, part_of(plan_.options.uplo), p_.a, a_);
      source = a_;
    }
    pack_lower<T>(queue_, plan_.options.uplo, source, a_);
  }
  void check() override {
    if (blocks()) {
      Arena scratch = parts_->scratch;
      const auto facts = check_part<T>(queue_, parts_->blocks, scratch.take<T>(check_part_bytes / sizeof(T)));
      require_finite(facts, plan_.n, plan_.options.uplo);
      facts_ = {facts.largest, plan_.n};
      return;
    }
    check_.emplace(queue_, plan_.options.uplo, a_, parts_->scratch);
    check_->queue_check();
  }
  void scale() override {
    if (blocks()) return scale_part<T>(queue_, parts_->blocks, scale_exponent(facts_.largest));
    check_->queue_scale();
    if (!waits_late()) facts_ = check_->facts();
  }
  int exponent() override {
    if (waits_late()) {
      try {
        facts_ = check_->facts();
      } catch (const NonFiniteEntry&) {
        queue_.wait();  // for the queued reduction, which works on a matrix that is not finite
        throw;
      }
    }
    return scale_exponent(facts_.largest);
  }

  void reduce(StageRunner& run_stage) override {
    const std::int64_t n = plan_.n;
    // A can be a band matrix already. The two-stage path then chases a narrow band without full_to_band(). The largest bandwidths for this were
    // measured for real doubles only. A band matrix of another type is therefore reduced as a full matrix.
    constexpr bool measured = std::is_same_v<T, double>;
    const bool fetches = on_host_ && plan_.options.subset.by != Subset::By::value;
    if (parks()) {
      const std::int64_t values = parked_values<T>(plan_);
      fetch_.emplace(queue_, MatrixView<T>{on_park_.get(), values, 1, values},
                     fetches ? p_.z : MatrixView<T>());
    }
    reduction_->given_band(measured && !waits_late() ? facts_.bandwidth
                                                     : std::numeric_limits<std::int64_t>::max());
    if constexpr (!is_complex<T>)
      if (team_) {
        std::vector<CutWork<T>> works{dc::last_merge_cut<T>(merge_.q)};
        for (CutWork<T>& work : reduction_->cuts(a_, z_.block(0, 0, n, plan_.max_count())))
          works.push_back(std::move(work));
        team_->prepare(works);
      }
    q_ = &reduction_->run(run_stage, a_, parts_->t, [&] {
      if (!plan_.options.vectors) return;
      if (n >= solver_tuning().min_order_with_cublas) load_products<T>(queue_, parts_->scratch);
      if (fetches && !parks()) fetch_.emplace(queue_, p_.z);
    });
  }
  DivideAndConquerResult divide_and_conquer(int k, const StageProgress& progress) override {
    const std::int64_t n = plan_.n;
    const auto solve = [&](const auto& products, MatrixView<real_t<T>> z, Arena scratch,
                           std::int64_t first_row, const MergeBuffers<real_t<T>>& merge,
                           SolveTeam<real_t<T>>* team) {
      return eigen_g::divide_and_conquer<real_t<T>>(
          products, n, parts_->t.d, parts_->t.e, z, scratch,
          {.subset = plan_.options.subset, .scale = -k, .first_row = first_row}, merge, team,
          slabs() ? nullptr : &end_of_dc_.emplace(queue_.resources()));
    };
    DivideAndConquerResult outcome;
    const auto solve_all = [&](const auto& products, SolveTeam<real_t<T>>* team) {
      if (slabs())
        outcome = solve_slabs(products, solve, progress);
      else if constexpr (is_complex<T>)
        outcome = solve(products, u_, parts_->scratch, 0, merge_, nullptr);
      else
        outcome = solve(products, z_, parts_->scratch, 0, merge_, team);
    };
    if constexpr (is_complex<T>) {
      // The chosen engine, native or an ozaki engine, multiplies the real matrices of this stage too. Engine::automatic and floats take native here.
      const bool chosen = sizeof(real_t<T>) == sizeof(double) && plan_.options.engine != Engine::automatic;
      Products<real_t<T>> of_reals(queue_, chosen ? plan_.options.engine : Engine::native);
      of_reals.lend(parts_->products);
      solve_all(of_reals, nullptr);
      if (plan_.options.vectors && !slabs()) widen<T>(queue_, u_.block(0, 0, n, outcome.found.count), z_);
    } else {
      solve_all(products_, team());
    }
    found_ = outcome.found.count;
    return outcome;
  }
  void finish(DivideAndConquerResult& outcome) override {
    if (end_of_dc_) end_of_dc_->finish(outcome);
    end_of_dc_.reset();
  }
  void back_transform(StageRunner& run_stage) override {
    if (slabs()) return back_transform_slabs(run_stage);
    const auto leave = [this](ColumnRange columns) {
      if (parks()) return send(columns, 0);
      ready_columns_.push_back({columns, Event(queue_.resources())});
      ready_columns_.back().ready.record(queue_);
    };
    q_->apply(run_stage, z_.block(0, 0, plan_.n, found_),
              on_host_ ? std::function<void(ColumnRange)>(leave) : std::function<void(ColumnRange)>());
  }
  void unscale(int k) override {
    if (on_host_)
      scale_values(queue_, found_, parts_->t.d, -k);
    else
      store_scaled_values<real_t<T>>(queue_, found_, parts_->t.d, -k, p_.w);
  }
  void store() override {
    fetch_.reset();
    if (transfers_) transfers_->wait();
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
    if (on_host_) copy_values(queue_, p_.w, parts_->t.d, found_);
  }

  void account(Report& report) override {
    report.path = plan_.path;
    report.mode = plan_.mode;
    report.bytes = {host_bytes<T>(plan_), frame_.used + products_.scratch_bytes()};
    report.devices = {{gpu_facts(gpu_).name, gpu_, queue_.multiprocessors(), 1, 0}};
    if (slabs()) {
      const auto count = [](std::int64_t whole, std::int64_t slab) { return (whole + slab - 1) / slab; };
      report.slabs_of_rows = count(plan_.n, parts_->slab_rows);
      report.slabs_of_columns = count(found_, parts_->slab_columns);
    }
    if constexpr (!is_complex<T>)
      if (team_) team_->account(report);
  }

 private:
  // Returns true if the host queues the reduction before it waits for the check. On the one-stage path the host does not need the result earlier,
  // because the GPU computes the scale. The two-stage path needs the bandwidth of A before the reduction. For a large matrix the host waits at once,
  // because a NaN would cost a long reduction.
  bool waits_late() const {
    return plan_.path == Path::one_stage && plan_.n <= solver_tuning().max_order_late_check &&
           plan_.mode == MemoryMode::in_core && !plan_.options.progress;
  }
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
  bool parks() const { return eigen_g::parks(plan_); }
  bool slabs() const { return has_slabs(plan_); }
  bool blocks() const { return has_blocks(plan_); }
  void load_blocks() {
    const std::int64_t n = plan_.n, height = parts_->blocks.deal.height;
    if (plan_.options.uplo == Uplo::lower) {
      for (std::int64_t first = 0; first < n; first += height) {
        const std::int64_t columns = std::min(height, n - first);
        const MatrixView<T> strip = parts_->blocks.block(first, first, n - first, columns);
        upload<T>(queue_, Part::lower, p_.a.block(first, first, strip.rows, columns), strip);
        mirror(queue_, Uplo::lower, strip.block(0, 0, columns, columns));
      }
      return;
    }
    const auto fetch = [&](std::int64_t i, std::int64_t j, MatrixView<T> to, const auto& then) {
      upload<T>(queue_, Part::all, p_.a.block(i, j, to.rows, to.cols), to);
      then();
    };
    for (std::int64_t first = 0; first < n;) {
      const std::int64_t columns =
          std::min({DeviceParts<T>::columns_at_once, height - first % height, n - first});
      Arena scratch = parts_->scratch;
      eigen_g::load_columns<T>(queue_, parts_->blocks, first, columns, plan_.options.uplo,
                               scratch.take<T>(columns * n), fetch);
      first += columns;
    }
  }
  // Returns a real matrix of the same size in the memory of x. If T is complex, each of its columns uses the first half of a column of x.
  static MatrixView<real_t<T>> in_reals(MatrixView<T> x) {
    if constexpr (is_complex<T>)
      return {reinterpret_cast<real_t<T>*>(x.data), x.rows, x.cols, 2 * x.lda};
    else
      return x;
  }
  // Starts the copy of columns of z_ to the caller. Column 0 of z_ is column `first` of the caller's z.
  void send(ColumnRange columns, std::int64_t first) {
    const auto of = [&](MatrixView<T> z, std::int64_t at) { return z.block(0, at, plan_.n, columns.count); };
    start_download<T>(of(z_, columns.first), of(p_.z, first + columns.first));
  }
  template <class E>
  void start_download(MatrixView<const E> from_dev, MatrixView<E> to) {
    transfers_->after(queue_, [from_dev, to](const Queue& copies) { download<E>(copies, from_dev, to); });
  }
  // Computes U by slabs of rows, and copies each slab to the caller's z. If T is complex, column j of the real U is at the beginning of the memory of
  // column j of z.
  template <class P, class Solve>
  DivideAndConquerResult solve_slabs(const P& products, Solve&& solve, const StageProgress& progress) {
    const std::int64_t n = plan_.n;
    const auto copy_t = [&](const Tridiagonal<real_t<T>>& from, const Tridiagonal<real_t<T>>& to) {
      copy_values(queue_, to.d, from.d, n);
      copy_values(queue_, to.e, from.e, n - 1);
    };
    copy_t(parts_->t, parts_->copy_of_t);
    const SlabOfRows<T> slab = parts_->rows_of_u(n);
    const MatrixView<real_t<T>> out = in_reals(p_.z);
    DivideAndConquerResult outcome;
    for (std::int64_t row = 0; row < n; row += parts_->slab_rows) {
      const std::int64_t rows = std::min(parts_->slab_rows, n - row);
      if (row > 0) copy_t(parts_->copy_of_t, parts_->t);
      const MatrixView<real_t<T>> u{slab.u.data, rows, n, slab.u.lda};
      outcome = solve(products, u, slab.scratch, row, {}, nullptr);
      if (outcome.status != Status::converged) return outcome;
      start_download<real_t<T>>(u.block(0, 0, rows, outcome.found.count),
                                out.block(row, 0, rows, outcome.found.count));
      transfers_->wait();
      if (progress) progress(static_cast<double>(row + rows) / static_cast<double>(n));
    }
    return outcome;
  }
  // Computes Z by slabs of columns. For each slab the same columns of U come from the caller's z, and the columns of Z go back there. When columns
  // of Z have left the GPU, columns of U for the next slab are fetched. If T is real, they go to the place of the columns of Z. If T is complex, they go
  // to the buffer of U. Each slab runs the stages of the back-transformation again. The progress of a stage is its progress through all slabs.
  void back_transform_slabs(StageRunner& run_stage) {
    const std::int64_t n = plan_.n;
    const SlabOfColumns<T> slab = parts_->columns_of_z(n);
    fetch_columns(slab, {0, std::min(parts_->slab_columns, found_)}, 0);
    for (std::int64_t first = 0; first < found_; first += parts_->slab_columns) {
      const std::int64_t columns = std::min(parts_->slab_columns, found_ - first);
      z_ = slab.z.block(0, 0, n, columns);
      Progress of_all;
      if (plan_.options.progress)
        of_all = [&](Stage stage, double fraction) {
          if (stage != Stage::load)
            plan_.options.progress(stage,
                                   (static_cast<double>(first) + fraction * static_cast<double>(columns)) /
                                       static_cast<double>(found_));
        };
      run_stage.within([&] {
        Report report;
        StageRunner run_slab(frame_.clock, of_all, report.stages);
        run_slab(Stage::load, [&] {
          transfers_->wait();
          if constexpr (is_complex<T>) widen<T>(queue_, slab.u.block(0, 0, n, columns), z_);
        });
        q_->apply(run_slab, z_, [&, first](ColumnRange part) {
          send(part, first);
          fetch_columns(slab, part, first + parts_->slab_columns);
        });
        run_slab.finish();
        return report;
      });
    }
  }
  // Starts to copy columns of U from the caller's z to `columns` of a slab. Column 0 of the slab is column `first` of U. Columns that U does not have
  // are left out.
  void fetch_columns(const SlabOfColumns<T>& slab, ColumnRange columns, std::int64_t first) {
    const std::int64_t at = first + columns.first, count = std::min(columns.count, found_ - at);
    if (count <= 0) return;
    MatrixView<real_t<T>> u = slab.u;
    if constexpr (!is_complex<T>) u = slab.z;
    transfers_->after(queue_, [from = in_reals(p_.z).block(0, at, plan_.n, count),
                               to = u.block(0, columns.first, plan_.n, count)](const Queue& copies) {
      upload<real_t<T>>(copies, Part::all, from, to);
    });
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
  std::vector<int> helpers_;
  DeviceFrame<T> frame_;
  const bool on_host_ = frame_.on_host;
  Queue& queue_ = frame_.queue;
  Products<T>& products_ = frame_.products;
  std::optional<Event> pending_;  // the end of the last asynchronous solve
  Places places_;
  std::optional<DeviceParts<T>> parts_;
  std::unique_ptr<DeviceReduction<T>> reduction_;
  ImplicitQ<T>* q_ = nullptr;  // set by reduce()
  CallerMatrices<T> p_;
  std::optional<QueuedCheck<T>> check_;
  std::optional<DivideAndConquerEnd> end_of_dc_;
  InputFacts<real_t<T>> facts_;
  MatrixView<T> a_, z_;
  MatrixView<real_t<T>> u_;  // complex T: U
  MergeBuffers<real_t<T>> merge_;
  std::int64_t found_ = 0;
  HostArray<T> on_park_;                       // parks(): the memory of the reflectors on the host
  std::optional<ParkedReflectors<T>> parked_;  // parks(): copies the reflectors to on_park_
  std::optional<TransferThread> transfers_;    // parks(): makes the copies of reflectors, U and Z
  std::optional<PageFetch> fetch_;             // touches on_park_ and the caller's z before the copies
  std::vector<ReadyColumns> ready_columns_;    // host pointers without parks(): the columns of Z for store()
  struct NoTeam {};
  // The last member, so that it is destroyed first: its destructor waits for queued work that uses the other members.
  std::conditional_t<is_complex<T>, NoTeam, std::optional<SolveTeam<T>>> team_;
};

}  // namespace

template <class T>
WorkspaceBytes standard_bytes_on_gpu(const Plan& plan, MatrixLayout layout) {
  const auto bytes = [&](MatrixLayout of) {
    const Places places = places_of(plan, arrays_of<T>(of, plan.n));
    return device_parts_bytes<T>(plan, places, gpu_facts(current_gpu()).multiprocessors);
  };
  const std::uint64_t contiguous = bytes(MatrixLayout::contiguous);
  return {host_bytes<T>(plan),
          layout == MatrixLayout::contiguous ? contiguous : std::max(contiguous, bytes(MatrixLayout::any))};
}

template <class T>
std::unique_ptr<Backend<T>> standard_on_gpu(const Plan& plan, Resources& resources) {
  return std::make_unique<DeviceBackend<T>>(plan, resources);
}

EIGEN_G_INSTANTIATE(all_types, standard_bytes_on_gpu, standard_on_gpu);

}  // namespace eigen_g
