"""eigh and eigvalsh of NumPy arrays on the CPU, against LAPACK's measures and SciPy's conventions."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eigen_g

ULP = np.finfo(float).eps


def random_symmetric(n, seed=0):
    a = np.random.default_rng(seed).standard_normal((n, n))
    return a + a.T


def check(a, w, v, lower=True):
    """LAPACK's two ratios at most 10, over the triangle that was read."""
    triangle = np.tril(a) if lower else np.triu(a)
    full = triangle + np.tril(triangle, -1).T + np.triu(triangle, 1).T
    n = len(full)
    assert w.shape == (n,) and v.shape == (n, n)
    assert np.all(np.diff(w) >= 0)
    if n == 0:
        return
    norm = max(np.linalg.norm(full, 1), np.finfo(float).tiny)
    assert np.linalg.norm(full @ v - v * w, 1) <= 10 * n * norm * ULP
    assert np.linalg.norm(v.T @ v - np.eye(n), 1) <= 10 * n * ULP


@pytest.mark.parametrize("n", [0, 1, 2, 3, 17, 64, 129, 300])
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("lower", [True, False])
def test_reads_one_triangle_of_either_order(n, order, lower):
    a = random_symmetric(n, n)
    given = np.asarray(a, order=order).copy(order="K")
    outside = np.triu_indices(n, 1) if lower else np.tril_indices(n, -1)
    given[outside] = np.nan
    before = given.copy(order="K")
    w, v = eigen_g.eigh(given, lower=lower)
    check(a, w, v)
    np.testing.assert_array_equal(given, before)
    assert v.flags.f_contiguous and w.dtype == v.dtype == np.float64
    values = eigen_g.eigvalsh(given, lower=lower)
    np.testing.assert_allclose(values, w, atol=10 * n * ULP * np.abs(w).max(initial=0))


GRADED = {
    np.float64: ([-5e-164, 0, 0], [50, 8e-161], 50),
    np.float32: ([5e-21, 0, 4e-22], [200, 4e-22], 200),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("generalised", [True, False])
def test_values_of_badly_scaled_matrices(dtype, lower, generalised):
    real = np.dtype(dtype).type(0).real.dtype.type
    d, e, largest = GRADED[real]
    a = (np.diag(d) + np.diag(e, 1) + np.diag(e, -1)).astype(dtype)
    options = {"lower": lower} | ({"b": np.eye(3, dtype=dtype)} if generalised else {})
    near = {"rtol": 0, "atol": 16 * np.finfo(real).eps * largest}
    np.testing.assert_allclose(eigen_g.eigvalsh(a, **options), [-largest, 0, largest], **near)
    bounds = [0.8 * largest, 1.2 * largest]
    np.testing.assert_allclose(eigen_g.eigvalsh(a, subset_by_value=bounds, **options), [largest], **near)
    np.testing.assert_allclose(eigen_g.eigvalsh(a, subset_by_index=[0, 0], **options), [-largest], **near)
    if dtype == np.float64:
        w = eigen_g.solve_tridiagonal(np.array(d, float), np.array(e, float), eigvals_only=True)
        np.testing.assert_allclose(w, [-largest, 0, largest], **near)


def strided(a, kind):
    n = len(a)
    if kind == "rows":
        room = np.full((n, n + 5), np.nan, a.dtype)
        room[:, 3 : n + 3] = a
        return room[:, 3 : n + 3]
    if kind == "columns":
        return strided(a.T, "rows").T
    if kind == "every second":
        room = np.full((2 * n + 1, 2 * n + 1), np.nan, a.dtype)
        room[1 : 2 * n : 2, : 2 * n : 2] = a
        return room[1 : 2 * n : 2, : 2 * n : 2]
    if kind == "backwards":
        return np.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1]
    if kind == "broadcast":
        return np.broadcast_to(np.full((1, 1), 2.0), (n, n))
    return a


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(0, 40),
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(["rows", "columns", "every second", "backwards", "broadcast", "plain"]),
    lower=st.booleans(),
    overwrite=st.booleans(),
    scale=st.sampled_from([0.0, 1e-300, 1.0, 1e300]),
)
def test_any_strides_and_scales(n, seed, kind, lower, overwrite, scale):
    a = strided(scale * random_symmetric(n, seed) / 8, kind)
    truth = a.copy()
    if kind != "broadcast":  # read-only
        a.flags.writeable = overwrite
    w, v = eigen_g.eigh(a, lower=lower, overwrite_a=overwrite)
    assert np.all(np.isfinite(v))
    if scale == 1e300:
        w, truth = w / 1e300, truth / 1e300
    if scale == 1e-300:
        w, truth = w * 1e300, truth * 1e300
    check(truth, w, v, lower)
    if not overwrite or kind == "broadcast" or (n > 1 and kind in ("every second", "backwards")):
        np.testing.assert_array_equal(a, truth if scale not in (1e300, 1e-300) else a)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128, np.complex64])
