#include "hybrid/team/loops.hpp"

#include <atomic>
#include <cstddef>
#include <vector>

#include "hybrid/team/helpers.hpp"

namespace eigen_g {

namespace {

// A share of a loop: the pieces that one thread claims first. A cache line each.
struct alignas(64) Share {
  std::atomic<std::int64_t> next{0};
  std::int64_t end = 0;
};

struct Loop final : SharedWork {
  const loops::Call call;
  const void* const body;
  std::vector<Share> shares;

  Loop(std::int64_t pieces, int threads, loops::Call the_call, const void* the_body)
      : SharedWork(threads - 1), call(the_call), body(the_body), shares(static_cast<std::size_t>(threads)) {
    for (int t = 0; t < threads; ++t) {
      Share& share = shares[static_cast<std::size_t>(t)];
      share.next.store(pieces * t / threads, std::memory_order_relaxed);
      share.end = pieces * (t + 1) / threads;
    }
  }
  void run(std::size_t thread) override {
    for (std::size_t k = 0; k < shares.size(); ++k) {
      Share& share = shares[(thread + k) % shares.size()];
      while (share.next.load(std::memory_order_relaxed) < share.end) {
        const std::int64_t piece = share.next.fetch_add(1, std::memory_order_relaxed);
        if (piece < share.end) call(body, piece);
      }
    }
  }
};

}  // namespace

void loops::run(std::int64_t pieces, int threads, Call call, const void* body) {
  if (threads <= 1 || helpers::busy()) {
    for (std::int64_t piece = 0; piece < pieces; ++piece) call(body, piece);
    return;
  }
  Loop loop(pieces, static_cast<int>(std::min<std::int64_t>(threads, pieces)), call, body);
  helpers::share(loop);
}

}  // namespace eigen_g
