"""eigen_g.jax.eigh and JAX's arrays, on the device that JAX takes by default."""

import os
import subprocess
import sys

import numpy as np
import pytest

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import eigen_g  # noqa: E402
import eigen_g.jax  # noqa: E402


def random_symmetric(*shape, seed=0):
    a = np.random.default_rng(seed).standard_normal((*shape, shape[-1]))
    return jnp.asarray(a + np.swapaxes(a, -1, -2))


def close(x, y, atol=1e-12):
    np.testing.assert_allclose(np.asarray(x), np.asarray(y), atol=atol, rtol=0)


def test_arrays_in_arrays_out():
    a = random_symmetric(30)
    w, v = eigen_g.eigh(a)
    assert isinstance(w, jax.Array) and v.devices() == a.devices()
    close(a @ v, v * w)
    close(eigen_g.eigvalsh(a), w)
    with pytest.raises(TypeError, match="traced"):
        jax.jit(eigen_g.eigvalsh)(a)
    with pytest.raises(TypeError, match="float64"):
        eigen_g.jax.eigh(a.astype(jnp.float16))
    w, v = jax.jit(eigen_g.jax.eigh)(a.astype(jnp.float32))
    assert w.dtype == v.dtype == jnp.float32 and eigen_g.verify(a.astype(jnp.float32), w, v).passed
    with pytest.raises(ValueError, match="square"):
        eigen_g.jax.eigh(a[:3])
    with pytest.raises(ValueError, match="degenerate"):
        eigen_g.jax.eigh(a, degenerate="shrug")


def test_layouts():
    layout = pytest.importorskip("jax.experimental.layout")
    if not hasattr(layout, "Format"):
        pytest.skip("a JAX without arrays' layouts")
    x = np.asarray(random_symmetric(6)) + 1j * np.asarray(random_symmetric(6, seed=1))
    b = np.eye(6) + x @ x.conj().T
    here = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    by_columns = [jax.device_put(jnp.asarray(m), layout.Format(layout.Layout((1, 0)), here)) for m in (x, b)]
    full = {True: np.tril(x) + np.tril(x, -1).conj().T, False: np.triu(x) + np.triu(x, 1).conj().T}
    for lower, truth in full.items():
        truth = truth - 1j * np.diag(np.diag(truth).imag)
        w, v = eigen_g.eigh(by_columns[0], lower=lower)
        close(truth @ v, v * w)
        w, v = eigen_g.eigh(by_columns[0], jnp.asarray(b), lower=lower)
        close(truth @ v, b @ np.asarray(v) * w, 1e-10)
        w, v = eigen_g.eigh(jnp.asarray(x), by_columns[1], lower=lower)
        close(truth @ v, b @ np.asarray(v) * w, 1e-10)


def test_not_finite_of_an_array():
    w, v = result = eigen_g.eigh(jnp.full((3, 3), jnp.nan + 0j), check_finite=False)
    assert bool(jnp.isnan(w).all() & jnp.isnan(v.imag).all()) and result.report is None and isinstance(v, jax.Array)


def test_patched_leaves_jax_arrays_to_numpy():
    a = random_symmetric(4)
    with eigen_g.patched("numpy"):
        assert type(np.linalg.eigh(a).eigenvectors) is np.ndarray


@pytest.mark.parametrize("shape", [(0,), (1,), (40,), (3, 17), (2, 2, 5)])
@pytest.mark.parametrize("lower", [True, False])
def test_jit(shape, lower):
    a = random_symmetric(*shape)
    given = jnp.where(jnp.tril(jnp.ones(a.shape, bool), 0 if lower else -1) == lower, a, jnp.nan)
    for solve in (eigen_g.jax.eigh, jax.jit(eigen_g.jax.eigh, static_argnames="lower")):
        w, v = solve(given, lower=lower)
        assert w.shape == a.shape[:-1] and v.shape == a.shape
        close(a @ v, v * w[..., None, :])
        close(jnp.swapaxes(v, -1, -2) @ v, jnp.broadcast_to(jnp.eye(shape[-1]), a.shape))


def test_not_finite_makes_nans():
    a = random_symmetric(3, 6).at[1, 4, 2].set(jnp.inf)
    w, v = jax.jit(eigen_g.jax.eigh)(a)
    assert bool(jnp.isnan(w[1]).all() & jnp.isnan(v[1]).all()) and bool(jnp.isfinite(v[0]).all() & jnp.isfinite(v[2]).all())


@pytest.mark.skipif("cpu" not in eigen_g._core.jax_handlers(), reason="built without JAX's headers, so by a callback")
def test_one_core_is_enough():
    program = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
import jax, numpy, eigen_g.jax
solve = jax.jit(lambda a: eigen_g.jax.eigh(2 * a))
for _ in range(10):
    solve(numpy.ones((800, 800), "f4"))[0].block_until_ready()
