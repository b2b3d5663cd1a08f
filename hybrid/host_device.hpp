// EIGEN_G_HOST_DEVICE: marks a function that both host code and device code call.
#pragma once

#ifdef __CUDACC__
#define EIGEN_G_HOST_DEVICE __host__ __device__
#else
#define EIGEN_G_HOST_DEVICE
#endif
