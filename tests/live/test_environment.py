"""What every task finds in its environment: the list in design.md, with exact values."""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import Cluster, Task
from releases import slurm_has_pmix

SIX = "--distributed=torch -N3 -n6"
MPI = "--mpi=pmix" if slurm_has_pmix() else ""  # as muster itself would request it

# What muster itself needs, whatever the profile.
INTERNAL = {"MUSTER_SET", "MUSTER_STEP", "MUSTER_EXCHANGE", "MUSTER_EXCHANGE_KEY"}


def numbers(tasks: list[Task], *names: str) -> list[tuple[int, ...]]:
    return [tuple(task.number(name) for name in names) for task in tasks]


def reserved_ports(task: Task) -> range:
    first, _, last = task["SLURM_STEP_RESV_PORTS"].partition("-")
    return range(int(first), int(last or first) + 1)


def test_six_ranks_on_three_nodes_get_the_numbers_of_torchrun(cluster: Cluster) -> None:
    tasks = cluster.probe(SIX)
    assert numbers(tasks, "RANK", "LOCAL_RANK", "NODE_RANK", "GROUP_RANK", "ROLE_RANK") == [
        (0, 0, 0, 0, 0), (1, 1, 0, 0, 1), (2, 0, 1, 1, 2), (3, 1, 1, 1, 3), (4, 0, 2, 2, 4), (5, 1, 2, 2, 5)]
    assert {(task["WORLD_SIZE"], task["LOCAL_WORLD_SIZE"], task["GROUP_WORLD_SIZE"], task["ROLE_WORLD_SIZE"],
             task["ROLE_NAME"]) for task in tasks} == {("6", "2", "3", "6", "default")}
    assert [task.host for task in tasks] == ["node1", "node1", "node2", "node2", "node3", "node3"]


def test_rank_is_slurms_own_number(cluster: Cluster) -> None:
    for task in cluster.probe(SIX):
        assert task["RANK"] == task["SLURM_PROCID"]
        assert task.environment.get("PMIX_RANK") == (task["RANK"] if slurm_has_pmix() else None)
        assert task["LOCAL_RANK"] == task["SLURM_LOCALID"]
        assert task["NODE_RANK"] == task["SLURM_NODEID"]


def test_master_is_the_numeric_address_of_rank_0s_node_and_a_port_that_slurm_reserved(cluster: Cluster) -> None:
    tasks = cluster.probe(SIX)
    assert {task["MASTER_ADDR"] for task in tasks} == {cluster.address("node1")}
    assert len({task["MASTER_PORT"] for task in tasks}) == 1
    assert tasks[0].number("MASTER_PORT") in reserved_ports(tasks[0])


def test_torchelastics_variables_are_those_of_a_first_attempt(cluster: Cluster) -> None:
    for task in cluster.probe(SIX):
        run = f"{task['SLURM_JOB_ID']}.{task['SLURM_STEP_ID']}"
        assert task["TORCHELASTIC_RUN_ID"] == run
        assert task["TORCHELASTIC_RESTART_COUNT"] == "0"
        assert task["TORCHELASTIC_MAX_RESTARTS"] == "0"
        assert task["TORCHELASTIC_USE_AGENT_STORE"] == "False"
        file = rf"/tmp/muster-{re.escape(run)}-{task['SLURMD_NODENAME']}-\w+/{task['LOCAL_RANK']}/error\.json"
        assert re.fullmatch(file, task["TORCHELASTIC_ERROR_FILE"])
        assert task.error_directory_is_mine


def test_sockets_use_the_interface_that_reaches_rank_0(cluster: Cluster) -> None:
    for task in cluster.probe(SIX):
        assert task["GLOO_SOCKET_IFNAME"] == "eth0"
        assert task["NCCL_SOCKET_IFNAME"] == "eth0"
        assert task["PYTHONUNBUFFERED"] == "1"
        assert task["HYDRA_FULL_ERROR"] == "1"


