// The report of a benchmark as JSON, and the tables and the verdict that are made from it.
//
// {"format": "eigen_g-bench-NAME", "version", "machine", ..., "cases": [...]}; README.md describes the fields. A path leads from a case
// to a value: "checks/trace". A path may begin with the name of a call that did not fail: "eigen_g/seconds".
#pragma once

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace eigen_g::apps::bench {

using Json = nlohmann::ordered_json;

Json at(const Json& c, const std::string& path);  // null: there is no value at this path
std::optional<double> number_at(const Json& c, const std::string& path);

// The smallest of the numbers at the paths `above`, divided by the number at `below`. Null if `below` or all of `above` are missing.
Json quotient(const Json& c, const std::vector<std::string>& above, const std::string& below);

// A condition for a case to pass: the value at `path` is true, or a number of at most `most` (not NaN).
struct Limit {
  std::string path;
  double most = std::numeric_limits<double>::infinity();
  bool optional = false;  // a missing value passes too
};
// True if at least one case was not skipped and all cases that were not skipped pass.
bool passed(const Json& report, const std::function<std::vector<Limit>(const Json& c)>& limits);

// Columns as text: "header = path format scale; ...". A cell is "-" if there is no value; "path:path" is a quotient.
//   format    printf's, for the number times scale, or for each number of a list; "time": "12.30 ms", "1.234 s"; "us": microseconds;
//             "bits": "same" or "DIFFER". Without a format: the value itself; in a name, _ becomes a blank
struct Table {
  std::string columns;
  std::string legend = "";  // lines below the table
  std::string needs = "";   // a row without a value at this path is left out
  bool each_call =
      false;  // a row is a call, with the fields of its case in addition to its own; false: a row is a case
};

// All tables that have rows, then a line for each skipped case and each failed call.
std::string to_text(const Json& report, const std::vector<Table>& tables,
                    const std::function<std::string(const Json& c)>& title);

}  // namespace eigen_g::apps::bench
