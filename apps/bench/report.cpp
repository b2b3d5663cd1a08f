#include "apps/bench/report.hpp"

#include <algorithm>
#include <sstream>

#include "apps/support/text.hpp"
#include "apps/support/text_table.hpp"

namespace eigen_g::apps::bench {

namespace {

bool holds(const Json& object, const std::string& key) {
  return object.is_object() && object.contains(key) && !object[key].is_null();
}
bool skipped(const Json& c) {
  return holds(c, "skipped");
}

// The list of calls of a case, under either of its two names. Empty for a single call, in which "calls" is a number.
Json calls_of(const Json& c) {
  for (const char* list : {"calls", "figures"})
    if (c.contains(list) && c[list].is_array()) return c[list];
  return Json::array();
}

struct Column {
  std::string header, path, format;
  double scale = 1;
};

std::vector<Column> columns_of(const std::string& text) {
  std::vector<Column> columns;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ';');) {
    const std::size_t middle = part.find(" = "), begin = part.find_first_not_of(" \n");
    Column& column = columns.emplace_back();
    column.header = part.substr(begin, middle - begin);
    std::istringstream(part.substr(middle + 2)) >> column.path >> column.format >> column.scale;
  }
  return columns;
}

std::string cell(const Json& value, const Column& column) {
  if (value.is_null()) return "-";
  if (value.is_array()) {
    std::string all;
    for (const Json& element : value) all += (all.empty() ? "" : " ") + cell(element, column);
    return all;
  }
  if (column.format == "bits") return value == true ? "same" : "DIFFER";
  if (column.format.empty()) return value.is_string() ? words(value) : value.dump();
  const double number = column.scale * value.get<double>();
  if (column.format == "time") return number < 1 ? print("%.2f ms", number * 1e3) : print("%.3f s", number);
  if (column.format == "us") return print(number < 1e-4 ? "%.2f" : "%.1f", number * 1e6);
  return print(column.format.c_str(), number);
}

std::string table_text(const Table& table, const Json& cases) {
  const std::vector<Column> columns = columns_of(table.columns);
  std::vector<std::string> cells;
  for (const Column& column : columns) cells.push_back(column.header);
  TextTable lines(cells);
  const auto add = [&](const Json& row) {
    if (!table.needs.empty() && at(row, table.needs).is_null()) return;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string& path = columns[i].path;
      const std::size_t over = path.find(':');
      cells[i] =
          cell(over == std::string::npos ? at(row, path)
                                         : quotient(row, {path.substr(0, over)}, path.substr(over + 1)),
               columns[i]);
    }
    lines.add(cells);
  };
  for (const Json& c : cases) {
    if (skipped(c)) continue;
    if (!table.each_call) {
      add(c);
      continue;
    }
    for (const Json& call : calls_of(c)) {
      Json row = c;
      row.update(call);
      if (!holds(call, "failure")) add(row);
    }
  }
  return lines.empty() ? "" : lines.text() + table.legend;
}

}  // namespace

Json at(const Json& c, const std::string& path) {
  const std::size_t end = path.find('/');
  const std::string key = path.substr(0, end), rest = end == std::string::npos ? "" : path.substr(end + 1);
  Json value;
  if (holds(c, key)) value = c[key];
  if (value.is_null() && c.is_object())
    for (const Json& call : calls_of(c))
      if (call["name"] == key && !holds(call, "failure")) value = call;
  return rest.empty() ? value : at(value, rest);
}

std::optional<double> number_at(const Json& c, const std::string& path) {
  const Json value = at(c, path);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

Json quotient(const Json& c, const std::vector<std::string>& above, const std::string& below) {
  std::optional<double> least;
  for (const std::string& path : above)
    if (const auto value = number_at(c, path)) least = std::min(least.value_or(*value), *value);
  const auto divisor = number_at(c, below);
  return least && divisor ? Json(*least / *divisor) : Json();
}

bool passed(const Json& report, const std::function<std::vector<Limit>(const Json& c)>& limits) {
  const Json& cases = report["cases"];
  const auto passes = [&](const Json& c) {
    const std::vector<Limit> all = limits(c);
    return std::all_of(all.begin(), all.end(), [&](const Limit& limit) {
      const Json value = at(c, limit.path);
      if (value.is_number()) return value.get<double>() <= limit.most;
      return value.is_null() ? limit.optional : value == true;
    });
  };
  return !std::all_of(cases.begin(), cases.end(), skipped) &&
         std::all_of(cases.begin(), cases.end(), [&](const Json& c) { return skipped(c) || passes(c); });
}

std::string to_text(const Json& report, const std::vector<Table>& tables,
                    const std::function<std::string(const Json& c)>& title) {
  std::string all;
  for (const Table& table : tables)
    if (const std::string text = table_text(table, report["cases"]); !text.empty())
      all += (all.empty() ? "" : "\n") + text;
  for (const Json& c : report["cases"]) {
    if (skipped(c)) all += "skipped: " + title(c) + ": " + c["skipped"].get<std::string>() + "\n";
    for (const Json& call : calls_of(c))
      if (holds(call, "failure"))
        all += "failed: " + title(c) + " " + words(call["name"]) + ": " + call["failure"].get<std::string>() +
               "\n";
  }
  return all;
}

}  // namespace eigen_g::apps::bench
