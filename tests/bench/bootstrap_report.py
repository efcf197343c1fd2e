"""The bootstrap benchmark's tables, from the samples of bootstrap_drive.py."""

import statistics

import bootstrap_model as model
from paired import ratio
from report import Line, compare, describe, milliseconds, table

WALL_RATIO = 1.2
SERVER_RATIO = 0.1
BARE, MUSTER, TCP = "bare PMIx", "muster", "muster over TCP"
STORE, STORE_IDS, LEGACY = "TCPStore, the same exchange", "TCPStore, ids only", "TCPStore's older backend, the same exchange"
JOINED, FROM_EXEC = ", timed after joining", ", timed from exec"
REAL, PRELOADED = ", real libnccl", ", libpmix preloaded"


def of(samples, arm, ranks, key):
    return [one[key] for one in samples[arm][str(ranks)]]


def busiest(samples, arm, ranks):
    """The busiest process in each round: a rank, or a process that serves ranks."""
    return [max(one["busiest rank"] or 0, one["busiest server"]) for one in samples[arm][str(ranks)]]


def medians(samples, arm, key):
    """By number of ranks; `key` is a sample's key, or a function like busiest()."""
    read = key if callable(key) else lambda samples, arm, ranks: of(samples, arm, ranks, key)
    return {int(ranks): statistics.median(read(samples, arm, int(ranks))) for ranks in samples[arm]}


def wall_lines(samples, sizes):
    """Wall-clock time; the table shows the largest step, the curves the others."""
    most = sizes[-1]
    lines = [Line(f"wall-clock time at {most} ranks: {arm}", describe(of(samples, arm, most, "wall")), "-", "-")
             for arm in (BARE, MUSTER, MUSTER + PRELOADED, TCP, STORE, STORE_IDS)]
    # With exec, both load libpmix within the measured time; otherwise only muster does.
    for arm, bare in ((MUSTER + PRELOADED, BARE), (MUSTER, BARE), (MUSTER + FROM_EXEC, BARE + FROM_EXEC)):
        lines += [compare(f"wall-clock time at {ranks} ranks: {arm} / {bare}", of(samples, arm, ranks, "wall"),
                          of(samples, bare, ranks, "wall"), WALL_RATIO) for ranks in sizes]
        lines.append(compare(f"CPU time of all processes at {most} ranks: {arm} / {bare}",
                             all_cpu(samples, arm, most), all_cpu(samples, bare, most)))
    if MUSTER + REAL in samples:
        ranks = list(samples[MUSTER + REAL])[-1]
        ours, theirs = (of(samples, arm + REAL, ranks, "wall") for arm in (MUSTER, BARE))
        what = f"wall-clock time at {ranks} ranks"
        lines += [Line(f"{what}: {MUSTER}{REAL}", describe(ours), "-", "-"),
                  compare(f"{what}: {MUSTER}{REAL} / {BARE}{REAL}", ours, theirs, WALL_RATIO)]
    return lines


def all_cpu(samples, arm, ranks):
    return [one["all ranks"] + one["all servers"] for one in samples[arm][str(ranks)]]


def busiest_lines(samples, ranks):
    """CPU time of single processes, at the largest size."""
    server = of(samples, STORE, ranks, "busiest server")
    rank, daemon = (of(samples, MUSTER, ranks, key) for key in ("busiest rank", "busiest server"))
    after = busiest(samples, MUSTER + JOINED, ranks)
    what = f"CPU time at {ranks} ranks"
    return [
        Line(f"{what}: muster's busiest rank", describe(rank), "-", "-"),
        Line(f"{what}: muster's busiest slurmstepd", describe(daemon), "-", "-"),
        Line(f"{what}: bare PMIx's busiest slurmstepd", describe(of(samples, BARE, ranks, "busiest server")), "-", "-"),
        Line(f"{what}: TCPStore's server", describe(server), "-", "-"),
        compare(f"{what}: muster's busiest process (rank or slurmstepd) / TCPStore's server",
                busiest(samples, MUSTER, ranks), server, SERVER_RATIO),
        compare(f"{what}: muster's busiest rank / TCPStore's server", rank, server),
        compare(f"{what}: muster's busiest process (over TCP) / TCPStore's server", busiest(samples, TCP, ranks),
                server),
        compare(f"{what}: muster's busiest process / TCPStore's server, both timed after joining", after,
                of(samples, STORE + JOINED, ranks, "busiest server")),
    ]


def curves(samples):
    """Medians by number of ranks, for each quantity that grows."""
    found = {}
    for arm in samples:
        found[f"{arm}: wall-clock time"] = medians(samples, arm, "wall")
        if arm.startswith("TCPStore"):
            found[f"{arm}: CPU time of the server"] = medians(samples, arm, "busiest server")
            continue
        found[f"{arm}: CPU time of the busiest rank"] = medians(samples, arm, "busiest rank")
        if arm != TCP:
            found[f"{arm}: CPU time of the busiest slurmstepd"] = medians(samples, arm, "busiest server")
    return found


def curve_table(found, sizes):
    rows = ["| median (ms) by number of ranks | " + " | ".join(str(ranks) for ranks in sizes) +
            " | fit: fixed part | fit: per rank | max fit error | slope |",
            "|---|" + "---|" * (len(sizes) + 4)]
    for name, points in found.items():
        line = model.fit(points)
        cells = [f"{1000 * points[ranks]:.1f}" if ranks in points else "-" for ranks in sizes]
        rows.append(f"| {name} | " + " | ".join(cells) + f" | {1000 * line.fixed:.1f} ms | {1e6 * line.each:.1f} us | "
                    f"{line.error:.0%} | {model.exponent(points):.2f} |")
    return "\n".join(rows) + "\n"


def predictions(found):
    """The cost model with the fitted constants, by number of ranks: muster, TCPStore."""
    rank, daemon = (model.fit(found[f"{MUSTER}: CPU time of the busiest {what}"]) for what in ("rank", "slurmstepd"))
    server = model.fit(found[f"{STORE}: CPU time of the server"])
    sizes = sorted({*found[f"{MUSTER}: wall-clock time"], *model.EXTRAPOLATED})
    return {ranks: (model.pmix_seconds(ranks, rank, daemon), model.store_seconds(ranks, server)) for ranks in sizes}


def model_table(predicted, measured):
    rows = ["| ranks | basis | muster | TCPStore | TCPStore / muster |", "|---|---|---|---|---|"]
    for ranks, (ours, theirs) in predicted.items():
        kind = "measured size" if ranks in measured else "extrapolated"
        rows.append(f"| {ranks} | {kind} | {milliseconds(ours)} | {milliseconds(theirs)} | {theirs / ours:.2f} |")
    return "\n".join(rows) + "\n"


def text_of(circumstances, lines, samples, sizes):
    found = curves(samples)
    return (f"Test setup: {circumstances}.\n\n{table(lines)}\n"
            f"Medians, and how they grow with the number of ranks:\n\n{curve_table(found, sizes)}\n"
            f"The cost model's times, computed from these fits:\n\n{model_table(predictions(found), sizes)}")
