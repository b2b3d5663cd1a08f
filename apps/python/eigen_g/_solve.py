"""One solve: a matrix as memory by columns, the plan, what a thread keeps between calls; on the host and on a GPU."""

from __future__ import annotations

import atexit
import operator
import re
import threading
import weakref
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError

from . import _core, _cublas
from ._frameworks import Array, Framework, View

Progress = Callable[[str, float], object]

real_types = {"float32": "float32", "float64": "float64", "complex64": "float32", "complex128": "float64"}
_solved = {"": _core.types(), "generalised problems": _core.generalised_types(), "the stages": _core.stage_types()}


class Where(NamedTuple):
    """How and where a solve is done."""

    path: str = "auto"
    engine: str = "native"
    device: str = "auto"
    gpus: int = 1
    threads: int = 0
    ratio: str | None = None
    precision: str = "native"
    sms: int = 0


class Wanted(NamedTuple):
    """What a solve is asked for."""

    lower: bool = True
    vectors: bool = True
    numbers: tuple[int, int] | None = None
    values: tuple[float, float] | None = None
    itype: int = 0  # of a generalised problem; 0: a standard one
    overwrite_a: bool = False
    overwrite_b: bool = False
    where: Where = Where()
    progress: Progress | None = None

    def plan(self, dtype: str, turned: bool = False) -> _core.Plan:
        """Of the matrix, or of its transpose."""
        return plan_of(dtype, self.lower != turned, self.vectors, self.numbers, self.values, self.itype, self.where)


def integer(value: Any, name: str, bits: int = 63) -> int:
    if not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {value!r}, must be an integer")
    if not -(1 << bits) <= value < 1 << bits:
        raise _core.InvalidArgument(f"argument {name}: is {value}, must be less than 2^{bits}")
    return operator.index(value)


def itype_of(type: Any) -> int:
    if not hasattr(type, "__index__") or type not in (1, 2, 3):
        raise ValueError(f"type is {type!r}, must be 1, 2 or 3")
    return operator.index(type)


def plan_of(
    dtype: str,
    lower: bool = True,
    vectors: bool = True,
    numbers: tuple[int, int] | None = None,
    values: tuple[float, float] | None = None,
    itype: int = 0,
    where: Where = Where(),
) -> _core.Plan:
    try:
        return _plan_of(dtype, lower, vectors, numbers, values, itype, where)
    except TypeError:  # looked at only now: a call with good ones has no time for it
        for name, value in where._asdict().items():
            if isinstance(Where._field_defaults[name], int):
                integer(value, name, 31)
            elif not isinstance(value, str) and not (name == "ratio" and value is None):
                raise TypeError(f"{name} is {value!r}, must be a string") from None
        raise


@lru_cache(maxsize=256)
def _plan_of(
    dtype: str,
    lower: bool,
    vectors: bool,
    numbers: tuple[int, int] | None,
    values: tuple[float, float] | None,
    itype: int,
    where: Where,
) -> _core.Plan:
    if where.device != "cpu":  # a plan stands before every call that may take a GPU
        _cublas.load()
    return _core.Plan(dtype, lower, vectors, numbers, values, *where, itype)


def check_type(dtype: str, what: str = "a", of: str = "") -> None:
    if dtype in _solved[of]:
        return
    known, case = " or ".join(sorted(_solved[of])), f" for {of}" if of else ""
    if dtype in _solved[""]:
        raise TypeError(f"{what} is {dtype}; {known} is solved{case}")
    solved = "complex128" if dtype.startswith("complex") else "float64"
    raise TypeError(f"{what} is {dtype}; {known} is solved{case}: convert it, as with {what}.astype('{solved}')")


def square(view: View, what: str = "a") -> int:
    shape = view.shape
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"{what} must be a square matrix, its shape is {shape}")
    return shape[0]


def columns_of(view: View) -> tuple[int, bool] | None:
    """Leading dimension of the memory as columns, and whether these are the array's rows; None: neither."""
    if view.strides is None:
        return None
    rows, cols = view.shape
    down, across = view.strides
    if (down == 1 or rows <= 1) and (across >= max(1, rows) or cols <= 1):
        return max(across, rows, 1) if cols > 1 else max(rows, 1), False
    if (across == 1 or cols <= 1) and (down >= max(1, cols) or rows <= 1):
        return max(down, cols, 1) if rows > 1 else max(cols, 1), True
    return None


