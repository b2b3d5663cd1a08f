#include "blas2/spmv/crs_device.hpp"

#include <algorithm>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/team/loops.hpp"

namespace eigen_g::blas2 {

template <class T>
CrsOnDevice<T>::CrsOnDevice(const Queue& queue, std::int64_t rows, std::int64_t cols, std::int64_t nnz)
    : rows_(rows),
      cols_(cols),
      nnz_(nnz),
      row_offsets_(queue, rows + 1),
      col_(queue, nnz),
      value_(queue, nnz) {}

template <class T>
CrsOnDevice<T>::CrsOnDevice(const Queue& queue, const CrsView<T>& a_host)
    : CrsOnDevice(queue, a_host.rows, a_host.cols, a_host.nnz) {
  const auto put = [&queue]<class U>(U* to, const U* from, std::int64_t count) {
    if (count > 0)
      EIGEN_G_CUDA(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(U),
                                   cudaMemcpyHostToDevice, queue.stream()));
  };
  const std::int64_t base = rows_ > 0 ? a_host.row_offsets[0] : 0;
  std::vector<std::int64_t> begin(static_cast<std::size_t>(rows_ + 1), 0);
  for_each(rows_, threads_if(rows_ >= smallest_parallel_order), [&](std::int64_t i) {
    begin[static_cast<std::size_t>(i + 1)] = a_host.row_offsets[i + 1] - base;
  });
  put(row_offsets(), begin.data(), rows_ + 1);
  put(col(), a_host.col + base, nnz_);
  put(value(), a_host.value + base, nnz_);
  queue.wait();
}

EIGEN_G_INSTANTIATE_CLASS(real_types, CrsOnDevice);

}  // namespace eigen_g::blas2
