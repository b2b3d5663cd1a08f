// Access of one GPU to the memory of another. CUDA builds only.
#pragma once

namespace eigen_g {

// Lets GPU `from` access the memory of GPU `to`. False if from == to, or if the machine does not allow it; copies then pass
// through the host. The driver is called once for each pair in a process, because it reports an error for access that is
// enabled already.
// Throws DeviceError.
bool reach_peer(int from, int to);

}  // namespace eigen_g
