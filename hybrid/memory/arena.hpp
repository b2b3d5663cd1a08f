// Arena: places arrays in one block of memory, or counts the bytes that they need. One constructor then describes both the size
// and the layout of a workspace:
//
//   struct Workspace {
//     double *d, *e;
//     Workspace(Arena& arena, std::int64_t n) : d(arena.take<double>(n)), e(arena.take<double>(n)) {}
//   };
//   Arena counting;      Workspace(counting, n);   counting.bytes()     the bytes that it needs
//   Arena at(p, bytes);  Workspace w(at, n);                            pointers into the memory at p
//
// An Arena is a value. A function that has a copy of it may use the rest of the memory, and the caller's Arena does not change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "hybrid/matrix_view.hpp"
#include "hybrid/round_up.hpp"

namespace eigen_g {

class Arena {
 public:
  static constexpr std::uint64_t alignment = 256;

  Arena() = default;  // counts bytes; take() returns null
  // Places arrays in `memory`. Each array has the alignment of `memory`, up to 256 bytes.
  Arena(void* memory, std::uint64_t bytes)
      : memory_(static_cast<std::byte*>(memory)), size_(bytes), places_(true) {}

  // Returns null and takes nothing if count <= 0. Throws std::logic_error if the memory is too small, because the counted size
  // was then too small.
  template <class T>
  T* take(std::int64_t count) {
    return count > 0 ? reinterpret_cast<T*>(take_bytes(static_cast<std::uint64_t>(count) * sizeof(T)))
                     : nullptr;
  }
  // A rows x cols matrix with leading dimension lda. data is null if lda * cols <= 0.
  template <class T>
  MatrixView<T> matrix(std::int64_t rows, std::int64_t cols, std::int64_t lda) {
    return {take<T>(lda * cols), rows, cols, lda};
  }
  // The next `bytes` bytes as an arena of their own, for a function that counts from 0.
  Arena part(std::uint64_t bytes) {
    if (bytes == 0) return places_ ? Arena(nullptr, 0) : Arena();
    std::byte* const at = take_bytes(bytes);
    return places_ ? Arena(at, bytes) : Arena();
  }
  std::uint64_t bytes() const { return taken_; }         // taken so far
  std::uint64_t left() const { return size_ - taken_; }  // not yet taken; only if the arena has memory

 private:
  std::byte* take_bytes(std::uint64_t bytes) {
    std::byte* const at = places_ ? memory_ + taken_ : nullptr;
    taken_ += round_up(bytes, alignment);
    if (places_ && taken_ > size_) throw std::logic_error("a workspace is too small for its arrays");
    return at;
  }
  std::byte* memory_ = nullptr;
  std::uint64_t size_ = 0, taken_ = 0;
  bool places_ = false;
};

// Bytes that take(arena) takes.
template <class Take>
std::uint64_t bytes_taken(Take&& take) {
  Arena counting;
  take(counting);
  return counting.bytes();
}

}  // namespace eigen_g
