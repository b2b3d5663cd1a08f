#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "apps/distributed/problem.hpp"
#include "apps/support/stopwatch.hpp"
#include "solver/distributed/panels.hpp"
#include "solver/distributed/verify.hpp"

namespace eigen_g::apps {

namespace {

template <class T>
class Solve {
 public:
  explicit Solve(const DistributedSolve& problem) : p_(problem), held_(problem), n_(problem.a.n()) {
    report_.subset = p_.subset;
    report_.threads = p_.threads;
    report_.print_all = p_.options.solve.print;
  }

  SolveReport run() {
    const Stopwatch reading;
    report_.matrix = p_.a.fill(p_.comm, view(*m_.a));
    report_.seconds.read = reading.seconds();
    solve();
    if (p_.options.solve.verify && report_.solve.status == Status::converged && report_.infinite == 0)
      verify();
    report_.distributed->peak_bytes = peak_bytes(p_.comm);
    if (succeeded(report_)) report_.seconds.write = held_.write(p_, report_);
    return std::move(report_);
  }

 private:
  void solve() {
    std::vector<real_t<T>> w(static_cast<std::size_t>(n_));
    p_.progress.at("solve");
    const distributed::LocalView<T> a = view(*m_.a), z = m_.z_view();
    distributed::Report r;
    try {
      r = distributed::eigen_g(p_.comm, n_, a.data, a.descriptor.data(), w.data(), z.data,
                               z.descriptor.data(), options_of(p_, report_.matrix.triangle));
    } catch (const NonFiniteEntry& entry) {
      refuse(p_.comm, p_.a, a, entry);
    }
    report_.distributed = take(r, p_.shape, report_.solve);
    if (r.status != Status::converged) return;
    report_.values.assign(w.begin(), w.begin() + r.m);
    const auto beyond = std::find_if(report_.values.begin(), report_.values.end(),
                                     [](double x) { return !std::isfinite(x); });
    if (beyond != report_.values.end()) report_.infinite = beyond - report_.values.begin() + 1;
    report_.vectors = p_.vectors() ? r.m : 0;
  }

  // The solve has destroyed A, so it is read or generated again.
  void verify() {
    const Stopwatch checking;
    p_.progress.at("verify");
    p_.a.fill(p_.comm, view(*m_.a));
    mirror(view(*m_.a), report_.matrix.triangle);
    p_.progress.at("verify");
    in_double(p_.comm, m_.a, false, [&](const auto& a) {
      in_double(p_.comm, m_.z, true, [&](const auto& z) {
        report_.check = distributed::verify(p_.comm, a, report_.values, z, ulp_of<T>);
      });
    });
    report_.seconds.verify = checking.seconds();
  }

  const DistributedSolve& p_;
  Held<T> held_;
  Matrices<T>& m_ = held_.m;
  std::int64_t n_;
  SolveReport report_;
};

}  // namespace

SolveReport solve_standard(const DistributedSolve& problem) {
  return io::with_type(problem.type, [&]<class T>(T) { return Solve<T>(problem).run(); });
}

}  // namespace eigen_g::apps
