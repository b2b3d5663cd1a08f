#include "gemm_df/engines/products.hpp"

#include <algorithm>
#include <complex>
#include <utility>
#include <vector>

#include "gemm_df/engines/engine_table.hpp"
#include "hybrid/error.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g {

namespace {

// A complex multiply-add counts as four real ones.
template <class T>
double flops_of(std::int64_t m, std::int64_t n, std::int64_t k) {
  return (is_complex<T> ? 8 : 2) * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

}  // namespace

template <class T>
struct Products<T>::Impl {
  const Queue* queue;
  Engine wanted;
  ProductRates rates;
  std::uint64_t max_scratch;
  PerEngine<std::unique_ptr<EngineProducts<T>>> engines{};  // created when first used
  EngineFlops flops{};                                      // since the last take_flops()
  std::span<std::byte> lent{};

  EngineProducts<T>& at(Engine engine) {
    auto& held = engines[engine];
    if (held) return *held;
    held = maker_of<T>(engine)(*queue, max_scratch);
    held->lend(lent);
    return *held;
  }
};

template <class T>
Products<T>::Products(const Queue& queue, Engine wanted, const ProductRates& rates, std::uint64_t max_scratch)
    : impl_(std::make_unique<Impl>(Impl{&queue, wanted, rates, max_scratch, {}, {}, {}})) {
  if (wanted != Engine::automatic && !maker_of<T>(wanted))
    throw InvalidArgument(
        "engine",
        std::string(name(wanted)) + (engine_built(wanted) ? " does not multiply matrices of this type"
                                                          : std::string(" needs ") + row_of(wanted).needs));
  for (const Engine engine : engines())
    if (!maker_of<T>(engine)) impl_->rates[engine] = {};
}
template <class T>
Products<T>::Products(const Queue& queue) : Products(queue, Engine::native) {}
template <class T>
Products<T>::~Products() = default;
template <class T>
Products<T>::Products(Products&&) noexcept = default;
template <class T>
Products<T>& Products<T>::operator=(Products&&) noexcept = default;

template <class T>
const Queue& Products<T>::queue() const {
  return *impl_->queue;
}

template <class T>
void Products<T>::lend(std::span<std::byte> scratch_dev) {
  impl_->lent = scratch_dev;
  for (const auto& engine : impl_->engines.values)
    if (engine) engine->lend(scratch_dev);
}

template <class T>
void Products<T>::gemm(Op op_a, Op op_b, T alpha, MatrixView<const T> a_dev, MatrixView<const T> b_dev,
                       T beta, MatrixView<T> c_dev) const {
  if (c_dev.rows == 0 || c_dev.cols == 0) return;
  const std::int64_t k = op_a == Op::none ? a_dev.cols : a_dev.rows;
  const Engine engine = choose_engine(impl_->wanted, impl_->rates, c_dev.rows, c_dev.cols, k);
  impl_->flops[engine] += flops_of<T>(c_dev.rows, c_dev.cols, k);
  impl_->at(engine).gemm(op_a, op_b, alpha, a_dev, b_dev, beta, c_dev);
}

template <class T>
void Products<T>::syr2k_lower(T alpha, MatrixView<const T> a_dev, MatrixView<const T> b_dev, real_t<T> beta,
                              MatrixView<T> c_dev) const {
  const std::int64_t n = c_dev.rows;
  if (n == 0) return;
  const Engine engine = choose_rank_2k_engine(impl_->wanted, impl_->rates, n, a_dev.cols);
  impl_->flops[engine] += flops_of<T>(n, n, a_dev.cols);
  impl_->at(engine).syr2k_lower(alpha, a_dev, b_dev, beta, c_dev);
}

template <class T>
bool Products<T>::syr2k_lower_and_product(T alpha, MatrixView<const T> a_dev, MatrixView<const T> b_dev,
                                          MatrixView<T> c_dev, const ProductBeside<T>& product) const {
  const std::int64_t n = c_dev.rows;
  const Engine engine = choose_rank_2k_engine(impl_->wanted, impl_->rates, n, a_dev.cols);
  if (!impl_->at(engine).syr2k_lower_and_product(alpha, a_dev, b_dev, c_dev, product)) return false;
  impl_->flops[engine] += flops_of<T>(n, n, a_dev.cols);
  return true;
}

template <class T>
Products<T>::Held::~Held() {
  if (engine_) engine_->let_go();
}
template <class T>
typename Products<T>::Held Products<T>::hold(MatrixView<const T> a_dev) const {
  if (impl_->wanted == Engine::automatic || a_dev.rows == 0 || a_dev.cols == 0) return Held(nullptr);
  EngineProducts<T>& engine = impl_->at(impl_->wanted);
  engine.hold(a_dev);
  return Held(&engine);
}

template <class T>
void Products<T>::count_native(double flops) const {
  impl_->flops[Engine::native] += flops;
}

template <class T>
EngineFlops Products<T>::take_flops() const {
  return std::exchange(impl_->flops, {});
}

template <class T>
std::uint64_t Products<T>::scratch_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& engine : impl_->engines.values)
    if (engine) bytes += engine->scratch_bytes();
  return bytes;
}

EIGEN_G_INSTANTIATE_CLASS(all_types, Products);

}  // namespace eigen_g
