"""eigh_many: matrices of different orders in one call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _core, _frameworks, _solve
from ._eigh import Device, EighResult, Errors, Refused, check_status, nan_of, refused_of, subset_of
from ._frameworks import Array, Framework, View
from ._solve import DeviceOptions, SolveOptions


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
    """Eigenvalues and eigenvectors of matrices of different orders, in one call.

        for w, v in eigen_g.eigh_many([a1, a2, a3]): ...

    matrices         square matrices in the memory of one framework on one device, as in eigh. NumPy and CuPy arrays of different types
                     are converted to their common type; other frameworks' arrays must have one type. C and Fortran order are read in
                     place; where both occur, the matrices in the order that the first one does not have are copied first
    subset_by_index  [first, last], which must exist in each matrix
    other options    as in eigh

    Returns a list of EighResult(w, v), or of w alone with eigvals_only: new arrays of the framework on that device, w (m) and v (n, m) in
    Fortran order. The results of a matrix have the same bits as in a stack. `.report` is the BatchReport of the whole call, and with
    errors="status" `.status` is the number of the matrix. On a GPU the call runs on the framework's current stream and is complete on
    return. Its workspace is memory of CUDA's own pool. The call cannot be interrupted.

    Raises as eigh; messages have the index of the matrix in the list.
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
    turned = next((layout[1] for layout in map(_solve.columns_of, views) if layout is not None), True)
    read = [_solve.columns(framework, a, view, True, turned) for a, view in zip(arrays, views)]
    plan = wanted.plan(dtype, turned)
    results = [_solve.new_results(framework, arrays[0], plan, n, wanted.vectors) for n in orders]
    status = np.empty(len(orders), np.int32)
    stream, _stream = framework.stream(gpu)
    report = _core.solve_ragged(
        plan,
        orders,
        [a.address for a in read],
        [a.lda for a in read],
        [framework.address(w) for w, _ in results],
        [framework.address(rows) for _, rows in results] if wanted.vectors else [],
        status.ctypes.data,
        gpu,
        stream,
    )
    solved = []
    for k, (w, rows) in enumerate(results):
        if status[k] != 0:
            check_status(framework, int(status[k]), (k,), arrays[k], wanted, refused)
            w = framework.filled(w, np.nan)
            rows = rows if rows is None else framework.filled(rows, nan_of(dtype))
        if rows is None:
            solved.append(w)
            continue
        rows = _solve.conjugated_if_turned(framework, read[k], dtype, rows)
        result = EighResult(w, framework.transposed(rows))
        result.report, result.status = report, None if refused.not_solved else int(status[k])
        solved.append(result)
    return solved
