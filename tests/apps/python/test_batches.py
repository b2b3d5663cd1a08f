"""Stacks of matrices and lists of matrices of different orders in one call, for NumPy arrays."""

import os
import warnings

import numpy as np
import pytest

import eigen_g
from eigen_g import _core

DTYPES = [np.float64, np.float32, np.complex128, np.complex64]


def hermitian(*shape, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else 0)
    return (a + np.swapaxes(a, -1, -2).conj()).astype(dtype)


def check(a, w, v):
    """The residual and the orthogonality of each matrix, in units of n ulp of its norm."""
    n, ulp = a.shape[-1], np.finfo(a.dtype).eps
    assert w.shape == a.shape[:-1] and v.shape == a.shape and np.all(np.diff(w) >= 0)
    norm = np.abs(a).sum(-1).max(-1, initial=np.finfo(float).tiny)[..., None, None]
    assert np.all(np.abs(a @ v - v * w[..., None, :]) <= 10 * n * ulp * norm)
    assert np.all(np.abs(np.swapaxes(v, -1, -2).conj() @ v - np.eye(n)) <= 10 * n * ulp)


def same(x, y):
    np.testing.assert_array_equal(x.eigenvalues, y.eigenvalues)
    np.testing.assert_array_equal(x.eigenvectors, y.eigenvectors)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 17, 32, 47, 48, 49, 64, 130])
@pytest.mark.parametrize("options", [{}, {"lower": False}, {"subset_by_index": (0, 0)}])
def test_a_matrix_has_the_same_bits_alone_and_in_a_stack(dtype, n, options):
    a = hermitian(5, n, n, dtype=dtype, seed=n)
    stack = eigen_g.eigh(a, device="cpu", **options)
    values = eigen_g.eigvalsh(a, device="cpu", **options)
    for k in range(5):
        one = eigen_g.eigh(a[k], device="cpu", **options)
        same(eigen_g.EighResult(stack.eigenvalues[k], stack.eigenvectors[k]), one)
        np.testing.assert_array_equal(values[k], eigen_g.eigvalsh(a[k], device="cpu", **options))
        solver = eigen_g.Solver(n, like=a[k], device="cpu", **{"subset_by_index": None} | options)
        same(solver(a[k]), one)
    if "subset_by_index" not in options:
        check(a, *stack)


