from collections.abc import Callable

from ._types import DeviceWork, Progress, Refinement

class DeviceError(RuntimeError): ...
class OutOfMemory(MemoryError): ...
class InvalidArgument(ValueError): ...
class NonFiniteEntry(InvalidArgument): ...

class Report:
    """Results of a call other than its arrays: status, counts, times, devices."""

    @property
    def converged(self) -> bool:
        """True if every pair was found."""
    @property
    def info(self) -> int:
        """0: converged. Otherwise a row or an eigenvalue of the tridiagonal matrix, from 1."""
    @property
    def m(self) -> int:
        """Number of pairs found."""
    @property
    def first_index(self) -> int:
        """Index of the first of them in the whole spectrum, from 0."""
    @property
    def bad_minor(self) -> int:
        """Order of b's first leading minor that is not positive definite; 0: none."""
    @property
    def path(self) -> str:
        """Path of the reduction: "one_stage" or "two_stage"."""
    @property
    def seconds(self) -> float:
        """Time of the whole call."""
    @property
    def stages(self) -> list[tuple[str, float]]:
        """Name and seconds of each stage, in the order in which they began. Empty for orders up to 48 on the CPU."""
    @property
    def devices(self) -> list[DeviceWork]:
        """name, gpu (None: the CPU), share, seconds, bytes, flops and stages of each device that took part.

        bytes and flops: of the GPU's memory and of its matrix products; 0: not counted for each device. stages: its own (stage, seconds),
        if several GPUs divide all stages."""
    @property
    def refinement(self) -> Refinement:
        """Result of mixed precision.

        result is "native" (mixed precision was not requested), "refined", or the reason for a solve in native precision:
        "out_of_scope", "float_failed", "large_clusters", "diverged"."""
    @property
    def fallbacks(self) -> list[str]:
        """Steps to a smaller solve, in their order, because the GPU has too little memory.

        They are "mixed_to_native", "in_core_to_parked", "parked_to_slabs", "to_block_columns", "two_stage_to_one_stage" and
        "gpu_to_cpu". Empty: the memory sufficed."""
    @property
    def mode(self) -> str:
        """Where a solve on a GPU kept its matrices.

        "in_core", "parked" (reflectors in host memory), "slabs" (vectors, too) or "block_columns" (the matrix as its lower half, too)."""
    @property
    def slabs_of_rows(self) -> int:
        """Number of slabs of rows in which the vectors of T were computed; 0: all at once."""
    @property
    def slabs_of_columns(self) -> int:
        """Number of slabs of columns in which the vectors were transformed; 0: all at once."""
    @property
    def workspace_bytes(self) -> tuple[int, int]:
        """(host, device) bytes in addition to the matrix and the results."""
    def _repr_html_(self) -> str: ...

class BatchReport:
    """Results of a call for many matrices, other than its arrays."""

    @property
    def count(self) -> int:
        """Number of matrices."""
    @property
    def failed(self) -> int:
        """Number of matrices that have a NaN or an infinity, or did not converge."""
    @property
    def first_failed(self) -> int | None:
        """Index of the first of them; None: there is none. A stack (..., n, n) counts as (count, n, n)."""
    @property
    def m(self) -> int:
        """Number of pairs of each matrix; of matrices of different orders, of the largest one."""
    @property
    def seconds(self) -> float:
        """Time of the whole call."""
    @property
    def devices(self) -> list[DeviceWork]:
        """As Report.devices."""
    @property
    def workspace_bytes(self) -> tuple[int, int]:
        """(host, device) bytes in addition to the matrices and the results."""
    def _repr_html_(self) -> str: ...

class Verification:
    """Residual and orthogonality of eigenpairs. The two lapack_ ratios are divided by n ulp, as in LAPACK's tests."""

    @property
    def passed(self) -> bool:
        """True if both LAPACK ratios are at most `limit`, w and v are finite, and w is ascending."""
    @property
    def n(self) -> int:
        """Order of the matrix."""
    @property
    def m(self) -> int:
        """Number of pairs."""
    @property
    def limit(self) -> float:
        """Limit of the two LAPACK ratios."""
    @property
    def residual_frobenius(self) -> float:
        """|a v - v diag(w)|_F."""
    @property
    def reconstruction(self) -> float:
        """|a - v diag(w) v^H|_F / (n |a|_F); -1: not all vectors are given, or a is sparse."""
    @property
    def orthogonality(self) -> float:
        """|v^H v - 1|_F / n."""
    @property
    def lapack_residual(self) -> float:
        """|a v - v diag(w)|_1 / (|a|_1 n ulp)."""
    @property
    def lapack_orthogonality(self) -> float:
        """|v^H v - 1|_1 / (n ulp)."""
    @property
    def worst_residual(self) -> float:
        """Largest |a v[:, k] - w[k] v[:, k]|_2 / |a|_F."""
    @property
    def worst_index(self) -> int:
        """Its k, from 0."""
    @property
    def ascending(self) -> bool:
        """True if w is ascending."""
    @property
    def finite(self) -> bool:
        """True if w and v have no NaN and no infinity."""
    @property
    def on_gpu(self) -> bool:
        """True if the products ran on a GPU."""
    @property
    def seconds(self) -> float:
        """Time of the check."""
    def _repr_html_(self) -> str: ...

