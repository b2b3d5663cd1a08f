#include "apps/cli/report.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>

#include "apps/support/text.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;
using nlohmann::json;

namespace {

apps::SolveReport sample() {
  apps::SolveReport r;
  r.matrix = {"some/file.mtx", "Matrix Market array real general", 3, Uplo::upper, true, 3.5e-9};
  r.solve.devices = {{"a GPU", -1, 0, 0.625, 1.375}, {"a CPU", -1, 0, 0.375, 1.4375}};
  r.ratio = parse_ratio("27:14");
  r.plan = apps::SolvePrediction{3, 3, "rates.json", {"a GPU", "a CPU"}, "27:14", {}};
  r.plan->prediction.times = {
      {"tridiagonalize", 0.1875, {}}, {"divide and conquer", 0.4375, {}}, {"back-transform", 0.5625, {}}};
  r.solve.seconds = 1.0625;
  for (const Stage stage :
       {Stage::load, Stage::tridiagonalize, Stage::divide_and_conquer, Stage::back_transform, Stage::store}) {
    r.solve.stages.push_back({stage, 0.5 + 0.125 * static_cast<double>(r.solve.stages.size())});
    if (stage == Stage::back_transform) r.solve.stages.back().flops[Engine::df] = 1;
  }
  r.solve.bytes = {812, 745};
  r.values = {-1.0 / 3, 0.1, 12345.678901234567};
  r.vectors = 3;
  r.threads = 5;
  r.seconds = {2.25, 3.125, 4.0625, 9.75};
  r.values_file = "out.values.npy";
  r.vectors_file = "out.vectors.npy";
  Verification v;
  v.n = v.m = 3;
  v.eps = std::ldexp(1.0, -53);
  v.norm_one = 7;
  v.norm_frobenius = 6;
  v.residual_frobenius = 1.25e-15;
  v.reconstruction = 2.25e-17;
  v.orthogonality = 3.25e-16;
  v.lapack_residual = 0.0625;
  v.lapack_orthogonality = 0.125;
  v.worst_residual = 4.25e-16;
  v.worst_index = 1;
  v.ascending = v.finite = true;
  r.check = v;
  return r;
}

// All numbers and strings of the document.
void collect(const json& node, std::vector<double>& numbers, std::string& strings) {
  if (node.is_number()) numbers.push_back(node.get<double>());
  if (node.is_string()) strings += node.get<std::string>() + "\n";
  if (node.is_structured())
    for (const json& child : node) collect(child, numbers, strings);
}

}  // namespace

TEST_CASE("the JSON holds every number and name that the table prints") {
  const apps::SolveReport r = sample();
  const json document = json::parse(apps::json_of(r));
  std::vector<double> numbers;
  std::string strings;
  collect(document, numbers, strings);
  numbers.push_back(static_cast<double>(r.check->worst_index + 1));  // people count from 1

  const std::string table = apps::to_table(r);
  INFO(table);
  const std::regex number(R"((^|[ (])(-?[0-9][0-9.]*(e[-+][0-9]+)?)(?=[ )\n,]|$))");
  int seen = 0;
  for (auto it = std::sregex_iterator(table.begin(), table.end(), number); it != std::sregex_iterator();
       ++it) {
    const double printed = std::stod((*it)[2]);
    CAPTURE(printed);
    ++seen;
    bool found = false;
    for (const double held : numbers) found = found || std::fabs(held - printed) <= 1e-6 * std::fabs(held);
    CHECK(found);
  }
  CHECK(seen > 25);
  for (const std::string& name : {r.matrix.file, r.matrix.format, apps::engines_text(r.solve),
                                  apps::ratio_text(r.solve, r.ratio), r.values_file, r.vectors_file}) {
    CHECK_THAT(table, ContainsSubstring(name));
    CHECK_THAT(strings, ContainsSubstring(name));
  }
}

TEST_CASE("the JSON of a solve has its fields, and values read back to the same bits") {
  const apps::SolveReport r = sample();
  const json d = json::parse(apps::json_of(r));
  CHECK(d["format"] == "eigen_g-solve");
  CHECK(d["version"] == 2);
  CHECK(d["eigen_g"] == version());
  CHECK(d["matrix"]["triangle"] == "upper");
  CHECK(d["status"] == "converged");
  CHECK(d["values"]["all"].get<std::vector<double>>() == r.values);
  CHECK(d["values"]["lowest"].get<double>() == r.values.front());
  CHECK(d["values"]["highest"].get<double>() == r.values.back());
  CHECK(d["seconds"]["stages"].size() == 5);
  for (const Stage stage :
       {Stage::load, Stage::tridiagonalize, Stage::divide_and_conquer, Stage::back_transform, Stage::store})
    CHECK(d["seconds"]["stages"][name(stage)].get<double>() == r.solve.seconds_of(stage));
  CHECK(d["verification"]["passed"] == true);
  CHECK(d["verification"]["limit"] == lapack_ratio_limit);
}

