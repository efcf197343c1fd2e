"""The agent as a process of its user: what the user's other processes can do to it, and how Slurm's limits and control
groups affect it."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import Cluster
from command import Command
from own_cluster import own_cluster
from processes import Process
from waiting import wait_until

EVERYTHING = ["attach", "seize", "take a descriptor", "write memory", "read the environment", "list descriptors",
              "read the program", "set the out-of-memory score"]


@pytest.fixture(scope="module")
def tracked() -> Iterator[Cluster]:
    """Slurm tracks processes with control groups."""
    if not Path("/sys/fs/cgroup/freezer").is_dir():
        pytest.skip("no cgroup v1 here")
    with own_cluster("cgroups", 2, "--names", f"cg{os.getpid()}n[1-2]", "--cgroups", "v1") as cluster:
        yield cluster


def step_on_all_nodes(cluster: Cluster) -> Command:
    nodes = len(cluster.nodes)
    running = cluster.start(f"srun --distributed=torch -N{nodes} -n{nodes} ./await_signal")
    running.await_output("ready", times=nodes)
    return running


def freezer(process: Process) -> str:
    groups = Path(f"/proc/{process.pid}/cgroup").read_text().splitlines()
    (path,) = [line.split(":")[2] for line in groups if line.split(":")[1] == "freezer"]
    return path


def tracked_processes(cluster: Cluster) -> list[str]:
    """The processes that are still in a job's control group."""
    groups = [file for node in cluster.nodes for file in Path(f"/sys/fs/cgroup/freezer/slurm_{node}").rglob("cgroup.procs")]
    return [f"{file}: {pid}" for file in groups for pid in file.read_text().split()]


def limits(process: Process) -> dict[str, str]:
    lines = Path(f"/proc/{process.pid}/limits").read_text().splitlines()[1:]
    return {line[:26].strip(): line[26:] for line in lines if not line.startswith("Max processes")}


def test_no_process_of_its_user_can_trace_the_agent(cluster: Cluster) -> None:
    result = cluster.srun("--distributed=torch -N1 -n1 ./trace_agent")
    assert result.code == 0, result.err
    assert json.loads(result.out) == {"agent": [], "own": EVERYTHING}


def test_the_agents_program_is_readable_by_root_alone(cluster: Cluster) -> None:
    (program,) = cluster.prefix.rglob("muster-agent")
    assert program.stat().st_mode & 0o7777 == 0o711
    assert program.stat().st_uid == 0


def test_the_agent_has_a_tasks_limits_and_no_memory_privilege(cluster: Cluster) -> None:
    running = cluster.start("bash -c 'ulimit -Sn 200 -Sc 0; exec srun --distributed=torch -N1 -n1 ./await_signal'")
    running.await_output("ready")
    (agent,) = [agent for node in cluster.nodes for agent in cluster.agents(node)]
    (task,) = [task for node in cluster.nodes for task in cluster.processes(node) if "await_signal" in task.command
               and task.parent != 0 and task.name != "srun"]
    assert limits(agent) == limits(task)
    assert limits(agent)["Max open files"].split()[0] == "200"
    assert Path(f"/proc/{agent.pid}/oom_score_adj").read_text() == "0\n"
    running.signal(signal.SIGUSR1)
    running.wait()


def test_the_agent_is_in_its_jobs_control_group(tracked: Cluster) -> None:
    running = step_on_all_nodes(tracked)
    (job,) = tracked.run("squeue -h -o %i").lines
    for node in tracked.nodes:
        (agent,) = tracked.agents(node)
        assert f"/slurm_{node}/" in freezer(agent)
        assert f"/job_{job}" in freezer(agent)
    running.signal(signal.SIGUSR1)
    running.wait()
    tracked.await_clean()


@pytest.mark.parametrize("fate", [0, signal.SIGSTOP, signal.SIGKILL])
def test_nothing_of_a_job_is_left_in_its_control_group(tracked: Cluster, fate: int) -> None:
    running = step_on_all_nodes(tracked)
    for node in tracked.nodes:
        os.kill(tracked.agents(node)[0].pid, fate)
    assert tracked_processes(tracked)
    tracked.run("scancel --user=alice")
    assert running.wait().code != 0
    wait_until(lambda: not tracked.run("squeue -h -o %i").out.strip(), 15, "the end of the job")
    # Slurm marks a job as ended a moment before the last of its slurmstepds ends.
    wait_until(lambda: not tracked_processes(tracked), 5, "empty control groups")
    assert not any(tracked.agents(node) for node in tracked.nodes)
    tracked.await_next_agents_cleaning("-N2 -n2 true")
    tracked.await_clean()
