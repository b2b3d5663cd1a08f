"""Solver and patched() with NumPy's arrays."""

import contextlib
import gc
import threading
import warnings
import weakref

import numpy as np
import pytest
from matrices import random_pair, random_symmetric

import eigen_g


@pytest.mark.parametrize("n", [0, 1, 60])
def test_solves_again_with_the_bits_of_eigh(n):
    solver = eigen_g.Solver(n)
    for seed in range(3):
        for order in "CF":
            a = random_symmetric(n, seed).copy(order=order)
            before = a.copy()
            w, v = solver(a)
            mine = eigen_g.eigh(a)
            np.testing.assert_array_equal(w, mine.eigenvalues)
            np.testing.assert_array_equal(v, mine.eigenvectors)
            np.testing.assert_array_equal(a, before)


def test_complex_and_generalised():
    a = random_symmetric(30) + 1j * np.tril(random_symmetric(30, 1), -1)
    a = np.tril(a) + np.tril(a, -1).conj().T
    solver = eigen_g.Solver(30, like=a)
    for order in "CF":
        w, v = solver(a.copy(order=order))
        np.testing.assert_array_equal(v, eigen_g.eigh(a.copy(order=order)).eigenvectors)
        np.testing.assert_allclose(a @ v, v * w, atol=1e-12)
    a, b = random_symmetric(30), random_symmetric(30, 1) + 30 * np.eye(30)
    for type in (1, 2, 3):
        solver = eigen_g.Solver(30, type=type)
        for orders in ("CC", "CF", "FC"):
            x, y = a.copy(order=orders[0]), b.copy(order=orders[1])
            w, v = solver(x, y)
            np.testing.assert_array_equal(w, eigen_g.eigh(x, y, type=type).eigenvalues)
            assert eigen_g.verify(a, w, v, b=b, type=type).passed
        with pytest.raises(ValueError, match="generalised"):
            solver(a)
        with pytest.raises(np.linalg.LinAlgError, match="order 2 of b"):
            solver(a, np.diag(np.where(np.arange(30) == 1, -1.0, 1.0)))
    with pytest.raises(ValueError, match="standard"):
        eigen_g.Solver(30)(a, b)


def test_options():
    a = random_symmetric(40)
    w = eigen_g.eigvalsh(a)
    np.testing.assert_array_equal(eigen_g.Solver(40, eigvals_only=True)(a), w)
    np.testing.assert_array_equal(eigen_g.Solver(40, eigvals_only=True, lower=False)(np.triu(a)), eigen_g.eigvalsh(np.triu(a), lower=False))
    first = eigen_g.Solver(40, subset_by_index=[2, 5])(a[::-1, ::-1][::-1, ::-1])
    assert first.eigenvectors.shape == (40, 4) and first.report.first_index == 2
    seen = []
    eigen_g.Solver(40, progress=lambda *args: seen.append(args))(a)
    assert seen


def test_refuses_what_it_is_not_planned_for():
    solver = eigen_g.Solver(5)
    with pytest.raises(ValueError, match="order 5"):
        solver(np.eye(6))
    with pytest.raises(ValueError, match="float64 of numpy"):
        solver(np.eye(5, dtype=np.float32))
    np.testing.assert_array_equal(solver(np.arange(25).reshape(5, 5))[1], solver(np.arange(25.0).reshape(5, 5))[1])
    with pytest.raises(ValueError, match="alike.*4, 4"):
        eigen_g.Solver(5, type=1)(np.eye(5), np.eye(4))
    bad = np.eye(5)
    bad[4, 1] = np.inf
    with pytest.raises(eigen_g.NonFiniteEntry, match=r"a\[4, 1\] is infinite"):
        solver(bad)
    solver(np.eye(5))
    with pytest.raises(TypeError, match="n is 3.0, must be an integer"):
        eigen_g.Solver(3.0)
    with pytest.raises(eigen_g.InvalidArgument, match="argument n"):
        eigen_g.Solver(2**70)
    with pytest.raises(ValueError, match="type is 0"):
        eigen_g.Solver(5, type=0)
    with pytest.raises(eigen_g.InvalidArgument, match="argument multiprocessors"):
        eigen_g.Solver(5, multiprocessors=-1)
    with pytest.raises(TypeError, match="like is float16"):
        eigen_g.Solver(5, like=np.eye(5, dtype=np.float16))
    with pytest.raises(eigen_g.InvalidArgument, match="argument n"):
        eigen_g.Solver(-1)


