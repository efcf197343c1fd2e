"""Real frameworks, started with one option, form the group that Slurm laid out."""

import pytest
from cluster import Cluster
from framework import (
    ACCELERATE, DEEPSPEED, JAX, LIGHTNING, MPI, PATIENCE, PROGRAMS, TENSORFLOW, TORCH, TORCHRUN, Framework, hosts,
    hosts_by_slurm)

BLOCK = "-N3 -n6"
CYCLIC = "-N3 -n6 --distribution=cyclic"
UNEVEN = "-N3 -n5"
ONE = "-N1 -n1"


@pytest.fixture(autouse=True)
def programs(cluster: Cluster) -> None:
    for program in PROGRAMS.glob("*.py"):
        cluster.give("alice", program)


def named(framework: Framework | str) -> str:
    return framework.profile if isinstance(framework, Framework) else framework.replace(" ", "_")


@pytest.mark.slow
@pytest.mark.parametrize("layout", [BLOCK, CYCLIC, UNEVEN, ONE], ids=["block", "cyclic", "uneven", "one"])
@pytest.mark.parametrize("framework", [TORCH, ACCELERATE, JAX, MPI], ids=named)
def test_all_ranks_form_one_group_and_are_where_slurm_put_them(
        cluster: Cluster, framework: Framework, layout: str) -> None:
    assert hosts(framework.srun(cluster, layout)) == hosts_by_slurm(cluster, layout)


@pytest.mark.slow
@pytest.mark.parametrize("framework", [TORCH, ACCELERATE, JAX, MPI, TENSORFLOW], ids=named)
def test_a_step_that_is_smaller_than_its_job_is_a_group_of_its_own(cluster: Cluster, framework: Framework) -> None:
    result = framework.run(
        cluster, f"salloc -N3 -n6 srun --distributed={framework.profile} -N2 -n3 -r1 {framework.command()}")
    assert hosts(result) == {0: "node2", 1: "node2", 2: "node3"}


@pytest.mark.slow
def test_deepspeed_initializes_without_its_launcher(cluster: Cluster) -> None:
    result = DEEPSPEED.srun(cluster, UNEVEN)
    assert hosts(result) == hosts_by_slurm(cluster, UNEVEN)
    assert "on node3 local 0 size 1" in result.out


@pytest.mark.slow
@pytest.mark.parametrize(("layout", "workers"), [("-N3 -n3", 3), ("-N2 -n3", 3), ("-N2 -n4", 4)],
                         ids=["one_per_node", "uneven", "two_per_node"])
def test_tensorflow_workers_listen_at_ports_of_their_own(cluster: Cluster, layout: str, workers: int) -> None:
    result = TENSORFLOW.srun(cluster, layout)
    assert hosts(result) == hosts_by_slurm(cluster, layout)
    assert result.out.count(f"replicas {workers}") == workers


@pytest.mark.slow
def test_torchrun_needs_no_flag(cluster: Cluster) -> None:
    layout = "-N3 --ntasks-per-node=1"
    assert hosts(TORCHRUN.srun(cluster, layout)) == {0: "node1", 1: "node2", 2: "node3"}


@pytest.mark.slow
def test_torchrun_starts_as_many_workers_as_the_user_wants(cluster: Cluster) -> None:
    result = TORCHRUN.srun(cluster, "-N3 --ntasks-per-node=1", env={"PET_NPROC_PER_NODE": "2"})
    assert hosts(result) == {0: "node1", 1: "node1", 2: "node2", 3: "node2", 4: "node3", 5: "node3"}


@pytest.mark.slow
def test_torchrun_refuses_two_tasks_on_a_node_before_any_starts(cluster: Cluster) -> None:
    result = TORCHRUN.srun(cluster, BLOCK)
    assert result.code == 1
    assert "one task per node" in result.complaints[0]
    assert result.out == ""


@pytest.mark.slow
@pytest.mark.parametrize("layout", [BLOCK, CYCLIC], ids=["block", "cyclic"])
def test_lightning_trains_as_a_slurm_job(cluster: Cluster, layout: str) -> None:
    result = LIGHTNING.srun(cluster, layout, "2 3")
    assert hosts(result) == hosts_by_slurm(cluster, layout)
    assert result.out.count("by SLURMEnvironment after 2 steps") == 6


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bash", "interactive"])
def test_lightning_trains_in_a_job_whose_name_hides_slurm_from_it(cluster: Cluster, name: str) -> None:
    result = LIGHTNING.srun(cluster, f"{BLOCK} --job-name={name}", "2 3")
    assert hosts(result) == hosts_by_slurm(cluster, BLOCK)
    assert result.out.count("by LightningEnvironment after 2 steps") == 6


@pytest.mark.slow
def test_lightning_trains_inside_salloc(cluster: Cluster) -> None:
    result = cluster.run(f"salloc {BLOCK} srun --distributed=lightning {LIGHTNING.command()} 2 3", timeout=PATIENCE)
    assert hosts(result) == hosts_by_slurm(cluster, BLOCK)


@pytest.mark.slow
def test_lightning_believes_the_step_and_not_the_batch_job_around_it(cluster: Cluster) -> None:
    job = f"#!/bin/bash\nsrun --distributed=lightning -N3 -n3 --ntasks-per-node=1 {LIGHTNING.command()} 1 3\n"
    done = cluster.sbatch(job, "-N3 --ntasks-per-node=2", timeout=PATIENCE)
    assert hosts(done) == {0: "node1", 1: "node2", 2: "node3"}


@pytest.mark.slow
def test_lightning_refuses_uneven_nodes_before_any_task_starts(cluster: Cluster) -> None:
    result = LIGHTNING.srun(cluster, UNEVEN, "2 3")
    assert result.code == 1
    assert "the same number of tasks on every node" in result.complaints[0]
    assert result.out == ""
