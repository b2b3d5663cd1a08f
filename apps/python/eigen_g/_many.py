"""eigh_many: matrices of different orders in one call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from . import _core, _frameworks, _solve
from ._eigh import EighResult, Refused, check_status, nan_of, refused_of, subset_of
from ._frameworks import Array, Framework, View
from ._solve import DeviceOptions, SolveOptions
from ._types import Device, Double, Errors, HostMatrix, NumericArray, Other, RealArray, Single

if TYPE_CHECKING:
    from ._types import ManyOptions, Unpack


@overload
def eigh_many(  # type: ignore[overload-overlap]  # mypy takes an ndarray of no type for one of both
    matrices: Iterable[NDArray[Double]], lower: bool = ..., *, eigvals_only: Literal[False] = ..., **options: Unpack[ManyOptions]
) -> list[EighResult[NDArray[np.float64], NDArray[Double]]]: ...
@overload
def eigh_many(  # type: ignore[overload-overlap]  # mypy takes an ndarray of no type for one of both
    matrices: Iterable[NDArray[Double]], lower: bool = ..., *, eigvals_only: Literal[True], **options: Unpack[ManyOptions]
) -> list[NDArray[np.float64]]: ...
@overload
def eigh_many(
    matrices: Iterable[NDArray[Single]], lower: bool = ..., *, eigvals_only: Literal[False] = ..., **options: Unpack[ManyOptions]
) -> list[EighResult[NDArray[np.float32], NDArray[Single]]]: ...
@overload
def eigh_many(
    matrices: Iterable[NDArray[Single]], lower: bool = ..., *, eigvals_only: Literal[True], **options: Unpack[ManyOptions]
) -> list[NDArray[np.float32]]: ...
@overload
def eigh_many(
    matrices: Iterable[Other], lower: bool = ..., *, eigvals_only: Literal[False] = ..., **options: Unpack[ManyOptions]
) -> list[EighResult[Other, Other]]: ...
@overload
def eigh_many(
    matrices: Iterable[Other], lower: bool = ..., *, eigvals_only: Literal[True], **options: Unpack[ManyOptions]
) -> list[Other]: ...
@overload
def eigh_many(
    matrices: Iterable[HostMatrix], lower: bool = ..., *, eigvals_only: Literal[False] = ..., **options: Unpack[ManyOptions]
) -> list[EighResult[RealArray, NumericArray]]: ...
@overload
def eigh_many(
    matrices: Iterable[HostMatrix], lower: bool = ..., *, eigvals_only: Literal[True], **options: Unpack[ManyOptions]
) -> list[RealArray]: ...
def eigh_many(
    matrices: Iterable[Array],
    lower: bool = True,
    *,
    eigvals_only: bool = False,
    check_finite: bool = True,
    errors: Errors = "raise",
    subset_by_index: Iterable[int] | None = None,
    device: Device = "auto",
    threads: int = 0,
) -> list[Any]:
    """Eigenvalues and eigenvectors of matrices of different orders in one call.

        for w, v in eigen_g.eigh_many([a1, a2, a3]): ...

    matrices         square matrices in the memory of one framework on one device, as in eigh. NumPy and CuPy arrays of different types
                     are converted to their common type; other frameworks' arrays must have one type. C and Fortran order are read in
                     place, other strides are copied first. Where both orders occur, there is one call for each
    subset_by_index  [first, last], which must exist in each matrix
    other options    as in eigh

    Returns a list of EighResult(w, v), or of w alone with eigvals_only: new arrays of the framework on that device, w (m) and v (n, m) in
    Fortran order. The results of a matrix have the same bits as in a stack. `.report` is the BatchReport of the matrix's call, and with
    errors="status" `.status` is the number of the matrix. On a GPU the call runs on the framework's current stream and is complete on
    return. Its workspace is memory of CUDA's own pool. The call cannot be interrupted.

    Raises as eigh; messages have the index of the matrix in the list.

    >>> [w.round(6) for w, v in eigen_g.eigh_many([np.eye(2), np.diag([3.0, 1.0, 2.0])])]
    [array([1., 1.]), array([1., 2., 3.])]
    """
    framework, arrays, views = _alike(matrices)
    if not arrays:
        return []
    orders = [_solve.square(view, f"matrices[{k}]") for k, view in enumerate(views)]
    index_range, _ = subset_of(max(1, *orders), subset_by_index, None)
    refused = refused_of(errors, check_finite)
    where = DeviceOptions(device=device, threads=threads)
    wanted = SolveOptions(bool(lower), not eigvals_only, index_range, where=where)
    with framework.on(views[0].gpu):
        return _solved(framework, arrays, views, orders, wanted, refused)


def _alike(matrices: Iterable[Array]) -> tuple[Framework, list[Array], list[View]]:
    """Returns the matrices' framework, the matrices in their common type, and their views."""
    pairs = [_frameworks.of(a) for a in matrices]
    if not pairs:
        return _frameworks.named("numpy"), [], []
    framework = pairs[0][0]
    for k, (other, _) in enumerate(pairs):
        if other is not framework:
            raise ValueError(f"matrices[0] is an array of {framework.name}, matrices[{k}] of {other.name}")
    arrays = list(framework.converted(*(a for _, a in pairs)))
    views = [framework.view(a) for a in arrays]
    first = views[0]
    for k, view in enumerate(views):
        _solve.check_type(view.dtype, f"matrices[{k}]")
        if (view.dtype, view.gpu) != (first.dtype, first.gpu):
            raise ValueError(
                f"matrices[0] is {first.dtype} on {_frameworks.place(first.gpu)}, "
                f"matrices[{k}] is {view.dtype} on {_frameworks.place(view.gpu)}"
            )
    return framework, arrays, views


