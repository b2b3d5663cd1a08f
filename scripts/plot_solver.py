#!/usr/bin/env python3
"""Draws the figures of the solver from the JSON of `eigen_g bench tridiagonalize` and `eigen_g bench solve`.

usage: scripts/plot_solver.py bench.json... -o FOLDER

Into FOLDER, each as .svg and .png:
  tridiagonalize_gbytes     GB/s (4/3 n^3 bytes over the time) over n, one line a library and mode
  tridiagonalize_breakdown  where eigen_g's time goes, by n (from a run with --breakdown)
  solve_seconds             seconds over n: eigen_g and cuSOLVER, all vectors and values only
  solve_ratio               time of the faster cuSOLVER mode over eigen_g's
  solve_stages              eigen_g's time by stage, by n
Needs matplotlib (Debian, Ubuntu: apt-get install python3-matplotlib).
"""
import argparse
import json
import pathlib
import sys

from plot_common import SMALL, finish, folder_of, pyplot

VERSIONS = {"eigen_g-bench-tridiagonalize": (1,), "eigen_g-bench-solve": (1, 2)}
OWN, DETERMINISTIC, OTHER = "#d55e00", "#0072b2", "#56b4e9"  # by Okabe and Ito, distinct for colour-blind readers
PARTS = ("#d55e00", "#e69f00", "#0072b2", "#56b4e9", "#009e73", "#cc79a7", "#555555",
         "#8c6d31", "#9ecae1", "#7f7f7f", "#bcbd22")
NOT_MEASURED = "not measured"


def read(path):
    try:
        report = json.loads(pathlib.Path(path).read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"plot_solver.py: {path}: {error}")
    if not isinstance(report, dict) or report.get("version") not in VERSIONS.get(report.get("format"), ()):
        sys.exit(f"plot_solver.py: {path}: not a report of `eigen_g bench tridiagonalize`, version 1, or `solve`, version 1 or 2")
    report["cases"] = sorted((c for c in report["cases"] if not c["skipped"]), key=lambda c: c["n"])
    if not report["cases"]:
        sys.exit(f"plot_solver.py: {path}: holds no cases")
    return report


def call(case, name):
    """The call of this name, or None if it is absent or failed."""
    return next((c for c in case["calls"] if c["name"] == name and c["failure"] is None), None)


def seconds(report, name):
    return [(case["n"], call(case, name)["seconds"]) for case in report["cases"] if call(case, name)]


def draw_line(ax, points, label, colour, dashes="-"):
    if points:
        ax.plot(*zip(*points), label=label, color=colour, linestyle=dashes, marker="o", markersize=4, linewidth=1.6)


def legend(figure, ax, columns):
    figure.legend(*ax.get_legend_handles_labels(), loc="lower center", ncol=columns,
                  bbox_to_anchor=(0.5, 0.03))


def draw_bars(plt, report, rows, totals, title, folder, name, label="% of the time"):
    """Draws stacked bars, one for each size; rows: label -> seconds, one for each case; totals: seconds of the whole."""
    figure, ax = plt.subplots(figsize=(6.5, 4.2))
    sizes = [str(case["n"]) for case in report["cases"]]
    bottom = [0.0] * len(sizes)
    for colour, (part, values) in zip(PARTS, rows.items()):
        shares = [100 * value / total if total else 0 for value, total in zip(values, totals)]
        if any(shares):
            style = {"color": "#eeeeee", "hatch": "//", "edgecolor": "#aaaaaa"} if part == NOT_MEASURED else {"color": colour}
            ax.bar(sizes, shares, bottom=bottom, label=part, width=0.7, **style)
            bottom = [b + s for b, s in zip(bottom, shares)]
    for position, total in enumerate(totals):
        ax.text(position, 1 + max(100, bottom[position]), f"{1e3 * total:.1f} ms" if total < 1 else f"{total:.2f} s", ha="center", va="bottom", fontsize=SMALL)
    ax.set_ylabel(label)
    ax.set_title(title, pad=18)
    legend(figure, ax, 4)
    finish(plt, figure, [ax], report, folder, name, 0.15, from_zero=False)


