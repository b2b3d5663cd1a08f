"""eigh for PyTorch: with derivatives, under torch.compile, torch.vmap and torch.func.

    w, v = eigen_g.torch.eigh(a)

The operators are torch.ops.eigen_g.eigh, torch.ops.eigen_g.eigvalsh and torch.ops.eigen_g.no_gap. PyTorch's operators have no
forward-mode derivatives: these and torch.func need the functions of this module.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor
from torch.autograd import forward_ad

from . import _eigh, _frameworks


class Eigh(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor


@torch.library.custom_op("eigen_g::eigh", mutates_args=())
def _operator(a: Tensor, lower: bool, mask: bool) -> tuple[Tensor, Tensor]:
    w, v = _eigh.eigh(_constant(a), lower=lower)
    return w, v


@_operator.register_fake
def _(a: Tensor, lower: bool, mask: bool) -> tuple[Tensor, Tensor]:
    return _like_values(a, lower), torch.empty_like(a, memory_format=torch.contiguous_format).mT


@_operator.register_vmap
def _(info: Any, in_dims: tuple[Any, ...], a: Tensor, lower: bool, mask: bool) -> tuple[Any, Any]:
    return _operator(a.movedim(in_dims[0], 0), lower, mask), (0, 0)


@torch.library.custom_op("eigen_g::eigvalsh", mutates_args=())
def _values_operator(a: Tensor, lower: bool) -> Tensor:
    w: Tensor = _eigh.eigvalsh(_constant(a), lower=lower)
    return w


@_values_operator.register_fake
def _like_values(a: Tensor, lower: bool) -> Tensor:
    return a.new_empty(a.shape[:-1], dtype=a.dtype.to_real())


@_values_operator.register_vmap
def _(info: Any, in_dims: tuple[Any, ...], a: Tensor, lower: bool) -> tuple[Any, Any]:
    return _values_operator(a.movedim(in_dims[0], 0), lower), 0


@torch.library.custom_op("eigen_g::no_gap", mutates_args=())
def _no_gap(w: Tensor, inner: Tensor | None, refuse: bool) -> Tensor:
    """True at (i, j) if w_i and w_j are equal within rounding, in particular if i = j.

    inner   V^H g with the gradient g of a function by complex vectors V, or None. It is an error if the function changes with a
            vector's phase: its derivative by the phase is the imaginary part of an entry of the diagonal
    refuse  True: it is an error if w_i and w_j are equal and i != j
    """
    if inner is not None and inner.numel():
        by_phase = inner.diagonal(dim1=-2, dim2=-1).imag.abs().amax(-1)
        if bool((by_phase > 1e-2 * inner.abs().amax((-2, -1)).clamp(min=1)).any()):
            raise RuntimeError(
                "the function depends on the phases of the complex eigenvectors, which are arbitrary, so it is ill-defined "
                "and has no gradient"
            )
    gaps = w.unsqueeze(-2) - w.unsqueeze(-1)
    scale = w.abs().amax(-1, keepdim=True).unsqueeze(-1) if w.shape[-1] else w.unsqueeze(-1)
    equal = gaps.abs() <= w.shape[-1] * torch.finfo(w.dtype).eps * scale
    equal.diagonal(dim1=-2, dim2=-1).fill_(False)
    if refuse and bool(equal.any()):
        raise ValueError(
            "two eigenvalues are equal within rounding: the gradient of their vectors is not defined "
            "(degenerate='mask' leaves out what mixes them, right for functions of their common space)"
        )
    equal.diagonal(dim1=-2, dim2=-1).fill_(True)
    return equal


@_no_gap.register_fake
def _(w: Tensor, inner: Tensor | None, refuse: bool) -> Tensor:
    return w.new_empty((*w.shape, w.shape[-1]), dtype=torch.bool)


@_no_gap.register_vmap
def _(info: Any, in_dims: tuple[Any, ...], w: Tensor, inner: Tensor | None, refuse: bool) -> tuple[Any, Any]:
    batched = in_dims[0] is not None
    return _no_gap(w.movedim(in_dims[0], 0) if batched else w, None, refuse), 0 if batched else None


def _constant(a: Tensor) -> Tensor:
    """The tensor without its gradient. An error if it has a tangent, because PyTorch's operators drop it without a word."""
    if _frameworks.has_tangent(torch, a):
        raise NotImplementedError("the operators have no forward-mode derivatives: eigen_g.torch.eigh and eigvalsh have them")
    return a.detach()


def _transformed() -> bool:
    """True inside torch.func and torch.vmap, where a tensor does not show whether derivatives of it are wanted."""
    return torch._C._are_functorch_transforms_active()


def _inverse_gaps(w: Tensor, mask: bool, inner: Tensor | None = None, refuse: bool = False) -> Tensor:
    """F with F_ij = 1 / (w_j - w_i), F_ii = 0. At other equal w_i and w_j it is 0 if mask, else NaN or, if refuse, an error."""
    no_gap = _no_gap(w.detach(), inner, refuse)
    f = (w.unsqueeze(-2) - w.unsqueeze(-1)).masked_fill(no_gap, torch.inf).reciprocal()
    if mask or refuse:
        return f
    return f.masked_fill(no_gap & ~torch.eye(w.shape[-1], dtype=torch.bool, device=w.device), torch.nan)


