// Makes calls of CUDA and cuBLAS fail on demand. The linker (ld's --wrap) directs eigen_g_whole's calls of CUDA and its look-ups
// of cuBLAS to faults.cpp, which passes them on. An armed call reports its error instead and does nothing. Calls that free
// resources (cudaFree and the calls of destructors) never fail. EIGEN_G_SHOWN_GPUS=N in the environment shows one GPU as N GPUs,
// so that the cases for several GPUs run.
#pragma once

#include <cstdint>
#include <string_view>

namespace support::faults {

// Counts calls from now on, in all threads together, and makes the number-th one fail (from 1; 0: none). Only calls of the
// function `only` count if it is given; its name must outlive the counting.
// An allocation that fails is tried again if the process keeps a block of memory (hybrid/memory/memory.hpp), so call
// release_thread_cache() before.
void arm(std::int64_t number, std::string_view only = {});
// Ends the counting and returns the number of calls since arm().
std::int64_t disarm();
// The name of the last call that was made to fail.
const char* last();
// Number of allocations of device memory and registrations of host memory that have not been freed.
std::int64_t held();

}  // namespace support::faults
