// Checks generalised eigenpairs of distributed matrices.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "solver/distributed/generalised.hpp"
#include "solver/distributed/verify.hpp"
#include "solver/distributed/verify_parts.hpp"
#include "solver/verify/verify_columns.hpp"

namespace eigen_g::distributed {

namespace {

// a := 2^-k a with an even k; the largest finite entry becomes about 1. Returns k.
template <class W>
int scale_to_one(MPI_Comm comm, const LocalView<W>& a) {
  const double largest = largest_finite(comm, a);
  const int k = largest > 0 ? std::ilogb(largest) / 2 * 2 : 0;
  scale_all(a, -k);
  return k;
}

// An estimate of |B| |B^-1| from B's Cholesky factor and `norm`, the one-norm of B.
template <class W>
double condition_of(const LocalView<W>& factor, double norm) {
  using Second = std::conditional_t<is_complex<W>, double, int>;
  const int n = static_cast<int>(factor.layout.rows.n);
  double reciprocal = 0;
  if (!std::isfinite(norm)) return norm;  // pocon does not accept other norms
  const auto run = [&](W* work, int length, Second* second, int second_length) {
    int info = 0;
    of_type<W>(nullptr, pdpocon_, nullptr, pzpocon_)("L", &n, factor.data, &one, &one,
                                                     factor.descriptor.data(), &norm, &reciprocal, work,
                                                     &length, second, &second_length, &info);
    if (info != 0) throw DeviceError("ScaLAPACK: pocon: invalid argument " + std::to_string(-info));
  };
  W asked[2] = {};
  Second asked_second[2] = {};
  run(asked, -1, asked_second, -1);
  const int length = static_cast<int>(std::real(asked[0])), second_length = static_cast<int>(asked_second[0]);
  const HostArray<W> work = host_array<W>(length);
  const HostArray<Second> second = host_array<Second>(second_length);
  run(work.get(), length, second.get(), second_length);
  return 1 / reciprocal;
}

// The sums for scaled A and B. kz and kw are the exponents that scale the vectors z and the values w in the same way as A and B.
template <class W>
class Check {
 public:
  Check(int itype, const LocalView<W>& a, const LocalView<W>& b, std::span<const double> w,
        const LocalView<W>& z, int kz, int kw)
      : itype_(itype),
        a_(a),
        b_(b),
        z_(z),
        w_(w),
        kz_(kz),
        kw_(kw),
        n_(a.layout.rows.n),
        m_(static_cast<std::int64_t>(w.size())),
        width_(panel_columns(a.layout)) {
    for (auto* sums : {&vectors_, &residual_, &gram_}) sums->resize(w.size());
  }

  //   itype 1: A Z - B Z W        2: A (B Z) - Z W        3: B (A Z) - Z W;        for itype 1 and 2 also Z^H (B Z) - I
  void add_residuals() {
    for (std::int64_t j0 = 0; j0 < m_; j0 += width_) {
      const LocalMatrix<W> x_memory = vectors(j0), inner_memory = panel_like(a_, n_, width(j0)),
                           outer_memory = panel_like(a_, n_, width(j0));
      const LocalView<W> x = view(x_memory), inner = view(inner_memory), outer = view(outer_memory);
      multiply<W>("N", "N", n_, 1, {itype_ == 3 ? a_ : b_}, {x}, 0, inner);
      multiply<W>("N", "N", n_, 1, {itype_ == 3 ? b_ : a_}, {itype_ == 1 ? x : inner}, 0, outer);
      const LocalView<W>& right = itype_ == 1 ? inner : x;
      add_columns(x.layout, j0, &vectors_, nullptr, [&](auto k, auto l) { return x(k, l); });
      add_columns(x.layout, j0, &residual_, nullptr, [&](std::int64_t k, std::int64_t l) {
        const double value = w_[static_cast<std::size_t>(j0 + outer.layout.cols.global(l))];
        return outer(k, l) - right(k, l) * std::ldexp(value, kw_);
      });
      if (itype_ != 3) add_gram(j0, inner);
    }
  }
  // For itype 3: Z^H (B^-1 Z) - I.
  void add_inverse_grams(const LocalView<W>& factor) {
    constexpr W unit = 1;
    const int n = static_cast<int>(n_);
    for (std::int64_t j0 = 0; j0 < m_; j0 += width_) {
      const LocalMatrix<W> memory = vectors(j0);
      const LocalView<W> x = view(memory);
      const int columns = static_cast<int>(width(j0));
      for (const char* op : {"N", "C"})
        ptrsm<W>("L", "L", op, "N", &n, &columns, &unit, factor.data, &one, &one, factor.descriptor.data(),
                 x.data, &one, &one, x.descriptor.data());
      add_gram(j0, x);
    }
  }
  // The sums of all processes, without the norms of A and B.
  GeneralisedSums sums(MPI_Comm comm) {
    GeneralisedSums all{0, 0, {}, vectors_, residual_, gram_};
    for (auto* sums : {&all.vectors, &all.residual, &all.gram}) sum_over(comm, *sums);
    for (const double w : w_) all.values.push_back(std::ldexp(w, kw_));
    return all;
  }

