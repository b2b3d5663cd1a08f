// TeamBackend: the stages of a standard solve on several GPUs of one host, on the two-stage path. Each GPU is a member with a host thread.
//
//   stage                  each member p
//   load, check, scale     its part of A's columns. A strip is a block of consecutive columns (dealt_columns.hpp). Each column is stored from the
//                          first row of its strip's diagonal block on
//   full to band           its part (full_to_band_on_team.hpp); member 0 gets the band
//   chase                  member 0 alone. If vectors are requested, d, e and the factors tau are copied to all other members. The v arrays hold
//                          the vectors of the chase's reflectors (chase_tiles.hpp). They stay with member 0
//   divide and conquer     computes its rows of U. In the last merge of a large matrix a member with less work also computes some rows of another
//                          member (row_moves()). It writes the results to the memory of this other member. Afterwards each member copies
//                          its columns of U from the rows of all members
//   back-transformations   its columns of Z. Member 0 sends the chase's reflectors to the other members in parts. All members apply a part before
//                          the next part is sent. The reflectors of the reduction to a band are copied from their owners in blocks
//   store                  its columns of Z
//
// After a stage every member's queue waits for all queues.
#include <algorithm>
#include <complex>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gemm_df/load_products.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/team/gpu_team.hpp"
#include "hybrid/transfer/copy_2d.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/back/back_transform_chase.hpp"
#include "solver/devices/tuning.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/driver/backend.hpp"
#include "solver/driver/device_frame.hpp"
#include "solver/driver/team_member.hpp"
#include "solver/prepare/scale.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/two_stage/band_to_tridiagonal.hpp"
#include "solver/reduction/two_stage/dealt_columns.hpp"
#include "solver/reduction/two_stage/full_to_band.hpp"
#include "solver/reduction/two_stage/full_to_band_on_team.hpp"
#include "solver/tridiagonal/row_members.hpp"
#include "solver/tridiagonal/widen.hpp"

namespace eigen_g {

namespace {

using namespace team;

std::vector<int> gpus_of_team(int gpus) {
  std::vector<int> all = helper_gpus(gpus);
  all.insert(all.begin(), current_gpu());
  return all;
}

// The begin and the end of a member's work in one call of run_stage(), and the number of the stage that the call is a part of.
struct StageMoments {
  Event begin, end;
  std::size_t stage = 0;
  explicit StageMoments(Resources& resources) : begin(resources), end(resources) {}
};

// The clock of member 0's queue. This queue waits for all queues at the end of a stage. The clock counts the flops of all members.
template <class T>
class TeamClock final : public Clock {
 public:
  TeamClock(Clock& first, const std::vector<std::unique_ptr<Member<T>>>& members)
      : first_(first), members_(members) {}
  void begin() override {
    first_.begin();
    marks_ = 0;
    flops_.clear();
  }
  void mark() override {
    first_.mark();
    ++marks_;
  }
  void wait() override { first_.wait(); }
  double lap(std::size_t i) const override { return first_.lap(i); }
  EngineFlops take_flops() override {
    EngineFlops sum{};
    std::vector<EngineFlops>& of_stage = flops_.emplace_back();
    for (const std::unique_ptr<Member<T>>& member : members_) {
      const EngineFlops more = member->products->take_flops();
      of_stage.push_back(more);
      for (std::size_t k = 0; k < engine_count; ++k) sum.values[k] += more.values[k];
    }
    return sum;
  }
  // The number of the stage that runs now, and the flops of a member in a stage that has ended.
  std::size_t stage() const { return marks_ - 1; }
  EngineFlops flops(std::size_t stage, int member) const {
    return stage < flops_.size() ? flops_[stage][static_cast<std::size_t>(member)] : EngineFlops{};
  }

 private:
  Clock& first_;
  const std::vector<std::unique_ptr<Member<T>>>& members_;
  std::size_t marks_ = 0;
  std::vector<std::vector<EngineFlops>> flops_;  // by stage, then by member
};

template <class T>
class TeamBackend final : public StandardBackend<T> {
  using R = real_t<T>;

