"""How pairs of a sparse problem were found: the report, and the exception for pairs that did not converge."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _show
from ._sparse_matrices import Host


@dataclass(frozen=True, repr=False)
class SparseReport:
    """How pairs were found. If a call made several solves (which="BE"), numbers are sums, and shifts and counts are from the first one."""

    method: str = "dense"  # "dense", "lanczos", "shift-invert"
    library: str = "none"  # the library that factorised
    proven: bool = True  # no wanted pair is missing. The dense method finds all pairs; the sparse ones prove it by counts
    proof_reason: str = ""  # why it is not proven
    shift_wished: float = 0.0
    shift_used: float = 0.0
    shift_reason: str = ""  # why the shift was moved; empty: it was not
    low: float = 0.0  # count_low values are below low, count_high below high, and `found` are between them (buckling: values 1 / w)
    high: float = 0.0
    count_low: int = 0
    count_high: int = 0
    found: int = 0
    repaired: int = 0  # number of pairs that the counts showed to be missing, and that were then found
    residuals: Host = field(default_factory=lambda: np.empty(0))  # |A v - w M v| of each pair
    error_bounds: Host = field(default_factory=lambda: np.empty(0))  # bounds of |w - an eigenvalue|; empty without a factorisation
    products: int = 0  # number of vectors that were multiplied with A, or solved for
    factorisations: int = 0
    factor_entries: int = 0
    factor_bytes: int = 0
    seconds: float = 0.0

    def __repr__(self) -> str:
        return _show.sparse_report_table(self).text()

    def _repr_html_(self) -> str:
        return _show.sparse_report_table(self).html()


def no_convergence() -> type[Exception]:
    """NoConvergence. With SciPy it is a subclass of ArpackNoConvergence, so it is made when it is first needed."""
    known = globals().get("NoConvergence")
    if known is not None:
        return known  # type: ignore[no-any-return]
    try:
        base: Any = importlib.import_module("scipy.sparse.linalg").ArpackNoConvergence
    except ImportError:
        base = RuntimeError

    class NoConvergence(base):  # type: ignore[misc]
        """Some pairs did not converge. `eigenvalues` and `eigenvectors` have the converged ones."""

        def __init__(self, message: str, eigenvalues: Any, eigenvectors: Any) -> None:
            Exception.__init__(self, message)
            self.eigenvalues, self.eigenvectors = eigenvalues, eigenvectors

        def __reduce__(self) -> tuple[Any, ...]:
            return _raised_again, (str(self), self.eigenvalues, self.eigenvectors)

    NoConvergence.__qualname__ = "NoConvergence"
    NoConvergence.__module__ = "eigen_g.sparse"
    globals()["NoConvergence"] = NoConvergence
    return NoConvergence


def _raised_again(*arguments: Any) -> Exception:
    return no_convergence()(*arguments)
