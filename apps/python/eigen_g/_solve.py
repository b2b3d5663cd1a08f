"""One solve on the host or on a GPU: matrices as column-major memory, options as a plan, and the cache of a thread."""

from __future__ import annotations

import atexit
import math
import operator
import re
import threading
import weakref
from collections import namedtuple
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError

from . import _core, _cublas
from ._frameworks import Array, Framework, View
from ._types import Progress as Progress
from ._types import V

real_types = {"float32": "float32", "float64": "float64", "complex64": "float32", "complex128": "float64"}
_solved = {"": _core.types(), "generalised problems": _core.generalised_types(), "the stages": _core.stage_types()}


class DeviceOptions(NamedTuple):
    """Path, engine, precision and devices of a solve."""

    path: str = "auto"
    engine: str = "native"
    device: str = "auto"
    gpus: int = 1
    threads: int = 0
    ratio: str | None = None
    precision: str = "native"
    multiprocessors: int = 0
    memory_limit: int = 0


if TYPE_CHECKING:

    class _Factor(NamedTuple, Generic[V]):
        c: V
        lower: bool

else:  # before Python 3.11 a NamedTuple cannot be generic
    _Factor = namedtuple("_Factor", ["c", "lower"])


class CholeskyFactor(_Factor[V]):
    """(c, lower): the Cholesky factor of a positive definite b, in the form of scipy.linalg.cho_factor.

    c      one of its triangles has the factor; the other triangle has arbitrary values
    lower  True: the factor L with b = L L^H is in the lower triangle. False: U with b = U^H U is in the upper one

    eigh(..., return_factor=True) returns it as `.factor`, and eigh takes it instead of b. scipy.linalg.cho_solve takes it, too.

    >>> b = np.array([[4.0, 2.0], [2.0, 5.0]])
    >>> factor = eigen_g.eigh([[2, 1], [1, 3]], b, return_factor=True).factor
    >>> np.tril(factor[0]), factor.lower
    (array([[2., 0.],
           [1., 2.]]), True)
    >>> w = eigen_g.eigvalsh([[1, 0], [0, 1]], factor)      # b is not factored again
    >>> np.allclose(w, eigen_g.eigvalsh([[1, 0], [0, 1]], b))
    True
    """


class SolveOptions(NamedTuple):
    """Options of a solve."""

    lower: bool = True
    vectors: bool = True
    index_range: tuple[int, int] | None = None
    values: tuple[float, float] | None = None
    itype: int = 0  # type of a generalised problem; 0: a standard problem
    factor: str = "compute"  # Cholesky factor of b: "compute", "compute_and_return", or "reuse", if b is the factor
    overwrite_a: bool = False
    overwrite_b: bool = False
    where: DeviceOptions = DeviceOptions()
    progress: Progress | None = None

    def plan(self, dtype: str, turned: bool = False) -> _core.CallOptions:
        """Returns the plan for the matrix, or for its transpose if turned."""
        lower = self.lower != turned
        return plan_of(dtype, lower, self.vectors, self.index_range, self.values, self.itype, self.where, self.factor)


def integer(value: Any, name: str, bits: int = 63) -> int:
    if not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {value!r}, must be an integer")
    if not -(1 << bits) <= value < 1 << bits:
        raise _core.InvalidArgument(f"argument {name}: is {value}, must be less than 2^{bits}")
    return operator.index(value)


def itype_of(type: Any) -> int:
    if type not in (1, 2, 3):
        raise ValueError(f"type is {type!r}, must be 1, 2 or 3")
    return int(type)


def plan_of(
    dtype: str,
    lower: bool = True,
    vectors: bool = True,
    index_range: tuple[int, int] | None = None,
    values: tuple[float, float] | None = None,
    itype: int = 0,
    where: DeviceOptions = DeviceOptions(),
    factor: str = "compute",
) -> _core.CallOptions:
    try:
        return _plan_of(dtype, lower, vectors, index_range, values, itype, where, factor)
    except TypeError:  # the types are checked only here, because a valid call has no time for it
        for name, value in where._asdict().items():
            if isinstance(DeviceOptions._field_defaults[name], int):
                integer(value, name, 63 if name == "memory_limit" else 31)
            elif not isinstance(value, str) and not (name == "ratio" and value is None):
                raise TypeError(f"{name} is {value!r}, must be a string") from None
        raise


