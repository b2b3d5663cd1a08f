"""A few eigenpairs of large sparse matrices and pencils, with the arguments of scipy.sparse.linalg.eigsh.

    A @ x = w * x   or   A @ x = w * M @ x       A real symmetric or complex Hermitian, M positive semidefinite

    w, v = eigen_g.sparse.eigsh(A, k=6, M=M, sigma=0)       # the six pairs nearest to 0
    w, v = eigen_g.sparse.interval(A, 0, 5000, M=M)         # all pairs with 0 <= w < 5000
    eigen_g.sparse.count(A, 5000, M=M)                      # how many values are below 5000
    solver = eigen_g.sparse.Solver(A, M)                    # analyses the pattern once, for many shifts
    eigen_g.sparse.verify(A, w, v, M=M).passed
    solver.verify_counts(w).passed                          # no pair is missing among them

Pairs near a shift need a library that factorises A - sigma M (`libraries()`). It also counts the eigenvalues below a point, and two counts
around the pairs prove that none is missing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from . import _core, _show
from ._frameworks import Array
from ._frameworks import of as framework_of
from ._sparse_eigsh import as_integer, eigsh, rounded
from ._sparse_matrices import block, same_pattern
from ._sparse_problem import Found, Options, libraries, factored
from ._sparse_report import SparseReport, no_convergence
from ._sparse_select import Which, candidates, selected, takes_both_ends, theta_of

__all__ = ["CountVerification", "NoConvergence", "Solver", "SparseReport", "count", "eigsh", "libraries", "interval", "verify"]


def __getattr__(name: str) -> Any:
    if name == "NoConvergence":
        return no_convergence()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


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

    Calls from several threads must not overlap. Raises InvalidArgument if there is no library.
    """

    def __init__(
        self,
        A: Any,
        M: Any = None,
        *,
        buckling: bool = False,
        tol: float = 0,
        proof: Literal["auto", "counts", "probe", "none"] = "auto",
        library: str = "auto",
        device: Literal["auto", "cpu", "gpu"] = "auto",
        threads: int = 0,
        progress: Callable[[float], object] | None = None,
    ) -> None:
        tolerance = float(np.clip(tol, 1e-14, 1)) if tol > 0 else 0.0
        options = Options(
            tolerance, proof=proof, library=library, buckling=buckling, device=device, threads=threads, progress=progress
        )
        self._problem = factored(A, M, options)
        self._solver = self._problem.keep_solver()

    def __repr__(self) -> str:
        return _show.sparse_solver_table(self).text()

    def _repr_html_(self) -> str:
        return _show.sparse_solver_table(self).html()

    def __reduce__(self) -> Any:
        raise TypeError(
            "a Solver cannot be pickled or copied: it holds a factorisation in the memory of this process. Create one where it is "
            "needed, with eigen_g.sparse.Solver(A, M)"
        )

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
        mode, k = "buckling" if self._problem.options.buckling else "normal", as_integer(k, "k")
        if 2 * k > self.n and takes_both_ends(which, sigma, mode):
            raise ValueError(f"which={which!r} with k = {k} > n / 2 = {self.n / 2:g}: use eigsh, which solves it as a dense problem")
        found = candidates(self._problem, k, which, float(sigma), mode)
        found = found.chosen(selected(theta_of(found.w, float(sigma), mode), k, which))
        return self._returned(found.chosen(np.argsort(found.w, kind="stable")), return_eigenvectors, info)

    def interval(
        self, a: float, b: float, *, max_pairs: int | None = None, return_eigenvectors: bool = True, info: bool = False
    ) -> Any:
        """Returns all pairs with a <= w < b, ascending.

        max_pairs  a larger number of pairs is an InvalidArgument before any pair is computed. None: a quarter of the free memory limits
                   their number
        """
        most = 0 if max_pairs is None else as_integer(max_pairs, "max_pairs") * (self._problem.order // self.n)
        pairs = self._solver.interval(float(a), float(b), most, return_eigenvectors or self._problem.is_complex)
        w = np.array(pairs.w)
        size = self._problem.order * len(w)
        z = block(pairs.z, (size,)).copy() if pairs.z and size else np.empty(size)
        found = self._problem.found(w, z.reshape((self._problem.order, len(w)), order="F"), pairs.report)
        return self._returned(found, return_eigenvectors, info)

    def _returned(self, found: Found, vectors: bool, info: bool) -> Any:
        w, v = rounded(found, self._problem.a, self._problem.m, self._problem.a.on_gpu)
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
        given, kept = factored(A, M, self._problem.options), self._problem
        same = same_pattern(given.rows, kept.rows) and given.is_complex == kept.is_complex
        if M is not None:
            same = same and (given.diagonal is None) == (kept.diagonal is None) and same_pattern(given.mass, kept.mass)
        if not same:
            raise ValueError("A and M must have the pattern of the matrices that the solver was made for")
        mass = given.mass.values if given.mass is not None else given.diagonal
        self._solver.set_values(given.rows.values.ctypes.data, 0 if mass is None else mass.ctypes.data)
        kept.a, kept.rows = given.a, given.rows
        if M is not None:
            kept.m, kept.mass, kept.diagonal = given.m, given.mass, given.diagonal


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
    problem = factored(A, M, Options(buckling=buckling))
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
