"""The case `watch`: what it costs the supervisor to watch all nodes of a step, and to end them.

It uses the agents' and the supervisor's own code: one process is the supervisor, a few act as thousands of agents, each
with its own connection, in a separate network namespace. Started by scripts/bench; it does not need Slurm.
"""

import resource
import statistics
import sys

import bootstrap_model as model
import case
import namespace
from case import CHECKOUT, HERE, OUT, say
from report import Line, circumstances, describe, describe_circumstances, milliseconds, table

SIZES = (32, 1024, 4096)
LIMIT = 4096  # nodes up to which the limits apply
HEARTBEAT = 10_000  # milliseconds, the key's default
MESSAGES = 10  # from each agent in this time (launcher/channel/watch/lease.hpp)
DESCRIPTORS = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
MAX_CPU = 0.05  # share of one core
MAX_MEBIBYTES = 64
EXTRAPOLATED = (16_384, 65_536)
USE = "CPU use while watching, as a share of one core"
PEAK = "peak resident memory, all ranks stopped at once"


def watch(options, nodes):
    task = {"program": str(options.program), "nodes": nodes, "heartbeat": HEARTBEAT, "descriptors": DESCRIPTORS,
            "seconds": options.seconds, "processes": min(8, nodes)}
    one = namespace.run(HERE / "watch_drive.py", task)
    if one["watching"]["watched"] != nodes or one["ending"]["done"] != nodes:
        sys.exit(f"bench: {nodes} nodes: {one['watching']['watched']} watched, {one['ending']['done']} done")
    return {"established": one["established"], "cpu": one["watching"]["cpu"], "resident": one["watching"]["resident_kib"],
            "all_ended": one["ending"]["all_ended"], "ending_cpu": one["ending"]["cpu"], "peak": one["ending"]["peak_kib"]}


def measure(options):
    samples = {str(nodes): [] for nodes in options.sizes}
    for number in range(options.rounds):
        for nodes in options.sizes:
            samples[str(nodes)].append(watch(options, nodes))
        say(f"round {number + 1}: " + ", ".join(f"{nodes} nodes {rounds[-1]['cpu']:.2%} of a core, "
                                                f"{rounds[-1]['peak'] / 1024:.1f} MiB" for nodes, rounds in samples.items()))
    return samples


def line(what, values, show, limit, nodes):
    measured = f"{show(statistics.median(values))} (max {show(max(values))}, n={len(values)})"
    if limit is None or nodes > LIMIT:
        return Line(what, measured, "-", "-")
    return Line(what, measured, show(limit), "met" if max(values) <= limit else "missed")


def percent(share):
    return f"{share:.2%}"


def mebibytes(kib):
    return f"{kib / 1024:.1f} MiB"


def lines_of(samples):
    lines = []
    for nodes, rounds in samples.items():
        of = {key: [one[key] for one in rounds] for key in rounds[0]}
        lines += [line(f"{nodes} nodes: {USE}", of["cpu"], percent, MAX_CPU, int(nodes)),
                  line(f"{nodes} nodes: resident memory while watching", of["resident"], mebibytes,
                       1024 * MAX_MEBIBYTES, int(nodes)),
                  line(f"{nodes} nodes: {PEAK}", of["peak"], mebibytes, 1024 * MAX_MEBIBYTES, int(nodes)),
                  line(f"{nodes} nodes: CPU time to stop all ranks at once", of["ending_cpu"], milliseconds, None,
                       int(nodes)),
                  Line(f"{nodes} nodes: time until the supervisor has answered every agent",
                       describe(of["established"]), "-", "-")]
    return lines


def extrapolation(samples):
    """CPU time and memory of a supervisor at sizes that were not measured."""
    if len(samples) < 3:
        return ""
    cpu, peak = (model.fit({int(nodes): statistics.median(one[key] for one in rounds) for nodes, rounds in samples.items()})
                 for key in ("cpu", "peak"))
    rows = [f"| extrapolation to | {USE} | {PEAK} |", "|---|---|---|"]
    rows += [f"| {nodes} nodes | {percent(cpu.at(nodes))} | {mebibytes(peak.at(nodes))} |" for nodes in EXTRAPOLATED]
    message = 1e6 * cpu.each * HEARTBEAT / 1000 / MESSAGES
    rows += ["", f"From the same fits: {message:.0f} us of CPU time per message from an agent ({MESSAGES} messages per "
             f"heartbeat), and {peak.each:.1f} KiB of peak resident memory per node."]
    return "\n".join(rows) + "\n"


def parse():
    parser = case.parser("watch", __doc__, rounds=5)
    parser.add_argument("--seconds", type=int, default=20, help="seconds of watching in each round")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    return parser.parse_args()


def main():
    options = parse()
    OUT.mkdir(parents=True, exist_ok=True)
    facts = circumstances(CHECKOUT)
    options.program = case.build(options.build, "watch_bench") / "watch_bench"
    samples = measure(options)
    lines = lines_of(samples)
    text = f"Test setup: {describe_circumstances(facts)}.\n\n{table(lines)}\n{extrapolation(samples)}"
    if options.record:
        case.record("watch", text)
    case.leave("watch", facts, lines, samples, text)


if __name__ == "__main__":
    main()
