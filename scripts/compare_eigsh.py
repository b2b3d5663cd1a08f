#!/usr/bin/env python3
"""Times the 20 lowest pairs of sparse pencils by eigen_g.sparse.eigsh and by SciPy's eigsh, in turns in one process with one thread.

    compare_eigsh.py [--cases LIST] [--libraries LIST] [--rounds N] [--seconds S] [--json FILE]

The cases are finite elements: membrane (bilinear, n = 30000), plate (bricks of steel, 22140), bar14520, bar37800 (bricks), cube (trilinear, 46656, with a
sixfold value), and interval (the membrane's 372 pairs in [0, 5000], without SciPy). Each result is verified, and counts of eigenvalues check
that no pair is missing. SciPy runs once if its first run takes longer than --seconds.
"""
import argparse
import json
import os
import statistics
import sys
import time

for variable in ("OMP", "OPENBLAS", "MKL"):
    os.environ[variable + "_NUM_THREADS"] = "1"

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg

import eigen_g.sparse


def bars(n):
    """K and M of linear elements on (0, 1) with n inner nodes and fixed ends, and the eigenvalues."""
    h, c = 1 / (n + 1), np.cos(np.pi * np.arange(1, n + 1) / (n + 1))
    three = lambda d, e: sp.diags([np.full(n - 1, e), np.full(n, d), np.full(n - 1, e)], [-1, 0, 1], format="csr")
    return three(2 / h, -1 / h), three(4 * h / 6, h / 6), 6 / h**2 * (1 - c) / (2 + c)


def membrane():
    (kx, mx, lx), (ky, my, ly) = bars(200), bars(150)
    return sp.kron(my, kx) + sp.kron(ky, mx), sp.kron(my, mx), np.sort((ly[:, None] + lx[None, :]).ravel())


def cube():
    k, m, values = bars(36)
    three = lambda a, b, c: sp.kron(sp.kron(a, b), c)
    exact = np.sort((values[:, None, None] + values[None, :, None] + values[None, None, :]).ravel())
    return three(m, m, k) + three(m, k, m) + three(k, m, m), three(m, m, m), exact


def brick(hx, hy, hz, young=2.1e11, poisson=0.3, density=7850.0):
    """K and M of a trilinear brick of steel, 24 x 24."""
    d, k, m = np.zeros((6, 6)), np.zeros((24, 24)), np.zeros((24, 24))
    shear = young / (2 * (1 + poisson))
    d[:3, :3] = young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    d[[0, 1, 2], [0, 1, 2]] += 2 * shear
    d[[3, 4, 5], [3, 4, 5]] = shear
    corners = np.array([[i, j, l] for l in (-1, 1) for j in (-1, 1) for i in (-1, 1)], float)
    half = np.array([hx, hy, hz]) / 2
    for point in corners / np.sqrt(3):
        f = (1 + corners * point) / 2
        slopes = [corners[:, a] / 2 * f[:, (a + 1) % 3] * f[:, (a + 2) % 3] / half[a] for a in range(3)]
        b, at = np.zeros((6, 24)), np.arange(8) * 3
        for row, terms in enumerate([[(0, 0)], [(1, 1)], [(2, 2)], [(0, 1), (1, 0)], [(1, 2), (2, 1)], [(0, 2), (2, 0)]]):
            for component, direction in terms:
                b[row, at + component] = slopes[direction]
        k += b.T @ d @ b * half.prod()
        m += density * half.prod() * np.kron(np.outer(f.prod(1), f.prod(1)), np.eye(3))
    return k, m


