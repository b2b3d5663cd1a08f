// Tests of functions whose library is loaded at their first call. Loading itself needs no GPU.
#include <dlfcn.h>

#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "tests/support/faults.hpp"

using namespace eigen_g;
using Catch::Matchers::StartsWith;

static_assert(std::string_view(symbol_name<cublasCreate>().text) == "cublasCreate_v2");
static_assert(std::string_view(symbol_name<&cublasGemmEx_64>().text) == "cublasGemmEx_64");

TEST_CASE("the first of the named libraries that can be loaded is used") {
  const SharedLibrary library({"libnowhere_to_be_found.so.1", "libm.so.6"});
  CHECK(reinterpret_cast<double (*)(double)>(library.find("cos"))(0) == 1);
  CHECK_THROWS_AS(library.find("no_such_function"), DeviceError);
  CHECK_THROWS_WITH(library.find("no_such_function"), "libm.so.6 has no no_such_function");
}

TEST_CASE("the error of a library that cannot be loaded has the loader's words on each file") {
  const std::vector<std::string> files{"libnowhere_to_be_found.so.1", "/nowhere/libother.so"};
  CHECK_THROWS_AS(SharedLibrary(files), DeviceError);
  CHECK_THROWS_WITH(SharedLibrary(files),
                    StartsWith("cannot load libnowhere_to_be_found.so.1: libnowhere_to_be_found.so.1: ") &&
                        ContainsSubstring("; /nowhere/libother.so: "));
}

TEST_CASE("the first call of cuBLAS loads it, in any thread") {
  const auto is_loaded = [] {
    const std::string file = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);
    return dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD) != nullptr;
  };
  (void)devices();
  CHECK_FALSE(is_loaded());
  std::vector<int> majors(4);
  std::vector<std::thread> threads;
  for (int& major : majors)
    threads.emplace_back([&major] { Cublas<cublasGetProperty>::call(MAJOR_VERSION, &major); });
  for (std::thread& thread : threads) thread.join();
  CHECK(majors == std::vector<int>(4, CUBLAS_VER_MAJOR));
  CHECK(is_loaded());
}

TEST_CASE("a call of cuBLAS fails if a test arms it") {
  support::faults::arm(1);
  cublasHandle_t handle = nullptr;
  CHECK_THROWS_WITH(
      [&] { EIGEN_G_CUBLAS(Cublas<cublasCreate>::call(&handle)); }(),
      StartsWith("Cublas<cublasCreate>::call(&handle) failed with CUBLAS_STATUS_EXECUTION_FAILED"));
  CHECK(support::faults::disarm() == 1);
  CHECK(std::string_view(support::faults::last()) == "cublasCreate_v2");
  CHECK(handle == nullptr);
}
