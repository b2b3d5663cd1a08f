"""All pairs of a small problem, by the dense solver."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from . import _eigh
from ._sparse_matrices import Host, Matrix, written_out
from ._sparse_problem import Found
from ._sparse_report import SparseReport

# Smaller problems are solved as dense ones, because that takes less than a millisecond.
_small = 100
# Up to this order a problem that has no sparse method is solved as a dense one.
largest_dense = 1000


def _check_symmetric(a: Host, dtype: np.dtype[Any], what: str) -> None:
    largest = np.max(np.abs(a), initial=0)
    if np.isfinite(largest) and np.max(np.abs(a - a.conj().T), initial=0) > 4500 * np.finfo(dtype).eps * largest:
        raise ValueError(f"{what} must be {'Hermitian' if np.iscomplexobj(a) else 'symmetric'}")


def _all_pairs(a: Host, m: Host | None, buckling: bool) -> tuple[Host, Host]:
    """All finite pairs, ascending."""
    if buckling and m is None:
        w, v = _eigh.eigh(a)
        return w, v / np.sqrt(w)
    if buckling and m is not None:
        nu, v = _eigh.eigh(m, a)
        finite = np.abs(nu) > len(a) * np.finfo(float).eps * np.max(np.abs(nu))
        w, v = 1 / nu[finite], v[:, finite]
        order = np.argsort(w, kind="stable")
        return w[order], v[:, order]
    try:
        w, v = _eigh.eigh(a, m)
        return w, v
    except _eigh.LinAlgError:
        if m is None:
            raise
    # M is singular: nu = 1 / (w - s) are the values of M x = nu (A - s M) x, which is definite for every s below the spectrum.
    scale = np.max(np.abs(a)) / np.max(np.abs(m), initial=0) if np.any(m) else 0.0
    for s in (0.0, -1e-3 * scale, -scale, -1e3 * scale, -1e6 * scale):
        try:
            nu, v = _eigh.eigh(m, a - s * m)
        except _eigh.LinAlgError:
            continue
        limit = len(a) * np.finfo(float).eps * np.max(np.abs(nu))
        if nu[0] < -limit:
            break
        finite = np.flatnonzero(nu > limit)[::-1]
        return s + 1 / nu[finite], v[:, finite] / np.sqrt(nu[finite])
    raise _eigh.LinAlgError("M must be positive semidefinite, and A definite for the vectors x with M @ x = 0")


def _all_by_inverse(inverse: Host, b: Host | None) -> tuple[Host, Host]:
    """theta and x of inverse @ B @ x = theta * x with x^H B x = 1, for a positive semidefinite B = L L^H."""
    if b is None:
        theta, x = _eigh.eigh(inverse)
        return theta, x
    squares, v = _eigh.eigh(b)
    kept = squares > len(b) * np.finfo(float).eps * squares[-1]
    factor = v[:, kept] * np.sqrt(squares[kept])
    theta, y = _eigh.eigh(factor.conj().T @ inverse @ factor)
    real = np.abs(theta) > len(b) * np.finfo(float).eps * np.max(np.abs(theta))
    return theta[real], (inverse @ factor @ y[:, real]) / theta[real]


def solved_dense(a: Matrix, b: Matrix | None, inverse: Matrix | None, k: int, sigma: float | None, library: str) -> bool:
    """True if the problem is solved as a dense one. Raises TypeError if it has no other method, and is too large for that."""
    if a.n <= _small and library in ("auto", "none"):
        return True
    if a.kind == "dense":
        return b is not None or sigma is not None or 4 * k > a.n
    operators = [name for name, x in (("A", a), ("M", b)) if x is not None and x.kind == "operator"]
    if inverse is not None or (not operators) or (operators == ["A"] and b is None and sigma is None):
        return False
    if a.n <= largest_dense:
        return True
    needed = "sigma needs OPinv" if sigma is not None else "M needs sigma and OPinv"
    raise TypeError(f"{' and '.join(operators)} of order {a.n} cannot be factorised as an operator: {needed}, or a sparse matrix")


def of_dense(a: Matrix, b: Matrix | None, inverse: Matrix | None, sigma: float | None, mode: str) -> Found:
    given = [x for x in (a, b, inverse) if x is not None]
    dtype = np.complex128 if any(x.dtype.kind == "c" for x in given) else np.float64
    if inverse is not None and sigma is not None:
        of_inner = a if mode == "buckling" else b
        theta, v = _all_by_inverse(written_out(inverse, dtype), None if of_inner is None else written_out(of_inner, dtype))
        w = sigma * theta / (theta - 1) if mode == "buckling" else sigma + 1 / theta
        return Found(w, v, np.zeros(len(w)), np.empty(0), ())
    matrices = [None if x is None else written_out(x, dtype) for x in (a, b)]
    for x, matrix, what in zip((a, b), matrices, "AM"):
        if x is not None and matrix is not None and x.kind != "operator":
            _check_symmetric(matrix, x.dtype, what)
    w, v = _all_pairs(matrices[0], matrices[1], mode == "buckling")  # type: ignore[arg-type]
    of_m = v if matrices[1] is None else matrices[1] @ v
    return Found(w, v, np.linalg.norm(matrices[0] @ v - of_m * w, axis=0), np.empty(0), ())


def of_all(A: Any, M: Any, a: Matrix, b: Matrix | None, k: int, return_eigenvectors: bool, info: bool) -> Any:
    """k >= n, as in SciPy: all pairs of a dense A."""
    warnings.warn(f"k = {k} must be less than n = {a.n}: all pairs are computed by eigen_g.eigh", RuntimeWarning, stacklevel=3)
    if a.kind != "dense" or (b is not None and b.kind == "operator"):
        raise TypeError(f"k = {k} must be less than n = {a.n} for sparse matrices and operators: eigen_g.eigh(A.toarray()) finds all pairs")
    w, v = _eigh.eigh(a.given, None if b is None else written_out(b, b.dtype))
    results: tuple[Any, ...] = (w, v) if return_eigenvectors else (w,)
    results = (*results, SparseReport()) if info else results
    return results if len(results) > 1 else w
