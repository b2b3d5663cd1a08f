// isolated(): runs a library that may crash or hang on a hostile file in a child process, so that this process survives.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace eigen_g::io {

// Returns the result of work(), which runs in a forked child process. The child has a copy of this process's memory; its writes are
// lost, except to memory mapped with MAP_SHARED. The child is killed when this process ends or after `seconds` of CPU time.
// Blocks until the child has ended.
// Throws FileError with `path`: the error that work() threw; "damaged" if the child crashed or ran out of time, with the name
// `library`; or "no child process" if fork() failed.
// No other thread may hold a lock that work() takes: fork() copies the lock in its locked state.
std::string isolated(const std::filesystem::path& path, const char* library, std::int64_t seconds,
                     const std::function<std::string()>& work);

}  // namespace eigen_g::io
