// Times LAPACK's routines through libeigen_g_lapack and in the LAPACK behind, in turns:
//   EIGEN_G_MIN_N=2 EIGEN_G_DEVICE=cpu eigen_g run time_lapack_names ROUNDS N...
// A line has the routine, n, the medians of both in milliseconds, their ratio, and the ratio of the medians of processor time. Below 1 eigen_g is
// faster. On a busy machine the processor time with one thread (OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1) says more than the elapsed time.
#include <cblas.h>
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace {

template <class... Arguments>
void call(void* routine, Arguments... arguments) {
  reinterpret_cast<void (*)(Arguments..., std::size_t, std::size_t, std::size_t)>(routine)(arguments..., 1, 1,
                                                                                           1);
}

template <class T>
using Array = std::vector<T>;

// The arrays of a routine of order n. prepare() restores what the routine overwrites, and is not timed.
template <class T>
struct Data {
  using R = decltype(std::abs(T()));
  int n, kd, il = 1, iu, m = 0, info = 0, lwork, lrwork, liwork, itype = 1, ldab;
  R vl = 0, vu = 0, abstol = 0;
  Array<T> a, b, given, definite, q, z, work, tau, ap, ab, band;
  Array<R> w, d, e, d_given, e_given, rwork;
  Array<int> iwork, ifail;

  explicit Data(int order)
      : n(order),
        kd(10),
        iu(std::max(1, order / 10)),
        lwork(1 + 40 * order + 4 * order * order),
        lrwork(1 + 40 * order + 4 * order * order),
        liwork(6 + 100 * order),
        ldab(11) {
    const auto size = static_cast<std::size_t>(n), square = size * size;
    given.resize(square);
    definite.resize(square);
    band.resize(size * 11);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const int low = std::max(i, j), high = std::min(i, j);
        const auto x = static_cast<R>(std::sin(1.0 + 13 * low + 7.0 * high * high));
        given[i + j * size] = x;
        definite[i + j * size] = i == j ? static_cast<R>(2 * n) : x;
        if (i >= j && i <= j + kd) band[i - j + j * 11] = x;
      }
    a = b = q = z = given;
    ap = band;
    ap.resize(square);
    ab = band;
    work.resize(lwork);
    rwork.resize(lrwork);
    iwork.resize(liwork);
    ifail.resize(2 * size);
    tau.resize(size);
    w.resize(size);
    d = e = d_given = e_given = w;
    for (int j = 0; j < n; ++j) {
      d_given[j] = static_cast<R>(std::sin(1.0 + j));
      e_given[j] = static_cast<R>(std::cos(2.0 + 3 * j));
    }
  }
  void restore() {
    a = given;
    b = definite;
    d = d_given;
    e = e_given;
    ab = band;
    std::copy_n(given.begin(), ap.size(), ap.begin());
  }
};

int rounds = 9;

double seconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The LAPACK behind in a namespace of its own, so that the calls between its routines do not come to eigen_g either.
void* lapack_alone() {
  static void* const library = [] {
    Dl_info blas;
    dladdr(reinterpret_cast<void*>(&cblas_dgemm), &blas);
    return dlmopen(LM_ID_NEWLM, blas.dli_fname, RTLD_NOW);
  }();
  if (!library) std::fprintf(stderr, "%s\n", dlerror());
  return library;
}

void time_routine(const std::string& label, const char* name, int n, const std::function<void()>& prepare,
                  const std::function<void(void*)>& run) {
  void* const routines[] = {dlsym(RTLD_DEFAULT, name), dlsym(lapack_alone(), name)};
  if (!routines[0] || !routines[1]) {
    std::fprintf(stderr, "no %s\n", name);
    std::exit(2);
  }
  std::vector<double> times[2], processor[2];
  for (int round = -1; round < rounds; ++round)
    for (int k = 0; k < 2; ++k) {
      prepare();
      const double start = seconds(CLOCK_MONOTONIC), start_of_processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
      run(routines[k]);
      if (round < 0) continue;
      times[k].push_back(seconds(CLOCK_MONOTONIC) - start);
      processor[k].push_back(seconds(CLOCK_PROCESS_CPUTIME_ID) - start_of_processor);
    }
  const auto median = [](std::vector<double>& list) {
    std::sort(list.begin(), list.end());
    return list[list.size() / 2];
  };
  const double own = median(times[0]), lapack = median(times[1]);
  std::printf("%-16s n %5d  eigen_g %10.4f ms  LAPACK %10.4f ms  ratio %.2f  processor %.2f\n", label.c_str(),
              n, 1e3 * own, 1e3 * lapack, own / lapack, median(processor[0]) / median(processor[1]));
  std::fflush(stdout);
}

