#!/usr/bin/env python3
"""Draws the pictures of the guide as SVG files: draw.py [FOLDER]. Needs NumPy and eigen_g.

Lines and letters have the colour of the page (currentColor). Areas have middle tones that are visible on a light and on a dark page.
"""
import contextlib
import pathlib
import runpy
import sys

import numpy as np

import eigen_g

BLUE, ORANGE, GREEN, RED = "#3b82c4", "#d9822b", "#2f9e6e", "#cc5a5a"


class Picture:
    def __init__(self, width, height, title):
        self.size, self.title, self.parts = (width, height), title, []

    def add(self, tag, text="", **attributes):
        named = "".join(f' {name.rstrip("_").replace("_", "-")}="{round(x, 1) if isinstance(x, float) else x}"' for name, x in attributes.items())
        self.parts.append(f"<{tag}{named}>{text}</{tag}>" if text else f"<{tag}{named}/>")

    def text(self, x, y, text, size=14, anchor="middle", **more):
        escaped = text.replace("&", "&amp;").replace("<", "&lt;")
        self.add("text", escaped, x=x, y=y, font_size=size, text_anchor=anchor, fill="currentColor", **more)

    def box(self, x, y, width, height, fill="none", opacity=1, **more):
        self.add("rect", x=x, y=y, width=width, height=height, fill=fill, fill_opacity=opacity, **{"stroke": "currentColor", **more})

    def line(self, x1, y1, x2, y2, **more):
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, **{"stroke": "currentColor", **more})

    def arrow(self, x1, y1, x2, y2, **more):
        self.line(x1, y1, x2, y2, marker_end="url(#tip)", stroke_width=1.5, **more)

    def area(self, points, fill, opacity=0.8, **more):
        self.add("polygon", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points), fill=fill, fill_opacity=opacity, **more)

    def curve(self, xs, ys, colour="currentColor", width=2, **more):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys))
        self.add("polyline", points=points, fill="none", stroke=colour, stroke_width=width, **more)

    def save(self, file):
        width, height = self.size
        body = "\n".join(self.parts)
        file.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img" aria-label="{self.title}" '
            'font-family="system-ui, sans-serif">\n'
            "<style>svg { color: #1f2328 } @media (prefers-color-scheme: dark) { svg { color: #e6edf3 } }</style>\n"
            f"<title>{self.title}</title>\n"
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0,0 L8,4 L0,8 z" fill="currentColor"/></marker></defs>\n'
            f"{body}\n</svg>\n"
        )


def diagonals(p, x, y, side, width, fill=BLUE):
    """The part of a square matrix that is within `width` of its diagonal."""
    p.box(x, y, side, side)
    w = width
    p.area([(x, y), (x + w, y), (x + side, y + side - w), (x + side, y + side), (x + side - w, y + side), (x, y + w)], fill)


def full(p, x, y, side, fill=BLUE):
    p.box(x, y, side, side)
    p.area([(x, y), (x, y + side), (x + side, y + side)], fill)
    p.area([(x, y), (x + side, y), (x + side, y + side)], fill, 0.25)


def overview():
    p = Picture(860, 205, "A is reduced to a tridiagonal matrix T, T is solved, and its vectors are transformed back")
    y, side = 50, 120
    full(p, 20, y, side)
    diagonals(p, 270, y, side, 9)
    p.box(520, y, side, side, ORANGE, 0.55)
    p.box(720, y, side, side, GREEN, 0.55)
    for x, name in ((80, "A"), (330, "T = Qᵀ A Q"), (580, "T = U W Uᵀ"), (780, "Z = Q U")):
        p.text(x, 36, name, 17)
    for x1, x2 in ((146, 264), (396, 514), (646, 714)):
        p.arrow(x1, y + 60, x2, y + 60)
    for x, lines in ((205, ("reduction", "4/3 n³ flops")), (455, ("divide and", "conquer", "up to 4/3 n³")), (680, ("back", "2 n³"))):
        for i, line in enumerate(lines):
            p.text(x, y + 50 - 16 * (len(lines) - 1) + 16 * i if len(lines) < 3 else y + 18 + 16 * i, line, 13)
    for x, line in ((80, "one triangle is read"), (330, "two diagonals"), (580, "vectors of T"), (780, "vectors of A")):
        p.text(x, y + side + 22, line, 13, opacity=0.8)
    return p


