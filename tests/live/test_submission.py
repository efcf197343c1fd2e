"""sbatch, salloc and srun: where the option may be given, and what it then applies to."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from cluster import Cluster, Probe, Task


def ranks(tasks: list[Task]) -> list[str | None]:
    return [task.environment.get("RANK") for task in tasks]


def batch(*lines: str) -> str:
    return "\n".join(["#!/bin/bash", *lines, ""])


def check_two_ranks(probe: Probe) -> None:
    tasks = probe.tasks()
    assert ranks(tasks) == ["0", "1"]
    assert {task["WORLD_SIZE"] for task in tasks} == {"2"}


def test_the_option_on_the_sbatch_line_holds_for_each_srun(cluster: Cluster) -> None:
    first, second = cluster.new_probe(), cluster.new_probe()
    done = cluster.sbatch(batch("#SBATCH -N2 -n2 --distributed=torch", f"srun {first}", f"srun {second}"))
    assert done.code == 0 and "muster" not in done.out, done.out  # srun may say that it waits
    check_two_ranks(first)
    check_two_ranks(second)


def test_the_option_on_sbatchs_command_line_holds_too(cluster: Cluster) -> None:
    probe = cluster.new_probe()
    assert cluster.sbatch(batch(f"srun {probe}"), "-N2 -n2 --distributed=torch").code == 0
    check_two_ranks(probe)


def test_the_environment_twin_holds_in_a_batch_job(cluster: Cluster) -> None:
    probe = cluster.new_probe()
    assert cluster.sbatch(batch(f"srun {probe}"), "-N2 -n2", env={"MUSTER_DISTRIBUTED": "torch"}).code == 0
    check_two_ranks(probe)


def test_the_environment_twin_holds_for_srun(cluster: Cluster) -> None:
    assert ranks(cluster.probe("-N2 -n2", env={"MUSTER_DISTRIBUTED": "torch"})) == ["0", "1"]


def test_the_option_may_stand_on_the_inner_srun_alone(cluster: Cluster) -> None:
    plain, probe = cluster.new_probe(), cluster.new_probe()
    # --overlap: without it Slurm prints that a step waits for the previous one to end.
    done = cluster.sbatch(batch(f"srun --overlap {plain}", f"srun --distributed=torch {probe}"), "-N2 -n2")
    assert (done.code, done.out) == (0, "")
    assert ranks(plain.tasks()) == [None, None]
    check_two_ranks(probe)


def test_an_inner_srun_can_switch_it_off(cluster: Cluster) -> None:
    off, probe = cluster.new_probe(), cluster.new_probe()
    script = batch("#SBATCH -N2 -n2 --distributed=torch", f"srun --overlap --distributed=off {off}", f"srun {probe}")
    done = cluster.sbatch(script)
    assert (done.code, done.out) == (0, "")
    assert ranks(off.tasks()) == [None, None]
    check_two_ranks(probe)


def test_off_on_the_command_line_beats_the_environment(cluster: Cluster) -> None:
    assert ranks(cluster.probe("--distributed=off -n1", env={"MUSTER_DISTRIBUTED": "torch"})) == [None]


def test_the_batch_script_itself_is_no_rank(cluster: Cluster) -> None:
    done = cluster.sbatch(batch("#SBATCH -N2 -n2 --distributed=torch", "env"))
    assert done.code == 0
    names = {line.partition("=")[0] for line in done.lines}
    assert "SLURM_JOB_ID" in names
    assert not names & {"RANK", "MASTER_ADDR", "MUSTER_SET"}


@pytest.mark.parametrize("command", ["sbatch", "salloc"])
def test_a_wrong_value_fails_at_submission(cluster: Cluster, command: str) -> None:
    before = cluster.jobs()
    cluster.write("wrong.sh", batch("true"))
    result = cluster.run(f"{command} -N2 --distributed=torch,prot=29500 wrong.sh")
    assert result.code != 0
    assert len(result.err.splitlines()) == 1, result.err
    assert "prot" in result.err
    assert "port" in result.err.replace("prot", "")
    assert result.out == ""
    assert cluster.jobs() <= before


@pytest.mark.parametrize("command", ["sbatch", "salloc", "srun"])
def test_help_is_shown_and_nothing_is_submitted(cluster: Cluster, command: str) -> None:
    before = cluster.jobs()
    cluster.write("helped.sh", batch("true"))
    result = cluster.run(f"{command} --distributed=help helped.sh")
    assert result.code == 0, result.err
    assert "torch" in result.out
    assert "port" in result.out
    assert cluster.jobs() <= before


def test_srun_help_shows_one_option(cluster: Cluster) -> None:
    lines = cluster.srun("--help").lines
    assert sum(line.strip().startswith("--distributed") for line in lines) == 1
    assert sum("[muster]" in line for line in lines) == 1


def test_salloc_with_a_command(cluster: Cluster) -> None:
    probe = cluster.new_probe()
    result = cluster.run(f"salloc -N2 -n2 --distributed=torch srun {probe}")
    assert result.code == 0, result.err
    check_two_ranks(probe)


def test_sallocs_shell_holds_the_option_for_each_srun(cluster: Cluster) -> None:
    probe = cluster.new_probe()
    shell = cluster.terminal("salloc -N2 -n2 --distributed=torch")
    shell.await_text("$ ")  # anything typed before this may be lost
    shell.type(f"srun {probe}; echo code=$?\n")
    shell.await_text("code=0")
    shell.type("echo rank=${RANK:-none}\n")
    shell.await_text("rank=none")
    shell.type("exit 4\n")
    assert shell.wait() == 4
    check_two_ranks(probe)


def test_a_test_of_a_line_with_restarts_queues_nothing(cluster: Cluster) -> None:
    jobs = cluster.jobs()
    result = cluster.srun("--test-only -N2 -n4 --distributed=torch,restarts=1,spares=1,preflight=on true")
    assert result.code == 0, result.err
    assert re.search(r"Job \d+ to start at \S+ .*node\[1-3\]", result.err), result.err
    assert cluster.jobs() <= jobs
    assert "salloc" not in result.err


def test_a_wrong_value_in_the_environment_does_not_hurt_a_srun_that_is_off(cluster: Cluster) -> None:
    assert cluster.srun("--distributed=off -n1 true", env={"MUSTER_DISTRIBUTED": "torhc"}).code == 0


@pytest.mark.parametrize("export", ["NONE", "ONLY=1", "NIL"])
def test_export_of_srun_does_not_matter(cluster: Cluster, export: str) -> None:
    tasks = cluster.probe(f"--distributed=torch --export={export} -N2 -n2", env={"CANARY": "1"})
    assert ranks(tasks) == ["0", "1"]
    assert len({(task["MASTER_ADDR"], task["MASTER_PORT"]) for task in tasks}) == 1
    assert not [task for task in tasks if "CANARY" in task.environment]


@pytest.mark.parametrize("where", ["#SBATCH line", "environment", "inner srun"])
def test_export_none_of_sbatch_does_not_matter(cluster: Cluster, where: str) -> None:
    probe = cluster.new_probe()
    inner = f"srun --distributed=torch {probe}" if where == "inner srun" else f"srun {probe}"
    option = "--distributed=torch" if where == "#SBATCH line" else ""
    script = batch(f"#SBATCH -N2 -n2 --export=NONE {option}", *_twin(where), inner)
    done = cluster.sbatch(script)
    assert (done.code, done.out) == (0, "")
    check_two_ranks(probe)


def _twin(where: str) -> list[str]:
    return ["export MUSTER_DISTRIBUTED=torch"] if where == "environment" else []


@pytest.mark.pmix
def test_pmix_is_on_and_mpi_none_keeps_it_off(cluster: Cluster) -> None:
    (task,) = cluster.probe("--distributed=torch -n1")
    assert task["PMIX_RANK"] == "0"
    for choice in ({"options": "--mpi=none"}, {"env": {"SLURM_MPI_TYPE": "none"}}):
        (task,) = cluster.probe(f"--distributed=torch -n1 {choice.get('options', '')}", env=choice.get("env"))
        assert "PMIX_RANK" not in task.environment
        assert task["RANK"] == "0"


def test_srun_is_not_asked_for_its_mpi_plugins_where_it_has_loaded_others(cluster: Cluster) -> None:
    log = cluster.write("words", "")
    wrapper = cluster.site_file("says-words", f'#!/bin/bash\nprintf "%s\\n" "$@" >>{log}\n'
                                f'exec {cluster.prefix / "bin" / "muster"} "$@"\n')
    wrapper.chmod(0o755)
    wrapper.with_name("says-words-agent").symlink_to(cluster.prefix / "bin" / "muster-agent")
    with cluster.plugstack("optional", muster=wrapper):
        assert cluster.srun("--distributed=torch -n1 true").code == 0
    (directory,) = [word.partition("=")[2] for word in log.read_text().splitlines() if word.startswith("--slurm-plugins")]
    assert list(Path(directory).glob("mpi_*.so"))


def test_supervise_off_is_a_plain_srun_with_the_same_environment(cluster: Cluster) -> None:
    probe = cluster.new_probe()
    script = shlex.quote(f"{probe} && echo ready && read -r line")
    running = cluster.start(f"srun --distributed=torch,supervise=off -n1 bash -c {script}", stdin=subprocess.PIPE)
    running.await_output("ready")
    assert [process.name for process in cluster.processes("login") if process.pid == running.pid] == ["srun"]
    running.type("go\n")
    assert running.wait().code == 0
    (task,) = probe.tasks()
    assert (task["RANK"], task["WORLD_SIZE"]) == ("0", "1")


def test_the_supervisor_is_the_process_that_the_shell_started(cluster: Cluster) -> None:
    running = cluster.start("srun --distributed=torch -n1 bash -c 'echo ready; read -r line'", stdin=subprocess.PIPE)
    running.await_output("ready")
    assert [process.name for process in cluster.processes("login") if process.pid == running.pid] == ["muster"]
    assert "srun" in [process.name for process in cluster.children(running.pid)]
    running.close_input()
    running.wait()
