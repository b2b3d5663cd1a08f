"""Vibrations: frequencies and shapes of a chain, a free chain, a frequency window, and stiffness with mass matrix of a beam."""
# [beam]
import numpy as np
import eigen_g

elements, length = 40, 1.0                               # unknowns: deflection and slope at each node
h = length / elements
stiffness = np.array([[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h],
                      [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]]) / h**3
mass = np.array([[156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h],
                 [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h * h, -22 * h, 4 * h * h]]) * h / 420
n = 2 * (elements + 1)
k, m = np.zeros((n, n)), np.zeros((n, n))
for i in range(elements):
    at = slice(2 * i, 2 * i + 4)
    k[at, at] += stiffness
    m[at, at] += mass
k, m = k[2:, 2:], m[2:, 2:]                              # the left end is clamped
w, shapes = eigen_g.eigh(k, m)                           # K x = omega^2 M x
roots = np.sqrt(np.sqrt(w[:4]))
print("beta L:", " ".join(f"{x:.4f}" for x in roots))    # exact: 1.8751 4.6941 7.8548 10.9955
# [end]
assert np.allclose(roots, [1.8751, 4.6941, 7.8548, 10.9955], atol=2e-4)
assert eigen_g.verify(k, w, shapes, b=m).passed
# [window]
low, high = 20.0, 150.0                                  # frequencies omega between 20 and 150 only
w, shapes = eigen_g.eigh(k, m, subset_by_value=[low**2, high**2])
print(f"{len(w)} modes: " + " ".join(f"{x:.2f}" for x in np.sqrt(w)))
# [end]
assert len(w) == 3
# [free]
size = 12                                                # twelve masses with springs, nothing is held
chain = 2.0 * np.eye(size) - np.eye(size, k=1) - np.eye(size, k=-1)
chain[0, 0] = chain[-1, -1] = 1.0
w, shapes = eigen_g.eigh(chain)
rigid = np.abs(w) < 1e-12 * w[-1] * size
print(f"rigid-body modes: {rigid.sum()}")
omega = np.sqrt(np.maximum(w, 0))                        # a rounding error can make a zero slightly negative
print(f"lowest elastic frequency {omega[1]:.6f}, exact {2 * np.sin(np.pi / 24):.6f}")
# [end]
assert rigid.sum() == 1 and abs(omega[1] - 2 * np.sin(np.pi / 24)) < 1e-12
