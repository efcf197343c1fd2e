"""Where tasks run: CPUs and memory as the kernel sees them, read back inside the tasks.

The cluster's nodes share this machine's CPUs. lscpu decides what a level means here.
"""

import contextlib
import os
import shlex
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import Cluster, Task
from command import Result
from control_groups import is_removed
from own_cluster import own_cluster
from processes import Process
from waiting import wait_until

TWO = "-N1 -n2"
MOVED = "was bound again"


def parts(level: str) -> list[set[int]]:
    """The machine's CPUs grouped by CORE, NODE, SOCKET or CACHE (the last level)."""
    found: dict[str, set[int]] = {}
    listed = subprocess.run(["lscpu", f"-p=CPU,{level}"], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        if not line.startswith("#"):
            fields = line.split(",")
            found.setdefault(fields[-1], set()).add(int(fields[0]))
    return list(found.values())


def daemon(cluster: Cluster, node: str, name: str) -> Process | None:
    return next((process for process in cluster.processes(node) if process.name == name), None)


needs_two_cores = pytest.mark.skipif(len(parts("CORE")) < 2, reason="one core only")
needs_numa = pytest.mark.skipif(not os.path.exists("/proc/self/numa_maps"), reason="a kernel without NUMA")


# --- CPUs


@needs_two_cores
def test_two_tasks_have_cores_of_their_own(cluster: Cluster) -> None:
    first, second = cluster.probe(f"--distributed=torch {TWO}")
    assert not set(first.cpus) & set(second.cpus)
    for task in (first, second):
        assert any(set(task.cpus) >= core for core in parts("CORE"))


@needs_two_cores
@pytest.mark.parametrize("word", ["core", "exclusive"])
def test_core_and_exclusive_give_each_task_cores_that_no_other_has(cluster: Cluster, word: str) -> None:
    first, second = cluster.probe(f"--distributed=torch,bind={word} {TWO}")
    assert not set(first.cpus) & set(second.cpus)
    if word == "core":
        assert set(first.cpus) in parts("CORE")
        assert first["OMP_NUM_THREADS"] == "1"


@pytest.mark.parametrize(("word", "level"), [("l3", "CACHE"), ("numa", "NODE"), ("socket", "SOCKET")])
def test_l3_numa_and_socket_give_each_task_a_whole_one(cluster: Cluster, word: str, level: str) -> None:
    result = cluster.srun(f"--distributed=torch,bind={word} {TWO} grep Cpus_allowed_list /proc/self/status")
    assert result.code == 0, result.err
    if "has no effect" in result.err:
        pytest.skip(f"this machine shows no {word}")
    for task in cluster.probe(f"--distributed=torch,bind={word} {TWO}"):
        assert set(task.cpus) in parts(level)


def test_smt_off_leaves_one_hardware_thread_of_each_core(cluster: Cluster) -> None:
    for options in ("--distributed=torch,smt=off", "--distributed=torch --hint=nomultithread",
                    "--distributed=torch --threads-per-core=1"):
        tasks = cluster.probe(f"{options} {TWO}")
        for task in tasks:
            assert max(len(set(task.cpus) & core) for core in parts("CORE")) == 1, options
        if len(parts("CORE")) > 1:
            assert not set(tasks[0].cpus) & set(tasks[1].cpus), options


def test_exclusive_without_a_core_for_each_is_one_line_before_any_task_starts(cluster: Cluster) -> None:
    tasks = len(parts("CORE")) + 1
    result = cluster.srun(f"--distributed=torch,bind=exclusive -N1 -n{tasks} --overcommit echo started")
    assert result.code != 0
    assert "started" not in result.out
    (line,) = result.complaints
    assert "bind=exclusive needs a core for each task" in line


# --- memory


@needs_numa
@pytest.mark.parametrize(("words", "policy"), [("torch", "prefer:0"), ("torch,memory=local", "prefer:0"),
                                               ("torch,memory=strict", "bind:0"), ("torch,memory=none", "default"),
                                               ("torch,bind=none", "default")])
def test_memory_comes_from_beside_the_cpus(cluster: Cluster, words: str, policy: str) -> None:
    if len(parts("NODE")) > 1:
        pytest.skip("which node it is depends on the CPUs")
    assert [task.memory for task in cluster.probe(f"--distributed={words} {TWO}")] == [policy, policy]


@needs_numa
@pytest.mark.parametrize("bound", ["--mem-bind=local", "--mem-bind=none", "--cpu-bind=cores", "--cpu-bind=none"])
def test_memory_stays_as_slurm_has_it_where_the_user_chose(cluster: Cluster, bound: str) -> None:
    plain = cluster.probe(f"{bound} {TWO}")
    tasks = cluster.probe(f"--distributed=torch,memory=strict {bound} {TWO}")
    assert [task.memory for task in tasks] == [task.memory for task in plain]
    if bound.startswith("--cpu"):
        assert [task.cpus for task in tasks] == [task.cpus for task in plain]


# --- beside Slurm


def test_without_the_option_nothing_changes(cluster: Cluster) -> None:
    def shown(tasks: list[Task]) -> list[tuple[list[int], str]]:
        return [(task.cpus, task.memory) for task in tasks]

    there = cluster.probe(TWO)
    with cluster.plugstack("none"):
        absent = cluster.probe(TWO)
    assert shown(there) == shown(absent)
    assert not [name for name in there[0].environment if name.startswith("MUSTER")]


@needs_two_cores
def test_steps_that_share_a_node_do_not_share_cores(cluster: Cluster) -> None:
    probes = [cluster.new_probe(), cluster.new_probe()]
    lines = [shlex.quote(f"{probe}; sleep 1") for probe in probes]
    steps = " ".join(f"srun --exact -n1 --distributed=torch bash -c {line} &" for line in lines)
    result = cluster.run(f"salloc -N1 -n2 --exclusive bash -c {shlex.quote(steps + ' wait')}")
    assert result.code == 0, result.err
    (first,), (second,) = (probe.tasks() for probe in probes)
    assert not set(first.cpus) & set(second.cpus)


# --- a cpuset


@pytest.mark.parametrize("tasks", [2, 4])
def test_tasks_share_the_one_cpu_of_a_cpuset_and_that_is_said_once(cluster: Cluster, tasks: int) -> None:
    with cluster.cpuset(daemon(cluster, "node1", "slurmd"), "0"):
        probe = cluster.new_probe()
        result = cluster.srun(f"--distributed=torch -w node1 -n{tasks} --overcommit {probe}")
    assert result.code == 0, result.err
    assert [task.cpus for task in probe.tasks()] == [[0]] * tasks
    assert {task["OMP_NUM_THREADS"] for task in probe.tasks()} == {"1"}
    (line,) = result.complaints
    assert f"node1: {tasks} tasks share CPUs 0" in line


@pytest.fixture(scope="module")
def unbound() -> Iterator[Cluster]:
    """Slurm itself binds nothing here: otherwise it would refuse such tasks before muster sees them."""
    with own_cluster("unbound", 2, conf="TaskPlugin=task/none\n") as cluster:
        yield cluster


@needs_two_cores
def test_tasks_that_must_share_cpus_each_get_all_of_them(unbound: Cluster) -> None:
    everything = sorted(os.sched_getaffinity(0))
    probe = unbound.new_probe()
    step = f"srun --distributed=torch -n{2 * len(everything)} --overcommit {probe}"
    result = unbound.run(f"salloc -N1 --exclusive {step}")
    assert result.code == 0, result.err
    assert [task.cpus for task in probe.tasks()] == [everything] * (2 * len(everything))
    assert len([line for line in result.complaints if "tasks share CPUs" in line]) == 1


@needs_two_cores
def test_nodes_of_a_test_cluster_can_have_cpus_of_their_own() -> None:
    with own_cluster("own", 2, "--own-cpus") as cluster:
        first, second = cluster.probe("--distributed=torch -N2 -n2")
    assert len(first.cpus) == len(second.cpus) == 1
    assert first.cpus != second.cpus


@contextlib.contextmanager
def slow_agent(cluster: Cluster, node: str) -> Iterator[None]:
    """The other nodes' agents, which have their plans, wait three seconds for this node's agent."""
    program = cluster.prefix / "bin" / "muster-agent"
    whole = program.with_suffix(".whole")
    slow = cluster.site_file("slow", f'#!/bin/bash\nsleep 3\nexec {whole} "$@"\n')
    slow.chmod(0o755)
    whole.hardlink_to(program)
    try:
        with cluster.plugstack("optional", trust=True), cluster.covered(node, program, slow):
            yield
    finally:
        whole.unlink()


def step_whose_cpus_shrink(cluster: Cluster, words: str, program: str = "true") -> Result:
    """On node1, only CPU 0 remains available between the plan and the start of the tasks."""
    cluster.await_clean()  # otherwise the previous step's slurmstepd would be mistaken for this step's
    with slow_agent(cluster, "node2"):
        step = cluster.start(f"srun --distributed={words} -N2 --ntasks-per-node=2 {program}")
        wait_until(lambda: cluster.agents("node1"), 10, "an agent")
        time.sleep(1)
        with cluster.cpuset(daemon(cluster, "node1", "slurmstepd"), "0"):
            return step.wait()


@needs_two_cores
@pytest.mark.slow
def test_cpus_that_the_kernel_refuses_are_told_by_task_and_node(unbound: Cluster) -> None:
    result = step_whose_cpus_shrink(unbound, "torch,verbose", "sleep 2.5")
    assert result.code == 0, result.err
    (line,) = [line for line in result.complaints if "the kernel" in line]
    assert "muster: warning: node1: task 1: the kernel allows none of CPUs 1 (Invalid argument): the task stays on CPUs 0, " in line
    assert not [line for line in result.complaints if MOVED in line], "it never was where it was planned"


@needs_two_cores
@pytest.mark.slow
def test_a_task_whose_exclusive_cpus_are_refused_does_not_start(unbound: Cluster) -> None:
    result = step_whose_cpus_shrink(unbound, "torch,bind=exclusive")
    assert result.code != 0
    (line,) = [line for line in result.complaints if "the kernel" in line]
    assert "muster: error: node1: task 1: " in line
    assert "bind=exclusive cannot be honored" in line


@needs_two_cores
@pytest.mark.slow
def test_a_part_of_the_cpus_is_told_and_used(unbound: Cluster) -> None:
    result = step_whose_cpus_shrink(unbound, "torch,bind=numa")
    assert result.code == 0, result.err
    lines = [line for line in result.complaints if "the kernel" in line]
    assert len(lines) == 2, result.err
    assert "the kernel allows only CPUs 0 of 0-" in lines[0]


# --- Slurm's own confinement


@pytest.fixture(scope="module")
def confined() -> Iterator[Cluster]:
    """One node whose Slurm puts each step into a cpuset of its cores, as at most sites."""
    groups = Path("/sys/fs/cgroup/cpuset")
    if not (groups / "cpuset.cpus").exists():
        pytest.skip("no cpuset hierarchy of cgroup v1 here")
    name = f"confined{os.getpid()}"
    try:
        with own_cluster("confined", 1, "--names", name, conf="TaskPlugin=task/affinity,task/cgroup\n") as cluster:
            cluster.confine_steps(name)
            yield cluster
    finally:
        wait_until(lambda: is_removed(groups / f"slurm_{name}"), 20, "the end of what was in the node's cpuset")


@needs_two_cores
def test_tasks_share_what_slurm_confines_their_step_to(confined: Cluster) -> None:
    first, second = confined.probe(f"--distributed=torch {TWO}")
    assert not set(first.cpus) & set(second.cpus)
    (alone,) = confined.probe("--distributed=torch,bind=numa -n1")
    assert set(alone.cpus) in parts("CORE")


@needs_two_cores
def test_four_tasks_on_the_one_core_of_their_step_share_it(confined: Cluster) -> None:
    probe = confined.new_probe()
    result = confined.srun(f"--distributed=torch -N1 -n4 --overcommit {probe}")
    assert result.code == 0, result.err
    assert len({tuple(task.cpus) for task in probe.tasks()}) <= max(len(core) for core in parts("CORE"))
    assert len([line for line in result.complaints if "4 tasks share CPUs" in line]) == (len(parts("CORE")[0]) < 4)


# --- bound again


def moves(cluster: Cluster, program: str, *, words: str = "torch,verbose") -> list[str]:
    result = cluster.srun(f"--distributed={words} {TWO} {program}")
    assert result.code == 0, result.err
    return sorted(line for line in result.complaints if MOVED in line)


def everywhere() -> str:
    return f"0-{(os.cpu_count() or 1) - 1}"


@needs_two_cores
@pytest.mark.parametrize("tool", ["taskset -c", "numactl --all -C"])
def test_a_tool_that_binds_again_is_named_under_verbose(cluster: Cluster, tool: str) -> None:
    first, second = moves(cluster, f"{tool} {everywhere()} sleep 2.5")
    name = tool.split()[0]
    assert "muster: warning: rank 0 on node1 (sleep, pid " in first
    assert f"now runs on CPUs {everywhere()}, although muster bound it to 0: it was bound again by {name}" in first
    assert "rank 1 on node1" in second


@needs_two_cores
def test_a_program_that_binds_itself_again_is_told_of(cluster: Cluster) -> None:
    cluster.write("wander.py", "import os, time\nos.sched_setaffinity(0, range(os.cpu_count()))\ntime.sleep(2.5)\n")
    first, second = moves(cluster, "python3 wander.py")
    assert "rank 0 on node1 (python3, pid " in first
    assert "by the program itself, by a tool that it calls, or by another plugin" in first and "by the program itself" in second


@needs_two_cores
def test_a_worker_that_binds_itself_inside_its_tasks_cpus_is_its_own_business(cluster: Cluster) -> None:
    assert not moves(cluster, "bash -c 'taskset -c $((SLURM_LOCALID)) sleep 2.5'", words="torch,bind=numa,verbose")


@needs_two_cores
def test_nobody_looks_without_verbose(cluster: Cluster) -> None:
    assert not moves(cluster, f"taskset -c {everywhere()} sleep 1.5", words="torch")
    assert not moves(cluster, f"taskset -c {everywhere()} sleep 1.5", words="torch,bind=none,verbose")
