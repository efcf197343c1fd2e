"""The failure report, combined with what users do with a step's output and what a rank may leave on disk."""

import json

import pytest
from cluster import PROGRAMS, Cluster

TITLE = "Root Cause (first observed failure):"


@pytest.fixture(autouse=True)
def fault(cluster: Cluster) -> None:
    cluster.give("alice", PROGRAMS / "fault")


def first(cluster: Cluster) -> dict:
    return json.loads((cluster.home / "report.json").read_text())["first"]


# --- where it is shown

def test_a_shell_on_a_terminal_of_its_own_ends_without_a_report(cluster: Cluster) -> None:
    terminal = cluster.terminal("srun --distributed=torch,report=report.json --pty -n1 bash --norc",
                                env={"TERM": "xterm", "PS1": "shell> "})
    terminal.await_text("shell> ")
    terminal.type("exit 5\n")
    assert terminal.wait() == 5
    assert "Root Cause" not in terminal.shown
    assert first(cluster)["code"] == 5


def test_a_shell_on_a_terminal_of_its_own_has_a_report_for_who_asks(cluster: Cluster) -> None:
    terminal = cluster.terminal("srun --distributed=torch,verbose --pty -n1 bash -c 'exit 5'", env={"TERM": "xterm"})
    assert terminal.wait() == 5
    assert TITLE in terminal.shown


def test_it_is_coloured_on_a_terminal_and_plain_where_the_user_wants_that(cluster: Cluster) -> None:
    line = "srun --distributed=torch -n1 bash -c 'exit 5'"
    coloured = cluster.terminal(line, env={"TERM": "xterm"})
    assert coloured.wait() == 5
    assert "\x1b[31m" in coloured.shown and TITLE in coloured.shown
    plain = cluster.terminal(line, env={"TERM": "xterm", "NO_COLOR": "1"})
    assert plain.wait() == 5
    assert "\x1b" not in plain.shown and TITLE in plain.shown


@pytest.mark.parametrize("options", ["-l", "--quiet", "--output=out.txt", "--output=out.txt --error=err.txt"])
def test_it_is_on_the_screen_whatever_becomes_of_the_ranks_output(cluster: Cluster, options: str) -> None:
    result = cluster.srun(f"--distributed=torch {options} -N2 -n2 ./fault exit")
    assert result.code == 7
    assert f"\n{TITLE}\n" in result.err


def test_it_is_in_the_output_of_a_batch_job(cluster: Cluster) -> None:
    job = cluster.sbatch("#!/bin/bash\nsrun --distributed=torch ./fault exit\n", "-N2 -n2", env={"TERM": "xterm"})
    assert job.code == 7
    assert f"\n{TITLE}\n" in job.out and "\x1b" not in job.out


# --- other kinds of steps

def test_it_names_a_rank_of_a_step_of_several_programs(cluster: Cluster) -> None:
    cluster.write("multi.conf", "0-1 ./fault wait 99\n2 ./fault exit 2\n")
    result = cluster.srun("--distributed=torch,report=report.json,grace=2 --multi-prog -N3 -n3 multi.conf")
    assert (result.code, first(cluster)["rank"], first(cluster)["node"]) == (7, 2, "node3"), result.err


def test_it_names_the_rank_that_the_program_knows_where_ranks_are_contiguous(cluster: Cluster) -> None:
    result = cluster.srun("--distributed=torch,ranks=contiguous,report=report.json,grace=2 -N3 -n6 --distribution=cyclic "
                          "./fault exit 3")
    assert (result.code, first(cluster)["rank"], first(cluster)["node"]) == (7, 3, "node2"), result.err


def test_it_names_the_rank_of_a_heterogeneous_step(cluster: Cluster) -> None:
    result = cluster.srun("--distributed=torch,report=report.json,grace=2 -N1 -n2 ./fault exit 2 : -N1 -n1 ./fault exit 2",
                          timeout=60)
    assert (result.code, first(cluster)["rank"]) == (7, 2), result.err


