// One call of a LAPACK routine by the program.
#pragma once

#include "solver/lapack_names/routine.hpp"

namespace eigen_g::lapack_names {

// Solves the call with the library, or lets it go on to the LAPACK behind. `arguments` are the routine's, in LAPACK's order.
//
// A call is taken only if LAPACK would find all its arguments right. LAPACK itself answers workspace queries and reports wrong
// arguments through the program's xerbla.
void run_call(Routine& routine, void* const* arguments);

// As run_call(), for a name without an underscore, as in MKL. Another library may have a function of this name whose arguments are values, for example
// in C. A call of such a function goes on with the same registers, and its result is returned. The function is LAPACK's if its library has the
// routine as name_, name and NAME.
//   reals   the 8 registers that pass real arguments
void* run_bare_call(Routine& routine, void* const* arguments, const double* reals);

}  // namespace eigen_g::lapack_names