def overlapping(a: View, b: View) -> bool:
    """Whether arrays of one type might have memory in common, each where it lies."""
    if a.gpu != b.gpu or a.strides is None or b.strides is None:
        return False
    spans = []
    for view, strides in ((a, a.strides), (b, b.strides)):
        steps = [(extent - 1) * stride for extent, stride in zip(view.shape, strides)]
        ends = sum(x for x in steps if x < 0), sum(x for x in steps if x > 0) + 1
        spans.append([view.address + np.dtype(view.dtype).itemsize * end for end in ends])
    return bool(max(first for first, _ in spans) < min(end for _, end in spans))


class Columns(NamedTuple):
    """A Hermitian matrix as memory by columns. Turned and not copied it is the matrix' transpose, which is its conjugate."""

    array: Array  # that holds the memory, its rows where turned
    address: int
    lda: int
    turned: bool
    copied: bool


def columns(
    framework: Framework,
    a: Array,
    view: View,
    as_it_is: bool,
    turned: bool | None = None,
    conjugate: bool = True,
    into: Array | None = None,
) -> Columns:
    """as_it_is: without a copy, where its strides serve and `turned` is its own; conjugate: a turned copy is conjugated."""
    layout = columns_of(view)
    if as_it_is and layout is not None and turned in (None, layout[1]):
        return Columns(a, view.address, layout[0], layout[1], False)
    if turned is None:
        turned = layout is None or layout[1]
    conjugate = conjugate and turned and view.dtype.startswith("complex")
    rows = framework.copied(a if turned else framework.transposed(a), into, conjugate)
    return Columns(rows, framework.address(rows), max(1, view.shape[0]), turned, True)


def both(
    framework: Framework, a: Columns, b: Array | None, view: View | None, as_it_is: bool, into: Array | None = None
) -> tuple[int, int, Array]:
    """Address and leading dimension of b in a's orientation, and what holds it."""
    if view is None:
        return 0, 1, b
    conjugated = a.copied and a.turned and view.dtype.startswith("complex")
    other = columns(framework, b, view, as_it_is and not conjugated, a.turned, a.copied, into)
    return other.address, other.lda, other.array


def conjugated_if_turned(framework: Framework, a: Columns, dtype: str, rows: Array) -> Array:
    """Vectors of the matrix from those of what was solved."""
    return framework.conjugated(rows) if a.turned and not a.copied and dtype.startswith("complex") else rows


def new_results(framework: Framework, like: Array, plan: _core.Plan, n: int, vectors: bool) -> tuple[Array, Array]:
    """w, and v's columns as rows."""
    most = plan.most(n)
    w = framework.empty((most,), real_types[plan.dtype], like)
    return w, framework.empty((most, n), plan.dtype, like) if vectors else None


def solve_host(
    framework: Framework, a: Array, view: View, b: Array | None, b_view: View | None, wanted: Wanted
) -> tuple[Array, Array, _core.Report]:
    n = view.shape[0]
    columns_a = columns(framework, a, view, True)
    b_at, ldb, _b = both(framework, columns_a, b, b_view, True)
    plan = wanted.plan(view.dtype, columns_a.turned)
    over_a = wanted.vectors and (columns_a.copied or (wanted.overwrite_a and not view.readonly))
    w, rows = new_results(framework, a, plan, n, wanted.vectors and not over_a)
    z, ldz = (columns_a.address, columns_a.lda) if over_a else (framework.address(rows) if rows is not None else 0, max(1, n))
    matrices = columns_a.address, columns_a.lda, b_at, ldb, framework.address(w), z, ldz
    try:
        report = _core.solve_host(plan, n, *matrices, wanted.progress)
    except _core.InvalidArgument as error:
        raise named(error, columns_a.turned) from None
    if not wanted.vectors:
        return w, None, report
    rows = conjugated_if_turned(framework, columns_a, view.dtype, columns_a.array if over_a else rows)
    v = framework.transposed(rows) if not over_a or columns_a.turned else rows
    return w, v[:, : plan.most(n)] if over_a and plan.most(n) < n else v, report


def solve_gpu(
    framework: Framework, a: Array, view: View, b: Array | None, b_view: View | None, wanted: Wanted
) -> tuple[Array, Array, _core.Report]:
    n = view.shape[0]
    columns_a = columns(framework, a, view, wanted.overwrite_a and not view.readonly)  # the solver destroys its matrices
    b_at, ldb, _b = both(
        framework, columns_a, b, b_view, b_view is not None and wanted.overwrite_b and not b_view.readonly
    )
    plan = wanted.plan(view.dtype, columns_a.turned)
    w, rows = new_results(framework, a, plan, n, wanted.vectors)
    kept = kept_by_thread()
    packed = columns_a.lda == max(1, n) and columns_a.address % 16 == 0
    solver, needed = kept.solver(framework, view.gpu, n, plan, packed, wanted)
    _memory, memory = framework.memory(needed, a) if needed else (None, 0)
    solver.use(memory, needed)
    z = framework.address(rows) if rows is not None else 0
    stream, _stream = framework.stream(view.gpu)
    matrices = columns_a.address, columns_a.lda, b_at, ldb, framework.address(w), z, max(1, n)
    try:
        report = solver.solve(*matrices, stream)
    except _core.InvalidArgument as error:
        raise named(error, columns_a.turned) from None
    kept.keep(framework, view.gpu, n, plan, packed, wanted, solver, needed)
    if rows is None:
        return w, None, report
    return w, framework.transposed(conjugated_if_turned(framework, columns_a, view.dtype, rows)), report


