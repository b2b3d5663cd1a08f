"""eigen_g.sparse: eigsh over all kinds of matrices, intervals, counts and the solver, against dense solves and closed forms."""

import pickle
import warnings

import numpy as np
import pytest

import eigen_g
from eigen_g import sparse
from eigen_g.sparse import count, eigsh, interval, verify

sp = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")
dense_eigh = pytest.importorskip("scipy.linalg").eigh

needs_library = pytest.mark.skipif(not sparse.libraries(), reason="no library that factorises sparse matrices")


def line(n, middle, side):
    return sp.diags_array([side, middle, side], offsets=[-1, 0, 1], shape=(n, n))


def membrane(m, n):
    """K and M of bilinear elements on a rectangle of m x n inner points with sides 1 and sqrt(2), and all values, ascending."""
    parts = []
    for count, length in ((m, 1.0), (n, 2**0.5)):
        h = length / (count + 1)
        c = np.cos(np.pi * np.arange(1, count + 1) / (count + 1))
        parts.append((line(count, 2 / h, -1 / h), line(count, 4 * h / 6, h / 6), 6 / h**2 * (1 - c) / (2 + c)))
    (kx, mx, wx), (ky, my, wy) = parts
    return sp.kron(kx, my) + sp.kron(mx, ky), sp.kron(mx, my), np.sort(np.add.outer(wx, wy).ravel())


def nearest(w, sigma, k):
    return np.sort(w[np.argsort(abs(w - sigma), kind="stable")[:k]])


def hermitian(n, seed=0):
    rng = np.random.default_rng(seed)
    a = sp.random_array((n, n), density=4 / n, rng=rng) + 1j * sp.random_array((n, n), density=4 / n, rng=rng)
    return a + a.conj().T + sp.diags_array(np.linspace(1, 9, n))


@pytest.mark.parametrize("form", ["csr_array", "csc_matrix", "coo_array", "lil_array", "dok_matrix", "dia_array", "bsr_array"])
def test_every_format_is_read_and_not_changed(form):
    a = getattr(sp, form)(line(200, 2.0, -1.0).toarray())
    before = a.toarray()
    w, v = eigsh(a, 3, which="SA")
    np.testing.assert_allclose(w, 2 - 2 * np.cos(np.pi * np.arange(1, 4) / 201), atol=1e-13)
    assert v.shape == (200, 3) and verify(a, w, v).passed
    np.testing.assert_array_equal(a.toarray(), before)


def test_duplicate_entries_are_summed():
    a = sp.coo_array(([1.0, 1.0, 2.0, 5.0], ([0, 0, 1, 2], [0, 0, 1, 2])), shape=(3, 3))
    np.testing.assert_allclose(eigsh(a, 2, which="LA", return_eigenvectors=False), [2, 5])


@pytest.mark.parametrize("n", [60, 1100])
@pytest.mark.parametrize("which", ["LM", "SA", "LA", "BE"])
def test_ends_of_a_matrix(n, which):
    d = np.concatenate([[-30.0, -19.0, -9.0], np.linspace(1, 2, n - 6), [8.0, 15.0, 20.0]])
    expected = {"LM": [-30, -19, 20], "SA": [-30, -19, -9], "LA": [8, 15, 20], "BE": [-30, 15, 20]}[which]
    a = sp.diags_array(d)
    for matrix in (a, linalg.aslinearoperator(a)):
        w, v, report = eigsh(matrix, 3, which=which, info=True)
        np.testing.assert_allclose(w, expected, atol=1e-12)
        assert report.method in ("dense", "lanczos") and len(report.residuals) == 3
        np.testing.assert_allclose(a @ v, v * w, atol=1e-11)


def test_a_dense_array_is_solved_by_products():
    a = np.diag(np.concatenate([np.linspace(1, 2, 1097), [5.0, 6.0, 7.0]]))
    w, _, report = eigsh(a, 3, info=True)
    np.testing.assert_allclose(w, [5, 6, 7], atol=1e-12)
    assert report.method == "lanczos"


def test_float32_is_solved_in_double_and_returned_in_float32():
    d = np.r_[np.linspace(1, 2, 1197), 5.1, 6.1, 7.1].astype(np.float32)
    w, v = eigsh(sp.diags_array(d), 3)
    assert w.dtype == v.dtype == np.float32
    np.testing.assert_allclose(w, d[-3:], rtol=1e-6)


