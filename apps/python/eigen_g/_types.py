"""Types of the public functions, for type checkers. No framework is imported for them.

    NumPy    numpy.typing.NDArray, or what numpy.asarray takes (HostMatrix)
    others   CuPyArray, TorchTensor and JaxArray describe the arrays of CuPy, PyTorch and JAX
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypedDict, TypeVar, Union

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack

Device = Literal["auto", "cpu", "gpu"]
Path = Literal["auto", "one_stage", "two_stage"]
Engine = Literal["native", "df", "emulated", "ozaki", "ozaki-fast", "ozaki-fp8", "auto"]
Precision = Literal["native", "mixed"]
Errors = Literal["raise", "status"]
Triangle = Literal["L", "U", "l", "u"]
Dtype = Literal["float64", "float32", "complex128", "complex64"]
Progress = Callable[[str, float], object]


class SupportsArray(Protocol):
    """An object that numpy.asarray takes."""

    def __array__(self) -> NDArray[Any]: ...


class CuPyArray(Protocol):
    """An array of CuPy."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def get(self) -> Any: ...


class TorchTensor(Protocol):
    """A tensor of PyTorch."""

    @property
    def is_cuda(self) -> bool: ...
    @property
    def requires_grad(self) -> bool: ...
    def data_ptr(self) -> int: ...


class JaxArray(Protocol):
    """An array of JAX."""

    def block_until_ready(self) -> Any: ...
    def unsafe_buffer_pointer(self) -> int: ...


HostMatrix = Union[SupportsArray, Sequence[SupportsArray], Sequence[Sequence[complex]], Sequence[Sequence[Sequence[complex]]]]
HostVector = Union[SupportsArray, Sequence[complex]]
RealArray = NDArray[np.floating[Any]]
NumericArray = NDArray[np.inexact[Any]]

Double = TypeVar("Double", np.float64, np.complex128)
Single = TypeVar("Single", np.float32, np.complex64)
Scalar = TypeVar("Scalar", np.float64, np.float32, np.complex128, np.complex64)
Other = TypeVar("Other", bound=Union[CuPyArray, TorchTensor, JaxArray])  # an array of another framework than NumPy
AnyArray = TypeVar("AnyArray")
W = TypeVar("W", covariant=True)  # the array of the values
V = TypeVar("V", covariant=True)  # the array of the vectors
M = TypeVar("M", contravariant=True)  # a matrix of a solver
R = TypeVar("R", covariant=True)  # a result of a solver


class DeviceWork(TypedDict):
    """Work of one device in a call."""

    name: str
    gpu: int | None  # None: the CPU
    share: float
    seconds: float
    bytes: int  # the GPU memory; 0: not counted for each device
    flops: float  # its matrix products; 0: not counted for each device
    stages: list[tuple[str, float]]  # its own seconds, if several GPUs divide all stages


class Refinement(TypedDict):
    """Work of mixed precision in a call."""

    result: str
    steps: int
    clusters: int
    largest_cluster: int
    correction: float
    float_seconds: float
    seconds: float


class SolverOptions(TypedDict, total=False):
    """Options of Solver, of eigh and of eigvalsh."""

    subset_by_index: Iterable[int] | None
    subset_by_value: Iterable[float] | None
    path: Path
    engine: Engine
    device: Device
    gpus: int
    ratio: str | None
    precision: Precision
    threads: int
    multiprocessors: int
    memory_limit: int
    progress: Progress | None


class ValuesOptions(SolverOptions, total=False):
    """Options of eigvalsh and of eigh."""

    overwrite_a: bool
    overwrite_b: bool
    type: int
    check_finite: bool
    errors: Errors
    driver: str | None
    UPLO: Triangle | None


class EighOptions(ValuesOptions, total=False):
    """Options of eigh."""

    return_factor: bool


class ManyOptions(TypedDict, total=False):
    """Options of eigh_many."""

    check_finite: bool
    errors: Errors
    subset_by_index: Iterable[int] | None
    device: Device
    threads: int