template <class T>
void time_real(const std::string& type, int n) {
  Data<T> x(n);
  const auto restore = [&] { x.restore(); };
  const auto each = [&](const char* routine, const char* what, auto&& run) {
    const std::string name = type + routine;
    time_routine(name + what, (name + "_").c_str(), n, restore, run);
  };
  for (const char* jobz : {"N", "V"}) {
    const std::string with = std::string(" ") + jobz;
    each("syevd", with.c_str(), [&](void* f) {
      call(f, jobz, "L", &x.n, x.a.data(), &x.n, x.w.data(), x.work.data(), &x.lwork, x.iwork.data(),
           &x.liwork, &x.info);
    });
    each("syev", with.c_str(), [&](void* f) {
      call(f, jobz, "L", &x.n, x.a.data(), &x.n, x.w.data(), x.work.data(), &x.lwork, &x.info);
    });
    for (const char* range : {"A", "I"})
      each("syevr", (with + range).c_str(), [&](void* f) {
        call(f, jobz, range, "L", &x.n, x.a.data(), &x.n, &x.vl, &x.vu, &x.il, &x.iu, &x.abstol, &x.m,
             x.w.data(), x.z.data(), &x.n, x.ifail.data(), x.work.data(), &x.lwork, x.iwork.data(), &x.liwork,
             &x.info);
      });
    each("syevx", (with + "I").c_str(), [&](void* f) {
      call(f, jobz, "I", "L", &x.n, x.a.data(), &x.n, &x.vl, &x.vu, &x.il, &x.iu, &x.abstol, &x.m, x.w.data(),
           x.z.data(), &x.n, x.work.data(), &x.lwork, x.iwork.data(), x.ifail.data(), &x.info);
    });
    each("sygvd", with.c_str(), [&](void* f) {
      call(f, &x.itype, jobz, "L", &x.n, x.a.data(), &x.n, x.b.data(), &x.n, x.w.data(), x.work.data(),
           &x.lwork, x.iwork.data(), &x.liwork, &x.info);
    });
    each("spevd", with.c_str(), [&](void* f) {
      call(f, jobz, "L", &x.n, x.ap.data(), x.w.data(), x.z.data(), &x.n, x.work.data(), &x.lwork,
           x.iwork.data(), &x.liwork, &x.info);
    });
    each("sbevd", with.c_str(), [&](void* f) {
      call(f, jobz, "L", &x.n, &x.kd, x.ab.data(), &x.ldab, x.w.data(), x.z.data(), &x.n, x.work.data(),
           &x.lwork, x.iwork.data(), &x.liwork, &x.info);
    });
    each("stevd", with.c_str(), [&](void* f) {
      call(f, jobz, &x.n, x.d.data(), x.e.data(), x.z.data(), &x.n, x.work.data(), &x.lwork, x.iwork.data(),
           &x.liwork, &x.info);
    });
    for (const char* range : {"A", "I"})
      each("stevr", (with + range).c_str(), [&](void* f) {
        call(f, jobz, range, &x.n, x.d.data(), x.e.data(), &x.vl, &x.vu, &x.il, &x.iu, &x.abstol, &x.m,
             x.w.data(), x.z.data(), &x.n, x.ifail.data(), x.work.data(), &x.lwork, x.iwork.data(), &x.liwork,
             &x.info);
      });
  }
  each("sterf", "", [&](void* f) { call(f, &x.n, x.d.data(), x.e.data(), &x.info); });
  for (const char* compz : {"I", "V"})
    each("stedc", (std::string(" ") + compz).c_str(), [&](void* f) {
      x.z = x.given;
      call(f, compz, &x.n, x.d.data(), x.e.data(), x.z.data(), &x.n, x.work.data(), &x.lwork, x.iwork.data(),
           &x.liwork, &x.info);
    });
  const auto reduce = [&](void* f) {
    call(f, "L", &x.n, x.a.data(), &x.n, x.w.data(), x.e.data(), x.tau.data(), x.work.data(), &x.lwork,
         &x.info);
  };
  each("sytrd", "", reduce);
  x.restore();
  reduce(dlsym(RTLD_DEFAULT, (type + "sytrd_").c_str()));
  const Array<T> reflectors = x.a;
  for (const char* side : {"L", "R"})
    for (const char* trans : {"N", "T"})
      each("ormtr", (std::string(" ") + side + trans).c_str(), [&](void* f) {
        call(f, side, "L", trans, &x.n, &x.n, reflectors.data(), &x.n, x.tau.data(), x.z.data(), &x.n,
             x.work.data(), &x.lwork, &x.info);
      });
  time_routine(
      type + "orgtr", (type + "orgtr_").c_str(), n, [&] { x.a = reflectors; },
      [&](void* f) { call(f, "L", &x.n, x.a.data(), &x.n, x.tau.data(), x.work.data(), &x.lwork, &x.info); });
}