@pytest.mark.parametrize("n", [40, 220])
def test_complex_hermitian(n):
    a = hermitian(n)
    exact = dense_eigh(a.toarray(), eigvals_only=True)
    for which, expected in (("SA", exact[:4]), ("LA", exact[-4:])):
        w, v = eigsh(a, 4, which=which)
        assert w.dtype == np.float64 and v.dtype == np.complex128
        np.testing.assert_allclose(w, expected, atol=1e-11)
        assert verify(a, w, v).passed


def test_a_hermitian_matrix_with_multiple_values_has_each_copy_once():
    block = np.array([[2, 1j], [-1j, 2]])
    a = sp.kron(sp.eye_array(80), block) + sp.diags_array(np.r_[np.zeros(8), np.full(152, 7.0)])
    w, v = eigsh(a.tocsr(), 5, which="SA")
    np.testing.assert_allclose(w, [1, 1, 1, 1, 3], atol=1e-12)
    assert verify(a, w, v).passed


def test_a_complex_operator():
    a = hermitian(1100)
    operator = linalg.LinearOperator(a.shape, matvec=a.dot, dtype=complex)
    w, v = eigsh(operator, 2, which="LA", tol=1e-10)
    np.testing.assert_allclose(a @ v, v * w, atol=1e-7)


def test_an_operator_without_scipy_and_its_exceptions():
    class Counting:
        shape, dtype, products = (1200, 1200), np.dtype(float), 0

        def matvec(self, x):
            self.products += 1
            if self.products > 40:
                raise ArithmeticError("enough")
            return np.linspace(1, 2, 1200) * x

    with pytest.raises(ArithmeticError, match="enough"):
        eigsh(Counting(), 2)
    a = linalg.LinearOperator((1200, 1200), matvec=lambda x: x * 1j, dtype=float)
    with pytest.raises(TypeError, match="complex"):
        eigsh(a, 2)


def test_arguments_as_in_scipy():
    a = line(20, 2.0, -1.0)
    for options, message in (
        ({"k": 0}, "k must be greater than 0"),
        ({"which": "XX"}, "which must be one of"),
        ({"sigma": 1.0, "mode": "other"}, "unrecognized mode"),
        ({"ncv": 2, "k": 3}, "ncv must be k<ncv<=n"),
        ({"maxiter": 0}, "maxiter must be positive"),
        ({"OPinv": a}, "OPinv should not be specified"),
        ({"Minv": a}, "Minv should not be specified"),
        ({"M": line(21, 2.0, 0.0)}, "wrong M dimensions"),
        ({"v0": np.ones(3)}, "v0 has 3 values"),
        ({"sigma": np.nan}, "sigma is nan"),
        ({"sigma": 0.0, "mode": "buckling"}, "not 0"),
    ):
        with pytest.raises(ValueError, match=message):
            eigsh(a, **options)
    with pytest.raises(ValueError, match="expected square matrix"):
        eigsh(sp.csr_array((3, 4)))
    with pytest.raises(ValueError, match="symmetric"):
        eigsh(a + sp.diags_array([1e-9], offsets=[3], shape=(20, 20)), 2)
    with pytest.raises(ValueError, match="is NaN"):
        eigsh(a * np.nan, 2)
    with pytest.warns(RuntimeWarning, match="less than n"), pytest.raises(TypeError):
        eigsh(a, 20)
    with pytest.warns(RuntimeWarning, match="less than n"):
        assert eigsh(a.toarray(), 25)[0].shape == (20,)


def test_no_convergence_is_scipys_exception_with_the_converged_pairs():
    a = sp.diags_array(np.r_[np.linspace(0, 1, 2999), 40.0])
    with pytest.raises(linalg.ArpackNoConvergence) as caught:
        eigsh(a, 4, which="LA", maxiter=40, ncv=9)
    error = caught.value
    assert isinstance(error, sparse.NoConvergence) and 1 <= len(error.eigenvalues) < 4
    assert error.eigenvalues[-1] == pytest.approx(40) and error.eigenvectors.shape == (3000, len(error.eigenvalues))
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and np.array_equal(again.eigenvalues, error.eigenvalues)


