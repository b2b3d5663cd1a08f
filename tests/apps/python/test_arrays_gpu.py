"""Arrays of CuPy, PyTorch and JAX on a GPU: results there, on the current stream, in the framework's own memory."""

import re
import subprocess
import sys
import threading

import numpy as np
import pytest
from matrices import random_symmetric

import eigen_g

if eigen_g.gpu_count() == 0:
    pytest.skip("there is no GPU", allow_module_level=True)

ULP = np.finfo(float).eps


class CuPy:
    def __init__(self):
        self.cupy = pytest.importorskip("cupy")
        self.kind = self.cupy.ndarray

    def array(self, a, order="C", gpu=0):
        with self.cupy.cuda.Device(gpu):
            return self.cupy.array(a, order=order)

    def host(self, x):
        with x.device:
            return x.get()

    def gpu(self, x):
        return x.device.id


class Torch:
    def __init__(self):
        self.torch = pytest.importorskip("torch")
        self.kind = self.torch.Tensor

    def array(self, a, order="C", gpu=0):
        tensor = self.torch.tensor(np.ascontiguousarray(a if order == "C" else a.T), device=f"cuda:{gpu}")
        return tensor if order == "C" else tensor.T

    def host(self, x):
        return x.cpu().numpy()

    def gpu(self, x):
        return x.device.index


class Jax:
    def __init__(self):
        self.jax = pytest.importorskip("jax")
        self.jax.config.update("jax_enable_x64", True)
        self.kind = self.jax.Array

    def array(self, a, order="C", gpu=0):
        return self.jax.device_put(self.jax.numpy.asarray(a), self.jax.devices("gpu")[gpu])

    def host(self, x):
        return np.asarray(x)

    def gpu(self, x):
        return next(iter(x.devices())).local_hardware_id


@pytest.fixture(params=[CuPy, Torch, Jax], ids=lambda c: c.__name__)
def framework(request):
    return request.param()


def check(a, w, v):
    n = len(a)
    assert w.shape == (n,) and v.shape == (n, n) and np.all(np.diff(w) >= 0)
    if n == 0:
        return
    assert np.linalg.norm(a @ v - v * w, 1) <= 10 * n * np.linalg.norm(a, 1) * ULP
    assert np.linalg.norm(v.T @ v - np.eye(n), 1) <= 10 * n * ULP


@pytest.mark.parametrize("n", [0, 1, 2, 63, 64, 129, 600])
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("lower", [True, False])
def test_eigh(framework, n, order, lower):
    a = random_symmetric(n, n)
    given = a.copy()
    given[np.triu_indices(n, 1) if lower else np.tril_indices(n, -1)] = np.nan
    x = framework.array(given, order)
    result = eigen_g.eigh(x, lower=lower)
    w, v = result
    assert isinstance(w, framework.kind) and isinstance(v, framework.kind) and framework.gpu(v) == framework.gpu(x)
    check(a, framework.host(w), framework.host(v))
    np.testing.assert_array_equal(framework.host(x), given)
    assert result.report.devices[0]["gpu"] == 0
    values = framework.host(eigen_g.eigvalsh(x, lower=lower))
    np.testing.assert_allclose(values, framework.host(w), atol=10 * max(1, n) * ULP * np.abs(values).max(initial=0))
    assert eigen_g.verify(x, w, v, lower=lower).passed
    again = eigen_g.eigh(x, lower=lower)
    np.testing.assert_array_equal(framework.host(again.eigenvectors), framework.host(v))


