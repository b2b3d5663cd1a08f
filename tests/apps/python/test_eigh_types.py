"""Entries of any type, sequences and other array types, converted as SciPy converts them."""

import numpy as np
import pytest
from matrices import random_hermitian, random_pair, random_symmetric

import eigen_g


@pytest.mark.parametrize("overwrite", [False, True])
def test_subclasses_are_taken_as_plain_arrays(overwrite):
    a = random_symmetric(5)
    plain = eigen_g.eigh(a)
    for kind in (np.asmatrix, lambda x: np.ma.masked_greater(x, 0)):
        result = eigen_g.eigh(kind(a.copy()), overwrite_a=overwrite)
        assert [type(x) for x in result] == [np.ndarray] * 2
        np.testing.assert_array_equal(result.eigenvectors, plain.eigenvectors)


solved_types = {np.float32: "?bBhHef", np.float64: "iIlLqQdg", np.complex64: "F", np.complex128: "DG"}
small_numbers = np.array([[3, 1, 0], [1, 2, 1], [0, 1, 5]])


def solved_type(*chars):
    single, double, c64, c128 = (any(c in chars_of for c in chars) for chars_of in solved_types.values())
    return np.complex128 if c128 or (c64 and double) else np.complex64 if c64 else np.float64 if double else np.float32


@pytest.mark.parametrize("dtype", [*"?bBhHefiIlLqQdgFDG", ">f8", ">f4", ">c16", ">c8", ">i2", ">i8"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_other_types_are_converted_as_scipy_does(dtype, overwrite):
    solved = solved_type(dtype[-1] if not dtype[-1].isdigit() else np.dtype(dtype).char)
    given = small_numbers.astype(dtype)
    before = given.copy()
    w, v = eigen_g.eigh(given, overwrite_a=overwrite)
    truth = eigen_g.eigh(before.astype(solved))
    assert v.dtype == solved and w.dtype == np.finfo(solved).dtype
    np.testing.assert_array_equal(w, truth.eigenvalues)
    np.testing.assert_array_equal(v, truth.eigenvectors)
    np.testing.assert_array_equal(eigen_g.eigvalsh(np.stack([before] * 2))[1], eigen_g.eigvalsh(before.astype(solved)))
    assert eigen_g.verify(before, w, v).passed
    if solved != np.dtype(dtype):
        np.testing.assert_array_equal(given, before)
    scipy = pytest.importorskip("scipy.linalg")
    assert [x.dtype for x in scipy.eigh(before)] == [w.dtype, v.dtype]


@pytest.mark.parametrize("char", "?befilgFDG")
@pytest.mark.parametrize("other", "?befilgFDG")
def test_two_types_become_one_as_in_scipy(char, other):
    solved = solved_type(char, other)
    a, b = small_numbers.astype(char), np.eye(3).astype(other)
    before = a.copy(), b.copy()
    w, v = eigen_g.eigh(a, b)
    truth = eigen_g.eigh(a.astype(solved), b.astype(solved))
    assert v.dtype == solved and w.dtype == np.finfo(solved).dtype
    np.testing.assert_array_equal(w, truth.eigenvalues)
    np.testing.assert_array_equal(v, truth.eigenvectors)
    assert eigen_g.verify(a, w, v, b=b).passed
    np.testing.assert_array_equal((a, b), before)
    scipy = pytest.importorskip("scipy.linalg")
    assert [x.dtype for x in scipy.eigh(a, b)] == [w.dtype, v.dtype]


def test_a_complex_matrix_with_a_real_b():
    n = 20
    a, (_, b) = random_hermitian(n), random_pair(n)
    for x, y in ((a, b), (a.real.copy(), b + 1j * (np.tril(a.imag, -1) + np.triu(a.imag, 1)) / (20 * n))):
        for type in (1, 2, 3):
            w, v = eigen_g.eigh(x, y, type=type)
            assert v.dtype == complex and eigen_g.verify(x, w, v, b=y, type=type).passed
            solver = eigen_g.Solver(n, like=a, type=type)
            np.testing.assert_array_equal(solver(x, y).eigenvectors, v)


def test_sequences():
    w, v = eigen_g.eigh([[2, 1], (1, 2)], [np.array([2.0, 0]), [0, 2]])
    np.testing.assert_allclose(w, [0.5, 1.5])
    np.testing.assert_array_equal(eigen_g.eigvalsh([[[1, 0], [0, 2]], [[3, 0], [0, 4]]]), [[1, 2], [3, 4]])
    w, v = eigen_g.eigh([[1j]])
    assert w == 0 and v == 1
    for wrong in (3, [1, 2], [], [[]], [[1, 2], [3]], [[1, 2]]):
        with pytest.raises(ValueError):
            eigen_g.eigh(wrong)


@pytest.mark.parametrize("dtype", ["U3", "S3", "M8[s]", "m8[s]", "V8"])
def test_other_types_are_refused(dtype):
    with pytest.raises(TypeError, match="float64 is solved"):
        eigen_g.eigh(np.zeros((3, 3), dtype))


@pytest.mark.parametrize("n", [0, 1, 5, 64, 200])
@pytest.mark.parametrize("lower", [True, False])
def test_float32_stays_float32(n, lower):
    a = random_symmetric(n, n).astype(np.float32)
    w, v = eigen_g.eigh(a, lower=lower)
    assert w.dtype == v.dtype == np.float32
    assert eigen_g.verify(a, w, v, lower=lower).passed
    np.testing.assert_allclose(w, np.linalg.eigvalsh(a.astype(float)), atol=max(n, 1) * 1e-6)
    with pytest.raises(TypeError, match="one precision"):
        eigen_g.verify(a, w.astype(float), v)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (5, 5), (2, 3, 3), (0, 4, 4), (2, 2, 1, 1)])
