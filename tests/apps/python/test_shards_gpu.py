"""eigh_shards: matrices in pieces on GPUs, all pieces on one GPU if there is only one."""

import numpy as np
import pytest

import eigen_g

if eigen_g.gpu_count() == 0:
    pytest.skip("there is no GPU", allow_module_level=True)

from test_arrays_gpu import CuPy, Jax, Torch  # noqa: E402
from test_batches_gpu import hermitian  # noqa: E402

GPUS = min(4, eigen_g.gpu_count())
PIECES = max(2, GPUS)
DTYPES = ["float64", "float32", "complex128", "complex64"]


@pytest.fixture(params=[CuPy, Torch, Jax], ids=lambda c: c.__name__)
def framework(request):
    return request.param()


def check(a, w, v):
    n, ulp = len(a), np.finfo(w.dtype).eps
    assert w.shape == (n,) and v.shape == (n, n) and np.all(np.diff(w) >= 0)
    wide = a.astype("complex128")
    v, w = v.astype("complex128"), w.astype("float64")
    assert np.linalg.norm(wide @ v - v * w, 1) <= 10 * n * np.linalg.norm(wide, 1) * ulp
    assert np.linalg.norm(v.conj().T @ v - np.eye(n), 1) <= 10 * n * ulp


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows", [False, True], ids=["columns", "rows"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n", [130, 401])
def test_pieces(framework, dtype, rows, order, n):
    a = hermitian(n, n, dtype=dtype)
    cut = [0, *(n // 3 + k * (n - n // 3) // (PIECES - 1) for k in range(PIECES))]
    pieces = [
        framework.array(a[i:j] if rows else a[:, i:j], order, k % GPUS) for k, (i, j) in enumerate(zip(cut, cut[1:]))
    ]
    for lower in (True, False):
        w, v = result = eigen_g.eigh_shards(pieces, lower)
        assert [tuple(x.shape) for x in v] == [(n, j - i) for i, j in zip(cut, cut[1:])]
        assert [framework.gpu(x) for x in v] == [k % GPUS for k in range(PIECES)] and framework.gpu(w) == 0
        check(a, framework.host(w), np.hstack([framework.host(x) for x in v]))
        assert len(result.report.devices) == GPUS and result.report.path == "two_stage"
    values = eigen_g.eigh_shards(pieces, eigvals_only=True)
    np.testing.assert_array_equal(framework.host(values), framework.host(eigen_g.eigh_shards(pieces)[0]))
    for x, (i, j) in zip(pieces, zip(cut, cut[1:])):
        np.testing.assert_array_equal(framework.host(x), a[i:j] if rows else a[:, i:j])


def test_one_piece_a_subset_and_the_other_triangle(framework):
    n = 300
    a = hermitian(n, n, dtype="float64")
    whole = eigen_g.eigh_shards([framework.array(a)])
    check(a, framework.host(whole.eigenvalues), framework.host(whole.eigenvectors[0]))
    poisoned = np.tril(a) + np.triu(np.full((n, n), np.nan), 1)
    w, v = eigen_g.eigh_shards([framework.array(poisoned[:, :100]), framework.array(poisoned[:, 100:], gpu=GPUS - 1)], subset_by_index=[10, 19])
    assert [tuple(x.shape) for x in v] == [(n, 5), (n, 5)]
    np.testing.assert_allclose(framework.host(w), framework.host(whole.eigenvalues)[10:20], rtol=0, atol=1e-12)
    with pytest.raises(eigen_g.NonFiniteEntry, match=r"a\[0, 1\] is NaN"):
        eigen_g.eigh_shards([framework.array(poisoned)], UPLO="U")


def test_wrong_pieces(framework):
    a = hermitian(60, 60, dtype="float64")
    for pieces, message in (
        ([], "no arrays"),
        ([framework.array(a[:, :20]), framework.array(a[:, 20:59])], "columns .* or rows"),
        ([framework.array(a[:, :20]), framework.array(a[20:])], "columns .* or rows"),
        ([framework.array(a[:, :20]), a[:, 20:]], "one framework"),
        ([a], "GPUs"),
        ([framework.array(a[:, :20]), framework.array(a[:, 20:].astype("float32"))], "one type"),
        ([framework.array(a[0])], "two dimensions"),
    ):
        with pytest.raises(ValueError, match=message):
            eigen_g.eigh_shards(pieces)


def test_repr_and_pickle_of_the_devices():
    cupy = pytest.importorskip("cupy")
    import pickle

    a = hermitian(200, 200, dtype="float64")
    pieces = []
    for k in range(GPUS):
        with cupy.cuda.Device(k):
            pieces.append(cupy.array(a[:, k * 200 // GPUS : (k + 1) * 200 // GPUS], order="F"))
    report = eigen_g.eigh_shards(pieces).report
    for device in report.devices:
        assert device["bytes"] > 0 and device["flops"] >= 0
        assert dict(device["stages"]).keys() == dict(report.stages).keys()
        assert device["seconds"] == pytest.approx(sum(seconds for _, seconds in device["stages"]))
    assert pickle.loads(pickle.dumps(report)).devices == report.devices
    if GPUS > 1:
        assert "GPU 1" in repr(report) and "GPU 1" in report._repr_html_()


@pytest.mark.skipif(eigen_g.gpu_count() < 2, reason="a sharded array needs two GPUs")
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_sharded_jax_arrays(axis, dtype):
    jax = pytest.importorskip("jax")
    eigh = pytest.importorskip("eigen_g.jax").eigh
    jax.config.update("jax_enable_x64", True)
    n = 100 * GPUS
    a = hermitian(n, n, dtype=dtype)
    mesh = jax.sharding.Mesh(np.array(jax.devices("gpu")[:GPUS]), ("x",))
    spec = jax.sharding.PartitionSpec(*(("x", None) if axis == 0 else (None, "x")))
    x = jax.device_put(a, jax.sharding.NamedSharding(mesh, spec))
    for lower in (True, False):
        w, v = eigh(x, lower=lower)
        check(a, np.asarray(w), np.asarray(v))
        assert len(v.devices()) == GPUS and {s.data.shape for s in v.addressable_shards} == {(n, n // GPUS)}
        assert w.is_fully_replicated
    np.testing.assert_array_equal(np.asarray(x), a)


@pytest.mark.skipif(eigen_g.gpu_count() < 2, reason="needs two GPUs")
def test_as_many_gpus_as_pay():
    a = np.diag(np.arange(300.0))
    assert len(eigen_g.eigh(a, gpus=0, device="gpu").report.devices) == 1
    a = hermitian(6000, 6000, dtype="float64")
    result = eigen_g.eigh(a, gpus=0)
    assert len(result.report.devices) > 1
    assert eigen_g.verify(a, *result).passed
