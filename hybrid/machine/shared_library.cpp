#include "hybrid/machine/shared_library.hpp"

#include <dlfcn.h>

#include <mutex>

#include "hybrid/error.hpp"
#include "hybrid/machine/fork.hpp"

namespace eigen_g {

SharedLibrary::SharedLibrary(const std::vector<std::string>& files) {
  std::string why_not;
  const std::lock_guard lock(loading());
  for (const std::string& file : files) {
    library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    file_ = file;
    if (library_) return;
    why_not += (why_not.empty() ? "" : "; ") + std::string(dlerror());
  }
  throw DeviceError("cannot load " + files.front() + ": " + why_not);
}

#ifdef EIGEN_G_TOOLKIT_FOLDER
SharedLibrary SharedLibrary::of_toolkit(const std::string& name, int major) {
  const std::string file = "lib" + name + ".so." + std::to_string(major);
  return SharedLibrary({file, EIGEN_G_TOOLKIT_FOLDER "/" + file});
}
#endif

void* SharedLibrary::find(const char* function) const {
  const std::lock_guard lock(loading());
  if (void* const found = dlsym(library_, function)) return found;
  throw DeviceError(file_ + " has no " + function);
}

}  // namespace eigen_g
