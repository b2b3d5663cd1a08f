// One call of a LAPACK routine by the program.
#pragma once

#include "solver/lapack_names/routine.hpp"

namespace eigen_g::lapack_names {

// Solves the call with the library, or lets it go on to the LAPACK behind. `arguments` are the routine's, in LAPACK's order.
//
// A call is taken only if LAPACK would find all its arguments right. LAPACK itself answers workspace queries and reports wrong
// arguments through the program's xerbla.
void run_call(Routine& routine, void* const* arguments);

}  // namespace eigen_g::lapack_names
