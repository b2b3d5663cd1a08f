"""Times eigen_g.eigh, torch.linalg.eigh and cupy.linalg.eigh on one GPU: all values and vectors of random symmetric matrices in
float64. Prints the best time of `repeats` whole calls, in milliseconds, after one call to warm up.

    python apps/python/examples/compare.py 128 512 1000 4000 10000
"""

import argparse
import time

import cupy
import torch

import eigen_g


def best(solve, synchronize, repeats):
    solve()
    times = []
    for _ in range(repeats):
        synchronize()
        start = time.perf_counter()
        result = solve()
        synchronize()
        times.append(time.perf_counter() - start)
        del result
    return 1e3 * min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("sizes", nargs="*", type=int, default=[128, 512, 1000, 4000, 10000], help="orders of the matrices")
    sizes = parser.parse_args().sizes
    print(torch.cuda.get_device_name(), "torch", torch.__version__, "cupy", cupy.__version__)
    print(f"{'n':>6} {'torch':>10} {'eigen_g':>10} {'times':>6} {'cupy':>10} {'eigen_g':>10} {'times':>6} {'report':>10}")
    for n in sizes:
        a = torch.randn(n, n, dtype=torch.float64, device="cuda")
        a += a.mT.clone()
        b = cupy.asarray(a)
        repeats = 5
        wait = torch.cuda.synchronize
        theirs = best(lambda: torch.linalg.eigh(a), wait, repeats)
        mine = best(lambda: eigen_g.eigh(a), wait, repeats)
        cupys = best(lambda: cupy.linalg.eigh(b), wait, repeats)
        mine_too = best(lambda: eigen_g.eigh(b), wait, repeats)
        inside = min(eigen_g.eigh(a).report.seconds for _ in range(repeats)) * 1e3
        print(
            f"{n:6} {theirs:10.3f} {mine:10.3f} {theirs / mine:6.2f} {cupys:10.3f} {mine_too:10.3f} "
            f"{cupys / mine_too:6.2f} {inside:10.3f}",
            flush=True,
        )


main()