def test_tasks_of_a_node_have_disjoint_cpus_and_as_many_threads(cluster: Cluster) -> None:
    tasks = cluster.probe(SIX)
    for first, second in zip(tasks[::2], tasks[1::2], strict=True):
        assert not set(first.cpus) & set(second.cpus)
        assert len(first.cpus) == len(second.cpus)
    for task in tasks:
        assert 1 <= task.number("OMP_NUM_THREADS") <= len(task.cpus)


def test_one_task_with_two_cpus_gets_two_threads(cluster: Cluster) -> None:
    (task,) = cluster.probe("--distributed=torch -n1 -c2 --hint=nomultithread")
    assert task["OMP_NUM_THREADS"] == "2"
    assert len(task.cpus) >= 2


def test_a_binding_that_the_user_chose_is_kept(cluster: Cluster) -> None:
    tasks = cluster.probe("--distributed=torch -N1 -n2 --cpu-bind=map_cpu:1,0")
    assert [task.cpus for task in tasks] == [[1], [0]]


def test_bind_none_leaves_the_mask_to_slurm(cluster: Cluster) -> None:
    plain = cluster.probe("-N1 -n2 --cpu-bind=none")
    bound = cluster.probe("--distributed=torch,bind=none -N1 -n2 --cpu-bind=none")
    assert [task.cpus for task in bound] == [task.cpus for task in plain]


def test_musters_own_messages_do_not_reach_the_tasks(cluster: Cluster) -> None:
    for task in cluster.probe(SIX):
        assert not [name for name in task.environment if name.startswith("SLURM_MUSTER_")]
        assert not [name for name in task.environment if "SPANK" in name]
        assert not {"MUSTER_SUPERVISOR", "MUSTER_STEP_SOCKET"} & set(task.environment)


def test_muster_set_names_what_muster_set_and_nothing_else(cluster: Cluster) -> None:
    (plain,) = cluster.probe(f"{MPI} -n1")
    (task,) = cluster.probe(f"{MPI} -n1 --distributed=torch")
    added = set(task.environment) - set(plain.environment) - INTERNAL
    assert set(task["MUSTER_SET"].split()) == added


def test_profile_none_sets_no_variable(cluster: Cluster) -> None:
    (plain,) = cluster.probe(f"{MPI} -n1")
    (task,) = cluster.probe(f"{MPI} -n1 --distributed=none")
    assert set(task.environment) - set(plain.environment) <= INTERNAL


def test_a_bare_option_means_torch(cluster: Cluster) -> None:
    (task,) = cluster.probe("--distributed -n1")
    assert task["RANK"] == "0"


def test_the_users_own_variables_win(cluster: Cluster) -> None:
    own = {"MASTER_PORT": "23456", "OMP_NUM_THREADS": "7", "NCCL_SOCKET_IFNAME": "lo", "PYTHONUNBUFFERED": "0",
           "HYDRA_FULL_ERROR": "0"}
    for task in cluster.probe(SIX, env=own):
        assert {name: task[name] for name in own} == own
        assert task["GLOO_SOCKET_IFNAME"] == "eth0"
        assert not set(own) & set(task["MUSTER_SET"].split())


def test_who_a_task_is_cannot_be_exported(cluster: Cluster) -> None:
    stale = {"RANK": "99", "LOCAL_RANK": "98", "WORLD_SIZE": "97", "TORCHELASTIC_RESTART_COUNT": "96"}
    tasks = cluster.probe(SIX, env=stale)
    assert numbers(tasks, "RANK", "LOCAL_RANK", "WORLD_SIZE") == [
        (0, 0, 6), (1, 1, 6), (2, 0, 6), (3, 1, 6), (4, 0, 6), (5, 1, 6)]
    assert {task["TORCHELASTIC_RESTART_COUNT"] for task in tasks} == {"0"}


