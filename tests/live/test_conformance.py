"""Every Slurm layout with a real all-reduce: the same ranks are on the same nodes as with plain srun.

The plain suite reduces over sockets, and over PyTorch's gloo for a few layouts; MUSTER_FRAMEWORKS=1 uses gloo for all.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from cluster import Cluster
from own_cluster import own_cluster

WITH_FRAMEWORKS = os.environ.get("MUSTER_FRAMEWORKS") == "1"
D = "--distributed=torch"


@dataclass(frozen=True)
class Layout:
    """A step inside an allocation: {d} is replaced by the option, {p} by the program."""

    name: str
    step: str
    allocation: str = "-N3 -n6"
    few: bool = False  # uses gloo in the plain suite as well
    option: str = D

    def line(self, option: str, program: str) -> str:
        return self.step.format(d=option, p=program)


LAYOUTS = [
    Layout("block", "srun {d} -N3 -n6 --distribution=block {p}"),
    Layout("cyclic", "srun {d} -N3 -n6 --distribution=cyclic {p}", few=True),
    Layout("cyclic, contiguous", "srun {d} -N3 -n6 --distribution=cyclic {p}", option=f"{D},ranks=contiguous"),
    Layout("plane", "srun {d} -N2 -n8 -O --distribution=plane=2 {p}"),
    Layout("uneven", "srun {d} -N3 -n5 {p}"),
    Layout("-n5 -N2", "srun {d} -n5 -N2 -O {p}"),
    Layout("one task", "srun {d} -n1 {p}"),
    Layout("one node", "srun {d} -N1 -n2 {p}"),
    Layout("overcommit", "srun {d} -N2 -n6 -O {p}"),
    Layout("smaller than its job", "srun {d} -N2 -n2 {p}"),
    Layout("-r", "srun {d} -r1 -N2 -n3 {p}"),
    Layout("-x", "srun {d} -x node1 -N2 -n4 {p}"),
    Layout("-w, out of order", "srun {d} -w node3,node1 -N2 -n4 {p}"),
    Layout("arbitrary", "SLURM_HOSTFILE=hosts srun {d} -n4 --distribution=arbitrary {p}", few=True),
    Layout("--ntasks-per-node", "srun {d} -N3 --ntasks-per-node=2 {p}"),
    Layout("--cpus-per-task", "srun {d} -N3 -n3 --cpus-per-task=2 {p}"),
    Layout("het step, first on one node", "srun {d} -N1 -n1 {p} : -N2 -n3 {p}", few=True),
    Layout("het step, later node first", "srun {d} -w node3 -n2 {p} : -w node1 -n1 {p}"),
    Layout("het step of three", "srun {d} -N1 -n2 {p} : -N1 -n1 {p} : -N1 -n1 {p}"),
    Layout("het step, cyclic", "srun {d} -w node2 -n1 {p} : -w node1,node3 -N2 -n4 --distribution=cyclic {p}"),
    Layout("het job", "srun --het-group=0,1 {d} {p}", "-w node1 -n1 : -w node2,node3 -N2 -n3", few=True),
    Layout("het job, by parts", "srun --het-group=1 {d} {p} : --het-group=0 {p}", "-w node3 -n1 : -w node1 -n2"),
    Layout("het job, one group", "srun --het-group=1 {d} {p}", "-w node3 -n1 : -w node1,node2 -N2 -n3"),
    Layout("het job, some groups", "srun --het-group=0,2 {d} {p}", "-w node3 -n1 : -w node1 -n2 : -w node2 -n2"),
]


@pytest.fixture(autouse=True)
def hostfile(cluster: Cluster) -> None:
    cluster.write("hosts", "node2\nnode1\nnode3\nnode2\n")


def has_torch(cluster: Cluster) -> bool:
    return cluster.run("python3 -c 'import torch'", timeout=60).code == 0


def hosts_by_rank(text: str) -> list[str]:
    """Slurm's own answer, from the output of `where`."""
    told = dict(line.split() for line in text.splitlines())
    return [told[str(rank)] for rank in range(len(told))]


def check_table(heard: dict, hosts: list[str], *, contiguous: bool = False) -> None:
    size = len(hosts)
    rows = heard["rows"]
    nodes = list(dict.fromkeys(hosts))  # ordered by their lowest rank
    assert [row["RANK"] for row in rows] == list(range(size))
    assert heard["sum"] == size * (size + 1) // 2
    assert sorted(row["SLURM_PROCID"] for row in rows) == list(range(size))
    local = dict.fromkeys(nodes, 0)
    for row in sorted(rows, key=lambda row: row["SLURM_PROCID"]):
        host = hosts[row["SLURM_PROCID"]]
        assert row["host"] == host
        assert row["NODE_RANK"] == nodes.index(host)
        assert row["LOCAL_RANK"] == local[host]
        local[host] += 1
    if contiguous:
        assert [row["host"] for row in rows] == sorted(hosts, key=nodes.index)
    else:
        assert [row["host"] for row in rows] == hosts


def in_allocation(cluster: Cluster, layout: Layout, line: str) -> str:
    """The output of a step that is its job's first. A later one may get other nodes: newer Slurm starts it on the node
    after those of the previous step."""
    name = f"steps-{os.urandom(4).hex()}"
    cluster.write(name, f"{line}\n")
    result = cluster.run(f"salloc -Q {layout.allocation} bash {name}", timeout=120)
    assert result.code == 0, result.err
    return result.out


