"""Solver: eigh for many matrices of one order, planned once."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Literal, NoReturn, overload

import numpy as np
from numpy.typing import NDArray

from . import _core, _frameworks, _show
from ._eigh import EighResult, Refused, factor_in, is_factor, matrices_of, solved, subset_of
from ._frameworks import Array, Framework, View
from ._solve import (
    CholeskyFactor,
    Progress,
    SolveOptions,
    DeviceOptions,
    Solved,
    both,
    check_type,
    columns,
    conjugated_if_turned,
    factor_of,
    integer,
    itype_of,
    named,
    new_context,
    new_results,
    square,
)
from ._types import Device, Double, HostMatrix, M, Other, R, Single, SolverOptions

if TYPE_CHECKING:
    from ._types import Unpack


_all: weakref.WeakSet[Solver[Any, Any]] = weakref.WeakSet()


def _renew_in_child() -> None:
    """In a child of fork() a solver that another thread of the parent was using is planned again. The child does not have that thread."""
    for solver in _all:
        if solver._lock.locked():
            solver._lock = threading.Lock()
            solver._solvers = {}
            if solver._gpu < 0:  # CUDA cannot be used in a child
                solver._planned(False)


os.register_at_fork(after_in_child=_renew_in_child)


def _report_progress(solver: weakref.ref[Solver[Any, Any]], stage: str, fraction: float) -> None:
    alive = solver()
    if alive is not None and alive._wanted.progress is not None:
        alive._wanted.progress(stage, fraction)


class Solver(Generic[M, R]):
    """eigh for matrices of one order, type, framework and device. From the second solve on it allocates results only.

        solver = eigen_g.Solver(n, like=a)
        for ...:
            w, v = solver(a)

    n               order of the matrices
    like            an array with the framework, device and type of the matrices; None: NumPy, float64
    type            1, 2 or 3: generalised problems, solver(a, b); None: standard problems
    other options   as in eigh

    Workspace, copies of the matrices and the cuBLAS handle are kept until the solver is deleted. Calls from several threads take
    turns. A solver cannot be pickled or copied. Raises as eigh.

    >>> solver = eigen_g.Solver(2)
    >>> for shift in (0.0, 1.0):
    ...     w, v = solver(np.array([[2.0, 1.0], [1.0, 2.0]]) + shift * np.eye(2))
    ...     print(w.round(6))
    [1. 3.]
    [2. 4.]
    """

    @overload
    def __init__(
        self: Solver[HostMatrix, EighResult[NDArray[np.float64], NDArray[np.float64]]],
        n: int,
        *,
        like: None = ...,
        type: int | None = ...,
        lower: bool = ...,
        eigvals_only: Literal[False] = ...,
        **options: Unpack[SolverOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: Solver[HostMatrix, NDArray[np.float64]],
        n: int,
        *,
        like: None = ...,
        type: int | None = ...,
        lower: bool = ...,
        eigvals_only: Literal[True],
        **options: Unpack[SolverOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: Solver[HostMatrix, EighResult[NDArray[np.float64], NDArray[Double]]],
        n: int,
        *,
        like: NDArray[Double],
        type: int | None = ...,
        lower: bool = ...,
        eigvals_only: Literal[False] = ...,
        **options: Unpack[SolverOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: Solver[HostMatrix, NDArray[np.float64]],
        n: int,
        *,
        like: NDArray[Double],
        type: int | None = ...,
        lower: bool = ...,
        eigvals_only: Literal[True],
        **options: Unpack[SolverOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: Solver[HostMatrix, EighResult[NDArray[np.float32], NDArray[Single]]],
        n: int,
        *,
        like: NDArray[Single],
        type: int | None = ...,
        lower: bool = ...,
        eigvals_only: Literal[False] = ...,
        **options: Unpack[SolverOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: Solver[HostMatrix, NDArray[np.float32]],
        n: int,
        *,
        like: NDArray[Single],
        type: int | None = ...,
        lower: bool = ...,
        eigvals_only: Literal[True],
        **options: Unpack[SolverOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: Solver[Other, EighResult[Other, Other]],
        n: int,
        *,
        like: Other,
        type: int | None = ...,
        lower: bool = ...,
        eigvals_only: Literal[False] = ...,
        **options: Unpack[SolverOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: Solver[Other, Other],
        n: int,
        *,
        like: Other,
        type: int | None = ...,
        lower: bool = ...,
        eigvals_only: Literal[True],
        **options: Unpack[SolverOptions],
    ) -> None: ...
    def __init__(
        self,
        n: int,
        *,
        like: Any = None,
        type: int | None = None,
        lower: bool = True,
        eigvals_only: bool = False,
        subset_by_index: Iterable[int] | None = None,
        subset_by_value: Iterable[float] | None = None,
        path: str = "auto",
        engine: str = "native",
        device: Device = "auto",
        gpus: int = 1,
        ratio: str | None = None,
        precision: str = "native",
        threads: int = 0,
        multiprocessors: int = 0,
        progress: Progress | None = None,
        memory_limit: int = 0,
    ) -> None:
        self._framework, self._like = _frameworks.of(_frameworks.empty_float64() if like is None else like)
        view = self._framework.view(self._like)
        check_type(view.dtype, "like", of="" if type is None else "generalised problems")
        itype = 0 if type is None else itype_of(type)
        n = integer(n, "n")
        self._like = self._framework.empty((0,), view.dtype, self._like)  # an empty array of the same kind; `like` can be freed
        self._n, self._gpu, self._dtype = n, view.gpu, view.dtype
        index_range, values = subset_of(n, subset_by_index, subset_by_value)
        where = DeviceOptions(path, engine, device, gpus, threads, ratio, precision, multiprocessors, memory_limit)
        self._wanted = SolveOptions(bool(lower), not eigvals_only, index_range, values, itype, where=where, progress=progress)
        self._lock = threading.Lock()
        self._solvers: dict[bool, _core.Solver] = {}  # key: the matrix is turned
        self._memory: tuple[Any, int] = (None, 0)
        self._copies: list[Array] = [None, None]  # copies of a and b
        self._b: Array = None  # the array of update(): b, or after the first solve its factor
        self._b_is_factor = False
        self._stream: object = None
        with self._framework.on(self._gpu):
            self._context = new_context(self._framework, self._wanted.plan(view.dtype))
            self._planned(False)
        _all.add(self)

    def _planned(self, turned: bool) -> _core.Solver:
        if turned not in self._solvers:
            on_device = self._gpu >= 0
            plan = self._wanted.plan(self._dtype, turned)
            # A weak reference: the garbage collector does not see references that the extension holds, so a cycle would never be freed.
            progress = None if self._wanted.progress is None else partial(_report_progress, weakref.ref(self))
            solver = _core.Solver(self._context, plan, self._n, on_device, self._gpu, progress)
            needed = solver.workspace_bytes[1]
            if on_device and needed:
                if not self._memory[1]:
                    self._memory = self._framework.memory(needed, self._like)
                solver.set_workspace(self._memory[1], needed)
            self._solvers[turned] = solver
        return self._solvers[turned]

    @property
    def workspace_bytes(self) -> tuple[int, int]:
        """Upper bound of the (host, device) bytes that it uses, in addition to copies of the matrices on a GPU."""
        return next(iter(self._solvers.values())).workspace_bytes

    @property
    def on_gpu(self) -> bool:
        return next(iter(self._solvers.values())).on_gpu

    def update(self, b: M | CholeskyFactor[Any] | tuple[Any, bool]) -> None:
        """Sets the matrix b of the next calls solver(a). The first of them factors b, and later ones reuse the factor.

        b  as in eigh; also a CholeskyFactor. It is copied

        >>> a, b = np.array([[2.0, 1.0], [1.0, 2.0]]), np.diag([1.0, 4.0])
        >>> solver = eigen_g.Solver(2, type=1)
        >>> solver.update(b)
        >>> all(eigen_g.verify(x, *solver(x), b=b).passed for x in (a, a + np.eye(2)))
        True
        """
        wanted = self._wanted
        if wanted.itype == 0:
            raise ValueError("the solver is for standard problems, which have no b: create it with type=1, 2 or 3")
        given_factor = is_factor(b)
        framework, array, view, *_ = matrices_of(factor_in(b, wanted.lower) if given_factor else b, None)
        self._check(framework, view, "b")
        with self._lock, framework.on(view.gpu):
            self._b, self._b_is_factor = framework.copied(array), given_factor

    def _check(self, framework: Framework, view: View, what: str) -> None:
        """Raises ValueError for a matrix that is not of the kind of the solver's matrices."""
        if (framework, view.gpu, view.dtype) != (self._framework, self._gpu, self._dtype):
            raise ValueError(
                f"the solver is for {self._dtype} of {self._framework.name} on {_frameworks.place(self._gpu)}, "
                f"{what} is {view.dtype} of {framework.name} on {_frameworks.place(view.gpu)}"
            )
        if square(view, what, stacks=what == "a") != self._n:
            raise ValueError(f"the solver is for matrices of order {self._n}, {what} is {view.shape}")

    def __call__(
        self,
        a: M,
        b: M | CholeskyFactor[Any] | tuple[Any, bool] | None = None,
        *,
        overwrite_a: bool = False,
        overwrite_b: bool = False,
    ) -> R:
        """Returns eigh(a) or eigh(a, b), or w alone with eigvals_only. A NaN or an infinity in a triangle is a ValueError.

        a  n x n, or a stack (..., n, n), converted as in eigh to the type of the solver; another type is a ValueError
        b  for generalised problems: as in eigh; None: the matrix of update()
        """
        wanted = self._wanted
        if b is not None and wanted.itype == 0:
            raise ValueError("the solver is for standard problems")
        if b is None and wanted.itype and self._b is None:
            raise ValueError("the solver is for generalised problems: it requires b, here or before in update(b)")
        array: Any = b
        if is_factor(b):
            array, wanted = factor_in(b, wanted.lower), wanted._replace(factor="reuse")
        elif b is None and wanted.itype:
            wanted = wanted._replace(factor="compute_and_return")
        framework, matrix, view, array, b_view, over_a, over_b = matrices_of(a, array, overwrite_a, overwrite_b, stacks=True)
        self._check(framework, view, "a")
        wanted = wanted._replace(overwrite_a=over_a, overwrite_b=over_b)
        return solved(framework, matrix, view, array, b_view, wanted, Refused(True, True), self._solved)  # type: ignore[no-any-return]

    def _solved(self, framework: Framework, a: Array, view: View, b: Array, b_view: View | None, wanted: SolveOptions) -> Solved:
        """Solves for one matrix. b is None for generalised problems: the matrix of update()."""
        n, on_host, own_b = self._n, view.gpu < 0, wanted.itype > 0 and b is None
        with self._lock, framework.on(view.gpu):
            if own_b:
                b, b_view = self._b, framework.view(self._b)
                if self._b_is_factor:
                    wanted = wanted._replace(factor="reuse", overwrite_b=True)
            read = columns(framework, a, view, on_host or (wanted.overwrite_a and not view.readonly), into=self._copies[0])
            over_b = b_view is not None and wanted.overwrite_b and not b_view.readonly
            returned = wanted.factor == "compute_and_return"
            as_it_is = over_b or (on_host and not returned)
            read_b = both(framework, read, b, b_view, as_it_is, None if returned else self._copies[1])
            self._copies = [x.array if x.copied else copy for x, copy in zip((read, read_b), self._copies)]
            solver = self._planned(read.turned)
            plan = wanted.plan(self._dtype, read.turned)
            if wanted.itype:
                solver.set_factor(plan)
            w, rows = new_results(framework, self._like, plan, n, wanted.vectors)
            w_at, z_at = (framework.address(x) if x is not None else 0 for x in (w, rows))
            stream, self._stream = framework.stream(view.gpu)
            try:
                report = solver.solve(read.address, read.lda, read_b.address, read_b.lda, w_at, z_at, max(1, n), stream)
            except _core.InvalidArgument as error:
                raise named(error, read.turned) from None
            factor = factor_of(framework, read, read_b, wanted, self._dtype)
            if own_b and factor is not None and report.bad_minor == 0:
                self._b, self._b_is_factor, self._copies[1] = factor.c, True, None
            v = None if rows is None else framework.transposed(conjugated_if_turned(framework, read, self._dtype, rows))
            return w, v, report, None

    def __repr__(self) -> str:
        return _show.solver_table(self).text()

    def _repr_html_(self) -> str:
        return _show.solver_table(self).html()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(
            "a Solver cannot be pickled or copied: it holds workspace, a lock and GPU handles of this process. "
            f"Create one where it is needed, with eigen_g.Solver({self._n}, ...)"
        )