class Kept:
    """Of one thread until its end: contexts (streams, a cuBLAS handle with at most 32 MiB of the pool), and the last solve's solver.

    A solver is not kept where it might hold more of the device (engines' scratch, further GPUs) or tells somebody its progress.
    While it solves nobody else finds it, and after an error it is not kept.
    """

    def __init__(self) -> None:
        self._contexts: dict[object, _core.Context] = {}
        self._last: tuple[object, _core.Solver, int] | None = None

    def solver(
        self, framework: Framework, gpu: int, n: int, plan: _core.Plan, packed: bool, wanted: Wanted
    ) -> tuple[_core.Solver, int]:
        """A solver, and the bytes of the device that it wants, for a matrix of n rows to a column alone or any other."""
        last, self._last = self._last, None
        if last is not None and wanted.progress is None and last[0] == (framework.name, gpu, n, plan, packed):
            return last[1], last[2]
        del last  # gives its handle back before another one is wanted
        context = self._contexts.get((framework.name, gpu, wanted.where))
        if context is None:
            context = new_context(framework, plan)
            self._contexts[framework.name, gpu, wanted.where] = context
        solver = _core.Solver(context, plan, n, True, gpu, wanted.progress)
        return solver, (solver.packed_workspace_bytes if packed else solver.workspace_bytes)[1]

    def keep(
        self,
        framework: Framework,
        gpu: int,
        n: int,
        plan: _core.Plan,
        packed: bool,
        wanted: Wanted,
        solver: _core.Solver,
        needed: int,
    ) -> None:
        where = wanted.where
        if wanted.progress is None and where.engine == "native" and where.gpus == 1 and where.ratio is None:
            self._last = (framework.name, gpu, n, plan, packed), solver, needed

    def close(self) -> None:
        self._last = None
        self._contexts.clear()


_local = threading.local()
_kept: weakref.WeakSet[Kept] = weakref.WeakSet()
_contexts: weakref.WeakSet[_core.Context] = weakref.WeakSet()


def kept_by_thread() -> Kept:
    kept: Kept | None = getattr(_local, "kept", None)
    if kept is None:
        kept = _local.kept = Kept()
        _kept.add(kept)
    return kept


def new_context(framework: Framework, plan: _core.Plan) -> _core.Context:
    context = _core.Context(plan, *framework.hooks())
    _contexts.add(context)
    return context


@atexit.register
def _close() -> None:
    """While frameworks and their pools still stand. What a Solver of the program's holds goes with the process."""
    for kept in list(_kept):
        kept.close()
    for context in list(_contexts):
        context.close()


def named(error: _core.InvalidArgument, turned: bool = False) -> _core.InvalidArgument:
    """Of an entry that is not finite: where it stands in the caller's array, from 0."""
    found = re.fullmatch(r"argument ([abde]): entry \(?(\d+)(?:, (\d+)\))? (is .*)", str(error))
    if found is None:
        return error
    at = [int(k) - 1 for k in found.group(2, 3) if k]
    return _core.NonFiniteEntry(f"{found[1]}{at[::-1] if turned else at} {found[4]}")


def finished(report: _core.Report) -> _core.Report:
    if report.bad_minor > 0:
        raise LinAlgError(f"the leading minor of order {report.bad_minor} of b is not positive definite")
    if not report.converged:
        raise LinAlgError(f"the divide and conquer did not converge (info {report.failed})")
    return report


def on_device(
    framework: Framework, a: Array, view: View, b: Array | None, b_view: View | None, wanted: Wanted
) -> tuple[Array, Array, _core.Report]:
    """w, v (None where no vectors are wanted), both with room for as many pairs as there might be, and the report."""
    if view.gpu < 0:
        return solve_host(framework, a, view, b, b_view, wanted)
    with framework.on(view.gpu):
        return solve_gpu(framework, a, view, b, b_view, wanted)