def one_stage():
    p = Picture(820, 270, "One stage: each column takes one pass over the matrix that is left")
    for x, k, name in ((20, 0, "before"), (300, 70, "after some columns"), (580, 200, "at the end")):
        y, side = 40, 200
        p.text(x + side / 2, 26, name, 15)
        p.box(x, y, side, side)
        w = 9
        if k:
            p.area([(x, y), (x + w, y), (x + k, y + k - w), (x + k, y + k), (x + k - w, y + k), (x, y + w)], BLUE)
        if k < side:
            p.area([(x + k, y + k), (x + k, y + side), (x + side, y + side)], BLUE, 0.45)
            p.box(x + k, y + k + w, w, side - k - w, ORANGE, 1, stroke="none")
    p.arrow(226, 140, 292, 140)
    p.arrow(506, 140, 572, 140)
    p.text(420, 262, "orange: the column that becomes zero below its second entry. blue triangle: read once for this column", 13, opacity=0.9)
    return p


def two_stage():
    p = Picture(820, 300, "Two stages: large products make a band, a chase makes it tridiagonal")
    y, side = 40, 200
    full(p, 20, y, side)
    diagonals(p, 310, y, side, 36)
    for x, name in ((120, "A"), (410, "band B"), (700, "T")):
        p.text(x, 26, name, 16)
    diagonals(p, 600, y, side, 9)
    p.arrow(226, 140, 302, 140)
    p.arrow(516, 140, 592, 140)
    p.text(264, 122, "products", 13)
    p.text(554, 122, "chase", 13)
    for k, opacity in ((40, 1), (84, 0.8), (128, 0.6)):  # the bulge on its way
        p.box(310 + k, y + k + 36, 18, 18, ORANGE, opacity, stroke="none")
    p.curve([310 + 49, 310 + 137], [y + 85, y + 173], ORANGE, 1.5, stroke_dasharray="4 3")
    p.text(120, 264, "4/3 n³ flops in products", 13, opacity=0.9)
    p.text(410, 264, "orange: a bulge on its way down", 13, opacity=0.9)
    p.text(410, 282, "64 diagonals (complex: 32)", 13, opacity=0.9)
    p.text(700, 264, "two diagonals", 13, opacity=0.9)
    return p


def divide_and_conquer():
    p = Picture(860, 330, "Divide and conquer: T is cut into leaves, and merged level by level by roots of the secular equation")
    levels = ((40, 1, "T, n rows"), (110, 2, "halves"), (180, 4, "quarters"), (250, 8, "leaves: 1 to 8 rows"))
    left, width = 20, 290
    for y, count, name in levels:
        part = width / count
        for i in range(count):
            x = left + i * part
            p.box(x + 3, y, part - 6, 30, GREEN if count == 8 else BLUE, 0.5)
            if count < 8:
                for side in (0.25, 0.75):
                    p.line(x + part * side, y + 70, x + part * side, y + 32, marker_end="url(#tip)")
        p.text(left + width + 8, y + 20, name, 13, "start")
    p.text(left, 312, "arrows: two neighbours become one problem (merge)", 13, "start", opacity=0.9)
    d, z = np.array([1.0, 2.2, 3.0, 4.4]), np.array([0.5, 0.4, 0.6, 0.45])
    x0, y0, sx, sy = 490, 165, 70, 11
    p.line(x0, y0, x0 + 5 * sx, y0, stroke_opacity=0.7)
    f = lambda x: 1 + np.sum(z**2 / (d - x[:, None]), axis=1)
    edges = np.concatenate([[0.0], d, [5.0]])
    for a, b in zip(edges, edges[1:]):
        x = np.linspace(a + 0.008, b - 0.008, 300)
        y = f(x)
        inside = abs(y) < 10
        p.curve(x0 + x[inside] * sx, y0 - y[inside] * sy, BLUE)
        low, high = a + 1e-9, b - 1e-9
        if a >= d[0]:
            for _ in range(60):  # f falls from the pole on the left to minus infinity at the right, or to the left; bisection
                middle = (low + high) / 2
                low, high = (low, middle) if f(np.array([middle]))[0] > 0 else (middle, high)
            p.add("circle", cx=x0 + low * sx, cy=y0, r=5, fill=ORANGE)
    for value in d:
        p.line(x0 + value * sx, y0 - 115, x0 + value * sx, y0 + 115, stroke_dasharray="4 4", stroke_opacity=0.5)
    p.text(x0 + 2.5 * sx, 40, "secular equation of one merge", 15)
    p.text(x0 + 2.5 * sx, 302, "dashed: eigenvalues of the two parts", 13, opacity=0.9)
    p.text(x0 + 2.5 * sx, 320, "orange: eigenvalues of the merged problem", 13, opacity=0.9)
    return p