def solid(ex, ey, ez, lx, ly, lz):
    """A body of ex x ey x ez bricks of steel that is clamped at x = 0."""
    of_brick = brick(lx / ex, ly / ey, lz / ez)
    i, j, k = (a.ravel() for a in np.meshgrid(np.arange(ex), np.arange(ey), np.arange(ez), indexing="ij"))
    corners = [i + a + (ex + 1) * (j + b + (ey + 1) * (k + c)) for c in (0, 1) for b in (0, 1) for a in (0, 1)]
    unknown = (3 * np.stack(corners, 1)[:, :, None] + np.arange(3)).reshape(len(i), 24)
    rows, columns = np.repeat(unknown, 24, 1).ravel(), np.tile(unknown, (1, 24)).ravel()
    n = 3 * (ex + 1) * (ey + 1) * (ez + 1)
    free = np.flatnonzero(np.repeat(np.arange(n // 3) % (ex + 1) != 0, 3))
    whole = [sp.coo_matrix((np.tile(a.ravel(), len(i)), (rows, columns)), (n, n)).tocsr() for a in of_brick]
    return *(((a + a.T) / 2)[free][:, free] for a in whole), None


CASES = {
    "membrane": membrane,
    "plate": lambda: solid(60, 40, 2, 1.5, 1.0, 0.02),
    "bar14520": lambda: solid(40, 10, 10, 2.0, 0.5, 0.5),
    "bar37800": lambda: solid(56, 14, 14, 2.0, 0.5, 0.5),
    "cube": cube,
    "interval": membrane,
}


def compare(case, libraries, rounds, seconds):
    k, m, exact = CASES[case]()
    k, m = k.tocsr(), m.tocsr()
    columns = k.tocsc(), m.tocsc()  # the format of SciPy's factorisation
    calls = {"eigsh": lambda: scipy.sparse.linalg.eigsh(columns[0], 20, M=columns[1], sigma=0.0)}
    for name in libraries:
        if case == "interval":
            calls[name] = lambda name=name: eigen_g.sparse.interval(k, 0, 5000, M=m, library=name, threads=1, info=True)
        else:
            calls[name] = lambda name=name: eigen_g.sparse.eigsh(k, 20, M=m, sigma=0.0, library=name, threads=1, info=True)
    if case == "interval":
        del calls["eigsh"]
    result = {"case": case, "n": k.shape[0], "calls": {name: {"cpu": [], "wall": []} for name in calls}}
    for number in range(rounds):
        for name, call in calls.items():
            of_call = result["calls"][name]
            if name == "eigsh" and number > 0 and of_call["wall"][0] > seconds:
                continue
            cpu, wall = time.process_time(), time.perf_counter()
            w, z, *report = call()
            of_call["wall"].append(time.perf_counter() - wall)
            of_call["cpu"].append(time.process_time() - cpu)
            if number > 0:
                continue
            if exact is not None:
                of_call["error"] = float(np.max(np.abs(np.sort(w) / exact[: len(w)] - 1)))
            of_call["counts"] = bool(eigen_g.sparse.Solver(k, m, threads=1).verify_counts(np.sort(w)).passed)
            if report:
                of_call.update(verified=bool(eigen_g.sparse.verify(k, w, z, M=m).passed), proven=report[0].proven, pairs=len(w),
                               vectors=report[0].products, factorisations=report[0].factorisations, entries=report[0].factor_entries)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--libraries", default="own,mumps")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--json")
    options = parser.parse_args()
    libraries = [name for name in options.libraries.split(",") if name in eigen_g.sparse.libraries()]
    results = []
    print(f"{'case':<10}{'n':>7} {'call':<8}{'CPU s':>8}{'wall s':>8}{'/ eigsh':>9}  vectors  error    complete")
    for case in options.cases.split(","):
        results.append(compare(case, libraries, options.rounds, options.seconds))
        calls = results[-1]["calls"]
        base = statistics.median(calls["eigsh"]["cpu"]) if "eigsh" in calls else None
        for name, c in calls.items():
            cpu, wall = statistics.median(c["cpu"]), statistics.median(c["wall"])
            ratio = f"{cpu / base:9.3f}" if base else " " * 8 + "-"
            error = f"{c['error']:.1e}" if "error" in c else "-"
            print(f"{case:<10}{results[-1]['n']:>7} {name:<8}{cpu:8.3f}{wall:8.3f}{ratio}  {c.get('vectors', '-'):>7}  {error:<8} {'yes' if c['counts'] else 'NO'}",
                  flush=True)
        if options.json:
            with open(options.json, "w") as file:
                json.dump(results, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
