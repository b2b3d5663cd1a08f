"""The examples run, as a user runs them."""

import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parents[3] / "apps" / "python" / "examples"


def run(name, *arguments, cwd):
    script = [sys.executable, str(EXAMPLES / name), *arguments]
    return subprocess.run(script, cwd=cwd, check=True, capture_output=True, text=True, timeout=300).stdout


def test_drum(tmp_path):
    lines = run("drum.py", "19", cwd=tmp_path).splitlines()
    assert lines[0].endswith("passed: True")
    pairs = [(float(line.split()[2].rstrip(",")), float(line.split()[4])) for line in lines[1:]]
    assert len(pairs) == 10 and all(abs(got / exact - 1) < 0.1 for got, exact in pairs)


@pytest.mark.parametrize("name, needed", [("drum.py", "numpy"), ("shampoo.py", "torch")])
def test_help(name, needed, tmp_path):
    pytest.importorskip(needed)
    assert run(name, "--help", cwd=tmp_path).startswith(f"usage: {name}")


def test_shampoo(tmp_path):
    pytest.importorskip("torch")
    plain, shampoo = (float(line.split()[-1]) for line in run("shampoo.py", "60", cwd=tmp_path).splitlines())
    assert shampoo < plain
