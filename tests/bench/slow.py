"""The case `slow`: what slow=on costs a rank and the supervisor. In each round, a training with slow=on and one without
it run at the same time, so that the machine is as busy for both. It needs a torch with a flight recorder: MUSTER_TORCH,
as for tests/live/test_slow.py. Started by scripts/bench.
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import case
import cluster_case
from case import HERE, say
from report import Line

NODES = 3
MAX_OF_RANK = 0.001  # of a core
KINDS = {"off": "", "on": ",slow=on"}
DEADLINE = 600  # seconds, beside the measured ones


def name_of(process):
    try:
        return (process / "comm").read_text().strip()
    except OSError:
        return ""


def supervisor_of(started):
    """The process `muster`, in whose place srun starts it, below the one that was started."""
    children = {}
    for process in pathlib.Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(process.name))
    seen = [started]
    for pid in seen:
        if name_of(pathlib.Path(f"/proc/{pid}")) == "muster":
            return pid
        seen += children.get(pid, ())
    sys.exit("bench: srun has no supervisor")


def cpu_of(pid):
    """Of all threads that run, in seconds; the kernel counts nanoseconds."""
    tasks = pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def wait_for(file, seconds):
    end = time.monotonic() + seconds
    while not file.exists():
        if time.monotonic() > end:
            sys.exit(f"bench: no {file.name} within {seconds} s")
        time.sleep(0.05)


def start(cluster, name, keys, seconds):
    line = (f"cd; srun -N{NODES} -n{NODES} --distributed=torch,bind=none{keys} "
            f"/usr/bin/python3 slow_train.py {name} {seconds}")
    environment = f"export PYTHONPATH={os.environ['MUSTER_TORCH']} OMP_NUM_THREADS=1; "
    return subprocess.Popen(cluster.as_user("alice", "bash", "-c", environment + line), stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def one_round(cluster, home, number, seconds):
    kinds = list(KINDS.items())
    if number % 2:
        kinds.reverse()
    steps = {kind: start(cluster, f"{kind}-{number}", keys, seconds) for kind, keys in kinds}
    supervisors, before, found = {}, {}, {}
    for kind in steps:
        wait_for(home / f"{kind}-{number}-begins", DEADLINE)
        supervisors[kind] = supervisor_of(steps[kind].pid)
        before[kind] = time.monotonic(), cpu_of(supervisors[kind])
    for kind in steps:
        wait_for(home / f"{kind}-{number}-0.json", DEADLINE + seconds)
        began, cpu = before[kind]
        found[kind] = {"supervisor": (cpu_of(supervisors[kind]) - cpu) / (time.monotonic() - began)}
    for kind, step in steps.items():
        _, error = step.communicate(timeout=DEADLINE)
        if step.returncode != 0:
            sys.exit(f"bench: {error}")
        ranks = [json.loads((home / f"{kind}-{number}-{rank}.json").read_text()) for rank in range(NODES)]
        found[kind]["rank"] = statistics.mean(rank["cpu"] / rank["seconds"] for rank in ranks)
    return found


def measure(cluster, options):
    home = cluster.state / "home" / "alice"
    shutil.copy(HERE / "slow_train.py", home)
    rounds = []
    for number in range(options.rounds):
        rounds.append(one_round(cluster, home, number, options.seconds))
        say(f"round {number + 1}: " + ", ".join(
            f"{kind}: rank {shares['rank']:.3%}, supervisor {shares['supervisor']:.3%}" for kind, shares in rounds[-1].items()))
    return lines_of(rounds), rounds


def described(values):
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    return f"{middle:.3%} (quartiles {low:.3%} to {high:.3%}, n={len(values)})"


def lines_of(rounds):
    lines = []
    for who, limit in (("rank", MAX_OF_RANK), ("supervisor", None)):
        off, on = ([one[kind][who] for one in rounds] for kind in KINDS)
        more = [with_it - without for without, with_it in zip(off, on, strict=True)]
        ratios = [with_it / without for without, with_it in zip(off, on, strict=True)]
        verdict = "-" if limit is None else "met" if statistics.median(more) <= limit else "missed"
        lines += [Line(f"{who}: CPU use without slow=, as a share of one core", described(off), "-", "-"),
                  Line(f"{who}: CPU use with slow=on, as a share of one core", described(on), "-", "-"),
                  Line(f"{who}: CPU use added by slow=on, as a share of one core", described(more),
                       "-" if limit is None else f"{limit:.1%}", verdict),
                  Line(f"{who}: CPU use, with slow=on / without slow=", f"{statistics.median(ratios):.3f}", "-", "-")]
    return lines


def parse():
    parser = case.parser("slow", __doc__, rounds=10)
    parser.add_argument("--seconds", type=int, default=100, help="measured seconds of each round")
    return parser.parse_args()


def main():
    options = parse()
    if not os.environ.get("MUSTER_TORCH"):
        print("bench: slow: skipped, needs a torch with a flight recorder: MUSTER_TORCH", file=sys.stderr)
        return
    cluster_case.run("slow", options, NODES, measure)


if __name__ == "__main__":
    main()
