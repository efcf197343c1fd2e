"""The case `doctor`: how long `muster doctor` takes on the nodes of a cluster, and how long TAB completion takes.

Started by scripts/bench; brings up its own cluster and takes it down. All nodes are on one machine, so 32 of them share
its cores. Doctor must find nothing wrong on any of them; completion must offer the right words.
"""

import subprocess
import sys
import time

import case
import cluster_case
from case import say
from failure import line
from report import milliseconds

DOCTOR, COMPLETION = 5.0, 0.05  # the project's own limits, in seconds
COMPLETIONS = 10                # per round of doctor


def timed(command, expected):
    """Seconds from starting the command to its end."""
    began = time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    taken = time.monotonic() - began
    if done.returncode != 0 or expected not in done.stdout:
        sys.exit(f"bench: {command} printed:\n{done.stdout}{done.stderr}")
    return taken


def measure(cluster, options):
    muster = str(cluster.prefix / "bin/muster")
    doctor = cluster.as_user("alice", muster, "doctor", "--seconds=60", "--", f"-N{options.nodes}")
    samples = {"doctor": [], "completion": []}
    for _ in range(options.rounds):
        samples["doctor"].append(timed(doctor, f" and {options.nodes} nodes "))
        for _ in range(COMPLETIONS):
            samples["completion"].append(timed([muster, "complete", "--", "option", "torch,bi"], "torch,bind="))
    say(", ".join(milliseconds(taken) for taken in samples["doctor"]))
    return samples


def parse():
    parser = case.parser("doctor", __doc__, rounds=10)
    parser.add_argument("--nodes", type=int, default=32)
    return parser.parse_args()


def work(cluster, options):
    samples = measure(cluster, options)
    return [line(f"`muster doctor -- -N{options.nodes}`, {options.nodes} nodes and the submit host", samples["doctor"], DOCTOR),
            line("completion of `srun --distributed=torch,bi<TAB>`", samples["completion"], COMPLETION)], samples


if __name__ == "__main__":
    options = parse()
    cluster_case.run("doctor", options, options.nodes, work)
