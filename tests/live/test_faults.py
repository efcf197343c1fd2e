"""Agents that misbehave, nodes without the plugin, processes killed in mid-step: each case is bounded, reported and
cleaned up."""

import os
import shutil
import signal
from pathlib import Path

import pytest
from cluster import PROGRAMS, Cluster
from command import Command
from waiting import wait_until

MODES = ["optional", "required"]


def make_double(cluster: Cluster, behaviour: str) -> Path:
    """Puts root-owned programs in the places of muster and of the agent next to it. Returns the path of muster's."""
    text = (PROGRAMS / "double").read_text().replace("behaviour=good", f"behaviour={behaviour}")
    double = cluster.site_file(behaviour, text)
    for program in (double, cluster.site_file(agent_of(double).name, text)):
        program.chmod(0o755)
    return double


def agent_of(muster: Path) -> Path:
    return muster.with_name(f"{muster.name}-agent")


@pytest.fixture
def impatient(cluster: Cluster) -> Path:
    """A site that waits only three seconds for missing agents."""
    return cluster.site_file("impatient.yaml", "gather_timeout: 3\n")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("behaviour", "word"), [
    ("ends", "before it answered"),
    ("killed", "before it answered"),
    ("silent", "did not answer within 2 s"),
    ("talks-nonsense", "muster"),
    ("closes", "muster"),
    ("floods", "muster"),
])
def test_an_agent_that_misbehaves_ends_the_step_by_one_line(
        cluster: Cluster, mode: str, behaviour: str, word: str) -> None:
    with cluster.plugstack(mode, muster=make_double(cluster, behaviour), timeout=2, trust=True):
        result = cluster.srun("--distributed=torch -N1 -n2 echo ran", timeout=15)
        assert cluster.srun("-n1 true").code == 0
    assert result.code != 0
    assert result.out == ""
    assert len(result.complaints) == 1, result.err
    assert word in result.complaints[0]


@pytest.mark.parametrize("mode", MODES)
def test_one_node_whose_agent_crashes_ends_the_whole_step(cluster: Cluster, impatient: Path, mode: str) -> None:
    good, bad = make_double(cluster, "good"), make_double(cluster, "ends")
    with cluster.plugstack(mode, muster=good, config=impatient, trust=True), \
            cluster.covered("node2", agent_of(good), agent_of(bad)):
        result = cluster.srun("--distributed=torch -N3 -n3 echo ran", timeout=20)
    assert result.code != 0
    assert result.out == ""
    assert any("node2" in line for line in result.complaints), result.err


@pytest.mark.parametrize("mode", MODES)
def test_a_node_without_the_program_is_named(cluster: Cluster, impatient: Path, mode: str) -> None:
    program = _in_own_folder(make_double(cluster, "good"))
    empty = cluster.site_file("empty/nothing", "").parent
    with cluster.plugstack(mode, muster=program, config=impatient, trust=True), \
            cluster.covered("node2", program.parent, empty):
        result = cluster.srun("--distributed=torch -N3 -n3 echo ran", timeout=20)
    assert result.code != 0
    assert result.out == ""
    assert any("node2" in line and "No such file" in line for line in result.complaints), result.err


def _in_own_folder(program: Path) -> Path:
    folder = program.parent / "own"
    folder.mkdir(exist_ok=True)
    muster = folder / "muster"
    for wrapper, wrapped in ((muster, program), (agent_of(muster), agent_of(program))):
        wrapper.write_text(f'#!/bin/bash\nexec {wrapped} "$@"\n')
        wrapper.chmod(0o755)
    return muster


@pytest.mark.parametrize("mode", MODES)
def test_a_program_that_root_does_not_own_is_refused(cluster: Cluster, mode: str) -> None:
    double = make_double(cluster, "good")
    before = cluster.jobs()
    for spoil in (lambda: os.chown(double, cluster.home.stat().st_uid, 0), lambda: double.chmod(0o775)):
        shutil.chown(double, 0, 0)
        double.chmod(0o755)
        spoil()
        with cluster.plugstack(mode, muster=double):
            result = cluster.srun("--distributed=torch -n1 true")
        assert result.code != 0
        assert len(result.complaints) == 1, result.err
        assert "owned by root" in result.complaints[0]
        assert cluster.jobs() <= before
    double.unlink()


@pytest.mark.parametrize("mode", MODES)
def test_an_agent_that_its_user_can_read_is_refused(cluster: Cluster, mode: str) -> None:
    with cluster.plugstack(mode, muster=make_double(cluster, "good")):
        result = cluster.srun("--distributed=torch -N1 -n2 echo ran")
    assert result.code != 0
    assert result.out == ""
    (line,) = result.complaints
    assert "good-agent can be read by its users" in line
    assert "chmod 711" in line


def check_one_printable_line(cluster: Cluster, err: str, shown: str) -> None:
    (line,) = [line for line in err.splitlines() if "muster: " in line]
    assert shown in line
    logs = "".join(log.read_text(errors="replace") for log in (cluster.state / "log").glob("slurmd.*.log"))
    assert shown in logs
    assert "\x1b" not in err + logs
    assert not [line for line in (err + logs).splitlines() if line.startswith("slurmstepd: second")]


