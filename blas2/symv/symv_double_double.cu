// Instantiates symv() for DoubleDouble.
#include "blas2/symv/symv_launch.cuh"

EIGEN_G_INSTANTIATE_SYMV(eigen_g::blas2::DoubleDouble)
