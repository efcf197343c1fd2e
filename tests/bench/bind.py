"""The case `bind`: how long planning takes on a node of 2 x 64 cores with 8 GPUs and 8 NICs; how long an agent takes
from its start to its plan with the topology in the cache; what a scan of this machine takes without the cache. With
--mpibind, it compares the plans for several nodes with those of mpibind.

Started by scripts/bench. It does not need Slurm: bind_agent plays the agent's peer.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import bind_node
import bind_peer
from case import CHECKOUT, OUT, say
from paired import quartiles, ratio
from report import Line, circumstances, describe, milliseconds, plot, record, record_text, text_of, write_json

# The project's own limit.
BIND_SECONDS = 0.002
AGENT_SECONDS = 0.010

NODE = "2 x 64 cores, SMT 2, 8 GPUs, 8 NICs"
AGENT_TASKS = 8
POLICIES = ("auto", "none", "core", "l3", "numa", "socket", "exclusive")
SCANS = {"scan": "processors and memory", "scan_devices": "processors, memory and devices"}
# Real-time priority, so that other programs on the machine do not affect the result.
FIRST = ("chrt", "--fifo", "10")
TARGETS = ("bind_bench", "bind_agent", "bind_empty", "muster", "muster-agent")


def plan_times(program, rounds):
    """Samples by "policy/tasks", one per round: CPU time, because a plan never waits. Scans are measured in wall-clock
    time."""
    samples = {}
    for _ in range(rounds):
        done = subprocess.run([*FIRST, program, "--benchmark_format=json", "--benchmark_min_time=0.01"], check=True,
                              capture_output=True, text=True)
        for one in json.loads(done.stdout)["benchmarks"]:
            unit = {"us": 1e-6, "ns": 1e-9, "ms": 1e-3}[one["time_unit"]]
            time_of = "cpu_time" if "/" in one["name"] else "real_time"
            samples.setdefault(one["name"], []).append(one[time_of] * unit)
    return samples


def configurations(directory, node):
    """One file per arm, by the arm's name in the table."""
    texts = {
        "large node (from XML), cached topology": f"topology:\n  gpus: all\n  rules:\n    - file: {node}\n",
        "this machine, cached topology": "topology:\n  gpus: all\n",
        "this machine, scanned topology": "topology:\n  gpus: all\n  cache: 'off'\n",
    }
    paths = {}
    for number, (name, text) in enumerate(texts.items()):
        paths[name] = directory / f"{number}.yaml"
        paths[name].write_text(f"{text}profiles: ['{CHECKOUT}/config/profiles']\n", encoding="utf-8")
    return paths


def agent_times(build, rounds, paths):
    done = subprocess.run(
        [*FIRST, build / "tests/bench/bind_agent", str(rounds), str(AGENT_TASKS), build / "launcher/muster-agent",
         build / "tests/bench/bind_empty", *paths.values()], check=True, capture_output=True, text=True)
    by_path = json.loads(done.stdout)
    return {"empty": by_path["empty"], **{name: by_path[str(path)] for name, path in paths.items()}}