def test_a_hostile_agent_cannot_forge_lines_or_colours(cluster: Cluster) -> None:
    with cluster.plugstack("optional", muster=make_double(cluster, "shouts"), trust=True):
        result = cluster.srun("--distributed=torch,supervise=off -n1 true")
    assert result.code != 0
    check_one_printable_line(cluster, result.err, "first\\x0aslurmstepd: second \\x1b[31mred")


def test_a_programs_name_cannot_forge_lines_or_colours(cluster: Cluster) -> None:
    result = cluster.srun("--distributed=torch,supervise=off -n1 'none\nslurmstepd: second \x1b[31mred'")
    assert result.code != 0
    check_one_printable_line(cluster, result.err, "none\\x0aslurmstepd: second \\x1b[31mred")


def test_a_node_whose_slurmd_lacks_the_plugin_is_named(cluster: Cluster, impatient: Path) -> None:
    empty = cluster.site_file("empty.conf", "")
    with cluster.plugstack("optional", config=impatient), cluster.covered("node3", cluster.plugstack_file, empty):
        result = cluster.srun("--distributed=torch -N3 -n3 true", timeout=20)
    assert result.code != 0
    assert len(result.complaints) == 1, result.err
    assert "node3" in result.complaints[0]


def test_a_program_on_that_node_alone_fails_by_its_rank(cluster: Cluster) -> None:
    empty = cluster.site_file("empty.conf", "")
    program = "import os; int(os.environ[\"RANK\"])"
    with cluster.covered("node3", cluster.plugstack_file, empty):
        result = cluster.srun(f"--distributed=torch -w node3 -n1 python3 -c '{program}'")
    assert result.code != 0
    assert "no-muster.so-on-this-node" in result.err


@pytest.mark.parametrize("mode", MODES)
def test_a_good_step_runs_with_the_plugin_either_way(cluster: Cluster, mode: str) -> None:
    with cluster.plugstack(mode):
        assert [task["RANK"] for task in cluster.probe("--distributed=torch -N3 -n3")] == ["0", "1", "2"]


@pytest.mark.parametrize("mode", MODES)
def test_a_refused_step_fails_with_the_plugin_either_way(cluster: Cluster, mode: str) -> None:
    with cluster.plugstack(mode):
        result = cluster.srun("--distributed=torch,network=nosuch -N3 -n3 echo ran", timeout=20)
    assert result.code != 0
    assert result.out == ""
    assert len(result.complaints) == 1, result.err


def hold(cluster: Cluster) -> Command:
    """A step that waits for a signal; each task then exits by itself with code 9."""
    running = cluster.start("srun --distributed=torch -N3 -n3 ./await_signal", env={"SLURM_KILL_BAD_EXIT": "0"})
    running.await_output("ready", times=3)
    return running


def test_the_agents_run_as_the_user_during_the_step_and_not_after(cluster: Cluster) -> None:
    running = hold(cluster)
    for node in cluster.nodes:
        (agent,) = cluster.agents(node)
        assert agent.uid == cluster.home.stat().st_uid
    running.signal(signal.SIGUSR1)
    running.wait()
    wait_until(lambda: not any(cluster.agents(node) for node in cluster.nodes), 5, "the end of all agents")


@pytest.mark.parametrize("node", ["node1", "node2"])
def test_an_agent_killed_in_mid_step_leaves_the_training_alone(cluster: Cluster, node: str) -> None:
    running = hold(cluster)
    os.kill(cluster.agents(node)[0].pid, signal.SIGKILL)
    wait_until(lambda: not cluster.agents(node), 5, "the agent's end")
    running.signal(signal.SIGUSR1)
    result = running.wait()
    assert result.code == 9
    assert result.out.count("got SIGUSR1") == 3
    assert cluster.srun("--distributed=torch -N3 -n3 true").code == 0


def test_a_killed_supervisor_takes_the_step_with_it(cluster: Cluster) -> None:
    running = hold(cluster)
    running.signal(signal.SIGKILL)
    assert running.wait().code == -signal.SIGKILL
    cluster.await_clean()
    assert cluster.srun("--distributed=torch -N3 -n3 true").code == 0


def test_a_killed_srun_ends_its_supervisor_and_leaves_the_nodes_usable(cluster: Cluster) -> None:
    running = hold(cluster)
    (srun,) = [process for process in cluster.children(running.pid) if process.name == "srun"]
    for process in [srun, *cluster.children(srun.pid)]:
        os.kill(process.pid, signal.SIGKILL)
    assert running.wait().code == -signal.SIGKILL
    # In this case plain srun also leaves its job behind, until slurmctld notices.
    cluster.run("scancel --user=alice")
    cluster.await_clean(30)
    assert cluster.srun("--distributed=torch -N3 -n3 true").code == 0


def test_a_cancelled_job_leaves_nothing(cluster: Cluster) -> None:
    running = hold(cluster)
    cluster.run("scancel --user=alice")
    assert running.wait().code != 0
    cluster.await_clean()


def test_an_agent_that_is_stopped_does_not_outlive_its_step(cluster: Cluster) -> None:
    running = hold(cluster)
    for node in cluster.nodes:
        os.kill(cluster.agents(node)[0].pid, signal.SIGSTOP)
    cluster.run("scancel --user=alice")
    assert running.wait().code != 0
    try:
        wait_until(lambda: not any(cluster.agents(node) for node in cluster.nodes), 8, "the end of all agents")
        cluster.await_next_agents_cleaning("-N3 -n3 true")
        cluster.await_clean()
    finally:
        cluster.clear()
