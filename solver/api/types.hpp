// Types of the public calls: Options (the problem and the method), Devices (CPU and GPUs), Report (the results of a call).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <eigen_g/argument.hpp>
#include <eigen_g/engine.hpp>
#include <eigen_g/error.hpp>
#include <eigen_g/scalar.hpp>
#include <eigen_g/uplo.hpp>

struct CUstream_st;  // cudaStream_t is CUstream_st*. This header needs no CUDA header

namespace eigen_g {

struct Calibration;  // calibration.hpp

// ---- Options

// The route to tridiagonal form.
enum class Path {
  // On a GPU the path that is faster. It depends on n, type, engine and GPU, and on whether vectors are requested. On the CPU the path depends on n
  // and type alone
  automatic,
  one_stage,  // Householder tridiagonalization
  two_stage   // first to a band, then from the band to tridiagonal form
};
const char* name(Path path);                         // "auto", "one_stage", "two_stage"
std::optional<Path> path_of(std::string_view name);  // also "one", "two"

// The stages of a solve. Each path has its own reduction and back-transformation:
//   one-stage   tridiagonalize, back_transform
//   two-stage   full_to_band, chase, back_transform_chase, back_transform_band
enum class Stage {
  load,
  check,
  scale,
  tridiagonalize,
  full_to_band,
  chase,
  divide_and_conquer,
  back_transform_chase,
  back_transform_band,
  back_transform,
  unscale,
  store,
  refine,           // mixed precision only
  cholesky,         // generalised problems only: B = L L^H
  standard_form,    // generalised problems only: the matrix C of the standard problem C y = w y
  back_substitute,  // generalised problems only: the vectors x from the vectors y
};
const char* name(Stage stage);  // "load", "check", ...

// A part of the eigenpairs w_1 <= ... <= w_n.
struct Subset {
  enum class By { all, index, value };
  By by = By::all;
  std::int64_t first = 1, last = 0;  // by index: first <= k <= last, from 1 (LAPACK: il, iu)
  double above = 0, upto = 0;        // by value: above < w_k <= upto (LAPACK: vl, vu); may be infinite