def _keep_pairs(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    ctx.save_for_backward(*output)
    ctx.save_for_forward(*output)
    ctx.mask = inputs[2]
    ctx.set_materialize_grads(False)


def _backward(ctx: Any, gw: Tensor | None, gv: Tensor | None) -> tuple[Tensor | None, None, None]:
    """V (diag(gw) + (V^H gV) o F) V^H with F_ij = 1 / (w_j - w_i), F_ii = 0, made Hermitian (Giles 2008, 3.1)."""
    w, v = ctx.saved_tensors
    if gv is None:
        if gw is None:
            return None, None, None
        return (v * gw.unsqueeze(-2)) @ v.mH, None, None
    inner = v.mH @ gv
    checked = v.is_complex() and not _transformed() and not torch._C._functorch.is_legacy_batchedtensor(inner)
    inner = inner * _inverse_gaps(w, ctx.mask, inner.detach() if checked else None, refuse=not ctx.mask)
    if gw is not None:
        inner = inner + torch.diag_embed(gw)
    g = v @ inner @ v.mH
    return (g + g.mH) / 2, None, None


_operator.register_autograd(_backward, setup_context=_keep_pairs)


class _WithTangents(torch.autograd.Function):
    """The operator, with forward-mode derivatives too."""

    setup_context = staticmethod(_keep_pairs)
    backward = staticmethod(_backward)

    @staticmethod
    def forward(a: Tensor, lower: bool, mask: bool) -> tuple[Tensor, Tensor]:
        w, v = _operator(a.detach(), lower, mask)
        # The tangents of a view must have its layout. These are no views.
        return w.clone(), v.clone(memory_format=torch.contiguous_format)

    @staticmethod
    def jvp(ctx: Any, da: Tensor, lower: None, mask: None) -> tuple[Tensor, Tensor]:
        """dw = diag(M), dV = V (M o F) with M = V^H dA V, made Hermitian."""
        w, v = ctx.saved_tensors
        with forward_ad._set_fwd_grad_enabled(True):  # PyTorch turns it off here, and an outer torch.func.jvp would be wrong
            inner = v.mH @ da @ v
            inner = (inner + inner.mH) / 2
            return inner.diagonal(dim1=-2, dim2=-1).real, v @ (inner * _inverse_gaps(w, ctx.mask))

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], a: Tensor, lower: bool, mask: bool) -> tuple[Any, Any]:
        return _WithTangents.apply(a.movedim(in_dims[0], 0), lower, mask), (0, 0)


def _pairs(a: Tensor, lower: bool, mask: bool) -> tuple[Tensor, Tensor]:
    operator = _WithTangents.apply if _transformed() or _frameworks.has_tangent(torch, a) else _operator
    w, v = operator(a, lower, mask)
    return w, v


def _values(a: Tensor, lower: bool, mask: bool) -> Tensor:
    if _transformed() or _frameworks.has_tangent(torch, a) or (a.requires_grad and torch.is_grad_enabled()):
        return _pairs(a, lower, mask)[0]
    traced = type(a) is not Tensor or torch._C._len_torch_dispatch_stack() > 0
    w: Tensor = (_values_operator if traced else _eigh.eigvalsh)(a, lower=lower)  # without the operator it is faster
    return w


_allow_in_graph: Any = torch.compiler.allow_in_graph
_allow_in_graph([_pairs, _values])  # torch.compile traces these two by running them: it cannot read them


def _mask_of(degenerate: str) -> bool:
    if degenerate not in ("error", "mask"):
        raise ValueError(f"degenerate is {degenerate!r}, must be 'error' or 'mask'")
    return degenerate == "mask"


def eigh(
    a: Tensor, *, lower: bool = True, UPLO: str | None = None, degenerate: Literal["error", "mask"] = "error"
) -> Eigh:
    """Returns eigenvalues (..., n) and eigenvectors (..., n, n) of symmetric or Hermitian matrices a (..., n, n).

    a           float64, float32, complex128 or complex64, on the CPU or a CUDA GPU. A stack is solved in one call, as in eigen_g.eigh
    lower       True: the lower triangle is read; False: the upper one. The derivatives take a as Hermitian in both cases
    degenerate  derivatives of the vectors if two eigenvalues are equal within n eps max|w|; they do not exist there. "error":
                ValueError in the backward pass, and tangents of NaN in forward mode. "mask": without the terms that mix vectors
                of equal eigenvalues; this is right for functions of the space that these vectors span

    Has derivatives of every order, in reverse and in forward mode. Signs of the vectors (phases if complex) are arbitrary, and a
    differentiated function must not depend on them. As torch.linalg.eigh, the backward pass raises RuntimeError if a function
    depends on phases; torch.func does not check it. Raises as eigen_g.eigh.

    UPLO: PyTorch's name of the triangle, "L" or "U", used instead of lower.

    >>> a = torch.tensor([[2.0, 1.0], [1.0, 2.0]], dtype=torch.float64, requires_grad=True)
    >>> w, v = eigen_g.torch.eigh(a)
    >>> w[0].backward()                                     # the gradient of the lowest value is v[:, 0] v[:, 0]^T
    >>> bool(torch.allclose(a.grad, torch.outer(v[:, 0], v[:, 0])))
    True
    """
    return Eigh(*_pairs(a, _eigh.triangle_of(lower, UPLO), _mask_of(degenerate)))


def eigvalsh(
    a: Tensor, *, lower: bool = True, UPLO: str | None = None, degenerate: Literal["error", "mask"] = "error"
) -> Tensor:
    """Returns the eigenvalues of symmetric or Hermitian matrices, ascending, with derivatives as in eigh.

    degenerate concerns second derivatives: the first ones exist if eigenvalues are equal.

    >>> eigen_g.torch.eigvalsh(torch.eye(2))
    tensor([1., 1.])
    """
    return _values(a, _eigh.triangle_of(lower, UPLO), _mask_of(degenerate))
