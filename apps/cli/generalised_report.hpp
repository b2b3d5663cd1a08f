// GeneralisedFound: the result of a solve or verification of a generalised problem, and its table and JSON (fields: generalised.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/generalised.hpp"
#include "apps/cli/report.hpp"
#include "apps/io/scalar_type.hpp"
#include "solver/api/generalised.hpp"
#include "solver/verify/verify_generalised.hpp"

namespace eigen_g::apps {

struct GeneralisedFound {
  GeneralisedFound(const MatrixOptions& of_a, const GeneralisedOptions& of_b) : matrix(of_a), b(of_b) {}
  const MatrixOptions& matrix;
  const GeneralisedOptions& b;
  io::ScalarType type = io::ScalarType::d;
  std::int64_t n = 0;
  int threads = 0;
  double read = 0, verify = 0, write = 0, total = 0;
  std::optional<GeneralisedVerification> check;
  // Only after a solve:
  GeneralisedReport report;
  std::vector<double> values;
  bool print_all = false;  // every eigenvalue in the table
  bool vectors = false, infinite = false;
  std::string values_file, vectors_file;
  std::optional<Distributed> distributed;

  bool solved() const { return report.status == Status::converged && !infinite; }
  bool good() const { return solved() && (!check || passed(*check)); }
};

std::string why_not(const GeneralisedFound& found);  // reason why good() is false

// Each text ends with a newline.
std::string solve_table(const GeneralisedFound& found);
std::string solve_json(const GeneralisedFound& found);
std::string verify_table(const GeneralisedFound& found);
std::string verify_json(const GeneralisedFound& found);

}  // namespace eigen_g::apps
