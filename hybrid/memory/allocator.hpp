// Allocator: the caller's source of device memory for library calls, such as the memory pool of PyTorch, CuPy or RMM.
#pragma once

#include <cstddef>

struct CUstream_st;  // cudaStream_t is CUstream_st*; this header needs no CUDA header

namespace eigen_g {

// allocate   returns `bytes` > 0 bytes on the current GPU, aligned to 256 bytes. The library uses them in the order of `stream`.
//            Null: the pool has too little memory; the call then throws OutOfMemory. An exception reaches the caller of the library.
// free       takes back what allocate() returned, with the same bytes and stream. Work queued in `stream` may still use the memory,
//            as with cudaFreeAsync. Does not throw.
// context    passed to both
// The thread that called the library, or a thread that works for it, calls both functions. The calls do not overlap.
struct Allocator {
  void* (*allocate)(std::size_t bytes, CUstream_st* stream, void* context) = nullptr;
  void (*free)(void* memory, std::size_t bytes, CUstream_st* stream, void* context) = nullptr;
  void* context = nullptr;
};

}  // namespace eigen_g
