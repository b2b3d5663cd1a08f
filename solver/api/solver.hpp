// A solver that is planned once and solves again and again: for self-consistent loops, optimisers, and callers with memory of
// their own.
//
//   eigen_g::Context context;                                    // default devices
//   eigen_g::Solver<double> solver(context, n, {.vectors = true}, eigen_g::Pointers::device);
//   for (...) solver.solve(eigen_g::device(a), lda, eigen_g::device(w), eigen_g::device(z), ldz, stream);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <eigen_g/allocator.hpp>
#include <eigen_g/device_pointer.hpp>
#include <eigen_g/types.hpp>

namespace eigen_g {

class Resources;

// What solvers share: the devices, and what is kept for them between calls (streams, cuBLAS handles, pinned memory, small
// device memory, threads that copy). Used by one thread at a time; move-only. Its solvers end before it.
class Context {
 public:
  // With an allocator all device memory comes from it and goes back to it, cuBLAS's workspace (32 MiB on compute capability
  // 9.0, else 4) included; none but a Solver's own lasts beyond a call, but that workspace.
  explicit Context(const Devices& devices = {}, const Allocator& allocator = {});
  ~Context();
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;

  const Devices& devices() const;
  void release();  // frees what is kept and not in use

 private:
  template <class T>
  friend class Solver;
  Resources* resources() const;  // null in a build without CUDA
  struct State;
  std::unique_ptr<State> state_;
};

enum class Pointers { host, device };

// Device memory that a solve may use for itself, aligned to 256 bytes. Empty: it takes its own.
struct Workspace {
  void* device = nullptr;
  std::uint64_t device_bytes = 0;
};

// n, options and the side of the pointers are fixed; solve() takes matrices that fit to them. Move-only.
template <class T>
class Solver {
 public:
  // Plans; takes no memory of the matrix' size. Throws InvalidArgument, DeviceError (a GPU is asked for and there is none).
  Solver(Context& context, std::int64_t n, const Options& options = {}, Pointers pointers = Pointers::host);
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  // What a solve holds beside a, w and z, at most: told before any of it is taken. Where the GPU has less, a choice gives way as in
  // eigen_g(), and stays so. On device pointers z in a's place takes a
  // matrix more, as much as it saves the caller.
  WorkspaceBytes workspace(MatrixLayout layout = MatrixLayout::any) const;
  bool on_gpu() const;
  Path path() const;

  // Memory of the caller's for the next solves, of at least workspace(layout).device bytes, of their layout; it outlives them. Empty:
  // the solver's own, taken at the first solve and kept until its end. Throws InvalidArgument (workspace), as a solve does that
  // needs more.
  void use(const Workspace& workspace);

  // As eigen_g() with the same pointers, which are Pointers::host or Pointers::device as the solver was planned. From the second
  // solve on no device or pinned memory is taken, and no stream, handle or event is made, but device memory where leading dimensions
  // or z in a's place ask for more than before. (A share of the products for a further device, and a calibration that is measured
  // first, take theirs when they are first used.)
  [[nodiscard]] Report solve(const T* a, std::int64_t lda, real_t<T>* w, T* z, std::int64_t ldz);
  [[nodiscard]] Report solve(DevicePointer<T> a, std::int64_t lda, DevicePointer<real_t<T>> w,
                             DevicePointer<T> z, std::int64_t ldz, CUstream_st* stream);

  // solve() on device pointers that does not wait for its end: values, vectors and `a` are the work's in `stream` until that has
  // passed. The host still waits for max |a_ij|, for the divide and conquer's tree, the shapes of its merges of more than 512 rows
  // and whether it has converged; what stands behind, the way back to A's vectors, is queued. So a NaN is thrown and status, failed,
  // m and first are told as by solve(); the report's stages have no seconds, its `seconds` are those until the return. The solver's
  // next solve, on whatever stream, is ordered after this one; use() and the solver's end wait for it; a workspace of the caller's
  // lasts until then. Waits all the same with progress, Devices::multiprocessors, mixed precision, and where products were cut over devices.
  [[nodiscard]] Report enqueue(DevicePointer<T> a, std::int64_t lda, DevicePointer<real_t<T>> w,
                               DevicePointer<T> z, std::int64_t ldz, CUstream_st* stream);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eigen_g
