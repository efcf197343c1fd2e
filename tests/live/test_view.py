"""The live view with logs=: which ranks a terminal shows, and how; and that the view never blocks a rank."""

import os
import re
from collections import defaultdict
from pathlib import Path

import pytest
from cluster import PROGRAMS, Cluster

TITLE = "Root Cause (first observed failure):"
SPEAK = "./speak"


@pytest.fixture(autouse=True)
def speak(cluster: Cluster) -> None:
    cluster.give("alice", PROGRAMS / "speak")
    for old in [*cluster.home.glob("took.*"), *cluster.home.glob("shown.*")]:
        old.unlink()
    cluster.shell("rm -rf logs")


def option(cluster: Cluster, keys: str = "") -> str:
    return ",".join(filter(None, ["--distributed=torch", f"logs={cluster.home}/logs", keys]))


def view(cluster: Cluster, keys: str, what: str, options: str = "-N2 -n4", **more):
    return cluster.srun(f"{option(cluster, keys)} {options} {SPEAK} {what}", **more)


def files(cluster: Cluster, stream: str = "out") -> dict[int, bytes]:
    """What each rank of the only step has in its file."""
    return {int(re.search(r"rank-(\d+)\.", path.name)[1]): path.read_bytes()
            for path in (cluster.home / "logs").glob(f"*-attempt-0/rank-*.{stream}")}


def bytes_of(cluster: Cluster, srun: str, **more) -> tuple[bytes, bytes]:
    """The two streams of an srun that its user has redirected to files."""
    result = cluster.shell(f"{srun} > shown.out 2> shown.err", **more)
    assert result.code == 0, f"{result}\n{(cluster.home / 'shown.err').read_bytes()!r}"
    return (cluster.home / "shown.out").read_bytes(), (cluster.home / "shown.err").read_bytes()


def by_rank(lines: list[str], ranks: int) -> dict[int, list[str]]:
    """The prefixed lines, including folded ones, as each rank wrote them."""
    found = defaultdict(list)
    for line in lines:
        who, text = re.fullmatch(r"\[([^]]*)\] (.*)", line).groups()
        if who == f"{ranks} ranks":
            who = f"0-{ranks - 1}"
        for part in who.split(","):
            first, _, last = part.partition("-")
            for rank in range(int(first), int(last or first) + 1):
                found[rank].append(text)
    return dict(found)


# --- one rank

@pytest.mark.parametrize("what", ["binary", "bar", "escapes", "long"])
def test_one_ranks_bytes_are_those_that_plain_srun_shows(cluster: Cluster, what: str) -> None:
    plain = bytes_of(cluster, f"RANK=0 srun -n1 ./speak {what}")
    assert bytes_of(cluster, f"srun {option(cluster)} -n1 {SPEAK} {what}") == plain
    assert any(plain)


def test_the_first_rank_is_shown_where_nothing_is_asked(cluster: Cluster) -> None:
    result = view(cluster, "", "lines")
    assert (result.code, result.out, result.err) == (0, "same\nown 0\n", "same error\n")


def test_any_other_rank_is_shown_on_request(cluster: Cluster) -> None:
    assert view(cluster, "view=3", "lines").out == "same\nown 3\n"


def test_no_rank_is_shown_on_request(cluster: Cluster) -> None:
    result = view(cluster, "view=none", "lines")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert files(cluster)[3] == b"same\nown 3\n"


def test_a_progress_bar_is_drawn_on_a_terminal_as_plain_srun_draws_it(cluster: Cluster) -> None:
    plain = cluster.terminal(f"env RANK=0 srun -n1 ./speak bar")
    assert plain.wait() == 0
    shown = cluster.terminal(f"srun {option(cluster)} -N2 -n4 {SPEAK} bar 0")
    shown.await_text("\rtraining:   0%|")
    assert shown.wait() == 0
    assert shown.shown == plain.shown
    assert shown.shown.endswith("100%|\r\n")


