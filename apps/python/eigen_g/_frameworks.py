"""Framework: an interface to NumPy, CuPy, PyTorch and JAX arrays (address and strides, streams, memory of the pool).

of(a) finds the framework of an array by the module of its type, so that it imports only frameworks that the program uses.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np

Array = Any  # an array of any of the frameworks


class View(NamedTuple):
    """An array's memory. strides: in elements; None if addresses are not multiples of the element size. gpu: -1 for host memory."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    dtype: str
    gpu: int
    readonly: bool


class Framework(Protocol):
    name: str

    def view(self, a: Array) -> View: ...
    def converted(self, *arrays: Array) -> Sequence[Array]:
        """Returns the arrays in the one type in which SciPy solves them. PyTorch's and JAX's arrays stay as they are."""
    def address(self, a: Array) -> int: ...
    def empty(self, shape: tuple[int, ...], dtype: str, like: Array) -> Array:
        """Returns a new array in C order on the device of `like`."""
    def copied(self, a: Array, into: Array | None = None, conjugate: bool = False) -> Array:
        """Returns a copy in C order, made on the current stream; in `into`, which has that order, shape and type, if given."""
    def conjugated(self, a: Array) -> Array:
        """Returns the conjugate, in place if arrays can be written."""
    def filled(self, a: Array, value: complex, at: Any = ...) -> Array:
        """Returns a with a[at] set to value, in place if arrays can be written."""
    def transposed(self, a: Array) -> Array:
        """Returns the transposes of a matrix or of a stack of matrices as a view."""
    def broadcast(self, a: Array, shape: tuple[int, ...]) -> Array:
        """Returns a with that shape, as NumPy's broadcast_to: read only."""
    def stack(self, arrays: list[Array]) -> Array:
        """Returns a new array of these arrays, which have one shape, along a new first dimension."""
    def to_host(self, a: Array) -> Array:
        """Returns a as a NumPy array: a view if a is in host memory."""
    def stream(self, gpu: int) -> tuple[int, object]:
        """Returns the current stream of the GPU (0 for the host) and an object that keeps it alive."""
    def memory(self, size: int, like: Array) -> tuple[Any, int]:
        """Allocates `size` bytes in the device's pool for the current stream. Returns the object that holds them and their address."""
    def hooks(self) -> tuple[Any, Any]:
        """Returns the functions allocate(bytes, stream) -> address and free(address, bytes, stream) for the current GPU."""
    def on(self, gpu: int) -> contextlib.AbstractContextManager[object]:
        """Makes this GPU the framework's current one in a `with` block; -1: changes nothing."""


_as_it_is = contextlib.nullcontext()


@lru_cache(maxsize=64)
def _dtype_name(dtype: np.dtype[Any]) -> str:
    return dtype.name if dtype.isnative else dtype.str


