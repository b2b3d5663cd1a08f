// The equations of full_to_band.cu hold. The partial product of member p at panel j, with W in the rows from `below` = j + b on, is
//
//   for each strip of columns:   P(r:) += A(r:, own) W(own)        own: the member's columns of the strip from `below` on, r: the strip's first row or `below`
//   for each strip r of rows:    P(own) += A(r, own)^H W(r)        own: the member's columns from `below` on in the strips before
//
// In a packed part a product has columns of one strip only. The second line is then
//
//   for each strip of columns:   P(own) += A(r:, own)^H W(r:)      own: the member's columns of the strip from `below` on, r: the next strip's first row
//
// The member's rows of W, and its rows of the second sum, are stored one after the other, as its columns of A are. One member has all rows.
#include "solver/reduction/two_stage/full_to_band_on_team.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "gemm_df/adjoint.hpp"
#include "gemm_df/gemm.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/instantiate.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/team/split.hpp"
#include "hybrid/transfer/copy_2d.hpp"
#include "solver/devices/two_stage_tuning.hpp"
#include "solver/prepare/mirror.hpp"
#include "solver/reduction/negligible.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/two_stage/adjoint_product_of_few.hpp"
#include "solver/reduction/two_stage/dealt_part.cuh"
#include "solver/reduction/two_stage/full_to_band_on_team_kernels.cuh"
#include "solver/reduction/two_stage/full_to_band_steps.cuh"

namespace eigen_g {

namespace {

using namespace to_band;

// In double the two kinds of products can run at the same time. The products of the other types have one workspace (Products).
template <class T>
inline constexpr bool in_two_queues = std::is_same_v<T, double>;

// The arrays of a member's workspace.
template <class T>
struct TeamBuffers {
  MatrixView<T> pending, partner, w, own_w, own_sums, inner, correction, gram;
  MatrixView<T> sums[2];  // the member's partial sums of this panel and of the panel before
  std::array<MatrixView<T>, most_members> got;  // copies of the other members' partial sums
  real_t<T>* squares;
  MatrixView<double> q;  // for cholesky_panel(), in float
  Arena panels, cholesky;

  TeamBuffers(Arena& arena, const DealtColumns& deal, std::int64_t b, int multiprocessors) {
    const std::int64_t n = deal.n, k = 2 * pending_columns(n, b);
    const auto with_rows = [&](std::int64_t rows, std::int64_t columns) {
      return arena.matrix<T>(rows, columns, round_up(rows, tridiagonalize_row_multiple));
    };
    pending = with_rows(n, k);
    partner = with_rows(std::max(b, std::min(deal.share(), deal.most_columns())), k);
    w = with_rows(n, b);
    own_w = deal.parts == 1 ? w : with_rows(deal.most_columns(), b);
    own_sums = with_rows(deal.most_columns(), b);
    for (MatrixView<T>& of : sums)
      if (deal.parts > 1) of = with_rows(n, b);
    for (int k_th = 0; k_th + 1 < deal.parts; ++k_th) got[static_cast<std::size_t>(k_th)] = with_rows(n, b);
    inner = arena.matrix<T>(k, b, k);
    correction = arena.matrix<T>(k, b, k);
    gram = arena.matrix<T>(b, b, b);
    squares = arena.take<real_t<T>>(n + 1);
    panels = arena.part(panel_qr_bytes<T>(n, b, multiprocessors));
    if constexpr (!is_complex<T>) {
      cholesky = arena.part(cholesky_panel_bytes(n));
      if (sizeof(T) < sizeof(double)) q = arena.matrix<double>(n, b, n);
    }
  }
};

// A queue of the current GPU for work that runs at the same time as that of a member's own queue.
struct SecondQueue {
  Queue queue;
  Event begin, end;

  explicit SecondQueue(Resources& resources) : queue(resources), begin(resources), end(resources) {}
  // Later work of this queue starts after the work that is in `other` now.
  void fork(const Queue& other) {
    begin.record(other);
    begin.hold(queue);
  }
  // Later work of `other` starts after the work that is in this queue now.
  void join(const Queue& other) {
    end.record(queue);
    end.hold(other);
  }
};

}  // namespace

template <class T>
struct FullToBandOnTeam<T>::Impl {
  using R = real_t<T>;

