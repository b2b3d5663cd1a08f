// PencilSolver::finish(): purification, error bounds, and Rayleigh-Ritz of the pairs that Lanczos has found.
#include "solver/sparse/pencil_solver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "solver/sparse/search_tools.hpp"

namespace eigen_g {

namespace {

// Pairs of the projected pencil (A, G) of order count, A q = u G q with q^T G q = 1: u ascends, q is count x u.size(). A vector that
// depends on the others is left out. a, g: column-major with leading dimension ld.
struct RayleighRitz {
  std::vector<double> u, q;
};
RayleighRitz rayleigh_ritz(std::int64_t count, std::int64_t ld, const std::vector<double>& a,
                           const std::vector<double>& g) {
  constexpr double least_gram_pivot = 1e-10;
  // G = R^T R with scaled columns; the inverse of R column by column.
  std::vector<double> scale(static_cast<std::size_t>(count)), r(static_cast<std::size_t>(count * count)),
      inverse(r.size());
  for (std::int64_t j = 0; j < count; ++j) scale[j] = g[j + j * ld] > 0 ? 1 / std::sqrt(g[j + j * ld]) : 0;
  std::vector<std::int64_t> kept;
  for (std::int64_t j = 0; j < count; ++j) {
    double pivot = scale[j] > 0 ? 1 : 0;
    double* const column = r.data() + j * count;
    for (const std::int64_t i : kept) {
      double sum = (g[i + j * ld] + g[j + i * ld]) / 2 * scale[i] * scale[j];
      for (const std::int64_t l : kept) {
        if (l >= i) break;
        sum -= r[l + i * count] * column[l];
      }
      column[i] = sum / r[i + i * count];
      pivot -= column[i] * column[i];
    }
    if (!(pivot > least_gram_pivot)) continue;
    column[j] = std::sqrt(pivot);
    double* const x = inverse.data() + j * count;  // column j of R^-1
    x[j] = 1 / column[j];
    for (auto i = kept.rbegin(); i != kept.rend(); ++i) {
      double sum = 0;
      for (std::int64_t l = *i + 1; l <= j; ++l) sum += r[*i + l * count] * x[l];
      x[*i] = -sum / r[*i + *i * count];
    }
    kept.push_back(j);
  }
  for (std::int64_t j = 0; j < count; ++j)
    for (std::int64_t i = 0; i <= j; ++i) inverse[i + j * count] *= scale[i];
  const auto m = static_cast<std::int64_t>(kept.size());
  std::vector<double> product(static_cast<std::size_t>(count * m)), b(static_cast<std::size_t>(m * m));
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t l = 0; l <= kept[j]; ++l)
      for (std::int64_t i = 0; i < count; ++i)
        product[i + j * count] += (a[i + l * ld] + a[l + i * ld]) / 2 * inverse[l + kept[j] * count];
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t l = 0; l <= kept[i]; ++l)
        b[i + j * m] += inverse[l + kept[i] * count] * product[l + j * count];
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t i = 0; i < j; ++i) b[i + j * m] = b[j + i * m] = (b[i + j * m] + b[j + i * m]) / 2;
  RayleighRitz pairs;
  solve_small(m, b, pairs.u);
  pairs.q.resize(static_cast<std::size_t>(count * m));
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t l = 0; l < m; ++l)
      for (std::int64_t i = 0; i <= kept[l]; ++i)
        pairs.q[i + j * count] += inverse[i + kept[l] * count] * b[l + j * m];
  return pairs;
}

}  // namespace

// The pairs of the last ritz() of Lanczos. While a backward error exceeds the aim, a further step follows, with refined solves.
// others: pairs on the other side of the shift. They are left out in the end. Without them in the projected pencil, the vectors of far pairs would keep
// errors along them, because OP enlarges what is next to the shift.
FoundPairs PencilSolver::finish(InverseLanczos& lanczos, const std::vector<std::int64_t>& pairs, double s,
                                const std::vector<std::int64_t>& others) {
  if (pairs.empty()) return {};
  std::vector<std::int64_t> all = pairs;
  all.insert(all.end(), others.begin(), others.end());
  double* const z = on_->take_blocks(blocks_of(static_cast<std::int64_t>(all.size())));
  lanczos.vectors(all, z);
  std::vector<double> theta(all.size());
  std::transform(all.begin(), all.end(), theta.begin(),
                 [&](std::int64_t i) { return lanczos.last().theta[i]; });
  const double side = others.empty() ? 0 : lanczos.last().theta[pairs.front()];
  FoundPairs found = purify(z, theta, s, false);
  for (int step = 0; step < max_purifications && largest_backward(found, s, side) > aim_; ++step) {
    theta.clear();
    for (const double w : found.w) theta.push_back(theta_of(w, s));
    const std::int64_t values = blocks_of(found.size()) * pencil_.n() * block_width;
    double* const kept = on_->take_blocks(blocks_of(found.size()));
    on_->copy(found.vectors, values, kept);
    FoundPairs further = purify(found.vectors, theta, s, factorisation_ != nullptr);
    found.vectors = kept;
    if (further.size() < found.size() ||
        !(largest_backward(further, s, side) < largest_backward(found, s, side)))
      break;
    found = std::move(further);
  }
  return side == 0 ? found : on_side_of(std::move(found), s, side > 0);
}

