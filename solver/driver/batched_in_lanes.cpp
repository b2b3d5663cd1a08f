#include "solver/driver/batched_in_lanes.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "hybrid/instantiate.hpp"
#include "hybrid/team/gpu_lanes.hpp"
#include "hybrid/transfer/copy_2d.hpp"
#include "solver/driver/batched_groups.hpp"
#include "solver/driver/device_frame.hpp"
#include "solver/driver/frame.hpp"
#include "solver/reduction/one_stage/tridiagonalize_on_chip.hpp"

namespace eigen_g {

namespace {

// The largest order of problems that are solved on several streams at the same time. A larger problem keeps the whole GPU busy nearly all the time.
constexpr std::int64_t max_order_in_streams = 6000;

// How the problems of one order are solved at the same time.
struct LaneRule {
  int lanes;
  GpuLanes::Division division;

  friend bool operator==(const LaneRule&, const LaneRule&) = default;
};

// The rule depends on the plan of one problem, the type and the GPU. The bits of a result depend on the number of multiprocessors that compute it,
// and must not depend on the batch. So the rule does not depend on the number of problems. The reduction of a small matrix takes most of its time
// for messages between multiprocessors, not for arithmetic. If the matrix fits into the registers and the shared memory of a part of the GPU, this
// part takes less than twice the time of the whole GPU. A solve on host pointers makes its own stream, which uses all multiprocessors. It never
// runs on a part.
template <class T>
LaneRule rule_of(const Plan& asked) {
  constexpr int most = 4;
  const Plan plan = plan_on<T>(asked, true);
  if (!plan.on_host_pointers() && !plan.generalised && plan.path == Path::one_stage)
    for (const int parts : {most, most / 2}) {
      const int size = Partition::size_of(parts);
      if (size > 0 && plan.n <= max_on_chip<T>(size)) return {parts, GpuLanes::Division::parts};
    }
  return {plan.n <= max_order_in_streams ? most : 1, GpuLanes::Division::streams};
}

// Number of lanes for `count` problems, if the memory is enough for all these lanes.
int lanes_of(const LaneRule& rule, std::int64_t count) {
  return static_cast<int>(std::clamp<std::int64_t>(count, 1, rule.lanes));
}

// Sets `bytes` bytes of each of `count` lines to the bytes of a NaN.
void fill_with_nan(void* memory, std::size_t pitch, std::size_t bytes, std::int64_t count,
                   cudaStream_t stream) {
  for (std::int64_t line = 0; line < count; ++line)
    EIGEN_G_CUDA(cudaMemsetAsync(static_cast<std::byte*>(memory) + static_cast<std::size_t>(line) * pitch,
                                 0xff, bytes, stream));
}

// Solves problems of order n one after the other. SolveFrame destroys A and B on device pointers. A batch must not change them, so they are copied
// first. On host pointers nothing is destroyed.
template <class T>
class OneByOne {
 public:
  //   plan      the plan of a solve of one problem
  //   stream    the stream of all solves, unless `plan` is for host pointers
  OneByOne(const Plan& plan, Resources& resources, cudaStream_t stream)
      : n_(plan.n), frame_(plan, &resources), queue_(resources, stream) {}
  ~OneByOne() { cudaStreamSynchronize(queue_.stream()); }  // nothing may use the workspace afterwards

  // Returns bounds of the memory of a solve by OneByOne(plan, ...).
  static WorkspaceBytes workspace(const Plan& plan) {
    WorkspaceBytes bytes = plan_bytes<T>(plan_on<T>(plan, true));
    bytes.device += copy_bytes(plan);
    return bytes;
  }
  void set_workspace(const Workspace& given) {
    memory_.set_workspace(given);
    const std::uint64_t copies = copy_bytes(frame_.plan());
    if (given.device)
      frame_.set_workspace({static_cast<std::byte*>(given.device) + copies, given.device_bytes - copies});
    else
      frame_.set_workspace({});
  }

  std::int64_t n() const { return n_; }