# --- what a rank leaves on disk

BAD_FILES = {
    "huge": "truncate -s 3G $F",
    "huge and full": "head -c 4M /dev/urandom >$F",
    "cut off": "printf '{\"message\": {\"mess' >$F",
    "no JSON": "printf 'Traceback \\033[31m' >$F",
    "binary": "head -c 1000 /dev/urandom >$F",
    "nested": "head -c 500000 /dev/zero | tr '\\0' '[' >$F",
    "FIFO": "mkfifo $F",
    "FIFO with a writer": "mkfifo $F; (exec 3<>$F; sleep 30) & sleep 0.1",
    "link": "echo '{\"message\": \"secret\"}' >elsewhere; ln -s $PWD/elsewhere $F",
    "link of its folder": "echo '{\"message\": \"secret\"}' >$D/../error.json; rmdir $D || rm -r $D; ln -s .. $D",
    "directory": "mkdir $F",
    "unreadable": "echo '{\"message\": \"secret\"}' >$F; chmod 0 $F",
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_an_error_file_that_is_none_costs_its_own_line_alone(cluster: Cluster, kind: str) -> None:
    cluster.write("bad.sh", f"F=$TORCHELASTIC_ERROR_FILE; D=${{F%/*}}\nif [ $RANK = 1 ]; then {BAD_FILES[kind]}; exit 9; fi\n"
                            "sleep 60\n")
    result = cluster.srun("--distributed=torch,report=report.json,grace=2 -N3 -n3 bash bad.sh")
    assert (result.code, first(cluster)["rank"], first(cluster)["reason"]) == (9, 1, "exit code 9"), result.err
    assert result.seconds < 15


def test_an_error_file_of_another_rank_is_not_this_ranks(cluster: Cluster) -> None:
    # The file is too old to be rank 0's exception, however long rank 1 then takes to exit.
    cluster.write("other.sh", "F=$TORCHELASTIC_ERROR_FILE; N=$((1 - SLURM_LOCALID))\n"
                              "if [ $RANK = 1 ]; then echo '{\"message\": \"mine\"}' >${F%/*/*}/$N/error.json\n"
                              "  touch -d @1 ${F%/*/*}/$N/error.json; exit 9; fi\n"
                              "sleep 60\n")
    result = cluster.srun("--distributed=torch,report=report.json,grace=2 -N1 -n2 bash other.sh")
    assert (result.code, first(cluster)["rank"], first(cluster)["reason"]) == (9, 1, "exit code 9"), result.err


def test_a_full_disk_costs_the_file_and_not_the_text(cluster: Cluster) -> None:
    small = "/home/alice/small"
    cluster.node("login", f"mkdir -p {small} && mount -t tmpfs -o size=8k,mode=1777 none {small}")
    cluster.node("login", f"head -c 8k /dev/zero >{small}/full")
    try:
        result = cluster.srun("--distributed=torch,report=small/report.json,grace=2 -N2 -n2 ./fault exit",
                              env={"TMPDIR": "/home/alice/small"})
    finally:
        cluster.node("login", f"umount --lazy {small}; rmdir {small}")
    assert result.code == 7
    assert TITLE in result.err
    (line,) = result.complaints
    assert "small/report.json" in line and "No space left" in line


def test_a_node_whose_disk_is_full_costs_the_exception_and_not_the_report(cluster: Cluster) -> None:
    cluster.node("node2", "mkdir -p /dev/shm/small && mount -t tmpfs -o size=4k,nr_inodes=1,mode=1777 none /dev/shm/small")
    try:
        result = cluster.srun("--distributed=torch,report=report.json,grace=2 -N2 -n2 ./fault exit",
                              env={"TMPDIR": "/dev/shm/small"})
    finally:
        cluster.node("node2", "umount --lazy /dev/shm/small; rmdir /dev/shm/small")
    assert result.code == 7, result.err
    assert (first(cluster)["rank"], first(cluster)["node"]) == (1, "node2")
