"""The stages and the checker on NumPy arrays."""

import numpy as np
import pytest
from matrices import random_symmetric

import eigen_g


@pytest.mark.parametrize("n", [0, 1, 2, 50])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("order", "CF")
def test_the_stages_make_a_solve(n, lower, order):
    a = random_symmetric(n).copy(order=order)
    before = a.copy()
    t = eigen_g.tridiagonalize(a, lower=lower)
    np.testing.assert_array_equal(a, before)
    q = eigen_g.apply_q(t, np.eye(n))
    full = np.diag(t.d) + np.diag(t.e, 1) + np.diag(t.e, -1) if n > 1 else np.diag(t.d)
    np.testing.assert_allclose(q @ full @ q.T, a, atol=1e-12 * max(1, n))
    w, u = eigen_g.solve_tridiagonal(t.d, t.e)
    np.testing.assert_allclose(full @ u, u * w, atol=1e-12 * max(1, n))
    np.testing.assert_allclose(eigen_g.solve_tridiagonal(t.d, t.e, eigvals_only=True), w, atol=1e-12 * max(1, n))
    z = eigen_g.apply_q(t, u)
    assert eigen_g.verify(a, w, z, lower=lower).passed
    np.testing.assert_allclose(eigen_g.apply_q(t, u[:, :1]), z[:, :1], atol=1e-13)


def test_apply_q_from_both_sides_and_its_transpose():
    n, m = 30, 4
    t = eigen_g.tridiagonalize(random_symmetric(n), lower=False)
    q, z = eigen_g.apply_q(t, np.eye(n)), np.cos(np.arange(n * m)).reshape(n, m)
    np.testing.assert_allclose(eigen_g.apply_q(t, z, adjoint=True), q.T @ z, atol=1e-13)
    np.testing.assert_allclose(eigen_g.apply_q(t, z.T, right=True), z.T @ q, atol=1e-13)
    np.testing.assert_allclose(eigen_g.apply_q(t, z.T, right=True, adjoint=True), z.T @ q.T, atol=1e-13)
    with pytest.raises(ValueError, match="30 columns"):
        eigen_g.apply_q(t, z, right=True)


def test_bad_shapes():
    with pytest.raises(ValueError, match="n - 1"):
        eigen_g.solve_tridiagonal(np.ones(4), np.ones(4))
    with pytest.raises(ValueError, match="4 rows"):
        eigen_g.apply_q(eigen_g.tridiagonalize(np.eye(4)), np.eye(5))
    with pytest.raises(ValueError, match="n x m"):
        eigen_g.verify(np.eye(4), np.ones(3), np.eye(4))
    for dtype in (np.float32, np.complex128):
        with pytest.raises(TypeError, match="float64 is solved for the stages"):
            eigen_g.tridiagonalize(np.eye(4, dtype=dtype))


def test_apply_q_looks_at_all_of_t():
    a = random_symmetric(6)
    t = eigen_g.tridiagonalize(a)
    q = eigen_g.apply_q(t, np.eye(6))
    np.testing.assert_array_equal(eigen_g.apply_q(t._replace(tau=np.repeat(t.tau, 2)[::2]), np.eye(6)), q)
    with pytest.raises(ValueError, match="t.tau must have n - 1 = 5 entries"):
        eigen_g.apply_q(t._replace(tau=t.tau[:1]), np.eye(6))
    with pytest.raises(TypeError, match="t.tau is float32"):
        eigen_g.apply_q(t._replace(tau=t.tau.astype(np.float32)), np.eye(6))
    with pytest.raises(TypeError, match="^t.tau is >f8"):
        eigen_g.apply_q(t._replace(tau=t.tau.astype(">f8")), np.eye(6))
    with pytest.raises(TypeError, match="^z is float32"):
        eigen_g.apply_q(t, np.eye(6, dtype=np.float32))


