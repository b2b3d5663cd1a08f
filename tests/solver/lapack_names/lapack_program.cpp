// A program that knows LAPACK and nothing of eigen_g. test_lapack_names.cpp starts it with `eigen_g run`. It prints a line for each
// fault, and exits with 1 if there is any.
#include <cblas.h>
#include <dlfcn.h>
#include <lapacke.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

extern "C" void dsterf_(const int* n, double* d, double* e, int* info);

namespace {

using Z = std::complex<double>;
using Vector = std::vector<double>;

int faults = 0;
bool in_xerbla = false;

void require(bool right, const std::string& what) {
  if (right) return;
  std::printf("FAILED: %s\n", what.c_str());
  ++faults;
}

// The same function of the LAPACK behind.
template <class Function>
Function* behind(Function*, const char* name) {
  Dl_info blas;
  dladdr(reinterpret_cast<void*>(&cblas_dgemm), &blas);
  void* const function = dlsym(dlopen(blas.dli_fname, RTLD_LAZY), name);
  if (!function) std::abort();
  return reinterpret_cast<Function*>(function);
}

template <class T>
T entry(int i, int j) {
  const double real = std::sin(1.0 + 13 * i + 7 * j * j);
  if constexpr (std::is_same_v<T, Z>) return {real, i == j ? 0 : std::cos(2.0 + i - 5 * j)};
  return real;
}
template <class T>
T conjugate(T x) {
  if constexpr (std::is_same_v<T, Z>) return std::conj(x);
  return x;
}

// A symmetric or Hermitian matrix whose entries lie within a band.
template <class T>
std::vector<T> matrix(int n, int kd) {
  std::vector<T> a(static_cast<std::size_t>(n) * n);
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n && i <= j + kd; ++i) {
      a[i + j * n] = entry<T>(i, j);
      a[j + i * n] = conjugate(a[i + j * n]);
    }
  return a;
}
Vector positive(int n, int kd) {
  Vector b = matrix<double>(n, kd);
  for (int j = 0; j < n; ++j) b[j + j * n] = 2 * n;
  return b;
}

// max |A z - w B z| over m pairs.
template <class T>
double residual(int n, const std::vector<T>& a, const Vector* b, int m, const double* w, const T* z,
                int ldz) {
  double worst = 0;
  for (int k = 0; k < m; ++k)
    for (int i = 0; i < n; ++i) {
      T sum = 0;
      for (int j = 0; j < n; ++j)
        sum += (a[i + j * n] - w[k] * (b ? (*b)[i + j * n] : (i == j ? 1.0 : 0.0))) * z[j + k * ldz];
      worst = std::max(worst, std::abs(sum));
    }
  return worst;
}
constexpr double small = 1e-10;

Vector packed_of(int n, const Vector& a) {
  Vector ap;
  for (int j = 0; j < n; ++j) ap.insert(ap.end(), &a[j + j * n], &a[j * n] + n);
  return ap;
}
Vector band_of(int n, int kd, const Vector& a) {  // lower
  Vector ab(static_cast<std::size_t>(n) * (kd + 1));
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n && i <= j + kd; ++i) ab[i - j + j * (kd + 1)] = a[i + j * n];
  return ab;
}