 public:
  TeamBackend(const Plan& plan, Resources& resources)
      : StandardBackend<T>(plan),
        frame_(plan, resources),
        deal_(deal_of<T>(plan.n, plan.devices.gpus)),
        tiles_(tiles_of<T>(plan.n)),
        team_(plan.in_pieces() ? plan.gpus_of_pieces : gpus_of_team(plan.devices.gpus)),
        all_reach_(team_.all_reach()),
        clock_(frame_.clock, members_) {
    const Device& first = gpu_facts(team_.gpu(0));
    members_.push_back(std::make_unique<Member<T>>(frame_));
    for (int p = 1; p < team_.size(); ++p) {
      const Device& other = gpu_facts(team_.gpu(p));
      require(other.name == first.name && other.multiprocessors == first.multiprocessors, Argument::gpus,
              "is " + std::to_string(team_.size()) + "; GPU " + std::to_string(other.index) + " (" +
                  other.name + ") must be of the same model as GPU " + std::to_string(first.index) + " (" +
                  first.name + ")");
      const CurrentGpu on(team_.gpu(p));
      members_.push_back(std::make_unique<Member<T>>(std::make_unique<OwnObjects<T>>()));
    }
    std::vector<Resources*> all;
    for (const auto& member : members_) all.push_back(&member->queue->resources());
    stage_ends_ = std::make_unique<TeamEvents>(team_, all);
  }
  ~TeamBackend() override { end(); }

  void set_workspace(const Workspace& workspace) override { frame_.memory.set_workspace(workspace); }

  void begin(const CallerMatrices<T>& problem) override {
    p_ = problem;
    frame_.begin(p_.stream);
    for (int p = 0; p < team_.size(); ++p) {
      Member<T>& member = *members_[static_cast<std::size_t>(p)];
      const CurrentGpu on(team_.gpu(p));
      const int multiprocessors = member.queue->multiprocessors();
      member.bytes = part_bytes<T>(plan_, p, multiprocessors);
      Arena arena = member.memory->arena(*member.queue, member.bytes);
      member.parts.emplace(arena, plan_, p, multiprocessors);
      member.products->lend(member.parts->products);
      if (p > 0) members_[0]->begin.hold(*member.queue);  // starts after the work in the caller's stream
      if (p == 0) member.begin.record(*member.queue);
    }
    for (int p = 1; p < team_.size(); ++p) {
      const CurrentGpu on(team_.gpu(p));
      members_[static_cast<std::size_t>(p)]->begin.record(queue(p));
    }
    if (plan_.in_pieces()) follow_streams();
    stage_ends_->begin();
    stages_ended_ = 0;
    moments_.resize(members_.size());
    moments_used_ = 0;
    ready_ = std::vector<std::vector<ReadyColumns>>(members_.size());
  }
  void end() noexcept override {
    frame_.end();
    for (const auto& member : members_) {
      cudaStreamSynchronize(member->queue->stream());
      cudaStreamSynchronize(member->out.stream());
    }
    fetch_.reset();
    ready_.clear();
  }
  Clock& clock() override { return clock_; }

  void load() override {
    const int threads = static_cast<int>(loop_threads()) / team_.size();
    run_stage([this, threads](int p) {
      std::vector<Upload<T>> uploads;
      for (std::int64_t l = 0; l < deal_.columns(p); l += deal_.width) load_piece(p, l, uploads);
      upload_several<T>(queue(p), uploads, threads);
    });
  }
  void check() override {
    std::vector<PartFacts<R>> facts(static_cast<std::size_t>(team_.size()));
    run_stage([&](int p) {
      Arena scratch = parts(p).scratch;
      facts[static_cast<std::size_t>(p)] = check_part<T>(
          queue(p), parts(p).part, reinterpret_cast<T*>(scratch.take<std::byte>(check_part_bytes)));
    });
    PartFacts<R> all;
    for (const PartFacts<R>& of : facts) {
      all.largest = std::max(all.largest, of.largest);
      if (of.first_bad >= 0 && (all.first_bad < 0 || of.first_bad < all.first_bad)) {
        all.first_bad = of.first_bad;
        all.bad_value = of.bad_value;
      }
    }
    require_finite(all, plan_.n, plan_.options.uplo);
    k_ = scale_exponent(all.largest);
  }
  void scale() override {
    if (k_ != 0) run_stage([&](int p) { scale_part<T>(queue(p), parts(p).part, k_); });
  }
  int exponent() override { return k_; }

