#!/usr/bin/env python3
"""Draws time over the ratio from the JSON of `eigen_g bench devices --json FILE`.

usage: scripts/plot_hybrid.py bench.json [bench.json ...] -o FOLDER

Into FOLDER, as .svg and .png: hybrid_<multiprocessors of the first GPU, or all>[_<GPUs>gpus], a row a size: seconds of the
stages that devices share over the CPU's share of the flops, the first GPU alone, and the automatic ratio. Reports of version 2
and 3 hold single products too, each a panel of its own.
Needs matplotlib (Debian, Ubuntu: apt-get install python3-matplotlib).
"""
import argparse
import json
import pathlib
import sys

from plot_common import folder_of, pyplot, save, tidy


def read(path):
    try:
        report = json.loads(pathlib.Path(path).read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"plot_hybrid.py: {path}: {error}")
    if not isinstance(report, dict) or report.get("format") not in ("eigen_g-bench-hybrid", "eigen_g-bench-devices") or report.get("version") not in (2, 3, 4, 5):
        sys.exit(f"plot_hybrid.py: {path}: not a report of `eigen_g bench devices`, version 2 to 5")
    if report["version"] >= 4:
        report["sizes"] = [sweep(case) for case in report["cases"] if not case["skipped"]]
    if not report["sizes"]:
        sys.exit(f"plot_hybrid.py: {path}: holds no cases")
    return report


def sweep(case):
    """A case in the form of the versions before 4."""
    cuts = {call["name"]: {"shares": call.get("shares", call.get("parts")), "seconds": call["cut_seconds"]} for call in case["calls"]
            if call["failure"] is None}
    first_alone, automatic = cuts.pop("first_alone", None), cuts.pop("automatic", None)
    stage = {"name": "divide and conquer, back-transformation", "first_alone": first_alone, "automatic": automatic,
             "sweep": list(cuts.values())}
    return {"n": case["n"], "stages": [stage]}


def cpu_percent(cut):
    shares = cut.get("shares", cut.get("parts"))
    return 100 * shares[-1] / sum(shares) if len(shares) > 1 else 0


def draw_stage(ax, n, stage):
    scale, unit = (1, "s") if max(cut["seconds"] for cut in stage["sweep"]) >= 1 else (1e3, "ms")
    # All columns on the CPU would squeeze the rest of the curve.
    points = sorted((cpu_percent(cut), cut["seconds"]) for cut in stage["sweep"] if cpu_percent(cut) < 100)
    if points:
        ax.plot(*zip(*((percent, scale * seconds) for percent, seconds in points)), label="measured", color="#d55e00", marker="o", markersize=4, linewidth=1.6)
    if stage["first_alone"]:
        ax.axhline(scale * stage["first_alone"]["seconds"], label="first GPU alone", color="#555555", linestyle="--", linewidth=1.2)
    if stage["automatic"]:
        ax.plot([cpu_percent(stage["automatic"])], [scale * stage["automatic"]["seconds"]], label="automatic", color="#0072b2",
                marker="*", markersize=12, linestyle="none")
    ax.set_title(f"{stage['name'].replace(', ', ',' + chr(10))}, n = {n}")
    ax.set_ylabel(unit)
    ax.set_ylim(bottom=0)
    ax.set_xlim(left=-0.5)
    tidy(ax)


def draw(plt, report, folder):
    sizes = report["sizes"]
    columns = max(len(size["stages"]) for size in sizes)
    figure, grid = plt.subplots(len(sizes), columns, figsize=(1 + 2.9 * columns, 0.6 + 2.3 * len(sizes)), squeeze=False)
    for row, size in zip(grid, sizes):
        for ax, stage in zip(row, size["stages"]):
            draw_stage(ax, size["n"], stage)
        for ax in row[len(size["stages"]):]:
            ax.set_visible(False)
    for ax in grid[-1]:
        ax.set_xlabel("flops of the CPU, %")
    labels = {label: handle for ax in grid.flat for handle, label in zip(*ax.get_legend_handles_labels())}
    figure.legend(labels.values(), labels.keys(), loc="lower left", ncol=1 if columns == 1 else 3)
    machine = report["machine"]
    gpu = (machine["gpu"] or {}).get("name", "no GPU")
    part = f"{report['multiprocessors']} multiprocessors of " if report["multiprocessors"] else ""
    gpus = f"{report['gpus']} x {gpu}" if report["gpus"] > 1 else gpu
    name = f"hybrid_{report['multiprocessors'] or 'all'}" + (f"_{report['gpus']}gpus" if report["gpus"] > 1 else "")
    text = f"{part}{gpus}, {machine['cpu']['cores']} CPU cores, {machine['date'][:10]}"
    save(plt, figure, text, folder, name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", nargs="+", help="report of `eigen_g bench devices --json FILE`")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="made if it is not there")
    arguments = parser.parse_args()
    reports = [read(path) for path in arguments.json]
    plt, folder = pyplot(), folder_of(arguments.output)
    for report in reports:
        draw(plt, report, folder)


if __name__ == "__main__":
    main()
