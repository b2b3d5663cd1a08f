"""eigen_g.torch.eigh and tensors on the CPU."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import eigen_g  # noqa: E402
import eigen_g.torch  # noqa: E402


def random_symmetric(*shape, seed=0):
    torch.manual_seed(seed)
    a = torch.randn(*shape, shape[-1], dtype=torch.float64)
    return a + a.mT


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


def test_opcheck():
    for a in (random_symmetric(6), random_symmetric(6).requires_grad_(), random_symmetric(2, 3, 5)):
        torch.library.opcheck(torch.ops.eigen_g.eigh.default, (a, True, False))
    w = torch.linspace(0, 1, 5, dtype=torch.float64)
    torch.library.opcheck(torch.ops.eigen_g.inverse_gaps.default, (w.requires_grad_(), False))


def loss(a, mask="error"):
    w, v = eigen_g.torch.eigh((a + a.mT) / 2, degenerate=mask)
    return w.sum(-1), torch.abs(v) ** 3, (v * torch.sin(w).unsqueeze(-2)) @ v.mT


@pytest.mark.parametrize("shape", [(1,), (5,), (2, 4)])
def test_gradients(shape):
    a = random_symmetric(*shape, seed=3).requires_grad_()
    assert torch.autograd.gradcheck(loss, a)
    assert torch.autograd.gradgradcheck(loss, a)
    values = random_symmetric(*shape).requires_grad_()
    assert torch.autograd.gradcheck(lambda a: eigen_g.torch.eigvalsh((a + a.mT) / 2), values)


@pytest.mark.parametrize("shape", [(4,), (2, 3)])
def test_complex(shape):
    torch.manual_seed(1)
    a = torch.randn(*shape, shape[-1], dtype=torch.complex128)
    a = a + a.mH
    w, v = eigen_g.torch.eigh(a)
    assert w.dtype == torch.float64
    torch.testing.assert_close(a @ v, v * w.unsqueeze(-2), atol=1e-12, rtol=0)
    for x in (a.conj(), a.mT, a.mH.conj()):  # torch conjugates these lazily
        torch.testing.assert_close(eigen_g.torch.eigvalsh(x), w, atol=1e-12, rtol=0)
        w1, v1 = eigen_g.torch.eigh(x)
        torch.testing.assert_close(x @ v1, v1 * w1.unsqueeze(-2), atol=1e-12, rtol=0)

    def loss(a):
        w, v = eigen_g.torch.eigh((a + a.mH) / 2)
        return w, torch.abs(v) ** 3, (v * torch.sin(w).unsqueeze(-2)) @ v.mH

    x = a.requires_grad_()
    torch.library.opcheck(torch.ops.eigen_g.eigh.default, (x.detach(), True, False))
    assert torch.autograd.gradcheck(loss, x)
    assert torch.autograd.gradgradcheck(loss, x)


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


def test_vmap():
    a = random_symmetric(3, 4, 7)
    w, v = torch.vmap(torch.vmap(lambda x: tuple(eigen_g.torch.eigh(x))))(a)
    torch.testing.assert_close(v * w.unsqueeze(-2), a @ v, atol=1e-12, rtol=0)
    w, v = torch.vmap(lambda x: tuple(eigen_g.torch.eigh(x)), in_dims=2)(a[0].movedim(0, 2))
    torch.testing.assert_close(v * w.unsqueeze(-2), a[0] @ v, atol=1e-12, rtol=0)


def test_compile():
    def whitened(a):
        w, v = eigen_g.torch.eigh(a, degenerate="mask")
        return (v * torch.rsqrt(1 + w * w).unsqueeze(-2)) @ v.mT

    a = random_symmetric(12)
    compiled = torch.compile(whitened, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(a), whitened(a))
    b, c = a.clone().requires_grad_(), a.clone().requires_grad_()
    compiled(b).sum().backward()
    whitened(c).sum().backward()
    torch.testing.assert_close(b.grad, c.grad)


def test_patched():
    a = random_symmetric(20)
    theirs = torch.linalg.eigh
    with eigen_g.patched("torch"):
        w, v = torch.linalg.eigh(a)
        assert torch.linalg.eigh is not theirs and torch.linalg.eigh(a).eigenvalues.equal(w)
        assert w.equal(eigen_g.eigh(a).eigenvalues)
        upper = torch.linalg.eigvalsh(a.triu(), UPLO="U")
        torch.testing.assert_close(upper, w, atol=1e-12, rtol=0)
        assert torch.linalg.eigh(a.float()).eigenvalues.dtype == torch.float32
        assert torch.linalg.eigh(a.expand(2, 20, 20)).eigenvalues.shape == (2, 20)
        b = a.clone().requires_grad_()
        torch.linalg.eigvalsh(b).sum().backward()
        torch.testing.assert_close(b.grad, torch.eye(20, dtype=torch.float64), atol=1e-12, rtol=0)
        with pytest.raises(torch.linalg.LinAlgError):
            torch.linalg.eigh(a * torch.nan)
    assert torch.linalg.eigh is theirs
