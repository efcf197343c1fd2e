"""An exported MASTER_ADDR: the user's choice as long as the ranks can meet there, or until muster moves rank 0."""

from pathlib import Path

import pytest
from cluster import Cluster
from command import Result

# In the first attempt, the program cannot start on the node BAD.
PROGRAM = """\
import os
import time
attempt, node = os.environ["TORCHELASTIC_RESTART_COUNT"], os.environ["SLURMD_NODENAME"]
if node == os.environ["BAD"]:
    raise ImportError("libcudart.so.12: cannot open shared object file: No such file or directory")
print(attempt, node, os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"], flush=True)
if attempt == "0" and os.environ["RANK"] == os.environ.get("FAILS"):
    raise SystemExit(3)
time.sleep(60 if attempt == "0" else 1)
"""


def remarks(result: Result, name: str = "MASTER_ADDR") -> list[str]:
    return [line for line in result.complaints if name in line]


def restarted(cluster: Cluster, exported: str, **env: str) -> Result:
    """The program on two of three nodes, of which one is a spare; the second attempt succeeds."""
    cluster.write("train.py", PROGRAM)
    result = cluster.run("salloc -Q -N3 --ntasks-per-node=1 srun --distributed=torch,restarts=2,spares=1,grace=1 "
                         "python3 train.py", env={"MASTER_ADDR": exported, "BAD": "", **env})
    assert result.code == 0, result.err
    return result


@pytest.mark.parametrize("by_name", [True, False])
def test_an_exported_address_gives_way_once_rank_0_has_moved(cluster: Cluster, by_name: bool) -> None:
    exported = "node1" if by_name else cluster.address("node1")
    result = restarted(cluster, exported, BAD="node1", MASTER_PORT="21987")
    new = cluster.address("node2")
    assert {line for line in result.lines if line.startswith("1 ")} == {f"1 node2 {new} 21987", f"1 node3 {new} 21987"}
    (line,) = remarks(result)
    assert line == (f"muster: warning: MASTER_ADDR={exported} is exported, but rank 0 of this attempt runs on node2, so muster "
                    f"sets MASTER_ADDR to {new}; unset MASTER_ADDR, and muster sets it correctly every time")


def test_an_exported_address_stays_while_rank_0_does(cluster: Cluster) -> None:
    result = restarted(cluster, "node1", FAILS="1")
    assert {line.split()[2] for line in result.lines} == {"node1"}
    assert "1 node1" in result.out
    assert remarks(result) == [], result.err


def test_an_exported_address_counts_only_for_the_group_whose_it_is(cluster: Cluster) -> None:
    result = cluster.srun("-N2 --ntasks-per-node=1 --distributed=torch,groups=2 "
                          "sh -c 'echo $REPLICA_GROUP_ID $MASTER_ADDR'", env={"MASTER_ADDR": "node1"})
    assert sorted(result.lines) == ["0 node1", f"1 {cluster.address('node2')}"], result.err
    (line,) = remarks(result)
    assert "MASTER_ADDR=node1 is exported, but rank 0 of this group runs on node2" in line


def test_an_empty_export_is_none(cluster: Cluster) -> None:
    (task,) = cluster.probe("-w node1 -n1 --distributed=torch")
    program = cluster.new_probe()
    empty = dict.fromkeys(["MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE", "LOCAL_RANK"], "")
    result = cluster.srun(f"-w node1 -n1 --distributed=torch {program}", env=empty)
    assert (result.code, result.complaints) == (0, []), result.err
    (of_empty,) = program.tasks()
    for name in ("MASTER_ADDR", "RANK", "WORLD_SIZE", "LOCAL_RANK"):
        assert of_empty[name] == task[name]
    assert of_empty.number("MASTER_PORT") > 0


def test_any_name_and_address_of_rank_0s_node_is_right(cluster: Cluster) -> None:
    hosts = "127.0.0.1 localhost\n" + cluster.hosts("ctl", "login", *cluster.nodes)
    hosts += f"{cluster.address('node1')} node1-ib0 jwb0001i\n"
    with cluster.covered("node1", Path("/etc/hosts"), cluster.site_file("hosts", hosts)):
        for right in ("node1", "node1.cluster", "node1-ib0", "jwb0001i", cluster.address("node1")):
            kept = cluster.srun("-w node[1-2] -N2 -n2 --distributed=torch sh -c 'echo $MASTER_ADDR'",
                                env={"MASTER_ADDR": right})
            assert (set(kept.lines), remarks(kept)) == ({right}, []), kept.err
    for right in ("localhost", "127.0.0.1"):
        kept = cluster.srun("-N1 -n2 --distributed=torch sh -c 'echo $MASTER_ADDR'", env={"MASTER_ADDR": right})
        assert (set(kept.lines), remarks(kept)) == ({right}, []), kept.err


@pytest.mark.parametrize(("wrong", "why"), [
    ("localhost", "on each of the 2 nodes, it is that node's own address"),
    ("127.0.0.1", "on each of the 2 nodes, it is that node's own address"),
    ("node2", "rank 0 runs on node1"),
    ("no-such-node", "node1, where rank 0 runs, cannot resolve it")])
def test_an_exported_address_where_the_ranks_cannot_meet_is_one_line(cluster: Cluster, wrong: str, why: str) -> None:
    result = cluster.srun("-w node[1-2] -N2 -n2 --distributed=torch true", env={"MASTER_ADDR": wrong})
    (line,) = remarks(result)
    assert line.startswith(f"muster: warning: MASTER_ADDR={wrong} is exported, so it is kept, but {why}"), line
    assert remarks(cluster.srun("-w node[1-2] -N2 -n2 --distributed=jax true", env={"MASTER_ADDR": wrong})) == []
