"""Tests of the effects of a solve on its process: progress, Ctrl-C, threads, forks, the interpreter's end."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from test_eigh import random_symmetric

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


def test_a_forked_child_waits_for_nobody():
    program = """
import os, sys, threading, time, numpy, eigen_g
def solve():
    while True:
        eigen_g.eigh(numpy.eye(200))
threading.Thread(target=solve, daemon=True).start()
for _ in range(5):
    time.sleep(0.02)
    child = os.fork()
    if child == 0:
        sys.exit(0)
    begin = time.monotonic()
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        time.sleep(0.01)
        assert time.monotonic() - begin < 8
"""
    environment = os.environ | {"OMP_NUM_THREADS": "1"}  # a fork ends OpenBLAS' threads during a call
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, env=environment, timeout=100)


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