template <class T>
void time_complex(const std::string& type, int n) {
  Data<T> x(n);
  const auto restore = [&] { x.restore(); };
  const auto each = [&](const char* routine, const char* what, auto&& run) {
    const std::string name = type + routine;
    time_routine(name + what, (name + "_").c_str(), n, restore, run);
  };
  for (const char* jobz : {"N", "V"}) {
    const std::string with = std::string(" ") + jobz;
    each("heevd", with.c_str(), [&](void* f) {
      call(f, jobz, "L", &x.n, x.a.data(), &x.n, x.w.data(), x.work.data(), &x.lwork, x.rwork.data(),
           &x.lrwork, x.iwork.data(), &x.liwork, &x.info);
    });
    for (const char* range : {"A", "I"})
      each("heevr", (with + range).c_str(), [&](void* f) {
        call(f, jobz, range, "L", &x.n, x.a.data(), &x.n, &x.vl, &x.vu, &x.il, &x.iu, &x.abstol, &x.m,
             x.w.data(), x.z.data(), &x.n, x.ifail.data(), x.work.data(), &x.lwork, x.rwork.data(), &x.lrwork,
             x.iwork.data(), &x.liwork, &x.info);
      });
    each("hegvd", with.c_str(), [&](void* f) {
      call(f, &x.itype, jobz, "L", &x.n, x.a.data(), &x.n, x.b.data(), &x.n, x.w.data(), x.work.data(),
           &x.lwork, x.rwork.data(), &x.lrwork, x.iwork.data(), &x.liwork, &x.info);
    });
    each("hbevd", with.c_str(), [&](void* f) {
      call(f, jobz, "L", &x.n, &x.kd, x.ab.data(), &x.ldab, x.w.data(), x.z.data(), &x.n, x.work.data(),
           &x.lwork, x.rwork.data(), &x.lrwork, x.iwork.data(), &x.liwork, &x.info);
    });
  }
  for (const char* compz : {"I", "V"})
    each("stedc", (std::string(" ") + compz).c_str(), [&](void* f) {
      x.z = x.given;
      call(f, compz, &x.n, x.d.data(), x.e.data(), x.z.data(), &x.n, x.work.data(), &x.lwork, x.rwork.data(),
           &x.lrwork, x.iwork.data(), &x.liwork, &x.info);
    });
  const auto reduce = [&](void* f) {
    call(f, "L", &x.n, x.a.data(), &x.n, x.w.data(), x.e.data(), x.tau.data(), x.work.data(), &x.lwork,
         &x.info);
  };
  each("hetrd", "", reduce);
  x.restore();
  reduce(dlsym(RTLD_DEFAULT, (type + "hetrd_").c_str()));
  const Array<T> reflectors = x.a;
  for (const char* side : {"L", "R"})
    for (const char* trans : {"N", "C"})
      each("unmtr", (std::string(" ") + side + trans).c_str(), [&](void* f) {
        call(f, side, "L", trans, &x.n, &x.n, reflectors.data(), &x.n, x.tau.data(), x.z.data(), &x.n,
             x.work.data(), &x.lwork, &x.info);
      });
  time_routine(
      type + "ungtr", (type + "ungtr_").c_str(), n, [&] { x.a = reflectors; },
      [&](void* f) { call(f, "L", &x.n, x.a.data(), &x.n, x.tau.data(), x.work.data(), &x.lwork, &x.info); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  rounds = std::atoi(argv[1]);
  for (int k = 2; k < argc; ++k) {
    const int n = std::atoi(argv[k]);
    time_real<double>("d", n);
    time_real<float>("s", n);
    time_complex<std::complex<double>>("z", n);
    time_complex<std::complex<float>>("c", n);
  }
  return 0;
}
