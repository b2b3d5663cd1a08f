"""eigh, eigvalsh and workspace_bytes: SciPy's arguments, arrays of all frameworks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError as LinAlgError

from . import _core, _frameworks, _solve
from ._frameworks import Array, Framework, View
from ._solve import Progress, SolveOptions, DeviceOptions, real_types

Device = Literal["auto", "cpu", "gpu"]


class _Pairs(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array


class EighResult(_Pairs):
    """(eigenvalues, eigenvectors), with the Report of the call as `.report`; a tuple of Reports for a stack.

    The report is None if check_finite=False found a NaN or an infinity, and in a copy (pickle, copy).
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
            raise ValueError(f"subset_by_value {list(by_value)} must be two ascending values")
        return None, (above, upto)
    return None, None


def partner_of(framework: Framework, view: View, b: Array) -> tuple[Array, View, bool]:
    """b of a generalised problem, its view, and True if a and b may share memory, which is then not written.

    b must have a's framework, device, type and shape.
    """
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
    multiprocessors: int = 0,
    progress: Progress | None = None,
) -> Any:
    """Eigenvalues and eigenvectors of a symmetric or Hermitian matrix, w ascending:

        a @ v = v * w                                          v.conj().T @ v = 1
        type 1: a @ v = b @ v * w       2: a @ b @ v = v * w   v.conj().T @ b @ v = 1
        type 3: b @ a @ v = v * w                              v.conj().T @ inv(b) @ v = 1

    a                n x n, float64, float32, complex128 or complex64; one triangle is read. NumPy, CuPy, PyTorch, JAX, or any array
                     with DLPack or __cuda_array_interface__. C and Fortran order are read in place, other strides are copied
                     first. A stack (..., n, n) is solved one matrix after the other; its results are stacks in C order
    b                positive definite; same shape, type, framework and device as a; the same triangle is read
    lower            True: the lower triangle is read; False: the upper one
    eigvals_only     True: returns w alone
    overwrite_a, _b  True: the memory of a or b may be destroyed to save a copy, and v may be stored in a. If a and b share
                     memory, a is not overwritten
    check_finite     True: a NaN or an infinity in the triangle is an error. False: w and v become NaN, without a report
    subset_by_index  [first, last]: the pairs with these indices and all between, from 0
    subset_by_value  [above, upto]: the pairs with above < w <= upto
    path             "auto", "one_stage" or "two_stage"
    engine           of the large products: "native", "df", "emulated" or "auto"
    device           for arrays in host memory: "auto" (a GPU if there is one and n is large enough), "cpu" or "gpu"
    gpus, ratio      real matrices: number of GPUs that share the large products, and the ratio of the shares, such as "27:14"
    precision        "native", or "mixed": solves in float32 and refines to float64. For all pairs of one real float64 matrix on
                     one GPU that is slow in double. If it does not apply or does not succeed, the solve is in native
                     precision; .report.refinement says why
    threads          number of CPU threads; 0: OpenBLAS's own number
    multiprocessors  for experiments: number of multiprocessors of the GPU that are used; 0: all
    progress         called with (stage, fraction); an exception from it ends the solve. On the CPU only the back-transformation reports
                     fractions between 0 and 1

    Returns EighResult(eigenvalues, eigenvectors) with `.report`, or w alone. The arrays have a's framework and device; w is real,
    v is in Fortran order. On a GPU the work runs on the framework's current stream, is complete on return, and uses memory of
    the framework's pool. Without overwrite_a it works on a copy of a.

    The GIL is released. From n = 2000 on Ctrl-C ends a solve: on a GPU within a part of a stage, on the CPU at a stage's end.

    Raises ValueError (NonFiniteEntry, InvalidArgument), TypeError (other types, integers included), LinAlgError (no convergence, or
    b is not positive definite), OutOfMemory, DeviceError.

    Method: Householder reduction directly or through a band, divide and conquer, back-transformation (LAPACK: dsyevd, dsygvd,
    zheevd).
    """
    framework, a = _frameworks.of(a)
    view = framework.view(a)
    _solve.check_type(view.dtype)
    type = _solve.itype_of(type)
    if len(view.shape) > 2:
        if subset_by_value is not None:
            raise ValueError("subset_by_value of a stack: its matrices may have different counts of values")
        options = dict(lower=lower, overwrite_a=overwrite_a, overwrite_b=overwrite_b, check_finite=check_finite)
        places = dict(path=path, engine=engine, device=device, gpus=gpus, ratio=ratio, precision=precision)
        rest = dict(threads=threads, multiprocessors=multiprocessors, progress=progress)
        return _stacked(framework, a, view, b, type, not eigvals_only, subset_by_index, **options, **places, **rest)
    n = _solve.square(view)
    b_view, shared = None, False
    if b is not None:
        b, b_view, shared = partner_of(framework, view, b)
    index_range, values = subset_of(n, subset_by_index, subset_by_value)
    where = DeviceOptions(path, engine, device, gpus, threads, ratio, precision, multiprocessors)
    itype = 0 if b is None else type
    over_a = overwrite_a and not shared
    wanted = SolveOptions(bool(lower), not eigvals_only, index_range, values, itype, over_a, overwrite_b, where, progress)
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
    index_range, _ = subset_of(n, by_index, None)
    m = index_range[1] - index_range[0] + 1 if index_range else n
    count = math.prod(outer)
    others: Any = [None] * count
    shared = _broadcast(view)
    if b is not None:
        b, b_view, overlap = partner_of(framework, view, b)
        shared, others = shared or overlap or _broadcast(b_view), b.reshape(count, n, n)
    if shared:  # a matrix of the stack may share its memory with another one
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
    """The error of the stack's k-th matrix, with the index of the entry in the stack."""
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


def _nans(framework: Framework, a: Array, wanted: SolveOptions, dtype: str, n: int) -> Any:
    by_value = (1, 0) if wanted.values else wanted.index_range
    plan = wanted._replace(values=None, index_range=by_value).plan(dtype)
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
    multiprocessors: int = 0,
    progress: Progress | None = None,
) -> Array:
    """Returns the eigenvalues of a symmetric or Hermitian matrix, ascending: eigh(a, b, eigvals_only=True, ...)."""
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
        multiprocessors=multiprocessors,
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
    """Returns the (host, device) bytes that eigh uses in addition to a, b, w and v. On a GPU the arrays are contiguous.

    type          1, 2 or 3: a generalised problem; None: a standard one
    path, engine, precision   as in eigh
    on_gpu        True: the solve runs on a GPU; False: on the CPU
    array_on_gpu  True: a, w and v are in GPU memory; the bytes then include copies of a and b, which are not overwritten

    Raises DeviceError with on_gpu if there is no GPU. Use on_gpu=False, array_on_gpu=False for the CPU.
    """
    _solve.check_type(dtype, "dtype", of="" if type is None else "generalised problems")
    where = DeviceOptions(path=path, engine=engine, precision=precision)
    itype = 0 if type is None else _solve.itype_of(type)
    plan = SolveOptions(vectors=not eigvals_only, itype=itype, where=where).plan(dtype)
    return _core.workspace_bytes(plan, _solve.integer(n, "n"), on_gpu, array_on_gpu, -1)