TEST_CASE("the report has the work of each device, and predicted next to measured times") {
  apps::SolveReport r = sample();
  json d = json::parse(apps::json_of(r));
  REQUIRE(d["devices"].size() == 2);
  CHECK(d["devices"][0] == json{{"name", "a GPU"},
                                {"share", 0.625},
                                {"seconds", 1.375},
                                {"bytes", 0},
                                {"flops", 0.0},
                                {"engine", "df"}});
  CHECK(d["devices"][1]["name"] == "a CPU");
  CHECK(d["seconds"]["predicted"]["divide_and_conquer"] == 0.4375);
  CHECK(d["seconds"]["predicted"]["back_transform"] == 0.5625);
  CHECK(d["seconds"]["predicted"]["calibration"] == "rates.json");
  const std::string table = apps::to_table(r);
  CHECK_THAT(table, ContainsSubstring("predicted 0.4375") &&
                        ContainsSubstring("0.625 of the products, 1.3750 s, df, a GPU"));
  r.plan.reset();
  r.solve.devices.resize(1);
  d = json::parse(apps::json_of(r));
  CHECK(d["seconds"]["predicted"].is_null());
  CHECK_THAT(apps::to_table(r), !ContainsSubstring("predicted") && !ContainsSubstring("of the products"));
}

TEST_CASE("the report says how the solve stepped down, if it did") {
  apps::SolveReport r = sample();
  CHECK(json::parse(apps::json_of(r))["fallbacks"] == json::array());
  CHECK_THAT(apps::to_table(r), !ContainsSubstring("fallbacks"));
  r.solve.fallbacks = {Fallback::mixed_to_native, Fallback::two_stage_to_one_stage, Fallback::gpu_to_cpu};
  CHECK(json::parse(apps::json_of(r))["fallbacks"] ==
        json{"mixed_to_native", "two_stage_to_one_stage", "gpu_to_cpu"});
  CHECK_THAT(apps::to_table(r),
             ContainsSubstring("fallbacks     mixed to native, two stage to one stage, gpu to cpu: "
                               "too little GPU memory\n"));
}

TEST_CASE("the report says where the matrices were, and in how many slabs") {
  apps::SolveReport r = sample();
  CHECK_THAT(apps::to_table(r), !ContainsSubstring("memory "));
  CHECK(json::parse(apps::json_of(r))["slabs_of_rows"] == 0);
  r.solve.mode = MemoryMode::parked;
  CHECK_THAT(apps::to_table(r), ContainsSubstring("parked, with data in host memory\n"));
  r.solve.mode = MemoryMode::block_columns;
  CHECK_THAT(apps::to_table(r), ContainsSubstring("block columns\n"));  // values only
  r.solve.slabs_of_rows = 4;
  r.solve.slabs_of_columns = 3;
  CHECK_THAT(apps::to_table(r),
             ContainsSubstring("block columns, 4 slabs of rows, 3 of columns, with data in host memory\n"));
  const json d = json::parse(apps::json_of(r));
  CHECK(d["mode"] == "block_columns");
  CHECK(d["slabs_of_rows"] == 4);
  CHECK(d["slabs_of_columns"] == 3);
}

TEST_CASE("the report describes mixed precision if it was requested") {
  apps::SolveReport r = sample();
  CHECK(json::parse(apps::json_of(r))["refinement"].is_null());
  CHECK_THAT(apps::to_table(r), !ContainsSubstring("precision"));
  Refinement& done = r.solve.refinement;
  done.result = Refinement::Result::refined;
  done.steps = 2;
  done.float_seconds = 0.25;
  done.seconds = 0.125;
  const json d = json::parse(apps::json_of(r))["refinement"];
  CHECK(d["result"] == "refined");
  CHECK(d["steps"] == 2);
  CHECK(d["float_seconds"] == 0.25);
  CHECK_THAT(apps::to_table(r), ContainsSubstring("in float 0.2500 s, 2 steps of refinement 0.1250 s"));
  done.result = Refinement::Result::large_clusters;
  done.steps = 1;
  done.largest_cluster = 700;
  CHECK_THAT(apps::to_table(r), ContainsSubstring("1 step, then a cluster of 700"));
}

