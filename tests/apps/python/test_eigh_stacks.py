"""eigh and eigvalsh of stacks of matrices."""

import numpy as np
import pytest
from matrices import random_symmetric

import eigen_g


def test_a_broadcast_stack_is_not_overwritten():
    a = random_symmetric(6)
    stack = np.lib.stride_tricks.as_strided(a, (3, 6, 6), (0, *a.strides))
    w, v = eigen_g.eigh(a)
    result = eigen_g.eigh(stack, overwrite_a=True)
    np.testing.assert_array_equal(result.eigenvalues, np.stack([w] * 3))
    np.testing.assert_array_equal(result.eigenvectors, np.stack([v] * 3))


@pytest.mark.parametrize("outer", [(0,), (1,), (3,), (2, 0), (2, 3)])
@pytest.mark.parametrize("order", "CF")
def test_stacks(outer, order):
    a = np.random.default_rng(1).standard_normal((*outer, 7, 7))
    a = np.asarray(a + np.swapaxes(a, -1, -2), order=order)
    result = eigen_g.eigh(a)
    w, v = result
    assert w.shape == (*outer, 7) and v.shape == (*outer, 7, 7) and result.report.count == np.prod(outer)
    assert w.flags.c_contiguous and v.swapaxes(-1, -2).flags.c_contiguous
    np.testing.assert_allclose(w, eigen_g.eigvalsh(a), atol=1e-13)
    for k in np.ndindex(outer):
        one = eigen_g.eigh(a[k])
        np.testing.assert_array_equal(w[k], one.eigenvalues)
        np.testing.assert_array_equal(v[k], one.eigenvectors)
    part = eigen_g.eigh(a, subset_by_index=[2, 4])
    np.testing.assert_array_equal(part.eigenvalues, w[..., 2:5])
    assert part.eigenvectors.shape == (*outer, 7, 3)


def test_values_of_a_stack():
    a = np.stack([np.diag([1.0, 2, 3]), np.diag([1.0, 5, 6])])
    w, v = eigen_g.eigh(a, subset_by_value=[0, 1.5])
    np.testing.assert_array_equal(w, [[1], [1]])
    assert v.shape == (2, 3, 1) and eigen_g.eigvalsh(a, subset_by_value=[7, 8]).shape == (2, 0)
    for wrong in (a, a[:0]):
        with pytest.raises(ValueError, match="subset_by_value of a stack"):
            eigen_g.eigh(wrong, subset_by_value=[0, 2.5])


def test_stacks_that_do_not_broadcast():
    with pytest.raises(ValueError, match=r"stacks of the shapes \(2, 5, 5\) and \(4, 5, 5\) do not broadcast"):
        eigen_g.eigh(np.ones((2, 5, 5)), np.ones((4, 5, 5)))
    with pytest.raises(ValueError, match="alike"):
        eigen_g.eigh(np.ones((2, 5, 5)), np.ones((2, 4, 4)))


@pytest.mark.parametrize("outer_a, outer_b", [((), (3,)), ((3,), ()), ((2, 1), (4,)), ((1,), (2, 3)), ((2, 3), (2, 3)), ((0, 1), (4,))])
@pytest.mark.parametrize("overwrite", [False, True])
def test_stacks_of_a_and_b_broadcast(outer_a, outer_b, overwrite):
    n, outer = 6, np.broadcast_shapes(outer_a, outer_b)
    a = np.random.default_rng(1).standard_normal((*outer_a, n, n))
    b = np.random.default_rng(2).standard_normal((*outer_b, n, n))
    a, b = a + np.swapaxes(a, -1, -2), b @ np.swapaxes(b, -1, -2) + np.eye(n)
    x, y = np.broadcast_to(a, (*outer, n, n)), np.broadcast_to(b, (*outer, n, n))
    w, v = result = eigen_g.eigh(a.copy(), b.copy(), overwrite_a=overwrite, overwrite_b=overwrite)
    assert w.shape == (*outer, n) and v.shape == (*outer, n, n) and result.report.count == np.prod(outer)
    for k in np.ndindex(outer):
        one = eigen_g.eigh(x[k], y[k])
        np.testing.assert_array_equal(w[k], one.eigenvalues)
        np.testing.assert_array_equal(v[k], one.eigenvectors)
    if outer_b and np.prod(outer):
        last = tuple(extent - 1 for extent in outer_b)
        b[last][3, 1] = np.inf
        entry = ", ".join(map(str, (*last, 3, 1)))
        with pytest.raises(eigen_g.NonFiniteEntry, match=rf"b\[{entry}\] is infinite"):
            eigen_g.eigh(a, b)


def test_verify_says_how_a_stack_is_verified():
    stack = np.stack([np.eye(3), 2 * np.eye(3)])
    w, v = eigen_g.eigh(stack)
    with pytest.raises(ValueError, match="the matrices of a stack are verified one by one"):
        eigen_g.verify(stack, w, v)
    assert all(eigen_g.verify(*each).passed for each in zip(stack, w, v))
