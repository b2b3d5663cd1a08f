"""A program that uses every public name of eigen_g. test_typing.py checks it by mypy --strict and does not run it.

A line with "# error: CODE" must have that error and no other one. "# type: T" is the revealed type of the line's expression.
"""

import cupy
import jax
import numpy as np
import torch
from numpy.typing import NDArray

import eigen_g

double: NDArray[np.float64] = np.eye(3)
single: NDArray[np.complex64] = np.eye(3, dtype=np.complex64)
integers: NDArray[np.int64] = np.eye(3, dtype=np.int64)
tensor, on_gpu, traced = torch.eye(3), cupy.eye(3), jax.eye(3)

# eigh and eigvalsh, by kind of array
w, v = eigen_g.eigh(double)
reveal_type(w)  # type: ndarray[float64]
reveal_type(v)  # type: ndarray[float64]
reveal_type(eigen_g.eigh(single).eigenvalues)  # type: ndarray[float32]
reveal_type(eigen_g.eigh(single).eigenvectors)  # type: ndarray[complex64]
reveal_type(eigen_g.eigh(integers).eigenvalues)  # type: ndarray[floating]
reveal_type(eigen_g.eigh([[2, 1], [1, 2]]).eigenvectors)  # type: ndarray[inexact]
reveal_type(eigen_g.eigh(tensor).eigenvectors)  # type: Tensor
reveal_type(eigen_g.eigh(on_gpu, on_gpu, type=2).eigenvalues)  # type: ndarray
reveal_type(eigen_g.eigh(traced, eigvals_only=True))  # type: Array
reveal_type(eigen_g.eigh(double, eigvals_only=True, path="one_stage", subset_by_index=[0, 1]))  # type: ndarray[float64]
reveal_type(eigen_g.eigh(double, "U"))  # type: EighResult[ndarray[float64], ndarray[float64]]
reveal_type(eigen_g.eigvalsh(double, double))  # type: ndarray[float64]
reveal_type(eigen_g.eigvalsh(tensor, errors="status"))  # type: Tensor
eigen_g.eigh("x")  # error: arg-type
eigen_g.eigh(double, path="three_stage")  # error: call-overload
eigen_g.eigh(double, thread=3)  # error: call-overload
eigen_g.eigvalsh(double, eigvals_only=True)  # error: call-overload
text: str = eigen_g.eigh(double).eigenvalues  # error: assignment

# the result, the factor of b, and reports
result = eigen_g.eigh(double, double, return_factor=True)
reveal_type(result.report)  # type: Report | BatchReport | tuple[Report | None, ...] | None
reveal_type(result.status)  # type: int | ndarray[int32] | None
factor = result.factor
assert factor is not None
reveal_type(factor)  # type: CholeskyFactor[ndarray[float64]]
reveal_type(eigen_g.eigh(double, factor).eigenvalues)  # type: ndarray[float64]
made = eigen_g.CholeskyFactor(double, True)
reveal_type(made.c)  # type: ndarray[float64]
made.upper  # error: attr-defined
report = result.report
assert isinstance(report, eigen_g.Report)
reveal_type(report.stages)  # type: list[tuple[str, float]]
reveal_type(report.devices[0]["seconds"])  # type: float
reveal_type(report.refinement["steps"])  # type: int
report.devices[0]["second"]  # error: typeddict-item
report.stage  # error: attr-defined
report.m = 3  # error: misc
batch: eigen_g.BatchReport
other: eigen_g.EighResult[torch.Tensor, torch.Tensor] = eigen_g.eigh(tensor)
wrong: eigen_g.EighResult[torch.Tensor, torch.Tensor] = eigen_g.eigh(double)  # error: assignment

# many matrices
reveal_type(eigen_g.eigh_many([double, double])[0].eigenvalues)  # type: ndarray[float64]
reveal_type(eigen_g.eigh_many([tensor], eigvals_only=True))  # type: list[Tensor]
eigen_g.eigh_many(double, path="two_stage")  # error: call-overload

# matrices in pieces on several GPUs
reveal_type(eigen_g.eigh_shards([tensor]).eigenvectors)  # type: list[Tensor]
reveal_type(eigen_g.eigh_shards([tensor], eigvals_only=True))  # type: Tensor
eigen_g.eigh_shards([tensor], path="two_stage")  # error: call-overload

# solvers
solver = eigen_g.Solver(3)
reveal_type(solver(double).eigenvectors)  # type: ndarray[float64]
reveal_type(eigen_g.Solver(3, like=single)(single).eigenvalues)  # type: ndarray[float32]
on_tensors = eigen_g.Solver(3, like=tensor, type=1, eigvals_only=True)
on_tensors.update(tensor)
reveal_type(on_tensors(tensor))  # type: Tensor
reveal_type(solver.workspace_bytes)  # type: tuple[int, int]
reveal_type(solver.on_gpu)  # type: bool
on_tensors(double)  # error: arg-type
eigen_g.Solver("3")  # error: call-overload

# stages, checks and the rest
t = eigen_g.tridiagonalize(double)
reveal_type(t)  # type: Tridiagonal[ndarray[float64]]
reveal_type(eigen_g.apply_q(t, double))  # type: ndarray[float64]
reveal_type(eigen_g.apply_q(eigen_g.tridiagonalize(tensor), tensor))  # type: Tensor
reveal_type(eigen_g.solve_tridiagonal(t.d, t.e))  # type: tuple[ndarray[float64], ndarray[float64]]
reveal_type(eigen_g.eigh_tridiagonal(t.d, t.e, True, select="i", select_range=(0, 1)))  # type: ndarray[float64]
reveal_type(eigen_g.eigvalsh_tridiagonal(tensor, tensor))  # type: Tensor
eigen_g.eigh_tridiagonal(t.d, t.e, select="x")  # error: call-overload
check: eigen_g.Verification = eigen_g.verify(double, w, v)
reveal_type(check)  # type: Verification
reveal_type(check.passed)  # type: bool
reveal_type(eigen_g.verify(double, w, v, b=double).condition)  # type: float
check.condition  # error: attr-defined
reveal_type(eigen_g.workspace_bytes(1000, dtype="float32"))  # type: tuple[int, int]
eigen_g.workspace_bytes(1000, dtype="int8")  # error: arg-type
reveal_type(eigen_g.gpu_count())  # type: int
general: eigen_g.GeneralisedVerification
kept: eigen_g.Tridiagonal[torch.Tensor] = t  # error: assignment
with eigen_g.patched("numpy", "scipy"):
    pass
eigen_g.patched(3)  # error: arg-type
reveal_type(eigen_g.plot.density(w, bins=3))  # type: Axes
reveal_type(eigen_g.sparse.libraries())  # type: dict[str, str]
reveal_type(eigen_g.sparse.count(double, 3.0))  # type: int
eigen_g.sparse.eigsh(double, which="XX")  # error: call-overload
reveal_type(eigen_g.sparse.eigsh(double, return_eigenvectors=False, info=True)[1].proven)  # type: bool
reveal_type(eigen_g.sparse.eigsh(double, info=True)[2])  # type: SparseReport
w, v = eigen_g.sparse.eigsh(double, 3, double, 0.0)
try:
    eigen_g.eigh(double)
except (eigen_g.NonFiniteEntry, eigen_g.InvalidArgument, eigen_g.LinAlgError, eigen_g.OutOfMemory, eigen_g.DeviceError) as error:
    reveal_type(error)  # type: InvalidArgument | LinAlgError | OutOfMemory | DeviceError
