// Tests of transfers between host and device.
#include "tests/support/catch.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/copy_2d.hpp"
#include "hybrid/transfer/stream_copy.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "hybrid/transfer/transfer_thread.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/skip.hpp"

using eigen_g::Chunk;
using eigen_g::DeviceBuffer;
using eigen_g::MatrixView;
using eigen_g::Part;
using eigen_g::Queue;

namespace {

bool in(Part part, std::int64_t i, std::int64_t j) {
  return part == Part::all || (part == Part::lower ? i >= j : i <= j);
}

}  // namespace

TEST_CASE("chunks have the requested part of every column once, and no more than fits") {
  for (const Part part : {Part::all, Part::lower, Part::upper})
    for (const std::int64_t n : {1, 2, 7, 64, 1000})
      for (const std::int64_t elements : {1, 10, 1000, 64000, 2000000}) {
        CAPTURE(static_cast<int>(part), n, elements);
        std::int64_t next = 0;
        for (const Chunk& c : eigen_g::cut_into_chunks(part, n, n, elements)) {
          CHECK(c.first == next);
          REQUIRE(c.cols >= 1);
          CHECK((c.rows * c.cols <= elements || c.cols == 1));
          CHECK(c.first_row >= 0);
          CHECK(c.first_row + c.rows <= n);
          CHECK(c.first_row <= (part == Part::lower ? c.first : 0));
          CHECK(c.first_row + c.rows >= (part == Part::upper ? c.first + c.cols : n));
          next = c.first + c.cols;
        }
        CHECK(next == n);
      }
  CHECK(eigen_g::cut_into_chunks(Part::all, 0, 0, 100).empty());
  CHECK(eigen_g::cut_into_chunks(Part::all, 5, 0, 100).empty());
}

TEST_CASE("a matrix is copied up and down unchanged, and memory around it does not change", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  for (const bool pinned : {false, true})
    for (const std::int64_t n : {1, 3, 257, 1100, 3100})  // one chunk, some, more than there are slots
      for (const Part part : {Part::all, Part::lower, Part::upper}) {
        CAPTURE(pinned, n, static_cast<int>(part));
        const std::int64_t lda = n + 3, ld_dev = n + 5;
        const std::vector<double> original = support::random_rectangle(1, lda * n);
        std::vector<double> pageable = original;
        const eigen_g::PinnedBuffer<double> locked(pinned ? lda * n : 0);
        double* const host = pinned ? locked.data() : pageable.data();
        std::copy(original.begin(), original.end(), host);
        for (std::int64_t j = 0; j < n; ++j)
          for (std::int64_t i = 0; i < lda; ++i)
            if (i >= n || !in(part, i, j)) host[i + j * lda] = support::nan;

        const DeviceBuffer<double> device(ld_dev * n);
        EIGEN_G_CUDA(cudaMemsetAsync(device.data(), 0xff, device.bytes(), queue.stream()));  // NaN
        const MatrixView<double> there{device.data(), n, n, ld_dev};
        eigen_g::upload<double>(queue, part, {host, n, n, lda}, there);
        queue.wait();
        std::fill_n(host, lda * n, -1.0);
        eigen_g::download<double>(queue, there, {host, n, n, lda});
        std::int64_t wrong = 0;
        for (std::int64_t j = 0; j < n; ++j)
          for (std::int64_t i = 0; i < lda; ++i) {
            const double expected = i < n ? original[static_cast<std::size_t>(i + j * lda)] : -1;
            wrong += (i >= n || in(part, i, j)) && host[i + j * lda] != expected;
          }
        CHECK(wrong == 0);
        std::vector<double> padding(static_cast<std::size_t>(ld_dev * n));
        EIGEN_G_CUDA(cudaMemcpy(padding.data(), device.data(), device.bytes(), cudaMemcpyDefault));
        for (std::int64_t j = 0; j < n; ++j)
          for (std::int64_t i = n; i < ld_dev; ++i) {
            const double value = padding[static_cast<std::size_t>(i + j * ld_dev)];
            wrong += value == value;
          }
        CHECK(wrong == 0);
      }
}

