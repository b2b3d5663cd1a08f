"""patched(): lets an existing program use eigen_g by replacing the eigh and eigvalsh of other libraries."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import _core, _eigh, _frameworks, sparse

def _solved_here(whose: str, a: Any, b: Any = None) -> bool:
    """True if eigen_g solves these arrays.

    whose: the framework whose arrays the library's function takes. NumPy's subclasses are excluded, because the library returns
    its results as that subclass.
    """
    with contextlib.suppress(Exception):
        for x in (a,) if b is None else (a, b):
            if whose == "numpy" and type(x) not in (np.ndarray, list, tuple):
                return False
            framework, x = _frameworks.of(x)
            if framework.name != whose or len(x.shape) < 2 or x.shape[-1] != x.shape[-2]:
                return False
            if whose == "numpy":
                if x.dtype.kind not in "biufc":
                    return False
            elif str(x.dtype) not in _core.types():
                return False
        return True
    return False


def _numpy(original: Callable[..., Any], name: str) -> Any:
    """NumPy computes in double precision, and returns the results of float32 and complex64 in these types."""
    linalg = importlib.import_module("numpy.linalg")
    internal = getattr(linalg, "_linalg", None) or linalg.linalg  # NumPy 2 or NumPy 1
    pair = getattr(internal, "EighResult", lambda w, v: (w, v))

    @functools.wraps(original)
    def here(a: Any, UPLO: str = "L") -> Any:
        matrix = np.asarray(a) if UPLO.upper() in ("L", "U") and _solved_here("numpy", a) else None
        if matrix is None or matrix.dtype.char in "egG":  # types that NumPy refuses
            return original(a, UPLO=UPLO)
        computed = np.result_type(matrix.dtype, np.float64)
        returned = matrix.dtype.newbyteorder("=") if matrix.dtype.char in "fF" else computed
        try:
            double = matrix.astype(computed, copy=False)
            result = getattr(_eigh, name)(double, UPLO=UPLO, overwrite_a=double is not matrix)
        except _core.NonFiniteEntry as error:
            raise linalg.LinAlgError(str(error)) from None
        with np.errstate(over="ignore"):
            if name == "eigvalsh":
                return result.astype(np.finfo(returned).dtype, copy=False)
            w, v = result
            return pair(w.astype(np.finfo(returned).dtype, copy=False), v.astype(returned, copy=False))

    return here


def _cupy(original: Callable[..., Any], name: str) -> Any:
    linalg_error = np.linalg.LinAlgError

    @functools.wraps(original)
    def here(a: Any, UPLO: str = "L") -> Any:
        if UPLO.upper() not in ("L", "U") or not _solved_here("cupy", a):
            return original(a, UPLO=UPLO)
        try:
            result = getattr(_eigh, name)(a, UPLO=UPLO)
        except _core.NonFiniteEntry as error:
            raise linalg_error(str(error)) from None
        return tuple(result) if name == "eigh" else result

    return here


def _scipy(original: Callable[..., Any], name: str) -> Any:
    ours = {"lower", "eigvals_only", "overwrite_a", "overwrite_b", "type", "check_finite"}
    ours |= {"subset_by_index", "subset_by_value", "driver"}

    @functools.wraps(original)
    def here(a: Any, b: Any = None, **options: Any) -> Any:
        if not ours.issuperset(options) or not _solved_here("numpy", a, b):
            return original(a, b, **options)
        result = getattr(_eigh, name)(a, b, **options)
        return tuple(result) if isinstance(result, tuple) else result

    return here


def _torch(original: Callable[..., Any], name: str) -> Any:
    torch = importlib.import_module("torch")
    ours = importlib.import_module(".torch", __package__)
    dtypes = [getattr(torch, dtype) for dtype in _core.types()]
    pair = torch.return_types.linalg_eigh

    def solved_here(A: Any) -> bool:
        plain = type(A) in (torch.Tensor, torch.nn.Parameter) and A.layout == torch.strided and A.device.type in ("cpu", "cuda")
        return plain and A.dtype in dtypes and A.ndim > 1 and A.shape[-1] == A.shape[-2]

    @functools.wraps(original)
    def here(A: Any, UPLO: str = "L", *, out: Any = None) -> Any:
        if out is not None or UPLO.upper() not in ("L", "U") or not solved_here(A):
            return original(A, UPLO, out=out) if out is not None else original(A, UPLO)
        try:
            result = getattr(ours, name)(A, lower=UPLO.upper() == "L", degenerate="mask")
        except _core.NonFiniteEntry as error:
            raise torch.linalg.LinAlgError(str(error)) from None
        return pair(result) if name == "eigh" else result

    return here


def _scipy_sparse(original: Callable[..., Any], name: str) -> Any:
    names = ("A", "k", "M", "sigma", "which", "v0", "ncv", "maxiter", "tol", "return_eigenvectors", "Minv", "OPinv", "mode", "rng")

    @functools.wraps(original)
    def here(*arguments: Any, **options: Any) -> Any:
        given = dict(zip(names, arguments), **options)
        if "A" in given and given.get("k", 6) < given["A"].shape[0] and set(names).issuperset(given):
            with contextlib.suppress(_core.InvalidArgument, _core.OutOfMemory, TypeError, ValueError):
                return sparse.eigsh(**given)
        return original(*arguments, **options)

    return here


_both = ("eigh", "eigvalsh")
_replacements = {
    "numpy": ("numpy.linalg", _numpy, _both),
    "scipy": ("scipy.linalg", _scipy, _both),
    "scipy.sparse": ("scipy.sparse.linalg", _scipy_sparse, ("eigsh",)),
    "cupy": ("cupy.linalg", _cupy, _both),
    "torch": ("torch.linalg", _torch, _both),
}


_lock = threading.Lock()
os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)
_blocks: dict[tuple[str, str], tuple[Any, int]] = {}  # (module, function): the original function, and the number of open blocks


@functools.cache
def _replacement(replace: Callable[..., Any], original: Callable[..., Any], name: str) -> Any:
    """The same function in every block, and never freed: torch.compile remembers functions by their addresses."""
    return replace(original, name)


def _begin(module: Any, name: str, replace: Callable[..., Any]) -> None:
    with _lock:
        original, blocks = _blocks.get((module.__name__, name), (getattr(module, name), 0))
        if blocks == 0:
            setattr(module, name, _replacement(replace, original, name))
        _blocks[module.__name__, name] = original, blocks + 1


def _end(module: Any, name: str) -> None:
    with _lock:
        original, blocks = _blocks.pop((module.__name__, name))
        if blocks > 1:
            _blocks[module.__name__, name] = original, blocks - 1
        else:
            setattr(module, name, original)


@contextlib.contextmanager
def patched(*libraries: str) -> Iterator[None]:
    """with eigen_g.patched("torch", "cupy"): their linalg.eigh and eigvalsh call eigen_g, in the whole process.

    libraries: "numpy", "scipy", "scipy.sparse" (its linalg.eigsh), "cupy", "torch"; none given: all of these that can be imported.

    The results have the types that the library gives them, and its accuracy: NumPy computes float32 and complex64 in double
    precision, the other libraries in single precision.

    The library's own function still solves what eigen_g does not: other types, arrays of other libraries, and subclasses of NumPy's
    arrays and of PyTorch's tensors.
    It is restored at the end of the block; if several blocks are open at once, at the end of the last one. A function that a
    program has imported by name before the block (from scipy.linalg import eigh) is not replaced. In PyTorch, derivatives at
    equal eigenvalues are as in eigen_g.torch.eigh with degenerate="mask".

    >>> with eigen_g.patched("numpy"):
    ...     w, v = np.linalg.eigh([[2.0, 1.0], [1.0, 2.0]])     # solved by eigen_g
    >>> w.round(12)
    array([1., 3.])
    """
    unknown = set(libraries) - set(_replacements)
    if unknown:
        raise ValueError(f"{sorted(unknown)}: must be of {sorted(_replacements)}")
    begun: list[tuple[Any, str]] = []
    try:
        for library in libraries or _replacements:
            where, replace, functions = _replacements[library]
            try:
                module: Any = importlib.import_module(where)
            except ImportError:
                if libraries:
                    raise
                continue
            for name in functions:
                _begin(module, name, replace)
                begun.append((module, name))
        yield
    finally:
        for module, name in begun:
            _end(module, name)
