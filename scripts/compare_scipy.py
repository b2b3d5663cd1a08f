#!/usr/bin/env python3
"""Compares solves on the CPU with scipy.linalg.eigh in turns, and prints medians in milliseconds.

Usage: scripts/compare_scipy.py [--orders 50,100,...] [--threads 1,4,16,0] [--rounds 7] [--seconds 20] [--type float64] [--values] [--few]
                                [--alone] [--processor-time] [--after-product] [--load N] [--budget SECONDS]

It needs the Python package and SciPy. The machine should do nothing else. SciPy solves in a process of its own, and each side waits until
the threads of the other side sleep: the threads of an OpenBLAS look for work for 0.1 s and more after a call. Threads 0 is the default of both.
A row has the median of the whole solve, of its three stages, and of each of SciPy's drivers; `ratio` is SciPy's fastest driver over the
whole solve, above 1 if eigen_g is faster. `bits` says whether all numbers of threads gave the same bits. --few solves for n / 160 of the
smallest pairs, --values for the eigenvalues alone. A row ends after --rounds rounds, or after --seconds and at least one round. A driver
that takes 1.2 times as long as the other one is left out for the rest of an order from 2000 on. --alone leaves out SciPy: a sweep over
numbers of threads. --after-product multiplies two matrices with NumPy before each solve, so that the threads of NumPy's OpenBLAS look
for work during the solve. --load starts N processes that only count, and also prints the time under this load over the quiet time.
After --budget seconds no further row begins. --processor-time counts the seconds of all threads instead of elapsed ones: for one thread on a
machine with other work. Times of stages stay elapsed ones.
"""

import argparse
import ctypes
import multiprocessing
import os
import statistics
import time

import numpy as np


# The columns of the table, and the stages of both paths that each one adds up.
columns = {
    "reduce": ("tridiagonalize", "full_to_band", "chase"),
    "d&c": ("divide_and_conquer",),
    "back": ("back_transform", "back_transform_chase", "back_transform_band"),
}


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def matrix(n: int, dtype: str) -> np.ndarray:
    generator = np.random.default_rng(n)
    a = generator.standard_normal((n, n))
    if np.dtype(dtype).kind == "c":
        a = a + 1j * generator.standard_normal((n, n))
    return np.asfortranarray((a + a.conj().T).astype(dtype))


def setters_of_threads():
    """Returns the functions that set the number of threads of the OpenBLAS libraries of NumPy's and SciPy's wheels."""
    with open("/proc/self/maps") as maps:
        files = sorted({line.split()[-1] for line in maps if "openblas" in line})
    setters = []
    for file in files:
        library = ctypes.CDLL(file)
        for name in ("openblas_set_num_threads", "openblas_set_num_threads64_"):
            for full in (f"scipy_{name}", name):
                if "scipy" in os.path.basename(file) and hasattr(library, full):
                    setters.append(getattr(library, full))
    return setters


def wait_for_sleep() -> None:
    """Returns when the threads of this process need no processor any more."""
    before = time.process_time()
    while True:
        time.sleep(0.02)
        now = time.process_time()
        if now - before < 0.002:
            return
        before = now


def solve_by_scipy(pipe) -> None:
    """The body of SciPy's process: answers (n, dtype, threads, driver, values, subset, repeats, processor time) with seconds, until it gets None."""
    import scipy.linalg

    setters, kept = setters_of_threads(), (None, None)
    pipe.send((len(setters), scipy.__version__))
    while (call := pipe.recv()) is not None:
        n, dtype, threads, driver, values, subset, repeats, processor_time = call
        clock = time.process_time if processor_time else time.perf_counter
        if kept[0] != (n, dtype):
            kept = (n, dtype), matrix(n, dtype)
        for setter in setters:
            setter(threads)
        seconds = []
        for _ in range(repeats):
            start = clock()
            scipy.linalg.eigh(kept[1], driver=driver, eigvals_only=values, check_finite=False, subset_by_index=subset)
            seconds.append(clock() - start)
        wait_for_sleep()
        pipe.send(seconds)


def count(ready) -> None:
    """The body of a process that keeps a core busy."""
    ready.set()
    number = 0
    while True:
        number += 1


class Load:
    def __init__(self, processes: int):
        context = multiprocessing.get_context("spawn")
        self.ready = [context.Event() for _ in range(processes)]
        self.processes = [context.Process(target=count, args=(ready,), daemon=True) for ready in self.ready]

    def __enter__(self):
        for process in self.processes:
            process.start()
        for ready in self.ready:
            ready.wait()

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.join()