def test_subsets_overwrite_and_errors(framework):
    a = random_symmetric(200)
    w, v = (framework.host(x) for x in eigen_g.eigh(framework.array(a)))
    got = eigen_g.eigh(framework.array(a), subset_by_index=[5, 9])
    np.testing.assert_array_equal(framework.host(got.eigenvalues), w[5:10])
    assert got.eigenvectors.shape == (200, 5)
    got = eigen_g.eigh(framework.array(a), subset_by_value=[w[10], w[12]])
    np.testing.assert_array_equal(framework.host(got.eigenvalues), w[11:13])
    for order in "CF":
        got = eigen_g.eigh(framework.array(a, order), overwrite_a=True)
        np.testing.assert_array_equal(framework.host(got.eigenvalues), w)
        check(a, framework.host(got.eigenvalues), framework.host(got.eigenvectors))
    bad = a.copy()
    bad[7, 3] = np.nan
    with pytest.raises(eigen_g.NonFiniteEntry, match=r"a\[7, 3\] is NaN"):
        eigen_g.eigh(framework.array(bad))
    nans = eigen_g.eigh(framework.array(bad), check_finite=False)
    assert np.isnan(framework.host(nans.eigenvectors)).all()
    half = framework.array(a.astype(np.float16))
    if isinstance(framework, CuPy):  # converted, as NumPy's arrays are
        assert eigen_g.eigvalsh(half).dtype == eigen_g.eigvalsh(half, half + 200 * framework.cupy.eye(200, dtype=half.dtype)).dtype == np.float32
    else:
        with pytest.raises(TypeError, match="float64"):
            eigen_g.eigh(half)
    single = framework.array(a.astype(np.float32))
    w32, v32 = eigen_g.eigh(single)
    assert framework.host(w32).dtype == framework.host(v32).dtype == np.float32
    assert eigen_g.verify(single, w32, v32).passed
    stack = eigen_g.eigh(framework.array(np.stack([a, 2 * a])))
    np.testing.assert_allclose(framework.host(stack.eigenvalues)[0], w, atol=1e-12)  # kernels for batches round differently
    assert framework.host(stack.eigenvectors).shape == (2, *a.shape)
    with pytest.raises(ValueError, match="cpu"):
        eigen_g.eigh(framework.array(a), device="cpu")


def random_hermitian(n, dtype):
    a = random_symmetric(n) + 1j * np.tril(random_symmetric(n, 1), -1)
    return (np.tril(a) + np.tril(a, -1).conj().T).astype(dtype)


@pytest.mark.parametrize("n", [1, 2, 65, 300])
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_hermitian(framework, n, order, dtype):
    a = random_hermitian(n, dtype)
    for lower in (True, False):
        given = a.copy()
        given[np.triu_indices(n, 1) if lower else np.tril_indices(n, -1)] = np.nan
        for overwrite in (False, True):
            x = framework.array(given, order)
            w, v = eigen_g.eigh(x, lower=lower, overwrite_a=overwrite)
            assert framework.host(w).dtype == np.finfo(dtype).dtype and framework.host(v).dtype == dtype
            assert eigen_g.verify(a, framework.host(w), framework.host(v)).passed
            if not overwrite:
                np.testing.assert_array_equal(framework.host(x), given)
    solver = eigen_g.Solver(n, like=framework.array(a))
    np.testing.assert_array_equal(framework.host(solver(framework.array(a))[0]), framework.host(eigen_g.eigh(framework.array(a))[0]))
    result = eigen_g.eigh(framework.array(a), path="two_stage")
    assert result.report.path == "two_stage"
    assert eigen_g.verify(a, framework.host(result.eigenvalues), framework.host(result.eigenvectors)).passed