  GpuTeam& team;
  DealtColumns deal;
  std::int64_t b;
  std::vector<BandMember<T>> members;
  std::vector<TeamBuffers<T>> buffers;
  bool direct;              // GpuTeam::all_reach()
  TeamEvents panels, sums;  // moments: a panel is factored, its partial sums are there; numbered by panels
  std::vector<R> squares_of_column;  // each member writes the squares of its columns
  std::vector<std::optional<SecondQueue>> second;
  int exceptions = std::uncaught_exceptions();

  Impl(GpuTeam& of, const DealtColumns& dealt, std::int64_t width, const std::vector<BandMember<T>>& list)
      : team(of),
        deal(dealt),
        b(width),
        members(list),
        direct(of.all_reach()),
        panels(of, resources(list)),
        sums(of, resources(list)),
        squares_of_column(static_cast<std::size_t>(dealt.n)) {
    second.resize(members.size());
    for (int p = 0; in_two_queues<T> && p < team.size(); ++p) {
      const auto own = static_cast<std::size_t>(p);
      const CurrentGpu on(team.gpu(p));
      if (members[own].second_queue) second[own].emplace(members[own].products->queue().resources());
    }
    for (BandMember<T>& member : members)
      buffers.emplace_back(member.scratch, deal, b, member.products->queue().multiprocessors());
  }
  // After an exception the queues may still use the members' memory.
  ~Impl() {
    if (std::uncaught_exceptions() > exceptions)
      for (const std::optional<SecondQueue>& of : second)
        if (of) cudaStreamSynchronize(of->queue.stream());
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  static std::vector<Resources*> resources(const std::vector<BandMember<T>>& list) {
    std::vector<Resources*> all;
    for (const BandMember<T>& member : list) all.push_back(&member.products->queue().resources());
    return all;
  }

  // Stores max((ulp |A|_F)^2, negligible_square) at `to`, from the same sum in every member.
  void negligible_square_to(int p, R* to) {
    const auto own = static_cast<std::size_t>(p);
    const BandMember<T>& me = members[own];
    const Queue& queue = me.products->queue();
    const std::int64_t columns = deal.columns(p);
    std::vector<R> local(static_cast<std::size_t>(columns));
    squares_of_part<T>(queue, me.part, buffers[own].squares);
    copy_values(queue, local.data(), static_cast<const R*>(buffers[own].squares), columns);
    queue.wait();
    for (std::int64_t l = 0; l < columns; ++l)
      squares_of_column[static_cast<std::size_t>(deal.global(p, l))] = local[static_cast<std::size_t>(l)];
    team.meet();
    R sum = 0;
    for (const R square : squares_of_column) sum += square;
    constexpr R ulp = std::numeric_limits<R>::epsilon();
    const R negligible = std::max(ulp * ulp * sum, negligible_square<R>);
    copy_values(queue, to, &negligible, 1);
    queue.wait();
  }

  static dim3 grid_of(std::int64_t rows, std::int64_t cols) {
    return {static_cast<unsigned>((rows + 255) / 256), static_cast<unsigned>(cols)};
  }
  // The member's rows `own` of x; own_rows_kernel().
  void own_rows(int p, ColumnRange own, std::int64_t pairs, MatrixView<const T> x, MatrixView<T> to) {
    if (own.count == 0) return;
    own_rows_kernel<<<grid_of(own.count, x.cols), 256, 0,
                      members[static_cast<std::size_t>(p)].products->queue().stream()>>>(
        deal, p, own.first, own.count, static_cast<std::int32_t>(pairs), on_device(x.data), x.lda,
        on_device(to.data), to.lda);
    EIGEN_G_LAUNCHED();
  }
  // P(rows from `below` on) := the member's part of A W. also(queue) queues work that may run at the same time.
  template <class Also>
  void multiply(int p, std::int64_t below, MatrixView<T> product, const Also& also) {
    const auto own = static_cast<std::size_t>(p);
    const TeamBuffers<T>& at = buffers[own];
    const Products<T>& products = *members[own].products;
    const Queue& queue = products.queue();
    const DealtPart<T>& a = members[own].part;
    const std::int64_t n = deal.n, first = deal.before(below, p), count = deal.columns(p) - first;
    if (deal.parts > 1) own_rows(p, {first, count}, 0, at.w, at.own_w.block(first, 0, count, b));

    std::optional<SecondQueue>& other = second[own];
    if (other) other->fork(queue);
    std::int64_t columns = 0;  // that have a second sum
    const auto adjoint_product = [&](std::int64_t row, std::int64_t rows, ColumnRange of, T beta) {
      const MatrixView<const T> left = a.block(row, of.first, rows, of.count),
                                w = at.w.block(row, 0, rows, b);
      const MatrixView<T> sum = at.own_sums.block(of.first, 0, of.count, b);
      columns = std::max(columns, of.first + of.count - first);
      if (!other) return products.gemm(adjoint<T>, Op::none, 1, left, w, beta, sum);
      gemm<T>(other->queue, adjoint<T>, Op::none, 1, left, w, beta, sum);
      products.count_native(2 * static_cast<double>(rows) * static_cast<double>(of.count) *
                            static_cast<double>(b));
    };
    if (deal.packed)
      for_strips_above(deal, p, below,
                       [&](std::int64_t row, ColumnRange of) { adjoint_product(row, n - row, of, 0); });
    else
      for_strips_of_rows(deal, p, below, [&](std::int64_t row, std::int64_t rows, ColumnRange of) {
        adjoint_product(row, rows, of, columns == 0 ? 0 : 1);
      });
    also(other ? other->queue : queue);

    bool all_rows = false;  // a product has written all rows
    const auto clear = [&] {
      EIGEN_G_CUDA(cudaMemset2DAsync(&product(below, 0), bytes_of<T>(product.lda), 0, bytes_of<T>(n - below),
                                     static_cast<std::size_t>(b), queue.stream()));
    };
    for_strips_of_columns(deal, p, below, [&](std::int64_t row, ColumnRange of) {
      if (!all_rows && row > below) clear();
      const T beta = all_rows || row > below ? 1 : 0;
      products.gemm(Op::none, Op::none, 1, a.block(row, of.first, n - row, of.count),
                    at.own_w.block(of.first, 0, of.count, b), beta, product.block(row, 0, n - row, b));
      all_rows = true;
    });
    if (!all_rows) clear();
    if (other) other->join(queue);
    if (columns == 0) return;
    add_own_rows_kernel<<<grid_of(columns, b), 256, 0, queue.stream()>>>(
        deal, p, first, columns, on_device(&at.own_sums(first, 0)), at.own_sums.lda, on_device(product.data),
        product.lda);
    EIGEN_G_LAUNCHED();
  }
  // Computes the rows of multiply() again by accurate sums, if the panel has few reflectors.
  void multiply_few(int p, std::int64_t below, MatrixView<T> product) {
    const TeamBuffers<T>& at = buffers[static_cast<std::size_t>(p)];
    const BandMember<T>& me = members[static_cast<std::size_t>(p)];
    using D = device_t<T>;
    const auto blocks = static_cast<unsigned>((deal.n - below + rows_of_few - 1) / rows_of_few);
    product_of_few_kernel<<<blocks, rows_of_few * warps_of_few, shared_of_few<D>,
                            me.products->queue().stream()>>>(
        DealtPart<const D>(on_device(me.part)), below, static_cast<int>(b),
        static_cast<const D*>(on_device(me.tau + below - b)), static_cast<const D*>(on_device(at.w.data)),
        at.w.lda, on_device(&product(below, 0)), product.lda);
    EIGEN_G_LAUNCHED();
  }

  void run(int p, const std::function<void(double)>& progress,
           const std::function<void(std::int64_t)>& reached) {
    const auto own = static_cast<std::size_t>(p);
    const std::int64_t n = deal.n;
    const Products<T>& products = *members[own].products;
    const Queue& queue = products.queue();
    const DealtPart<T>& a = members[own].part;
    const MatrixView<T> band = members[own].band;
    T* const tau = members[own].tau;
    const TeamBuffers<T>& at = buffers[own];
    const std::int64_t most = pending_columns(n, b);
    EIGEN_G_CUDA(cudaMemsetAsync(tau, 0, bytes_of<T>(n), queue.stream()));
    clear_panels<T>(queue, b, at.panels, at.cholesky);
    const std::int64_t min_rows = min_rows_cholesky<T>(n, b);
    R* const negligible = at.squares + n;
    negligible_square_to(p, negligible);

    std::vector<std::pair<Event, double>> milestones;
    std::int64_t j = 0, number = 0;
    for (std::int64_t width = 0; n - j - b >= 2; ++number) {  // `width`: number of pending columns
      const std::int64_t below = j + b, rows = n - below;
      const auto pending = [&](std::int64_t row, std::int64_t count) {
        return MatrixView<const T>(at.pending.block(row, 0, count, 2 * width));
      };
      const auto partner = [&](std::int64_t row, std::int64_t count) {
        return swap_pairs<T>(queue, b, pending(row, count), at.partner);
      };
      const auto slot = [&](const TeamBuffers<T>& of, int second) {
        return of.pending.block(below, 2 * width + second * b, rows, b);
      };
      const MatrixView<T> v = slot(at, 0), z = slot(at, 1), w = at.w.block(below, 0, rows, b);
      const int owner = deal.part_of(j);
      const auto owners = static_cast<std::size_t>(owner);
      if (owner == p) {
        const std::int64_t l = deal.local(j);
        if (width > 0)
          products.gemm(Op::none, adjoint<T>, -1, pending(j, n - j), partner(j, b), 1,
                        a.block(j, l, n - j, b));
        PanelFactor<T> factor;
        factor.v[0] = a.block(below, l, rows, b);
        factor.v[1] = v;
        factor.tau = tau + j;
        factor.gram = at.gram;
        factor.band = &band(0, j);
        factor.band_ld = band.lda;
        factor.negligible = negligible;
        factor_panel<T>(queue, j, factor.v[0], factor, at.q, z, w, min_rows, at.panels, at.cholesky);
        if (team.size() > 1) panels.publish(p, queue, number);
      } else {
        panels.hold(queue, owner, number);
        get(queue, buffers[owners].w.block(below, 0, rows, b), w, members[owners].tau + j, tau + j);
      }
      // One member has all of the sum, and computes it where Z will be.
      const bool alone = team.size() == 1;
      const MatrixView<T> sum =
          alone ? at.pending.block(0, 2 * width + b, n, b) : at.sums[static_cast<std::size_t>(number % 2)];
      multiply(p, below, sum, [&](const Queue& copies) {
        if (owner != p) get(copies, slot(buffers[owners], 0), v);
      });
      const bool among_first = j < panels_of_few * b && rows > b;
      if (among_first) multiply_few(p, below, sum);
      if (!alone) sums.publish(p, queue, number);

      // Computes y = x^H w, the result of the gemm before, again if the panel is among the first and has few reflectors.
      const auto again_of_few = [&](MatrixView<const T> x, MatrixView<const T> of, MatrixView<T> y) {
        if (among_first) adjoint_product_of_few<T>(queue, x, tau + j, of, y);
      };
      if (!alone) add_sums(p, number, below, z);
      z_of_product<T>(products, at.pending.block(below, 0, rows, 2 * (width + b)), w, at.inner, at.correction,
                      again_of_few);
      width += b;
      j = below;
      if (width < most && n - j - b >= 2) continue;
      if (reached) reached(j);

      for_strips_of_columns(deal, p, j, [&](std::int64_t row, ColumnRange strip) {
        // One member has the whole square block of the strip on the diagonal, and mirrors most of its upper triangle.
        const std::int64_t at_once = alone ? two_stage_tuning().update_columns : strip.count;
        for (std::int64_t c = 0; c < strip.count; c += at_once) {
          const ColumnRange columns{strip.first + c, std::min(at_once, strip.count - c)};
          const std::int64_t first = row + c;
          const MatrixView<T> of_columns = at.partner.block(0, 0, columns.count, 2 * width);
          own_rows(p, columns, b, pending(0, n), of_columns);
          products.gemm(Op::none, adjoint<T>, -1, pending(first, n - first), of_columns, 1,
                        a.block(first, columns.first, n - first, columns.count));
        }
        if (strip.count > at_once)
          mirror(queue, Uplo::lower, a.block(row, strip.first, strip.count, strip.count));
      });
      width = 0;
      if (p != 0 || !progress) continue;
      milestones.emplace_back(Event(queue.resources()),
                              1 - std::pow(static_cast<double>(n - j) / static_cast<double>(n), 3));
      milestones.back().first.record(queue);
    }
    band_of_part<T>(queue, b, j, a, band);
    if (reached) reached(n);
    sums.publish(p, queue, number);
    if (p != 0) return;
    for (int other = 1; other < team.size(); ++other) {
      sums.hold(queue, other, number);
      const MatrixView<T> from = members[static_cast<std::size_t>(other)].band;
      for (std::int64_t l = 0; l < deal.columns(other); l += deal.width) {
        const std::int64_t column = deal.global(other, l);
        copy_values(queue, &band(0, column), static_cast<const T*>(from.data + column * from.lda),
                    std::min(deal.width, n - column) * band.lda);
      }
    }
    for (const auto& [event, fraction] : milestones) {
      event.wait();
      progress(fraction);
    }
  }

  // Copies V, or W and tau, of a panel from the member that factored it.
  void get(const Queue& queue, MatrixView<T> from, MatrixView<T> to, const T* from_tau = nullptr,
           T* tau = nullptr) {
    if (!direct) {
      copy_on_gpu<T>(queue, to, from);
      if (tau) copy_values(queue, tau, from_tau, b);
      return;
    }
    get_panel_kernel<<<grid_of(to.rows, b), 256, 0, queue.stream()>>>(to.rows, on_device(from.data), from.lda,
                                                                      on_device(to.data), to.lda,
                                                                      on_device(from_tau), on_device(tau));
    EIGEN_G_LAUNCHED();
  }
  // z := the sum of the members' partial sums.
  void add_sums(int p, std::int64_t number, std::int64_t below, MatrixView<T> z) {
    const TeamBuffers<T>& at = buffers[static_cast<std::size_t>(p)];
    const Queue& queue = members[static_cast<std::size_t>(p)].products->queue();
    PartialSums<device_t<T>> all{};
    all.members = team.size();
    all.ld = at.sums[0].lda;
    std::size_t copies = 0;
    for (int other = 0; other < team.size(); ++other) {
      MatrixView<T> from = buffers[static_cast<std::size_t>(other)].sums[number % 2];
      if (other != p) sums.hold(queue, other, number);
      if (other != p && !direct) {
        const MatrixView<T> copy = at.got[copies++];
        copy_on_gpu<T>(queue, copy.block(below, 0, z.rows, b), from.block(below, 0, z.rows, b));
        from = copy;
      }
      all.of[other] = on_device(&from(below, 0));
    }
    add_sums_kernel<<<grid_of(z.rows, b), 256, 0, queue.stream()>>>(z.rows, all, on_device(z.data), z.lda);
    EIGEN_G_LAUNCHED();
  }
};

template <class T>
FullToBandOnTeam<T>::FullToBandOnTeam(GpuTeam& team, const DealtColumns& deal, std::int64_t b,
                                      const std::vector<BandMember<T>>& members)
    : impl_(std::make_unique<Impl>(team, deal, b, members)) {}
template <class T>
FullToBandOnTeam<T>::~FullToBandOnTeam() = default;

template <class T>
std::uint64_t FullToBandOnTeam<T>::bytes(const DealtColumns& deal, std::int64_t b, int multiprocessors) {
  return bytes_taken([&](Arena& arena) { TeamBuffers<T>(arena, deal, b, multiprocessors); });
}

template <class T>
void FullToBandOnTeam<T>::run(int member, const std::function<void(double)>& progress,
                              const std::function<void(std::int64_t)>& reached) {
  impl_->run(member, progress, reached);
}

EIGEN_G_INSTANTIATE_CLASS(all_types, FullToBandOnTeam);

}  // namespace eigen_g
