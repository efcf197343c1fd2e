"""The case `first`: time from the command to the first all-reduce of all ranks, compared with other ways to start
torch.

Started by scripts/bench; brings up its own cluster and takes it down. The ranks import torch and reduce one number over
gloo. On three nodes: muster; srun with a line of bash that sets the variables by hand; torchrun with c10d and static
rendezvous, one agent on each node; accelerate launch and submitit if they are installed; NVRx's ft_launcher if it is
given. On one machine without Slurm: muster run and torchrun. --python: a Python whose torchrun works and that is
visible to the nodes. All arms run in each round, one after another.
"""

import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import time

import case
import cluster_case
from case import HERE, say
from failure import await_nodes
from report import Line, compare, describe, milliseconds

NODES = 3
ALONE = ("muster run", "torchrun")  # without Slurm
PATIENCE = 180
# Whichever limit is easier to reach: this many seconds less than torchrun, or this share of its time.
SOONER, SHARE = 2.0, 0.7

BY_HAND = ("export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1) MASTER_PORT=29500 "
           "RANK=$SLURM_PROCID WORLD_SIZE=$SLURM_NTASKS LOCAL_RANK=$SLURM_LOCALID; exec {python} {rank}")
AGENT = "srun -N3 -n3 --ntasks-per-node=1 bash -c {line}"
C10D = ("exec {bin}/torchrun --nnodes=3 --nproc-per-node=1 --rdzv-backend=c10d --rdzv-id=$SLURM_JOB_ID "
        "--rdzv-endpoint=node1:29501 {rank}")
STATIC = ("exec {bin}/torchrun --nnodes=3 --nproc-per-node=1 --node-rank=$SLURM_NODEID --master-addr=node1 "
          "--master-port=29502 {rank}")
ACCELERATE = ("exec {bin}/accelerate launch --multi_gpu --num_machines=3 --num_processes=3 --machine_rank=$SLURM_NODEID "
              "--main_process_ip=node1 --main_process_port=29503 --mixed_precision=no --dynamo_backend=no {rank}")
FT_LAUNCHER = ("exec {ft_launcher} --nnodes=3 --nproc-per-node=1 --rdzv-backend=c10d --rdzv-id=$SLURM_JOB_ID "
               "--rdzv-endpoint=node1:29504 {rank}")


def has_module(python, name):
    return subprocess.run([python, "-c", f"import {name}"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def arms(cluster, options):
    """Each arm is a line for the user's shell."""
    python = pathlib.Path(options.python)
    names = {"python": python, "bin": python.parent, "rank": "first_rank.py", "ft_launcher": options.ft_launcher}

    def agents(line):
        return AGENT.format(line=shlex.quote(line.format(**names)))

    found = {"muster": f"srun --distributed=torch -N3 -n3 {python} first_rank.py",
             "srun by hand": "srun -N3 -n3 bash -c " + shlex.quote(BY_HAND.format(**names))}
    alone = {"muster run": f"PYTHON_EXEC={python} {cluster.prefix}/bin/muster run --nproc-per-node=2 first_rank.py"}
    if (python.parent / "torchrun").exists():
        found["torchrun (c10d)"] = agents(C10D)
        found["torchrun (static)"] = agents(STATIC)
        alone["torchrun"] = f"{python.parent}/torchrun --nproc-per-node=2 first_rank.py"
    if (python.parent / "accelerate").exists():
        found["accelerate launch"] = agents(ACCELERATE)
    if has_module(python, "submitit"):
        found["submitit"] = f"{python} first_submitit.py {NODES}"
    if options.ft_launcher:
        found["ft_launcher"] = agents(FT_LAUNCHER)
    return found, alone


def run(cluster, line, ranks):
    """Seconds from the command to the last rank's first all-reduce."""
    began = time.time()
    done = subprocess.run(cluster.as_user("alice", "bash", "-c", line), stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False, timeout=PATIENCE)
    said = [words.split() for words in done.stdout.splitlines() if words.startswith("reduced ")]
    if done.returncode != 0 or len(said) != ranks or {words[1] for words in said} != {str(ranks)}:
        sys.exit(f"bench: {line} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return max(float(words[3]) for words in said) - began


def measure(cluster, options):
    for name in ("first_rank.py", "first_submitit.py"):
        shutil.copy(HERE / name, cluster.state / "home/alice" / name)
    samples = {}
    for number in range(options.rounds + 1):
        for group, ranks in zip(arms(cluster, options), (NODES, 2), strict=True):
            for name, line in group.items():
                await_nodes(cluster)
                reduced = run(cluster, line, ranks)
                if number > 0:  # the first round reads torch's files from disk
                    samples.setdefault(name, []).append(reduced)
        if number > 0:
            say(f"round {number}: " + ", ".join(f"{name} {milliseconds(values[-1])}" for name, values in samples.items()))
    return samples


def verdict(ours, theirs):
    """The project's own limit: a share of torchrun's time, or this many seconds less, whichever is easier to reach."""
    mine, others = statistics.median(ours), statistics.median(theirs)
    met = mine <= SHARE * others or others - mine >= SOONER
    return compare("", ours, theirs).measured, "met" if met else "missed"


def lines_of(samples):
    lines = []
    for name, values in samples.items():
        where = "one machine, 2 ranks" if name in ALONE else f"{NODES} nodes"
        lines.append(Line(f"{where}, {name}: from the command until all ranks have finished their first all-reduce",
                          describe(values), "-", "-"))
    limit = f"{SHARE} x, or {SOONER:g} s less"
    for ours, theirs in (("muster", "torchrun (c10d)"), ("muster", "torchrun (static)"), ("muster run", "torchrun")):
        if theirs in samples:
            measured, word = verdict(samples[ours], samples[theirs])
            lines.append(Line(f"{ours} / {theirs}: time to the first all-reduce", measured, limit, word))
    lines.append(compare("muster / srun by hand: time to the first all-reduce", samples["muster"],
                         samples["srun by hand"]))
    return lines


def work(cluster, options):
    samples = measure(cluster, options)
    return lines_of(samples), samples


if __name__ == "__main__":
    parser = case.parser("first", __doc__, rounds=5)
    parser.add_argument("--python", default="/usr/bin/python3", help="a Python with torch, with torchrun, accelerate and submitit in the same folder")
    parser.add_argument("--ft-launcher", help="the command of NVRx's ft_launcher")
    cluster_case.run("first", parser.parse_args(), NODES, work)
