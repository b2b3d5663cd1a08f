// Tests A = (I - V T V^T) [R; 0] and W = V T on a GPU, for panels in registers, in shared memory and in device memory.
#include "solver/reduction/two_stage/panel_qr.hpp"

#include <cmath>
#include <cstring>
#include <random>
#include <tuple>
#include <type_traits>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/parts.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/reduction/two_stage/adjoint_product_of_few.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/reduction.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/skip.hpp"

using namespace eigen_g;

namespace {

template <class S>
struct Found {
  std::vector<S> v, tau, gram, band, w;
};

template <class T, class S = support::wide_t<T>>
Found<S> factor(const std::vector<S>& panel, std::int64_t rows, std::int64_t b, int max_blocks) {
  const Queue queue;
  const std::int64_t ld = rows + rows % 2,
                     mail = static_cast<std::int64_t>(panel_qr_mail_bytes<T>(b, queue.multiprocessors()));
  DeviceBuffer<T> a(ld * b), v(ld * b), other(ld * b), w(ld * b), tau(b), gram(b * b), band((b + 1) * b);
  for (const auto* buffer : {&v, &other, &w, &tau, &gram, &band})
    EIGEN_G_CUDA(cudaMemset(buffer->data(), 0xff, buffer->bytes()));
  const support::DeviceScratch scratch(panel_qr_bytes<T>(rows, b, queue.multiprocessors(), max_blocks));
  EIGEN_G_CUDA(cudaMemset(Arena(scratch).take<std::byte>(mail), 0, static_cast<std::size_t>(mail)));
  support::upload_as(panel, a);
  EIGEN_G_CUDA(cudaDeviceSynchronize());
  PanelFactor<T> out;
  out.v[0] = {v.data(), rows, b, ld};
  out.v[1] = {other.data(), rows, b, ld};
  out.tau = tau.data();
  out.gram = {gram.data(), b, b, b};
  out.band = band.data();
  out.band_ld = b + 1;
  panel_qr<T>(queue, {a.data(), rows, b, ld}, out, 7, scratch, max_blocks);
  panel_times_factor<T>(queue, {v.data(), rows, b, ld}, {gram.data(), b, b, b}, tau.data(),
                        {w.data(), rows, b, ld});
  queue.wait();
  const auto on_host = [](const DeviceBuffer<T>& from) { return support::download_from(from, from.size()); };
  const std::vector<S> twice = on_host(other);
  Found<S> found{on_host(v), on_host(tau), on_host(gram), on_host(band), on_host(w)};
  CHECK(std::memcmp(twice.data(), found.v.data(), sizeof(S) * twice.size()) == 0);
  return found;
}

// |A - Q [R; 0]| / (rows ulp |A|) and |W - V T| / (b ulp |V|), T from Q = I - V T V^H by the definition of its columns.
template <class T = double>
void check(std::int64_t rows, std::int64_t b, int max_blocks, double grade = 0) {
  using S = support::wide_t<T>;
  CAPTURE(rows, b, max_blocks, grade);
  const std::int64_t ld = rows + rows % 2;
  std::vector<S> panel(static_cast<std::size_t>(ld * b), S(0));
  std::mt19937_64 random(static_cast<unsigned>(rows + b));
  std::normal_distribution<double> normal;
  for (std::int64_t j = 0; j < b; ++j)
    for (std::int64_t i = 0; i < rows; ++i) {
      S x = normal(random);
      if constexpr (is_complex<T>) x.imag(normal(random));
      panel[static_cast<std::size_t>(i + j * ld)] =
          x * std::pow(10, -grade * (static_cast<double>(i) / static_cast<double>(rows) +
                                     static_cast<double>(j) / static_cast<double>(b)));
    }
  const Found<S> f = factor<T>(panel, rows, b, max_blocks);
  const auto v = [&](std::int64_t i, std::int64_t j) { return f.v[static_cast<std::size_t>(i + j * ld)]; };

  std::vector<S> product(static_cast<std::size_t>(rows * b), S(0)), wanted_w = product;
  for (std::int64_t c = 0; c < b; ++c)
    for (std::int64_t r = 0; r <= std::min(c, rows - 1); ++r)
      product[static_cast<std::size_t>(r + c * rows)] =
          f.band[static_cast<std::size_t>(b + r - c + c * (b + 1))];
  for (std::int64_t k = std::min(b, rows - 1) - 1; k >= 0; --k)
    for (std::int64_t c = 0; c < b; ++c) {
      S dot = 0;
      for (std::int64_t i = k; i < rows; ++i)
        dot += conjugate(v(i, k)) * product[static_cast<std::size_t>(i + c * rows)];
      for (std::int64_t i = k; i < rows; ++i)
        product[static_cast<std::size_t>(i + c * rows)] -= f.tau[static_cast<std::size_t>(k)] * dot * v(i, k);
    }
  double difference = 0, size = 0;
  for (std::int64_t c = 0; c < b; ++c)
    for (std::int64_t i = 0; i < rows; ++i) {
      const S a = panel[static_cast<std::size_t>(i + c * ld)];
      difference += std::norm(a - product[static_cast<std::size_t>(i + c * rows)]);
      size += std::norm(a);
    }
  CHECK(std::sqrt(difference / size) < 2 * std::sqrt(static_cast<double>(rows + b)) * support::ulp_of<T>);

  double of_w = 0, of_v = 0;
  for (std::int64_t k = 0; k < b; ++k) {
    std::vector<S> column(static_cast<std::size_t>(rows));
    for (std::int64_t i = 0; i < rows; ++i) column[static_cast<std::size_t>(i)] = v(i, k);
    for (std::int64_t l = 0; l < k; ++l) {
      S dot = 0;
      for (std::int64_t i = 0; i < rows; ++i) dot += conjugate(v(i, l)) * v(i, k);
      for (std::int64_t i = 0; i < rows; ++i)
        column[static_cast<std::size_t>(i)] -= dot * wanted_w[static_cast<std::size_t>(i + l * rows)];
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      const S w = f.tau[static_cast<std::size_t>(k)] * column[static_cast<std::size_t>(i)];
      wanted_w[static_cast<std::size_t>(i + k * rows)] = w;
      of_w += std::norm(w - f.w[static_cast<std::size_t>(i + k * ld)]);
      of_v += std::norm(v(i, k));
    }
  }
  CHECK(std::sqrt(of_w / of_v) < 4 * static_cast<double>(b) * support::ulp_of<T>);
}

}  // namespace

