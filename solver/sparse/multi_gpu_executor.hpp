// MultiGpuExecutor: the executor for several devices, called members. Each member has a range of A's rows, so blocks are divided by rows. Small
// matrices are the same on all members. A sum over all rows is formed from the members' sums, which the host adds in the order of the
// members. Results therefore repeat bit for bit.
//
// take() returns an address without memory: a handle. Only this class can map it to the memory of each member, so it must not be
// dereferenced.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "solver/sparse/executor.hpp"

namespace eigen_g {

// Y := alpha A X + gamma X + beta Y, where each member has its rows of X and Y in its own memory.
template <class T>
using RowCutOperator =
    std::function<void(T alpha, const std::vector<const T*>& x, T gamma, T beta, const std::vector<T*>& y)>;

template <class T>
class MultiGpuExecutor : public Executor<T> {
 public:
  struct Member {
    std::unique_ptr<Executor<T>>
        on;  // executor of the member's rows; randomise() counts them from their first row in A
    // Calls its argument with the member's GPU as the current one.
    std::function<void(const std::function<void()>&)> within;
  };
  MultiGpuExecutor(std::vector<Member> members, RowCutOperator<T> product);

  std::int64_t order() const override { return first_rows_.back(); }
  std::uint64_t bytes() const override;
  T* take(std::int64_t values) override;
  T* take_blocks(std::int64_t blocks) override;
  void put(const T* host, std::int64_t values, T* to) override;
  void get(const T* from, std::int64_t values, T* host) override;
  void copy(const T* from, std::int64_t values, T* to) override;
  void randomise(unsigned columns, std::uint64_t seed, T* x) override;
  void gram(std::int64_t p, const T* v, const T* w, T* c) override;
  void subtract(std::int64_t p, const T* v, const T* c, T* w, T* g) override;
  void times(T* w, const T* s) override;
  void combine(std::int64_t p, const T* v, const T* q, std::int64_t q_blocks, T* z) override;
  void factor(const T* g, T least, T* r, T* inverse) override;
  void keep_diagonal(T* c) override;
  void column(const T* blocks, std::int64_t column, T* to) override;

 private:
  void product(T alpha, const T* x, T gamma, T beta, T* y) override;
  struct Addresses {  // reserved, without memory
    explicit Addresses(std::size_t bytes);
    ~Addresses();
    Addresses(const Addresses&) = delete;
    Addresses& operator=(const Addresses&) = delete;
    void* begin = nullptr;
    std::size_t bytes = 0;
  };
  struct Taken {
    std::unique_ptr<Addresses> addresses;
    bool blocks = false;
    std::vector<T*> at;  // address in each member's memory
  };
  T* keep(std::int64_t values, bool blocks, const std::function<T*(Executor<T>&)>& take);
  const Taken& taken(const T* address) const;
  T* of(std::size_t member, const T* address) const;
  std::int64_t rows(std::size_t member) const { return first_rows_[member + 1] - first_rows_[member]; }
  template <class Work>
  void each(Work work) const;  // calls work(member number, its executor) inside of `within`
  void add_up(std::int64_t values, T* sum);

  std::vector<Member> members_;
  std::vector<std::int64_t> first_rows_{0};
  RowCutOperator<T> product_;
  std::map<const T*, Taken> taken_;  // by first address
};

}  // namespace eigen_g
