// A part of dealt columns (dealt_columns.hpp) as an argument of a kernel.
#pragma once

#include <type_traits>

#include "hybrid/device_complex.cuh"
#include "solver/reduction/two_stage/dealt_columns.hpp"

namespace eigen_g {

template <class T>
auto on_device(const DealtPart<T>& part) {
  return DealtPart<std::remove_pointer_t<decltype(on_device(part.data))>>{part.deal, part.part,
                                                                          on_device(part.data), part.ld};
}

}  // namespace eigen_g
