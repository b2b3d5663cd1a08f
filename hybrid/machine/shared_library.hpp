// SharedLibrary and LateCall: functions of a shared library that is loaded at the first call of one of them. A process that
// calls none of them pays neither time nor memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace eigen_g {

// A shared library. It stays loaded until the process ends.
class SharedLibrary {
 public:
  // Loads the first of these files that can be loaded. The loader searches for a name without a folder. It looks among the
  // loaded libraries, then in LD_LIBRARY_PATH, in the RUNPATH of the library or program with this code, and in the system's
  // folders.
  // Throws DeviceError with the loader's message for each file.
  explicit SharedLibrary(const std::vector<std::string>& files);
  // Loads lib<name>.so.<major>, from the loader's search path or else from the folder of the CUDA toolkit of this build.
  // CUDA builds only.
  static SharedLibrary of_toolkit(const std::string& name, int major);

  void* find(const char* function) const;  // throws DeviceError

 private:
  std::string file_;
  void* library_ = nullptr;
};

template <std::size_t n>
struct SymbolName {
  char text[n + 1] = {};
};

// The name of a function in the symbol table, which a header's macros may have changed (cublasCreate: cublasCreate_v2). It is
// cut out of __PRETTY_FUNCTION__ at compile time. The program itself does not refer to the function, so nothing has to be
// linked.
template <auto* function>
consteval auto symbol_name() {
  constexpr std::string_view text = __PRETTY_FUNCTION__;  // "... [with auto* function = cublasCreate_v2]"
  constexpr std::size_t first = text.find_first_not_of(" &", text.find('=') + 1);
  constexpr std::string_view found = text.substr(first, text.find_first_of(";]", first) - first);
  SymbolName<found.size()> name;
  std::copy(found.begin(), found.end(), name.text);
  return name;
}

// call(arguments) calls the function `name` of library(). The function is looked up once. Throws DeviceError if it cannot be
// found.
template <const SharedLibrary& (*library)(), auto name, class Function>
struct LateCall;
template <const SharedLibrary& (*library)(), auto name, class R, class... A>
struct LateCall<library, name, R (*)(A...)> {
  static R call(A... arguments) {
    static const auto function = reinterpret_cast<R (*)(A...)>(library().find(name.text));
    return function(arguments...);
  }
};

}  // namespace eigen_g
