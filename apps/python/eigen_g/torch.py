"""eigh for PyTorch: with gradients, under torch.compile and torch.vmap.

    w, v = eigen_g.torch.eigh(a)

The operators are torch.ops.eigen_g.eigh and torch.ops.eigen_g.inverse_gaps.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from . import _core, _eigh


class Eigh(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor


@torch.library.custom_op("eigen_g::eigh", mutates_args=())
def _operator(a: Tensor, lower: bool, mask: bool) -> tuple[Tensor, Tensor]:
    a = a.detach()
    if a.ndim == 2:
        w, v = _eigh.eigh(a, lower=lower)
        return w, v
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"a must be square matrices, its shape is {tuple(a.shape)}")
    n = a.shape[-1]
    w = a.new_empty(a.shape[:-1], dtype=a.dtype.to_real())
    rows = torch.empty_like(a, memory_format=torch.contiguous_format)
    matrices, values, vectors = a.reshape(-1, n, n), w.view(-1, n), rows.view(-1, n, n)
    for k in range(matrices.shape[0]):
        try:
            values[k], v = _eigh.eigh(matrices[k], lower=lower)
        except _core.NonFiniteEntry as error:
            raise _eigh.of_stack(error, k, a.shape[:-2]) from None
        vectors[k] = v.mT
    return w, rows.mT


@_operator.register_fake
def _(a: Tensor, lower: bool, mask: bool) -> tuple[Tensor, Tensor]:
    w = a.new_empty(a.shape[:-1], dtype=a.dtype.to_real())
    return w, torch.empty_like(a, memory_format=torch.contiguous_format).mT


@torch.library.custom_op("eigen_g::inverse_gaps", mutates_args=())
def _inverse_gaps(w: Tensor, mask: bool) -> Tensor:
    gaps = w.unsqueeze(-2) - w.unsqueeze(-1)
    scale = w.abs().amax(-1, keepdim=True).unsqueeze(-1) if w.shape[-1] else w.unsqueeze(-1)
    equal = gaps.abs() <= w.shape[-1] * torch.finfo(w.dtype).eps * scale
    equal.diagonal(dim1=-2, dim2=-1).fill_(False)
    if not mask and bool(equal.any()):
        raise ValueError(
            "two eigenvalues are equal within rounding: the gradient of their vectors is not defined "
            "(degenerate='mask' leaves out what mixes them, right for functions of their common space)"
        )
    gaps.diagonal(dim1=-2, dim2=-1).fill_(torch.inf)
    return gaps.masked_fill_(equal, torch.inf).reciprocal_()


@_inverse_gaps.register_fake
def _(w: Tensor, mask: bool) -> Tensor:
    return w.new_empty((*w.shape, w.shape[-1]))


def _keep_inverse_gaps(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(output)


def _inverse_gaps_backward(ctx: Any, g: Tensor) -> tuple[Tensor, None]:
    (f,) = ctx.saved_tensors  # f_ij = 1 / (w_j - w_i)
    h = g * f * f
    return h.sum(-1) - h.sum(-2), None


_inverse_gaps.register_autograd(_inverse_gaps_backward, setup_context=_keep_inverse_gaps)


def _keep_pairs(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    ctx.save_for_backward(*output)
    ctx.mask = inputs[2]
    ctx.set_materialize_grads(False)


def _backward(ctx: Any, gw: Tensor | None, gv: Tensor | None) -> tuple[Tensor | None, None, None]:
    """V (diag(gw) + (V^H gV) o F) V^H with F_ij = 1 / (w_j - w_i), F_ii = 0, made Hermitian (Giles 2008, 3.1)."""
    w, v = ctx.saved_tensors
    if gv is None:
        if gw is None:
            return None, None, None
        return (v * gw.unsqueeze(-2)) @ v.mH, None, None
    inner = (v.mH @ gv) * _inverse_gaps(w, ctx.mask)
    if gw is not None:
        inner = inner + torch.diag_embed(gw)
    g = v @ inner @ v.mH
    return (g + g.mH) / 2, None, None


_operator.register_autograd(_backward, setup_context=_keep_pairs)


def _vmapped(info: Any, in_dims: tuple[Any, ...], a: Tensor, lower: bool, mask: bool) -> tuple[Any, Any]:
    return _operator(a.movedim(in_dims[0], 0), lower, mask), (0, 0)


_operator.register_vmap(_vmapped)


def _vmapped_gaps(info: Any, in_dims: tuple[Any, ...], w: Tensor, mask: bool) -> tuple[Any, Any]:
    return _inverse_gaps(w.movedim(in_dims[0], 0), mask), 0


_inverse_gaps.register_vmap(_vmapped_gaps)


def eigh(a: Tensor, *, lower: bool = True, degenerate: Literal["error", "mask"] = "error") -> Eigh:
    """Returns eigenvalues (..., n) and eigenvectors (..., n, n) of symmetric or Hermitian matrices a (..., n, n).

    a           float64, float32, complex128 or complex64, on the CPU or a CUDA GPU. Several matrices are solved one after the other
    lower       True: the lower triangle is read; False: the upper one. The gradient takes a as Hermitian in both cases
    degenerate  gradient of the vectors if two eigenvalues are equal within n eps max|w|; it does not exist there. "error":
                ValueError in the backward pass. "mask": without the terms that mix vectors of equal eigenvalues; this is right
                for functions of the space that these vectors span

    The gradient is twice differentiable. Signs of the vectors (phases if complex) are arbitrary, and a differentiated function must
    not depend on them. Raises as eigen_g.eigh.
    """
    if degenerate not in ("error", "mask"):
        raise ValueError(f"degenerate is {degenerate!r}, must be 'error' or 'mask'")
    return Eigh(*_operator(a, bool(lower), degenerate == "mask"))


def eigvalsh(a: Tensor, *, lower: bool = True) -> Tensor:
    """Returns the eigenvalues of symmetric or Hermitian matrices, ascending, with a gradient as in eigh."""
    if a.ndim == 2 and not (a.requires_grad and torch.is_grad_enabled()) and not torch.compiler.is_compiling():
        values: Tensor = _eigh.eigvalsh(a, lower=lower)
        return values
    return eigh(a, lower=lower).eigenvalues
