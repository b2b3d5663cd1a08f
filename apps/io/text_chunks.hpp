// Parses the body of a text file with all threads, in chunks of whole lines.
//
//   text -> batches of four chunks a thread -> one thread parses a chunk -> accept() takes the batch in file order
//
// Memory holds one batch, for any size of the file. Everything that depends on the order (sums, positions, the first error) is done
// in accept(), so the result does not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "apps/io/file_error.hpp"
#include "hybrid/machine/cpu.hpp"

namespace eigen_g::io {

struct TextBody {
  const std::filesystem::path& path;
  const char* begin;
  const char* end;
  std::int64_t first_line;  // number of the line at `begin`
  int threads = 0;          // 0: loop_threads()
  std::int64_t chunk_bytes = std::int64_t{1} << 20;
  const std::function<void(double)>& progress;
};

// The result of parse() for accept(); formats add members of their own. Chunks are reused, so parse() must reset every member.
struct ParsedChunk {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::int64_t lines = 0;       // lines of the chunk; after a fault: lines up to and including it
  std::int64_t first_line = 0;  // line number of the chunk's first line; set before accept()
  std::string fault;            // reason of a refusal; empty: none. It belongs to the last line counted
  void refuse(std::string reason) { fault = std::move(reason); }
};

inline int thread_count(int threads) {
  if (address_space_limited()) return 1;
  return threads > 0 ? std::min(threads, usable_cores()) : loop_threads();
}

// parse(Chunk&) is called from any thread, accept(std::span<Chunk>) from the calling thread. accept() throws a chunk's fault as
// FileError, with throw_fault(), after it has checked everything before the fault. Returns the number of the file's last line.
template <class Chunk, class ParseChunk, class Accept>
std::int64_t for_each_chunk(const TextBody& body, ParseChunk parse, Accept accept) {
  const int threads = thread_count(body.threads);
  std::vector<Chunk> wave(static_cast<std::size_t>(threads == 1 ? 1 : 4 * threads));
  std::vector<std::exception_ptr> thrown(wave.size());
  std::int64_t line = body.first_line;
  for (const char* p = body.begin; p != body.end;) {
    std::size_t used = 0;
    for (; used < wave.size() && p != body.end; ++used) {
      const char* cut = body.end;
      if (body.end - p > body.chunk_bytes) {
        const char* from = p + body.chunk_bytes - 1;
        const void* found = std::memchr(from, '\n', static_cast<std::size_t>(body.end - from));
        if (found) cut = static_cast<const char*>(found) + 1;
      }
      wave[used].begin = p;
      wave[used].end = p = cut;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (used > 1)
    for (std::size_t i = 0; i < used; ++i) {
      try {
        wave[i].lines = 0;
        wave[i].fault.clear();
        parse(wave[i]);
      } catch (...) {
        thrown[i] = std::current_exception();
      }
    }
    for (std::size_t i = 0; i < used; ++i) {
      if (thrown[i]) std::rethrow_exception(thrown[i]);
      wave[i].first_line = line;
      line += wave[i].lines;
    }
    accept(std::span<Chunk>(wave.data(), used));
    if (body.progress)
      body.progress(static_cast<double>(p - body.begin) / static_cast<double>(body.end - body.begin));
  }
  return line - 1;
}

[[noreturn]] inline void throw_fault(const std::filesystem::path& path, const ParsedChunk& chunk) {
  throw FileError(path, chunk.first_line + chunk.lines - 1, chunk.fault);
}

}  // namespace eigen_g::io
