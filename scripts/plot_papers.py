#!/usr/bin/env python3
"""Tables and figures of the reproduced papers 3, 4 and 5, from the JSON of `eigen_g bench spmv`, `himeno` and `gemm --ladder`.

usage: scripts/plot_papers.py bench.json... [-o FOLDER]

Prints a Markdown table for each report. Writes these figures to FOLDER, each as .svg and .png:
  spmv_formats   microseconds a product by matrix, one mark a format and one for cuSPARSE
  spmv_cpu       milliseconds a product by one thread of the CPU, from a report with --device cpu
  spmv_solve     time of Bi-CGSTAB by JDS with its conversion, divided by the time by CSR
  himeno         GFLOP/s over the grid, one bar a device
  gemm_ladder    TFLOP/s by step, float and double
The figures need matplotlib (Debian, Ubuntu: apt-get install python3-matplotlib).
"""
import argparse
import json
import pathlib
import sys

from plot_common import COLOURS, SMALL, finish, folder_of, pyplot

STEPS = ("naive", "tile_16", "tile_32", "cublas")


def read(path):
    try:
        report = json.loads(pathlib.Path(path).read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"plot_papers.py: {path}: {error}")
    if report.get("format") not in ("eigen_g-bench-spmv", "eigen_g-bench-himeno", "eigen_g-bench-gemm"):
        sys.exit(f"plot_papers.py: {path}: not a report of `eigen_g bench spmv`, `himeno` or `gemm --ladder`")
    report["cases"] = [c for c in report["cases"] if not c["skipped"]]
    return report


def call(case, name, field="seconds"):
    for key in ("calls", "figures"):
        for c in case.get(key, []):
            if c["name"] == name and c["failure"] is None:
                return c[field]
    return None


def best(case, prefix):
    """The fastest configuration of a format."""
    times = [c["seconds"] for c in case["calls"] if c["failure"] is None and
             (c["name"] == prefix or c["name"].startswith(prefix + "_"))]
    return min(times) if times else None


def formats_of(case):
    times = {"CSR, one thread": call(case, "crs_1"), "CSR": best(case, "crs"), "CSC": call(case, "ccs"), "JDS": call(case, "jds"),
             "SELL": best(case, "sell"), "chosen": call(case, "chosen"), "cuSPARSE": call(case, "cusparse"),
             "deterministic": call(case, "cusparse_deterministic")}
    return {name: seconds for name, seconds in times.items() if seconds is not None}


