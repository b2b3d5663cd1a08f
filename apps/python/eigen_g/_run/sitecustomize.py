"""For Python programs that `eigen_g run` starts: eigh and eigvalsh of numpy.linalg and scipy.linalg solve large matrices on the GPU.

These functions copy the matrix and its vectors element by element before and after LAPACK's routine, and these copies can take longer
than the solve. `eigen_g run` therefore names this folder first in PYTHONPATH, and Python imports this file when it starts.

A call goes to eigen_g if the matrix is a NumPy array of two dimensions, of order EIGEN_G_MIN_N (300) or more, and there is a GPU. All
others go to the library's own function, and from there to LAPACK's names. EIGEN_G_DEVICE=cpu switches this file off. EIGEN_G_LOG works
as for LAPACK's names.
"""

from __future__ import annotations

import atexit
import functools
import importlib.machinery
import importlib.util
import os
import sys
import threading
import time
from pathlib import Path
from types import ModuleType
from typing import Any

_here = Path(__file__).absolute().parent
_modules = {"numpy.linalg": "numpy", "scipy.linalg": "scipy"}
_functions = ("eigh", "eigvalsh")
_least = int(os.environ.get("EIGEN_G_MIN_N") or 300)
_lock = threading.Lock()
_taken: dict[str, list[tuple[int, float]]] = {}  # function: order and seconds of each call that eigen_g solved


@functools.cache
def _package() -> ModuleType | None:
    """The package eigen_g: this Python's own, or else the one in whose folder this file is. None if it cannot be imported, or if there
    is no GPU."""
    finder = _Locate()
    sys.meta_path.append(finder)  # after all others
    try:
        package = importlib.import_module("eigen_g")
    except ImportError:
        return None
    finally:
        sys.meta_path.remove(finder)
    return package if package.gpu_count() > 0 else None


class _Locate:
    """Finds the package in whose folder this file is."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "eigen_g":
            return None
        folder = _here.parent
        return importlib.util.spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=[str(folder)])


def _is_large(a: Any) -> bool:
    shape: tuple[int, ...] = getattr(a, "shape", ())
    return len(shape) == 2 and shape[0] == shape[1] >= _least


def _replace(module: ModuleType, name: str) -> None:
    library = _modules[module.__name__]
    original = getattr(module, name)

    @functools.cache
    def ours() -> Any:
        package = _package()
        if package is None:
            return original
        patched = importlib.import_module("eigen_g._patched")
        return patched._replacement(patched._replacements[library][1], original, name)

    @functools.wraps(original)
    def here(a: Any, *arguments: Any, **options: Any) -> Any:
        if not _is_large(a) or ours() is original:
            return original(a, *arguments, **options)
        start = time.perf_counter()
        result = ours()(a, *arguments, **options)
        with _lock:
            _taken.setdefault(f"{module.__name__}.{name}", []).append((a.shape[0], time.perf_counter() - start))
        return result

    setattr(module, name, here)


class _Finder:
    """Replaces the functions of a module as soon as it has been imported."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in _modules:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def then_replace(module: ModuleType) -> None:
            execute(module)
            for function in _functions:
                _replace(module, function)

        spec.loader.exec_module = then_replace  # type: ignore[method-assign]
        return spec


def _report() -> None:
    lines = [
        f"  {name:<22}taken {len(calls)}, n {min(calls)[0]} to {max(calls)[0]}, {sum(seconds for _, seconds in calls):.3f} s\n"
        for name, calls in sorted(_taken.items())
    ]
    if lines:
        text = f"eigen_g: Python's functions in process {os.getpid()}\n" + "".join(lines)
        if os.environ["EIGEN_G_LOG"] == "-":
            sys.stderr.write(text)
        else:
            with open(os.environ["EIGEN_G_LOG"], "a", encoding="utf-8") as file:
                file.write(text)


def _chain() -> None:
    """Imports the sitecustomize that Python would have imported without `eigen_g run`."""
    sys.path[:] = [folder for folder in sys.path if Path(folder).absolute() != _here]
    sys.modules["_eigen_g_run"] = sys.modules.pop("sitecustomize")
    try:
        importlib.import_module("sitecustomize")
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
        sys.modules["sitecustomize"] = sys.modules["_eigen_g_run"]


if os.environ.get("EIGEN_G_DEVICE") != "cpu":
    sys.meta_path.insert(0, _Finder())
    if os.environ.get("EIGEN_G_LOG"):
        atexit.register(_report)
_chain()