class GeneralisedVerification:
    """Residual and orthogonality ratios of generalised eigenpairs, and their limits, which grow with the condition of b."""

    @property
    def passed(self) -> bool:
        """True if both ratios are at most their limits, w and v are finite, w is ascending, and b is positive definite."""
    @property
    def n(self) -> int:
        """Order of the matrices."""
    @property
    def m(self) -> int:
        """Number of pairs."""
    @property
    def type(self) -> int:
        """Type of the problem: 1, 2 or 3."""
    @property
    def bad_minor(self) -> int:
        """Order of b's first leading minor that is not positive definite; 0: none."""
    @property
    def condition(self) -> float:
        """Estimate of b's condition."""
    @property
    def residual(self) -> float:
        """Residual ratio of the worst pair."""
    @property
    def residual_limit(self) -> float:
        """Limit of residual."""
    @property
    def orthogonality(self) -> float:
        """Ratio of |v^H b v - 1|."""
    @property
    def orthogonality_limit(self) -> float:
        """Limit of orthogonality."""
    @property
    def ascending(self) -> bool:
        """True if w is ascending."""
    @property
    def finite(self) -> bool:
        """True if w and v have no NaN and no infinity."""
    @property
    def on_gpu(self) -> bool:
        """True if the products ran on a GPU."""
    @property
    def seconds(self) -> float:
        """Time of the check."""
    def _repr_html_(self) -> str: ...

class FewReport:
    """How a few pairs of a sparse matrix or pencil were found."""

    @property
    def converged(self) -> bool: ...
    @property
    def method(self) -> str: ...
    @property
    def library(self) -> str: ...
    @property
    def on_gpu(self) -> bool: ...
    @property
    def m(self) -> int: ...
    @property
    def tolerance(self) -> float: ...
    @property
    def residuals(self) -> list[float]: ...
    @property
    def norm(self) -> float: ...
    @property
    def mass_norm(self) -> float: ...
    @property
    def error_bounds(self) -> list[float]: ...
    @property
    def backward_errors(self) -> list[float]: ...
    @property
    def products(self) -> int: ...
    @property
    def restarts(self) -> int: ...
    @property
    def probed(self) -> bool: ...
    @property
    def shift_wished(self) -> float: ...
    @property
    def shift_used(self) -> float: ...
    @property
    def shift_reason(self) -> str: ...
    @property
    def proven(self) -> bool: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def count_low(self) -> int: ...
    @property
    def count_high(self) -> int: ...
    @property
    def found(self) -> int: ...
    @property
    def repaired(self) -> int: ...
    @property
    def proof_reason(self) -> str: ...
    @property
    def factorisations(self) -> int: ...
    @property
    def factor_entries(self) -> int: ...
    @property
    def factor_bytes(self) -> int: ...
    @property
    def seconds(self) -> float: ...

class IntervalReport(FewReport):
    @property
    def expected(self) -> int: ...
    @property
    def shifts(self) -> list[float]: ...

class IntervalPairs:
    @property
    def report(self) -> IntervalReport: ...
    @property
    def w(self) -> list[float]: ...
    @property
    def z(self) -> int: ...

class FewCall:
    def __init__(
        self,
        end: str,
        count: int,
        target: float,
        method: str,
        tolerance: float,
        max_products: int,
        start: int,
        proof: str,
        library: str,
        buckling: bool,
        device: str,
        threads: int,
        progress: Callable[[float], object] | None,
    ) -> None: ...

Rows = tuple[int, int, int]
Multiply = Callable[[int, int], None]

class SparseSolver:
    def __init__(self, call: FewCall, n: int, a: Rows, m: Rows, diagonal: int) -> None: ...
    @property
    def factor_entries(self) -> int: ...
    @property
    def factor_bytes(self) -> int: ...
    def count(self, s: float, /) -> tuple[int, float, bool]: ...
    def solve(self, call: FewCall, w: int, z: int, /) -> FewReport: ...
    def interval(self, a: float, b: float, max_pairs: int, vectors: bool, /) -> IntervalPairs: ...
    def verify_counts(self, count: int, w: int, /) -> tuple[float, float, int, int, int, bool]: ...
    def set_values(self, a: int, m: int, /) -> None: ...

class CallOptions:
    def __init__(
        self,
        dtype: str,
        lower: bool,
        vectors: bool,
        index_range: tuple[int, int] | None,
        values: tuple[float, float] | None,
        path: str,
        engine: str,
        device: str,
        gpus: int,
        threads: int,
        ratio: str | None,
        precision: str,
        multiprocessors: int,
        memory_limit: int,
        itype: int,
        factor: str,
        /,
    ) -> None: ...
    @property
    def dtype(self) -> str: ...
    def max_count(self, n: int, /) -> int: ...

