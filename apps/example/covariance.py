"""Covariance and kernel matrices: principal components, whitening, a Gaussian kernel, and values that should not be negative."""
# [components]
import numpy as np
import eigen_g

rng = np.random.default_rng(7)
samples = rng.standard_normal((5000, 3)) @ rng.standard_normal((3, 60)) + 0.1 * rng.standard_normal((5000, 60))
centred = samples - samples.mean(axis=0)
covariance = centred.T @ centred / (len(samples) - 1)
w, v = eigen_g.eigh(covariance, subset_by_index=[55, 59])  # the five largest; indices from 0, values ascend
share = w[::-1].cumsum() / covariance.trace()
print("explained by 1 to 5 components:", " ".join(f"{x:.3f}" for x in share))
projected = centred @ v[:, ::-1]                         # the largest component first
# [end]
assert share[2] > 0.99 and projected.shape == (5000, 5)
# [whiten]
w, v = eigen_g.eigh(covariance)
whitening = v / np.sqrt(w) @ v.T                         # the symmetric inverse square root
whitened = centred @ whitening
error = abs(np.cov(whitened.T) - np.eye(60)).max()
print(f"covariance after whitening differs from 1 by less than 1e-9: {error < 1e-9}")
# [end]
assert error < 1e-9
# [kernel]
x = np.sort(rng.uniform(-1, 1, 400))
kernel = np.exp(-((x[:, None] - x) ** 2) / (2 * 0.3**2))
w, v = eigen_g.eigh(kernel)
ulp = np.finfo(float).eps * len(x) * w[-1]
print(f"largest value {w[-1]:.1f}, values above rounding: {(w > ulp).sum()} of {len(x)}")
print(f"lowest value is rounding: {abs(w[0]) < ulp}")
# [end]
assert abs(w[0]) < ulp
# [regression]
y = np.sin(5 * x) + 0.1 * rng.standard_normal(len(x))
projection = v.T @ y
errors = {}
for noise in (1e-4, 1e-3, 1e-2, 1e-1, 1.0):              # one factorisation serves every noise level
    scale = w.clip(0) + noise
    errors[noise] = 0.5 * (np.sum(projection**2 / scale) + np.sum(np.log(scale)))
best = min(errors, key=errors.get)
print(f"most likely noise variance: {best}")
# [end]
assert best == 1e-2
