#include "apps/io/matrix_market.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <tuple>
#include <vector>

#include "apps/io/stored_coordinates.hpp"
#include "apps/io/stored_matrix.hpp"
#include "apps/io/text_number.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::io {

namespace {

// Upper bound of the blocks of columns; one thread sums a block. A block has 2^shift columns.
constexpr int max_blocks = 64;

template <class T>
struct CoordinateChunk : ParsedChunk {
  std::vector<CoordinateOf<T>> entries;
  std::vector<CoordinateOf<T>> by_block;  // `entries` sorted by block, within a block in the file's order
  std::array<std::size_t, max_blocks + 1> first;  // index of each block's first entry in by_block
  bool below = false, above = false;  // a symmetric file: the chunk has entries below, above the diagonal
};

// An entry of a symmetric file off the diagonal.
struct Position {
  std::uint32_t row, col;  // from 1, row > col
  bool above;              // true: the file stores the mirror image (col, row)
  std::int64_t line;
};

struct PositionChunk : ParsedChunk {
  std::vector<Position> positions;
};

template <class T>
struct ArrayChunk : ParsedChunk {
  std::vector<T> values;
};

bool is_content(const char* p, const char* end) {
  return !at_line_end(p, end) && *p != '%';
}

const char* line_end(const char* p, const char* end) {
  const void* found = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
  return found ? static_cast<const char*>(found) : end;
}

std::string number_fault(Parse outcome, const char* what, const char* kind, const char* p, const char* end) {
  if (outcome == Parse::missing) return std::string("the ") + what + " is missing";
  const std::string token = std::string("the ") + what + " '" + token_for_message(p, end) + "' ";
  if (outcome == Parse::out_of_range) return token + "is out of range";
  return token + "is not " + kind;
}

// Calls parse_entry(p) on each line that is neither blank nor a comment. parse_entry moves p behind the entry or refuses.
template <class ParseEntry>
void parse_lines(ParsedChunk& chunk, ParseEntry parse_entry) {
  const char* const end = chunk.end;
  for (const char* p = chunk.begin; p != end;) {
    ++chunk.lines;
    p = skip_blanks(p, end);
    if (is_content(p, end)) {
      parse_entry(p);
      if (!chunk.fault.empty()) return;
      p = skip_blanks(p, end);
      if (!at_line_end(p, end))
        return chunk.refuse("unexpected '" + token_for_message(p, end) + "' after the entry");
    } else {
      p = line_end(p, end);
    }
    if (p != end) ++p;
  }
}

bool parse_part(const char*& p, ParsedChunk& chunk, const char* what, double& part) {
  const char* const start = p;
  const Parse outcome = parse_real(p, chunk.end, part);
  if (outcome == Parse::done) return true;
  chunk.refuse(number_fault(outcome, what, "a number", start, chunk.end));
  return false;
}

// Parses a value of the header's field. Returns false after a refusal.
template <MarketField field, class T>
bool parse_value(const char*& p, ParsedChunk& chunk, T& value) {
  if constexpr (field == MarketField::pattern) {
    value = T{1};
    return true;
  }
  const char* const start = p;
  const char* second = nullptr;  // the imaginary part
  double re = 0, im = 0;
  if (!parse_part(p, chunk, field == MarketField::complex ? "real part" : "value", re)) return false;
  if constexpr (field == MarketField::complex) {
    p = skip_blanks(p, chunk.end);
    second = p;
    if (!parse_part(p, chunk, "imaginary part", im)) return false;
  }
  if constexpr (field == MarketField::integer)
    for (const char* q = start; q != p; ++q)
      if ((*q < '0' || *q > '9') && *q != '-' && *q != '+') {
        chunk.refuse("the value '" + token_for_message(start, p) + "' is not an integer, as the banner says");
        return false;
      }
  if (const char* const fault = misfit<T>(re, im); *fault != 0) {
    const std::string im_text = second ? " " + token_for_message(second, chunk.end) : "";
    chunk.refuse("the value '" + token_for_message(start, chunk.end) + im_text + "' " + fault);
    return false;
  }
  value = scalar_of<T>(re, im);
  return true;
}

// True if the imaginary part of a diagonal entry is as small as rounding makes it: at most n eps times the real part.
template <class T>
bool is_rounding(const MarketHeader& header, T value) {
  const real_t<T> limit = static_cast<real_t<T>>(header.rows) * std::numeric_limits<real_t<T>>::epsilon();
  return std::abs(std::imag(value)) <= limit * std::abs(std::real(value));
}

// Reason why a file that stores one triangle cannot have this entry, or "".
template <class T>
const char* unfit(const MarketHeader& header, bool on_diagonal, T value) {
  if (!header.symmetric || std::imag(value) == 0 ||
      (header.hermitian && (!on_diagonal || is_rounding(header, value))))
    return "";
  return header.hermitian ? "has an imaginary part; the diagonal of a Hermitian matrix is real"
                          : "has an imaginary part: the complex symmetric matrix is not Hermitian";
}

bool parse_index(const char*& p, ParsedChunk& chunk, const char* what, std::int64_t n, std::int64_t& index) {
  p = skip_blanks(p, chunk.end);
  const char* const start = p;
  const Parse outcome = parse_integer(p, chunk.end, index);
  if (outcome == Parse::done && index >= 1 && index <= n) [[likely]]
    return true;
  if (outcome == Parse::done || outcome == Parse::out_of_range)
    chunk.refuse(std::string("the ") + what + " '" + token_for_message(start, chunk.end) +
                 "' is outside 1.." + std::to_string(n));
  else
    chunk.refuse(number_fault(outcome, what, "an integer", start, chunk.end));
  return false;
}

template <MarketField field, class T>
void parse_coordinates(CoordinateChunk<T>& chunk, const MarketHeader& header) {
  chunk.entries.clear();
  chunk.below = chunk.above = false;
  parse_lines(chunk, [&](const char*& p) {
    std::int64_t row = 0, col = 0;
    T value{};
    if (!parse_index(p, chunk, "row index", header.rows, row)) return;
    if (!parse_index(p, chunk, "column index", header.cols, col)) return;
    p = skip_blanks(p, chunk.end);
    if (!parse_value<field>(p, chunk, value)) return;
    if (const char* const fault = unfit(header, row == col, value); *fault != 0)
      return chunk.refuse(std::string("the entry ") + fault);
    if (header.symmetric && row < col) {
      chunk.above = true;
      std::swap(row, col);
      if (header.hermitian) value = mirrored(value);
    } else if (row > col) {
      chunk.below = true;
    } else if (header.hermitian) {
      value = std::real(value);
    }
    chunk.entries.push_back(
        {static_cast<std::uint32_t>(row - 1), static_cast<std::uint32_t>(col - 1), value});
  });
}

template <class T>
void parse_by_field(CoordinateChunk<T>& chunk, const MarketHeader& header) {
  if (header.field == MarketField::complex)
    parse_coordinates<MarketField::complex>(chunk, header);
  else if (header.field == MarketField::pattern)
    parse_coordinates<MarketField::pattern>(chunk, header);
  else if (header.field == MarketField::integer)
    parse_coordinates<MarketField::integer>(chunk, header);
  else
    parse_coordinates<MarketField::real>(chunk, header);
}

template <MarketField field, class T>
void parse_array(ArrayChunk<T>& chunk) {
  chunk.values.clear();
  parse_lines(chunk, [&](const char*& p) {
    T value{};
    if (parse_value<field>(p, chunk, value)) chunk.values.push_back(value);
  });
}

// Counting sort: the entries of a block keep the file's order.
template <class T>
void sort_by_block(CoordinateChunk<T>& chunk, int shift) {
  chunk.first.fill(0);
  for (const auto& e : chunk.entries) ++chunk.first[(e.col >> shift) + 1];
  for (std::size_t b = 0; b < max_blocks; ++b) chunk.first[b + 1] += chunk.first[b];
  chunk.by_block.resize(chunk.entries.size());
  auto next = chunk.first;
  for (const auto& e : chunk.entries) chunk.by_block[next[e.col >> shift]++] = e;
}

std::int64_t line_of_entry(const ParsedChunk& chunk, std::int64_t index) {
  std::int64_t line = chunk.first_line;
  for (const char* p = chunk.begin; p != chunk.end; ++line) {
    p = skip_blanks(p, chunk.end);
    if (is_content(p, chunk.end) && index-- == 0) return line;
    p = line_end(p, chunk.end);
    if (p != chunk.end) ++p;
  }
  return line;
}

// Compares the number of entries that were found with the number that the header announces, in the file's order.
class EntryCount {
 public:
  EntryCount(const TextBody& body, const MarketHeader& header) : body_(body), header_(header) {}
  std::int64_t found() const { return found_; }
  // Throws if the chunk has more entries than announced, or a fault; the one that comes first in the file.
  void add(const ParsedChunk& chunk, std::size_t entries) {
    const std::int64_t left = header_.entries - found_;
    found_ += static_cast<std::int64_t>(entries);
    if (found_ > header_.entries)
      throw FileError(body_.path, line_of_entry(chunk, left), "more than the " + announced());
    if (!chunk.fault.empty()) throw_fault(body_.path, chunk);
  }
  void finish(std::int64_t last_line) const {
    if (found_ < header_.entries)
      throw FileError(body_.path, last_line,
                      "ends after " + std::to_string(found_) + " of the " + announced());
  }