@pytest.mark.parametrize("type", [1, 2, 3])
@pytest.mark.parametrize("orders", ["CC", "FF", "CF"])
def test_generalised(framework, type, orders):
    for n, dtype in ((1, np.float64), (120, np.float32), (300, np.float64)):
        a, x = random_symmetric(n).astype(dtype), random_symmetric(n, 1)
        b = (x @ x / n + np.eye(n)).astype(dtype)
        for overwrite in (False, True):
            mine, theirs = framework.array(a, orders[0]), framework.array(b, orders[1])
            w, v = eigen_g.eigh(mine, theirs, type=type, overwrite_a=overwrite, overwrite_b=overwrite)
            assert eigen_g.verify(a, framework.host(w), framework.host(v), b=b, type=type).passed
            if not overwrite:
                np.testing.assert_array_equal(framework.host(mine), a)
                np.testing.assert_array_equal(framework.host(theirs), b)
        solver = eigen_g.Solver(n, like=mine, type=type)
        w1, _ = solver(framework.array(a, orders[0]), framework.array(b, orders[1]))
        np.testing.assert_array_equal(framework.host(w1), framework.host(w))
    a, x = random_hermitian(200, complex), random_hermitian(200, complex)
    for overwrite in (False, True):
        mine, theirs = framework.array(a, orders[0]), framework.array(x @ x / 200 + np.eye(200), orders[1])
        w, v = eigen_g.eigh(mine, theirs, type=type, overwrite_a=overwrite, overwrite_b=overwrite)
        assert eigen_g.verify(a, framework.host(w), framework.host(v), b=x @ x / 200 + np.eye(200), type=type).passed
    a, b = random_symmetric(5), np.eye(5)
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        eigen_g.eigh(framework.array(a), framework.array(-b))
    with pytest.raises(ValueError, match="alike"):
        eigen_g.eigh(framework.array(a), b)


@pytest.mark.parametrize("orders", ["CC", "FF", "CF", "FC"])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.complex64])
def test_the_cholesky_factor_is_returned_and_reused_and_update(framework, orders, lower, dtype):
    n = 200
    a, x = (random_hermitian(n, dtype) if dtype is np.complex64 else random_symmetric(n, seed).astype(dtype) for seed in (0, 1))
    b = (x @ x / n + np.eye(n)).astype(dtype)
    mine, theirs = framework.array(a, orders[0]), framework.array(b, orders[1])
    result = eigen_g.eigh(mine, theirs, lower=lower, return_factor=True)
    for given, original in ((mine, a), (theirs, b)):
        np.testing.assert_array_equal(framework.host(given), original)
    c = np.tril(framework.host(result.factor.c)) if lower else np.triu(framework.host(result.factor.c)).conj().T
    np.testing.assert_allclose(c @ c.conj().T, b, atol=1e3 * np.finfo(dtype).eps * np.abs(b).max())
    solver = eigen_g.Solver(n, like=mine, type=1, lower=lower)
    solver.update(theirs)
    other = framework.array(a, orders[1])
    for w, v in (result, eigen_g.eigh(other, result.factor, lower=lower), solver(mine), solver(other), solver(mine)):
        assert eigen_g.verify(a, framework.host(w), framework.host(v), b=b, lower=lower).passed
    again = framework.host(result.factor.c)
    np.testing.assert_array_equal(np.tril(again) if lower else np.triu(again).conj().T, c)
    stacked = solver(framework.array(np.stack([a, 2 * a])))
    assert eigen_g.verify(2 * a, framework.host(stacked.eigenvalues[1]), framework.host(stacked.eigenvectors[1]), b=b, lower=lower).passed
    np.testing.assert_array_equal(framework.host(theirs), b)


def test_stages(framework):
    a = random_symmetric(150)
    if framework.kind.__module__.startswith("jax"):
        pytest.skip("JAX's arrays are not written in place")
    t = eigen_g.tridiagonalize(framework.array(a))
    w, u = eigen_g.solve_tridiagonal(t.d, t.e)
    check(a, framework.host(w), framework.host(eigen_g.apply_q(t, u)))


def test_solver(framework):
    matrices = [random_symmetric(300, seed) for seed in range(3)]
    solver = eigen_g.Solver(300, like=framework.array(matrices[0]))
    assert solver.on_gpu and solver.workspace_bytes == eigen_g.workspace_bytes(300)
    for a in matrices:
        for order in "CF":
            w, v = solver(framework.array(a, order))
            check(a, framework.host(w), framework.host(v))
    with pytest.raises(ValueError, match="order 300"):
        solver(framework.array(np.eye(5)))
    with pytest.raises(ValueError, match="numpy"):
        solver(np.eye(300))