def check(cluster: Cluster, layout: Layout, how: str) -> None:
    hosts = hosts_by_rank(in_allocation(cluster, layout, layout.line("", "./where")))
    heard = in_allocation(cluster, layout, layout.line(layout.option, f"./all_reduce {how}"))
    if layout.name == "arbitrary":
        assert hosts == ["node2", "node1", "node3", "node2"]
    check_table(json.loads(heard), hosts, contiguous="contiguous" in layout.option)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_ranks_are_where_slurm_puts_them(cluster: Cluster, layout: Layout) -> None:
    check(cluster, layout, "gloo" if WITH_FRAMEWORKS else "sockets")


@pytest.mark.slow
@pytest.mark.skipif(WITH_FRAMEWORKS, reason="every layout has been reduced by gloo above")
@pytest.mark.long
@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if layout.few], ids=lambda layout: layout.name)
def test_gloo_reduces_over_it(cluster: Cluster, layout: Layout) -> None:
    if not has_torch(cluster):
        pytest.skip("no PyTorch for the cluster's python3; scripts/setup --with=training installs it")
    check(cluster, layout, "gloo")


def test_the_programs_of_a_multi_prog_step_are_one_training(cluster: Cluster) -> None:
    how = "gloo" if WITH_FRAMEWORKS else "sockets"
    cluster.write("where.conf", "0 ./where\n1-4 ./where\n")
    cluster.write("reduce.conf", f"0 ./all_reduce {how}\n1-4 ./all_reduce {how}\n")
    layout = Layout("--multi-prog", "srun {d} -N3 -n5 --multi-prog {p}")
    where = in_allocation(cluster, layout, layout.line("", "where.conf"))
    heard = in_allocation(cluster, layout, layout.line(D, "reduce.conf"))
    check_table(json.loads(heard), hosts_by_rank(where))


def test_steps_at_once_in_one_allocation_keep_to_themselves(cluster: Cluster) -> None:
    how = "gloo" if WITH_FRAMEWORKS else "sockets"
    cluster.write("at-once", "\n".join([
        f"srun {D} --exact -N3 -n3 -o first ./all_reduce {how} &",
        f"srun {D} --exact -N3 -n3 -o second ./all_reduce {how} &",
        "wait -n && wait -n"]) + "\n")
    result = cluster.run("salloc -Q -N3 -n6 bash at-once", timeout=120)
    assert result.code == 0, result.err
    for name in ("first", "second"):
        check_table(json.loads((cluster.home / name).read_text()), cluster.nodes)


def test_a_step_that_waits_for_another_of_its_job_starts_when_that_ends(cluster: Cluster) -> None:
    """srun itself would not try again for two minutes."""
    cluster.write("waits", f"srun -N2 -n2 sleep 2 &\nsleep 1\nsrun {D} -N2 -n2 ./all_reduce sockets\n")
    result = cluster.run("salloc -Q -w node1,node2 -N2 bash waits", timeout=60)
    assert result.code == 0, result.err
    assert "Step created for" in result.err  # it did have to wait
    check_table(json.loads(result.out), ["node1", "node2"])


def test_steps_of_two_users_on_the_same_nodes_keep_to_themselves(cluster: Cluster) -> None:
    how = "gloo" if WITH_FRAMEWORKS else "sockets"
    line = f"srun {D} -N3 -n3 ./all_reduce {how}"
    steps = [cluster.start(line, user=user) for user in ("alice", "bob")]
    for step in steps:
        result = step.wait(120)
        assert result.code == 0, result.err
        check_table(json.loads(result.out), cluster.nodes)


def test_the_tasks_of_a_job_array_are_trainings_of_their_own(cluster: Cluster) -> None:
    how = "gloo" if WITH_FRAMEWORKS else "sockets"
    script = cluster.write("array.sh", f"#!/bin/sh\nsrun {D} ./all_reduce {how}\n")
    result = cluster.run(f"sbatch --wait --array=0-2 -N2 -n3 -o array-%a.out {script.name}", timeout=120)
    assert result.code == 0, result.err
    for index in range(3):
        heard = json.loads((cluster.home / f"array-{index}.out").read_text())
        hosts = [row["host"] for row in heard["rows"]]
        assert len(set(hosts)) == 2
        check_table(heard, hosts)


RACKS = "rack[0-1]node[2-3],gpu[08-09],c01-x,c02-x"  # Slurm writes these as lists with and without brackets


@pytest.fixture(scope="module")
def racks() -> Iterator[Cluster]:
    """A second cluster, with harder node names and fake GPUs."""
    with own_cluster("racks", 1, "--names", RACKS, "--gpus", "4") as cluster:
        yield cluster


@pytest.mark.parametrize("layout", [
    Layout("all nodes", "srun {d} -N8 -n8 {p}", "-N8 -n16"),
    Layout("cyclic on some", "srun {d} -w rack0node3,rack1node2,gpu09 -n6 --distribution=cyclic {p}", "-N8 -n16"),
    Layout("suffixes", "srun {d} -w c02-x,c01-x,gpu08 -n5 {p}", "-N8 -n16"),
    Layout("het step", "srun {d} -w c01-x -n1 {p} : -w rack0node2,rack1node3 -n4 {p}", "-N8 -n16"),
    Layout("several GPUs per task", "srun {d} -N2 -n2 --gpus-per-task=2 {p}", "-w gpu08,gpu09 -n2 --gres=gpu:4"),
    Layout("all GPUs to each task", "srun {d} -N2 -n4 --gres=gpu:4 {p}", "-w gpu08,gpu09 -n4 --gres=gpu:4"),
], ids=lambda layout: layout.name)
def test_ranks_are_right_on_nodes_with_hard_names_and_gpus(racks: Cluster, layout: Layout) -> None:
    check(racks, layout, "gloo" if WITH_FRAMEWORKS else "sockets")
    racks.await_clean()
