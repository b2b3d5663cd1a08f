"""eigh, eigvalsh and workspace_bytes: SciPy's arguments, arrays of all frameworks."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, overload

import numpy as np
from numpy.linalg import LinAlgError as LinAlgError
from numpy.typing import NDArray

from . import _core, _frameworks, _show, _solve
from ._frameworks import Array, Framework, View
from ._solve import CholeskyFactor, Progress, SolveOptions, DeviceOptions, real_types
from ._types import Device, Double, Dtype, EighOptions, Engine, Errors, HostMatrix, NumericArray, Other, Path, Precision, RealArray
from ._types import Single, Triangle, V, ValuesOptions, W

if TYPE_CHECKING:
    from ._types import Unpack

    class _Pairs(NamedTuple, Generic[W, V]):
        eigenvalues: W
        eigenvectors: V

else:  # before Python 3.11 a NamedTuple cannot be generic
    _Pairs = namedtuple("_Pairs", ["eigenvalues", "eigenvectors"])

AnyReport = _core.Report | _core.BatchReport | tuple[_core.Report | None, ...] | None


class Refused(NamedTuple):
    """Failures of a matrix that raise an exception. After any other failure the matrix's results are NaN."""

    not_finite: bool
    not_solved: bool


class EighResult(_Pairs[W, V]):
    """(eigenvalues, eigenvectors) with three attributes, which _replace() drops.

    report  the Report of the call. For a stack that is solved in one call its BatchReport; for other stacks a tuple of Reports. None
            for a matrix with a NaN or an infinity
    status  with errors="status" what became of the matrix: 0: solved. -1: its triangle, or b's, has a NaN or an infinity; for a stack
            with b also if eigenvalues overflow. Otherwise positive: no convergence, or n + k if b's leading minor of order k is not
            positive definite. For a stack a NumPy array of int32
    factor  with return_factor=True the CholeskyFactor of b

    >>> w, v = result = eigen_g.eigh([[2, 1], [1, 2]])
    >>> result.eigenvalues.round(12), result.report.converged
    (array([1., 3.]), True)
    """

    report: AnyReport = None
    status: int | NDArray[np.int32] | None = None
    factor: CholeskyFactor[V] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return EighResult, tuple(self), self.__dict__

    def __repr__(self) -> str:
        return _show.result_text(self)

    def _repr_html_(self) -> str:
        return _show.result_html(self)


def _two(name: str, given: Any, kind: Callable[[Any], Any]) -> list[Any]:
    try:
        values = [kind(x) for x in given]
    except (TypeError, ValueError, OverflowError) as error:
        raise type(error)(f"{name} is {given!r}, must be two values") from None
    if len(values) != 2:
        raise ValueError(f"{name} is {values}, must be two values")
    return values


def subset_of(
    n: int, by_index: Iterable[int] | None, by_value: Iterable[float] | None
) -> tuple[tuple[int, int] | None, tuple[float, float] | None]:
    if by_index is not None and by_value is not None:
        raise ValueError("subset_by_index and subset_by_value are both given")
    if by_index is not None:
        first, last = _two("subset_by_index", by_index, int)
        if n == 0:  # an empty matrix has no pairs for any subset, as in SciPy
            return None, None
        if not 0 <= first <= last < n:
            raise ValueError(f"subset_by_index is [{first}, {last}], must be 0 <= first <= last < n = {n}")
        return (first + 1, last + 1), None
    if by_value is not None:
        above, upto = _two("subset_by_value", by_value, float)
        if not above < upto:
            raise ValueError(f"subset_by_value is [{above}, {upto}], must be two ascending values")
        return None, (above, upto)
    return None, None


def triangle_of(lower: Any, uplo: Any) -> bool:
    """Returns True for the lower triangle. uplo: NumPy's name of the triangle, which is used instead of lower unless it is None."""
    if uplo not in (None, "L", "U", "l", "u"):
        raise ValueError(f"UPLO is {uplo!r}, must be 'L' or 'U'")
    return bool(lower) if uplo is None else uplo in ("L", "l")


def _check_driver(driver: Any, generalised: bool, subset: bool) -> None:
    """Refuses the drivers that SciPy refuses."""
    known = ("gv", "gvd", "gvx") if generalised else ("ev", "evd", "evr", "evx")
    if driver not in known:
        raise ValueError(f"driver is {driver!r}, must be one of {known} {'with' if generalised else 'without'} b")
    if subset and driver not in ("evr", "evx", "gvx"):
        raise ValueError(f"driver is {driver!r}, which finds no subsets")


