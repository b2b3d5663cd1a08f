#include "solver/path/two_stage.hpp"

#include <algorithm>
#include <complex>

#include "hybrid/stream/queue.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/devices/solve_team.hpp"
#include "solver/devices/two_stage_tuning.hpp"
#include "solver/path/choice.hpp"
#include "solver/reduction/two_stage/band_layout.hpp"
#include "solver/reduction/two_stage/band_to_tridiagonal.hpp"

namespace eigen_g {

namespace {

template <class T>
struct Kept {
  T *tau, *chase_tau;

  Kept(Arena& arena, std::int64_t n, const ChaseTiles& tiles, bool vectors)
      : tau(arena.take<T>(n)), chase_tau(arena.take<T>(vectors ? tiles.tau_count() : 0)) {}
};

template <class T>
MatrixView<T> band_place(Arena& arena, std::int64_t n, std::int64_t b) {
  return arena.matrix<T>(b + 1, n, b + 1);
}

template <class T>
ChaseTiles tiles_for(std::int64_t n) {
  return chase_tiles<T>(n, band_width<T>(n));
}

}  // namespace

template <class T>
std::int64_t band_width(std::int64_t n) {
  return is_complex<T> || n < two_stage_tuning().min_order_of_64 ? 32 : 64;
}

template <class T>
PathBytes TwoStageOnDevice<T>::bytes(std::int64_t n, std::int64_t m, int multiprocessors, bool cut) {
  const ChaseTiles tiles = tiles_for<T>(n);
  PathBytes path;
  path.kept = bytes_taken([&](Arena& arena) { Kept<T>(arena, n, tiles, m > 0); });
  std::uint64_t& scratch = path.scratch;
  scratch = full_to_band_bytes<T>(n, tiles.b, multiprocessors);
  scratch += bytes_taken([&](Arena& arena) { band_place<T>(arena, n, tiles.b); });
  for (const std::int64_t b : chase_bandwidths) {  // of any of which the matrix may be
    if ((is_complex<T> || b > widest_given_band(n, m > 0)) && b != tiles.b) continue;
    scratch = std::max(scratch, bytes_taken([&](Arena& arena) { band_place<T>(arena, n, b); }) +
                                    band_to_tridiagonal_bytes<T>(n, b, multiprocessors));
    if (m == 0) continue;
    const auto half = static_cast<std::int64_t>(sizeof(T)) * n * n / 2;
    path.back = std::max(path.back, chase_back_bytes<T>(n, b, m, cut));
    path.less_back =
        std::max(path.less_back, chase_back_bytes<T>(n, b, m, cut, std::min(half, chase_back_slab_bytes)));
  }
  if (m > 0)
    for (std::uint64_t* const back : {&path.back, &path.less_back})
      *back = std::max(*back, back_transform_bytes<T>(std::max<std::int64_t>(n - tiles.b, 0), m));
  return path;
}

template <class T>
TwoStageOnDevice<T>::TwoStageOnDevice(const Products<T>& products, std::int64_t n, std::int64_t m, Arena kept,
                                      Arena scratch, Arena back, SolveTeam<T>* team, ChaseBack how)
    : products_(&products),
      tiles_(tiles_for<T>(n)),
      given_band_(n),
      scratch_(scratch),
      back_(back),
      team_(team),
      how_(how) {
  const Kept<T> parts(kept, n, tiles_, m > 0);
  tau_ = parts.tau;
  chase_tau_ = parts.chase_tau;
}

template <class T>
bool TwoStageOnDevice<T>::is_banded(MatrixView<T> a_dev) const {
  if (is_complex<T> || given_band_ > widest_given_band(a_dev.cols, chase_tau_ != nullptr)) return false;
  const ChaseTiles tiles(a_dev.cols, chase_bandwidth(given_band_));
  return tiles.packed_count() + tiles.tau_count() <= a_dev.lda * a_dev.cols;
}

template <class T>
Factor<T>& TwoStageOnDevice<T>::run(Steps& step, MatrixView<T> a_dev, Tridiagonal<real_t<T>> t_dev,
                                    const std::function<void()>& queued) {
  Arena rest = scratch_;
  banded_ = is_banded(a_dev);
  chased_ = banded_ ? ChaseTiles(a_dev.cols, chase_bandwidth(given_band_)) : tiles_;
  if (chase_tau_) reflectors_ = {&a_dev(0, a_dev.cols - 1), chase_tau_, -a_dev.lda};
  const MatrixView<T> band = band_place<T>(rest, a_dev.cols, chased_.b);
  if (banded_) {
    if constexpr (!is_complex<T>)
      take_band<T>(products_->queue(), Uplo::lower, chased_.b,
                   {a_dev.data, a_dev.rows, a_dev.cols, a_dev.lda + 1}, band);
    if (chase_tau_) reflectors_ = {a_dev.data, a_dev.data + chased_.packed_count()};
  } else {
    step(Stage::full_to_band, [&](const StageProgress& progress) {
      full_to_band<T>(*products_, tiles_.b, a_dev, band, tau_, rest, progress);
    });
  }
  step(Stage::chase, [&] {
    band_to_tridiagonal<T>(products_->queue(), chased_.b, band, t_dev.d, t_dev.e, reflectors_, rest);
    if (queued) queued();  // who is called may use the scratch memory: the band is not needed any more
  });
  a_ = a_dev;
  return *this;
}

template <class T>
void TwoStageOnDevice<T>::apply(Steps& step, MatrixView<T> z_dev,
                                const std::function<void(ColumnRange)>& leaving) {
  step(Stage::chase_back, [&] {
    const ChaseReflectors<const T> reflectors{reflectors_.v, reflectors_.tau, reflectors_.stride};
    if (z_dev.cols == 0) return;
    chase_back<T>(*products_, chased_, reflectors, z_dev, back_, how_, team_of_q2(z_dev));
    if (banded_ && leaving) leaving({0, z_dev.cols});
  });
  if (banded_) return;
  step(Stage::band_back, [&] {
    clear_above(products_->queue(), reflectors_of_q1(a_));
    back_transform<T>(*products_, reflectors_of_q1(a_), tau_, rows_of_q1(z_dev), back_, team_, leaving);
  });
}

template <class T>
MatrixView<T> TwoStageOnDevice<T>::rows_of_q1(MatrixView<T> z_dev) {
  const std::int64_t first = std::min(band_width<T>(z_dev.rows), z_dev.rows);
  return z_dev.block(first, 0, z_dev.rows - first, z_dev.cols);
}

template <class T>
MatrixView<T> TwoStageOnDevice<T>::reflectors_of_q1(MatrixView<T> a_dev) {
  const MatrixView<T> rows = rows_of_q1(a_dev);
  return rows.block(0, 0, rows.rows, rows.rows);
}

template <class T>
CutWork<T> TwoStageOnDevice<T>::cut_of_q2(MatrixView<T> z_dev) const {
  return team_of_q2(z_dev) ? chase_back_cut<T>(tiles_, z_dev) : CutWork<T>();
}

// The team, where the kernel runs on each of its GPUs.
template <class T>
SolveTeam<T>* TwoStageOnDevice<T>::team_of_q2(MatrixView<T> z_dev) const {
  if (!team_ || team_->further_gpus().empty()) return nullptr;
  for (const int gpu : team_->further_gpus()) {
    const CurrentGpu there(gpu);
    if (chase_back_cut<T>(tiles_, z_dev).products.columns == 0) return nullptr;
  }
  return team_;
}

template class TwoStageOnDevice<double>;
template class TwoStageOnDevice<float>;
template class TwoStageOnDevice<std::complex<double>>;
template class TwoStageOnDevice<std::complex<float>>;
template std::int64_t band_width<double>(std::int64_t);
template std::int64_t band_width<float>(std::int64_t);
template std::int64_t band_width<std::complex<double>>(std::int64_t);
template std::int64_t band_width<std::complex<float>>(std::int64_t);

}  // namespace eigen_g