  void reduce(StageRunner& run) override {
    const std::int64_t n = plan_.n, b = band_width<T>(n);
    run(Stage::full_to_band, [&](const StageProgress& progress) {
      std::vector<BandMember<T>> list;
      list.reserve(members_.size());
      for (int p = 0; p < team_.size(); ++p)
        list.push_back({members_[static_cast<std::size_t>(p)]->products, parts(p).part, parts(p).band,
                        parts(p).tau, parts(p).scratch});
      FullToBandOnTeam<T> band(team_, deal_, b, list);
      run_stage([&](int p) { band.run(p, progress); });
    });
    run(Stage::chase, [&] {
      run_stage([&](int p) {
        if (p == 0)
          band_to_tridiagonal<T>(queue(0), b, parts(0).band, parts(0).t.d, parts(0).t.e,
                                 {parts(0).runs, parts(0).chase_tau}, parts(0).scratch);
        if (plan_.options.vectors && n >= solver_tuning().min_order_with_cublas)
          load_products<T>(queue(p), parts(p).scratch);
        if (p == 0 && fetches()) fetch_.emplace(queue(0), p_.z);
      });
      if (!plan_.options.vectors) return;
      run_stage([&](int p) {
        if (p == 0) return;
        copy_values(queue(p), parts(p).t.d, static_cast<const R*>(parts(0).t.d), n);
        copy_values(queue(p), parts(p).t.e, static_cast<const R*>(parts(0).t.e), n - 1);
        copy_values(queue(p), parts(p).chase_tau, static_cast<const T*>(parts(0).chase_tau),
                    tiles_.tau_count());
      });
    });
  }
  DivideAndConquerResult divide_and_conquer(int k, const StageProgress&) override {
    std::vector<DivideAndConquerResult> outcomes(static_cast<std::size_t>(team_.size()));
    std::vector<std::vector<R>> values(outcomes.size());
    std::optional<RowMembers<R>> members = row_members();
    run_stage([&](int p) {
      const auto own = static_cast<std::size_t>(p);
      if (p > 0 && !plan_.options.vectors) return;
      outcomes[own] = solve_rows(p, k, members ? &*members : nullptr);
      if (!plan_.options.vectors || outcomes[own].status != Status::converged) return;
      values[own].resize(static_cast<std::size_t>(outcomes[own].found.count));
      copy_values(queue(p), values[own].data(), static_cast<const R*>(parts(p).t.d),
                  outcomes[own].found.count);
      queue(p).wait();
    });
    found_ = outcomes[0].found.count;
    if (!plan_.options.vectors || outcomes[0].status != Status::converged) return outcomes[0];
    for (std::size_t p = 1; p < outcomes.size(); ++p)
      if (share_of(plan_.n, static_cast<int>(p), team_.size()).count > 0 &&
          (values[p].size() != values[0].size() ||
           std::memcmp(values[p].data(), values[0].data(), sizeof(R) * values[0].size()) != 0))
        throw DeviceError("GPU " + std::to_string(team_.gpu(static_cast<int>(p))) +
                          " found other eigenvalues of the tridiagonal matrix than GPU " +
                          std::to_string(team_.gpu(0)));
    run_stage([this](int p) { gather_columns(p); });
    return outcomes[0];
  }
  void back_transform(StageRunner& run) override {
    const std::int64_t n = plan_.n, b = std::min(band_width<T>(n), n);
    run(Stage::back_transform_chase, [&] {
      std::int64_t end = tiles_.groups();
      while (end > 0) {
        const std::int64_t first = first_group_of_part(end);
        send_reflectors(first, end);
        run_stage([&](int p) {
          const T* const v = p == 0 ? parts(0).runs : parts(p).received - v_offset(first);
          back_transform_chase<T>(*members_[static_cast<std::size_t>(p)]->products, tiles_,
                                  {v, parts(p).chase_tau}, columns_of(p), parts(p).scratch,
                                  ChaseBack::automatic, nullptr, {first, end});
        });
        end = first;
      }
    });
    run(Stage::back_transform_band, [&] {
      run_stage([&](int p) {
        const MatrixView<T> z = columns_of(p);
        const ReflectorPieces<T> reflectors{[&](std::int64_t first, std::int64_t count, const auto& take) {
                                              give_blocks(first, count, b, take);
                                            },
                                            all_reach_};
        // All kinds of pointers have the same groups of columns, so that the results have the same bits.
        back_transform_from_pieces<T>(*members_[static_cast<std::size_t>(p)]->products, n - b, reflectors,
                                      true, parts(p).tau, z.block(b, 0, n - b, z.cols), parts(p).scratch,
                                      [&](ColumnRange columns) {
                                        if (!on_host()) return;
                                        auto& ready = ready_[static_cast<std::size_t>(p)];
                                        ready.push_back({columns, Event(queue(p).resources())});
                                        ready.back().moment.record(queue(p));
                                      });
      });
    });
  }
  void unscale(int k) override { scale_values(queue(0), found_, parts(0).t.d, -k); }
  void store() override {
    fetch_.reset();
    if (found_ == 0) return;
    run_stage([this](int p) {
      if (plan_.options.vectors) store_columns(p);
      if (p == 0) copy_values(queue(0), p_.w, static_cast<const R*>(parts(0).t.d), found_);
    });
  }

