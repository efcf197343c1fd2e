"""The case `gather`: how long it takes until a step's agents may start the tasks, and what that costs the agent on rank
0's node.

It uses the agents' own code: one process is the leader, a few others act as thousands of members, in a separate network
namespace. Two arms take turns: all members connect to the leader (star), or most connect to other members that
represent them (groups). Started by scripts/bench; it does not need Slurm.
"""

import math
import resource
import statistics
import sys

import bootstrap_model as model
import case
import namespace
import pictures
from case import CHECKOUT, HERE, OUT, say
from report import Line, circumstances, compare, describe, describe_circumstances, milliseconds, table

SIZES = (32, 1024, 16384)
FEW = 1024  # the leader's hard limit for open files
MANY = min(65536, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
STAR, GROUPS = "star", "groups"
GO_SECONDS = 3.0
TIME, CPU = "time until all agents may continue", "CPU time of the leader"
PEAK = "peak resident memory of the leader"
PATIENCE = 30  # seconds, gather_timeout's default
EXTRAPOLATED = 100_000
PICTURE = ("Time until all agents may continue, CPU time and memory of rank 0's agent, by number of nodes: star and "
           f"groups, with {MANY} open files")


def width(kind, nodes):
    return 1_000_000 if kind == STAR else math.ceil(math.sqrt(nodes - 1))


def meet(program, kind, nodes, descriptors, seconds=PATIENCE, processes=32):
    task = {"program": str(program), "nodes": nodes, "width": width(kind, nodes), "descriptors": descriptors,
            "seconds": seconds, "processes": min(processes, nodes - 1)}
    return namespace.run(HERE / "gather_drive.py", task)


def arms(sizes):
    """Each with the sizes for which it works."""
    return {f"{kind}, {limit} open files": [n for n in sizes if kind == GROUPS or n < limit]
            for kind in (STAR, GROUPS) for limit in (MANY, FEW)}


def measure(options):
    samples = {arm: {str(nodes): [] for nodes in sizes} for arm, sizes in arms(options.sizes).items()}
    for nodes in options.sizes:
        names = [arm for arm in samples if str(nodes) in samples[arm]]
        for number in range(-options.warm_up, options.rounds):
            first = number % len(names)
            for arm in names[first:] + names[:first]:
                kind, limit = arm.split(",")
                one = meet(options.program, kind, nodes, int(limit.split()[0]))
                if one["failure"]:
                    sys.exit(f"bench: {arm}, {nodes} nodes: {one['failure']}")
                if number >= 0:
                    samples[arm][str(nodes)].append(one)
        say(f"{nodes} nodes: " + ", ".join(f"{arm} {statistics.median(of(samples, arm, nodes, 'go')):.3f} s" for arm in names))
    return samples


def failing(options):
    """Runs once with a star whose leader may not open a file for each node."""
    return {nodes: meet(options.program, STAR, nodes, FEW, seconds=10)["failure"] for nodes in options.sizes if nodes >= FEW}


def of(samples, arm, nodes, key):
    return [one[key] for one in samples[arm][str(nodes)]]


def verdict(seconds, limit):
    return "met" if max(seconds) <= limit else "missed"


def mebibytes(samples):
    return f"{statistics.median(samples) / 1024:.1f} MiB (max {max(samples) / 1024:.1f} MiB, n={len(samples)})"


def lines_of(samples, failed):
    lines = []
    for arm, sizes in samples.items():
        for nodes in sizes:
            go = of(samples, arm, nodes, "go")
            lines += [Line(f"{nodes} nodes, {arm}: {TIME}", describe(go), milliseconds(GO_SECONDS),
                           verdict(go, GO_SECONDS)),
                      Line(f"{nodes} nodes, {arm}: {CPU}", describe(of(samples, arm, nodes, "cpu")), "-", "-"),
                      Line(f"{nodes} nodes, {arm}: {PEAK}", mebibytes(of(samples, arm, nodes, "peak")), "-", "-")]
    lines += [Line(f"{nodes} nodes, {STAR}, {FEW} open files", f"fails: {text[:60]}...", "-", "-")
              for nodes, text in failed.items()]
    star, groups = (f"{kind}, {MANY} open files" for kind in (STAR, GROUPS))
    for nodes in samples[star]:
        for key, what in (("go", TIME), ("cpu", CPU), ("peak", PEAK)):
            lines.append(compare(f"groups / star, {nodes} nodes: {what}", of(samples, groups, nodes, key),
                                 of(samples, star, nodes, key)))
    return lines


def medians(samples, arm, key):
    return {int(nodes): statistics.median(one[key] for one in rounds) for nodes, rounds in samples[arm].items()}


def extrapolation(samples):
    """The leader's CPU time and memory at sizes that were not measured. Wall-clock time is left out, because here it
    also includes the work of all members."""
    rows = [f"| extrapolation to {EXTRAPOLATED} nodes | {CPU} | {PEAK} |", "|---|---|---|"]
    for arm in samples:
        if len(samples[arm]) < 3:
            continue
        cpu, peak = (model.fit(medians(samples, arm, key)) for key in ("cpu", "peak"))
        rows.append(f"| {arm} | {milliseconds(cpu.at(EXTRAPOLATED))} "
                    f"({1e6 * cpu.each:.0f} us per node, max fit error {cpu.error:.0%}) | "
                    f"{peak.at(EXTRAPOLATED) / 1024:.0f} MiB "
                    f"({1024 * peak.each:.0f} bytes per node, max fit error {peak.error:.0%}) |")
    return "\n".join(rows) + "\n"


def parse():
    parser = case.parser("gather", __doc__, rounds=10)
    parser.add_argument("--warm-up", type=int, default=1)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    return parser.parse_args()


def main():
    options = parse()
    OUT.mkdir(parents=True, exist_ok=True)
    facts = circumstances(CHECKOUT)
    options.program = case.build(options.build, "gather_bench") / "gather_bench"
    samples, failed = measure(options), failing(options)
    lines = lines_of(samples, failed)
    text = f"Test setup: {describe_circumstances(facts)}.\n\n{table(lines)}\n{extrapolation(samples)}"
    case.leave("gather", facts, lines, samples, text)
    pictures.draw_gather(OUT / "gather.svg", text)
    if options.record:
        case.record("gather", f"{text}\n![{PICTURE}](../images/gather.svg)\n")
        pictures.draw_gather(CHECKOUT / "docs/images/gather.svg", text)


if __name__ == "__main__":
    main()
