// Gives one input to every reader of the project. libFuzzer calls this function, or replay.cpp if there is no clang. A reader may
// refuse an input by an exception of its own. It must not crash, hang, or accept a matrix that differs from its description.
#include <sys/mman.h>
#include <unistd.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "apps/io/eigenpairs_file.hpp"
#include "apps/io/input_file.hpp"
#include "apps/io/matrix_file.hpp"
#include "apps/support/exit_codes.hpp"
#include "apps/support/lists.hpp"
#include "blas2/symv/symv_table.hpp"
#include "solver/api/types.hpp"
#include "solver/devices/calibration.hpp"

namespace {

using namespace eigen_g;

// The input as a file in memory, which readers open by its name.
class InMemory {
 public:
  InMemory() : file_(::memfd_create("input", 0)), name_("/proc/self/fd/" + std::to_string(file_)) {
    if (file_ < 0) std::abort();
  }
  const std::string& set(std::string_view bytes) const {
    if (::ftruncate(file_, 0) != 0 ||
        ::pwrite(file_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
      std::abort();
    return name_;
  }

 private:
  int file_;
  std::string name_;
};

// A small file may announce such an order, which takes long to set to zero or exceeds the memory of a fuzzer.
bool announces_much(std::string_view bytes) {
  constexpr std::int64_t most = 600, beyond_all_memory = 1'000'000;
  const auto much = [=](std::int64_t n) { return n > most && n < beyond_all_memory; };
  std::int64_t number = 0;
  for (const char c : bytes.substr(0, 4096)) {
    number = c >= '0' && c <= '9' && number < beyond_all_memory ? 10 * number + (c - '0') : 0;
    if (much(number)) return true;
  }
  for (std::size_t at : {12U, 24U}) {  // ELSI's order
    std::int32_t word = 0;
    if (bytes.size() >= at + sizeof word) word = *reinterpret_cast<const std::int32_t*>(bytes.data() + at);
    if (much(word)) return true;
  }
  return false;
}

std::uint64_t reads = 0;

template <class Read>
void attempt(const Read& read) {
  ++reads;
  try {
    read();
  } catch (const Error&) {  // refused
  }
}

template <class T>
void check(const io::HermitianMatrix<T>& m) {
  if (m.n < 0 || m.lda < m.n) std::abort();
  T sum{};  // every entry that it announces can be read
  for (std::int64_t j = 0; j < m.n; ++j)
    for (std::int64_t i = 0; i < m.n; ++i)
      if (m.uplo == Uplo::lower ? i >= j : i <= j) sum += m.data[i + j * m.lda];
  [[maybe_unused]] const volatile double used = std::abs(sum);
}

}  // namespace

// Readers called so far.
extern "C" std::uint64_t eigen_g_fuzzed_reads() {
  return reads;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const InMemory memory;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!announces_much(bytes)) {
    const std::string& file = memory.set(bytes);
    std::vector<io::Format> formats{io::Format::automatic, io::Format::matrix_market, io::Format::npy,
                                    io::Format::raw,       io::Format::elsi_csc,      io::Format::tridiagonal,
                                    io::Format::text};
    if (io::begins_as_hdf5(bytes)) formats = {io::Format::automatic};  // no other file is taken for one
    for (const io::Format format : formats)
      for (const io::Triangle triangle : {io::Triangle::automatic, io::Triangle::symmetrize}) {
        io::ReadOptions options;
        options.format = format;
        options.triangle = triangle;
        options.threads = 1;
        options.chunk_bytes = 64;
        attempt([&] { check(io::read_matrix(file, options)); });
        attempt([&] {
          const auto type = io::type_of(*io::open_input(file), options);
          io::with_type(type, [&]<class T>(T) { check(io::read_matrix<T>(file, options)); });
        });
        attempt([&] { check(io::read_matrix<std::complex<float>>(file, options)); });
      }
    attempt([&] { io::read_values(file); });
    attempt([&] { io::read_vectors(file, 1); });
    attempt([&] { io::read_vectors<std::complex<float>>(file, 1); });
  }
  const std::string text(bytes);
  attempt([&] { parse_calibration(text, "input"); });
  attempt([&] { blas2::parse_symv_table(text, "input"); });
  attempt([&] { parse_ratio(text); });
  attempt([&] { apps::parse_sizes(text, "input"); });
  attempt([&] { apps::parse_types(text); });
  return 0;
}