// The found pairs with theta > 0, or with theta < 0.
FoundPairs PencilSolver::on_side_of(FoundPairs found, double s, bool positive) {
  FoundPairs kept;
  std::vector<std::int64_t> columns;
  for (std::int64_t j = 0; j < found.size(); ++j)
    if ((theta_of(found.w[j], s) > 0) == positive) columns.push_back(j);
  const std::int64_t count = static_cast<std::int64_t>(columns.size()), from = blocks_of(found.size()),
                     to = blocks_of(count), width = to * block_width;
  std::vector<double> choice(static_cast<std::size_t>(from * block_width * width));
  for (std::int64_t j = 0; j < count; ++j) {
    const std::int64_t at = columns[j];
    choice[at * width + j] = 1;
    kept.w.push_back(found.w[at]);
    kept.residual.push_back(found.residual[at]);
    kept.length.push_back(found.length[at]);
    kept.bound.push_back(found.bound[at]);
  }
  kept.orthogonality = found.orthogonality;
  kept.vectors = on_->take_blocks(to);
  double* const small = on_->take(from * block_width * width);
  on_->put(choice.data(), from * block_width * width, small);
  on_->combine(from, found.vectors, small, to, kept.vectors);
  return kept;
}

double PencilSolver::backward(const FoundPairs& found, std::int64_t j) const {
  return found.residual[j] / ((pencil_.k_norm() + std::abs(found.w[j]) * pencil_.m_norm()) * found.length[j]);
}
// side: the sign of theta of the pairs that count; 0: all do.
double PencilSolver::largest_backward(const FoundPairs& found, double s, double side) const {
  double largest = 0;
  for (std::int64_t j = 0; j < found.size(); ++j)
    if (side == 0 || theta_of(found.w[j], s) * side > 0) largest = std::max(largest, backward(found, j));
  return largest;
}

// Y := Y + S^-1 (X - S Y) with S = K - s M: a solve whose error is that of the products with K and M, not that of the factor.
void PencilSolver::refine(std::int64_t blocks, const double* x, double s, double* y) {
  const std::int64_t values = blocks * pencil_.n() * block_width;
  double *const residual = on_->take_blocks(blocks), *const work = on_->take_blocks(blocks);
  pencil_.multiply_k(blocks, y, residual);
  pencil_.multiply_m(blocks, y, work);
  for (std::int64_t i = 0; i < values; ++i) residual[i] = x[i] - (residual[i] - s * work[i]);
  inverse().solve(blocks, residual, work);
  for (std::int64_t i = 0; i < values; ++i) y[i] += work[i];
}