def test_the_rank_is_the_one_that_the_program_knows(cluster: Cluster) -> None:
    result = view(cluster, "view=1,ranks=contiguous", "lines", "-N2 -n4 --distribution=cyclic")
    assert result.out == "same\nown 1\n"


# --- several ranks

def test_equal_lines_of_all_ranks_become_one(cluster: Cluster) -> None:
    result = view(cluster, "view=all", "lines")
    assert result.code == 0
    own = {rank: ["same", f"own {rank}"] for rank in range(4)}
    assert by_rank(result.lines, 4) == own
    assert by_rank(result.err.splitlines(), 4) == dict.fromkeys(range(4), ["same error"])
    assert len(result.lines) < 8


@pytest.mark.parametrize(("prefix", "shown"), [
    ("rank", ["[1] own 1", "[3] own 3"]), ("node", ["[node1 1] own 1", "[node2 3] own 3"]), ("none", ["own 1", "own 3"])])
def test_each_line_has_the_prefix_that_is_asked_for(cluster: Cluster, prefix: str, shown: list[str]) -> None:
    result = view(cluster, f"view=1+3,prefix={prefix}", "lines")
    assert [line for line in sorted(result.lines) if "own" in line] == shown


def test_the_prefix_is_coloured_on_a_terminal_and_plain_where_the_user_wants_that(cluster: Cluster) -> None:
    line = f"srun {option(cluster, 'view=1+3')} -N2 -n4 {SPEAK} lines"
    coloured = cluster.terminal(line, env={"TERM": "xterm"})
    assert coloured.wait() == 0
    assert re.search(r"\x1b\[\d+m\[3\] \x1b\[0mown 3\r\n", coloured.shown)
    plain = cluster.terminal(line, env={"TERM": "xterm", "NO_COLOR": "1"})
    assert plain.wait() == 0
    assert "\x1b" not in plain.shown and "[3] own 3\r\n" in plain.shown


def test_escapes_of_several_ranks_do_nothing_to_a_terminal(cluster: Cluster) -> None:
    terminal = cluster.terminal(f"srun {option(cluster, 'view=all')} -n2 {SPEAK} escapes", env={"TERM": "xterm", "NO_COLOR": "1"})
    assert terminal.wait() == 0
    assert set(re.findall(r"\x1b[^m]*m?", terminal.shown)) == {"\x1b[31m", "\x1b[0m"}
    assert r"\x1b[2J\x1b]0;title\x07\xc2\x9b2J" in terminal.shown


def test_a_line_of_any_length_is_shown_in_parts(cluster: Cluster) -> None:
    result = view(cluster, "view=all", "long", "-n2")
    parts = by_rank(result.lines, 2)
    assert {rank: sum(map(len, texts)) for rank, texts in parts.items()} == {0: 1_000_000, 1: 1_000_000}
    assert max(len(text) for text in parts[0]) <= 8192


def test_a_progress_bar_of_several_ranks_is_a_line(cluster: Cluster) -> None:
    result = view(cluster, "view=all", "bar", "-n2")
    assert by_rank(result.err.splitlines(), 2) == dict.fromkeys(range(2), ["training: 100%|"])


def test_nothing_is_lost_at_the_end(cluster: Cluster) -> None:
    result = view(cluster, "view=all", "last")
    written = {rank: text.decode().splitlines() for rank, text in files(cluster).items()}
    assert len(written) == 4 and len(written[3]) == 20_000
    assert by_rank(result.lines, 4) == written
    assert result.err == ""


# --- the terminal, pipe or file that shows it

def left_out(text: str) -> bool:
    return re.search(r"^muster: warning: .* of rank 0's output was not shown; the complete output is in \S+/logs/\S+/rank-0\.out$", text, re.MULTILINE) is not None


