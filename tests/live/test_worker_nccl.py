"""NCCL's ids from the real ncclGetUniqueId over PMIx and TCP, and what is reported before NCCL starts.

Needs a libnccl (2.18 or newer), named by MUSTER_NCCL_LIBRARY or installed by pip for this Python (nvidia-nccl-cu12);
skipped without one. No GPU is needed: its absence is one of the things to be reported.
"""

import ctypes
import os
import re
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pytest
from cluster import CHECKOUT, Cluster
from command import Result
from releases import TRANSPORTS

COMPILED = Path(os.environ.get("MUSTER_BUILD", CHECKOUT / "build")) / "tests" / "live" / "compiled"
PROMPTLY = 5  # seconds: well before the deadline of any call


def real_nccl() -> Path:
    named = os.environ.get("MUSTER_NCCL_LIBRARY")
    path = Path(named) if named else Path(sysconfig.get_path("purelib")) / "nvidia/nccl/lib/libnccl.so.2"
    if not path.exists():
        pytest.skip(f"no libnccl: {path} is not there; set MUSTER_NCCL_LIBRARY")
    return path


@dataclass(frozen=True)
class Told:
    node: str
    status: str
    seconds: float
    text: str

    @property
    def ids(self) -> list[str]:
        count, *ids = self.text.split()
        assert int(count) == len(ids)
        return ids


def told(result: Result) -> dict[int, Told]:
    pattern = r"rank (\d+) on (\S+): ([a-z ]+) after ([\d.]+) s: (.*)"
    found = (re.fullmatch(pattern, line) for line in result.lines)
    ranks = {int(m[1]): Told(m[2], m[3], float(m[4]), m[5]) for m in found if m}
    assert sorted(ranks) == list(range(6)), result.out + result.err
    return ranks


@pytest.fixture
def step(cluster: Cluster):
    """Runs nccl_rank as six ranks on three nodes."""
    cluster.give("alice", COMPILED / "nccl_rank")
    cluster.give("alice", real_nccl(), "libnccl.so.2")
    library = next(cluster.prefix.rglob("libmuster.so.0")).parent

    def run(transport: str, words: str, program: str = "./nccl_rank", **environment: str) -> Result:
        with_transport = {"pmix": "--mpi=pmix", "tcp": "--mpi=none --distributed=torch"}[transport]
        variables = {"LD_LIBRARY_PATH": str(library), "MUSTER_TRANSPORT": transport, "MUSTER_TIMEOUT": "20",
                     "MUSTER_NCCL_LIBRARY": "./libnccl.so.2", **environment}
        return cluster.srun(f"{with_transport} -K0 -N3 -n6 {program} {words}", env=variables, timeout=60)

    return run


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_every_rank_gets_the_same_ids_in_the_same_order(step, transport: str) -> None:
    result = step(transport, "ids 2")
    assert result.code == 0, result.out + result.err
    ranks = told(result)
    assert {rank.status for rank in ranks.values()} == {"ok"}
    ids = ranks[0].ids
    assert len(ids) == len(set(ids)) == 3
    assert all(rank.ids == ids for rank in ranks.values())


@pytest.mark.pmix
def test_each_root_is_where_its_first_rank_is(step) -> None:
    """An id begins with eight random bytes and then the address of its maker: family, port, IPv4 address."""
    ids = told(step("pmix", "ids 2"))[0].ids
    assert all(one[16:20] == "0200" for one in ids), "NCCL's layout has changed"
    assert len({one[24:32] for one in ids}) == 3, "three roots on three nodes have three addresses"


@pytest.mark.pmix
def test_one_root_is_enough_for_a_few_ranks(step) -> None:
    ids = told(step("pmix", "ids 128"))[3].ids
    assert len(ids) == 1


@pytest.mark.pmix
def test_an_old_address_in_the_environment_does_no_harm(step) -> None:
    ranks = told(step("pmix", "ids 2", NCCL_COMM_ID="192.0.2.77:29500"))
    assert {rank.status for rank in ranks.values()} == {"ok"}
    assert not any("c000024d" in one for one in ranks[0].ids)


@pytest.mark.skipif(Path("/dev/nvidiactl").exists(), reason="there is a GPU here")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_ranks_without_a_gpu_are_told_by_node_and_at_once(step, transport: str) -> None:
    result = step(transport, "init 128")
    assert result.code != 0
    for rank in told(result).values():
        assert rank.status == "gpu", rank
        assert re.match(r"node1: ranks 0 and 1 (have no NVIDIA driver|see no GPU)", rank.text), rank
        assert rank.seconds < PROMPTLY


@pytest.mark.pmix
def test_a_node_without_nccl_is_told_to_all_at_once(cluster: Cluster, step) -> None:
    cluster.write("on_one_node_without", """#!/bin/bash
        if [ "$SLURM_NODEID" = 1 ]; then export MUSTER_NCCL_LIBRARY=/nowhere/libnccl.so.2; fi
        exec ./nccl_rank "$@"
        """).chmod(0o755)
    ranks = told(step("pmix", "init 128", program="./on_one_node_without"))
    assert {rank.status for rank in ranks.values()} == {"library"}
    for number, rank in ranks.items():
        assert rank.seconds < PROMPTLY
        if rank.node == "node2":
            assert rank.text.startswith("NCCL (MUSTER_NCCL_LIBRARY=/nowhere/libnccl.so.2): ")
        else:
            assert rank.text.startswith("node2: ranks 2 and 3 find no NCCL"), number


@pytest.mark.pmix
def test_different_versions_of_nccl_are_told_by_node(cluster: Cluster, step) -> None:
    other = os.environ.get("MUSTER_TEST_OTHER_NCCL")
    if not other:
        pytest.skip("set MUSTER_TEST_OTHER_NCCL to a libnccl of another version")
    versions = []
    for path in (str(real_nccl()), other):
        version = ctypes.c_int()
        ctypes.CDLL(path).ncclGetVersion(ctypes.byref(version))
        versions.append(f"{version.value // 10000}.{version.value % 10000 // 100}.{version.value % 100}")
    cluster.give("alice", Path(other), "libnccl.other")
    cluster.write("with_another", """#!/bin/bash
        if [ "$SLURM_NODEID" = 1 ]; then export MUSTER_NCCL_LIBRARY=./libnccl.other; fi
        exec ./nccl_rank "$@"
        """).chmod(0o755)
    ranks = told(step("pmix", "init 128", program="./with_another"))
    assert {rank.status for rank in ranks.values()} == {"gpu"}
    assert ranks[0].text.startswith(f"node2: ranks 2 and 3 have NCCL {versions[1]}, but rank 0 on node1 has {versions[0]}: ")
    assert ranks[2].text.startswith(f"node1: ranks 0 and 1 have NCCL {versions[0]}, but rank 2 on node2 has {versions[1]}: ")
