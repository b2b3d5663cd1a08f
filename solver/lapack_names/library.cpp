#include "solver/lapack_names/library.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include "solver/lapack_names/report.hpp"

namespace eigen_g::lapack_names {

namespace {

thread_local bool inside = false;

// Sets the mark of this thread while a call of the library runs: LAPACK calls from there go on to LAPACK.
struct Inside {
  Inside() { inside = true; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { inside = false; }
};

struct Library {
  decltype(&eigen_g_lapack_solve) solve = nullptr;
  bool has_gpu = false;
  pid_t process = 0;  // the process that asked for a GPU
};

#ifdef EIGEN_G_LAPACK_LINKED
Library load() {
  return {&eigen_g_lapack_solve, settings().device != DeviceWish::cpu && eigen_g_lapack_gpu() != 0, getpid()};
}
#else
// The library is not visible to the program (RTLD_LOCAL). Its own symbols come first for it and for the libraries that it brings along
// (RTLD_DEEPBIND), so that it calls the LAPACK with which it was built, and not the program's.
Library load() {
  void* const file = dlopen(EIGEN_G_SONAME, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (!file) {
    warn(dlerror(), EIGEN_G_SONAME);
    return {};
  }
  const auto function =
      reinterpret_cast<decltype(&eigen_g_lapack_solve)>(dlsym(file, "eigen_g_lapack_solve"));
  const auto gpu = reinterpret_cast<decltype(&eigen_g_lapack_gpu)>(dlsym(file, "eigen_g_lapack_gpu"));
  if (!function || !gpu) {
    warn("has no eigen_g_lapack_solve", EIGEN_G_SONAME);
    return {};
  }
  return {function, settings().device != DeviceWish::cpu && gpu() != 0, getpid()};
}
#endif

const Library& library() {
  static const Library loaded = [] {
    const Inside mark;
    return load();
  }();
  return loaded;
}

}  // namespace

bool is_inside() {
  return inside;
}

Solver solver() {
  const Library& loaded = library();
  if (!loaded.solve) return Solver::none;
  if (loaded.has_gpu && loaded.process == getpid()) return Solver::gpu;
  return settings().device == DeviceWish::gpu ? Solver::none : Solver::cpu;
}

std::int64_t solve(Problem& problem) {
  const Inside mark;
  return library().solve(&problem);
}

}  // namespace eigen_g::lapack_names
