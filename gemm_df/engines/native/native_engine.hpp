// The engine native at work. CUDA builds only.
#pragma once

#include "gemm_df/engines/engine_table.hpp"

namespace eigen_g {

template <class T>
class NativeEngine : public EngineProducts<T> {
 public:
  explicit NativeEngine(const Queue& queue) : queue_(queue) {}

  void gemm(Op op_a, Op op_b, T alpha, MatrixView<const T> a_dev, MatrixView<const T> b_dev, T beta,
            MatrixView<T> c_dev) override {
    eigen_g::gemm(queue_, op_a, op_b, alpha, a_dev, b_dev, beta, c_dev);
  }
  void syr2k_lower(T alpha, MatrixView<const T> a_dev, MatrixView<const T> b_dev, real_t<T> beta,
                   MatrixView<T> c_dev) override {
    eigen_g::syr2k_lower(queue_, alpha, a_dev, b_dev, beta, c_dev);
  }
  bool syr2k_lower_and_product(T alpha, MatrixView<const T> a_dev, MatrixView<const T> b_dev,
                               MatrixView<T> c_dev, const ProductBeside<T>& product) override {
    return eigen_g::syr2k_lower_and_product(queue_, alpha, a_dev, b_dev, c_dev, product);
  }

 protected:
  const Queue& queue_;
};

}  // namespace eigen_g
