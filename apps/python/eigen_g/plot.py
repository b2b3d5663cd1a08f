"""Pictures of results, by matplotlib, which is imported when a picture is drawn.

    eigen_g.plot.spectrum(eigen_g.eigh(a))
    eigen_g.plot.overview(eigen_g.eigh(a), a)     # all pictures in one figure

Each function draws into matplotlib's Axes `ax`, or into a new figure, and returns the Axes.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _frameworks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_colour, _other = "#0072b2", "#d55e00"  # by Okabe and Ito, distinct for colour-blind readers


def _on_host(a: Any) -> NDArray[Any]:
    framework, a = _frameworks.of(a)
    return framework.to_host(a)  # type: ignore[no-any-return]


def _values(result: Any) -> NDArray[Any]:
    w = _on_host(getattr(result, "eigenvalues", result))
    if w.ndim != 1:
        raise ValueError(f"a picture is of one matrix, w has the shape {w.shape}: pass the results of one matrix of the stack")
    return w


def _axes(ax: Axes | None, title: str, x: str, y: str) -> Axes:
    if ax is None:
        ax = importlib.import_module("matplotlib.pyplot").subplots(figsize=(6.4, 4.0), layout="constrained")[1]
    assert ax is not None
    ax.set(title=title, xlabel=x, ylabel=y)
    ax.grid(True, color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def spectrum(result: Any, ax: Axes | None = None) -> Axes:
    """Draws the eigenvalues in ascending order over their indices.

    result  an EighResult, or an array of eigenvalues

    >>> ax = eigen_g.plot.spectrum(eigen_g.eigh(np.diag([1.0, 4.0, 9.0])))  # doctest: +SKIP
    """
    w = _values(result)
    first = getattr(getattr(result, "report", None), "first_index", 0)
    ax = _axes(ax, "Spectrum", "index", "eigenvalue")
    dots = {"marker": "o", "markersize": 4} if len(w) <= 100 else {}
    ax.plot(first + np.arange(len(w)), w, color=_colour, linewidth=1.2, **dots)  # type: ignore[arg-type]
    return ax


def density(result: Any, ax: Axes | None = None, *, bins: int | None = None) -> Axes:
    """Draws the density of states: a histogram of the eigenvalues with the area 1.

    result  an EighResult, or an array of eigenvalues
    bins    number of intervals; None: the square root of the number of values, from 1 to 200

    >>> ax = eigen_g.plot.density(eigen_g.eigvalsh(np.diag(np.arange(100.0))))  # doctest: +SKIP
    """
    w = _values(result)
    ax = _axes(ax, "Density of states", "eigenvalue", "density")
    ax.hist(w, bins=bins or min(200, max(1, round(len(w) ** 0.5))), density=True, color=_colour, edgecolor="white", linewidth=0.5)
    return ax


def residuals(result: Any, a: Any, ax: Axes | None = None, *, b: Any = None, lower: bool = True) -> Axes:
    """Draws the residual of each pair, |a v - w v| / |a|, or with b of type 1 |a v - w b v| / ((|a| + |w| |b|) |v|).

    result    an EighResult, or the pair (w, v)
    a, b      matrices as in eigh; one triangle is read
    lower     as in eigh

    The norms are Frobenius norms. The line is the roundoff of the matrix's type.

    >>> a = np.diag([1.0, 4.0, 9.0])
    >>> ax = eigen_g.plot.residuals(eigen_g.eigh(a), a)  # doctest: +SKIP
    """
    w, v = _values(result[0]), _on_host(result[1])
    matrix = _whole(a, lower)
    if b is None:
        found = np.linalg.norm(matrix @ v - v * w, axis=0) / max(np.linalg.norm(matrix), np.finfo(float).tiny)
    else:
        other = _whole(b, lower)
        scale = (np.linalg.norm(matrix) + np.abs(w) * np.linalg.norm(other)) * np.linalg.norm(v, axis=0)
        found = np.linalg.norm(matrix @ v - (other @ v) * w, axis=0) / scale
    first = getattr(getattr(result, "report", None), "first_index", 0)
    ax = _axes(ax, "Residual by pair", "index", "|a v - w v| / |a|" if b is None else "|a v - w b v| / ((|a| + |w| |b|) |v|)")
    eps = float(np.finfo(v.dtype).eps)
    shown = np.where(found > 0, found, np.nan)  # a residual of zero has no place on a logarithmic axis
    ax.plot(first + np.arange(len(w)), shown, ".", color=_colour, markersize=5)
    ax.axhline(eps, color=_other, linestyle="--", linewidth=1.2, label=f"roundoff {eps:.1e}")
    ax.set_yscale("log")
    largest, least = np.nanmax(np.append(shown, eps)), np.nanmin(np.append(shown, eps))
    ax.set_ylim(least / 10, 10 * largest)  # at least two decades, so that noise does not look like a structure
    ax.legend(frameon=False)
    return ax


def _whole(a: Any, lower: bool) -> NDArray[Any]:
    a = _on_host(a)
    part = np.tril(a, -1) if lower else np.triu(a, 1)
    return part + part.conj().T + np.diag(np.diagonal(a).real)  # type: ignore[no-any-return]


def stages(result: Any, ax: Axes | None = None) -> Axes:
    """Draws the seconds of each stage as bars.

    result  an EighResult, or a Report

    >>> ax = eigen_g.plot.stages(eigen_g.eigh(np.eye(100)))  # doctest: +SKIP
    """
    report = getattr(result, "report", result)
    seconds: dict[str, float] = {}
    for name, spent in getattr(report, "stages", []):
        seconds[name] = seconds.get(name, 0.0) + spent
    if not seconds:
        raise ValueError("the report has no stages: it is of a stack, or of a matrix of order up to 48 on the CPU")
    unit, scale = ("s", 1.0) if max(seconds.values()) >= 1 else ("ms", 1e3)
    ax = _axes(ax, f"Stages of {report.seconds * scale:.3g} {unit}", unit, "")
    names = [name.replace("_", " ") for name in seconds]
    bars = ax.barh(names, [scale * spent for spent in seconds.values()], color=_colour, height=0.7)
    ax.bar_label(bars, labels=[f"{scale * spent:.3g}" for spent in seconds.values()], padding=3)
    ax.margins(x=0.12)
    ax.invert_yaxis()
    ax.grid(False, axis="y")
    return ax


def overview(result: Any, a: Any = None, *, b: Any = None, lower: bool = True) -> Figure:
    """Draws spectrum, density of states, residuals (if a is given) and stages (if the report has them) into one figure, and returns it.

    >>> a = np.diag(np.arange(100.0))
    >>> eigen_g.plot.overview(eigen_g.eigh(a), a).savefig("overview.png")  # doctest: +SKIP
    """
    has_stages = bool(getattr(getattr(result, "report", None), "stages", []))
    count = 2 + (a is not None) + has_stages
    pyplot = importlib.import_module("matplotlib.pyplot")
    figure, grid = pyplot.subplots((count + 1) // 2, 2, figsize=(11, 4 * ((count + 1) // 2)), layout="constrained", squeeze=False)
    places = iter(grid.flat)
    spectrum(result, next(places))
    density(result, next(places))
    if a is not None:
        residuals(result, a, next(places), b=b, lower=lower)
    if has_stages:
        stages(result, next(places))
    for ax in places:
        ax.set_visible(False)
    return figure  # type: ignore[no-any-return]
