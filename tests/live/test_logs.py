"""logs=DIR: every rank's output in its own files, to the last byte."""

import contextlib
import json
import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import PROGRAMS, Cluster

# All byte values, no newline, and characters that a shell would change.
BINARY = 'python3 -c \'import os,sys; sys.stdout.buffer.write(bytes(range(256))*3); sys.stderr.buffer.write(b"\\r50%\\r100%")\''


@pytest.fixture(autouse=True)
def no_logs(cluster: Cluster) -> Iterator[None]:
    yield
    cluster.shell("rm -rf logs other")


def launch(cluster: Cluster, what: str, options: str = "-N2 -n4", keys: str = "logs=logs", **more):
    return cluster.srun(f"--distributed=torch,{keys} {options} {what}", **more)


def folders(cluster: Cluster, base: str = "logs") -> list[str]:
    return sorted(path.name for path in (cluster.home / base).iterdir() if not path.is_symlink())


def content(cluster: Cluster, stream: str, base: str = "logs/latest") -> list[bytes]:
    files = sorted((cluster.home / base).glob(f"rank-*.{stream}"), key=lambda file: int(re.sub(r"\D", "", file.stem)))
    return [file.read_bytes() for file in files]


def test_each_rank_has_a_file_for_each_stream_to_the_last_byte(cluster: Cluster) -> None:
    result = launch(cluster, BINARY, keys="logs=logs,view=none")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert content(cluster, "out") == [bytes(range(256)) * 3] * 4
    assert content(cluster, "err") == [b"\r50%\r100%"] * 4


def test_files_are_named_by_rank_however_slurm_numbers_the_tasks(cluster: Cluster) -> None:
    launch(cluster, "sh -c 'echo $RANK'", options="-N2 -n4 --distribution=cyclic", keys="logs=logs,ranks=contiguous")
    assert content(cluster, "out") == [b"0\n", b"1\n", b"2\n", b"3\n"]


def test_stdin_comes_as_without_logs(cluster: Cluster) -> None:
    result = cluster.shell("printf 'a\\0b' | srun --distributed=torch,logs=logs -N1 -n2 --input=0 cat")
    assert result.code == 0, result.err
    assert content(cluster, "out") == [b"a\0b", b""]