Matrices = tuple[Framework, Array, View, Array | None, View | None, bool, bool]


def matrices_of(
    a: Array, b: Array | None, overwrite_a: bool = False, overwrite_b: bool = False, *, stacks: bool = False
) -> Matrices:
    """Returns the framework, a, its view, b, its view, and True for a and for b if they may be overwritten.

    Both arrays are in the type in which they are solved. A converted array is a copy, so it may be overwritten. If a and b share
    memory, neither may be. b must be of a's framework, device and shape; if stacks, the shapes of the stacks may differ.
    """
    framework, a = _frameworks.of(a)
    view = framework.view(a)
    if b is None:
        if view.dtype not in real_types:
            (a,), overwrite_a = framework.converted(a), True
            view = framework.view(a)
            _solve.check_type(view.dtype)
        return framework, a, view, None, None, overwrite_a, False
    theirs, b = _frameworks.of(b)
    b_view = theirs.view(b)
    if theirs is framework and (view.dtype != b_view.dtype or view.dtype not in real_types):
        given = a, b
        a, b = framework.converted(*given)
        overwrite_a, overwrite_b = overwrite_a or a is not given[0], overwrite_b or b is not given[1]
        view, b_view = framework.view(a), framework.view(b)
    _solve.check_type(view.dtype, of="generalised problems")
    same = b_view.shape == view.shape or (stacks and b_view.shape[-2:] == view.shape[-2:])
    if not same or (theirs, b_view.gpu, b_view.dtype) != (framework, view.gpu, view.dtype):
        raise ValueError(
            f"a and b must be alike: a is {view.dtype} {view.shape} of {framework.name} on {_frameworks.place(view.gpu)}, "
            f"b is {b_view.dtype} {b_view.shape} of {theirs.name} on {_frameworks.place(b_view.gpu)}"
        )
    apart = not _solve.overlapping(view, b_view)
    return framework, a, view, b, b_view, overwrite_a and apart, overwrite_b and apart