void solve(int n) {
  const Vector a = matrix<double>(n, n), b = positive(n, n);
  Vector values(n), w(n), z(n * n);
  Vector copy = a;
  require(LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', n, copy.data(), n, values.data()) == 0,
          "LAPACKE_dsyevd");
  require(residual(n, a, nullptr, n, values.data(), copy.data(), n) < small, "LAPACKE_dsyevd: residual");
  const auto same = [&](const Vector& found, int first, int m) {
    for (int k = 0; k < m; ++k)
      if (!(std::fabs(found[k] - values[first + k]) < small)) return false;
    return true;
  };

  copy = a;
  require(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', n, copy.data(), n, w.data()) == 0 && same(w, 0, n),
          "LAPACKE_dsyev by rows");
  for (const char range : {'A', 'I', 'V'}) {
    const int first = range == 'A' ? 0 : 2, count = range == 'A' ? n : 5;
    const double vl = (values[1] + values[2]) / 2, vu = (values[6] + values[7]) / 2;
    // Room for no more columns than there are pairs, and the entries behind stay as they are.
    const int ldz = n + 1;
    std::vector<double> few(static_cast<std::size_t>(ldz) * count + 1, 77);
    std::vector<int> isuppz(2 * n + 1, 77), ifail(n + 1, 77);
    int m = 0;
    copy = a;
    require(LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', range, 'U', n, copy.data(), n, vl, vu, 3, 7, 0, &m,
                           w.data(), few.data(), ldz, isuppz.data()) == 0 &&
                m == count && same(w, first, count),
            std::string("dsyevr, range ") + range);
    require(residual(n, a, nullptr, count, w.data(), few.data(), ldz) < small, "dsyevr: residual");
    require(few.back() == 77 && few[n] == 77, "dsyevr: z beyond the pairs");
    const bool all = range == 'A';
    require(isuppz[0] == (all ? 1 : 77) && isuppz[1] == (all ? n : 77) && isuppz[2 * n] == 77,
            "dsyevr: isuppz");
    copy = a;
    require(LAPACKE_dsyevx(LAPACK_COL_MAJOR, 'V', range, 'L', n, copy.data(), n, vl, vu, 3, 7, 0, &m,
                           w.data(), few.data(), ldz, ifail.data()) == 0 &&
                m == count && same(w, first, count),
            std::string("dsyevx, range ") + range);
    require(ifail[0] == 0 && ifail[count - 1] == 0 && ifail[n] == 77, "dsyevx: ifail");
  }

  const std::vector<Z> h = matrix<Z>(n, n);
  std::vector<Z> vectors = h;
  require(LAPACKE_zheevd(LAPACK_COL_MAJOR, 'V', 'L', n,
                         reinterpret_cast<lapack_complex_double*>(vectors.data()), n, w.data()) == 0,
          "zheevd");
  require(residual(n, h, nullptr, n, w.data(), vectors.data(), n) < small, "zheevd: residual");

  // A x = w B x: B becomes its Cholesky factor.
  Vector factor = b, right = b;
  copy = a;
  require(LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'L', n, copy.data(), n, factor.data(), n, w.data()) == 0,
          "dsygvd");
  require(residual(n, a, &b, n, w.data(), copy.data(), n) < small, "dsygvd: residual");
  LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, right.data(), n);
  const auto near = [](const Vector& x, const Vector& y) {
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!(std::fabs(x[i] - y[i]) < small)) return false;
    return true;
  };
  require(near(packed_of(n, factor), packed_of(n, right)), "dsygvd: the factor");
  Vector ap = packed_of(n, a), bp = packed_of(n, b), generalised(n);
  require(LAPACKE_dspgvd(LAPACK_COL_MAJOR, 1, 'V', 'L', n, ap.data(), bp.data(), generalised.data(), z.data(),
                         n) == 0 &&
              near(generalised, w) && near(bp, packed_of(n, right)),
          "dspgvd");
  ap = packed_of(n, a);
  require(
      LAPACKE_dspevd(LAPACK_COL_MAJOR, 'V', 'L', n, ap.data(), w.data(), z.data(), n) == 0 && same(w, 0, n),
      "dspevd");
  require(residual(n, a, nullptr, n, w.data(), z.data(), n) < small, "dspevd: residual");
  Vector indefinite = b;
  indefinite[4 + 4 * n] = -1;
  copy = a;
  require(LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'N', 'L', n, copy.data(), n, indefinite.data(), n, w.data()) ==
              n + 5,
          "dsygvd: n + i");

  // Band matrices. dsbgv returns the split Cholesky factor.
  const int kd = 3, kb = 1;
  const Vector band = matrix<double>(n, kd), mass = positive(n, kb);
  Vector ab = band_of(n, kd, band), only(n);
  require(LAPACKE_dsbevd(LAPACK_COL_MAJOR, 'V', 'L', n, kd, ab.data(), kd + 1, w.data(), z.data(), n) == 0,
          "dsbevd");
  require(residual(n, band, nullptr, n, w.data(), z.data(), n) < small, "dsbevd: residual");
  ab = band_of(n, kd, band);
  require(
      LAPACKE_dsbev(LAPACK_COL_MAJOR, 'N', 'L', n, kd, ab.data(), kd + 1, only.data(), z.data(), n) == 0 &&
          near(only, w),
      "dsbev: values");
  // dsbevx returns the Q of the reduction to tridiagonal form too.
  ab = band_of(n, kd, band);
  Vector orthogonal(n * n, 77), product(n * n), t(n * n), few(5 * n + 1, 77);
  std::vector<int> ifail(n);
  int m = 0;
  require(LAPACKE_dsbevx(LAPACK_COL_MAJOR, 'V', 'I', 'L', n, kd, ab.data(), kd + 1, orthogonal.data(), n, 0,
                         0, 3, 7, 0, &m, only.data(), few.data(), n, ifail.data()) == 0 &&
              m == 5 && std::fabs(only[0] - w[2]) < small && std::fabs(only[4] - w[6]) < small &&
              few.back() == 77,
          "dsbevx");
  require(residual(n, band, nullptr, 5, only.data(), few.data(), n) < small, "dsbevx: residual");
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, band.data(), n, orthogonal.data(), n, 0,
              product.data(), n);
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, n, n, n, 1, orthogonal.data(), n, product.data(), n, 0,
              t.data(), n);
  double outside = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (std::abs(i - j) > 1) outside = std::max(outside, std::fabs(t[i + j * n]));
  require(outside < small, "dsbevx: Q");
  ab = band_of(n, kd, band);
  Vector bb = band_of(n, kb, mass), split = bb;
  require(LAPACKE_dsbgv(LAPACK_COL_MAJOR, 'V', 'L', n, kd, kb, ab.data(), kd + 1, bb.data(), kb + 1, w.data(),
                        z.data(), n) == 0,
          "dsbgv");
  require(residual(n, band, &mass, n, w.data(), z.data(), n) < small, "dsbgv: residual");
  LAPACKE_dpbstf(LAPACK_COL_MAJOR, 'L', n, kb, split.data(), kb + 1);
  split.back() = bb.back();  // no entry of the matrix
  require(near(bb, split), "dsbgv: the split factor");

  // The stages, and T.
  copy = a;
  Vector d(n), e(n), tau(n);
  require(LAPACKE_dsytrd(LAPACK_COL_MAJOR, 'L', n, copy.data(), n, d.data(), e.data(), tau.data()) == 0,
          "dsytrd");
  Vector d2 = d, e2 = e, q = copy;
  require(LAPACKE_dstedc(LAPACK_COL_MAJOR, 'I', n, d.data(), e.data(), z.data(), n) == 0 && same(d, 0, n),
          "dstedc");
  require(LAPACKE_dormtr(LAPACK_COL_MAJOR, 'L', 'L', 'N', n, n, copy.data(), n, tau.data(), z.data(), n) == 0,
          "dormtr");
  require(residual(n, a, nullptr, n, d.data(), z.data(), n) < small, "dormtr: residual");
  require(LAPACKE_dorgtr(LAPACK_COL_MAJOR, 'L', n, q.data(), n, tau.data()) == 0, "dorgtr");
  Vector u(n * n);
  d = d2, e = e2;
  require(LAPACKE_dstevd(LAPACK_COL_MAJOR, 'V', n, d.data(), e.data(), u.data(), n) == 0, "dstevd");
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, q.data(), n, u.data(), n, 0, z.data(),
              n);
  require(residual(n, a, nullptr, n, d.data(), z.data(), n) < small, "dorgtr: residual");
  d = d2, e = e2;
  require(LAPACKE_dsterf(n, d.data(), e.data()) == 0 && same(d, 0, n), "dsterf");
}