@lru_cache(maxsize=256)
def _plan_of(
    dtype: str,
    lower: bool,
    vectors: bool,
    index_range: tuple[int, int] | None,
    values: tuple[float, float] | None,
    itype: int,
    where: DeviceOptions,
    factor: str,
) -> _core.CallOptions:
    if where.device != "cpu":  # a plan is made before every call that may use a GPU
        _cublas.load()
    return _core.CallOptions(dtype, lower, vectors, index_range, values, *where, itype, factor)


def check_type(dtype: str, what: str = "a", of: str = "") -> None:
    if dtype in _solved[of]:
        return
    if dtype == "object":
        raise ValueError(f"{what} is an array of objects, must be a numeric array")
    known, case = " or ".join(sorted(_solved[of])), f" for {of}" if of else ""
    if dtype in _solved[""]:
        raise TypeError(f"{what} is {dtype}; {known} is solved{case}")
    solved = "complex128" if dtype.startswith("complex") else "float64"
    raise TypeError(f"{what} is {dtype}; {known} is solved{case}: convert it, as with {what}.astype('{solved}')")


def square(view: View, what: str = "a", stacks: bool = False) -> int:
    shape = view.shape
    if len(shape) < 2 or shape[-1] != shape[-2] or (len(shape) > 2 and not stacks):
        raise ValueError(f"{what} must be a square matrix{' or a stack of them' if stacks else ''}, its shape is {shape}")
    return shape[-1]


def columns_of(view: View) -> tuple[int, bool] | None:
    """Returns the leading dimension of column-major memory, and True if its columns are the array's rows. None: other strides."""
    if view.strides is None:
        return None
    rows, cols = view.shape
    down, across = view.strides
    if (down == 1 or rows <= 1) and (across >= max(1, rows) or cols <= 1):
        return max(across, rows, 1) if cols > 1 else max(rows, 1), False
    if (across == 1 or cols <= 1) and (down >= max(1, cols) or rows <= 1):
        return max(down, cols, 1) if rows > 1 else max(cols, 1), True
    return None


def stack_stride(view: View, lda: int) -> int | None:
    """Distance between consecutive matrices of a stack in elements; 0: there is at most one matrix. None: it is no single number, or
    the matrices overlap."""
    n, count, stride = view.shape[-1], 1, 0
    for extent, step in zip(view.shape[-3::-1], (view.strides or ())[-3::-1]):
        if extent == 0:
            return 0
        if extent == 1:
            continue
        if count == 1:
            stride = step
        elif step != count * stride:
            return None
        count *= extent
    return stride if count == 1 or stride >= lda * (n - 1) + n > 0 else None


def overlapping(a: View, b: View) -> bool:
    """True if the address ranges of two arrays of one type overlap."""
    if a.gpu != b.gpu or a.strides is None or b.strides is None:
        return False
    spans = []
    for view, strides in ((a, a.strides), (b, b.strides)):
        steps = [(extent - 1) * stride for extent, stride in zip(view.shape, strides)]
        ends = sum(x for x in steps if x < 0), sum(x for x in steps if x > 0) + 1
        spans.append([view.address + np.dtype(view.dtype).itemsize * end for end in ends])
    return bool(max(first for first, _ in spans) < min(end for _, end in spans))


class Columns(NamedTuple):
    """A Hermitian matrix as column-major memory. turned: its columns are the array's rows. If it is turned and not copied, the
    memory holds the transpose of the matrix, which is its conjugate."""

    array: Array  # the array with the memory; `turned`: the array's rows are the columns
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
    """Returns a as column-major memory.

    as_it_is: without a copy, if its strides allow it and `turned` is None or agrees with them
    conjugate: a turned copy is conjugated
    """
    layout = columns_of(view)
    if as_it_is and layout is not None and turned in (None, layout[1]):
        return Columns(a, view.address, layout[0], layout[1], False)
    if turned is None:
        turned = layout is None or layout[1]
    conjugate = conjugate and turned and view.dtype.startswith("complex")
    rows = framework.copied(a if turned else framework.transposed(a), into, conjugate)
    return Columns(rows, framework.address(rows), max(1, view.shape[0]), turned, True)


_no_columns = Columns(None, 0, 1, False, False)


def both(
    framework: Framework, a: Columns, b: Array | None, view: View | None, as_it_is: bool, into: Array | None = None
) -> Columns:
    """Returns b as columns() in the orientation of a."""
    if view is None:
        return _no_columns
    conjugated = a.copied and a.turned and view.dtype.startswith("complex")
    return columns(framework, b, view, as_it_is and not conjugated, a.turned, a.copied, into)


