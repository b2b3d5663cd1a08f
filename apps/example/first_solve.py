"""The first solve from Python: NumPy arrays in, NumPy arrays out."""
# [python]
import eigen_g
import numpy as np

a = np.random.default_rng(1).standard_normal((200, 200))
a = a + a.T
w, v = eigen_g.eigh(a)                                   # arguments as scipy.linalg.eigh
low = eigen_g.eigvalsh(a, subset_by_index=[0, 9])        # the ten lowest values; indices from 0
check = eigen_g.verify(a, w, v)
print(f"{w[0]:.6f} ... {w[-1]:.6f}, {'verified' if check.passed else 'wrong'}")
# [end]
# [shortest]
import eigen_g
w, v = eigen_g.eigh(a)                                   # NumPy, CuPy, PyTorch and JAX arrays
assert eigen_g.verify(a, w, v).passed
# [end]
raise SystemExit(not (check.passed and abs(low - w[:10]).max() < 1e-13 * abs(w).max()))
