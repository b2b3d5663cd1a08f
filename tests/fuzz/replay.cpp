// replay_corpus PATH... [--mutations N] [--seed S] [--seconds T] gives each file, and each file of a folder, to the fuzz target,
// and N random changes of each. With T it repeats this for T seconds. It replaces libFuzzer if there is no clang, without
// libFuzzer's search.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::uint64_t eigen_g_fuzzed_reads();

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void give(const Bytes& bytes) {
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

// A few bytes are changed, removed, inserted or copied from elsewhere, or the end is cut off.
Bytes changed(Bytes bytes, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return n > 0 ? static_cast<std::size_t>(random() % n) : 0; };
  static constexpr char likely[] = "0123456789+-.eEdDnaif%#: \t\r\n()',<>|{}[]\"";
  for (std::size_t change = 1 + below(4); change > 0; --change) {
    const auto at = static_cast<std::ptrdiff_t>(below(bytes.size()));
    const auto some = static_cast<std::uint8_t>(
        random() % 2 ? random() : static_cast<unsigned char>(likely[below(sizeof likely - 1)]));
    switch (bytes.empty() ? 1 : random() % 5) {
      case 0:
        bytes[static_cast<std::size_t>(at)] = some;
        break;
      case 1:
        bytes.insert(bytes.begin() + at, some);
        break;
      case 2:
        bytes.erase(bytes.begin() + at);
        break;
      case 3:
        bytes.resize(static_cast<std::size_t>(at));
        break;
      case 4: {
        const std::size_t from = below(bytes.size()),
                          length = below(std::min<std::size_t>(32, bytes.size() - from)) + 1;
        const Bytes piece(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                          bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), from + length)));
        bytes.insert(bytes.begin() + at, piece.begin(), piece.end());
        break;
      }
    }
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  long mutations = 0, seconds = 0;
  unsigned long seed = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--mutations") == 0 && i + 1 < argc) {
      mutations = std::atol(argv[++i]);
    } else if (std::strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
      seed = std::strtoul(argv[++i], nullptr, 10);
    } else if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
      seconds = std::atol(argv[++i]);
    } else if (std::filesystem::is_directory(argv[i])) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i]))
        if (entry.is_regular_file()) files.push_back(entry.path());
    } else {
      files.emplace_back(argv[i]);
    }
  }
  std::mt19937_64 random(seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  const auto time_left = [&] { return seconds == 0 || std::chrono::steady_clock::now() < end; };
  unsigned long inputs = 0;
  do {
    for (const auto& file : files) {
      const Bytes bytes = content(file);
      give(bytes);
      ++inputs;
      for (long k = 0; k < mutations && time_left(); ++k, ++inputs) give(changed(bytes, random));
    }
  } while (seconds > 0 && !files.empty() && time_left());
  std::printf("%zu files, %lu inputs, %llu reads\n", files.size(), inputs,
              static_cast<unsigned long long>(eigen_g_fuzzed_reads()));
  return files.empty() ? 1 : 0;
}