  void account(Report& report) override {
    report.path = Path::two_stage;
    report.mode = MemoryMode::in_core;
    report.bytes = {4 * sizeof(double) * static_cast<std::uint64_t>(plan_.n), 0};
    report.devices.clear();
    clock_.wait();  // all queues have then reached the end of the last stage
    for (int p = 0; p < team_.size(); ++p) {
      const Member<T>& member = *members_[static_cast<std::size_t>(p)];
      DeviceWork work{gpu_facts(team_.gpu(p)).name, team_.gpu(p), member.queue->multiprocessors(),
                      1.0 / team_.size(), 0};
      work.bytes = member.bytes + member.products->scratch_bytes();
      report.bytes.device += work.bytes;
      for (const StageWork& stage : report.stages) {
        work.stages.push_back({stage.stage, 0, clock_.flops(work.stages.size(), p)});
        for (const double flops : work.stages.back().flops.values) work.flops += flops;
      }
      for (std::size_t k = 0; k < moments_used_; ++k) {
        const StageMoments& moments = moments_[static_cast<std::size_t>(p)][k];
        const double seconds = moments.end.seconds_since(moments.begin);
        work.stages.at(moments.stage).seconds += seconds;
        work.seconds += seconds;
      }
      report.devices.push_back(std::move(work));
    }
  }

 private:
  const Queue& queue(int p) const { return *members_[static_cast<std::size_t>(p)]->queue; }
  TeamParts<T>& parts(int p) { return *members_[static_cast<std::size_t>(p)]->parts; }
  bool on_host() const { return frame_.on_host; }
  bool fetches() const {
    return on_host() && plan_.options.vectors && plan_.options.subset.by != Subset::By::value;
  }
  ColumnRange own_columns(int p) const { return share_of(found_, p, team_.size()); }
  MatrixView<T> columns_of(int p) {
    const MatrixView<T> z = parts(p).z;
    return z.block(0, 0, plan_.n, own_columns(p).count);
  }

