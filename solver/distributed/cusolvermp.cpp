// Solves a distributed matrix by cuSOLVERMp.
#include <algorithm>
#include <array>
#include <complex>
#include <exception>
#include <optional>
#include <string>

#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/distributed/cusolvermp_library.hpp"
#include "solver/distributed/gpus.hpp"
#include "solver/distributed/libraries.hpp"
#include "solver/distributed/together.hpp"

namespace eigen_g::distributed {

namespace {

template <class T>
constexpr cudaDataType type_of = is_complex<T>
                                     ? (sizeof(T) == sizeof(std::complex<float>) ? CUDA_C_32F : CUDA_C_64F)
                                     : (sizeof(T) == sizeof(float) ? CUDA_R_32F : CUDA_R_64F);

// Smallest order for cuSOLVERMp; ScaLAPACK solves smaller ones, for which GPUs are no use. On two GPUs cuSOLVERMp 0.8 leaves the vectors of
// n = 2 and 3 zero, and ends the process for n = 8 in blocks of 4.
constexpr std::int64_t least_order = 256;

// The objects that are kept between solves: NCCL's communicator, with process (i, j) of the grid as rank i cols + j, and cuSOLVERMp's
// handle and grid on it.
struct Kept {
  const CusolverMp& library;
  int gpu, rows, cols, rank;
  cudaStream_t stream = nullptr;
  ncclComm_t comm = nullptr;
  cusolverMpHandle_t handle = nullptr;
  cusolverMpGrid_t grid = nullptr;

  bool is_for(const Grid& other, int of_gpu) const {
    return of_gpu == gpu && other.rows() == rows && other.cols() == cols && rank_in(other) == rank;
  }
  static int rank_in(const Grid& grid) { return grid.row() * grid.cols() + grid.col(); }
};

// MPI calls this when the communicator is freed or gets another Kept.
int end_kept(MPI_Comm, int, void* attribute, void*) {
  const auto* const kept = static_cast<Kept*>(attribute);
  if (kept->grid) kept->library.destroy_grid(kept->grid);
  if (kept->handle) kept->library.destroy(kept->handle);
  if (kept->comm) kept->library.comm_destroy(kept->comm);
  if (kept->stream) cudaStreamDestroy(kept->stream);
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

// The Kept of an MPI communicator. Making one takes seconds, so it is kept until the communicator is freed or a solve fails. Collective.
class Session {
 public:
  Session(const CusolverMp& library, const Grid& grid, int gpu) : mpi_(grid.comm()) {
    int found = 0;
    MPI_Comm_get_attr(mpi_, key_of_kept(), static_cast<void*>(&kept_), &found);
    int fits = found && kept_->is_for(grid, gpu);
    MPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_LAND, mpi_);
    if (fits) return;
    kept_ = new Kept{library, gpu, grid.rows(), grid.cols(), Kept::rank_in(grid)};
    MPI_Comm_set_attr(mpi_, key_of_kept(), kept_);
    try {
      make();
    } catch (...) {
      discard();
      throw;
    }
  }
  ~Session() {
    if (std::uncaught_exceptions() > 0) discard();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  const Kept& get() const { return *kept_; }

 private:
  void make() {
    Kept& k = *kept_;
    const CusolverMp& library = k.library;
    int mpi_rank = 0;
    MPI_Comm_rank(mpi_, &mpi_rank);
    ncclUniqueId id{};
    together(mpi_, [&] {
      EIGEN_G_CUDA(cudaStreamCreateWithFlags(&k.stream, cudaStreamNonBlocking));
      if (mpi_rank == 0) library.check(library.unique_id(&id), "ncclGetUniqueId");
    });
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, mpi_);
    together(mpi_, [&] {
      library.check(library.comm_init(&k.comm, k.rows * k.cols, id, k.rank), "ncclCommInitRank");
    });
    together(mpi_, [&] {
      library.check(library.create(&k.handle, k.gpu, k.stream), "cusolverMpCreate");
      library.check(
          library.create_grid(k.handle, &k.grid, k.comm, k.rows, k.cols, CUSOLVERMP_GRID_MAPPING_ROW_MAJOR),
          "cusolverMpCreateDeviceGrid");
    });
  }
  // Aborts the communicator, which releases the processes that wait in a collective call.
  void discard() {
    if (kept_->comm) kept_->library.comm_abort(kept_->comm);
    kept_->comm = nullptr;
    kept_->grid = nullptr;
    kept_->handle = nullptr;
    MPI_Comm_delete_attr(mpi_, key_of_kept());
  }
  MPI_Comm mpi_;
  Kept* kept_ = nullptr;
};

// cuSOLVERMp's descriptor of A, which is also used for Z.
class Layout {
 public:
  Layout(const Kept& session, cudaDataType type, const BlockCyclic& a) : library_(session.library) {
    library_.check(library_.create_descriptor(&descriptor_, session.grid, type, a.rows.n, a.cols.n,
                                              a.rows.block, a.cols.block, 0, 0, a.ld()),
                   "cusolverMpCreateMatrixDesc");
  }
  ~Layout() { library_.destroy_descriptor(descriptor_); }
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;
  cusolverMpMatrixDescriptor_t get() const { return descriptor_; }

