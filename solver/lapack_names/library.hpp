// The library eigen_g behind libeigen_g_lapack, which is loaded when the first call is taken.
#pragma once

#include <cstdint>

#include "solver/lapack_names/problem.hpp"

namespace eigen_g::lapack_names {

// Returns true if the library can solve on the device that the environment asks for. In a child of fork() of a process that used a GPU
// there is no GPU.
bool library_ready();

// eigen_g_lapack_solve() of the library. While it runs, is_inside() is true on this thread.
std::int64_t solve(Problem& problem);
bool is_inside();

}  // namespace eigen_g::lapack_names
