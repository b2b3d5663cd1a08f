"""A solver that is planned once and used again and again."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from . import _core, _frameworks
from ._eigh import (
    Device,
    Progress,
    as_result,
    check_type,
    columns_of,
    naming_entries,
    new_results,
    plan_of,
    square,
    subset_of,
)
from ._frameworks import Array


class Solver:
    """eigh for matrices of one order, type, framework and device: from the second solve on, memory is taken for results alone.

        solver = eigen_g.Solver(n, like=a)
        for ...:
            w, v = solver(a)

    n               order of the matrices
    like            an array whose framework, device and type they have; None: NumPy's float64
    other options   eigh's

    Workspace, a copy of the matrix and the cuBLAS handle are kept until the solver's end. Calls from several threads take turns.
    Raises as eigh.
    """

    def __init__(
        self,
        n: int,
        *,
        like: Array | None = None,
        lower: bool = True,
        eigvals_only: bool = False,
        subset_by_index: Sequence[int] | None = None,
        subset_by_value: Sequence[float] | None = None,
        path: str = "auto",
        engine: str = "native",
        device: Device = "auto",
        gpus: int = 1,
        ratio: str | None = None,
        threads: int = 0,
        progress: Progress | None = None,
    ) -> None:
        self._framework, self._like = _frameworks.of(_frameworks.empty_float64() if like is None else like)
        view = self._framework.view(self._like)
        check_type(view.dtype, "like")
        self._like = self._framework.empty((0,), view.dtype, self._like)  # of its kind; like itself may go
        self._n, self._gpu, self._dtype, self._progress = n, view.gpu, view.dtype, progress
        self._vectors = not eigvals_only
        numbers, values = subset_of(n, subset_by_index, subset_by_value)
        settings = (path, engine, device, gpus, threads, ratio)
        self._plans = [
            plan_of(view.dtype, lower != turned, self._vectors, numbers, values, *settings) for turned in (False, True)
        ]
        self._lock = threading.Lock()
        self._solvers: dict[bool, _core.Solver] = {}  # by whether the matrix is turned
        self._memory: tuple[Any, int] = (None, 0)
        self._copy: Array = None
        self._stream: object = None
        with _frameworks.current(self._framework, self._gpu):
            self._context = _core.Context(self._plans[0], *self._framework.hooks())
            self._planned(False)

    def _planned(self, turned: bool) -> _core.Solver:
        if turned not in self._solvers:
            on_device = self._gpu >= 0
            solver = _core.Solver(self._context, self._plans[turned], self._n, on_device, self._gpu, self._progress)
            needed = solver.workspace_bytes[1]
            if on_device and needed:
                if not self._memory[1]:
                    self._memory = self._framework.memory(needed, self._like)
                solver.use(self._memory[1], needed)
            self._solvers[turned] = solver
        return self._solvers[turned]

    @property
    def workspace_bytes(self) -> tuple[int, int]:
        """(host, device) that it holds at most, beside a copy of the matrix on a GPU."""
        return next(iter(self._solvers.values())).workspace_bytes

    @property
    def on_gpu(self) -> bool:
        return next(iter(self._solvers.values())).on_gpu

    def __call__(self, a: Array, *, overwrite_a: bool = False) -> Any:
        """eigh(a), or eigvalsh(a). A NaN or an infinity in the triangle is a ValueError."""
        framework, a = _frameworks.of(a)
        view = framework.view(a)
        if (framework, view.gpu, view.dtype) != (self._framework, self._gpu, self._dtype):
            raise ValueError(
                f"the solver is for {self._dtype} of {self._framework.name} on {_place(self._gpu)}, "
                f"a is {view.dtype} of {framework.name} on {_place(view.gpu)}"
            )
        if square(view) != self._n:
            raise ValueError(f"the solver is for matrices of order {self._n}, a is {view.shape}")
        with self._lock, _frameworks.current(framework, view.gpu):
            layout = columns_of(view)
            destroyed = view.gpu >= 0
            if layout is None or (destroyed and (view.readonly or not overwrite_a)):
                turned = layout is None or layout[1]
                a = self._copy = framework.copied(a if turned else framework.transposed(a), self._copy)
                view, layout = framework.view(a), (max(1, self._n), turned)
            lda, turned = layout
            solver = self._planned(turned)
            w, rows = new_results(framework, self._like, self._plans[turned], self._n, self._vectors)
            w_at, z_at = (framework.address(x) if x is not None else 0 for x in (w, rows))
            stream, self._stream = framework.stream(view.gpu)
            with naming_entries(turned):
                report = solver.solve(view.address, lda, w_at, z_at, max(1, self._n), stream)
            return as_result(w, None if rows is None else framework.transposed(rows), report)


def _place(gpu: int) -> str:
    return "the host" if gpu < 0 else f"GPU {gpu}"
