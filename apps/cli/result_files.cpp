#include "apps/cli/result_files.hpp"

#include <algorithm>
#include <complex>
#include <cstdio>

#include "apps/io/hdf5_name.hpp"
#include "apps/io/stored_matrix.hpp"
#include "apps/support/signals.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::apps {

namespace {

const char* ending(ResultFormat format) {
  switch (format) {
    case ResultFormat::npy:
      return ".npy";
    case ResultFormat::mtx:
      return ".mtx";
    case ResultFormat::txt:
      return ".txt";
    case ResultFormat::csv:
      return ".csv";
    case ResultFormat::hdf5:
      break;
  }
  return "";
}

io::TextFormat text_format(ResultFormat format) {
  return format == ResultFormat::mtx   ? io::TextFormat::mtx
         : format == ResultFormat::csv ? io::TextFormat::csv
                                       : io::TextFormat::txt;
}

}  // namespace

ResultNames result_names(const std::string& prefix, ResultFormat format, bool vectors) {
  if (prefix.empty()) return {};
  if (format == ResultFormat::hdf5) {
    const io::Hdf5Name name = io::hdf5_name(prefix);
    std::string group = name.file.string() + ":" + name.dataset;
    if (group.back() != '/') group += '/';
    return {group + "values", vectors ? group + "vectors" : ""};
  }
  return {prefix + ".values" + ending(format), vectors ? prefix + ".vectors" + ending(format) : ""};
}

template <class T>
ResultFilesOf<T>::ResultFilesOf(const std::string& prefix, ResultFormat format, const ResultShape& shape,
                                io::Existing existing)
    : format_(format), shape_(shape), existing_(existing) {
  const ResultNames names = result_names(prefix, format, shape.vectors);
  values_file_ = names.values;
  vectors_file_ = names.vectors;
  if (!prefix.empty() && format == ResultFormat::npy && shape.found_known) {
    const io::NpyOrder order = shape.leading.empty() ? io::NpyOrder::fortran : io::NpyOrder::c;
    values_npy_ = std::make_unique<io::NpyWriterOf<real_t<T>>>(values_file_, shape.with({shape.most}),
                                                               existing_, order);
    values_ = values_npy_->data();
    if (!shape.vectors) return;
    vectors_npy_ = std::make_unique<io::NpyWriterOf<T>>(vectors_file_, shape.with({shape.n, shape.most}),
                                                        existing_, order);
    vectors_ = vectors_npy_->data();
    if (shape.leading.empty()) return;
    vectors_memory_ = host_array<T>(shape.count() * shape.n * shape.most);
    vectors_ = vectors_memory_.get();
    return;
  }
  if (!prefix.empty() && format == ResultFormat::hdf5) {
    io::require_hdf5(prefix);
    if (shape.found_known)
      make_hdf5(shape.most);
    else
      values_text_ = std::make_unique<io::OutputFile>(io::hdf5_name(prefix).file, existing_);
  } else if (!prefix.empty()) {
    values_text_ = std::make_unique<io::OutputFile>(values_file_, existing_);
    if (shape.vectors) vectors_text_ = std::make_unique<io::OutputFile>(vectors_file_, existing_);
  }
  values_memory_ = host_array<real_t<T>>(shape.count() * shape.most);
  values_ = values_memory_.get();
  if (!shape.vectors) return;
  vectors_memory_ = host_array<T>(shape.count() * shape.n * shape.most);
  vectors_ = vectors_memory_.get();
}

template <class T>
void ResultFilesOf<T>::copy_into_npy(std::int64_t found) {
  values_text_.reset();
  vectors_text_.reset();
  values_npy_ =
      std::make_unique<io::NpyWriterOf<real_t<T>>>(values_file_, std::vector<std::int64_t>{found}, existing_);
  std::copy_n(values_, found, values_npy_->data());
  if (!shape_.vectors) return;
  vectors_npy_ = std::make_unique<io::NpyWriterOf<T>>(vectors_file_,
                                                      std::vector<std::int64_t>{shape_.n, found}, existing_);
  std::copy_n(vectors_, shape_.n * found, vectors_npy_->data());
}

// Creates the HDF5 file with room for `count` values and vectors.
template <class T>
void ResultFilesOf<T>::make_hdf5(std::int64_t count) {
  const io::Hdf5Name values = io::hdf5_name(values_file_);
  std::vector<io::Hdf5Dataset> datasets{{values.dataset, io::scalar_type<real_t<T>>, shape_.with({count})}};
  if (shape_.vectors)
    datasets.push_back(
        {io::hdf5_name(vectors_file_).dataset, io::scalar_type<T>, shape_.with({shape_.n, count})});
  hdf5_ = std::make_unique<io::Hdf5Writer>(values.file, datasets, existing_);
}

template <class T>
void ResultFilesOf<T>::commit(std::int64_t found, int threads) {
  if (format_ == ResultFormat::hdf5) {
    if (values_text_ || (hdf5_ && found < shape_.most)) {
      values_text_.reset();
      hdf5_.reset();
      make_hdf5(found);
    }
    if (!hdf5_) return;
    std::copy_n(values_, shape_.count() * found, hdf5_->template data<real_t<T>>(0));
    if (shape_.vectors)
      io::transpose_each(vectors_, shape_.n, found, shape_.count(), hdf5_->template data<T>(1), threads);
    return hdf5_->commit();
  }
  if (values_text_ && format_ == ResultFormat::npy) copy_into_npy(found);
  if (vectors_npy_ && !shape_.leading.empty())
    io::transpose_each(vectors_, shape_.n, found, shape_.count(), vectors_npy_->data(), threads);
  if (values_text_)
    io::write_text<real_t<T>>(*values_text_, {values_, found, 1, found}, text_format(format_), threads);
  if (vectors_text_)
    io::write_text<T>(*vectors_text_, {vectors_, shape_.n, found, shape_.n}, text_format(format_), threads);

  const HoldSignals both_or_none;
  if (vectors_npy_) vectors_npy_->commit();
  if (vectors_text_) vectors_text_->commit();
  try {
    if (values_npy_) values_npy_->commit();
    if (values_text_) values_text_->commit();
  } catch (...) {
    if (!vectors_file_.empty()) std::remove(vectors_file_.c_str());
    throw;
  }
}

EIGEN_G_INSTANTIATE_CLASS(all_types, ResultFilesOf);

}  // namespace eigen_g::apps
