"""Sparse pencils from Python: vibrations, an interval, buckling, and a program that calls SciPy."""
import importlib.util
import sys

import eigen_g.sparse

if not importlib.util.find_spec("scipy") or not eigen_g.sparse.libraries():
    sys.exit(4)  # no SciPy, or no library that factorises sparse matrices
# [eigsh]
import eigen_g
import numpy as np
import scipy.sparse as sp
from eigen_g.sparse import Solver, eigsh, verify


def element_matrix(n, middle, side):
    return sp.diags_array([side, middle, side], offsets=[-1, 0, 1], shape=(n, n))


n = 60                                                   # a square membrane of n x n inner points, bilinear elements
h = 1 / (n + 1)
stiff, mass = element_matrix(n, 2 / h, -1 / h), element_matrix(n, 4 * h / 6, h / 6)
K, M = sp.kron(stiff, mass) + sp.kron(mass, stiff), sp.kron(mass, mass)

w, v, report = eigsh(K, 6, M, sigma=0, info=True)        # arguments of scipy.sparse.linalg.eigsh
print(w, "none is missing" if report.proven else report.proof_reason)
assert verify(K, w, v, M).passed

solver = Solver(K, M)                                    # analyses the pattern once
w, v = solver.nearest(1000.0, 4)                         # the four pairs nearest to 1000
w, v = solver.interval(0, 500)                           # all pairs with 0 <= w < 500
assert len(w) == solver.count(500) and solver.verify_counts(w).passed

load = sp.diags_array(np.where(np.arange(n * n) % n < n // 2, 1.0, -0.5))
factors = eigsh(K, 3, load, sigma=1.0, mode="buckling", return_eigenvectors=False)     # load factors near 1, of both signs

with eigen_g.patched("scipy.sparse"):                    # SciPy's eigsh is eigen_g's in this block
    import scipy.sparse.linalg
    w, v = scipy.sparse.linalg.eigsh(K, 6, M, sigma=0)
# [end]
c = np.cos(np.pi * h)
exact = 12 / h**2 * (1 - c) / (2 + c)
raise SystemExit(not (report.proven and abs(w[0] - exact) < 1e-9 and len(factors) == 3))
