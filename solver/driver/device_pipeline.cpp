// The pipeline on one GPU, to which further devices may be helpers: every stage in its memory.
//
// Four matrices and a fifth of one, of which the caller's count (U: panel of the divide and conquer):
//
//                  working matrix          Z                       Q            U
//   host pointers  own                     own; C until the end    own          own
//   device         own, or a itself where  caller's; C until the   a, or own    own
//                  its layout serves       end, or own C for a
//                                          subset by number
#include <algorithm>
#include <optional>
#include <utility>

#include "gemm_df/engines/engine_rates.hpp"
#include "gemm_df/gemm.hpp"
#include "gemm_df/products.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/machine/partition.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/team/split.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/devices/calibrate.hpp"
#include "solver/devices/solve_team.hpp"
#include "solver/devices/tuning.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/driver/pipeline.hpp"
#include "solver/prepare/check_input.hpp"
#include "solver/prepare/pack.hpp"
#include "solver/prepare/scale.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"

namespace eigen_g {

namespace {

std::int64_t round_up(std::int64_t x, std::int64_t multiple) {
  return (x + multiple - 1) / multiple * multiple;
}

std::int64_t padded_rows(std::int64_t n) {
  return round_up(n, tridiagonalize_row_multiple);
}

// What a solve has to bring itself.
struct Needs {
  std::int64_t n = 0, most = 0;  // columns of Z
  bool vectors = false;
  bool matrix = false, z = false, q = false;

  // On host pointers, and on device pointers at most.
  Needs(std::int64_t order, bool with_vectors, Pointers pointers, const Subset& subset)
      : n(order),
        most(with_vectors ? subset.most(order) : 0),
        vectors(with_vectors),
        matrix(true),
        z(with_vectors && (pointers == Pointers::host || most < n)),
        q(with_vectors && pointers == Pointers::host) {}
  explicit Needs(const Problem& p, Pointers pointers) : Needs(p.n, p.z.data != nullptr, pointers, p.subset) {
    if (pointers == Pointers::host) return;
    const bool over_a = vectors && p.z.data == p.a.data;
    matrix = over_a || !serves_as_it_is(p.spare);
    q = vectors && (over_a || !matrix);
  }

 private:
  // The reduction wants padded, aligned columns, and no rows beyond n that are somebody else's.
  static bool serves_as_it_is(MatrixView<const double> a) {
    return a.data && a.lda == a.rows && padded_rows(a.rows) == a.rows &&
           reinterpret_cast<std::uintptr_t>(a.data) % 16 == 0;
  }
};

// The one place that knows the parts of the workspace; sizes in doubles.
class Layout {
 public:
  Layout(const Needs& needs, int multiprocessors)
      : matrix_(needs.matrix ? padded_rows(needs.n) * needs.n : 0),
        z_(needs.z ? even(needs.n) * needs.n : 0),
        q_(needs.q ? even(needs.n) * needs.n : 0),
        values_(needs.n),
        scratch_(std::max({tridiagonalize_workspace(needs.n, multiprocessors),
                           divide_and_conquer_workspace(needs.n, needs.vectors, false),
                           needs.vectors ? back_transform_workspace(needs.n, needs.most) : 0})),
        n_(needs.n) {}

  WorkspaceBytes bytes() const {
    const std::int64_t host = 4 * n_;  // the divide and conquer's d, e and tree
    return {static_cast<std::uint64_t>(host) * sizeof(double),
            static_cast<std::uint64_t>(doubles()) * sizeof(double)};
  }
  std::int64_t doubles() const {
    return aligned(matrix_) + aligned(z_) + aligned(q_) + 3 * aligned(values_) + aligned(scratch_);
  }
  struct Parts {
    double *matrix, *z, *q, *values, *off_diagonal, *tau, *scratch;  // the first three may be null
  };
  Parts place(double* from) const {
    const auto take = [&](std::int64_t count) {
      double* const part = count > 0 ? from : nullptr;
      from += aligned(count);
      return part;
    };
    Parts parts{};
    parts.matrix = take(matrix_);
    parts.z = take(z_);
    parts.q = take(q_);
    for (double** part : {&parts.values, &parts.off_diagonal, &parts.tau}) *part = take(values_);
    parts.scratch = take(scratch_);
    return parts;
  }
  static std::int64_t even(std::int64_t n) { return round_up(n, 2); }  // makes for faster products

