"""preflight= with NCCL, on nodes whose kernel appears to have a GPU, with doubles of CUDA and NCCL (gpu_double.c)."""

import contextlib
import os
import re
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest
from cluster import Cluster
from own_cluster import BUILD, left_clean, own_cluster
from restarted import Restarted, Training

HOME = "/home/alice"
LONG = os.environ.get("MUSTER_LONG") == "1"
DOUBLES = BUILD / "tests" / "unit" / "launcher" / "gpu_doubles"
SIX = "salloc -Q -N6 --ntasks-per-node=1 srun OPTION RESUME"
MEASURED = r"preflight: NCCL: (\d+) nodes in (\d+) rounds, [\d.]+ s a test: latency ([\d.]+) ms, bandwidth (\d+) MB/s \(medians\)"


@pytest.fixture(scope="module")
def whole_own() -> Iterator[Cluster]:
    if not DOUBLES.exists():
        pytest.skip("no doubles of CUDA and NCCL here: build launcher_preflight_test")
    with own_cluster("pair-nccl", 6) as cluster:
        yield cluster


@pytest.fixture
def own(whole_own: Cluster) -> Iterator[Cluster]:
    with left_clean(whole_own):
        yield whole_own


@contextlib.contextmanager
def gpus(cluster: Cluster, nodes: list[str]) -> Iterator[None]:
    """The kernel of these nodes appears to have an NVIDIA GPU."""
    for node in nodes:
        folder = f"/dev/shm/driver-{node}"
        cluster.node(node, f"mkdir -p {folder}/nvidia/gpus/0000:41:00.0 && mount --bind {folder} /proc/driver")
    try:
        yield
    finally:
        for node in nodes:
            cluster.node(node, f"umount --lazy /proc/driver; rm -r /dev/shm/driver-{node}")


def train(cluster: Cluster, keys: str = "", line: str = SIX, arguments: str = "0.2", **orders: str) -> Restarted:
    (cluster.home / "doubles").mkdir(exist_ok=True)
    for library in DOUBLES.iterdir():
        cluster.give("alice", library, f"doubles/{library.name}")
    for file in (cluster.home / "loaded", cluster.home / "ledger"):
        file.unlink(missing_ok=True)
    env = {"LD_LIBRARY_PATH": f"{HOME}/doubles", "GPU_DOUBLE_LOADED": f"{HOME}/loaded", **orders}
    return Training(cluster, line, keys=f"grace=1,preflight=32,{keys}verbose", arguments=arguments, env=env).end(120)


def loaded(cluster: Cluster) -> list[str]:
    """The nodes with processes that have loaded a double."""
    file = cluster.home / "loaded"
    return [line.split()[0] for line in file.read_text().splitlines()] if file.exists() else []


def run_of(ended: Restarted) -> dict[str, Any]:
    assert ended.report is not None, ended.result.err
    return ended.report["preflight"]["runs"][0]


def problems(ended: Restarted) -> dict[str, tuple[str, str]]:
    return {problem["node"]: (problem["verdict"], problem["what"]) for problem in run_of(ended)["problems"]
            if problem["verdict"] != "warning"}


def measured(ended: Restarted) -> tuple[int, int]:
    """The numbers of nodes and of rounds in NCCL's tests."""
    found = re.search(MEASURED, ended.result.err)
    assert found, ended.result.err
    assert float(found[3]) > 0 and int(found[4]) > 0
    return int(found[1]), int(found[2])


def test_without_a_gpu_no_program_is_started_and_no_library_is_opened(own: Cluster) -> None:
    program = own.prefix / "bin" / "muster-preflight-nccl"
    witness = own.site_file("witness", "#!/bin/sh\necho $SLURMD_NODENAME >>/home/alice/started\n")
    witness.chmod(0o755)
    started = own.home / "started"
    started.unlink(missing_ok=True)
    with contextlib.ExitStack() as stack:
        for node in own.nodes[:6]:
            stack.enter_context(own.covered(node, program, witness))
        ended = train(own)
        assert ended.result.code == 0, ended.result.err
        assert not started.exists() and loaded(own) == []
        assert "preflight: NCCL was not tested: no node has an NVIDIA GPU" in ended.result.err
        assert run_of(ended)["nccl_median_latency_us"] is None
        with gpus(own, ["node2"]):
            ended = train(own)
        assert not started.exists() and loaded(own) == []
        assert "preflight: NCCL was not tested: only one node has an NVIDIA GPU" in ended.result.err
        with gpus(own, ["node2", "node5"]):
            train(own)
        assert sorted(set(started.read_text().split())) == ["node2", "node5"], "the witness sees nothing"


