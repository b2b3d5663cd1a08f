// PREFIX.values.* and PREFIX.vectors.*, or datasets values and vectors of one HDF5 file: both appear or none.
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

enum class ResultFormat { npy, mtx, txt, hdf5 };

// Their names; an empty prefix: none, without vectors: of the values alone. Of FILE.h5, FILE.h5:/values and FILE.h5:/vectors; of
// FILE.h5:/GROUP they lie in the group.
struct ResultNames {
  std::string values, vectors;
};
ResultNames result_names(const std::string& prefix, ResultFormat format, bool vectors);

// Room for `most` values and, if wanted, n x most vectors (column-major, leading dimension n). Where most will be found,
// .npy files lend their own memory, mapped: the solver writes straight into them. The files exist under temporary names
// from the constructor to commit() and vanish without it.
struct ResultShape {
  std::int64_t n = 0, most = 0;
  bool vectors = true;
  bool found_known = true;  // there will be `most`; false: commit() knows how many there are
};
// T: float, double or std::complex of one.
template <class T>
class ResultFilesOf {
 public:
  // An empty prefix: memory only. Throws FileError, OutOfMemory.
  ResultFilesOf(const std::string& prefix, ResultFormat format, const ResultShape& shape,
                io::Existing existing = io::Existing::keep);

  real_t<T>* values() const { return values_; }
  T* vectors() const { return vectors_; }                            // null where not wanted
  const std::string& values_file() const { return values_file_; }    // "": none
  const std::string& vectors_file() const { return vectors_file_; }  // "": none
  // The first `found` values and vectors. Throws FileError; then neither file is left.
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
  std::unique_ptr<io::OutputFile> values_text_,
      vectors_text_;  // or, of .npy and HDF5 files, what keeps their place
  HostArray<real_t<T>> values_memory_;
  HostArray<T> vectors_memory_;
  real_t<T>* values_ = nullptr;
  T* vectors_ = nullptr;
};
using ResultFiles = ResultFilesOf<double>;

}  // namespace eigen_g::apps
