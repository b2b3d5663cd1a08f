"""Arguments that eigh and eigvalsh refuse, and the errors, which have SciPy's types."""

import warnings

import numpy as np
import pytest
from matrices import check, random_symmetric

import eigen_g


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
        ({"gpus": -1}, eigen_g.InvalidArgument, "argument gpus: is -1, must not be negative"),
        ({"gpus": 0, "ratio": "1:1"}, eigen_g.InvalidArgument, "argument ratio.*because gpus is 0"),
        ({"threads": -1}, eigen_g.InvalidArgument, "threads"),
        ({"precision": "half"}, eigen_g.InvalidArgument, "precision.*half.*native, mixed"),
        ({"memory_limit": -1}, eigen_g.InvalidArgument, "argument memory_limit: is -1"),
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


def test_pieces_are_in_the_memory_of_gpus():
    with pytest.raises(ValueError, match="memory of GPUs"):
        eigen_g.eigh_shards([np.eye(3)])
    with pytest.raises(ValueError, match="no arrays"):
        eigen_g.eigh_shards([])