TEST_CASE("several matrices are copied up in their order, and work is queued behind each", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const MatrixView<const double> shapes[] = {{nullptr, 1, 1, 1},         {nullptr, 300, 7, 301},
                                             {nullptr, 3000, 256, 3005}, {nullptr, 256, 900, 256},
                                             {nullptr, 1, 5000, 3},      {nullptr, 2000, 2000, 2000}};
  constexpr std::int64_t largest = 2000 * 2000;
  for (const bool pinned : {false, true}) {
    CAPTURE(pinned);
    std::vector<std::vector<double>> originals;
    std::vector<eigen_g::PinnedBuffer<double>> locked;
    std::vector<std::vector<double>> pageable;
    std::vector<DeviceBuffer<double>> targets;
    // All matrices pass through the same memory. The function `then` of each matrix queues the copy to its target.
    const DeviceBuffer<double> passage(largest);
    std::vector<eigen_g::Upload<double>> uploads;
    std::vector<std::size_t> called;
    for (std::size_t k = 0; k < std::size(shapes); ++k) {
      const MatrixView<const double> shape = shapes[k];
      const std::int64_t values = shape.lda * shape.cols;
      originals.push_back(support::random_rectangle(1, values, k + 1));
      pageable.push_back(originals.back());
      locked.emplace_back(pinned ? values : 0);
      if (pinned) std::copy(originals.back().begin(), originals.back().end(), locked.back().data());
      targets.emplace_back(shape.rows * shape.cols);
      EIGEN_G_CUDA(
          cudaMemsetAsync(targets.back().data(), 0xff, targets.back().bytes(), queue.stream()));  // NaN
      const MatrixView<double> to{passage.data(), shape.rows, shape.cols, shape.rows};
      double* const target = targets.back().data();
      uploads.push_back(
          {{pinned ? locked.back().data() : pageable.back().data(), shape.rows, shape.cols, shape.lda},
           to,
           [&called, &queue, k, to, target] {
             called.push_back(k);
             eigen_g::copy_values(queue, target, static_cast<const double*>(to.data), to.rows * to.cols);
           }});
    }
    eigen_g::upload_several<double>(queue, uploads, pinned ? 1 : 2);
    for (std::vector<double>& host : pageable) std::fill(host.begin(), host.end(), -1.0);  // may change now
    queue.wait();
    CHECK(called == std::vector<std::size_t>{0, 1, 2, 3, 4, 5});
    for (std::size_t k = 0; k < std::size(shapes); ++k) {
      CAPTURE(k);
      std::vector<double> copy(static_cast<std::size_t>(shapes[k].rows * shapes[k].cols));
      EIGEN_G_CUDA(cudaMemcpy(copy.data(), targets[k].data(), targets[k].bytes(), cudaMemcpyDefault));
      std::int64_t wrong = 0;
      for (std::int64_t j = 0; j < shapes[k].cols; ++j)
        for (std::int64_t i = 0; i < shapes[k].rows; ++i)
          wrong += copy[static_cast<std::size_t>(i + j * shapes[k].rows)] !=
                   originals[k][static_cast<std::size_t>(i + j * shapes[k].lda)];
      CHECK(wrong == 0);
    }
  }
  eigen_g::upload_several<double>(queue, {}, 1);
}

TEST_CASE("a triangle is copied down, and the other triangle does not change", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  for (const eigen_g::Uplo uplo : {eigen_g::Uplo::lower, eigen_g::Uplo::upper})
    for (const std::int64_t n : {0, 1, 3, 512, 513, 1100}) {  // one panel, some
      CAPTURE(static_cast<char>(uplo), n);
      const std::int64_t lda = n + 3;
      const std::vector<double> original = support::random_rectangle(1, lda * n);
      std::vector<double> copy(original.size(), -1);
      const DeviceBuffer<double> device(lda * n);
      upload<double>(queue, Part::all, {original.data(), n, n, lda}, {device.data(), n, n, lda});
      download_triangle<double>(queue, uplo, {device.data(), n, n, lda}, {copy.data(), n, n, lda});
      std::int64_t wrong = 0;
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < lda; ++i) {
          const auto at = static_cast<std::size_t>(i + j * lda);
          wrong += copy[at] != (i < n && in(part_of(uplo), i, j) ? original[at] : -1);
        }
      CHECK(wrong == 0);
    }
}

