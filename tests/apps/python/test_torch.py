"""eigen_g.torch.eigh, and PyTorch's tensors: on the CPU and, if there is one, on a GPU."""

import contextlib

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import torch.fx.experimental.proxy_tensor  # noqa: E402

import eigen_g  # noqa: E402
import eigen_g.torch  # noqa: E402


DEVICES = ["cpu", "cuda"] if torch.cuda.is_available() and eigen_g.gpu_count() else ["cpu"]
on_devices = pytest.mark.parametrize("device", DEVICES)
in_double = pytest.mark.parametrize("dtype", [torch.float64, torch.complex128], ids=["float64", "complex128"])


def random_symmetric(*shape, seed=0, dtype=torch.float64, device="cpu"):
    torch.manual_seed(seed)
    a = torch.randn(*shape, shape[-1], dtype=dtype)
    return (a + a.mH).to(device)


def test_tensors_in_tensors_out():
    a = random_symmetric(40)
    w, v = eigen_g.eigh(a)
    assert isinstance(w, torch.Tensor) and v.mT.is_contiguous()
    torch.testing.assert_close(a @ v, v * w, atol=1e-12, rtol=0)
    torch.testing.assert_close(w, torch.linalg.eigvalsh(a), atol=1e-12, rtol=0)
    np.testing.assert_array_equal(w.numpy(), eigen_g.eigh(a.numpy()).eigenvalues)
    solver = eigen_g.Solver(40, like=a)
    torch.testing.assert_close(solver(a).eigenvectors, v, atol=0, rtol=0)
    with pytest.raises(RuntimeError, match="gradient"):
        eigen_g.eigh(a.requires_grad_())
    for wrong in (a.detach().half(), a.detach().to(torch.int64)):
        with pytest.raises(TypeError, match="float64"):
            eigen_g.eigh(wrong)
    w, v = eigen_g.eigh(a.detach().float())
    assert w.dtype == v.dtype == torch.float32 and eigen_g.verify(a.detach().float(), w, v).passed
    with pytest.raises(TypeError, match="dense"):
        eigen_g.eigh(a.detach().to_sparse())


@on_devices
@in_double
def test_opcheck(dtype, device):
    for shape in ((6,), (2, 3, 5), (2, 0), (0, 3)):
        a = random_symmetric(*shape, dtype=dtype, device=device)
        torch.library.opcheck(torch.ops.eigen_g.eigvalsh.default, (a, True))
        torch.library.opcheck(torch.ops.eigen_g.eigh.default, (a, True, False))
        if dtype == torch.float64:  # the sum of complex vectors depends on their phases and has no gradient
            torch.library.opcheck(torch.ops.eigen_g.eigh.default, (a.clone().requires_grad_(), False, True))
        w = eigen_g.torch.eigvalsh(a)
        torch.library.opcheck(torch.ops.eigen_g.no_gap.default, (w, None, True))
        torch.library.opcheck(torch.ops.eigen_g.no_gap.default, (w, torch.zeros_like(a, dtype=torch.complex128), False))


def hermitian(a):
    return (a + a.mH) / 2


def invariant(a, **options):
    """Functions of a Hermitian part that do not depend on signs and phases."""
    w, v = eigen_g.torch.eigh(hermitian(a), **options)
    return w, torch.abs(v) ** 3, (v * torch.sin(w).unsqueeze(-2)) @ v.mH


def theirs(a):
    w, v = torch.linalg.eigh(hermitian(a))
    return w, torch.abs(v) ** 3, (v * torch.sin(w).unsqueeze(-2)) @ v.mH


@on_devices
@in_double
@pytest.mark.parametrize("shape", [(1,), (5,), (2, 4)])
def test_derivatives(shape, dtype, device):
    a = random_symmetric(*shape, seed=3, dtype=dtype, device=device).requires_grad_()
    for f in (invariant, lambda a: eigen_g.torch.eigvalsh(hermitian(a))):
        assert torch.autograd.gradcheck(f, a, check_forward_ad=True, check_batched_grad=True)
        assert torch.autograd.gradgradcheck(f, a, check_fwd_over_rev=True, check_rev_over_rev=True)
    if dtype == torch.float64:  # complex: PyTorch's own (a + a.mH).abs() fails
        assert torch.autograd.gradcheck(invariant, a, check_forward_ad=True, check_backward_ad=False, check_batched_forward_grad=True)


