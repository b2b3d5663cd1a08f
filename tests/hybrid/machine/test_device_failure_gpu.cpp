// A GPU that fails during a solve gives a clear error and no result file. This program has one case, because no GPU call of a
// process succeeds after such a failure. The tag [large] keeps sanitizers, which would report the failure, from running it.
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
  support::OptionsAndDevices o = support::options(DeviceChoice::gpu);
  o.ratio = parse_ratio("1:1");  // the CPU takes columns too
  bool failed = false;
  o.progress = [&](Stage stage, double fraction) {
    if (stage != Stage::back_transform || fraction > 0 || failed) return;
    failed = true;
    const Queue queue;  // a kernel that writes to an invalid address
    blas2::fill_random(queue, reinterpret_cast<double*>(std::uintptr_t{4096}), 1000, 1);
  };
  std::string message;
  {
    apps::ResultFiles results(folder / "r", apps::ResultFormat::npy, {s.n, s.n, true, true});
    try {
      (void)eigen_g::eigen_g(s.n, s.a.data(), s.lda, results.values(), results.vectors(), s.n, o, o);
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
