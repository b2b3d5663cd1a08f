// Every step on one GPU, to which further devices may be helpers.
//
// Three matrices and a fifth of one, the caller's counted (U: panel of the divide and conquer); of two stages the way back works where
// Q and U were:
//
//                  working matrix          Z                       Q            U
//   host pointers  own                     own; C until the end    own          own
//   device         own, or a itself where  caller's; C until the   a, or own    own
//                  its layout serves       end, or own C for a
//                                          subset by number; own
//                                          where its columns do
//                                          not serve and there is
//                                          room
//
// Of complex T the divide and conquer's matrices are real: its Z is own, n x n, and Q takes the place of the complex Z, or is own
// for a subset by number on device pointers; one GPU does it all.
#include <algorithm>
#include <complex>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "gemm_df/engines/engine_rates.hpp"
#include "gemm_df/engines/native/halves.hpp"
#include "gemm_df/gemm.hpp"
#include "gemm_df/products.hpp"
#include "gemm_df/tuning.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/machine/partition.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/team/split.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/calibrate/calibrate.hpp"
#include "solver/devices/solve_team.hpp"
#include "solver/devices/tuning.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/driver/backend.hpp"
#include "solver/driver/held_memory.hpp"
#include "solver/path/choice.hpp"
#include "solver/path/device_clock.hpp"
#include "solver/path/one_stage.hpp"
#include "solver/path/two_stage.hpp"
#include "solver/prepare/check_input.hpp"
#include "solver/prepare/pack.hpp"
#include "solver/prepare/scale.hpp"
#include "solver/tridiagonal/dc_large_product.hpp"
#include "solver/tridiagonal/widen.hpp"

namespace eigen_g {

namespace {

std::int64_t round_up(std::int64_t x, std::int64_t multiple) {
  return (x + multiple - 1) / multiple * multiple;
}

std::int64_t padded_rows(std::int64_t n) {
  return round_up(n, tridiagonalize_row_multiple);
}

// What a solve has to bring itself.
template <class T>
struct Needs {
  bool matrix, z, q;
  bool back_in_a = false;    // the way back may take the memory of a, which has been q
  bool result_in_z = false;  // vectors come into being there: two stages want columns on 16 bytes

  // At most, but for z in a's place; on host pointers exactly.
  explicit Needs(const Plan& plan) : matrix(true) {
    const bool vectors = plan.options.vectors, host = plan.pointers == Pointers::host,
               part = plan.most() < plan.n;
    z = vectors && (host || (part && !is_complex<T>));
    q = vectors && (is_complex<T> ? !host && part : host);
  }
  // a has lda = n; lies on 16 bytes; z is a itself; z's columns lie on 16 bytes.
  struct Given {
    bool packed, aligned, over_a, z_serves;
  };
  Needs(const Plan& plan, const Given& given) : Needs(plan) {
    if (plan.pointers == Pointers::host) return;
    matrix = given.over_a || !given.packed || !given.aligned || !columns_serve(plan);
    if (is_complex<T> || !plan.options.vectors) return;
    q = given.over_a || !matrix;
    back_in_a = !q && given.packed;
    result_in_z = !given.z_serves && path_on_gpu<T>(plan.options, plan.n) == Path::two_stage;
    z = z || result_in_z;
  }
  Needs(const Plan& plan, const Problem<T>& p)
      : Needs(plan,
              {p.spare.data && p.spare.lda == plan.n, on_16_bytes(p.spare.data),
               plan.options.vectors && p.z.data == p.a.data, on_16_bytes(p.z.data) && p.z.lda % 2 == 0}) {}
  static Needs of_packed(const Plan& plan) { return {plan, {true, true, false, plan.n % 2 == 0}}; }

 private:
  static bool on_16_bytes(const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; }
  // One stage wants padded columns, and so does the back-transformation by panels; else two want columns on 32 bytes.
  static bool columns_serve(const Plan& plan) {
    constexpr std::int64_t in_32_bytes = 32 / std::min<std::int64_t>(32, sizeof(T));
    if (plan.n % tridiagonalize_row_multiple == 0) return true;
    return path_on_gpu<T>(plan.options, plan.n) == Path::two_stage && plan.n % in_32_bytes == 0 &&
           plan.n - band_width<T>(plan.n) > solver_tuning().back_max_rows_of_panels;
  }
};

constexpr std::int64_t loading_tile = 32, loading_values = 3 * loading_tile * loading_tile;

// Of complex float the divide and conquer's products are real.
template <class T>
std::uint64_t bytes_for_products(std::int64_t n) {
  if constexpr (std::is_same_v<real_t<T>, float>)
    return n >= product_tuning().halves_min_lines ? halves_bytes<T>(n, n) : 0;
  else
    return 0;
}

// Parts of the workspace; those that the caller brings are null.
template <class T>
struct DeviceParts {
  MatrixView<T> matrix, z;
  MatrixView<real_t<T>> u, q;  // u: the divide and conquer's Z where T is complex
  Tridiagonal<real_t<T>> t;
  Arena kept, scratch;  // the path's; scratch for the other steps too
  Arena back;           // own q, u and scratch, which lie together; of the way back, but where it is in a
  bool back_in_a = false;
  std::span<std::byte> products;  // lent to them

