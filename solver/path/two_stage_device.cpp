#include "solver/path/two_stage.hpp"

#include <algorithm>
#include <complex>
#include <type_traits>
#include <utility>

#include "hybrid/instantiate.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/team/gpu_team.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/devices/solve_team.hpp"
#include "solver/devices/two_stage_tuning.hpp"
#include "solver/path/parked_reflectors.hpp"
#include "solver/reduction/two_stage/band_layout.hpp"
#include "solver/reduction/two_stage/band_to_tridiagonal.hpp"
#include "solver/reduction/two_stage/full_to_band_on_team.hpp"

namespace eigen_g {

namespace {

template <class T>
struct Kept {
  T *tau, *chase_tau;

  //   tau_count   values of chase_tau
  Kept(Arena& arena, std::int64_t n, std::int64_t tau_count)
      : tau(arena.take<T>(n)), chase_tau(arena.take<T>(tau_count)) {}
};

template <class T>
MatrixView<T> band_place(Arena& arena, std::int64_t n, std::int64_t b) {
  return arena.matrix<T>(b + 1, n, b + 1);
}

template <class T>
ChaseTiles tiles_for(std::int64_t n) {
  return chase_tiles<T>(n, band_width<T>(n));
}
// The largest number of tau of a chase. If the reflectors of a given band are not parked, their tau is in the memory of A.
template <class T>
std::int64_t max_tau_count(std::int64_t n, std::int64_t m, bool parked) {
  if (m == 0) return 0;
  std::int64_t count = tiles_for<T>(n).tau_count();
  if (parked && !is_complex<T>)
    for (const std::int64_t b : chase_bandwidths)
      if (b <= widest_given_band(n, true)) count = std::max(count, ChaseTiles(n, b).tau_count());
  return count;
}

// The arguments of back_transform() for Q1, which leaves the first rows of Z as they are.
template <class T>
MatrixView<T> rows_of_q1(MatrixView<T> z_dev) {
  const std::int64_t first = std::min(band_width<std::remove_const_t<T>>(z_dev.rows), z_dev.rows);
  return z_dev.block(first, 0, z_dev.rows - first, z_dev.cols);
}
template <class T>
MatrixView<T> reflectors_of_q1(MatrixView<T> a) {
  const MatrixView<T> rows = rows_of_q1(a);
  return rows.block(0, 0, rows.rows, rows.rows);
}

}  // namespace

template <class T>
DealtPart<T> TwoStageOnDevice<T>::in_block_columns(std::int64_t n) {
  const TwoStageTuning& t = two_stage_tuning();
  constexpr std::int64_t multiple = 64;
  return {block_columns(n, t.lowest_block, t.highest_block), 0, nullptr, round_up(n, multiple)};
}
template <class T>
std::int64_t TwoStageOnDevice<T>::block_values(std::int64_t n) {
  const DealtPart<T> part = in_block_columns(n);
  return std::max(part.deal.most_values(part.ld), tiles_for<T>(n).count());
}
template <class T>
std::int64_t TwoStageOnDevice<T>::parked_block_values(std::int64_t n) {
  return block_values(n) + tiles_for<T>(n).count();
}

template <class T>
PathBytes TwoStageOnDevice<T>::bytes(std::int64_t n, std::int64_t m, int multiprocessors, bool cut,
                                     bool parked, bool blocks) {
  const ChaseTiles tiles = tiles_for<T>(n);
  PathBytes path;
  path.kept = bytes_taken([&](Arena& arena) { Kept<T>(arena, n, max_tau_count<T>(n, m, parked)); });
  const auto band_bytes = [n](std::int64_t b) {
    return bytes_taken([&](Arena& arena) { band_place<T>(arena, n, b); });
  };
  path.scratch = band_bytes(tiles.b) +
                 (blocks ? FullToBandOnTeam<T>::bytes(in_block_columns(n).deal, tiles.b, multiprocessors)
                         : full_to_band_bytes<T>(n, tiles.b, multiprocessors));
  for (const std::int64_t b : chase_bandwidths) {  // the matrix may be a band of any
    if ((is_complex<T> || b > widest_given_band(n, m > 0)) && b != tiles.b) continue;
    path.scratch =
        std::max(path.scratch, band_bytes(b) + band_to_tridiagonal_bytes<T>(n, b, multiprocessors));
    if (m == 0) continue;
    const auto half = static_cast<std::int64_t>(sizeof(T)) * n * n / 2;
    const auto back_bytes = [&](std::int64_t slab) {
      return parked ? back_transform_chase_from_host_bytes<T>(n, b, m, slab)
                    : back_transform_chase_bytes<T>(n, b, m, cut, slab);
    };
    path.back_preferred = std::max(path.back_preferred, back_bytes(back_transform_chase_slab_bytes));
    path.back_min = std::max(path.back_min,
                             back_bytes(std::min(parked ? half / 4 : half, back_transform_chase_slab_bytes)));
  }
  const std::int64_t of_q1 = std::max<std::int64_t>(n - tiles.b, 0);
  if (m > 0)
    for (std::uint64_t* const back : {&path.back_preferred, &path.back_min})
      *back = std::max(
          *back, parked ? back_transform_from_host_bytes<T>(of_q1, m) : back_transform_bytes<T>(of_q1, m));
  return path;
}

template <class T>
TwoStageOnDevice<T>::TwoStageOnDevice(const Products<T>& products, std::int64_t n, std::int64_t m, Arena kept,
                                      Arena scratch, Arena back, bool parked, SolveTeam<T>* team,
                                      ChaseBack how)
    : products_(&products),
      tiles_(tiles_for<T>(n)),
      given_band_(n),
      scratch_(scratch),
      back_(back),
      team_(team),
      how_(how) {
  const Kept<T> parts(kept, n, max_tau_count<T>(n, m, parked));
  tau_ = parts.tau;
  chase_tau_ = parts.chase_tau;
}

template <class T>
bool TwoStageOnDevice<T>::is_banded(MatrixView<T> a_dev) const {
  if (is_complex<T> || given_band_ > widest_given_band(a_dev.cols, chase_tau_ != nullptr)) return false;
  const ChaseTiles tiles(a_dev.cols, chase_bandwidth(given_band_));
  if (parked_) return tiles.count() <= a_dev.cols * a_dev.cols;
  return tiles.count() + tiles.tau_count() <= a_dev.lda * a_dev.cols;
}

template <class T>
ImplicitQ<T>& TwoStageOnDevice<T>::run(StageRunner& run_stage, MatrixView<T> a_dev,
                                       Tridiagonal<real_t<T>> t_dev,
                                       const std::function<void()>& when_queued) {
  Arena rest = scratch_;
  banded_ = !part_.data && is_banded(a_dev);
  chased_ = banded_ ? ChaseTiles(a_dev.cols, chase_bandwidth(given_band_)) : tiles_;
  if (chase_tau_ && part_.data)
    reflectors_ = {part_.data, chase_tau_};
  else if (chase_tau_)
    reflectors_ = {&a_dev(0, a_dev.cols - 1), chase_tau_, -a_dev.lda};
  const MatrixView<T> band = band_place<T>(rest, a_dev.cols, chased_.b);
  if (banded_) {
    if constexpr (!is_complex<T>)
      take_band<T>(products_->queue(), Uplo::lower, chased_.b,
                   {a_dev.data, a_dev.rows, a_dev.cols, a_dev.lda + 1}, band);
    if (chase_tau_) reflectors_ = {a_dev.data, parked_ ? chase_tau_ : a_dev.data + chased_.count()};
  } else {
    std::function<void(std::int64_t)> reached;
    if (parked_) {
      if (part_.data)
        parked_->begin(part_);
      else
        parked_->begin(a_dev);
      reached = [this](std::int64_t columns) { parked_->reached(columns); };
    }
    run_stage(Stage::full_to_band, [&](const StageProgress& progress) {
      if (part_.data) return full_to_band_of_blocks(band, rest, progress, reached);
      full_to_band<T>(*products_, tiles_.b, a_dev, band, tau_, rest, progress, reached);
    });
  }
  run_stage(Stage::chase, [&] {
    std::function<void(std::int64_t)> swept;
    if (parked_) {
      if (part_.data) parked_->wait();  // the chase overwrites them
      swept = [this, first = std::int64_t{0}](std::int64_t sweeps) mutable {
        park_sweeps(std::exchange(first, sweeps), sweeps);
      };
      on_host_ = chased_on_host();
    }
    band_to_tridiagonal<T>(products_->queue(), chased_.b, band, t_dev.d, t_dev.e, reflectors_, rest, 0,
                           swept);
    if (when_queued) when_queued();  // may use the scratch memory, because the band is not needed any more
    if (parked_) parked_->wait();
  });
  a_ = a_dev;
  return *this;
}

// The chase's reflectors with their v in host memory.
template <class T>
ChaseReflectors<const T> TwoStageOnDevice<T>::chased_on_host() const {
  const MatrixView<const T> host = parked_->host();
  if (reflectors_.stride != 0) return {&host(0, host.cols - 1), reflectors_.tau, -host.lda};
  return {host.data + (banded_ ? 0 : block_values(host.cols)), reflectors_.tau};
}
// Parks the v arrays of sweeps first ... end - 1.
template <class T>
void TwoStageOnDevice<T>::park_sweeps(std::int64_t first, std::int64_t end) {
  const std::int64_t n = parked_->host().cols;
  if (reflectors_.stride != 0) return parked_->park_upper(n - end, n - first);
  const std::int64_t begin = chased_.sweep_offset(first);
  parked_->park_values(reflectors_.v + begin, chased_.sweep_offset(end) - begin,
                       on_host_.v - parked_->host().data + begin);
}

template <class T>
void TwoStageOnDevice<T>::full_to_band_of_blocks(MatrixView<T> band, Arena scratch,
                                                 const StageProgress& progress,
                                                 const std::function<void(std::int64_t)>& reached) {
  GpuTeam alone({current_gpu()});
  FullToBandOnTeam<T> on_team(alone, part_.deal, tiles_.b,
                              {{products_, part_, band, tau_, scratch, second_queue_}});
  alone.run([&](int member) { on_team.run(member, progress, reached); });
}

template <class T>
void TwoStageOnDevice<T>::apply(StageRunner& run_stage, MatrixView<T> z_dev,
                                const std::function<void(ColumnRange)>& columns_ready) {
  run_stage(Stage::back_transform_chase, [&] {
    const ChaseReflectors<const T> reflectors{reflectors_.v, reflectors_.tau, reflectors_.stride};
    if (z_dev.cols == 0) return;
    if (parked_)
      back_transform_chase_from_host<T>(*products_, chased_, on_host_, z_dev, back_, how_);
    else
      back_transform_chase<T>(*products_, chased_, reflectors, z_dev, back_, how_, team_of_q2(z_dev));
    if (banded_ && columns_ready) columns_ready({0, z_dev.cols});
  });
  if (banded_) return;
  run_stage(Stage::back_transform_band, [&] {
    if (part_.data) {
      const DealtPart<const T> host = parked_->host_part(part_);
      const std::int64_t n = z_dev.rows, b = std::min(tiles_.b, n);
      const ReflectorPieces<T> reflectors{[&](std::int64_t first, std::int64_t count, const auto& take) {
        for_runs(host.deal, first, count, [&](std::int64_t local, std::int64_t columns, std::int64_t at) {
          take(host.block(b + first, local, n - b - first, columns), at);
        });
      }};
      return back_transform_from_pieces<T>(*products_, n - b, reflectors, true, tau_, rows_of_q1(z_dev),
                                           back_, columns_ready);
    }
    if (parked_)
      return back_transform_from_host<T>(*products_, reflectors_of_q1(parked_->host()), true, tau_,
                                         rows_of_q1(z_dev), back_, columns_ready);
    clear_above(products_->queue(), reflectors_of_q1(a_));
    back_transform<T>(*products_, reflectors_of_q1(a_), tau_, rows_of_q1(z_dev), back_, team_, columns_ready);
  });
}

template <class T>
std::vector<CutWork<T>> TwoStageOnDevice<T>::cuts(MatrixView<T> a_dev, MatrixView<T> z_dev) const {
  if constexpr (is_complex<T>) {
    return {};
  } else {
    std::vector<CutWork<T>> works{back_transform_cut<T>(reflectors_of_q1(a_dev), rows_of_q1(z_dev))};
    if (team_ && !team_->helper_gpus().empty())
      works.push_back(team_of_q2(z_dev) ? back_transform_chase_cut<T>(tiles_, z_dev) : CutWork<T>());
    return works;
  }
}

// The team, if the kernel of Q2 runs on each of its GPUs.
template <class T>
SolveTeam<T>* TwoStageOnDevice<T>::team_of_q2(MatrixView<T> z_dev) const {
  if (!team_ || team_->helper_gpus().empty()) return nullptr;
  for (const int gpu : team_->helper_gpus()) {
    const CurrentGpu there(gpu);
    if (back_transform_chase_cut<T>(tiles_, z_dev).products.columns == 0) return nullptr;
  }
  return team_;
}

EIGEN_G_INSTANTIATE_CLASS(all_types, TwoStageOnDevice);

}  // namespace eigen_g
