#include "blas2/symv/symv_table.hpp"

#include <limits>
#include <set>

#include "blas2/symv/shipped_tables.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;
using namespace eigen_g::blas2;

namespace {

const std::string head =
    "eigen_g symv table 1\n"
    "device NVIDIA H200\n"
    "compute 9.0\n"
    "multiprocessors 132\n"
    "eigen_g 0.1.0\n"
    "date 2026-11-21\n";

std::string d() {
  return name(symv_candidates(SymvType::d).front());
}
std::string d_last() {
  return name(symv_candidates(SymvType::d).back());
}

// The line and the reason of the refusal.
void check_refused(const std::string& text, int line, const std::string& reason) {
  CAPTURE(text);
  try {
    parse_symv_table(text, "file.txt");
    FAIL_CHECK("was accepted");
  } catch (const SymvTableError& e) {
    CHECK(e.line() == line);
    CHECK_THAT(e.reason(), ContainsSubstring(reason));
    CHECK_THAT(std::string(e.what()), ContainsSubstring("file.txt:" + std::to_string(line) + ": "));
  }
}

}  // namespace

TEST_CASE("a table is read and written back") {
  const std::string text = head + "# type uplo n_from n_to config\n" + "d L 0 1200 " + d() +
                           "\nd L 1200 inf " + d_last() + "\nd U 0 inf " + d() + "\n";
  const SymvTableFile file = parse_symv_table(text, "t");
  CHECK(file.device == "NVIDIA H200");
  CHECK(file.compute_major == 9);
  CHECK(file.compute_minor == 0);
  CHECK(file.multiprocessors == 132);
  CHECK(file.version == "0.1.0");
  CHECK(file.date == "2026-11-21");
  REQUIRE(file.table.rows.size() == 3);
  CHECK(file.table.rows[1].n_from == 1200);
  CHECK(file.table.rows[1].n_to == std::numeric_limits<std::int64_t>::max());
  CHECK(to_text(file) == text);

  CHECK(file.table.find(SymvType::d, Uplo::lower, 0) == symv_candidates(SymvType::d).front());
  CHECK(file.table.find(SymvType::d, Uplo::lower, 1199) == symv_candidates(SymvType::d).front());
  CHECK(file.table.find(SymvType::d, Uplo::lower, 1200) == symv_candidates(SymvType::d).back());
  CHECK(file.table.find(SymvType::d, Uplo::upper, 1'000'000'000'000) == symv_candidates(SymvType::d).front());
  CHECK_FALSE(file.table.find(SymvType::s, Uplo::lower, 10));
}

TEST_CASE("comments, blanks, carriage returns, a missing last newline") {
  const SymvTableFile file = parse_symv_table(
      "eigen_g symv table 1\r\n\r\n# c\r\n\tdate  2026-11-21 \r\ncompute 12.1\r\ndevice  X  y \r\neigen_g "
      "9\r\n"
      "multiprocessors 5\r\n\r\n d\tU 0   inf " +
          d(),
      "t");
  CHECK(file.device == "X  y");
  CHECK(file.compute_major == 12);
  CHECK(file.compute_minor == 1);
  CHECK(file.table.rows.size() == 1);
}

TEST_CASE("every configuration can be in a table") {
  for (const SymvType type : all_symv_types) {
    std::set<std::string> names;
    for (const SymvConfig& config : symv_candidates(type)) {
      names.insert(name(config));
      const auto file =
          parse_symv_table(head + static_cast<char>(type) + " L 0 inf " + name(config) + "\n", "t");
      CHECK(file.table.rows.front().config == config);
    }
    CHECK(names.size() == symv_candidates(type).size());
  }
}

