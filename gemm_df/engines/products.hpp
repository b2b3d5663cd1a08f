// Products: the large matrix products of the solver on one queue. Each product runs on the engine that the caller chose, or on
// the fastest one.
//
// A stage takes a Products instead of a queue. A Queue converts to a Products with the native engine. A Products has its own
// scratch memory (converted operands) and its own count of the flops of each engine. Move-only; used by one thread at a time.
//
// Matrices are column-major, in device memory, with 64-bit sizes. Work is ordered on the queue. A product with an empty result
// returns at once. Throws DeviceError, OutOfMemory. A GPU gives the same bits in every run. CUDA builds only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "gemm_df/engines/engine.hpp"
#include "gemm_df/gemm.hpp"
#include "gemm_df/rank_2k/syr2k.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

class Queue;
template <class T>
class EngineProducts;

inline constexpr std::uint64_t df_scratch_bytes = std::uint64_t{2} << 30;

template <class T>
class Products {
 public:
  // `queue` must outlive the object. Engine::df uses scratch memory of 8.25 bytes for each entry of both operands.
  // Products that need more than about `max_scratch` bytes are divided.
  // Throws InvalidArgument (engine) if this build does not have the engine for T.
  Products(const Queue& queue, Engine wanted, const ProductRates& rates = {},
           std::uint64_t max_scratch = df_scratch_bytes);
  Products(const Queue& queue);  // NOLINT(google-explicit-constructor): native
  ~Products();
  Products(Products&&) noexcept;
  Products& operator=(Products&&) noexcept;

  const Queue& queue() const;

  // Lends scratch memory for later products; it must outlive them. If it has halves_bytes() bytes, native products of float and
  // complex float use fp16 pairs (engines/native/halves.hpp) when that is faster.
  void lend(std::span<std::byte> scratch_dev);

  // C := alpha op_a(A) op_b(B) + beta C. C is not read if beta = 0. BLAS: dgemm.
  void gemm(Op op_a, Op op_b, T alpha, MatrixView<const T> a_dev, MatrixView<const T> b_dev, T beta,
            MatrixView<T> c_dev) const;
  // C := alpha A B^H + conj(alpha) B A^H + beta C on the lower triangle of C (n x n); A and B are n x k. BLAS: dsyr2k. An
  // engine without this update uses native: cuBLAS does not emulate dsyr2k.
  void syr2k_lower(T alpha, MatrixView<const T> a_dev, MatrixView<const T> b_dev, real_t<T> beta,
                   MatrixView<T> c_dev) const;

  // As syr2k_lower() with beta = 1, and y := C x with the updated symmetric C (ProductBeside), if that saves a pass over C:
  // native engine, many rows. Otherwise does nothing and returns false.
  bool syr2k_lower_and_product(T alpha, MatrixView<const T> a_dev, MatrixView<const T> b_dev,
                               MatrixView<T> c_dev, const ProductBeside<T>& product) const;

  // An engine that converts operands converts `a_dev` once, for all products whose A is a part of it that begins at a multiple of 16
  // columns, with op_a = Op::none, while the result lives. The entries of these parts must not change. Nothing is converted if there is
  // too little memory. Only one matrix is held at a time; Engine::automatic holds none.
  class Held {
   public:
    explicit Held(EngineProducts<T>* engine) : engine_(engine) {}
    ~Held();
    Held(Held&& other) noexcept : engine_(std::exchange(other.engine_, nullptr)) {}
    Held& operator=(Held&& other) noexcept {
      std::swap(engine_, other.engine_);
      return *this;
    }

   private:
    EngineProducts<T>* engine_;
  };
  [[nodiscard]] Held hold(MatrixView<const T> a_dev) const;

  // Counts flops of products that the caller computes natively, for take_flops().
  void count_native(double flops) const;

  EngineFlops take_flops() const;       // since the last call, for each engine
  std::uint64_t scratch_bytes() const;  // device memory now allocated

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
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
