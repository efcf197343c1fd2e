"""The case `store`: what torch's store costs the process that serves it: muster's agent, compared with torch's own
server. The same clients connect to both, one after the other in each round. It needs a torch whose server knows pings
(2.4 or newer): MUSTER_TORCH, as for tests/live/test_slow.py. Started by scripts/bench."""

import json
import os
import shutil
import subprocess
import sys

import case
import cluster_case
from case import HERE
from paired import ratio, summary
from report import Line, compare

MOST_MEMORY = 64  # MiB
DEADLINE = 1800


def measure(cluster, options):
    home = cluster.state / "home/alice"
    shutil.copy(HERE / "store_clients.py", home)
    line = (f"cd; export PYTHONPATH={os.environ['MUSTER_TORCH']}; ulimit -n $(ulimit -Hn); srun -N1 -n1 --distributed=torch,store=agent,bind=none /usr/bin/python3 "
            f"store_clients.py {options.rounds} {options.clients} {options.idle}")
    done = subprocess.run(cluster.as_user("alice", "bash", "-c", line), stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=DEADLINE, check=False)
    if done.returncode != 0:
        sys.exit(f"bench: {done.stderr}")
    found = json.loads(done.stdout)
    return lines_of(found, options), found


def microseconds(samples, clients):
    one = summary([seconds / clients * 1e6 for seconds in samples])
    return f"{one.median:.0f} us (quartiles {one.first_quartile:.0f} to {one.third_quartile:.0f}, n={one.count})"


def lines_of(found, options):
    lines = []
    for clients in options.clients.split(","):
        agent, torch = found["cpu"]["agent"][clients], found["cpu"]["torch"][clients]
        what, count = f"{clients} clients: CPU time per client", int(clients)
        lines += [Line(f"{what}, torch's own server", microseconds(torch, count), "-", "-"),
                  Line(f"{what}, muster's agent", microseconds(agent, count), "-", "-"),
                  compare(f"{what}, muster's agent / torch's own server", agent, torch)]
    memory = {name: held / 2**20 for name, held in found["memory"].items()}
    what = f"resident memory added by {options.idle} idle clients"
    lines += [Line(f"{what}, muster's agent", f"{memory['agent']:.1f} MiB", f"{MOST_MEMORY} MiB",
                   "met" if memory["agent"] <= MOST_MEMORY else "missed"),
              Line(f"{what}, torch's own server", f"{memory['torch']:.1f} MiB", "-", "-")]
    return lines


def parse():
    parser = case.parser("store", __doc__, rounds=20)
    parser.add_argument("--clients", default="8,64,512", help="how many there are in each round, separated by commas")
    parser.add_argument("--idle", type=int, default=4096, help="how many clients the memory is measured with")
    return parser.parse_args()


def main():
    options = parse()
    if not os.environ.get("MUSTER_TORCH"):
        print("bench: store: skipped, needs a newer torch: MUSTER_TORCH", file=sys.stderr)
        return
    cluster_case.run("store", options, 1, measure)


if __name__ == "__main__":
    main()