def laid_out(a, kind):
    """The same matrices in another layout, and True if that is read in place."""
    count, n = a.shape[0], a.shape[-1]
    if kind == "C":
        return a.copy(), True
    if kind == "columns":
        return a.swapaxes(1, 2).copy().swapaxes(1, 2), True
    if kind == "padded":
        room = np.full((count, n + 2, n + 3), np.nan, a.dtype)
        room[:, 1 : n + 1, 2 : n + 2] = a
        return room[:, 1 : n + 1, 2 : n + 2], True
    if kind == "every second":
        room = np.full((2 * count, n, n), np.nan, a.dtype)
        room[::2] = a
        return room[::2], True
    if kind == "two outer dimensions":
        return a.reshape(2, count // 2, n, n), True
    if kind == "outer dimensions apart":
        room = np.full((2, count, n, n), np.nan, a.dtype)
        room[:, : count // 2] = a.reshape(2, count // 2, n, n)
        return room[:, : count // 2], False
    if kind == "backwards":
        return a[::-1].copy()[::-1], False
    if kind == "Fortran":  # the matrices' entries are interleaved
        return np.asfortranarray(a), False
    if kind == "broadcast":
        return np.broadcast_to(a[:1], a.shape), False
    raise AssertionError(kind)


LAYOUTS = ["C", "columns", "padded", "every second", "two outer dimensions", "outer dimensions apart", "backwards", "Fortran", "broadcast"]


@pytest.mark.parametrize("dtype", [np.float64, np.complex64])
@pytest.mark.parametrize("kind", LAYOUTS)
@pytest.mark.parametrize("overwrite", [False, True])
def test_layouts(dtype, kind, overwrite, monkeypatch):
    a = hermitian(6, 9, 9, dtype=dtype)
    given, in_place = laid_out(a, kind)
    matrices = given.copy()
    copies = []
    copied = eigen_g._frameworks._NumPy.copied
    monkeypatch.setattr(eigen_g._frameworks._NumPy, "copied", lambda *args: copies.append(1) or copied(*args))
    w, v = eigen_g.eigh(given, overwrite_a=overwrite)
    assert len(copies) == (not in_place)
    check(matrices, w, v)
    assert np.shares_memory(v, given) == (overwrite and in_place)
    if not (overwrite and in_place):
        np.testing.assert_array_equal(given, matrices)
    for k, matrix in zip(np.ndindex(matrices.shape[:-2]), matrices.reshape(-1, 9, 9)):
        np.testing.assert_array_equal(w[k], eigen_g.eigvalsh(np.ascontiguousarray(matrix)))


@pytest.mark.parametrize("shape", [(0, 3, 3), (4, 0, 0), (0, 0, 0), (2, 0, 5, 5), (1, 1, 1, 1), (3, 1, 1)])
def test_empty_and_tiny_stacks(shape):
    a = hermitian(*shape)
    result = eigen_g.eigh(a)
    assert result.eigenvalues.shape == shape[:-1] and result.eigenvectors.shape == shape
    assert eigen_g.eigvalsh(a).shape == shape[:-1]
    assert result.report.count == np.prod(shape[:-2]) and result.report.failed == 0 and result.report.first_failed is None
    check(a, *result)


def test_the_report_of_a_stack():
    result = eigen_g.eigh(hermitian(7, 6, 6), device="cpu")
    report = result.report
    assert isinstance(report, eigen_g.BatchReport) and (report.count, report.m, report.failed) == (7, 6, 0)
    assert report.seconds > 0 and report.devices[0]["gpu"] is None and report.workspace_bytes[0] > 0


@pytest.mark.parametrize("options", [{"engine": "df"}, {"precision": "mixed"}, {"progress": lambda stage, done: None}])
def test_other_options_are_solved_one_by_one(options):
    a = hermitian(3, 5, 5)
    result = eigen_g.eigh(a, device="cpu", errors="status", **options)
    assert [report.m for report in result.report] == [5] * 3 and result.status.tolist() == [0] * 3
    assert result.eigenvectors.swapaxes(-1, -2).flags.c_contiguous
    check(a, *result)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [3, 20, 60])
def test_a_bad_matrix_harms_itself_alone(dtype, n):
    a = hermitian(2, 4, n, n, dtype=dtype)
    before = a.copy()
    a[0, 2, 2, 1], a[1, 3, 1, 1] = np.nan, np.inf
    bad = np.zeros((2, 4), bool)
    bad[0, 2] = bad[1, 3] = True
    for kind in ("C", "columns"):
        given, good = (laid_out(x.reshape(8, n, n), kind)[0].reshape(a.shape) for x in (a, before))
        good = eigen_g.eigh(good)
        with pytest.raises(eigen_g.NonFiniteEntry, match=r"^a\[0, 2, 2, 1\] is NaN"):
            eigen_g.eigh(given)
        with pytest.raises(eigen_g.NonFiniteEntry, match=r"^a\[0, 2, 2, 1\] is NaN"):
            eigen_g.eigvalsh(given)
        with pytest.raises(eigen_g.NonFiniteEntry, match=r"^a\[1, 1, 1\] is infinite"):
            eigen_g.eigh(given[:, 3])
        result = eigen_g.eigh(given, errors="status")
        w, v = result
        np.testing.assert_array_equal(result.status, -bad.astype(int))
        assert result.report.failed == 2 and result.report.first_failed == 2
        assert np.isnan(w[bad]).all() and np.isnan(v[bad].real).all()
        np.testing.assert_array_equal(w[~bad], good.eigenvalues[~bad])
        np.testing.assert_array_equal(np.isnan(eigen_g.eigvalsh(given, errors="status")).all(-1), bad)
        same(eigen_g.eigh(given, check_finite=False), result)
        np.testing.assert_array_equal(v[~bad], good.eigenvectors[~bad])
    with pytest.raises(eigen_g.NonFiniteEntry, match=r"^a\[0, 2\] has a NaN or an infinity"):
        eigen_g.eigh(a.copy(), overwrite_a=True)
    a[bad] = 0
    result = eigen_g.eigh(a, errors="status")
    assert result.status.shape == (2, 4) and not result.status.any()


def test_status_of_one_matrix():
    a = hermitian(6, 6)
    assert eigen_g.eigh(a, errors="status").status == 0 and eigen_g.eigh(a).status is None
    same(eigen_g.eigh(a, errors="status"), eigen_g.eigh(a))
    a[4, 2] = np.nan
    for n in (6, 60):  # with and without LAPACK
        b = np.eye(n)
        b[:6, :6] = a
        result = eigen_g.eigh(b, errors="status")
        assert result.status == -1 and result.report is None and np.isnan(result.eigenvectors).all()
        for overwrite in (False, True):
            with pytest.raises(eigen_g.NonFiniteEntry, match=r"^a\[4, 2\] is NaN"):
                eigen_g.eigh(b.copy(), overwrite_a=overwrite)
    with pytest.raises(ValueError, match="errors is 'ignore', must be 'raise' or 'status'"):
        eigen_g.eigh(a, errors="ignore")


def test_status_of_generalised_problems():
    a, b = hermitian(3, 5, 5), np.stack([np.eye(5)] * 3)
    b[1, 2, 2] = -1
    a[2, 3, 0] = np.nan
    for type in (1, 2):  # at once, and one after the other
        with pytest.raises(eigen_g.LinAlgError, match=r"order 3 of b(\[1\])? is not positive definite"):
            eigen_g.eigh(a, b, type=type)
        result = eigen_g.eigh(a, b, type=type, errors="status")
        assert result.status.tolist() == [0, 5 + 3, -1]
        np.testing.assert_array_equal(np.isnan(result.eigenvalues).all(-1), [False, True, True])
        np.testing.assert_array_equal(result.eigenvalues[0], eigen_g.eigh(a[0], b[0], type=type).eigenvalues)
        assert eigen_g.eigvalsh(a, b, type=type, errors="status").shape == (3, 5)
    assert result.report[1].bad_minor == 3
    b[1, 2, 2] = 1
    with pytest.raises(eigen_g.NonFiniteEntry, match=r"^a\[2, 3, 0\] is NaN"):
        eigen_g.eigh(a, b)
    a[2, 3, 0], b[1, 4, 2] = 0, np.inf
    for type in (1, 3):
        with pytest.raises(eigen_g.NonFiniteEntry, match=r"^b\[1, 4, 2\] is infinite"):
            eigen_g.eigh(a, b, type=type)
    with pytest.raises(eigen_g.NonFiniteEntry, match=r"^b\[4, 2\] is infinite"):
        eigen_g.eigh(a, b[1])


def positive_definite(*shape, dtype=np.float64, seed=0):
    x = hermitian(*shape, dtype=dtype, seed=seed)
    return (x @ x / shape[-1] + np.eye(shape[-1])).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [0, 1, 2, 5, 17, 49, 130])
@pytest.mark.parametrize("options", [{}, {"lower": False}, {"subset_by_index": (0, 0)}])
def test_generalised_stacks(dtype, n, options):
    a, b = hermitian(2, 3, n, n, dtype=dtype, seed=n), positive_definite(2, 3, n, n, dtype=dtype, seed=n + 1)
    result = eigen_g.eigh(a, b, device="cpu", **options)
    values = eigen_g.eigvalsh(a, b, device="cpu", **options)
    assert isinstance(result.report, eigen_g.BatchReport) and (result.report.count, result.report.failed) == (6, 0)
    for k in np.ndindex(2, 3):
        one = eigen_g.eigh(a[k], b[k], device="cpu", **options)
        same(eigen_g.EighResult(result.eigenvalues[k], result.eigenvectors[k]), one)
        np.testing.assert_array_equal(values[k], eigen_g.eigvalsh(a[k], b[k], device="cpu", **options))
        if "subset_by_index" not in options:
            assert eigen_g.verify(a[k], *one, b=b[k]).passed


@pytest.mark.parametrize("dtype", [np.float64, np.complex64])
@pytest.mark.parametrize("kind_a", ["C", "columns", "backwards", "broadcast"])
@pytest.mark.parametrize("kind_b", ["C", "columns", "padded", "broadcast"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_layouts_of_generalised_stacks(dtype, kind_a, kind_b, overwrite):
    a, _ = laid_out(hermitian(6, 9, 9, dtype=dtype), kind_a)
    b, _ = laid_out(positive_definite(6, 9, 9, dtype=dtype), kind_b)
    before = a.copy(), b.copy()
    w, v = eigen_g.eigh(a, b, overwrite_a=overwrite)
    np.testing.assert_array_equal(b, before[1])
    if not overwrite:
        np.testing.assert_array_equal(a, before[0])
    for k in range(6):
        assert eigen_g.verify(before[0][k], w[k], v[k], b=before[1][k]).passed


def test_a_and_b_of_a_stack_in_one_memory():
    b = positive_definite(4, 7, 7)
    before = b.copy()
    w, _ = eigen_g.eigh(b, b, overwrite_a=True)
    np.testing.assert_allclose(w, 1, atol=1e-13)
    np.testing.assert_array_equal(b, before)


def test_overflowing_eigenvalues_of_a_stack():
    a, b = np.stack([np.eye(3)] * 2), np.stack([np.eye(3)] * 2)
    a[1], b[1] = 4 * np.eye(3), np.finfo(float).tiny * np.eye(3)
    result = eigen_g.eigh(a, b, errors="status")
    assert result.status.tolist() == [0, -1] and np.isnan(result.eigenvectors[1]).all()
    with pytest.raises(eigen_g.InvalidArgument, match="overflow"):
        eigen_g.eigh(a, b)


@pytest.mark.parametrize("vectors", [True, False])
def test_no_convergence(vectors, monkeypatch):
    solve = _core.solve_batch

    def with_a_failure(plan, n, count, *arrays):
        arrays, status = arrays[:-1], arrays[-1]
        solve(plan, n, count, *arrays, status)
        np.ctypeslib.as_array((np.ctypeslib.ctypes.c_int32 * count).from_address(status))[4] = 9
        return type("Report", (), {"failed": 1, "first_failed": 4})

    a = hermitian(2, 3, 5, 5, dtype=np.complex128)
    good = eigen_g.eigh(a)
    monkeypatch.setattr(_core, "solve_batch", with_a_failure)
    with pytest.raises(eigen_g.LinAlgError, match=r"a\[1, 1\]: no convergence \(info 9\)"):
        eigen_g.eigh(a, eigvals_only=not vectors)
    result = eigen_g.eigh(a, errors="status", eigvals_only=not vectors)
    w = result.eigenvalues if vectors else result
    np.testing.assert_array_equal(np.isnan(w), np.broadcast_to([[[False]] * 3, [[False], [True], [False]]], w.shape))
    if vectors:
        assert result.status.tolist() == [[0, 0, 0], [0, 9, 0]]
        v = result.eigenvectors
        assert np.isnan(v[1, 1].real).all() and np.isnan(v[1, 1].imag).all()
        np.testing.assert_array_equal(v[0], good.eigenvectors[0])


# ---- Matrices of different orders


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("orders", ["C", "F", "CF", "FC"])
def test_matrices_of_different_orders(dtype, lower, orders):
    sizes = [0, 1, 2, 40, 5, 100, 48, 49, 3]
    matrices = [np.asarray(hermitian(n, n, dtype=dtype, seed=n), order=orders[k % len(orders)]) for k, n in enumerate(sizes)]
    full = [m.copy() for m in matrices]
    for m, n in zip(matrices, sizes):
        m[np.triu_indices(n, 1) if lower else np.tril_indices(n, -1)] = np.nan
    results = eigen_g.eigh_many(matrices, lower, device="cpu")
    values = eigen_g.eigh_many(iter(matrices), lower, eigvals_only=True, device="cpu")
    assert len(results) == len(values) == len(sizes)
    for m, given, result, w in zip(full, matrices, results, values):
        check(m, *result)
        assert result.eigenvectors.flags.f_contiguous
        np.testing.assert_array_equal(result.eigenvalues, eigen_g.eigh(given, lower=lower, device="cpu").eigenvalues)
        np.testing.assert_array_equal(w, eigen_g.eigvalsh(given, lower=lower, device="cpu"))
    reports = [result.report for result in results]
    assert results[0].status is None and max(report.m for report in reports) == 100
    assert all(report.count == sum(other is report for other in reports) for report in reports)


def test_options_of_eigh_many():
    matrices = [hermitian(n, n, seed=n) for n in (5, 8, 3)]
    for m, (w, v) in zip(matrices, eigen_g.eigh_many(matrices, subset_by_index=[1, 2])):
        assert w.shape == (2,) and v.shape == (len(m), 2)
        np.testing.assert_allclose(m @ v, v * w, atol=1e-13)
    with pytest.raises(ValueError):
        eigen_g.eigh_many(matrices, subset_by_index=[1, 4])
    with pytest.raises(ValueError):
        eigen_g.eigh_many([*matrices, np.zeros((0, 0))], subset_by_index=[0, 0])
    assert eigen_g.eigh_many([]) == []
    with pytest.raises(ValueError, match=r"matrices\[1\] must be a square matrix, its shape is \(2, 3\)"):
        eigen_g.eigh_many([np.eye(2), np.ones((2, 3))])
    with pytest.raises(ValueError, match="errors"):
        eigen_g.eigh_many(matrices, errors="no")
    mixed = eigen_g.eigh_many([np.eye(2, dtype=np.float32), [[2, 1], [1, 2]], np.eye(3, dtype=bool)])
    assert [x.eigenvalues.dtype for x in mixed] == [np.float64] * 3
    with pytest.raises(eigen_g.DeviceError if eigen_g.gpu_count() == 0 else ZeroDivisionError):
        eigen_g.eigh_many(matrices, device="gpu") if eigen_g.gpu_count() == 0 else 1 / 0


def test_failures_in_eigh_many():
    matrices = [hermitian(n, n, seed=n) for n in (4, 50, 6)]
    matrices[1][7, 3] = np.inf
    for order in "CF":
        given = [np.asarray(m, order=order) for m in matrices]
        with pytest.raises(eigen_g.NonFiniteEntry, match=r"^a\[1, 7, 3\] is infinite"):
            eigen_g.eigh_many(given)
        for options in ({"check_finite": False}, {"errors": "status"}):
            results = eigen_g.eigh_many(given, **options)
            assert np.isnan(results[1].eigenvalues).all() and np.isnan(results[1].eigenvectors).all()
            check(matrices[0], *results[0])
        assert [x.status for x in results] == [0, -1, 0] and results[0].report.first_failed == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork()")
def test_a_child_of_fork_solves_stacks():
    a = hermitian(400, 12, 12)
    truth = eigen_g.eigh(a, device="cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # there may be threads
        child = os.fork()
    if child == 0:
        w, v = eigen_g.eigh(a, device="cpu")
        os._exit(0 if np.array_equal(w, truth.eigenvalues) and np.array_equal(v, truth.eigenvectors) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