def test_all_well_nobody_is_named_and_the_figures_are_said(own: Cluster) -> None:
    with gpus(own, own.nodes[:6]):
        for _ in range(100 if LONG else 3):
            ended = train(own, GPU_DOUBLE_LEDGER=f"{HOME}/ledger")
            assert ended.result.code == 0, ended.result.err
            assert problems(ended) == {}
        nodes, rounds = measured(ended)
        assert nodes == 6 and rounds >= 2
        run = run_of(ended)
        assert run["nccl_median_latency_us"] > 0 and run["nccl_median_bandwidth_mb_per_s"] > 0
        assert set(loaded(own)) == set(own.nodes[:6])
        last = {line.split()[0]: line.split()[1:] for line in (own.home / "ledger").read_text().splitlines()}
        assert last == {node: ["released", "0", "0"] for node in own.nodes[:6]}, "a GPU was not given back"
        silent = own.run("salloc -Q -N6 srun --distributed=torch,preflight=32 true",
                         env={"LD_LIBRARY_PATH": f"{HOME}/doubles"}, timeout=60)
        assert (silent.code, silent.err) == (0, ""), silent.err


@pytest.mark.parametrize(("order", "verdict", "what"), [
    ({"NCCL_DOUBLE_SLOW": "{node}:20000"}, "slow", r"NCCL: latency [12]\d\.\d\d ms, elsewhere [\d.]+ ms \(with node\d, node\d"),
    ({"NCCL_DOUBLE_FAILS": "{node}"}, "failing", r"NCCL: ncclAllReduce failed with error 5; .* \(with node\d, node\d"),
    pytest.param({"NCCL_DOUBLE_HANGS": "{node}"}, "failing",
                 r"NCCL: .*did not finish an all-reduce in time \(with node\d, node\d", marks=pytest.mark.long),
    ({"NCCL_DOUBLE_STUCK": "{node}"}, "failing", r"NCCL: .* \(with node\d, node\d"),
    ({"GPU_DOUBLE_INIT_HANGS": "{node}"}, "slow", r"its GPU was not ready for NCCL within 8\.0 s; on other nodes, this "
                                                  r"took [0-2]\.\d s"),
    ({"GPU_DOUBLE_INIT_FAILS": "{node}"}, "failing", r"NCCL cannot start: cuInit: system not yet initialized"),
], ids=lambda value: next(iter(value)) if isinstance(value, dict) else "")
def test_a_node_on_which_only_nccl_is_bad_is_named_and_a_spare_takes_its_place(own: Cluster, order: dict[str, str],
                                                                             verdict: str, what: str) -> None:
    for number in range(100 if LONG and "NCCL_DOUBLE_SLOW" in order else 1):
        node = f"node{(number + 2) % 5 + 1}"
        orders = {name: value.format(node=node) for name, value in order.items()}
        with gpus(own, own.nodes[:6]):
            ended = train(own, "spares=1,", **orders)
        assert ended.result.code == 0, ended.result.err
        assert list(problems(ended)) == [node], run_of(ended)
        found = problems(ended)[node]
        assert found[0] == verdict and re.match(what, found[1]), found
        assert measured(ended)[0] >= 5
        assert node not in ended.nodes(0) and "node6" in ended.nodes(0)
        assert f"preflight: {node} " in ended.result.err and "another node takes its place" in ended.result.err


def test_a_node_without_nccl_is_left_out_of_its_tests_alone(own: Cluster) -> None:
    with gpus(own, own.nodes[:6]):
        ended = train(own, "spares=1,", GPU_DOUBLE_NONE="node3")
    assert ended.result.code == 0, ended.result.err
    assert problems(ended) == {}
    nodes, rounds = measured(ended)
    assert nodes == 5 and rounds >= 2
    assert "preflight: NCCL was not tested on node3: CUDA finds no GPU" in ended.result.err
    assert "node3" in ended.nodes(0)


def test_it_has_the_variables_that_the_sites_file_sets_on_that_node(own: Cluster) -> None:
    rules = own.site_file("rules.yaml", "variables:\n  - set: {NCCL_DOUBLE_VERSION: 'node2:22703'}\n")
    with gpus(own, own.nodes[:6]), own.plugstack("optional", config=rules):
        ended = train(own)
    assert ended.result.code == 0, ended.result.err
    assert problems(ended) == {}
    assert measured(ended)[0] == 5
    assert "preflight: NCCL was not tested on node2: NCCL 2.27.3, but most nodes have 2.28.9" in ended.result.err


def test_between_two_attempts_it_is_done_again_and_shorter(own: Cluster) -> None:
    with gpus(own, own.nodes[:6]):
        ended = train(own, "restarts=2,", arguments="0.2 0:0:7")
    assert ended.result.code == 0, ended.result.err
    assert ended.report is not None
    runs = ended.report["preflight"]["runs"]
    assert [run["attempt"] for run in runs] == [0, 1]
    assert all(run["nccl_median_latency_us"] > 0 for run in runs), runs


def test_an_interrupt_ends_it_and_what_it_has_started(own: Cluster) -> None:
    with gpus(own, own.nodes[:6]):
        training = Training(own, SIX, keys="grace=1,preflight=60,verbose", env={
            "LD_LIBRARY_PATH": f"{HOME}/doubles", "GPU_DOUBLE_INIT_HANGS": "node3"})
        deadline = time.monotonic() + 30
        while not any("muster-preflight-nccl" in process.command for process in own.processes("node3")):
            assert time.monotonic() < deadline, "it was never started"
            time.sleep(0.02)
        training.running.signal(signal.SIGINT)
        training.end(30)
        own.await_clean()
        assert not any("muster-preflight-nccl" in process.command for node in own.nodes for process in own.processes(node))