def test_the_array_api_standard(dtype, shape):
    """The cases of test_eigh and test_eigvalsh of the standard's suite (data-apis/array-api-tests, test_linalg.py)."""
    rng = np.random.default_rng(len(shape))
    a = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else 0)
    a = (a + np.swapaxes(a, -1, -2).conj()).astype(dtype)
    result = eigen_g.eigh(a)
    assert result._fields == ("eigenvalues", "eigenvectors")
    w, v = result
    assert w.dtype == np.finfo(dtype).dtype and v.dtype == dtype and w.shape == shape[:-1] and v.shape == shape
    ulp = np.finfo(dtype).eps
    np.testing.assert_allclose(a @ v, v * w[..., None, :], atol=100 * ulp)
    np.testing.assert_allclose(np.swapaxes(v, -1, -2).conj() @ v, np.broadcast_to(np.eye(shape[-1]), shape), atol=100 * ulp)
    values = eigen_g.eigvalsh(a)
    assert values.dtype == w.dtype and values.shape == w.shape
    np.testing.assert_allclose(values, w, atol=100 * ulp)
    for k in np.ndindex(shape[:-2]):  # each matrix of a stack has the bits of its own solve
        one = eigen_g.eigh(a[k])
        np.testing.assert_array_equal(one.eigenvalues, w[k])
        np.testing.assert_array_equal(one.eigenvectors, v[k])


def test_other_host_arrays():
    class OnlyDLPack:
        def __init__(self, a):
            self.a = a

        def __dlpack__(self, **options):
            return self.a.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.a.__dlpack_device__()

    a = random_symmetric(10)
    w = eigen_g.eigvalsh(a)
    np.testing.assert_array_equal(eigen_g.eigvalsh(OnlyDLPack(a)), w)
    np.testing.assert_array_equal(eigen_g.eigvalsh(a.tolist()), w)
    np.testing.assert_array_equal(eigen_g.eigvalsh(np.asmatrix(a)), w)