// Y = OP Z for pairs (theta, z), with z in blocks, which are overwritten; then Rayleigh-Ritz with Y. refined: by refined solves.
FoundPairs PencilSolver::purify(double* z, const std::vector<double>& theta_of_pairs, double s,
                                bool refined) {
  CpuExecutor<double>& on = *on_;
  const std::int64_t count = static_cast<std::int64_t>(theta_of_pairs.size()), blocks = blocks_of(count),
                     block = pencil_.n() * block_width, width = blocks * block_width;
  FoundPairs found;
  const InverseOperator op = inverse();
  double *const y = on.take_blocks(blocks), *const ky = on.take_blocks(blocks),
                *const my = on.take_blocks(blocks), *const work = on.take_blocks(2),
                *const small = on.take(std::max<std::int64_t>(width * width, 4 * small_block));
  const auto multiply_b = [&](std::int64_t p, const double* x, double* bx) {
    if (op.inner) return op.inner(p, x, bx);
    on.copy(x, p * block, bx);
  };
  multiply_b(blocks, z, ky);  // B Z for now
  op.solve(blocks, ky, y);
  if (refined) refine(blocks, ky, s, y);
  // D = Y - Z Theta and B D = B Y - B Z Theta.
  std::vector<double> delta;
  pencil_.multiply_m(blocks, y, my);
  double* const by = buckling_ ? on.take_blocks(blocks) : my;
  if (buckling_) pencil_.multiply_k(blocks, y, by);
  for (std::int64_t p = 0; p < blocks; ++p) {
    std::array<double, small_block> theta{}, gram;
    for (int j = 0; j < block_width; ++j)
      if (p * block_width + j < count) theta[5 * j] = theta_of_pairs[p * block_width + j];
    on.put(theta.data(), small_block, small);
    double *const d = work, *const bd = work + block;
    on.copy(y + p * block, block, d);
    on.copy(by + p * block, block, bd);
    on.subtract(1, z + p * block, small, d, small + small_block);
    on.subtract(1, ky + p * block, small, bd, small + small_block);
    on.gram(1, d, bd, small);
    on.get(small, small_block, gram.data());
    for (int j = 0; j < block_width && p * block_width + j < count; ++j)
      delta.push_back(std::sqrt(std::max(gram[5 * j], 0.0)));
  }
  if (pencil_.has_k()) {
    pencil_.multiply_k(blocks, y, ky);
  } else {  // K Y = S Y + s M Y = B Z + s M Y
    const std::array<double, small_block> minus{-s, 0, 0, 0, 0, -s, 0, 0, 0, 0, -s, 0, 0, 0, 0, -s};
    on.put(minus.data(), small_block, small);
    for (std::int64_t p = 0; p < blocks; ++p)
      on.subtract(1, my + p * block, small, ky + p * block, small + small_block);
  }
  // The projected pencil Y^T (K - s M) Y, Y^T B Y.
  const auto projected = [&](const double* left, const double* right) {
    std::vector<double> a(static_cast<std::size_t>(width * width)),
        column(static_cast<std::size_t>(width * block_width));
    for (std::int64_t p = 0; p < blocks; ++p) {
      on.gram(blocks, left, right + p * block, small);
      on.get(small, width * block_width, column.data());
      for (std::int64_t i = 0; i < width; ++i)
        for (int j = 0; j < block_width; ++j)
          a[i + (p * block_width + j) * width] = column[i * block_width + j];
    }
    return a;
  };
  std::vector<double> a = projected(y, ky);
  const std::vector<double> ymy = projected(y, my), gram = buckling_ ? a : ymy;
  for (std::size_t e = 0; e < a.size(); ++e) a[e] -= s * ymy[e];
  const RayleighRitz small_pairs = rayleigh_ritz(count, width, a, gram);
  const auto m = static_cast<std::int64_t>(small_pairs.u.size());
  // Values ascend.
  std::vector<std::int64_t> order(static_cast<std::size_t>(m));
  std::iota(order.begin(), order.end(), 0);
  const auto value = [&](std::int64_t j) {
    return buckling_ ? s / (1 - small_pairs.u[j]) : s + small_pairs.u[j];
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t i, std::int64_t j) { return value(i) < value(j); });
  std::vector<double> q(static_cast<std::size_t>(width * width));
  for (std::int64_t j = 0; j < m; ++j) {
    found.w.push_back(value(order[j]));
    for (std::int64_t i = 0; i < count; ++i) q[i * width + j] = small_pairs.q[i + order[j] * count];
  }
  on.put(q.data(), width * width, small);
  on.combine(blocks, y, small, blocks, z);
  found.vectors = z;
  // M Z, K Z
  double* const kz = on.take_blocks(blocks);
  if (factorisation_ && 4 * pencil_.pattern().entries() <= pencil_.n() * width) {
    pencil_.multiply_m(blocks, z, y);
    pencil_.multiply_k(blocks, z, kz);
  } else {
    on.combine(blocks, my, small, blocks, y);
    on.combine(blocks, ky, small, blocks, kz);
  }
  const std::vector<double> zbz = projected(z, buckling_ ? kz : y);
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t i = 0; i < m; ++i)
      found.orthogonality = std::max(found.orthogonality, std::abs(zbz[i + j * width] - (i == j)));
  for (std::int64_t p = 0; p < blocks; ++p) {
    std::array<double, small_block> w{}, square, length;
    for (int j = 0; j < block_width; ++j)
      if (p * block_width + j < m) w[5 * j] = found.w[p * block_width + j];
    on.put(w.data(), small_block, small);
    on.subtract(1, y + p * block, small, kz + p * block, small + small_block);
    on.gram(1, z + p * block, z + p * block, small);
    on.get(small + small_block, small_block, square.data());
    on.get(small, small_block, length.data());
    for (int j = 0; j < block_width && p * block_width + j < m; ++j) {
      found.residual.push_back(std::sqrt(std::max(square[5 * j], 0.0)));
      found.length.push_back(std::sqrt(length[5 * j]));
    }
  }
  // The bounds, by the order of the Ritz values.
  std::vector<std::int64_t> ritz_order(static_cast<std::size_t>(count));
  std::iota(ritz_order.begin(), ritz_order.end(), 0);
  std::stable_sort(ritz_order.begin(), ritz_order.end(), [&](std::int64_t i, std::int64_t j) {
    return value_of(theta_of_pairs[i], s) < value_of(theta_of_pairs[j], s);
  });
  for (std::int64_t j = 0; j < m; ++j) {
    const double d = m == count ? delta[ritz_order[j]] : *std::max_element(delta.begin(), delta.end());
    const double theta = std::abs(theta_of(found.w[j], s)), part = d / theta;
    // For buckling dw / dtheta = -(w - s)^2 / s.
    const double slope = buckling_ ? std::pow(found.w[j] - s, 2) / std::abs(s) : 1 / (theta * theta);
    found.bound.push_back(part < 1 ? d * slope / (1 - part) : infinity);
  }
  return found;
}

}  // namespace eigen_g
