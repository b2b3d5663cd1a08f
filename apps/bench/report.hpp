// What a benchmark measured, as JSON; from it the tables for people and the verdict.
//
// {"format": "eigen_g-bench-NAME", "version", "machine", ..., "cases": [...]}; README.md names the fields. A path leads from a
// case to a value, "checks/trace", or by the name of a call that did not fail, "eigen_g/seconds".
#pragma once

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace eigen_g::apps::bench {

using Json = nlohmann::ordered_json;

Json at(const Json& c, const std::string& path);  // null: nothing is there
std::optional<double> number_at(const Json& c, const std::string& path);

// The least of the numbers at `above` over the one at `below`; null where that one or all of them are missing.
Json quotient(const Json& c, const std::vector<std::string>& above, const std::string& below);

// What a case must hold to pass: a number of at most `most` (a NaN is none), or true.
struct Limit {
  std::string path;
  double most = std::numeric_limits<double>::infinity();
  bool optional = false;  // null passes too
};
// Whether there is a case that was not skipped, and all those pass.
bool passed(const Json& report, const std::function<std::vector<Limit>(const Json& c)>& limits);

// Columns as text, "header = path format scale; ...", of which a cell is "-" where nothing is there; "path:path" is a quotient. Format of a number, or of
// each in a list, times scale: printf's; "time": "12.30 ms", "1.234 s"; "us": microseconds. "bits": "same", "DIFFER". Left
// out: the value as it is, words where it is a name.
struct Table {
  std::string columns;
  std::string legend = "";  // lines below it
  std::string needs = "";   // a row without a value there is left out
  bool each_call = false;   // a row is not a case but a call, with the fields of its case beside its own
};

// The tables that have rows, and a line for each case that was skipped and each call that failed.
std::string to_text(const Json& report, const std::vector<Table>& tables,
                    const std::function<std::string(const Json& c)>& title);

}  // namespace eigen_g::apps::bench
