// eigen_g solve A --b B by several processes.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "apps/cli/generalised_report.hpp"
#include "apps/distributed/problem.hpp"
#include "apps/support/stopwatch.hpp"
#include "solver/distributed/panels.hpp"
#include "solver/distributed/verify.hpp"

namespace eigen_g::apps {

namespace {

template <class T>
class GeneralisedRun {
 public:
  explicit GeneralisedRun(const DistributedSolve& problem)
      : p_(problem),
        held_(problem),
        n_(problem.a.n()),
        found_(problem.options.solve.matrix, problem.options.solve.generalised) {
    found_.type = p_.type;
    found_.n = n_;
    found_.threads = p_.threads;
    found_.print_all = p_.options.solve.print;
    found_.vectors = p_.vectors();
  }

  GeneralisedFound run() {
    const Stopwatch reading;
    fill();
    found_.read = reading.seconds();
    solve();
    if (p_.options.solve.verify && found_.solved()) verify();
    found_.distributed->peak_bytes = peak_bytes(p_.comm);
    if (found_.good()) found_.write = held_.write(p_, found_).value_or(0);
    return std::move(found_);
  }

 private:
  // Fills both triangles of A and of B. A NaN or an infinity is reported at its place in the file, before the entry is mirrored.
  void fill() {
    for (auto [source, m] : {std::pair(&p_.a, &m_.a), std::pair(p_.b, &m_.b)}) {
      const distributed::LocalView<T> local = view(**m);
      const Uplo triangle = source->fill(p_.comm, local).triangle;
      require_finite(p_.comm, *source, triangle, local);
      mirror(local, triangle);
    }
  }

  void solve() {
    std::vector<real_t<T>> w(static_cast<std::size_t>(n_));
    p_.progress.at("solve");
    const distributed::LocalView<T> a = view(*m_.a), b = view(*m_.b), z = m_.z_view();
    distributed::Report r;
    try {
      r = distributed::sygvd(p_.comm, found_.b.itype, n_, a.data, a.descriptor.data(), b.data,
                             b.descriptor.data(), w.data(), z.data, z.descriptor.data(),
                             options_of(p_, Uplo::lower));
    } catch (const InvalidArgument& error) {
      agree(p_.comm, [&] {
        if (error.parameter() == "b") throw io::FileError(found_.b.file, 0, "B: " + error.reason());
        throw InvalidArgument(error);
      });
    }
    found_.distributed = take(r, p_.shape, found_.report);
    found_.report.bad_minor = r.bad_minor;
    if (r.status != Status::converged) return;
    found_.values.assign(w.begin(), w.begin() + r.m);
    found_.infinite =
        !std::all_of(found_.values.begin(), found_.values.end(), [](double x) { return std::isfinite(x); });
  }

  // The solve has destroyed A and B, so they are read again.
  void verify() {
    const Stopwatch checking;
    p_.progress.at("verify");
    fill();
    p_.progress.at("verify");
    in_double(p_.comm, m_.a, false, [&](const auto& a) {
      in_double(p_.comm, m_.b, false, [&](const auto& b) {
        in_double(p_.comm, m_.z, true, [&](const auto& z) {
          found_.check =
              distributed::verify_generalised(p_.comm, found_.b.itype, a, b, found_.values, z, ulp_of<T>);
        });
      });
    });
    found_.verify = checking.seconds();
  }

  const DistributedSolve& p_;
  Held<T> held_;
  Matrices<T>& m_ = held_.m;
  std::int64_t n_;
  GeneralisedFound found_;
};

}  // namespace

GeneralisedFound solve_generalised(const DistributedSolve& problem) {
  return io::with_type(problem.type, [&]<class T>(T) { return GeneralisedRun<T>(problem).run(); });
}

}  // namespace eigen_g::apps
