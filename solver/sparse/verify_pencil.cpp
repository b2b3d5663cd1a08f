// verify() of pairs of a sparse pencil: products of K and M with blocks of Z.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "gemm_df/tall_product.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/team/loops.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/sparse/pencil.hpp"
#include "solver/sparse/real_form.hpp"
#include "solver/verify/verify.hpp"
#include "solver/verify/verify_columns.hpp"

namespace eigen_g {

template <class T>
Verification verify(const CsrMatrix<T>& k, const SparseMass<T>& m, std::int64_t count,
                    const same_t<real_t<T>>* w, const same_t<T>* z, std::int64_t ldz, bool buckling,
                    int threads) {
  require(k.n >= 0, Argument::n, k.n, "must not be negative");
  check_pairs(k.n, count, w, z, ldz);
  if constexpr (!std::is_same_v<T, double>) {
    const RealPencil<T> pencil(k, m);
    return verify_by_real_form<T>(
        k.n, count, w, z, ldz,
        [&](std::int64_t twice, const double* values, const double* vectors, std::int64_t ld) {
          return verify(pencil.k.rows(), pencil.mass(), twice, values, vectors, ld, buckling, threads);
        });
  } else {
    const ThreadLimit limit(threads);
    const auto start = std::chrono::steady_clock::now();
    const Pencil pencil(k, m, buckling);
    const std::int64_t n = k.n, values = n * block_width, blocks = (count + block_width - 1) / block_width;
    Verification v = pairs_to_verify<T>(count, w, MatrixView<const T>{z, n, count, ldz});
    // Z and w for the scaled pencil.
    const int exponent = (buckling ? pencil.k_exponent() : pencil.m_exponent()) / 2;
    const HostArray<double> all = host_array<double>(blocks * values);
    for (std::int64_t p = 0; p < blocks; ++p)
      for_each(n, threads_if(n >= smallest_parallel_order), [&](std::int64_t i) {
        for (std::int64_t j = 0; j < block_width; ++j) {
          const std::int64_t column = p * block_width + j;
          all[p * values + i * block_width + j] =
              column < count ? std::ldexp(z[i + column * ldz], exponent) : 0;
        }
      });
    const HostArray<double> kz = host_array<double>(values), mz = host_array<double>(values);
    std::vector<double> gram(static_cast<std::size_t>(blocks * block_width * block_width));
    const double ulp = std::numeric_limits<T>::epsilon(), scale = ulp * static_cast<double>(n);
    double squares = 0, gram_squares = 0, gram_norm = 0, longest = 0;
    for (std::int64_t p = 0; p < blocks; ++p) {
      const double* const x = all.get() + p * values;
      pencil.multiply_k(1, x, kz.get());
      pencil.multiply_m(1, x, mz.get());
      tall_gram_on_cpu(n, blocks, all.get(), buckling ? kz.get() : mz.get(), gram.data());
      for (std::int64_t j = 0; j < block_width && p * block_width + j < count; ++j) {
        const std::int64_t column = p * block_width + j;
        double residual = 0, length = 0, sum = 0;
        const double value = pencil.scaled(w[column]);
        for (std::int64_t i = 0; i < n; ++i) {
          const double r = kz[i * block_width + j] - value * mz[i * block_width + j];
          residual += r * r;
          length += x[i * block_width + j] * x[i * block_width + j];
        }
        squares += residual;
        longest = std::max(longest, length);
        const double worst =
            std::sqrt(residual) / ((pencil.k_norm() + std::abs(value) * pencil.m_norm()) * std::sqrt(length));
        if (!(worst <= v.worst_residual)) {
          v.worst_residual = worst;
          v.worst_index = column;
        }
        for (std::int64_t i = 0; i < count; ++i) {
          const double entry = gram[i * block_width + j] - (i == column);
          sum += std::abs(entry);
          gram_squares += entry * entry;
        }
        gram_norm = std::max(gram_norm, sum);
      }
    }
    v.norm_one = std::ldexp(pencil.k_norm(), pencil.k_exponent());
    v.norm_frobenius = std::ldexp(pencil.k_frobenius(), pencil.k_exponent());
    v.residual_frobenius = std::ldexp(std::sqrt(squares), pencil.k_exponent() - exponent);
    v.orthogonality = n > 0 ? std::sqrt(gram_squares) / static_cast<double>(n) : 0;
    v.lapack_residual = n > 0 ? v.worst_residual / scale : 0;
    const double rounding = std::max(1.0, (buckling ? pencil.k_norm() : pencil.m_norm()) * longest);
    v.lapack_orthogonality = n > 0 ? gram_norm / (scale * rounding) : 0;
    v.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return v;
  }
}

EIGEN_G_INSTANTIATE_OVERLOAD(all_types, verify,
                             Verification(const CsrMatrix<T>&, const SparseMass<T>&, std::int64_t,
                                          const real_t<T>*, const T*, std::int64_t, bool, int));

}  // namespace eigen_g
