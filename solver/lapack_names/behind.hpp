// The LAPACK behind libeigen_g_lapack: the routine of a name that the program would have called without it.
#pragma once

namespace eigen_g::lapack_names {

// Returns the next routine of this name: in the loader's order, or else in any loaded library, as Python's wheels need. Null: there is
// none. The library that holds the routine stays loaded.
void* find_behind(const char* name);

// Calls a routine of LAPACK with these arguments, and with a length of 1 for each of its letters.
void call_behind(void* routine, void* const* arguments, int count);

}  // namespace eigen_g::lapack_names
