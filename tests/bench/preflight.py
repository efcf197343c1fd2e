"""The case `preflight`: how long preflight=on takes on a few nodes and on many, and what it adds to a launch.

Started by scripts/bench; brings up its own cluster and takes it down. All nodes are on one machine, so 32 of them share
its cores, and their tests affect each other. None of them has a fault: each node that is reported counts as an error.
"""

import json
import subprocess
import sys
import time

import case
import cluster_case
from case import say
from failure import await_nodes, line
from report import Line, milliseconds

LIMIT = 5.0  # the project's own limit, in seconds
FEW = 3


def launch(cluster, nodes, keys=""):
    """Seconds from starting salloc to its end, and preflight's entry in the report, if there is one."""
    report = cluster.state / "home/alice/report.json"
    report.unlink(missing_ok=True)
    words = ["salloc", "-Q", f"-N{nodes}", "srun", "--ntasks-per-node=1", f"--distributed=torch,report=report.json{keys}", "true"]
    await_nodes(cluster)
    began = time.monotonic()
    done = subprocess.run(cluster.as_user("alice", *words), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    taken = time.monotonic() - began
    if done.returncode != 0:
        sys.exit(f"bench: {words} said:\n{done.stdout}{done.stderr}")
    found = json.loads(report.read_text(encoding="utf-8"))["preflight"]
    return taken, found["runs"][0] if found else None


def named_in(run):
    return [problem for problem in run["problems"] if problem["verdict"] in ("slow", "failing", "no_answer")]


def measure(cluster, options):
    samples = {f"{nodes} {what}": [] for nodes in (FEW, options.nodes) for what in ("preflight", "with", "without")}
    named = 0
    for number in range(options.rounds):
        for nodes in (FEW, options.nodes):
            without, _ = launch(cluster, nodes)
            taken, run = launch(cluster, nodes, ",preflight=on")
            if run["failure"] or run["nodes"] != nodes or run["rounds"] < 2:
                sys.exit(f"bench: no whole preflight: {run}")
            for problem in named_in(run):
                named += 1
                say(f"named though nothing is wrong: {problem}")
            for what, seconds in (("preflight", run["seconds"]), ("with", taken), ("without", without)):
                samples[f"{nodes} {what}"].append(seconds)
        say(f"round {number + 1}: " + ", ".join(f"{name} {milliseconds(values[-1])}" for name, values in samples.items()))
    return samples, named


def lines_of(samples, named, options):
    lines = []
    for nodes in (FEW, options.nodes):
        job = f"{nodes} nodes: whole job (`salloc srun true`)"
        lines += [line(f"{nodes} nodes: `preflight=on`, from the start of its srun to the verdict",
                       samples[f"{nodes} preflight"], LIMIT if nodes == options.nodes else None),
                  line(f"{job}, with preflight", samples[f"{nodes} with"]),
                  line(f"{job}, without preflight", samples[f"{nodes} without"])]
    tests = options.rounds * (FEW + options.nodes)
    return [*lines, Line("healthy nodes reported as bad", f"{named} of {tests}", "0", "missed" if named else "met")]


def parse():
    parser = case.parser("preflight", __doc__, rounds=10)
    parser.add_argument("--nodes", type=int, default=32)
    return parser.parse_args()


def work(cluster, options):
    samples, named = measure(cluster, options)
    return lines_of(samples, named, options), samples


if __name__ == "__main__":
    options = parse()
    cluster_case.run("preflight", options, options.nodes, work)
