#!/usr/bin/env python3
"""Measures solves on the CPU by order and number of threads, and prints the rows of ThreadTuning (hybrid/machine/tuning.hpp).

Usage: scripts/measure_threads.py [--orders 200,300,...] [--threads 1,2,4,...] [--rounds 5] [--vectors no]

It needs the Python package. The machine should do nothing else. A round solves every pair of order and threads once, so slow changes
of the machine reach all pairs alike; a figure is the median of the rounds. The last line is a tuning file: written to a file that the
environment variable EIGEN_G_TUNING names, it replaces the built-in rows. Each row has the fewest threads within 5 % of the fastest.
"""

import argparse
import json
import os
import statistics
import tempfile
import time

import numpy as np

import eigen_g

slots = 6  # rows in ThreadTuning


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def main() -> None:
    cores = len(os.sched_getaffinity(0))
    powers = [2**k for k in range(cores.bit_length()) if 2**k <= cores]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orders", type=numbers, default=[100, 150, 200, 300, 400, 500, 700, 1000, 1500, 2000, 3000, 4000])
    parser.add_argument("--threads", type=numbers, default=sorted({*powers, cores}))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--vectors", choices=["yes", "no"], default="yes")
    options = parser.parse_args()

    solve = eigen_g.eigh if options.vectors == "yes" else eigen_g.eigvalsh
    matrices = {}
    for n in options.orders:
        a = np.random.default_rng(n).standard_normal((n, n))
        matrices[n] = a + a.T
    seconds = {(n, t): [] for n in options.orders for t in options.threads}
    for turn in range(options.rounds + 1):
        for (n, t), measured in seconds.items():
            begin = time.perf_counter()
            solve(matrices[n], device="cpu", threads=t)
            if turn > 0:  # turn 0 starts threads and touches memory
                measured.append(time.perf_counter() - begin)

    print("milliseconds".rjust(12) + "".join(f"{t:>10} thr" for t in options.threads) + "      best")
    rows = []
    for n in options.orders:
        medians = {t: 1e3 * statistics.median(seconds[n, t]) for t in options.threads}
        least = min(medians.values())
        best = min(t for t, ms in medians.items() if ms <= 1.05 * least)
        print(f"{n:>12}" + "".join(f"{ms:>14.3f}" for ms in medians.values()) + f"{best:>10}", flush=True)
        best = max(best, rows[-1]["threads"] if rows else 1)  # the numbers do not fall
        if rows and rows[-1]["threads"] == best:
            rows[-1]["max_order"] = n
        else:
            rows.append({"max_order": n, "threads": best})
    for row in rows[:-1]:  # a row ends half-way to the next measured order
        after = next(n for n in options.orders if n > row["max_order"])
        row["max_order"] = (row["max_order"] + after) // 2
    if rows[-1]["threads"] == max(options.threads):
        rows.pop()  # orders beyond the rows have no limit
    rows = rows[-slots:] + [{"max_order": 0}] * (slots - len(rows))
    print(json.dumps({"format": "eigen_g-tuning", "version": 1, "threads": {"rows": rows}}))


if __name__ == "__main__":
    # Without rows every order has the number of threads that the call asks for. The first solve reads the file.
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"format": "eigen_g-tuning", "version": 1, "threads": {"rows": [{"max_order": 0}] * slots}}, file)
        file.flush()
        os.environ["EIGEN_G_TUNING"] = file.name
        eigen_g.eigvalsh(np.eye(2), device="cpu")
    main()
