// For kernels that run under emulation: there is no CUDA, so that no call fails.
#pragma once