@pytest.mark.parametrize("options", [{}, {"eigvals_only": True}, {"precision": "mixed"}, {"type": 1}, {"type": 3}])
def test_takes_stacks(options):
    pairs = [random_pair(6, seed=seed) for seed in range(4)]
    a, b = (np.stack(x).reshape(2, 2, 6, 6) for x in zip(*pairs))
    solver = eigen_g.Solver(6, **options)
    generalised = [b] if "type" in options else []
    found, mine = solver(a, *generalised), eigen_g.eigh(a, *generalised, **options)
    for x, y in zip(found, mine) if isinstance(mine, tuple) else [(found, mine)]:
        np.testing.assert_array_equal(x, y)
    if isinstance(mine, tuple):
        assert found.eigenvectors.shape == (2, 2, 6, 6) and type(found.report) is type(mine.report)
        one = solver(a[1, 0], *(x[1, 0] for x in generalised))
        np.testing.assert_array_equal(one.eigenvectors, found.eigenvectors[1, 0])
    a[1, 1, 4, 2] = np.nan
    with pytest.raises(eigen_g.NonFiniteEntry, match=r"a\[1, 1, 4, 2\] is NaN"):
        solver(a, *generalised)
    empty = solver(np.empty((0, 6, 6)), *(x[0, :1] for x in generalised))
    assert (empty if "eigvals_only" in options else empty.eigenvalues).shape == (0, 6)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("lower", [True, False])
def test_update_sets_b_which_is_factored_once(dtype, lower):
    n = 40
    a, b = random_pair(n)
    a, b = a.astype(dtype), b.astype(dtype)
    if dtype is np.complex128:
        a, b = (x + 1j * (np.tril(random_symmetric(n), -1) - np.triu(random_symmetric(n), 1)) / n for x in (a, b))
    before = b.copy()
    solver = eigen_g.Solver(n, like=a, type=1, lower=lower)
    with pytest.raises(ValueError, match="requires b"):
        solver(a)
    solver.update(b)
    w = eigen_g.eigh(a, b, lower=lower).eigenvalues
    for order, factored in (("C", True), ("F", False), ("C", False)):
        result = solver(a.copy(order=order))
        np.testing.assert_allclose(result.eigenvalues, w, rtol=1e-10)
        assert eigen_g.verify(a, *result, b=b, lower=lower).passed
        assert ("cholesky" in dict(result.report.stages)) == factored
    np.testing.assert_array_equal(b, before)
    assert eigen_g.verify(a, *solver(a, 2 * b), b=2 * b, lower=lower).passed  # b of this call alone
    for x, w, v in zip((a, 2 * a), *solver(np.stack([a, 2 * a]))):
        assert eigen_g.verify(x, w, v, b=b, lower=lower).passed
    assert "b is set" in repr(solver)
    solver.update(3 * b)
    assert eigen_g.verify(a, *solver(a), b=3 * b, lower=lower).passed
    factor = eigen_g.eigh(a, b, lower=not lower, return_factor=True).factor
    solver.update(factor)
    assert eigen_g.verify(a, *solver(a), b=b, lower=lower).passed


def test_update_of_a_bad_b():
    a, b = random_pair(30)
    solver = eigen_g.Solver(30, type=2)
    solver.update(-b)
    for _ in range(2):
        with pytest.raises(np.linalg.LinAlgError, match="order 1 of b"):
            solver(a)
    solver.update(b)
    assert eigen_g.verify(a, *solver(a), b=b, type=2).passed
    with pytest.raises(ValueError, match="order 30, b is"):
        solver.update(np.eye(4))
    with pytest.raises(ValueError, match="b is float32 of numpy"):
        solver.update(b.astype(np.float32))
    with pytest.raises(ValueError, match="b must be a square matrix"):
        solver.update(np.stack([b, b]))
    with pytest.raises(ValueError, match="standard problems"):
        eigen_g.Solver(30).update(b)


def test_a_solver_whose_progress_refers_to_its_owner_is_freed():
    class Owner:
        def __init__(self):
            self.solver = eigen_g.Solver(30, progress=self.told)
            self.stages = []

        def told(self, stage, fraction):
            self.stages.append(stage)

    owner = Owner()
    owner.solver(random_symmetric(30))
    assert owner.stages
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None


