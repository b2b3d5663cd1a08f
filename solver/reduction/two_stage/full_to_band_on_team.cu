// The equations are those of full_to_band.cu. Of member p, the partial product at panel j with W in the rows from `below` = j + b on is
//
//   for each strip s:   P(r:) += A(r:, own) W(own)          own: the member's columns of the strip from `below` on, r: the strip's rows from `below` on
//                       P(own) += A(r':, own)^H W(r':)      r': the rows below the strip
#include "solver/reduction/two_stage/full_to_band_on_team.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "gemm_df/adjoint.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/instantiate.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/transfer/copy_2d.hpp"
#include "solver/reduction/negligible.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/two_stage/adjoint_product_of_few.hpp"
#include "solver/reduction/two_stage/full_to_band_steps.cuh"

namespace eigen_g {

namespace {

using namespace to_band;

constexpr int most_members = 8;

// The arrays of a member's workspace.
template <class T>
struct TeamBuffers {
  MatrixView<T> pending, partner, w, inner, swapped_inner, gram;
  MatrixView<T> sums[2];  // the member's partial sums of this panel and of the panel before
  std::array<MatrixView<T>, most_members> got;  // copies of the other members' partial sums
  real_t<T>* squares;
  Arena panels, cholesky;

  TeamBuffers(Arena& arena, const DealtColumns& deal, std::int64_t b, int multiprocessors) {
    const std::int64_t n = deal.n, k = 2 * pending_columns(n, b);
    const auto with_rows = [&](std::int64_t rows, std::int64_t columns) {
      return arena.matrix<T>(rows, columns, round_up(rows, tridiagonalize_row_multiple));
    };
    pending = with_rows(n, k);
    partner = with_rows(std::max(b, deal.width), k);
    w = with_rows(n, b);
    for (MatrixView<T>& of : sums) of = with_rows(n, b);
    for (int k_th = 0; k_th + 1 < deal.parts; ++k_th) got[static_cast<std::size_t>(k_th)] = with_rows(n, b);
    inner = arena.matrix<T>(k, b, k);
    swapped_inner = arena.matrix<T>(k, b, k);
    gram = arena.matrix<T>(b, b, b);
    squares = arena.take<real_t<T>>(n + 1);
    panels = arena.part(panel_qr_bytes<T>(n, b, multiprocessors));
    if constexpr (std::is_same_v<T, double>) cholesky = arena.part(cholesky_panel_bytes(n));
  }
};

template <class D>
struct PartialSums {
  const D* of[most_members];
  int members;
  std::int64_t ld;  // of each
};

// z := onto z + the sum of all partial sums, in the order of the members.
template <class D>
__global__ void __launch_bounds__(256)
    add_sums_kernel(std::int64_t rows, bool onto, PartialSums<D> sums, D* z, std::int64_t ldz) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t col = blockIdx.y;
  if (row >= rows) return;
  D sum = sums.of[0][row + col * sums.ld];
  for (int member = 1; member < sums.members; ++member) sum += sums.of[member][row + col * sums.ld];
  D* const at = z + row + col * ldz;
  *at = onto ? *at + sum : sum;
}

}  // namespace

template <class T>
struct FullToBandOnTeam<T>::Impl {
  using R = real_t<T>;

  GpuTeam& team;
  DealtColumns deal;
  std::int64_t b;
  std::vector<BandMember<T>> members;
  std::vector<TeamBuffers<T>> buffers;
  TeamEvents panels, sums;  // the panel is factored; the partial sums are there. Numbers: those of the panels
  std::vector<R> squares_of_column;  // of all columns, each member's written by itself

  Impl(GpuTeam& of, const DealtColumns& dealt, std::int64_t width, const std::vector<BandMember<T>>& list)
      : team(of),
        deal(dealt),
        b(width),
        members(list),
        panels(of, resources(list)),
        sums(of, resources(list)),
        squares_of_column(static_cast<std::size_t>(dealt.n)) {
    for (BandMember<T>& member : members)
      buffers.emplace_back(member.scratch, deal, b, member.products->queue().multiprocessors());
  }
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
    squares_of_part<T>(queue, deal, p, me.part, buffers[own].squares);
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

