// Instantiates symv() for std::complex<float>.
#include "blas2/symv/symv_launch.cuh"

EIGEN_G_INSTANTIATE_SYMV(std::complex<float>)