 private:
  std::int64_t width(std::int64_t j0) const { return std::min(width_, m_ - j0); }
  // 2^kz Z(:, J), where J are the columns j0 ... of one panel
  LocalMatrix<W> vectors(std::int64_t j0) const {
    LocalMatrix<W> memory = panel_like(a_, n_, width(j0));
    const LocalView<W> x = view(memory);
    const std::int64_t first = z_.layout.cols.below(j0);
    for (std::int64_t l = 0; l < x.layout.cols.count(); ++l)
      for (std::int64_t k = 0; k < x.layout.rows.count(); ++k) x(k, l) = scaled(z_(k, first + l), kz_);
    return memory;
  }
  // Adds 2^kz Z^H y - I for the columns of a panel.
  void add_gram(std::int64_t j0, const LocalView<W>& y) {
    const LocalMatrix<W> memory = panel_like(a_, m_, width(j0));
    const LocalView<W> gram = view(memory);
    multiply<W>("C", "N", n_, 1, {z_}, {y}, 0, gram);
    add_columns(gram.layout, j0, &gram_, nullptr, [&](std::int64_t k, std::int64_t l) {
      return scaled(gram(k, l), kz_) -
             (gram.layout.rows.global(k) == j0 + gram.layout.cols.global(l) ? 1.0 : 0.0);
    });
  }

  int itype_;
  const LocalView<W>&a_, &b_, &z_;
  std::span<const double> w_;
  int kz_, kw_;
  std::int64_t n_, m_, width_;
  std::vector<double> vectors_, residual_, gram_;
};

template <class W>
double norm_one_of_all(MPI_Comm comm, const LocalView<W>& a) {
  std::vector<double> sums(static_cast<std::size_t>(a.layout.cols.n));
  add_columns(a.layout, 0, &sums, nullptr, [&](auto k, auto l) { return a(k, l); });
  sum_over(comm, sums);
  return maximum(sums);
}

}  // namespace

template <class W>
GeneralisedVerification verify_generalised(MPI_Comm comm, int itype, const LocalView<W>& a,
                                           const LocalView<W>& b, std::span<const double> w,
                                           const LocalView<W>& z, double ulp) {
  const auto start = std::chrono::steady_clock::now();
  GeneralisedVerification v;
  v.n = a.layout.rows.n;
  v.m = static_cast<std::int64_t>(w.size());
  v.itype = itype;
  v.ascending = ascending(w);
  v.finite = all_finite(comm, w, z);
  if (v.n == 0) return v;

  const int ka = scale_to_one(comm, a), kb = scale_to_one(comm, b);
  const double one_a = norm_one_of_all(comm, a), one_b = norm_one_of_all(comm, b);
  v.norm_a = std::ldexp(one_a, ka);
  v.norm_b = std::ldexp(one_b, kb);
  const int kz = (itype == 3 ? -1 : 1) * kb / 2, kw = -ka + (itype == 1 ? kb : -kb);
  Check<W> check(itype, a, b, w, z, kz, kw);
  check.add_residuals();

  v.bad_minor = cholesky(b);
  if (v.bad_minor != 0) return v;
  v.condition = condition_of(b, one_b);
  if (itype == 3) check.add_inverse_grams(b);

  GeneralisedSums sums = check.sums(comm);
  sums.constant = itype == 1 ? one_a : one_a * one_b;
  sums.of_value = itype == 1 ? one_b : 1;
  set_figures(sums, ulp, v);
  v.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return v;
}

template GeneralisedVerification verify_generalised(MPI_Comm, int, const LocalView<double>&,
                                                    const LocalView<double>&, std::span<const double>,
                                                    const LocalView<double>&, double);
template GeneralisedVerification verify_generalised(MPI_Comm, int, const LocalView<std::complex<double>>&,
                                                    const LocalView<std::complex<double>>&,
                                                    std::span<const double>,
                                                    const LocalView<std::complex<double>>&, double);

}  // namespace eigen_g::distributed
