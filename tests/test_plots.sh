#!/usr/bin/env bash
# Tests the plot scripts without drawing. plot_solver.py reads the reports of data/perf in every version, and a bar of the reduction
# shows the measured total and no time for panels that did not exist. plot_papers.py draws no bars on a logarithmic axis.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
command -v python3 >/dev/null || exit 4
PYTHONDONTWRITEBYTECODE=1 python3 - "$root" <<'END'
import sys

root = sys.argv[1]
sys.path.insert(0, root + "/scripts")
import plot_papers
import plot_solver


class Axes:
    """Takes the place of matplotlib: keeps the heights of the bars by label, and the texts."""
    def __init__(self):
        self.bars, self.texts, self.scale, self.low = {}, [], "linear", None
        self.yaxis = type("Axis", (), {"__getattr__": lambda *_: lambda *_, **__: None})()
    def bar(self, sizes, shares, label, **_):
        self.bars[label] = dict(zip(sizes, shares))
    def text(self, _position, height, text, **_):
        self.texts.append((height, text))
    def set_yscale(self, scale):
        self.scale = scale
    def set_ylim(self, low, _high):
        self.low = low
    def __getattr__(self, _name):
        return lambda *_, **__: None


axes = Axes()
plot_solver.finish = plot_solver.legend = lambda *_, **__: None
plt = type("Plt", (), {"subplots": staticmethod(lambda **_: (Axes(), axes))})

for name in ("solve_nvidia_h200", "solve_nvidia_h100", "tridiagonalize_large_nvidia_h200"):
    assert plot_solver.read(f"{root}/data/perf/bench_{name}.json")["cases"], name

plot_solver.draw_tridiagonalize(plt, plot_solver.read(f"{root}/data/perf/bench_tridiagonalize_nvidia_h100.json"), None)
assert [text for _, text in axes.texts] == ["0.8 ms", "2.3 ms", "8.2 ms", "44.2 ms", "514.9 ms"], axes.texts
assert all(height >= 101 for height, _ in axes.texts), axes.texts
for n in ("512", "1000", "2000"):  # without panels, from a version that did not write the time on the chip
    shares = {label: bars[n] for label, bars in axes.bars.items() if bars[n]}
    assert shares == {"not measured": 100.0}, (n, shares)
parts = {"total": 8.0, "on_chip": 7.75, "product": None, "update": None, "synchronisation": None, "panel": None, "sizes_measured": 0}
shares = {part: seconds for part, seconds in plot_solver.reduction_parts(parts).items() if seconds}
assert shares == {"on chip": 7.75, "not measured": 0.25}, shares
parts.update(total=1.0, on_chip=0.1, product=0.3, update=0.2, synchronisation=0.1, panel=1.0 - 0.1 - 0.3 - 0.2 - 0.1, sizes_measured=13)
assert plot_solver.reduction_parts(parts)["not measured"] == 0.0

plot_papers.finish = lambda *_, **__: None
for heights, scale in (({"a": 1.0, "b": 19.0}, "linear"), ({"a": 1.0, "b": 21.0}, "log")):
    axes = Axes()
    axes.bar = lambda at, heights, width, label, **_: axes.bars.update({label: heights})
    plot_papers.draw_groups(plt, None, None, "", {"S": heights, "M": {"a": 2.0}}, "")
    assert axes.scale == scale and (axes.bars, axes.low) == (({"a": [1.0, 2.0], "b": [19.0]}, 0) if scale == "linear" else ({}, None)), scale
END