TEST_CASE("transfers that follow each other do not disturb each other", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const std::int64_t n = 1500;
  std::vector<std::vector<double>> host;
  std::vector<DeviceBuffer<double>> device;
  for (int k = 0; k < 4; ++k) {
    host.push_back(support::random_rectangle(1, n * n + k, static_cast<std::uint64_t>(k)));
    device.emplace_back(n * n);
    eigen_g::upload<double>(queue, Part::all, {host.back().data(), n, n, n}, {device.back().data(), n, n, n});
  }
  for (int k = 0; k < 4; ++k) {
    std::vector<double> back(static_cast<std::size_t>(n * n));
    eigen_g::download<double>(queue, {device[static_cast<std::size_t>(k)].data(), n, n, n},
                              {back.data(), n, n, n});
    CHECK(std::equal(back.begin(), back.end(), host[static_cast<std::size_t>(k)].begin()));
  }
  eigen_g::Resources::of_this_thread().release();
  std::vector<double> back(static_cast<std::size_t>(n * n));
  eigen_g::download<double>(queue, {device.front().data(), n, n, n}, {back.data(), n, n, n});
  CHECK(std::equal(back.begin(), back.end(), host.front().begin()));
}

TEST_CASE("a copy that bypasses the caches copies the given bytes, at any alignment") {
  const std::vector<double> from = support::random_rectangle(1, 200);
  for (const std::int64_t count : {0, 1, 7, 8, 9, 15, 16, 17, 100})
    for (std::int64_t source = 0; source < 9; ++source)
      for (std::int64_t target = 0; target < 9; ++target) {
        std::vector<double> to(200, -1);
        eigen_g::stream_copy(from.data() + source, to.data() + target, count);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < 200; ++i) {
          const bool inside = i >= target && i < target + count;
          wrong += to[static_cast<std::size_t>(i)] !=
                   (inside ? from[static_cast<std::size_t>(i - target + source)] : -1);
        }
        CAPTURE(count, source, target);
        CHECK(wrong == 0);
      }
}

TEST_CASE("all whole pages of two matrices are touched", "[gpu]") {
  NEEDS_GPU();
  constexpr std::size_t page = 4096, bytes = std::size_t{37} << 20;
  constexpr int populate_write = 23;
  const auto fresh = [] {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    return static_cast<char*>(memory);
  };
  char* const memories[] = {fresh(), fresh()};
  if (madvise(memories[0], page, populate_write) != 0)
    SKIP_TEST("this system does not touch pages on request");
  // The matrices begin and end within a page.
  const auto rows = static_cast<std::int64_t>((bytes - page) / sizeof(double));
  const auto of = [&](int k) {
    return MatrixView<double>{reinterpret_cast<double*>(memories[k] + 8 * (k + 1)), rows, 1, rows};
  };
  const Queue queue;
  auto fetch = std::make_unique<eigen_g::PageFetch>(queue, of(0), of(1));
  for (const char* const memory : memories) {
    std::vector<unsigned char> resident(bytes / page);
    std::ptrdiff_t count = 0;
    for (int turn = 0; turn < 5000 && count < static_cast<std::ptrdiff_t>(resident.size() - 2); ++turn) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      REQUIRE(mincore(const_cast<char*>(memory), bytes, resident.data()) == 0);
      count = std::count_if(resident.begin(), resident.end(), [](unsigned char r) { return (r & 1) != 0; });
    }
    CHECK(count >= static_cast<std::ptrdiff_t>(resident.size() - 2));
  }
  fetch.reset();
  for (char* const memory : memories) munmap(memory, bytes);
}

