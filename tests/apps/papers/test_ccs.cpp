// apps/papers/ccs on the CPU: conversion and product against long double.
#include "apps/papers/ccs.hpp"

#include <memory>

#include "tests/support/catch.hpp"
#include "tests/support/sparse.hpp"

using namespace eigen_g::papers;

TEMPLATE_TEST_CASE("CCS products agree with long double, the same bits by any number of threads", "", float,
                   double) {
  using T = TestType;
  support::check_format_host<T>([](const CrsView<T>& a) {
    return [ccs = std::make_shared<Ccs<T>>(a)](int k, T alpha, const T* x, T beta, T* y, int threads) {
      ccs_multiply_on_cpu(k, alpha, ccs->view(), x, beta, y, threads);
    };
  });
}
