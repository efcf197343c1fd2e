"""The program's standard streams are the user's in every attempt: a later attempt reads the input again, and does not
overwrite what an earlier one has written."""

import os
import shlex
import socket
import subprocess

import pytest
from cluster import Cluster
from command import Result

RESTART = "srun --distributed=torch,restarts=1"
# Fails in the first attempt, after having read everything.
ONCE = 'import os, sys; text = sys.stdin.read(); print(os.environ["TORCHELASTIC_RESTART_COUNT"], len(text), hash(text)); ' \
       'sys.exit(3 if os.environ["TORCHELASTIC_RESTART_COUNT"] == "0" else 0)'
READER = f"env PYTHONHASHSEED=0 python3 -S -c {shlex.quote(ONCE)}"


def attempts(result: Result) -> list[tuple[int, str]]:
    """How much each attempt read, and a hash of it."""
    found = [line.split() for line in result.lines]
    assert [attempt for attempt, _, _ in found] == [str(number) for number in range(len(found))], result.out
    return [(int(size), digest) for _, size, digest in found]


def test_a_here_document_is_read_again_by_the_next_attempt(cluster: Cluster) -> None:
    script = "import os, sys\nprint('attempt', os.environ['TORCHELASTIC_RESTART_COUNT'])\n" \
             "sys.exit(3 if os.environ['TORCHELASTIC_RESTART_COUNT'] == '0' else 0)\n"
    result = cluster.shell(f"{RESTART} -n1 python3 -S - <<'E'\n{script}E\n")
    assert result.code == 0, result.err
    assert result.lines == ["attempt 0", "attempt 1"]


def test_a_file_is_read_again_from_where_srun_began(cluster: Cluster) -> None:
    cluster.write("words", "first\n" + "word\n" * 5000)
    result = cluster.shell(f"{{ read line; {RESTART} -n1 {READER}; }} <words")
    assert result.code == 0, result.err
    first, second = attempts(result)
    assert first == second and first[0] == 25000


def test_a_pipe_whose_writer_still_writes_is_read_again(cluster: Cluster) -> None:
    result = cluster.shell(f"{{ seq 100000; sleep 0.5; seq 100000; }} | {RESTART} -n1 {READER}", timeout=60)
    assert result.code == 0, result.err
    first, second = attempts(result)
    assert first == second and first[0] == 2 * 588895


def test_a_socket_is_read_again(cluster: Cluster) -> None:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            running = cluster.start(f"{RESTART} -n1 {READER}", stdin=os.dup(theirs.fileno()))
        ours.sendall(b"word\n" * 1000)
        ours.shutdown(socket.SHUT_WR)
        result = running.wait(60)
    assert result.code == 0, result.err
    first, second = attempts(result)
    assert first == second and first[0] == 5000


def test_more_of_a_pipe_than_is_kept_ends_the_run_with_a_line(cluster: Cluster) -> None:
    result = cluster.shell(f"head -c 18000000 /dev/zero | {RESTART} -n1 {READER}", timeout=120)
    assert result.code == 3
    assert [size for size, _ in attempts(result)] == [18000000]
    (line,) = [line for line in result.complaints if "no further attempt" in line]
    assert "the program has read more than 16 MiB from a pipe, which cannot be read again" in line


@pytest.mark.parametrize("option", ["-i words", "--input=words"])
def test_a_file_of_sruns_own_is_read_again_and_the_shells_input_is_left_alone(cluster: Cluster, option: str) -> None:
    cluster.write("words", "word\n" * 1000)
    result = cluster.shell(f"seq 9 | {{ {RESTART} -n1 {option} {READER}; cat; }}")
    assert attempts(Result(0, "\n".join(result.lines[:2]), "", 0)) == [(5000, result.lines[0].split()[2])] * 2
    assert result.lines[2:] == [str(number) for number in range(1, 10)]


def test_an_input_that_never_ends_holds_nothing_up(cluster: Cluster) -> None:
    running = cluster.start(f"{RESTART} -n1 bash -c 'exit 3'", stdin=subprocess.PIPE)
    result = running.wait(20)
    assert result.code == 3


def test_without_slurm_the_input_is_read_again(cluster: Cluster) -> None:
    muster = f"{cluster.prefix}/bin/muster run --max-restarts=1 --no-python"
    result = cluster.shell(f"seq 1000 | {muster} {READER}")
    assert result.code == 0, result.err
    first, second = attempts(result)
    assert first == second and first[0] == 3893


FAILING = "bash -c 'echo out $TORCHELASTIC_RESTART_COUNT; echo err $TORCHELASTIC_RESTART_COUNT >&2; exit 3'"


def test_a_further_attempt_leaves_the_output_of_the_one_before(cluster: Cluster) -> None:
    cluster.write("out.txt", "of a job before\n")
    result = cluster.srun(f"--distributed=torch,restarts=1 -o out.txt -e err.txt -n1 {FAILING}")
    assert result.code == 3
    assert (cluster.home / "out.txt").read_text() == "out 0\nout 1\n"  # as with plain srun, the first attempt truncates
    errors = (cluster.home / "err.txt").read_text()
    assert [line for line in errors.splitlines() if line.startswith("err")] == ["err 0", "err 1"]


def test_a_file_of_each_task_is_left_too(cluster: Cluster) -> None:
    result = cluster.srun(f"--distributed=torch,restarts=1 -o task-%t.txt -N2 -n2 {FAILING}")
    assert result.code == 3
    for task in range(2):
        assert (cluster.home / f"task-{task}.txt").read_text().splitlines()[0] == "out 0"


def test_the_users_own_mode_holds_in_every_attempt(cluster: Cluster) -> None:
    for more, env in (("--open-mode=truncate", {}), ("", {"SLURM_OPEN_MODE": "truncate"})):
        result = cluster.srun(f"--distributed=torch,restarts=1 -o out.txt -e err.txt {more} -n1 {FAILING}", env=env)
        assert result.code == 3
        assert (cluster.home / "out.txt").read_text() == "out 1\n"


def test_the_programs_variables_do_not_tell_of_it(cluster: Cluster) -> None:
    result = cluster.srun("--distributed=torch,restarts=1 -n1 bash -c 'env | grep -c OPEN_MODE; exit 3'")
    assert result.lines == ["0", "0"]
