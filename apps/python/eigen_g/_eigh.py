"""eigh and eigvalsh: SciPy's arguments, any framework's arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError as LinAlgError

from . import _core, _frameworks, _solve
from ._frameworks import Array, Framework, View
from ._solve import Progress, Wanted, Where, real_types

Device = Literal["auto", "cpu", "gpu"]


class _Pairs(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array


class EighResult(_Pairs):
    """(eigenvalues, eigenvectors), with what the call did as `.report`: a Report, of a stack a tuple of them.

    None where check_finite=False met a NaN or an infinity, and in a copy (pickle, copy).
    """

    report: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return EighResult, tuple(self)


def subset_of(
    n: int | None, by_index: Sequence[int] | None, by_value: Sequence[float] | None
) -> tuple[tuple[int, int] | None, tuple[float, float] | None]:
    if by_index is not None and by_value is not None:
        raise ValueError("subset_by_index and subset_by_value are both given")
    if by_index is not None:
        first, last = (int(k) for k in by_index)
        if not 0 <= first <= last or (n is not None and last >= n):
            raise ValueError(f"subset_by_index {list(by_index)} must be 0 <= first <= last < n = {n}")
        return (first + 1, last + 1), None
    if by_value is not None:
        above, upto = (float(x) for x in by_value)
        if not above < upto:
            raise ValueError(f"subset_by_value {list(by_value)} must be two ascending numbers")
        return None, (above, upto)
    return None, None


def partner_of(framework: Framework, view: View, b: Array) -> tuple[Array, View, bool]:
    """b of a generalised problem, which must be as a is; whether they might have memory in common, which then is not written."""
    _solve.check_type(view.dtype, of="generalised problems")
    theirs, b = _frameworks.of(b)
    b_view = theirs.view(b)
    if (theirs, b_view.gpu, b_view.dtype, b_view.shape) != (framework, view.gpu, view.dtype, view.shape):
        raise ValueError(
            f"a and b must be alike: a is {view.dtype} {view.shape} of {framework.name} on {_frameworks.place(view.gpu)}, "
            f"b is {b_view.dtype} {b_view.shape} of {theirs.name} on {_frameworks.place(b_view.gpu)}"
        )
    return b, b_view, _solve.overlapping(view, b_view)


def eigh(
    a: Array,
    b: Array | None = None,
    *,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[float] | None = None,
    path: str = "auto",
    engine: str = "native",
    device: Device = "auto",
    gpus: int = 1,
    ratio: str | None = None,
    precision: str = "native",
    threads: int = 0,
    sms: int = 0,
    progress: Progress | None = None,
) -> Any:
    """Eigenvalues and eigenvectors of a symmetric or Hermitian matrix, w ascending:

        a @ v = v * w                                          v.conj().T @ v = 1
        type 1: a @ v = b @ v * w       2: a @ b @ v = v * w   v.conj().T @ b @ v = 1
        type 3: b @ a @ v = v * w                              v.conj().T @ inv(b) @ v = 1

    a                n x n, float64, float32, complex128 or complex64, in C or Fortran order (others are copied first); NumPy,
                     CuPy, PyTorch, JAX, or anything with DLPack or __cuda_array_interface__. Only one triangle is read. Integers
                     and other types are a TypeError. Stacks (..., n, n) are solved one after the other, their results stacked
                     alike, in C order.
    b                positive definite, of a's shape, type, framework and device; the same triangle is read
    lower            which triangle
    eigvals_only     return w alone
    overwrite_a, _b  v may take a's memory; a's or b's memory is destroyed where that saves a copy (a's not where b shares it)
    check_finite     a NaN or an infinity in the triangle is an error; False: it makes NaNs of w and v, without a report
    subset_by_index  [first, last], from 0, both wanted
    subset_by_value  [above, upto]: above < w <= upto
    path, engine     of the reduction: "auto", "one_stage", "two_stage"; of the large products: "native", "df", "emulated", "auto"
    device           of arrays in host memory: "auto" takes a GPU where there is one and n is worth it
    gpus, ratio      further devices for the large products and their shares, as "27:14"; of real matrices
    precision        "mixed": in float32, refined to float64, for GPUs that are slow in double; of all pairs of one real float64
                     matrix on one GPU. Elsewhere, and where that does not pay off, the plain solver; .report.refinement tells
    threads          of the CPU; 0: as many as OpenBLAS takes by itself
    sms              for experiments: only so many multiprocessors of the GPU; 0: all
    progress         called with (stage, fraction); an exception from it ends the solve

    Returns EighResult(eigenvalues, eigenvectors) with `.report`, or the values alone: arrays of a's framework on a's device, w real,
    v in Fortran order. On a GPU the work is ordered on the framework's current stream, is complete on return, and takes its memory
    from the framework's pool; without overwrite_a it works on a copy of a.

    The GIL is released. From n = 2000 on Ctrl-C ends a solve: on a GPU within a part of a stage, on the CPU at a stage's end.
    Householder reduction in one stage or by way of a band, divide and conquer, back-transformation (LAPACK: dsyevd, dsygvd, zheevd).

    Raises ValueError (NonFiniteEntry, InvalidArgument), TypeError, LinAlgError (no convergence, b is not positive definite),
    OutOfMemory, DeviceError.
    """
    framework, a = _frameworks.of(a)
    view = framework.view(a)
    _solve.check_type(view.dtype)
    type = _solve.itype_of(type)
    if len(view.shape) > 2:
        if subset_by_value is not None:
            raise ValueError("subset_by_value of a stack: its matrices may have different numbers of values")
        options = dict(lower=lower, overwrite_a=overwrite_a, overwrite_b=overwrite_b, check_finite=check_finite)
        places = dict(path=path, engine=engine, device=device, gpus=gpus, ratio=ratio, precision=precision)
        rest = dict(threads=threads, sms=sms, progress=progress)
        return _stacked(framework, a, view, b, type, not eigvals_only, subset_by_index, **options, **places, **rest)
    n = _solve.square(view)
    b_view, shared = None, False
    if b is not None:
        b, b_view, shared = partner_of(framework, view, b)
    numbers, values = subset_of(n, subset_by_index, subset_by_value)
    where = Where(path, engine, device, gpus, threads, ratio, precision, sms)
    itype = 0 if b is None else type
    over_a = overwrite_a and not shared
    wanted = Wanted(bool(lower), not eigvals_only, numbers, values, itype, over_a, overwrite_b, where, progress)
    try:
        w, v, report = _solve.on_device(framework, a, view, b, b_view, wanted)
    except _core.NonFiniteEntry:
        if check_finite:
            raise
        with framework.on(view.gpu):
            return _nans(framework, a, wanted, view.dtype, n)
    return as_result(w, v, report)


def _stacked(
    framework: Framework,
    a: Array,
    view: View,
    b: Array | None,
    type: int,
    vectors: bool,
    by_index: Sequence[int] | None,
    **options: Any,
) -> Any:
    *outer, rows, n = view.shape
    if rows != n:
        raise ValueError(f"a must be square matrices, its shape is {view.shape}")
    numbers, _ = subset_of(n, by_index, None)
    m = numbers[1] - numbers[0] + 1 if numbers else n
    count = math.prod(outer)
    others: Any = [None] * count
    shared = _broadcast(view)
    if b is not None:
        b, b_view, overlap = partner_of(framework, view, b)
        shared, others = shared or overlap or _broadcast(b_view), b.reshape(count, n, n)
    if shared:  # another matrix of the stack may lie where one is
        options |= dict(overwrite_a=False, overwrite_b=False)
    options |= dict(eigvals_only=not vectors, type=type, subset_by_index=by_index)
    parts = []
    for k, (x, y) in enumerate(zip(a.reshape(count, n, n), others)):
        try:
            parts.append(eigh(x, y, **options))
        except _core.NonFiniteEntry as error:
            raise of_stack(error, k, outer) from None

    def together(arrays: list[Array], shape: tuple[int, ...], dtype: str) -> Array:
        shape = (*outer, *shape)
        return framework.stack(arrays).reshape(shape) if arrays else framework.empty(shape, dtype, a)

    if not vectors:
        return together(parts, (m,), real_types[view.dtype])
    w = together([x.eigenvalues for x in parts], (m,), real_types[view.dtype])
    result = EighResult(w, together([x.eigenvectors for x in parts], (n, m), view.dtype))
    result.report = tuple(x.report for x in parts)
    return result


def of_stack(error: _core.NonFiniteEntry, k: int, outer: Sequence[int]) -> _core.NonFiniteEntry:
    """Of its k-th matrix: an entry of the stack."""
    at = ", ".join(str(i) for i in np.unravel_index(k, tuple(outer)))
    return _core.NonFiniteEntry(str(error).replace("[", f"[{at}, ", 1))


def _broadcast(view: View) -> bool:
    return view.strides is not None and 0 in view.strides


def as_result(w: Array, v: Array, report: _core.Report) -> Any:
    found = _solve.finished(report).m
    if found < len(w):
        w, v = w[:found], v if v is None else v[:, :found]
    if v is None:
        return w
    result = EighResult(w, v)
    result.report = report
    return result


def _nans(framework: Framework, a: Array, wanted: Wanted, dtype: str, n: int) -> Any:
    by_value = (1, 0) if wanted.values else wanted.numbers
    plan = wanted._replace(values=None, numbers=by_value).plan(dtype)
    w, rows = _solve.new_results(framework, a, plan, n, wanted.vectors)
    w = framework.filled(w, np.nan)
    if rows is None:
        return w
    nan = complex(np.nan, np.nan) if dtype.startswith("complex") else np.nan
    return EighResult(w, framework.transposed(framework.filled(rows, nan)))


def eigvalsh(
    a: Array,
    b: Array | None = None,
    *,
    lower: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[float] | None = None,
    path: str = "auto",
    engine: str = "native",
    device: Device = "auto",
    gpus: int = 1,
    ratio: str | None = None,
    precision: str = "native",
    threads: int = 0,
    sms: int = 0,
    progress: Progress | None = None,
) -> Array:
    """The eigenvalues of a symmetric or Hermitian matrix, ascending: eigh(a, b, eigvals_only=True, ...)."""
    return eigh(
        a,
        b,
        lower=lower,
        eigvals_only=True,
        overwrite_a=overwrite_a,
        overwrite_b=overwrite_b,
        type=type,
        check_finite=check_finite,
        subset_by_index=subset_by_index,
        subset_by_value=subset_by_value,
        path=path,
        engine=engine,
        device=device,
        gpus=gpus,
        ratio=ratio,
        precision=precision,
        threads=threads,
        sms=sms,
        progress=progress,
    )


def workspace_bytes(
    n: int,
    *,
    dtype: str = "float64",
    eigvals_only: bool = False,
    type: int | None = None,
    path: str = "auto",
    engine: str = "native",
    precision: str = "native",
    on_gpu: bool = True,
    array_on_gpu: bool = True,
) -> tuple[int, int]:
    """(host, device) bytes that eigh takes for itself, beside a, b, w and v; on a GPU of arrays without gaps.

    type          of a generalised problem; None: a standard one
    path, engine, precision   as eigh's
    on_gpu        where the solve is done
    array_on_gpu  where a, w and v lie; with copies of a and b where they are not overwritten

    Raises DeviceError with on_gpu where there is no GPU; on_gpu=False, array_on_gpu=False tells the CPU's.
    """
    _solve.check_type(dtype, "dtype", of="" if type is None else "generalised problems")
    where = Where(path=path, engine=engine, precision=precision)
    itype = 0 if type is None else _solve.itype_of(type)
    plan = Wanted(vectors=not eigvals_only, itype=itype, where=where).plan(dtype)
    return _core.workspace_bytes(plan, _solve.integer(n, "n"), on_gpu, array_on_gpu, -1)
