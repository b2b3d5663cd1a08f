#!/usr/bin/env python3
"""Draws the figures of SYMV from the JSON of `eigen_g bench symv --json FILE`.

usage: scripts/plot_symv.py bench.json -o FOLDER

Into FOLDER, each as .svg and .png:
  symv_<type>_gflops   GFLOP/s over n, one line a library, a panel a triangle (as in the CUDA-xSYMV paper)
  symv_<type>_gbytes   the same in GB/s of the half matrix, with cuBLAS dgemv's bandwidth to hold against
  symv_types_gflops    eigen_g's GFLOP/s of all types
Needs matplotlib (Debian, Ubuntu: apt-get install python3-matplotlib).
"""
import argparse
import json
import pathlib
import sys

from plot_common import finish, folder_of, pyplot

NAMES = {"s": "SSYMV (float)", "d": "DSYMV (double)", "c": "CHEMV (complex float)",
         "z": "ZHEMV (complex double)", "w": "WSYMV (double-double)"}
# Contender: label, colour (by Okabe and Ito, distinct for colour-blind readers), marker, dashes.
LINES = {
    "eigen_g": ("eigen_g", "#d55e00", "o", "-"),
    "cublas": ("cuBLAS, deterministic", "#0072b2", "s", "-"),
    "cublas_atomics": ("cuBLAS, atomics", "#56b4e9", "^", "-"),
    "cublas_gemv": ("cuBLAS gemv", "#009e73", "v", "--"),
    "cublas_dgemv": ("cuBLAS dgemv", "#555555", None, "--"),
}
TRIANGLES = {"L": "lower triangle", "U": "upper triangle"}


def read(path):
    try:
        report = json.loads(pathlib.Path(path).read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"plot_symv.py: {path}: {error}")
    if not isinstance(report, dict) or report.get("format") != "eigen_g-bench-symv" or report.get("version") != 1:
        sys.exit(f"plot_symv.py: {path}: not a report of `eigen_g bench symv`, version 1")
    return report


def line(cases, contender, quantity):
    """The points (n, value) of one contender, by n; failed ones left out."""
    points = [(case["n"], figure[quantity]) for case in cases for figure in case["figures"]
              if figure["name"] == contender and figure[quantity] is not None]
    return sorted(points)


def draw_type(plt, report, kind, quantity, label, contenders, folder, name):
    triangles = [t for t in TRIANGLES if any(c["type"] == kind and c["uplo"] == t for c in report["cases"])]
    figure, grid = plt.subplots(1, len(triangles), figsize=(1 + 5 * len(triangles), 4.2), sharey=True, squeeze=False)
    axes = grid[0]
    for ax, triangle in zip(axes, triangles):
        cases = [c for c in report["cases"] if c["type"] == kind and c["uplo"] == triangle]
        for contender in contenders:
            points = line(cases, contender, quantity)
            if points:
                text, colour, marker, dashes = LINES[contender]
                ax.plot(*zip(*points), label=text, color=colour, marker=marker, markersize=4, linestyle=dashes,
                        linewidth=1.6)
        ax.set_title(f"{NAMES[kind]}, {TRIANGLES[triangle]}")
    axes[0].set_ylabel(label)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="lower center",
                  ncol=2 * len(triangles), bbox_to_anchor=(0.5, 0.03))
    finish(plt, figure, axes, report, folder, name, 0.1 if len(triangles) > 1 else 0.14)


def draw_types(plt, report, kinds, folder):
    figure, ax = plt.subplots(figsize=(6.5, 4.2))
    colours = dict(zip("sdczw", ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")))
    for kind in kinds:
        for triangle, dashes in (("L", "-"), ("U", ":")):
            points = line([c for c in report["cases"] if c["type"] == kind and c["uplo"] == triangle], "eigen_g",
                          "gflops")
            if points:
                ax.plot(*zip(*points), label=f"{NAMES[kind]}, {triangle}", color=colours[kind], linestyle=dashes,
                        linewidth=1.6)
    ax.set_ylabel("GFLOP/s (W: double-double operations)")
    ax.set_title("eigen_g, all types")
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    finish(plt, figure, [ax], report, folder, "symv_types_gflops", 0.03)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", help="report of `eigen_g bench symv --json FILE`")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="made if it is not there")
    arguments = parser.parse_args()
    report = read(arguments.json)
    kinds = [k for k in NAMES if any(c["type"] == k for c in report["cases"])]
    if not kinds:
        sys.exit(f"plot_symv.py: {arguments.json}: holds no cases")
    plt, folder = pyplot(), folder_of(arguments.output)
    for kind in kinds:
        draw_type(plt, report, kind, "gflops", "GFLOP/s", ("eigen_g", "cublas", "cublas_atomics"), folder,
                  f"symv_{kind}_gflops")
        draw_type(plt, report, kind, "gbytes_per_second", "GB/s of the half matrix (gemv: of the whole)",
                  ("eigen_g", "cublas", "cublas_atomics", "cublas_dgemv"), folder, f"symv_{kind}_gbytes")
    draw_types(plt, report, kinds, folder)


if __name__ == "__main__":
    main()
