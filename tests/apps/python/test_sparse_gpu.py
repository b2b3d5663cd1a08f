"""eigen_g.sparse with matrices of cupyx.scipy.sparse: pairs at an end stay on the GPU, the others are copied to the host."""

import numpy as np
import pytest

from eigen_g import sparse

cupy = pytest.importorskip("cupy")
pytest.importorskip("scipy.sparse")
csr = pytest.importorskip("cupyx.scipy.sparse").csr_matrix


@pytest.fixture(autouse=True)
def a_gpu():
    try:
        cupy.cuda.runtime.getDevice()
    except cupy.cuda.runtime.CUDARuntimeError:
        pytest.skip("no GPU")


def diagonal(values):
    n = len(values)
    data = cupy.asarray(values), cupy.arange(n, dtype=np.int32), cupy.arange(n + 1, dtype=np.int32)
    return csr(data, shape=(n, n))


@pytest.mark.parametrize("which", ["LM", "SA", "LA", "BE"])
def test_ends_of_a_large_matrix_stay_on_the_gpu(which):
    n = 5000
    values = np.concatenate([[-30.0, -19.0, -9.0], np.linspace(1, 2, n - 6), [8.0, 15.0, 20.0]])
    expected = {"LM": [-30, -19, 20], "SA": [-30, -19, -9], "LA": [8, 15, 20], "BE": [-30, 15, 20]}[which]
    a = diagonal(values)
    w, v, report = sparse.eigsh(a, 3, which=which, info=True)
    assert isinstance(w, cupy.ndarray) and isinstance(v, cupy.ndarray) and v.shape == (n, 3)
    np.testing.assert_allclose(w.get(), expected, atol=1e-11)
    assert float(abs(a @ v - v * w).max()) < 1e-10
    assert report.method == "lanczos"
    assert sparse.verify(a, w, v).passed


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_small_and_other_problems_are_solved_on_the_host(dtype):
    a = diagonal(np.arange(1.0, 61.0).astype(dtype))
    for options, expected in (({}, [58, 59, 60]), ({"sigma": 20.1}, [19, 20, 21])):
        w, v = sparse.eigsh(a, 3, **options)
        assert isinstance(v, cupy.ndarray) and w.dtype == dtype
        np.testing.assert_allclose(w.get(), expected, rtol=1e-6)
    w, v = sparse.eigsh(cupy.asarray(a.toarray()), 3)
    assert isinstance(v, cupy.ndarray)


def test_the_same_bits_twice():
    a = diagonal(np.r_[np.linspace(0, 1, 4997), 3.0, 4.0, 5.0])
    first, second = (sparse.eigsh(a, 3, which="LA") for _ in range(2))
    assert all(bool((x == y).all()) for x, y in zip(first, second))