TEST_CASE("panel_qr on a GPU: A = Q R", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t b : {32, 48, 64, 96, 128}) {
    for (const std::int64_t rows :
         {std::int64_t{2}, std::int64_t{3}, b - 1, b, b + 1, std::int64_t{333}, std::int64_t{1000}})
      check(rows, b, 0);
    check(3000, b, 40);
    check(900, b, 0, 12);
  }
}

TEST_CASE("panel_qr on a GPU: rows beyond the registers", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t b : {32, 64, 96, 128}) {
    check(2501, b, 3);  // in shared memory
    check(4001, b, 2);  // wide panels: in device memory
    check(1500, b, 1);
  }
}

TEST_CASE("panel_qr on a GPU in float", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t b : {32, 48, 64, 96, 128}) {
    for (const std::int64_t rows : {std::int64_t{2}, b, b + 1, std::int64_t{1000}}) check<float>(rows, b, 0);
    check<float>(900, b, 0, 6);
    check<float>(4001, b, 2);
  }
}

TEMPLATE_TEST_CASE("panel_qr on a GPU of complex panels", "[gpu]", std::complex<double>,
                   std::complex<float>) {
  NEEDS_GPU();
  const std::int64_t b = 32;
  for (const std::int64_t rows : {1, 2, 3, 31, 32, 33, 333, 1000}) check<TestType>(rows, b, 0);
  check<TestType>(900, b, 0, std::is_same_v<TestType, std::complex<double>> ? 12 : 6);
  check<TestType>(3000, b, 40);
  for (const int max_blocks : {1, 2, 3}) check<TestType>(2501, b, max_blocks);  // rows beyond the registers
  check<TestType>(9001, b, 2);
}