  static Subset by_index(std::int64_t first, std::int64_t last);
  static Subset by_value(double above, double upto);
  // Capacity for a matrix of order n: the largest number of pairs that this subset can hold. w needs this number of values, z this
  // number of columns.
  std::int64_t max_count(std::int64_t n) const;
};

// Progress callback, called from the calling thread: when a stage begins (fraction 0), while it runs, and when it ends (1). A generalised solve
// calls it for the stages of its standard solve only. With a callback the host waits for the end of each stage. The stages tridiagonalize,
// full_to_band and refine report fractions between 0 and 1. On the CPU the chase, the divide and conquer and the back-transformation report them
// too. On a GPU the divide and conquer and the back-transformation report fractions only if they work in slabs (MemoryMode). An exception from the
// callback ends the solve and reaches the caller. The outputs are then undefined.
using Progress = std::function<void(Stage stage, double fraction)>;

// The precision of the stages. `mixed` is for all pairs of a real double matrix on a GPU.
enum class Precision {
  native,  // every stage in the type of the matrix
  // Solves in float, then refines the pairs to double by large products of the chosen engine. It is meant for GPUs that are slow in double. A
  // problem other than all pairs of a real double matrix on a GPU is solved in native precision. A problem for which mixed precision does not
  // succeed is solved in native precision too. Report::refinement says why. A solve that would use mixed precision runs on one whole GPU. With
  // gpus > 1, a given ratio or multiprocessors > 0 it throws InvalidArgument (precision).
  mixed
};
const char* name(Precision precision);  // "native", "mixed"
std::optional<Precision> precision_of(std::string_view name);

struct Options {
  Uplo uplo = Uplo::lower;  // the triangle of A that is read; the other one may hold anything
  bool vectors = true;      // false: values only
  Subset subset = {};       // the pairs to find; their values have the bits of a whole solve
  Path path = Path::automatic;
  // Engine of the large matrix products on a GPU. The CPU always uses native products. automatic chooses by Devices::engine_rates.
  // df and emulated are for real double matrices. The engines by residues (ozaki, ozaki_fast and ozaki_fp8) are for real and complex double
  // matrices. With another type a solve on a GPU throws InvalidArgument (engine). df and emulated need up to 2 GiB of device memory more than
  // native, the engines by residues up to 16 GiB. df loses about one digit of the vectors' accuracy.
  Engine engine = Engine::native;
  Progress progress = {};
  Precision precision = Precision::native;
};

// ---- Devices

// automatic with host pointers takes a GPU if there is one, and if n is large enough or Path::two_stage is requested. Otherwise it takes the CPU.
// automatic with device pointers takes the GPU.
enum class DeviceChoice { automatic, cpu, gpu };

// Proportions of the work in the order GPU[:GPU...]:CPU. Each is finite and >= 0, and at least one is positive. Empty: automatic.
struct Ratio {
  std::vector<double> shares;
  bool automatic() const { return shares.empty(); }
};
// Reads "27:14", "4:4:1", "1", "0.5:1" or "auto". Blanks around a number are ignored. Throws InvalidArgument (ratio).
Ratio parse_ratio(std::string_view text);
// The inverse of parse_ratio(), with the fewest digits that read back to the same doubles.
std::string to_text(const Ratio& ratio);

// Where to solve. The defaults suit most callers: the current GPU if there is one and n is large enough, else the CPU.
struct Devices {
  DeviceChoice device = DeviceChoice::automatic;
  // Number of CPU threads, 0 to 65536. 0: OMP_NUM_THREADS, otherwise the physical cores within the CPU quota of the process. If
  // OPENBLAS_NUM_THREADS is set and OMP_NUM_THREADS is not, 0 stands for all logical processors. An upper limit of `threads` is the
  // number of logical processors that the affinity mask and the quota allow. A larger value is replaced by this limit. A batch on the CPU that
  // solves one matrix in each thread takes by default all logical processors within the quota. Copies between host memory and a GPU take at
  // most 8 threads. If several GPUs do all stages, the load of A takes at most 12 threads for each GPU.
  // On the CPU the reduction, the divide and conquer and the back-transformation take at most one thread below n = 150, 4 below 300, 16 below
  // 1500 and 64 from there on. The CPU's share of a large product has the same limits, with the largest size of the product as n. The results
  // of these stages and products do not depend on the number of threads.
  // By default a call of OpenBLAS takes OpenBLAS's own number of threads, but one thread for orders below 300 and at most 16 below 3000.
  // OpenBLAS has one thread count for the whole process. A call of OpenBLAS with several threads therefore runs alone, and OpenBLAS has the
  // call's thread count meanwhile. Calls of OpenBLAS with one thread run at the same time.
  int threads = 0;