TEST_CASE("the report has the requested subset and its position in the spectrum") {
  apps::SolveReport r = sample();
  CHECK(json::parse(apps::json_of(r))["subset"].is_null());
  r.matrix.n = 9;
  r.solve.first_index = 4;
  r.subset = Subset::by_index(4, 6);
  json d = json::parse(apps::json_of(r));
  CHECK(d["subset"]["by"] == "index");
  CHECK(d["subset"]["first"] == 4);
  CHECK(d["subset"]["last"] == 6);
  CHECK(d["values"]["first_index"] == 3);
  CHECK_THAT(apps::to_table(r), ContainsSubstring("3 of 9, indices 4 to 6"));
  r.subset = Subset::by_value(-2.5, std::numeric_limits<double>::infinity());
  d = json::parse(apps::json_of(r));
  CHECK(d["subset"]["by"] == "value");
  CHECK(d["subset"]["above"] == -2.5);
  CHECK(d["subset"]["upto"].is_null());
  r.values.clear();
  CHECK_THAT(apps::to_table(r), ContainsSubstring("0 of 9\n"));
}

TEST_CASE("the paper's four quantities are in the table by their names") {
  const std::string table = apps::to_table(sample());
  for (const char* line :
       {"machine.EPS                 1.110223e-16", "|AZ-ZW|_F                   1.250000e-15",
        "|A-ZWZ^t|/(N|A|)            2.250000e-17", "|Z^tZ-I|/(N)                3.250000e-16"})
    CHECK_THAT(table, ContainsSubstring(line));
  CHECK_THAT(table, ContainsSubstring("pass\n"));
}

TEST_CASE("a solve succeeds if it converged and passed its check, if there was one") {
  apps::SolveReport r = sample();
  CHECK(apps::succeeded(r));
  r.check->lapack_orthogonality = 1.001 * lapack_ratio_limit;
  CHECK_FALSE(apps::succeeded(r));
  r.check.reset();
  CHECK(apps::succeeded(r));
  r.solve.status = Status::not_converged;
  CHECK_FALSE(apps::succeeded(r));
}

TEST_CASE("a failed check says FAILED and why") {
  apps::SolveReport r = sample();
  r.check->lapack_residual = std::numeric_limits<double>::quiet_NaN();
  r.check->finite = false;
  r.check->ascending = false;
  const std::string table = apps::to_table(r);
  CHECK_THAT(table, ContainsSubstring("FAILED\n"));
  CHECK_THAT(table, ContainsSubstring("NaN or an infinity"));
  CHECK_THAT(table, ContainsSubstring("do not ascend"));
  const json d = json::parse(apps::json_of(r));
  CHECK(d["verification"]["passed"] == false);
  CHECK(d["verification"]["lapack_residual"].is_null());
}

TEST_CASE("a solve that did not converge shows no values") {
  apps::SolveReport r = sample();
  r.solve.status = Status::not_converged;
  r.solve.info = 17;
  r.values.clear();
  r.vectors = 0;
  r.values_file = r.vectors_file = "";
  r.check.reset();
  CHECK_THAT(apps::to_table(r), ContainsSubstring("not converged (LAPACK info 17)"));
  const json d = json::parse(apps::json_of(r));
  CHECK(d["status"] == "not_converged");
  CHECK(d["info"] == 17);
  CHECK(d["values"]["lowest"].is_null());
  CHECK(d["outputs"]["values"].is_null());
  CHECK(d["verification"].is_null());
}

TEST_CASE("with fewer vectors than n the reconstruction is not defined") {
  apps::VerifyReport r;
  r.matrix = sample().matrix;
  r.check = *sample().check;
  r.check.m = 2;
  r.check.reconstruction = -1;
  r.seconds.verify = 0.5;
  CHECK_THAT(apps::to_table(r), ContainsSubstring("needs all vectors"));
  const json d = json::parse(apps::json_of(r));
  CHECK(d["format"] == "eigen_g-verify");
  CHECK(d["verification"]["reconstruction"].is_null());
  CHECK(d["verification"]["m"] == 2);
}

TEST_CASE("a file name that is not UTF-8 does not break the JSON") {
  apps::SolveReport r = sample();
  r.matrix.file = "caf\xe9.mtx";
  CHECK(json::parse(apps::json_of(r))["matrix"]["file"].get<std::string>().find(".mtx") != std::string::npos);
}

TEST_CASE("a row of a report keeps its name apart from its text") {
  CHECK(apps::report_row("type", "double") == "type          double\n");
  CHECK(apps::report_row("thirteen name", "x") == "thirteen name x\n");
  CHECK(apps::report_row("fourteen names", "x") == "fourteen names x\n");
  CHECK(apps::report_row("  standard form", "2.84e+12 flops") == "  standard form 2.84e+12 flops\n");
}

TEST_CASE("bytes_text") {
  CHECK(apps::bytes_text(0) == "0 B");
  CHECK(apps::bytes_text(999) == "999 B");
  CHECK(apps::bytes_text(1000) == "1.0 kB");
  CHECK(apps::bytes_text(150'700'000'000) == "151 GB");
  CHECK(apps::bytes_text(999'999'999) == "1.0 GB");
  CHECK(apps::bytes_text(~std::uint64_t{0}) == "18.4 EB");
}