// Also for equal terms, whose sum in one chain would be wrong by many units. Memory outside of the arrays must not change.
TEMPLATE_TEST_CASE("adjoint_product_of_few on a GPU: X^H W and W^H X of up to four columns, else nothing",
                   "[gpu]", float, double, std::complex<float>, std::complex<double>) {
  NEEDS_GPU();
  using T = TestType;
  using S = support::wide_t<T>;
  using Long = std::conditional_t<is_complex<T>, std::complex<long double>, long double>;
  const Queue queue;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> entry(-1, 1);
  for (const std::int64_t b : support::sizes({32, 48, 128}, {48}))
    for (const auto& [rows, columns, equal] :
         {std::tuple{1, 1, false}, {33, 5, false}, {700, 1100, false}, {1537, 70, true}})
      for (const int reflectors : {0, 1, 3, 4, 5}) {
        CAPTURE(b, rows, columns, equal, reflectors);
        const std::int64_t ld = rows + 3;
        const auto filled = [&, equal = equal](std::int64_t count) {
          std::vector<S> values(static_cast<std::size_t>(count), S(0.1));
          for (S& x : values) {
            if (!equal) x = entry(random);
            if constexpr (is_complex<T>) x.imag(equal ? 0.3 : entry(random));
          }
          return values;
        };
        const std::vector<S> x = filled(ld * columns), w = filled(ld * b);
        std::vector<S> tau(static_cast<std::size_t>(b), S(0));
        for (int k = 0; k < reflectors; ++k) tau[static_cast<std::size_t>((b - 1) * k / 4)] = 1.5;
        if (reflectors == 5) tau[1] = 1.5;
        const std::int64_t ld_rows = b + 1;
        DeviceBuffer<T> x_dev(ld * columns), w_dev(ld * b), tau_dev(b), y_dev(columns * b),
            rows_dev(ld_rows * columns);
        support::upload_as<T>(x, x_dev);
        support::upload_as<T>(w, w_dev);
        support::upload_as<T>(tau, tau_dev);
        for (const auto* buffer : {&y_dev, &rows_dev})
          EIGEN_G_CUDA(cudaMemset(buffer->data(), 0xff, buffer->bytes()));
        EIGEN_G_CUDA(cudaDeviceSynchronize());
        adjoint_product_of_few<T>(queue, {x_dev.data(), rows, columns, ld}, tau_dev.data(),
                                  {w_dev.data(), rows, b, ld}, {y_dev.data(), columns, b, columns});
        product_with_few<T>(queue, {w_dev.data(), rows, b, ld}, tau_dev.data(),
                            {x_dev.data(), rows, columns, ld}, {rows_dev.data(), b, columns, ld_rows});
        queue.wait();
        const std::vector<S> y = support::download_from(y_dev, y_dev.size()),
                             in_rows = support::download_from(rows_dev, rows_dev.size());
        std::int64_t wrong = 0;
        double worst = 0;
        for (std::int64_t c = 0; c < b; ++c)
          for (std::int64_t col = 0; col < columns; ++col) {
            const S found = y[static_cast<std::size_t>(col + c * columns)],
                    in_row = in_rows[static_cast<std::size_t>(c + col * ld_rows)];
            if (reflectors > 4 || tau[static_cast<std::size_t>(c)] == S(0)) {
              wrong += !std::isnan(std::abs(found)) || !std::isnan(std::abs(in_row));
              continue;
            }
            wrong += in_row != conjugate(found);
            Long sum = 0;
            long double size = 0;
            for (std::int64_t row = 0; row < rows; ++row) {
              const Long term = Long(conjugate(S(T(x[static_cast<std::size_t>(row + col * ld)])))) *
                                Long(S(T(w[static_cast<std::size_t>(row + c * ld)])));
              sum += term;
              size += std::abs(term);
            }
            worst = std::max(worst, static_cast<double>(std::abs(Long(found) - sum) / size));
          }
        for (std::int64_t col = 0; col < columns; ++col)
          wrong += !std::isnan(std::abs(in_rows[static_cast<std::size_t>(b + col * ld_rows)]));
        CHECK(wrong == 0);
        CHECK(worst <= 4 * support::ulp_of<T>);  // rounding of a partial sum and of a tree of 5
      }
}
