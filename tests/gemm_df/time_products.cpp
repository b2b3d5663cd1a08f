// Times products of double by every engine on a GPU, in turns, medians. Engine auto chooses by estimated rates.
//
//   time_products [-e engine,...] [-r rounds] [SHAPE...]      SHAPE: OPxMxNxK, OP: NN, TN, NT, or SYR2K (M is left out)
//
// It prints a line for each shape with TFLOP/s of each engine and in brackets the largest |C - AB| / |A||B| of sampled entries in units
// of 2^-53. For engines ozaki and ozaki-fp8 it then prints milliseconds of the conversion of both operands, of the integer products if the project's own
// kernel computes them, and of all.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "gemm_df/engines/engine_rates.hpp"
#include "gemm_df/engines/ozaki/operand.hpp"
#include "gemm_df/engines/ozaki/residue_products.hpp"
#include "gemm_df/engines/products.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"

using namespace eigen_g;

namespace {

using Index = std::int64_t;

struct Shape {
  std::string op;
  Index m, n, k;
};

DeviceBuffer<double> random_matrix(Index rows, Index cols, unsigned seed, std::vector<double>& host) {
  host.resize(static_cast<std::size_t>(rows * cols));
  std::mt19937_64 random(seed);
  for (double& x : host) x = static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-63;
  DeviceBuffer<double> device(rows * cols);
  EIGEN_G_CUDA(cudaMemcpy(device.data(), host.data(), device.bytes(), cudaMemcpyHostToDevice));
  return device;
}

template <class Call>
double seconds(const Queue& queue, const Call& call) {
  Event start, stop;
  start.record(queue);
  call();
  stop.record(queue);
  stop.wait();
  return stop.seconds_since(start);
}
double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

void time_shape(const Queue& queue, const Shape& s, const std::vector<Engine>& engines, int rounds) {
  const bool symmetric = s.op == "SYR2K";
  const Op op_a = s.op == "TN" ? Op::transpose : Op::none, op_b = s.op == "NT" ? Op::transpose : Op::none;
  std::vector<double> a, b;
  const Index rows_a = op_a == Op::none ? s.m : s.k, rows_b = symmetric || op_b != Op::none ? s.n : s.k;
  const DeviceBuffer<double> a_dev = random_matrix(rows_a, s.m * s.k / rows_a, 1, a),
                             b_dev = random_matrix(rows_b, s.n * s.k / rows_b, 2, b), c(s.m * s.n);
  const MatrixView<const double> x{a_dev.data(), rows_a, s.m * s.k / rows_a, rows_a},
      y{b_dev.data(), rows_b, s.n * s.k / rows_b, rows_b};
  const auto of = [](const std::vector<double>& v, Index at) { return v[static_cast<std::size_t>(at)]; };
  const auto error = [&] {
    std::mt19937_64 random(5);
    double worst = 0;
    for (int t = 0; t < 100; ++t) {
      Index i = static_cast<Index>(random() % static_cast<std::uint64_t>(s.m)),
            j = static_cast<Index>(random() % static_cast<std::uint64_t>(s.n));
      if (symmetric && i < j) std::swap(i, j);
      long double sum = 0, size = 0;
      for (Index l = 0; l < s.k; ++l) {
        const auto add = [&](double p, double q) {
          sum += static_cast<long double>(p) * q;
          size += std::abs(static_cast<long double>(p) * q);
        };
        add(of(a, op_a == Op::none ? i + l * rows_a : l + i * rows_a),
            of(b, rows_b == s.n && (symmetric || op_b != Op::none) ? j + l * rows_b : l + j * rows_b));
        if (symmetric) add(of(b, i + l * rows_b), of(a, j + l * rows_a));
      }
      double found = 0;
      EIGEN_G_CUDA(cudaMemcpy(&found, c.data() + i + j * s.m, sizeof found, cudaMemcpyDeviceToHost));
      const auto off = static_cast<double>(std::abs(found - sum) / size);
      worst = std::isnan(off) ? HUGE_VAL : std::max(worst, off);
    }
    return worst * 0x1p53;
  };
  const double flops = 2 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
  std::vector<std::unique_ptr<Products<double>>> products;
  std::vector<std::vector<double>> times(engines.size());
  std::vector<double> errors(engines.size(), -1);
  const auto once = [&](std::size_t e) {
    if (symmetric)
      products[e]->syr2k_lower(1, x, y, 0, {c.data(), s.n, s.n, s.n});
    else
      products[e]->gemm(op_a, op_b, 1, x, y, 0, {c.data(), s.m, s.n, s.m});
  };
  for (const Engine engine : engines)
    products.push_back(
        std::make_unique<Products<double>>(queue, engine, rates_to_choose_by(queue, engine, {})));
  for (std::size_t e = 0; e < engines.size(); ++e) {
    EIGEN_G_CUDA(cudaMemset(c.data(), 0xff, c.bytes()));
    EIGEN_G_CUDA(cudaDeviceSynchronize());
    times[e].push_back(seconds(queue, [&] { once(e); }));
    errors[e] = error();
  }
  for (int round = 0; round < rounds; ++round)
    for (std::size_t e = 0; e < engines.size(); ++e) {
      if (round == 0) times[e].clear();
      if (engines[e] == Engine::df && round > 0 && flops > 1e12) continue;
      times[e].push_back(seconds(queue, [&] { once(e); }));
    }
  std::printf("%-5s %6lld %6lld %6lld ", s.op.c_str(), static_cast<long long>(s.m),
              static_cast<long long>(s.n), static_cast<long long>(s.k));
  for (std::size_t e = 0; e < engines.size(); ++e)
    std::printf(" %s %.1f [%.2g]", name(engines[e]), flops / median(times[e]) * 1e-12, errors[e]);
  for (std::size_t e = 0; e < engines.size(); ++e) {
    if ((engines[e] != Engine::ozaki && engines[e] != Engine::ozaki_fp8) || symmetric) continue;
    const int moduli = engines[e] == Engine::ozaki ? ozaki::moduli_of_native_errors : ozaki::moduli_of_floats;
    ozaki::Operand left, right;
    const ozaki::Source lines_a{a_dev.data(), op_a == Op::none ? 1 : rows_a, op_a == Op::none ? rows_a : 1,
                                s.m, s.k},
        lines_b{b_dev.data(), op_b == Op::none ? rows_b : 1, op_b == Op::none ? 1 : rows_b, s.n, s.k};
    std::vector<double> converting;
    for (int round = 0; round <= rounds; ++round)
      converting.push_back(seconds(queue, [&] {
        left.convert(queue, moduli, {lines_a});
        right.convert(queue, moduli, {lines_b});
      }));
    std::printf("  %s ms: convert %.3f", name(engines[e]), 1e3 * median(converting));
    const Index stride = ozaki::whole(s.m, ozaki::plane_rows) * ozaki::plane_rows;
    if (ozaki::residue_products_run()) {
      const DeviceBuffer<std::uint8_t> planes(moduli * ozaki::bytes_of_residue(moduli) * stride * s.n);
      std::vector<double> multiplying;
      for (int round = 0; round <= rounds; ++round)
        multiplying.push_back(seconds(queue, [&] {
          ozaki::multiply_to_planes(queue, moduli, left.view(), right.view(),
                                    {planes.data(), stride * s.n, stride}, INT64_MIN);
        }));
      std::printf(", multiply %.3f (%.0f TOP/s)", 1e3 * median(multiplying),
                  ozaki::planes_of(moduli) * flops / median(multiplying) * 1e-12);
    }
    std::printf(" of %.3f", 1e3 * median(times[e]));
  }
  std::printf("\n");
  std::fflush(stdout);
}

Shape shape_of(const std::string& text) {
  std::stringstream parts(text);
  std::string op, part;
  std::getline(parts, op, 'x');
  std::vector<Index> sizes;
  while (std::getline(parts, part, 'x')) sizes.push_back(std::atoll(part.c_str()));
  if (op == "SYR2K" && sizes.size() == 2) return {op, sizes[0], sizes[0], sizes[1]};
  if (sizes.size() != 3) {
    std::fprintf(stderr, "time_products: %s is not a shape\n", text.c_str());
    std::exit(2);
  }
  return {op, sizes[0], sizes[1], sizes[2]};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Engine> wanted;
  std::vector<Shape> shapes;
  int rounds = 5;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "-r" && i + 1 < argc) {
      rounds = std::max(1, std::atoi(argv[++i]));
    } else if (argument == "-e" && i + 1 < argc) {
      std::stringstream names(argv[++i]);
      for (std::string text; std::getline(names, text, ',');)
        if (const auto engine = engine_of(text)) wanted.push_back(*engine);
    } else {
      shapes.push_back(shape_of(argument));
    }
  }
  if (wanted.empty())
    for (const Engine engine : engines())
      if (engine_runs(engine)) wanted.push_back(engine);
  if (shapes.empty())
    for (const char* text : {"NNx4096x4096x4096", "NNx8192x8192x8192", "NTx8192x8192x1024"})
      shapes.push_back(shape_of(text));
  const Queue queue;
  for (const Shape& s : shapes) time_shape(queue, s, wanted, rounds);
}
