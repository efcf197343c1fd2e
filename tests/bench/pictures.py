#!/usr/bin/python3
"""Draws the pictures of docs/explain/benchmark-tables.md again, from the page's own tables: tests/bench/pictures.py

The cases `bootstrap` and `gather` draw theirs by this file as well.
"""

import pathlib
import re
import sys

import plots

CHECKOUT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = CHECKOUT / "docs/explain/benchmark-tables.md"
UNITS = {"ms": 0.001, "s": 1, "MiB": 1}


def rows(text):
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]


def quantity(cell):
    number, unit = cell.split()[:2]
    return float(number) * UNITS[unit]


def draw_bootstrap(path, text):
    """Measured wall-clock time, and the cost model."""
    table = {row[0]: row[1:] for row in rows(text)}
    sizes = [int(cell) for cell in table["median (ms) by number of ranks"] if cell.isdigit()]
    clock = {label: {size: float(cell) / 1000
                     for size, cell in zip(sizes, table[f"{arm}: wall-clock time"], strict=False)}
             for label, arm in (("muster", "muster"), ("TCPStore", "TCPStore, the same exchange"), ("bare PMIx", "bare PMIx"),
                                ("muster over TCP", "muster over TCP"))}
    model = [row for row in rows(text) if row[0].isdigit() and row[1] in ("measured size", "extrapolated")]
    predicted = {label: {int(row[0]): quantity(row[column]) for row in model} for label, column in (("muster", 2), ("TCPStore", 3))}
    first = min((int(row[0]) for row in model if row[1] == "extrapolated"), default=None)
    with plots.drawn(path, 8.6, 3.4, 2) as (left, right):
        plots.draw_curves(left, clock, "Measured: one machine does the work of all nodes", "ranks", plots.seconds, sizes)
        plots.draw_curves(right, predicted, "Cost model: every node has CPUs of its own", "ranks (dashed: extrapolated)",
                          plots.seconds, extrapolated_from=first)


def draw_gather(path, text):
    """A star and groups, with the highest of the limits on open files."""
    line = re.compile(r"(\d+) nodes, (star|groups), (\d+) open files: (.*)")
    found = [(*match.groups(), quantity(row[1])) for row in rows(text) if (match := line.fullmatch(row[0]))]
    most = max(int(files) for _, _, files, _, _ in found)
    sizes = sorted({int(nodes) for nodes, *_ in found})
    with plots.drawn(path, 8.6, 3.0, 3) as panels:
        for axes, (what, title, unit, scale) in zip(panels, (
                ("time until all agents may continue", "Time until all may continue", plots.seconds, "log"),
                ("CPU time of the leader", "CPU time of rank 0's agent", plots.seconds, "log"),
                ("peak resident memory of the leader", "Memory of rank 0's agent", plots.mebibytes, "linear")),
                strict=True):
            curves = {kind: {int(nodes): value for nodes, one, files, row, value in found
                             if (one, int(files), row) == (kind, most, what)} for kind in ("star", "groups")}
            plots.draw_curves(axes, curves, title, "nodes", unit, sizes, scale=scale)


PICTURES = {"bootstrap": draw_bootstrap, "gather": draw_gather}


def main():
    page = PAGE.read_text(encoding="utf-8")
    for section, draw in PICTURES.items():
        text = page.partition(f"<!-- {section}: begin -->")[2].partition(f"<!-- {section}: end -->")[0]
        draw(CHECKOUT / f"docs/images/{section}.svg", text)


if __name__ == "__main__":
    sys.exit(main())
