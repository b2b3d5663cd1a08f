#include "apps/support/exit_codes.hpp"

#include <array>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

#include "apps/io/file_error.hpp"
#include "apps/support/text.hpp"
#include "solver/devices/calibration.hpp"

namespace eigen_g::apps {

namespace {

constexpr std::array<std::pair<ExitCode, const char*>, 8> meanings{{
    {ExitCode::done, "done"},
    {ExitCode::internal, "internal error"},
    {ExitCode::usage, "invalid usage: unknown option, invalid or conflicting value"},
    {ExitCode::file, "a file cannot be read or written, or holds no valid matrix"},
    {ExitCode::not_verified,
     "verification failed, no convergence, B not positive definite, or values beyond the type; no result is "
     "written"},
    {ExitCode::memory, "not enough memory"},
    {ExitCode::device, "device error, or no GPU with --device gpu"},
    {ExitCode::interrupted, "interrupted; no unfinished file is left"},
}};

// Replaces control characters, which a file name may contain, so that the message is one line and moves no cursor.
std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

Failure classify(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const UsageError& e) {
    return {ExitCode::usage, e.what()};
  } catch (const io::FileError& e) {
    return {ExitCode::file, e.what()};
  } catch (const CalibrationError& e) {
    return {ExitCode::file, e.what()};
  } catch (const NonFiniteEntry& e) {
    return {ExitCode::file, e.what()};
  } catch (const InvalidArgument& e) {
    return {ExitCode::usage, e.what()};
  } catch (const OutOfMemory& e) {
    return {ExitCode::memory, e.what()};
  } catch (const std::bad_alloc&) {
    return {ExitCode::memory, "not enough memory on the host"};
  } catch (const DeviceError& e) {
    return {ExitCode::device, e.what()};
  } catch (const std::filesystem::filesystem_error& e) {
    return {ExitCode::file, e.what()};
  } catch (const std::system_error& e) {
    if (e.code() == std::errc::resource_unavailable_try_again || e.code() == std::errc::not_enough_memory)
      return {ExitCode::memory, "not enough memory on the host: a thread cannot be started"};
    return {ExitCode::internal, std::string("internal error: ") + e.what()};
  } catch (const std::exception& e) {
    return {ExitCode::internal, std::string("internal error: ") + e.what()};
  } catch (...) {
    return {ExitCode::internal, "internal error"};
  }
}

}  // namespace

Failure failure_of(const std::exception_ptr& error) {
  Failure failure = classify(error);
  failure.message = one_line(std::move(failure.message));
  return failure;
}

std::string exit_code_help() {
  std::string text = "Exit codes:\n";
  for (const auto& [code, meaning] : meanings) text += print("  %3d  %s\n", static_cast<int>(code), meaning);
  return text;
}

}  // namespace eigen_g::apps
