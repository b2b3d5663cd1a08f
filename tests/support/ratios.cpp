#include "tests/support/ratios.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/tolerances.hpp"

namespace support {

namespace {

constexpr std::array<std::int64_t, 4> size_classes = {1, 8, 64, 256};  // least n of each
constexpr double loss = 3;  // a limit over the worst value that was measured

struct Row {
  std::int64_t least_n;
  PairRatios worst;
  bool measured;
};
using Key = std::pair<std::string, Machine>;     // family, machine
using Limits = std::map<Key, std::vector<Row>>;  // rows by ascending least_n

struct Worst {
  double residual = 0, orthogonality = 0;
};
// The worst ratios of this program by family, machine and size class, and the first three columns of each row that it used.
std::map<std::tuple<std::string, Machine, std::int64_t>, Worst> worst;
std::set<std::string> used;

const char* name(Machine machine) {
  return machine == Machine::gpu ? "gpu" : "cpu";
}

std::int64_t size_class(std::int64_t n) {
  return *(std::upper_bound(size_classes.begin() + 1, size_classes.end(), n) - 1);
}

void raise(double& most, double x) {
  if (!(x <= most)) most = x;  // NaN stays
}

double number(const std::string& cell) {
  std::size_t end = 0;
  const double value = std::stod(cell, &end);
  if (end != cell.size() || !(value >= 0) || !std::isfinite(value)) throw std::invalid_argument(cell);
  return value;
}

// Adds a line of the file. Throws if it has another form than the heading says, or if rows are not in ascending order.
void add_row(Limits& all, const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line)
    if (c == ';')
      cells.emplace_back();
    else
      cells.back() += c;
  if (cells.size() != 5 || cells[0].empty() || (cells[1] != "cpu" && cells[1] != "gpu"))
    throw std::invalid_argument("columns");
  Row row{std::stoll(cells[2]), {limits::lapack_ratio, limits::lapack_ratio}, cells[3] != "unmeasured"};
  if (std::find(size_classes.begin(), size_classes.end(), row.least_n) == size_classes.end())
    throw std::invalid_argument("least_n");
  if (row.measured)
    row.worst = {number(cells[3]), number(cells[4])};
  else if (cells[4] != "unmeasured")
    throw std::invalid_argument("orthogonality");
  std::vector<Row>& rows = all[{cells[0], cells[1] == "gpu" ? Machine::gpu : Machine::cpu}];
  if (!rows.empty() && rows.back().least_n >= row.least_n)
    throw std::invalid_argument("a row twice, or the order");
  rows.push_back(row);
}

Limits read_limits() {
  Limits all;
  std::ifstream file(EIGEN_G_LIMITS_FILE);
  bool heading = false;
  std::int64_t count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    if (line.rfind('#', 0) == 0) continue;
    try {
      if (heading)
        add_row(all, line);
      else if (line != "family;device;least_n;residual;orthogonality")
        throw std::invalid_argument("heading");
    } catch (const std::exception& error) {
      throw std::runtime_error(std::string(EIGEN_G_LIMITS_FILE) + ":" + std::to_string(count + 1) + ": " +
                               error.what());
    }
    heading = true;
  }
  if (all.empty()) throw std::runtime_error(std::string(EIGEN_G_LIMITS_FILE) + ": no rows");
  return all;
}

}  // namespace

PairRatios pair_limits(const std::string& family, std::int64_t n, Machine machine) {
  static const Limits all = read_limits();
  const auto found = all.find({family, machine});
  const std::int64_t order = std::max<std::int64_t>(1, n);
  const Row* row = nullptr;
  bool rounds = false;  // some row of the family is not 0
  if (found != all.end())
    for (const Row& r : found->second) {
      if (r.least_n <= order) row = &r;
      rounds = rounds || r.worst.residual > 0 || r.worst.orthogonality > 0;
    }
  if (!row) {
    FAIL("no row for " + family + " on " + name(machine) + " with n = " + std::to_string(n) + " in " +
         EIGEN_G_LIMITS_FILE);
    return {};
  }
  used.insert(family + ";" + name(machine) + ";" + std::to_string(row->least_n));
  if (!row->measured) return row->worst;
  const double least = rounds ? 1 / static_cast<double>(order) : 0;
  return {std::max(loss * row->worst.residual, least), std::max(loss * row->worst.orthogonality, least)};
}

void check_ratios(const std::string& family, std::int64_t n, Machine machine, PairRatios found) {
  Worst& so_far = worst[{family, machine, size_class(n)}];
  raise(so_far.residual, found.residual);
  raise(so_far.orthogonality, found.orthogonality);
  const PairRatios limit = pair_limits(family, n, machine);
  CAPTURE(family, n, limit.residual, limit.orthogonality);
  CHECK(found.residual <= limit.residual);
  CHECK(found.orthogonality <= limit.orthogonality);
}

void report_ratios() {
  if (std::getenv("EIGEN_G_PRINT_RATIOS"))
    for (const auto& [key, ratios] : worst) {
      const auto& [family, machine, least_n] = key;
      std::printf("ratios;%s;%s;%lld;%.4g;%.4g\n", family.c_str(), name(machine),
                  static_cast<long long>(least_n), ratios.residual, ratios.orthogonality);
    }
  const char* const file = std::getenv("EIGEN_G_LIMITS_USED");
  if (!file || used.empty()) return;
  std::string rows;
  for (const std::string& row : used) rows += row + "\n";
  // Programs that run at the same time append to one file: each with one write, which the system does not divide.
  std::FILE* const out = std::fopen(file, "a");
  if (!out || std::setvbuf(out, nullptr, _IOFBF, rows.size() + 1) != 0 || std::fputs(rows.c_str(), out) < 0 ||
      std::fclose(out) != 0) {
    std::fprintf(stderr, "EIGEN_G_LIMITS_USED: cannot write %s\n", file);
    std::exit(1);
  }
}

}  // namespace support