def factor_of(framework: Framework, a: Columns, b: Columns, wanted: SolveOptions, dtype: str) -> CholeskyFactor[Any] | None:
    """Returns the Cholesky factor that a solve has stored in b; None: it was not wanted."""
    if wanted.factor != "compute_and_return":
        return None
    c = b.array
    if b.copied and b.turned and a.copied and dtype.startswith("complex"):
        c = framework.conjugated(c)
    return CholeskyFactor(framework.transposed(c) if b.copied and not b.turned else c, wanted.lower)


# w, v (None without vectors), the report, and the Cholesky factor of b if it is wanted. w and v have room for the largest number of pairs.
Solved = tuple[Array, Array, _core.Report, "CholeskyFactor[Any] | None"]


def conjugated_if_turned(framework: Framework, a: Columns, dtype: str, rows: Array) -> Array:
    """Returns the vectors of the matrix from the vectors of the memory that was solved."""
    return framework.conjugated(rows) if a.turned and not a.copied and dtype.startswith("complex") else rows


def new_results(framework: Framework, like: Array, plan: _core.CallOptions, n: int, vectors: bool) -> tuple[Array, Array]:
    """Returns new arrays for w and for v, whose columns are the rows of the second array."""
    most = plan.max_count(n)
    w = framework.empty((most,), real_types[plan.dtype], like)
    return w, framework.empty((most, n), plan.dtype, like) if vectors else None


def solve_host(
    framework: Framework, a: Array, view: View, b: Array | None, b_view: View | None, wanted: SolveOptions
) -> Solved:
    n = view.shape[0]
    columns_a = columns(framework, a, view, True)
    keep_b = wanted.factor == "compute_and_return" and not (wanted.overwrite_b and b_view is not None and not b_view.readonly)
    columns_b = both(framework, columns_a, b, b_view, not keep_b)
    plan = wanted.plan(view.dtype, columns_a.turned)
    over_a = wanted.vectors and (columns_a.copied or (wanted.overwrite_a and not view.readonly))
    w, rows = new_results(framework, a, plan, n, wanted.vectors and not over_a)
    z, ldz = (columns_a.address, columns_a.lda) if over_a else (framework.address(rows) if rows is not None else 0, max(1, n))
    matrices = columns_a.address, columns_a.lda, columns_b.address, columns_b.lda, framework.address(w), z, ldz
    try:
        report = _core.solve_host(plan, n, *matrices, wanted.progress)
    except _core.InvalidArgument as error:
        raise named(error, columns_a.turned) from None
    if not wanted.vectors:
        return w, None, report, None
    factor = None if wanted.factor == "compute" else factor_of(framework, columns_a, columns_b, wanted, view.dtype)
    rows = conjugated_if_turned(framework, columns_a, view.dtype, columns_a.array if over_a else rows)
    v = framework.transposed(rows) if not over_a or columns_a.turned else rows
    return w, v[:, : plan.max_count(n)] if over_a and plan.max_count(n) < n else v, report, factor


def solve_gpu(
    framework: Framework, a: Array, view: View, b: Array | None, b_view: View | None, wanted: SolveOptions
) -> Solved:
    n = view.shape[0]
    columns_a = columns(framework, a, view, wanted.overwrite_a and not view.readonly)  # the solver destroys its matrices
    over_b = b_view is not None and wanted.overwrite_b and not b_view.readonly
    columns_b = both(framework, columns_a, b, b_view, over_b)
    plan = wanted.plan(view.dtype, columns_a.turned)
    w, rows = new_results(framework, a, plan, n, wanted.vectors)
    kept = kept_by_thread()
    packed = columns_a.lda == max(1, n) and columns_a.address % 16 == 0
    key, solver, needed, memory = kept.solver(framework, view.gpu, n, plan, packed, wanted)
    if memory is None and needed:
        memory, address = framework.memory(needed, a)
        solver.set_workspace(address, needed)
    z = framework.address(rows) if rows is not None else 0
    stream, _stream = framework.stream(view.gpu)
    matrices = columns_a.address, columns_a.lda, columns_b.address, columns_b.lda, framework.address(w), z, max(1, n)
    try:
        report = solver.solve(*matrices, stream)
    except _core.InvalidArgument as error:
        raise named(error, columns_a.turned) from None
    kept.keep(key, solver, n, needed, memory)
    if rows is None:
        return w, None, report, None
    factor = None if wanted.factor == "compute" else factor_of(framework, columns_a, columns_b, wanted, view.dtype)
    return w, framework.transposed(conjugated_if_turned(framework, columns_a, view.dtype, rows)), report, factor