def test_an_operator_with_sigma():
    a = line(3000, 2.0, -1.0).tocsc()
    operator = linalg.aslinearoperator(a)
    with pytest.raises(TypeError, match="OPinv"):
        eigsh(operator, 3, sigma=1.0)
    small = linalg.aslinearoperator(line(30, 2.0, -1.0))
    np.testing.assert_allclose(
        eigsh(small, 3, sigma=1.0, return_eigenvectors=False), nearest(2 - 2 * np.cos(np.pi * np.arange(1, 31) / 31), 1.0, 3)
    )


def test_small_problems_by_the_inverse():
    k, m, exact = membrane(6, 7)
    inverse = linalg.splu((k - 40.0 * m).tocsc())
    op = linalg.LinearOperator(k.shape, matvec=inverse.solve, dtype=float)
    w, v = eigsh(k, 4, m, sigma=40.0, OPinv=op)
    np.testing.assert_allclose(w, nearest(exact, 40.0, 4), rtol=1e-12)
    np.testing.assert_allclose(v.T @ (m @ v), np.eye(4), atol=1e-12)


def test_a_singular_mass_matrix_of_a_small_problem():
    n = 21  # springs with masses on every second node: w = 2 sin^2(j pi / (2 (N + 1)))
    k, m = line(n, 2.0, -1.0), np.arange(n) % 2.0
    exact = 2 * np.sin(np.pi * np.arange(1, 11) / 22) ** 2
    for mass in (m, sp.diags_array(m)):
        w, v = eigsh(k, 10, mass, sigma=0)
        np.testing.assert_allclose(w, exact, rtol=1e-12)
        np.testing.assert_allclose(v.T @ (m[:, None] * v), np.eye(10), atol=1e-12)
    with pytest.raises(ValueError, match="10 finite"):
        eigsh(k, 11, m, sigma=0)


def test_patched_scipy_solves_here_and_leaves_the_rest_to_scipy(monkeypatch):
    solves = []
    monkeypatch.setattr(sparse, "eigsh", lambda *a, original=sparse.eigsh, **o: solves.append(1) or original(*a, **o))
    a = line(50, 2.0, -1.0)
    original = linalg.eigsh
    with eigen_g.patched("scipy.sparse"):
        w, v = linalg.eigsh(a, 3, which="SA")
        assert len(solves) == 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            linalg.eigsh(a.toarray(), 60)  # k >= n
        with pytest.raises(ValueError):
            linalg.eigsh(a, 3, which="XX")
    assert linalg.eigsh is original
    np.testing.assert_allclose(w, 2 - 2 * np.cos(np.pi * np.arange(1, 4) / 51))


def test_verify_refuses_what_is_not_a_pair():
    a = line(300, 2.0, -1.0)
    w, v = eigsh(a, 3, which="SA")
    turned = v.copy()
    turned[:, 0] += 1e-6 * v[:, 2]
    assert verify(a, w, v).passed and not verify(a, w, turned).passed and not verify(a, w + 1e-9, v).passed
    with pytest.raises(TypeError, match="float64"):
        verify(a, w.astype(np.float32), v)
    with pytest.raises(ValueError, match="m and n x m"):
        verify(a, w, v[:, :2])


@needs_library
@pytest.mark.parametrize("form", ["sparse", "diagonal", "none"])
@pytest.mark.parametrize("which", ["LM", "LA", "SA", "BE"])
def test_pairs_near_a_shift(form, which):
    k, m, _ = membrane(16, 18)
    m = {"sparse": m, "diagonal": m.sum(axis=0), "none": None}[form]
    whole = None if m is None else np.diag(m) if form == "diagonal" else m.toarray()
    exact = dense_eigh(k.toarray(), whole, eigvals_only=True)
    sigma = exact[40] + 0.3 * (exact[41] - exact[40])
    w, v, report = eigsh(k, 5, m, sigma=sigma, which=which, info=True)
    expected = {"LM": nearest(exact, sigma, 5), "LA": exact[41:46], "SA": exact[36:41], "BE": exact[39:44]}[which]
    np.testing.assert_allclose(w, expected, rtol=1e-11)
    assert verify(k, w, v, m).passed
    assert report.proven
    if m is not None:
        assert report.method == "shift-invert" and report.library in sparse.libraries()
        assert np.all(report.error_bounds <= 1e-8 * abs(w))