  // Number of GPUs: the first GPU, which is the current one, and gpus - 1 others in CUDA's order.
  // 0: the library chooses the number by predicted seconds, which depend on n, type and number of vectors. `eigen_g predict --gpus` prints
  // predictions. The library takes more GPUs if the matrices need their memory, and one GPU if the stages of the solve cannot be divided.
  // Several GPUs are used in one of two ways.
  //
  // All stages: the GPUs divide the matrices and the work of every stage except the bulge chase. This is for standard problems of all four
  // types on the two-stage path. With Path::two_stage the GPUs divide all stages for every order. With Path::automatic they do so
  // from about the orders in the table on. For a complex type the row of its real type holds.
  //
  //              with vectors   values only
  //   double     5000           10000
  //   float      10000          20000
  //
  // Dividing all stages needs 2 to 8 GPUs of the same model, the native engine and precision, an automatic ratio, and multiprocessors = 0.
  // Device pointers belong to the first GPU. memory_limit and an Allocator are for the first GPU's memory only. A solve with vectors takes
  // about 1/2 + 3/gpus times the bytes of a matrix on the first GPU, 3/gpus times on each other GPU, and some GB of buffers.
  //
  // Columns of the large products: in all other cases the GPUs divide only the columns of the large products. This is for real matrices. The
  // first GPU holds the matrices, and the other GPUs are helper GPUs. The CPU may take columns too. The large products are in the
  // divide and conquer's merges of more than 512 rows, and in the back-transformation from about 1060 rows on. Helper GPUs and the CPU use
  // native products.
  //
  // With the same devices and the same ratio or calibration, results repeat bit for bit.
  int gpus = 1;
  // Ratio of the shares of columns, GPU[:GPU...]:CPU, gpus + 1 numbers. Automatic, float: the first GPU alone.
  // Automatic, double: each product has its own shares. They are chosen so that, by the rates of `calibration`, all devices finish at the same
  // time. A device that would not shorten the product gets 0.
  // Without a calibration, orders below 2000 stay on the first GPU. For larger orders, if a helper may pay, the first solve of a
  // process measures a quick calibration (less than a second), and later solves use it.
  // Shared products need more memory than workspace_bytes(). A helper GPU needs staging memory, and a share of the CPU needs pinned host memory.
  // Both grow with the share. The first GPU needs up to 8 MiB for each 1000 columns of its share.
  Ratio ratio = {};
  // Measured rates of this machine, from read_calibration() or calibrate().
  std::shared_ptr<const Calibration> calibration = {};
  // Measured rates, for Engine::automatic. 0: estimated from the GPU's properties.
  ProductRates engine_rates = {};
  // Largest number of bytes of device memory that a dense solve allocates on the first GPU for its workspace; 0: what is free. The additional
  // memory of the engines other than native, and of shared products, is not a part of the workspace.
  // A solve that needs more takes the next of the fallbacks (Fallback). With the native engine the slabs of MemoryMode::block_columns are as large
  // as memory_limit allows. Small blocks that CUDA and cuBLAS allocate for themselves are not counted. Single stages do not use memory_limit. A
  // batch uses memory_limit only for the problems that its kernels do not solve. eigen_g() solves these. A sparse problem uses memory_limit only
  // if it is solved as a dense matrix.
  std::uint64_t memory_limit = 0;
  // For experiments: use only this number of multiprocessors of the first GPU. 0: all. A GPU can be divided in steps only, for example of 8
  // multiprocessors on compute capability 9.0. The number is rounded up to the next step.
  int multiprocessors = 0;
};

// ---- Report

enum class Status { converged, not_converged };

struct StageWork {
  Stage stage = Stage::load;
  double seconds = 0;
  EngineFlops flops{};  // flops of its matrix products, by engine
};

// Work of one device on the large products. If several GPUs divide all stages: its share of the solve.
struct DeviceWork {
  std::string name;
  int gpu = -1;             // CUDA's number of the GPU; -1: the CPU
  int multiprocessors = 0;  // multiprocessors in use; 0: the CPU
  double share = 1;         // fraction of the products' flops
  // Time on shared products, from the first copy to the last; 0: no product was shared. If several GPUs divide all stages: sum over `stages`.
  double seconds = 0;
  // `bytes` and `flops` are set for one GPU alone, and for several GPUs that divide all stages.
  std::uint64_t bytes = 0;  // GPU memory of the call in addition to a, w, z; 0: not counted for each device
  double flops = 0;         // flops of its matrix products; 0: not counted for each device
  // Several GPUs that divide all stages: the GPU's own seconds and flops of each stage, without its waits for the end of other GPUs' stages. The
  // seconds of full_to_band and of divide_and_conquer contain waits for other GPUs within the stage.
  std::vector<StageWork> stages = {};
};

// Result of mixed precision.
struct Refinement {
  enum class Result {
    native,   // mixed precision was not requested
    refined,  // solved in float and refined
    // Solved in native precision, because ...
    // ... the solve is on a CPU, is of values only or of a subset, the matrix is not real double, or the GPU has too little memory
    // (Report::fallbacks)
    out_of_scope,
    float_failed,  // ... the divide and conquer in float did not converge
    // ... the clusters of eigenvalues that a step cannot separate are too large. A step solves each cluster as a small eigenproblem on the CPU, of
    // order 256 at most. All clusters together must not take too long either
    large_clusters,
    // ... the corrections did not shrink from step to step, or were not small after the last step, or a value was not finite, or a small problem
    // could not be solved
    diverged
  };
  Result result = Result::native;
  int steps = 0;                     // number of refinement steps X := X + X E
  std::int64_t clusters = 0;         // number of clusters that were solved as small problems
  std::int64_t largest_cluster = 0;  // order of the largest cluster that a step cannot separate; 0: none
  double correction = 0;             // Frobenius norm of E in the last step
  double float_seconds = 0;          // time of the solve in float
  double seconds = 0;                // time of the refinement steps
  bool native() const { return result != Result::refined; }
};
const char* name(
    Refinement::Result
        result);  // "native", "refined", "out_of_scope", "float_failed", "large_clusters", "diverged"

// The memory in which a solve on a GPU keeps its n x n matrices between the stages. Z has the eigenvectors of A. U has the eigenvectors of the
// tridiagonal matrix to which A is reduced. A slab is a block of rows of U, or of columns of Z. The columns "GPU" and "host" of the table give
// bytes, and n^2 stands there for the bytes of one matrix. The GPU's bytes are for a real matrix, with vectors, host pointers and large n. The
// host's bytes are in addition to the caller's a and z.
//
//   mode            GPU        host   the reflectors of the reduction   U and Z
//   in_core         3.1 n^2    0      GPU                               GPU
//   parked          2.1 n^2    n^2    host, from the reduction on       GPU
//   slabs           1.1 n^2    n^2    host                              the caller's z; one slab at a time is on the GPU
//   block_columns   0.6 n^2    n^2    host                              the caller's z; one slab at a time is on the GPU
//
// In block_columns the GPU has A in block columns, each from its diagonal block down.
// A solve of values only has two modes, without bytes on the host: in_core with 1.1 n^2, and block_columns with 0.6 n^2.
// The eigenvalues have the same bits in the first three modes. In block_columns they differ by rounding, because the products with A have another
// order of their sums. Their bits in block_columns depend neither on vectors nor on the number of slabs. The vectors differ by rounding between
// all modes.
enum class MemoryMode { in_core, parked, slabs, block_columns };
const char* name(MemoryMode mode);  // "in_core", "parked", "slabs", "block_columns"

// A change to a solve that needs less GPU memory. If the GPU has too little memory, the fallbacks are tried in this order.
enum class Fallback {
  mixed_to_native,    // mixed precision -> native precision
  in_core_to_parked,  // MemoryMode::parked; needs vectors, a standard problem, gpus = 1 and n >= 128
  parked_to_slabs,    // MemoryMode::slabs; needs host pointers
  // MemoryMode::block_columns, from slabs, or from in_core without vectors. Needs host pointers, the two-stage path, a standard problem, gpus = 1 and
  // n >= 128
  to_block_columns,
  two_stage_to_one_stage,  // two-stage path -> one-stage path; needs Path::automatic
  gpu_to_cpu               // GPU -> CPU; needs host pointers and DeviceChoice::automatic
};
// "mixed_to_native", "in_core_to_parked", "parked_to_slabs", "to_block_columns", "two_stage_to_one_stage", "gpu_to_cpu"
const char* name(Fallback fallback);

// Layout of a and z on device pointers. contiguous: lda = n, a is 16-byte aligned, and z is not a. Host pointers: no difference.
enum class MatrixLayout { any, contiguous };

struct WorkspaceBytes {
  std::uint64_t host = 0;
  std::uint64_t device = 0;
};

struct Report {
  Status status = Status::converged;
  // 0: converged. Otherwise a row or an eigenvalue of the tridiagonal matrix to which A is reduced, counted from 1:
  //   - the row of a NaN or an infinity;
  //   - the first row of a small block that the divide and conquer solves directly, and that did not converge;
  //   - the index of an eigenvalue that did not converge (a root of the secular equation of a merge)
  std::int64_t info = 0;
  std::int64_t m = 0;            // number of pairs found: n, or the size of the subset
  std::int64_t first_index = 1;  // index of the first of them in the whole spectrum, from 1
  Path path = Path::one_stage;
  MemoryMode mode = MemoryMode::in_core;
  std::vector<StageWork> stages;    // in the order in which they began
  double seconds = 0;               // time of the whole call, allocation included
  std::vector<DeviceWork> devices;  // the devices that took part, the GPUs before the CPU
  Refinement refinement;
  // The fallbacks from the requested solve to the one that ran, in their order. Empty: the GPU had enough memory. A Solver keeps its
  // fallbacks, and each of its later reports repeats them.
  std::vector<Fallback> fallbacks = {};
  WorkspaceBytes bytes;  // memory of the call in addition to a, w, z; device: sum over all GPUs
  // MemoryMode::slabs and block_columns: the number of slabs of rows of U, and of slabs of columns of Z. 0: there are no slabs.
  std::int64_t slabs_of_rows = 0, slabs_of_columns = 0;
  double seconds_of(Stage stage) const;  // sum over all entries of this stage
};

}  // namespace eigen_g