 private:
  static std::int64_t aligned(std::int64_t count) { return round_up(count, 32); }
  std::int64_t matrix_, z_, q_, values_, scratch_, n_;
};

// Only an automatic choice asks for rates; the GPU tells the figures behind an estimate slowly.
ProductRates rates_for(const Problem& p, const Queue& queue) {
  const bool given = p.rates[Engine::native].flops_per_second > 0;
  return p.engine == Engine::automatic && !given ? estimated_engine_rates(queue) : p.rates;
}

Shares shares_of(const Problem& p, const std::vector<int>& further, int multiprocessors) {
  if (!p.ratio.automatic()) return Shares(p.ratio);
  const auto by = [&](const Calibration& calibration) {
    TeamRates team = team_rates(calibration, current_gpu(), further, multiprocessors);
    for (std::size_t i = 0; i < further.size(); ++i)
      team.devices[i + 1].device.memory_free = gpu_memory_free(further[i]);
    return Shares(std::move(team));
  };
  if (p.calibration) return by(*p.calibration);
  if (p.n < solver_tuning().min_order_to_calibrate_for ||
      (further.empty() && !helpers_may_pay(p.n, multiprocessors)))
    return Shares();
  return by(calibration_of_process(p.threads));
}

std::optional<Partition> partition_of(const Problem& p) {
  if (p.gpu_sms == 0) return std::nullopt;
  const int all = gpu_facts(current_gpu()).cores;
  if (p.gpu_sms > all)
    throw InvalidArgument("gpu_sms", "is " + std::to_string(p.gpu_sms) + ", this GPU has " +
                                         std::to_string(all) + " multiprocessors");
  return std::optional<Partition>(std::in_place, p.gpu_sms);
}

// What is queued on a partition begins after what the caller's stream holds.
Queue queue_on(const std::optional<Partition>& partition, Pointers pointers, CUstream_st* stream) {
  if (!partition) return pointers == Pointers::host ? Queue() : Queue(stream);
  Queue queue(*partition);
  if (pointers == Pointers::device) {
    Event before;
    before.record(Queue(stream));
    before.hold(queue);
  }
  return queue;
}

// The first product of a process waits some 40 ms until cuBLAS has loaded its kernels: here one of 32 x 32 does.
constexpr std::int64_t loading_tile = 32, loading_doubles = 3 * loading_tile * loading_tile;

void load_products(const Queue& queue, double* scratch_dev) {
  const auto tile = [&](std::int64_t k) {
    return MatrixView<double>{scratch_dev + k * loading_tile * loading_tile, loading_tile, loading_tile,
                              loading_tile};
  };
  gemm(queue, Op::none, Op::none, 1, tile(0), tile(1), 0, tile(2));
}

class DevicePipeline final : public Pipeline {
 public:
  // Throws OutOfMemory with the sum of what is needed; nothing is taken then.
  DevicePipeline(const Problem& problem, Pointers pointers, CUstream_st* stream)
      : p_(problem),
        on_host_(pointers == Pointers::host),
        further_(further_gpus(p_.gpus)),
        partition_(partition_of(p_)),
        queue_(queue_on(partition_, pointers, stream)),
        products_(queue_, p_.engine, rates_for(p_, queue_)),
        layout_(Needs(p_, pointers), queue_.multiprocessors()),
        memory_(layout_.doubles()),
        parts_(layout_.place(memory_.data())),
        a_{parts_.matrix ? parts_.matrix : p_.spare.data, p_.n, p_.n, padded_rows(p_.n)} {
    const auto own = [&](double* part) { return MatrixView<double>{part, p_.n, p_.n, Layout::even(p_.n)}; };
    if (!p_.z.data) return;
    team_.emplace(queue_, shares_of(p_, further_, queue_.multiprocessors()),
                  ColumnTeam::Members{further_, true, p_.threads});
    z_ = on_host_ ? own(parts_.z) : p_.z;
    if (parts_.z) places_.compressed = own(parts_.z);
    places_.q = parts_.q ? own(parts_.q) : p_.spare;
  }
  ~DevicePipeline() override {
    cudaStreamSynchronize(queue_.stream());  // an exception may have left work that uses the memory
  }

