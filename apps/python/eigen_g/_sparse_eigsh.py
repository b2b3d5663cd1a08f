"""eigsh with SciPy's arguments."""

from __future__ import annotations

import operator
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, overload

import numpy as np

from . import _core
from ._frameworks import Array
from ._frameworks import of as framework_of
from ._sparse_dense import largest_dense, of_all, of_dense, solved_dense
from ._sparse_matrices import Host, Matrix, looked_at
from ._sparse_problem import Found, GpuProblem, Options, Problem
from ._sparse_report import SparseReport, no_convergence
from ._sparse_select import Which, buckling_pairs, candidates, selected, takes_both_ends, theta_of

if TYPE_CHECKING:
    from ._types import Unpack


def as_integer(value: Any, name: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, must be an integer") from None


Mode = Literal["normal", "buckling", "cayley"]
Proof = Literal["auto", "counts", "probe", "none"]


class SolveOptions(TypedDict, total=False):
    """The arguments of eigsh that SciPy's eigsh does not have, without `info`."""

    proof: Proof
    library: str
    device: Literal["auto", "cpu", "gpu"]
    threads: int
    progress: Callable[[float], object] | None


class EigshOptions(SolveOptions, total=False):
    v0: Array | None
    ncv: int | None
    maxiter: int | None
    tol: float
    Minv: Any
    OPinv: Any
    mode: Mode
    rng: Any


@overload
def eigsh(  # fmt: skip
    A: Any, k: int = ..., M: Any = ..., sigma: float | None = ..., which: Which = ..., *, return_eigenvectors: Literal[True] = ..., info: Literal[False] = ..., **options: Unpack[EigshOptions]
) -> tuple[Array, Array]: ...
@overload
def eigsh(  # fmt: skip
    A: Any, k: int = ..., M: Any = ..., sigma: float | None = ..., which: Which = ..., *, return_eigenvectors: Literal[True] = ..., info: Literal[True], **options: Unpack[EigshOptions]
) -> tuple[Array, Array, SparseReport]: ...
@overload
def eigsh(  # fmt: skip
    A: Any, k: int = ..., M: Any = ..., sigma: float | None = ..., which: Which = ..., *, return_eigenvectors: Literal[False], info: Literal[False] = ..., **options: Unpack[EigshOptions]
) -> Array: ...
@overload
def eigsh(  # fmt: skip
    A: Any, k: int = ..., M: Any = ..., sigma: float | None = ..., which: Which = ..., *, return_eigenvectors: Literal[False], info: Literal[True], **options: Unpack[EigshOptions]
) -> tuple[Array, SparseReport]: ...
@overload
def eigsh(  # fmt: skip
    A: Any, k: int = ..., M: Any = ..., sigma: float | None = ..., which: Which = ..., v0: Any = ..., ncv: int | None = ..., maxiter: int | None = ..., tol: float = ..., return_eigenvectors: bool = ..., Minv: Any = ..., OPinv: Any = ..., mode: Mode = ..., rng: Any = ..., *, info: bool = ..., **options: Unpack[SolveOptions]
) -> Any: ...


def eigsh(
    A: Any,
    k: int = 6,
    M: Any = None,
    sigma: float | None = None,
    which: Which = "LM",
    v0: Array | None = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0,
    return_eigenvectors: bool = True,
    Minv: Any = None,
    OPinv: Any = None,
    mode: Mode = "normal",
    rng: Any = None,
    *,
    proof: Proof = "auto",
    library: str = "auto",
    device: Literal["auto", "cpu", "gpu"] = "auto",
    threads: int = 0,
    progress: Callable[[float], object] | None = None,
    info: bool = False,
) -> Any:
    """Returns k values w and vectors v of A @ v = v * w, or of A @ v = M @ v * w: scipy.sparse.linalg.eigsh, with its arguments.

    A        real symmetric or complex Hermitian: a sparse matrix or array of SciPy or CuPy in any format, a dense array, or a
             LinearOperator (any object with shape, dtype and matvec or matmat)
    k        number of pairs, less than n
    M        positive semidefinite (with mode="buckling": A is positive definite, and M may be indefinite); as A, or an array of n values,
             which are its diagonal. Vectors have v^H M v = 1 (buckling: v^H A v = 1)
    sigma    the pairs are selected by theta = 1 / (w - sigma) instead of w (cayley: (w + sigma) / (w - sigma), buckling:
             w / (w - sigma)). This needs a factorisation of A - sigma M, or OPinv
    which    "LM": the largest |theta|, which are the values nearest to sigma. "SM": the smallest |theta|. "LA", "SA": the largest and the
             smallest theta: the next values above and below sigma. "BE": half of them from each end
    v0       start vector, used in addition to random ones
    ncv, rng, Minv   are checked and have no effect: the basis has the size that the method needs, the random vectors are always the same,
             and M is factorised here
    maxiter  limit for the number of products, as the number of SciPy's restarts; None: the library's limit
    tol      limit of |A v - w M v| / ((|A| + |w| |M|) |v|); 0: roundoff
    OPinv    the inverse of A - sigma M as an operator. A is then not factorised, and there are no counts
    proof    how it is established that no pair is missing. "counts": by the number of eigenvalues below two points around the pairs,
             which takes one or two factorisations. "probe": by random vectors. "none". "auto": by counts if there is a factorisation.
             If counts do not prove it, there is a RuntimeWarning
    library   the library that factorises: "auto", "own", "mumps", "pardiso", "cudss" or "none"; libraries() lists what this machine has
    device, threads, progress   as in eigen_g.eigh; progress(fraction)
    info     True: returns w, v and a SparseReport

    Returns (w, v), or w alone, with w ascending in every case. v is n x k in A's type. The pairs of float32 and complex64 matrices are
    computed in double precision. For a matrix on a GPU, w and v are CuPy arrays.

    Problems of order up to 100 are solved as dense ones, and so are dense arrays that are not solved by products, and operators of order up
    to 1000 with a sigma. A large operator with a sigma needs OPinv. A dense solve also finds more than n / 2 pairs from both ends of the spectrum
    ("LM", with sigma "SM"), and follows up to order 1000 if pairs do not converge and maxiter is None.

    Raises NoConvergence, which is an ArpackNoConvergence and has the converged pairs; InvalidArgument (ValueError) also for a matrix that
    is not symmetric, an M that is not positive semidefinite, and a sigma without a library.
    """
    a, b = looked_at(A, "A", keep_on_gpu=True), None if M is None else looked_at(M, "M")
    n, k = a.n, as_integer(k, "k")
    if b is not None and b.n != n:
        raise ValueError(f"wrong M dimensions {np.shape(M)}, should be {(n, n)}")
    if k <= 0:
        raise ValueError("k must be greater than 0.")
    if which not in ("LM", "SM", "LA", "SA", "BE"):
        raise ValueError(f"which must be one of LM, SM, LA, SA, BE, is {which!r}")
    if mode not in ("normal", "buckling", "cayley"):
        raise ValueError(f"unrecognized mode '{mode}'")
    if k >= n:
        return of_all(A, M, a, b, k, return_eigenvectors, info)
    _check_inverses(b, sigma, Minv, OPinv)
    if ncv is not None and not k < ncv <= n:
        raise ValueError(f"ncv must be k<ncv<=n, ncv={ncv}")
    if maxiter is not None and maxiter <= 0:
        raise ValueError(f"maxiter must be positive, maxiter={maxiter}")
    if sigma is None:
        mode = "normal"
    else:
        sigma = float(sigma)
        if not np.isfinite(sigma) or (sigma == 0 and mode != "normal"):
            raise ValueError(f"sigma is {sigma}, must be finite, and not 0 with mode='{mode}'")

    inverse = None if OPinv is None else looked_at(OPinv, "OPinv")
    if inverse is not None and inverse.n != n:
        raise ValueError(f"OPinv has the order {inverse.n}, A has the order {n}")
    single = a.dtype.char in "fF"
    options = Options(
        tolerance=float(np.clip(max(tol, np.finfo(a.dtype).eps if single else 0), 1e-14, 1)) if tol > 0 or single else 0.0,
        max_products=0 if maxiter is None else int(maxiter) * max(1, (ncv or min(n, max(2 * k + 1, 20))) - k),
        start=_start(v0, n, [x for x in (a, b, inverse) if x is not None]),
        proof=proof,
        library=library,
        buckling=mode == "buckling",
        device=device,
        threads=threads,
        progress=progress,
    )
    stays = a.on_gpu and a.kind == "sparse" and n > largest_dense and b is None and sigma is None and which != "SM"
    overlapping = 2 * k > n and takes_both_ends(which, sigma, mode)
    stays = stays and a.dtype == np.float64 and not overlapping
    if a.on_gpu and not stays:
        a = looked_at(A, "A")
    if stays:
        found: Found = candidates(GpuProblem(a, options), k, which, None, mode)
    elif solved_dense(a, b, inverse, k, sigma, library) or overlapping:
        found = of_dense(a, b, inverse, sigma, mode)
    else:
        try:
            if mode == "buckling" and sigma is not None:
                found = buckling_pairs(a, b, inverse, options, k, which, sigma)
            else:
                found = candidates(Problem(a, b, inverse, options), k, which, sigma, mode)
        except no_convergence():
            if maxiter is not None or n > largest_dense:
                raise
            found = of_dense(a, b, inverse, sigma, mode)
    found = found.chosen(selected(theta_of(found.w, sigma, mode), k, which))
    found = found.chosen(np.argsort(found.w, kind="stable"))
    report = found.report()
    if mode == "buckling" and report.library != "none":
        used = 1 / report.shift_used if report.shift_used != 0 else np.inf
        report = replace(report, shift_wished=sigma or 0.0, shift_used=used)
    if len(found.w) < k:
        raise _core.InvalidArgument(f"argument k: is {k}, but the pencil has {len(found.w)} finite eigenvalues")
    if not report.proven and (proof == "counts" or (report.library != "none" and report.proof_reason)):
        warnings.warn(f"it is not proven that no pair is missing: {report.proof_reason}", RuntimeWarning, stacklevel=2)
    w, v = rounded(found, a, b, a.on_gpu)
    results: tuple[Any, ...] = (w, v) if return_eigenvectors else (w,)
    results = (*results, report) if info else results
    return results if len(results) > 1 else w


def _check_inverses(b: Matrix | None, sigma: float | None, Minv: Any, OPinv: Any) -> None:
    if sigma is None and OPinv is not None:
        raise ValueError("OPinv should not be specified with sigma = None.")
    if Minv is not None and (sigma is not None or b is None):
        raise ValueError(f"Minv should not be specified {'when sigma is specified' if sigma is not None else 'with M = None'}.")


def _start(v0: Any, n: int, matrices: list[Matrix]) -> Host | None:
    if v0 is None:
        return None
    start = np.asarray(framework_of(v0)[0].to_host(v0)).reshape(-1)
    if start.shape != (n,):
        raise ValueError(f"v0 has {start.size} values, must have {n}")
    is_complex = any(x.dtype.kind == "c" for x in matrices)
    return np.ascontiguousarray(start, np.complex128 if is_complex else np.float64).view(np.float64)


def rounded(found: Found, a: Matrix, b: Matrix | None, on_gpu: bool) -> tuple[Array, Array]:
    """w and v in A's precision; complex if M is."""
    is_complex = a.dtype.kind == "c" or (b is not None and b.dtype.kind == "c")
    single = a.dtype.char in "fF"
    w = found.w.astype(np.float32 if single else np.float64, copy=False)
    v = found.v.astype({(0, 0): "d", (0, 1): "f", (1, 0): "D", (1, 1): "F"}[is_complex, single], copy=False)
    if not on_gpu:
        return w, v
    cupy = sys.modules["cupy"]
    return cupy.asarray(w), cupy.asarray(v)
