#include "blas2/symv_launch.cuh"

EIGEN_G_INSTANTIATE_SYMV(double)
