"""Every way in which Slurm distributes tasks: ranks, node ranks and rank 0's address are correct."""

import pytest
from cluster import Cluster, Task


def columns(tasks: list[Task], *names: str) -> list[str]:
    return [" ".join(task[name] for name in names) for task in tasks]


def check_agrees_with_slurm(cluster: Cluster, tasks: list[Task]) -> None:
    """What must hold for any layout, computed from where the tasks really ran."""
    nodes = list(dict.fromkeys(task.host for task in tasks))  # ordered by their lowest rank
    local = dict.fromkeys(nodes, 0)
    for rank, task in enumerate(tasks):
        assert task.number("RANK") == rank == task.number("SLURM_PROCID")
        assert task.number("NODE_RANK") == task.number("GROUP_RANK") == nodes.index(task.host)
        assert task.number("LOCAL_RANK") == local[task.host]
        local[task.host] += 1
    for task in tasks:
        assert task.number("LOCAL_WORLD_SIZE") == local[task.host]
        assert task.number("GROUP_WORLD_SIZE") == len(nodes)
        assert task.number("WORLD_SIZE") == len(tasks)
        assert task["MASTER_ADDR"] == cluster.address(tasks[0].host)
    assert len({task["MASTER_PORT"] for task in tasks}) == 1


@pytest.mark.parametrize("options", [
    "-n1",
    "-N1 -n2",
    "-N3 -n3",
    "-N2 -n5 --overcommit",
    "-N3 -n5",
    "-N3 -n6 --distribution=block",
    "-N3 -n6 --distribution=cyclic",
    "-N3 -n5 --distribution=cyclic",
    "-N2 -n8 --overcommit --distribution=plane=2",
    "-N1 -n2 -w node3",
    "-N2 -n2 -x node1",
    "-N3 -n6 --ntasks-per-node=2",
    "--nodelist=node3,node1 -n4",
])
def test_ranks_follow_the_layout(cluster: Cluster, options: str) -> None:
    check_agrees_with_slurm(cluster, cluster.probe(f"--distributed=torch {options}"))


def test_rank_0_may_run_on_a_later_node(cluster: Cluster) -> None:
    hosts = cluster.write("hosts", "node2\nnode1\nnode3\nnode2\n")
    tasks = cluster.probe("--distributed=torch -n4 --distribution=arbitrary",
                          env={"SLURM_HOSTFILE": f"/home/alice/{hosts.name}"})
    assert [task.host for task in tasks] == ["node2", "node1", "node3", "node2"]
    assert tasks[0]["MASTER_ADDR"] == cluster.address("node2")
    check_agrees_with_slurm(cluster, tasks)


@pytest.mark.parametrize(("options", "hosts"), [
    ("-w node2 -N1 -n2", ["node2", "node2"]),
    ("-r1 -N2 -n2", ["node2", "node3"]),
    ("-x node1 -N2 -n2", ["node2", "node3"]),
])
def test_a_step_on_a_part_of_its_job_has_a_rank_0_of_its_own(
        cluster: Cluster, options: str, hosts: list[str]) -> None:
    probe = cluster.new_probe()
    result = cluster.run(f"salloc -N3 -n6 srun --distributed=torch {options} {probe}")
    assert result.code == 0, result.err
    tasks = probe.tasks()
    assert [task.host for task in tasks] == hosts
    check_agrees_with_slurm(cluster, tasks)


@pytest.mark.parametrize("line", [
    "salloc -w node1 -n1 : -w node2 -n2 srun --het-group=0,1 --distributed=torch {0}",
    "salloc -w node3 -n1 : -w node1 -n2 : -w node2 -n1 srun --het-group=0,2 --distributed=torch {0}",
    "salloc -w node1 -n1 : -w node3 -n2 srun --distributed=torch --het-group=0 {0} : --het-group=1 {0}",
    "salloc -N3 -n6 srun --distributed=torch -N1 -n1 {0} : -N2 -n3 {0}",
    "salloc -N3 -n6 srun --distributed=torch -w node3 -n1 {0} : -w node1 -n1 {0}",
    "srun --distributed=torch -w node2 -n2 {0} : -N2 -n3 --distribution=cyclic {0}",
    "srun -N1 -n1 {0} : --distributed=torch -N1 -n1 {0}",
    "srun --distributed=torch --export=ALL,A=1 -N1 -n1 {0} : --export=ALL,B=1 -N1 -n1 {0}",
])
def test_a_heterogeneous_step_is_one_training(cluster: Cluster, line: str) -> None:
    probe = cluster.new_probe()
    result = cluster.run(line.format(probe))
    assert result.code == 0, result.err
    tasks = probe.tasks()
    check_agrees_with_slurm(cluster, tasks)
    assert len(tasks) == tasks[0].number("SLURM_STEP_NUM_TASKS")
    assert len({task["TORCHELASTIC_RUN_ID"] for task in tasks}) == 1
    # Slurm's PMIx can make srun hang for such steps.
    assert not any({"SRUN_EXPORT_ENV", "PMIX_RANK"} & task.environment.keys() for task in tasks)


def test_components_of_one_step_may_not_contradict_each_other(cluster: Cluster) -> None:
    jobs = cluster.jobs()
    result = cluster.srun("--distributed=torch -n1 true : --distributed=none -n1 true")
    assert result.code != 0
    (complaint,) = result.complaints
    assert "--distributed=torch and --distributed=none in one step" in complaint
    assert cluster.jobs() <= jobs


def test_the_ranks_of_all_components_meet(cluster: Cluster) -> None:
    result = cluster.srun("--distributed=torch -N1 -n1 ./meet : -N2 -n3 ./meet")
    assert result.code == 0, result.err
    assert len(result.lines) == 4


def test_one_component_of_a_heterogeneous_job_is_a_step_like_any_other(cluster: Cluster) -> None:
    probe = cluster.new_probe()
    result = cluster.run(f"salloc -w node1 -n1 : -w node2 -n2 srun --het-group=1 --distributed=torch {probe}")
    assert result.code == 0, result.err
    check_agrees_with_slurm(cluster, probe.tasks())


def test_scattered_ranks_are_warned_about_once(cluster: Cluster) -> None:
    result = cluster.srun("--distributed=torch -N3 -n6 --distribution=cyclic true")
    assert result.code == 0
    (warning,) = result.complaints
    assert "not consecutive" in warning
    assert "ranks=contiguous" in warning


def test_consecutive_ranks_need_no_word(cluster: Cluster) -> None:
    result = cluster.srun("--distributed=torch -N3 -n6 true")
    assert (result.code, result.out, result.err) == (0, "", "")


def test_contiguous_renumbers_so_that_a_nodes_ranks_are_consecutive(cluster: Cluster) -> None:
    tasks = cluster.probe("--distributed=torch,ranks=contiguous -N3 -n6 --distribution=cyclic")
    by_rank = sorted(tasks, key=lambda task: task.number("RANK"))
    assert [task.host for task in by_rank] == ["node1", "node1", "node2", "node2", "node3", "node3"]
    assert columns(by_rank, "RANK", "LOCAL_RANK") == ["0 0", "1 1", "2 0", "3 1", "4 0", "5 1"]
