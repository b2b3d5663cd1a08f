// Tests of the compute capability, of the tuning file, and of the memory type of an address. No GPU is needed.
#include "hybrid/machine/tuning.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "blas2/spmv/choice.hpp"
#include "gemm_df/tuning.hpp"
#include "hybrid/error.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/devices/tuning.hpp"
#include "solver/devices/two_stage_tuning.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace eigen_g;

TEST_CASE("host memory is recognised at once, with or without a driver") {
  const double x = 0;
  REQUIRE_FALSE(is_gpu_memory(&x));
  const auto start = std::chrono::steady_clock::now();
  int of_a_gpu = 0;
  for (int k = 0; k < 20000; ++k) of_a_gpu += is_gpu_memory(&x);
  CHECK(of_a_gpu == 0);
  // Takes 5 ms; it would take 1 s if each question searched the disk for a driver.
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(400));
}

TEST_CASE("the compute capability of the current GPU; 0 without a GPU") {
  if (gpu_count() == 0) {
    CHECK(current_capability() == 0);
  } else {
    const Device& gpu = gpu_facts(current_gpu());
    CHECK(current_capability() == 10 * gpu.compute_major + gpu.compute_minor);
  }
}

TEST_CASE("a tuning file replaces members, and the others keep their values") {
  const std::string text = R"({"format": "eigen_g-tuning", "version": 1,
    "products": {"rank_2k_max_columns": 96, "min_products_of_three": 2.5e9},
    "solver": {"back_width": 128, "reduction_strips": [null, {"max_rows": 9000}], "reduction_kept_share_of_l2": 0.25,
               "reduction_rows_in_cluster": [64, null, 0]},
    "two_stage": {"orders_of_double": {"with_vectors": 4000}, "pending": 128, "min_rows_cholesky_panel": 500}, "cpu": {"planned_rate": 0.7},
    "threads": {"rows": [{"max_order": 499}, {"threads": 8}, {"max_order": 5000, "threads": 24}]}, "spmv": {"hot_gain": 0.5}})";
  const auto values = [&](const char* section) { return TuningValues("tuning.json", text, section); };
  const ProductTuning products = product_tuning_by(values("products"));
  CHECK(products.rank_2k_max_columns == 96);
  CHECK(products.min_products_of_three == 2.5e9);
  CHECK(products.halves_min_lines == ProductTuning().halves_min_lines);
  const SolverTuning solver = solver_tuning_by(values("solver"));
  CHECK(solver.back_width == 128);
  CHECK(solver.reduction_kept_share_of_l2 == 0.25);
  CHECK(solver.reduction_strips[0].max_rows == SolverTuning().reduction_strips[0].max_rows);
  CHECK(solver.reduction_strips[1].max_rows == 9000);
  CHECK(solver.reduction_strips[1].max_share == SolverTuning().reduction_strips[1].max_share);
  CHECK(solver.reduction_rows_in_cluster ==
        std::array<std::int64_t, 4>{64, SolverTuning().reduction_rows_in_cluster[1], 0,
                                    SolverTuning().reduction_rows_in_cluster[3]});
  const TwoStageTuning two_stage = two_stage_tuning_by(values("two_stage"));
  CHECK(two_stage.orders_of_double.with_vectors == 4000);
  CHECK(two_stage.orders_of_double.of_values == TwoStageTuning().orders_of_double.of_values);
  CHECK(two_stage.pending == 128);
  CHECK(two_stage.min_rows_cholesky_panel == 500);
  CHECK(cpu_tuning_by(values("cpu")).planned_rate == 0.7);
  const ThreadTuning threads = thread_tuning_by(values("threads"));
  CHECK(threads.of_order(499) == 1);
  CHECK(threads.of_order(500) == 8);
  CHECK(threads.of_order(3000) == 24);
  CHECK(threads.of_order(5001) == std::numeric_limits<int>::max());
  CHECK(blas2::spmv_rates_by(values("spmv")).hot_gain == 0.5);
}

TEST_CASE("a damaged tuning file is refused by section and member") {
  const auto reason = [](const std::string& body) -> std::string {
    try {
      solver_tuning_by(
          {"t.json", R"({"format": "eigen_g-tuning", "version": 1, "solver": )" + body + "}", "solver"});
    } catch (const InvalidArgument& error) {
      CHECK(error.parameter() == "EIGEN_G_TUNING");
      return error.reason();
    }
    return "";
  };
  CHECK(reason("{}").empty());
  CHECK(reason(R"({"back_widht": 128})") == "t.json: solver/back_widht: is unknown");
  CHECK(reason(R"({"back_width": -1})") == "t.json: solver/back_width: is -1; must be a number >= 0");
  CHECK(reason(R"({"back_width": "wide"})") ==
        "t.json: solver/back_width: is \"wide\"; must be a number >= 0");
  CHECK(reason(R"({"back_width": 1.5})") ==
        "t.json: solver/back_width: must be an integer of at most 9007199254740992");
  CHECK(reason(R"({"reduction_left_to_l1": 3e9})") ==
        "t.json: solver/reduction_left_to_l1: must be an integer of at most 2147483647");
  CHECK(reason(R"({"back_width": 4096})") == "t.json: solver: the values do not fit together");
  for (const char* text :
       {"", "[1]", R"({"format": "eigen_g-tuning"})", R"({"format": "eigen_g-tuning", "version": 2})"})
    CHECK_THROWS_AS(TuningValues("t.json", text, "solver"), InvalidArgument);
  CHECK_THROWS_AS(
      TuningValues("t.json", R"({"format": "eigen_g-tuning", "version": 1, "solvers": {}})", "solver"),
      InvalidArgument);
}

TEST_CASE("EIGEN_G_TUNING names the tuning file") {
  const support::TemporaryFolder folder;
  const std::string file = folder / "tuning.json";
  support::write_file(file,
                      R"({"format": "eigen_g-tuning", "version": 1, "products": {"halves_min_lines": 700}})");
  const auto lines = [](const char* value) {
    setenv("EIGEN_G_TUNING", value, 1);
    const auto reset = [] { unsetenv("EIGEN_G_TUNING"); };
    try {
      const ProductTuning t = product_tuning_by(TuningValues::of_environment("products"));
      reset();
      return t.halves_min_lines;
    } catch (const InvalidArgument&) {
      reset();
      return std::int64_t{-1};
    }
  };
  CHECK(lines(file.c_str()) == 700);
  CHECK(lines("") == ProductTuning().halves_min_lines);
  CHECK(lines((folder / "missing.json").c_str()) == -1);
}