TEST_CASE("reasons to refuse a table") {
  const std::string row = "d L 0 inf " + d() + "\n";
  check_refused("", 1, "is empty");
  check_refused("eigen_g symv table 2\n" + row, 1, "first line must be 'eigen_g symv table 1'");
  check_refused("%%MatrixMarket\n", 1, "first line");
  check_refused("eigen_g symv table 1\ndevice X\n" + row, 4, "'compute' is missing");
  check_refused(head, 7, "has no rows");
  check_refused(head + "date 2026-11-22\n" + row, 7, "twice");
  check_refused(head + "colour blue\n" + row, 7, "unknown header line 'colour'");
  check_refused(head + row + "colour blue\n", 8, "must be above the rows");
  check_refused("eigen_g symv table 1\ndevice\n", 2, "has no value");
  check_refused("eigen_g symv table 1\ncompute nine\n", 2, "must be like 9.0");
  check_refused("eigen_g symv table 1\ncompute 9\n", 2, "must be like 9.0");
  check_refused("eigen_g symv table 1\nmultiprocessors 0\n", 2, "positive number");
  check_refused("eigen_g symv table 1\nmultiprocessors 99999999999\n", 2, "positive number");
  check_refused(head + "d L 0 inf\n", 7, "5 fields");
  check_refused(head + "x L 0 inf " + d() + "\n", 7, "type must be");
  check_refused(head + "d l 0 inf " + d() + "\n", 7, "uplo must be");
  check_refused(head + "d L -1 inf " + d() + "\n", 7, "n_from must be a number");
  check_refused(head + "d L 0 0 " + d() + "\n", 7, "n_to must be");
  check_refused(head + "d L 0 12x " + d() + "\n", 7, "n_to must be");
  check_refused(head + "d L 0 inf fast\n", 7, "no configuration 'fast'");
  check_refused(head + "d L 5 inf " + d() + "\n", 7, "n_from must be 0, is 5");
  check_refused(head + "d L 0 10 " + d() + "\nd L 11 inf " + d() + "\n", 8, "n_from must be 10, is 11");
  check_refused(head + "d L 0 10 " + d() + "\nd L 9 inf " + d() + "\n", 8, "n_from must be 10, is 9");
  check_refused(head + row + row, 8, "absent after inf");
  check_refused(head + "d L 0 10 " + d() + "\n", 8, "end at n_to 10, not at inf");
  check_refused(head + "d L 0 10 " + d() + "\nd U 0 inf " + d() + "\n", 8, "end at n_to 10, not at inf");
  check_refused(head + row + "d U 0 inf " + d() + "\n" + row, 9, "must be consecutive");
}

TEST_CASE("a table belongs to one model of GPU") {
  Device gpu;
  gpu.kind = DeviceKind::gpu;
  gpu.name = "NVIDIA H200";
  gpu.compute_major = 9;
  gpu.multiprocessors = 132;
  const SymvTableFile file = parse_symv_table(head + "d L 0 inf " + d() + "\n", "t");
  CHECK(is_for(file, gpu));
  for (auto change : {+[](Device& g) { g.name = "NVIDIA H100"; }, +[](Device& g) { g.compute_minor = 3; },
                      +[](Device& g) { g.compute_major = 10; }, +[](Device& g) { g.multiprocessors = 60; },
                      +[](Device& g) { g.kind = DeviceKind::cpu; }}) {
    Device other = gpu;
    change(other);
    CHECK_FALSE(is_for(file, other));
  }
}

TEST_CASE("file names") {
  CHECK(symv_table_file_name("NVIDIA H200") == "symv_nvidia_h200.txt");
  CHECK(symv_table_file_name("NVIDIA GeForce RTX 4090 (D) ") == "symv_nvidia_geforce_rtx_4090_d.txt");
  CHECK(symv_table_file_name("../../x") == "symv_x.txt");
  CHECK(symv_table_file_name("") == "symv.txt");
}

TEST_CASE("the shipped tables are sound and each is for another GPU") {
  std::set<std::string> devices;
  for (const ShippedTable& shipped : shipped_tables()) {
    CAPTURE(shipped.name);
    const SymvTableFile file = parse_symv_table(shipped.text, shipped.name);
    CHECK(symv_table_file_name(file.device) == shipped.name);
    Device gpu;
    gpu.kind = DeviceKind::gpu;
    gpu.name = file.device;
    gpu.compute_major = file.compute_major;
    gpu.compute_minor = file.compute_minor;
    gpu.multiprocessors = file.multiprocessors;
    REQUIRE(shipped_symv_table(gpu));
    CHECK(shipped_symv_table(gpu)->date == file.date);
    CHECK(devices.insert(file.device).second);
  }
  CHECK_FALSE(shipped_symv_table(Device{}));
}