"""
    subprocess.run([sys.executable, "-c", program], check=True, env=os.environ | {"JAX_PLATFORMS": "cpu"}, timeout=120)


def loss(a, degenerate="nan"):
    w, v = eigen_g.jax.eigh(a, degenerate=degenerate)
    return jnp.sum(jnp.cos(w)), jnp.abs(v) ** 3, (v * jnp.sin(w)[..., None, :]) @ jnp.swapaxes(v, -1, -2)


def test_hermitian():
    a = random_symmetric(3, 6) + 1j * jnp.tril(random_symmetric(3, 6, seed=1), -1)
    a = jnp.tril(a) + jnp.conj(jnp.swapaxes(jnp.tril(a, -1), -1, -2))
    for solve in (eigen_g.jax.eigh, jax.jit(eigen_g.jax.eigh)):
        w, v = solve(a)
        assert w.dtype == jnp.float64 and v.dtype == jnp.complex128
        close(a @ v, v * w[..., None, :])
    w, v = eigen_g.eigh(a[0])
    close(a[0] @ v, v * w)

    def smooth(x):
        w, v = eigen_g.jax.eigh((x + jnp.conj(x.T)) / 2)
        return w, jnp.abs(v) ** 3

    check_grads(smooth, (a[0],), order=1, atol=1e-4, rtol=1e-4)


def test_derivatives():
    a = random_symmetric(5, seed=2)
    check_grads(lambda x: loss((x + x.T) / 2), (a,), order=2, atol=1e-4, rtol=1e-4)
    mine = jax.grad(lambda x: jnp.sum(jnp.abs(eigen_g.jax.eigh(x).eigenvectors) ** 2 * a))(a)
    expected = jax.grad(lambda x: jnp.sum(jnp.abs(jnp.linalg.eigh(x)[1]) ** 2 * a))(a)
    close(mine, (expected + expected.T) / 2, 1e-9)


def test_equal_eigenvalues():
    a = jnp.diag(jnp.asarray([1.0, 1.0, 2.0]))

    def entry(x, degenerate):
        v = eigen_g.jax.eigh(x, degenerate=degenerate).eigenvectors[:, :2]
        return (v @ v.T)[0, 2]

    assert not bool(jnp.isfinite(jax.grad(entry)(a, "nan")).all())
    close(jax.grad(entry)(a, "mask"), jnp.zeros((3, 3)).at[0, 2].set(-0.5).at[2, 0].set(-0.5))


def test_vmap():
    a = random_symmetric(3, 4, 7)
    over_both = jax.vmap(jax.vmap(eigen_g.jax.eigh))
    w, v = jax.jit(over_both)(a)
    close(a @ v, v * w[..., None, :])
    stack = eigen_g.jax.eigh(a)
    np.testing.assert_array_equal(stack.eigenvalues, w)  # one solve of the same stack
    np.testing.assert_array_equal(stack.eigenvectors, v)
    program = str(jax.make_jaxpr(over_both)(a))
    assert not any(loop in program for loop in ("scan", "while", "sequential"))


@pytest.mark.parametrize("n", [3, 60])
def test_bits_of_a_stack(n):
    """Inside jit a stack has the bits that it has in eigen_g.eigh, and that its parts have."""
    if jax.default_backend() != "cpu" and "CUDA" not in eigen_g._core.jax_handlers():
        pytest.skip("built without JAX's headers: the CPU may solve what eigen_g.eigh solves on the GPU")
    a = random_symmetric(5, n)
    w, v = jax.jit(eigen_g.jax.eigh)(a)
    mine = eigen_g.eigh(a)
    np.testing.assert_array_equal(mine.eigenvalues, w)
    np.testing.assert_array_equal(mine.eigenvectors, v)
    np.testing.assert_array_equal(eigen_g.jax.eigh(a[3:]).eigenvectors, v[3:])
    if jax.default_backend() == "cpu":
        np.testing.assert_array_equal(eigen_g.jax.eigh(a[3]).eigenvectors, v[3])


def test_stacks_of_arrays():
    a = random_symmetric(2, 3, 6).at[1, 2, 4, 1].set(jnp.nan)
    with pytest.raises(eigen_g.NonFiniteEntry, match=r"a\[1, 2, 4, 1\] is NaN"):
        eigen_g.eigh(a)
    result = eigen_g.eigh(a, errors="status")
    assert result.status.tolist() == [[0, 0, 0], [0, 0, -1]] and isinstance(result.eigenvectors, jax.Array)
    good = np.asarray(result.status) == 0
    a, (w, v) = np.asarray(a), map(np.asarray, result)
    close(a[good] @ v[good], v[good] * w[good][:, None, :])
    assert np.isnan(v[~good]).all() and np.isnan(w[~good]).all()
    for (w, v), m in zip(eigen_g.eigh_many([jnp.asarray(a[0, 0]), jnp.asarray(a[0, 1, :4, :4])]), (a[0, 0], a[0, 1, :4, :4])):
        close(m @ v, v * w)


def test_derivatives_of_stacks():
    a = random_symmetric(3, 5, seed=2)
    check_grads(lambda x: loss((x + jnp.swapaxes(x, -1, -2)) / 2), (a,), order=2, atol=1e-4, rtol=1e-4)
    of_one = lambda x: jnp.sum(jnp.cos(eigen_g.jax.eigh(x).eigenvectors[0] ** 2))  # noqa: E731
    close(jax.vmap(jax.grad(of_one))(a), jnp.stack([jax.grad(of_one)(x) for x in a]))