def solved_at_once(wanted: SolveOptions, n: int) -> bool:
    """True if a stack of matrices of order n is solved by one call of eigen_g_batched() or sygvd_batched(), which have fewer options
    than the calls for one matrix."""
    where = wanted.where
    return (
        wanted.itype in (0, 1)
        and wanted.factor == "compute"
        and wanted.values is None
        and wanted.progress is None
        and n < _core.min_order_to_interrupt
        and where.path in ("auto", "one_stage")
        and where == DeviceOptions(path=where.path, device=where.device, threads=where.threads)
    )


class StackResult(NamedTuple):
    w: Array
    v: Array  # None without vectors
    report: _core.BatchReport
    status: Array
    overwritten: bool  # the caller's stack


class StackColumns(NamedTuple):
    """As Columns, for a stack. stride: as stack_stride()."""

    array: Array
    address: int
    lda: int
    stride: int
    turned: bool
    copied: bool


def stack_columns(
    framework: Framework, a: Array, view: View, as_it_is: bool = True, turned: bool | None = None, conjugate: bool = True
) -> StackColumns:
    """As columns(), for a stack."""
    layout = columns_of(view._replace(shape=view.shape[-2:], strides=view.strides and view.strides[-2:]))
    stride = None if layout is None else stack_stride(view, layout[0])
    if as_it_is and layout is not None and stride is not None and turned in (None, layout[1]):
        return StackColumns(a, view.address, layout[0], stride, layout[1], False)
    turned = turned is None or turned
    conjugate = conjugate and turned and view.dtype.startswith("complex")
    copy = framework.copied(a if turned else framework.transposed(a), None, conjugate)
    return StackColumns(copy, framework.address(copy), max(1, view.shape[-1]), 0, turned, True)


def solve_stack(framework: Framework, a: Array, view: View, b: Array | None, b_view: View | None, wanted: SolveOptions) -> StackResult:
    """b has the shape of a."""
    outer, n = view.shape[:-2], view.shape[-1]
    read = stack_columns(framework, a, view)
    of_b = None
    if b_view is not None:  # in the orientation of a
        conjugated = read.copied and view.dtype.startswith("complex")
        of_b = stack_columns(framework, b, b_view, not conjugated, read.turned, read.copied)
    plan = wanted.plan(view.dtype, read.turned)
    m = plan.max_count(n)
    over_a = wanted.vectors and m == n and (read.copied or (wanted.overwrite_a and not view.readonly))
    w = framework.empty((*outer, m), real_types[view.dtype], a)
    rows = read.array if over_a else framework.empty((*outer, m, n), view.dtype, a) if wanted.vectors else None
    status = framework.empty(outer, "int32", a)
    z = 0 if rows is None else framework.address(rows)
    ldz, stride_z = (read.lda, read.stride) if over_a else (max(1, n), 0)
    count = math.prod(outer)
    matrices = n, count, read.address, read.lda, read.stride, *((0, 1, 0) if of_b is None else of_b[1:4])
    arrays = *matrices, framework.address(w), z, ldz, stride_z, framework.address(status)
    if view.gpu < 0:
        report = _core.solve_batch(plan, *arrays)
    else:
        kept = kept_by_thread()
        key, solver, needed, memory = kept.batched_solver(framework, view.gpu, n, count, plan, wanted)
        if memory is None and needed:
            memory, address = framework.memory(needed, a)
            solver.set_workspace(address, needed)
        stream, _stream = framework.stream(view.gpu)
        report = solver.solve(*arrays, stream)
        kept.keep(key, solver, n, needed, memory)
    if rows is None:
        return StackResult(w, None, report, status, False)
    if read.turned and not read.copied and view.dtype.startswith("complex"):
        rows = framework.conjugated(rows)
    v = rows if over_a and not read.turned else framework.transposed(rows)
    return StackResult(w, v, report, status, over_a and not read.copied)


# The workspace of a larger order, and a larger workspace of a stack, return to the pool after each call.
max_order_of_kept_workspace, kept_workspace_bytes = 512, 8 << 20


