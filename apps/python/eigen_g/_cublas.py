"""Loads the process's own cuBLAS, so that the extension finds it when it first needs it."""

import contextlib
import importlib
from functools import cache

from . import _core


@cache
def load() -> None:
    """Loads the cuBLAS that cuda-pathfinder finds: one that is already loaded, NVIDIA's wheels, conda, the system.

    Without that package the extension uses the cuBLAS that an imported framework has loaded, or else searches its own path
    (NVIDIA's wheels next to it) and the system's. Does nothing if there is no GPU.
    """
    if _core.gpu_count() == 0:
        return
    with contextlib.suppress(Exception):  # no such package, or no cuBLAS: the extension's own error says what is missing
        importlib.import_module("cuda.pathfinder").load_nvidia_dynamic_lib("cublas")