@on_devices
@pytest.mark.parametrize("name", ["eigh", "eigvalsh"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.complex128], ids=str)
def test_samples_of_pytorch(name, dtype, device):
    """PyTorch's own samples of torch.linalg.eigh and eigvalsh: single matrices and stacks, some of them of size 0."""
    linalg = pytest.importorskip("torch.testing._internal.opinfo.definitions.linalg", exc_type=ImportError)
    (info,) = (x for x in linalg.op_db if x.name == f"linalg.{name}")
    samples = list(info.sample_inputs(device, dtype, requires_grad=True))
    assert {tuple(x.input.shape) for x in samples} >= {(5, 5), (0, 0), (0, 5, 5), (2, 0, 0), (2, 5, 5)}
    for x in samples:

        def f(a):
            with eigen_g.patched("torch"):
                result = info.gradcheck_wrapper(getattr(torch.linalg, name), a, **x.kwargs)
            return x.output_process_fn_grad(result)

        tolerance = dict(atol=1e-4, rtol=1e-4) if torch.finfo(dtype).bits == 32 else dict(atol=1e-9, rtol=1e-9)
        expected = x.output_process_fn_grad(info.gradcheck_wrapper(getattr(torch.linalg, name), x.input, **x.kwargs))
        torch.testing.assert_close(f(x.input), expected, **tolerance)
        if torch.finfo(dtype).bits == 64:
            assert torch.autograd.gradcheck(f, x.input, check_forward_ad=True, check_batched_grad=True)
            assert torch.autograd.gradgradcheck(f, x.input, check_fwd_over_rev=True, check_rev_over_rev=True)


@on_devices
@pytest.mark.parametrize("outer", [(), (0,), (2,), (1, 2)])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_stacks(outer, n, device):
    a = random_symmetric(*outer, n, device=device) if n else torch.zeros(*outer, 0, 0, dtype=torch.float64, device=device)
    w, v = eigen_g.torch.eigh(a)
    assert w.shape == (*outer, n) and v.shape == (*outer, n, n) and w.device == v.device == a.device
    torch.testing.assert_close(a @ v, v * w.unsqueeze(-2), atol=1e-12, rtol=0)
    torch.testing.assert_close(eigen_g.torch.eigvalsh(a), w, atol=1e-12, rtol=0)
    assert torch.autograd.gradcheck(invariant, a.requires_grad_(), check_forward_ad=True)
    with pytest.raises(ValueError, match="square"):
        eigen_g.torch.eigh(torch.zeros(2, 3, 4, dtype=torch.float64, device=device))


def test_a_stack_is_solved_in_one_call(monkeypatch):
    a = random_symmetric(6, 5)
    parts = [eigen_g.torch.eigh(x).eigenvectors for x in a]
    counts = []
    solve = eigen_g._core.solve_batch
    monkeypatch.setattr(eigen_g._core, "solve_batch", lambda plan, n, count, *arrays: counts.append(count) or solve(plan, n, count, *arrays))
    for v in (
        eigen_g.torch.eigh(a).eigenvectors,
        eigen_g.torch.eigh(a.view(2, 3, 5, 5)).eigenvectors.flatten(0, 1),
        torch.vmap(lambda x: eigen_g.torch.eigh(x).eigenvectors)(a),
        torch.vmap(lambda x: eigen_g.torch.eigh(x).eigenvectors, in_dims=-1, out_dims=0)(a.movedim(0, -1)),
        torch.vmap(torch.vmap(lambda x: eigen_g.torch.eigh(x).eigenvectors))(a.view(3, 2, 5, 5)).flatten(0, 1),
    ):
        torch.testing.assert_close(v, torch.stack(parts), atol=0, rtol=0)
    with eigen_g.patched("torch"):
        torch.testing.assert_close(torch.linalg.eigh(a).eigenvectors, torch.stack(parts), atol=0, rtol=0)
    assert counts == [6] * 6
    torch.vmap(torch.func.grad(lambda x: eigen_g.torch.eigh(x).eigenvectors.abs().pow(3).sum()))(a)
    assert counts[6:] == [6]