  DeviceParts(Arena& arena, const Plan& plan, const Needs<T>& needs, int multiprocessors) {
    const std::int64_t n = plan.n, even = round_up(n, 16 / sizeof(real_t<T>));  // makes for faster products
    PathBytes path = OneStageOnDevice<T>::bytes(n, plan.most(), multiprocessors);
    if (path_on_gpu<T>(plan.options, n) == Path::two_stage)
      path = TwoStageOnDevice<T>::bytes(n, plan.most(), multiprocessors, plan.devices.gpus > 1);
    if (needs.matrix) matrix = arena.matrix<T>(n, n, padded_rows(n));
    if (needs.z) z = arena.matrix<T>(n, n, even);
    t = {arena.take<real_t<T>>(n), arena.take<real_t<T>>(n)};
    kept = arena.part(path.kept);
    const auto vectors_of_t = [&](Arena& a) {
      if (needs.q) q = a.matrix<real_t<T>>(n, n, even);
      if (is_complex<T> && plan.options.vectors) u = a.matrix<real_t<T>>(n, n, even);
    };
    const std::uint64_t of_t = bytes_taken(vectors_of_t);
    const std::uint64_t of_loading = bytes_taken([](Arena& a) { a.take<T>(loading_values); });
    const std::uint64_t rest =
        std::max({path.scratch, check_input_bytes, of_loading,
                  divide_and_conquer_bytes<real_t<T>>(n, plan.options.vectors, false)});
    back_in_a = needs.back_in_a && bytes_in_a(n) >= path.less_back;
    back = arena.part(std::max(of_t + rest, back_in_a ? 0 : of_t > 0 ? path.back : path.less_back));
    Arena parts = back;
    vectors_of_t(parts);
    scratch = parts.part(rest);
    const auto lent = static_cast<std::int64_t>(bytes_for_products<T>(n));
    products = {arena.take<std::byte>(lent), static_cast<std::size_t>(lent)};
  }
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
std::uint64_t device_parts_bytes(const Plan& plan, const Needs<T>& needs, int multiprocessors) {
  return bytes_taken([&](Arena& arena) { DeviceParts<T>(arena, plan, needs, multiprocessors); });
}

// d, e and the tree of the divide and conquer.
std::uint64_t host_bytes(const Plan& plan) {
  return 4 * sizeof(double) * static_cast<std::uint64_t>(plan.n);
}

// By rates only in double: nothing else has been measured.
template <class T>
Shares shares_of(const Plan& plan, const std::vector<int>& further, int multiprocessors) {
  const Devices& d = plan.devices;
  if (!d.ratio.automatic()) return Shares(d.ratio);
  if (!std::is_same_v<T, double>) return Shares();
  const auto by = [&](const Calibration& calibration) {
    TeamRates team = team_rates(calibration, current_gpu(), further, multiprocessors);
    for (std::size_t i = 0; i < further.size(); ++i)
      team.devices[i + 1].device.memory_free = gpu_memory_free(further[i]);
    return Shares(std::move(team));
  };
  if (d.calibration) return by(*d.calibration);
  if (plan.n < solver_tuning().min_order_to_calibrate_for ||
      (further.empty() && !helpers_may_pay(plan.n, multiprocessors)))
    return Shares();
  return by(calibration_of_process(d.threads));
}

std::optional<Partition> partition_of(const Devices& devices) {
  if (devices.multiprocessors == 0) return std::nullopt;
  const int all = gpu_facts(current_gpu()).cores;
  require(devices.multiprocessors <= all, Argument::multiprocessors,
          "is " + std::to_string(devices.multiprocessors) + ", this GPU has " + std::to_string(all) +
              " multiprocessors");
  return std::optional<Partition>(std::in_place, devices.multiprocessors);
}

// The first product of a process waits some 40 ms until cuBLAS has loaded its kernels: here one of 32 x 32 does.
template <class T>
void load_products(const Queue& queue, Arena scratch_dev) {
  T* const at = scratch_dev.take<T>(loading_values);
  const auto tile = [&](std::int64_t k) {
    return MatrixView<T>{at + k * loading_tile * loading_tile, loading_tile, loading_tile, loading_tile};
  };
  gemm<T>(queue, Op::none, Op::none, 1, tile(0), tile(1), 0, tile(2));
}

template <class T>
class DeviceBackend final : public Backend<T> {
 public:
  DeviceBackend(const Plan& plan, Resources& resources)
      : plan_(plan),
        gpu_(current_gpu()),
        path_(path_on_gpu<T>(plan.options, plan.n)),
        on_host_(plan.pointers == Pointers::host),
        further_(further_gpus(plan.devices.gpus)),
        partition_(partition_of(plan.devices)),
        queue_(partition_ ? Queue(resources, *partition_)
               : on_host_ ? Queue(resources)
                          : Queue(resources, nullptr)),
        products_(queue_, plan.options.engine,
                  rates_to_choose_by(queue_, plan.options.engine, plan.devices.engine_rates)),
        clock_(queue_, products_) {
    if constexpr (!is_complex<T>)
      if (plan_.options.vectors)
        team_.emplace(queue_, shares_of<T>(plan_, further_, queue_.multiprocessors()),
                      TeamMembers{further_, true, plan_.devices.threads});
  }
  ~DeviceBackend() override {
    try {
      settle();
    } catch (const DeviceError&) {  // what was queued failed: nothing uses the memory any more
    }
  }

