"""eigh and eigvalsh: SciPy's arguments, any framework's arrays."""

from __future__ import annotations

import atexit
import contextlib
import math
import re
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError as LinAlgError

from . import _core, _frameworks
from ._frameworks import Array, Framework, View

Progress = Callable[[str, float], object]
Device = Literal["auto", "cpu", "gpu"]

real_types = {"float32": "float32", "float64": "float64", "complex64": "float32", "complex128": "float64"}
_types, _stage_types = frozenset(_core.types()), frozenset(_core.stage_types())


class _Pairs(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array


class EighResult(_Pairs):
    """(eigenvalues, eigenvectors), with what the call did as `.report`."""

    report: Any  # _core.Report; of a stack a tuple of them


def check_type(dtype: str, what: str = "a", stages: bool = False) -> None:
    solved = _stage_types if stages else _types
    if dtype not in solved:
        known = " or ".join(sorted(solved))
        raise TypeError(f"{what} is {dtype}; {known} is solved: convert it, as with {what}.astype('float64')")


def square(view: View, what: str = "a") -> int:
    if len(view.shape) != 2 or view.shape[0] != view.shape[1]:
        raise ValueError(f"{what} must be a square matrix, its shape is {view.shape}")
    return view.shape[0]


def columns_of(view: View) -> tuple[int, bool] | None:
    """Leading dimension of the memory as columns, and whether these are the array's rows; None: neither."""
    rows, cols = view.shape
    down, across = view.strides
    if (down == 1 or rows <= 1) and (across >= max(1, rows) or cols <= 1):
        return max(across, rows, 1) if cols > 1 else max(rows, 1), False
    if (across == 1 or cols <= 1) and (down >= max(1, cols) or rows <= 1):
        return max(down, cols, 1) if rows > 1 else max(cols, 1), True
    return None


@lru_cache(maxsize=256)
def plan_of(
    dtype: str,
    lower: bool = True,
    vectors: bool = True,
    numbers: tuple[int, int] | None = None,
    values: tuple[float, float] | None = None,
    path: str = "auto",
    engine: str = "native",
    device: str = "auto",
    gpus: int = 1,
    threads: int = 0,
    ratio: str | None = None,
) -> _core.Plan:
    return _core.Plan(dtype, lower, vectors, numbers, values, path, engine, device, gpus, threads, ratio, 0)


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


_local = threading.local()
_contexts: weakref.WeakSet[_core.Context] = weakref.WeakSet()


def context_of(framework: Framework, gpu: int, plan: _core.Plan, key: object) -> _core.Context:
    """The calling thread's, kept until its end: a cuBLAS handle with its workspace (at most 32 MiB of the pool), streams."""
    kept: dict[object, _core.Context] = _local.__dict__.setdefault("contexts", {})
    context = kept.get((framework.name, gpu, key))
    if context is None:
        context = _core.Context(plan, *framework.hooks())
        kept[framework.name, gpu, key] = context
        _contexts.add(context)
    return context


@atexit.register
def _release() -> None:
    for context in list(_contexts):
        context.release()


@contextlib.contextmanager
def naming_entries(turned: bool) -> Iterator[None]:
    """Says of an entry that is not finite where it stands in the caller's array, from 0."""
    try:
        yield
    except _core.NonFiniteEntry as error:
        entry, kind = re.findall(r"\d+", str(error)), str(error).partition(") ")[2]
        row, col = (int(k) - 1 for k in (reversed(entry) if turned else entry))
        raise _core.NonFiniteEntry(f"a[{row}, {col}] {kind}") from None


def finished(report: _core.Report) -> _core.Report:
    if not report.converged:
        raise LinAlgError(f"the divide and conquer did not converge (info {report.failed})")
    return report


def eigh(
    a: Array,
    b: Array | None = None,
    *,
    lower: bool = True,
    eigvals_only: bool = False,
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[float] | None = None,
    overwrite_a: bool = False,
    check_finite: bool = True,
    path: str = "auto",
    engine: str = "native",
    device: Device = "auto",
    gpus: int = 1,
    ratio: str | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Any:
    """Eigenvalues and eigenvectors of a symmetric matrix: a @ v = v * w, w ascending, v.T @ v = 1.

    a                n x n, float64 or float32, in C or Fortran order (others are copied first); NumPy, CuPy, PyTorch, JAX, or
                     anything with DLPack or __cuda_array_interface__. Only one triangle is read. Integers and other types are a
                     TypeError. Stacks (..., n, n) are solved one after the other, their results stacked alike, in C order.
    lower            which triangle
    eigvals_only     return w alone
    subset_by_index  [first, last], from 0, both wanted
    subset_by_value  [above, upto]: above < w <= upto
    overwrite_a      v may take a's memory, and a's memory is destroyed
    check_finite     a NaN or an infinity in the triangle is an error; False: it makes NaNs of w and v
    path, engine     of the reduction; of the large products: "native", "df", "emulated", "auto"
    device           of arrays in host memory: "auto" takes a GPU where there is one and n is worth it
    gpus, ratio      further devices for the large products and their shares, as "27:14"
    threads          of the CPU; 0: as many as OpenBLAS takes by itself
    progress         called with (stage, fraction); an exception from it ends the solve

    Returns EighResult(eigenvalues, eigenvectors) with `.report`, or the values alone: arrays of a's framework on a's device, v in
    Fortran order. On a GPU the work is ordered on the framework's current stream, is complete on return, and takes its memory
    from the framework's pool; without overwrite_a it works on a copy of a.

    The GIL is released. From n = 2000 on Ctrl-C ends a solve: on a GPU within a part of a stage, on the CPU at a stage's end.
    One-stage Householder reduction, divide and conquer, back-transformation (LAPACK: dsyevd).

    Raises ValueError (NonFiniteEntry, InvalidArgument), TypeError, LinAlgError (no convergence), OutOfMemory, DeviceError,
    NotImplementedError (b is given: the generalised problem).
    """
    if b is not None:
        raise NotImplementedError("the generalised problem (b) is not solved")
    framework, a = _frameworks.of(a)
    view = framework.view(a)
    check_type(view.dtype)
    if len(view.shape) > 2:
        if subset_by_value is not None:
            raise ValueError("subset_by_value of a stack: its matrices may have different numbers of values")
        options = dict(lower=lower, overwrite_a=overwrite_a, check_finite=check_finite, path=path, engine=engine)
        places = dict(device=device, gpus=gpus, ratio=ratio, threads=threads, progress=progress)
        return _stacked(framework, a, view, not eigvals_only, subset_by_index, **options, **places)
    n = square(view)
    numbers, values = subset_of(n, subset_by_index, subset_by_value)
    settings = (path, engine, device, gpus, threads, ratio)
    with _frameworks.current(framework, view.gpu):
        try:
            solve = _solve_host if view.gpu < 0 else _solve_gpu
            w, v, report = solve(
                framework, a, view, lower, not eigvals_only, numbers, values, overwrite_a, settings, progress
            )
        except _core.NonFiniteEntry:
            if check_finite:
                raise
            vectors, by_value = not eigvals_only, (1, 0) if values else numbers
            return _nans(framework, a, plan_of(view.dtype, True, vectors, by_value), n, vectors)
    return as_result(w, v, report)


def _stacked(
    framework: Framework, a: Array, view: View, vectors: bool, by_index: Sequence[int] | None, **options: Any
) -> Any:
    outer = view.shape[:-2]
    n, count = square(view._replace(shape=view.shape[-2:])), math.prod(outer)
    numbers, _ = subset_of(n, by_index, None)
    m = numbers[1] - numbers[0] + 1 if numbers else n
    parts = [
        eigh(x, eigvals_only=not vectors, subset_by_index=by_index, **options) for x in a.reshape(count, n, n)
    ]

    def together(arrays: list[Array], shape: tuple[int, ...], dtype: str) -> Array:
        return framework.stack(arrays).reshape(outer + shape) if arrays else framework.empty(outer + shape, dtype, a)

    if not vectors:
        return together(parts, (m,), real_types[view.dtype])
    w = together([x.eigenvalues for x in parts], (m,), real_types[view.dtype])
    result = EighResult(w, together([x.eigenvectors for x in parts], (n, m), view.dtype))
    result.report = tuple(x.report for x in parts)
    return result


def new_results(
    framework: Framework, like: Array, plan: _core.Plan, n: int, vectors: bool
) -> tuple[Array, Array]:
    """w, and v's columns as rows."""
    most = plan.most(n)
    w = framework.empty((most,), real_types[plan.dtype], like)
    return w, framework.empty((most, n), plan.dtype, like) if vectors else None


def as_result(w: Array, v: Array, report: _core.Report) -> Any:
    finished(report)
    if report.m < len(w):
        w, v = w[: report.m], v if v is None else v[:, : report.m]
    if v is None:
        return w
    result = EighResult(w, v)
    result.report = report
    return result


def _nans(framework: Framework, a: Array, plan: _core.Plan, n: int, vectors: bool) -> Any:
    w, rows = new_results(framework, a, plan, n, vectors)
    w = w * 0 + np.nan
    return w if rows is None else EighResult(w, framework.transposed(rows * 0 + np.nan))


def _solve_host(
    framework: Framework,
    a: Array,
    view: View,
    lower: bool,
    vectors: bool,
    numbers: Any,
    values: Any,
    overwrite_a: bool,
    settings: tuple[Any, ...],
    progress: Progress | None,
) -> tuple[Array, Array, _core.Report]:
    n = view.shape[0]
    if columns_of(view) is None:
        a = framework.copied(a)
        view, overwrite_a = framework.view(a), True
    lda, turned = columns_of(view) or (max(1, n), True)
    plan = plan_of(view.dtype, lower != turned, vectors, numbers, values, *settings)
    over_a = vectors and overwrite_a and not view.readonly
    w, rows = new_results(framework, a, plan, n, vectors and not over_a)
    z, ldz = (view.address, lda) if over_a else (framework.address(rows) if vectors else 0, max(1, n))
    with naming_entries(turned):
        report = _core.solve_host(plan, n, view.address, lda, framework.address(w), z, ldz, progress)
    if not vectors:
        return w, None, report
    v = framework.transposed(rows) if not over_a else framework.transposed(a) if turned else a
    return w, v[:, : plan.most(n)] if over_a and plan.most(n) < n else v, report


def _solve_gpu(
    framework: Framework,
    a: Array,
    view: View,
    lower: bool,
    vectors: bool,
    numbers: Any,
    values: Any,
    overwrite_a: bool,
    settings: tuple[Any, ...],
    progress: Progress | None,
) -> tuple[Array, Array, _core.Report]:
    n = view.shape[0]
    layout = columns_of(view)
    work = a
    if layout is None or view.readonly or not overwrite_a:  # the solver destroys its matrix
        work = framework.copied(a if layout is None or layout[1] else framework.transposed(a))
        layout = max(1, n), layout is None or layout[1]
    lda, turned = layout
    plan = plan_of(view.dtype, lower != turned, vectors, numbers, values, *settings)
    w, rows = new_results(framework, a, plan, n, vectors)

    solver = _core.Solver(context_of(framework, view.gpu, plan, settings), plan, n, True, view.gpu, progress)
    needed = solver.workspace_bytes[1]
    memory = framework.memory(needed, a) if needed else (None, 0)
    solver.use(memory[1], needed)
    a_at, w_at, z_at = (framework.address(x) if x is not None else 0 for x in (work, w, rows))
    with naming_entries(turned):
        report = solver.solve(a_at, lda, w_at, z_at, max(1, n), framework.stream(view.gpu)[0])
    return w, framework.transposed(rows) if vectors else None, report


def eigvalsh(
    a: Array,
    b: Array | None = None,
    *,
    lower: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[float] | None = None,
    path: str = "auto",
    engine: str = "native",
    device: Device = "auto",
    gpus: int = 1,
    ratio: str | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Array:
    """The eigenvalues of a symmetric matrix, ascending: eigh(a, eigvals_only=True, ...)."""
    return eigh(
        a,
        b,
        lower=lower,
        eigvals_only=True,
        subset_by_index=subset_by_index,
        subset_by_value=subset_by_value,
        overwrite_a=overwrite_a,
        check_finite=check_finite,
        path=path,
        engine=engine,
        device=device,
        gpus=gpus,
        ratio=ratio,
        threads=threads,
        progress=progress,
    )


def workspace_bytes(
    n: int, *, dtype: str = "float64", eigvals_only: bool = False, on_gpu: bool = True, array_on_gpu: bool = True
) -> tuple[int, int]:
    """(host, device) bytes that eigh takes at most for itself, beside a, w and v.

    on_gpu        where the solve is done
    array_on_gpu  where a, w and v lie; with a copy of a where overwrite_a is False
    """
    check_type(dtype, "dtype")
    return _core.workspace_bytes(plan_of(dtype, True, not eigvals_only), n, on_gpu, array_on_gpu, -1)