def test_status_and_layouts_of_stacks():
    a = random_symmetric(4, 5)
    for given in (a, a.mT, a[::2], a.as_strided((3, 5, 5), (0, 5, 1)), a.movedim(0, -1).contiguous().movedim(-1, 0)):
        w, v = eigen_g.eigh(given)
        torch.testing.assert_close(given @ v, v * w.unsqueeze(-2), atol=1e-12, rtol=0)
        assert v.mT.is_contiguous()
    a[2, 3, 1] = torch.inf
    result = eigen_g.eigh(a, errors="status")
    assert result.status.tolist() == [0, 0, -1, 0] and result.eigenvectors[2].isnan().all()
    many = eigen_g.eigh_many([a[0], a[1, :3, :3].mT, a[3]])
    assert all(isinstance(x.eigenvectors, torch.Tensor) for x in many) and many[1].eigenvalues.shape == (3,)
    torch.testing.assert_close(many[2].eigenvectors, result.eigenvectors[3], atol=0, rtol=0)


def test_error_in_a_stack():
    a = random_symmetric(2, 3, 4)
    a[1, 2, 3, 0] = torch.nan
    for f in (eigen_g.torch.eigh, eigen_g.torch.eigvalsh):
        with pytest.raises(eigen_g.NonFiniteEntry, match=r"\[1, 2, 3, 0\]"):
            f(a)


@on_devices
@in_double
def test_torch_func(dtype, device):
    func = torch.func
    a = random_symmetric(3, seed=5, dtype=dtype, device=device)
    t = random_symmetric(3, seed=6, dtype=dtype, device=device)
    stack = random_symmetric(4, 3, dtype=dtype, device=device)

    def scalar(f):
        return lambda a: sum((x.abs() ** 2 * torch.arange(x.numel(), device=device).view(x.shape)).sum() for x in f(a))

    mine, other = scalar(invariant), scalar(theirs)
    def along(g):
        return (g * t.conj()).real.sum()

    for transform in (
        lambda f: func.jvp(f, (a,), (t,)),
        lambda f: func.vjp(f, a)[1](torch.ones((), dtype=torch.float64, device=device)),
        lambda f: torch.vmap(func.grad(f))(stack),
        lambda f: torch.vmap(lambda t: func.jvp(f, (a,), (t,))[1])(stack),
        lambda f: torch.vmap(lambda a: func.jvp(func.grad(f), (a,), (a,))[1])(stack),
        lambda f: func.jvp(lambda a: func.jvp(func.grad(f), (a,), (t,))[1], (a,), (t,))[1],  # third derivatives
    ):
        torch.testing.assert_close(transform(mine), transform(other), atol=1e-8, rtol=1e-8)
    expected = along(func.jvp(func.grad(other), (a,), (t,))[1])
    forward = func.jvp(mine, (a,), (t,))[1]
    torch.testing.assert_close(forward, along(func.grad(other)(a)), atol=1e-9, rtol=1e-9)
    for second in (
        along(func.grad(lambda a: along(func.grad(mine)(a)))(a)),
        along(func.grad(lambda a: func.jvp(mine, (a,), (t,))[1])(a)),  # PyTorch's own is NaN
        along(func.jvp(func.grad(mine), (a,), (t,))[1]),
        func.jvp(lambda a: func.jvp(mine, (a,), (t,))[1], (a,), (t,))[1],
    ):
        torch.testing.assert_close(second, expected, atol=1e-9, rtol=1e-9)
    if dtype == torch.float64:
        for transform in (func.jacfwd, func.jacrev, func.hessian, lambda f: func.jacfwd(func.jacfwd(f))):
            for x, y in zip(transform(invariant)(a), transform(theirs)(a)):
                torch.testing.assert_close(x, y, atol=1e-9, rtol=1e-9)
            torch.testing.assert_close(torch.vmap(transform(mine))(stack), torch.vmap(transform(other))(stack), atol=1e-9, rtol=1e-9)


