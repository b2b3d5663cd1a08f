// All eigenvalues, and if wanted all eigenvectors, of a dense real symmetric matrix in double precision:
//
//   A = Z diag(w) Z^T,   w_1 <= w_2 <= ... <= w_n,   Z^T Z = I.
//
// One stage: Householder tridiagonalization, divide and conquer, back-transformation; on a GPU where there is
// one, else on the CPU through LAPACK. This is the library's one header for C++; eigen_g.h is the one for C.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <eigen_g/engine.hpp>
#include <eigen_g/error.hpp>
#include <eigen_g/split.hpp>
#include <eigen_g/uplo.hpp>

struct CUstream_st;  // cudaStream_t is CUstream_st*; no CUDA header is needed to use this one

namespace eigen_g {

struct Calibration;  // hybrid/calibration.hpp

enum class DeviceChoice { automatic, cpu, gpu };

enum class Stage { transfer, check, scale, tridiagonalize, divide_and_conquer, back_transform, unscale };
inline constexpr std::array<Stage, 7> all_stages{
    Stage::transfer,           Stage::check,          Stage::scale,  Stage::tridiagonalize,
    Stage::divide_and_conquer, Stage::back_transform, Stage::unscale};
const char* name(Stage stage);  // "transfer", "check", ...

enum class Status { converged, not_converged };

// Which of the eigenpairs w_1 <= ... <= w_n are wanted.
struct Subset {
  enum class By { all, number, value };
  By by = By::all;
  std::int64_t first = 1, last = 0;  // by number: first <= k <= last, counted from 1 (LAPACK's il and iu)
  double above = 0, upto = 0;        // by value: above < w_k <= upto (LAPACK's vl and vu), may be infinite

  static Subset numbers(std::int64_t first, std::int64_t last);
  static Subset values(double above, double upto);
  // At most so many pairs of a matrix of order n: room that w and z need, in values and in columns.
  std::int64_t most(std::int64_t n) const;
};

struct Options {
  Uplo uplo = Uplo::lower;  // the triangle of A that is read; the other one may hold anything
  bool vectors = true;      // false: values only
  Subset subset;  // the pairs that are wanted; the values have the same bits as those of a whole solve
  DeviceChoice device = DeviceChoice::automatic;
  // Of the large matrix products on a GPU (a CPU's are native). df and emulated take up to 2 GiB of device memory more;
  // df costs about one decimal digit of the vectors' accuracy. Automatic goes by engine_rates where they are set
  // (measure_engine_rates), else by the figures of the GPU.
  Engine engine = Engine::native;
  ProductRates engine_rates;
  int threads = 0;  // CPU threads; 0: as many as OpenBLAS takes by itself

  // On a GPU: which devices take columns of the large products (of merges of more than 512 rows in the divide and conquer,
  // and of the back-transformation from about 1060 rows on): the GPU that holds the matrices, `gpus` - 1 further ones in
  // CUDA's order, the CPU. Products on the further ones and on the CPU are native. For fixed devices and a fixed ratio, or
  // the same calibration, results repeat bit for bit.
  int gpus = 1;
  // Shares of these devices, GPU[:GPU...]:CPU, `gpus` + 1 of them. Automatic: of each product the shares with which all finish
  // together by `calibration`, none where one does not pay. Without a calibration n below 2000 stays on the first GPU; above,
  // where helpers may pay, the first solve of a process measures a quick one, in less than a second, for all that follow. A
  // device with a share takes memory in proportion beyond workspace_bytes(): staging on that device (for the CPU pinned host
  // memory), up to 4 MiB for each 1000 columns on the first GPU.
  Ratio ratio;
  std::shared_ptr<const Calibration> calibration;  // of this machine: read_calibration(), calibrate()
  // For experiments: only so many multiprocessors of the first GPU, rounded up to what it can do; 0: all.
  int gpu_sms = 0;