def reading_times(build, rounds, node):
    """Whole programs that only read the node's XML."""
    programs = {
        "`muster plan --topology`": [build / "launcher/muster", "plan", "--config", node.parent / "0.yaml",
                                     "--trust-any-owner", "--layout", "node1:8", "--topology", node],
        "`lstopo`": ["lstopo-no-graphics", "--input", node, "--of", "console"],
        "`hwloc-calc`": ["hwloc-calc", "--input", node, "all"],
    }
    samples = {name: [] for name in programs}
    for _ in range(rounds):
        for name, command in programs.items():
            start = time.perf_counter()
            subprocess.run([*FIRST, *command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env={"PATH": "/usr/bin:/bin"})
            samples[name].append(time.perf_counter() - start)
    return samples


def small(seconds):
    return f"{seconds * 1e6:.0f} us" if seconds < 0.001 else milliseconds(seconds)


def plan_line(policy, plans):
    """A policy is represented by its slowest number of tasks."""
    of_policy = {int(name.split("/")[1]): samples for name, samples in plans.items() if name.startswith(f"{policy}/")}
    tasks, samples = max(of_policy.items(), key=lambda each: statistics.median(each[1]))
    first, median, third = quartiles(samples)
    measured = (f"{small(median)} (quartiles {small(first)} to {small(third)}, max {small(max(samples))}, "
                f"n={len(samples)})")
    return Line(f"CPU time to plan a node, `bind={policy}`, {tasks} tasks (slowest of 1 to {max(of_policy)} tasks)",
                measured, milliseconds(BIND_SECONDS), "met" if max(samples) <= BIND_SECONDS else "missed")


def over_empty(name, samples, empty, limit):
    """The difference, round by round. Uses the bootstrap for ratios, with 1 as the reference."""
    one = ratio([sample - base for sample, base in zip(samples, empty, strict=True)], [1.0] * len(samples))
    measured = (f"{milliseconds(one.median)}, 95 % CI {milliseconds(one.low)} to {milliseconds(one.high)}, "
                f"quartiles {milliseconds(one.first_quartile)} to {milliseconds(one.third_quartile)}")
    return Line(f"agent minus empty program, {name}", measured, milliseconds(limit) if limit else "-",
                one.verdict(limit) if limit else "-")


def lines_of(plans, agents, reads):
    lines = [plan_line(policy, plans) for policy in POLICIES]
    empty = agents["empty"]
    lines.append(Line("empty C++ program, from start to end", describe(empty), "-", "-"))
    for name, samples in agents.items():
        if name == "empty":
            continue
        lines.append(Line(f"agent, from start to plan, {name}", describe(samples), "-", "-"))
        lines.append(over_empty(name, samples, empty, None if "scanned" in name else AGENT_SECONDS))
    lines += [Line(f"in-process topology scan of this machine: {what}", describe(plans[scan]), "-", "-")
              for scan, what in SCANS.items()]
    lines += [Line(f"whole run of {name}, reading the large node's XML", describe(samples), "-", "-")
              for name, samples in reads.items()]
    return lines


def beside_mpibind(options, facts, directory):
    """In a separate text: a table of times, and one of what the tasks get."""
    say("mpibind and muster")
    subprocess.run(["cmake", "--build", options.build, "--target", "bind_compare"], check=True, stdout=subprocess.DEVNULL)
    found = bind_peer.answers(options.build, options.mpibind.resolve(), options.rounds, FIRST,
                              bind_peer.machines(directory, options.machines))
    lines = bind_peer.time_lines(found)
    write_json(OUT / "bind-mpibind.json", facts, lines, found)
    text = f"{text_of(facts, lines)}\n{bind_peer.quality_table(found)}"
    (OUT / "bind-mpibind.md").write_text(text, encoding="utf-8")
    if options.record:
        record_text(CHECKOUT / "docs/explain/benchmark-tables.md", "bind-mpibind", text)
    return text


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench bind --", description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=CHECKOUT / "build")
    parser.add_argument("--rounds", type=int, default=20, help="rounds of planning and of reading XML")
    parser.add_argument("--agents", type=int, default=200, help="rounds of the agent and the empty program")
    parser.add_argument("--mpibind", type=pathlib.Path, metavar="LIBRARY", help="a libmpibind.so to compare with")
    parser.add_argument("--machines", type=pathlib.Path, metavar="DIR", help="hwloc's XML of further nodes for that comparison")
    parser.add_argument("--record", action="store_true", help="write the table into docs/explain/benchmark-tables.md")
    options = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    facts = circumstances(CHECKOUT)
    subprocess.run(["cmake", "--build", options.build, "--target", *TARGETS], check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory(prefix="muster-bench-") as directory:
        node = pathlib.Path(directory) / "node.xml"
        node.write_text(bind_node.xml(), encoding="utf-8")
        say("the agent and an empty program")
        paths = configurations(pathlib.Path(directory), node)
        agents = agent_times(options.build, options.agents, paths)
        say("plans and scans")
        plans = plan_times(options.build / "tests/bench/bind_bench", options.rounds)
        say("readers of XML")
        reads = reading_times(options.build, options.rounds, node)
        peer = beside_mpibind(options, facts, pathlib.Path(directory)) if options.mpibind else ""
    lines = lines_of(plans, agents, reads)
    write_json(OUT / "bind.json", facts, lines, {**plans, **agents, **reads})
    (OUT / "bind.md").write_text(text_of(facts, lines), encoding="utf-8")
    plot(OUT / "bind.svg", "an agent, from its start to its plan", agents)
    print(text_of(facts, lines), end="")
    print(peer and "\n" + peer, end="")
    if options.record:
        record(CHECKOUT / "docs/explain/benchmark-tables.md", "bind", facts, lines)


if __name__ == "__main__":
    main()
