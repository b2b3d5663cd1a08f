// The matrices of eigen_g selftest: hard ones for eigensolvers, by family and order, in each type.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace eigen_g::apps {

// n x n, both triangles, leading dimension n, the diagonal real; and its spectrum, ascending, where it is known.
template <class T>
struct SelftestMatrix {
  std::vector<T> a;
  std::optional<std::vector<double>> exact;
};

template <class T>
struct SelftestFamily {
  std::string name;
  std::function<std::optional<SelftestMatrix<T>>(std::int64_t n)>
      make;  // nothing: there is none of that order
};

// LAPACK's types of ddrvst with its scalings, stetester's spectra, closed forms, matrices of few different entries. Units of
// roundoff, condition numbers and scales are those of T's real type. Of complex T random matrices are random in both parts,
// spectra are turned by unitary matrices, closed forms K become D K D^H with phases D; and there are Hermitian closed forms.
template <class T>
std::vector<SelftestFamily<T>> selftest_families();

}  // namespace eigen_g::apps