@pytest.mark.parametrize("neighbour", [np.uint8, np.int32])
@pytest.mark.parametrize("overwrite", [False, True])
def test_elements_off_the_multiples_of_their_size(dtype, neighbour, overwrite):
    n = 40
    a = random_hermitian(n, np.result_type(dtype, np.complex64))
    a = (a if np.dtype(dtype).kind == "c" else a.real).astype(dtype)
    records = np.zeros((n, n), [("x", dtype), ("y", neighbour)])
    records["y"] = 7
    odd = np.frombuffer(bytearray(a.nbytes + 1), dtype, n * n, 1).reshape(n, n)
    for given in (records["x"], odd, odd.T):
        given[...] = a
        w, v = eigen_g.eigh(given, overwrite_a=overwrite)
        assert eigen_g.verify(a, w, v).passed and eigen_g.verify(given, w, v).passed
        np.testing.assert_array_equal(given, a)
        solver = eigen_g.Solver(n, like=given, type=1)
        b = np.eye(n, dtype=dtype)
        np.testing.assert_allclose(solver(b, given + n * b)[0], np.sort(1 / (w + n)), rtol=1e-3)
    assert np.all(records["y"] == 7)


@pytest.mark.parametrize("order", "CF")
def test_vectors_over_a(order):
    a = random_symmetric(50)
    given = a.copy(order=order)
    w, v = eigen_g.eigh(given, overwrite_a=True)
    assert np.shares_memory(v, given)
    check(a, w, v)
    given = a.copy(order=order)
    w, v = eigen_g.eigh(given, overwrite_a=True, subset_by_index=[3, 7])
    assert np.shares_memory(v, given) and v.shape == (50, 5)
    np.testing.assert_allclose(a @ v, v * w, atol=1e-12)


def test_result_is_a_named_pair_with_a_report():
    for n in (30, 60):
        result = eigen_g.eigh(random_symmetric(n))
        assert result.eigenvalues is result[0] and result.eigenvectors is result[1] and len(result) == 2
        report = result.report
        assert report.converged and report.m == n and report.first_index == 0 and report.path == "one_stage"
        assert report.devices[0]["gpu"] is None and result.status is None
        assert report.workspace_bytes[0] == eigen_g.workspace_bytes(n, on_gpu=False, array_on_gpu=False)[0] > 0
        assert report.seconds > 0 and (n == 30) == (report.stages == [])  # n <= 48 has no stages of LAPACK
    assert "tridiagonalize" in dict(report.stages)
    assert 0 < sum(seconds for _, seconds in report.stages) <= report.seconds


def test_results_are_copied_without_their_report():
    result = eigen_g.eigh(random_symmetric(5))
    for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert type(other) is eigen_g.EighResult and other.report is None
        np.testing.assert_array_equal(other.eigenvalues, result.eigenvalues)
        np.testing.assert_array_equal(other.eigenvectors, result.eigenvectors)