@overload
def eigh(  # type: ignore[overload-overlap]  # mypy takes an ndarray of no type for one of both
    a: NDArray[Double], b: NDArray[Double] | CholeskyFactor[NDArray[Double]] | Triangle | None = ..., lower: bool = ..., *, eigvals_only: Literal[False] = ..., **options: Unpack[EighOptions]
) -> EighResult[NDArray[np.float64], NDArray[Double]]: ...
@overload
def eigh(  # type: ignore[overload-overlap]  # mypy takes an ndarray of no type for one of both
    a: NDArray[Double], b: NDArray[Double] | CholeskyFactor[NDArray[Double]] | Triangle | None = ..., lower: bool = ..., *, eigvals_only: Literal[True], **options: Unpack[EighOptions]
) -> NDArray[np.float64]: ...
@overload
def eigh(
    a: NDArray[Single], b: NDArray[Single] | CholeskyFactor[NDArray[Single]] | Triangle | None = ..., lower: bool = ..., *, eigvals_only: Literal[False] = ..., **options: Unpack[EighOptions]
) -> EighResult[NDArray[np.float32], NDArray[Single]]: ...
@overload
def eigh(
    a: NDArray[Single], b: NDArray[Single] | CholeskyFactor[NDArray[Single]] | Triangle | None = ..., lower: bool = ..., *, eigvals_only: Literal[True], **options: Unpack[EighOptions]
) -> NDArray[np.float32]: ...
@overload
def eigh(
    a: Other, b: Other | CholeskyFactor[Other] | Triangle | None = ..., lower: bool = ..., *, eigvals_only: Literal[False] = ..., **options: Unpack[EighOptions]
) -> EighResult[Other, Other]: ...
@overload
def eigh(
    a: Other, b: Other | CholeskyFactor[Other] | Triangle | None = ..., lower: bool = ..., *, eigvals_only: Literal[True], **options: Unpack[EighOptions]
) -> Other: ...
@overload
def eigh(
    a: HostMatrix, b: HostMatrix | CholeskyFactor[NumericArray] | Triangle | None = ..., lower: bool = ..., *, eigvals_only: Literal[False] = ..., **options: Unpack[EighOptions]
) -> EighResult[RealArray, NumericArray]: ...
@overload
def eigh(
    a: HostMatrix, b: HostMatrix | CholeskyFactor[NumericArray] | Triangle | None = ..., lower: bool = ..., *, eigvals_only: Literal[True], **options: Unpack[EighOptions]
) -> RealArray: ...
def eigh(
    a: Array,
    b: Array | None = None,
    lower: bool = True,
    *,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    errors: Errors = "raise",
    subset_by_index: Iterable[int] | None = None,
    subset_by_value: Iterable[float] | None = None,
    driver: str | None = None,
    UPLO: str | None = None,
    path: str = "auto",
    engine: str = "native",
    device: Device = "auto",
    gpus: int = 1,
    ratio: str | None = None,
    precision: str = "native",
    threads: int = 0,
    multiprocessors: int = 0,
    progress: Progress | None = None,
    return_factor: bool = False,
    memory_limit: int = 0,
) -> Any:
    """Eigenvalues and eigenvectors of a symmetric or Hermitian matrix, w ascending:

        a @ v = v * w                                          v.conj().T @ v = 1
        type 1: a @ v = b @ v * w       2: a @ b @ v = v * w   v.conj().T @ b @ v = 1
        type 3: b @ a @ v = v * w                              v.conj().T @ inv(b) @ v = 1

    a                n x n, float64, float32, complex128 or complex64; one triangle is read. NumPy, CuPy, PyTorch, JAX, or any array
                     with DLPack or __cuda_array_interface__, or nested sequences. C and Fortran order are read in place, other
                     strides are copied first. A stack (..., n, n) is solved in one call if n < 2000 and the options below allow it
    b                positive definite; same n, framework and device as a; the same triangle is read. Stacks of a and b broadcast. Or
                     b's CholeskyFactor, or the pair (c, lower) of scipy.linalg.cho_factor: b is then not factored again
    lower            True: the lower triangle is read; False: the upper one
    eigvals_only     True: returns w alone
    overwrite_a, _b  True: the memory of a or b may be destroyed to save a copy, and v may be stored in a. If a and b share
                     memory, neither is overwritten
    type             1, 2 or 3; without b it has no effect
    check_finite     True: a NaN or an infinity in the triangle is an error. False: w and v become NaN, without a report
    errors           "raise": the first failure of a matrix is an exception. "status": no failure of a matrix is. Its w and v become NaN,
                     and .status has the reason. All other matrices of a stack are solved
    subset_by_index  [first, last]: the pairs with these indices and all between, from 0
    subset_by_value  [above, upto]: the pairs with above < w <= upto. All matrices of a stack must have the same number of them
    driver           SciPy's choice of a LAPACK routine: it is checked as in SciPy and has no effect
    UPLO             NumPy's name of the triangle, "L" or "U", used instead of lower; NumPy's eigh(a, "U") is eigh(a, UPLO="U")
    path             "auto", "one_stage" or "two_stage"
    engine           of the large products: "native", "df", "emulated", "ozaki", "ozaki-fast", "ozaki-fp8" or
                     "auto"
    device           for arrays in host memory: "auto" (a GPU if there is one and n is large enough), "cpu" or "gpu"
    gpus             number of GPUs of one model that divide all stages of a large standard problem, from about n = 5000 on or
                     with path="two_stage". For other real matrices they share the large products. Arrays are in host memory or on
                     the current GPU (eigh_shards: on several). 0: the number that pays, at most all GPUs
    ratio            real matrices: the ratio of the shares of the large products, such as "27:14"
    precision        "native", or "mixed": solves in float32 and refines to float64. For all pairs of one real float64 matrix on
                     one GPU that is slow in double. If it does not apply or does not succeed, the solve is in native
                     precision; .report.refinement says why
    threads          number of CPU threads; 0: OMP_NUM_THREADS, otherwise the physical cores within the CPU quota. A solve takes
                     at most 1 below n = 150, 4 below 300, 16 below 1500 and 64 from there on
    multiprocessors  for experiments: number of multiprocessors of the GPU that are used; 0: all
    memory_limit     largest number of bytes of GPU memory that a single dense solve takes; 0: what is free. A solve that needs more keeps
                     data in host memory if it can (.report.mode), and otherwise takes another of the fallbacks (.report.fallbacks)
    progress         called with (stage, fraction); an exception from it ends the solve. On the CPU the reduction, the
                     divide and conquer and the back-transformation report fractions between 0 and 1
    return_factor    True: `.factor` of the result is the Cholesky factor of b, for later calls with other matrices a. For a single
                     matrix b. The factor keeps the order of b's rows, so small eigenvalues of an ill-conditioned b are less accurate

    Returns EighResult(eigenvalues, eigenvectors) with `.report`, `.status` and `.factor`, or w alone. The arrays have a's framework and device; w
    is real, v is in Fortran order. On a GPU the work runs on the framework's current stream, is complete on return, and uses memory
    of the framework's pool. A thread keeps the workspace of its last solve, if n <= 512 and the workspace is at most 8 MiB. Without
    overwrite_a the solve works on a copy of a.

    Stacks: w is (..., n) and v is (..., n, n), each of its matrices in Fortran order. One call solves the whole stack. On the CPU each thread
    solves matrices of its own. On a GPU kernels for batches solve matrices of order n <= 512. With b, or before compute
    capability 9.0, n <= 128 is their limit. Larger matrices are solved four or two at the same time.
    The call reads the stack in place if its matrices are in C or Fortran order at equal
    distances, and copies it first otherwise. The matrices are solved one after the other with b and type 2 or 3, progress,
    subset_by_value, path="two_stage", or other values than the defaults of engine, gpus, ratio, precision and multiprocessors.

    The bits of a matrix's results do not depend on the stack around it. On the CPU eigh(matrix) with the same options has the
    same bits. On a GPU a single matrix is solved in another way: eigh(stack[k]) has other rounding errors than eigh(stack)[k] for
    n < 2000. eigh(stack[k : k + 1]) has the same bits. With device="auto" the size of the stack decides between CPU and GPU.

    The GIL is released. From n = 2000 on Ctrl-C ends a solve: on a GPU within a part of a stage, on the CPU at a stage's end.

    NumPy and CuPy arrays of other types are converted as in SciPy: bool, float16 and integers of 8 and 16 bits to float32; other
    integers and long double to float64; complex long double to complex128; other byte orders to the machine's. If a and b have
    different types, both are converted to the common type.

    Raises ValueError (NonFiniteEntry, InvalidArgument), TypeError (other types), LinAlgError (no convergence, or b is not positive
    definite), OutOfMemory, DeviceError. For a stack the messages have the index of the matrix.

    Method: Householder reduction directly or through a band, divide and conquer, back-transformation (LAPACK: dsyevd, dsygvd,
    zheevd).

    >>> a = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])
    >>> w, v = eigen_g.eigh(a)
    >>> w.round(6), np.allclose(a @ v, v * w)
    (array([0.585786, 2.      , 3.414214]), True)
    >>> eigen_g.eigh(a, subset_by_index=[0, 0], eigvals_only=True).round(6)
    array([0.585786])
    >>> w, v = eigen_g.eigh(a, np.diag([1.0, 2.0, 4.0]))    # a @ v = b @ v * w
    >>> eigen_g.verify(a, w, v, b=np.diag([1.0, 2.0, 4.0])).passed
    True
    """
    if isinstance(b, str):
        b, UPLO = None, b
    lower = bool(lower) if UPLO is None else triangle_of(lower, UPLO)
    if driver is not None:
        _check_driver(driver, b is not None, subset_by_index is not None or subset_by_value is not None)
    factor = "compute_and_return" if return_factor else "compute"
    if b is not None and is_factor(b):
        b, factor = factor_in(b, lower), "reuse"
    framework, a, view, b, b_view, over_a, over_b = matrices_of(a, b, overwrite_a, overwrite_b, stacks=True)
    if return_factor and (factor == "reuse" or eigvals_only or b_view is None or len(view.shape) + len(b_view.shape) != 4):
        raise ValueError("return_factor requires a result with vectors, a single matrix a and a single matrix b, which is no factor")
    index_range, values = subset_of(_solve.square(view, stacks=True), subset_by_index, subset_by_value)
    where = DeviceOptions(path, engine, device, gpus, threads, ratio, precision, multiprocessors, memory_limit)
    itype = 0 if b is None else _solve.itype_of(type)
    wanted = SolveOptions(lower, not eigvals_only, index_range, values, itype, factor, over_a, over_b, where, progress)
    refused = refused_of(errors, check_finite)
    return solved(framework, a, view, b, b_view, wanted, refused, _solve.on_device)


