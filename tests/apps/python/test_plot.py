"""The pictures of eigen_g.plot: what they draw, not how it looks."""

import subprocess
import sys

import numpy as np
import pytest
from matrices import random_pair, random_symmetric

import eigen_g


def test_matplotlib_is_imported_only_for_a_picture():
    program = "import sys, numpy, eigen_g; eigen_g.plot; eigen_g.eigh(numpy.eye(3)); assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.fixture(autouse=True)
def pyplot(request):
    if "matplotlib_is_imported" in request.node.name:
        yield
        return
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    yield
    matplotlib.pyplot.close("all")


def test_spectrum():
    a = random_symmetric(120)
    whole, part = eigen_g.eigh(a), eigen_g.eigh(a, subset_by_index=[5, 9])
    for result, first in ((whole, 0), (part, 5), (whole.eigenvalues, 0)):
        (line,) = eigen_g.plot.spectrum(result).lines
        w = getattr(result, "eigenvalues", result)
        np.testing.assert_array_equal(line.get_xdata(), first + np.arange(len(w)))
        np.testing.assert_array_equal(line.get_ydata(), w)
    with pytest.raises(ValueError, match="of one matrix"):
        eigen_g.plot.spectrum(eigen_g.eigh(np.stack([a, a])))


def test_density_has_the_area_one():
    w = eigen_g.eigvalsh(random_symmetric(100))
    bars = eigen_g.plot.density(w).patches
    assert len(bars) == 10 and sum(bar.get_width() * bar.get_height() for bar in bars) == pytest.approx(1)
    assert len(eigen_g.plot.density(w, bins=7).patches) == 7


@pytest.mark.parametrize("dtype", [np.float64, np.complex64])
def test_residuals_are_of_the_matrix_whose_triangle_was_read(dtype):
    a, b = (x.astype(dtype) for x in random_pair(60))
    result = eigen_g.eigh(np.tril(a))
    ax = eigen_g.plot.residuals(result, np.tril(a))
    assert ax.get_yscale() == "log"
    low, high = ax.get_ylim()
    found = ax.lines[0].get_ydata()
    expected = np.linalg.norm(a @ result.eigenvectors - result.eigenvectors * result.eigenvalues, axis=0) / np.linalg.norm(a)
    np.testing.assert_allclose(found, expected, rtol=1e-3)
    assert np.nanmax(found) < 100 * np.finfo(dtype).eps and low < np.nanmin(found) and high > np.nanmax(found)
    general = eigen_g.eigh(a, b)
    assert np.nanmax(eigen_g.plot.residuals(general, a, b=b).lines[0].get_ydata()) < 100 * np.finfo(dtype).eps


def test_stages_are_bars_from_zero():
    report = eigen_g.eigh(random_symmetric(100)).report
    ax = eigen_g.plot.stages(report)
    assert [label.get_text() for label in ax.get_yticklabels()] == [name.replace("_", " ") for name, _ in report.stages]
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], [1e3 * seconds for _, seconds in report.stages])
    assert ax.get_xlim()[0] == 0
    with pytest.raises(ValueError, match="no stages"):
        eigen_g.plot.stages(eigen_g.eigh(np.eye(4)))


@pytest.mark.parametrize("n, given, shown", [(60, True, 4), (60, False, 3), (9, True, 3), (9, False, 2)])
def test_overview_draws_what_there_is(n, given, shown, tmp_path):
    a = random_symmetric(n)
    figure = eigen_g.plot.overview(eigen_g.eigh(a), a if given else None)
    assert sum(ax.get_visible() for ax in figure.axes) == shown
    figure.savefig(tmp_path / "overview.png", dpi=20)
