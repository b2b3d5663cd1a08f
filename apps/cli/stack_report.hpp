// Reports of solve and verify for stacks, as tables and as JSON.
//
// JSON, "format": "eigen_g-solve_stack" or "eigen_g-verify_stack", "version": 1; report.hpp has the rules. Indices of matrices count from 0, in the order of
// the array.
//
//   matrix             as in report.hpp; asymmetry is the largest of all matrices
//   shape              the dimensions before the last two
//   count              matrices
//   b                  the file of the matrices B of generalised problems A x = w B x; null: standard problems
//   verification       with B as verify_generalised_batched() measures it. failed, first_failed (null: none), lapack_residual, residual_matrix, lapack_orthogonality, orthogonality_matrix,
//                      limit, ascending, finite, on_gpu, passed; null: not checked
//   threads            CPU threads
//   seconds            solve: read, solve, verify and write (null: not done), total. verify: read, verify, total
//
// solve has these too:
//   failed             matrices that were not solved
//   first_failed       the first of them; null: none
//   failures           index and status of each of them. -1: it has a NaN or an infinity; with B also if B has, or if eigenvalues overflow.
//                      1 to n: not converged. n + k: B's leading minor of order k is not positive
//   subset             as in report.hpp
//   pairs              pairs of each matrix
//   vectors            true: with vectors
//   matrices_per_second
//   devices            names of the devices
//   bytes              host, device: workspace in addition to the matrices and the results
//   outputs            values, vectors: the files written; null: not written
//
// verify has these too:
//   inputs             values, vectors: the files that were checked
//   pairs              pairs of each matrix
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/report.hpp"
#include "solver/api/batched.hpp"
#include "solver/verify/verify_batched.hpp"

namespace eigen_g::apps {

struct StackFacts {
  MatrixFacts matrix;
  std::vector<std::int64_t> shape;
  std::int64_t count = 0;
  std::string b;  // file of the matrices B; "": standard problems
};

struct StackSolveReport {
  StackFacts stack;
  Subset subset;
  bool vectors = true;
  BatchReport batch;
  std::vector<std::int32_t> status;
  int threads = 0;
  Seconds seconds;
  std::string values_file, vectors_file;  // "": not written
  std::optional<BatchVerification> check;
};
// True if every matrix was solved and the verification passed, if there was one.
bool succeeded(const StackSolveReport& report);

struct StackVerifyReport {
  StackFacts stack;
  std::int64_t m = 0;
  std::string values_file, vectors_file;
  int threads = 0;
  Seconds seconds;
  BatchVerification check;
};

std::string to_table(const StackSolveReport& report);
std::string to_table(const StackVerifyReport& report);
std::string json_of(const StackSolveReport& report);
std::string json_of(const StackVerifyReport& report);

}  // namespace eigen_g::apps