def _in_elements(strides: tuple[int, ...], item: int, address: int) -> tuple[int, ...] | None:
    if address % item:  # memory at an odd offset
        return None
    for stride in strides:
        if stride % item:  # e.g. a field of packed records
            return None
    return tuple([stride // item for stride in strides])


def _converted(*arrays: Array) -> Sequence[Array]:
    """SciPy's types: float32 for bool, float16 and integers of 8 and 16 bits, float64 for other integers and for long double."""
    numeric = [x.dtype for x in arrays if x.dtype.kind in "biufc"]
    common = np.result_type(np.float32, *numeric)
    dtype = np.dtype({"g": np.float64, "G": np.complex128}.get(common.char, common))
    return [x.astype(dtype) if x.dtype in numeric and x.dtype != dtype else x for x in arrays]


class _NumPy:
    name = "numpy"
    converted = staticmethod(_converted)

    def view(self, a: Array) -> View:
        address, readonly = a.__array_interface__["data"]
        return View(address, a.shape, _in_elements(a.strides, a.itemsize, address), _dtype_name(a.dtype), -1, readonly)

    def address(self, a: Array) -> int:
        return a.__array_interface__["data"][0]  # type: ignore[no-any-return]

    def empty(self, shape: tuple[int, ...], dtype: str, like: Array) -> Array:
        return np.empty(shape, dtype)

    def copied(self, a: Array, into: Array | None = None, conjugate: bool = False) -> Array:
        into = np.empty(a.shape, a.dtype) if into is None else into
        np.conjugate(a, out=into) if conjugate else np.copyto(into, a)
        return into

    def conjugated(self, a: Array) -> Array:
        return np.conjugate(a, out=a)

    def filled(self, a: Array, value: complex, at: Any = ...) -> Array:
        a[at] = value
        return a

    def transposed(self, a: Array) -> Array:
        return a.T if a.ndim == 2 else a.swapaxes(-1, -2)

    def broadcast(self, a: Array, shape: tuple[int, ...]) -> Array:
        return np.broadcast_to(a, shape)

    def stack(self, arrays: list[Array]) -> Array:
        return np.stack(arrays, out=np.empty((len(arrays), *arrays[0].shape), arrays[0].dtype))  # always in C order

    def to_host(self, a: Array) -> Array:
        return a

    def stream(self, gpu: int) -> tuple[int, object]:
        return 0, None

    def memory(self, size: int, like: Array) -> tuple[Any, int]:
        raise NotImplementedError

    def hooks(self) -> tuple[Any, Any]:
        return None, None

    def on(self, gpu: int) -> contextlib.AbstractContextManager[object]:
        return _as_it_is


class _Stream:
    """A stream's address as an object with the CUDA stream protocol."""

    def __init__(self, address: int) -> None:
        self.address = address

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.address


class _CuPy:
    name = "cupy"

    def __init__(self, cupy: Any) -> None:
        self.cupy = cupy

    def converted(self, *arrays: Array) -> Sequence[Array]:
        with self.on(arrays[0].data.device_id):
            return _converted(*arrays)

    def view(self, a: Array) -> View:
        data = a.data
        strides = _in_elements(a.strides, a.itemsize, data.ptr)
        return View(data.ptr, a.shape, strides, _dtype_name(a.dtype), data.device_id, False)

    def address(self, a: Array) -> int:
        return int(a.data.ptr)

    def empty(self, shape: tuple[int, ...], dtype: str, like: Array) -> Array:
        return self.cupy.empty(shape, dtype)

    def copied(self, a: Array, into: Array | None = None, conjugate: bool = False) -> Array:
        into = self.cupy.empty(a.shape, a.dtype) if into is None else into
        if a.flags.c_contiguous and not conjugate:
            into.data.copy_from_device_async(a.data, a.nbytes)
            return into
        self.cupy.conjugate(a, into) if conjugate else self.cupy.copyto(into, a)
        return into

    def conjugated(self, a: Array) -> Array:
        return self.cupy.conjugate(a, a)

    def filled(self, a: Array, value: complex, at: Any = ...) -> Array:
        a[at] = value
        return a

    def transposed(self, a: Array) -> Array:
        return a.T if a.ndim == 2 else a.swapaxes(-1, -2)

    def broadcast(self, a: Array, shape: tuple[int, ...]) -> Array:
        return self.cupy.broadcast_to(a, shape)

    def stack(self, arrays: list[Array]) -> Array:
        return self.cupy.stack(arrays)

    def to_host(self, a: Array) -> Array:
        return a.get()

    def stream(self, gpu: int) -> tuple[int, object]:
        stream = self.cupy.cuda.get_current_stream()
        return stream.ptr, stream

    def memory(self, size: int, like: Array) -> tuple[Any, int]:
        memory = self.cupy.cuda.alloc(size)
        return memory, int(memory.ptr)

    def hooks(self) -> tuple[Any, Any]:
        cuda = self.cupy.cuda
        held: dict[int, Any] = {}
        stream_at = getattr(cuda.Stream, "from_external", None)  # CuPy 14 and later

        def allocate(size: int, stream: int) -> int:
            with stream_at(_Stream(stream)) if stream_at else cuda.ExternalStream(stream):
                try:
                    memory = cuda.alloc(size)
                except cuda.memory.OutOfMemoryError:
                    return 0
            held[memory.ptr] = memory
            return int(memory.ptr)

        def free(address: int, size: int, stream: int) -> None:
            held.pop(address, None)

        return allocate, free

    def on(self, gpu: int) -> contextlib.AbstractContextManager[object]:
        if gpu < 0 or self.cupy.cuda.runtime.getDevice() == gpu:
            return _as_it_is
        return self.cupy.cuda.Device(gpu)  # type: ignore[no-any-return]


def has_tangent(torch: Any, a: Array) -> bool:
    """True if a PyTorch tensor has a tangent of forward mode. False in the layers of PyTorch's dispatcher that see no tangents."""
    forward_ad = torch.autograd.forward_ad
    if forward_ad._current_level < 0:  # no forward mode: nearly every call
        return False
    no_tangents = torch._C._dispatch_tls_is_dispatch_key_excluded(torch._C.DispatchKey.ADInplaceOrView)
    return not no_tangents and forward_ad.unpack_dual(a).tangent is not None


class _Torch:
    name = "torch"

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.dtypes = {n: getattr(torch, n) for n in ("float32", "float64", "complex64", "complex128", "int32")}
        self.names = {dtype: name for name, dtype in self.dtypes.items()}
        self.raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # faster; other compilers call it too

    def converted(self, *arrays: Array) -> Sequence[Array]:
        return arrays

    def view(self, a: Array) -> View:
        if not (a.is_cuda or a.is_cpu):
            raise TypeError(f"a tensor on {a.device} is neither on the CPU nor on a CUDA GPU")
        if a.requires_grad and self.torch.is_grad_enabled():
            raise RuntimeError("the tensor requires a gradient: eigen_g.torch.eigh has one (or a.detach() for none)")
        if has_tangent(self.torch, a):
            raise RuntimeError("the tensor has a tangent: eigen_g.torch.eigh has forward-mode derivatives")
        if a.layout != self.torch.strided:
            raise TypeError(f"a tensor of layout {a.layout} is not dense: a.to_dense()")
        gpu = a.get_device()  # -1: the CPU
        name = self.names.get(a.dtype, str(a.dtype).removeprefix("torch."))
        address = a.data_ptr()
        strides = None if address % a.element_size() else a.stride()
        return View(address, tuple(a.shape), strides, name, gpu, False)

    def address(self, a: Array) -> int:
        return int(a.data_ptr())

    def empty(self, shape: tuple[int, ...], dtype: str, like: Array) -> Array:
        return like.new_empty(shape, dtype=self.dtypes[dtype])

    def copied(self, a: Array, into: Array | None = None, conjugate: bool = False) -> Array:
        a = a.detach() if a.requires_grad else a
        if into is None and not conjugate:
            return a.clone(memory_format=self.torch.contiguous_format)
        return (a.new_empty(a.shape) if into is None else into).copy_(a.conj() if conjugate else a)

    def conjugated(self, a: Array) -> Array:
        return a.conj_physical_()

    def filled(self, a: Array, value: complex, at: Any = ...) -> Array:
        a[at] = value
        return a

    def transposed(self, a: Array) -> Array:
        return a.mT

    def broadcast(self, a: Array, shape: tuple[int, ...]) -> Array:
        return a.broadcast_to(shape)

    def stack(self, arrays: list[Array]) -> Array:
        return self.torch.stack(arrays)

    def to_host(self, a: Array) -> Array:
        return a.detach().cpu().numpy()

    def stream(self, gpu: int) -> tuple[int, object]:
        if gpu < 0:
            return 0, None
        if self.raw_stream:
            return self.raw_stream(gpu), None
        stream = self.torch.cuda.current_stream(gpu)
        return stream.cuda_stream, stream

    def memory(self, size: int, like: Array) -> tuple[Any, int]:
        memory = like.new_empty(size, dtype=self.torch.uint8)
        return memory, memory.data_ptr()

    def hooks(self) -> tuple[Any, Any]:
        cuda = self.torch.cuda

        def allocate(size: int, stream: int) -> int:
            try:
                return int(cuda.caching_allocator_alloc(size, cuda.current_device(), stream))
            except cuda.OutOfMemoryError:
                return 0

        def free(address: int, size: int, stream: int) -> None:
            cuda.caching_allocator_delete(address)

        return allocate, free

    def on(self, gpu: int) -> contextlib.AbstractContextManager[object]:
        if gpu < 0 or self.torch.cuda.current_device() == gpu:
            return _as_it_is
        return self.torch.cuda.device(gpu)  # type: ignore[no-any-return]


class _Jax:
    """JAX arrays are immutable. The solver writes a new array once, directly after JAX made it and before it is returned."""

    name = "jax"

    def __init__(self, jax: Any) -> None:
        self.jax = jax

    def converted(self, *arrays: Array) -> Sequence[Array]:
        return arrays

    def view(self, a: Array) -> View:
        if isinstance(a, self.jax.core.Tracer):
            raise TypeError("a traced array has no memory: eigen_g.jax.eigh works under jit and grad")
        if len(a.devices()) != 1:
            raise ValueError("the array is sharded over several devices: eigen_g.jax.eigh solves it on these GPUs (or jax.device_put(a, one_device))")
        device = next(iter(a.devices()))
        a.block_until_ready()
        layout = getattr(getattr(a, "format", None), "layout", None)  # JAX before 0.7: the default, row by row
        strides, step = [0] * a.ndim, 1
        for k in reversed(getattr(layout, "major_to_minor", range(a.ndim))):
            strides[k], step = step, step * a.shape[k]
        gpu = device.local_hardware_id if device.platform in ("gpu", "cuda") else -1
        return View(a.unsafe_buffer_pointer(), a.shape, tuple(strides), a.dtype.name, gpu, True)

    def address(self, a: Array) -> int:
        return int(a.unsafe_buffer_pointer())

    def empty(self, shape: tuple[int, ...], dtype: str, like: Array) -> Array:
        device = next(iter(like.devices()))
        return self.jax.numpy.empty(shape, dtype, device=device).block_until_ready()

    def copied(self, a: Array, into: Array | None = None, conjugate: bool = False) -> Array:
        return (self.jax.numpy.conj(a) if conjugate else a.copy()).block_until_ready()

    def conjugated(self, a: Array) -> Array:
        return self.jax.numpy.conj(a).block_until_ready()

    def filled(self, a: Array, value: complex, at: Any = ...) -> Array:
        return a.at[at].set(value)

    def transposed(self, a: Array) -> Array:
        return a.T if a.ndim == 2 else a.swapaxes(-1, -2)

    def broadcast(self, a: Array, shape: tuple[int, ...]) -> Array:
        return self.jax.numpy.broadcast_to(a, shape)

    def stack(self, arrays: list[Array]) -> Array:
        return self.jax.numpy.stack(arrays)

    def to_host(self, a: Array) -> Array:
        return np.asarray(a)

    def stream(self, gpu: int) -> tuple[int, object]:
        return 0, None

    def memory(self, size: int, like: Array) -> tuple[Any, int]:
        memory = self.empty((size,), "uint8", like)
        return memory, memory.unsafe_buffer_pointer()

    def hooks(self) -> tuple[Any, Any]:
        return None, None

    def on(self, gpu: int) -> contextlib.AbstractContextManager[object]:
        return _as_it_is


_numpy = _NumPy()
_made: dict[str, Framework] = {"numpy": _numpy}
_classes: dict[str, Any] = {"cupy": _CuPy, "torch": _Torch, "jax": _Jax}


_names: dict[type, str] = {}  # framework's name by array type, filled as types are seen


def empty_float64() -> Array:
    return np.empty(0)


def named(name: str) -> Framework:
    if name not in _made:
        _made[name] = _classes[name](sys.modules[name])
    return _made[name]


def place(gpu: int) -> str:
    return "the host" if gpu < 0 else f"GPU {gpu}"


def _name_of(kind: type) -> str:
    """The name of the framework that a type of arrays belongs to; "": none of these."""
    if issubclass(kind, np.ndarray):
        return "numpy"
    for base in kind.__mro__:
        root = base.__module__.partition(".")[0]
        root = "jax" if root == "jaxlib" else root
        if root in _classes and root in sys.modules:
            return root
    return ""


def of(a: Array) -> tuple[Framework, Array]:
    """Returns the framework of an array, and the array as an array of that framework.

    Another array with __cuda_array_interface__ or DLPack becomes a CuPy or PyTorch array on a GPU and a NumPy array on the host,
    without a copy. Any other object is passed to numpy.asarray, and so are NumPy's subclasses: a mask is ignored, as in
    numpy.linalg.
    """
    kind = type(a)
    name = _names.get(kind) or _names.setdefault(kind, _name_of(kind))
    if name == "numpy":
        return _numpy, np.asarray(a)
    if name:
        lazy = name == "torch" and (a.is_conj() or a.is_neg())
        return named(name), a.resolve_conj().resolve_neg() if lazy else a
    if hasattr(a, "__cuda_array_interface__") or (hasattr(a, "__dlpack_device__") and a.__dlpack_device__()[0] != 1):
        by_interface = hasattr(a, "__cuda_array_interface__")
        for name, take in (("cupy", "asarray"), ("torch", "as_tensor")):
            with contextlib.suppress(ImportError):
                module = importlib.import_module(name)
                return named(name), getattr(module, take if by_interface else "from_dlpack")(a)
        raise TypeError(f"a {type(a).__name__} on a GPU needs CuPy or PyTorch to be looked at")
    if hasattr(a, "__dlpack__") and not hasattr(a, "__array__"):
        return _numpy, np.from_dlpack(a)
    array = np.asarray(a)
    if array.dtype == object:
        raise ValueError(f"a {kind.__name__} is not a numeric array" + (": its .toarray() is" if hasattr(a, "toarray") else ""))
    return _numpy, array
