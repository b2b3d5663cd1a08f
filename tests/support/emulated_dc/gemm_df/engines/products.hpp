// The phases that run under emulation need only the name.
#pragma once

namespace eigen_g {

template <class T>
class Products;

}  // namespace eigen_g