def test_a_port_of_the_option_is_used(cluster: Cluster) -> None:
    (task,) = cluster.probe("--distributed=torch,port=31313 -n1")
    assert task["MASTER_PORT"] == "31313"
    (task,) = cluster.probe("--distributed=torch,port=31300-31309 -n1")
    assert task.number("MASTER_PORT") in range(31300, 31310)


def test_an_srun_inside_a_task_does_not_take_musters_variables_for_the_users(cluster: Cluster) -> None:
    probe = cluster.new_probe()
    inner = f"srun --overlap --distributed=torch -N2 -n2 {probe}"
    result = cluster.run(f"salloc -N2 -n2 srun -N1 -n1 --distributed=torch {inner}")
    assert result.code == 0, result.err
    tasks = probe.tasks()
    assert [task["RANK"] for task in tasks] == ["0", "1"]
    assert {task["TORCHELASTIC_RUN_ID"] for task in tasks} == {
        f"{tasks[0]['SLURM_JOB_ID']}.{tasks[0]['SLURM_STEP_ID']}"}
    assert {task.number("MASTER_PORT") for task in tasks} <= set(reserved_ports(tasks[0]))


@pytest.mark.pmix
def test_a_step_runs_without_pmix_where_slurms_plugin_lacks_its_library(cluster: Cluster) -> None:
    """As on Debian 12 without libpmix-dev, where every srun --mpi=pmix fails."""
    libraries = cluster.node("login", "find /usr/lib* -name 'libpmix.so*' -type f").split()
    with contextlib.ExitStack() as stack:
        for library in libraries:
            cluster.node("login", f"mount --bind /dev/null {library}")
            stack.callback(cluster.node, "login", f"umount --lazy {library}")
        assert cluster.srun("--mpi=pmix -N1 true").code != 0
        result = cluster.srun("--distributed=torch -N2 -n2 sh -c 'echo $RANK of $WORLD_SIZE'")
        told = cluster.srun("--distributed=torch,verbose -N2 -n2 true")
    assert (result.code, sorted(result.lines), result.err) == (0, ["0 of 2", "1 of 2"], "")
    assert "Slurm's PMIx plugin cannot find the libpmix that it needs (see `muster doctor`)" in told.err, told


@contextlib.contextmanager
def without_libpmix(cluster: Cluster, node: str) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for library in cluster.node(node, "find /usr/lib* -name 'libpmix.so*' -type f").split():
            stack.enter_context(cluster.covered(node, Path(library), Path("/dev/null")))
        yield


@pytest.mark.pmix
@pytest.mark.slow
def test_a_step_starts_again_without_pmix_where_only_a_node_lacks_the_library(cluster: Cluster) -> None:
    """The submit host has the library, so muster asks for PMIx."""
    line = "as it does if a node lacks the libpmix of Slurm's PMIx plugin"
    with without_libpmix(cluster, "node2"):
        result = cluster.srun("--distributed=torch -N2 -n2 sh -c 'echo $RANK of $WORLD_SIZE'", timeout=90)
        alone = cluster.srun("--distributed=torch -w node2 -N1 -n1 sh -c 'echo $RANK of $WORLD_SIZE'", timeout=90)
        asked = cluster.srun("--mpi=pmix --distributed=torch -w node2 -N1 -n1 true", timeout=90)
        refused = cluster.srun("--distributed=torch -w node2 -N1 -n1 ./no-such-program", timeout=90)
        logged = cluster.srun("--distributed=torch,logs=logs-of-%j -N2 -n2 true", timeout=90)
        by_mpi = cluster.srun("--distributed=mpi -w node2 -N1 -n1 true", timeout=90)
    assert (result.code, sorted(result.lines)) == (0, ["0 of 2", "1 of 2"]), result.err
    assert result.err.count(line) == 1, result.err
    assert (alone.code, alone.lines) == (0, ["0 of 1"]), alone.err
    assert asked.code != 0 and line not in asked.err
    assert logged.code == 0, logged.err
    assert by_mpi.code != 0 and line in by_mpi.err and "once more" not in by_mpi.err, by_mpi.err
    assert refused.code != 0