@pytest.mark.parametrize("lower", [True, False, np.True_, np.False_, None, 2, 0, "L"])
def test_lower_is_as_true_as_in_python(lower):
    w, v = np.linalg.eigh(random_symmetric(6))
    for order in "CF":
        a = ((v * w) @ v.T).copy(order=order)
        a[np.triu_indices(6, 1) if lower else np.tril_indices(6, -1)] = 99
        np.testing.assert_allclose(eigen_g.eigvalsh(a, lower=lower), w, atol=1e-13)
        np.testing.assert_allclose(eigen_g.Solver(6, lower=lower)(a).eigenvalues, w, atol=1e-13)
        t = eigen_g.tridiagonalize(a, lower=lower)
        assert eigen_g.verify(a, w, eigen_g.apply_q(t, eigen_g.solve_tridiagonal(t.d, t.e)[1]), lower=lower).passed


@pytest.mark.parametrize("overwrite", [False, True])
def test_subclasses_are_taken_as_plain_arrays(overwrite):
    a = random_symmetric(5)
    plain = eigen_g.eigh(a)
    for kind in (np.asmatrix, lambda x: np.ma.masked_greater(x, 0)):
        result = eigen_g.eigh(kind(a.copy()), overwrite_a=overwrite)
        assert [type(x) for x in result] == [np.ndarray] * 2
        np.testing.assert_array_equal(result.eigenvectors, plain.eigenvectors)


def test_precision():
    a = random_symmetric(30)
    plain = eigen_g.eigh(a, device="cpu")
    assert plain.report.refinement["result"] == "native"
    assert plain.report.fallbacks == []
    for mixed in (
        eigen_g.eigh(a, device="cpu", precision="mixed"),
        eigen_g.Solver(30, device="cpu", precision="mixed")(a),
    ):
        np.testing.assert_array_equal(mixed.eigenvectors, plain.eigenvectors)
        refinement = mixed.report.refinement
        assert refinement.pop("result") == "out_of_scope" and not any(refinement.values())
    np.testing.assert_array_equal(eigen_g.eigvalsh(a, device="cpu", precision="mixed"), eigen_g.eigvalsh(a, device="cpu"))
    stack = eigen_g.eigh(np.stack([a, a]), device="cpu", precision="mixed")
    assert [report.refinement["result"] for report in stack.report] == ["out_of_scope"] * 2
    sizes = dict(on_gpu=False, array_on_gpu=False)
    assert eigen_g.workspace_bytes(30, precision="mixed", **sizes) == eigen_g.workspace_bytes(30, **sizes)
    with pytest.raises(eigen_g.InvalidArgument, match="precision"):
        eigen_g.workspace_bytes(30, precision="half", **sizes)


