// Piece<T>: 16 bytes of values that follow each other, which one instruction loads or stores.
#pragma once

namespace eigen_g::batched {

template <class T>
struct alignas(16) Piece {
  static constexpr int values = 16 / static_cast<int>(sizeof(T));
  T of[values];
};

}  // namespace eigen_g::batched
