"""A few eigenpairs of large sparse matrices and pencils, with the arguments of scipy.sparse.linalg.eigsh.

    A @ x = w * x   or   A @ x = w * M @ x       A real symmetric or complex Hermitian, M positive semidefinite

    w, v = eigen_g.sparse.eigsh(A, k=6, M=M, sigma=0)       # the six pairs nearest to 0
    w, v = eigen_g.sparse.interval(A, 0, 5000, M=M)         # all pairs with 0 <= w < 5000
    eigen_g.sparse.count(A, 5000, M=M)                      # how many values are below 5000
    solver = eigen_g.sparse.Solver(A, M)                    # analyses the pattern once, for many shifts
    eigen_g.sparse.verify(A, w, v, M=M).passed
    solver.verify_counts(w).passed                          # no pair is missing among them

Pairs near a shift need a library that factorises A - sigma M (`engines()`). It also counts the eigenvalues below a point, and two counts
around the pairs prove that none is missing.
"""

from __future__ import annotations

import ctypes
import importlib
import operator
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core, _cublas, _eigh
from ._frameworks import Array
from ._frameworks import of as framework_of

__all__ = ["CountVerification", "NoConvergence", "Solver", "SparseReport", "count", "eigsh", "engines", "interval", "verify"]

Which = Literal["LM", "SM", "LA", "SA", "BE"]
Host = npt.NDArray[Any]

# Smaller problems are solved as dense ones, because that takes less than a millisecond.
_small = 100
# Up to this order a problem that has no sparse method is solved as a dense one.
_dense = 1000


@dataclass(frozen=True)
class SparseReport:
    """How pairs were found. If a call made several solves (which="BE"), numbers are sums, and shifts and counts are from the first one."""

    method: str = "dense"  # "dense", "lanczos", "shift-invert"
    engine: str = "none"  # the library that factorised
    proven: bool = True  # no wanted pair is missing. The dense method finds all pairs; the sparse ones prove it by counts
    proof_reason: str = ""  # why it is not proven
    shift_wished: float = 0.0
    shift_used: float = 0.0
    shift_reason: str = ""  # why the shift was moved; empty: it was not
    low: float = 0.0  # count_low values are below low, count_high below high, and `found` are between them (buckling: values 1 / w)
    high: float = 0.0
    count_low: int = 0
    count_high: int = 0
    found: int = 0
    repaired: int = 0  # number of pairs that the counts showed to be missing, and that were then found
    residuals: Host = field(default_factory=lambda: np.empty(0))  # |A v - w M v| of each pair
    error_bounds: Host = field(default_factory=lambda: np.empty(0))  # bounds of |w - an eigenvalue|; empty without a factorisation
    products: int = 0  # number of vectors that were multiplied with A, or solved for
    factorisations: int = 0
    factor_entries: int = 0
    factor_bytes: int = 0
    seconds: float = 0.0


def _no_convergence() -> type[Exception]:
    """NoConvergence. With SciPy it is a subclass of ArpackNoConvergence, so it is made when it is first needed."""
    known = globals().get("NoConvergence")
    if known is not None:
        return known  # type: ignore[no-any-return]
    try:
        base: Any = importlib.import_module("scipy.sparse.linalg").ArpackNoConvergence
    except ImportError:
        base = RuntimeError

    class NoConvergence(base):  # type: ignore[misc]
        """Some pairs did not converge. `eigenvalues` and `eigenvectors` have the converged ones."""

        def __init__(self, message: str, eigenvalues: Any, eigenvectors: Any) -> None:
            Exception.__init__(self, message)
            self.eigenvalues, self.eigenvectors = eigenvalues, eigenvectors

        def __reduce__(self) -> tuple[Any, ...]:
            return _raised_again, (str(self), self.eigenvalues, self.eigenvectors)

    NoConvergence.__qualname__ = "NoConvergence"
    globals()["NoConvergence"] = NoConvergence
    return NoConvergence


def _raised_again(*arguments: Any) -> Exception:
    return _no_convergence()(*arguments)


def __getattr__(name: str) -> Any:
    if name == "NoConvergence":
        return _no_convergence()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def engines() -> dict[str, str]:
    """The libraries that factorise sparse matrices here, with their versions. Only "mumps" is supported so far. Empty: there is none."""
    return dict(_core.factor_libraries())


# The matrices of a call


class _Matrix(NamedTuple):
    given: Any  # the caller's object
    kind: str  # "sparse", "dense", "diagonal" (of M: its n values) or "operator"
    n: int
    dtype: np.dtype[Any]  # one of the four types, as results have it
    on_gpu: bool


def _looked_at(a: Any, what: str, keep_on_gpu: bool = False) -> _Matrix:
    on_gpu = type(a).__module__.partition(".")[0] in ("cupy", "cupyx")
    if on_gpu and hasattr(a, "tocsr") and not keep_on_gpu:
        a = a.get()
    if hasattr(a, "tocsr"):
        kind = "sparse"
    elif (hasattr(a, "matvec") or hasattr(a, "matmat")) and hasattr(a, "shape"):
        kind = "operator"
    else:
        framework, a = framework_of(a)
        if framework.name not in ("numpy", "cupy"):
            raise TypeError(f"{what} is an array of {framework.name}: eigen_g.eigh(subset_by_index=...) solves it")
        a = framework.to_host(a)
        kind = "diagonal" if a.ndim == 1 and what == "M" else "dense"
    shape = tuple(a.shape)
    if kind != "diagonal" and (len(shape) != 2 or shape[0] != shape[1]):
        raise ValueError(f"expected square matrix (shape={shape})")
    dtype = np.dtype(np.float64 if getattr(a, "dtype", None) is None else a.dtype)
    if dtype.kind not in "biufc":
        raise TypeError(f"{what} is {dtype}, must be a numeric matrix")
    if dtype.char not in "fdFD":
        dtype = np.dtype(np.complex128 if dtype.kind == "c" else np.float32 if dtype.char == "e" else np.float64)
    return _Matrix(a, kind, shape[0], dtype, on_gpu)