def test_mixed_precision(framework):
    a = random_symmetric(600)
    plain = eigen_g.eigh(framework.array(a))
    assert plain.report.refinement["result"] == "native"
    assert plain.report.fallbacks == []
    solver = eigen_g.Solver(600, like=framework.array(a), precision="mixed")
    assert solver.workspace_bytes == eigen_g.workspace_bytes(600, precision="mixed") != eigen_g.workspace_bytes(600)
    for overwrite in (False, True):
        for result in (
            eigen_g.eigh(framework.array(a), precision="mixed", overwrite_a=overwrite),
            solver(framework.array(a), overwrite_a=overwrite),
        ):
            refinement = result.report.refinement
            assert refinement["result"] == "refined" and refinement["steps"] > 0 and refinement["float_seconds"] > 0
            check(a, framework.host(result.eigenvalues), framework.host(result.eigenvectors))
            np.testing.assert_allclose(framework.host(result.eigenvalues), framework.host(plain.eigenvalues), atol=1e-11)
    part = eigen_g.eigh(framework.array(a), multiprocessors=66)
    check(a, framework.host(part.eigenvalues), framework.host(part.eigenvectors))


def test_progress_and_an_exception_from_it(framework):
    seen = []
    x = framework.array(random_symmetric(500))
    eigen_g.eigh(x, progress=lambda stage, fraction: seen.append(stage))
    assert {"tridiagonalize", "divide_and_conquer", "back_transform"} <= set(seen)

    def stop(stage, fraction):
        raise KeyError(stage)

    with pytest.raises(KeyError):
        eigen_g.eigh(x, progress=stop)
    check(random_symmetric(500), *(framework.host(y) for y in eigen_g.eigh(x)))


