"""The three stages of a solve as functions, and verify()."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from . import _core, _frameworks, _show, sparse
from ._eigh import matrices_of, subset_of
from ._frameworks import Array, Framework, View
from ._solve import SolveOptions, DeviceOptions, both, check_type, columns, columns_of, finished, itype_of, named, plan_of, real_types, square
from ._types import Device, HostMatrix, HostVector, Other, V

DoubleArray = NDArray[np.float64]

if TYPE_CHECKING:

    class _Tridiagonal(NamedTuple, Generic[V]):
        d: V
        e: V
        reflectors: V
        tau: V
        lower: bool
        report: _core.Report

else:  # before Python 3.11 a NamedTuple cannot be generic
    _Tridiagonal = namedtuple("_Tridiagonal", ["d", "e", "reflectors", "tau", "lower", "report"])


class Tridiagonal(_Tridiagonal[V]):
    """A = Q T Q^T: diagonal d and off-diagonal e of T, and Q as reflectors and tau for apply_q (LAPACK: dsytrd).

    >>> t = eigen_g.tridiagonalize(np.diag([1.0, 2.0, 3.0]))
    >>> t.d, t.e
    (array([1., 2., 3.]), array([0., 0.]))
    """

    def __repr__(self) -> str:
        return _show.fields_text(self, report=_show.title_of(self.report))


class SparseMatrix(Protocol):
    """A sparse matrix or array of SciPy."""

    def tocsr(self, copy: bool = ...) -> Any: ...


def _looked_at(a: Array, what: str) -> tuple[Framework, Array, View]:
    framework, a = _frameworks.of(a)
    view = framework.view(a)
    check_type(view.dtype, what, of="the stages")
    if view.gpu < 0 and framework.name == "jax":
        raise TypeError(f"{what} is a JAX array on the CPU, which cannot be written: numpy.asarray({what})")
    return framework, a, view


@overload
def tridiagonalize(a: Other, *, lower: bool = ..., device: Device = ..., threads: int = ...) -> Tridiagonal[Other]: ...
@overload
def tridiagonalize(a: HostMatrix, *, lower: bool = ..., device: Device = ..., threads: int = ...) -> Tridiagonal[DoubleArray]: ...
def tridiagonalize(a: Array, *, lower: bool = True, device: Device = "auto", threads: int = 0) -> Tridiagonal[Any]:
    """Returns T and Q of A = Q T Q^T with T tridiagonal.

    a      n x n, float64, not changed; one triangle is read
    lower  True: the lower triangle is read; False: the upper one

    The reflectors have the layout of LAPACK's dsytrd, in Fortran order. 4/3 n^3 flops. Raises as eigh.

    >>> a = np.array([[4.0, 1.0, 2.0], [1.0, 3.0, 0.0], [2.0, 0.0, 1.0]])
    >>> t = eigen_g.tridiagonalize(a)
    >>> q = eigen_g.apply_q(t, np.eye(3))
    >>> np.allclose(q @ (np.diag(t.d) + np.diag(t.e, 1) + np.diag(t.e, -1)) @ q.T, a)
    True
    """
    framework, a, view = _looked_at(a, "a")
    n, lower = square(view), bool(lower)
    with framework.on(view.gpu):
        rows = framework.copied(framework.transposed(a))  # reading the rows as columns gives a itself
        d = framework.empty((n,), view.dtype, a)
        e = framework.empty((max(0, n - 1),), view.dtype, a)
        tau = framework.empty((max(0, n - 1),), view.dtype, a)
        plan = plan_of(view.dtype, lower, where=DeviceOptions(device=device, threads=threads))
        at, to_d, to_e, to_tau = (framework.address(x) for x in (rows, d, e, tau))
        stream, _ = framework.stream(view.gpu)
        try:
            report = _core.sytrd(plan, n, at, max(1, n), to_d, to_e, to_tau, view.gpu, stream)
        except _core.InvalidArgument as error:
            raise named(error) from None
        return Tridiagonal(d, e, framework.transposed(rows), tau, lower, report)


@overload
def solve_tridiagonal(
    d: Other, e: Other, *, eigvals_only: Literal[False] = ..., device: Device = ..., threads: int = ...
) -> tuple[Other, Other]: ...
@overload
def solve_tridiagonal(d: Other, e: Other, *, eigvals_only: Literal[True], device: Device = ..., threads: int = ...) -> Other: ...
@overload
def solve_tridiagonal(
    d: HostVector, e: HostVector, *, eigvals_only: Literal[False] = ..., device: Device = ..., threads: int = ...
) -> tuple[DoubleArray, DoubleArray]: ...
@overload
def solve_tridiagonal(
    d: HostVector, e: HostVector, *, eigvals_only: Literal[True], device: Device = ..., threads: int = ...
) -> DoubleArray: ...
def solve_tridiagonal(
    d: Array, e: Array, *, eigvals_only: bool = False, device: Device = "auto", threads: int = 0
) -> Any:
    """Returns w and u (n x n, Fortran order) of T = U diag(w) U^T, or w alone with eigvals_only.

    d  n values, the diagonal of T
    e  n - 1 values, the off-diagonal of T; same framework, type and device as d

    Divide and conquer (LAPACK: dstedc); at most 4/3 n^3 flops. Raises as eigh. eigh_tridiagonal has SciPy's arguments.

    >>> w, u = eigen_g.solve_tridiagonal(np.array([2.0, 2.0]), np.array([1.0]))
    >>> w.round(12)
    array([1., 3.])
    """
    framework, d, view = _looked_at(d, "d")
    e_framework, e, e_view = _looked_at(e, "e")
    if len(view.shape) != 1 or e_view.shape != (max(0, view.shape[0] - 1),):
        raise ValueError(f"d and e must have n and n - 1 entries, their shapes are {view.shape} and {e_view.shape}")
    if e_framework is not framework or e_view.gpu != view.gpu or e_view.dtype != view.dtype:
        raise ValueError("d and e must be of one framework, one type and on one device")
    n = view.shape[0]
    with framework.on(view.gpu):
        w, e = framework.copied(d), framework.copied(e)
        rows = None if eigvals_only else framework.empty((n, n), view.dtype, d)
        to_w, to_e, to_u = (framework.address(x) if x is not None else 0 for x in (w, e, rows))
        stream, _ = framework.stream(view.gpu)
        plan = plan_of(view.dtype, where=DeviceOptions(device=device, threads=threads))
        try:
            finished(_core.stedc(plan, n, to_w, to_e, to_u, max(1, n), view.gpu, stream))
        except _core.InvalidArgument as error:
            raise named(error) from None
        return w if rows is None else (w, framework.transposed(rows))


Select = Literal["a", "v", "i", "all", "value", "index", 0, 1, 2]


@overload
def eigh_tridiagonal(
    d: Other,
    e: Other,
    eigvals_only: Literal[False] = ...,
    select: Select = ...,
    select_range: Sequence[float] | None = ...,
    *,
    device: Device = ...,
    threads: int = ...,
) -> tuple[Other, Other]: ...
@overload
def eigh_tridiagonal(
    d: Other,
    e: Other,
    eigvals_only: Literal[True],
    select: Select = ...,
    select_range: Sequence[float] | None = ...,
    *,
    device: Device = ...,
    threads: int = ...,
) -> Other: ...
@overload
def eigh_tridiagonal(
    d: HostVector,
    e: HostVector,
    eigvals_only: Literal[False] = ...,
    select: Select = ...,
    select_range: Sequence[float] | None = ...,
    *,
    device: Device = ...,
    threads: int = ...,
) -> tuple[DoubleArray, DoubleArray]: ...
@overload
def eigh_tridiagonal(
    d: HostVector,
    e: HostVector,
    eigvals_only: Literal[True],
    select: Select = ...,
    select_range: Sequence[float] | None = ...,
    *,
    device: Device = ...,
    threads: int = ...,
) -> DoubleArray: ...
def eigh_tridiagonal(
    d: Array,
    e: Array,
    eigvals_only: bool = False,
    select: Any = "a",
    select_range: Sequence[float] | None = None,
    *,
    device: Device = "auto",
    threads: int = 0,
) -> Any:
    """Returns w and u of a real tridiagonal matrix, or w alone, with the arguments of scipy.linalg.eigh_tridiagonal.

    d, e          as in solve_tridiagonal
    select        "a": all pairs; "v": the pairs with lo < w <= hi; "i": the pairs with the indices lo to hi, from 0
    select_range  (lo, hi)

    All pairs are computed, and the selected ones returned. Raises as eigh.

    >>> eigen_g.eigh_tridiagonal(np.full(3, 2.0), np.full(2, -1.0), eigvals_only=True, select="i", select_range=(0, 1)).round(6)
    array([0.585786, 2.      ])
    """
    kinds = {"a": "a", "all": "a", 0: "a", "v": "v", "value": "v", 1: "v", "i": "i", "index": "i", 2: "i"}
    kind = kinds.get(select.lower() if isinstance(select, str) else select)
    if kind is None:
        raise ValueError(f"select is {select!r}, must be 'a', 'v' or 'i'")
    if kind != "a" and select_range is None:
        raise ValueError("select_range is required")
    n = _looked_at(d, "d")[2].shape[0]
    by_index, by_value = subset_of(n, select_range if kind == "i" else None, select_range if kind == "v" else None)  # type: ignore[arg-type]
    found = solve_tridiagonal(d, e, eigvals_only=eigvals_only, device=device, threads=threads)  # type: ignore[call-overload]
    w = found if eigvals_only else found[0]
    first, last = (by_index[0] - 1, by_index[1]) if by_index else (0, n)
    if by_value:
        values = _on_host(w)
        first, last = (int(np.searchsorted(values, end, side="right")) for end in by_value)
    return w[first:last] if eigvals_only else (w[first:last], found[1][:, first:last])


@overload
def eigvalsh_tridiagonal(
    d: Other, e: Other, select: Select = ..., select_range: Sequence[float] | None = ..., *, device: Device = ..., threads: int = ...
) -> Other: ...
@overload
def eigvalsh_tridiagonal(
    d: HostVector, e: HostVector, select: Select = ..., select_range: Sequence[float] | None = ..., *, device: Device = ..., threads: int = ...
) -> DoubleArray: ...
def eigvalsh_tridiagonal(
    d: Array, e: Array, select: Any = "a", select_range: Sequence[float] | None = None, *, device: Device = "auto", threads: int = 0
) -> Array:
    """Returns the eigenvalues of a real tridiagonal matrix: eigh_tridiagonal(d, e, True, select, select_range).

    >>> eigen_g.eigvalsh_tridiagonal(np.array([2.0, 2.0]), np.array([1.0])).round(12)
    array([1., 3.])
    """
    return eigh_tridiagonal(d, e, True, select, select_range, device=device, threads=threads)


@overload
def apply_q(
    t: Tridiagonal[Other], z: Other, *, right: bool = ..., adjoint: bool = ..., device: Device = ..., threads: int = ...
) -> Other: ...
@overload
def apply_q(
    t: Tridiagonal[DoubleArray],
    z: HostMatrix,
    *,
    right: bool = ...,
    adjoint: bool = ...,
    device: Device = ...,
    threads: int = ...,
) -> DoubleArray: ...
def apply_q(
    t: Tridiagonal[Any],
    z: Array,
    *,
    right: bool = False,
    adjoint: bool = False,
    device: Device = "auto",
    threads: int = 0,
) -> Array:
    """Returns Q z for the Q of t = tridiagonalize(a).

    z        n x m, or m x n with right=True; same framework, type and device as t; not changed
    right    True: z Q
    adjoint  True: Q^H instead of Q

    With u from solve_tridiagonal(t.d, t.e), apply_q(t, u) are the eigenvectors of a. LAPACK: dormtr; 2 n^2 m flops. Raises as eigh.

    >>> a = np.array([[4.0, 1.0, 2.0], [1.0, 3.0, 0.0], [2.0, 0.0, 1.0]])
    >>> t = eigen_g.tridiagonalize(a)
    >>> w, u = eigen_g.solve_tridiagonal(t.d, t.e)
    >>> eigen_g.verify(a, w, eigen_g.apply_q(t, u)).passed
    True
    """
    framework, z, view = _looked_at(z, "z")
    of_reflectors, _reflectors, reflectors = _looked_at(t.reflectors, "t.reflectors")
    of_tau, tau, tau_view = _looked_at(t.tau, "t.tau")
    n = square(reflectors, "t.reflectors")
    if len(view.shape) != 2 or view.shape[1 if right else 0] != n:
        raise ValueError(f"z must have {n} {'columns' if right else 'rows'}, its shape is {view.shape}")
    if tau_view.shape != (max(0, n - 1),):
        raise ValueError(f"t.tau must have n - 1 = {max(0, n - 1)} entries, its shape is {tau_view.shape}")
    places = {(of.name, x.gpu, x.dtype) for of, x in ((framework, view), (of_reflectors, reflectors), (of_tau, tau_view))}
    if len(places) > 1:
        raise ValueError("z must be of t's framework and type and on its device")
    layout = columns_of(reflectors)
    if layout is None or layout[1]:
        raise ValueError("t.reflectors must be in Fortran order, as tridiagonalize gives them")
    with framework.on(view.gpu):
        rows, tau = framework.copied(framework.transposed(z)), framework.copied(tau)  # tau may have any strides
        plan = plan_of(view.dtype, bool(t.lower), where=DeviceOptions(device=device, threads=threads))
        stream, _stream = framework.stream(view.gpu)
        at, at_tau = framework.address(rows), framework.address(tau)
        count, m = view.shape
        product = bool(right), bool(adjoint), count, m
        _core.ormtr(plan, *product, reflectors.address, layout[0], at_tau, at, max(1, count), view.gpu, stream)
        return framework.transposed(rows)


@overload
def verify(
    a: HostMatrix | Other | SparseMatrix,
    w: HostVector | Other,
    v: HostMatrix | Other,
    *,
    b: None = ...,
    type: int = ...,
    lower: bool = ...,
    device: Device = ...,
    threads: int = ...,
) -> _core.Verification: ...
@overload
def verify(
    a: HostMatrix | Other,
    w: HostVector | Other,
    v: HostMatrix | Other,
    *,
    b: HostMatrix | Other,
    type: int = ...,
    lower: bool = ...,
    device: Device = ...,
    threads: int = ...,
) -> _core.GeneralisedVerification: ...
def verify(
    a: Array,
    w: Array,
    v: Array,
    *,
    b: Array | None = None,
    type: int = 1,
    lower: bool = True,
    device: Device = "auto",
    threads: int = 0,
) -> Any:
    """Measures the errors of a @ v = v * w and v.conj().T @ v = 1.

    a        n x n; one triangle is read. It is converted as in eigh. Or a sparse matrix, for eigen_g.sparse.verify(a, w, v, b)
    w, v     m values; n x m
    b, type  the generalised problem of eigh is checked instead

    Returns Verification (`.passed`, `.lapack_residual`, `.lapack_orthogonality`, ...), or with b GeneralisedVerification (`.passed`,
    `.residual`, `.orthogonality`, ...). The generalised check judges |a x - w b x| / ((|a| + |w| |b|) |x|) of each pair, and
    |v^H b v - I|. Arrays on a GPU are copied to the host first, about 16 n^2 bytes. The products run on a GPU if there is one;
    6 n^2 m flops. Raises as eigh, except for NaN and infinity in a and b, which do not pass.

    >>> a = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> check = eigen_g.verify(a, *eigen_g.eigh(a))
    >>> check.passed, check.lapack_residual < check.limit
    (True, True)
    >>> eigen_g.verify(a, [1.0, 3.1], np.eye(2)).passed
    False

    The matrices of a stack are verified one by one:

    >>> stack = np.array([a, 2 * a])
    >>> all(eigen_g.verify(a, w, v).passed for a, w, v in zip(stack, *eigen_g.eigh(stack)))
    True
    """
    host, itype = _frameworks.named("numpy"), itype_of(type)
    if hasattr(a, "tocsr"):
        if itype != 1:
            raise ValueError("type must be 1 for a sparse a")
        return sparse.verify(a, w, v, b, threads=threads)
    values, vectors = _on_host(w), _on_host(v)
    _, matrix, view, b, b_view, *_ = matrices_of(_on_host(a), None if b is None else _on_host(b))
    if len(view.shape) > 2:
        each = "all(eigen_g.verify(a, w, v).passed for a, w, v in zip(stack, w, v))"
        raise ValueError(f"a must be a square matrix, its shape is {view.shape}; the matrices of a stack are verified one by one: {each}")
    n = square(view)
    if vectors.dtype != view.dtype or values.dtype != real_types[view.dtype]:
        types = f"{view.dtype}, {values.dtype} and {vectors.dtype}"
        raise TypeError(f"a, w and v must be of one precision, they are {types}: convert them with astype")
    if values.ndim != 1 or vectors.shape != (n, values.shape[0]):
        raise ValueError(f"w and v must be of m and n x m, their shapes are {values.shape} and {vectors.shape}")
    read = columns(host, matrix, view, True)
    read_b = both(host, read, b, b_view, True)
    rows, values = host.copied(vectors.T, None, read.turned and not read.copied), values.copy()
    where = DeviceOptions(device=device, threads=threads)
    plan = SolveOptions(bool(lower), itype=0 if b is None else itype, where=where).plan(view.dtype, read.turned)
    pairs = len(values), values.ctypes.data, rows.ctypes.data, max(1, n)
    if b is None:
        return _core.verify(plan, n, read.address, read.lda, *pairs)
    return _core.verify_generalised(plan, n, read.address, read.lda, read_b.address, read_b.lda, *pairs)


def _on_host(a: Array) -> Array:
    framework, a = _frameworks.of(a)
    return framework.to_host(a)
