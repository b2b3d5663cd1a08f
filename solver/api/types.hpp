// What a solve is asked for, where it is done, and what it tells: the types of the public calls.
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

#include <eigen_g/engine.hpp>
#include <eigen_g/error.hpp>
#include <eigen_g/scalar.hpp>
#include <eigen_g/uplo.hpp>

struct CUstream_st;  // cudaStream_t is CUstream_st*; no CUDA header is needed to use this one

namespace eigen_g {

struct Calibration;  // calibration.hpp

// ---- what is wanted

// How a matrix becomes tridiagonal.
enum class Path {
  automatic,
  one_stage,  // Householder tridiagonalization
  two_stage   // to a band, and the band to tridiagonal form; on a GPU
};
const char* name(Path path);                         // "auto", "one_stage", "two_stage"
std::optional<Path> path_of(std::string_view name);  // also "one", "two"

// What a solve goes through, as far as its path has it.
// Of two stages: full_to_band and chase, later chase_back and band_back; of one: tridiagonalize, later back_transform.
enum class Stage {
  transfer,
  check,
  scale,
  tridiagonalize,
  full_to_band,
  chase,
  divide_and_conquer,
  chase_back,
  band_back,
  back_transform,
  unscale,
  refine  // of mixed precision
};
const char* name(Stage stage);  // "transfer", "check", ...

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

// Called from the calling thread as a stage begins (0), goes on, and ends (1); who is told waits for each stage's end. An
// exception thrown from it abandons the solve and reaches the caller; outputs are then undefined.
using Progress = std::function<void(Stage stage, double fraction)>;

// How all pairs of a real matrix of doubles are found on one GPU.
enum class Precision {
  native,
  // The pipeline in float, and its pairs refined to double by large products of the engine that is chosen: for GPUs that are
  // slow in double. The plain solver takes over where that does not pay off; Report::refinement tells.
  mixed
};
const char* name(Precision precision);  // "native", "mixed"
std::optional<Precision> precision_of(std::string_view name);

struct Options {
  Uplo uplo = Uplo::lower;  // the triangle of A that is read; the other one may hold anything
  bool vectors = true;      // false: values only
  Subset subset = {};  // the pairs that are wanted; the values have the same bits as those of a whole solve
  Path path = Path::automatic;
  // Of the large matrix products on a GPU (a CPU's are native). df and emulated take up to 2 GiB of device memory more;
  // df costs about one decimal digit of the vectors' accuracy. Automatic goes by Devices::engine_rates.
  Engine engine = Engine::native;
  Progress progress = {};
  Precision precision = Precision::native;
};

// ---- where

enum class Place { automatic, cpu, gpu };

// Shares of the work in the order of the device list, each >= 0 and finite, one of them positive; only their
// proportions count. Empty: automatic.
struct Ratio {
  std::vector<double> parts;
  bool automatic() const { return parts.empty(); }
};
// "27:14", "4:4:1", "1", "0.5:1", "auto"; blanks around a share are ignored. Throws InvalidArgument (ratio).
Ratio parse_ratio(std::string_view text);
// The same with the shortest digits that read back to the same doubles.
std::string to_text(const Ratio& ratio);

// The defaults serve nearly everybody: the current GPU where there is one and n is worth it, else the CPU.
struct Devices {
  Place place = Place::automatic;
  // CPU threads, from 0 to 65536; 0: as many as OpenBLAS takes by itself; more than there are processors: one each. Orders below
  // 300 take one. Calls at the same time may give different numbers: each has its turns at OpenBLAS, with one thread side by side,
  // with more one after the other. During a turn OpenBLAS's number of threads, which is one for the process, is the turn's.
  int threads = 0;

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
  Ratio ratio = {};
  std::shared_ptr<const Calibration> calibration = {};  // of this machine: read_calibration(), calibrate()
  // Rates of the engines, for an automatic one; where they are 0, by the figures of the GPU.
  ProductRates engine_rates = {};
  // For experiments: only so many multiprocessors of the first GPU, rounded up to what it can do; 0: all.
  int multiprocessors = 0;
};

// ---- what was done

enum class Status { converged, not_converged };

struct StageWork {
  Stage stage = Stage::transfer;
  double seconds = 0;
  EngineFlops flops{};  // of its matrix products, by engine
};

// What a device did of the large products.
struct DeviceWork {
  std::string name;
  int gpu = -1;             // CUDA's number; -1: the CPU
  int multiprocessors = 0;  // of the GPU that were in use
  double share = 1;         // of the products' flops
  double seconds = 0;  // from its first copy to its last in those that were cut over devices; 0: none was
};

// What mixed precision did.
struct Refinement {
  enum class Way {
    native,   // it was not asked for
    refined,  // float's pairs, refined
    out_of_scope,  // the plain solver from the start: a CPU, values only, a subset, a matrix that is not of real doubles
    not_in_float,  // the plain solver in the end: float's divide and conquer did not converge,
    clusters,  // values that float does not tell apart come in clusters of more than a small problem's order,
    diverged   // or the steps did not shrink
  };
  Way way = Way::native;
  int steps = 0;                     // X := X + X E
  std::int64_t clusters = 0;         // whose small problems were solved
  std::int64_t largest_cluster = 0;  // of values too close for a step; 0: none
  double correction = 0;             // |E| of the last step, Frobenius
  double float_seconds = 0;          // until float's pairs are there
  double seconds = 0;                // of the steps
  bool plain() const { return way != Way::refined; }
};
const char* name(
    Refinement::Way way);  // "native", "refined", "out_of_scope", "not_in_float", "clusters", "diverged"

// Of matrices on device pointers; packed: lda = n, a on 16 bytes, z elsewhere. Host pointers have no difference.
enum class MatrixLayout { any, packed };

struct WorkspaceBytes {
  std::uint64_t host = 0;
  std::uint64_t device = 0;
};

struct Report {
  Status status = Status::converged;
  std::int64_t failed = 0;  // not_converged: LAPACK's info of the divide and conquer, or a row of T
  std::int64_t m = 0;       // pairs found: n, or as many as the subset holds
  std::int64_t first = 1;   // number of the first of them among all, from 1
  Path path = Path::one_stage;
  std::vector<StageWork> stages;    // in the order in which they began; the two transfers are two
  double seconds = 0;               // whole call, allocation included
  std::vector<DeviceWork> devices;  // that took part, the GPU first
  Refinement refinement;
  WorkspaceBytes bytes;  // that the call held itself, beside the caller's A, w, Z; device: on all GPUs
  double seconds_of(Stage stage) const;  // of all of this kind
};

}  // namespace eigen_g