@needs_library
def test_more_pairs_on_a_side_than_it_has():
    k, m, exact = membrane(12, 11)
    w = eigsh(k, 5, m, sigma=exact[2] + 1e-3, which="SA", return_eigenvectors=False)
    np.testing.assert_allclose(w, np.r_[exact[:3], exact[-2:]], rtol=1e-10)  # theta goes on from the highest value


@needs_library
def test_pencils_in_single_precision_and_hermitian_ones():
    a, m = hermitian(200), sp.diags_array(np.linspace(1, 2, 200))
    exact = dense_eigh(a.toarray(), m.toarray(), eigvals_only=True)
    sigma = (exact[80] + 2 * exact[81]) / 3
    w, v, report = eigsh(a, 4, m, sigma=sigma, info=True)
    np.testing.assert_allclose(w, nearest(exact, sigma, 4), rtol=1e-11)
    assert verify(a, w, v, m).passed and report.proven
    assert count(a, sigma, m) == 81
    w, v = interval(a, exact[10] - 1e-6, exact[20] - 1e-6, m)
    np.testing.assert_allclose(w, exact[10:20], rtol=1e-11)
    assert verify(a, w, v, m).passed
    single = eigsh(a.astype(np.complex64), 4, m.astype(np.float32), sigma=sigma)
    assert single[0].dtype == np.float32 and single[1].dtype == np.complex64
    np.testing.assert_allclose(single[0], nearest(exact, sigma, 4), rtol=1e-5)


@needs_library
def test_interval_count_and_what_they_refuse():
    k, m, exact = membrane(20, 21)
    inside = exact[(exact >= 100) & (exact < 700)]
    w, v, report = interval(k, 100, 700, m, info=True)
    np.testing.assert_allclose(w, inside, rtol=1e-11)
    assert report.proven and verify(k, w, v, m).passed
    assert count(k, 700, m) - count(k, 100, m) == len(inside)
    np.testing.assert_allclose(interval(k, 100, 700, m, return_eigenvectors=False), inside, rtol=1e-11)
    assert len(interval(k, -5, 0, m)[0]) == 0
    with pytest.raises(eigen_g.InvalidArgument, match=str(len(inside))):
        interval(k, 100, 700, m, max_pairs=len(inside) - 1)
    with pytest.raises(TypeError, match="sparse"):
        count(linalg.aslinearoperator(k), 3.0)


@needs_library
def test_a_solver_keeps_its_analysis_and_takes_other_values():
    k, m, exact = membrane(15, 14)
    solver = sparse.Solver(k, m)
    assert solver.n == 210 and solver.factor_entries > 210
    for sigma in (0.0, 300.0):
        w, v = solver.nearest(sigma, 4)
        np.testing.assert_allclose(w, nearest(exact, sigma, 4), rtol=1e-11)
        assert verify(k, w, v, m).passed
    solver.update(2 * k)
    np.testing.assert_allclose(solver.nearest(0.0, 3, return_eigenvectors=False), 2 * exact[:3], rtol=1e-11)
    assert solver.count(2 * exact[9] + 1e-6) == 10
    with pytest.raises(ValueError, match="pattern"):
        solver.update(sp.eye_array(210))


@needs_library
def test_counts_show_a_missing_pair():
    k, m, exact = membrane(15, 14)
    solver = sparse.Solver(k, m)
    w = solver.nearest(0.0, 12, return_eigenvectors=False)
    assert solver.verify_counts(w).passed
    found = solver.verify_counts(np.delete(w, 5))
    assert not found.passed and found.expected == found.given + 1


@needs_library
@pytest.mark.parametrize("near", [0.0, 1e-15, 1e-9])
def test_a_shift_on_a_multiple_value_moves(near):
    m = 16  # the five-point matrix of a square has the value 4 m times
    a = sp.kron(line(m, 2.0, -1.0), sp.eye_array(m)) + sp.kron(sp.eye_array(m), line(m, 2.0, -1.0))
    w, v, report = eigsh(a, m, sigma=4 * (1 + near), info=True)
    np.testing.assert_allclose(w, np.full(m, 4.0), atol=1e-12)
    assert report.proven and verify(a, w, v).passed
    assert report.shift_reason or report.shift_used == report.shift_wished


