// One solve, a step a line, whatever the machine and the path.
#pragma once

#include "solver/driver/backend.hpp"

namespace eigen_g {

// The pairs of the problem that the backend has begun; Report all but `seconds`. Throws what the steps throw; nothing uses the
// problem's memory then.
//   wait   false: the last of it may still be queued (Backend::leave), and the stages have no seconds
template <class T>
Report solve_on(Backend<T>& on, const Options& options, bool wait);

}  // namespace eigen_g
