"""Exit codes, signals, standard input and terminals pass through the supervisor as they do through plain srun."""

import os
import shlex
import signal
import subprocess

import pytest
from cluster import Cluster
from command import Result
from terminal import INTERRUPT

OPTIONS = ["", "--distributed=torch", "--distributed=torch,supervise=off"]


def test_the_exit_code_of_a_task_is_sruns(cluster: Cluster) -> None:
    assert cluster.srun("--distributed=torch -n1 bash -c 'exit 7'").code == 7


def test_a_task_killed_by_a_signal_ends_srun_as_ever(cluster: Cluster) -> None:
    line = "-n1 bash -c 'kill -KILL $$'"
    plain, ours = cluster.srun(line), cluster.srun(f"--distributed=torch {line}")
    assert ours.code == plain.code != 0


def test_one_failing_rank_ends_the_others(cluster: Cluster) -> None:
    script = shlex.quote("[ $SLURM_PROCID = 1 ] && exit 3; exec sleep 60")  # a shell could outlive its sleep
    assert cluster.srun(f"--distributed=torch -N2 -n2 bash -c {script}", timeout=20).code == 3


def test_one_failing_rank_ends_the_others_without_a_supervisor_as_with_a_plain_srun(cluster: Cluster) -> None:
    # The failure waits for the other rank, because a task that slurmstepd has not started yet ends with a different
    # signal.
    script = shlex.quote("[ $SLURM_PROCID = 1 ] || { touch $1; exec sleep 60; }; "
                         "until [ -e $1 ]; do sleep 0.1; done; exit 3")
    codes = []
    for number, option in enumerate(["--kill-on-bad-exit", "--distributed=torch,supervise=off"]):
        begun = cluster.home / f"begun.{number}"
        codes.append(cluster.srun(f"{option} -N2 -n2 bash -c {script} bash {begun}", timeout=60).code)
        begun.unlink()
    assert codes[0] == codes[1] != 0


@pytest.mark.parametrize("choice", ["environment", "option"])
def test_the_user_may_let_the_others_go_on(cluster: Cluster, choice: str) -> None:
    script = shlex.quote("[ $RANK = 1 ] && exit 3; sleep 1; echo survived")
    option = "--kill-on-bad-exit=0" if choice == "option" else ""
    env = {"SLURM_KILL_BAD_EXIT": "0"} if choice == "environment" else None
    result = cluster.srun(f"--distributed=torch {option} -N2 -n2 bash -c {script}", env=env)
    assert result.code == 3
    assert result.out == "survived\n"


def test_an_srun_in_a_task_ends_its_ranks_as_one_outside(cluster: Cluster) -> None:
    # What muster tells the outer srun must not count as a choice by the inner srun's user.
    cluster.write("outer.sh", "exec srun --overlap -N2 -n2 --distributed=torch ./inner.sh\n")
    cluster.write("inner.sh", "#!/bin/bash\n[ $RANK = 1 ] && exit 3\nexec sleep 60\n").chmod(0o755)
    result = cluster.run("salloc -Q -N2 -n2 srun --overlap -N1 -n1 --distributed=torch bash outer.sh", timeout=45)
    assert result.code == 3


def signalled(cluster: Cluster, option: str, number: signal.Signals) -> Result:
    # Otherwise the first task's end may overtake the signal on its way to the second.
    running = cluster.start(f"srun {option} -N2 -n2 ./await_signal", env={"SLURM_KILL_BAD_EXIT": "0"})
    running.await_output("ready", times=2)
    running.signal(number)
    return running.wait()


# With a supervisor, TERM and HUP reach the ranks (test_failures.py); srun turns them into SIGKILL.
@pytest.mark.parametrize(("number", "option"), [
    *((number, option) for number in (signal.SIGUSR1, signal.SIGQUIT) for option in OPTIONS[1:]),
    (signal.SIGTERM, OPTIONS[2]),
    (signal.SIGHUP, OPTIONS[2]),
])
def test_a_signal_does_what_it_does_to_a_plain_srun(cluster: Cluster, number: signal.Signals, option: str) -> None:
    plain = signalled(cluster, "", number)
    ours = signalled(cluster, option, number)
    assert sorted(ours.lines) == sorted(plain.lines)
    assert ours.code == plain.code


def test_sigusr1_reaches_every_task(cluster: Cluster) -> None:
    result = signalled(cluster, "--distributed=torch", signal.SIGUSR1)
    assert result.lines.count("got SIGUSR1") == 2
    assert result.code == 9


@pytest.mark.parametrize("option", OPTIONS)
def test_control_c_twice_ends_the_training(cluster: Cluster, option: str) -> None:
    terminal = cluster.terminal(f"srun {option} -N2 -n2 ./await_signal")
    terminal.await_text("ready", times=2)
    terminal.type(INTERRUPT)
    terminal.await_text("one more within 1 sec")
    terminal.type(INTERRUPT)
    assert terminal.wait() != 0
    assert "got SIGINT" in terminal.shown


