"""The three stages of a solve as functions, and verify()."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _core, _frameworks, sparse
from ._eigh import Device, matrices_of
from ._frameworks import Array, Framework, View
from ._solve import SolveOptions, DeviceOptions, both, check_type, columns, columns_of, finished, itype_of, named, plan_of, real_types, square


class Tridiagonal(NamedTuple):
    """A = Q T Q^T: diagonal d and off-diagonal e of T, and Q as reflectors and tau for apply_q (LAPACK: dsytrd)."""

    d: Array
    e: Array
    reflectors: Array
    tau: Array
    lower: bool
    report: _core.Report


def _looked_at(a: Array, what: str) -> tuple[Framework, Array, View]:
    framework, a = _frameworks.of(a)
    view = framework.view(a)
    check_type(view.dtype, what, of="the stages")
    if view.gpu < 0 and framework.name == "jax":
        raise TypeError(f"{what} is a JAX array on the CPU, which cannot be written: numpy.asarray({what})")
    return framework, a, view


def tridiagonalize(a: Array, *, lower: bool = True, device: Device = "auto", threads: int = 0) -> Tridiagonal:
    """Returns T and Q of A = Q T Q^T with T tridiagonal.

    a      n x n, float64, not changed; one triangle is read
    lower  True: the lower triangle is read; False: the upper one

    The reflectors have the layout of LAPACK's dsytrd, in Fortran order. 4/3 n^3 flops. Raises as eigh.
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


def solve_tridiagonal(
    d: Array, e: Array, *, eigvals_only: bool = False, device: Device = "auto", threads: int = 0
) -> Any:
    """Returns w and u (n x n, Fortran order) of T = U diag(w) U^T, or w alone with eigvals_only.

    d  n values, the diagonal of T
    e  n - 1 values, the off-diagonal of T; same framework, type and device as d

    Divide and conquer (LAPACK: dstedc); at most 4/3 n^3 flops. Raises as eigh.
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


def apply_q(t: Tridiagonal, z: Array, *, device: Device = "auto", threads: int = 0) -> Array:
    """Returns Q z for the Q of t = tridiagonalize(a).

    z  n x m, same framework, type and device as t; not changed

    With u from solve_tridiagonal(t.d, t.e), apply_q(t, u) are the eigenvectors of a. LAPACK: dormtr; 2 n^2 m flops. Raises as eigh.
    """
    framework, z, view = _looked_at(z, "z")
    of_reflectors, _reflectors, reflectors = _looked_at(t.reflectors, "t.reflectors")
    of_tau, tau, tau_view = _looked_at(t.tau, "t.tau")
    n = square(reflectors, "t.reflectors")
    if len(view.shape) != 2 or view.shape[0] != n:
        raise ValueError(f"z must have {n} rows, its shape is {view.shape}")
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
        m = view.shape[1]
        _core.ormtr(plan, n, m, reflectors.address, layout[0], at_tau, at, max(1, n), view.gpu, stream)
        return framework.transposed(rows)


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
    """
    host, itype = _frameworks.named("numpy"), itype_of(type)
    if hasattr(a, "tocsr"):
        if itype != 1:
            raise ValueError("type must be 1 for a sparse a")
        return sparse.verify(a, w, v, b, threads=threads)
    values, vectors = _on_host(w), _on_host(v)
    _, matrix, view, b, b_view, *_ = matrices_of(_on_host(a), None if b is None else _on_host(b))
    n = square(view)
    if vectors.dtype != view.dtype or values.dtype != real_types[view.dtype]:
        raise TypeError(f"a, w and v must be of one precision, they are {view.dtype}, {values.dtype} and {vectors.dtype}")
    if values.ndim != 1 or vectors.shape != (n, values.shape[0]):
        raise ValueError(f"w and v must be of m and n x m, their shapes are {values.shape} and {vectors.shape}")
    read = columns(host, matrix, view, True)
    b_at, ldb, _b = both(host, read, b, b_view, True)
    rows, values = host.copied(vectors.T, None, read.turned and not read.copied), values.copy()
    where = DeviceOptions(device=device, threads=threads)
    plan = SolveOptions(bool(lower), itype=0 if b is None else itype, where=where).plan(view.dtype, read.turned)
    pairs = len(values), values.ctypes.data, rows.ctypes.data, max(1, n)
    if b is None:
        return _core.verify(plan, n, read.address, read.lda, *pairs)
    return _core.verify_generalised(plan, n, read.address, read.lda, b_at, ldb, *pairs)


def _on_host(a: Array) -> Array:
    framework, a = _frameworks.of(a)
    return framework.to_host(a)