TEST_CASE("pages that are touched keep their content", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t rows = 3000, cols = 2000;
  std::vector<double> x = support::random_rectangle(1, rows * cols),
                      y = support::random_rectangle(2, rows * cols);
  const std::vector<double> before = x, y_before = y;
  const MatrixView<double> of_x{x.data(), rows, cols, rows}, of_y{y.data(), rows, cols, rows};
  const Queue queue;
  for (const MatrixView<double>& next : {of_y, MatrixView<double>()}) {
    const eigen_g::PageFetch fetch(queue, of_x, next);
  }
  { const eigen_g::PageFetch fetch(queue, MatrixView<double>(), of_y); }
  CHECK(x == before);
  CHECK(y == y_before);
}

TEST_CASE("a thread makes transfers in order, each after the work that was queued before it", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t rows = 1500, cols = 700, count = 5;
  const Queue queue;
  const DeviceBuffer<double> dev(rows * cols * count), back(rows * cols);
  EIGEN_G_CUDA(cudaMemset(dev.data(), 0xff, dev.bytes()));
  EIGEN_G_CUDA(cudaDeviceSynchronize());
  std::vector<std::vector<double>> got(count, std::vector<double>(static_cast<std::size_t>(rows * cols)));
  std::vector<std::int64_t> order;
  eigen_g::TransferThread thread(queue.resources());
  for (std::int64_t k = 0; k < count; ++k) {
    const MatrixView<double> a{dev.data() + k * rows * cols, rows, cols, rows},
        to{got[static_cast<std::size_t>(k)].data(), rows, cols, rows};
    const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(rows * cols);
    for (int value = 40; value >= 0; --value)  // the last one is the content
      EIGEN_G_CUDA(
          cudaMemsetAsync(a.data, value == 0 ? static_cast<int>(k) + 1 : value, bytes, queue.stream()));
    thread.after(queue, [&order, &back, k, a, to](const Queue& copies) {
      order.push_back(k);
      eigen_g::download<double>(copies, a, to);
      eigen_g::upload<double>(copies, Part::all, to,
                              MatrixView<double>{back.data(), to.rows, to.cols, to.rows});
    });
    if (k == 1) thread.wait();
  }
  thread.wait();
  CHECK(order == std::vector<std::int64_t>{0, 1, 2, 3, 4});
  for (std::size_t k = 0; k < got.size(); ++k) {
    const auto* const at = reinterpret_cast<const unsigned char*>(got[k].data());
    CHECK(std::count(at, at + got[k].size() * sizeof(double), k + 1) ==
          static_cast<std::ptrdiff_t>(got[k].size() * sizeof(double)));
  }
  std::vector<double> last(got.back().size());
  EIGEN_G_CUDA(cudaMemcpy(last.data(), back.data(), back.bytes(), cudaMemcpyDeviceToHost));
  CHECK(last == got.back());
}

TEST_CASE("a thread of transfers: an exception reaches the caller once, and stop() drops what has not begun",
          "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  struct Failed {};
  int made = 0;
  eigen_g::TransferThread thread(queue.resources());
  for (int round = 0; round < 2; ++round) {
    made = 0;
    thread.after(queue, [&](const Queue&) { ++made; });
    thread.after(queue, [&](const Queue&) -> void { throw Failed(); });
    try {
      thread.after(queue, [&](const Queue&) { made += 100; });
      thread.wait();
      FAIL("no exception");
    } catch (const Failed&) {
    }
    CHECK(made == 1);
    thread.wait();
  }
  made = 0;
  std::atomic<bool> begun = false;
  thread.after(queue, [&](const Queue&) {
    begun = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    ++made;
  });
  for (int k = 0; k < 5; ++k) thread.after(queue, [&](const Queue&) { made += 100; });
  while (!begun) std::this_thread::yield();
  thread.stop();
  CHECK(made == 1);
  queue.resources().release();  // with the resources of the thread
  thread.after(queue, [&](const Queue&) { made = 7; });
  thread.wait();
  CHECK(made == 7);
}
