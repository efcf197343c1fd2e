"""The settings that five computing centres recommend to their users, compared with what muster sets, in one job.

docs/explain/centre-scripts.md names the sources. The rules are rewritten here from their descriptions; `batch` is what the recipe
does in the batch script, `task` what it does in each task. Fabric, GPU and container settings are left out.
"""

from dataclasses import dataclass, field

import pytest
from cluster import Cluster, Task

FIRST_OF_JOB = 'MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)'
FIRST_OF_STEP = 'MASTER_ADDR=$(scontrol show hostnames "$SLURM_STEP_NODELIST" | head -n 1)'
RANKS = "RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID"


@dataclass(frozen=True)
class Recipe:
    name: str
    batch: list[str] = field(default_factory=list)
    task: list[str] = field(default_factory=list)

    def script(self, step: str, theirs: object, ours: object) -> str:
        """A batch script that runs the same step with the recipe and with muster."""
        lines = ["#!/bin/bash", *(f"export {line}" for line in self.batch)]
        exports = "".join(f"export {line}; " for line in self.task)
        lines += [f"srun {step} bash -c '{exports}exec {theirs}' || exit", "unset ${!MASTER_*}",
                  f"srun {step} --distributed=torch {ours}"]
        return "\n".join(lines) + "\n"


CSCS = Recipe("CSCS", task=[FIRST_OF_JOB, "MASTER_PORT=29500", RANKS, "WORLD_SIZE=$SLURM_NTASKS"])
LUMI = Recipe("LUMI", task=[RANKS], batch=[
    FIRST_OF_JOB, 'MASTER_PORT="1${SLURM_JOB_ID: -4}"', "WORLD_SIZE=$SLURM_NPROCS"])
NERSC = Recipe("NERSC", batch=["MASTER_ADDR=$(hostname)"], task=[
    RANKS, "WORLD_SIZE=$SLURM_NTASKS", "MASTER_PORT=29500"])
# In this recipe rank and size come from mpi4py.
OLCF = Recipe("OLCF", batch=["MASTER_ADDR=$(hostname -i)", "MASTER_PORT=3442"], task=[
    RANKS, "WORLD_SIZE=$SLURM_NTASKS"])
IDRIS = Recipe("IDRIS", task=[
    FIRST_OF_STEP, "MASTER_PORT=$((10000 + SLURM_JOB_ID % 20000))", RANKS, "WORLD_SIZE=$SLURM_STEP_NUM_TASKS",
    "LOCAL_WORLD_SIZE=${SLURM_STEP_TASKS_PER_NODE%%(*}"])
OF_THE_JOB = [CSCS, LUMI, NERSC, OLCF]
ALL = [*OF_THE_JOB, IDRIS]


def name(recipe: Recipe) -> str:
    return recipe.name


def run(cluster: Cluster, recipe: Recipe, job: str, step: str = "", before: str = "") -> tuple[list[Task], list[Task]]:
    """What each task sees with the recipe, and with muster."""
    theirs, ours = cluster.new_probe(), cluster.new_probe()
    head, body = recipe.script(step, theirs, ours).split("\n", 1)
    done = cluster.sbatch(f"{head}\n{before}\n{body}", job)
    assert done.code == 0, done.out
    return theirs.tasks(), ours.tasks()


def node_of_master(cluster: Cluster, task: Task) -> str:
    """The node that MASTER_ADDR refers to, by host name or address."""
    return next(node for node in cluster.nodes if task["MASTER_ADDR"] in (node, cluster.address(node)))


def is_numeric(address: str) -> bool:
    return address.replace(".", "").isdigit()


@pytest.mark.slow
@pytest.mark.parametrize("recipe", ALL, ids=name)
def test_block_layout_on_equal_nodes_gives_the_recipes_values(cluster: Cluster, recipe: Recipe) -> None:
    theirs, ours = run(cluster, recipe, "-N3 --ntasks-per-node=2")
    assert len(theirs) == len(ours) == 6
    for their, our in zip(theirs, ours, strict=True):
        for variable in ("RANK", "LOCAL_RANK", "WORLD_SIZE"):
            assert our[variable] == their[variable]
        assert our["LOCAL_WORLD_SIZE"] == their.environment.get("LOCAL_WORLD_SIZE", "2")
        assert our.host == their.host
        assert node_of_master(cluster, our) == node_of_master(cluster, their) == ours[0].host
        assert is_numeric(our["MASTER_ADDR"])  # no name resolution is involved


@pytest.mark.slow
@pytest.mark.parametrize("recipe", OF_THE_JOB, ids=name)
def test_in_a_step_on_part_of_the_job_the_recipe_names_a_node_without_ranks(cluster: Cluster, recipe: Recipe) -> None:
    theirs, ours = run(cluster, recipe, "-N3 --ntasks-per-node=2", "-N2 -n2 -w node2,node3")
    assert {node_of_master(cluster, task) for task in theirs} == {"node1"}
    assert {node_of_master(cluster, task) for task in ours} == {"node2"} == {ours[0].host}
    assert {task["WORLD_SIZE"] for task in ours} == {"2"}
    assert {task["WORLD_SIZE"] for task in theirs} == {"6" if recipe is LUMI else "2"}


@pytest.mark.slow
@pytest.mark.parametrize("recipe", ALL, ids=name)
def test_with_rank_0_on_another_node_than_the_first_the_recipe_names_the_first(cluster: Cluster, recipe: Recipe) -> None:
    hosts = cluster.write("hosts.txt", "node3\nnode1\nnode2\n")
    theirs, ours = run(cluster, recipe, "-N3 -n3", "-n3 --distribution=arbitrary",
                       f"export SLURM_HOSTFILE=/home/alice/{hosts.name}")
    assert theirs[0].host == ours[0].host == "node3"
    assert {node_of_master(cluster, task) for task in theirs} == {"node1"}
    assert {node_of_master(cluster, task) for task in ours} == {"node3"}


def test_with_uneven_tasks_idr_torch_counts_those_of_the_first_node_on_each(cluster: Cluster) -> None:
    theirs, ours = run(cluster, IDRIS, "-N3 -n5")
    assert [task["LOCAL_WORLD_SIZE"] for task in theirs] == ["2"] * 5
    assert [task["LOCAL_WORLD_SIZE"] for task in ours] == ["2", "2", "2", "2", "1"]
