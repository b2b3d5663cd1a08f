"""Eigenvalues and eigenvectors of dense symmetric and Hermitian matrices, on GPUs and CPUs.

    A = V diag(w) V^H,   w[0] <= w[1] <= ... <= w[n-1],   V^H V = I

Arrays are NumPy, CuPy, PyTorch or JAX arrays. Results are arrays of the same kind on the same device, in the framework's own
memory and on its current stream.

    w, v = eigen_g.eigh(a)          # arguments of scipy.linalg.eigh
    w = eigen_g.eigvalsh(a)
    w, v = eigen_g.eigh(a, b)       # a @ v = b @ v * w
    w, v = eigen_g.eigh(stack)      # many matrices (..., n, n) in one call; eigh_many([a1, a2]): of different orders
    eigen_g.plot.spectrum(eigen_g.eigh(a))      # pictures, by matplotlib

A few pairs of large sparse matrices and pencils, with the arguments of scipy.sparse.linalg.eigsh: eigen_g.sparse.eigsh.

With gradients: eigen_g.torch.eigh, eigen_g.jax.eigh. For existing programs: `with eigen_g.patched("torch"): ...`
"""

from . import plot, sparse
from ._core import DeviceError, InvalidArgument, NonFiniteEntry, OutOfMemory
from ._core import BatchReport, GeneralisedVerification, Report, Verification, gpu_count, version as _version
from ._eigh import EighResult, LinAlgError, eigh, eigvalsh, workspace_bytes
from ._many import eigh_many
from ._patched import patched
from ._shards import eigh_shards
from ._solve import CholeskyFactor
from ._solver import Solver
from ._stages import Tridiagonal, apply_q, eigh_tridiagonal, eigvalsh_tridiagonal, solve_tridiagonal, tridiagonalize, verify

__version__ = _version()
__all__ = [
    "BatchReport",
    "CholeskyFactor",
    "DeviceError",
    "EighResult",
    "GeneralisedVerification",
    "InvalidArgument",
    "LinAlgError",
    "NonFiniteEntry",
    "OutOfMemory",
    "Report",
    "Solver",
    "Tridiagonal",
    "Verification",
    "apply_q",
    "eigh",
    "eigh_many",
    "eigh_shards",
    "eigh_tridiagonal",
    "eigvalsh",
    "eigvalsh_tridiagonal",
    "gpu_count",
    "patched",
    "plot",
    "solve_tridiagonal",
    "sparse",
    "tridiagonalize",
    "verify",
    "workspace_bytes",
]
