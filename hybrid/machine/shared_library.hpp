// Functions of a shared library that is loaded when the first of them is called: until then it costs a process neither time nor
// memory. CUDA builds only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace eigen_g {

// A shared library, loaded for as long as the process lives.
class SharedLibrary {
 public:
  // The first of these that can be loaded; one without a folder by the loader's search: what is loaded already, LD_LIBRARY_PATH, the
  // RUNPATH of the library or program that this code is in, the system's folders. Throws DeviceError with the loader's words on each.
  explicit SharedLibrary(const std::vector<std::string>& files);
  // lib<name>.so.<major> by that search, else in the folder of the CUDA toolkit that this is built with.
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

// A function's name as the linker knows it; a header's macros may have changed the written one (cublasCreate: cublasCreate_v2).
// The compiler tells it, and the program does not refer to the function, which is nowhere to be linked.
template <auto* function>
consteval auto symbol_name() {
  constexpr std::string_view text = __PRETTY_FUNCTION__;  // "... [with auto* function = cublasCreate_v2]"
  constexpr std::size_t first = text.find_first_not_of(" &", text.find('=') + 1);
  constexpr std::string_view found = text.substr(first, text.find_first_of(";]", first) - first);
  SymbolName<found.size()> name;
  std::copy(found.begin(), found.end(), name.text);
  return name;
}

// call(arguments) is the call of library()'s function of that name, looked up once. Throws DeviceError where it cannot be found.
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
