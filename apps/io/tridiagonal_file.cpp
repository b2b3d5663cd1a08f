// Reads a tridiagonal matrix in the format of stetester's data files: n, then n lines "i d_i e_i" with a_ii = d_i and a_(i+1)i = e_i.
// e_n is not used and may be missing. Blank lines and lines that begin with % or # are skipped.
#include <cstring>

#include "apps/io/stored_matrix.hpp"
#include "apps/io/text_number.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::io {

namespace {

// The lines that are neither blank nor comments, with their line numbers.
class ContentLines {
 public:
  explicit ContentLines(const MappedFile& file)
      : file_(file), p_(file.text().data()), end_(p_ + file.size()) {}

  // Moves to the next line; integer() and real() then read from it. Returns false at the end of the file.
  bool next() {
    while (p_ != end_) {
      ++line_;
      p_ = skip_blanks(p_, end_);
      if (!at_line_end(p_, end_) && *p_ != '%' && *p_ != '#') return true;
      skip_line();
    }
    return false;
  }
  std::int64_t integer(const char* what) {
    std::int64_t value = 0;
    const Parse outcome = parse_integer(p_, end_, value);
    if (outcome != Parse::done) refuse_word(outcome, what, "an integer");
    p_ = skip_blanks(p_, end_);
    return value;
  }
  double real(const char* what) {
    double value = 0;
    const Parse outcome = parse_real(p_, end_, value);
    if (outcome != Parse::done) refuse_word(outcome, what, "a number");
    p_ = skip_blanks(p_, end_);
    return value;
  }
  bool more() const { return !at_line_end(p_, end_); }
  void finish() {
    if (more()) refuse("unexpected '" + token_for_message(p_, end_) + "' at the line's end");
    skip_line();
  }
  [[noreturn]] void refuse(const std::string& reason) const { throw FileError(file_.path(), line_, reason); }

 private:
  [[noreturn]] void refuse_word(Parse outcome, const char* what, const char* kind) const {
    const std::string subject = std::string("the ") + what;
    if (outcome == Parse::missing) refuse(subject + " is missing");
    const std::string word = " '" + token_for_message(p_, end_) + "' ";
    if (outcome == Parse::out_of_range) refuse(subject + word + "is out of range");
    refuse(subject + word + "is not " + kind);
  }
  void skip_line() {
    const void* found = std::memchr(p_, '\n', static_cast<std::size_t>(end_ - p_));
    p_ = found ? static_cast<const char*>(found) + 1 : end_;
  }

  const MappedFile& file_;
  const char* p_;
  const char* end_;
  std::int64_t line_ = 0;
};

}  // namespace

template <class T>
Stored<T> read_tridiagonal(const MappedFile& file, const ReadOptions& options) {
  ContentLines lines(file);
  if (!lines.next()) lines.refuse("ends before the order");
  const std::int64_t n = lines.integer("order");
  lines.finish();
  if (n < 0 || n > INT32_MAX) lines.refuse("the order " + std::to_string(n) + " is out of range");
  if (n > file.size() / 4 + 1)  // the shortest line is "1 1"
    lines.refuse("the order is " + std::to_string(n) + ", more than the file's " +
                 std::to_string(file.size()) + " bytes can hold");

  std::shared_ptr<T> memory = allocate_matrix<T>(n, n);
  T* const a = memory.get();
  set_zero(a, n, true, options.threads);
  for (std::int64_t i = 0; i < n; ++i) {
    if (!lines.next()) lines.refuse("ends after " + std::to_string(i) + " of " + std::to_string(n) + " rows");
    const std::int64_t index = lines.integer("row index");
    if (index != i + 1)
      lines.refuse("row " + std::to_string(i + 1) + " expected, not " + std::to_string(index));
    a[i + i * n] = scalar_of<T>(lines.real("diagonal entry"));
    if (i + 1 < n)
      a[i + 1 + i * n] = scalar_of<T>(lines.real("off-diagonal entry"));
    else if (lines.more())
      lines.real("off-diagonal entry");
    lines.finish();
  }
  if (lines.next()) lines.refuse("more than " + std::to_string(n) + " rows");
  return stored_in(std::move(memory), n, false, "tridiagonal");
}

EIGEN_G_INSTANTIATE(all_types, read_tridiagonal);

}  // namespace eigen_g::io
