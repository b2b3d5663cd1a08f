// The solver's large matrix products on one queue, each by the engine that was asked for or that is the fastest.
//
// A Products is handed to a stage in place of the queue; a Queue converts to one whose engine is native. Its scratch
// memory (converted operands) and its account of what ran are its own. Move-only; used from one thread at a time.
//
// Column-major, 64-bit sizes, device memory; ordered on the queue; a product with an empty result returns at once.
// Throw DeviceError, OutOfMemory. Repeat bit for bit on the same GPU. CUDA builds only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "gemm_df/engines/engine.hpp"
#include "gemm_df/gemm.hpp"
#include "gemm_df/rank_2k/syr2k.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

class Queue;

inline constexpr std::uint64_t df_scratch_bytes = std::uint64_t{2} << 30;

template <class T>
class Products {
 public:
  // `queue` must outlive it. The engine double_float takes scratch memory of 8.25 bytes an entry of both operands, at most about
  // `max_scratch` bytes: larger products are cut. Throws InvalidArgument for an engine that this build does not have.
  Products(const Queue& queue, Engine wanted, const ProductRates& rates = {},
           std::uint64_t max_scratch = df_scratch_bytes);
  Products(const Queue& queue);  // NOLINT(google-explicit-constructor): native
  ~Products();
  Products(Products&&) noexcept;
  Products& operator=(Products&&) noexcept;

  const Queue& queue() const;

  // Memory for the products to come, which outlives them: with halves_bytes() of it native products of float and complex float are
  // by halves (engines/native/halves.hpp) where that is faster.
  void lend(std::span<std::byte> scratch_dev);

  // C := alpha op_a(A) op_b(B) + beta C; beta = 0 does not read C. BLAS: dgemm.
  void gemm(Op op_a, Op op_b, T alpha, MatrixView<const T> a_dev, MatrixView<const T> b_dev, T beta,
            MatrixView<T> c_dev) const;
  // C := alpha A B^H + conj(alpha) B A^H + beta C on the lower triangle of C (n x n); A and B are n x k. BLAS: dsyr2k. An engine
  // without it (emulated: cuBLAS has no such dsyr2k) is native here.
  void syr2k_lower(T alpha, MatrixView<const T> a_dev, MatrixView<const T> b_dev, real_t<T> beta,
                   MatrixView<T> c_dev) const;

  // The same with beta = 1, and y := C x of the symmetric C that it leaves, where that saves a pass over C: native, many
  // rows. Else it does nothing and returns false.
  bool syr2k_lower_and_product(T alpha, MatrixView<const T> a_dev, MatrixView<const T> b_dev,
                               MatrixView<T> c_dev, const ProductBeside<T>& product) const;

  EngineFlops take_flops() const;       // since the last call
  std::uint64_t scratch_bytes() const;  // of device memory held now

 private:
  struct State;
  std::unique_ptr<State> state_;
};

template <class T>
void gemm(const Products<T>& products, Op op_a, Op op_b, same_t<T> alpha, MatrixView<const same_t<T>> a_dev,
          MatrixView<const same_t<T>> b_dev, same_t<T> beta, MatrixView<same_t<T>> c_dev) {
  products.gemm(op_a, op_b, alpha, a_dev, b_dev, beta, c_dev);
}
template <class T>
void syr2k_lower(const Products<T>& products, same_t<T> alpha, MatrixView<const same_t<T>> a_dev,
                 MatrixView<const same_t<T>> b_dev, real_t<same_t<T>> beta, MatrixView<same_t<T>> c_dev) {
  products.syr2k_lower(alpha, a_dev, b_dev, beta, c_dev);
}

}  // namespace eigen_g
