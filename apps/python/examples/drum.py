"""The lowest vibrations of a round drum: the Laplacian on the grid points inside a circle, whose exact frequencies are the zeros
of Bessel functions. Prints computed and exact frequencies; with matplotlib it draws the shapes into drum.png.

    python apps/python/examples/drum.py [points across]
"""

import argparse

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


def draw(inside, frequencies, shapes):
    """Draws the shapes into drum.png, if matplotlib is installed. White is zero, and each sign has a colour."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    figure, axes = plt.subplots(2, 5, figsize=(10, 4.6), layout="constrained")
    for frequency, shape, axis in zip(frequencies, shapes.T, axes.flat):
        picture = np.full(inside.shape, np.nan)
        picture[inside] = shape
        largest = np.abs(shape).max()
        axis.imshow(picture, cmap="RdBu", vmin=-largest, vmax=largest)
        axis.set_title(f"{frequency:.4f}")
        axis.axis("off")
    figure.savefig("drum.png", dpi=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("across", nargs="?", type=int, default=41, help="points across the drum (default: 41)")
    a, inside = laplacian(parser.parse_args().across)
    result = eigen_g.eigh(a, subset_by_index=[0, len(BESSEL_ZEROS) - 1])
    check = eigen_g.verify(a, *result)
    print(f"n = {len(a)}, {result.report.seconds:.3f} s on {result.report.devices[0]['name']}, passed: {check.passed}")
    frequencies = np.sqrt(result.eigenvalues)
    for k, (frequency, exact) in enumerate(zip(frequencies, BESSEL_ZEROS)):
        print(f"frequency {k}: {frequency:.4f}, exact {exact:.4f}")
    draw(inside, frequencies, result.eigenvectors)


main()
