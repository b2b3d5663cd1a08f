"""The package's annotations and stubs are complete and agree, and mypy --strict finds the errors of a user's program."""

import ast
import os
import pathlib
import re

import pytest

import eigen_g
from eigen_g import _core

HERE = pathlib.Path(__file__).parent
SOURCE = HERE.parents[2] / "apps" / "python" / "eigen_g"
PROGRAM = HERE / "typing" / "program.py"


def mypy(monkeypatch, *arguments, stubs):
    api = pytest.importorskip("mypy.api")
    monkeypatch.setenv("MYPYPATH", os.pathsep.join([str(SOURCE.parent), *([str(HERE / "typing" / "stubs")] if stubs else [])]))
    return api.run(["--strict", "--show-error-codes", "--cache-dir=/dev/null", *map(str, arguments)])


def short(text):
    """A revealed type as the program's comments have it."""
    text = re.sub(r"[\w.]+\.(?=\w)", "", text)  # modules
    text = re.sub(r"ndarray\[tuple\[Any, \.\.\.\], dtype\[((?:[^\[\]]|\[[^\]]*\])*)\]\]", r"ndarray[\1]", text)
    for bits, names in (("_32Bit", ("float32", "complex64", "int32")), ("_64Bit", ("float64", "complex128", "int64"))):
        for kind, name in zip((f"floating[{bits}]", f"complexfloating[{bits}, {bits}]", f"signedinteger[{bits}]"), names):
            text = text.replace(kind, name)
    text = re.sub(r"(floating|inexact)\[Any[^\]]*\]", r"\1", text)
    return re.sub(r"^tuple\[.*, fallback=(.*)\]$", r"\1", text)


def test_mypy_accepts_the_package_and_finds_what_is_wrong_in_a_program(monkeypatch):
    pytest.importorskip("matplotlib")  # the types of plot
    sources = [file for file in SOURCE.glob("*.py") if file.name not in ("torch.py", "jax.py")]
    out, errors, _ = mypy(monkeypatch, *sources, PROGRAM, stubs=True)
    assert not errors, errors
    found, revealed = {}, {}
    for line in out.splitlines():
        if not (match := re.match(r"(.*?):(\d+): (error|note): (.*)", line)):
            continue
        file, at, kind, text = match.groups()
        assert kind == "note" or pathlib.Path(file).name == PROGRAM.name, line
        if kind == "error":
            found.setdefault(int(at), set()).add(re.search(r"\[([\w-]+)\]$", text)[1])
        elif text.startswith("Revealed"):
            revealed[int(at)] = short(text.split('"')[1])
    lines = list(enumerate(PROGRAM.read_text().splitlines(), 1))
    assert found == {at: {m[1]} for at, line in lines if (m := re.search(r"# error: ([\w-]+)$", line))}
    assert revealed == {at: m[1] for at, line in lines if (m := re.search(r"\)  # type: (.+)$", line))}
    assert len(found) >= 18 and len(revealed) >= 40 and "Any" not in revealed.values()


def test_the_program_uses_every_public_function_and_class():
    text = PROGRAM.read_text()
    assert [name for name in eigen_g.__all__ if callable(getattr(eigen_g, name)) and f"eigen_g.{name}" not in text] == []


def test_mypy_accepts_the_modules_of_torch_and_jax(monkeypatch):
    for package in ("torch", "jax"):
        pytest.importorskip(package)
    out, errors, status = mypy(monkeypatch, SOURCE / "torch.py", SOURCE / "jax.py", stubs=False)
    assert status == 0, out + errors


def test_all_names_are_there():
    for name in eigen_g.__all__:
        assert getattr(eigen_g, name).__doc__


@pytest.mark.parametrize("name", ["Report", "BatchReport", "Verification", "GeneralisedVerification"])
def test_the_stubs_have_the_properties_of_the_module_and_their_text(name):
    kind = getattr(_core, name)
    stub = next(x for x in ast.parse((SOURCE / "_core.pyi").read_text()).body if isinstance(x, ast.ClassDef) and x.name == name)
    properties = {x.name: ast.get_docstring(x) for x in stub.body if isinstance(x, ast.FunctionDef) and x.decorator_list}
    assert properties == {k: v.__doc__ for k, v in vars(kind).items() if isinstance(v, property)} and all(properties.values())
    assert ast.get_docstring(stub) == kind.__doc__
