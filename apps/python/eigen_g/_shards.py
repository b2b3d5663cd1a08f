"""eigh_shards: matrices in pieces on several GPUs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeVar, overload

from . import _core, _frameworks, _solve
from ._eigh import EighResult, subset_of, triangle_of
from ._frameworks import Array, Framework, View
from ._solve import DeviceOptions, Progress, SolveOptions, real_types

A = TypeVar("A")
Piece = tuple[int, int, int, int]  # address, leading dimension, columns, stream


def pieces_of(a: Sequence[Array]) -> tuple[Framework, list[Array], list[View], int, bool]:
    """Returns the framework, the arrays, their views, n, and True if the arrays are rows of the matrix."""
    if not a:
        raise ValueError("a has no arrays")
    found = [_frameworks.of(x) for x in a]
    framework, arrays = found[0][0], [x for _, x in found]
    if any(theirs is not framework for theirs, _ in found):
        raise ValueError("the arrays of a must be of one framework")
    views = [framework.view(x) for x in arrays]
    _solve.check_type(views[0].dtype)
    for view in views:
        if view.dtype != views[0].dtype:
            raise ValueError(f"the arrays of a must be of one type; there are {views[0].dtype} and {view.dtype}")
        if view.gpu < 0:
            raise ValueError("the arrays of a must be in the memory of GPUs")
        if len(view.shape) != 2:
            raise ValueError(f"an array of a must have two dimensions, its shape is {view.shape}")
    shapes = [view.shape for view in views]
    rows, columns = [s[0] for s in shapes], [s[1] for s in shapes]
    by_columns = set(rows) == {sum(columns)}
    by_rows = set(columns) == {sum(rows)}
    if not by_columns and not by_rows:
        raise ValueError(f"a must be columns (n, c) or rows (r, n) of an n x n matrix, their shapes are {shapes}")
    layout = _solve.columns_of(views[0])
    turned = (layout is not None and layout[1]) if by_columns and by_rows else by_rows  # both: a single array
    return framework, arrays, views, rows[0] if by_columns else columns[0], turned


@overload
def eigh_shards(
    a: Sequence[A],
    lower: bool = ...,
    *,
    eigvals_only: Literal[False] = ...,
    subset_by_index: Iterable[int] | None = ...,
    UPLO: str | None = ...,
    threads: int = ...,
    progress: Progress | None = ...,
) -> EighResult[A, list[A]]: ...
@overload
def eigh_shards(
    a: Sequence[A],
    lower: bool = ...,
    *,
    eigvals_only: Literal[True],
    subset_by_index: Iterable[int] | None = ...,
    UPLO: str | None = ...,
    threads: int = ...,
    progress: Progress | None = ...,
) -> A: ...
def eigh_shards(
    a: Sequence[Array],
    lower: bool = True,
    *,
    eigvals_only: bool = False,
    subset_by_index: Iterable[int] | None = None,
    UPLO: str | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Any:
    """Eigenvalues and eigenvectors of a symmetric or Hermitian matrix that lies in pieces on several GPUs of one host. It has eigh's
    arguments, except

    a      a list of CuPy arrays, PyTorch tensors or JAX arrays: all columns of the matrix in their order, (n, c) each, or all rows, (r, n) each.
           float64, float32, complex128 or complex64. The GPUs of the arrays, 1 to 8 of one model, divide all stages of the solve. It is
           fastest with one array of about the same size on each GPU, with columns in Fortran order or rows in C order: other arrays are
           copied on their GPU. a is not changed

    Returns EighResult(w, v), or w alone. w is on the GPU of a[0]. v is a list of arrays (n, c) in Fortran order with the columns of the vectors; the
    k-th one is on the GPU of a[k] with the number of columns or rows that a[k] has, or with subset_by_index an even share. On each GPU the
    work runs after that of the framework's current stream there, and is complete on return. The workspace is not of the framework's pool.

    Raises as eigh.

    >>> if eigen_g.gpu_count() > 1:
    ...     import torch
    ...     a = torch.randn(2000, 2000, dtype=torch.float64)
    ...     a = a + a.T
    ...     w, v = eigen_g.eigh_shards([a[:, :1000].to("cuda:0"), a[:, 1000:].to("cuda:1")])
    ...     assert [x.shape for x in v] == [(2000, 1000), (2000, 1000)]
    """
    lower = bool(lower) if UPLO is None else triangle_of(lower, UPLO)
    framework, arrays, views, n, turned = pieces_of(a)
    index_range, _ = subset_of(n, subset_by_index, None)
    wanted = SolveOptions(lower, not eigvals_only, index_range, where=DeviceOptions(threads=threads), progress=progress)
    plan = wanted.plan(views[0].dtype, turned)
    m = plan.max_count(n)
    given: list[Piece] = []
    results: list[Piece] = []
    rows: list[Array] = []
    kept: list[Any] = []  # arrays and streams that must outlive the solve
    sizes = [view.shape[0 if turned else 1] for view in views]
    if m < n:
        sizes = [m * (k + 1) // len(views) - m * k // len(views) for k in range(len(views))]
    for x, view, size in zip(arrays, views, sizes):
        with framework.on(view.gpu):
            stream, holder = framework.stream(view.gpu)
            memory, ld = _columns(framework, x, view, turned)
            given.append((framework.address(memory), ld, view.shape[0 if turned else 1], stream))
            kept += [memory, holder]
            if wanted.vectors:
                rows.append(framework.empty((size, n), view.dtype, x))
                results.append((framework.address(rows[-1]), max(1, n), size, stream))
    with framework.on(views[0].gpu):
        w = framework.empty((m,), real_types[views[0].dtype], arrays[0])
    try:
        report = _core.solve_shards(plan, n, given, framework.address(w), results, progress)
    except _core.InvalidArgument as error:
        raise _solve.named(error, turned) from None
    _solve.finished(report)
    if not wanted.vectors:
        return w
    conjugated = turned and views[0].dtype.startswith("complex")  # the rows are the columns of the conjugate
    vectors = []
    for x, view in zip(rows, views):
        with framework.on(view.gpu):
            vectors.append(framework.transposed(framework.conjugated(x) if conjugated else x))
    result = EighResult(w, vectors)
    result.report = report
    return result


def _columns(framework: Framework, x: Array, view: View, turned: bool) -> tuple[Array, int]:
    """Returns the array with the piece's columns in memory one after the other, and their distance. turned: they are the rows of x."""
    layout = _solve.columns_of(view)
    if layout is not None and layout[1] == turned:
        return x, layout[0]
    copy = framework.copied(x if turned else framework.transposed(x))
    return copy, max(1, view.shape[1 if turned else 0])
