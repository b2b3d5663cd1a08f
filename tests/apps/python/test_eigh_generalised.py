"""eigh and eigvalsh of generalised problems."""

import numpy as np
import pytest
from matrices import random_hermitian, random_pair, random_symmetric

import eigen_g


def test_type_is_for_b_only():
    a = random_symmetric(5)
    np.testing.assert_array_equal(eigen_g.eigvalsh(a, type=5), eigen_g.eigvalsh(a))
    np.testing.assert_array_equal(eigen_g.eigvalsh(a, np.eye(5), type=2.0), eigen_g.eigvalsh(a, np.eye(5), type=2))


@pytest.mark.parametrize("n", [0, 1, 2, 40, 130])
@pytest.mark.parametrize("type", [1, 2, 3])
@pytest.mark.parametrize("orders", ["CC", "FF", "CF", "FC"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_generalised(n, type, orders, dtype):
    a, b = random_pair(n, dtype)
    for lower in (True, False):
        x, y = a.copy(order=orders[0]), b.copy(order=orders[1])
        for one in (x, y):
            one[np.triu_indices(n, 1) if lower else np.tril_indices(n, -1)] = np.nan
        before = x.copy(), y.copy()
        result = eigen_g.eigh(x, y, type=type, lower=lower)
        w, v = result
        np.testing.assert_array_equal(x, before[0])
        np.testing.assert_array_equal(y, before[1])
        assert w.dtype == v.dtype == dtype and v.shape == (n, n)
        assert eigen_g.verify(x, w, v, b=y, type=type, lower=lower).passed
        assert n == 0 or "cholesky" in dict(result.report.stages)
        values = eigen_g.eigvalsh(x, y, type=type, lower=lower)
        np.testing.assert_allclose(values, w, atol=1000 * np.finfo(dtype).eps * np.abs(w).max(initial=0))
        over = eigen_g.eigh(x, y, type=type, lower=lower, overwrite_a=True, overwrite_b=True)
        np.testing.assert_array_equal(over.eigenvalues, w)


def test_generalised_is_scipys():
    scipy = pytest.importorskip("scipy.linalg")
    a, b = random_pair(50)
    for type in (1, 2, 3):
        w, v = eigen_g.eigh(a, b, type=type, subset_by_index=[3, 9])
        theirs, vectors = scipy.eigh(a, b, type=type, subset_by_index=[3, 9])
        np.testing.assert_allclose(w, theirs, rtol=1e-10, atol=1e-11)
        np.testing.assert_allclose(np.abs(v), np.abs(vectors), atol=1e-8)
    w, v = eigen_g.eigh(np.stack([a, 2 * a]), np.stack([b, b]))
    np.testing.assert_array_equal(w[0], eigen_g.eigh(a, b).eigenvalues)
    np.testing.assert_allclose(w[1], 2 * w[0], atol=1e-11)


@pytest.mark.parametrize("type", [1, 2, 3])
@pytest.mark.parametrize("orders", ["CC", "FF", "CF", "FC"])
@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_generalised_hermitian(type, orders, dtype):
    n = 40
    a, x = random_hermitian(n, dtype), random_hermitian(n, dtype, 1)
    b = (x @ x.conj().T / n + np.eye(n)).astype(dtype)
    for overwrite in (False, True):
        x, y = a.copy(order=orders[0]), b.copy(order=orders[1])
        w, v = eigen_g.eigh(x, y, type=type, overwrite_a=overwrite, overwrite_b=overwrite)
        assert w.dtype == np.finfo(dtype).dtype and v.dtype == dtype
        for order in "CF":
            assert eigen_g.verify(a.copy(order=order), w, v, b=b, type=type).passed
        left, right = {1: (a @ v, b @ v * w), 2: (a @ b @ v, v * w), 3: (b @ a @ v, v * w)}[type]
        np.testing.assert_allclose(left, right, atol=2000 * np.finfo(dtype).eps * np.abs(left).max())
    given = a[::-1, ::-1].copy()[::-1, ::-1]
    np.testing.assert_allclose(eigen_g.eigh(given, b, type=type)[0], w, atol=1e-3)


@pytest.mark.parametrize("type", [1, 2, 3])
def test_b_in_the_memory_of_a(type):
    _, b = random_pair(12)
    w = eigen_g.eigvalsh(b, b.copy(), type=type)
    shift = np.empty(13 * 12)
    a, below = shift[:144].reshape(12, 12), shift[12:].reshape(12, 12)
    for order in "CF":
        for overwrite_b in (False, True):
            x = b.copy(order=order)
            result = eigen_g.eigh(x, x, type=type, overwrite_a=True, overwrite_b=overwrite_b)
            np.testing.assert_allclose(result.eigenvalues, w)
            assert eigen_g.verify(b, *result, b=b, type=type).passed
    below[...] = b
    given = a.copy()
    given = (np.tril(given) + np.tril(given, -1).T).copy()
    result = eigen_g.eigh(a, below, type=type, overwrite_a=True)
    assert eigen_g.verify(given, *result, b=b, type=type).passed
    stack = np.stack([b, 2 * b, 3 * b])
    reversed_ = stack[::-1]
    truth = eigen_g.eigvalsh(stack.copy(), reversed_.copy(), type=type)
    np.testing.assert_allclose(eigen_g.eigh(stack, reversed_, type=type, overwrite_a=True)[0], truth)


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "complex64"])
@pytest.mark.parametrize("orders", ["CC", "CF", "FC", "FF"])
@pytest.mark.parametrize("lower", [True, False])
def test_the_cholesky_factor_of_b_is_returned_and_reused(dtype, orders, lower):
    n = 60
    a, b = (x.astype(dtype) for x in random_pair(n))
    if "complex" in dtype:
        skew = np.tril(random_symmetric(n), -1) / (10 * n)
        a, b = (x + 1j * (skew - skew.T).astype(x.real.dtype) for x in (a, b))
    a, b = a.copy(order=orders[0]), b.copy(order=orders[1])
    eps = np.finfo(dtype).eps
    before = b.copy()
    result = eigen_g.eigh(a, b, lower=lower, return_factor=True)
    np.testing.assert_array_equal(b, before)
    assert eigen_g.verify(a, *result, b=b, lower=lower).passed
    factor = result.factor
    assert type(factor) is eigen_g.CholeskyFactor and factor.lower is lower and factor.c.dtype == dtype
    triangle = np.tril(factor.c) if lower else np.triu(factor.c)
    whole = triangle @ triangle.conj().T if lower else triangle.conj().T @ triangle
    np.testing.assert_allclose(whole, b, atol=100 * eps * np.abs(b).max())
    linalg = pytest.importorskip("scipy.linalg")
    np.testing.assert_allclose(b @ linalg.cho_solve(factor, a), a, atol=1e4 * eps)
    kept = factor.c.copy()
    for given in (factor, linalg.cho_factor(b, lower=True), linalg.cho_factor(b), tuple(factor)):
        for x in (a, a[::-1, ::-1].copy(order=orders[1])):
            again = eigen_g.eigh(x, given, lower=lower)
            assert "cholesky" not in dict(again.report.stages) and again.factor is None
            assert eigen_g.verify(x, *again, b=b, lower=lower).passed
    np.testing.assert_array_equal(factor.c, kept)
    w, v = eigen_g.eigh(np.stack([a, 2 * a]), factor, lower=lower)
    assert eigen_g.verify(2 * a, w[1], v[1], b=b, lower=lower).passed


