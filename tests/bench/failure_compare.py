"""The same failures under muster, torchrun and `srun -K`: exit code, messages, and the time until everything has ended.

    tests/bench/failure_compare.py --python PYTHON       a Python with torch, which the cluster's nodes see (not below /tmp)

Three nodes with two ranks each. Prints one JSON object per run; all output goes to
build/bench/failure-LAUNCHER-KIND.out.
This is for the table in docs/explain/first-failure.md: a person has to read what each launcher prints.
"""

import argparse
import json
import pathlib
import shlex
import shutil
import subprocess
import time

from bench_cluster import running_cluster
from case import CHECKOUT, HERE, OUT

NAME = "bench-compare"
KINDS = ("exception", "segv", "kill", "leave", "import", "cut")
LIMIT = 150  # seconds

LAUNCHERS = {
    "muster": "srun --distributed=torch -N3 -n6 --ntasks-per-node=2 {python} train.py {kind}",
    "torchrun": "srun -N3 --ntasks-per-node=1 {python} -m torch.distributed.run --nnodes=3 --nproc-per-node=2 "
                "--rdzv-backend=c10d --rdzv-endpoint=node1:29511 --rdzv-id={number} train.py {kind}",
    "srun": "srun -K -N3 -n6 --ntasks-per-node=2 bash -c 'export RANK=$SLURM_PROCID WORLD_SIZE=$SLURM_NTASKS "
            "LOCAL_RANK=$SLURM_LOCALID MASTER_ADDR=node1 MASTER_PORT=29512; exec {python} train.py {kind}'",
}


def start(cluster, line, mark, out):
    mark.unlink(missing_ok=True)
    words = cluster.as_user("alice", "env", "MARK=fault-time", *shlex.split(line))
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=out)


def cut(cluster, mark, running):
    while not mark.exists() and running.poll() is None:
        time.sleep(0.05)
    time.sleep(1)
    began = time.time()
    cluster.run("cut", "node2", stdout=subprocess.DEVNULL)
    return began


def end_of(running):
    """The exit code, or None if the time limit was exceeded."""
    try:
        return running.wait(LIMIT)
    except subprocess.TimeoutExpired:
        running.terminate()
        return None


def run(cluster, launcher, kind, options, number):
    mark = cluster.state / "home/alice/fault-time"
    with (OUT / f"failure-{launcher}-{kind}.out").open("w+b") as out:
        line = LAUNCHERS[launcher].format(python=options.python, kind=kind, number=number)
        running = start(cluster, line, mark, out)
        began = cut(cluster, mark, running) if kind == "cut" else None
        code = end_of(running)
        over = time.time()
        if kind == "cut":
            cluster.run("heal", "node2", stdout=subprocess.DEVNULL)
        began = began or float(mark.read_text(encoding="ascii"))
        out.seek(0)
        text = out.read().decode(errors="replace")
    cluster.run("exec", "--user", "root", "--", "scancel", "--user=alice")
    print(json.dumps({"launcher": launcher, "kind": kind, "code": code, "seconds": round(over - began, 2),
                      "tracebacks": text.count("Traceback (most"), "lines": len(text.splitlines()),
                      "root causes": text.count("Root Cause")}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True)
    parser.add_argument("--build", type=pathlib.Path, default=CHECKOUT / "build")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    options = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    with running_cluster(NAME, options.build) as cluster:
        shutil.copy(HERE / "failure_train.py", cluster.state / "home/alice/train.py")
        for number in range(options.rounds):
            for kind in options.kinds:
                for launcher in LAUNCHERS:
                    run(cluster, launcher, kind, options, number)


if __name__ == "__main__":
    main()
