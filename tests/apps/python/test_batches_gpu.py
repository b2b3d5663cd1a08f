"""Stacks of matrices of CuPy, PyTorch and JAX on a GPU, and lists of matrices of different orders."""

import threading

import numpy as np
import pytest

import eigen_g

if eigen_g.gpu_count() == 0:
    pytest.skip("there is no GPU", allow_module_level=True)

from test_arrays_gpu import CuPy, Jax, Torch  # noqa: E402

DTYPES = [np.float64, np.float32, np.complex128, np.complex64]


@pytest.fixture(params=[CuPy, Torch, Jax], ids=lambda c: c.__name__)
def framework(request):
    return request.param()


def hermitian(*shape, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else 0)
    return (a + np.swapaxes(a, -1, -2).conj()).astype(dtype)


def check(a, w, v):
    n, ulp = a.shape[-1], np.finfo(a.dtype).eps
    assert w.shape == a.shape[:-1] and v.shape == a.shape and np.all(np.diff(w) >= 0)
    norm = np.abs(a).sum(-1).max(-1, initial=np.finfo(float).tiny)[..., None, None]
    assert np.all(np.abs(a @ v - v * w[..., None, :]) <= 10 * n * ulp * norm)
    assert np.all(np.abs(np.swapaxes(v, -1, -2).conj() @ v - np.eye(n)) <= 10 * n * ulp)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 8, 17, 32, 33, 64, 100, 128, 129, 300, 520])
@pytest.mark.parametrize("lower", [True, False])
def test_stacks(framework, dtype, n, lower):
    a = hermitian(2, 5, n, n, dtype=dtype, seed=n)
    given = a.copy()
    given[(..., *(np.triu_indices(n, 1) if lower else np.tril_indices(n, -1)))] = np.nan
    x = framework.array(given)
    result = eigen_g.eigh(x, lower=lower)
    w, v = result
    assert isinstance(w, framework.kind) and framework.gpu(v) == framework.gpu(x)
    report = result.report
    assert isinstance(report, eigen_g.BatchReport) and (report.count, report.failed) == (10, 0)
    assert report.devices[0]["gpu"] == 0
    w, v = framework.host(w), framework.host(v)
    check(a, w, v)
    np.testing.assert_array_equal(framework.host(x), given)
    values = framework.host(eigen_g.eigvalsh(x, lower=lower))
    np.testing.assert_allclose(values, w, atol=10 * max(1, n) * np.finfo(dtype).eps * np.abs(w).max(initial=0))
    for part in (np.s_[1:, 2:3], np.s_[:1], np.s_[1, 4:]):
        some = eigen_g.eigh(framework.array(given[part]), lower=lower)
        np.testing.assert_array_equal(framework.host(some.eigenvalues), w[part])
        np.testing.assert_array_equal(framework.host(some.eigenvectors), v[part])
    if n > 4:
        part = eigen_g.eigh(x, lower=lower, subset_by_index=[1, 3])
        np.testing.assert_array_equal(framework.host(part.eigenvalues), w[..., 1:4])
        assert framework.host(part.eigenvectors).shape == (2, 5, n, 3)


@pytest.mark.parametrize("dtype", [np.float64, np.complex64])
@pytest.mark.parametrize("overwrite", [False, True])
def test_layouts(framework, dtype, overwrite):
    a = hermitian(6, 20, 20, dtype=dtype)
    x = framework.array(a)
    views = [x, x[::2], x.swapaxes(1, 2), x.reshape(2, 3, 20, 20)[:, :2]]
    if not isinstance(framework, Jax):
        room = framework.array(np.full((6, 22, 25), np.nan, dtype))
        room[:, 1:21, 3:23] = x
        views.append(room[:, 1:21, 3:23])
    for given in views:
        before = framework.host(given).copy()
        check(before, *map(framework.host, eigen_g.eigh(given, overwrite_a=overwrite)))
        if overwrite and not isinstance(framework, Jax):
            given[...] = framework.array(before)
        np.testing.assert_array_equal(framework.host(given), before)


