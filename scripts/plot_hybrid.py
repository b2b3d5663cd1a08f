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
    # All columns on the CPU would squeeze the rest of the curve.
    points = sorted((cpu_percent(cut), cut["seconds"]) for cut in stage["sweep"] if cpu_percent(cut) < 100)
    if points:
        ax.plot(*zip(*points), label="measured", color="#d55e00", marker="o", markersize=4, linewidth=1.6)
    if stage["first_alone"]:
        ax.axhline(stage["first_alone"]["seconds"], label="first GPU alone", color="#555555", linestyle="--", linewidth=1.2)
    if stage["automatic"]:
        ax.plot([cpu_percent(stage["automatic"])], [stage["automatic"]["seconds"]], label="automatic", color="#0072b2",
                marker="*", markersize=12, linestyle="none")
    ax.set_title(f"{stage['name']}, n = {n}", fontsize=10)
    ax.set_ylim(bottom=0)
    ax.set_xlim(left=-0.5)
    ax.grid(True, color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def draw(plt, report, folder):
    sizes = report["sizes"]
    columns = max(len(size["stages"]) for size in sizes)
    figure, grid = plt.subplots(len(sizes), columns, figsize=(1 + 5 * columns, 0.6 + 3.6 * len(sizes)), squeeze=False)
    for row, size in zip(grid, sizes):
        for ax, stage in zip(row, size["stages"]):
            draw_stage(ax, size["n"], stage)
        for ax in row[len(size["stages"]):]:
            ax.set_visible(False)
        row[0].set_ylabel("seconds")
    for ax in grid[-1]:
        ax.set_xlabel("flops of the CPU, %")
    grid[0][0].legend(fontsize=8, frameon=False, loc="lower right")
    machine = report["machine"]
    gpu = (machine["gpu"] or {}).get("name", "no GPU")
    part = f"{report['multiprocessors']} multiprocessors of " if report["multiprocessors"] else ""
    gpus = f"{report['gpus']} x {gpu}" if report["gpus"] > 1 else gpu
    figure.text(0.995, 0.005, f"{part}{gpus}, {machine['cpu']['cores']} CPU cores, {machine['date'][:10]}", ha="right",
                va="bottom", fontsize=7, color="#555555")
    figure.tight_layout(rect=(0, 0.03, 1, 1))
    name = f"hybrid_{report['multiprocessors'] or 'all'}" + (f"_{report['gpus']}gpus" if report["gpus"] > 1 else "")
    for ending in ("svg", "png"):
        target = folder / f"{name}.{ending}"
        figure.savefig(target, dpi=150, metadata={"Date": None} if ending == "svg" else None)
        print(target)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", nargs="+", help="report of `eigen_g bench devices --json FILE`")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="made if it is not there")
    arguments = parser.parse_args()
    reports = [read(path) for path in arguments.json]
    try:
        import matplotlib
    except ImportError:
        sys.exit("plot_hybrid.py: matplotlib is missing; on Debian or Ubuntu: apt-get install python3-matplotlib")
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "eigen_g"  # the same picture is the same file
    import matplotlib.pyplot as plt
    folder = pathlib.Path(arguments.output)
    folder.mkdir(parents=True, exist_ok=True)
    for report in reports:
        draw(plt, report, folder)


if __name__ == "__main__":
    main()
