"""patched(): lets an existing program use eigen_g by replacing the eigh and eigvalsh of other libraries."""

from __future__ import annotations

import contextlib
import functools
import importlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import _core, _eigh, _frameworks

_functions = ("eigh", "eigvalsh")


def _solved_here(whose: str, a: Any, b: Any = None) -> bool:
    """True if eigen_g solves these arrays.

    whose: the framework whose arrays the library's function takes. NumPy's subclasses are excluded, because the library returns
    its results as that subclass.
    """
    with contextlib.suppress(Exception):
        if whose == "numpy" and not {type(a), type(b)} <= {np.ndarray, list, tuple, type(None)}:
            return False
        framework, a = _frameworks.of(a)
        if framework.name != whose:
            return False
        shape, dtype = a.shape, str(a.dtype).removeprefix("torch.")
        here = len(shape) == 2 and shape[0] == shape[1] and dtype in _core.types()
        if b is None:
            return here
        theirs, b = _frameworks.of(b)
        return here and dtype in _core.generalised_types() and (theirs, b.shape, b.dtype) == (framework, a.shape, a.dtype)
    return False


def _numpy_like(
    whose: str, module: Any, name: str, original: Callable[..., Any], pair: Callable[..., Any] | None
) -> Any:
    @functools.wraps(original)
    def here(a: Any, UPLO: str = "L") -> Any:
        if UPLO.upper() not in ("L", "U") or not _solved_here(whose, a):
            return original(a, UPLO=UPLO)
        try:
            result = getattr(_eigh, name)(a, lower=UPLO.upper() == "L")
        except _core.NonFiniteEntry as error:
            raise module.LinAlgError(str(error)) from None
        return pair(*result) if pair and name == "eigh" else result

    return here


def _numpy(original: Callable[..., Any], name: str) -> Any:
    linalg = importlib.import_module("numpy.linalg")
    pair = getattr(importlib.import_module("numpy.linalg._linalg"), "EighResult", None)
    return _numpy_like("numpy", linalg, name, original, pair)


def _cupy(original: Callable[..., Any], name: str) -> Any:
    return _numpy_like("cupy", importlib.import_module("numpy.linalg"), name, original, lambda w, v: (w, v))


def _scipy(original: Callable[..., Any], name: str) -> Any:
    """Calls SciPy's own function if a driver is given, types are mixed, or `type` is given without b (SciPy ignores it)."""
    ours = {"lower", "eigvals_only", "overwrite_a", "overwrite_b", "type", "check_finite", "subset_by_index", "subset_by_value"}

    @functools.wraps(original)
    def here(a: Any, b: Any = None, **options: Any) -> Any:
        if not set(options) <= ours or (b is None and "type" in options) or not _solved_here("numpy", a, b):
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


_replacements = {
    "numpy": ("numpy.linalg", _numpy),
    "scipy": ("scipy.linalg", _scipy),
    "cupy": ("cupy.linalg", _cupy),
    "torch": ("torch.linalg", _torch),
}


_lock = threading.Lock()
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

    libraries: "numpy", "scipy", "cupy", "torch"; none given: all of these that can be imported.

    The library's own function still solves other types, stacks of matrices, arrays of other libraries, and NumPy's subclasses.
    It is restored at the end of the block; if several blocks are open at once, at the end of the last one. A function that a
    program has imported by name before the block (from scipy.linalg import eigh) is not replaced. In PyTorch the gradient at
    equal eigenvalues is that of eigen_g.torch.eigh with degenerate="mask".
    """
    unknown = set(libraries) - set(_replacements)
    if unknown:
        raise ValueError(f"{sorted(unknown)}: must be of {sorted(_replacements)}")
    begun: list[tuple[Any, str]] = []
    try:
        for library in libraries or _replacements:
            where, replace = _replacements[library]
            try:
                module: Any = importlib.import_module(where)
            except ImportError:
                if libraries:
                    raise
                continue
            for name in _functions:
                _begin(module, name, replace)
                begun.append((module, name))
        yield
    finally:
        for module, name in begun:
            _end(module, name)