@on_devices
def test_forward_mode(device):
    a = torch.tensor([[2.0, 1.0], [1.0, 3.0]], dtype=torch.float64, device=device)
    x, y, z = 0.5 + 0.1 * 5**0.5, 0.5 - 0.1 * 5**0.5, 0.2 * 5**0.5
    expected = torch.tensor([[[x, -z], [-z, y]], [[y, z], [z, x]]], dtype=torch.float64, device=device)
    jacobian = torch.autograd.functional.jacobian
    for vectorize, strategy in ((True, "forward-mode"), (True, "reverse-mode"), (False, "reverse-mode")):
        result = jacobian(eigen_g.torch.eigvalsh, a, vectorize=vectorize, strategy=strategy)
        torch.testing.assert_close(result, expected)
        with eigen_g.patched("torch"):
            result = jacobian(torch.linalg.eigvalsh, a, vectorize=vectorize, strategy=strategy)
            torch.testing.assert_close(result, expected)
    forward = torch.autograd.forward_ad
    with forward.dual_level():
        dual = forward.make_dual(a, torch.eye(2, dtype=torch.float64, device=device))
        tangent = forward.unpack_dual(eigen_g.torch.eigh(dual).eigenvalues).tangent
        torch.testing.assert_close(tangent, torch.ones(2, dtype=torch.float64, device=device))
        for without in (eigen_g.eigh, eigen_g.eigvalsh, eigen_g.Solver(2, like=a)):
            with pytest.raises(RuntimeError, match="tangent"):
                without(dual)
        for operator, options in ((torch.ops.eigen_g.eigh, (True, False)), (torch.ops.eigen_g.eigvalsh, (True,))):
            with pytest.raises(NotImplementedError, match="forward-mode"):
                operator(dual, *options)


def test_lazy_conjugates():
    a = random_symmetric(4, dtype=torch.complex128)
    w = eigen_g.torch.eigh(a).eigenvalues
    assert w.dtype == torch.float64
    for x in (a.conj(), a.mT, a.mH.conj()):  # torch conjugates these lazily
        torch.testing.assert_close(eigen_g.torch.eigvalsh(x), w, atol=1e-12, rtol=0)
        w1, v1 = eigen_g.torch.eigh(x)
        torch.testing.assert_close(x @ v1, v1 * w1, atol=1e-12, rtol=0)


@on_devices
def test_functions_of_phases_have_no_gradient(device):
    a = random_symmetric(4, dtype=torch.complex128, device=device).requires_grad_()
    with eigen_g.patched("torch"):
        for f in (eigen_g.torch.eigh, torch.linalg.eigh):
            with pytest.raises(RuntimeError, match="ill-defined"):
                f(a).eigenvectors.imag.sum().backward()


def test_generalised():
    a, x = random_symmetric(20), random_symmetric(20, seed=1)
    b = x @ x + torch.eye(20, dtype=torch.float64)
    w, v = eigen_g.eigh(a, b)
    torch.testing.assert_close(a @ v, b @ v * w, atol=1e-10, rtol=0)
    with pytest.raises(ValueError, match="alike"):
        eigen_g.eigh(a, b.numpy())


def test_gradients_are_torchs():
    a = random_symmetric(30).requires_grad_()
    for mine, theirs in zip(eigen_g.torch.eigh(a), torch.linalg.eigh(a)):
        f = torch.cos(torch.arange(30, dtype=torch.float64))
        (g,) = torch.autograd.grad((mine**2 * f).sum(), a, retain_graph=True)
        (h,) = torch.autograd.grad((theirs**2 * f).sum(), a, retain_graph=True)
        torch.testing.assert_close(g, (h + h.mT) / 2, atol=1e-9, rtol=1e-9)


