// Errors: a matrix with a NaN, a wrong leading dimension, and a report that says "not converged". Ends with 0 if both exceptions are
// thrown and a good matrix is solved.
#include <cstdio>
#include <eigen_g/eigen_g.hpp>
#include <limits>
#include <vector>

namespace {

// [errors]
bool solved(int n, const std::vector<double>& a, int lda) {
  try {
    const auto x = eigen_g::solve(n, a.data(), lda);
    if (x.report.status == eigen_g::Status::converged) return true;
    std::printf("not converged: info %lld\n", static_cast<long long>(x.report.info));
  } catch (const eigen_g::NonFiniteEntry& error) {  // row() and col() count from 0
    std::printf("bad entry in row %lld: %s\n", static_cast<long long>(error.row() + 1), error.what());
  } catch (const eigen_g::InvalidArgument& error) {
    std::printf("argument %s: %s\n", error.parameter().c_str(), error.reason().c_str());
  } catch (const eigen_g::OutOfMemory& error) {
    std::printf("%llu bytes needed\n", static_cast<unsigned long long>(error.needed()));
  } catch (const eigen_g::DeviceError& error) {
    std::printf("CPU or GPU failed: %s\n", error.what());
  }
  return false;
}
// [end]

}  // namespace

int main() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const bool good = solved(2, {2, 1, 0, 2}, 2);
  const bool bad_entry = !solved(2, {2, nan, 0, 2}, 2);
  const bool bad_argument = !solved(2, {2, 1, 0, 2}, 1);
  return good && bad_entry && bad_argument ? 0 : 1;
}
