"""The cache of a thread, without a GPU."""

import pytest

from eigen_g import _solve


@pytest.mark.parametrize("n, needed, is_kept", [(128, 1 << 20, True), (512, 8 << 20, True), (513, 1 << 20, False), (64, (8 << 20) + 1, False)])
def test_a_small_workspace_stays_with_its_solver(n, needed, is_kept):
    kept = _solve.Kept()
    solver, memory = object(), object()
    kept.keep("key", solver, n, needed, memory)
    found = kept._taken("key")
    assert found == ("key", solver, needed, memory if is_kept else None)
    assert kept._taken("key") is None  # it leaves the cache while it solves


def test_another_key_frees_the_solver():
    kept = _solve.Kept()
    kept.keep("key", object(), 10, 100, object())
    assert kept._taken("other") is None
    assert kept._taken("key") is None
    kept.keep(None, object(), 10, 100, object())
    assert kept._taken(None) is None