 private:
  const CusolverMp& library_;
  cusolverMpMatrixDescriptor_t descriptor_ = nullptr;
};

struct Workspace {
  std::size_t device = 0, host = 0;  // bytes
};

}  // namespace

std::string why_not_cusolvermp(MPI_Comm comm) {
  std::string reason = own_gpu(comm).why_not;
  if (reason.empty() && !CusolverMp::get().why_not.empty())
    reason = process_name(comm) + " cannot load cuSOLVERMp: " + CusolverMp::get().why_not;
  return first_reason(comm, reason);
}

template <class T>
LibraryResult solve_by_cusolvermp(const LocalProblem<T>& t) {
  using R = real_t<T>;
  if (t.a.layout.rows.n < least_order) return solve_by_scalapack(t);
  const MPI_Comm comm = t.grid.comm();
  const CusolverMp& library = CusolverMp::get();
  const BlockCyclic& layout = t.a.layout;
  const std::int64_t n = layout.rows.n, rows = layout.rows.count(), cols = layout.cols.count(),
                     ld = layout.ld();
  LibraryResult outcome;
  outcome.routine = "cusolverMpSyevd";

  outcome.gpu = own_gpu(comm).index;
  const CurrentGpu current(outcome.gpu);
  const Session session(library, t.grid, outcome.gpu);
  std::optional<Queue> queue;
  std::optional<Layout> of_a;
  Workspace bytes;
  std::array<char, 2> job{"V"};  // version 0.8 cannot compute values only

  DeviceBuffer<T> a, z;
  DeviceBuffer<R> w;
  DeviceBuffer<int> info;
  together(comm, [&] {
    queue.emplace(session.get().stream);
    of_a.emplace(session.get(), type_of<T>, layout);
    a = DeviceBuffer<T>(layout.entries());
    z = DeviceBuffer<T>(layout.entries());
    w = DeviceBuffer<R>(n);
    info = DeviceBuffer<int>(1);
    upload<T>(*queue, Part::all, {t.a.data, rows, cols, t.a.ld}, {a.data(), rows, cols, ld});
    library.check(library.syevd_bytes(session.get().handle, job.data(), CUBLAS_FILL_MODE_LOWER, n, a.data(),
                                      1, 1, of_a->get(), w.data(), z.data(), 1, 1, of_a->get(), type_of<T>,
                                      &bytes.device, &bytes.host),
                  "cusolverMpSyevd_bufferSize");
  });
  // All processes allocate a workspace of the same size, the largest one asked for.
  std::array<unsigned long long, 2> largest{bytes.device, bytes.host};
  MPI_Allreduce(MPI_IN_PLACE, largest.data(), 2, MPI_UNSIGNED_LONG_LONG, MPI_MAX, comm);
  DeviceMemory work;
  PinnedMemory host_work;
  together(comm, [&] {
    work = DeviceMemory(std::max(1ULL, largest[0]));
    host_work = PinnedMemory(std::max(1ULL, largest[1]));
  });
  together(comm, [&] {
    library.check(library.syevd(session.get().handle, job.data(), CUBLAS_FILL_MODE_LOWER, n, a.data(), 1, 1,
                                of_a->get(), w.data(), z.data(), 1, 1, of_a->get(), type_of<T>, work.data(),
                                largest[0], host_work.data(), largest[1], info.data()),
                  "cusolverMpSyevd");
    queue->wait();
    int failed = 0;
    EIGEN_G_CUDA(cudaMemcpy(&failed, info.data(), sizeof failed, cudaMemcpyDeviceToHost));
    if (failed < 0) throw DeviceError("cusolverMpSyevd: invalid argument " + std::to_string(-failed));
    outcome.info = failed;
    if (t.vectors) download<T>(*queue, {z.data(), rows, cols, ld}, {t.z.data, rows, cols, t.z.ld});
    EIGEN_G_CUDA(cudaMemcpy(t.w, w.data(), n * sizeof(R), cudaMemcpyDeviceToHost));
  });
  MPI_Allreduce(MPI_IN_PLACE, &outcome.info, 1, MPI_INT64_T, MPI_MAX, comm);
  MPI_Bcast(t.w, static_cast<int>(n), sizeof(R) == sizeof(double) ? MPI_DOUBLE : MPI_FLOAT, 0, comm);
  outcome.status = outcome.info == 0 ? Status::converged : Status::not_converged;
  if (outcome.info == 0) keep_subset(t, outcome);
  return outcome;
}

EIGEN_G_INSTANTIATE(all_types, solve_by_cusolvermp);

}  // namespace eigen_g::distributed
