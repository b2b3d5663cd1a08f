"""Tests of _run/sitecustomize.py, through which `eigen_g run` gives large matrices of NumPy and SciPy to the GPU. Without a GPU its decision
that there is one is planted."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import eigen_g

hook = Path(eigen_g.__file__).parent / "_run"
program = """
import sys, numpy as np
if {planted}:
    import eigen_g
    sys.modules["_eigen_g_run"]._package = lambda: eigen_g
a = np.random.default_rng(1).standard_normal(({n}, {n}))
a += a.T
w, v = np.linalg.eigh(a)
assert np.abs(a @ v - v * w).max() < 1e-11 and type(np.linalg.eigh(a)).__name__ == "EighResult"
assert np.abs(np.linalg.eigvalsh(a, "U") - w).max() < 1e-11
from scipy.linalg import eigh, eigvalsh
w, v = eigh(a, np.eye({n}), lower=False)
assert np.abs(a @ v - v * w).max() < 1e-11 and np.abs(eigvalsh(a, subset_by_index=[0, 3]) - w[:4]).max() < 1e-11
np.linalg.eigh(np.stack([a, a]))
"""


def run(code, **variables):
    # Warnings and the paths of the test process stay.
    path = os.pathsep.join([str(hook), *[p for p in sys.path if p]])
    environment = {**os.environ, "PYTHONPATH": path, **variables}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("planted", [True, False] if eigen_g.gpu_count() else [True])
def test_large_matrices_are_taken_and_small_ones_are_not(planted):
    done = run(program.format(planted=planted, n=60), EIGEN_G_MIN_N="50", EIGEN_G_LOG="-")
    assert done.returncode == 0, done.stderr
    for line in (
        "numpy.linalg.eigh     taken 2, n 60 to 60",
        "numpy.linalg.eigvalsh taken 1",
        "scipy.linalg.eigh     taken 1",
        "scipy.linalg.eigvalsh taken 1",
    ):
        assert line in done.stderr
    for variables in ({}, {"EIGEN_G_MIN_N": "61"}, {"EIGEN_G_MIN_N": "50", "EIGEN_G_DEVICE": "cpu"}):
        code = program.format(planted=planted and "EIGEN_G_DEVICE" not in variables, n=60)
        done = run(code, EIGEN_G_LOG="-", **variables)
        assert done.returncode == 0, done.stderr
        assert "taken" not in done.stderr


def test_without_a_gpu_the_library_solves(tmp_path):
    code = 'import sys; sys.modules["_eigen_g_run"]._package = lambda: None\n' + program.format(planted=False, n=60)
    done = run(code, EIGEN_G_MIN_N="50", EIGEN_G_LOG=str(tmp_path / "report"))
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "report").exists()


def test_a_python_that_cannot_import_the_package(tmp_path):
    (tmp_path / "eigen_g.py").write_text('raise ImportError("another Python")')
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n" + program.format(planted=False, n=60)
    done = run(code, EIGEN_G_MIN_N="50", EIGEN_G_LOG="-")
    assert done.returncode == 0, done.stderr
    assert "taken" not in done.stderr


def test_the_report_is_appended_to_a_file(tmp_path):
    report = tmp_path / "report"
    report.write_text("before\n")
    done = run(program.format(planted=True, n=60), EIGEN_G_MIN_N="50", EIGEN_G_LOG=str(report))
    assert done.returncode == 0, done.stderr
    assert report.read_text().startswith("before\neigen_g: Python's functions in process ")


@pytest.mark.parametrize("fails", [False, True])
def test_the_sitecustomize_of_this_python_is_imported_too(tmp_path, fails):
    (tmp_path / "sitecustomize.py").write_text('import no_such_module' if fails else 'print("own")')
    path = os.pathsep.join([str(hook), str(tmp_path)])
    done = subprocess.run([sys.executable, "-c", "import sitecustomize; print(sitecustomize.__file__)"], capture_output=True,
                          text=True, timeout=60, env={**os.environ, "PYTHONPATH": path})
    if fails:
        assert "no_such_module" in done.stderr
    else:
        assert done.stdout.splitlines()[0] == "own" and str(tmp_path) in done.stdout and done.returncode == 0
