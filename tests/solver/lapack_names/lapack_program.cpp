// A program that knows LAPACK and nothing of eigen_g. test_lapack_names.cpp starts it with `eigen_g run`. It prints a line for each
// fault, and exits with 1 if there is any.
#include <cblas.h>
#include <dlfcn.h>
#include <lapacke.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

extern "C" void dsterf_(const int* n, double* d, double* e, int* info);

namespace {

using Z = std::complex<double>;
using Vector = std::vector<double>;

std::atomic<int> faults = 0;
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

// max |A z - w B z| and max |z^H B z - 1| over m pairs.
template <class T>
double residual(int n, const std::vector<T>& a, const Vector* b, int m, const double* w, const T* z,
                int ldz) {
  double worst = 0;
  for (int k = 0; k < m; ++k) {
    T norm = 0;
    for (int i = 0; i < n; ++i) {
      T sum = 0, of_b = 0;
      for (int j = 0; j < n; ++j) {
        sum += a[i + j * n] * z[j + k * ldz];
        of_b += (b ? (*b)[i + j * n] : (i == j ? 1.0 : 0.0)) * z[j + k * ldz];
      }
      worst = std::max(worst, std::abs(sum - w[k] * of_b));
      norm += conjugate(z[i + k * ldz]) * of_b;
    }
    worst = std::max(worst, std::abs(norm - 1.0));
  }
  return worst;
}
// X^H A Y by columns; all are n x n.
template <class T>
std::vector<T> product(int n, const std::vector<T>& x, const std::vector<T>& a, const std::vector<T>& y) {
  std::vector<T> ay(n * n), result(n * n);
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < n; ++i) ay[i + j * n] += a[i + k * n] * y[k + j * n];
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k) result[i + j * n] += conjugate(x[k + i * n]) * ay[k + j * n];
  return result;
}
// The largest entry of A - 1 in diagonals other than the first `diagonals` on each side.
template <class T>
double largest_outside(int n, const std::vector<T>& a, int diagonals) {
  double largest = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (std::abs(i - j) >= diagonals)
        largest = std::max(largest, std::abs(a[i + j * n] - (i == j ? 1.0 : 0.0)));
  return largest;
}
template <class T>
double distance(const std::vector<T>& x, const std::vector<T>& y) {
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i] - y[i]));
  return largest;
}
lapack_complex_double* of_lapack(Z* z) {
  return reinterpret_cast<lapack_complex_double*>(z);
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
  Vector orthogonal(n * n, 77), few(5 * n + 1, 77);
  std::vector<int> ifail(n);
  int m = 0;
  require(LAPACKE_dsbevx(LAPACK_COL_MAJOR, 'V', 'I', 'L', n, kd, ab.data(), kd + 1, orthogonal.data(), n, 0,
                         0, 3, 7, 0, &m, only.data(), few.data(), n, ifail.data()) == 0 &&
              m == 5 && std::fabs(only[0] - w[2]) < small && std::fabs(only[4] - w[6]) < small &&
              few.back() == 77,
          "dsbevx");
  require(residual(n, band, nullptr, 5, only.data(), few.data(), n) < small, "dsbevx: residual");
  require(largest_outside(n, product(n, orthogonal, band, orthogonal), 2) < small, "dsbevx: Q");
  ab = band_of(n, kd, band);
  Vector bb = band_of(n, kb, mass), split = bb;
  require(LAPACKE_dsbgv(LAPACK_COL_MAJOR, 'V', 'L', n, kd, kb, ab.data(), kd + 1, bb.data(), kb + 1, w.data(),
                        z.data(), n) == 0,
          "dsbgv");
  require(residual(n, band, &mass, n, w.data(), z.data(), n) < small, "dsbgv: residual");
  LAPACKE_dpbstf(LAPACK_COL_MAJOR, 'L', n, kb, split.data(), kb + 1);
  split.back() = bb.back();  // no entry of the matrix
  require(near(bb, split), "dsbgv: the split factor");
  // dsbgvx returns the Q with Q^H A Q tridiagonal and Q^H B Q = 1 too.
  const Vector generalised_values = w;
  for (const char range : {'A', 'I', 'V'}) {
    const int first = range == 'A' ? 0 : 2, count = range == 'A' ? n : 5;
    ab = band_of(n, kd, band);
    bb = band_of(n, kb, mass);
    std::vector<double> part(static_cast<std::size_t>(n) * count + 1, 77);
    require(LAPACKE_dsbgvx(LAPACK_COL_MAJOR, 'V', range, 'L', n, kd, kb, ab.data(), kd + 1, bb.data(), kb + 1,
                           orthogonal.data(), n, (w[1] + w[2]) / 2, (w[6] + w[7]) / 2, 3, 7, 0, &m,
                           only.data(), part.data(), n, ifail.data()) == 0 &&
                m == count && std::fabs(only[0] - w[first]) < small && part.back() == 77,
            std::string("dsbgvx, range ") + range);
    require(residual(n, band, &mass, m, only.data(), part.data(), n) < small, "dsbgvx: residual");
    require(largest_outside(n, product(n, orthogonal, band, orthogonal), 2) < small &&
                largest_outside(n, product(n, orthogonal, mass, orthogonal), 0) < small,
            "dsbgvx: Q");
  }
  // A complex band matrix: zhbevx has all of its Q as vectors.
  const std::vector<Z> complex_band = matrix<Z>(n, kd);
  std::vector<Z> zab(n * (kd + 1)), zq(n * n), zfew(5 * n);
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n && i <= j + kd; ++i) zab[i - j + j * (kd + 1)] = complex_band[i + j * n];
  require(LAPACKE_zhbevx(LAPACK_COL_MAJOR, 'V', 'I', 'L', n, kd, of_lapack(zab.data()), kd + 1,
                         of_lapack(zq.data()), n, 0, 0, 3, 7, 0, &m, only.data(), of_lapack(zfew.data()), n,
                         ifail.data()) == 0 &&
              m == 5,
          "zhbevx");
  require(residual(n, complex_band, nullptr, 5, only.data(), zfew.data(), n) < small &&
              largest_outside(n, product(n, zq, complex_band, zq), 2) < small,
          "zhbevx: residual and Q");

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
  d = d2, e = e2;
  Vector vectors_of_a = q;
  require(LAPACKE_dstedc(LAPACK_COL_MAJOR, 'V', n, d.data(), e.data(), vectors_of_a.data(), n) == 0,
          "dstedc, compz V");
  require(residual(n, a, nullptr, n, d.data(), vectors_of_a.data(), n) < small, "dstedc, compz V: residual");

  // Both sides of dormtr and Q^T.
  Vector one(n * n);
  for (int j = 0; j < n; ++j) one[j + j * n] = 1;
  for (const char side : {'L', 'R'})
    for (const char trans : {'N', 'T'}) {
      const Vector given = matrix<double>(n, 5);
      Vector result = given;
      require(LAPACKE_dormtr(LAPACK_COL_MAJOR, side, 'L', trans, n, n, copy.data(), n, tau.data(),
                             result.data(), n) == 0,
              "dormtr: sides");
      Vector transposed = q;
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) transposed[i + j * n] = q[j + i * n];
      const Vector &of_left = trans == 'N' ? transposed : q, &of_right = trans == 'N' ? q : transposed;
      require(distance(result, side == 'L' ? product(n, of_left, given, one)
                                           : product(n, one, given, of_right)) < small,
              std::string("dormtr ") + side + trans);
    }

  // Parts of T's pairs; d and e stay as they are.
  Vector all(n), part_of_t(static_cast<std::size_t>(n) * 5 + 1, 77), t(n * n);
  for (int j = 0; j < n; ++j) {
    t[j + j * n] = d2[j];
    if (j + 1 < n) t[j + 1 + j * n] = t[j + (j + 1) * n] = e2[j];
  }
  for (const char range : {'I', 'V'}) {
    std::vector<int> isuppz(2 * n, 77);
    d = d2, e = e2;
    const double vl = (values[1] + values[2]) / 2, vu = (values[6] + values[7]) / 2;
    require(LAPACKE_dstevr(LAPACK_COL_MAJOR, 'V', range, n, d.data(), e.data(), vl, vu, 3, 7, 0, &m,
                           all.data(), part_of_t.data(), n, isuppz.data()) == 0 &&
                m == 5 && same(all, 2, 5) && part_of_t.back() == 77 && isuppz[0] == 77 && d == d2 && e == e2,
            std::string("dstevr, range ") + range);
    require(residual(n, t, nullptr, 5, all.data(), part_of_t.data(), n) < small, "dstevr: residual");
    require(LAPACKE_dstevx(LAPACK_COL_MAJOR, 'V', range, n, d.data(), e.data(), vl, vu, 3, 7, 0, &m,
                           all.data(), part_of_t.data(), n, ifail.data()) == 0 &&
                m == 5 && ifail[4] == 0,
            std::string("dstevx, range ") + range);
    require(LAPACKE_dstevx(LAPACK_COL_MAJOR, 'N', range, n, d.data(), e.data(), vl, vu, 3, 7, 0, &m,
                           all.data(), part_of_t.data(), n, ifail.data()) == 0 &&
                m == 5 && same(all, 2, 5),
            "dstevx: values");
  }

  // The stages of a Hermitian matrix.
  std::vector<Z> hq = h, hu(n * n), tau_z(n);
  require(LAPACKE_zhetrd(LAPACK_COL_MAJOR, 'U', n, of_lapack(hq.data()), n, d.data(), e.data(),
                         of_lapack(tau_z.data())) == 0,
          "zhetrd");
  d2 = d, e2 = e;
  require(LAPACKE_zstedc(LAPACK_COL_MAJOR, 'I', n, d.data(), e.data(), of_lapack(hu.data()), n) == 0,
          "zstedc");
  require(LAPACKE_zunmtr(LAPACK_COL_MAJOR, 'L', 'U', 'N', n, n, of_lapack(hq.data()), n,
                         of_lapack(tau_z.data()), of_lapack(hu.data()), n) == 0,
          "zunmtr");
  require(residual(n, h, nullptr, n, d.data(), hu.data(), n) < small, "zunmtr: residual");
  require(LAPACKE_zunmtr(LAPACK_COL_MAJOR, 'L', 'U', 'C', n, n, of_lapack(hq.data()), n,
                         of_lapack(tau_z.data()), of_lapack(hu.data()), n) == 0,
          "zunmtr, Q^H");
  double imaginary = 0;  // the vectors of T again
  for (const Z& x : hu) imaginary = std::max(imaginary, std::fabs(x.imag()));
  require(imaginary < small, "zunmtr, Q^H: vectors of T are real");
  require(LAPACKE_zungtr(LAPACK_COL_MAJOR, 'U', n, of_lapack(hq.data()), n, of_lapack(tau_z.data())) == 0,
          "zungtr");
  d = d2, e = e2;
  require(LAPACKE_zstedc(LAPACK_COL_MAJOR, 'V', n, d.data(), e.data(), of_lapack(hq.data()), n) == 0,
          "zstedc, compz V");
  require(residual(n, h, nullptr, n, d.data(), hq.data(), n) < small, "zstedc, compz V: residual");
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
  if (mode == "openmp") {  // a team of OpenMP threads, each with its own matrices
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int k = 0; k < 4; ++k) solve(n + k);
    solve(n);
  }
  if (mode == "blas_threads") {
    // A program that wants one thread gets no second one.
    openblas_set_num_threads(1);
    const auto threads = [] {
      return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                           std::filesystem::directory_iterator());
    };
    const auto before = threads();
    Vector large = matrix<double>(600, 600), w(600);
    require(LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', 600, large.data(), 600, w.data()) == 0 &&
                threads() == before,
            "one thread was asked for");
    // The program's OpenBLAS keeps the number of threads that the program sets.
    for (const int count : {1, 2}) {
      openblas_set_num_threads(count);
      std::thread other(solve, n + 1);
      solve(n);
      other.join();
      require(openblas_get_num_threads() == count, "the number of OpenBLAS's threads has changed");
    }
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