def is_factor(b: Any) -> bool:
    """True for a CholeskyFactor, or for another pair (c, lower)."""
    return isinstance(b, tuple) and len(b) == 2 and isinstance(b[1], (bool, np.bool_))


def factor_in(b: Any, lower: bool) -> Array:
    """Returns the array with the Cholesky factor in that triangle."""
    framework, c = _frameworks.of(b[0])
    if bool(b[1]) == lower:
        return c
    return framework.copied(framework.transposed(c), None, framework.view(c).dtype.startswith("complex"))


def refused_of(errors: str, check_finite: bool) -> Refused:
    if errors not in ("raise", "status"):
        raise ValueError(f"errors is {errors!r}, must be 'raise' or 'status'")
    return Refused(errors == "raise" and check_finite, errors == "raise")


SolveOne = Callable[[Framework, Array, View, Array, "View | None", SolveOptions], _solve.Solved]


def solved(
    framework: Framework, a: Array, view: View, b: Array, b_view: View | None, wanted: SolveOptions, refused: Refused, solve: SolveOne
) -> Any:
    """Returns the result for a matrix or a stack. solve: solves for one matrix."""
    if len(view.shape) == 2 and (b_view is None or len(b_view.shape) == 2):
        return _solved(framework, a, view, b, b_view, wanted, refused, solve)
    if _solve.solved_at_once(wanted, view.shape[-1]):
        return _solved_at_once(framework, a, view, b, b_view, wanted, refused)
    return _stacked(framework, a, view, b, b_view, wanted, refused, solve)


