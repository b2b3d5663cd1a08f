// Work on hostile input by a library that may crash or never end on it: in a child process, so that this one goes on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace eigen_g::io {

// What work() returns, by a child process that has this one's memory as it is now; what it writes is lost but for memory mapped
// MAP_SHARED. The child ends with this process, and after `seconds` of processor time. Blocks until it has ended.
// Throws FileError naming `path`: the one that work() throws, a crash or the time as damage that `library` met, no process to be had.
// No other thread may hold a lock that work() takes.
std::string isolated(const std::filesystem::path& path, const char* library, std::int64_t seconds,
                     const std::function<std::string()>& work);

}  // namespace eigen_g::io
