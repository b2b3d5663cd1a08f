"""Loads libraries of Python packages that factorise sparse matrices, so that the extension finds them."""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from . import _core, _cublas


def _files_of_mkl() -> Iterator[Path]:
    """The package mkl has its libraries in the folder lib of the environment."""
    for version in ("3", "2"):
        yield Path(sys.prefix) / "lib" / f"libmkl_rt.so.{version}"


def _files_of_cudss() -> Iterator[Path]:
    """The packages nvidia-cudss-cu13 and nvidia-cudss-cu12."""
    found = importlib.util.find_spec("nvidia")
    for folder in (found.submodule_search_locations or []) if found else []:
        for version in ("cu13", "cu12"):
            yield Path(folder) / version / "lib" / "libcudss.so.1"


@cache
def load(library: str) -> None:
    """Loads the library with this name of eigsh's argument `library`. Does nothing if no package has it."""
    if library == "cudss" and _core.gpu_count() > 0:
        _cublas.load()
        files = _files_of_cudss()
    elif library == "pardiso" or (library == "auto" and not any(map(_core.factor_library_available, ("own", "mumps")))):
        files = _files_of_mkl()
    else:
        return
    for file in files:
        if file.exists():
            with contextlib.suppress(OSError):  # the extension's own error says what is missing
                ctypes.CDLL(str(file))
                return