def _solved(
    framework: Framework, a: Array, view: View, b: Array, b_view: View | None, wanted: SolveOptions, refused: Refused, solve: SolveOne
) -> Any:
    status, report = 0, None
    try:
        found = solve(framework, a, view, b, b_view, wanted)
        report = found[2]
    except _core.NonFiniteEntry:
        if refused.not_finite:
            raise
        status = -1
    else:
        if refused.not_solved or report.converged:
            result = as_result(found)
        else:
            status = report.info
    if status != 0:
        with framework.on(view.gpu):
            result = _nans(framework, a, wanted, view.dtype, view.shape[0])
    if wanted.vectors:
        result.report, result.status = report, None if refused.not_solved else status
    return result


def _solved_at_once(
    framework: Framework, a: Array, view: View, b: Array | None, b_view: View | None, wanted: SolveOptions, refused: Refused
) -> Any:
    outer = _outer_shape(view, b_view)
    at = partial(_own_index, view.shape[:-2]), partial(_own_index, () if b_view is None else b_view.shape[:-2])
    with framework.on(view.gpu):
        a, view = _broadcast(framework, a, view, outer)
        if b_view is not None:
            b, b_view = _broadcast(framework, b, b_view, outer)
        solved = _solve.solve_stack(framework, a, view, b, b_view, wanted)
        results = [solved.w] if solved.v is None else [solved.w, solved.v]
        status = np.zeros(outer, np.int32)
        if solved.report.failed:
            status = framework.to_host(solved.status)
            for index in map(tuple, np.argwhere(status).tolist()):
                matrix = None if solved.overwritten else a[index]
                of_b = None if b is None else b[index]
                check_status(framework, int(status[index]), at[0](index), matrix, wanted, refused, of_b, at[1](index))
                if status[index] > 0:
                    results = [framework.filled(x, nan_of(framework.view(x).dtype), index) for x in results]
    if solved.v is None:
        return results[0]
    result = EighResult(*results)
    result.report, result.status = solved.report, None if refused.not_solved else status
    return result


def _broadcast(framework: Framework, a: Array, view: View, outer: tuple[int, ...]) -> tuple[Array, View]:
    if view.shape[:-2] == outer:
        return a, view
    a = framework.broadcast(a, (*outer, *view.shape[-2:]))
    return a, framework.view(a)