// LAPACK judges the arguments, and calls this program's xerbla.
void errors(int n) {
  Vector a = matrix<double>(n, n), w(n), work(n * n * 2 + 6 * n + 1);
  std::vector<int> iwork(5 * n + 3);
  int lwork = static_cast<int>(work.size()) - 1, liwork = static_cast<int>(iwork.size()), info = 0;
  LAPACK_dsyevd("V", "L", &n, a.data(), &n, w.data(), work.data(), &lwork, iwork.data(), &liwork, &info);
  require(info == -8 && in_xerbla, "dsyevd: a workspace of one number too few");
  lwork = -1;
  LAPACK_dsyevd("V", "L", &n, a.data(), &n, w.data(), work.data(), &lwork, iwork.data(), &liwork, &info);
  require(info == 0 && work[0] >= 2 * n * n && iwork[0] == 5 * n + 3, "dsyevd: workspace query");
}

// The time that the way through libeigen_g_lapack adds to a call.
void overhead() {
  const auto direct = behind(&dsterf_, "dsterf_");
  require(direct != &dsterf_, "dsterf_ is not LAPACK's own here");
  const int n = 1;
  const auto time = [&](auto* function) {
    double best = 1e9;
    for (int attempt = 0; attempt < 20; ++attempt) {
      const auto start = std::chrono::steady_clock::now();
      for (int k = 0; k < 10000; ++k) {
        double d = 1, e = 0;
        int info = 0;
        function(&n, &d, &e, &info);
      }
      best = std::min(
          best,
          std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / 10000);
    }
    return best;
  };
  const double through = time(&dsterf_), alone = time(direct);
  std::printf("%.0f ns through, %.0f ns alone\n", through, alone);
  require(through - alone < 1000, "a call that goes on takes 1 us");
}

}  // namespace

extern "C" void xerbla_(const char*, const int*, std::size_t) {
  in_xerbla = true;
}

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const int n = argc > 2 ? std::atoi(argv[2]) : 40;
  if (mode == "solve") solve(n);
  if (mode == "errors") errors(n);
  if (mode == "overhead") overhead();
  if (mode == "threads") {
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k) threads.emplace_back(solve, n + k);
    for (std::thread& thread : threads) thread.join();
  }
  if (mode == "fork") {
    solve(n);
    const pid_t child = fork();
    if (child == 0) {
      solve(n);
      std::fflush(nullptr);
      _exit(faults > 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    require(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child's solves");
  }
  return faults > 0;
}