  // P(rows from `below` on) := the member's part of A W.
  void multiply(int p, std::int64_t below, MatrixView<T> w, MatrixView<T> product) {
    const std::int64_t n = deal.n;
    const Products<T>& products = *members[static_cast<std::size_t>(p)].products;
    const MatrixView<T> a = members[static_cast<std::size_t>(p)].part;
    EIGEN_G_CUDA(cudaMemset2DAsync(&product(below, 0), bytes_of<T>(product.lda), 0, bytes_of<T>(n - below),
                                   static_cast<std::size_t>(b), products.queue().stream()));
    for (std::int64_t s = below / deal.strip(); s < deal.strips(); ++s) {
      const std::int64_t first = std::max(deal.first(s, p), below),
                         columns = deal.first(s, p) + deal.count(s, p) - first;
      if (columns <= 0) continue;
      const std::int64_t l = deal.local(first), row = std::max(deal.first_row(s), below),
                         next = deal.first_row(s + 1);
      products.gemm(Op::none, Op::none, 1, a.block(row, l, n - row, columns), w.block(first, 0, columns, b),
                    1, product.block(row, 0, n - row, b));
      if (next < n)
        products.gemm(adjoint<T>, Op::none, 1, a.block(next, l, n - next, columns),
                      w.block(next, 0, n - next, b), 1, product.block(first, 0, columns, b));
    }
  }

  void run(int p, const std::function<void(double)>& progress) {
    const auto own = static_cast<std::size_t>(p);
    const std::int64_t n = deal.n;
    const Products<T>& products = *members[own].products;
    const Queue& queue = products.queue();
    const MatrixView<T> a = members[own].part, band = members[own].band;
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
        return swap_pairs<Swapped::columns>(queue, b, pending(row, count), at.partner);
      };
      const auto slot = [&](const TeamBuffers<T>& of, int second) {
        return of.pending.block(below, 2 * width + second * b, rows, b);
      };
      const MatrixView<T> v = slot(at, 0), z = slot(at, 1), w = at.w.block(below, 0, rows, b);
      const int owner = deal.part_of(j);
      if (owner == p) {
        const std::int64_t l = deal.local(j);
        if (width > 0)
          products.gemm(Op::none, adjoint<T>, -1, pending(j, n - j), partner(j, b), 1,
                        a.block(j, l, n - j, b));
        diagonal_block<T>(queue, a.block(j, l, b, b), &band(0, j), band.lda);
        PanelFactor<T> factor;
        factor.v[0] = a.block(below, l, rows, b);
        factor.v[1] = v;
        factor.tau = tau + j;
        factor.gram = at.gram;
        factor.band = &band(0, j);
        factor.band_ld = band.lda;
        factor.negligible = negligible;
        factor_panel<T>(queue, j, factor.v[0], factor, z, w, min_rows, at.panels, at.cholesky);
        panels.publish(p, queue, number);
      } else {
        const auto other = static_cast<std::size_t>(owner);
        panels.hold(queue, owner, number);
        copy_on_gpu<T>(queue, v, slot(buffers[other], 0));
        copy_on_gpu<T>(queue, w, buffers[other].w.block(below, 0, rows, b));
        copy_values(queue, tau + j, static_cast<const T*>(members[other].tau + j), b);
      }
      const MatrixView<T> sum = at.sums[number % 2];
      multiply(p, below, at.w, sum);
      sums.publish(p, queue, number);