def _multiplied(a: _Matrix, x: Host) -> Host:
    """A @ x for n x m vectors x."""
    if a.kind == "diagonal":
        return np.asarray(a.given)[:, None] * x
    if a.kind == "operator":
        y = a.given.matmat(x) if hasattr(a.given, "matmat") else np.stack([_column(a, c) for c in x.T], axis=1)
    else:
        y = a.given @ x
    y = np.asarray(y)
    if y.shape != x.shape:
        raise ValueError(f"a product with {x.shape} vectors has the shape {y.shape}")
    return y


def _column(a: _Matrix, x: Host) -> Host:
    return np.asarray(a.given.matvec(x)).reshape(-1)


def _written_out(a: _Matrix, dtype: Any) -> Host:
    """A as a dense array."""
    if a.kind == "sparse":
        return np.asarray(a.given.toarray(), dtype)
    if a.kind == "diagonal":
        return np.diag(np.asarray(a.given, dtype))
    if a.kind == "operator":
        return np.asarray(_multiplied(a, np.eye(a.n, dtype=dtype)), dtype)
    return np.asarray(a.given, dtype)


class _Csr(NamedTuple):
    offsets: Host
    columns: Host
    values: Host

    @property
    def addresses(self) -> tuple[int, int, int]:
        return self.offsets.ctypes.data, self.columns.ctypes.data, self.values.ctypes.data


def csr_of(a: Any, dtype: Any = np.float64) -> _Csr:
    """The arrays of a sparse matrix of any format in the types that the library reads. Duplicates are summed; a is not changed."""
    rows = a.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy() if rows is a else rows
        rows.sum_duplicates()
    if rows.shape[0] >= 1 << 31:
        raise ValueError(f"the order is {rows.shape[0]}, must be less than 2^31")
    offsets, columns, values = (framework_of(x)[0].to_host(x) for x in (rows.indptr, rows.indices, rows.data))
    return _Csr(
        np.ascontiguousarray(offsets, np.int64), np.ascontiguousarray(columns, np.int32), np.ascontiguousarray(values, dtype)
    )


def _real_form(a: _Csr) -> _Csr:
    """The real symmetric matrix of twice the order: each entry x + iy of a Hermitian matrix becomes the block ((x, -y), (y, x)).

    A complex vector, whose memory has real and imaginary part in turns, is then a real vector of twice the length.
    """
    n, counts = len(a.offsets) - 1, np.diff(a.offsets)
    entry = np.arange(len(a.values), dtype=np.int64)
    upper = 2 * entry + 2 * np.repeat(a.offsets[:-1], counts)  # where the first row of the entry's block has its two values
    lower = 2 * entry + 2 * np.repeat(a.offsets[1:], counts)
    columns, values = np.empty(4 * len(entry), np.int32), np.empty(4 * len(entry))
    for at in (upper, lower):
        columns[at], columns[at + 1] = 2 * a.columns, 2 * a.columns + 1
    values[upper], values[upper + 1] = a.values.real, -a.values.imag
    values[lower], values[lower + 1] = a.values.imag, a.values.real
    offsets = np.empty(2 * n + 1, np.int64)
    offsets[0::2], offsets[1::2] = 4 * a.offsets, 4 * a.offsets[:-1] + 2 * counts
    return _Csr(offsets, columns, values)


def _block(address: int, shape: tuple[int, ...]) -> Host:
    """The doubles at an address as an array."""
    return np.ctypeslib.as_array((ctypes.c_double * int(np.prod(shape))).from_address(address)).reshape(shape)


def _multiply_of(a: _Matrix | None, is_complex: bool) -> Callable[[int, int], None] | None:
    """The function of two addresses that the library calls for Y := A X; X and Y have 4 columns."""
    if a is None:
        return None
    matrix, n = a, a.n

    def multiply(x_address: int, y_address: int) -> None:
        if not is_complex:
            y = _multiplied(matrix, _block(x_address, (n, 4)))
            if np.iscomplexobj(y):
                raise TypeError("the product of a real operator is complex; its dtype must be complex")
            _block(y_address, (n, 4))[...] = y
            return
        x = _block(x_address, (n, 2, 4))
        y = _multiplied(matrix, x[:, 0] + 1j * x[:, 1])
        into = _block(y_address, (n, 2, 4))
        into[:, 0], into[:, 1] = y.real, y.imag

    return multiply


# One solve


@dataclass(frozen=True)
class _Options:
    tolerance: float = 0.0
    max_products: int = 0
    start: Host | None = None
    proof: str = "auto"
    engine: str = "auto"
    buckling: bool = False
    device: str = "auto"
    threads: int = 0
    progress: Callable[[float], object] | None = None

    def call(self, end: str, count: int, target: float, tolerance: float | None = None) -> _core.FewCall:
        if self.device != "cpu":
            _cublas.load()
        start = 0 if self.start is None else self.start.ctypes.data
        return _core.FewCall(
            end,
            count,
            target,
            "auto",
            self.tolerance if tolerance is None else tolerance,
            self.max_products,
            start,
            self.proof,
            self.engine,
            self.buckling,
            self.device,
            self.threads,
            self.progress,
        )


