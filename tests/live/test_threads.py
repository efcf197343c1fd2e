"""How a real OpenMP runtime interprets a task's variables: threads stay inside the task's mask, and are unbound where
binding would hurt performance."""

import json

import pytest
from cluster import Cluster

ONE_TASK_TWO_CORES = "-N1 -n1 -c2"
OMP = ("OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND")


def openmp(cluster: Cluster, options: str, **more) -> list[dict]:
    """What each task's OpenMP runtime reports, by rank."""
    result = cluster.srun(f"{options} ./openmp", **more)
    assert result.code == 0, result.err
    return sorted(map(json.loads, result.lines), key=lambda task: task["procid"])


def test_threads_of_an_mpi_program_have_a_core_each(cluster: Cluster) -> None:
    (task,) = openmp(cluster, f"--distributed=mpi {ONE_TASK_TWO_CORES}")
    assert task["mask"] == [0, 1]
    assert task["places"] == task["threads"] == [[0], [1]]


def test_places_lie_inside_each_tasks_mask(cluster: Cluster) -> None:
    tasks = openmp(cluster, "--distributed=mpi -N1 -n2")
    assert [task["mask"] for task in tasks] == [[0], [1]]
    assert [task["places"] for task in tasks] == [[[0]], [[1]]]
    assert [task["threads"] for task in tasks] == [[[0]], [[1]]]


def test_what_torchs_main_thread_forks_has_all_cores_of_the_task(cluster: Cluster) -> None:
    (task,) = openmp(cluster, f"--distributed=torch {ONE_TASK_TWO_CORES}")
    assert task["threads"] == [[0, 1], [0, 1]]
    assert task["child"] == [0, 1]


def test_threads_of_tasks_that_share_cores_are_not_bound_to_the_same_one(cluster: Cluster) -> None:
    tasks = openmp(cluster, "--distributed=mpi,bind=socket -N1 -n2")
    assert [task["mask"] for task in tasks] == [[0, 1], [0, 1]]
    assert [task["threads"] for task in tasks] == [[[0, 1]], [[0, 1]]]


@pytest.mark.parametrize(("own", "threads", "kept"), [
    ({"OMP_PROC_BIND": "close"}, [[0], [1]], {"OMP_PLACES": "cores"}),
    ({"OMP_PLACES": "{1},{0}"}, [[1], [0]], {}),
    ({"GOMP_CPU_AFFINITY": "1"}, [[1], [1]], {}),
])
def test_the_users_own_binding_of_threads_wins(cluster: Cluster, own: dict, threads: list, kept: dict) -> None:
    (task,) = openmp(cluster, f"--distributed=torch {ONE_TASK_TWO_CORES}", env=own)
    assert task["threads"] == threads
    (probe,) = cluster.probe(f"--distributed=torch {ONE_TASK_TWO_CORES}", env=own)
    expected = own | kept
    assert {name: probe.environment.get(name) for name in (*OMP[1:], *own)} == {
        name: expected.get(name) for name in (*OMP[1:], *own)}


def test_nothing_is_said_of_masks_that_the_user_chose(cluster: Cluster) -> None:
    for task in cluster.probe("--distributed=mpi -N1 -n2 --cpu-bind=map_cpu:1,0"):
        assert not set(OMP) & set(task.environment)


@pytest.mark.parametrize("options", ["--distributed=mpi --cpu-bind=none", "--distributed=mpi,bind=none"])
def test_unbound_tasks_share_the_steps_cores_as_threads(cluster: Cluster, options: str) -> None:
    for task in cluster.probe(f"{options} -N1 -n2"):
        assert task["OMP_NUM_THREADS"] == "1"
        assert not set(OMP[1:]) & set(task.environment)


def test_a_node_without_rdma_has_no_variable_of_it(cluster: Cluster) -> None:
    (task,) = cluster.probe("--distributed=torch -n1")
    assert not {"NCCL_IB_HCA", "UCX_NET_DEVICES", "FI_CXI_DEVICE_NAME"} & set(task.environment)
