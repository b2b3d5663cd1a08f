"""repr, notebook tables and pickles of results, reports, verifications and solvers."""

import copy
import html.parser
import pickle

import numpy as np
import pytest
from matrices import random_pair, random_symmetric

import eigen_g
from eigen_g import _show


class Nesting(html.parser.HTMLParser):
    """Fails at tags that do not close."""

    def __init__(self):
        super().__init__()
        self.open, self.cells = [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.cells.append(data)


def cells_of(shown):
    parser = Nesting()
    parser.feed(shown._repr_html_())
    parser.close()
    assert parser.open == []
    return parser.cells


@pytest.fixture(scope="module")
def results():
    a, b = random_pair(100)
    return {
        "a": a,
        "b": b,
        "standard": eigen_g.eigh(a),
        "generalised": eigen_g.eigh(a, b, subset_by_index=[0, 4], return_factor=True),
        "stack": eigen_g.eigh(np.stack([a, np.full_like(a, np.nan)]), errors="status"),
    }


def test_a_report_is_a_table_of_its_stages(results):
    report = results["standard"].report
    lines = repr(report).splitlines()
    assert lines[0].startswith("Report: converged, 100 pairs, ") and report.devices[0]["name"] in lines[0]
    table = {" ".join(line.split()[:-2]): float(line.split()[-2]) for line in lines[4:]}
    assert table == {name.replace("_", " "): pytest.approx(seconds, abs=1e-6) for name, seconds in report.stages}
    assert 50 < sum(float(line.split()[-1]) for line in lines[4:]) < 101
    assert {"divide and conquer", "tridiagonalize"} <= set(cells_of(report))


def test_a_report_says_what_went_wrong():
    with pytest.raises(np.linalg.LinAlgError):
        eigen_g.eigh(np.eye(60), -np.eye(60))
    report = eigen_g.eigh(np.eye(60), -np.eye(60), errors="status").report
    assert repr(report).startswith("Report: b's leading minor of order 1 is not positive definite, ")


def test_a_batch_report(results):
    report = results["stack"].report
    assert repr(report).startswith("BatchReport: 2 matrices, 100 pairs each, 1 failed, first 1, ")
    assert "workspace" in cells_of(report)


def test_verifications_have_ratios_limits_and_a_verdict(results):
    a, b = results["a"], results["b"]
    good = eigen_g.verify(a, *results["standard"])
    assert repr(good).startswith("Verification: passed, 100 of 100 pairs on the ") and repr(good).count(" pass") == 3
    w, v = results["standard"]
    bad = eigen_g.verify(a, w[::-1] + 1, v)
    assert repr(bad).startswith("Verification: FAILED") and "do not ascend" in repr(bad) and "FAIL" in cells_of(bad)
    general = eigen_g.verify(a, *results["generalised"], b=b)
    assert repr(general).startswith("GeneralisedVerification: passed, 5 of 100 pairs") and f"condition {general.condition:.3g}" in repr(general)
    assert "b-orthogonality" in cells_of(general)
    assert "order 1 is not positive definite" in repr(eigen_g.verify(a, w, v, b=-b))


def test_results_show_their_arrays_and_the_report(results):
    result = results["standard"]
    text = repr(result)
    assert text.startswith("EighResult(eigenvalues=array([") and ", eigenvectors=array([" in text and "report=<Report: converged" in text
    assert "status=0" in repr(eigen_g.eigh(np.eye(2), errors="status")) and "factor=<CholeskyFactor: lower" in repr(results["generalised"])
    cells = cells_of(result)
    assert f"{result.eigenvalues[0]:.9g}" in cells and "float64 (100, 100)" in cells and "divide and conquer" in cells
    assert any("BatchReport" in cell for cell in cells_of(results["stack"]))
    one_by_one = eigen_g.eigh(np.stack([np.eye(3)] * 5), np.eye(3), type=2)
    assert "... 5 reports" in cells_of(one_by_one) and "report=<5 reports>" in repr(one_by_one)
    assert "report=<Report" in repr(eigen_g.tridiagonalize(np.eye(3)))


def test_a_solver_says_what_it_is_for():
    text = repr(eigen_g.Solver(20, type=2, eigvals_only=True, lower=False, threads=1))
    assert text.startswith("Solver: matrices of order 20")
    for words in ("float64 of numpy on the host", "type 2", "upper", "values, at most 20", "the CPU", "threads=1"):
        assert words in text
    assert "float64 of numpy on the host" in cells_of(eigen_g.Solver(20))


def test_names_are_escaped_in_html():
    table = _show.Table("<b>&", [("<i>", "'x' < y")], ("<s>",), [("<u>",)])
    assert "<b>&" not in table.html() and "&lt;b&gt;&amp;" in table.html() and "<i>" not in table.html() and "<u>" not in table.html()


def test_pickles_and_copies_of_results_have_the_report(results):
    a, b = results["a"], results["b"]
    for original in (results["standard"], results["generalised"], results["stack"]):
        for other in (pickle.loads(pickle.dumps(original)), copy.copy(original), copy.deepcopy(original)):
            assert type(other) is eigen_g.EighResult and type(other.report) is type(original.report)
            assert repr(other.report) == repr(original.report)
            np.testing.assert_array_equal(other.eigenvectors, original.eigenvectors)
            np.testing.assert_array_equal(other.status, original.status)
            assert type(other.factor) is type(original.factor)
    assert "Report" in repr(pickle.loads(pickle.dumps(eigen_g.tridiagonalize(np.eye(3)))).report)
    checks = eigen_g.verify(a, *results["standard"]), eigen_g.verify(a, *results["generalised"], b=b)
    for report in (*checks, results["standard"].report, results["generalised"].report, results["stack"].report):
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            other = pickle.loads(pickle.dumps(report, protocol))
            for name in (name for name, kind in vars(type(report)).items() if isinstance(kind, property)):
                assert getattr(other, name) == getattr(report, name), name


def test_a_pickle_of_another_version_is_refused(results):
    report = results["standard"].report
    with pytest.raises(ValueError, match="another version"):
        type(report).__new__(type(report)).__setstate__(report.__getstate__()[:-1])


def test_a_solver_refuses_pickling_and_says_what_to_do():
    solver = eigen_g.Solver(7)
    for work in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=r"cannot be pickled or copied.*Create one where it is needed, with eigen_g\.Solver\(7"):
            work(solver)
