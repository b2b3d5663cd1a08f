"""Solver: eigh for many matrices of one order, planned once."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterable
from functools import partial
from typing import Any

from . import _core, _frameworks
from ._eigh import Device, as_result, matrices_of, subset_of
from ._frameworks import Array
from ._solve import (
    Progress,
    SolveOptions,
    DeviceOptions,
    both,
    check_type,
    columns,
    conjugated_if_turned,
    integer,
    itype_of,
    named,
    new_context,
    new_results,
    square,
)


_all: weakref.WeakSet[Solver] = weakref.WeakSet()


def _renew_in_child() -> None:
    """In a child of fork() a solver that another thread of the parent was using is planned again. The child does not have that thread."""
    for solver in _all:
        if solver._lock.locked():
            solver._lock = threading.Lock()
            solver._solvers = {}
            if solver._gpu < 0:  # CUDA cannot be used in a child
                solver._planned(False)


os.register_at_fork(after_in_child=_renew_in_child)


def _tell(solver: weakref.ref[Solver], stage: str, fraction: float) -> None:
    told = solver()
    if told is not None and told._wanted.progress is not None:
        told._wanted.progress(stage, fraction)


class Solver:
    """eigh for matrices of one order, type, framework and device. From the second solve on it allocates results only.

        solver = eigen_g.Solver(n, like=a)
        for ...:
            w, v = solver(a)

    n               order of the matrices
    like            an array with the framework, device and type of the matrices; None: NumPy, float64
    type            1, 2 or 3: generalised problems, solver(a, b); None: standard problems
    other options   as in eigh

    Workspace, copies of the matrices and the cuBLAS handle are kept until the solver is deleted. Calls from several threads take
    turns. Raises as eigh.
    """

    def __init__(
        self,
        n: int,
        *,
        like: Array | None = None,
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
    ) -> None:
        self._framework, self._like = _frameworks.of(_frameworks.empty_float64() if like is None else like)
        view = self._framework.view(self._like)
        check_type(view.dtype, "like", of="" if type is None else "generalised problems")
        itype = 0 if type is None else itype_of(type)
        n = integer(n, "n")
        self._like = self._framework.empty((0,), view.dtype, self._like)  # an empty array of the same kind; `like` can be freed
        self._n, self._gpu, self._dtype = n, view.gpu, view.dtype
        index_range, values = subset_of(n, subset_by_index, subset_by_value)
        where = DeviceOptions(path, engine, device, gpus, threads, ratio, precision, multiprocessors)
        self._wanted = SolveOptions(bool(lower), not eigvals_only, index_range, values, itype, where=where, progress=progress)
        self._lock = threading.Lock()
        self._solvers: dict[bool, _core.Solver] = {}  # key: the matrix is turned
        self._memory: tuple[Any, int] = (None, 0)
        self._copies: list[Array] = [None, None]  # copies of a and b
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
            progress = None if self._wanted.progress is None else partial(_tell, weakref.ref(self))
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

    def __call__(self, a: Array, b: Array | None = None, *, overwrite_a: bool = False, overwrite_b: bool = False) -> Any:
        """Returns eigh(a) or eigh(a, b), or w alone with eigvals_only. A NaN or an infinity in a triangle is a ValueError.

        a and b are converted as in eigh, to the type of the solver; another type is a ValueError.
        """
        wanted, n = self._wanted, self._n
        if (b is None) != (wanted.itype == 0):
            raise ValueError(f"the solver is for {'standard' if b is not None else 'generalised'} problems")
        framework, a, view, b, b_view, over_a, over_b = matrices_of(a, b, overwrite_a, overwrite_b)
        if (framework, view.gpu, view.dtype) != (self._framework, self._gpu, self._dtype):
            raise ValueError(
                f"the solver is for {self._dtype} of {self._framework.name} on {_frameworks.place(self._gpu)}, "
                f"a is {view.dtype} of {framework.name} on {_frameworks.place(view.gpu)}"
            )
        if square(view) != n:
            raise ValueError(f"the solver is for matrices of order {n}, a is {view.shape}")
        with self._lock, framework.on(view.gpu):
            on_host = view.gpu < 0
            read = columns(framework, a, view, on_host or (over_a and not view.readonly), into=self._copies[0])
            as_it_is = b_view is None or on_host or (over_b and not b_view.readonly)
            b_at, ldb, b_rows = both(framework, read, b, b_view, as_it_is, self._copies[1])
            self._copies = [read.array if read.copied else self._copies[0], self._copies[1] if b_rows is b else b_rows]
            solver = self._planned(read.turned)
            w, rows = new_results(framework, self._like, wanted.plan(self._dtype), n, wanted.vectors)
            w_at, z_at = (framework.address(x) if x is not None else 0 for x in (w, rows))
            stream, self._stream = framework.stream(view.gpu)
            try:
                report = solver.solve(read.address, read.lda, b_at, ldb, w_at, z_at, max(1, n), stream)
            except _core.InvalidArgument as error:
                raise named(error, read.turned) from None
            if rows is None:
                return as_result(w, None, report)
            rows = conjugated_if_turned(framework, read, self._dtype, rows)
            return as_result(w, framework.transposed(rows), report)
