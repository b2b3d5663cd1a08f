"""Matrices for the tests of arrays on the CPU, and the check of their eigenpairs."""

import numpy as np

ULP = np.finfo(float).eps


def random_symmetric(n, seed=0):
    a = np.random.default_rng(seed).standard_normal((n, n))
    return a + a.T


def random_hermitian(n, dtype=np.complex128, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n))
    return (a + a.conj().T).astype(dtype)


def random_pair(n, dtype=float, seed=0):
    a, x = random_symmetric(n, seed), np.random.default_rng(seed + 1).standard_normal((n, n))
    return a.astype(dtype), (x @ x.T / max(n, 1) + np.eye(n)).astype(dtype)


def strided(a, kind):
    n = len(a)
    if kind == "rows":
        room = np.full((n, n + 5), np.nan, a.dtype)
        room[:, 3 : n + 3] = a
        return room[:, 3 : n + 3]
    if kind == "columns":
        return strided(a.T, "rows").T
    if kind == "every second":
        room = np.full((2 * n + 1, 2 * n + 1), np.nan, a.dtype)
        room[1 : 2 * n : 2, : 2 * n : 2] = a
        return room[1 : 2 * n : 2, : 2 * n : 2]
    if kind == "backwards":
        return np.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1]
    if kind == "broadcast":
        return np.broadcast_to(np.full((1, 1), 2.0), (n, n))
    return a


def check(a, w, v, lower=True):
    """LAPACK's two ratios at most 10, over the triangle that was read."""
    triangle = np.tril(a) if lower else np.triu(a)
    full = triangle + np.tril(triangle, -1).T + np.triu(triangle, 1).T
    n = len(full)
    assert w.shape == (n,) and v.shape == (n, n)
    assert np.all(np.diff(w) >= 0)
    if n == 0:
        return
    norm = max(np.linalg.norm(full, 1), np.finfo(float).tiny)
    assert np.linalg.norm(full @ v - v * w, 1) <= 10 * n * norm * ULP
    assert np.linalg.norm(v.T @ v - np.eye(n), 1) <= 10 * n * ULP