def test_subsets_are_scipys():
    a = random_symmetric(60)
    w, v = eigen_g.eigh(a)
    got = eigen_g.eigh(a, subset_by_index=[10, 14])
    np.testing.assert_array_equal(got.eigenvalues, w[10:15])
    assert got.eigenvectors.shape == (60, 5) and got.report.first_index == 10
    above, upto = w[3], w[8]
    got = eigen_g.eigh(a, subset_by_value=[above, upto])
    np.testing.assert_array_equal(got.eigenvalues, w[4:9])
    np.testing.assert_allclose(np.abs(np.sum(got.eigenvectors * v[:, 4:9], axis=0)), 1, rtol=1e-10)
    np.testing.assert_array_equal(eigen_g.eigvalsh(a, subset_by_value=[w[-1] + 1, np.inf]), [])
    scipy = pytest.importorskip("scipy.linalg")
    np.testing.assert_allclose(
        eigen_g.eigvalsh(a, subset_by_index=[0, 4]), scipy.eigvalsh(a, subset_by_index=[0, 4]), atol=1e-12
    )


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"subset_by_index": [3, 2]}, ValueError, "subset_by_index"),
        ({"subset_by_index": [0, 5]}, ValueError, "subset_by_index"),
        ({"subset_by_index": [-1, 2]}, ValueError, "subset_by_index"),
        ({"subset_by_value": [1, 1]}, ValueError, "subset_by_value"),
        ({"subset_by_value": [0, 1], "subset_by_index": [0, 1]}, ValueError, "both"),
        ({"subset_by_index": [3]}, ValueError, r"^subset_by_index is \[3\], must be two values"),
        ({"subset_by_index": [0, 1, 2]}, ValueError, r"^subset_by_index is \[0, 1, 2\], must be two values"),
        ({"subset_by_index": 3}, TypeError, "^subset_by_index is 3, must be two values"),
        ({"subset_by_index": [np.nan, 3]}, ValueError, "^subset_by_index is .nan, 3., must be two values"),
        ({"subset_by_value": [3]}, ValueError, r"^subset_by_value is \[3.0\], must be two values"),
        ({"subset_by_value": [1j, 3]}, TypeError, "^subset_by_value is .1j, 3., must be two values"),
        ({"subset_by_value": [np.nan, 3]}, ValueError, "two ascending values"),
        ({"driver": "wrong"}, ValueError, "^driver is 'wrong', must be one of .*'evr'.* without b"),
        ({"driver": "gvd"}, ValueError, "^driver is 'gvd', must be one of .*'evr'.* without b"),
        ({"driver": "evr", "b": np.eye(5)}, ValueError, "^driver is 'evr', must be one of .*'gvd'.* with b"),
        ({"driver": "evd", "subset_by_index": [0, 1]}, ValueError, "^driver is 'evd', which finds no subsets"),
        ({"driver": "gv", "b": np.eye(5), "subset_by_value": [0, 1]}, ValueError, "^driver is 'gv', which finds no subsets"),
        ({"UPLO": "lower"}, ValueError, "^UPLO is 'lower', must be 'L' or 'U'"),
        ({"UPLO": None, "b": "upper"}, ValueError, "^UPLO is 'upper', must be 'L' or 'U'"),
        ({"path": "scenic"}, eigen_g.InvalidArgument, "path.*scenic.*one_stage"),
        ({"engine": "steam"}, eigen_g.InvalidArgument, "engine"),
        ({"device": "tpu"}, eigen_g.InvalidArgument, "argument device: is 'tpu'"),
        ({"device": None}, TypeError, "^device is None, must be a string"),
        ({"path": None}, TypeError, "^path is None"),
        ({"ratio": (1, 2)}, TypeError, r"^ratio is \(1, 2\)"),
        ({"ratio": [1, 2]}, TypeError, r"^ratio is \[1, 2\]"),
        ({"gpus": 2**40}, eigen_g.InvalidArgument, "argument gpus: is 1099511627776"),
        ({"threads": 1.0}, TypeError, "^threads is 1.0, must be an integer"),
        ({"ratio": "1:x"}, eigen_g.InvalidArgument, "ratio"),
        ({"gpus": 0}, eigen_g.InvalidArgument, "gpus"),
        ({"threads": -1}, eigen_g.InvalidArgument, "threads"),
        ({"precision": "half"}, eigen_g.InvalidArgument, "precision.*half.*native, mixed"),
        ({"multiprocessors": -1}, eigen_g.InvalidArgument, "argument multiprocessors: is -1"),
        ({"device": "cpu", "multiprocessors": 8}, eigen_g.InvalidArgument, "argument multiprocessors"),
        ({"b": np.eye(5), "type": 1.5}, ValueError, "type is 1.5"),
        ({"b": np.eye(5), "type": "1"}, ValueError, "type is '1'"),
        ({"b": np.eye(4)}, ValueError, r"alike.*\(4, 4\)"),
        ({"b": np.ones(5)}, ValueError, r"alike.*\(5,\)"),
        ({"b": np.eye(5).astype("U3")}, ValueError, "alike.*b is str"),
        ({"b": np.eye(5), "type": 4}, ValueError, "type is 4"),
        ({"b": -np.eye(5)}, np.linalg.LinAlgError, "order 1 of b is not positive definite"),
        ({"b": np.full((5, 5), np.nan)}, eigen_g.NonFiniteEntry, r"b\[0, 0\] is NaN"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        eigen_g.eigh(np.eye(5), **options)


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


def test_names_of_the_triangle():
    a = np.triu(random_symmetric(5)) + np.tril(random_symmetric(5, 1), -1)
    for options in ({"lower": False}, {"UPLO": "U"}, {"UPLO": "u"}, {"b": "U"}, {"b": np.eye(5), "UPLO": "U"}):
        np.testing.assert_allclose(eigen_g.eigvalsh(a, **options), np.linalg.eigvalsh(a, "U"), atol=1e-13)
        np.testing.assert_allclose(eigen_g.eigh(a, **options)[0], np.linalg.eigvalsh(a, "U"), atol=1e-13)
    for other in ("U", "u"):
        np.testing.assert_array_equal(eigen_g.eigh(a, other)[1], eigen_g.eigh(a, None, False)[1])
    for lower in (True, False):
        np.testing.assert_array_equal(eigen_g.eigh(a, None, lower)[1], eigen_g.eigh(a, lower=lower)[1])
        np.testing.assert_array_equal(eigen_g.eigvalsh(a, np.eye(5), lower), eigen_g.eigvalsh(a, np.eye(5), lower=lower))
    np.testing.assert_array_equal(eigen_g.eigh(a, "L")[1], eigen_g.eigh(a)[1])


def test_drivers_have_no_effect():
    a, b = random_pair(10)
    for drivers, others in ((("ev", "evd", "evr", "evx"), {}), (("gv", "gvd", "gvx"), {"b": b})):
        plain = eigen_g.eigh(a, **others).eigenvectors
        for driver in (None, *drivers):
            np.testing.assert_array_equal(eigen_g.eigh(a, driver=driver, **others).eigenvectors, plain)
    for options in ({"driver": "evr"}, {"driver": "evx"}, {"driver": "gvx", "b": b}):
        assert eigen_g.eigvalsh(a, subset_by_index=[1, 2], **options).shape == (2,)


def test_type_is_for_b_only():
    a = random_symmetric(5)
    np.testing.assert_array_equal(eigen_g.eigvalsh(a, type=5), eigen_g.eigvalsh(a))
    np.testing.assert_array_equal(eigen_g.eigvalsh(a, np.eye(5), type=2.0), eigen_g.eigvalsh(a, np.eye(5), type=2))


@pytest.mark.parametrize("subset", [[0, 3], (np.int32(0), 3.0), range(0, 4, 3), iter([0, 3]), np.array([0, 3]), ["0", "3"]])
def test_any_two_numbers_are_a_subset(subset):
    assert eigen_g.eigvalsh(random_symmetric(6), subset_by_index=subset).shape == (4,)


def test_an_empty_matrix_has_no_pairs_for_any_subset():
    for options in ({"subset_by_index": [0, 4]}, {"subset_by_value": [-1, 1]}):
        w, v = eigen_g.eigh(np.zeros((0, 0)), **options)
        assert w.shape == (0,) and v.shape == (0, 0)


eye3 = np.eye(3)
wrong_calls = [
    ((np.ones((1, 2)),), {}),
    ((np.ones((2, 2)), np.ones((2, 1))), {}),
    ((np.ones((3, 3)), np.ones((2, 2))), {}),
    ((np.ones((2, 3, 3)), np.ones((4, 3, 3))), {}),
    ((np.ones((3, 3)), np.ones((3, 3))), {}),
    ((np.array([[1, None], [None, 2]]),), {}),
    ((None,), {}),
    ((eye3 * np.nan,), {}),
    ((eye3, np.full((3, 3), np.inf)), {}),
    ((), {}),
    ((eye3,), {"no_option": True}),
    ((eye3,), {"subset_by_index": [3]}),
    ((eye3,), {"subset_by_index": 3}),
    ((eye3,), {"subset_by_index": [np.inf, 3]}),
    ((eye3,), {"subset_by_index": "ab"}),
    ((eye3,), {"subset_by_value": [3]}),
    ((eye3,), {"subset_by_value": 3}),
    ((eye3,), {"subset_by_value": [None, 1]}),
    ((eye3,), {"subset_by_value": [1, 2], "subset_by_index": [0, 1]}),
    ((np.stack([eye3, 2 * eye3]),), {"subset_by_value": [0, 1]}),
    ((eye3,), {"driver": ""}),
    ((eye3, eye3), {"type": None}),
]


@pytest.mark.parametrize("arguments, options", wrong_calls)
def test_errors_have_scipys_types(arguments, options):
    scipy = pytest.importorskip("scipy.linalg")
    with pytest.raises(Exception) as theirs:
        scipy.eigh(*arguments, **options)
    with pytest.raises(theirs.type):
        eigen_g.eigh(*arguments, **options)


@pytest.mark.parametrize("options", [{"type": 0}, {"type": 5}, {"n": 1.5}, {"n": 2**70}])
def test_bad_options_of_workspace_bytes(options):
    with pytest.raises((ValueError, TypeError), match=f"{next(iter(options))}.* is "):
        eigen_g.workspace_bytes(**({"n": 5} | options))


def test_what_is_no_array_is_refused_by_its_type():
    with pytest.raises(ValueError, match="NoneType is not a numeric array"):
        eigen_g.eigh(None)
    with pytest.raises(ValueError, match="a is an array of objects"):
        eigen_g.eigh(np.eye(3, dtype=object))
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(ValueError, match=r"\.toarray\(\)"):
        eigen_g.eigh(sparse.eye(3).tocsr())


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


def random_hermitian(n, dtype=np.complex128, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n))
    return (a + a.conj().T).astype(dtype)


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(0, 40),
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(["rows", "columns", "every second", "backwards", "plain"]),
    lower=st.booleans(),
    overwrite=st.booleans(),
    dtype=st.sampled_from([np.complex128, np.complex64]),
)
def test_hermitian(n, seed, kind, lower, overwrite, dtype):
    a = random_hermitian(n, dtype, seed)
    given = strided(a.copy(), kind)
    given[np.triu_indices(n, 1) if lower else np.tril_indices(n, -1)] = np.nan
    w, v = eigen_g.eigh(given, lower=lower, overwrite_a=overwrite)
    ulp = np.finfo(dtype).eps
    assert v.dtype == dtype and w.dtype == np.finfo(dtype).dtype and w.shape == (n,) and v.shape == (n, n)
    if n > 0:
        assert np.linalg.norm(a @ v - v * w, 1) <= 10 * n * np.linalg.norm(a, 1) * ulp
        assert np.linalg.norm(v.conj().T @ v - np.eye(n), 1) <= 10 * n * ulp
    for order in "CF":
        x = a.copy(order=order)
        assert eigen_g.verify(x, w, v, lower=lower).passed
        np.testing.assert_allclose(eigen_g.eigvalsh(x, lower=lower), w, atol=10 * max(n, 1) * ulp * np.abs(w).max(initial=0))
    part = eigen_g.eigh(a, subset_by_index=[0, 0]).eigenvectors if n > 0 else v
    np.testing.assert_allclose(np.abs(np.sum(part.conj() * v[:, :1], axis=0)), np.ones(min(n, 1)), atol=1e-3)


