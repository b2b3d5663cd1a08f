"""The matrices of a sparse problem as the caller gives them, and in the forms that the library takes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._frameworks import of as framework_of

Host = npt.NDArray[Any]


class Matrix(NamedTuple):
    given: Any  # the caller's object
    kind: str  # "sparse", "dense", "diagonal" (of M: its n values) or "operator"
    n: int
    dtype: np.dtype[Any]  # one of the four types, as results have it
    on_gpu: bool


def looked_at(a: Any, what: str, keep_on_gpu: bool = False) -> Matrix:
    on_gpu = type(a).__module__.partition(".")[0] in ("cupy", "cupyx")
    if on_gpu and hasattr(a, "tocsr") and not keep_on_gpu:
        a = a.get()
    if hasattr(a, "tocsr"):
        kind = "sparse"
    elif (hasattr(a, "matvec") or hasattr(a, "matmat")) and hasattr(a, "shape"):
        kind = "operator"
    else:
        framework, a = framework_of(a)
        if framework.name not in ("numpy", "cupy"):
            raise TypeError(f"{what} is an array of {framework.name}: eigen_g.eigh(subset_by_index=...) solves it")
        a = framework.to_host(a)
        kind = "diagonal" if a.ndim == 1 and what == "M" else "dense"
    shape = tuple(a.shape)
    if kind != "diagonal" and (len(shape) != 2 or shape[0] != shape[1]):
        raise ValueError(f"expected square matrix (shape={shape})")
    dtype = np.dtype(np.float64 if getattr(a, "dtype", None) is None else a.dtype)
    if dtype.kind not in "biufc":
        raise TypeError(f"{what} is {dtype}, must be a numeric matrix")
    if dtype.char not in "fdFD":
        dtype = np.dtype(np.complex128 if dtype.kind == "c" else np.float32 if dtype.char == "e" else np.float64)
    return Matrix(a, kind, shape[0], dtype, on_gpu)


def multiplied(a: Matrix, x: Host) -> Host:
    """A @ x for n x m vectors x."""
    if a.kind == "diagonal":
        return np.asarray(a.given)[:, None] * x
    if a.kind == "operator":
        y = a.given.matmat(x) if hasattr(a.given, "matmat") else np.stack([_column(a, c) for c in x.T], axis=1)
    else:
        y = a.given @ x
    y = np.asarray(y)
    if y.shape != x.shape:
        raise ValueError(f"a product with {x.shape} vectors has the shape {y.shape}")
    return y


def _column(a: Matrix, x: Host) -> Host:
    return np.asarray(a.given.matvec(x)).reshape(-1)


def written_out(a: Matrix, dtype: Any) -> Host:
    """A as a dense array."""
    if a.kind == "sparse":
        return np.asarray(a.given.toarray(), dtype)
    if a.kind == "diagonal":
        return np.diag(np.asarray(a.given, dtype))
    if a.kind == "operator":
        return np.asarray(multiplied(a, np.eye(a.n, dtype=dtype)), dtype)
    return np.asarray(a.given, dtype)


class Csr(NamedTuple):
    offsets: Host
    columns: Host
    values: Host

    @property
    def addresses(self) -> tuple[int, int, int]:
        return self.offsets.ctypes.data, self.columns.ctypes.data, self.values.ctypes.data


def csr_of(a: Any, dtype: Any = np.float64) -> Csr:
    """The arrays of a sparse matrix of any format in the types that the library reads. Duplicates are summed; a is not changed."""
    rows = a.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy() if rows is a else rows
        rows.sum_duplicates()
    if rows.shape[0] >= 1 << 31:
        raise ValueError(f"the order is {rows.shape[0]}, must be less than 2^31")
    offsets, columns, values = (framework_of(x)[0].to_host(x) for x in (rows.indptr, rows.indices, rows.data))
    return Csr(
        np.ascontiguousarray(offsets, np.int64), np.ascontiguousarray(columns, np.int32), np.ascontiguousarray(values, dtype)
    )


def real_form(a: Csr) -> Csr:
    """The real symmetric matrix of twice the order: each entry x + iy of a Hermitian matrix becomes the block ((x, -y), (y, x)).

    A complex vector, whose memory has real and imaginary part in turns, is then a real vector of twice the length.
    """
    n, counts = len(a.offsets) - 1, np.diff(a.offsets)
    entry = np.arange(len(a.values), dtype=np.int64)
    upper = 2 * entry + 2 * np.repeat(a.offsets[:-1], counts)  # where the first row of the entry's block has its two values
    lower = 2 * entry + 2 * np.repeat(a.offsets[1:], counts)
    columns, values = np.empty(4 * len(entry), np.int32), np.empty(4 * len(entry))
    for at in (upper, lower):
        columns[at], columns[at + 1] = 2 * a.columns, 2 * a.columns + 1
    values[upper], values[upper + 1] = a.values.real, -a.values.imag
    values[lower], values[lower + 1] = a.values.imag, a.values.real
    offsets = np.empty(2 * n + 1, np.int64)
    offsets[0::2], offsets[1::2] = 4 * a.offsets, 4 * a.offsets[:-1] + 2 * counts
    return Csr(offsets, columns, values)


def csr_of_dense(a: Host) -> Csr:
    stored = a != 0
    offsets = np.concatenate([[0], np.cumsum(stored.sum(axis=1))]).astype(np.int64)
    return Csr(offsets, np.nonzero(stored)[1].astype(np.int32), np.ascontiguousarray(a[stored]))


def diagonal_of(a: Csr) -> Host | None:
    """The diagonal, if there are no other entries."""
    n = len(a.offsets) - 1
    row = np.repeat(np.arange(n), np.diff(a.offsets))
    if not np.array_equal(a.columns, row):
        return None
    diagonal = np.zeros(n)
    diagonal[row] = a.values
    return diagonal


def same_pattern(a: Csr | None, b: Csr | None) -> bool:
    if a is None or b is None:
        return a is b
    return np.array_equal(a.offsets, b.offsets) and np.array_equal(a.columns, b.columns)


def block(address: int, shape: tuple[int, ...]) -> Host:
    """The doubles at an address as an array."""
    return np.ctypeslib.as_array((ctypes.c_double * int(np.prod(shape))).from_address(address)).reshape(shape)


def multiply_of(a: Matrix | None, is_complex: bool) -> Callable[[int, int], None] | None:
    """The function of two addresses that the library calls for Y := A X; X and Y have 4 columns."""
    if a is None:
        return None
    matrix, n = a, a.n

    def multiply(x_address: int, y_address: int) -> None:
        if not is_complex:
            y = multiplied(matrix, block(x_address, (n, 4)))
            if np.iscomplexobj(y):
                raise TypeError("the product of a real operator is complex; its dtype must be complex")
            block(y_address, (n, 4))[...] = y
            return
        x = block(x_address, (n, 2, 4))
        y = multiplied(matrix, x[:, 0] + 1j * x[:, 1])
        into = block(y_address, (n, 2, 4))
        into[:, 0], into[:, 1] = y.real, y.imag

    return multiply
