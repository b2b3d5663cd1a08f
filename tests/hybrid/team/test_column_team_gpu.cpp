// Tests of a team's errors and staging memory. Its results are tested by test_team_gemm and test_team_reflectors.
#include "tests/support/catch.hpp"
#include "tests/support/device_copy.hpp"

#include <stdexcept>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/team/column_team.hpp"

using namespace eigen_g;

TEST_CASE("an exception of a device reaches the caller, and the team continues", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  ColumnTeam<double> team(queue, {{}, true, 0});
  const std::vector<double> ones(50 * 20, 1);
  const DeviceBuffer<double> z(50 * 20);
  support::upload(z.data(), ones.data(), z.bytes());
  EIGEN_G_CUDA(cudaDeviceSynchronize());  // a queue does not wait for the default stream
  ColumnWork<double> work;
  work.columns_dev = {z.data(), 50, 20, 50};
  work.blocks = [](std::int64_t, ColumnRange) { return Blocks<double>{}; };
  work.on_first = [](const Queue&, const OwnColumns<double>&) {};
  work.on_cpu = [](std::int64_t, const Blocks<double>&, const OwnColumns<double>&) {
    throw std::runtime_error("CPU fault");
  };
  CHECK_THROWS_WITH(team.run(work, {1, 1}), "CPU fault");
  CHECK_NOTHROW(team.run(work, {1, 0}));
  work.on_cpu = [](std::int64_t, const Blocks<double>&, const OwnColumns<double>&) {};
  work.on_first = [](const Queue&, const OwnColumns<double>&) { throw std::runtime_error("GPU fault"); };
  CHECK_THROWS_WITH(team.run(work, {1, 1}), "GPU fault");
  work.on_first = [](const Queue&, const OwnColumns<double>&) {};
  work.on_cpu = [](std::int64_t, const Blocks<double>&, const OwnColumns<double>& own) {
    for (std::int64_t j = 0; j < own.range.count; ++j)
      own.columns(49, j) += static_cast<double>(own.range.first + j);
  };
  team.run(work, {1, 1});
  queue.wait();
  std::vector<double> result(ones.size());
  EIGEN_G_CUDA(cudaMemcpy(result.data(), z.data(), z.bytes(), cudaMemcpyDeviceToHost));
  for (std::size_t j = 0; j < 20; ++j) {
    CHECK(result[48 + j * 50] == 1);
    CHECK(result[49 + j * 50] == (j < 10 ? 1 : 1 + static_cast<double>(j)));
  }
}

TEST_CASE("staging memory that was prepared is used for the work", "[gpu]") {
  NEEDS_GPU();
  constexpr std::int64_t rows = 100, columns = 64, block = 40;
  const Queue queue;
  const DeviceBuffer<double> z(rows * columns), v(rows * block);
  std::vector<double> host(static_cast<std::size_t>(rows * block));
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<double>(i);
  support::upload(v.data(), host.data(), v.bytes());
  EIGEN_G_CUDA(cudaMemset(z.data(), 0xff, z.bytes()));  // NaN
  EIGEN_G_CUDA(cudaDeviceSynchronize());                // a queue does not wait for the default stream
  ColumnWork<double> work;
  work.columns_dev = {z.data(), rows, columns, rows};
  work.reads_columns = false;
  work.scratch_rows = 7;
  work.steps = 3;
  work.blocks = [&](std::int64_t step, ColumnRange) {
    return Blocks<double>{{v.data() + step, rows - step, block, rows}};
  };
  work.on_first = [](const Queue&, const OwnColumns<double>&) {};
  work.on_cpu = [](std::int64_t step, const Blocks<double>& blocks, const OwnColumns<double>& own) {
    for (std::int64_t j = 0; j < own.columns.cols; ++j) {
      for (std::int64_t i = 0; i < 7; ++i) own.scratch(i, j) = -1;
      for (std::int64_t i = 0; i < rows; ++i) {
        const double term = i < rows - step ? blocks[0](i, j % block) : 0;
        own.columns(i, j) = step == 0 ? term : own.columns(i, j) + term;
      }
    }
  };
  for (const bool in_advance : {false, true}) {
    ColumnTeam<double> team(queue, {{}, true, 0});
    if (in_advance) {
      team.prepare({{work, {0, 1}}});
      team.prepare({{work, {0, 1}}});
    }
    const std::uint64_t before = team.pinned_bytes();
    team.run(work, {0, 1});
    queue.wait();
    CHECK((before > 0) == in_advance);
    CHECK(team.pinned_bytes() == (in_advance ? before : sizeof(double) * (112 * columns + 2 * 104 * block)));
    CHECK(team.device_bytes() == 0);
    std::vector<double> result(static_cast<std::size_t>(rows * columns));
    EIGEN_G_CUDA(cudaMemcpy(result.data(), z.data(), z.bytes(), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t i = 0; i < rows; ++i) {
        double sum = 0;
        for (std::int64_t step = 0; step < 3; ++step)
          if (i < rows - step) sum += static_cast<double>(i + step + j % block * rows);
        wrong += result[static_cast<std::size_t>(i + j * rows)] != sum;
      }
    CHECK(wrong == 0);
    EIGEN_G_CUDA(cudaMemset(z.data(), 0xff, z.bytes()));
    EIGEN_G_CUDA(cudaDeviceSynchronize());
  }
}

TEST_CASE("an impossible team is refused", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  CHECK_THROWS_AS(ColumnTeam<double>(queue, {{current_gpu()}, false, 0}), InvalidArgument);
  CHECK_THROWS_AS(ColumnTeam<double>(queue, {{gpu_count()}, false, 0}), InvalidArgument);
  CHECK_THROWS_AS(ColumnTeam<double>(queue, {{-1}, false, 0}), InvalidArgument);
  ColumnTeam<double> team(queue, {{}, true, 0});
  CHECK(team.size() == 2);
  CHECK_THROWS_AS(team.run({}, {1}), InvalidArgument);
  CHECK_THROWS_AS(team.run({}, {0, 0}), InvalidArgument);
}
