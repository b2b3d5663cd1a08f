// Rates of the engines on the current GPU, measured or estimated.
#pragma once

#include "gemm_df/engines/engine.hpp"

namespace eigen_g {

class Queue;

// Times each engine on products of 2048 x 2048 entries with 128 and 1024 terms. This takes well under a second, even if double
// is 64 times slower than float. An engine that this build or this GPU does not have gets rate 0. Allocates and frees about 120
// MB of device memory; blocks.
// Throws OutOfMemory, DeviceError. CUDA builds only.
ProductRates measure_engine_rates(const Queue& queue);

// Rates from the GPU's properties, without a measurement. The native rate follows from the rate of float and the ratio of float
// to double. The emulated rate is 0, because no property gives it; so are the rates of products by residues where cuBLAS computes them.
ProductRates estimated_engine_rates(const Queue& queue);

// The rates for products by `wanted`: `known`, unless the choice is automatic and `known` has no native rate. Then they are
// estimated. The driver reports the properties slowly, so nothing is estimated otherwise.
ProductRates rates_to_choose_by(const Queue& queue, Engine wanted, const ProductRates& known);

}  // namespace eigen_g