def memory():
    p = Picture(860, 330, "Memory of a solve, in matrices of order n")
    rows = (
        ("GPU, all vectors", ((1, "A", BLUE), (1, "Z", GREEN), (1.2, "workspace", ORANGE)), "3.2"),
        ("GPU, values only, one stage", ((1, "A", BLUE),), "1"),
        ("GPU, values only, two stages", ((1, "A", BLUE), (0.07, "", ORANGE)), "1.07"),
        ("CPU, all vectors", ((1, "A", BLUE), (1, "Z", GREEN), (2.02, "copy and workspace", ORANGE)), "4.0"),
        ("CPU, values only", ((1, "A", BLUE), (1.51, "copy and workspace", ORANGE)), "2.5"),
    )
    for i, (name, parts, total) in enumerate(rows):
        y, x = 20 + 54 * i, 230
        p.text(220, y + 24, name, 14, "end")
        for size, label, colour in parts:
            p.box(x, y, 140 * size, 36, colour, 0.55)
            if label:
                p.text(x + 70 * size, y + 23, label, 13)
            x += 140 * size
        p.text(x + 10, y + 24, total, 14, "start")
    for k in range(5):
        p.line(230 + 140 * k, 286, 230 + 140 * k, 293)
        p.text(230 + 140 * k, 308, str(k), 13)
    p.line(230, 286, 230 + 140 * 4.3, 286)
    p.text(230 + 280, 326, "matrices of n × n values, large n", 13, opacity=0.9)
    return p


def bits():
    p = Picture(860, 300, "Changes that keep the bits of a result, and changes that do not")
    for x, colour, head, lines in (
        (20, GREEN, "the same bits", ("another run on the same device", "another number of CPU threads", "other solves at the same time",
                                      "a Solver instead of a single call", "values of a subset", "a matrix's place in a batch")),
        (450, ORANGE, "other rounding errors", ("the CPU instead of a GPU, another GPU", "another path or engine", "other shares of several devices",
                                               "mixed precision", "a small matrix in a batch on a GPU", "a file of tuning values")),
    ):
        p.box(x, 20, 390, 260, colour, 0.16, stroke=colour, rx=8)
        p.text(x + 195, 50, head, 17)
        for i, line in enumerate(lines):
            p.text(x + 24, 86 + 32 * i, line, 15, "start")
    return p


