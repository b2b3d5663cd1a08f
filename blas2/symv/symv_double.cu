// Instantiates symv() for double.
#include "blas2/symv/symv_launch.cuh"

EIGEN_G_INSTANTIATE_SYMV(double)