def test_a_reader_that_waits_for_the_ranks_is_not_waited_for_by_them(cluster: Cluster) -> None:
    until = "until [ -e took.0 ] && [ -e took.3 ]; do sleep 0.1; done"
    result = cluster.shell(f"srun {option(cluster)} -N2 -n4 {SPEAK} much 2> shown.err | ({until}; cat > shown.out); exit $PIPESTATUS",
                           timeout=60)
    assert result.code == 0
    assert {rank: len(text) for rank, text in files(cluster).items()} == dict.fromkeys(range(4), 40_000_000)
    shown = (cluster.home / "shown.out").stat().st_size
    assert 0 < shown < 40_000_000
    assert left_out((cluster.home / "shown.err").read_text())


def test_a_reader_that_never_reads_does_not_keep_the_step_from_ending(cluster: Cluster) -> None:
    result = cluster.shell(f"mkfifo shown.fifo; exec 3<> shown.fifo; srun {option(cluster)} -N2 -n4 {SPEAK} much > shown.fifo",
                           timeout=60)
    assert result.code == 0
    assert len(files(cluster)[3]) == 40_000_000
    assert left_out(result.err)


@pytest.mark.parametrize(("where", "why"), [("> /dev/full", "No space left on device"), ("| true", "Broken pipe")])
def test_a_stream_that_takes_nothing_costs_the_view_alone(cluster: Cluster, where: str, why: str) -> None:
    result = cluster.shell(f"srun {option(cluster)} -N2 -n4 {SPEAK} much {where}; exit $PIPESTATUS", timeout=60)
    assert result.code == 0
    assert f"muster: warning: cannot write to standard output: {why}; the live view continues without it\n" in result.err
    assert {rank: len(text) for rank, text in files(cluster).items()} == dict.fromkeys(range(4), 40_000_000)


# --- failures and attempts

def test_the_last_lines_of_whoever_fails_come_before_the_report(cluster: Cluster) -> None:
    terminal = cluster.terminal(f"srun {option(cluster)} -N2 -n4 {SPEAK} fails", env={"TERM": "xterm", "NO_COLOR": "1"})
    assert terminal.wait() == 7
    shown = terminal.shown
    assert "[1] step 67\r" not in shown and "[1] step 68\r\n" in shown
    places = [shown.index(text) for text in ("rank 0 waits", "[1] step 99\r\n", "[1] no such file: data.bin\r\n", TITLE)]
    assert places == sorted(places)


def test_every_attempt_is_shown(cluster: Cluster) -> None:
    program = SPEAK.replace("./speak", "")
    result = cluster.srun(f"{option(cluster, 'restarts=1')} -N2 -n2 {program} bash -c "
                          "'echo attempt $TORCHELASTIC_RESTART_COUNT; [ $RANK = 1 ] && sleep 60; exit 3'", timeout=60)
    assert result.code == 3
    assert [line for line in result.lines if line.startswith("attempt")] == ["attempt 0", "attempt 1"]


# --- what cannot be shown

@pytest.mark.parametrize(("ranks", "why"), [(4, "the step has no such rank; use ranks from 0 to 3"),
                                            (1, "the step has rank 0 only; use view=0")])
def test_a_rank_that_is_not_there_is_refused_before_any_starts(cluster: Cluster, ranks: int, why: str) -> None:
    result = view(cluster, "view=99", "lines", f"-n{ranks}")
    assert result.code != 0
    assert [line.partition("muster: ")[2] for line in result.complaints] == [f"node1: view=99: {why}"]
    assert not any(files(cluster).values())


@pytest.mark.parametrize("key", ["view=all", "prefix=node"])
def test_a_view_of_no_files_is_refused_before_anything_is_allocated(cluster: Cluster, key: str) -> None:
    result = cluster.srun(f"--distributed=torch,{key} -n1 ./speak lines")
    assert (result.code, result.err) == (
        1, f"muster: error: --distributed: {key} needs logs=DIR, which is not set\n")


def test_without_a_supervisor_it_is_said_that_nothing_is_shown(cluster: Cluster) -> None:
    result = view(cluster, "supervise=off", "lines")
    assert (result.code, result.out) == (0, "")
    assert sum("with supervise=off, muster shows no output; see the files in the logs= directory" in line for line in result.complaints) == 1
