#include "solver/lapack_names/behind.hpp"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace eigen_g::lapack_names {

namespace {

// The lock that a thread holds while it calls the dynamic loader, whose own locks are not released in a child of fork().
pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
[[maybe_unused]] const int registered =
    pthread_atfork([] { pthread_mutex_lock(&loading); }, [] { pthread_mutex_unlock(&loading); },
                   [] { pthread_mutex_unlock(&loading); });

class Loading {
 public:
  Loading() { pthread_mutex_lock(&loading); }
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;
  ~Loading() { pthread_mutex_unlock(&loading); }
};

constexpr char own = 0;  // its address shows which library this one is

bool is_own(const void* symbol) {
  Dl_info here, there;
  return dladdr(&own, &here) != 0 && dladdr(symbol, &there) != 0 && here.dli_fbase == there.dli_fbase;
}

// The file names of the loaded libraries. They are copied: the loader's list is locked while it is read.
struct LoadedLibraries {
  static constexpr int most = 4096;
  char* names[most] = {};
  int count = 0;

  LoadedLibraries() {
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* all) {
          auto& self = *static_cast<LoadedLibraries*>(all);
          if (info->dlpi_name && *info->dlpi_name && self.count < most)
            if (char* const name = strdup(info->dlpi_name)) self.names[self.count++] = name;
          return 0;
        },
        this);
  }
  LoadedLibraries(const LoadedLibraries&) = delete;
  LoadedLibraries& operator=(const LoadedLibraries&) = delete;
  ~LoadedLibraries() {
    for (int i = 0; i < count; ++i) std::free(names[i]);
  }
};

// Extra arguments do no harm: the caller removes them.
template <std::size_t... k>
void call_with(void* routine, void* const* arguments, std::index_sequence<k...>) {
  using Function = void (*)(decltype(static_cast<void>(k), static_cast<void*>(nullptr))..., std::size_t,
                            std::size_t, std::size_t);
  reinterpret_cast<Function>(routine)(arguments[k]..., 1, 1, 1);
}

template <std::size_t... k>
void* call_foreign_with(void* function, void* const* arguments, const double* x, std::index_sequence<k...>) {
  using Function = void* (*)(decltype(static_cast<void>(k), static_cast<void*>(nullptr))..., double, double,
                             double, double, double, double, double, double);
  return reinterpret_cast<Function>(function)(arguments[k]..., x[0], x[1], x[2], x[3], x[4], x[5], x[6],
                                              x[7]);
}

template <std::size_t... count>
constexpr auto callers(std::index_sequence<count...>) {
  return std::array{+[](void* routine, void* const* arguments) {
    call_with(routine, arguments, std::make_index_sequence<count>());
  }...};
}
template <std::size_t... count>
constexpr auto foreign_callers(std::index_sequence<count...>) {
  return std::array{+[](void* function, void* const* arguments, const double* reals) {
    return call_foreign_with(function, arguments, reals, std::make_index_sequence<count>());
  }...};
}

// The function `name` of the library that holds `symbol`; null: there is none. With `or_needed` a library that this one needs may have it.
void* find_near(const void* symbol, const char* name, bool or_needed) {
  const Loading one_thread;
  Dl_info here, there;
  if (dladdr(symbol, &here) == 0) return nullptr;
  void* const library = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return nullptr;
  void* const found = dlsym(library, name);
  dlclose(library);
  if (!found || or_needed) return found;
  return dladdr(found, &there) != 0 && here.dli_fbase == there.dli_fbase ? found : nullptr;
}

}  // namespace

void* find_behind(const char* name) {
  const Loading one_thread;
  if (void* const next = dlsym(RTLD_NEXT, name); next && !is_own(next)) return next;
  const LoadedLibraries loaded;
  for (int i = 0; i < loaded.count; ++i) {
    void* const library = dlopen(loaded.names[i], RTLD_LAZY | RTLD_NOLOAD);
    if (!library) continue;
    if (void* const found = dlsym(library, name); found && !is_own(found)) return found;
    dlclose(library);
  }
  return nullptr;
}

bool library_has(const void* symbol, const char* name) {
  return find_near(symbol, name, false) != nullptr;
}

bool has_long_integers(const void* symbol) {
  using Ilaver = void (*)(void* major, void* minor, void* patch);
  const auto ilaver = reinterpret_cast<Ilaver>(find_near(symbol, "ilaver_", false));
  if (!ilaver) return false;
  std::int64_t version[] = {-1, -1, -1};  // a 32-bit integer leaves the upper half as it is
  ilaver(&version[0], &version[1], &version[2]);
  return version[0] >= 0;
}

ThreadCount* thread_count_of(const void* symbol) {
  for (const char* name :
       {"openblas_get_num_threads", "openblas_get_num_threads64_", "scipy_openblas_get_num_threads",
        "scipy_openblas_get_num_threads64_", "MKL_Get_Max_Threads"})
    if (void* const found = find_near(symbol, name, true)) return reinterpret_cast<ThreadCount*>(found);
  return nullptr;
}

void call_behind(void* routine, void* const* arguments, int count) {
  static constexpr auto of_count = callers(std::make_index_sequence<32>());
  of_count[static_cast<std::size_t>(count)](routine, arguments);
}

void* call_foreign(void* function, void* const* arguments, int count, const double* reals) {
  static constexpr auto of_count = foreign_callers(std::make_index_sequence<32>());
  return of_count[static_cast<std::size_t>(count)](function, arguments, reals);
}

}  // namespace eigen_g::lapack_names