class _Found(NamedTuple):
    """Pairs with their residuals and bounds of their values' errors, and the reports of their solves."""

    w: Host
    v: Host
    residuals: Host
    bounds: Host
    reports: tuple[Any, ...]

    def chosen(self, at: Any) -> _Found:
        return self._replace(
            w=self.w[at], v=self.v[:, at], residuals=self.residuals[at], bounds=self.bounds[at] if len(self.bounds) else self.bounds
        )

    def and_also(self, others: _Found) -> _Found:
        bounds = [self.bounds, others.bounds] if len(self.bounds) and len(others.bounds) else [np.empty(0)]
        return _Found(
            np.concatenate([self.w, others.w]),
            np.concatenate([self.v, others.v], axis=1),
            np.concatenate([self.residuals, others.residuals]),
            np.concatenate(bounds),
            self.reports + others.reports,
        )

    def report(self) -> SparseReport:
        if not self.reports:
            return SparseReport(residuals=self.residuals)
        first = self.reports[0]
        same = ("method", "engine", "shift_wished", "shift_used", "shift_reason", "low", "high", "count_low", "count_high", "found")
        summed = ("repaired", "products", "factorisations", "factor_entries", "factor_bytes", "seconds")
        return SparseReport(
            **{name: getattr(first, name) for name in same},
            **{name: sum(getattr(r, name) for r in self.reports) for name in summed},
            proven=all(r.proven or r.method == "dense" for r in self.reports),
            proof_reason=next((r.proof_reason for r in self.reports if r.proof_reason), ""),
            residuals=self.residuals,
            error_bounds=self.bounds,
        )


