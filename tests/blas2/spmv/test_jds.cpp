// blas2/spmv/jds on the CPU: conversion and product against long double.
#include "blas2/spmv/jds.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/sparse.hpp"

using namespace eigen_g;
using namespace eigen_g::blas2;

TEMPLATE_TEST_CASE("JDS products agree with long double, the same bits by any number of threads", "", float,
                   double) {
  using T = TestType;
  for (const CrsMatrix<T>& a : support::ragged_matrices<T>()) {
    const Jds<T> converted(a.view());
    support::check_product_host<T>(a.view(), [&](int k, T alpha, const T* x, T beta, T* y, int threads) {
      jds_multiply(k, alpha, converted.view(), x, beta, y, threads);
    });
  }
}

TEST_CASE("JDS of a slice of a larger matrix") {
  const CrsMatrix<double> a =
      support::random_crs<double>(support::ragged_lengths(5000, 900, 20, 900, 3), 900, 4);
  const CrsView<double> part = slice(a.view(), 1234, 3000);
  const Jds<double> converted(part);
  support::check_product_host<double>(
      part, [&](int k, double alpha, const double* x, double beta, double* y, int threads) {
        jds_multiply(k, alpha, converted.view(), x, beta, y, threads);
      });
}