def check_status(
    framework: Framework,
    status: int,
    index: Sequence[int],
    a: Array | None,
    wanted: SolveOptions,
    refused: Refused,
    b: Array | None = None,
    index_of_b: Sequence[int] = (),
) -> None:
    """Raises the exception for a matrix of a stack that failed. a: the matrix; None: it was overwritten."""
    if status < 0 and refused.not_finite:
        if a is not None:  # a solve of this matrix alone finds the entry
            kept = wanted._replace(overwrite_a=False, overwrite_b=False)
            try:
                _solve.on_device(framework, a, framework.view(a), b, None if b is None else framework.view(b), kept)
            except _core.NonFiniteEntry as error:
                raise _in_stack(error, index_of_b if str(error).startswith("b") else index) from None
        names = f"a{list(index)}" if b is None else f"a{list(index)} or b{list(index_of_b)}"
        raise _core.NonFiniteEntry(f"{names} has a NaN or an infinity")
    if status > 0 and refused.not_solved:
        n = 0 if b is None else framework.view(b).shape[-1]
        if b is not None and status > n:
            raise LinAlgError(f"the leading minor of order {status - n} of b{list(index_of_b)} is not positive definite")
        raise LinAlgError(f"a{list(index)}: no convergence (info {status})")


def nan_of(dtype: str) -> complex:
    return complex(np.nan, np.nan) if dtype.startswith("complex") else np.nan


def _stacked(
    framework: Framework, a: Array, view: View, b: Array, b_view: View | None, wanted: SolveOptions, refused: Refused, solve: SolveOne
) -> Any:
    shapes = [x.shape[:-2] for x in (view, b_view) if x is not None]
    outer = _outer_shape(view, b_view)
    if _repeats(view, outer) or (b_view is not None and _repeats(b_view, outer)):
        wanted = wanted._replace(overwrite_a=False, overwrite_b=False)
    parts = []
    for index in np.ndindex(*outer):
        at = [_own_index(shape, index) for shape in shapes]
        x, y = a[at[0]], None if b is None else b[at[1]]
        views = framework.view(x), None if b is None else framework.view(y)
        try:
            parts.append(_solved(framework, x, views[0], y, views[1], wanted, refused, solve))
        except _core.NonFiniteEntry as error:
            raise _in_stack(error, at[str(error).startswith("b")]) from None
    n = view.shape[-1]
    m = wanted.plan(view.dtype).max_count(n)
    if wanted.values is not None:
        counts = {(x.eigenvalues if wanted.vectors else x).shape[0] for x in parts}
        if len(counts) != 1:
            raise ValueError(f"subset_by_value of a stack: its matrices have {sorted(counts)} values, must have one number of them")
        (m,) = counts

    def together(arrays: list[Array], shape: tuple[int, ...], dtype: str) -> Array:
        shape = (*outer, *shape)
        return framework.stack(arrays).reshape(shape) if arrays else framework.empty(shape, dtype, a)

    if not wanted.vectors:
        return together(parts, (m,), real_types[view.dtype])
    w = together([x.eigenvalues for x in parts], (m,), real_types[view.dtype])
    rows = together([framework.transposed(x.eigenvectors) for x in parts], (m, n), view.dtype)
    result = EighResult(w, framework.transposed(rows))
    result.report = tuple(x.report for x in parts)
    if not refused.not_solved:
        result.status = np.array([x.status for x in parts], np.int32).reshape(outer)
    return result


def _outer_shape(view: View, b_view: View | None) -> tuple[int, ...]:
    """The common shape of the stacks of a and b."""
    if b_view is None:
        return view.shape[:-2]
    try:
        return np.broadcast_shapes(view.shape[:-2], b_view.shape[:-2])
    except ValueError:
        raise ValueError(f"stacks of the shapes {view.shape} and {b_view.shape} do not broadcast") from None


def _own_index(shape: tuple[int, ...], index: Sequence[int]) -> tuple[int, ...]:
    """The index in a stack of that shape of a matrix with an index in the common shape. In a dimension of extent 1, or without that
    dimension, a stack has one matrix for all indices."""
    return tuple(i % extent for i, extent in zip(index[len(index) - len(shape) :], shape))


def _in_stack(error: _core.NonFiniteEntry, index: Iterable[Any]) -> _core.NonFiniteEntry:
    """The error of the stack's matrix at that index, with the index of the entry in the stack."""
    return _core.NonFiniteEntry(str(error).replace("[", "[" + "".join(f"{i}, " for i in index), 1))


