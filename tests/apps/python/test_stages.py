"""The stages and the checker on NumPy arrays."""

import numpy as np
import pytest

import eigen_g


def random_symmetric(n, seed=0):
    a = np.random.default_rng(seed).standard_normal((n, n))
    return a + a.T


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
