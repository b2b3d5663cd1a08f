"""One solve of a sparse problem by the library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from . import _core, _cublas, _factor_libraries
from ._frameworks import of as framework_of
from ._sparse_matrices import (
    Csr,
    Host,
    Matrix,
    csr_of,
    csr_of_dense,
    diagonal_of,
    looked_at,
    multiplied,
    multiply_of,
    real_form,
    written_out,
)
from ._sparse_report import SparseReport, no_convergence


def libraries() -> dict[str, str]:
    """The libraries that factorise sparse matrices here, with their versions. Empty: there is none.

    "own"      eigen_g's own code, with METIS (libmetis5 of Debian and Ubuntu) for the order of elimination
    "mumps"    MUMPS, in builds with it
    "pardiso"  PARDISO of MKL, for example of the Python package mkl
    "cudss"    cuDSS 1 on a GPU, for example of the Python package nvidia-cudss-cu13; it is used only if it is named
    """
    for library in ("pardiso", "cudss"):
        _factor_libraries.load(library)
    return dict(_core.factor_libraries())


@dataclass(frozen=True)
class Options:
    tolerance: float = 0.0
    max_products: int = 0
    start: Host | None = None
    proof: str = "auto"
    library: str = "auto"
    buckling: bool = False
    device: str = "auto"
    threads: int = 0
    progress: Callable[[float], object] | None = None

    def call(self, end: str, count: int, target: float, tolerance: float | None = None) -> _core.FewCall:
        if self.device != "cpu":
            _cublas.load()
        _factor_libraries.load(self.library)
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
            self.library,
            self.buckling,
            self.device,
            self.threads,
            self.progress,
        )


class Found(NamedTuple):
    """Pairs with their residuals and bounds of their values' errors, and the reports of their solves."""

    w: Host
    v: Host
    residuals: Host
    bounds: Host
    reports: tuple[Any, ...]

    def chosen(self, at: Any) -> Found:
        return self._replace(
            w=self.w[at], v=self.v[:, at], residuals=self.residuals[at], bounds=self.bounds[at] if len(self.bounds) else self.bounds
        )

    def and_also(self, others: Found) -> Found:
        bounds = [self.bounds, others.bounds] if len(self.bounds) and len(others.bounds) else [np.empty(0)]
        return Found(
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
        same = ("method", "library", "shift_wished", "shift_used", "shift_reason", "low", "high", "count_low", "count_high", "found")
        summed = ("repaired", "products", "factorisations", "factor_entries", "factor_bytes", "seconds")
        return SparseReport(
            **{name: getattr(first, name) for name in same},
            **{name: sum(getattr(r, name) for r in self.reports) for name in summed},
            proven=all(r.proven or r.method == "dense" for r in self.reports),
            proof_reason=next((r.proof_reason for r in self.reports if r.proof_reason), ""),
            residuals=self.residuals,
            error_bounds=self.bounds,
        )


class Problem:
    """The matrices of a call in the form that the library takes: CSR arrays, products, or CSR arrays on a GPU.

    A Hermitian problem is solved in its real form, in which each pair appears twice.
    """

    def __init__(
        self, a: Matrix, m: Matrix | None, op_inverse: Matrix | None, options: Options, by_products: bool | None = None
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
        self.mass: Csr | None = None
        if m is not None and m.kind == "diagonal":
            self.diagonal = np.repeat(np.asarray(m.given, np.float64), self.order // self.n)
        elif m is not None:
            mass = self._rows(m)
            self.diagonal = diagonal_of(mass)
            self.mass = mass if self.diagonal is None else None

    def _rows(self, a: Matrix) -> Csr:
        dtype = np.complex128 if self.is_complex else np.float64
        if a.kind == "diagonal":
            order = np.arange(a.n + 1)
            rows = Csr(order.astype(np.int64), order[:-1].astype(np.int32), np.ascontiguousarray(a.given, dtype))
        elif a.kind == "dense":
            rows = csr_of_dense(written_out(a, dtype))
        else:
            rows = csr_of(a.given, dtype)
            if a.dtype.char in "fF":  # the single precision's roundoff may differ between the triangles
                other = csr_of(a.given.conj().T, dtype)
                if np.array_equal(rows.offsets, other.offsets) and np.array_equal(rows.columns, other.columns):
                    rows = rows._replace(values=(rows.values + other.values) / 2)
        return real_form(rows) if self.is_complex else rows

    @property
    def matrices(self) -> tuple[int, tuple[int, int, int], tuple[int, int, int], int]:
        mass = (0, 0, 0) if self.mass is None else self.mass.addresses
        return self.order, self.rows.addresses, mass, 0 if self.diagonal is None else self.diagonal.ctypes.data

    def keep_solver(self) -> _core.SparseSolver:
        if self.solver is None:
            self.solver = _core.SparseSolver(self.options.call("lowest", 1, 0.0), *self.matrices)
        return self.solver

    def pairs(self, end: str, count: int, target: float = 0.0, tolerance: float | None = None) -> Found:
        """`count` pairs, or fewer if that end has no more. tolerance: instead of that of the options. Raises NoConvergence."""
        if self.is_complex and end == "both":
            return self.pairs("below", count // 2, target).and_also(self.pairs("above", count - count // 2, target))
        if count == 0:
            return Found(np.empty(0), np.empty((self.n, 0)), np.empty(0), np.empty(0), ())
        wanted = count * (self.order // self.n)
        w, z = np.empty(wanted), np.empty((self.order, wanted), order="F")
        call = self.options.call(end, wanted, target, tolerance)
        if self.solver is not None:
            report = self.solver.solve(call, w.ctypes.data, z.ctypes.data)
        elif self.by_products:
            k = None if self.op_inverse is not None and self.a.kind == "operator" and not self.options.buckling else self.a
            of_k, of_m, inverse = (multiply_of(x, self.is_complex) for x in (k, self.m, self.op_inverse))
            report = _core.solve_operators(call, self.order, of_k, of_m, inverse, w.ctypes.data, z.ctypes.data)
        else:
            report = _core.solve_rows(call, *self.matrices, w.ctypes.data, z.ctypes.data)
        return self.converged(self.found(w[: report.m], z[:, : report.m], report), count)

    def converged(self, found: Found, count: int) -> Found:
        report = found.reports[0]
        if report.converged:
            return found
        errors = np.array(report.backward_errors)[:: self.order // self.n]  # empty for Lanczos of one matrix
        good = found.chosen(errors <= report.tolerance if len(errors) else found.residuals <= report.tolerance * report.norm)
        raise no_convergence()(f"{len(good.w)} of {count} pairs converged", good.w, good.v)

    def found(self, w: Host, z: Host, report: Any) -> Found:
        """The pairs of the problem from the library's pairs, which are pairs of its real form if the problem is Hermitian.

        The real form's vectors C of a value, seen as complex ones, span the vectors of that value, but their number is twice the
        dimension. Half of the eigenvalues of C^H M C are 2, and the others are 0. The vectors of the 2s combine the columns of C.
        """
        residuals, bounds = np.array(report.residuals), np.array(report.error_bounds)
        if not self.is_complex:
            return Found(w, z, residuals, bounds, (report,))
        count = (len(w) + 1) // 2
        vectors = np.ascontiguousarray(z.T).view(np.complex128).T
        inner = self.a if self.options.buckling else self.m
        gram = vectors.conj().T @ (vectors if inner is None else multiplied(inner, vectors))
        squares, turn = np.linalg.eigh(gram)
        turn = turn[:, -count:] / np.sqrt(squares[-count:])
        spectrum = 1 / w if self.options.buckling else w
        values, second = np.linalg.eigh(turn.conj().T @ (gram * spectrum) @ turn)
        values = 1 / values if self.options.buckling else values
        order = np.argsort(values, kind="stable")
        v = vectors @ (turn @ second[:, order])
        return Found(values[order], v, residuals[::2], bounds[::2], (report,))


class GpuProblem(Problem):
    """A real sparse matrix in GPU memory, for pairs at an end of its spectrum. The vectors are CuPy arrays."""

    def __init__(self, a: Matrix, options: Options) -> None:
        super().__init__(a._replace(kind="operator"), None, None, options)
        rows = a.given.tocsr().copy()
        rows.sum_duplicates()
        self.framework, data = framework_of(rows.data)
        self.gpu = self.framework.view(data).gpu
        with self.framework.on(self.gpu):
            self.arrays = rows.indptr.astype(np.int64), rows.indices.astype(np.int32), data.astype(np.float64)

    def pairs(self, end: str, count: int, target: float = 0.0, tolerance: float | None = None) -> Found:
        framework = self.framework
        if count == 0:
            return Found(np.empty(0), self.arrays[2][:0].reshape(self.n, 0), np.empty(0), np.empty(0), ())
        with framework.on(self.gpu):
            w, rows = np.empty(count), framework.empty((count, self.n), "float64", self.arrays[2])
            stream, _stream = framework.stream(self.gpu)
            offsets, columns, values = (framework.address(x) for x in self.arrays)
            call = self.options.call(end, count, target, tolerance)
            matrix = self.n, len(self.arrays[2]), (offsets, columns, values)
            report = _core.solve_rows_on_gpu(call, *matrix, w.ctypes.data, framework.address(rows), self.gpu, stream)
            return self.converged(Found(w, rows.T, np.array(report.residuals), np.empty(0), (report,)), count)


def factored(A: Any, M: Any, options: Options) -> Problem:
    a, m = looked_at(A, "A"), None if M is None else looked_at(M, "M")
    if m is not None and m.n != a.n:
        raise ValueError(f"wrong M dimensions {np.shape(M)}, should be {(a.n, a.n)}")
    if a.kind == "operator" or (m is not None and m.kind == "operator"):
        raise TypeError("A and M must be sparse matrices: a factorisation needs their entries")
    return Problem(a, m, None, options, by_products=False)
