// Tests P = (I - V T V^T) [R; 0] and W = V T of cholesky_panel() on a GPU, and that panel_qr() does the panels that are not done.
#include "solver/reduction/two_stage/cholesky_panel.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/skip.hpp"

using namespace eigen_g;

namespace {

using Index = std::int64_t;
using Values = std::vector<double>;
constexpr Index b = 64;

struct Found {
  bool done = false;
  Values v, other, tau, band, w, gram;
};

// Several panels of different heights share the memory of one reduction.
class Panels {
 public:
  explicit Panels(Index most_rows)
      : most_(most_rows),
        mail_(static_cast<Index>(panel_qr_mail_bytes<double>(b, queue_.multiprocessors()))),
        scratch_(cholesky_panel_bytes(most_rows)),
        of_qr_(panel_qr_bytes<double>(most_rows, b, queue_.multiprocessors())) {
    EIGEN_G_CUDA(cudaMemset(Arena(scratch_).take<std::byte>(static_cast<Index>(cholesky_panel_counter_bytes)),
                            0, cholesky_panel_counter_bytes));
    EIGEN_G_CUDA(cudaMemset(Arena(of_qr_).take<std::byte>(mail_), 0, static_cast<std::size_t>(mail_)));
  }

  // panel: rows x 64, stride ld = rows + rows % 2; the first V takes its place.
  Found factor(const Values& panel, Index rows, bool then_qr) {
    REQUIRE(rows <= most_);
    const Index ld = rows + rows % 2;
    DeviceBuffer<double> a(ld * b), v(ld * b), q(ld * b), w(ld * b), tau(b), gram(b * b), band((b + 1) * b);
    for (const auto* buffer : {&v, &q, &w, &tau, &gram, &band})
      EIGEN_G_CUDA(cudaMemset(buffer->data(), 0xff, buffer->bytes()));
    support::upload_as(panel, a);
    EIGEN_G_CUDA(cudaDeviceSynchronize());
    PanelFactor<double> out;
    out.v[0] = {a.data(), rows, b, ld};
    out.v[1] = {v.data(), rows, b, ld};
    out.tau = tau.data();
    out.gram = {gram.data(), b, b, b};
    out.band = band.data();
    out.band_ld = b + 1;
    out.done = cholesky_panel<double>(queue_, {a.data(), rows, b, ld}, out, {q.data(), rows, b, ld},
                                      {w.data(), rows, b, ld}, scratch_);
    if (then_qr) {
      panel_qr<double>(queue_, {a.data(), rows, b, ld}, out, step_, of_qr_);
      step_ += b;
      panel_times_factor<double>(queue_, {v.data(), rows, b, ld}, {gram.data(), b, b, b}, tau.data(),
                                 {w.data(), rows, b, ld}, out.done);
    }
    unsigned done = 17;
    EIGEN_G_CUDA(cudaMemcpyAsync(&done, out.done, sizeof done, cudaMemcpyDeviceToHost, queue_.stream()));
    queue_.wait();
    REQUIRE(done <= 1);
    const auto on_host = [](const DeviceBuffer<double>& from) {
      return support::download_from(from, from.size());
    };
    return {done == 1, on_host(a), on_host(v), on_host(tau), on_host(band), on_host(w), on_host(gram)};
  }

 private:
  Queue queue_;
  Index most_, mail_;
  support::DeviceScratch scratch_, of_qr_;
  unsigned step_ = 0;
};

// condition > 1: the columns are equal up to 1 / condition.
Values random_panel(Index rows, double condition = 1) {
  const Index ld = rows + rows % 2;
  std::mt19937_64 random(static_cast<unsigned>(rows));
  std::normal_distribution<double> normal;
  Values x(static_cast<std::size_t>(ld * b), 0);
  for (Index c = 0; c < b; ++c)
    for (Index i = 0; i < rows; ++i) {
      double& entry = x[static_cast<std::size_t>(i + c * ld)];
      entry = normal(random);
      if (condition > 1 && c > 0) entry = x[static_cast<std::size_t>(i)] + entry / condition;
    }
  return x;
}

bool same_bits(const Values& x, const Values& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), sizeof(double) * x.size()) == 0;
}

