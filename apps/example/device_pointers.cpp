// A solve on device pointers, in the memory and the stream of the caller. Without a GPU the program says so and ends with 4.
#include <eigen_g/device.hpp>
#include <eigen_g/verify.hpp>
// [device-pointers]
#include <cuda_runtime.h>

#include <cstdio>
#include <eigen_g/eigen_g.hpp>
#include <vector>

// Finds the eigenpairs of the n x n matrix at a_dev, in the order of `stream`. a_dev is destroyed.
eigen_g::Report solve_there(int n, double* a_dev, double* w_dev, double* z_dev, cudaStream_t stream) {
  using eigen_g::device;
  return eigen_g::eigen_g(n, device(a_dev), n, device(w_dev), device(z_dev), n, stream);
}
// [end]

int main() {
  if (eigen_g::gpu_count() == 0) {
    std::printf("skipped: no GPU\n");
    return 4;
  }
  const int n = 500;
  const std::size_t bytes = sizeof(double) * n * n;
  std::vector<double> a(n * n), w(n), z(n * n);
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) a[i + j * n] = a[j + i * n] = j + 1;
  double *a_dev = nullptr, *w_dev = nullptr, *z_dev = nullptr;
  cudaStream_t stream = nullptr;
  if (cudaMalloc(&a_dev, bytes) || cudaMalloc(&w_dev, sizeof(double) * n) || cudaMalloc(&z_dev, bytes) ||
      cudaStreamCreate(&stream))
    return 1;
  cudaMemcpyAsync(a_dev, a.data(), bytes, cudaMemcpyHostToDevice, stream);
  const eigen_g::Report report = solve_there(n, a_dev, w_dev, z_dev, stream);
  cudaMemcpyAsync(w.data(), w_dev, sizeof(double) * n, cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(z.data(), z_dev, bytes, cudaMemcpyDeviceToHost, stream);
  if (cudaStreamSynchronize(stream)) return 1;
  cudaFree(a_dev);
  cudaFree(w_dev);
  cudaFree(z_dev);
  cudaStreamDestroy(stream);
  const auto check = eigen_g::verify(eigen_g::Uplo::lower, n, a.data(), n, n, w.data(), z.data(), n);
  std::printf("%s on %s\n", passed(check) ? "verified" : "wrong", report.devices.front().name.c_str());
  return passed(check) ? 0 : 1;
}
