// PREFIX.values.npy and PREFIX.vectors.npy, each process writing its own blocks: both appear or none.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "apps/cli/result_files.hpp"
#include "apps/io/output_file.hpp"
#include "solver/distributed/grid.hpp"

namespace eigen_g::apps {

// T is the vectors' type: float, double or std::complex of one; the values are real_t<T>s.
template <class T>
class ResultWriter {
 public:
  // Collective, and so is every call. The files exist under temporary names, which rank 0 keeps, from here to commit(), and vanish
  // without it. `most` vectors of n entries get their room on the disk at once. Throws AgreedFailure.
  ResultWriter(MPI_Comm comm, const ResultNames& names, std::int64_t n, std::int64_t most,
               io::Existing existing);

  // The first w.size() columns of z.
  void write(std::span<const double> w, const distributed::LocalView<T>* z);
  void commit();

 private:
  void write_vectors(const std::string& path, std::int64_t header_bytes, std::int64_t m,
                     const distributed::LocalView<T>& z);

  MPI_Comm comm_;
  ResultNames names_;
  std::int64_t n_;
  std::unique_ptr<io::OutputFile> values_, vectors_;  // on rank 0
};

}  // namespace eigen_g::apps
