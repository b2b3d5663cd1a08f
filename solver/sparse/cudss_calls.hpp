// The part of cuDSS 1's interface that eigen_g uses. Handles are opaque, and functions are found at run time, so no header of cuDSS is needed.
// test_cudss_calls compares the numbers with the header, if cuDSS is installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace eigen_g::cudss {

inline constexpr int major_version = 1;  // the enumerators of 0.x are others

using Handle = struct Context*;
using Matrix = struct MatrixData*;
using Data = struct SolverData*;
using Config = struct Settings*;

enum Status : int { success = 0, allocation_failed = 2 };
enum Setting : int { matching = 3, pivot_type = 7, pivot_epsilon = 9, superpanels = 20, deterministic = 24 };
enum Result : int { factor_entries = 1, perturbed_pivots = 2, inertia = 3, memory_estimates = 13 };
enum Phase : int { analysis = 3, factorisation = 4, solution = 1008 };
inline constexpr int no_matching = 0, bunch_kaufman = 6;
inline constexpr int symmetric = 1, upper_triangle = 2, from_zero = 0, column_major = 0;
inline constexpr int int32 = 10, int64 = 24, float64 = 1;  // cudaDataType_t

// cuDSS's functions by their names.
using Create = int (*)(Handle*);
using Destroy = int (*)(Handle);
using GetProperty = int (*)(int property, int* value);
using ConfigCreate = int (*)(Config*);
using ConfigDestroy = int (*)(Config);
using ConfigSet = int (*)(Config, int setting, const void* value, std::size_t bytes);
using DataCreate = int (*)(Handle, Data*);
using DataDestroy = int (*)(Handle, Data);
using DataGet = int (*)(Handle, Data, int result, void* value, std::size_t bytes, std::size_t* written);
using Execute = int (*)(Handle, int phase, Config, Data, Matrix, Matrix x, Matrix b);
using MatrixCreateCsr = int (*)(Matrix*, std::int64_t rows, std::int64_t columns, std::int64_t entries,
                                const void* offsets, const void* ends, const void* column, const void* values,
                                int offset_type, int index_type, int value_type, int matrix_type, int view,
                                int base);
using MatrixCreateDn = int (*)(Matrix*, std::int64_t rows, std::int64_t columns, std::int64_t ld,
                               const void* values, int value_type, int layout);
using MatrixDestroy = int (*)(Matrix);

// The signs of D after a factorisation, as cuDSS reports them.
struct Signs {
  std::int64_t positive = 0, negative = 0, perturbed = 0;
  // True if the signs belong to S: no pivot was changed, and every row has a sign.
  bool believed(std::int64_t n) const { return perturbed == 0 && positive + negative == n; }
};

}  // namespace eigen_g::cudss