def test_equal_eigenvalues():
    a = torch.diag(torch.tensor([1.0, 1.0, 2.0], dtype=torch.float64)).requires_grad_()
    w, v = eigen_g.torch.eigh(a)
    w.sum().backward(retain_graph=True)  # depends on the values only
    torch.testing.assert_close(a.grad, torch.eye(3, dtype=torch.float64))
    with pytest.raises(ValueError, match="equal"):
        (v[0, 2] * v[1, 2]).backward()
    # An entry of the projector depends only on the space of the equal eigenvalues.
    _, v = eigen_g.torch.eigh(a, degenerate="mask")
    projector = v[:, :2] @ v[:, :2].mT
    (g,) = torch.autograd.grad(projector[0, 2], a)
    expected = torch.zeros(3, 3, dtype=torch.float64)
    expected[0, 2] = expected[2, 0] = -0.5
    torch.testing.assert_close(g, expected)
    with pytest.raises(ValueError, match="degenerate"):
        eigen_g.torch.eigh(a, degenerate="shrug")
    # Forward mode: the values have tangents, and so has the vector of the third value.
    a, t = a.detach(), random_symmetric(3)
    (w, v), (dw, dv) = torch.func.jvp(eigen_g.torch.eigh, (a,), (t,))
    torch.testing.assert_close(dw, (v.mT @ t @ v).diagonal())
    torch.testing.assert_close(torch.func.jvp(eigen_g.torch.eigvalsh, (a,), (t,))[1], dw)
    assert torch.equal(dv.isnan(), torch.tensor([[True, True, False]] * 3))

    def projector_of(a):
        v = eigen_g.torch.eigh(a, degenerate="mask").eigenvectors[:, :2]
        return v @ v.mT

    torch.testing.assert_close(torch.func.jacfwd(projector_of)(a)[0, 2], expected)
    torch.testing.assert_close(torch.func.jacrev(projector_of)(a)[0, 2], expected)
    with pytest.raises(ValueError, match="equal"):
        torch.vmap(torch.func.grad(lambda a: eigen_g.torch.eigh(a).eigenvectors[0, 2]))(a.expand(2, 3, 3))


@on_devices
@in_double
def test_vmap(dtype, device):
    a = random_symmetric(3, 4, 7, dtype=dtype, device=device)
    pairs, values = eigen_g.torch.eigh(a), eigen_g.torch.eigvalsh(a)
    with eigen_g.patched("torch"):
        for eigh, eigvalsh in ((eigen_g.torch.eigh, eigen_g.torch.eigvalsh), (torch.linalg.eigh, torch.linalg.eigvalsh)):
            for got in (torch.vmap(eigh)(a), torch.vmap(torch.vmap(eigh))(a), torch.vmap(torch.vmap(eigh), in_dims=1, out_dims=1)(a)):
                assert torch.equal(got[0], pairs[0]) and torch.equal(got[1], pairs[1])
            got = torch.vmap(eigh, in_dims=2)(a[0].movedim(0, 2))
            assert torch.equal(got[0], pairs[0][0]) and torch.equal(got[1], pairs[1][0])
            for got in (torch.vmap(eigvalsh)(a), torch.vmap(torch.vmap(eigvalsh))(a), torch.vmap(eigvalsh, in_dims=-1)(a.movedim(0, -1))):
                torch.testing.assert_close(got, values, atol=1e-12, rtol=0)