  // Runs work(p) in every member's thread. Later work of every queue starts after this work of all queues.
  template <class Work>
  void run_stage(const Work& work) {
    const std::int64_t number = stages_ended_++;
    const std::size_t part = moments_used_++, stage = clock_.stage();
    team_.run([&](int p) {
      std::vector<StageMoments>& all = moments_[static_cast<std::size_t>(p)];
      if (all.size() == part) all.emplace_back(queue(p).resources());
      all[part].stage = stage;
      all[part].begin.record(queue(p));
      work(p);
      all[part].end.record(queue(p));
      stage_ends_->publish(p, queue(p), number);
      for (int other = 0; other < team_.size(); ++other)
        if (other != p) stage_ends_->hold(queue(p), other, number);
    });
  }

  // Calls take(columns, at) for each of the caller's pieces that has columns of the range. `columns` is the part of the piece that is in the
  // range, and `at` is the place of its first column in the range.
  template <class Take>
  void each_piece(const Pieces<T>& pieces, ColumnRange range, const Take& take) const {
    std::int64_t first = 0;  // the piece's first column
    for (const Shard<T>& piece : pieces.list) {
      const std::int64_t begin = std::max(first, range.first),
                         end = std::min(first + piece.columns, range.first + range.count);
      if (begin < end)
        take(MatrixView<T>{piece.data, plan_.n, piece.columns, piece.lda}.block(0, begin - first, plan_.n,
                                                                                end - begin),
             begin - range.first);
      first += piece.columns;
    }
  }
  // Later work of all queues starts after the work in the streams of the pieces.
  void follow_streams() {
    for (const Pieces<T>* pieces : {&p_.a_pieces, &p_.z_pieces})
      for (std::size_t k = 0; k < pieces->list.size(); ++k) {
        int owner = 0;
        while (team_.gpu(owner) != pieces->gpus[k]) ++owner;
        const CurrentGpu on(team_.gpu(owner));
        Resources& resources = queue(owner).resources();
        Event before(resources);
        before.record(Queue(resources, pieces->list[k].stream));
        for (int p = 0; p < team_.size(); ++p) before.hold(queue(p));
      }
  }
  // to := the caller's A from (row, column) on. A is in device memory or in pieces.
  void fetch(int p, std::int64_t row, std::int64_t column, MatrixView<T> to) {
    if (plan_.in_pieces())
      return each_piece(p_.a_pieces, {column, to.cols}, [&](MatrixView<T> columns, std::int64_t at) {
        copy_on_gpu<T>(queue(p), to.block(0, at, to.rows, columns.cols),
                       columns.block(row, 0, to.rows, columns.cols));
      });
    copy_on_gpu<T>(queue(p), to, p_.a.block(row, column, to.rows, to.cols));
  }
  // Loads the columns, `width` or fewer, that begin with local column l of member p. If A is in host memory, nothing is copied yet:
  // the copies are added to `uploads`.
  void load_piece(int p, std::int64_t l, std::vector<Upload<T>>& uploads) {
    const std::int64_t count = std::min(deal_.width, plan_.n - deal_.global(p, l));
    Arena scratch = parts(p).scratch;
    load_columns<T>(queue(p), parts(p).part, l, count, plan_.options.uplo,
                    scratch.take<T>(deal_.width * plan_.n),
                    [&](std::int64_t i, std::int64_t j, MatrixView<T> to, const auto& then) {
                      if (on_host()) {
                        uploads.push_back({p_.a.block(i, j, to.rows, to.cols), to, then});
                      } else {
                        fetch(p, i, j, to);
                        then();
                      }
                    });
  }

