// The LAPACK behind libeigen_g_lapack: the routine of a name that the program would have called without it.
#pragma once

namespace eigen_g::lapack_names {

// Returns the next routine of this name: in the loader's order, or else in any loaded library, as Python's wheels need. Null: there is
// none. The library that holds the routine stays loaded.
void* find_behind(const char* name);

// Returns true if the library that holds `symbol` also has a function `name` of its own.
bool library_has(const void* symbol, const char* name);
// Returns true if the LAPACK that holds `symbol` has 64-bit integers. Asks its ilaver_(); without one the answer is false.
bool has_long_integers(const void* symbol);

// The function by which the OpenBLAS or MKL of the LAPACK that holds `symbol` says how many threads it uses; null: there is none.
using ThreadCount = int();
ThreadCount* thread_count_of(const void* symbol);

// Calls a routine of LAPACK with these arguments, and with a length of 1 for each of its letters.
void call_behind(void* routine, void* const* arguments, int count);

// Calls a function of which only the registers are known: `count` arguments that are pointers or integers, and 8 reals.
void* call_foreign(void* function, void* const* arguments, int count, const double* reals);

}  // namespace eigen_g::lapack_names
