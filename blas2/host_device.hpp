// Functions that the host and the device share.
#pragma once

#include "hybrid/host_device.hpp"
