#!/usr/bin/env python3
"""Compares solves on the CPU with scipy.linalg.eigh in one process, in turns, and prints medians in milliseconds.

Usage: scripts/compare_scipy.py [--orders 50,100,...] [--threads 1,4,16,0] [--rounds 7] [--seconds 20] [--type float64] [--values] [--few]

It needs the Python package and SciPy. The machine should do nothing else. Threads 0 is the default of both. A row has the median of the
whole solve, of its three stages, and of each of SciPy's drivers; `ratio` is SciPy's fastest driver over the whole solve, above 1 if
eigen_g is faster. `bits` says whether all numbers of threads gave the same bits. --few solves for n / 160 of the smallest pairs,
--values for the eigenvalues alone. A row ends after --rounds rounds, or after --seconds and at least two rounds.
"""

import argparse
import ctypes
import os
import statistics
import time

import numpy as np
import scipy.linalg

import eigen_g


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def scipy_threads():
    """Returns a function that sets the number of threads of every OpenBLAS that is loaded as a wheel's own library."""
    with open("/proc/self/maps") as maps:
        files = sorted({line.split()[-1] for line in maps if "scipy_openblas" in line or "libopenblas" in line})
    setters = []
    for file in files:
        library = ctypes.CDLL(file)
        for prefix in ("scipy_", ""):
            for suffix in ("64_", ""):
                name = f"{prefix}openblas_set_num_threads{suffix}"
                if "scipy" in os.path.basename(file) and hasattr(library, name):
                    setters.append(getattr(library, name))
    return lambda threads: [setter(threads) for setter in setters], len(setters)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orders", type=numbers, default=[50, 100, 200, 500, 1000, 2000, 4000])
    parser.add_argument("--threads", type=numbers, default=[1, 4, 16, 0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--type", default="float64")
    parser.add_argument("--values", action="store_true")
    parser.add_argument("--few", action="store_true")
    options = parser.parse_args()
    set_threads, libraries = scipy_threads()
    cores = len(os.sched_getaffinity(0))
    print(f"{cores} processors, {libraries} setters of SciPy's threads, SciPy {scipy.__version__}, {options.type}")
    drivers = ["evr", "evx"] if options.few else ["evd", "evr"]
    print(f"{'n':>6}{'threads':>8}{'eigen_g':>10}{'reduce':>9}{'d&c':>9}{'back':>9}" +
          "".join(f"{'scipy ' + d:>11}" for d in drivers) + f"{'ratio':>7}  bits")

    for n in options.orders:
        generator = np.random.default_rng(n)
        a = generator.standard_normal((n, n))
        if np.dtype(options.type).kind == "c":
            a = a + 1j * generator.standard_normal((n, n))
        a = np.asfortranarray((a + a.conj().T).astype(options.type))
        subset = [0, max(0, n // 160)] if options.few else None
        first = None
        for threads in options.threads:
            set_threads(threads or cores)
            times = {name: [] for name in ["eigen_g", "tridiagonalize", "divide_and_conquer", "back_transform", *drivers]}
            begin, repeats = time.perf_counter(), max(1, min(20, 200 // n))
            for turn in range(options.rounds + 1):
                if turn > 2 and time.perf_counter() - begin > options.seconds:
                    break
                time.sleep(0.1)  # the threads of SciPy's OpenBLAS look for work for a while
                for _ in range(repeats):
                    start = time.perf_counter()
                    if options.values:
                        w, z = eigen_g.eigvalsh(a, device="cpu", threads=threads, subset_by_index=subset), None
                        stages = []
                    else:
                        result = eigen_g.eigh(a, device="cpu", threads=threads, subset_by_index=subset)
                        w, z, stages = *result, result.report.stages
                    took = time.perf_counter() - start
                    if turn > 0:  # turn 0 starts threads and touches memory
                        times["eigen_g"].append(took)
                        for stage, seconds in stages:
                            if stage in times:
                                times[stage].append(seconds)
                for driver in drivers:
                    for _ in range(repeats):
                        start = time.perf_counter()
                        scipy.linalg.eigh(a, driver=driver, eigvals_only=options.values, check_finite=False,
                                          subset_by_index=subset)
                        if turn > 0:
                            times[driver].append(time.perf_counter() - start)
            bits = (w.tobytes(), b"" if z is None else z.tobytes())
            same, first = first in (None, bits), first or bits
            ms = {name: 1e3 * statistics.median(values) if values else 0 for name, values in times.items()}
            print(f"{n:>6}{threads:>8}{ms['eigen_g']:>10.3f}{ms['tridiagonalize']:>9.3f}{ms['divide_and_conquer']:>9.3f}"
                  f"{ms['back_transform']:>9.3f}" + "".join(f"{ms[d]:>11.3f}" for d in drivers) +
                  f"{min(ms[d] for d in drivers) / ms['eigen_g']:>7.2f}  {'same' if same else 'DIFFER'}", flush=True)


if __name__ == "__main__":
    main()
