"""Where the worker library's ranks rendezvous without PMIx: a second port on rank 0's node, and a key that nothing else
can see."""

import re

import pytest
from cluster import Cluster, Task

SIX = "-N3 -n6 --mpi=none"
NAMES = ("MUSTER_EXCHANGE", "MUSTER_EXCHANGE_KEY")


def places(tasks: list[Task]) -> set[tuple[str, ...]]:
    return {tuple(task[name] for name in NAMES) for task in tasks}


@pytest.mark.parametrize("size", ["-N1 -n1", "-N2 -n2", "-N3 -n6"])
def test_the_port_after_master_port_is_left_to_the_program(cluster: Cluster, size: str) -> None:
    for task in cluster.probe(f"--distributed=torch {size}"):
        _, _, port = task["MUSTER_EXCHANGE"].rpartition(":")
        assert int(port) not in (task.number("MASTER_PORT"), task.number("MASTER_PORT") + 1)


def test_all_ranks_know_one_place_beside_the_rendezvous_and_one_key(cluster: Cluster) -> None:
    tasks = cluster.probe(f"--distributed=torch {SIX}")
    ((place, key),) = places(tasks)
    address, _, port = place.rpartition(":")
    assert address == tasks[0]["MASTER_ADDR"] == cluster.address("node1")
    first, _, last = tasks[0]["SLURM_STEP_RESV_PORTS"].partition("-")
    assert int(port) in set(range(int(first), int(last) + 1)) - {tasks[0].number("MASTER_PORT")}
    assert re.fullmatch(r"[0-9a-f]{64}", key)


def test_every_step_has_a_key_of_its_own(cluster: Cluster) -> None:
    keys = {task["MUSTER_EXCHANGE_KEY"] for _ in range(2) for task in cluster.probe("--distributed=torch -n1")}
    assert len(keys) == 2


def test_every_profile_with_a_task_per_rank_has_it(cluster: Cluster) -> None:
    for profile in ("none", "jax", "mpi"):
        ((place, key),) = places(cluster.probe(f"--distributed={profile} -N2 -n2"))
        assert place and key, profile


def test_a_profile_whose_tasks_are_agents_has_the_key_alone(cluster: Cluster) -> None:
    """The processes that its tasks start rendezvous elsewhere, but can prove with the key that they belong to this
    step."""
    tasks = cluster.probe("--distributed=torchrun -N2 -n2 --ntasks-per-node=1")
    assert not any("MUSTER_EXCHANGE" in task.environment for task in tasks)
    (key,) = {task["MUSTER_EXCHANGE_KEY"] for task in tasks}
    assert re.fullmatch(r"[0-9a-f]{64}", key)


def test_a_step_inside_a_task_has_its_own(cluster: Cluster) -> None:
    cluster.write("nested.sh", """
        echo $MUSTER_EXCHANGE $MUSTER_EXCHANGE_KEY
        srun --overlap -N1 -n1 --mpi=none --distributed=torch sh -c 'echo $MUSTER_EXCHANGE $MUSTER_EXCHANGE_KEY'
        srun --overlap -N1 -n1 --mpi=none --distributed=torchrun sh -c 'echo none $MUSTER_EXCHANGE $MUSTER_EXCHANGE_KEY'
        """)
    result = cluster.srun("-N1 -n1 --distributed=torch sh nested.sh", timeout=60)
    assert result.code == 0, result.err
    outer, inner, agents = (line.split() for line in result.lines)
    assert len(outer) == len(inner) == 2
    assert not set(outer) & set(inner)
    none, key = agents
    assert none == "none" and key not in (*outer, *inner)


def test_the_users_own_place_is_kept(cluster: Cluster) -> None:
    (task,) = cluster.probe("--distributed=torch -n1", env={"MUSTER_EXCHANGE": "10.9.9.9:1234"})
    assert task["MUSTER_EXCHANGE"] == "10.9.9.9:1234"
    assert "MUSTER_EXCHANGE_KEY" not in task.environment


def test_the_key_is_shown_nowhere(cluster: Cluster) -> None:
    program = "sh -c 'echo $MUSTER_EXCHANGE_KEY; ps -eo args'"
    result = cluster.srun(f"--distributed=torch,explain,verbose -n1 {program}")
    assert result.code == 0, result.err
    key, *processes = result.lines
    assert re.fullmatch(r"[0-9a-f]{64}", key)
    assert processes
    assert key not in "\n".join(processes) + result.err
    assert "MUSTER_EXCHANGE_KEY" not in result.err
    logs = [file for file in cluster.state.rglob("*.log") if file.is_file()]
    assert logs
    assert not [log for log in logs if key.encode() in log.read_bytes()]
