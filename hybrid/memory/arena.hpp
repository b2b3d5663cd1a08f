// One description of a workspace answers both "how many bytes" and "where":
//
//   struct Workspace {
//     double *d, *e;
//     Workspace(Arena& arena, std::int64_t n) : d(arena.take<double>(n)), e(arena.take<double>(n)) {}
//   };
//   Arena counting;      Workspace(counting, n);   counting.bytes()     what it needs
//   Arena at(p, bytes);  Workspace w(at, n);                            where it is
//
// An arena is a value: a function that takes one by value may use what is left of it, and its caller's arena is as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "hybrid/matrix_view.hpp"

namespace eigen_g {

class Arena {
 public:
  static constexpr std::uint64_t alignment = 256;

  Arena() = default;  // counts; what it hands out is null
  Arena(void* memory,
        std::uint64_t bytes)  // hands out parts of it, aligned as `memory` is, at most to 256 bytes
      : memory_(static_cast<std::byte*>(memory)), size_(bytes), places_(true) {}

  // count <= 0: null, nothing is taken. Throws std::logic_error where the memory ends: less was counted than is taken.
  template <class T>
  T* take(std::int64_t count) {
    return count > 0 ? reinterpret_cast<T*>(take_bytes(static_cast<std::uint64_t>(count) * sizeof(T)))
                     : nullptr;
  }
  // rows x cols with leading dimension lda; of no columns: null.
  template <class T>
  MatrixView<T> matrix(std::int64_t rows, std::int64_t cols, std::int64_t lda) {
    return {take<T>(lda * cols), rows, cols, lda};
  }
  // So many bytes as an arena of their own, for something that counts by itself.
  Arena part(std::uint64_t bytes) {
    if (bytes == 0) return places_ ? Arena(nullptr, 0) : Arena();
    std::byte* const at = take_bytes(bytes);
    return places_ ? Arena(at, bytes) : Arena();
  }
  std::uint64_t bytes() const { return taken_; }         // taken so far
  std::uint64_t left() const { return size_ - taken_; }  // of one that places

 private:
  std::byte* take_bytes(std::uint64_t bytes) {
    std::byte* const at = places_ ? memory_ + taken_ : nullptr;
    taken_ += (bytes + alignment - 1) / alignment * alignment;
    if (places_ && taken_ > size_) throw std::logic_error("a workspace is smaller than what is taken of it");
    return at;
  }
  std::byte* memory_ = nullptr;
  std::uint64_t size_ = 0, taken_ = 0;
  bool places_ = false;
};

// What `take(arena)` takes of an arena.
template <class Take>
std::uint64_t bytes_taken(Take&& take) {
  Arena counting;
  take(counting);
  return counting.bytes();
}

}  // namespace eigen_g