def test_failures(framework):
    a = hermitian(2, 4, 30, 30)
    good = framework.host(eigen_g.eigh(framework.array(a)).eigenvectors)
    a[0, 2, 2, 1], a[1, 3, 1, 1] = np.nan, np.inf
    bad = np.zeros((2, 4), bool)
    bad[0, 2] = bad[1, 3] = True
    x = framework.array(a)
    for solve in (eigen_g.eigh, eigen_g.eigvalsh):
        with pytest.raises(eigen_g.NonFiniteEntry, match=r"^a\[0, 2, 2, 1\] is NaN"):
            solve(x)
    result = eigen_g.eigh(x, errors="status")
    np.testing.assert_array_equal(result.status, -bad.astype(int))
    v = framework.host(result.eigenvectors)
    np.testing.assert_array_equal(v[~bad], good[~bad])
    assert np.isnan(v[bad]).all() and (result.report.failed, result.report.first_failed) == (2, 2)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 3, 4, 8, 17, 32, 33, 64, 100, 128, 129])
@pytest.mark.parametrize("lower", [True, False])
def test_generalised_stacks(framework, dtype, n, lower):
    a, x = hermitian(2, 3, n, n, dtype=dtype, seed=n), hermitian(2, 3, n, n, dtype=dtype, seed=n + 1)
    b = (x @ x / n + np.eye(n)).astype(dtype)
    given_a, given_b = a.copy(), b.copy()
    for given in (given_a, given_b):
        given[(..., *(np.triu_indices(n, 1) if lower else np.tril_indices(n, -1)))] = np.nan
    x, y = framework.array(given_a), framework.array(given_b)
    result = eigen_g.eigh(x, y, lower=lower)
    assert isinstance(result.eigenvectors, framework.kind)
    assert isinstance(result.report, eigen_g.BatchReport) and (result.report.count, result.report.failed) == (6, 0)
    w, v = map(framework.host, result)
    values = framework.host(eigen_g.eigvalsh(x, y, lower=lower))
    np.testing.assert_allclose(values, w, atol=10 * n * np.finfo(dtype).eps * np.abs(w).max())
    for k in np.ndindex(2, 3):
        assert eigen_g.verify(a[k], w[k], v[k], b=b[k]).passed
    np.testing.assert_array_equal(framework.host(x), given_a)
    np.testing.assert_array_equal(framework.host(y), given_b)
    some = eigen_g.eigh(x[1:], y[1:], lower=lower)
    np.testing.assert_array_equal(framework.host(some.eigenvectors), v[1:])
    one_b = eigen_g.eigh(x, y[0, 1], lower=lower)
    np.testing.assert_array_equal(framework.host(one_b.eigenvectors)[0, 1], v[0, 1])


def test_failures_of_generalised_stacks(framework):
    a, b = hermitian(4, 30, 30), np.stack([np.eye(30)] * 4)
    good = framework.host(eigen_g.eigh(framework.array(a), framework.array(b)).eigenvectors)
    a[1, 2, 1], b[2, 6, 6] = np.nan, -1
    x, y = framework.array(a), framework.array(b)
    with pytest.raises(eigen_g.NonFiniteEntry, match=r"^a\[1, 2, 1\] is NaN"):
        eigen_g.eigh(x, y)
    with pytest.raises(eigen_g.LinAlgError, match=r"order 7 of b\[0\] is not positive definite"):
        eigen_g.eigh(x[2:], y[2:])
    result = eigen_g.eigh(x, y, errors="status")
    assert result.status.tolist() == [0, -1, 30 + 7, 0]
    v = framework.host(result.eigenvectors)
    np.testing.assert_array_equal(v[[0, 3]], good[[0, 3]])
    assert np.isnan(v[[1, 2]]).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", [True, False])
def test_matrices_of_different_orders(framework, dtype, lower):
    sizes = [0, 1, 2, 40, 5, 150, 128, 64, 3]
    matrices = [hermitian(n, n, dtype=dtype, seed=n) for n in sizes]
    for orders in ("C", "CF"):
        given = [framework.array(m, orders[k % len(orders)]) for k, m in enumerate(matrices)]
        for m, x, result in zip(matrices, given, eigen_g.eigh_many(given, lower)):
            w, v = map(framework.host, result)
            check(m, w, v)
            np.testing.assert_array_equal(w, framework.host(eigen_g.eigh(x[None], lower=lower).eigenvalues)[0])
    matrices[3][2, 2] = np.nan
    with pytest.raises(eigen_g.NonFiniteEntry, match=r"^a\[3, 2, 2\] is NaN"):
        eigen_g.eigh_many([framework.array(m) for m in matrices])
    assert [x.status for x in eigen_g.eigh_many([framework.array(m) for m in matrices], errors="status")] == [0, 0, 0, -1] + 5 * [0]


