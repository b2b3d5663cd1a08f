// One GPU's way to another's memory. CUDA builds only.
#pragma once

namespace eigen_g {

// Lets GPU `from` reach GPU `to`'s memory; false where the machine cannot (copies then go through the host) and where both are one.
// The driver is asked once a pair and process: it counts an access that is there already as an error. Throws DeviceError.
bool reach_peer(int from, int to);

}  // namespace eigen_g