  WorkspaceBytes workspace(MatrixLayout layout) const override {
    return device_backend_bytes<T>(plan_, layout);
  }
  void use(const Workspace& workspace) override {
    settle();
    memory_.use(workspace);
  }

  void begin(const Problem<T>& problem) override {
    cudaGetLastError();  // what an earlier failure left
    p_ = problem;
    if (!on_host_) order_after(problem.stream);
    if (left_) left_->hold(queue_);
    Needs<T> needs(plan_, problem);
    if (!needs.result_in_z || !take(needs)) {
      needs.z = Needs<T>(plan_).z;
      needs.result_in_z = false;
      place(needs);
    }
    result_in_z_ = needs.result_in_z;
    products_.lend(parts_->products);
    stages_.template emplace<OneStageOnDevice<T>>(products_, plan_.n, parts_->kept, parts_->scratch, team());
    if (path_ == Path::two_stage)
      stages_.template emplace<TwoStageOnDevice<T>>(products_, plan_.n, plan_.most(), parts_->kept,
                                                    parts_->scratch, parts_->back_at(p_.spare), team(),
                                                    chase_back_on_gpu(plan_.options.engine));
    const std::int64_t n = plan_.n;
    a_ = needs.matrix ? parts_->matrix : p_.spare;
    if (!plan_.options.vectors) return;
    z_ = on_host_ ? parts_->z : result_in_z_ ? parts_->z.block(0, 0, n, plan_.most()) : p_.z;
    if constexpr (is_complex<T>) {
      places_.compressed = parts_->u;
      places_.q = needs.q ? parts_->q
                          : MatrixView<real_t<T>>{reinterpret_cast<real_t<T>*>(z_.data), n, n, 2 * z_.lda};
    } else {
      places_.compressed = parts_->z;
      places_.q = needs.q ? parts_->q : p_.spare;
    }
  }
  void end() noexcept override {
    cudaStreamSynchronize(queue_.stream());  // an exception may have left work that uses the memory
    fetch_.reset();
    leaving_.clear();
    left_.reset();
  }
  void leave() override {
    if (on_host_ || partition_) return end();
    if (!left_) left_.emplace(queue_.resources());
    left_->record(queue_);
  }
  Clock& clock() override { return clock_; }

  void load() override {
    MatrixView<const T> source = p_.a;
    if (on_host_) {
      upload<T>(queue_, plan_.options.uplo == Uplo::lower ? Part::lower : Part::upper, p_.a, a_);
      source = a_;
    }
    pack_lower<T>(queue_, plan_.options.uplo, source, a_);
  }
  real_t<T> check() override {
    facts_ = check_input<T>(queue_, plan_.options.uplo, a_, parts_->scratch);
    return facts_.largest;
  }
  void scale(int k) override { eigen_g::scale<T>(queue_, a_, k); }