def test_the_current_stream():
    torch = pytest.importorskip("torch")
    a = torch.tensor(hermitian(400, 64, 64), device="cuda")
    truth = eigen_g.eigh(a).eigenvalues
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        b = a.clone()
        for _ in range(30):
            b = b @ torch.eye(64, dtype=a.dtype, device="cuda")
        w, v = eigen_g.eigh(b)
        torch.testing.assert_close((b @ v - v * w.unsqueeze(-2)).abs().amax(), w.new_zeros(()), atol=1e-11, rtol=0)
    torch.testing.assert_close(w, truth, atol=1e-11, rtol=0)


def test_memory_is_the_frameworks():
    torch = pytest.importorskip("torch")
    a = torch.tensor(hermitian(1000, 64, 64), device="cuda")
    report = eigen_g.eigh(a).report
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    # The test counts the requested bytes, because PyTorch's blocks may be up to 1 MiB larger.
    before = torch.cuda.memory_stats()["requested_bytes.all.current"]
    result = eigen_g.eigh(a)
    most = torch.cuda.memory_stats()["requested_bytes.all.peak"] - before
    results = result.eigenvalues.nbytes + result.eigenvectors.nbytes + 4 * 1000
    assert results + report.workspace_bytes[1] <= most <= results + report.workspace_bytes[1] + 4096


def test_threads():
    torch = pytest.importorskip("torch")
    stacks = [torch.tensor(hermitian(50, 33, 33, seed=k), device="cuda") for k in range(4)]
    truth = [eigen_g.eigh(a).eigenvectors for a in stacks]
    equal = []

    def solve(k):
        equal.extend(torch.equal(eigen_g.eigh(stacks[k]).eigenvectors, truth[k]) for _ in range(20))

    threads = [threading.Thread(target=solve, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert equal == [True] * 80


def test_patched_takes_stacks():
    cupy, torch = pytest.importorskip("cupy"), pytest.importorskip("torch")
    a = hermitian(7, 40, 40)
    x, y = torch.tensor(a, device="cuda"), cupy.asarray(a)
    w, v = map(cupy.asnumpy, eigen_g.eigh(y))
    with eigen_g.patched("torch", "cupy"):
        for mine in (torch.linalg.eigh(x)[1].cpu().numpy(), cupy.linalg.eigh(y)[1].get()):
            np.testing.assert_array_equal(mine, v)
        np.testing.assert_allclose(cupy.linalg.eigvalsh(y).get(), w, atol=1e-12)
        np.testing.assert_allclose(torch.linalg.eigvalsh(x).cpu().numpy(), w, atol=1e-12)


def test_torch_vmap_and_gradients():
    torch = pytest.importorskip("torch")
    import eigen_g.torch

    a = torch.tensor(hermitian(6, 5, 5), device="cuda")
    v = torch.vmap(lambda x: eigen_g.torch.eigh(x).eigenvectors)(a)
    torch.testing.assert_close(v, eigen_g.torch.eigh(a).eigenvectors, atol=0, rtol=0)
    torch.library.opcheck(torch.ops.eigen_g.eigh.default, (a.requires_grad_(), True, False))

    def loss(a):
        w, v = eigen_g.torch.eigh((a + a.mT) / 2)
        return w, v.abs() ** 3

    assert torch.autograd.gradcheck(loss, a)
    assert torch.autograd.gradgradcheck(loss, a)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [3, 30, 100, 200])
def test_jax_vmap_and_jit(dtype, n):
    framework = Jax()
    jax = framework.jax
    import eigen_g.jax

    a = hermitian(2, 3, n, n, dtype=dtype)
    x = framework.array(a)
    truth = eigen_g.eigh(x).eigenvectors
    by_callback = "CUDA" not in eigen_g._core.jax_handlers()  # then the CPU may solve what eigen_g.eigh solves on the GPU
    for solve in (eigen_g.jax.eigh, jax.jit(eigen_g.jax.eigh), jax.jit(jax.vmap(jax.vmap(eigen_g.jax.eigh)))):
        w, v = solve(x)
        check(a, np.asarray(w), np.asarray(v))
        if not by_callback:
            np.testing.assert_array_equal(v, truth)
    a[1, 0, 2, 1] = np.nan
    w, v = jax.jit(eigen_g.jax.eigh)(framework.array(a))
    assert np.isnan(np.asarray(v)[1, 0].real).all()
    np.testing.assert_array_equal(np.isnan(np.asarray(w)).any(-1), [[False] * 3, [True, False, False]])
