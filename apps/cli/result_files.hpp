// Writes the results: PREFIX.values.* and PREFIX.vectors.*, or datasets values and vectors of one HDF5 file. Both appear, or neither.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/io/hdf5_output.hpp"
#include "apps/io/npy.hpp"
#include "apps/io/text_output.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g::apps {

enum class ResultFormat { npy, mtx, txt, csv, hdf5 };

// Names of the result files. Empty prefix: no files. Without vectors: only the file of the values. FILE.h5 means FILE.h5:/values and
// FILE.h5:/vectors; FILE.h5:/GROUP puts the datasets into the group.
struct ResultNames {
  std::string values, vectors;
};
ResultNames result_names(const std::string& prefix, ResultFormat format, bool vectors);

// Room for `most` values and, with vectors, n x `most` vectors (column-major, leading dimension n). If the number of pairs is known,
// the .npy files are mapped, and the solver writes directly into them. The files have temporary names from the constructor to
// commit(). Without commit() they disappear.
struct ResultShape {
  std::int64_t n = 0, most = 0;
  bool vectors = true;
  bool found_known = true;  // exactly `most` pairs; false: commit() learns their number
  // Not empty: a stack of results, with these dimensions before its own. The number of pairs must be known, and the format npy or hdf5.
  // values() and vectors() then have the matrices one after the other; the files have the order of C.
  std::vector<std::int64_t> leading = {};
  std::int64_t count() const {
    std::int64_t product = 1;
    for (const std::int64_t extent : leading) product *= extent;
    return product;
  }
  // The dimensions of an array whose own are `last`.
  std::vector<std::int64_t> with(std::vector<std::int64_t> last) const {
    last.insert(last.begin(), leading.begin(), leading.end());
    return last;
  }
};
// T is float, double, std::complex<float> or std::complex<double>.
template <class T>
class ResultFilesOf {
 public:
  // With an empty prefix the results stay in memory. Throws FileError and OutOfMemory.
  ResultFilesOf(const std::string& prefix, ResultFormat format, const ResultShape& shape,
                io::Existing existing = io::Existing::keep);

  real_t<T>* values() const { return values_; }
  T* vectors() const { return vectors_; }                            // null: no vectors
  const std::string& values_file() const { return values_file_; }    // "": no file
  const std::string& vectors_file() const { return vectors_file_; }  // "": no file
  // Writes the first `found` values and vectors. Throws FileError; then neither file exists.
  void commit(std::int64_t found, int threads);

 private:
  void copy_into_npy(std::int64_t found);
  void make_hdf5(std::int64_t count);

  ResultFormat format_;
  ResultShape shape_;
  io::Existing existing_;
  std::string values_file_, vectors_file_;
  std::unique_ptr<io::NpyWriterOf<real_t<T>>> values_npy_;
  std::unique_ptr<io::NpyWriterOf<T>> vectors_npy_;
  std::unique_ptr<io::Hdf5Writer> hdf5_;
  // The text files. For .npy and HDF5 files of unknown size, they reserve the names until commit().
  std::unique_ptr<io::OutputFile> values_text_, vectors_text_;
  HostArray<real_t<T>> values_memory_;
  HostArray<T> vectors_memory_;
  real_t<T>* values_ = nullptr;
  T* vectors_ = nullptr;
};
using ResultFiles = ResultFilesOf<double>;

}  // namespace eigen_g::apps
