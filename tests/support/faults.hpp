// Calls that fail on demand. eigen_g_whole's own calls into CUDA, and its look-ups of cuBLAS's, are linked to faults.cpp (ld's
// --wrap), which passes them on; an armed one reports its error instead and does nothing. What gives back (cudaFree, destructors' calls) never fails.
// EIGEN_G_SHOWN_GPUS=N in the environment shows one GPU as N of them, so that it runs the cases for several.
#pragma once

#include <cstdint>

namespace support::faults {

// From now on calls are counted, and the number-th of them (from 1; 0: none) fails. In all threads together.
void arm(std::int64_t number);
// Ends that; calls since arm().
std::int64_t disarm();
// The name of the last call that failed, of all time.
const char* last();
// Allocations of device memory and registrations of host memory that stand.
std::int64_t held();

}  // namespace support::faults