 private:
  std::string announced() const {
    return std::to_string(header_.entries) + " entries that line " + std::to_string(header_.size_line) +
           (header_.coordinate ? " announces" : " asks for");
  }
  const TextBody& body_;
  const MarketHeader& header_;
  std::int64_t found_ = 0;
};

// Refuses a symmetric file that stores both an entry and its mirror image. The error names the first line that mirrors an entry before
// it.
void refuse_mirrored(const TextBody& body, const MarketHeader& header) {
  require_host_memory(static_cast<std::uint64_t>(header.entries) * sizeof(Position));
  std::vector<Position> positions;
  positions.reserve(static_cast<std::size_t>(header.entries));
  const auto parse = [&](PositionChunk& chunk) {
    chunk.positions.clear();
    parse_lines(chunk, [&](const char*& p) {
      std::int64_t row = 0, col = 0;
      if (!parse_index(p, chunk, "row index", header.rows, row)) return;
      if (!parse_index(p, chunk, "column index", header.cols, col)) return;
      if (row != col)
        chunk.positions.push_back({static_cast<std::uint32_t>(std::max(row, col)),
                                   static_cast<std::uint32_t>(std::min(row, col)), row < col,
                                   chunk.lines - 1});
      p = line_end(p, chunk.end);
    });
  };
  for_each_chunk<PositionChunk>(body, parse, [&](std::span<PositionChunk> wave) {
    for (const PositionChunk& chunk : wave)
      for (Position position : chunk.positions) {
        position.line += chunk.first_line;
        positions.push_back(position);
      }
  });
  std::sort(positions.begin(), positions.end(), [](const Position& x, const Position& y) {
    return std::tie(x.row, x.col, x.line) < std::tie(y.row, y.col, y.line);
  });
  const Position* found = nullptr;
  for (std::size_t i = 1; i < positions.size(); ++i) {
    const Position &before = positions[i - 1], &here = positions[i];
    if (before.row == here.row && before.col == here.col && before.above != here.above &&
        (!found || here.line < found->line))
      found = &here;
  }
  if (!found) return;
  const std::string below = "entry (" + std::to_string(found->row) + ", " + std::to_string(found->col) + ")",
                    above = "entry (" + std::to_string(found->col) + ", " + std::to_string(found->row) + ")";
  throw FileError(body.path, found->line,
                  (found->above ? above : below) + " mirrors " + (found->above ? below : above) +
                      " of line " + std::to_string((found - 1)->line) + "; a " +
                      (header.hermitian ? "hermitian" : "symmetric") +
                      " file stores one triangle, and --both-triangles reads a file that stores both");
}

// Parses a coordinate body and checks the number of its entries. prepare() is called with each chunk, from any thread; accept() with
// the chunks in the file's order, from the calling thread.
template <class T, class Prepare, class Accept>
void read_waves(const TextBody& body, const MarketHeader& header, Prepare prepare, Accept accept) {
  using Chunk = CoordinateChunk<T>;
  EntryCount count(body, header);
  bool below = false, above = false;
  const auto parse = [&](Chunk& chunk) {
    parse_by_field(chunk, header);
    prepare(chunk);
  };
  count.finish(for_each_chunk<Chunk>(body, parse, [&](std::span<Chunk> wave) {
    for (const Chunk& chunk : wave) {
      count.add(chunk, chunk.entries.size());
      below = below || chunk.below;
      above = above || chunk.above;
    }
    accept(wave);
  }));
  if (below && above) refuse_mirrored(body, header);
}

// Copies `count` values to position `from` of the lower triangle, which the file stores column by column.
template <class T>
void place_packed(const T* values, std::int64_t from, std::int64_t count, std::int64_t n, T* a) {
  // Column j begins at j n - j (j - 1) / 2. Bisection finds the last column that begins at or before `from`.
  std::int64_t low = 0, high = n - 1;
  const auto start = [n](std::int64_t j) { return j * n - j * (j - 1) / 2; };
  while (low < high) {
    const std::int64_t middle = (low + high + 1) / 2;
    (start(middle) <= from ? low : high) = start(middle) <= from ? middle : middle - 1;
  }
  for (std::int64_t j = low, offset = from - start(low); count > 0; ++j, offset = 0) {
    const std::int64_t run = std::min(n - j - offset, count);
    std::copy_n(values, run, a + j * n + j + offset);
    values += run;
    count -= run;
  }
}

}  // namespace