@needs_library
def test_rigid_modes_without_a_shift():
    k = line(400, 2.0, -1.0).tolil()
    k[0, 0] = k[399, 399] = 1.0  # a free chain
    w, v, report = eigsh(k, 4, np.ones(400), which="SM", info=True)
    np.testing.assert_allclose(w, 2 - 2 * np.cos(np.pi * np.arange(4) / 400), atol=1e-12)
    assert report.proven and verify(k, w, v, np.ones(400)).passed


@needs_library
@pytest.mark.parametrize("which", ["LM", "SM", "LA", "SA", "BE"])
@pytest.mark.parametrize("mode, sigma", [("normal", -40.0), ("cayley", 130.0), ("cayley", -40.0), ("buckling", 0.25), ("buckling", -0.5)])
def test_every_mode_selects_by_its_theta(mode, sigma, which):
    if mode == "buckling" and which == "SM":
        pytest.skip("the smallest |w| of buckling are the ends of the spectrum of M x = nu A x with an indefinite M")
    k, m, exact = membrane(12, 13)
    theta = {"normal": lambda w: 1 / (w - sigma), "cayley": lambda w: (w + sigma) / (w - sigma), "buckling": lambda w: w / (w - sigma)}[mode]
    if mode == "buckling":
        m = sp.diags_array(np.where(np.arange(156) % 13 < 6, 1.0, -0.5))
        exact = 1 / dense_eigh(m.toarray(), k.toarray(), eigvals_only=True)
    keys = np.argsort(abs(theta(exact)) if which in ("LM", "SM") else theta(exact))
    wanted = {"LM": keys[-4:], "LA": keys[-4:], "SM": keys[:4], "SA": keys[:4], "BE": np.r_[keys[:2], keys[-2:]]}[which]
    w, v = eigsh(k, 4, m, sigma=sigma, which=which, mode=mode)
    np.testing.assert_allclose(w, np.sort(exact[wanted]), rtol=1e-10)
    np.testing.assert_allclose(k @ v, m @ v * w, atol=1e-9 * abs(m @ v * w).max())


@needs_library
def test_buckling_has_load_factors_of_both_signs():
    k, _, _ = membrane(13, 12)
    load = sp.diags_array(np.where(np.arange(156) % 12 < 6, 1.0, -0.5))
    nu = dense_eigh(load.toarray(), k.toarray(), eigvals_only=True)
    exact = np.sort(1 / nu)
    sigma = 0.7 * exact[exact > 0][0]
    w, v = eigsh(k, 3, load, sigma=sigma, mode="buckling")
    theta = exact / (exact - sigma)
    np.testing.assert_allclose(w, np.sort(exact[np.argsort(-abs(theta))[:3]]), rtol=1e-10)
    np.testing.assert_allclose(v.T @ (k @ v), np.eye(3), atol=1e-10)


@needs_library
def test_a_large_operator_with_its_inverse():
    k, m, exact = membrane(35, 34)
    factor = linalg.splu((k - 50.0 * m).tocsc())
    inverse = linalg.LinearOperator(k.shape, matvec=factor.solve, matmat=factor.solve, dtype=float)
    w, v = eigsh(k, 4, m, sigma=50.0, OPinv=inverse)
    np.testing.assert_allclose(w, nearest(exact, 50.0, 4), rtol=1e-10)
    assert verify(k, w, v, m).passed


def test_without_a_library_a_large_shift_is_refused():
    with pytest.raises(eigen_g.InvalidArgument, match="factorisation"):
        eigsh(line(60000, 2.0, -1.0), 3, sigma=1.0, library="none")


@needs_library
def test_two_calls_give_the_same_bits():
    k, m, _ = membrane(14, 14)
    first, second = (eigsh(k, 6, m, sigma=77.7) for _ in range(2))
    assert all(np.array_equal(x, y) for x, y in zip(first, second))


