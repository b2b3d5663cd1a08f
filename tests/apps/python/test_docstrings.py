"""The examples in the docstrings run and print what they say."""

import doctest
import importlib

import numpy as np
import pytest

import eigen_g

PUBLIC = [name for name in eigen_g.__all__ if callable(getattr(eigen_g, name))]
WITHOUT = {"BatchReport", "DeviceError", "GeneralisedVerification", "InvalidArgument", "LinAlgError", "NonFiniteEntry", "OutOfMemory", "Report",
           "Verification"}  # classes of the extension, which calls return or raise


def examples_of(name):
    kind = getattr(eigen_g, name)
    names = {"np": np, "eigen_g": eigen_g}
    return [test for test in doctest.DocTestFinder(recurse=True).find(kind, f"eigen_g.{name}", globs=names) if test.examples]


@pytest.mark.parametrize("name", sorted(set(PUBLIC) - WITHOUT))
def test_example(name):
    tests = examples_of(name)
    assert tests, f"the docstring of {name} has no example"
    with np.printoptions(legacy=False, precision=8, suppress=False):
        for test in tests:
            out = []
            result = doctest.DocTestRunner().run(test, out=out.append)
            assert result.failed == 0 and result.attempted > 0, "".join(out)


@pytest.mark.parametrize("framework", ["torch", "jax"])
@pytest.mark.parametrize("name", ["eigh", "eigvalsh"])
def test_example_of_a_framework(framework, name):
    names = {framework: pytest.importorskip(framework), "eigen_g": eigen_g}
    module = importlib.import_module(f"eigen_g.{framework}")
    (test,) = doctest.DocTestFinder().find(getattr(module, name), name, globs=names)
    out = []
    assert doctest.DocTestRunner().run(test, out=out.append).failed == 0 and test.examples, "".join(out)


@pytest.mark.parametrize("name", ["spectrum", "density", "residuals", "stages", "overview"])
def test_example_of_plot(name, tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    (test,) = [x for x in doctest.DocTestFinder().find(getattr(eigen_g.plot, name), name, globs={"np": np, "eigen_g": eigen_g}) if x.examples]
    for example in test.examples:
        example.options.clear()  # they are skipped by a plain doctest, for which matplotlib may be missing
    out = []
    assert doctest.DocTestRunner().run(test, out=out.append).failed == 0, "".join(out)