class Context:
    def __init__(
        self,
        plan: CallOptions,
        allocate: Callable[[int, int], int] | None,
        free: Callable[[int, int, int], None] | None,
    ) -> None: ...
    def close(self) -> None: ...

class Solver:
    def __init__(self, context: Context, plan: CallOptions, n: int, on_device: bool, gpu: int, progress: Progress | None) -> None: ...
    @property
    def workspace_bytes(self) -> tuple[int, int]: ...
    @property
    def contiguous_workspace_bytes(self) -> tuple[int, int]: ...
    @property
    def on_gpu(self) -> bool: ...
    def set_workspace(self, memory: int, bytes: int, /) -> None: ...
    def set_factor(self, plan: CallOptions, /) -> None: ...
    def solve(self, a: int, lda: int, b: int, ldb: int, w: int, z: int, ldz: int, stream: int, /) -> Report: ...

class BatchedSolver:
    def __init__(self, context: Context, plan: CallOptions, n: int, most: int, gpu: int) -> None: ...
    @property
    def workspace_bytes(self) -> tuple[int, int]: ...
    def set_workspace(self, memory: int, bytes: int, /) -> None: ...
    def solve(
        self,
        n: int,
        count: int,
        a: int,
        lda: int,
        stride_a: int,
        b: int,
        ldb: int,
        stride_b: int,
        w: int,
        z: int,
        ldz: int,
        stride_z: int,
        status: int,
        stream: int,
        /,
    ) -> BatchReport: ...

min_order_to_interrupt: int

def types() -> list[str]: ...
def generalised_types() -> list[str]: ...
def stage_types() -> list[str]: ...
def solve_shards(
    plan: CallOptions,
    n: int,
    a: list[tuple[int, int, int, int]],
    w: int,
    z: list[tuple[int, int, int, int]],
    progress: Progress | None = ...,
) -> Report: ...
def solve_host(
    plan: CallOptions, n: int, a: int, lda: int, b: int, ldb: int, w: int, z: int, ldz: int, progress: Progress | None
) -> Report: ...
def solve_batch(
    plan: CallOptions,
    n: int,
    count: int,
    a: int,
    lda: int,
    stride_a: int,
    b: int,
    ldb: int,
    stride_b: int,
    w: int,
    z: int,
    ldz: int,
    stride_z: int,
    status: int,
    /,
) -> BatchReport: ...
def solve_ragged(
    plan: CallOptions,
    n: list[int],
    a: list[int],
    lda: list[int],
    w: list[int],
    z: list[int],
    status: int,
    gpu: int,
    stream: int,
    /,
) -> BatchReport: ...
def sytrd(plan: CallOptions, n: int, a: int, lda: int, d: int, e: int, tau: int, gpu: int, stream: int, /) -> Report: ...
def stedc(plan: CallOptions, n: int, d: int, e: int, z: int, ldz: int, gpu: int, stream: int, /) -> Report: ...
def ormtr(
    plan: CallOptions,
    right: bool,
    adjoint: bool,
    n: int,
    m: int,
    a: int,
    lda: int,
    tau: int,
    z: int,
    ldz: int,
    gpu: int,
    stream: int,
    /,
) -> Report: ...
def verify(plan: CallOptions, n: int, a: int, lda: int, m: int, w: int, z: int, ldz: int, /) -> Verification: ...
def solve_rows(call: FewCall, n: int, a: Rows, m: Rows, diagonal: int, w: int, z: int, /) -> FewReport: ...
def solve_operators(
    call: FewCall, n: int, k: Multiply | None, m: Multiply | None, op_inverse: Multiply | None, w: int, z: int
) -> FewReport: ...
def solve_rows_on_gpu(call: FewCall, n: int, nnz: int, a: Rows, w: int, z: int, gpu: int, stream: int, /) -> FewReport: ...
def verify_rows(
    threads: int, n: int, a: Rows, m: Rows, diagonal: int, count: int, w: int, z: int, buckling: bool, /
) -> Verification: ...
def factor_libraries() -> list[tuple[str, str]]: ...
def factor_library_available(library: str, /) -> bool: ...
def verify_generalised(
    plan: CallOptions, n: int, a: int, lda: int, b: int, ldb: int, m: int, w: int, z: int, ldz: int, /
) -> GeneralisedVerification: ...
def workspace_bytes(plan: CallOptions, n: int, on_gpu: bool, on_device: bool, gpu: int, /) -> tuple[int, int]: ...
def jax_handlers() -> dict[str, object]:
    """Capsules by platform. Empty in a build without JAX's headers; no entry for CUDA in a build without CUDA."""

def gpu_count() -> int:
    """Returns the number of GPUs that this process can use."""
def release_thread_cache() -> None: ...
def version() -> str: ...
def cuda_toolkit_version() -> str: ...