  // Returns the data that the members share about their rows of U. Returns nullopt if no rows can move. There are five such cases: no vectors, a small
  // order, a GPU that does not reach the memory of another one, no room in the scratch memory, and a last member without rows.
  std::optional<RowMembers<R>> row_members() {
    if (!plan_.options.vectors || plan_.n < solver_tuning().dc_min_order_of_moves || !all_reach_) return {};
    std::vector<dc::Rows> rows;
    std::int64_t most = plan_.n;
    for (int p = 0; p < team_.size(); ++p) {
      const ColumnRange share = share_of(plan_.n, p, team_.size());
      rows.push_back({static_cast<dc::Index>(share.first), static_cast<dc::Index>(share.count)});
      most = std::min(most, static_cast<std::int64_t>(parts(p).scratch.left() / sizeof(R)) / plan_.n);
    }
    // A move is a range of rows that one member computes for another one (RowMove). A member computes at most size() - 1 moves. For each move it
    // copies the other member's rows of C, the compressed Q, to its scratch memory. The copy needs room for up to two more rows. One makes its
    // leading dimension even, and the other is for its alignment.
    most -= 2 * team_.size();
    if (most <= 0 || rows.back().count == 0) return {};
    return std::optional<RowMembers<R>>(std::in_place, team_, std::move(rows), static_cast<dc::Index>(most));
  }
  // The member's rows of U. Without vectors: the values.
  DivideAndConquerResult solve_rows(int p, int k, RowMembers<R>* members) {
    const TeamParts<T>& own = parts(p);
    const ColumnRange rows = share_of(plan_.n, p, team_.size());
    if (plan_.options.vectors && rows.count == 0)
      return {};  // a small matrix, and the first members have all rows
    const RowMember<R> member{members, p, own.scratch};
    const auto solve = [&](const Products<R>& products) {
      return eigen_g::divide_and_conquer<R>(
          products, plan_.n, own.t.d, own.t.e, plan_.options.vectors ? own.u : MatrixView<R>{}, own.dc,
          {.subset = plan_.options.subset, .scale = -k, .first_row = rows.first}, {}, nullptr, nullptr,
          members ? &member : nullptr);
    };
    if constexpr (is_complex<T>) {
      Products<R> of_reals(queue(p), Engine::native);
      of_reals.lend(own.products);
      return solve(of_reals);
    } else {
      return solve(*members_[static_cast<std::size_t>(p)]->products);
    }
  }
  // Z := the member's columns of U, from all members' rows.
  void gather_columns(int p) {
    const ColumnRange columns = own_columns(p);
    if (columns.count == 0) return;
    const TeamParts<T>& own = parts(p);
    MatrixView<R> to;
    if constexpr (is_complex<T>)
      to = own.columns;
    else
      to = own.z;
    for (int step = 0; step < team_.size(); ++step) {
      const int q = (p + step) % team_.size();
      const ColumnRange rows = share_of(plan_.n, q, team_.size());
      copy_on_gpu<R>(queue(p), to.block(rows.first, 0, rows.count, columns.count),
                     parts(q).u.block(0, columns.first, rows.count, columns.count));
    }
    if constexpr (is_complex<T>) widen<T>(queue(p), to.block(0, 0, plan_.n, columns.count), columns_of(p));
  }
  // Returns the index of the first value of a sweep group in the packed v arrays. A sweep group has `width` consecutive sweeps (chase_tiles.hpp).
  std::int64_t v_offset(std::int64_t group) const {
    return tiles_.sweep_offset(std::min(group * tiles_.width, tiles_.sweeps()));
  }
  // The members apply the chase's reflectors in parts, each of whole sweep groups. Returns the first group of the part that ends before group `end`.
  // The part is as long as the room in `received` allows.
  // A team of one member needs no room, so its part has all groups.
  std::int64_t first_group_of_part(std::int64_t end) const {
    if (team_.size() == 1) return 0;
    const std::int64_t room = TeamParts<T>::received_values(plan_.n, team_.size());
    std::int64_t first = end - 1;
    while (first > 0 && v_offset(end) - v_offset(first - 1) <= room) --first;
    return first;
  }
  // Copies the v arrays of these groups from member 0 to all other members. The GPUs do nothing else meanwhile. While the kernel that applies the
  // reflectors runs, a copy between GPUs takes many times as long. First each member gets a different part from member 0. Then it gets the other parts
  // from the other members. So all links carry data.
  void send_reflectors(std::int64_t first, std::int64_t end) {
    const std::int64_t at = v_offset(first), count = v_offset(end) - at;
    const int receivers = team_.size() - 1;
    const auto part_of = [&](int p) { return share_of(count, p - 1, receivers); };
    if (receivers == 0) return;
    run_stage([&](int p) {
      if (p > 0)
        copy_values(queue(p), parts(p).received + part_of(p).first,
                    static_cast<const T*>(parts(0).runs + at + part_of(p).first), part_of(p).count);
    });
    if (receivers == 1) return;
    run_stage([&](int p) {
      for (int step = 1; p > 0 && step < receivers; ++step) {
        const int from = 1 + (p - 1 + step) % receivers;
        copy_values(queue(p), parts(p).received + part_of(from).first,
                    static_cast<const T*>(parts(from).received + part_of(from).first), part_of(from).count);
      }
    });
  }
  // V is the matrix of the reflectors of the reduction to a band. It is rows b ... n - 1 of A's first n - b columns. give_blocks() calls take() for the
  // blocks that make up columns first ... first + count - 1 of V. A block begins at row `first` of V, which is row b + first of A, because the
  // reflectors of these columns have no entries above it. Each block is in the memory of the member that owns its columns.
  template <class Take>
  void give_blocks(std::int64_t first, std::int64_t count, std::int64_t b, const Take& take) {
    for_runs(deal_, first, count, [&](std::int64_t l, std::int64_t columns, std::int64_t at) {
      take(parts(deal_.part_of(first + at)).part.block(b + first, l, plan_.n - b - first, columns), at);
    });
  }
  void store_columns(int p) {
    const ColumnRange own = own_columns(p);
    if (own.count == 0) return;
    if (plan_.in_pieces())
      return each_piece(p_.z_pieces, own, [&](MatrixView<T> to, std::int64_t at) {
        copy_on_gpu<T>(queue(p), to, columns_of(p).block(0, at, plan_.n, to.cols));
      });
    if (!on_host())
      return copy_on_gpu<T>(queue(p), p_.z.block(0, own.first, plan_.n, own.count), columns_of(p));
    const Queue& out = members_[static_cast<std::size_t>(p)]->out;
    for (const ReadyColumns& part : ready_[static_cast<std::size_t>(p)]) {
      part.moment.hold(out);
      download<T>(out, columns_of(p).block(0, part.columns.first, plan_.n, part.columns.count),
                  p_.z.block(0, own.first + part.columns.first, plan_.n, part.columns.count));
    }
  }

