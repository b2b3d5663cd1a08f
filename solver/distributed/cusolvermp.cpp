#include <algorithm>
#include <array>
#include <complex>
#include <exception>
#include <optional>
#include <string>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/distributed/cusolvermp_library.hpp"
#include "solver/distributed/engines.hpp"
#include "solver/distributed/gpus.hpp"
#include "solver/distributed/together.hpp"

namespace eigen_g::distributed {

namespace {

template <class T>
constexpr cudaDataType type_of = is_complex<T>
                                     ? (sizeof(T) == sizeof(std::complex<float>) ? CUDA_C_32F : CUDA_C_64F)
                                     : (sizeof(T) == sizeof(float) ? CUDA_R_32F : CUDA_R_64F);

// Of n = 2 on two GPUs cuSOLVERMp 0.8 leaves a vector zero; smaller orders than this are ScaLAPACK's.
constexpr std::int64_t least_order = 3;

struct Kept {
  const CusolverMp& library;
  ncclComm_t comm;
  int rank;
};

int end_kept(MPI_Comm, int, void* attribute, void*) {
  const auto* const kept = static_cast<Kept*>(attribute);
  if (kept->comm) kept->library.comm_destroy(kept->comm);
  delete kept;
  return MPI_SUCCESS;
}

int key_of_kept() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_kept, &made, nullptr);
    return made;
  }();
  return key;
}

// NCCL's communicator, process (i, j) of the grid as its rank i cols + j. Making one takes 2 s on two GPUs, so it is kept with the
// MPI communicator until that is freed, or a solve fails. Collective.
class Communicator {
 public:
  Communicator(const CusolverMp& library, const Grid& grid) : mpi_(grid.comm()) {
    const int rank = grid.row() * grid.cols() + grid.col();
    int found = 0;
    MPI_Comm_get_attr(mpi_, key_of_kept(), static_cast<void*>(&kept_), &found);
    int fits = found && kept_->rank == rank;
    MPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_LAND, mpi_);
    if (fits) return;
    ncclUniqueId id{};
    int mpi_rank = 0;
    MPI_Comm_rank(mpi_, &mpi_rank);
    together(mpi_, [&] {
      if (mpi_rank == 0) library.check(library.unique_id(&id), "ncclGetUniqueId");
    });
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, mpi_);
    kept_ = new Kept{library, nullptr, rank};
    MPI_Comm_set_attr(mpi_, key_of_kept(), kept_);
    try {
      together(mpi_, [&] {
        library.check(library.comm_init(&kept_->comm, grid.rows() * grid.cols(), id, rank),
                      "ncclCommInitRank");
      });
    } catch (...) {
      discard();
      throw;
    }
  }
  ~Communicator() {
    if (std::uncaught_exceptions() > 0) discard();
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ncclComm_t get() const { return kept_->comm; }

 private:
  void discard() {
    if (kept_->comm) kept_->library.comm_abort(kept_->comm);
    kept_->comm = nullptr;
    MPI_Comm_delete_attr(mpi_, key_of_kept());
  }
  MPI_Comm mpi_;
  Kept* kept_ = nullptr;
};