def _solved(
    framework: Framework, arrays: list[Array], views: list[View], orders: list[int], wanted: SolveOptions, refused: Refused
) -> list[Any]:
    dtype, gpu = views[0].dtype, views[0].gpu
    layouts = [_solve.columns_of(view) for view in views]
    by_rows = [layout is None or layout[1] for layout in layouts]
    of_tiny = next((by_rows[k] for k, n in enumerate(orders) if n > 1), False)
    status = np.empty(len(orders), np.int32)
    solved: list[Any] = [None] * len(orders)
    for turned in (False, True):
        ids = [k for k, n in enumerate(orders) if (by_rows[k] if n > 1 else of_tiny) == turned]
        if not ids:
            continue
        read = [_solve.columns(framework, arrays[k], views[k], True, turned) for k in ids]
        plan = wanted.plan(dtype, turned)
        results = [_solve.new_results(framework, arrays[0], plan, orders[k], wanted.vectors) for k in ids]
        own_status = np.empty(len(ids), np.int32)
        stream, _stream = framework.stream(gpu)
        report = _core.solve_ragged(
            plan,
            [orders[k] for k in ids],
            [a.address for a in read],
            [a.lda for a in read],
            [framework.address(w) for w, _ in results],
            [framework.address(rows) for _, rows in results] if wanted.vectors else [],
            own_status.ctypes.data,
            gpu,
            stream,
        )
        status[ids] = own_status
        for k, a, (w, rows) in zip(ids, read, results):
            if status[k] > 0:
                w = framework.filled(w, np.nan)
                rows = rows if rows is None else framework.filled(rows, nan_of(dtype))
            solved[k] = w
            if rows is None:
                continue
            solved[k] = EighResult(w, framework.transposed(_solve.conjugated_if_turned(framework, a, dtype, rows)))
            solved[k].report, solved[k].status = report, None if refused.not_solved else int(status[k])
    for k in np.flatnonzero(status).tolist():
        check_status(framework, int(status[k]), (k,), arrays[k], wanted, refused)
    return solved