def poisson():
    """The five-point Laplacian on a 6 x 6 grid: matrix, spectrum, four vectors."""
    side = 6
    chain = 2 * np.eye(side) - np.eye(side, k=1) - np.eye(side, k=-1)
    a = np.kron(chain, np.eye(side)) + np.kron(np.eye(side), chain)
    w, v = eigen_g.eigh(a)
    p = Picture(860, 290, "The matrix poisson_6x6, its 36 eigenvalues, and the vectors of the lowest ones")
    cell = 6
    p.text(20 + 18 * cell, 26, "A", 16)
    p.box(20, 40, 36 * cell, 36 * cell)
    for i, j in np.argwhere(a):
        p.box(20 + int(j) * cell, 40 + int(i) * cell, cell, cell, BLUE if i == j else ORANGE, 0.85, stroke="none")
    x0, width = 290, 230
    p.text(x0 + width / 2, 26, "eigenvalues", 16)
    for k, value in enumerate(w):
        p.add("circle", cx=x0 + width * k / 35, cy=256 - 216 * value / 8, r=3.2, fill=BLUE)
    for value in (0, 4, 8):
        y = 256 - 27 * value
        p.line(x0 - 8, y, x0 + width + 8, y, stroke_opacity=0.25)
        p.text(x0 - 14, y + 5, str(value), 13, "end")
    vectors = v[:, [0, 3, 10, 35]]  # values that occur once
    for k in range(4):
        shape = vectors[:, k].reshape(side, side)
        shape = shape * np.sign(shape.flat[np.argmax(abs(shape))]) / abs(shape).max()
        x, y = 590 + (k % 2) * 128, 40 + (k // 2) * 112
        for i in range(side):
            for j in range(side):
                value = shape[i, j]
                p.box(x + 17 * j, y + 17 * i, 17, 17, BLUE if value > 0 else ORANGE, round(abs(value), 2), stroke="none")
        p.box(x, y, 102, 102)
    p.text(705, 26, "vectors 1, 4, 11, 36 on the grid", 16)
    p.text(20 + 18 * cell, 278, "36 × 36, blue 4, orange -1", 13, opacity=0.9)
    p.text(705, 278, "blue: positive, orange: negative", 13, opacity=0.9)
    return p


def oscillator():
    n, h = 120, 0.2
    x = h * (np.arange(n) - (n - 1) / 2)
    i = np.arange(n)[:, None] - np.arange(n)
    with np.errstate(divide="ignore"):
        kinetic = np.where(i == 0, np.pi**2 / 3, 2 / np.where(i == 0, 1, i) ** 2) * (-1.0) ** i / (2 * h * h)
    w, v = eigen_g.eigh(kinetic + np.diag(x**2 / 2), subset_by_index=[0, 4])
    p = Picture(640, 330, "The five lowest states of the harmonic oscillator, each drawn at its energy")
    to_x, to_y = (lambda t: 320 + 62 * t), (lambda e: 310 - 54 * e)
    p.curve(to_x(x[abs(x) < 3.3]), to_y(x[abs(x) < 3.3] ** 2 / 2), "currentColor", 1.5, stroke_opacity=0.6)
    for k in range(5):
        inside = abs(x) < 4.6
        state = v[:, k] * np.sign(v[np.argmax(abs(v[:, k]) > 0.02), k])
        p.line(to_x(-4.6), to_y(w[k]), to_x(4.6), to_y(w[k]), stroke_opacity=0.25)
        p.curve(to_x(x[inside]), to_y(w[k]) - 70 * state[inside], (BLUE, ORANGE)[k % 2], 2.2)
        p.text(616, to_y(w[k]) + 5, f"{w[k]:.1f}", 13)
    p.text(632, 22, "energy", 13, "end")
    return p


def beam():
    """The beam of apps/example/vibrations.py."""
    with contextlib.redirect_stdout(None):
        example = runpy.run_path(str(pathlib.Path(__file__).parents[2] / "example/vibrations.py"))
    w, shapes = eigen_g.eigh(example["k"], example["m"], subset_by_index=[0, 3])
    elements = example["elements"]
    p = Picture(760, 300, "The four lowest modes of a beam that is clamped at its left end")
    for mode in range(4):
        y = 48 + 68 * mode
        deflection = np.concatenate([[0], shapes[::2, mode]])
        deflection = deflection / abs(deflection).max() * np.sign(deflection[-1])
        p.line(40, y, 600, y, stroke_opacity=0.25)
        p.curve(40 + 560 * np.linspace(0, 1, elements + 1), y - 26 * deflection, (BLUE, ORANGE, GREEN, RED)[mode], 2.5)
        p.box(30, y - 22, 10, 44, "currentColor", 0.5, stroke="none")
        p.text(616, y + 5, f"ω = {np.sqrt(w[mode]):.2f}", 14, "start")
    return p


def kernel_values():
    rng = np.random.default_rng(7)
    x = np.sort(rng.uniform(-1, 1, 400))
    p = Picture(640, 300, "Eigenvalues of Gaussian kernel matrices fall below the rounding errors")
    to_y = lambda value: 30 + 13.5 * (2.5 - np.log10(value))
    for power in (0, -5, -10, -15):
        y = to_y(10.0**power)
        p.line(70, y, 610, y, stroke_opacity=0.2)
        p.text(62, y + 5, f"1e{power}" if power else "1", 13, "end")
    for width, colour, place in ((0.3, BLUE, 18), (0.1, ORANGE, 48), (0.03, GREEN, 80)):
        w = eigen_g.eigvalsh(np.exp(-((x[:, None] - x) ** 2) / (2 * width**2)))[::-1][:90]
        w = np.maximum(abs(w), 1e-17)
        p.curve(70 + 6 * np.arange(90), to_y(w), colour)
        p.text(70 + 6 * place + 30, to_y(w[place]) - 10, f"width {width}", 13)
    floor = to_y(np.finfo(float).eps * 400)
    p.line(70, floor, 610, floor, stroke_dasharray="5 4", stroke=RED, stroke_width=1.5)
    p.text(606, floor - 8, "n ulp", 13, "end")
    p.text(340, 294, "index of the eigenvalue, the largest first (1 to 90 of 400)", 13, opacity=0.9)
    return p


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    for draw in (overview, one_stage, two_stage, divide_and_conquer, memory, bits, poisson, oscillator, beam, kernel_values):
        draw().save(folder / f"{draw.__name__}.svg")


main()
