"""The tests of eigh and eigvalsh that SciPy and NumPy install: inside patched(), and with eigen_g's functions in their place."""

import importlib.util
import json
import subprocess
import sys

import pytest

# The program runs pytest with the libraries' functions replaced before the tests import them.
program = """
import contextlib, json, sys
import numpy, pytest, scipy.linalg, eigen_g
from eigen_g import _solve

mode, *arguments = sys.argv[1:]
counts = {"passed": 0, "solves": 0}
failures = []

class Log:
    def pytest_runtest_logreport(self, report):
        counts["passed"] += report.when == "call" and report.passed
        if report.failed:
            failures.append(report.nodeid.partition("::")[2])

def counted(original):
    def solve(*matrices):
        counts["solves"] += 1
        return original(*matrices)

    return solve

_solve.on_device, _solve.solve_stack = counted(_solve.on_device), counted(_solve.solve_stack)
block = eigen_g.patched("numpy", "scipy") if mode == "patched" else contextlib.nullcontext()
if mode == "direct":
    for module in (numpy.linalg, scipy.linalg):
        module.eigh, module.eigvalsh = eigen_g.eigh, eigen_g.eigvalsh
with block:
    pytest.main(["-q", "-p", "no:cacheprovider", "--pyargs", *arguments], plugins=[Log()])
print(json.dumps(counts | {"failures": failures}))
"""

# The tests' names, and a number of tests and of solves that is certainly reached.
suites = {
    "numpy.linalg.tests.test_linalg": ("Eigh or Eigvalsh", 20),
    "scipy.linalg.tests.test_decomp": ("eig", 60),
    "scipy.linalg.tests.test_batch": ("eigh", 20),
    "scipy.linalg.tests.test_lapack": ("stevd", 2),  # float32 against numpy.linalg.eigvalsh
}

# The tests that may fail, by mode, each with the contract that explains it.
by_contract = {
    "patched": {},
    "direct": {
        "test_stevd[0-float32]": "eigen_g.eigvalsh computes float32 in single precision as SciPy does, and NumPy in double precision.",
        "test_stevd[1-float32]": "eigen_g.eigvalsh computes float32 in single precision as SciPy does, and NumPy in double precision.",
    },
}


@pytest.mark.parametrize("mode", ["patched", "direct"])
@pytest.mark.parametrize("suite", suites)
def test_suite(suite, mode, tmp_path):
    pytest.importorskip("scipy", minversion="1.16")  # the tests of earlier versions use arguments that SciPy has removed
    if importlib.util.find_spec(suite.rpartition(".")[0]) is None:
        pytest.skip(f"{suite} is not installed")
    names, least = suites[suite]
    arguments = [sys.executable, "-c", program, mode, "-k", names, suite]
    run = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr
    counts = json.loads(run.stdout.splitlines()[-1])
    assert counts["passed"] >= least and counts["solves"] >= least, run.stdout
    assert set(counts["failures"]) <= by_contract[mode].keys(), run.stdout