  void load() override {
    MatrixView<const double> source = p_.a;
    if (on_host_) {
      upload(queue_, p_.uplo == Uplo::lower ? Part::lower : Part::upper, p_.a, a_);
      source = a_;
    }
    pack_lower(queue_, p_.uplo, source, a_);
  }
  double check() override { return check_input(queue_, p_.uplo, a_); }
  void scale(int k) override { eigen_g::scale(queue_, a_, k); }
  void tridiagonalize(const std::function<void(double)>& progress) override {
    if (team_)
      team_->prepare(a_, places_.q, z_.block(0, 0, p_.n, p_.subset.most(p_.n)),
                     back_transform_cut_width(p_.n));
    // When all of the reduction is queued: then it returns, or tells of progress.
    bool busy = !p_.z.data;
    const auto use_the_time = [&] {
      if (std::exchange(busy, true)) return;
      if (p_.n >= solver_tuning().min_order_with_cublas) load_products(queue_, parts_.scratch);
      if (on_host_ && p_.subset.by != Subset::By::value) fetch_.emplace(p_.z);
    };
    const auto tell = [&](double fraction) {
      use_the_time();
      progress(fraction);
    };
    eigen_g::tridiagonalize(products_, a_, parts_.values, parts_.off_diagonal, parts_.tau, parts_.scratch,
                            progress ? tell : StageProgress());
    use_the_time();
    note(Stage::tridiagonalize);
  }
  Outcome divide_and_conquer(int k) override {
    const Outcome outcome = eigen_g::divide_and_conquer(products_, p_.n, parts_.values, parts_.off_diagonal,
                                                        z_, parts_.scratch, {p_.subset, -k}, places_, team());
    found_ = outcome.found.count;
    note(Stage::divide_and_conquer);
    return outcome;
  }
  void back_transform() override {
    const auto leave = [this](ColumnRange columns) {
      leaving_.push_back({columns, {}});
      leaving_.back().ready.record(queue_);
    };
    if (z_.data)
      eigen_g::back_transform(products_, a_, parts_.tau, z_.block(0, 0, p_.n, found_), parts_.scratch, team(),
                              on_host_ ? leave : std::function<void(ColumnRange)>());
    note(Stage::back_transform);
  }
  void unscale(int k) override { scale_values(queue_, found_, parts_.values, -k); }
  void store() override {
    fetch_.reset();
    if (found_ == 0) return;
    std::optional<Queue> second;
    if (leaving_.size() > 1) second.emplace();
    const Queue& out = second ? *second : queue_;
    for (const Leaving& part : leaving_) {
      const auto of = [&](MatrixView<double> z) {
        return z.block(0, part.columns.first, p_.n, part.columns.count);
      };
      part.ready.hold(out);
      download(out, of(z_), of(p_.z));
    }
    // Last: it may wait for all that is queued.
    EIGEN_G_CUDA(cudaMemcpyAsync(p_.w, parts_.values, sizeof(double) * static_cast<std::size_t>(found_),
                                 cudaMemcpyDefault, queue_.stream()));
  }
  void wait() override { queue_.wait(); }
  void mark() override {
    moments_.emplace_back();
    moments_.back().record(queue_);
  }
  std::vector<double> laps() const override {
    std::vector<double> seconds;
    for (std::size_t i = 1; i < moments_.size(); ++i)
      seconds.push_back(moments_[i].seconds_since(moments_[i - 1]));
    return seconds;
  }
  WorkspaceBytes bytes() const override {
    WorkspaceBytes all = layout_.bytes();
    all.device += products_.scratch_bytes();
    if (team_) {
      all.device += team_->device_bytes();
      all.host += team_->pinned_bytes();
    }
    return all;
  }
  std::vector<DeviceWork> work() override {
    const Device& gpu = gpu_facts(current_gpu());
    std::string name = gpu.name;
    if (partition_)
      name += " (" + std::to_string(queue_.multiprocessors()) + " of " + std::to_string(gpu.cores) +
              " multiprocessors)";
    std::vector<DeviceWork> list{{name, 1, 0, engine()}};
    if (!team_) return list;
    const std::vector<double> parts = team_->parts(), seconds = team_->take_seconds();
    if (!parts.empty()) list.front().share = parts.front();
    if (!seconds.empty()) list.front().seconds = seconds.front();
    for (std::size_t i = 1; i < parts.size(); ++i)
      if (parts[i] > 0)
        list.push_back({i <= further_.size() ? gpu_facts(further_[i - 1]).name : cpu_name(), parts[i],
                        seconds[i], eigen_g::name(Engine::native)});
    return list;
  }
  std::string engine() const override {
    const auto same = [&](const Ran& ran) { return ran.engine == ran_.front().engine; };
    if (ran_.empty()) return name(Engine::native);
    if (std::all_of(ran_.begin(), ran_.end(), same)) return ran_.front().engine;
    std::string text;
    for (const Ran& ran : ran_)
      text += (text.empty() ? "" : ", ") + std::string(name(ran.stage)) + " " + ran.engine;
    return text;
  }

 private:
  // Columns of Z that can go to the host while the GPU works on what is queued behind them.
  struct Leaving {
    ColumnRange columns;
    Event ready;
  };
  struct Ran {
    Stage stage;
    std::string engine;
  };
  void note(Stage stage) {
    if (const std::string engine = products_.take_ran(); !engine.empty()) ran_.push_back({stage, engine});
  }
  SolveTeam* team() { return team_ ? &*team_ : nullptr; }
  Problem p_;
  bool on_host_;
  std::vector<int> further_;
  std::optional<Partition> partition_;
  Queue queue_;
  Products<double> products_;
  std::vector<Ran> ran_;
  Layout layout_;
  WorkMemory memory_;
  Layout::Parts parts_;
  MatrixView<double> a_, z_;
  MergePlaces places_;
  std::int64_t found_ = 0;
  std::optional<PageFetch> fetch_;
  std::vector<Leaving> leaving_;
  std::vector<Event> moments_;
  std::optional<SolveTeam> team_;  // last: it waits for what it has queued
};

}  // namespace

WorkspaceBytes device_pipeline_bytes(std::int64_t n, bool vectors, Pointers pointers, const Subset& subset) {
  return Layout(Needs(n, vectors, pointers, subset), gpu_facts(current_gpu()).cores).bytes();
}

void start_device() {
  const Queue queue;
  const DeviceBuffer<double> scratch(loading_doubles);
  load_products(queue, scratch.data());
  queue.wait();
}

std::unique_ptr<Pipeline> device_pipeline(const Problem& problem, Pointers pointers, CUstream_st* stream) {
  return std::make_unique<DevicePipeline>(problem, pointers, stream);
}

}  // namespace eigen_g
