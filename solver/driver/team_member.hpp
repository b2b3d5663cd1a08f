// A member of a solve on several GPUs (team_backend.cpp), its workspace, and how the members divide A's columns, the rows of U and the columns of Z.
// CUDA builds only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "gemm_df/engines/native/halves.hpp"
#include "gemm_df/engines/products.hpp"
#include "gemm_df/load_products.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/memory/resources.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/back/back_transform_chase.hpp"
#include "solver/devices/tuning.hpp"
#include "solver/devices/two_stage_tuning.hpp"
#include "solver/driver/device_frame.hpp"
#include "solver/driver/plan.hpp"
#include "solver/path/reduction.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/two_stage/band_to_tridiagonal.hpp"
#include "solver/reduction/two_stage/dealt_columns.hpp"
#include "solver/reduction/two_stage/full_to_band.hpp"
#include "solver/reduction/two_stage/full_to_band_on_team.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"

namespace eigen_g::team {

// Returns how A's columns are dealt out (dealt_columns.hpp). The GPUs take turns at pieces of `width` columns. Small pieces give all GPUs the same
// work. A strip is a block of consecutive columns. All its columns are stored from the same row on, the first row of its diagonal block. Small
// strips waste fewer flops in the blocks on the diagonal. Large strips need fewer products, and each product is faster.
template <class T>
DealtColumns deal_of(std::int64_t n, int gpus) {
  const TwoStageTuning& t = two_stage_tuning();
  const std::int64_t wanted = n >= t.min_order_wide_strip  ? t.strip_wide
                              : n >= t.min_order_of_strips ? t.strip
                                                           : t.strip_small;
  const std::int64_t width =
      n >= t.min_order_of_strips ? 256 : 64;  // multiples of band_width() of every type
  const std::int64_t strips = std::max<std::int64_t>(1, (n + wanted / 2) / wanted);
  return {n, width, gpus, static_cast<std::int64_t>(round_up((n + strips - 1) / strips, width * gpus)),
          t.packed_parts != 0};
}

// The share of member p of `count` rows or columns. Shares begin at multiples of 8.
inline ColumnRange share_of(std::int64_t count, int p, int members) {
  const std::int64_t each = round_up((count + members - 1) / members, 8);
  const std::int64_t first = std::min(count, p * each);
  return {first, std::min(each, count - first)};
}

template <class T>
std::int64_t even_lda(std::int64_t rows) {
  return round_up(rows, 16 / sizeof(real_t<T>));
}

template <class T>
ChaseTiles tiles_of(std::int64_t n) {
  return chase_tiles<T>(n, band_width<T>(n));
}

// The arrays of a member's workspace.
//   u           rows of U
//   received    the v arrays of some sweep groups of the chase (chase_tiles.hpp). u and received begin at the same address. Their memory has the
//               bytes of the larger array. A member gets a part of these arrays from member 0 and the other parts from the other
//               members. Member 0 does not use `received`
//   dc          workspace of the divide and conquer; Z is at the same place
//   columns     complex T: columns of U
//   runs        member 0: the v arrays of the chase, packed
template <class T>
struct TeamParts {
  DealtPart<T> part;
  MatrixView<T> band, z;
  MatrixView<real_t<T>> u, columns;
  Tridiagonal<real_t<T>> t;
  T *tau, *chase_tau = nullptr, *runs = nullptr, *received = nullptr;
  Arena dc, scratch;
  std::span<std::byte> products;  // for Products::lend()

  // The number of values of T for which `received` has room. The room is the sum of two sizes: the largest share of U, and n times the
  // width of a sweep group. The v arrays of one group fit into the second size.
  static std::int64_t received_values(std::int64_t n, int members) {
    constexpr std::int64_t of_real = sizeof(T) / sizeof(real_t<T>);
    return share_of(n, 0, members).count * n / of_real + tiles_of<T>(n).width * n;
  }

  // Room for rows that a member computes for others in the last merge (row_moves()): a fifth of a share. The tridiagonal matrix of a random A
  // needs 15 % of a share on two GPUs and 18 % on four.
  static std::uint64_t bytes_for_moved_rows(std::int64_t n, int members) {
    if (n < solver_tuning().dc_min_order_of_moves) return 0;
    return static_cast<std::uint64_t>(share_of(n, 0, members).count / 5 * n) * sizeof(real_t<T>);
  }

