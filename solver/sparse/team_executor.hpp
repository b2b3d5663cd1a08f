// The executor of several devices, each of which has a range of A's rows: panels are cut by rows, small matrices are the same
// everywhere. A sum over all rows is the members' sums, added on the host in their order: results repeat bit for bit.
//
// What it hands out are addresses alone: its own operations know what each member has for them, and nothing else may follow them.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "solver/sparse/executor.hpp"

namespace eigen_g {

// Y := alpha A X + gamma X + beta Y, X's and Y's rows of each member in its memory.
template <class T>
using TeamProduct =
    std::function<void(T alpha, const std::vector<const T*>& x, T gamma, T beta, const std::vector<T*>& y)>;

template <class T>
class TeamExecutor : public Executor<T> {
 public:
  struct Member {
    std::unique_ptr<Executor<T>>
        on;  // of its rows, in the order of A; it counts them from there in randomise()
    // Calls what it is given where the member's work may be begun: with its GPU as the current one.
    std::function<void(const std::function<void()>&)> within;
  };
  TeamExecutor(std::vector<Member> members, TeamProduct<T> product);

  std::int64_t order() const override { return first_rows_.back(); }
  std::uint64_t bytes() const override;
  T* take(std::int64_t values) override;
  T* take_panels(std::int64_t panels) override;
  void put(const T* host, std::int64_t values, T* to) override;
  void get(const T* from, std::int64_t values, T* host) override;
  void copy(const T* from, std::int64_t values, T* to) override;
  void randomise(unsigned columns, std::uint64_t seed, T* x) override;
  void gram(std::int64_t p, const T* v, const T* w, T* c) override;
  void subtract(std::int64_t p, const T* v, const T* c, T* w, T* g) override;
  void times(T* w, const T* s) override;
  void combine(std::int64_t p, const T* v, const T* q, std::int64_t q_panels, T* z) override;
  void factor(const T* g, T least, T* r, T* inverse) override;
  void keep_diagonal(T* c) override;
  void column(const T* panels, std::int64_t column, T* to) override;

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
    bool panels = false;
    std::vector<T*> at;  // of each member
  };
  T* keep(std::int64_t values, bool panels, const std::function<T*(Executor<T>&)>& take);
  const Taken& taken(const T* address) const;
  T* of(std::size_t member, const T* address) const;
  std::int64_t rows(std::size_t member) const { return first_rows_[member + 1] - first_rows_[member]; }
  template <class Work>
  void each(Work work) const;  // work(member number, its executor), within it
  void add_up(std::int64_t values, T* sum);

  std::vector<Member> members_;
  std::vector<std::int64_t> first_rows_{0};
  TeamProduct<T> product_;
  std::map<const T*, Taken> taken_;  // by first address
};

}  // namespace eigen_g
