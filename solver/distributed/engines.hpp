// The engines' solve functions; what each needs and does stands in engine.hpp.
#pragma once

#include "solver/distributed/engine.hpp"

namespace eigen_g::distributed {

// ELPA, in builds that have it. Path::automatic: two stages from elpa_two_stage_order on.
// Source: Marek et al., J. Phys.: Condens. Matter 26 (2014) 213201.
Outcome solve_by_elpa(const Task& task);

// ScaLAPACK: all vectors by pdsyevd, a subset by number by pdsyevr, values alone by pdsyev.
// Source: ScaLAPACK Users' Guide; Tisseur and Dongarra, SIAM J. Sci. Comput. 20 (1999) 2223; Vömel, ACM TOMS 37 (2010) 1.
Outcome solve_by_scalapack(const Task& task);

}  // namespace eigen_g::distributed
