"""eigh for JAX: under jit, grad, jvp and vmap.

    w, v = eigen_g.jax.eigh(a)

If the package was built with JAX's headers, XLA calls the solver directly; on a GPU it uses XLA's stream and memory. Otherwise a JAX
callback copies the matrix to the host. Under jit a callback can deadlock if the process has one core (JAX issues 24255, 25861);
NPROC=2 in the environment, which XLA reads, prevents that.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from . import _core, _cublas, _eigh, _shards, _solve

Array = jax.Array

_handlers = _core.jax_handlers()
for _platform, _handler in _handlers.items():
    jax.ffi.register_ffi_target("eigen_g_eigh", _handler, platform=_platform)


class Eigh(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array


def _shapes(a: Array) -> tuple[Any, Any]:
    struct: Any = jax.ShapeDtypeStruct
    return struct(a.shape[:-1], _solve.real_types[a.dtype.name]), struct(a.shape, a.dtype)


def _on_host(a: Any, lower: bool) -> tuple[Any, Any]:
    return tuple(_eigh.eigh(np.asarray(a), lower=lower, errors="status"))


def _by_host(a: Array, lower: bool) -> tuple[Array, Array]:
    return jax.pure_callback(partial(_on_host, lower=lower), _shapes(a), a, vmap_method="broadcast_all")  # type: ignore[no-any-return]


def _by_xla(a: Array, lower: bool) -> tuple[Array, Array]:
    call = jax.ffi.ffi_call("eigen_g_eigh", _shapes(a), vmap_method="broadcast_all")
    w, rows = call(a, lower=lower)
    return w, jnp.conj(jnp.swapaxes(rows, -1, -2))  # rows: the solver has read the transpose


@partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def _eigh_of(a: Array, lower: bool, mask: bool) -> tuple[Array, Array]:
    if not _handlers:
        return _by_host(a, lower)
    _cublas.load()
    by_xla = dict.fromkeys(map(str.lower, _handlers), partial(_by_xla, lower=lower))
    return jax.lax.platform_dependent(a, default=partial(_by_host, lower=lower), **by_xla)  # type: ignore[no-any-return]


@_eigh_of.defjvp
def _tangents(lower: bool, mask: bool, primals: Any, tangents: Any) -> tuple[Any, Any]:
    """dw = diag(M), dV = V (M o F), with M = V^H dA V, F_ij = 1 / (w_j - w_i), F_ii = 0 (Giles 2008, 3.1)."""
    (a,), (da,) = primals, tangents
    w, v = _eigh_of(a, lower, mask)
    da = (da + jnp.conj(jnp.swapaxes(da, -1, -2))) / 2
    inner = jnp.conj(jnp.swapaxes(v, -1, -2)) @ da @ v
    gaps = w[..., None, :] - w[..., :, None]
    n = w.shape[-1]
    left_out = jnp.eye(n, dtype=bool)
    if mask:
        scale = jnp.max(jnp.abs(w), axis=-1, initial=0)[..., None, None]
        left_out = left_out | (jnp.abs(gaps) <= n * np.finfo(w.dtype).eps * scale)
    f = jnp.where(left_out, 0, 1 / jnp.where(left_out, 1, gaps))
    return (w, v), (jnp.real(jnp.diagonal(inner, axis1=-2, axis2=-1)), v @ (inner * f))


def _in_pieces(a: Array) -> bool:
    """True for an array outside of jit, grad and vmap that is sharded over GPUs."""
    if isinstance(a, jax.core.Tracer) or a.ndim != 2:
        return False
    devices = a.devices()
    return len(devices) > 1 and not a.sharding.is_fully_replicated and all(d.platform in ("gpu", "cuda") for d in devices)


def _eigh_of_pieces(a: Array, lower: bool) -> Eigh:
    """Solves on the GPUs of the pieces. The vectors are sharded over their columns, and every GPU has all values."""
    if not a.is_fully_addressable:
        raise ValueError("the array is sharded over several processes")
    shards = [s for s in a.addressable_shards if s.replica_id == 0]
    axes = [k for k in (0, 1) if any(s.data.shape[k] != a.shape[k] for s in shards)]
    if len(axes) != 1:
        raise ValueError(f"the array must be sharded over one axis, its pieces are {[s.data.shape for s in shards]}")
    shards.sort(key=lambda s: s.index[axes[0]].start or 0)
    w, v = _shards.eigh_shards([s.data for s in shards], lower)
    mesh = jax.sharding.Mesh(np.array([s.device for s in shards]), ("columns",))

    def sharding(*axes: str | None) -> Any:
        return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*axes))

    return Eigh(
        jax.device_put(w, sharding(None)), jax.make_array_from_single_device_arrays(a.shape, sharding(None, "columns"), v)
    )


def eigh(
    a: Array,
    *,
    lower: bool = True,
    UPLO: str | None = None,
    symmetrize_input: bool = False,
    degenerate: Literal["nan", "mask"] = "nan",
) -> Eigh:
    """Returns eigenvalues (..., n) and eigenvectors (..., n, n) of symmetric or Hermitian matrices a (..., n, n).

    a                 float32 or complex64; with jax_enable_x64 also float64 or complex128. A NaN or an infinity in the triangle makes
                      its results NaN. A stack is solved in one call, also under jit and vmap
    lower             True: the lower triangle is read; False: the upper one. The derivative takes a as Hermitian in both cases
    UPLO              JAX's name of the triangle, "L" or "U", used instead of lower
    symmetrize_input  True: solves (a + a^H) / 2, as jax.numpy.linalg.eigh does by default
    degenerate        derivative of the vectors if eigenvalues are equal within n eps max|w|. "nan": not finite. "mask": without the
                      terms that mix vectors of equal eigenvalues; this is right for functions of the space that these vectors span

    Outside of jit, grad and vmap a matrix that is sharded over one axis on GPUs of one process is solved by these GPUs together, as by
    eigen_g.eigh_shards. The vectors are then sharded over their columns, and every GPU has all values.

    Raises TypeError, ValueError.

    >>> w, v = jax.jit(eigen_g.jax.eigh)(jax.numpy.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> w.round(4)
    Array([1., 3.], dtype=float32)
    """
    a = jnp.asarray(a)
    _solve.check_type(a.dtype.name)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"a must be square matrices, its shape is {a.shape}")
    if degenerate not in ("nan", "mask"):
        raise ValueError(f"degenerate is {degenerate!r}, must be 'nan' or 'mask'")
    if symmetrize_input:
        a = (a + jnp.conj(jnp.swapaxes(a, -1, -2))) / 2
    if _in_pieces(a):
        return _eigh_of_pieces(a, _eigh.triangle_of(lower, UPLO))
    return Eigh(*_eigh_of(a, _eigh.triangle_of(lower, UPLO), degenerate == "mask"))


def eigvalsh(a: Array, *, lower: bool = True, UPLO: str | None = None, symmetrize_input: bool = False) -> Array:
    """Returns the eigenvalues of symmetric or Hermitian matrices, ascending, as eigh.

    >>> eigen_g.jax.eigvalsh(jax.numpy.eye(2))
    Array([1., 1.], dtype=float32)
    """
    return eigh(a, lower=lower, UPLO=UPLO, symmetrize_input=symmetrize_input).eigenvalues
