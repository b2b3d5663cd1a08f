#include "blas2/symv/symv_table.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <vector>

#include "blas2/symv/shipped_tables.hpp"

namespace eigen_g::blas2 {

namespace {

constexpr std::string_view first_line = "eigen_g symv table 1";
constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> found;
  while (!(line = trimmed(line)).empty()) {
    const auto end = std::min(line.find_first_of(blanks), line.size());
    found.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return found;
}

template <class Integer>
std::optional<Integer> number(std::string_view text) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

class Parser {
 public:
  explicit Parser(const std::string& name) : name_(name) {}

  SymvTableFile parse(std::string_view text) {
    bool first = true;
    while (!text.empty()) {
      const auto end = std::min(text.find('\n'), text.size());
      const std::string_view line = trimmed(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      ++line_;
      if (first) {
        if (line != first_line)
          refuse("is not a table of this version: the first line must be " + quoted(first_line));
        first = false;
      } else if (!line.empty() && line.front() != '#') {
        take(line);
      }
    }
    ++line_;
    if (first) refuse("is empty");
    for (const char* key : {"device", "compute", "multiprocessors", "eigen_g", "date"})
      if (!seen_.count(key)) refuse("the header line " + quoted(key) + " is missing");
    if (file_.table.rows.empty()) refuse("has no rows");
    end_of_run();
    return std::move(file_);
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const { throw SymvTableError(name_, line_, reason); }

  void take(std::string_view line) {
    const auto fields = words(line);
    const std::string_view key = fields.front();
    if (key.size() == 1) return take_row(fields);
    const std::string_view value = trimmed(line.substr(key.size()));
    if (value.empty()) refuse("the header line " + quoted(key) + " has no value");
    if (!file_.table.rows.empty()) refuse("the header line " + quoted(key) + " must be above the rows");
    if (key == "device") {
      file_.device = value;
    } else if (key == "compute") {
      const auto dot = std::min(value.find('.'), value.size() - 1);
      const auto major = number<int>(value.substr(0, dot)), minor = number<int>(value.substr(dot + 1));
      if (!major || !minor) refuse("compute must be like 9.0, is " + quoted(value));
      file_.compute_major = *major;
      file_.compute_minor = *minor;
    } else if (key == "multiprocessors") {
      const auto count = number<int>(value);
      if (!count || *count == 0) refuse("multiprocessors must be a positive number, is " + quoted(value));
      file_.multiprocessors = *count;
    } else if (key == "eigen_g") {
      file_.version = value;
    } else if (key == "date") {
      file_.date = value;
    } else {
      refuse("unknown header line " + quoted(key));
    }
    if (!seen_.emplace(key, line_).second) refuse("the header line " + quoted(key) + " appears twice");
  }

  void take_row(const std::vector<std::string_view>& fields) {
    if (fields.size() != 5)
      refuse("a row must have 5 fields (type uplo n_from n_to config), has " + std::to_string(fields.size()));
    SymvTableRow row;
    const auto type = std::find_if(std::begin(all_symv_types), std::end(all_symv_types),
                                   [&](SymvType t) { return fields[0][0] == static_cast<char>(t); });
    if (type == std::end(all_symv_types)) refuse("type must be one of s d c z w, is " + quoted(fields[0]));
    row.type = *type;
    if (fields[1] != "L" && fields[1] != "U") refuse("uplo must be L or U, is " + quoted(fields[1]));
    row.uplo = fields[1] == "L" ? Uplo::lower : Uplo::upper;
    const auto from = number<std::int64_t>(fields[2]);
    if (!from) refuse("n_from must be a number >= 0, is " + quoted(fields[2]));
    const auto to = fields[3] == "inf" ? no_end : number<std::int64_t>(fields[3]);
    if (!to || *to <= *from) refuse("n_to must be inf or a number above n_from, is " + quoted(fields[3]));
    row.n_from = *from;
    row.n_to = *to;
    const auto config = find_symv_config(row.type, std::string(fields[4]));
    if (!config)
      refuse("this version has no configuration " + quoted(fields[4]) + " for type " + quoted(fields[0]));
    row.config = *config;
    follow(row);
    file_.table.rows.push_back(row);
  }

  // A row must continue where the row before it ended, or begin another type or triangle at 0.
  void follow(const SymvTableRow& row) {
    const auto& rows = file_.table.rows;
    const bool same_run = !rows.empty() && rows.back().type == row.type && rows.back().uplo == row.uplo;
    if (!same_run) {
      if (!rows.empty()) end_of_run();
      for (const SymvTableRow& r : rows)
        if (r.type == row.type && r.uplo == row.uplo)
          refuse("the rows of a type and triangle must be consecutive");
    }
    const std::int64_t must = same_run ? rows.back().n_to : 0;
    if (row.n_from != must)
      refuse("n_from must be " + (must == no_end ? "absent after inf" : std::to_string(must)) + ", is " +
             std::to_string(row.n_from));
  }

  void end_of_run() const {
    if (file_.table.rows.back().n_to != no_end)
      refuse("the rows before this end at n_to " + std::to_string(file_.table.rows.back().n_to) +
             ", not at inf");
  }

  std::string name_;
  int line_ = 0;
  SymvTableFile file_;
  std::map<std::string, int, std::less<>> seen_;
};

}  // namespace

SymvTableFile parse_symv_table(std::string_view text, const std::string& name) {
  return Parser(name).parse(text);
}

std::string to_text(const SymvTableFile& file) {
  std::string text(first_line);
  text += "\ndevice " + file.device;
  text += "\ncompute " + std::to_string(file.compute_major) + "." + std::to_string(file.compute_minor);
  text += "\nmultiprocessors " + std::to_string(file.multiprocessors);
  text += "\neigen_g " + file.version;
  text += "\ndate " + file.date;
  text += "\n# type uplo n_from n_to config\n";
  for (const SymvTableRow& row : file.table.rows) {
    text += std::string(1, static_cast<char>(row.type)) + " " + static_cast<char>(row.uplo);
    text += " " + std::to_string(row.n_from) + " " + (row.n_to == no_end ? "inf" : std::to_string(row.n_to));
    text += " " + eigen_g::blas2::name(row.config) + "\n";
  }
  return text;
}

bool is_for(const SymvTableFile& file, const Device& device) {
  return device.kind == DeviceKind::gpu && file.device == device.name &&
         file.compute_major == device.compute_major && file.compute_minor == device.compute_minor &&
         file.multiprocessors == device.multiprocessors;
}

std::string symv_table_file_name(const std::string& device_name) {
  std::string text = "symv";
  bool gap = true;
  for (const char c : device_name) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      if (gap) text += '_';
      text += upper ? static_cast<char>(c - 'A' + 'a') : c;
      gap = false;
    } else {
      gap = true;
    }
  }
  return text + ".txt";
}

std::optional<SymvTableFile> shipped_symv_table(const Device& device) {
  for (const ShippedTable& shipped : shipped_tables()) {
    const SymvTableFile file = parse_symv_table(shipped.text, shipped.name);
    if (is_for(file, device)) return file;
  }
  return std::nullopt;
}

}  // namespace eigen_g::blas2