  // Solves problem x, writes its `pairs` pairs and returns its status. Complete on return.
  std::int32_t solve(const BatchMatrix<T>& x, std::int64_t pairs) {
    if (n_ == 0) return 0;
    if (frame_.plan().on_host_pointers())
      return solve_alone(frame_, x, [&] { batched::fill_with_nan<T>(n_, pairs, x.w, x.z, x.ldz); });
    Arena arena = memory_.arena(queue_, copy_bytes(frame_.plan()));
    const WaitAtEnd wait{queue_};
    BatchMatrix<T> y = x;
    y.a = packed_copy(arena, x.a, x.lda);
    if (x.b) y.b = packed_copy(arena, x.b, x.ldb);
    y.lda = y.ldb = n_;
    const std::int32_t status = solve_alone(
        frame_, y,
        [&] {
          fill_with_nan(y.w, 0, bytes_of<real_t<T>>(pairs), 1, queue_.stream());
          if (y.z) fill_with_nan(y.z, bytes_of<T>(y.ldz), bytes_of<T>(n_), pairs, queue_.stream());
        },
        queue_.stream());
    queue_.wait();  // throws if the work has failed
    return status;
  }

 private:
  static std::uint64_t copy_bytes(const Plan& plan) {
    if (plan.on_host_pointers()) return 0;
    const std::int64_t n = plan.n;
    return bytes_taken([&](Arena& arena) {
      arena.take<T>(n * n);
      if (plan.generalised) arena.take<T>(n * n);
    });
  }
  // Returns a copy in memory of the arena, with leading dimension n.
  T* packed_copy(Arena& arena, const T* from, std::int64_t ld) const {
    T* const to = arena.take<T>(n_ * n_);
    if (ld * static_cast<std::int64_t>(sizeof(T)) <= largest_pitch)
      copy_on_gpu<T>(queue_, {to, n_, n_, n_}, {from, n_, n_, ld});
    else
      for (std::int64_t j = 0; j < n_; ++j) copy_values(queue_, to + j * n_, from + j * ld, n_);
    return to;
  }

  std::int64_t n_;
  SolveFrame<T> frame_;
  Queue queue_;
  HeldMemory memory_;
};

// A strided batch on device pointers.
template <class T>
class BatchInLanes final : public BatchOnGpu<T> {
 public:
  BatchInLanes(const Plan& plan, std::int64_t most, Resources& resources)
      : plan_(plan),
        most_(most),
        rule_(rule_of<T>(plan)),
        resources_(&resources),
        queue_(resources, nullptr) {}

  WorkspaceBytes workspace() const override {
    const WorkspaceBytes one = OneByOne<T>::workspace(plan_);
    return {one.host * static_cast<std::uint64_t>(lanes(most_)),
            bytes_taken([&](Arena& arena) { place(arena, one.device); })};
  }
  void set_workspace(const Workspace& given) override { memory_.set_workspace(given); }
  void enqueue(const Batch<T>& batch) override { solve(batch); }
  BatchFailures solve(const Batch<T>& batch) override {
    std::vector<std::int32_t> status(static_cast<std::size_t>(batch.count));
    queue_.use(batch.stream);
    if (plan_.n > 0 && batch.count > 0) {
      const std::int64_t pairs = batch.pairs(plan_.n).count;
      const auto run = [&](int used, const auto& solver_of) {
        group_->run(used, batch.count, batch.stream, [&](int lane, std::int64_t k) {
          status[static_cast<std::size_t>(k)] = solver_of(lane).solve(batch[k], pairs);
        });
      };
      if (prepare()) {
        run(lanes(batch.count),
            [&](int lane) -> OneByOne<T>& { return *of_lane_[static_cast<std::size_t>(lane)]; });
      } else {
        OneByOne<T> alone(plan_, *resources_, group_->stream(0));
        run(1, [&](int) -> OneByOne<T>& { return alone; });
      }
    }
    BatchFailures failures;
    for (std::int64_t k = 0; k < batch.count; ++k)
      if (status[static_cast<std::size_t>(k)] != 0) failures.note(k);
    if (batch.status) {
      copy_values(queue_, batch.status, status.data(), batch.count);
      queue_.wait();
    }
    return failures;
  }

 private:
  int lanes(std::int64_t count) const { return lanes_of(rule_, count); }
  // Takes the workspace of each lane.
  std::vector<Workspace> place(Arena& arena, std::uint64_t bytes) const {
    std::vector<Workspace> list;
    for (int lane = 0; lane < lanes(most_); ++lane)
      list.push_back({arena.take<std::byte>(static_cast<std::int64_t>(bytes)), bytes});
    return list;
  }
  // Makes the lanes, and gives each lane its workspace. Returns false if the GPU has too little memory for these workspaces. One lane must then
  // solve all problems. It allocates its workspace itself, so that SolveFrame can fall back to a plan that needs less memory.
  bool prepare() {
    if (!group_) group_ = GpuLanes::of_this_thread(rule_.lanes, rule_.division);
    for (int lane = static_cast<int>(of_lane_.size()); lane < lanes(most_); ++lane)
      of_lane_.push_back(std::make_unique<OneByOne<T>>(plan_, group_->resources(lane), group_->stream(lane)));
    std::vector<Workspace> given;
    try {
      Arena arena = memory_.arena(queue_, workspace().device);
      given = place(arena, OneByOne<T>::workspace(plan_).device);
    } catch (const OutOfMemory&) {
      return false;
    }
    for (std::size_t lane = 0; lane < given.size(); ++lane) of_lane_[lane]->set_workspace(given[lane]);
    return true;
  }