def print_table(header, rows):
    print("| " + " | ".join(header) + " |")
    print("| --- |" + " ---: |" * (len(header) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def spmv_tables(report):
    names = list(formats_of(report["cases"][0]))
    rows = []
    for case in report["cases"]:
        times = formats_of(case)
        jds = next(c for c in case["calls"] if c["name"] == "jds")
        rows.append([case["matrix"]] + [f"{1e6 * times[n]:.0f}" if n in times else "-" for n in names] +
                    [case["chosen_format"], f"{case['chosen_over_best']:.2f}", f"{1e3 * jds['conversion_seconds']:.1f}"])
    print_table(["microseconds"] + names + ["chosen format", "over the best", "JDS conversion ms"], rows)
    solved = [c for c in report["cases"] if c.get("solve")]
    if solved:
        print_table(["matrix", "iterations", "CSR s", "JDS s", "JDS with conversion / CSR", "chosen s", "MINRES s", "its iterations"],
                    [[c["matrix"], str(c["solve"]["crs"]["iterations"])] +
                     [f"{c['solve'][k]['seconds']:.4f}" for k in ("crs", "jds")] + [f"{c['solve']['jds_over_crs']:.2f}"] +
                     [f"{c['solve'][k]['seconds']:.4f}" for k in ("chosen", "minres")] +
                     [str(c["solve"]["minres"]["iterations"])] for c in solved])


def is_of_cpu(report):
    return "crs" in report["cases"][0]


def cpu_groups(report):
    return {c["matrix"]: {n.upper(): 1e3 * c[n] for n in ("crs", "ccs", "jds")} for c in report["cases"]}


def cpu_table(report):
    print_table(["milliseconds by one thread", "CSR", "CSC", "JDS", "JDS conversion"],
                [[c["matrix"]] + [f"{1e3 * c[n]:.2f}" for n in ("crs", "ccs", "jds", "jds_conversion_seconds")]
                 for c in report["cases"]])


def himeno_table(report):
    print_table(["grid", "device", "GFLOP/s", "GB/s", "gosa after 3", "gosa after 503", "bits"],
                [[c["size"], c["device"], f"{c['gflops']:.1f}", f"{c['gbytes_per_second']:.0f}", f"{c['gosa_first']:.6e}",
                  f"{c['gosa']:.6e}", "same" if c["bit_for_bit"] else "DIFFER"] for c in report["cases"]])


def ladder_table(report):
    print_table(["type", "n"] + [s.replace("_", " ") + " TFLOP/s" for s in STEPS] + ["tile 16 s", "checksum", "exact"],
                [[c["type"], str(c["n"])] + [f"{call(c, s, 'tflops'):.2f}" for s in STEPS] +
                 [f"{call(c, 'tile_16'):.4f}", f"{call(c, 'tile_16', 'checksum'):.12g}", f"{c['exact_checksum']:.12g}"]
                 for c in report["cases"]])


def draw_groups(plt, report, folder, name, groups, label):
    """Bars from zero side by side; groups: label of a group -> label of a bar -> height.

    Heights that differ by more than a factor of 20 are points on a logarithmic axis, on which a bar has no zero to begin at."""
    bars = list(dict.fromkeys(bar for group in groups.values() for bar in group))
    every = [height for group in groups.values() for height in group.values()]
    wide = max(every) > 20 * min(every)
    figure, ax = plt.subplots(figsize=(max(6.5, 0.9 * len(groups)), 4.2))
    width = 0.8 / len(bars)
    for k, bar in enumerate(bars):
        at = [i + (k - (len(bars) - 1) / 2) * width for i, group in enumerate(groups.values()) if bar in group]
        heights = [group[bar] for group in groups.values() if bar in group]
        if wide:
            ax.plot(at, heights, "osv^D<>"[k % 7], label=bar, color=COLOURS[k % len(COLOURS)], markersize=5)
        else:
            ax.bar(at, heights, width, label=bar, color=COLOURS[k % len(COLOURS)])
    tilted = max(map(len, groups)) > 6
    ax.set_xticks(range(len(groups)), list(groups), rotation=30 if tilted else 0, ha="right" if tilted else "center", fontsize=SMALL)
    ax.set_ylabel(label)
    if wide:
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter("{x:g}")
        ax.yaxis.set_minor_formatter("")
    else:
        ax.set_ylim(0, 1.15 * max(every))  # room for the legend
    ax.legend(ncol=4, loc="lower left", bbox_to_anchor=(0, 1))
    finish(plt, figure, [ax], report, folder, name, 0.04, from_zero=False, along="")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2].removeprefix("usage: "))
    parser.add_argument("reports", nargs="+")
    parser.add_argument("-o", dest="folder", type=pathlib.Path)
    arguments = parser.parse_args()
    plt = None
    if arguments.folder:
        plt = pyplot()
        folder_of(arguments.folder)
    for report in map(read, arguments.reports):
        cases = report["cases"]
        if report["format"].endswith("spmv") and is_of_cpu(report):
            cpu_table(report)
            if plt:
                draw_groups(plt, report, arguments.folder, "spmv_cpu", cpu_groups(report), "milliseconds a product")
        elif report["format"].endswith("spmv"):
            spmv_tables(report)
            groups = {c["matrix"]: {n: 1e6 * s for n, s in formats_of(c).items() if n != "CSR, one thread"} for c in cases}
            solved = {c["matrix"]: {"JDS / CSR": c["solve"]["jds_over_crs"]} for c in cases if c.get("solve")}
            if plt:
                draw_groups(plt, report, arguments.folder, "spmv_formats", groups, "microseconds a product")
                if solved:
                    draw_groups(plt, report, arguments.folder, "spmv_solve", solved, "Bi-CGSTAB, time by JDS over CSR")
        elif report["format"].endswith("himeno"):
            himeno_table(report)
            groups = {}
            for c in cases:
                groups.setdefault(c["size"], {})[c["device"]] = c["gflops"]
            if plt:
                draw_groups(plt, report, arguments.folder, "himeno", groups, "GFLOP/s")
        else:
            ladder_table(report)
            groups = {s.replace("_", " "): {c["type"]: call(c, s, "tflops") for c in cases} for s in STEPS}
            if plt:
                draw_groups(plt, report, arguments.folder, "gemm_ladder", groups, "TFLOP/s")


if __name__ == "__main__":
    main()
