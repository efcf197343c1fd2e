"""`muster topo`: the node's hardware, and which part of it the task has."""

import json
import os
from pathlib import Path

import pytest
from cluster import Cluster
from test_plan import listed, muster


def test_outside_a_job_it_is_this_machine(cluster: Cluster) -> None:
    result = cluster.run(f"{muster(cluster)} topo")
    assert result.code == 0, result.err
    name, rest = result.lines[0].split(": ", 1)
    assert name == cluster.run("hostname").out.strip()
    assert f"{os.cpu_count()} CPU" in rest


def test_inside_a_step_it_says_what_the_task_may_use(cluster: Cluster) -> None:
    result = cluster.srun(f"--distributed=torch -N1 -n2 --label {muster(cluster)} topo")
    assert result.code == 0, result.err
    tasks = [line for line in result.lines if ": task " in line]
    assert len(tasks) == 2
    for task, cpu in ((0, 0), (1, 1)):
        assert [line for line in tasks if f"task {task} of step " in line and f": CPUs {cpu} (1 core)" in line], tasks


def test_json_says_the_same_to_programs(cluster: Cluster) -> None:
    result = cluster.srun(f"--distributed=torch,bind=none -N1 -n1 {muster(cluster)} topo --json")
    assert result.code == 0, result.err
    topology = json.loads(result.out)
    assert topology["version"] == 1
    assert topology["node"] == "node1"
    assert topology["cpus"] == listed(sorted(os.sched_getaffinity(0)))
    assert topology["allowed"]["whose"].startswith("task 0 of step ")
    assert {core["cpus"] for core in topology["cores"]} >= set(topology["allowed"]["cpus"].split(","))


@pytest.mark.parametrize(("words", "said"), [
    ("--topology /no/such.xml", "cannot be read"),
    ("--cpuset 0-9999", "use a subset of them"),
    ("--cpuset never", "never"),
])
def test_what_it_cannot_show_is_one_line(cluster: Cluster, words: str, said: str) -> None:
    result = cluster.run(f"{muster(cluster)} topo {words}")
    assert result.code == 1
    assert result.out == ""
    assert len(result.complaints) == 1
    assert said in result.complaints[0]


def test_a_file_describes_another_node(cluster: Cluster) -> None:
    file: Path = cluster.home / "node.xml"
    cluster.run(f"lstopo-no-graphics --input 'pack:2 [numa] core:4 pu:2' {file}")
    result = cluster.run(f"{muster(cluster)} topo --topology {file}")
    assert result.code == 0, result.err
    assert "2 packages, 2 NUMA nodes, 8 cores, 16 CPUs" in result.lines[0]
    file.unlink()
