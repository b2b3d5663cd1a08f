"""Stacks in machine learning: many small symmetric matrices in one call, matrices of different orders, failures, a preconditioner."""
# [stack]
import numpy as np
import eigen_g

rng = np.random.default_rng(3)
x = rng.standard_normal((64, 8, 32, 48))                 # 64 samples, 8 heads, 32 x 48 features
gram = x @ x.swapaxes(-1, -2) / 48                       # a stack (64, 8, 32, 32)
w, v = eigen_g.eigh(gram)                                # one call: w is (64, 8, 32), v is (64, 8, 32, 32)
print(w.shape, v.shape)
error = abs(gram @ v - v * w[..., None, :]).max()
print(f"largest error below 1e-12: {error < 1e-12}")
checks = [eigen_g.verify(*each) for each in zip(gram[:, 0], w[:, 0], v[:, 0])]  # one matrix of the stack after the other
print(f"verified: {all(check.passed for check in checks)}")
# [end]
assert error < 1e-12
# [root]
def inverse_root(a, power, floor=1e-12):
    """a ** (-1 / power) of each matrix of a stack of positive semi-definite matrices."""
    w, v = eigen_g.eigh(a)
    w = np.maximum(w, floor * w[..., -1:])
    return (v * w[..., None, :] ** (-1 / power)) @ v.swapaxes(-1, -2)

root = inverse_root(gram, 4)
identity = np.linalg.matrix_power(root, 4) @ gram
print(f"root**4 @ gram = 1: {np.allclose(identity, np.eye(32), atol=1e-8)}")
# [end]
assert np.allclose(identity, np.eye(32), atol=1e-8)
# [status]
damaged = gram.copy()
damaged[5, 2, 0, 0] = np.nan
result = eigen_g.eigh(damaged, errors="status")          # a bad matrix is no exception
print("failed:", [tuple(map(int, index)) for index in np.argwhere(result.status != 0)])
print("others are solved:", bool(np.isfinite(result.eigenvalues[result.status == 0]).all()))
# [end]
assert result.status[5, 2] == -1 and (result.status != 0).sum() == 1
# [ragged]
layers = [gram[0, 0, :k, :k] for k in (7, 32, 16)]       # matrices of different orders
lowest = [float(w[0]) for w, v in eigen_g.eigh_many(layers)]
print("lowest values:", " ".join(f"{value:.4f}" for value in lowest))
# [end]
assert len(lowest) == 3