// The reflectors alone, one after the other, make P from R. W is compared with V T by the definition of T's columns.
void check(const Values& panel, Index rows, const Found& f) {
  const Index ld = rows + rows % 2;
  for (Index k = 0; k < b; ++k)
    REQUIRE(std::memcmp(&f.v[static_cast<std::size_t>(k * ld)], &f.other[static_cast<std::size_t>(k * ld)],
                        sizeof(double) * static_cast<std::size_t>(rows)) == 0);
  const auto v = [&](Index i, Index k) { return f.v[static_cast<std::size_t>(i + k * ld)]; };
  const auto dot = [&](const double* x, const double* y) {
    double sum = 0;
    for (Index i = 0; i < rows; ++i) sum += x[i] * y[i];
    return sum;
  };
  double difference = 0, size = 0, of_w = 0, of_v = 0, of_tau = 0;
  Values y(static_cast<std::size_t>(rows));
  for (Index c = 0; c < b; ++c) {
    std::fill(y.begin(), y.end(), 0);
    for (Index r = 0; r <= c; ++r)
      y[static_cast<std::size_t>(r)] = f.band[static_cast<std::size_t>(b + r - c + c * (b + 1))];
    for (Index k = std::min(b, rows) - 1; k >= 0; --k) {
      const double factor =
          f.tau[static_cast<std::size_t>(k)] * dot(&f.v[static_cast<std::size_t>(k * ld)], y.data());
      for (Index i = 0; i < rows; ++i) y[static_cast<std::size_t>(i)] -= factor * v(i, k);
    }
    for (Index i = 0; i < rows; ++i) {
      const double a = panel[static_cast<std::size_t>(i + c * ld)];
      difference += std::pow(a - y[static_cast<std::size_t>(i)], 2);
      size += a * a;
    }
  }
  Values wanted(static_cast<std::size_t>(ld * b), 0);
  for (Index k = 0; k < b; ++k) {
    const double* const own = &f.v[static_cast<std::size_t>(k * ld)];
    const double tau = f.tau[static_cast<std::size_t>(k)];
    double* const w = &wanted[static_cast<std::size_t>(k * ld)];
    std::copy_n(own, rows, w);
    for (Index l = 0; l < k; ++l) {
      const double factor = dot(&f.v[static_cast<std::size_t>(l * ld)], own);
      for (Index i = 0; i < rows; ++i) w[i] -= factor * wanted[static_cast<std::size_t>(i + l * ld)];
    }
    for (Index i = 0; i < rows; ++i) {
      w[i] *= tau;
      of_w += std::pow(w[i] - f.w[static_cast<std::size_t>(i + k * ld)], 2);
      of_v += own[i] * own[i];
    }
    if (tau != 0) of_tau = std::max(of_tau, std::abs(tau * dot(own, own) / 2 - 1));
  }
  const double ulp = 0x1p-52;
  CAPTURE(rows, f.done, std::sqrt(difference / size), std::sqrt(of_w / of_v), of_tau);
  CHECK(std::sqrt(difference / size) < 2 * std::sqrt(static_cast<double>(rows + b)) * ulp);
  CHECK(std::sqrt(of_w / of_v) < 4 * b * ulp);
  CHECK(of_tau < 2 * b * ulp);
}

}  // namespace