def test_nothing_of_the_logs_can_be_read_by_others(cluster: Cluster) -> None:
    cluster.shell("umask 0; srun --distributed=torch,logs=logs -N2 -n2 true")
    (folder,) = folders(cluster)
    for directory in (cluster.home / "logs", cluster.home / "logs" / folder):
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700, directory
    for file in (cluster.home / "logs" / folder).glob("rank-*"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    other = cluster.shell(f"cat {cluster.home}/logs/{folder}/report.json", user="bob")
    assert other.code != 0 and "version" not in other.out


def test_plan_and_report_lie_beside_them(cluster: Cluster) -> None:
    result = launch(cluster, "sh -c 'exit $((RANK == 2 ? 5 : 0))'")
    assert result.code == 5
    latest = cluster.home / "logs" / "latest"
    assert json.loads((latest / "report.json").read_text())["first"]["rank"] == 2
    plan = json.loads((latest / "plan.json").read_text())
    assert [rank["rank"] for rank in plan["ranks"]] == [0, 1, 2, 3]
    assert plan["logs"] == f"/home/alice/logs/{folders(cluster)[0]}"


def test_the_report_shows_the_last_lines_of_the_failed_rank(cluster: Cluster) -> None:
    result = launch(cluster, "sh -c 'echo no such file >&2; exit $((RANK == 1 ? 5 : 0))'")
    assert result.code == 5
    assert re.search(r"rank-1\.err", result.err) and "no such file" in result.err, result.err


def test_each_attempt_has_a_folder_of_its_own(cluster: Cluster) -> None:
    cluster.give("alice", PROGRAMS / "resume")
    result = cluster.shell("salloc -Q -N2 -n4 srun --distributed=torch,restarts=2,logs=logs "
                           "sh -c 'echo attempt $TORCHELASTIC_RESTART_COUNT; sleep 0.3; "
                           "exit $((TORCHELASTIC_RESTART_COUNT < 2 && RANK == 3 ? 9 : 0))'", timeout=60)
    assert result.code == 0, result.err
    assert [re.sub(r"^\d+\.", "", name) for name in folders(cluster)] == ["0-attempt-0", "1-attempt-1", "2-attempt-2"]
    for attempt, folder in enumerate(folders(cluster)):
        assert content(cluster, "out", f"logs/{folder}") == [f"attempt {attempt}\n".encode()] * 4
        assert json.loads((cluster.home / "logs" / folder / "report.json").read_text())["attempts"][-1]["number"] == attempt
    assert (cluster.home / "logs" / "latest").readlink() == Path(folders(cluster)[-1])


def test_a_pattern_names_the_folder(cluster: Cluster) -> None:
    result = launch(cluster, "true", keys="logs=logs/%j/step-%s")
    assert result.code == 0, result.err
    (job,) = folders(cluster)
    assert job.isdigit() and folders(cluster, f"logs/{job}") == ["step-0"]


def test_a_file_that_is_there_is_never_taken(cluster: Cluster) -> None:
    assert launch(cluster, "echo first", keys="logs=logs/%%same%a").code == 0
    again = launch(cluster, "echo second", keys="logs=logs/%%same%a")
    assert again.code != 0
    assert re.search(r"logs/%same0/rank-\d\.out: this file already exists, and muster does not overwrite it; "
                     r"put %J and %r into the name in logs=",
                     again.err), again.err
    assert content(cluster, "out", "logs/%same0") == [b"first\n"] * 4


def test_steps_of_a_job_that_names_the_folder_do_not_meet(cluster: Cluster) -> None:
    line = "srun --overlap --distributed=torch,restarts=1,logs=logs/%j,view=none"
    second = f"{line} -N2 -n2 sh -c 'echo second; exit $((TORCHELASTIC_RESTART_COUNT == 0 ? 7 : 0))'"
    cluster.write("lines.sh", f"{line} -N2 -n2 echo first\n{second}\n"
                              f"{line} -N1 -n1 echo third & {line} -N1 -n1 echo third & wait\n")
    result = cluster.run("salloc -N2 -n2 bash lines.sh", timeout=60)
    job = re.search(r"allocation (\d+)", result.err)[1]
    first, *others = folders(cluster)
    assert first == job and content(cluster, "out", f"logs/{job}") == [b"first\n"] * 2
    assert f"{job}.1" in others and f"{job}.2-attempt-1" in others and len(others) == 4, others
    texts = [content(cluster, "out", f"logs/{folder}") for folder in others]
    assert texts.count([b"second\n"] * 2) == texts.count([b"third\n"]) == 2, texts
    assert not list(cluster.home.glob("logs/*/.reserved"))


def test_torchs_flight_recorder_writes_into_the_attempts_folder(cluster: Cluster) -> None:
    launch(cluster, "sh -c 'echo of rank $RANK > $TORCH_FR_DUMP_TEMP_FILE$RANK'")  # as torch names its files
    assert (cluster.home / "logs" / "latest" / "comm_lib_trace_rank_3").read_text() == "of rank 3\n"


@pytest.mark.parametrize("logs, why", [
    ("/root/logs", "Permission denied; use a directory that you can write to"),
    ("/proc/logs", "use a directory that you can write to"),
    ("probe/logs", "Not a directory; use a directory that you can write to"),
])
def test_a_directory_that_cannot_be_is_one_line_and_no_rank_starts(cluster: Cluster, logs: str, why: str) -> None:
    cluster.give("alice", PROGRAMS / "probe")
    result = launch(cluster, "touch other", keys=f"logs={logs}")
    assert result.code != 0
    assert result.err.count("muster:") == 1 and why in result.err, result.err
    assert not (cluster.home / "other").exists()


def test_a_folder_of_another_user_is_not_written_to(cluster: Cluster) -> None:
    cluster.shell("mkdir -m 777 /home/theirs", user="root")
    try:
        cluster.shell("mkdir -m 777 /home/theirs/taken0", user="bob")
        own = launch(cluster, "true", keys="logs=/home/theirs/own%a")
        taken = launch(cluster, "true", keys="logs=/home/theirs/taken%a")
    finally:
        cluster.shell("rm -rf /home/theirs", user="root")
    assert own.code == 0, own.err
    assert taken.code != 0 and "this directory belongs to another user; use a directory of your own" in taken.err, taken.err


@pytest.mark.parametrize("srun, why", [
    ("-o x", "logs= and srun's --output both say where the output goes; leave one of them out"),
    ("--error=x", "logs= and srun's --error both say where the output goes; leave one of them out"),
    ("--pty", "logs= puts the output into files, and --pty puts it on the terminal; leave one of them out"),
])
def test_srun_cannot_send_the_output_elsewhere(cluster: Cluster, srun: str, why: str) -> None:
    result = launch(cluster, "true", options=f"-N2 -n4 {srun}")
    assert result.code != 0 and why in result.err, result.err


def test_files_are_kept_without_a_supervisor(cluster: Cluster) -> None:
    result = launch(cluster, "sh -c 'echo $RANK'", keys="logs=logs,supervise=off")
    assert result.code == 0, result.err
    assert content(cluster, "out") == [b"0\n", b"1\n", b"2\n", b"3\n"]


def test_a_dry_run_makes_nothing(cluster: Cluster) -> None:
    assert launch(cluster, "true", keys="logs=logs,dry-run").code == 0
    assert not (cluster.home / "logs").exists()


# --- where the files are

SMALL = "/dev/shm/small"


@pytest.fixture
def small(cluster: Cluster) -> Iterator[str]:
    """A file system of 256 KiB on each node, which the submit host cannot see."""
    for node in ("node1", "node2"):
        cluster.node(node, f"mkdir -p {SMALL} && mount -t tmpfs -o size=256k,mode=1777 none {SMALL}")
    yield SMALL
    for node in ("node1", "node2"):
        cluster.node(node, f"umount --lazy {SMALL}; rmdir {SMALL}")


def test_files_lie_on_the_nodes_where_the_submit_host_has_another_file_system(cluster: Cluster, small: str) -> None:
    result = launch(cluster, "sh -c 'echo of rank $RANK; echo error >&2'", options="-N2 -n2", keys=f"logs={small}/run%a")
    assert (result.code, result.out) == (0, "of rank 0\n"), result
    assert cluster.node("node2", f"cat {small}/run0/rank-1.out {small}/run0/rank-1.err") == "of rank 1\nerror\n"
    assert not Path(small).exists()


def test_a_disk_that_fills_in_mid_run_costs_what_no_longer_fits_and_holds_no_rank(cluster: Cluster, small: str) -> None:
    program = "python3 -c 'import os; text = bytes(1 << 20); print(os.write(1, text) < len(text), file=open(os.environ[\"RANK\"], \"w\"))'"
    try:
        result = launch(cluster, program, options="-N2 -n2", keys=f"logs={small}/run%a,view=none", timeout=60)
        assert result.code == 0, result.err
        assert [(cluster.home / rank).read_text() for rank in "01"] == ["True\n"] * 2
        kept = int(cluster.node("node2", f"stat -c %s {small}/run0/rank-1.out"))
        assert 0 < kept <= 256 << 10
    finally:
        cluster.shell("rm -f 0 1")


@pytest.mark.long
def test_a_line_of_a_gigabyte_is_whole_in_its_file_and_costs_the_view_no_memory(cluster: Cluster) -> None:
    step = cluster.start("bash -c 'srun --distributed=torch,logs=logs,view=0 -N1 -n1 sh -c "
                         "\"head -c 1G /dev/zero | tr '\\\\0' x; echo; echo end\" > shown'", )
    most = 0
    while step.running:
        for process in cluster.processes("login"):
            if process.name == "muster":
                status = Path(f"/proc/{process.pid}/status")
                with contextlib.suppress(OSError):
                    most = max(most, int(re.search(r"VmHWM:\s+(\d+)", status.read_text())[1]))
        time.sleep(0.2)
    result = step.wait(300)
    assert result.code == 0, result.err
    file = cluster.home / "logs/latest/rank-0.out"
    size = file.stat().st_size
    cluster.shell("rm -rf logs shown")
    assert size == (1 << 30) + 5
    assert 0 < most < 128 << 10, f"{most} KiB"


@pytest.mark.parametrize("what", ["printf half; printf other >&2", "exec >&-; echo error >&2", "exec 2>&-; echo out",
                                  "exec >&- 2>&-; exit 3"], ids=["half lines", "no stdout", "no stderr", "neither"])
def test_half_lines_and_closed_streams_are_shown_as_by_plain_srun(cluster: Cluster, what: str) -> None:
    plain = cluster.srun(f"-n1 sh -c '{what}'")
    shown = launch(cluster, f"sh -c '{what}'", options="-n1", keys="logs=logs,view=0")
    assert (shown.code, shown.out) == (plain.code, plain.out)
    assert shown.err == plain.err or (plain.code != 0 and shown.err.startswith(plain.err.split("srun:")[0]))
