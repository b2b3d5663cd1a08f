// The library eigen_g behind libeigen_g_lapack, which is loaded when the first call is taken.
#pragma once

#include <cstdint>

#include "solver/lapack_names/problem.hpp"

namespace eigen_g::lapack_names {

// The device on which the library can solve: as EIGEN_G_DEVICE says, and by default a GPU if there is one, else the CPU. In a child of fork() of
// a process that used a GPU there is no GPU.
enum class Solver { none, cpu, gpu };
Solver solver();

// eigen_g_lapack_solve() of the library. While it runs, is_inside() is true on this thread.
std::int64_t solve(Problem& problem);
bool is_inside();

}  // namespace eigen_g::lapack_names
