"""Makes the process' own cuBLAS the one that the extension is linked to at run time."""

import contextlib
import importlib
import sys


def load() -> None:
    """Loads cuBLAS where cuda-pathfinder finds it: loaded already, NVIDIA's wheels, conda, the system.

    Without that package a framework that is imported already has loaded its own, and else the extension's own search path
    (NVIDIA's wheels beside it) and the system's serve. Does nothing for an extension without CUDA.
    """
    if "eigen_g._core" in sys.modules:
        return
    with contextlib.suppress(Exception):  # no such package, no cuBLAS: the extension's import tells what it lacks
        importlib.import_module("cuda.pathfinder").load_nvidia_dynamic_lib("cublas")