      // Computes y = x^H w, the result of the gemm before, again if the panel is among the first and has few reflectors.
      const auto again_of_few = [&](MatrixView<const T> x, MatrixView<const T> of, MatrixView<T> y) {
        if (j < panels_of_few * b && rows > b) adjoint_product_of_few<T>(queue, x, tau + j, of, y);
      };
      if (width > 0) {
        const MatrixView<T> inner = at.inner.block(0, 0, 2 * width, b);
        products.gemm(adjoint<T>, Op::none, 1, pending(below, rows), w, 0, inner);
        again_of_few(pending(below, rows), w, inner);
        products.gemm(Op::none, Op::none, -1, pending(below, rows),
                      swap_pairs<Swapped::rows>(queue, b, MatrixView<const T>(inner), at.swapped_inner), 0,
                      z);
      }
      add_sums(p, number, below, width > 0, z);
      const MatrixView<T> wp = at.inner.block(0, 0, b, b);
      products.gemm(adjoint<T>, Op::none, 1, w, z, 0, wp);
      again_of_few(w, z, wp);
      subtract_symmetric_part<T>(queue, v, wp, z);
      width += b;
      j = below;
      if (width < most && n - j - b >= 2) continue;

      for (std::int64_t s = j / deal.strip(); s < deal.strips(); ++s) {
        const std::int64_t first = std::max(deal.first(s, p), j),
                           columns = deal.first(s, p) + deal.count(s, p) - first;
        if (columns <= 0) continue;
        const std::int64_t row = std::max(deal.first_row(s), j);
        products.gemm(Op::none, adjoint<T>, -1, pending(row, n - row), partner(first, columns), 1,
                      a.block(row, deal.local(first), n - row, columns));
      }
      width = 0;
      if (p != 0 || !progress) continue;
      milestones.emplace_back(Event(queue.resources()),
                              1 - std::pow(static_cast<double>(n - j) / static_cast<double>(n), 3));
      milestones.back().first.record(queue);
    }
    band_of_part<T>(queue, deal, p, j, a, band);
    sums.publish(p, queue, number);
    if (p != 0) return;
    for (int other = 1; other < team.size(); ++other) {
      sums.hold(queue, other, number);
      const MatrixView<T> from = members[static_cast<std::size_t>(other)].band;
      for (std::int64_t s = 0; s < deal.strips(); ++s)
        copy_values(queue, &band(0, deal.first(s, other)),
                    static_cast<const T*>(from.data + deal.first(s, other) * from.lda),
                    deal.count(s, other) * band.lda);
    }
    for (const auto& [event, fraction] : milestones) {
      event.wait();
      progress(fraction);
    }
  }

  // z := onto z + the sum of the members' partial sums.
  void add_sums(int p, std::int64_t number, std::int64_t below, bool onto, MatrixView<T> z) {
    const TeamBuffers<T>& at = buffers[static_cast<std::size_t>(p)];
    const Queue& queue = members[static_cast<std::size_t>(p)].products->queue();
    PartialSums<device_t<T>> all{};
    all.members = team.size();
    all.ld = at.sums[0].lda;
    std::size_t copies = 0;
    for (int other = 0; other < team.size(); ++other) {
      MatrixView<T> from = buffers[static_cast<std::size_t>(other)].sums[number % 2];
      if (other != p) {
        const MatrixView<T> copy = at.got[copies++];
        sums.hold(queue, other, number);
        copy_on_gpu<T>(queue, copy.block(below, 0, z.rows, b), from.block(below, 0, z.rows, b));
        from = copy;
      }
      all.of[other] = on_device(&from(below, 0));
    }
    const dim3 grid(static_cast<unsigned>((z.rows + 255) / 256), static_cast<unsigned>(b));
    add_sums_kernel<<<grid, 256, 0, queue.stream()>>>(z.rows, onto, all, on_device(z.data), z.lda);
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
void FullToBandOnTeam<T>::run(int member, const std::function<void(double)>& progress) {
  impl_->run(member, progress);
}

EIGEN_G_INSTANTIATE_CLASS(all_types, FullToBandOnTeam);

}  // namespace eigen_g
