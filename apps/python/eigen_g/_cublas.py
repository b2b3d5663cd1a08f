"""Makes the process' own cuBLAS the one that the extension finds when it first needs it."""

import contextlib
import importlib
from functools import cache

from . import _core


@cache
def load() -> None:
    """Loads cuBLAS where cuda-pathfinder finds it: loaded already, NVIDIA's wheels, conda, the system.

    Without that package a framework that is imported already has loaded its own, and else the extension's own search path
    (NVIDIA's wheels beside it) and the system's serve. Does nothing where there is no GPU.
    """
    if _core.gpu_count() == 0:
        return
    with contextlib.suppress(Exception):  # no such package, no cuBLAS: the extension's error tells what it lacks
        importlib.import_module("cuda.pathfinder").load_nvidia_dynamic_lib("cublas")
