"""Common parts of the plot scripts: matplotlib without a display, the colours, and the end of a figure."""
import pathlib
import sys

# By Okabe and Ito, distinct for colour-blind readers.
COLOURS = ("#d55e00", "#e69f00", "#0072b2", "#56b4e9", "#009e73", "#cc79a7", "#555555")
SMALL = 9  # points, the smallest type in a figure of the width of a page


def pyplot():
    """matplotlib.pyplot; ends the script with a message if it is not installed."""
    try:
        import matplotlib
    except ImportError:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: matplotlib is missing; on Debian or Ubuntu: apt-get install python3-matplotlib")
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "eigen_g"  # the same picture is the same file
    matplotlib.rcParams.update({"font.size": 10, "axes.titlesize": 11, "legend.fontsize": SMALL, "legend.frameon": False})
    import matplotlib.pyplot
    return matplotlib.pyplot


def folder_of(name):
    folder = pathlib.Path(name)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def tidy(ax):
    ax.grid(True, color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def machine_text(report):
    machine = report["machine"]
    gpu = (machine["gpu"] or {}).get("name", "no GPU")
    return f"{gpu}, cuBLAS {machine['cublas']}, driver {machine['driver']}, {machine['date'][:10]}"


def save(plt, figure, text, folder, name, bottom=0.03):
    """Writes FOLDER/name.svg and .png. text: the line at the foot. bottom: height of the foot, a fraction of the figure."""
    figure.text(0.995, 0.005, text, ha="right", va="bottom", fontsize=SMALL, color="#555555")
    figure.tight_layout(rect=(0, bottom, 1, 1))
    for ending in ("svg", "png"):
        target = folder / f"{name}.{ending}"
        figure.savefig(target, dpi=150, metadata={"Date": None} if ending == "svg" else None)
        print(target)
    plt.close(figure)


def finish(plt, figure, axes, report, folder, name, bottom, from_zero=True, along="n"):
    for ax in axes:
        ax.set_xlabel(along)
        if from_zero:
            ax.set_xlim(left=0)
            ax.set_ylim(bottom=0)
        tidy(ax)
    save(plt, figure, machine_text(report), folder, name, bottom)
