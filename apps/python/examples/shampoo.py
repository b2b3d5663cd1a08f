"""A Shampoo-like optimiser in PyTorch: each weight's gradient G is preconditioned on both sides by inverse fourth roots of
sums of G G^T and G^T G, taken from eigen_g.eigh in float64. Fits a small two-layer network to a target; prints its loss and the
loss of plain gradient descent.

    python apps/python/examples/shampoo.py [steps]
"""

import argparse

import torch

import eigen_g


class Shampoo(torch.optim.Optimizer):
    def __init__(self, parameters, lr=0.1, epsilon=1e-6):
        super().__init__(parameters, {"lr": lr, "epsilon": epsilon})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                g = p.grad.double()
                state = self.state[p]
                if not state:
                    for side, n in (("left", p.shape[0]), ("right", p.shape[1])):
                        state[side] = group["epsilon"] * torch.eye(n, dtype=torch.float64, device=p.device)
                state["left"] += g @ g.mT
                state["right"] += g.mT @ g
                step = inverse_fourth_root(state["left"]) @ g @ inverse_fourth_root(state["right"])
                p -= group["lr"] * step.to(p.dtype)


def inverse_fourth_root(a):
    w, v = eigen_g.eigh(a)
    return (v * w.clamp_min(w[-1] * 1e-14) ** -0.25) @ v.mT


def fit(make_optimiser, steps):
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(512, 32, device=device) * torch.logspace(0, -3, 32, device=device)  # badly scaled inputs
    target = torch.tanh(x @ torch.randn(32, 8, device=device) * 10)
    weights = [torch.nn.Parameter(torch.randn(*shape, device=device) / 8) for shape in ((32, 64), (64, 8))]
    optimiser = make_optimiser(weights)
    for _ in range(steps):
        optimiser.zero_grad()
        loss = torch.nn.functional.mse_loss(torch.tanh(x @ weights[0]) @ weights[1], target)
        loss.backward()
        optimiser.step()
    return loss.item()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("steps", nargs="?", type=int, default=200, help="steps of each optimiser (default: 200)")
    steps = parser.parse_args().steps
    print(f"gradient descent: {fit(lambda w: torch.optim.SGD(w, lr=0.1), steps):.4f}")
    print(f"Shampoo:          {fit(Shampoo, steps):.4f}")


main()