@on_devices
@pytest.mark.parametrize("patched", [False, True])
def test_compile(patched, device):
    def whitened(a):
        w, v = torch.linalg.eigh(a) if patched else eigen_g.torch.eigh(a, degenerate="mask")
        return (v * torch.rsqrt(1 + w * w).unsqueeze(-2)) @ v.mT

    def values(a):
        return torch.linalg.eigvalsh(a) if patched else eigen_g.torch.eigvalsh(a)

    def compiled(f):
        return torch.compile(f, fullgraph=True, backend="aot_eager")

    func = torch.func
    torch.compiler.reset()
    a = random_symmetric(5, device=device)
    with eigen_g.patched("torch") if patched else contextlib.nullcontext():
        for f in (whitened, values):
            torch.testing.assert_close(compiled(f)(a), f(a))
            b, c = a.clone().requires_grad_(), a.clone().requires_grad_()
            compiled(f)(b).sum().backward()
            f(c).sum().backward()
            torch.testing.assert_close(b.grad, c.grad)
            for transform in (func.jacfwd, func.jacrev, func.hessian, lambda f: lambda a: func.jvp(f, (a,), (a,))[1]):
                torch.testing.assert_close(compiled(transform(f))(a), transform(f)(a))
            torch.testing.assert_close(compiled(torch.vmap(f))(a.expand(2, 5, 5)), f(a.expand(2, 5, 5)))


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_traced(mode):
    def values(a):
        return eigen_g.torch.eigvalsh(a)

    def tangent(a):
        return torch.func.jvp(values, (a,), (a,))[1]

    def pairs(a):
        return tuple(eigen_g.torch.eigh(a))

    def their_tangent(a):
        return torch.func.jvp(torch.linalg.eigvalsh, (a,), (a,))[1]

    a, b = random_symmetric(4), random_symmetric(4, seed=1)
    functions = [values, tangent, pairs]
    try:
        torch.fx.experimental.proxy_tensor.make_fx(their_tangent, tracing_mode=mode)(a)
    except RuntimeError as error:  # some versions of PyTorch trace no forward-mode derivative of any function with symbolic sizes
        assert mode == "symbolic" and "storage_offset" in str(error)
        functions.remove(tangent)
    for f in functions:
        traced = torch.fx.experimental.proxy_tensor.make_fx(f, tracing_mode=mode)(a)
        torch.testing.assert_close(traced(b), f(b))


@on_devices
def test_patched(device):
    a = random_symmetric(20, device=device)
    theirs = torch.linalg.eigh
    with eigen_g.patched("torch"):
        w, v = torch.linalg.eigh(a)
        assert torch.linalg.eigh is not theirs and torch.linalg.eigh(a).eigenvalues.equal(w)
        assert w.equal(eigen_g.eigh(a).eigenvalues)
        upper = torch.linalg.eigvalsh(a.triu(), UPLO="U")
        torch.testing.assert_close(upper, w, atol=1e-12, rtol=0)
        assert torch.linalg.eigh(a.float()).eigenvalues.dtype == torch.float32
        b = a.clone().requires_grad_()
        torch.linalg.eigvalsh(b).sum().backward()
        torch.testing.assert_close(b.grad, torch.eye(20, dtype=torch.float64, device=device), atol=1e-12, rtol=0)
        with pytest.raises(torch.linalg.LinAlgError):
            torch.linalg.eigh(a * torch.nan)
        ours = torch.linalg.eigh
    assert torch.linalg.eigh is theirs
    with eigen_g.patched("torch"):
        assert torch.linalg.eigh is ours  # torch.compile remembers functions by their addresses


@on_devices
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.complex128], ids=str)
def test_patched_stacks(dtype, device):
    a = random_symmetric(2, 3, 9, dtype=dtype, device=device)
    with eigen_g.patched("torch"):
        w, v = torch.linalg.eigh(a)
        values = torch.linalg.eigvalsh(a)
        for k in np.ndindex(2, 3):
            matrix = a[k] if device == "cpu" else a[k].unsqueeze(0)  # a GPU has other bits for a single small matrix
            one = torch.linalg.eigh(matrix)
            assert w[k].equal(one.eigenvalues.view(9)) and v[k].equal(one.eigenvectors.view_as(v[k]))
            assert values[k].equal(torch.linalg.eigvalsh(matrix).view(9))
        assert w.equal(eigen_g.torch.eigh(a).eigenvalues)
        for empty in (a[:0], a[..., :0, :0]):
            w, v = torch.linalg.eigh(empty)
            assert w.shape == empty.shape[:-1] and v.shape == empty.shape and w.dtype == values.dtype