def test_threads_take_turns():
    solver = eigen_g.Solver(100)
    matrices = [random_symmetric(100, seed) for seed in range(8)]
    results = [None] * 8

    def solve(k):
        results[k] = solver(matrices[k]).eigenvalues

    threads = [threading.Thread(target=solve, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for a, w in zip(matrices, results):
        np.testing.assert_array_equal(w, eigen_g.eigh(a).eigenvalues)


def test_patched():
    linalg = pytest.importorskip("scipy.linalg")
    a, b = random_symmetric(20), np.eye(20)
    theirs = linalg.eigh, np.linalg.eigh
    with eigen_g.patched("scipy", "numpy"):
        w, v = linalg.eigh(a, subset_by_index=[0, 3])
        np.testing.assert_array_equal(w, eigen_g.eigh(a).eigenvalues[:4])
        np.testing.assert_array_equal(linalg.eigh(a, 2 * b, type=2)[0], eigen_g.eigh(a, 2 * b, type=2).eigenvalues)
        np.testing.assert_array_equal(linalg.eigvalsh(a + 0j), eigen_g.eigvalsh(a + 0j))
        np.testing.assert_array_equal(linalg.eigh(a + 0j, b + 0j)[0], eigen_g.eigh(a + 0j, b + 0j).eigenvalues)
        np.testing.assert_array_equal(linalg.eigh(a + 0j, b)[1], eigen_g.eigh(a + 0j, b).eigenvectors)
        np.testing.assert_array_equal(linalg.eigh(a, driver="ev")[1], eigen_g.eigh(a).eigenvectors)
        np.testing.assert_array_equal(linalg.eigh(a, type=5)[1], eigen_g.eigh(a).eigenvectors)
        with pytest.raises(TypeError, match="path"):  # SciPy has no such option
            linalg.eigh(a, path="one_stage")
        result = np.linalg.eigh(a, "U")
        np.testing.assert_array_equal(result.eigenvalues, eigen_g.eigh(a, lower=False).eigenvalues)
        assert np.linalg.eigh(np.eye(3)[None]).eigenvalues.shape == (1, 3)
        np.testing.assert_allclose(np.linalg.eigvalsh([[2, 1], [1, 2]]), [1, 3])
        with pytest.raises(np.linalg.LinAlgError):
            np.linalg.eigh(a * np.nan)
    assert (linalg.eigh, np.linalg.eigh) == theirs
    with pytest.raises(ValueError, match="matlab"), eigen_g.patched("matlab"):
        pass
    assert np.linalg.eigh is theirs[1]


@pytest.mark.parametrize("dtype", [*"?bBhHiIlLqQfdFD", ">f8", ">f4", ">c16", ">c8", ">i2"])
@pytest.mark.parametrize("uplo", "LU")
def test_patched_numpy_has_numpys_types_and_accuracy(dtype, uplo):
    n = 100
    a = np.tril(10 * random_symmetric(n)) + np.triu(random_symmetric(n, 1), 1)
    a = (a + 1j * np.tril(a, -1) if dtype[-1:] in "FD" or "c" in dtype else a > 0 if dtype == "?" else np.abs(a)).astype(dtype)
    before = a.copy()
    theirs = np.linalg.eigh(a, uplo)
    with eigen_g.patched("numpy"):
        ours, values = np.linalg.eigh(a, uplo), np.linalg.eigvalsh(a, uplo)
        # A single small matrix may have other bits than a stack, because a stack may be solved on a GPU.
        alone, alone_values = np.linalg.eigh(a[None], uplo), np.linalg.eigvalsh(a[None], uplo)
        stack, stack_values = np.linalg.eigh(np.stack([a, a]), uplo), np.linalg.eigvalsh(np.stack([a, a]), uplo)
    np.testing.assert_array_equal(a, before)
    assert type(ours) is type(theirs) and [x.dtype for x in ours] == [x.dtype for x in theirs]
    double = eigen_g.eigh(a.astype(np.result_type(a.dtype, float)), UPLO=uplo)
    np.testing.assert_array_equal(ours.eigenvalues, double.eigenvalues.astype(theirs[0].dtype))
    np.testing.assert_array_equal(ours.eigenvectors, double.eigenvectors.astype(theirs[1].dtype))
    eps = np.finfo(values.dtype).eps * np.abs(double.eigenvalues).max()
    if values.dtype == np.float32:  # rounded once
        np.testing.assert_allclose(ours.eigenvalues, double.eigenvalues, rtol=0, atol=eps / 2)
        np.testing.assert_allclose(values, double.eigenvalues, rtol=0, atol=0.51 * eps)
    if eigen_g.gpu_count() == 0:
        np.testing.assert_array_equal(alone.eigenvectors[0], ours.eigenvectors)
    np.testing.assert_allclose(alone.eigenvalues[0], ours.eigenvalues, rtol=0, atol=n * eps)
    for k in range(2):
        np.testing.assert_array_equal(stack.eigenvalues[k], alone.eigenvalues[0])
        np.testing.assert_array_equal(stack.eigenvectors[k], alone.eigenvectors[0])
        np.testing.assert_array_equal(stack_values[k], alone_values[0])


@pytest.mark.parametrize("dtype", ["e", "g", "G", "O", "M8[s]"])
def test_patched_numpy_refuses_what_numpy_refuses(dtype):
    with eigen_g.patched("numpy"), pytest.raises(TypeError):
        np.linalg.eigh(np.eye(3).astype(dtype))


def test_patched_numpy_without_float32s_range():
    a = np.full((4, 4), 3e38, np.float32)
    with eigen_g.patched("numpy"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.linalg.eigvalsh(a)[3] == np.inf  # 1.2e39, as in NumPy


@pytest.mark.parametrize("dtype", [*"?bhilefgFDG", ">f8"])
@pytest.mark.parametrize("generalised", [False, True])
def test_patched_scipy_has_scipys_types(dtype, generalised):
    linalg = pytest.importorskip("scipy.linalg")
    a = np.stack([[[2, 1], [1, 0]], [[0, 1], [1, 3]]]).astype(dtype)
    b = [np.eye(2, dtype=np.float32)] if generalised else []
    w, _ = theirs = linalg.eigh(a[1], *b)
    with eigen_g.patched("scipy"):
        stack, one, values = linalg.eigh(a, *b), linalg.eigh(a[1], *b), linalg.eigvalsh(a[1], *b)
    assert [x.dtype for x in one] == [x.dtype for x in stack] == [x.dtype for x in theirs] and values.dtype == w.dtype
    np.testing.assert_allclose(one[0], w, atol=1e-5)
    np.testing.assert_allclose(values, w, atol=1e-5)
    for whole, part, mine in zip(stack, one, eigen_g.eigh(a[1], *b)):
        np.testing.assert_array_equal(part, mine)
        np.testing.assert_array_equal(whole[1], mine)


def test_patched_blocks_may_overlap():
    theirs = np.linalg.eigh, np.linalg.eigvalsh
    first, second = eigen_g.patched("numpy"), eigen_g.patched("numpy")
    first.__enter__()
    ours = np.linalg.eigh
    second.__enter__()
    first.__exit__(None, None, None)
    assert np.linalg.eigh is ours is not theirs[0]
    second.__exit__(None, None, None)
    assert (np.linalg.eigh, np.linalg.eigvalsh) == theirs
    with contextlib.suppress(ValueError), eigen_g.patched("numpy", "numpy"):
        assert np.linalg.eigh is not theirs[0]
        raise ValueError
    assert (np.linalg.eigh, np.linalg.eigvalsh) == theirs
    barrier = threading.Barrier(4)

    def block():
        for _ in range(50):
            barrier.wait()
            with eigen_g.patched("numpy"):
                assert np.linalg.eigh is not theirs[0]

    threads = [threading.Thread(target=block) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (np.linalg.eigh, np.linalg.eigvalsh) == theirs


def test_patched_leaves_other_kinds_of_arrays_alone():
    class Other:
        def __array__(self, dtype=None, copy=None):
            return random_symmetric(4)

    a = random_symmetric(4)
    inputs = [np.asmatrix(a), np.ma.masked_greater(a, 0), a.tolist(), a]
    kinds = [[type(x) for x in np.linalg.eigh(x)] for x in inputs]
    theirs = np.linalg.eigh(Other())
    with eigen_g.patched("numpy"):
        assert [[type(x) for x in np.linalg.eigh(x)] for x in inputs] == kinds
        np.testing.assert_array_equal(np.linalg.eigh(a.tolist()).eigenvectors, eigen_g.eigh(a).eigenvectors)
        np.testing.assert_array_equal(np.linalg.eigh(Other())[1], theirs[1])
