// Where a library call's device memory comes from and goes to, for callers with a pool of their own (PyTorch's, CuPy's, RMM's).
#pragma once

#include <cstddef>

struct CUstream_st;  // cudaStream_t is CUstream_st*; no CUDA header is needed to use this one

namespace eigen_g {

// allocate  so many bytes (> 0) on the current GPU, aligned to 256 bytes; they are used in the order of `stream`. Null: there
//           are not so many, which becomes OutOfMemory. It may throw: the exception reaches the caller of the library.
// free      what allocate() gave, with the same bytes and stream; work of that stream may still use it, as with
//           cudaFreeAsync. It does not throw.
// Both are called from the thread that called the library, or from one that works for it meanwhile, one call at a time.
struct Allocator {
  void* (*allocate)(std::size_t bytes, CUstream_st* stream, void* context) = nullptr;
  void (*free)(void* memory, std::size_t bytes, CUstream_st* stream, void* context) = nullptr;
  void* context = nullptr;
};

}  // namespace eigen_g
