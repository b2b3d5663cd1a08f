"""eigh and eigvalsh of NumPy arrays on the CPU, against LAPACK's measures and SciPy's conventions."""


import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matrices import ULP, check, random_hermitian, random_pair, random_symmetric, strided

import eigen_g


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


@pytest.mark.parametrize("subset", [[0, 3], (np.int32(0), 3.0), range(0, 4, 3), iter([0, 3]), np.array([0, 3]), ["0", "3"]])
def test_any_two_numbers_are_a_subset(subset):
    assert eigen_g.eigvalsh(random_symmetric(6), subset_by_index=subset).shape == (4,)


def test_an_empty_matrix_has_no_pairs_for_any_subset():
    for options in ({"subset_by_index": [0, 4]}, {"subset_by_value": [-1, 1]}):
        w, v = eigen_g.eigh(np.zeros((0, 0)), **options)
        assert w.shape == (0,) and v.shape == (0, 0)


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
