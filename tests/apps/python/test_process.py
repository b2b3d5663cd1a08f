"""Tests of the effects of a solve on its process: progress, Ctrl-C, threads, forks, the interpreter's end."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from matrices import random_symmetric

import eigen_g


def test_progress_and_an_exception_from_it():
    seen = []
    eigen_g.eigh(random_symmetric(40), progress=lambda stage, fraction: seen.append((stage, fraction)))
    assert ("tridiagonalize", 0.0) in seen and ("back_transform", 1.0) in seen

    def stop(stage, fraction):
        if stage == "divide_and_conquer":
            raise KeyError(stage)

    with pytest.raises(KeyError, match="divide_and_conquer"):
        eigen_g.eigh(random_symmetric(40), progress=stop)


def test_interrupt_ends_a_solve():
    def interrupt(stage, fraction):
        if stage == "tridiagonalize":
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        eigen_g.eigh(random_symmetric(40), progress=interrupt)
    threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            eigen_g.eigvalsh(random_symmetric(2000))


@pytest.mark.parametrize("n", [100, 700])
@pytest.mark.parametrize("progress", ["None", "lambda stage, fraction: None"])
def test_a_daemon_thread_does_not_disturb_the_end(n, progress):
    program = f"""
import threading, time, numpy, eigen_g
a = numpy.ones(({n}, {n})) + numpy.diag(numpy.arange({n}.0))
def solve():
    while True:
        eigen_g.eigh(a, progress={progress})
threading.Thread(target=solve, daemon=True).start()
time.sleep(0.2)
"""
    for _ in range(3):
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, timeout=60)


@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_forked_child_solves_while_threads_of_its_parent_solve(threads):
    program = """
import os, sys, threading, time, numpy, eigen_g
shared = eigen_g.Solver(600, device="cpu")
large = numpy.eye(600) + 1 / (1 + numpy.add.outer(numpy.arange(600.0), numpy.arange(600)))
def solve(solver):
    while True:
        solver(large)
for solver in (eigen_g.eigh, shared):
    threading.Thread(target=solve, args=(solver,), daemon=True).start()
def child(depth):
    pid = os.fork()
    if pid == 0:
        assert numpy.allclose(eigen_g.eigvalsh(numpy.diag([1.0, 2.0, 3.0])), [1, 2, 3])
        with eigen_g.patched("numpy"):
            shared(large)
        if depth > 0:
            child(depth - 1)
        sys.exit(0)
    begin = time.monotonic()
    while (ended := os.waitpid(pid, os.WNOHANG))[0] == 0:
        time.sleep(0.01)
        if time.monotonic() - begin > 20:
            os.kill(pid, 9)
            os._exit(1)
    if ended[1] != 0:
        os._exit(2)
for k in range(10):
    time.sleep(0.02)
    child(k % 2)
os._exit(0)
"""
    environment = os.environ | {"OMP_NUM_THREADS": threads}
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, env=environment, timeout=300)


def _values(matrix):
    return eigen_g.eigvalsh(matrix)


def test_a_pool_by_fork_solves_while_a_thread_of_the_parent_solves():
    stop = threading.Event()

    def solve():
        while not stop.is_set():
            eigen_g.eigh(random_symmetric(300))

    busy = threading.Thread(target=solve)
    busy.start()
    try:
        matrices = [random_symmetric(20 + k) for k in range(12)]
        with multiprocessing.get_context("fork").Pool(3) as pool:
            found = pool.map_async(_values, matrices).get(timeout=120)
    finally:
        stop.set()
        busy.join()
    for matrix, values in zip(matrices, found, strict=True):
        assert np.array_equal(values, eigen_g.eigvalsh(matrix))


def test_the_gil_is_released():
    ticks, done = [0], threading.Event()

    def tick():
        while not done.wait(0.001):
            ticks[0] += 1

    thread = threading.Thread(target=tick)
    a = random_symmetric(700)
    thread.start()
    before = ticks[0]
    eigen_g.eigh(a, device="cpu")
    during = ticks[0] - before
    done.set()
    thread.join()
    assert during > 5


def test_threads_get_the_bits_of_one():
    matrices = [random_symmetric(120, seed) for seed in range(6)]
    alone = [eigen_g.eigh(a) for a in matrices]
    results = [None] * len(matrices)

    def solve(k):
        results[k] = eigen_g.eigh(matrices[k])

    threads = [threading.Thread(target=solve, args=(k,)) for k in range(len(matrices))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for mine, theirs in zip(results, alone):
        np.testing.assert_array_equal(mine.eigenvalues, theirs.eigenvalues)
        np.testing.assert_array_equal(mine.eigenvectors, theirs.eigenvectors)