class _Problem:
    """The matrices of a call in the form that the library takes: CSR arrays, products, or CSR arrays on a GPU.

    A Hermitian problem is solved in its real form, in which each pair appears twice.
    """

    def __init__(
        self, a: _Matrix, m: _Matrix | None, op_inverse: _Matrix | None, options: _Options, by_products: bool | None = None
    ) -> None:
        self.a, self.m, self.op_inverse, self.options = a, m, op_inverse, options
        self.is_complex = any(x.dtype.kind == "c" for x in (a, m, op_inverse) if x is not None)
        self.n = a.n
        self.order = 2 * a.n if self.is_complex else a.n
        if by_products is None:
            by_products = a.kind == "operator" or op_inverse is not None or (a.kind == "dense" and m is None)
        self.by_products = by_products
        self.solver: _core.SparseSolver | None = None
        if self.by_products:
            return
        self.rows = self._rows(a)
        self.diagonal: Host | None = None
        self.mass: _Csr | None = None
        if m is not None and m.kind == "diagonal":
            self.diagonal = np.repeat(np.asarray(m.given, np.float64), self.order // self.n)
        elif m is not None:
            mass = self._rows(m)
            self.diagonal = _diagonal_of(mass)
            self.mass = mass if self.diagonal is None else None

    def _rows(self, a: _Matrix) -> _Csr:
        dtype = np.complex128 if self.is_complex else np.float64
        if a.kind == "diagonal":
            order = np.arange(a.n + 1)
            rows = _Csr(order.astype(np.int64), order[:-1].astype(np.int32), np.ascontiguousarray(a.given, dtype))
        elif a.kind == "dense":
            rows = _csr_of_dense(_written_out(a, dtype))
        else:
            rows = csr_of(a.given, dtype)
            if a.dtype.char in "fF":  # the single precision's roundoff may differ between the triangles
                other = csr_of(a.given.conj().T, dtype)
                if np.array_equal(rows.offsets, other.offsets) and np.array_equal(rows.columns, other.columns):
                    rows = rows._replace(values=(rows.values + other.values) / 2)
        return _real_form(rows) if self.is_complex else rows

    @property
    def matrices(self) -> tuple[int, tuple[int, int, int], tuple[int, int, int], int]:
        mass = (0, 0, 0) if self.mass is None else self.mass.addresses
        return self.order, self.rows.addresses, mass, 0 if self.diagonal is None else self.diagonal.ctypes.data

    def keep_solver(self) -> _core.SparseSolver:
        if self.solver is None:
            self.solver = _core.SparseSolver(self.options.call("lowest", 1, 0.0), *self.matrices)
        return self.solver

    def pairs(self, end: str, count: int, target: float = 0.0, tolerance: float | None = None) -> _Found:
        """`count` pairs, or fewer if that end has no more. tolerance: instead of that of the options. Raises NoConvergence."""
        if self.is_complex and end == "both":
            return self.pairs("below", count // 2, target).and_also(self.pairs("above", count - count // 2, target))
        if count == 0:
            return _Found(np.empty(0), np.empty((self.n, 0)), np.empty(0), np.empty(0), ())
        wanted = count * (self.order // self.n)
        w, z = np.empty(wanted), np.empty((self.order, wanted), order="F")
        call = self.options.call(end, wanted, target, tolerance)
        if self.solver is not None:
            report = self.solver.solve(call, w.ctypes.data, z.ctypes.data)
        elif self.by_products:
            k = None if self.op_inverse is not None and self.a.kind == "operator" and not self.options.buckling else self.a
            of_k, of_m, inverse = (_multiply_of(x, self.is_complex) for x in (k, self.m, self.op_inverse))
            report = _core.solve_operators(call, self.order, of_k, of_m, inverse, w.ctypes.data, z.ctypes.data)
        else:
            report = _core.solve_rows(call, *self.matrices, w.ctypes.data, z.ctypes.data)
        return self.converged(self.found(w[: report.m], z[:, : report.m], report), count)

    def converged(self, found: _Found, count: int) -> _Found:
        report = found.reports[0]
        if report.converged:
            return found
        limit = report.tolerance * (report.norm + np.abs(found.w) * report.mass_norm)
        good = found.chosen(found.residuals <= limit)
        raise _no_convergence()(f"{len(good.w)} of {count} pairs converged", good.w, good.v)

    def found(self, w: Host, z: Host, report: Any) -> _Found:
        """The pairs of the problem from the library's pairs, which are pairs of its real form if the problem is Hermitian.

        The real form's vectors C of a value, seen as complex ones, span the vectors of that value, but their number is twice the
        dimension. Half of the eigenvalues of C^H M C are 2, and the others are 0. The vectors of the 2s combine the columns of C.
        """
        residuals, bounds = np.array(report.residuals), np.array(report.error_bounds)
        if not self.is_complex:
            return _Found(w, z, residuals, bounds, (report,))
        count = (len(w) + 1) // 2
        vectors = np.ascontiguousarray(z.T).view(np.complex128).T
        inner = self.a if self.options.buckling else self.m
        gram = vectors.conj().T @ (vectors if inner is None else _multiplied(inner, vectors))
        squares, turn = np.linalg.eigh(gram)
        turn = turn[:, -count:] / np.sqrt(squares[-count:])
        spectrum = 1 / w if self.options.buckling else w
        values, second = np.linalg.eigh(turn.conj().T @ (gram * spectrum) @ turn)
        values = 1 / values if self.options.buckling else values
        order = np.argsort(values, kind="stable")
        v = vectors @ (turn @ second[:, order])
        return _Found(values[order], v, residuals[::2], bounds[::2], (report,))


def _csr_of_dense(a: Host) -> _Csr:
    stored = a != 0
    offsets = np.concatenate([[0], np.cumsum(stored.sum(axis=1))]).astype(np.int64)
    return _Csr(offsets, np.nonzero(stored)[1].astype(np.int32), np.ascontiguousarray(a[stored]))


def _diagonal_of(a: _Csr) -> Host | None:
    """The diagonal, if there are no other entries."""
    n = len(a.offsets) - 1
    row = np.repeat(np.arange(n), np.diff(a.offsets))
    if not np.array_equal(a.columns, row):
        return None
    diagonal = np.zeros(n)
    diagonal[row] = a.values
    return diagonal


# All pairs of a small problem


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


# eigsh


def _selected(theta: Host, k: int, which: str) -> Host:
    order = np.argsort(np.abs(theta) if which in ("LM", "SM") else theta, kind="stable")
    if which == "BE":
        return np.concatenate([order[: k // 2], order[len(order) - (k - k // 2) :]])
    return order[max(0, len(order) - k) :] if which in ("LM", "LA") else order[:k]


def _theta(w: Host, sigma: float | None, mode: str) -> Host:
    """The values by which pairs are selected: SciPy's w'."""
    if sigma is None:
        return w
    with np.errstate(divide="ignore", invalid="ignore"):
        over = {"normal": np.ones_like(w), "cayley": w + sigma, "buckling": w}[mode]
        return np.asarray(over / (w - sigma))


def _side(p: _Problem, end: str, k: int, sigma: float) -> _Found:
    """k pairs above or below sigma. If that side has fewer, theta goes on at the other end, and the next pairs come from there."""
    there = k
    if not p.by_products and not p.options.buckling and (p.solver is not None or engines()) and p.options.engine != "none":
        below, _, _ = p.keep_solver().count(sigma)
        there = min(k, (below if end == "below" else p.order - below) // (p.order // p.n))
    found = p.pairs(end, there, sigma)
    return found if len(found.w) == k else found.and_also(p.pairs("lowest" if end == "above" else "highest", k - len(found.w)))


def _of_largest_magnitude(p: _Problem, k: int) -> _Found:
    found = p.pairs("highest", k)
    if p.m is None:  # mostly the other end is far from being wanted, as a rough value shows
        lowest = p.pairs("lowest", 1, tolerance=1e-2)
        if lowest.w[0] - lowest.residuals[0] > -found.w[0]:
            return found
    return found.and_also(p.pairs("lowest", k))


def _of_smallest_magnitude(p: _Problem, k: int) -> _Found:
    if not p.by_products and p.options.engine != "none" and (p.m is not None or engines()):
        return p.pairs("nearest", k)
    found = p.pairs("lowest", k)
    if found.w[0] >= 0:
        return found
    found = p.pairs("highest", k)
    if found.w[-1] <= 0:
        return found
    raise ValueError("which='SM': A has negative and positive values, and the ones next to 0 need sigma=0 and a factorisation")


def _candidates(p: _Problem, k: int, which: str, sigma: float | None, mode: str) -> _Found:
    """The wanted pairs and perhaps more, of a problem that is not written out."""
    if which == "BE":
        low, high = ("SA", k // 2), ("LA", k - k // 2)
        return _candidates(p, low[1], low[0], sigma, mode).and_also(_candidates(p, high[1], high[0], sigma, mode))
    if sigma is None:
        if which in ("LA", "SA"):
            return p.pairs("highest" if which == "LA" else "lowest", k)
        return _of_largest_magnitude(p, k) if which == "LM" else _of_smallest_magnitude(p, k)
    if which in ("LA", "SA"):
        ascending = mode == "normal" or sigma > 0  # theta is largest at the next value above sigma
        return _side(p, "above" if (which == "LA") == ascending else "below", k, sigma)
    if mode == "cayley":  # theta = 0 at -sigma; |theta| is not symmetric about its largest and smallest values
        at = sigma if which == "LM" else -sigma
        return _side(p, "below", k, at).and_also(_side(p, "above", k, at))
    return p.pairs("nearest", k, sigma) if which == "LM" else p.pairs("lowest", k).and_also(p.pairs("highest", k))


def _buckling_pairs(
    a: _Matrix, b: _Matrix | None, inverse: _Matrix | None, options: _Options, k: int, which: str, sigma: float
) -> _Found:
    """The wanted pairs and perhaps more with mode="buckling".

    The pencil M x = nu A x has nu = 1 / w and a positive definite matrix on its right side. Its theta of the shift 1 / sigma is that of
    buckling times -sigma, and (M - A / sigma)^-1 is -sigma (A - sigma M)^-1.
    """
    if b is None:
        b = _Matrix(np.ones(a.n), "diagonal", a.n, np.dtype(np.float64), False)
    if inverse is not None:
        inverse = inverse._replace(given=_Scaled(inverse, -sigma), kind="operator")
    swapped = _Problem(b, a, inverse, replace(options, buckling=False))
    if sigma > 0:
        which = {"LA": "SA", "SA": "LA"}.get(which, which)
    found = _candidates(swapped, k + k % 2 if which == "BE" else k, which, 1 / sigma, "normal")
    with np.errstate(divide="ignore"):
        w = 1 / found.w
    return found._replace(w=w, residuals=found.residuals * abs(w), bounds=found.bounds * w * w if len(found.bounds) else found.bounds)


class _Scaled:
    def __init__(self, a: _Matrix, factor: float) -> None:
        self.a, self.factor, self.shape = a, factor, (a.n, a.n)

    def matmat(self, x: Host) -> Host:
        return self.factor * _multiplied(self.a, x)


def _as_integer(value: Any, name: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, must be an integer") from None


def eigsh(
    A: Any,
    k: int = 6,
    M: Any = None,
    sigma: float | None = None,
    which: Which = "LM",
    v0: Array | None = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0,
    return_eigenvectors: bool = True,
    Minv: Any = None,
    OPinv: Any = None,
    mode: Literal["normal", "buckling", "cayley"] = "normal",
    rng: Any = None,
    *,
    proof: Literal["auto", "counts", "probe", "none"] = "auto",
    engine: str = "auto",
    device: Literal["auto", "cpu", "gpu"] = "auto",
    threads: int = 0,
    progress: Callable[[float], object] | None = None,
    info: bool = False,
) -> Any:
    """Returns k values w and vectors v of A @ v = v * w, or of A @ v = M @ v * w: scipy.sparse.linalg.eigsh, with its arguments.

    A        real symmetric or complex Hermitian: a sparse matrix or array of SciPy or CuPy in any format, a dense array, or a
             LinearOperator (any object with shape, dtype and matvec or matmat)
    k        number of pairs, less than n
    M        positive semidefinite (with mode="buckling": A is positive definite, and M may be indefinite); as A, or an array of n values,
             which are its diagonal. Vectors have v^H M v = 1 (buckling: v^H A v = 1)
    sigma    the pairs are selected by theta = 1 / (w - sigma) instead of w (cayley: (w + sigma) / (w - sigma), buckling:
             w / (w - sigma)). This needs a factorisation of A - sigma M, or OPinv
    which    "LM": the largest |theta|, which are the values nearest to sigma. "SM": the smallest |theta|. "LA", "SA": the largest and the
             smallest theta: the next values above and below sigma. "BE": half of them from each end
    v0       start vector, used in addition to random ones
    ncv, rng, Minv   are checked and have no effect: the basis has the size that the method needs, the random vectors are always the same,
             and M is factorised here
    maxiter  limit for the number of products, as the number of SciPy's restarts; None: the library's limit
    tol      limit of |A v - w M v| / (|A| + |w| |M|); 0: roundoff
    OPinv    the inverse of A - sigma M as an operator. A is then not factorised, and there are no counts
    proof    how it is established that no pair is missing. "counts": by the number of eigenvalues below two points around the pairs,
             which takes one or two factorisations. "probe": by random vectors. "none". "auto": by counts if there is a factorisation.
             If counts do not prove it, there is a RuntimeWarning
    engine   the library that factorises: "auto", "none" or "mumps"; engines() lists what this machine has
    device, threads, progress   as in eigen_g.eigh; progress(fraction)
    info     True: returns w, v and a SparseReport

    Returns (w, v), or w alone, with w ascending in every case. v is n x k in A's type. The pairs of float32 and complex64 matrices are
    computed in double precision. For a matrix on a GPU, w and v are CuPy arrays.

    Problems of order up to 100 are solved as dense ones, and so are dense arrays that are not solved by products, and operators of order up
    to 1000 with a sigma. A large operator with a sigma needs OPinv.

    Raises NoConvergence, which is an ArpackNoConvergence and has the converged pairs; InvalidArgument (ValueError) also for a matrix that
    is not symmetric, an M that is not positive semidefinite, and a sigma without an engine.
    """
    a, b = _looked_at(A, "A", keep_on_gpu=True), None if M is None else _looked_at(M, "M")
    n, k = a.n, _as_integer(k, "k")
    if b is not None and b.n != n:
        raise ValueError(f"wrong M dimensions {np.shape(M)}, should be {(n, n)}")
    if k <= 0:
        raise ValueError("k must be greater than 0.")
    if which not in ("LM", "SM", "LA", "SA", "BE"):
        raise ValueError(f"which must be one of LM, SM, LA, SA, BE, is {which!r}")
    if mode not in ("normal", "buckling", "cayley"):
        raise ValueError(f"unrecognized mode '{mode}'")
    if k >= n:
        return _of_all(A, M, a, b, k, return_eigenvectors, info)
    _check_inverses(b, sigma, Minv, OPinv)
    if ncv is not None and not k < ncv <= n:
        raise ValueError(f"ncv must be k<ncv<=n, ncv={ncv}")
    if maxiter is not None and maxiter <= 0:
        raise ValueError(f"maxiter must be positive, maxiter={maxiter}")
    if sigma is None:
        mode = "normal"
    else:
        sigma = float(sigma)
        if not np.isfinite(sigma) or (sigma == 0 and mode != "normal"):
            raise ValueError(f"sigma is {sigma}, must be finite, and not 0 with mode='{mode}'")

    inverse = None if OPinv is None else _looked_at(OPinv, "OPinv")
    if inverse is not None and inverse.n != n:
        raise ValueError(f"OPinv has the order {inverse.n}, A has the order {n}")
    single = a.dtype.char in "fF"
    options = _Options(
        tolerance=float(np.clip(max(tol, np.finfo(a.dtype).eps if single else 0), 1e-14, 1)) if tol > 0 or single else 0.0,
        max_products=0 if maxiter is None else int(maxiter) * max(1, (ncv or min(n, max(2 * k + 1, 20))) - k),
        start=_start(v0, n, [x for x in (a, b, inverse) if x is not None]),
        proof=proof,
        engine=engine,
        buckling=mode == "buckling",
        device=device,
        threads=threads,
        progress=progress,
    )
    stays = a.on_gpu and a.kind == "sparse" and n > _dense and b is None and sigma is None and which != "SM"
    stays = stays and a.dtype == np.float64
    if a.on_gpu and not stays:
        a = _looked_at(A, "A")
    if stays:
        found: _Found = _candidates(_GpuProblem(a, options), k, which, None, mode)
    elif _solved_dense(a, b, inverse, k, sigma, engine):
        found = _of_dense(a, b, inverse, sigma, mode)
    elif mode == "buckling" and sigma is not None:
        found = _buckling_pairs(a, b, inverse, options, k, which, sigma)
    else:
        found = _candidates(_Problem(a, b, inverse, options), k, which, sigma, mode)
    found = found.chosen(_selected(_theta(found.w, sigma, mode), k, which))
    found = found.chosen(np.argsort(found.w, kind="stable"))
    report = found.report()
    if mode == "buckling" and report.engine != "none":
        used = 1 / report.shift_used if report.shift_used != 0 else np.inf
        report = replace(report, shift_wished=sigma or 0.0, shift_used=used)
    if len(found.w) < k:
        raise _core.InvalidArgument(f"argument k: is {k}, but the pencil has {len(found.w)} finite eigenvalues")
    if not report.proven and (proof == "counts" or (report.engine != "none" and report.proof_reason)):
        warnings.warn(f"it is not proven that no pair is missing: {report.proof_reason}", RuntimeWarning, stacklevel=2)
    w, v = _results(found, a, b, a.on_gpu)
    results: tuple[Any, ...] = (w, v) if return_eigenvectors else (w,)
    results = (*results, report) if info else results
    return results if len(results) > 1 else w


def _check_inverses(b: _Matrix | None, sigma: float | None, Minv: Any, OPinv: Any) -> None:
    if sigma is None and OPinv is not None:
        raise ValueError("OPinv should not be specified with sigma = None.")
    if Minv is not None and (sigma is not None or b is None):
        raise ValueError(f"Minv should not be specified {'when sigma is specified' if sigma is not None else 'with M = None'}.")


def _start(v0: Any, n: int, matrices: list[_Matrix]) -> Host | None:
    if v0 is None:
        return None
    start = np.asarray(framework_of(v0)[0].to_host(v0)).reshape(-1)
    if start.shape != (n,):
        raise ValueError(f"v0 has {start.size} values, must have {n}")
    is_complex = any(x.dtype.kind == "c" for x in matrices)
    return np.ascontiguousarray(start, np.complex128 if is_complex else np.float64).view(np.float64)


def _solved_dense(a: _Matrix, b: _Matrix | None, inverse: _Matrix | None, k: int, sigma: float | None, engine: str) -> bool:
    """True if the problem is solved as a dense one. Raises TypeError if it has no other method, and is too large for that."""
    if a.n <= _small and engine in ("auto", "none"):
        return True
    if a.kind == "dense":
        return b is not None or sigma is not None or 4 * k > a.n
    operators = [name for name, x in (("A", a), ("M", b)) if x is not None and x.kind == "operator"]
    if inverse is not None or (not operators) or (operators == ["A"] and b is None and sigma is None):
        return False
    if a.n <= _dense:
        return True
    needed = "sigma needs OPinv" if sigma is not None else "M needs sigma and OPinv"
    raise TypeError(f"{' and '.join(operators)} of order {a.n} cannot be factorised as an operator: {needed}, or a sparse matrix")


def _of_dense(a: _Matrix, b: _Matrix | None, inverse: _Matrix | None, sigma: float | None, mode: str) -> _Found:
    given = [x for x in (a, b, inverse) if x is not None]
    dtype = np.complex128 if any(x.dtype.kind == "c" for x in given) else np.float64
    if inverse is not None and sigma is not None:
        of_inner = a if mode == "buckling" else b
        theta, v = _all_by_inverse(_written_out(inverse, dtype), None if of_inner is None else _written_out(of_inner, dtype))
        w = sigma * theta / (theta - 1) if mode == "buckling" else sigma + 1 / theta
        return _Found(w, v, np.zeros(len(w)), np.empty(0), ())
    matrices = [None if x is None else _written_out(x, dtype) for x in (a, b)]
    for x, matrix, what in zip((a, b), matrices, "AM"):
        if x is not None and matrix is not None and x.kind != "operator":
            _check_symmetric(matrix, x.dtype, what)
    w, v = _all_pairs(matrices[0], matrices[1], mode == "buckling")  # type: ignore[arg-type]
    of_m = v if matrices[1] is None else matrices[1] @ v
    return _Found(w, v, np.linalg.norm(matrices[0] @ v - of_m * w, axis=0), np.empty(0), ())


def _of_all(A: Any, M: Any, a: _Matrix, b: _Matrix | None, k: int, return_eigenvectors: bool, info: bool) -> Any:
    """k >= n, as in SciPy: all pairs of a dense A."""
    warnings.warn(f"k = {k} must be less than n = {a.n}: all pairs are computed by eigen_g.eigh", RuntimeWarning, stacklevel=3)
    if a.kind != "dense" or (b is not None and b.kind == "operator"):
        raise TypeError(f"k = {k} must be less than n = {a.n} for sparse matrices and operators: eigen_g.eigh(A.toarray()) finds all pairs")
    w, v = _eigh.eigh(a.given, None if b is None else _written_out(b, b.dtype))
    results: tuple[Any, ...] = (w, v) if return_eigenvectors else (w,)
    results = (*results, SparseReport()) if info else results
    return results if len(results) > 1 else w


def _results(found: _Found, a: _Matrix, b: _Matrix | None, on_gpu: bool) -> tuple[Array, Array]:
    """w and v in A's precision; complex if M is."""
    is_complex = a.dtype.kind == "c" or (b is not None and b.dtype.kind == "c")
    single = a.dtype.char in "fF"
    w = found.w.astype(np.float32 if single else np.float64, copy=False)
    v = found.v.astype({(0, 0): "d", (0, 1): "f", (1, 0): "D", (1, 1): "F"}[is_complex, single], copy=False)
    if not on_gpu:
        return w, v
    cupy = sys.modules["cupy"]
    return cupy.asarray(w), cupy.asarray(v)


# Matrices on a GPU


class _GpuProblem(_Problem):
    """A real sparse matrix in GPU memory, for pairs at an end of its spectrum. The vectors are CuPy arrays."""

    def __init__(self, a: _Matrix, options: _Options) -> None:
        super().__init__(a._replace(kind="operator"), None, None, options)
        rows = a.given.tocsr().copy()
        rows.sum_duplicates()
        self.framework, data = framework_of(rows.data)
        self.gpu = self.framework.view(data).gpu
        with self.framework.on(self.gpu):
            self.arrays = rows.indptr.astype(np.int64), rows.indices.astype(np.int32), data.astype(np.float64)

    def pairs(self, end: str, count: int, target: float = 0.0, tolerance: float | None = None) -> _Found:
        framework = self.framework
        if count == 0:
            return _Found(np.empty(0), self.arrays[2][:0].reshape(self.n, 0), np.empty(0), np.empty(0), ())
        with framework.on(self.gpu):
            w, rows = np.empty(count), framework.empty((count, self.n), "float64", self.arrays[2])
            stream, _stream = framework.stream(self.gpu)
            offsets, columns, values = (framework.address(x) for x in self.arrays)
            call = self.options.call(end, count, target, tolerance)
            matrix = self.n, len(self.arrays[2]), (offsets, columns, values)
            report = _core.solve_rows_on_gpu(call, *matrix, w.ctypes.data, framework.address(rows), self.gpu, stream)
            return self.converged(_Found(w, rows.T, np.array(report.residuals), np.empty(0), (report,)), count)


# Intervals, counts, and a solver for many shifts


def _factored(A: Any, M: Any, options: _Options) -> _Problem:
    a, m = _looked_at(A, "A"), None if M is None else _looked_at(M, "M")
    if m is not None and m.n != a.n:
        raise ValueError(f"wrong M dimensions {np.shape(M)}, should be {(a.n, a.n)}")
    if a.kind == "operator" or (m is not None and m.kind == "operator"):
        raise TypeError("A and M must be sparse matrices: a factorisation needs their entries")
    return _Problem(a, m, None, options, by_products=False)


class CountVerification(NamedTuple):
    """The number of given values between two points, and the number of eigenvalues there.

    all  the points are outside all given values. False: the first or the last value is one of several almost equal ones, some of which were
         not given. The points are then within the given values, next to these.
    """

    low: float
    high: float
    below: int  # number of eigenvalues below `low`
    expected: int  # number of eigenvalues between the points
    given: int  # number of given values between the points
    all: bool

    @property
    def passed(self) -> bool:
        """True if no pair is missing between the points."""
        return self.expected == self.given


class Solver:
    """A pencil A - w M that is analysed once, for pairs near several shifts, intervals and counts.

        solver = eigen_g.sparse.Solver(K, M)
        w, v = solver.nearest(0.0, 10)
        w, v = solver.interval(0, 5000)
        solver.count(5000)
        solver.update(K2)                   # other values of the same pattern: the analysis is kept

    A, M      sparse matrices (M also: n values, its diagonal), or dense arrays. They are copied
    buckling  as mode="buckling" of eigsh
    others    as in eigsh

    Calls from several threads must not overlap. Raises InvalidArgument if there is no engine.
    """

    def __init__(
        self,
        A: Any,
        M: Any = None,
        *,
        buckling: bool = False,
        tol: float = 0,
        proof: Literal["auto", "counts", "probe", "none"] = "auto",
        engine: str = "auto",
        device: Literal["auto", "cpu", "gpu"] = "auto",
        threads: int = 0,
        progress: Callable[[float], object] | None = None,
    ) -> None:
        tolerance = float(np.clip(tol, 1e-14, 1)) if tol > 0 else 0.0
        options = _Options(
            tolerance, proof=proof, engine=engine, buckling=buckling, device=device, threads=threads, progress=progress
        )
        self._problem = _factored(A, M, options)
        self._solver = self._problem.keep_solver()

    @property
    def n(self) -> int:
        """The order of A."""
        return self._problem.n

    @property
    def factor_entries(self) -> int:
        """Number of entries of the factor L, predicted by the analysis."""
        return self._solver.factor_entries

    @property
    def factor_bytes(self) -> int:
        """Memory of the factorisation, predicted by the analysis."""
        return self._solver.factor_bytes

    def nearest(
        self, sigma: float, k: int = 6, *, which: Which = "LM", return_eigenvectors: bool = True, info: bool = False
    ) -> Any:
        """Returns k pairs as eigsh(A, k, M, sigma, which) does."""
        mode = "buckling" if self._problem.options.buckling else "normal"
        found = _candidates(self._problem, _as_integer(k, "k"), which, float(sigma), mode)
        found = found.chosen(_selected(_theta(found.w, float(sigma), mode), k, which))
        return self._returned(found.chosen(np.argsort(found.w, kind="stable")), return_eigenvectors, info)

    def interval(
        self, a: float, b: float, *, max_pairs: int | None = None, return_eigenvectors: bool = True, info: bool = False
    ) -> Any:
        """Returns all pairs with a <= w < b, ascending.

        max_pairs  a larger number of pairs is an InvalidArgument before any pair is computed. None: a quarter of the free memory limits
                   their number
        """
        most = 0 if max_pairs is None else _as_integer(max_pairs, "max_pairs") * (self._problem.order // self.n)
        pairs = self._solver.interval(float(a), float(b), most, return_eigenvectors or self._problem.is_complex)
        w = np.array(pairs.w)
        size = self._problem.order * len(w)
        z = _block(pairs.z, (size,)).copy() if pairs.z and size else np.empty(size)
        found = self._problem.found(w, z.reshape((self._problem.order, len(w)), order="F"), pairs.report)
        return self._returned(found, return_eigenvectors, info)

    def _returned(self, found: _Found, vectors: bool, info: bool) -> Any:
        w, v = _results(found, self._problem.a, self._problem.m, self._problem.a.on_gpu)
        results: tuple[Any, ...] = (w, *((v,) if vectors else ()), *((found.report(),) if info else ()))
        return results if len(results) > 1 else w

    def count(self, s: float) -> int:
        """Returns the number of eigenvalues below s (with buckling: between 0 and s).

        If s is an eigenvalue to working accuracy, the count is made next to it, and there is a RuntimeWarning.
        """
        below, at, moved = self._solver.count(float(s))
        if moved:
            warnings.warn(f"{s} is an eigenvalue to working accuracy: the values below {at} are counted", RuntimeWarning, stacklevel=2)
        return below // (self._problem.order // self.n)

    def verify_counts(self, w: Array) -> CountVerification:
        """Compares the ascending values w with counts: shows if a pair is missing among them."""
        twice = self._problem.order // self.n
        values = np.repeat(np.asarray(framework_of(w)[0].to_host(framework_of(w)[1]), np.float64), twice)
        low, high, below, expected, given, everything = self._solver.verify_counts(len(values), values.ctypes.data)
        return CountVerification(low, high, below // twice, expected // twice, given // twice, everything)

    def update(self, A: Any, M: Any = None) -> None:
        """Takes other values of A, and of M if it is given. Their patterns must be the same."""
        given, kept = _factored(A, M, self._problem.options), self._problem
        same = _same_pattern(given.rows, kept.rows) and given.is_complex == kept.is_complex
        if M is not None:
            same = same and (given.diagonal is None) == (kept.diagonal is None) and _same_pattern(given.mass, kept.mass)
        if not same:
            raise ValueError("A and M must have the pattern of the matrices that the solver was made for")
        mass = given.mass.values if given.mass is not None else given.diagonal
        self._solver.set_values(given.rows.values.ctypes.data, 0 if mass is None else mass.ctypes.data)
        kept.a, kept.rows = given.a, given.rows
        if M is not None:
            kept.m, kept.mass, kept.diagonal = given.m, given.mass, given.diagonal


def _same_pattern(a: _Csr | None, b: _Csr | None) -> bool:
    if a is None or b is None:
        return a is b
    return np.array_equal(a.offsets, b.offsets) and np.array_equal(a.columns, b.columns)


def interval(
    A: Any,
    a: float,
    b: float,
    M: Any = None,
    *,
    max_pairs: int | None = None,
    return_eigenvectors: bool = True,
    info: bool = False,
    **options: Any,
) -> Any:
    """Returns all pairs with a <= w < b of A @ v = M @ v * w: Solver(A, M, **options).interval(a, b, ...)."""
    return Solver(A, M, **options).interval(a, b, max_pairs=max_pairs, return_eigenvectors=return_eigenvectors, info=info)


def count(A: Any, s: float, M: Any = None, **options: Any) -> int:
    """Returns the number of eigenvalues of A @ v = M @ v * w that are below s: Solver(A, M, **options).count(s)."""
    return Solver(A, M, **options).count(s)


def verify(A: Any, w: Array, v: Array, M: Any = None, *, buckling: bool = False, threads: int = 0) -> _core.Verification:
    """Measures |A v - w M v| of each pair against (|A| + |w| |M|) |v|, and v^H M v - 1 (buckling: v^H A v - 1). A is never stored dense.

    A, M  sparse matrices (M also: n values, its diagonal), or dense arrays
    w, v  m ascending values; n x m; in double precision

    Returns a Verification: `.passed`, `.lapack_residual`, `.lapack_orthogonality`, ...
    """
    problem = _factored(A, M, _Options(buckling=buckling))
    values, vectors = (np.asarray(framework_of(x)[0].to_host(framework_of(x)[1])) for x in (w, v))
    if values.ndim != 1 or vectors.shape != (problem.n, len(values)):
        raise ValueError(f"w and v must be of m and n x m, their shapes are {values.shape} and {vectors.shape}")
    if values.dtype != np.float64 or vectors.dtype not in ((np.float64, np.complex128) if problem.is_complex else (np.float64,)):
        raise TypeError(f"w and v must be float64 (v complex128 with a complex A or M), they are {values.dtype} and {vectors.dtype}")
    values = np.ascontiguousarray(values)
    if problem.is_complex:  # the real form has the vectors z and i z
        both = np.stack([vectors.T, 1j * vectors.T], axis=1).reshape(-1, problem.n)
        vectors, values = np.ascontiguousarray(both, np.complex128).view(np.float64).T, np.repeat(values, 2)
    vectors = np.asfortranarray(vectors, np.float64)
    pairs = len(values), values.ctypes.data, vectors.ctypes.data, buckling
    return _core.verify_rows(threads, *problem.matrices, *pairs)
