"""The lowest vibrations of a round drum: the Laplacian on the grid points inside a circle, whose exact frequencies are the zeros
of Bessel functions. Prints computed and exact frequencies; with matplotlib it draws the shapes into drum.png.

    python apps/python/examples/drum.py [points across]
"""

import sys

import numpy as np

import eigen_g

BESSEL_ZEROS = [2.404826, 3.831706, 3.831706, 5.135622, 5.135622, 5.520078, 6.380162, 6.380162, 7.015587, 7.015587]


def laplacian(across):
    """-d^2/dx^2 - d^2/dy^2 on the points of an across x across grid that lie inside the unit circle, and these points."""
    x = np.linspace(-1, 1, across)
    h = x[1] - x[0]
    inside = x[:, None] ** 2 + x[None, :] ** 2 < 1
    number = np.full(inside.shape, -1)
    number[inside] = np.arange(inside.sum())
    a = np.diag(np.full(inside.sum(), 4 / h**2))
    for one, other in ((number[1:, :], number[:-1, :]), (number[:, 1:], number[:, :-1])):
        both = (one >= 0) & (other >= 0)
        a[one[both], other[both]] = a[other[both], one[both]] = -1 / h**2
    return a, inside


def main():
    a, inside = laplacian(int(sys.argv[1]) if len(sys.argv) > 1 else 41)
    result = eigen_g.eigh(a, subset_by_index=[0, len(BESSEL_ZEROS) - 1])
    check = eigen_g.verify(a, *result)
    print(f"n = {len(a)}, {result.report.seconds:.3f} s on {result.report.devices[0]['name']}, passed: {check.passed}")
    for k, (value, exact) in enumerate(zip(result.eigenvalues, BESSEL_ZEROS)):
        print(f"frequency {k}: {np.sqrt(value):.4f}, exact {exact:.4f}")
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    figure, axes = plt.subplots(2, 5, figsize=(10, 4))
    for shape, axis in zip(result.eigenvectors.T, axes.flat):
        picture = np.full(inside.shape, np.nan)
        picture[inside] = shape
        axis.imshow(picture, cmap="RdBu")
        axis.axis("off")
    figure.savefig("drum.png")


main()
