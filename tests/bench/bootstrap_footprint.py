"""What libmuster leaves behind in a process: size, threads and heap, compared with a bare PMIx program that made the
same calls."""

import pathlib
import shutil
import subprocess
import tempfile
from collections import Counter

from bootstrap_report import BARE, MUSTER, REAL
from report import Line

LIBRARY_KIB = 1024
STAGES = ("after init", "after ids", "after finalize")
BYTES_PER_RANK = 2  # the names of a step's nodes are kept; a node has 16 ranks here


def verdict(holds):
    return "met" if holds else "missed"


def stripped_kib(library):
    with tempfile.TemporaryDirectory() as directory:
        copy = pathlib.Path(directory) / "copy"
        shutil.copy(library, copy)
        subprocess.run(["strip", copy], check=True)
        return copy.stat().st_size / 1024


def size_line(library):
    size = stripped_kib(library)
    return Line("size of libmuster.so on disk, stripped", f"{size:.0f} KiB", f"{LIBRARY_KIB} KiB",
                verdict(size <= LIBRARY_KIB))


def threads(rank, stage):
    """Threads beyond those that existed before."""
    return Counter(rank[stage]["threads"]) - Counter(rank["before"]["threads"])


def most_threads(ranks, stage):
    return max((threads(rank, stage) for rank in ranks), key=Counter.total)


def counted(counter):
    """PMIx's thread has the program's name, so the number is more informative."""
    return f"{counter.total()} ({', '.join(sorted(counter.elements()))})" if counter else "none"


def thread_lines(looks, ranks, of=""):
    lines = []
    for stage in STAGES:
        ours, theirs = (most_threads(looks[arm + of][ranks], stage) for arm in (MUSTER, BARE))
        lines.append(Line(f"additional threads in a rank {stage}{of}", counted(ours), f"bare PMIx: {counted(theirs)}",
                          verdict(ours.total() <= theirs.total())))
    return lines


def heap(looks, arm, ranks, stage, kind):
    """For the rank with the most: bytes beyond what it had before."""
    return max(rank[stage][kind] - rank["before"]["heap"] for rank in looks[arm][ranks])


def in_kib(heaps):
    return " and ".join(f"{size / 1024:.0f} KiB" for size in heaps.values())


def heap_lines(looks):
    lines = []
    # Only sizes with the same number of neighbours on the node, because a caller asks for their records.
    sizes = [ranks for ranks in looks[MUSTER] if int(ranks) >= 32]
    if not sizes:
        return lines
    small, large = sizes[0], sizes[-1]
    for what, kind in (("heap added in a rank that holds one id", "heap"),
                       ("peak heap added in a rank until it holds one id", "peak")):
        ours, theirs = ({ranks: heap(looks, arm, ranks, "after ids", kind) for ranks in (small, large)}
                        for arm in (MUSTER, BARE))
        lines.append(Line(f"{what}, at {' and '.join(ours)} ranks", in_kib(ours), f"bare PMIx: {in_kib(theirs)}", "-"))
        if small == large:  # one size shows no growth
            continue
        each = ((ours[large] - theirs[large]) - (ours[small] - theirs[small])) / (int(large) - int(small))
        lines.append(Line(f"{what}: growth per rank of the step, minus that of bare PMIx", f"{each:.1f} bytes",
                          f"{BYTES_PER_RANK} bytes", verdict(each <= BYTES_PER_RANK)))
    return lines


def footprint_lines(library, looks):
    largest = list(looks[MUSTER])[-1]
    lines = [size_line(library), *thread_lines(looks, largest)]
    if MUSTER + REAL in looks:
        lines += thread_lines(looks, list(looks[MUSTER + REAL])[-1], REAL)
    return lines + heap_lines(looks)
