// path_on_device(): makes the reduction of a path on a GPU. path_bytes_on_device(): the memory that it needs. CUDA builds only.
#pragma once

#include <cstdint>
#include <memory>

#include "solver/path/one_stage.hpp"
#include "solver/path/two_stage.hpp"

namespace eigen_g {

// The arguments of both functions are the arguments of OneStageOnDevice and TwoStageOnDevice.
template <class T>
PathBytes path_bytes_on_device(Path path, std::int64_t n, std::int64_t m, int multiprocessors, bool cut) {
  return path == Path::two_stage ? TwoStageOnDevice<T>::bytes(n, m, multiprocessors, cut)
                                 : OneStageOnDevice<T>::bytes(n, m, multiprocessors);
}
template <class T>
std::unique_ptr<DeviceReduction<T>> path_on_device(Path path, const Products<T>& products, std::int64_t n,
                                                   std::int64_t m, Arena kept, Arena scratch, Arena back,
                                                   SolveTeam<T>* team, ChaseBack how) {
  if (path == Path::two_stage)
    return std::make_unique<TwoStageOnDevice<T>>(products, n, m, kept, scratch, back, team, how);
  return std::make_unique<OneStageOnDevice<T>>(products, n, kept, scratch, team);
}

}  // namespace eigen_g
