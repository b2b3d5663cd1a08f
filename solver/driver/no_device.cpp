// The driver's functions of a GPU in a build without CUDA. Most of them throw DeviceError.
#include "hybrid/instantiate.hpp"
#include "hybrid/memory/memory.hpp"
#include "solver/api/shards.hpp"
#include "solver/driver/batched.hpp"
#include "solver/driver/device_stages.hpp"

namespace eigen_g {

#define NO_DEVICE(function)                  \
  function {                                 \
    throw DeviceError("built without CUDA"); \
  }

template <class T>
NO_DEVICE(std::unique_ptr<Backend<T>> backend_on_gpu(const Plan&, Resources*))
template <class T>
NO_DEVICE(WorkspaceBytes bytes_on_gpu(const Plan&, MatrixLayout))
template <class T>
NO_DEVICE(std::unique_ptr<BatchOnGpu<T>> batch_on_gpu(std::int64_t, std::int64_t, const Options&,
                                                      const Devices&, bool, Resources*))
template <class T>
NO_DEVICE(BatchFailures ragged_on_gpu(const Batch<T>&, BatchReport&))
template <class T>
NO_DEVICE(void host_batch_on_gpu(const Batch<T>&, BatchReport&))
template <class T>
NO_DEVICE(WorkspaceBytes host_batch_bytes_on_gpu(std::int64_t, std::int64_t, const Options&, bool))
template <class T>
NO_DEVICE(void sytrd_on_gpu(const StageCall&, Uplo, MatrixView<T>, Tridiagonal<real_t<T>>, T*, Report&))
template <class T>
NO_DEVICE(DivideAndConquerResult stedc_on_gpu(const StageCall&, const TridiagonalVectors&, std::int64_t,
                                              Tridiagonal<real_t<T>>, MatrixView<T>, Report&))
template <class T>
NO_DEVICE(void ormtr_on_gpu(const StageCall&, Side, Uplo, Trans, MatrixView<const T>, const T*, MatrixView<T>,
                            Report&))
template <class T>
NO_DEVICE(void orgtr_on_gpu(const StageCall&, Uplo, MatrixView<T>, const T*, Report&))
template <class T>
NO_DEVICE(WorkspaceBytes sytrd_gpu_bytes(Pointers, Uplo, std::int64_t, std::int64_t))
template <class T>
NO_DEVICE(WorkspaceBytes stedc_gpu_bytes(Pointers, std::int64_t, bool, const TridiagonalVectors&))
template <class T>
NO_DEVICE(WorkspaceBytes ormtr_gpu_bytes(Pointers, Uplo, std::int64_t, std::int64_t))
template <class T>
NO_DEVICE(WorkspaceBytes orgtr_gpu_bytes(Pointers, Uplo, std::int64_t))
EIGEN_G_INSTANTIATE(all_types, sytrd_on_gpu, stedc_on_gpu, ormtr_on_gpu, orgtr_on_gpu, sytrd_gpu_bytes,
                    stedc_gpu_bytes, ormtr_gpu_bytes, orgtr_gpu_bytes);
template <class T>
NO_DEVICE(Report solve_in_pieces(std::int64_t, const std::vector<Shard<T>>&, real_t<T>*,
                                 const std::vector<Shard<T>>&, const Options&, const Devices&))
template <class T>
std::uint64_t team_bytes(const Plan&, int, int) {
  return 0;
}
EIGEN_G_INSTANTIATE(all_types, solve_in_pieces, team_bytes);
EIGEN_G_INSTANTIATE(all_types, backend_on_gpu, bytes_on_gpu, batch_on_gpu, ragged_on_gpu, host_batch_on_gpu,
                    host_batch_bytes_on_gpu);

using Matrix = MatrixView<double>;
using Given = MatrixView<const double>;
using Size = std::int64_t;
NO_DEVICE(std::uint64_t device_memory_available())
// clang-format off
NO_DEVICE(void start_device())
NO_DEVICE(void sytrd_sy2sb_on_gpu(const StageCall&, Uplo, Size, Matrix, Matrix, double*, Report&))
NO_DEVICE(void sytrd_sb2st_on_gpu(const StageCall&, Uplo, Size, Given, Tridiagonal<double>, double*, Report&))
NO_DEVICE(void ormtr_sb2st_on_gpu(const StageCall&, Size, const double*, Matrix, Report&))
NO_DEVICE(void ormtr_sy2sb_on_gpu(const StageCall&, Uplo, Size, Given, const double*, Matrix, Report&))
NO_DEVICE(WorkspaceBytes sytrd_sy2sb_gpu_bytes(Pointers, Size, Size))
NO_DEVICE(WorkspaceBytes sytrd_sb2st_gpu_bytes(Pointers, Size, Size))
NO_DEVICE(WorkspaceBytes ormtr_sb2st_gpu_bytes(Pointers, Size, Size, Size))
NO_DEVICE(WorkspaceBytes ormtr_sy2sb_gpu_bytes(Pointers, Size, Size, Size))
// clang-format on

// Without a GPU there are no resources to keep or to release.
std::shared_ptr<Resources> new_resources(const Allocator&) {
  return nullptr;
}
Resources* resources_of_this_thread() {
  return nullptr;
}
void release(Resources*) {}

}  // namespace eigen_g
