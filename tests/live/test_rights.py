"""What every process of a step may do, read from /proc while the step is planned and while it runs, as
docs/admin/security.md says."""

import contextlib
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import releases
from cluster import Cluster
from command import Command
from processes import Process
from waiting import wait_until

STATUS = ["Uid", "Gid", "Groups", "CapInh", "CapPrm", "CapEff", "CapAmb", "NoNewPrivs", "Seccomp"]


def status(process: Process) -> dict[str, str]:
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    every = {name: value.strip() for name, value in (line.split(":", 1) for line in lines)}
    return {name: every[name] for name in STATUS}


def descriptors(process: Process) -> list[str]:
    """The kinds of descriptors, in order; the number of a pipe or socket is meaningless."""
    kinds = []
    for entry in sorted(os.listdir(f"/proc/{process.pid}/fd"), key=int):
        with contextlib.suppress(FileNotFoundError):  # closed in the meantime
            target = os.readlink(f"/proc/{process.pid}/fd/{entry}")
            kinds.append(entry + " " + re.sub(r":\[.*", "", target))
    return kinds


def can_be_traced(process: Process) -> bool:
    return Path(f"/proc/{process.pid}/status").stat().st_uid != 0 or process.uid == 0


def oom_score(process: Process) -> str:
    return Path(f"/proc/{process.pid}/oom_score_adj").read_text().strip()


def step(cluster: Cluster, options: str) -> Command:
    running = cluster.start(f"srun {options} -N1 -w node1 -n2 ./await_signal")
    running.await_output("ready", times=2)
    return running


def plain_step() -> str:
    """The options of a step without muster, including what muster requests if Slurm supports it."""
    return "--mpi=pmix" if releases.slurm_has_pmix() else "--mpi=none"


def tasks(cluster: Cluster) -> list[Process]:
    return [one for one in cluster.processes("node1") if "await_signal" in one.command and one.name != "slurmstepd"]


def stepd(cluster: Cluster) -> Process:
    (one,) = [one for one in cluster.processes("node1") if one.name == "slurmstepd"]
    return one


def end(cluster: Cluster, running: Command) -> None:
    running.signal(signal.SIGUSR1)
    running.wait()
    cluster.await_clean()


@pytest.fixture
def planning(cluster: Cluster) -> Iterator[Command]:
    """node1's agent waits for node2's, which is late."""
    program = cluster.prefix / "bin" / "muster-agent"
    whole = program.with_suffix(".whole")
    slow = cluster.site_file("slow-agent", f'#!/bin/bash\nsleep 5\nexec {whole} "$@"\n')
    slow.chmod(0o755)
    whole.hardlink_to(program)
    line = cluster.plugstack_file.read_text().strip()
    try:
        with cluster.plugstack_line(f"{line} trust_any_owner"), cluster.covered("node2", program, slow):
            yield cluster.start("srun --distributed=torch -N2 -n2 true")
            cluster.await_clean()
    finally:
        whole.unlink()


def unexpected_descriptors(agent: Process) -> list[str]:
    kinds = descriptors(agent)
    assert kinds[:4] == ["0 /dev/null", "1 /dev/null", "2 /dev/null", "3 socket"]
    allowed = r"\d+ (socket|anon_inode|pipe|/tmp/\.?muster-|/dev/shm/muster-cache-|/proc/)"
    return [kind for kind in kinds[4:] if not re.match(allowed, kind)]


def check_agent(cluster: Cluster, agent: Process) -> None:
    user = str(cluster.home.stat().st_uid)
    rights = status(agent)
    assert rights["Uid"].split() == [user] * 4
    assert len(set(rights["Gid"].split())) == 1
    assert {int(rights[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {0}
    assert rights["NoNewPrivs"] == "1"
    assert not can_be_traced(agent)
    assert oom_score(agent) == "0"
    with contextlib.suppress(AssertionError):  # files that it reads briefly: libraries, sysfs
        wait_until(lambda: not unexpected_descriptors(agent), 3, "an agent that has read all that it needs")
    assert not unexpected_descriptors(agent)


def test_the_agent_while_it_plans(cluster: Cluster, planning: Command) -> None:
    wait_until(lambda: cluster.agents("node1"), 10, "an agent")
    wait_until(lambda: status(cluster.agents("node1")[0])["NoNewPrivs"] == "1", 5, "the agent's own program")
    check_agent(cluster, cluster.agents("node1")[0])
    assert planning.wait().code == 0


def test_the_agent_while_tasks_run(cluster: Cluster) -> None:
    running = step(cluster, "--distributed=torch")
    (agent,) = cluster.agents("node1")
    check_agent(cluster, agent)
    end(cluster, running)


def open_in_task(process: Process) -> list[str]:
    """Slurm 24.11 leaves a socket in every task, with a number that depends on what slurmstepd just did."""
    return [text if text.startswith(("0 ", "1 ", "2 ")) else text.partition(" ")[2] for text in descriptors(process)]


@pytest.mark.parametrize("python", ["off", "on"])
def test_tasks_have_what_they_have_without_muster(cluster: Cluster, python: str) -> None:
    """Rights, limits, control groups, descriptors, and how the kernel treats them when memory is short. The start hook for
    Python has two files open."""
    seen = {}
    for options in (plain_step(), f"--distributed=torch,python={python}"):
        running = step(cluster, options)
        seen[options] = [
            (status(task), open_in_task(task), oom_score(task), can_be_traced(task),
             Path(f"/proc/{task.pid}/limits").read_text(),
             re.sub(r"(job|step)_\d+", r"\1", Path(f"/proc/{task.pid}/cgroup").read_text())) for task in tasks(cluster)]
        end(cluster, running)
    plain, ours = seen.values()
    assert len(plain) == 2
    for task in ours:
        hooks = [each for each in task[1] if each.endswith("/fault.txt") or "muster-stacks" in each]
        assert len(hooks) == (2 if python == "on" else 0)
        for each in hooks:
            task[1].remove(each)
    assert ours == plain


def test_slurmstepd_has_one_descriptor_more(cluster: Cluster) -> None:
    seen = []
    for options in (plain_step(), "--distributed=torch"):
        running = step(cluster, options)
        one = stepd(cluster)
        seen.append((status(one), oom_score(one), [kind.split()[1] for kind in descriptors(one)]))
        end(cluster, running)
    (plain, plain_score, before), (ours, score, after) = seen
    assert (ours, score) == (plain, plain_score)
    assert sorted(after) == sorted([*before, "socket"])


def test_the_supervisor_and_its_srun_have_the_users_rights_alone(cluster: Cluster) -> None:
    running = step(cluster, "--distributed=torch")
    user = str(cluster.home.stat().st_uid)
    (supervisor,) = [one for one in cluster.processes("login") if one.pid == running.pid]
    for process in (supervisor, *cluster.children(running.pid)):
        rights = status(process)
        assert rights["Uid"].split() == [user] * 4
        assert {int(rights[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {0}
    end(cluster, running)


def test_nothing_is_left_after_the_step(cluster: Cluster) -> None:
    end(cluster, step(cluster, "--distributed=torch"))
    assert cluster.traces() == []