def test_return_factor_overwrites_only_what_may_be_overwritten():
    a, b = random_pair(60)
    b = np.asfortranarray(b)
    before = b.copy()
    assert not np.shares_memory(eigen_g.eigh(a, b, return_factor=True).factor.c, b)
    np.testing.assert_array_equal(b, before)
    x = np.asfortranarray(a)
    factor = eigen_g.eigh(x, b, return_factor=True, overwrite_b=True).factor
    assert np.shares_memory(factor.c, b)
    np.testing.assert_allclose(np.tril(b) @ np.tril(b).T, before, atol=1e-12)


def test_return_factor_says_what_it_requires():
    a, b = random_pair(5)
    for arguments, options in (((a,), {}), ((a, b), {"eigvals_only": True}), ((np.stack([a, a]), b), {}), ((a, (b, True)), {})):
        with pytest.raises(ValueError, match="return_factor requires"):
            eigen_g.eigh(*arguments, return_factor=True, **options)
    with pytest.raises(ValueError, match="a and b must be alike"):
        eigen_g.eigh(a, (np.eye(4), True))
    with pytest.raises(np.linalg.LinAlgError, match="order 1 of b"):
        eigen_g.eigh(a, -b, return_factor=True)
    assert eigen_g.eigh(a, -b, return_factor=True, errors="status").factor is None
