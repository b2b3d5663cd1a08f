// The rates of the engines on the GPU at hand.
#pragma once

#include "gemm_df/engines/engine.hpp"

namespace eigen_g {

class Queue;

// Times each engine on products of a few thousand rows and columns with 128 and 1024 terms: well under a second, also
// where double is 1/64 of float. An engine that this build or this GPU does not have keeps the rate 0. Takes and
// frees about 120 MB of device memory; blocks. Throws OutOfMemory, DeviceError. CUDA builds only.
ProductRates measure_engine_rates(const Queue& queue);

// What the GPU's own figures promise, nothing measured: native in proportion to the ratio of its float and its double
// rate, emulated not at all.
ProductRates estimated_engine_rates(const Queue& queue);

// Of products by `wanted`: `known`, or where these name no native rate and the choice is automatic, estimates, whose figures the
// GPU tells slowly.
ProductRates rates_to_choose_by(const Queue& queue, Engine wanted, const ProductRates& known);

}  // namespace eigen_g
