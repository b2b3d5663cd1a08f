"""Quantum chemistry: orbitals in a basis that is not orthogonal, nearly dependent functions, and a self-consistent field."""
# [atom]
import numpy as np
import eigen_g

a = 0.02 * 2.2 ** np.arange(14)                          # 14 Gaussians exp(-a r^2) around one proton
p = a[:, None] + a
s = (np.pi / p) ** 1.5                                   # overlap matrix
kinetic, attraction = 3 * a[:, None] * a / p * s, -2 * np.pi / p
energies, orbitals = eigen_g.eigh(kinetic + attraction, s)  # h @ c = s @ c * e
print(f"hydrogen: {energies[0]:.5f} Hartree, exact -0.5")
# [end]
h = kinetic + attraction
# [check]
check = eigen_g.verify(h, energies, orbitals, b=s)
print(f"verified: {check.passed}, condition of s: {check.condition:.0e}")
print(f"c.T @ s @ c = 1: {np.allclose(orbitals.T @ s @ orbitals, np.eye(14), atol=1e-6)}")
# [end]
# [dependent]
values, vectors = eigen_g.eigh(s)
keep = values > 1e-8 * values[-1]
x = vectors[:, keep] / np.sqrt(values[keep])             # x.T @ s @ x = 1
reduced = eigen_g.eigvalsh(x.T @ h @ x)                  # a standard problem
print(f"{keep.sum()} of 14 combinations: {reduced[0]:.5f} Hartree")
# [end]
# [field]
exponents = 0.1 * 2.2 ** np.arange(12)                   # helium, Hartree-Fock
p = exponents[:, None] + exponents
s = (np.pi / p) ** 1.5
core = 3 * exponents[:, None] * exponents / p * s - 2 * 2 * np.pi / p
q = p[:, :, None, None]                                  # (ij|kl), the repulsion of two electrons
repulsion = 2 * np.pi**2.5 / (q * p * np.sqrt(q + p))
solver = eigen_g.Solver(12, type=1, subset_by_index=[0, 0])  # the occupied orbital; planned once
density, energy = np.zeros((12, 12)), 0.0
for iteration in range(1, 50):
    coulomb = np.einsum("ijkl,kl->ij", repulsion, density)
    exchange = np.einsum("ikjl,kl->ij", repulsion, density)
    fock = core + coulomb - exchange / 2
    before, energy = energy, np.sum(density * (core + fock)) / 2
    if iteration > 2 and abs(energy - before) < 1e-9:
        break
    e, c = solver(fock, s)                               # allocates results only
    density = 2 * c @ c.T                                # two electrons
print(f"helium: {energy:.4f} Hartree, limit of the method -2.8617")
# [end]
assert abs(energies[0] + 0.5) < 1e-5 and check.passed and abs(reduced[0] + 0.5) < 1e-5
assert abs(energy + 2.8617) < 2e-4 and iteration < 40
# [definite]
try:
    eigen_g.eigh(core, np.round(s, 2))                   # an overlap matrix from a file with few digits
except eigen_g.LinAlgError as error:
    print(error)
# [end]
else:
    raise SystemExit("a matrix that is not positive definite was taken")
