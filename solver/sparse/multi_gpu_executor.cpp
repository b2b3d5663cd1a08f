// The operations of MultiGpuExecutor: each member's own operation, and sums over the members.
#include "solver/sparse/multi_gpu_executor.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

#include "hybrid/instantiate.hpp"

namespace eigen_g {

template <class T>
MultiGpuExecutor<T>::Addresses::Addresses(std::size_t size) : bytes(std::max<std::size_t>(size, 1)) {
  begin = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) throw std::bad_alloc();
}
template <class T>
MultiGpuExecutor<T>::Addresses::~Addresses() {
  ::munmap(begin, bytes);
}

template <class T>
MultiGpuExecutor<T>::MultiGpuExecutor(std::vector<Member> members, RowCutOperator<T> product)
    : members_(std::move(members)), product_(std::move(product)) {
  for (const Member& member : members_) first_rows_.push_back(first_rows_.back() + member.on->order());
}

template <class T>
template <class Work>
void MultiGpuExecutor<T>::each(Work work) const {
  for (std::size_t m = 0; m < members_.size(); ++m) members_[m].within([&] { work(m, *members_[m].on); });
}

template <class T>
std::uint64_t MultiGpuExecutor<T>::bytes() const {
  std::uint64_t bytes = 0;
  for (const Member& member : members_) bytes += member.on->bytes();
  return bytes;
}

template <class T>
T* MultiGpuExecutor<T>::keep(std::int64_t values, bool blocks, const std::function<T*(Executor<T>&)>& take) {
  Taken taken;
  taken.addresses = std::make_unique<Addresses>(static_cast<std::size_t>(values) * sizeof(T));
  taken.blocks = blocks;
  each([&](std::size_t, Executor<T>& on) { taken.at.push_back(take(on)); });
  T* const begin = static_cast<T*>(taken.addresses->begin);
  taken_.emplace(begin, std::move(taken));
  return begin;
}
template <class T>
T* MultiGpuExecutor<T>::take(std::int64_t values) {
  return keep(values, false, [values](Executor<T>& on) { return on.take(values); });
}
template <class T>
T* MultiGpuExecutor<T>::take_blocks(std::int64_t blocks) {
  return keep(blocks * order() * block_width, true,
              [blocks](Executor<T>& on) { return on.take_blocks(blocks); });
}

template <class T>
const typename MultiGpuExecutor<T>::Taken& MultiGpuExecutor<T>::taken(const T* address) const {
  return std::prev(taken_.upper_bound(address))->second;
}
// Whole blocks are at a distance that depends on the member's number of rows.
template <class T>
T* MultiGpuExecutor<T>::of(std::size_t member, const T* address) const {
  const Taken& t = taken(address);
  const std::int64_t offset = address - static_cast<const T*>(t.addresses->begin);
  return t.at[member] + (t.blocks ? offset / order() * rows(member) : offset);
}

template <class T>
void MultiGpuExecutor<T>::put(const T* host, std::int64_t values, T* to) {
  const bool blocks = taken(to).blocks;
  const std::int64_t block = order() * block_width;
  each([&](std::size_t m, Executor<T>& on) {
    if (!blocks) return on.put(host, values, of(m, to));
    for (std::int64_t p = 0; p < values / block; ++p)
      on.put(host + p * block + first_rows_[m] * block_width, rows(m) * block_width, of(m, to + p * block));
  });
}
template <class T>
void MultiGpuExecutor<T>::get(const T* from, std::int64_t values, T* host) {
  if (!taken(from).blocks)
    return members_.front().within([&] { members_.front().on->get(of(0, from), values, host); });
  const std::int64_t block = order() * block_width;
  each([&](std::size_t m, Executor<T>& on) {
    for (std::int64_t p = 0; p < values / block; ++p)
      on.get(of(m, from + p * block), rows(m) * block_width, host + p * block + first_rows_[m] * block_width);
  });
}
template <class T>
void MultiGpuExecutor<T>::copy(const T* from, std::int64_t values, T* to) {
  const bool blocks = taken(to).blocks;
  each([&](std::size_t m, Executor<T>& on) {
    on.copy(of(m, from), blocks ? values / order() * rows(m) : values, of(m, to));
  });
}

template <class T>
void MultiGpuExecutor<T>::product(T alpha, const T* x, T gamma, T beta, T* y) {
  std::vector<const T*> xs;
  std::vector<T*> ys;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    xs.push_back(of(m, x));
    ys.push_back(of(m, y));
  }
  product_(alpha, xs, gamma, beta, ys);
}
template <class T>
void MultiGpuExecutor<T>::randomise(unsigned columns, std::uint64_t seed, T* x) {
  each([&](std::size_t m, Executor<T>& on) { on.randomise(columns, seed, of(m, x)); });
}

// Adds the members' parts of a sum, which they have in `sum`, and copies the total to all members.
template <class T>
void MultiGpuExecutor<T>::add_up(std::int64_t values, T* sum) {
  std::vector<T> total(static_cast<std::size_t>(values)), part(total.size());
  each([&](std::size_t m, Executor<T>& on) {
    on.get(of(m, sum), values, m == 0 ? total.data() : part.data());
    for (std::size_t i = 0; m > 0 && i < total.size(); ++i) total[i] += part[i];
  });
  each([&](std::size_t m, Executor<T>& on) { on.put(total.data(), values, of(m, sum)); });
}
template <class T>
void MultiGpuExecutor<T>::gram(std::int64_t p, const T* v, const T* w, T* c) {
  each([&](std::size_t m, Executor<T>& on) { on.gram(p, of(m, v), of(m, w), of(m, c)); });
  add_up(p * block_width * block_width, c);
}
template <class T>
void MultiGpuExecutor<T>::subtract(std::int64_t p, const T* v, const T* c, T* w, T* g) {
  each([&](std::size_t m, Executor<T>& on) { on.subtract(p, of(m, v), of(m, c), of(m, w), of(m, g)); });
  add_up(block_width * block_width, g);
}

template <class T>
void MultiGpuExecutor<T>::times(T* w, const T* s) {
  each([&](std::size_t m, Executor<T>& on) { on.times(of(m, w), of(m, s)); });
}
template <class T>
void MultiGpuExecutor<T>::combine(std::int64_t p, const T* v, const T* q, std::int64_t q_blocks, T* z) {
  each([&](std::size_t m, Executor<T>& on) { on.combine(p, of(m, v), of(m, q), q_blocks, of(m, z)); });
}
template <class T>
void MultiGpuExecutor<T>::factor(const T* g, T least, T* r, T* inverse) {
  each([&](std::size_t m, Executor<T>& on) { on.factor(of(m, g), least, of(m, r), of(m, inverse)); });
}
template <class T>
void MultiGpuExecutor<T>::keep_diagonal(T* c) {
  each([&](std::size_t m, Executor<T>& on) { on.keep_diagonal(of(m, c)); });
}
template <class T>
void MultiGpuExecutor<T>::column(const T* blocks, std::int64_t column, T* to) {
  each([&](std::size_t m, Executor<T>& on) { on.column(of(m, blocks), column, to + first_rows_[m]); });
}

EIGEN_G_INSTANTIATE_CLASS(double_type, MultiGpuExecutor);

}  // namespace eigen_g
