"""The real Ray: the step's nodes are its cluster for as long as the program runs."""

import shlex

import pytest
from cluster import Cluster
from command import Result
from framework import ENVIRONMENTS, PATIENCE, PROGRAMS

SMALL = "--object-store-memory=100000000"


@pytest.fixture(autouse=True)
def program(cluster: Cluster) -> None:
    cluster.give("alice", PROGRAMS / "ray_nodes.py")


def start(cluster: Cluster, options: str, words: str, *, timeout: float = PATIENCE) -> Result:
    python = ENVIRONMENTS / "ray/bin/python"
    return cluster.srun(f"{options} {python} -m muster.ray {SMALL} {words}", timeout=timeout,
                        env={"PYTHONPATH": f"{cluster.prefix}/share/muster/python"})


def said(result: Result) -> list[str]:
    return [line for line in result.lines if line.startswith("driver on ")]


@pytest.mark.slow
def test_the_program_runs_once_on_a_cluster_of_the_steps_nodes(cluster: Cluster) -> None:
    result = start(cluster, "--distributed=ray -N3 --ntasks-per-node=1 -c2", "ray_nodes.py")
    assert result.code == 0, f"{result.out}{result.err}"
    assert said(result) == ["driver on node1: 3 nodes, 6 CPUs: 0 on node1, 1 on node2, 2 on node3"]
    cluster.await_clean()


@pytest.mark.slow
def test_neither_the_program_nor_rays_workers_take_themselves_for_ranks(cluster: Cluster) -> None:
    """A trial in one process would otherwise wait for ranks that do not exist, at the port of Ray's head."""
    result = start(cluster, "--distributed=ray -N2 --ntasks-per-node=1 -c2", "ray_nodes.py")
    assert result.code == 0, f"{result.out}{result.err}"
    assert "RANK" not in result.out and "MASTER" not in result.out
    assert said(result) == ["driver on node1: 2 nodes, 4 CPUs: 0 on node1, 1 on node2"]


@pytest.mark.slow
def test_the_programs_exit_code_is_the_steps(cluster: Cluster) -> None:
    result = start(cluster, "--distributed=ray -N2 --ntasks-per-node=1", "-- bash -c 'exec $0 ray_nodes.py 7' "
                   f"{ENVIRONMENTS}/ray/bin/python")
    assert result.code == 7, f"{result.out}{result.err}"
    assert "rank      : 0 (local_rank: 0)" in result.err and "Ray's logs are in " in result.err
    cluster.await_clean()


@pytest.mark.slow
def test_two_steps_on_the_same_nodes_do_not_meet(cluster: Cluster) -> None:
    job = "#!/bin/bash\n" + "".join(
        f"srun --distributed=ray --overlap -N{nodes} -n{nodes} {ENVIRONMENTS}/ray/bin/python -m muster.ray {SMALL} "
        "ray_nodes.py &\n" for nodes in (2, 3)) + "wait\n"
    done = cluster.sbatch(job, "-N3 --ntasks-per-node=1 -c2", timeout=PATIENCE,
                          env={"PYTHONPATH": f"{cluster.prefix}/share/muster/python"})
    assert sorted(line.split(":")[1].strip().split(",")[0] for line in said(done)) == ["2 nodes", "3 nodes"], done.out


@pytest.mark.slow
def test_a_node_whose_part_ends_is_named(cluster: Cluster) -> None:
    result = start(cluster, "--distributed=ray,grace=5 -N3 --ntasks-per-node=1",
                   "-- bash -c 'pkill -9 -x raylet; sleep 1000'", timeout=PATIENCE)
    assert result.code != 0
    assert "rank      : 0 (local_rank: 0)" in result.err and "Ray's head exited with code " in result.err, result.err
    cluster.await_clean(30)


@pytest.mark.slow
def test_nobody_else_may_use_the_cluster(cluster: Cluster) -> None:
    """Other users lack the step's token; the program itself has it."""
    stranger = "env -u RAY_AUTH_TOKEN RAY_AUTH_MODE=disabled $0 ray_nodes.py; echo stranger $?; exec $0 ray_nodes.py"
    result = start(cluster, "--distributed=ray -N2 --ntasks-per-node=1", f"-- bash -c {shlex.quote(stranger)} "
                   f"{ENVIRONMENTS}/ray/bin/python")
    assert result.code == 0, f"{result.out}{result.err}"
    assert "stranger 0" not in result.out and "stranger " in result.out
    assert len(said(result)) == 1
    cluster.await_clean()


@pytest.mark.slow
def test_two_tasks_on_a_node_are_refused_before_any_starts(cluster: Cluster) -> None:
    result = start(cluster, "--distributed=ray -N2 -n4", "ray_nodes.py", timeout=60)
    assert result.code == 1 and result.out == ""
    assert "one task per node" in result.complaints[0]


@pytest.mark.slow
def test_outside_of_a_step_it_is_one_line(cluster: Cluster) -> None:
    result = cluster.run(f"{ENVIRONMENTS}/ray/bin/python -m muster.ray ray_nodes.py",
                         env={"PYTHONPATH": f"{cluster.prefix}/share/muster/python"})
    assert result.code == 1
    assert result.err == ("muster.ray: 'RANK': this is not a muster step; start it with srun --ntasks-per-node=1 "
                          "--distributed=ray\n")
