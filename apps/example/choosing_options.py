"""Choosing options: what a call can leave out, and the report that shows what was done."""
# [less]
import numpy as np
import eigen_g

a = np.random.default_rng(1).standard_normal((400, 400))
a = a + a.T
w = eigen_g.eigvalsh(a)                                  # no vectors
w_low, v_low = eigen_g.eigh(a, subset_by_index=[0, 9])   # ten of 400 pairs
w32, v32 = eigen_g.eigh(a.astype(np.float32))            # half the memory, half the digits
print(f"the subset has the bits of the whole spectrum: {np.array_equal(w_low, eigen_g.eigh(a).eigenvalues[:10])}")
print(f"float32 differs by less than 1e-5 of the largest value: {abs(w32 - w).max() < 1e-5 * abs(w).max()}")
# [end]
assert abs(w_low - w[:10]).max() < 1e-12 * abs(w).max()
# [report]
result = eigen_g.eigh(a, device="cpu", threads=2)
report = result.report
print(f"path: {report.path}, pairs: {report.m}, fallbacks: {report.fallbacks}")
print("stages:", ", ".join(name for name, seconds in report.stages))
# [end]
assert report.m == 400
# [workspace]
for n in (1000, 10000, 40000):
    with_vectors, values_only = eigen_g.workspace_bytes(n), eigen_g.workspace_bytes(n, eigvals_only=True)
    print(f"n = {n}: {max(with_vectors) / 8 / n**2:.2f} matrices more with vectors, {max(values_only) / 8 / n**2:.2f} without")
# [end]
