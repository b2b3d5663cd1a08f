#include "apps/result_files.hpp"

#include <cstdio>

#include "apps/signals.hpp"

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
  }
  return "";
}

io::TextFormat text_format(ResultFormat format) {
  return format == ResultFormat::mtx ? io::TextFormat::mtx : io::TextFormat::txt;
}

}  // namespace

ResultFiles::ResultFiles(const std::string& prefix, ResultFormat format, std::int64_t n, bool vectors)
    : format_(format), n_(n) {
  if (!prefix.empty()) {
    values_file_ = prefix + ".values" + ending(format);
    if (vectors) vectors_file_ = prefix + ".vectors" + ending(format);
  }
  if (!prefix.empty() && format == ResultFormat::npy) {
    values_npy_ = std::make_unique<io::NpyWriter>(values_file_, std::vector<std::int64_t>{n});
    values_ = values_npy_->data();
    if (!vectors) return;
    vectors_npy_ = std::make_unique<io::NpyWriter>(vectors_file_, std::vector<std::int64_t>{n, n});
    vectors_ = vectors_npy_->data();
    return;
  }
  if (!prefix.empty()) {
    values_text_ = std::make_unique<io::OutputFile>(values_file_);
    if (vectors) vectors_text_ = std::make_unique<io::OutputFile>(vectors_file_);
  }
  values_memory_ = host_array<double>(n);
  values_ = values_memory_.get();
  if (!vectors) return;
  vectors_memory_ = host_array<double>(n * n);
  vectors_ = vectors_memory_.get();
}

void ResultFiles::commit(int threads) {
  if (values_text_) io::write_text(*values_text_, {values_, n_, 1, n_}, text_format(format_), threads);
  if (vectors_text_) io::write_text(*vectors_text_, {vectors_, n_, n_, n_}, text_format(format_), threads);

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

}  // namespace eigen_g::apps