def reduction_parts(breakdown):
    """Seconds by part. A reduction without panels has no panel time; older reports do not have the time on the chip. The
    remainder of the total is NOT_MEASURED. The panel is negative if products take longer alone than in the reduction."""
    parts = {part: breakdown.get(part) or 0.0 for part in ("on_chip", "product", "panel", "update", "synchronisation")}
    if not breakdown["sizes_measured"]:
        parts["panel"] = 0.0
    parts = {part.replace("_", " "): max(0.0, seconds) for part, seconds in parts.items()}
    rest = breakdown["total"] - sum(parts.values())
    parts[NOT_MEASURED] = rest if rest > 1e-9 * breakdown["total"] else 0.0  # not the rounding of a panel that is a remainder itself
    return parts


def draw_tridiagonalize(plt, report, folder):
    figure, ax = plt.subplots(figsize=(6.5, 4.2))
    rate = {case["n"]: 1e-9 * case["bytes"] for case in report["cases"]}
    for name, label, colour in (("eigen_g", "eigen_g", OWN), ("cusolver", "cuSOLVER, deterministic", DETERMINISTIC),
                                ("cusolver_nondeterministic", "cuSOLVER, not deterministic", OTHER)):
        draw_line(ax, [(n, rate[n] / s) for n, s in seconds(report, name)], label, colour)
    ax.set_ylabel("GB/s (4/3 n³ bytes over the time)")
    ax.set_title("Reduction to tridiagonal form, double")
    legend(figure, ax, 3)
    finish(plt, figure, [ax], report, folder, "tridiagonalize_gbytes", 0.1)

    report = dict(report, cases=[case for case in report["cases"] if case["breakdown"]])
    if report["cases"]:
        timed = [reduction_parts(case["breakdown"]) for case in report["cases"]]
        rows = {part: [case[part] for case in timed] for part in timed[0]}
        totals = [case["breakdown"]["total"] for case in report["cases"]]
        draw_bars(plt, report, rows, totals, "Reduction to tridiagonal form: parts", folder,
                  "tridiagonalize_breakdown", "% of the time, parts timed alone")


def draw_solve(plt, report, folder):
    figure, grid = plt.subplots(1, 2, figsize=(11, 4.2), sharey=True)
    for ax, what, title in zip(grid, ("vectors", "values"), ("values and all vectors", "values only")):
        draw_line(ax, seconds(report, f"device_{what}"), "eigen_g, device pointers", OWN)
        draw_line(ax, seconds(report, f"host_{what}"), "eigen_g, host pointers", OWN, "--")
        draw_line(ax, seconds(report, f"cusolver_{what}"), "cuSOLVER, deterministic", DETERMINISTIC)
        draw_line(ax, seconds(report, f"cusolver_nondeterministic_{what}"), "cuSOLVER, not deterministic", OTHER)
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_title(title)
    grid[0].set_ylabel("seconds")
    legend(figure, grid[0], 4)
    finish(plt, figure, grid, report, folder, "solve_seconds", 0.1, from_zero=False)

    figure, ax = plt.subplots(figsize=(6.5, 4.2))
    for what, label, colour in (("vectors", "values and all vectors", OWN), ("values", "values only", DETERMINISTIC)):
        points = [(case["n"], case["ratios"][what]) for case in report["cases"] if case["ratios"][what] is not None]
        draw_line(ax, points, label, colour)
    ax.axhline(1, color="#555555", linewidth=0.8)
    ax.set_ylabel("time of the faster cuSOLVER mode / eigen_g's")
    ax.set_title("Solve on device pointers")
    legend(figure, ax, 2)
    finish(plt, figure, [ax], report, folder, "solve_ratio", 0.1)

    report = dict(report, cases=[case for case in report["cases"] if call(case, "device_vectors")])
    if report["cases"]:
        timed = [call(case, "device_vectors")["stages"] for case in report["cases"]]
        stages = dict.fromkeys(stage for case in timed for stage in case)  # the two paths have different stages
        rows = {stage.replace("_", " "): [case.get(stage, 0) for case in timed] for stage in stages}
        totals = [sum(values) for values in zip(*rows.values())]
        draw_bars(plt, report, rows, totals, "Solve on device pointers, all vectors: stages", folder, "solve_stages")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", nargs="+", help="report of `eigen_g bench tridiagonalize|solve --json FILE`")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="made if it is not there")
    arguments = parser.parse_args()
    reports = [read(path) for path in arguments.json]
    plt, folder = pyplot(), folder_of(arguments.output)
    for report in reports:
        (draw_tridiagonalize if report["format"] == "eigen_g-bench-tridiagonalize" else draw_solve)(plt, report, folder)


if __name__ == "__main__":
    main()