def random_pair(n, dtype=float, seed=0):
    a, x = random_symmetric(n, seed), np.random.default_rng(seed + 1).standard_normal((n, n))
    return a.astype(dtype), (x @ x.T / max(n, 1) + np.eye(n)).astype(dtype)


@pytest.mark.parametrize("n", [0, 1, 2, 40, 130])
@pytest.mark.parametrize("type", [1, 2, 3])
@pytest.mark.parametrize("orders", ["CC", "FF", "CF", "FC"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_generalised(n, type, orders, dtype):
    a, b = random_pair(n, dtype)
    for lower in (True, False):
        x, y = a.copy(order=orders[0]), b.copy(order=orders[1])
        for one in (x, y):
            one[np.triu_indices(n, 1) if lower else np.tril_indices(n, -1)] = np.nan
        before = x.copy(), y.copy()
        result = eigen_g.eigh(x, y, type=type, lower=lower)
        w, v = result
        np.testing.assert_array_equal(x, before[0])
        np.testing.assert_array_equal(y, before[1])
        assert w.dtype == v.dtype == dtype and v.shape == (n, n)
        assert eigen_g.verify(x, w, v, b=y, type=type, lower=lower).passed
        assert n == 0 or "cholesky" in dict(result.report.stages)
        values = eigen_g.eigvalsh(x, y, type=type, lower=lower)
        np.testing.assert_allclose(values, w, atol=1000 * np.finfo(dtype).eps * np.abs(w).max(initial=0))
        over = eigen_g.eigh(x, y, type=type, lower=lower, overwrite_a=True, overwrite_b=True)
        np.testing.assert_array_equal(over.eigenvalues, w)


def test_generalised_is_scipys():
    scipy = pytest.importorskip("scipy.linalg")
    a, b = random_pair(50)
    for type in (1, 2, 3):
        w, v = eigen_g.eigh(a, b, type=type, subset_by_index=[3, 9])
        theirs, vectors = scipy.eigh(a, b, type=type, subset_by_index=[3, 9])
        np.testing.assert_allclose(w, theirs, rtol=1e-10, atol=1e-11)
        np.testing.assert_allclose(np.abs(v), np.abs(vectors), atol=1e-8)
    w, v = eigen_g.eigh(np.stack([a, 2 * a]), np.stack([b, b]))
    np.testing.assert_array_equal(w[0], eigen_g.eigh(a, b).eigenvalues)
    np.testing.assert_allclose(w[1], 2 * w[0], atol=1e-11)


@pytest.mark.parametrize("type", [1, 2, 3])
@pytest.mark.parametrize("orders", ["CC", "FF", "CF", "FC"])
@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_generalised_hermitian(type, orders, dtype):
    n = 40
    a, x = random_hermitian(n, dtype), random_hermitian(n, dtype, 1)
    b = (x @ x.conj().T / n + np.eye(n)).astype(dtype)
    for overwrite in (False, True):
        x, y = a.copy(order=orders[0]), b.copy(order=orders[1])
        w, v = eigen_g.eigh(x, y, type=type, overwrite_a=overwrite, overwrite_b=overwrite)
        assert w.dtype == np.finfo(dtype).dtype and v.dtype == dtype
        for order in "CF":
            assert eigen_g.verify(a.copy(order=order), w, v, b=b, type=type).passed
        left, right = {1: (a @ v, b @ v * w), 2: (a @ b @ v, v * w), 3: (b @ a @ v, v * w)}[type]
        np.testing.assert_allclose(left, right, atol=2000 * np.finfo(dtype).eps * np.abs(left).max())
    given = a[::-1, ::-1].copy()[::-1, ::-1]
    np.testing.assert_allclose(eigen_g.eigh(given, b, type=type)[0], w, atol=1e-3)


@pytest.mark.parametrize("type", [1, 2, 3])
def test_b_in_the_memory_of_a(type):
    _, b = random_pair(12)
    w = eigen_g.eigvalsh(b, b.copy(), type=type)
    shift = np.empty(13 * 12)
    a, below = shift[:144].reshape(12, 12), shift[12:].reshape(12, 12)
    for order in "CF":
        for overwrite_b in (False, True):
            x = b.copy(order=order)
            result = eigen_g.eigh(x, x, type=type, overwrite_a=True, overwrite_b=overwrite_b)
            np.testing.assert_allclose(result.eigenvalues, w)
            assert eigen_g.verify(b, *result, b=b, type=type).passed
    below[...] = b
    given = a.copy()
    given = (np.tril(given) + np.tril(given, -1).T).copy()
    result = eigen_g.eigh(a, below, type=type, overwrite_a=True)
    assert eigen_g.verify(given, *result, b=b, type=type).passed
    stack = np.stack([b, 2 * b, 3 * b])
    reversed_ = stack[::-1]
    truth = eigen_g.eigvalsh(stack.copy(), reversed_.copy(), type=type)
    np.testing.assert_allclose(eigen_g.eigh(stack, reversed_, type=type, overwrite_a=True)[0], truth)


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


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(ValueError, match="square"):
        eigen_g.eigh(np.zeros(shape))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_not_finite(value):
    a = random_symmetric(20)
    a[7, 3] = value
    for order in "CF":
        with pytest.raises(eigen_g.NonFiniteEntry, match=r"a\[7, 3\] is (NaN|infinite|minus infinite)"):
            eigen_g.eigh(a.copy(order=order))
    w, v = eigen_g.eigh(a, check_finite=False)
    assert np.isnan(w).all() and np.isnan(v).all() and v.shape == (20, 20)
    check(np.triu(a), *eigen_g.eigh(a, lower=False), lower=False)  # the other triangle


def test_not_finite_in_a_stack():
    a = np.stack([random_symmetric(5)] * 6).reshape(2, 3, 5, 5)
    a[1, 2, 4, 1] = np.nan
    with pytest.raises(eigen_g.NonFiniteEntry, match=r"a\[1, 2, 4, 1\] is NaN"):
        eigen_g.eigh(a)
    result = eigen_g.eigh(a, check_finite=False)
    assert np.isnan(result.eigenvectors[1, 2]).all() and np.isfinite(result.eigenvectors[0]).all()
    assert (result.report.failed, result.report.first_failed, result.status) == (1, 5, None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for dtype in (np.complex128, np.float32):
            kept = np.full((5, 5), np.inf, dtype)  # NumPy uses its memory for the next array of that size
            del kept
            w, v = result = eigen_g.eigh(a[1, 2].astype(dtype), check_finite=False)
            assert result.report is None and np.isnan(w).all() and np.isnan(v.real).all() and v.dtype == dtype
            assert dtype == np.float32 or np.isnan(v.imag).all()


@pytest.mark.skipif(eigen_g.gpu_count() > 0, reason="there is a GPU")
def test_no_gpu():
    with pytest.raises(eigen_g.DeviceError, match="GPU"):
        eigen_g.eigh(np.eye(5), device="gpu")
    for options in ({}, {"eigvals_only": True}, {"type": 1}, {"dtype": "complex64"}):
        assert eigen_g.workspace_bytes(1000, **options) == eigen_g.workspace_bytes(1000, on_gpu=False, array_on_gpu=False, **options)
        with pytest.raises(eigen_g.DeviceError):
            eigen_g.workspace_bytes(1000, on_gpu=True, **options)
    assert eigen_g.workspace_bytes(30) == eigen_g.eigh(random_symmetric(30)).report.workspace_bytes


def test_too_large_is_told_before_any_work():
    memory = np.lib.stride_tricks.as_strided(np.zeros(1), (1 << 20, 1 << 20), (8, 8 << 20), writeable=False)
    with pytest.raises(eigen_g.OutOfMemory):
        eigen_g.eigvalsh(memory, device="cpu")


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
