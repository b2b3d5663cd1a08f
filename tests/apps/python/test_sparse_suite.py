"""The tests of eigsh that SciPy installs: inside patched("scipy.sparse"), and with eigen_g.sparse.eigsh in its place."""

import importlib.util
import json
import os
import subprocess
import sys

import pytest

# The program runs pytest with SciPy's function replaced before the tests import it.
program = """
import contextlib, json, sys
import numpy, pytest, scipy.sparse.linalg, eigen_g
from eigen_g import sparse

mode, *arguments = sys.argv[1:]
counts = {"passed": 0, "solves": 0}
failures = []

class Log:
    def pytest_runtest_logreport(self, report):
        counts["passed"] += report.when == "call" and report.passed
        if report.failed:
            failures.append(report.nodeid.partition("::")[2])

original = sparse.eigsh

def counted(*arguments, **options):
    result = original(*arguments, **options)
    counts["solves"] += 1
    return result

sparse.eigsh = counted
block = eigen_g.patched("scipy.sparse") if mode == "patched" else contextlib.nullcontext()
with block:
    ours = scipy.sparse.linalg.eigsh if mode == "patched" else counted
    package = sys.modules["scipy.sparse.linalg._eigen.arpack"]  # the tests import the function from here
    package.eigsh = sys.modules["scipy.sparse.linalg._eigen.arpack.arpack"].eigsh = ours
    pytest.main(["-q", "-p", "no:cacheprovider", "--pyargs", *arguments], plugins=[Log()])
print(json.dumps(counts | {"failures": failures}))
"""

suite = "scipy.sparse.linalg._eigen.arpack.tests.test_arpack"
names = "symmetric_modes or hermitian or symmetric_starting or symmetric_no or eigsh or reentering"

# The tests that may fail, by mode, each with the contract that explains it.
by_contract = {
    "patched": {"test_symmetric_no_convergence": "The matrix of order 30 is solved, where ARPACK must not converge in 5 restarts."},
    "direct": {
        "test_symmetric_no_convergence": "The matrix of order 30 is solved, where ARPACK must not converge in 5 restarts.",
        "test_eigsh_for_k_greater": "With k >= n eigen_g.eigh solves; the test compares with the bits of scipy.linalg.eigh.",
    },
}


@pytest.mark.parametrize("mode", ["patched", "direct"])
def test_suite(mode, tmp_path):
    pytest.importorskip("scipy", minversion="1.16")  # earlier tests use arguments that later versions have removed
    if importlib.util.find_spec(suite.rpartition(".")[0]) is None:
        pytest.skip(f"{suite} is not installed")
    arguments = [sys.executable, "-c", program, mode, "-k", f"({names}) and not nonsymmetric", suite]
    one_thread = os.environ | {"OMP_NUM_THREADS": "1"}  # the matrices are tiny
    run = subprocess.run(arguments, cwd=tmp_path, env=one_thread, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr
    counts = json.loads(run.stdout.splitlines()[-1])
    assert counts["passed"] >= 350 and counts["solves"] >= 350, run.stdout
    assert set(counts["failures"]) <= by_contract[mode].keys(), run.stdout
