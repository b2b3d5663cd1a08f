// ResultWriter: writes PREFIX.values.npy and PREFIX.vectors.npy; each process writes its own blocks. Both files appear, or neither.
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

// T is the type of the vectors: float, double, std::complex<float> or std::complex<double>. The values are real_t<T>s.
template <class T>
class ResultWriter {
 public:
  // All calls are collective. From the constructor to commit() the files have temporary names, which rank 0 holds; without commit() they
  // disappear. The disk space of `most` vectors with n entries is reserved at once. Throws AgreedFailure.
  ResultWriter(MPI_Comm comm, const ResultNames& names, std::int64_t n, std::int64_t most,
               io::Existing existing);

  // Writes the values w and the first w.size() columns of z.
  void write(std::span<const double> w, const distributed::LocalView<T>* z);
  void commit();

 private:
  void write_vectors(const std::string& path, std::int64_t header_bytes, std::int64_t m,
                     const distributed::LocalView<T>& z);

  MPI_Comm comm_;
  ResultNames names_;
  std::int64_t n_;
  std::unique_ptr<io::OutputFile> values_, vectors_;  // on rank 0 only
};

}  // namespace eigen_g::apps