// cuSOLVERMp's handle, its grid and the descriptor of A, which is Z's too.
class Session {
 public:
  Session(const CusolverMp& library, const Communicator& comm, const Grid& grid, cudaDataType type,
          const BlockCyclic& a, int gpu, const Queue& queue)
      : library_(library) {
    library_.check(library_.create(&handle_, gpu, queue.stream()), "cusolverMpCreate");
    library_.check(library_.create_grid(handle_, &grid_, comm.get(), grid.rows(), grid.cols(),
                                        CUSOLVERMP_GRID_MAPPING_ROW_MAJOR),
                   "cusolverMpCreateDeviceGrid");
    library_.check(library_.create_descriptor(&descriptor_, grid_, type, a.rows.n, a.cols.n, a.rows.block,
                                              a.cols.block, 0, 0, a.ld()),
                   "cusolverMpCreateMatrixDesc");
  }
  ~Session() {
    if (descriptor_) library_.destroy_descriptor(descriptor_);
    if (grid_) library_.destroy_grid(grid_);
    if (handle_) library_.destroy(handle_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  cusolverMpHandle_t handle() const { return handle_; }
  cusolverMpMatrixDescriptor_t descriptor() const { return descriptor_; }

 private:
  const CusolverMp& library_;
  cusolverMpHandle_t handle_ = nullptr;
  cusolverMpGrid_t grid_ = nullptr;
  cusolverMpMatrixDescriptor_t descriptor_ = nullptr;
};

struct Workspace {
  std::size_t device = 0, host = 0;  // bytes
};

}  // namespace

std::string why_not_cusolvermp(MPI_Comm comm) {
  if (const std::string reason = own_gpu(comm).why_not; !reason.empty()) return reason;
  const std::string& reason = CusolverMp::get().why_not;
  return first_reason(comm, reason.empty() ? "" : process_name(comm) + " cannot load cuSOLVERMp: " + reason);
}

template <class T>
Outcome solve_by_cusolvermp(const Task<T>& t) {
  using R = real_t<T>;
  if (t.a.layout.rows.n < least_order) return solve_by_scalapack(t);
  const MPI_Comm comm = t.grid.comm();
  const CusolverMp& library = CusolverMp::get();
  const BlockCyclic& layout = t.a.layout;
  const std::int64_t n = layout.rows.n, rows = layout.rows.count(), cols = layout.cols.count(),
                     ld = layout.ld();
  Outcome outcome;
  outcome.routine = "cusolverMpSyevd";

  const int gpu = outcome.gpu = own_gpu(comm).index;
  std::optional<CurrentGpu> current;
  std::optional<Queue> queue;
  together(comm, [&] {
    current.emplace(gpu);
    queue.emplace();
  });
  const Communicator communicator(library, t.grid);
  std::optional<Session> session;
  Workspace bytes;
  std::array<char, 2> job{"V"};  // 0.8 does no values alone
  together(comm, [&] { session.emplace(library, communicator, t.grid, type_of<T>, layout, gpu, *queue); });

  DeviceBuffer<T> a, z;
  DeviceBuffer<R> w;
  DeviceBuffer<int> info;
  together(comm, [&] {
    a = DeviceBuffer<T>(layout.entries());
    z = DeviceBuffer<T>(layout.entries());
    w = DeviceBuffer<R>(n);
    info = DeviceBuffer<int>(1);
    upload<T>(*queue, Part::all, {t.a.data, rows, cols, t.a.ld}, {a.data(), rows, cols, ld});
    library.check(library.syevd_bytes(session->handle(), job.data(), CUBLAS_FILL_MODE_LOWER, n, a.data(), 1,
                                      1, session->descriptor(), w.data(), z.data(), 1, 1,
                                      session->descriptor(), type_of<T>, &bytes.device, &bytes.host),
                  "cusolverMpSyevd_bufferSize");
  });
  // The workspace is one of all processes: equally large.
  std::array<unsigned long long, 2> largest{bytes.device, bytes.host};
  MPI_Allreduce(MPI_IN_PLACE, largest.data(), 2, MPI_UNSIGNED_LONG_LONG, MPI_MAX, comm);
  DeviceMemory work;
  PinnedMemory host_work;
  together(comm, [&] {
    work = DeviceMemory(std::max(1ULL, largest[0]));
    host_work = PinnedMemory(std::max(1ULL, largest[1]));
  });
  together(comm, [&] {
    library.check(
        library.syevd(session->handle(), job.data(), CUBLAS_FILL_MODE_LOWER, n, a.data(), 1, 1,
                      session->descriptor(), w.data(), z.data(), 1, 1, session->descriptor(), type_of<T>,
                      work.data(), largest[0], host_work.data(), largest[1], info.data()),
        "cusolverMpSyevd");
    queue->wait();
    int failed = 0;
    EIGEN_G_CUDA(cudaMemcpy(&failed, info.data(), sizeof failed, cudaMemcpyDeviceToHost));
    if (failed < 0) throw DeviceError("cusolverMpSyevd refused its argument " + std::to_string(-failed));
    outcome.failed = failed;
    if (t.vectors) download<T>(*queue, {z.data(), rows, cols, ld}, {t.z.data, rows, cols, t.z.ld});
    EIGEN_G_CUDA(cudaMemcpy(t.w, w.data(), n * sizeof(R), cudaMemcpyDeviceToHost));
  });
  MPI_Allreduce(MPI_IN_PLACE, &outcome.failed, 1, MPI_INT64_T, MPI_MAX, comm);
  MPI_Bcast(t.w, static_cast<int>(n), sizeof(R) == sizeof(double) ? MPI_DOUBLE : MPI_FLOAT, 0, comm);
  outcome.status = outcome.failed == 0 ? Status::converged : Status::not_converged;
  if (outcome.failed == 0) keep_subset(t, outcome);
  return outcome;
}

template Outcome solve_by_cusolvermp(const Task<double>&);
template Outcome solve_by_cusolvermp(const Task<std::complex<double>>&);
template Outcome solve_by_cusolvermp(const Task<float>&);
template Outcome solve_by_cusolvermp(const Task<std::complex<float>>&);

}  // namespace eigen_g::distributed