TEST_CASE("cholesky_panel on a GPU: P = Q R and W = V T", "[gpu]") {
  NEEDS_GPU();
  if (!cholesky_panel_runs(b)) return;
  Panels panels(20000);
  for (const Index rows :
       support::sizes({128, 129, 191, 192, 511, 512, 513, 1000, 3001, 8448, 10001, 20000}, {128, 513})) {
    const Values panel = random_panel(rows);
    const Found f = panels.factor(panel, rows, false), again = panels.factor(panel, rows, true);
    CHECK(f.done);
    check(panel, rows, f);
    CHECK(std::all_of(f.gram.begin(), f.gram.end(), [](double x) { return std::isnan(x); }));
    CHECK(same_bits(f.v, again.v));
    CHECK(same_bits(f.w, again.w));
    CHECK(same_bits(f.tau, again.tau));
    for (Index c = 0; c < b; ++c)
      for (Index r = 0; r <= c; ++r) {
        const auto at = static_cast<std::size_t>(b + r - c + c * (b + 1));
        REQUIRE(f.band[at] == again.band[at]);
      }
  }
}

TEST_CASE("cholesky_panel on a GPU: ill-conditioned panels are left to panel_qr", "[gpu]") {
  NEEDS_GPU();
  if (!cholesky_panel_runs(b)) return;
  Panels panels(3001);
  for (const Index rows : support::sizes({128, 700, 3001}, {128}))
    for (const double condition : {1.0, 1e4, 1e10, 1e14}) {
      CAPTURE(rows, condition);
      const Values panel = random_panel(rows, condition);
      const Found alone = panels.factor(panel, rows, false);
      CHECK(alone.done == (condition < 1e6));
      if (!alone.done) {
        CHECK(same_bits(alone.v, panel));
        for (const Values* values : {&alone.other, &alone.w, &alone.tau, &alone.band})
          CHECK(std::all_of(values->begin(), values->end(), [](double x) { return std::isnan(x); }));
      }
      check(panel, rows, panels.factor(panel, rows, true));
    }
}

// Float: the arithmetic is in double, so each entry of V and W is the one of double, rounded.
TEST_CASE("cholesky_panel on a GPU: panels of float", "[gpu]") {
  NEEDS_GPU();
  if (!cholesky_panel_runs(b)) return;
  const Index rows = 700, ld = rows;
  Values panel = random_panel(rows);
  for (double& x : panel) x = static_cast<float>(x);
  Panels panels(rows);
  const Found exact = panels.factor(panel, rows, false);
  REQUIRE(exact.done);

  Queue queue;
  const support::DeviceScratch scratch(cholesky_panel_bytes(rows));
  EIGEN_G_CUDA(cudaMemset(Arena(scratch).take<std::byte>(static_cast<Index>(cholesky_panel_counter_bytes)), 0,
                          cholesky_panel_counter_bytes));
  DeviceBuffer<float> a(ld * b), v(ld * b), w(ld * b), tau(b), band((b + 1) * b);
  DeviceBuffer<double> q(ld * b);
  support::upload_as(panel, a);
  EIGEN_G_CUDA(cudaDeviceSynchronize());
  PanelFactor<float> out;
  out.v[0] = {a.data(), rows, b, ld};
  out.v[1] = {v.data(), rows, b, ld};
  out.tau = tau.data();
  out.band = band.data();
  out.band_ld = b + 1;
  const unsigned* const done_dev = cholesky_panel<float>(
      queue, {a.data(), rows, b, ld}, out, {q.data(), rows, b, ld}, {w.data(), rows, b, ld}, scratch);
  unsigned done = 17;
  EIGEN_G_CUDA(cudaMemcpyAsync(&done, done_dev, sizeof done, cudaMemcpyDeviceToHost, queue.stream()));
  queue.wait();
  CHECK(done == 1);
  const auto differences = [](const Values& wanted, const DeviceBuffer<float>& found_dev) {
    const Values found = support::download_from(found_dev, found_dev.size());
    Index count = 0;
    for (std::size_t i = 0; i < found.size(); ++i) count += found[i] != double{static_cast<float>(wanted[i])};
    return count;
  };
  CHECK(differences(exact.v, a) == 0);
  CHECK(differences(exact.v, v) == 0);
  CHECK(differences(exact.w, w) == 0);
  CHECK(differences(exact.tau, tau) == 0);
}
