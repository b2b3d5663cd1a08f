"""SciPy's selection of pairs, by solves at the ends of the spectrum and next to sigma."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from ._sparse_matrices import Host, Matrix, multiplied
from ._sparse_problem import Found, Options, Problem, libraries

Which = Literal["LM", "SM", "LA", "SA", "BE"]


def selected(theta: Host, k: int, which: str) -> Host:
    order = np.argsort(np.abs(theta) if which in ("LM", "SM") else theta, kind="stable")
    if which == "BE":
        return np.concatenate([order[: k // 2], order[len(order) - (k - k // 2) :]])
    return order[max(0, len(order) - k) :] if which in ("LM", "LA") else order[:k]


def takes_both_ends(which: str, sigma: float | None, mode: str) -> bool:
    """True if the wanted pairs are searched among k pairs at each of two ends. The two sets overlap if 2 k > n."""
    if which not in ("LM", "SM"):
        return False
    return mode == "cayley" or (which == "LM") == (sigma is None)


def theta_of(w: Host, sigma: float | None, mode: str) -> Host:
    """The values by which pairs are selected: SciPy's w'."""
    if sigma is None:
        return w
    with np.errstate(divide="ignore", invalid="ignore"):
        over = {"normal": np.ones_like(w), "cayley": w + sigma, "buckling": w}[mode]
        return np.asarray(over / (w - sigma))


def _side(p: Problem, end: str, k: int, sigma: float) -> Found:
    """k pairs above or below sigma. If that side has fewer, theta goes on at the other end, and the next pairs come from there."""
    there = k
    if not p.by_products and not p.options.buckling and (p.solver is not None or libraries()) and p.options.library != "none":
        below, _, _ = p.keep_solver().count(sigma)
        there = min(k, (below if end == "below" else p.order - below) // (p.order // p.n))
    found = p.pairs(end, there, sigma)
    return found if len(found.w) == k else found.and_also(p.pairs("lowest" if end == "above" else "highest", k - len(found.w)))


def _of_largest_magnitude(p: Problem, k: int) -> Found:
    found = p.pairs("highest", k)
    if p.m is None:  # mostly the other end is far from being wanted, as a rough value shows
        lowest = p.pairs("lowest", 1, tolerance=1e-2)
        if lowest.w[0] - lowest.residuals[0] > -found.w[0]:
            return found
    return found.and_also(p.pairs("lowest", k))


def _of_smallest_magnitude(p: Problem, k: int) -> Found:
    if not p.by_products and p.options.library != "none" and (p.m is not None or libraries()):
        return p.pairs("nearest", k)
    found = p.pairs("lowest", k)
    if found.w[0] >= 0:
        return found
    found = p.pairs("highest", k)
    if found.w[-1] <= 0:
        return found
    raise ValueError("which='SM': A has negative and positive values, and the ones next to 0 need sigma=0 and a factorisation")


def candidates(p: Problem, k: int, which: str, sigma: float | None, mode: str) -> Found:
    """The wanted pairs and perhaps more, of a problem that is not written out."""
    if which == "BE":
        low, high = ("SA", k // 2), ("LA", k - k // 2)
        return candidates(p, low[1], low[0], sigma, mode).and_also(candidates(p, high[1], high[0], sigma, mode))
    if sigma is None:
        if which in ("LA", "SA"):
            return p.pairs("highest" if which == "LA" else "lowest", k)
        return _of_largest_magnitude(p, k) if which == "LM" else _of_smallest_magnitude(p, k)
    if which in ("LA", "SA"):
        ascending = mode == "normal" or sigma > 0  # theta is largest at the next value above sigma
        return _side(p, "above" if (which == "LA") == ascending else "below", k, sigma)
    if mode == "cayley":  # theta = 0 at -sigma; |theta| is not symmetric about its largest and smallest values
        at = sigma if which == "LM" else -sigma
        return _side(p, "below", k, at).and_also(_side(p, "above", k, at))
    return p.pairs("nearest", k, sigma) if which == "LM" else p.pairs("lowest", k).and_also(p.pairs("highest", k))


def buckling_pairs(
    a: Matrix, b: Matrix | None, inverse: Matrix | None, options: Options, k: int, which: str, sigma: float
) -> Found:
    """The wanted pairs and perhaps more with mode="buckling".

    The pencil M x = nu A x has nu = 1 / w and a positive definite matrix on its right side. Its theta of the shift 1 / sigma is that of
    buckling times -sigma, and (M - A / sigma)^-1 is -sigma (A - sigma M)^-1.
    """
    if b is None:
        b = Matrix(np.ones(a.n), "diagonal", a.n, np.dtype(np.float64), False)
    if inverse is not None:
        inverse = inverse._replace(given=_Scaled(inverse, -sigma), kind="operator")
    tolerance = options.tolerance or min(10 * a.n * np.finfo(float).eps, 1e-12)  # the library's for buckling
    swapped = Problem(b, a, inverse, replace(options, buckling=False, tolerance=tolerance))
    if sigma > 0:
        which = {"LA": "SA", "SA": "LA"}.get(which, which)
    found = candidates(swapped, k + k % 2 if which == "BE" else k, which, 1 / sigma, "normal")
    with np.errstate(divide="ignore"):
        w = 1 / found.w
    return found._replace(w=w, residuals=found.residuals * abs(w), bounds=found.bounds * w * w if len(found.bounds) else found.bounds)


class _Scaled:
    def __init__(self, a: Matrix, factor: float) -> None:
        self.a, self.factor, self.shape = a, factor, (a.n, a.n)

    def matmat(self, x: Host) -> Host:
        return self.factor * multiplied(self.a, x)
