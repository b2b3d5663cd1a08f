// Functions that the host and the device share.
#pragma once

#ifdef __CUDACC__
#define EIGEN_G_HOST_DEVICE __host__ __device__
#else
#define EIGEN_G_HOST_DEVICE
#endif