def main() -> None:
    import eigen_g

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orders", type=numbers, default=[50, 100, 200, 500, 1000, 2000, 4000])
    parser.add_argument("--threads", type=numbers, default=[1, 4, 16, 0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--budget", type=float, default=1e9)
    parser.add_argument("--type", default="float64")
    parser.add_argument("--values", action="store_true")
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--processor-time", action="store_true")
    parser.add_argument("--after-product", action="store_true")
    parser.add_argument("--load", type=int, default=0)
    options = parser.parse_args()
    clock = time.process_time if options.processor_time else time.perf_counter
    began = time.perf_counter()
    cores = len(os.sched_getaffinity(0))
    drivers = [] if options.alone or options.load else ["evr", "evx"] if options.few else ["evd", "evr"]
    print(f"{cores} processors, {options.type}, {'few pairs' if options.few else 'values' if options.values else 'all pairs'}")
    if drivers:
        context = multiprocessing.get_context("spawn")
        pipe, end = context.Pipe()
        process = context.Process(target=solve_by_scipy, args=(end,), daemon=True)
        process.start()
        print("%d setters of SciPy's threads, SciPy %s" % pipe.recv())
    print(f"{'n':>6}{'threads':>8}{'eigen_g':>10}" + "".join(f"{column:>9}" for column in columns) +
          "".join(f"{'scipy ' + d:>11}" for d in drivers) +
          (f"{'ratio':>7}" if drivers else "") + (f"{'loaded':>10}{'ratio':>7}" if options.load else "") + "  bits", flush=True)

    for n in options.orders:
        a = matrix(n, options.type)
        subset = [0, max(0, n // 160)] if options.few else None
        repeats = max(1, min(20, 200 // n))
        first = None
        factor = np.ones((1000, 1000)) if options.after_product else None
        used = list(drivers)

        def own(threads: int, times: dict) -> tuple:
            for _ in range(repeats):
                if options.after_product:
                    factor @ factor
                start = clock()
                if options.values:
                    w, z = eigen_g.eigvalsh(a, device="cpu", threads=threads, subset_by_index=subset), None
                    stages = []
                else:
                    result = eigen_g.eigh(a, device="cpu", threads=threads, subset_by_index=subset)
                    w, z, stages = *result, result.report.stages
                times["eigen_g"].append(clock() - start)
                for column, of_column in columns.items():
                    times[column].append(sum(seconds for stage, seconds in stages if stage in of_column))
            return w.tobytes(), b"" if z is None else z.tobytes()

        for threads in options.threads:
            if time.perf_counter() - began > options.budget:
                print("the budget is spent")
                break
            times = {name: [] for name in ["eigen_g", *columns, *drivers]}
            begin = time.perf_counter()
            if n < 2000:
                own(threads, {name: [] for name in times})  # starts threads and touches memory
            for turn in range(options.rounds):
                if turn > 0 and time.perf_counter() - begin > options.seconds:
                    break
                bits = own(threads, times)
                for driver in list(used):
                    pipe.send((n, options.type, threads or cores, driver, options.values, subset, repeats, options.processor_time))
                    times[driver] += pipe.recv()[repeats // 2:]
                if len(used) == 2 and n >= 2000:
                    least = [min(times[driver]) for driver in used]
                    if max(least) > 1.2 * min(least):
                        used.pop(least.index(max(least)))
            same, first = first in (None, bits), first or bits
            ms = {name: 1e3 * statistics.median(values) if values else 0 for name, values in times.items()}
            line = f"{n:>6}{threads:>8}{ms['eigen_g']:>10.3f}" + "".join(f"{ms[column]:>9.3f}" for column in columns)
            if drivers:
                line += "".join(f"{ms[d]:>11.3f}" if times[d] else f"{'-':>11}" for d in drivers)
                line += f"{min(ms[d] for d in drivers if times[d]) / ms['eigen_g']:>7.2f}"
            if options.load:
                loaded = {name: [] for name in times}
                with Load(options.load):
                    time.sleep(0.2)
                    for _ in range(max(2, options.rounds)):
                        own(threads, loaded)
                median = 1e3 * statistics.median(loaded["eigen_g"])
                line += f"{median:>10.3f}{median / ms['eigen_g']:>7.2f}"
            print(line + f"  {'same' if same else 'DIFFER'}", flush=True)
    if drivers:
        pipe.send(None)


if __name__ == "__main__":
    main()
