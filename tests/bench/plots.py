"""How a plot looks: an SVG without a background, readable on a light and on a dark page, its curves labelled at their
ends."""

import contextlib

# Contrast on a light page (white) and on a dark one (#0d1117): at least 4.5 with the colour for it, 4.1 with the other.
GREY = "#6e7781"
BLUE, ORANGE, GREEN, PURPLE = COLOURS = ("#2878d0", "#c4560a", "#188456", "#a055cc")
ON_DARK = {GREY: "#7b848e", BLUE: "#3f85da", ORANGE: "#d2641a", GREEN: "#2b9266", PURPLE: "#a863d2"}
LABEL_POINTS = 9
LINE_POINTS = 12


@contextlib.contextmanager
def drawn(path, width, height, panels=1):
    """Yields the axes of that many panels, and writes the SVG. Sizes are in inches."""
    import matplotlib
    matplotlib.use("svg")
    style = dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), GREY)
    style |= {"svg.fonttype": "none", "svg.hashsalt": "muster", "font.size": LABEL_POINTS, "axes.titlesize": 10,
              "axes.spines.top": False, "axes.spines.right": False}
    with matplotlib.rc_context(style):
        from matplotlib import pyplot
        figure, axes = pyplot.subplots(1, panels, figsize=(width, height), squeeze=False)
        yield list(axes[0])
        figure.tight_layout()
        figure.savefig(path, transparent=True, metadata={"Date": None, "Creator": None})
        pyplot.close(figure)
    path.write_text(path.read_text(encoding="utf-8").replace("</metadata>", f"</metadata>\n{dark_style()}", 1), encoding="utf-8")


def dark_style():
    rules = [f'[style*="{what}: {light}"] {{ {what}: {dark} !important }}'
             for light, dark in ON_DARK.items() for what in ("fill", "stroke")]
    return "<style>@media (prefers-color-scheme: dark) {\n" + "\n".join(rules) + "\n}</style>"


def draw_curves(axes, curves, title, x, unit, ticks=None, extrapolated_from=None, scale="log"):
    """`curves`: label -> {x: y}, at most as many as there are colours. `unit` turns a y into a tick's label."""
    for (label, points), colour in zip(curves.items(), COLOURS, strict=False):
        measured = [at for at in points if extrapolated_from is None or at < extrapolated_from]
        axes.plot(measured, [points[at] for at in measured], "o-", markersize=3.5, color=colour)
        rest = measured[-1:] + [at for at in points if at not in measured]
        axes.plot(rest, [points[at] for at in rest], "--", color=colour)
    axes.set(xscale="log", yscale=scale, xlabel=x)
    axes.set_title(title, loc="left")
    axes.minorticks_off()
    if ticks:
        axes.set_xticks(ticks)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}".replace(",", " "))
    axes.yaxis.set_major_formatter(lambda value, _: unit(value))
    axes.grid(axis="y", color=GREY, alpha=0.25, linewidth=0.5)
    label_ends(axes, curves)


def label_ends(axes, curves):
    """Beside the last point of each curve, apart from each other."""
    axes.figure.canvas.draw()
    points_of_a_pixel = 72 / axes.figure.dpi
    ends = sorted(((points[max(points)], max(points), label, colour)
                   for (label, points), colour in zip(curves.items(), COLOURS, strict=False)), reverse=True)
    last = None
    for y, x, label, colour in ends:
        height = axes.transData.transform((x, y))[1] * points_of_a_pixel
        place = height if last is None else min(height, last - LINE_POINTS)
        axes.annotate(label, (x, y), xytext=(6, place - height), textcoords="offset points", va="center", color=colour,
                      annotation_clip=False)
        last = place - LINE_POINTS * label.count("\n")


def seconds(value):
    return f"{value:g} s" if value >= 1 else f"{1000 * value:g} ms"


def mebibytes(value):
    return f"{value:g} MiB"
