"""The package's annotations and stubs are complete and agree, by mypy --strict."""

import pathlib

import pytest

import eigen_g


def test_mypy():
    api = pytest.importorskip("mypy.api")
    for package in ("torch", "jax"):  # the package's types use these
        pytest.importorskip(package)
    source = pathlib.Path(__file__).parents[3] / "apps" / "python" / "eigen_g"
    out, errors, status = api.run(["--strict", "--cache-dir=/dev/null", str(source)])
    assert status == 0, out + errors


def test_all_names_are_there():
    for name in eigen_g.__all__:
        assert getattr(eigen_g, name).__doc__