class KeptSolver(NamedTuple):
    key: object
    solver: Any  # _core.Solver or _core.BatchedSolver
    needed: int  # bytes of its workspace
    memory: Any  # holds the workspace that the solver has; None: it has none


class Kept:
    """Cache of one thread: contexts (streams, a cuBLAS handle with at most 32 MiB of the pool), and the solver of the last call with its
    workspace, if that is small.

    A solver is not kept if it may hold more device memory (workspace of engines, helper GPUs) or reports progress. It leaves the
    cache while it solves, and does not return to it after an error.
    """

    def __init__(self) -> None:
        self._contexts: dict[object, _core.Context] = {}
        self._last: KeptSolver | None = None

    def solver(
        self, framework: Framework, gpu: int, n: int, plan: _core.CallOptions, packed: bool, wanted: SolveOptions
    ) -> KeptSolver:
        """Returns a solver, with its workspace if it is kept. packed: the matrix is contiguous and 16-byte aligned."""
        where = wanted.where
        keeps = wanted.progress is None and where.engine == "native" and where.gpus == 1 and where.ratio is None
        key = (framework.name, gpu, n, plan, packed) if keeps else None
        last = self._taken(key)
        if last is not None:
            return last
        solver = _core.Solver(self._context(framework, gpu, plan, where), plan, n, True, gpu, wanted.progress)
        return KeptSolver(key, solver, (solver.contiguous_workspace_bytes if packed else solver.workspace_bytes)[1], None)

    def batched_solver(
        self, framework: Framework, gpu: int, n: int, count: int, plan: _core.CallOptions, wanted: SolveOptions
    ) -> KeptSolver:
        """As solver(), for stacks of `count` matrices."""
        key = "stack", framework.name, gpu, n, plan, count
        last = self._taken(key)
        if last is not None:
            return last
        solver = _core.BatchedSolver(self._context(framework, gpu, plan, wanted.where), plan, n, count, gpu)
        return KeptSolver(key, solver, solver.workspace_bytes[1], None)

    def _taken(self, key: object) -> KeptSolver | None:
        """The solver with that key, if it is kept. Another one is freed, so that its handle is free before a new one is created."""
        last, self._last = self._last, None
        return last if last is not None and last.key == key else None

    def _context(self, framework: Framework, gpu: int, plan: _core.CallOptions, where: DeviceOptions) -> _core.Context:
        context = self._contexts.get((framework.name, gpu, where))
        if context is None:
            context = new_context(framework, plan)
            self._contexts[framework.name, gpu, where] = context
        return context

    def keep(self, key: object, solver: Any, n: int, needed: int, memory: Any) -> None:
        """Keeps the solver for the next call with that key, and a small workspace. None: does not."""
        if key is None:
            return
        small = n <= max_order_of_kept_workspace and needed <= kept_workspace_bytes
        self._last = KeptSolver(key, solver, needed, memory if small else None)

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


def new_context(framework: Framework, plan: _core.CallOptions) -> _core.Context:
    context = _core.Context(plan, *framework.hooks())
    _contexts.add(context)
    return context


@atexit.register
def _close() -> None:
    """Frees cached memory while the frameworks and their pools still exist. A Solver of the program ends with the process."""
    for kept in list(_kept):
        kept.close()
    for context in list(_contexts):
        context.close()


def named(error: _core.InvalidArgument, turned: bool = False) -> _core.InvalidArgument:
    """Returns an error about an entry that is not finite as NonFiniteEntry, with the entry's index in the caller's array, from 0."""
    found = re.fullmatch(r"argument ([abde]): entry \(?(\d+)(?:, (\d+)\))? (is .*)", str(error))
    if found is None:
        return error
    at = [int(k) - 1 for k in found.group(2, 3) if k]
    return _core.NonFiniteEntry(f"{found[1]}{at[::-1] if turned else at} {found[4]}")


def finished(report: _core.Report) -> _core.Report:
    if report.bad_minor > 0:
        raise LinAlgError(f"the leading minor of order {report.bad_minor} of b is not positive definite")
    if not report.converged:
        raise LinAlgError(f"the divide and conquer did not converge (info {report.info})")
    return report


def on_device(
    framework: Framework, a: Array, view: View, b: Array | None, b_view: View | None, wanted: SolveOptions
) -> Solved:
    if view.gpu < 0:
        return solve_host(framework, a, view, b, b_view, wanted)
    with framework.on(view.gpu):
        return solve_gpu(framework, a, view, b, b_view, wanted)
