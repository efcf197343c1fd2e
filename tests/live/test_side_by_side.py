"""Simultaneous steps, simultaneous users, and steps that never asked for muster."""

import re
import subprocess

import pytest
from cluster import Cluster
from command import Command, Result

MET = re.compile(r"^rank \d of (\S+) met (\S+) at port (\d+)$", re.MULTILINE)

# These differ between any two runs of a command.
OF_THE_RUN = re.compile(
    r"^(SLURM_(JOB_?ID|JOB_SLUID|STEP_?ID|TASK_PID|SRUN_COMM_PORT|STEP_LAUNCHER_PORT|STEP_RESV_PORTS|JOB_START_TIME"
    r"|JOB_END_TIME|PMIX\w*)|TMPDIR)=.*$", re.MULTILINE)


def check_met(result: Result) -> tuple[str, str]:
    """All ranks met rank 0 of their own run: returns its name and port."""
    met = set(MET.findall(result.out))
    assert result.code == 0, result.err
    assert len(met) == 1
    run, found, port = met.pop()
    assert run == found
    return run, port


def hold(cluster: Cluster, line: str, user: str = "alice") -> Command:
    running = cluster.start(line, user=user, stdin=subprocess.PIPE)
    running.await_output(" met ", times=3)
    return running


@pytest.mark.parametrize("user", ["alice", "bob"])
def test_two_jobs_on_the_same_nodes_have_their_own_ports(cluster: Cluster, user: str) -> None:
    first = hold(cluster, "srun --distributed=torch -N3 -n3 ./meet hold")
    second = cluster.srun("--distributed=torch -N3 -n3 ./meet", user=user)
    first.close_input()
    assert len({check_met(first.wait())[1], check_met(second)[1]}) == 2


def test_two_steps_of_one_job_have_their_own_ports(cluster: Cluster) -> None:
    inside = hold(cluster, "salloc -N3 -n3 --distributed=torch srun --overlap ./meet hold")
    job = MET.findall(inside.out)[0][0].partition(".")[0]
    second = cluster.srun(f"--jobid={job} --overlap --distributed=torch -N3 -n3 ./meet")
    inside.close_input()
    runs = [check_met(inside.wait()), check_met(second)]
    assert len({port for _, port in runs}) == 2
    assert {run.partition(".")[0] for run, _ in runs} == {job}


def test_without_the_option_nothing_differs_from_a_slurm_without_muster(cluster: Cluster) -> None:
    command = "srun -w node1 -n1 env"
    with cluster.plugstack("none"):
        without = cluster.run(command)
    for mode in ("optional", "required"):
        with cluster.plugstack(mode):
            beside = cluster.run(command)
        assert OF_THE_RUN.sub("", beside.out) == OF_THE_RUN.sub("", without.out)
        assert (beside.err, beside.code) == (without.err, without.code) == ("", 0)


def test_without_the_option_no_agent_is_started(cluster: Cluster) -> None:
    running = cluster.start("srun -N1 -w node1 -n1 bash -c 'echo ready; read -r line'", stdin=subprocess.PIPE)
    running.await_output("ready")
    assert not cluster.agents("node1")
    assert not [process for process in cluster.processes("login") if process.name == "muster"]
    running.close_input()
    running.wait()