def test_threads(framework):
    matrices = [random_symmetric(256, seed) for seed in range(4)]
    arrays = [framework.array(a) for a in matrices]
    alone = [framework.host(eigen_g.eigh(x).eigenvectors) for x in arrays]
    results = [None] * 4

    def solve(k):
        results[k] = framework.host(eigen_g.eigh(arrays[k]).eigenvectors)

    threads = [threading.Thread(target=solve, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for mine, theirs in zip(results, alone):
        np.testing.assert_array_equal(mine, theirs)


def test_torch_stream_and_pool():
    torch = pytest.importorskip("torch")
    a = torch.tensor(random_symmetric(1000), device="cuda")
    expected = eigen_g.eigvalsh(a)
    x = torch.zeros_like(a)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)  # takes a tenth of a second; later work must wait for it
        x.copy_(a)
        w = eigen_g.eigvalsh(x)
    assert torch.equal(w, expected)

    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before, free_before = torch.cuda.memory_allocated(), torch.cuda.mem_get_info()[0] + torch.cuda.memory_reserved()
    pairs = eigen_g.eigh(a)
    peak = torch.cuda.max_memory_allocated() - before
    matrix = a.nbytes
    told = eigen_g.workspace_bytes(1000)[1]
    assert 2 * matrix + told <= peak <= 2 * matrix + told + (34 << 20)  # results, the copy, cuBLAS's workspace
    free_after = torch.cuda.mem_get_info()[0] + torch.cuda.memory_reserved()
    assert free_before - free_after < 8 << 20  # the pool provided all memory
    del pairs
    assert torch.cuda.memory_allocated() - before <= 34 << 20


def test_cupy_pool():
    cupy = pytest.importorskip("cupy")
    pool = cupy.get_default_memory_pool()
    a = cupy.asarray(random_symmetric(2000))
    eigen_g.eigh(a)
    pool.free_all_blocks()
    used = pool.used_bytes()
    free_before = cupy.cuda.runtime.memGetInfo()[0] + pool.total_bytes()
    w, v = eigen_g.eigh(a)
    assert pool.used_bytes() - used < v.nbytes + w.nbytes + 4096
    assert pool.total_bytes() - used >= eigen_g.workspace_bytes(2000)[1]
    assert abs(cupy.cuda.runtime.memGetInfo()[0] + pool.total_bytes() - free_before) < 8 << 20


@pytest.mark.parametrize("n, dtype", [(1024, "float64"), (4096, "float64"), (4096, "float32"), (2048, "complex128")])
@pytest.mark.parametrize("eigvals_only", [False, True])
def test_peak_is_what_workspace_bytes_says(n, dtype, eigvals_only):
    torch = pytest.importorskip("torch")
    a = torch.rand(n, n, device="cuda", dtype=getattr(torch, dtype))
    eigen_g.eigh(a, eigvals_only=eigvals_only)  # the handle and its workspace remain
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_stats()["requested_bytes.all.current"]  # blocks are larger, by up to 2 MiB
    result = eigen_g.eigh(a, eigvals_only=eigvals_only)
    after = torch.cuda.memory_stats()
    outputs = result.nbytes if eigvals_only else sum(x.nbytes for x in result)
    told = eigen_g.workspace_bytes(n, dtype=dtype, eigvals_only=eigvals_only)[1]
    assert after["requested_bytes.all.peak"] - before == a.nbytes + outputs + told  # a copy of the matrix
    assert after["requested_bytes.all.current"] - before == outputs


@pytest.mark.parametrize("eigvals_only", [False, True])
def test_a_small_workspace_is_kept_until_another_solve(eigvals_only):
    torch = pytest.importorskip("torch")
    a, b = (torch.rand(n, n, device="cuda", dtype=torch.float64) for n in (200, 1500))
    a, b = a + a.mT, b + b.mT
    first = eigen_g.eigh(a, eigvals_only=eigvals_only)
    for _ in range(3):
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_stats()["requested_bytes.all.current"]
        with torch.cuda.stream(torch.cuda.Stream()):
            result = eigen_g.eigh(a, eigvals_only=eigvals_only)
        pairs = [result] if eigvals_only else list(result)
        outputs = sum(x.nbytes for x in pairs)
        assert torch.cuda.memory_stats()["requested_bytes.all.peak"] - before <= a.nbytes + outputs  # no workspace
        assert all(torch.equal(x, y) for x, y in zip(pairs, [first] if eigvals_only else first))
        del result, pairs
    before = torch.cuda.memory_stats()["requested_bytes.all.current"]
    eigen_g.eigh(b)
    assert torch.cuda.memory_stats()["requested_bytes.all.current"] < before


def test_exit_leaves_nothing_said(framework):
    script = """
import numpy as np, threading, eigen_g
import {0} as xp
a = np.random.default_rng(0).standard_normal((100, 100))
x = {1}
eigen_g.eigh(x)
solver = eigen_g.Solver(100, like=x)
solver(x)
thread = threading.Thread(target=lambda: eigen_g.eigh(x))
thread.start()
thread.join()
kept = eigen_g.eigh(x)
"""
    module, array = {"CuPy": ("cupy", "xp.asarray(a)"), "Torch": ("torch", 'xp.tensor(a, device="cuda")'), "Jax": ("jax", "xp.numpy.asarray(a)")}[
        type(framework).__name__
    ]
    done = subprocess.run([sys.executable, "-c", script.format(module, array)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and not re.search("eigen_g|nanobind|Error", done.stderr), done.stderr


def test_anything_with_the_interface_or_dlpack():
    torch = pytest.importorskip("torch")
    cupy = pytest.importorskip("cupy")
    a = cupy.asarray(random_symmetric(100))

    class Interface:
        __cuda_array_interface__ = a.__cuda_array_interface__

    class DLPack:
        def __dlpack__(self, **options):
            return a.__dlpack__(**options)

        def __dlpack_device__(self):
            return a.__dlpack_device__()

    expected = eigen_g.eigvalsh(a)
    for other in (Interface(), DLPack()):
        cupy.testing.assert_array_equal(eigen_g.eigvalsh(other), expected)
    assert torch.from_dlpack(eigen_g.eigvalsh(a)).is_cuda


def test_torch_operator():
    pytest.importorskip("torch")
    import torch

    import eigen_g.torch

    a = torch.tensor(random_symmetric(8), device="cuda", requires_grad=True)
    torch.library.opcheck(torch.ops.eigen_g.eigh.default, (a, True, False))

    def loss(a):
        w, v = eigen_g.torch.eigh((a + a.mT) / 2)
        return w, torch.abs(v) ** 3

    assert torch.autograd.gradcheck(loss, a)
    stack = torch.tensor(np.stack([random_symmetric(9, k) for k in range(5)]), device="cuda")
    w, v = torch.vmap(lambda x: tuple(eigen_g.torch.eigh(x)))(stack)
    torch.testing.assert_close(stack @ v, v * w.unsqueeze(-2), atol=1e-12, rtol=0)
    for backend in ("aot_eager", "inductor"):
        compiled = torch.compile(lambda a: loss(a)[1].sum(), fullgraph=True, backend=backend)
        torch.testing.assert_close(compiled(a), loss(a)[1].sum())


def test_torch_operator_of_complex():
    pytest.importorskip("torch")
    import torch

    import eigen_g.torch

    a = torch.tensor(random_hermitian(7, complex), device="cuda", requires_grad=True)
    torch.library.opcheck(torch.ops.eigen_g.eigh.default, (a.detach(), True, False))

    def loss(a):
        w, v = eigen_g.torch.eigh((a + a.mH) / 2)
        return w, torch.abs(v) ** 3

    assert torch.autograd.gradcheck(loss, a)


def test_patched():
    torch, cupy = pytest.importorskip("torch"), pytest.importorskip("cupy")
    a = random_symmetric(50)
    x, y = torch.tensor(a, device="cuda"), cupy.asarray(a)
    with eigen_g.patched("torch", "cupy", "scipy", "numpy"):
        mine = cupy.linalg.eigh(y)[0].get()
        np.testing.assert_array_equal(torch.linalg.eigh(x).eigenvalues.cpu().numpy(), mine)
        np.testing.assert_allclose(np.linalg.eigvalsh(a), mine, atol=1e-12)
        assert cupy.linalg.eigh(y.astype(cupy.float32))[0].dtype == cupy.float32
        assert torch.linalg.eigh(x + 0j).eigenvectors.dtype == torch.complex128
        scipy = pytest.importorskip("scipy.linalg")
        np.testing.assert_allclose(scipy.eigh(a, np.eye(50))[0], mine, atol=1e-12)
    np.testing.assert_allclose(cupy.linalg.eigh(y)[0].get(), mine, atol=1e-12)


def test_memory_limit():
    a = random_symmetric(700)
    whole = eigen_g.eigh(a, device="gpu")
    assert whole.report.mode == "in_core"
    limit = whole.report.workspace_bytes[1] - 4 * 700**2  # half of a matrix less
    for result in (eigen_g.eigh(a, device="gpu", memory_limit=limit), eigen_g.Solver(700, device="gpu", memory_limit=limit)(a)):
        assert result.report.mode in ("parked", "slabs")
        assert result.report.fallbacks[0] == "in_core_to_parked"
        assert result.report.workspace_bytes[1] <= limit
        check(a, result.eigenvalues, result.eigenvectors)
        np.testing.assert_array_equal(result.eigenvalues, whole.eigenvalues)
    with pytest.raises(MemoryError, match="memory_limit"):
        eigen_g.eigh(a, device="gpu", memory_limit=1000)
