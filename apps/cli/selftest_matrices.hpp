// The matrices of eigen_g selftest: matrices that are hard for eigensolvers, by family and order, in each type.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace eigen_g::apps {

// n x n, both triangles, leading dimension n, real diagonal. `exact` is the spectrum in ascending order, if it is known.
template <class T>
struct SelftestMatrix {
  std::vector<T> a;
  std::optional<std::vector<double>> exact;
};

template <class T>
struct SelftestFamily {
  std::string name;
  // Returns nothing if the family has no matrix of order n.
  std::function<std::optional<SelftestMatrix<T>>(std::int64_t n)> make;
};

// The families: LAPACK's types of ddrvst with its scalings, stetester's spectra, closed forms, and matrices with few different entries.
// Units of roundoff, condition numbers and scales belong to T's real type.
// For complex T: random matrices have random real and imaginary parts; spectra are rotated by unitary matrices; closed forms K become
// D K D^H with a diagonal D of phases. In addition there are Hermitian closed forms.
template <class T>
std::vector<SelftestFamily<T>> selftest_families();

}  // namespace eigen_g::apps