  Factor<T>& reduce(Steps& step) override {
    const std::int64_t n = plan_.n;
    if (path_ == Path::two_stage)  // a band in float was not measured: it goes both stages
      std::get<TwoStageOnDevice<T>>(stages_).given_band(
          std::is_same_v<T, double> ? facts_.bandwidth : std::numeric_limits<std::int64_t>::max());
    if constexpr (!is_complex<T>)
      if (team_) {
        const MatrixView<T> z = z_.block(0, 0, n, plan_.most());
        std::vector<CutWork<T>> works{dc::last_merge_cut<T>(places_.q), back_cut(z)};
        if (path_ == Path::two_stage && !team_->further_gpus().empty())
          works.push_back(std::get<TwoStageOnDevice<T>>(stages_).cut_of_q2(z));
        team_->prepare(works);
      }
    return reduction().run(step, a_, parts_->t, [&] {
      if (!plan_.options.vectors) return;
      if (n >= solver_tuning().min_order_with_cublas) load_products<T>(queue_, parts_->scratch);
      if (on_host_ && plan_.options.subset.by != Subset::By::value) fetch_.emplace(queue_, p_.z);
    });
  }
  Outcome divide_and_conquer(int k) override {
    const auto solve = [&](const auto& products, MatrixView<real_t<T>> z, SolveTeam<real_t<T>>* team) {
      return eigen_g::divide_and_conquer<real_t<T>>(products, plan_.n, parts_->t.d, parts_->t.e, z,
                                                    parts_->scratch, {plan_.options.subset, -k}, places_,
                                                    team);
    };
    Outcome outcome;
    if constexpr (is_complex<T>) {
      Products<real_t<T>> of_reals(queue_);
      of_reals.lend(parts_->products);
      outcome = solve(of_reals, parts_->u, nullptr);
      if (plan_.options.vectors) widen<T>(queue_, parts_->u.block(0, 0, plan_.n, outcome.found.count), z_);
    } else {
      outcome = solve(products_, z_, team());
    }
    found_ = outcome.found.count;
    return outcome;
  }
  void back_transform(Steps& step, Factor<T>& q) override {
    const auto leave = [this](ColumnRange columns) {
      leaving_.push_back({columns, Event(queue_.resources())});
      leaving_.back().ready.record(queue_);
    };
    q.apply(step, z_.block(0, 0, plan_.n, found_),
            on_host_ ? std::function<void(ColumnRange)>(leave) : std::function<void(ColumnRange)>());
  }
  void unscale(int k) override { scale_values(queue_, found_, parts_->t.d, -k); }
  void store() override {
    fetch_.reset();
    if (found_ == 0) return;
    std::optional<Queue> second;
    if (leaving_.size() > 1) second.emplace(queue_.resources());
    const Queue& out = second ? *second : queue_;
    for (const Leaving& part : leaving_) {
      const auto of = [&](MatrixView<T> z) {
        return z.block(0, part.columns.first, plan_.n, part.columns.count);
      };
      part.ready.hold(out);
      download<T>(out, of(z_), of(p_.z));
    }
    if (result_in_z_)
      EIGEN_G_CUDA(cudaMemcpy2DAsync(p_.z.data, bytes_of(p_.z.lda), z_.data, bytes_of(z_.lda),
                                     bytes_of(plan_.n), static_cast<std::size_t>(found_),
                                     cudaMemcpyDeviceToDevice, queue_.stream()));
    // Last: it may wait for all that is queued.
    EIGEN_G_CUDA(cudaMemcpyAsync(p_.w, parts_->t.d, sizeof(real_t<T>) * static_cast<std::size_t>(found_),
                                 cudaMemcpyDefault, queue_.stream()));
  }

  void account(Report& report) override {
    report.path = path_;
    report.bytes = {host_bytes(plan_), used_ + products_.scratch_bytes()};
    report.devices = {{gpu_facts(gpu_).name, gpu_, queue_.multiprocessors(), 1, 0}};
    if constexpr (!is_complex<T>)
      if (team_) account_team(report);
  }