@pytest.mark.parametrize("program", ["./fault exit 1 100000", """bash -c "trap '' INT; echo ready; sleep 1000" """])
def test_the_report_calls_control_c_by_its_name_although_srun_cancels_its_job_for_it(cluster: Cluster, program: str) -> None:
    """Whether SIGINT ends the ranks, or the SIGKILL that follows."""
    terminal = cluster.terminal(f"srun --distributed=torch,grace=2 -N2 -n2 {program}")
    terminal.await_text("ready", times=2)
    terminal.type(INTERRUPT)
    terminal.await_text("one more within 1 sec")
    terminal.type(INTERRUPT)
    assert terminal.wait() != 0
    assert "cause     : this srun was sent SIGINT (Ctrl-C)" in terminal.shown


@pytest.mark.parametrize("option", OPTIONS)
def test_a_shells_job_can_be_stopped_and_resumed(cluster: Cluster, option: str) -> None:
    shell = cluster.terminal("bash --norc -i")
    shell.type("PS1='prom''pt> '\n")
    shell.type(f"srun {option} -n1 bash -c 'echo read''y; read -r line; echo \"<$line>\"'\n")
    shell.await_text("ready")
    shell.type("\x1a")
    shell.await_text("Stopped")
    shell.type("fg\n")
    shell.type("hello\n")
    shell.await_text("<hello>")
    shell.await_text("prompt> ", times=3)  # anything typed before that would go to srun
    shell.type("exit 0\n")
    assert shell.wait() == 0


@pytest.mark.parametrize("option", OPTIONS)
def test_pty_gives_the_task_a_terminal(cluster: Cluster, option: str) -> None:
    terminal = cluster.terminal(f"srun {option} --pty -n1 bash --norc")
    terminal.type("test -t 0 && echo interactiv''e rank=${RANK:-none}\n")
    terminal.await_text(f"interactive rank={'0' if option else 'none'}")
    terminal.type("exit 5\n")
    assert terminal.wait() == 5


def test_pty_under_script(cluster: Cluster) -> None:
    result = cluster.run("script -qec 'srun --distributed=torch --pty -n1 bash -c \"tty; exit 6\"' /dev/null")
    assert result.code == 6
    assert "/dev/pts/" in result.out


@pytest.mark.parametrize("option", OPTIONS)
def test_control_c_in_a_pty_goes_to_the_task(cluster: Cluster, option: str) -> None:
    terminal = cluster.terminal(f"srun {option} --pty -n1 ./await_signal")
    terminal.await_text("ready")
    terminal.type(INTERRUPT)
    assert terminal.wait() == 9, terminal.shown
    assert "got SIGINT" in terminal.shown


def test_standard_input_reaches_every_task(cluster: Cluster) -> None:
    result = cluster.srun("--distributed=torch -N2 -n2 cat", stdin="hello\nworld\n")
    assert (result.code, sorted(result.lines)) == (0, ["hello", "hello", "world", "world"])


def test_a_megabyte_of_standard_input_arrives_whole(cluster: Cluster) -> None:
    text = "".join(f"{i:07}\n" for i in range(1 << 17))
    result = cluster.srun("--distributed=torch -n1 cat", stdin=text)
    assert result.out == text


def test_srun_in_the_background_of_a_script_does_not_wait_for_input(cluster: Cluster) -> None:
    result = cluster.shell("srun --distributed=torch -n1 printenv RANK & wait $!; echo code=$?")
    assert result.lines == ["0", "code=0"]


def test_a_loop_that_feeds_srun_keeps_its_input(cluster: Cluster) -> None:
    result = cluster.srun("--distributed=torch -n1 --input=none cat", stdin="not for me\n")
    assert (result.code, result.out) == (0, "")


def test_output_to_a_closed_pipe_does_not_hang(cluster: Cluster) -> None:
    loop = "for i in {1..20000}; do echo line $i; done"
    result = cluster.shell(f"srun --distributed=torch -n1 bash -c '{loop}' | head -n1", timeout=20)
    assert result.out == "line 1\n"


def test_the_supervisor_leaves_no_descriptor_open(cluster: Cluster) -> None:
    running = cluster.start("srun --distributed=torch -n1 bash -c 'echo ready; read -r line'", stdin=subprocess.PIPE)
    running.await_output("ready")
    (srun,) = [process for process in cluster.children(running.pid) if process.name == "srun"]
    targets = [os.readlink(f"/proc/{srun.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{srun.pid}/fd")]
    assert not [target for target in targets if "muster" in target and "muster.so" not in target
                and "muster-cluster" not in target]
    running.close_input()
    running.wait()
