#include "solver/driver/device_parts.hpp"

#include <algorithm>
#include <complex>

#include "gemm_df/engines/native/halves.hpp"
#include "gemm_df/load_products.hpp"
#include "hybrid/instantiate.hpp"
#include "solver/devices/tuning.hpp"
#include "solver/path/one_stage.hpp"
#include "solver/path/two_stage.hpp"
#include "solver/prepare/check_input.hpp"

namespace eigen_g {

namespace {

// The path's bytes for m columns of Z at a time.
template <class T>
PathBytes path_bytes(const Plan& plan, std::int64_t m, int multiprocessors) {
  const bool parked = parks(plan);
  return plan.path == Path::two_stage
             ? TwoStageOnDevice<T>::bytes(plan.n, m, multiprocessors, plan.devices.gpus > 1, parked,
                                          has_blocks(plan))
             : OneStageOnDevice<T>::bytes(plan.n, m, multiprocessors, parked);
}

// Divides `whole` into the fewest slabs, at least SolverTuning::min_slabs, for which bytes(length) <= room. Returns their length, rounded up to a
// multiple of `multiple`, but at most `whole`. A length of one `multiple` is returned even if it does not fit.
template <class Bytes>
std::int64_t longest_slab(std::int64_t whole, std::int64_t multiple, std::uint64_t room, Bytes&& bytes) {
  for (std::int64_t slabs = solver_tuning().min_slabs;; ++slabs) {
    const std::int64_t length = std::min(whole, round_up((whole + slabs - 1) / slabs, multiple));
    if (length <= multiple || bytes(length) <= room) return length;
  }
}

}  // namespace

template <class T>
DeviceParts<T>::DeviceParts(Arena& arena, const Plan& plan, const Places& places, int multiprocessors) {
  const std::int64_t n = plan.n, m = plan.max_count();
  const std::int64_t even = even_rows<T>(n);
  const bool slabs = has_slabs(plan);
  const bool a_in_back = plan.mode != MemoryMode::in_core && places.a.where == Where::own;
  const auto lent = static_cast<std::int64_t>(bytes_to_lend<T>(n));
  const PathBytes path = path_bytes<T>(plan, slabs ? 1 : m, multiprocessors);
  const auto own_a = [&](Arena& of) {
    if (has_blocks(plan)) {
      blocks = TwoStageOnDevice<T>::in_block_columns(n);
      blocks.data = of.take<T>(TwoStageOnDevice<T>::block_values(n));
      return;
    }
    matrix = of.matrix<T>(n, n, round_up(n, tridiagonalize_row_multiple));
  };
  if (places.a.where == Where::own && !a_in_back) own_a(arena);
  if (places.owns_z()) z = arena.matrix<T>(n, n, even);
  t = {arena.take<real_t<T>>(n), arena.take<real_t<T>>(n)};
  if (slabs) copy_of_t = {arena.take<real_t<T>>(n), arena.take<real_t<T>>(n)};
  kept = arena.part(path.kept);
  const auto vectors_of_t = [&](Arena& a) {
    if (places.q.where == Where::own) q = a.matrix<real_t<T>>(n, n, even);
    if (places.u.where == Where::own) u = a.matrix<real_t<T>>(n, n, even);
  };
  const std::uint64_t t_bytes = bytes_taken(vectors_of_t);
  const std::uint64_t loading_bytes = bytes_taken(
      [&](Arena& a) { a.take<T>(std::max(loading_values, has_blocks(plan) ? columns_at_once * n : 0)); });
  const std::uint64_t dc_bytes =
      slabs ? 0 : divide_and_conquer_bytes<real_t<T>>(n, plan.options.vectors ? n : 0, false);
  const std::uint64_t scratch_bytes = std::max({path.scratch, check_input_bytes, loading_bytes, dc_bytes});
  if (a_in_back) {
    std::uint64_t bytes = std::max(bytes_taken(own_a) + t_bytes + scratch_bytes, path.back_min);
    if (slabs) {
      const std::uint64_t others = arena.bytes() + bytes_taken([&](Arena& a) { a.take<std::byte>(lent); });
      bytes = bytes_with_slabs(plan, multiprocessors, bytes, others);
    }
    back = arena.part(round_up(bytes, Arena::alignment));
    Arena parts = back;
    own_a(parts);
    vectors_of_t(parts);
    scratch = parts.part(scratch_bytes);
  } else {
    back_in_a = places.back_in_a && bytes_in_a(n) >= path.back_min;
    back = arena.part(std::max(t_bytes + scratch_bytes, back_in_a     ? 0
                                                        : t_bytes > 0 ? path.back_preferred
                                                                      : path.back_min));
    Arena parts = back;
    vectors_of_t(parts);
    scratch = parts.part(scratch_bytes);
  }
  products = {arena.take<std::byte>(lent), static_cast<std::size_t>(lent)};
}

template <class T>
std::uint64_t DeviceParts<T>::bytes_with_slabs(const Plan& plan, int multiprocessors, std::uint64_t bytes,
                                               std::uint64_t others) {
  const std::int64_t n = plan.n, m = std::max<std::int64_t>(1, plan.max_count());
  constexpr std::int64_t rows_multiple = 8, columns_multiple = 32, parts = 8;
  const auto of_rows = [n](std::int64_t rows) { return SlabOfRows<T>::bytes(n, rows); };
  const auto of_columns = [&](std::int64_t columns) {
    return SlabOfColumns<T>::bytes(n, columns, path_bytes<T>(plan, columns, multiprocessors).back_min);
  };
  const auto part = [](std::int64_t whole, std::int64_t multiple) {
    return std::min(whole, round_up((whole + parts - 1) / parts, multiple));
  };
  std::uint64_t room =
      std::max({bytes, of_rows(part(n, rows_multiple)), of_columns(part(m, columns_multiple))});
  const std::uint64_t limit = plan.devices.memory_limit;
  if (has_blocks(plan) && limit > others && plan.options.engine == Engine::native)
    room = std::max(room, std::min((limit - others) / Arena::alignment * Arena::alignment,
                                   std::max(of_rows(n), of_columns(m))));
  slab_rows = longest_slab(n, rows_multiple, room, of_rows);
  slab_columns = longest_slab(m, columns_multiple, room, of_columns);
  return room;
}

template <class T>
std::int64_t parked_values(const Plan& plan) {
  if (!parks(plan)) return 0;
  return has_blocks(plan) ? TwoStageOnDevice<T>::parked_block_values(plan.n) : plan.n * plan.n;
}

EIGEN_G_INSTANTIATE_CLASS(all_types, DeviceParts);
EIGEN_G_INSTANTIATE(all_types, parked_values);

}  // namespace eigen_g
