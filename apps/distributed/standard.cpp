#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "apps/cli/stopwatch.hpp"
#include "apps/distributed/problem.hpp"
#include "apps/distributed/result_writer.hpp"
#include "solver/distributed/panels.hpp"
#include "solver/distributed/verify.hpp"

namespace eigen_g::apps {

namespace {

template <class T>
class Solve {
 public:
  explicit Solve(const Problem& problem)
      : p_(problem), grid_(problem.comm, problem.shape.rows, problem.shape.cols), n_(problem.a.n()) {
    report_.subset = p_.subset;
    report_.threads = p_.threads;
  }

  SolveReport run() {
    const SolveOptions& o = p_.options.solve;
    const ResultNames names = result_names(o.prefix, ResultFormat::npy, p_.vectors());
    ResultWriter<T> results(p_.comm, names, n_, p_.subset.by == Subset::By::value ? 0 : p_.subset.most(n_),
                            existing_files(o.run.force));
    m_ = allocate<T>(p_, grid_);
    const Stopwatch reading;
    report_.matrix = p_.a.fill(p_.comm, view(*m_.a));
    report_.seconds.read = reading.seconds();
    solve();
    if (o.verify && report_.solve.status == Status::converged && report_.infinite == 0) verify();
    report_.distributed->peak_bytes = peak_bytes(p_.comm);
    if (!succeeded(report_) || o.prefix.empty()) return std::move(report_);
    const Stopwatch writing;
    p_.progress.at("write");
    const distributed::LocalView<T> z = m_.z_view();
    results.write(report_.values, m_.z ? &z : nullptr);
    results.commit();
    report_.seconds.write = writing.seconds();
    report_.values_file = names.values;
    report_.vectors_file = names.vectors;
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
    report_.solve.status = r.status;
    report_.solve.failed = r.failed;
    report_.solve.m = r.m;
    report_.solve.first = r.first;
    report_.solve.path = r.path;
    report_.solve.seconds = r.seconds;
    report_.solve.devices.push_back(device_of(r));
    report_.distributed = facts_of(r, p_.shape);
    if (r.status != Status::converged) return;
    report_.values.assign(w.begin(), w.begin() + r.m);
    const auto beyond = std::find_if(report_.values.begin(), report_.values.end(),
                                     [](double x) { return !std::isfinite(x); });
    if (beyond != report_.values.end()) report_.infinite = beyond - report_.values.begin() + 1;
    report_.vectors = p_.vectors() ? r.m : 0;
  }

  // The solve has destroyed A: it is read, or made, again.
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

  const Problem& p_;
  distributed::Grid grid_;
  std::int64_t n_;
  Matrices<T> m_;
  SolveReport report_;
};

}  // namespace

SolveReport solve_standard(const Problem& problem) {
  return io::with_type(problem.type, [&]<class T>(T) { return Solve<T>(problem).run(); });
}

}  // namespace eigen_g::apps