@needs_library
@pytest.mark.parametrize("mass", ["none", "matrix"])
@pytest.mark.parametrize("which, sigma, mode", [("LM", None, "normal"), ("SM", 0.1, "normal"), ("LM", 0.1, "cayley"), ("SM", 2.0, "cayley")])
@pytest.mark.parametrize("k", [70, 110, 128])
def test_more_than_half_of_the_pairs_from_two_ends_has_no_pair_twice(mass, which, sigma, mode, k):
    n = 130
    a = sp.random_array((n, n), density=0.1, rng=np.random.default_rng(1))
    a = (a + a.T).tocsr()
    m = line(n, 1.0, -0.3).tocsr() if mass == "matrix" else None
    exact = dense_eigh(a.toarray(), None if m is None else m.toarray(), eigvals_only=True)
    theta = exact if sigma is None else (exact + sigma if mode == "cayley" else 1) / (exact - sigma)
    wanted = np.sort(exact[np.argsort(abs(theta))[-k:] if which == "LM" else np.argsort(abs(theta))[:k]])
    w, v = eigsh(a, k, m, sigma=sigma, which=which, mode=mode)
    np.testing.assert_allclose(w, wanted, atol=1e-11 * abs(exact).max())
    np.testing.assert_allclose(v.T @ (v if m is None else m @ v), np.eye(k), atol=1e-11)


@needs_library
def test_the_solver_refuses_more_than_half_of_the_pairs_from_two_ends():
    with pytest.raises(ValueError, match="use eigsh"):
        sparse.Solver(line(130, 2.0, -1.0)).nearest(1.0, 100, which="SM")


@needs_library
@pytest.mark.parametrize("which", ["LM", "LA", "SA", "BE"])
@pytest.mark.parametrize("sigma", [0.0, 0.1, 2.0, 1e4])
def test_many_pairs_of_a_matrix_without_structure(which, sigma):
    a = sp.random_array((400, 400), density=0.02, rng=np.random.default_rng(3))
    a = (a + a.T).tocsr()
    exact = np.linalg.eigvalsh(a.toarray())
    theta = 1 / (exact - sigma)
    order = np.argsort(abs(theta) if which == "LM" else theta, kind="stable")
    chosen = {"LM": order[-60:], "LA": order[-60:], "SA": order[:60], "BE": np.r_[order[:30], order[-30:]]}[which]
    w, v = eigsh(a, 60, sigma=sigma, which=which)
    np.testing.assert_allclose(w, np.sort(exact[chosen]), atol=1e-12 * abs(exact).max())
    assert np.linalg.norm(a @ v - v * w, axis=0).max() <= 1e-12 * abs(exact).max()
    np.testing.assert_allclose(v.T @ v, np.eye(60), atol=1e-11)


@needs_library
@pytest.mark.parametrize("load", ["definite", "indefinite"])
@pytest.mark.parametrize("sigma", [1e-4, 1e-3])
def test_buckling_with_an_ill_conditioned_stiffness(load, sigma):
    n = 200
    d = line(n, 2.0, -1.0).tocsr()
    k, g = (d @ d).tocsr(), d if load == "definite" else sp.diags_array(np.where(np.arange(n) % 2, 1.0, -1.0)).tocsr()
    nu = dense_eigh(g.toarray(), k.toarray(), eigvals_only=True)
    exact = 1 / nu
    wanted = np.sort(exact[np.argsort(-abs(exact / (exact - sigma)))[:4]])
    w = eigsh(k, 4, g, sigma=sigma, mode="buckling", return_eigenvectors=False)
    np.testing.assert_allclose(w, wanted, rtol=1e-6)


def test_solvers_and_reports_are_shown_and_pickled():
    a = line(300, 2.0, -1.0)
    _, _, report = eigsh(a, 3, which="SA", info=True)
    assert repr(report).startswith("SparseReport: 3 pairs by ") and "<div>" in report._repr_html_()
    again = pickle.loads(pickle.dumps(report))
    assert repr(again) == repr(report)


@needs_library
def test_a_solver_shows_itself_and_refuses_pickling_with_a_sentence():
    solver = sparse.Solver(line(300, 2.0, -1.0), np.ones(300))
    assert repr(solver).startswith("Solver: sparse matrices of order 300") and "A v = w M v" in repr(solver)
    assert "<div>" in solver._repr_html_()
    with pytest.raises(TypeError, match="cannot be pickled or copied"):
        pickle.dumps(solver)


@needs_library
def test_the_report_of_an_interval_has_its_ends():
    k, m, exact = membrane(12, 11)
    low, high = (exact[0] + exact[1]) / 2, (exact[30] + exact[31]) / 2
    w, _, report = interval(1e6 * k, 1e6 * low, 1e6 * high, m, info=True)
    assert len(w) == 30 and report.found == 30
    np.testing.assert_allclose([report.low, report.high], [1e6 * low, 1e6 * high])