def _repeats(view: View, outer: tuple[int, ...]) -> bool:
    """True if several matrices of a stack of that shape may be in the same memory."""
    return view.shape[:-2] != outer or (view.strides is not None and 0 in view.strides)


def as_result(found: _solve.Solved) -> Any:
    w, v, report, factor = found
    m = _solve.finished(report).m
    if m < len(w):
        w, v = w[:m], v if v is None else v[:, :m]
    if v is None:
        return w
    result = EighResult(w, v)
    result.report = report
    if factor is not None:
        result.factor = factor
    return result


def _nans(framework: Framework, a: Array, wanted: SolveOptions, dtype: str, n: int) -> Any:
    by_value = (1, 0) if wanted.values else wanted.index_range
    plan = wanted._replace(values=None, index_range=by_value).plan(dtype)
    w, rows = _solve.new_results(framework, a, plan, n, wanted.vectors)
    w = framework.filled(w, np.nan)
    if rows is None:
        return w
    return EighResult(w, framework.transposed(framework.filled(rows, nan_of(dtype))))


@overload
def eigvalsh(  # type: ignore[overload-overlap]  # mypy takes an ndarray of no type for one of both
    a: NDArray[Double], b: NDArray[Double] | CholeskyFactor[NDArray[Double]] | Triangle | None = ..., lower: bool = ..., **options: Unpack[ValuesOptions]
) -> NDArray[np.float64]: ...
@overload
def eigvalsh(
    a: NDArray[Single], b: NDArray[Single] | CholeskyFactor[NDArray[Single]] | Triangle | None = ..., lower: bool = ..., **options: Unpack[ValuesOptions]
) -> NDArray[np.float32]: ...
@overload
def eigvalsh(
    a: Other, b: Other | CholeskyFactor[Other] | Triangle | None = ..., lower: bool = ..., **options: Unpack[ValuesOptions]
) -> Other: ...
@overload
def eigvalsh(
    a: HostMatrix, b: HostMatrix | CholeskyFactor[NumericArray] | Triangle | None = ..., lower: bool = ..., **options: Unpack[ValuesOptions]
) -> RealArray: ...
def eigvalsh(a: Array, b: Array | None = None, lower: bool = True, **options: Any) -> Array:
    """Returns the eigenvalues of a symmetric or Hermitian matrix or of a stack of them: eigh(a, b, lower, eigvals_only=True, ...).

    options  the options of eigh, except for eigvals_only and return_factor

    >>> eigen_g.eigvalsh([[2, 1], [1, 2]]).round(12)
    array([1., 3.])
    """
    return eigh(a, b, lower, eigvals_only=True, **options)


def workspace_bytes(
    n: int,
    *,
    dtype: Dtype = "float64",
    eigvals_only: bool = False,
    type: int | None = None,
    path: Path = "auto",
    engine: Engine = "native",
    precision: Precision = "native",
    on_gpu: bool | None = None,
    array_on_gpu: bool | None = None,
) -> tuple[int, int]:
    """Returns the (host, device) bytes that eigh uses in addition to a, b, w and v. On a GPU the arrays are contiguous.

    type          1, 2 or 3: a generalised problem; None: a standard one
    path, engine, precision   as in eigh
    on_gpu        True: the solve runs on a GPU; False: on the CPU; None: on a GPU if there is one
    array_on_gpu  True: a, w and v are in GPU memory; the bytes then include copies of a and b, which are not overwritten. False:
                  in host memory. None: where the solve runs

    Raises DeviceError with on_gpu=True if there is no GPU.

    >>> host, device = eigen_g.workspace_bytes(1000, on_gpu=False)
    >>> host > 8 * 1000**2, device
    (True, 0)
    """
    _solve.check_type(dtype, "dtype", of="" if type is None else "generalised problems")
    where = DeviceOptions(path=path, engine=engine, precision=precision)
    itype = 0 if type is None else _solve.itype_of(type)
    plan = SolveOptions(vectors=not eigvals_only, itype=itype, where=where).plan(dtype)
    on_gpu = _core.gpu_count() > 0 if on_gpu is None else on_gpu
    return _core.workspace_bytes(plan, _solve.integer(n, "n"), on_gpu, on_gpu if array_on_gpu is None else array_on_gpu, -1)
