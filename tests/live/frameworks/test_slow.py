"""slow= with programs as people write them: Hugging Face's Trainer and Lightning, with gradient accumulation, evaluation
and checkpoints. Nobody is named in a healthy run, and a rank that reads its data at half the speed is.

    MUSTER_SLOW_MINUTES=N   how long a healthy run trains; 4 if not set
    MUSTER_SLOW_RUNS=N      how many healthy runs of each program there are, all at the same time; 1 if not set
    MUSTER_NANOGPT=DIR      the sources of nanoGPT (github.com/karpathy/nanoGPT): its train.py is then one of the programs

On a machine that is busy with other things, ranks are rightly named for having to wait for a CPU.
"""

import array
import contextlib
import json
import os
import pickle
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import Cluster
from command import Command
from framework import ENVIRONMENTS, PATIENCE, PROGRAMS
from own_cluster import left_clean, own_cluster
from waiting import wait_until

PYTHON = ENVIRONMENTS / "torch" / "bin" / "python"
SECONDS = 60 * float(os.environ.get("MUSTER_SLOW_MINUTES", "4"))
RUNS = int(os.environ.get("MUSTER_SLOW_RUNS", "1"))
SECONDS_SLOW = 300  # of a run with a slow rank, at most; the first minute does not count
STEADY = ("trainer", "lightning")
NANOGPT = os.environ.get("MUSTER_NANOGPT", "")
LETTERS = 64  # of the text that nanoGPT learns
NAMES = "arrives last in"

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with own_cluster("steady", 3, "--cpus", "32") as cluster, left_clean(cluster):
        cluster.give("alice", PROGRAMS / "steady_data.py")
        if NANOGPT:
            give_nanogpt(cluster)
        yield cluster


def give_nanogpt(cluster: Cluster) -> None:
    """With a text of random letters. nanoGPT's three lines that ask for CUDA under DDP ask for the CPU."""
    for name in ("model.py", "configurator.py"):
        shutil.copy(Path(NANOGPT) / name, cluster.home)
    program = (Path(NANOGPT) / "train.py").read_text()
    for line, on_cpu in (("device = f'cuda:{ddp_local_rank}'", "device = 'cpu'"),
                         ("torch.cuda.set_device(device)", "pass"),
                         ("device_ids=[ddp_local_rank]", "device_ids=None")):
        assert program.count(line) == 1, line
        program = program.replace(line, on_cpu)
    cluster.write("train.py", program)
    text = array.array("H", random.Random(1).choices(range(LETTERS), k=1 << 16))
    for name in ("train.bin", "val.bin"):
        cluster.write(f"data/steady/{name}", "").write_bytes(text.tobytes())
    cluster.write("data/steady/meta.pkl", "").write_bytes(pickle.dumps({"vocab_size": LETTERS}))


@contextlib.contextmanager
def training(cluster: Cluster, program: str, name: str, seconds: float, slow_rank: str = "") -> Iterator[Command]:
    cluster.give("alice", PROGRAMS / f"steady_{program}.py")
    line = f"train.py steady_{program}.py" if program == "nanogpt" else f"steady_{program}.py {seconds}"
    step = cluster.start(
        f"srun -N3 -n3 -c2 --distributed={'lightning' if program == 'lightning' else 'torch'},slow=on,"
        f"report={name}.json {PYTHON} {line}",
        env={"OMP_NUM_THREADS": "1", "RUN_NAME": name, "SECONDS": str(seconds), "SLOW_RANK": slow_rank,
             "HF_HUB_OFFLINE": "1"})
    try:
        yield step
    finally:
        step.kill()


def test_nobody_is_named_in_healthy_runs_of_real_programs(cluster: Cluster) -> None:
    with contextlib.ExitStack() as stack:
        steps = {name: stack.enter_context(training(cluster, program, name, SECONDS))
                 for number in range(RUNS) for program in (*STEADY, *(["nanogpt"] if NANOGPT else []))
                 for name in [f"{program}-{number}"]}
        results = {name: step.wait(2 * SECONDS + PATIENCE) for name, step in steps.items()}
    assert {name: result.err for name, result in results.items() if result.code or "slow=: " in result.err} == {}
    assert {name: slow for name in results
            if (slow := json.loads((cluster.home / f"{name}.json").read_text())["slow"])} == {}


@pytest.mark.parametrize("program", STEADY)
def test_a_rank_that_reads_its_data_slowly_is_named(cluster: Cluster, program: str) -> None:
    with training(cluster, program, f"slow-{program}", SECONDS_SLOW, "1") as step:
        wait_until(lambda: NAMES in step.err or not step.running, SECONDS_SLOW + PATIENCE, "a name")
        line, = [line for line in step.err.splitlines() if NAMES in line]
    assert "slow=: rank 1 on node2 arrives last in" in line, line
    assert "it waits" in line, line