template <class T>
void read_coordinates(const TextBody& body, const MarketHeader& header,
                      const std::function<void(std::span<const CoordinateOf<T>>)>& accept) {
  using Chunk = CoordinateChunk<T>;
  read_waves<T>(
      body, header, [](Chunk&) {},
      [&](std::span<Chunk> wave) {
        for (const Chunk& chunk : wave) accept(chunk.entries);
      });
}

template <class T>
void add_coordinates(const TextBody& body, const MarketHeader& header, T* a) {
  using Chunk = CoordinateChunk<T>;
  const std::int64_t n = header.rows;
  const bool parallel = thread_count(body.threads) > 1;
  int shift = 0;
  while (((header.cols - 1) >> shift) >= max_blocks) ++shift;

  const auto sort = [&](Chunk& chunk) {
    if (parallel) sort_by_block(chunk, shift);
  };
  const auto add = [&](const CoordinateOf<T>& e) {
    a[e.row + static_cast<std::int64_t>(e.col) * n] += e.value;
  };

  read_waves<T>(body, header, sort, [&](std::span<Chunk> wave) {
    if (!parallel) {
      for (const Chunk& chunk : wave)
        for (const auto& e : chunk.entries) add(e);
      return;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(thread_count(body.threads))
    for (std::size_t block = 0; block < max_blocks; ++block)
      for (const Chunk& chunk : wave)
        for (std::size_t i = chunk.first[block]; i < chunk.first[block + 1]; ++i) add(chunk.by_block[i]);
  });
}

template <class T>
void fill_array(const TextBody& body, const MarketHeader& header, T* a) {
  using Chunk = ArrayChunk<T>;
  const auto parse = [&](Chunk& chunk) {
    if (header.field == MarketField::complex)
      parse_array<MarketField::complex>(chunk);
    else if (header.field == MarketField::integer)
      parse_array<MarketField::integer>(chunk);
    else
      parse_array<MarketField::real>(chunk);
  };
  EntryCount count(body, header);
  std::vector<std::int64_t> position;
  const std::int64_t last_line = for_each_chunk<Chunk>(body, parse, [&](std::span<Chunk> wave) {
    position.clear();
    for (const Chunk& chunk : wave) {
      position.push_back(count.found());
      count.add(chunk, chunk.values.size());
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(thread_count(body.threads)) if (wave.size() > 1)
    for (std::size_t i = 0; i < wave.size(); ++i) {
      const auto number = static_cast<std::int64_t>(wave[i].values.size());
      if (header.symmetric)
        place_packed(wave[i].values.data(), position[i], number, header.rows, a);
      else
        std::copy_n(wave[i].values.data(), number, a + position[i]);
    }
  });
  count.finish(last_line);
  if (!is_complex<T> || !header.symmetric) return;
  for (std::int64_t j = 0; j < header.cols; ++j)
    for (std::int64_t i = j; i < (header.hermitian ? j + 1 : header.rows); ++i) {
      T& value = a[i + j * header.rows];
      if (const char* const fault = unfit(header, i == j, value); *fault != 0)
        throw FileError(body.path, 0,
                        "entry (" + std::to_string(i + 1) + ", " + std::to_string(j + 1) + ") " + fault);
      value = std::real(value);
    }
}

namespace {

MarketHeader read_square_header(const MappedFile& file, const ReadOptions& options) {
  MarketHeader header = read_market_header(file, options.both_triangles);
  if (header.rows != header.cols)
    throw FileError(file.path(), header.size_line,
                    "the matrix is " + std::to_string(header.rows) + " x " + std::to_string(header.cols) +
                        "; a square one is required");
  return header;
}

TextBody body_of(const MappedFile& file, const MarketHeader& header, const ReadOptions& options) {
  return {file.path(),          header.body,     file.text().data() + file.size(),
          header.size_line + 1, options.threads, options.chunk_bytes,
          options.progress};
}

}  // namespace

template <class T>
void read_market_coordinates(
    const MappedFile& file, const ReadOptions& options,
    const std::function<void(const CoordinatesHead& head, std::int64_t entries)>& begin,
    const std::function<void(std::span<const CoordinateOf<T>>)>& accept) {
  const MarketHeader header = read_square_header(file, options);
  if (!header.coordinate)
    throw FileError(file.path(), 1, "lists every entry of a dense matrix; a coordinate file is required");
  begin({header.rows, header.symmetric, header.description}, header.entries);
  read_coordinates<T>(body_of(file, header, options), header, accept);
}

template <class T>
StoredCoordinates<T> read_market_coordinates(const MappedFile& file, const ReadOptions& options) {
  StoredCoordinates<T> stored;
  read_market_coordinates<T>(
      file, options,
      [&](const CoordinatesHead& head, std::int64_t entries) {
        static_cast<CoordinatesHead&>(stored) = head;
        reserve(stored, entries);
      },
      [&](std::span<const CoordinateOf<T>> entries) {
        stored.entries.insert(stored.entries.end(), entries.begin(), entries.end());
      });
  return stored;
}

template <class T>
Stored<T> read_matrix_market(const MappedFile& file, const ReadOptions& options) {
  const MarketHeader header = read_square_header(file, options);
  const std::int64_t n = header.rows;
  std::shared_ptr<T> memory = allocate_matrix<T>(n, n);
  const TextBody body = body_of(file, header, options);
  if (header.coordinate) {
    set_zero(memory.get(), n, header.symmetric, options.threads);
    add_coordinates(body, header, memory.get());
  } else {
    fill_array(body, header, memory.get());
  }
  return stored_in(std::move(memory), n, !header.symmetric, header.description);
}

EIGEN_G_INSTANTIATE(all_types, fill_array, read_matrix_market);
EIGEN_G_INSTANTIATE_OVERLOAD(all_types, read_market_coordinates,
                             StoredCoordinates<T>(const MappedFile&, const ReadOptions&));
EIGEN_G_INSTANTIATE_OVERLOAD(all_types, read_market_coordinates,
                             void(const MappedFile&, const ReadOptions&,
                                  const std::function<void(const CoordinatesHead&, std::int64_t)>&,
                                  const std::function<void(std::span<const CoordinateOf<T>>)>&));

}  // namespace eigen_g::io
