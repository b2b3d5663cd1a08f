// Messages of complex values under emulation.
#pragma once

#include "hybrid/device_complex.cuh"
#include "hybrid/stream/mail.cuh"