  // Columns of a member's Z that can be copied to the caller's host memory while the GPU does the work that is queued after them.
  struct ReadyColumns {
    ColumnRange columns;
    Event moment;
  };

  using StandardBackend<T>::plan_;
  DeviceFrame<T> frame_;
  DealtColumns deal_;
  ChaseTiles tiles_;
  GpuTeam team_;
  bool all_reach_;  // GpuTeam::all_reach()
  std::vector<std::unique_ptr<Member<T>>> members_;
  std::unique_ptr<TeamEvents> stage_ends_;
  TeamClock<T> clock_;
  std::int64_t stages_ended_ = 0;
  std::vector<std::vector<StageMoments>> moments_;  // by member, then by call of run_stage()
  std::size_t moments_used_ = 0;
  CallerMatrices<T> p_;
  int k_ = 0;  // A is scaled by 2^k
  std::int64_t found_ = 0;
  std::vector<std::vector<ReadyColumns>> ready_;
  std::optional<PageFetch> fetch_;
};

}  // namespace

template <class T>
std::unique_ptr<Backend<T>> team_on_gpus(const Plan& plan, Resources& resources) {
  return std::make_unique<TeamBackend<T>>(plan, resources);
}
template <class T>
WorkspaceBytes team_bytes_on_gpu(const Plan& plan) {
  return {4 * sizeof(double) * static_cast<std::uint64_t>(plan.n),
          part_bytes<T>(plan, 0, gpu_facts(current_gpu()).multiprocessors)};
}

template <class T>
std::uint64_t team_bytes(const Plan& plan, int member, int multiprocessors) {
  return part_bytes<T>(plan, member, multiprocessors);
}

EIGEN_G_INSTANTIATE(all_types, team_on_gpus, team_bytes_on_gpu, team_bytes);

}  // namespace eigen_g