  // Called from the calling thread as a stage begins (0), goes on, and ends (1). An exception thrown from it
  // abandons the solve and reaches the caller; outputs are then undefined.
  std::function<void(Stage, double fraction)> progress;
};

// What a device did of the large products.
struct DeviceWork {
  std::string name;
  double share = 1;    // of their flops
  double seconds = 0;  // from its first copy to its last in those that were cut over devices; 0: none was
  std::string engine;
};

// What a solve did.
struct Report {
  Status status = Status::converged;
  std::int64_t failed = 0;  // not_converged: LAPACK's info of the divide and conquer, or a row of T
  std::int64_t m = 0;       // pairs found: n, or as many as the subset holds
  std::int64_t first = 1;   // number of the first of them among all, from 1
  std::array<double, all_stages.size()> stage_seconds{};  // by static_cast<int>(Stage)
  double seconds = 0;                                     // whole call, allocation included
  std::vector<std::string> devices;                       // that took part, the GPU first
  // Of the large products: as asked for ("27:14"); of an automatic choice "1", or what came out in percent, "83:17", in
  // the order of devices.
  std::string ratio = "1";
  std::vector<DeviceWork> work;  // in the order of devices
  // Of the matrix products: "native", "df", "df+native" (the one with the most flops first); where the stages differ
  // "tridiagonalize native, divide_and_conquer df, back_transform df+native".
  std::string engine = "native";
  std::uint64_t host_bytes = 0;    // workspace, without the caller's A, w, Z
  std::uint64_t device_bytes = 0;  // device memory that the call took itself, on all GPUs
  double seconds_of(Stage stage) const { return stage_seconds[static_cast<std::size_t>(stage)]; }
};

// Host pointers.
//   a       n x n, leading dimension lda >= max(1, n), host memory, in, not changed; only options.uplo's
//           triangle is read
//   w       n values, host, out, ascending
//   z       n x n, leading dimension ldz >= max(1, n), host, out: column k belongs to w[k], 2-norm 1, sign free.
//           With options.vectors false neither read nor written; may then be null. z may be a itself.
// With options.subset the first report.m values and columns hold what was found; w and z need room for
// subset.most(n) of them, and what lies behind the m-th within that room is undefined.
// Blocks until done.
// Throws InvalidArgument (NonFiniteEntry for a NaN or an infinity in the triangle), OutOfMemory, DeviceError.
// Cost: 4/3 n^3 flops and 4/3 n^3 bytes for the tridiagonalization, at most 4/3 n^3 flops for the divide and
// conquer, 2 n^3 for the back-transformation.
// LAPACK: dsyevd (dsytrd, dstedc, dormtr); Eigen-G (IPSJ SIG).
Report eigen_g(std::int64_t n, const double* a, std::int64_t lda, double* w, double* z, std::int64_t ldz,
               const Options& options = {});

// Device pointers, on the GPU that holds them.
//   a_dev   n x n, lda, device memory, in; destroyed (both triangles)
//   w_dev   n values, device, out
//   z_dev   n x n, ldz, device, out; null with options.vectors false. z_dev may be a_dev itself with ldz = lda; else the
//           two must not overlap. Even leading dimensions and 16-byte alignment of both are fastest.
//   stream  the work is ordered after what the stream holds and is complete when the call returns; null: the
//           default stream
// Host memory that the GPU cannot use is an InvalidArgument here, as device memory is above, and so is options.device cpu.
// Everything else as above.
Report eigen_g(std::int64_t n, double* a_dev, std::int64_t lda, double* w_dev, double* z_dev,
               std::int64_t ldz, CUstream_st* stream, const Options& options = {});

// Values and vectors with their memory, for callers who do not want to keep their own.
struct Solution {
  std::vector<double> values;
  std::vector<double> vectors;  // n x report.m column-major, empty without vectors
  Report report;
};
Solution solve(std::int64_t n, const double* a, std::int64_t lda, const Options& options = {});

// Bytes that eigen_g() takes at most for itself beyond a, w, z. With these three, an n x n solve on a GPU needs
//
//   all vectors   3.2 n^2 doubles of device memory for n >= 6000, 3 n^2 + 1200 n for smaller ones, from host and from
//                 device pointers
//   values only   n^2 + O(n) from host pointers, 2 n^2 + O(n) from device pointers
//
// (a subset by number from device pointers takes n x n for itself beside z; z_dev in a_dev's place takes as much itself as
// it saves the caller). Where more is needed than is free, eigen_g() throws OutOfMemory with both figures before any work.
struct WorkspaceBytes {
  std::uint64_t host = 0;
  std::uint64_t device = 0;
};
enum class Pointers { host, device };
WorkspaceBytes workspace_bytes(std::int64_t n, bool vectors, bool on_gpu, Pointers pointers = Pointers::host,
                               const Subset& subset = {});

// Starts the current GPU and loads what a first solve otherwise waits for (0.2 to 0.4 s on an H200). For a thread of its own
// beside other work, such as reading the matrix; no solve needs it. Does nothing where there is no GPU. Throws DeviceError.
void start_gpu();

// Between calls a thread keeps for each GPU that it used: a stream, a cuBLAS handle, at most 64 MiB of device memory and
// 64 MiB and 36 n bytes of pinned host memory; and for all of them together up to seven sleeping threads, for transfers
// from and to host pointers. This frees what the calling thread keeps; its end does so too.
void release_kept();

// "0.1.0"
const char* version();

}  // namespace eigen_g