  TeamParts(Arena& arena, const Plan& plan, int p, int multiprocessors) {
    using R = real_t<T>;
    const std::int64_t n = plan.n, m = plan.max_count(), b = band_width<T>(n);
    const int members = plan.devices.gpus;
    const DealtColumns deal = deal_of<T>(n, members);
    const ChaseTiles tiles = tiles_of<T>(n);
    const std::int64_t own = share_of(m, 0, members).count;  // no share is larger
    const std::int64_t rows = share_of(n, p, members).count;
    const std::int64_t ld = round_up(n, tridiagonalize_row_multiple);
    part = {deal, p, arena.take<T>(deal.most_values(ld)), ld};
    band = arena.matrix<T>(b + 1, n, b + 1);
    t = {arena.take<R>(n), arena.take<R>(n)};
    tau = arena.take<T>(n);
    std::uint64_t of_scratch =
        std::max({FullToBandOnTeam<T>::bytes(deal, b, multiprocessors), check_part_bytes,
                  bytes_taken([&](Arena& a) { a.take<T>(deal.width * n); }),
                  bytes_taken([&](Arena& a) { a.take<T>(loading_values); }),
                  p == 0 ? band_to_tridiagonal_bytes<T>(n, b, multiprocessors) : 0});
    if (plan.options.vectors) {
      chase_tau = arena.take<T>(tiles.tau_count());
      if (p == 0) runs = arena.take<T>(tiles.count());
      const auto of_rows = [&](Arena& a) { return a.matrix<R>(rows, n, even_lda<T>(rows)); };
      const auto of_received = [&](Arena& a) { return a.take<T>(received_values(n, members)); };
      const Arena both = arena.part(std::max(bytes_taken(of_rows), bytes_taken(of_received)));
      Arena at_u = both, at_received = both;
      u = of_rows(at_u);
      received = of_received(at_received);
      if (is_complex<T>) columns = arena.matrix<R>(n, own, even_lda<T>(n));
      const auto of_z = [&](Arena& a) { return a.matrix<T>(n, own, even_lda<T>(n)); };
      dc = arena.part(std::max(rows > 0 ? divide_and_conquer_bytes<R>(n, rows) : 0, bytes_taken(of_z)));
      Arena at = dc;
      z = of_z(at);
      of_scratch =
          std::max({of_scratch, bytes_for_moved_rows(n, members), back_transform_chase_bytes<T>(n, b, own),
                    back_transform_from_host_bytes<T>(std::max<std::int64_t>(n - b, 0), own)});
    } else if (p == 0) {
      dc = arena.part(divide_and_conquer_bytes<R>(n, 0));
    }
    scratch = arena.part(of_scratch);
    const auto lent = static_cast<std::int64_t>(bytes_to_lend<T>(n));
    products = {arena.take<std::byte>(lent), static_cast<std::size_t>(lent)};
  }
};

template <class T>
std::uint64_t part_bytes(const Plan& plan, int p, int multiprocessors) {
  return bytes_taken([&](Arena& arena) { TeamParts<T>(arena, plan, p, multiprocessors); });
}

// The objects of a member other than member 0. The frame owns the objects of member 0.
template <class T>
struct OwnObjects {
  Resources resources;
  Queue queue;
  Products<T> products;
  HeldMemory memory;
  OwnObjects() : queue(resources), products(queue, Engine::native) {}
};
// A GPU of the team.
template <class T>
struct Member {
  std::unique_ptr<OwnObjects<T>> own;  // member 0: null
  const Queue* queue;
  Products<T>* products;
  HeldMemory* memory;
  std::optional<TeamParts<T>> parts;
  std::uint64_t bytes = 0;
  Event begin;  // the begin of its work in a solve
  Queue out;    // copies columns of Z to the host while the queue works on other columns

  explicit Member(DeviceFrame<T>& frame)
      : queue(&frame.queue),
        products(&frame.products),
        memory(&frame.memory),
        begin(frame.queue.resources()),
        out(frame.queue.resources(), Queue::CopiesOnly()) {}
  explicit Member(std::unique_ptr<OwnObjects<T>> objects)
      : own(std::move(objects)),
        queue(&own->queue),
        products(&own->products),
        memory(&own->memory),
        begin(own->resources),
        out(own->resources, Queue::CopiesOnly()) {}
};

}  // namespace eigen_g::team