def test_solve_tridiagonal_names_what_is_wrong():
    with pytest.raises(TypeError, match="^d is float32"):
        eigen_g.solve_tridiagonal(np.ones(3, np.float32), np.ones(2))
    with pytest.raises(TypeError, match="^e is complex64"):
        eigen_g.solve_tridiagonal(np.ones(3), np.ones(2, np.complex64))
    with pytest.raises(eigen_g.NonFiniteEntry, match=r"^d\[1\] is NaN"):
        eigen_g.solve_tridiagonal(np.array([1, np.nan, 2]), np.ones(2))
    with pytest.raises(eigen_g.NonFiniteEntry, match=r"^e\[0\] is infinite"):
        eigen_g.solve_tridiagonal(np.ones(3), np.array([np.inf, 1]))
    bad = np.eye(4)
    bad[3, 1] = np.nan
    with pytest.raises(eigen_g.NonFiniteEntry, match=r"^a\[3, 1\] is NaN"):
        eigen_g.tridiagonalize(bad)


def test_verify_finds_a_wrong_vector():
    a = random_symmetric(30)
    w, v = eigen_g.eigh(a)
    good = eigen_g.verify(a, w, v)
    assert good.passed and good.lapack_residual < 2 and good.n == good.m == 30
    assert eigen_g.verify(a, w[3:9], v[:, 3:9]).passed
    wrong = v.copy()
    wrong[:, 7] = wrong[:, 8]
    assert not eigen_g.verify(a, w, wrong).passed
    assert not eigen_g.verify(a, w[::-1], v[:, ::-1]).ascending
    with pytest.raises(TypeError, match=">f8"):
        eigen_g.verify(a, w.astype(">f8"), v)
    with pytest.raises(ValueError, match="type is 9"):
        eigen_g.verify(a, w, v, type=9)
    assert eigen_g.verify(np.tril(a), w, v, lower=np.True_).passed and not eigen_g.verify(np.tril(a), w, v, lower=None).passed


@pytest.mark.parametrize("form", ["csr_array", "coo_matrix", "csc_array"])
def test_verify_takes_a_sparse_matrix(form):
    sparse = pytest.importorskip("scipy.sparse")
    a = random_symmetric(40) * (np.abs(np.subtract.outer(np.arange(40), np.arange(40))) < 4)
    w, v = (x[..., :7] for x in eigen_g.eigh(a))
    form = getattr(sparse, form)(a)
    dense, found = eigen_g.verify(a, w, v), eigen_g.verify(form, w, v)
    assert found.passed and found.n == 40 and found.m == 7 and found.reconstruction == -1
    np.testing.assert_allclose(found.lapack_residual, dense.lapack_residual, atol=0.1)
    assert not eigen_g.verify(form, w + 1e-6, v).passed
    with pytest.raises(ValueError, match="type must be 1"):
        eigen_g.verify(form, w, v, b=np.eye(40), type=2)
    with pytest.raises(ValueError, match="m and n x m"):
        eigen_g.verify(form, w[:3], v)
    with pytest.raises(TypeError, match="float64"):
        eigen_g.verify(form, w, v.astype(np.float32))


@pytest.mark.parametrize("select, select_range", [("a", None), ("i", (2, 7)), (2, (0, 0)), ("v", (-1, 1.5)), ("value", (90, 91)), (0, None)])
def test_eigh_tridiagonal_is_scipys(select, select_range):
    linalg = pytest.importorskip("scipy.linalg")
    rng = np.random.default_rng(0)
    d, e = rng.standard_normal(30), rng.standard_normal(29)
    w, u = eigen_g.eigh_tridiagonal(d, e, select=select, select_range=select_range)
    theirs = linalg.eigh_tridiagonal(d, e, select=select, select_range=select_range)
    np.testing.assert_allclose(w, theirs[0], atol=1e-13)
    np.testing.assert_allclose(np.abs(u), np.abs(theirs[1]), atol=1e-10)
    np.testing.assert_allclose(eigen_g.eigvalsh_tridiagonal(d, e, select, select_range), w, atol=1e-13)


def test_eigh_tridiagonal_refuses_what_scipy_refuses():
    d, e = np.ones(4), np.ones(3)
    for arguments, match in ((("x",), "select is 'x'"), (("i",), "select_range is required"), (("i", (0, 4)), "last < n"), (("v", (1, 1)), "ascending")):
        with pytest.raises(ValueError, match=match):
            eigen_g.eigh_tridiagonal(d, e, False, *arguments)
