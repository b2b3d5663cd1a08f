// A GPU that fails in mid-solve: a clear error, and no result file. The one case of its process, for no GPU call succeeds after
// such a failure. Tagged large so that a sanitizer, which would report the fault, does not run it.
#include <filesystem>

#include "tests/support/catch.hpp"

#include "apps/cli/result_files.hpp"
#include "blas2/symv/symv_truth.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/files.hpp"
#include "tests/support/solving.hpp"

using namespace eigen_g;

TEST_CASE("a GPU fails in mid-solve", "[gpu][large]") {
  NEEDS_GPU();
  const support::TemporaryFolder folder;
  const support::Stored s = support::random_matrix(1300);
  Options o = support::options(DeviceChoice::gpu);
  o.ratio = parse_ratio("1:1");  // the CPU is at work too
  bool failed = false;
  o.progress = [&](Stage stage, double fraction) {
    if (stage != Stage::back_transform || fraction > 0 || failed) return;
    failed = true;
    const Queue queue;  // a kernel that writes where there is no memory
    blas2::fill_random(queue, reinterpret_cast<double*>(std::uintptr_t{4096}), 1000, 1);
  };
  std::string message;
  {
    apps::ResultFiles results(folder / "r", apps::ResultFormat::npy, {s.n, s.n, true, true});
    try {
      eigen_g::eigen_g(s.n, s.a.data(), s.lda, results.values(), results.vectors(), s.n, o);
      results.commit(s.n, 1);
    } catch (const DeviceError& error) {
      message = error.what();
    }
  }
  CHECK(failed);
  INFO(message);
  CHECK_THAT(message, ContainsSubstring("failed with cuda"));
  CHECK(folder.names().empty());
}
