"""Training over NCCL on a real GPU: run by hand, because the machines of CI have none. All nodes of the cluster share
the machine's first GPU. They have different host names, so NCCL connects their ranks over sockets.

The cluster's python3 must have PyTorch with CUDA. A test without a GPU is skipped."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import Cluster
from command import Command, Result
from own_cluster import BUILD, own_cluster
from waiting import wait_until

GPU = Path("/dev/nvidia0")
EXAMPLE = BUILD / "examples" / "nccl_allreduce"
SECONDS = int(os.environ.get("MUSTER_SLOW_SECONDS", "150"))  # the first minute does not count

# Where the programs of the test find CUDA's and NCCL's libraries, if not where the system has them.
PLACES = {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "MUSTER_NCCL_LIBRARY", "VIRTUAL_ENV") if name in os.environ}

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not GPU.exists(), reason="needs a GPU of NVIDIA's")]


@pytest.fixture(scope="module")
def own() -> Iterator[Cluster]:
    with own_cluster("nccl", 3, "--gpus", "1", etc={"gres.conf": f"Name=gpu File={GPU}\n"}) as cluster:
        yield cluster


def start(cluster: Cluster, keys: str = "", options: str = "-N3", **variables: str) -> Command:
    return cluster.start(f"srun --distributed=torch{keys} {options} --cpu-bind=none --gpus-per-node=1 ./nccl_training",
                         env={"NCCL_NET": "Socket", **PLACES, **variables})


def train(cluster: Cluster, keys: str = "", options: str = "-N3", **variables: str) -> Result:
    return start(cluster, keys, options, **variables).wait(240)


def report(cluster: Cluster, name: str) -> dict:
    return json.loads((cluster.home / name).read_text())


@pytest.mark.parametrize("nodes", [1, 3])
def test_ranks_on_gpus_train_together(own: Cluster, nodes: int) -> None:
    ended = train(own, options=f"-N{nodes}", FAULTY="-1")
    assert ended.code == 0, ended.err
    assert "error" not in ended.err
    assert ended.out.count(f" of {nodes} on NVIDIA") == nodes


def test_the_gpu_is_in_the_plan(own: Cluster) -> None:
    explained = own.srun("--distributed=torch,explain -N1 --gpus-per-node=1 true")
    print(explained.out, explained.err)
    address = next(Path("/proc/driver/nvidia/gpus").iterdir()).name
    assert address in explained.out + explained.err or "GPU 0" in explained.out + explained.err


def test_the_exception_is_named_and_not_what_nccl_says_afterwards(own: Cluster) -> None:
    ended = train(own, ",report=raises.json", CASE="raises")
    said = report(own, "raises.json")
    print(ended.err)
    assert ended.code == 1
    assert (said["certain"], said["first"]["rank"], said["first"]["reason"]) == (True, 1, "KeyError: 'accuracy'")


def test_after_a_failure_the_next_attempt_trains_on_the_same_gpus(own: Cluster) -> None:
    ended = train(own, ",restarts=1", CASE="raises")
    print(ended.err)
    assert ended.code == 0, ended.err
    assert ended.out.count(" of 3 on NVIDIA") == 3


def test_the_collectives_of_a_hang_are_in_the_dump(own: Cluster) -> None:
    step = start(own, CASE="hangs")
    try:
        wait_until(lambda: "ready" in step.out or not step.running, 120, "the rank that hangs")
        dump = own.run(f"{own.prefix}/bin/muster dump --seconds=30", timeout=90)
    finally:
        own.run("scancel --user=alice")
        step.wait(60)
    print(dump.out, dump.err)
    assert dump.code == 0, dump.err
    assert "MISSING rank 1 in all_reduce" in dump.out
    assert "main (nccl_training:" in dump.out


def test_hang_names_the_rank_that_the_others_wait_for(own: Cluster) -> None:
    ended = train(own, ",hang=10s,report=hang.json", CASE="hangs")
    said = report(own, "hang.json")
    print(ended.err)
    assert ended.code != 0
    assert "rank 1 on node2" in ended.err
    assert said["first"]["rank"] == 1


def test_questions_break_no_cuda_graph(own: Cluster) -> None:
    """muster asks CUDA for the state of events while another thread captures graphs, again and again."""
    step = start(own, ",slow=on", CASE="graphs", SECONDS="40", TORCH_NCCL_ENABLE_TIMING="1", FAULTY="-1")
    try:
        wait_until(lambda: not step.running or own.run("squeue -h --steps").out.strip(), 60, "the step")
        dumps = 0
        while step.running:
            dumps += own.run(f"{own.prefix}/bin/muster dump --json --output=none", timeout=90).code == 0
        ended = step.wait(60)
    finally:
        own.run("scancel --user=alice")
    assert ended.code == 0, ended.err
    assert dumps > 3


@pytest.mark.parametrize(("case", "timing"), [("sleeps", "0"), ("sleeps", "1"), ("gpu", "1")])
def test_the_slow_rank_is_named(own: Cluster, case: str, timing: str) -> None:
    """All together, because each takes minutes: one GPU is enough for nine ranks."""
    name = f"{case}-{timing}.json"
    ended = train(own, f",slow=on,report={name}", "-N3 --overlap", CASE=case, SECONDS=str(SECONDS), TORCH_NCCL_ENABLE_TIMING=timing)
    print(ended.err)
    assert ended.code == 0, ended.err
    slow = report(own, name)["slow"]
    assert [each["rank"] for each in slow] == [1]
    assert "its GPU is shared with" in slow[0]["cause"] or case == "sleeps"


@pytest.mark.skipif(not EXAMPLE.exists(), reason="CMake found no CUDA and NCCL, so the example is not built")
def test_libmuster_makes_a_communicator(own: Cluster) -> None:
    own.give("alice", EXAMPLE)
    ended = own.srun("--distributed=none -N3 --gpus-per-node=1 ./nccl_allreduce", env=PLACES, timeout=120)
    assert ended.code == 0, ended.err
    assert ended.out.count("sum of all ranks 3") == 3


def test_preflight_tests_nccl_between_the_nodes(own: Cluster) -> None:
    ended = train(own, ",preflight=40s,verbose", FAULTY="-1")
    print(ended.err)
    assert ended.code == 0, ended.err
    assert re.search(r"preflight: NCCL: 3 nodes in \d+ rounds", ended.err), ended.err


def test_doctor_finds_nothing_wrong_with_the_gpu(own: Cluster) -> None:
    told = own.run(f"{own.prefix}/bin/muster doctor --json", timeout=60)
    rows = {row["check"]: row for row in json.loads(told.out)["rows"] if "gpu" in row["check"]}
    print(json.dumps(rows, indent=1), os.linesep)
    assert rows