  Plan plan_;
  std::int64_t most_;
  LaneRule rule_;
  Resources* resources_;
  Queue queue_;
  HeldMemory memory_;
  std::shared_ptr<GpuLanes> group_;
  std::vector<std::unique_ptr<OneByOne<T>>> of_lane_;
};

// Returns the number of lanes for `count` problems. Each lane takes up to `bytes`. Two or more lanes together take at most half of the GPU's free
// memory. The bits of the results do not depend on the number of lanes.
int lanes_in_memory(const LaneRule& rule, std::int64_t count, const WorkspaceBytes& bytes) {
  int lanes = lanes_of(rule, count);
  const std::uint64_t free = lanes > 1 ? gpu_memory_free(current_gpu()) : 0;
  while (lanes > 1 && static_cast<std::uint64_t>(lanes) * bytes.device > free / 2) --lanes;
  return lanes;
}

WorkspaceBytes operator*(int lanes, const WorkspaceBytes& one) {
  const auto times = static_cast<std::uint64_t>(lanes);
  return {times * one.host, times * one.device};
}

}  // namespace

template <class T>
std::unique_ptr<BatchOnGpu<T>> batch_in_lanes(const Plan& plan, std::int64_t most, Resources& resources) {
  return std::make_unique<BatchInLanes<T>>(plan, most, resources);
}

template <class T>
WorkspaceBytes solve_in_lanes(const Batch<T>& batch, std::vector<std::int64_t> problems,
                              std::int32_t* status) {
  std::stable_sort(problems.begin(), problems.end(),
                   [&](std::int64_t j, std::int64_t k) { return batch.order(j) > batch.order(k); });
  const auto plan_at = [&](std::size_t i) { return batch.plan(batch.order(problems[i]), DeviceChoice::gpu); };
  WorkspaceBytes most;
  for (std::size_t begin = 0, end = 0; begin < problems.size(); begin = end) {  // problems with one rule
    const LaneRule rule = rule_of<T>(plan_at(begin));
    while (end < problems.size() && rule_of<T>(plan_at(end)) == rule) ++end;
    const auto count = static_cast<std::int64_t>(end - begin);
    const WorkspaceBytes one = OneByOne<T>::workspace(plan_at(begin));
    const int lanes = lanes_in_memory(rule, count, one);
    most.device = std::max(most.device, (lanes * one).device);
    most.host = std::max(most.host, (lanes * one).host);
    const std::shared_ptr<GpuLanes> group = GpuLanes::of_this_thread(rule.lanes, rule.division);
    std::vector<std::optional<OneByOne<T>>> of_lane(static_cast<std::size_t>(lanes));
    const cudaStream_t after = batch.on_host() ? group->stream(0) : batch.stream;
    group->run(lanes, count, after, [&](int lane, std::int64_t i) {
      const std::size_t at = begin + static_cast<std::size_t>(i);
      const std::int64_t k = problems[at];
      const BatchMatrix<T> x = batch[k];
      std::optional<OneByOne<T>>& own = of_lane[static_cast<std::size_t>(lane)];
      if (!own || own->n() != x.n) {
        own.reset();
        own.emplace(plan_at(at), group->resources(lane), group->stream(lane));
      }
      status[k] = own->solve(x, batch.pairs(x.n).count);
    });
  }
  return most;
}

template <class T>
WorkspaceBytes host_bytes_in_lanes(std::int64_t n, std::int64_t count, const Options& options,
                                   bool generalised) {
  Plan plan{n, options, {}, Pointers::host};
  if (generalised) plan.generalised.emplace();
  const WorkspaceBytes one = OneByOne<T>::workspace(plan);
  return lanes_of(rule_of<T>(plan), count) * one;
}

EIGEN_G_INSTANTIATE(all_types, batch_in_lanes, solve_in_lanes, host_bytes_in_lanes);

}  // namespace eigen_g