 private:
  void account_team(Report& report) {
    report.bytes.device += team_->device_bytes();
    report.bytes.host += team_->pinned_bytes();
    const std::vector<double> parts = team_->take_parts(), seconds = team_->take_seconds();
    if (!parts.empty()) report.devices.front().share = parts.front();
    if (!seconds.empty()) report.devices.front().seconds = seconds.front();
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (parts[i] <= 0) continue;
      if (i <= further_.size()) {
        const Device& gpu = gpu_facts(further_[i - 1]);
        report.devices.push_back({gpu.name, gpu.index, gpu.cores, parts[i], seconds[i]});
      } else {
        report.devices.push_back({cpu_name(), -1, 0, parts[i], seconds[i]});
      }
    }
  }
  void place(const Needs<T>& needs) {
    used_ = device_parts_bytes<T>(plan_, needs, queue_.multiprocessors());
    if (memory_.would_take(used_)) settle();
    Arena arena = memory_.arena(queue_, used_);
    parts_.emplace(arena, plan_, needs, queue_.multiprocessors());
  }
  // Whether there was room.
  bool take(const Needs<T>& needs) {
    if (!memory_.may_hold(device_parts_bytes<T>(plan_, needs, queue_.multiprocessors()))) return false;
    try {
      place(needs);
      return true;
    } catch (const OutOfMemory&) {
      return false;
    }
  }
  static std::size_t bytes_of(std::int64_t count) { return sizeof(T) * static_cast<std::size_t>(count); }
  // Columns of Z that can go to the host while the GPU works on what is queued behind them.
  struct Leaving {
    ColumnRange columns;
    Event ready;
  };
  // What is queued from now on begins after what the caller's stream holds.
  void order_after(CUstream_st* stream) {
    if (!partition_) return queue_.use(stream);
    Event before(queue_.resources());
    before.record(Queue(queue_.resources(), stream));
    before.hold(queue_);
  }
  // The caller's stream may have ended meanwhile, so not by the queue.
  void settle() {
    if (left_) left_->wait();
    left_.reset();
  }
  SolveTeam<T>* team() {
    if constexpr (is_complex<T>)
      return nullptr;
    else
      return team_ ? &*team_ : nullptr;
  }
  Reduction<T>& reduction() {
    if (path_ == Path::two_stage) return std::get<TwoStageOnDevice<T>>(stages_);
    return std::get<OneStageOnDevice<T>>(stages_);
  }
  CutWork<T> back_cut(MatrixView<T> z) const {
    if (path_ == Path::two_stage)
      return back_transform_cut(TwoStageOnDevice<T>::reflectors_of_q1(a_),
                                TwoStageOnDevice<T>::rows_of_q1(z));
    return back_transform_cut(a_, z);
  }

  Plan plan_;
  int gpu_;
  Path path_;
  bool on_host_;
  std::vector<int> further_;
  std::optional<Partition> partition_;
  Queue queue_;
  Products<T> products_;
  DeviceClock<T> clock_;
  HeldMemory memory_;
  std::uint64_t used_ = 0;  // bytes that the problem takes
  bool result_in_z_ = false;
  std::optional<Event> left_;  // the end of a solve that has been left
  std::optional<DeviceParts<T>> parts_;
  std::variant<std::monostate, OneStageOnDevice<T>, TwoStageOnDevice<T>> stages_;
  Problem<T> p_;
  InputFacts<real_t<T>> facts_;
  MatrixView<T> a_, z_;
  MergePlaces<real_t<T>> places_;
  std::int64_t found_ = 0;
  std::optional<PageFetch> fetch_;
  std::vector<Leaving> leaving_;
  struct NoTeam {};
  std::conditional_t<is_complex<T>, NoTeam, std::optional<SolveTeam<T>>>
      team_;  // last: it waits for what it has queued
};

}  // namespace

template <class T>
WorkspaceBytes device_backend_bytes(const Plan& plan, MatrixLayout layout) {
  const int multiprocessors = gpu_facts(current_gpu()).cores;
  const std::uint64_t packed = device_parts_bytes<T>(plan, Needs<T>::of_packed(plan), multiprocessors);
  if (layout == MatrixLayout::packed) return {host_bytes(plan), packed};
  return {host_bytes(plan), std::max(packed, device_parts_bytes<T>(plan, Needs<T>(plan), multiprocessors))};
}

void start_device() {
  const Queue queue;
  const WorkMemory memory(queue, sizeof(double) * loading_values + Arena::alignment);
  load_products<double>(queue, Arena(memory.data(), sizeof(double) * loading_values + Arena::alignment));
  queue.wait();
}

template <class T>
std::unique_ptr<Backend<T>> device_backend(const Plan& plan, Resources& resources) {
  return std::make_unique<DeviceBackend<T>>(plan, resources);
}

template WorkspaceBytes device_backend_bytes<double>(const Plan&, MatrixLayout);
template std::unique_ptr<Backend<double>> device_backend(const Plan&, Resources&);
template WorkspaceBytes device_backend_bytes<float>(const Plan&, MatrixLayout);
template std::unique_ptr<Backend<float>> device_backend(const Plan&, Resources&);
template WorkspaceBytes device_backend_bytes<std::complex<double>>(const Plan&, MatrixLayout);
template std::unique_ptr<Backend<std::complex<double>>> device_backend(const Plan&, Resources&);
template WorkspaceBytes device_backend_bytes<std::complex<float>>(const Plan&, MatrixLayout);
template std::unique_ptr<Backend<std::complex<float>>> device_backend(const Plan&, Resources&);

}  // namespace eigen_g
