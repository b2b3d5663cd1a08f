"""Tries the library on a program as it is: other libraries' eigh and eigvalsh, sent here."""

from __future__ import annotations

import contextlib
import functools
import importlib
from collections.abc import Callable, Iterator
from typing import Any

from . import _core, _eigh, _frameworks

_functions = ("eigh", "eigvalsh")


def _solved_here(a: Any, b: Any = None) -> bool:
    with contextlib.suppress(Exception):
        framework, a = _frameworks.of(a)
        shape, dtype = a.shape, str(a.dtype).removeprefix("torch.")
        here = len(shape) == 2 and shape[0] == shape[1] and dtype in _core.types()
        if b is None:
            return here
        theirs, b = _frameworks.of(b)
        return here and dtype in _core.generalised_types() and (theirs, b.shape, b.dtype) == (framework, a.shape, a.dtype)
    return False


def _numpy_like(module: Any, name: str, original: Callable[..., Any], pair: Callable[..., Any] | None) -> Any:
    @functools.wraps(original)
    def here(a: Any, UPLO: str = "L") -> Any:
        if UPLO.upper() not in ("L", "U") or not _solved_here(a):
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
    return _numpy_like(linalg, name, original, pair)


def _cupy(original: Callable[..., Any], name: str) -> Any:
    return _numpy_like(importlib.import_module("numpy.linalg"), name, original, lambda w, v: (w, v))


def _scipy(original: Callable[..., Any], name: str) -> Any:
    """SciPy's own where a driver is asked for, or types are mixed."""
    ours = {"lower", "eigvals_only", "overwrite_a", "overwrite_b", "type", "check_finite", "subset_by_index", "subset_by_value"}

    @functools.wraps(original)
    def here(a: Any, b: Any = None, **options: Any) -> Any:
        if not set(options) <= ours or not _solved_here(a, b):
            return original(a, b, **options)
        result = getattr(_eigh, name)(a, b, **options)
        return tuple(result) if isinstance(result, tuple) else result

    return here


def _torch(original: Callable[..., Any], name: str) -> Any:
    torch = importlib.import_module("torch")
    ours = importlib.import_module(".torch", __package__)

    @functools.wraps(original)
    def here(A: Any, UPLO: str = "L", *, out: Any = None) -> Any:
        if out is not None or UPLO.upper() not in ("L", "U") or not _solved_here(A):
            return original(A, UPLO, out=out) if out is not None else original(A, UPLO)
        try:
            if name == "eigvalsh":
                return ours.eigvalsh(A, lower=UPLO.upper() == "L")
            return torch.return_types.linalg_eigh(ours.eigh(A, lower=UPLO.upper() == "L", degenerate="mask"))
        except _core.NonFiniteEntry as error:
            raise torch.linalg.LinAlgError(str(error)) from None

    return here


_replacements = {
    "numpy": ("numpy.linalg", _numpy),
    "scipy": ("scipy.linalg", _scipy),
    "cupy": ("cupy.linalg", _cupy),
    "torch": ("torch.linalg", _torch),
}


@contextlib.contextmanager
def patched(*libraries: str) -> Iterator[None]:
    """with eigen_g.patched("torch", "cupy"): their linalg.eigh and eigvalsh are eigen_g's, for the whole process.

    Of "numpy", "scipy", "cupy", "torch"; none: all four that can be imported. What is not solved here (other types, stacks of
    matrices) goes to the library's own function, as does everything after the block. A function that a
    program has imported by name (from scipy.linalg import eigh) before is not replaced. In PyTorch equal eigenvalues are as
    eigen_g.torch.eigh's degenerate="mask".
    """
    unknown = set(libraries) - set(_replacements)
    if unknown:
        raise ValueError(f"{sorted(unknown)}: must be of {sorted(_replacements)}")
    before: list[tuple[Any, str, Any]] = []
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
                original = getattr(module, name)
                before.append((module, name, original))
                setattr(module, name, replace(original, name))
        yield
    finally:
        for module, name, original in reversed(before):
            setattr(module, name, original)
