"""muster._recorder: which collective a rank has reached, queried from outside."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import muster._recorder as recorder



def counts(enqueued, started, completed) -> dict:
    return {"last_enqueued_collective": enqueued, "last_started_collective": started, "last_completed_collective": completed}


# As torch 2.13 dumps them: gloo with its operations, NCCL without.
GLOO = {"entries": [{"pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 4, "is_p2p": False,
                     "profiling_name": "gloo:all_reduce"},
                    {"pg_id": 1, "process_group": ["2", "undefined"], "collective_seq_id": 1, "is_p2p": False,
                     "profiling_name": "gloo:barrier"}],
        "pg_status": {"0": counts("4", "-1", "3"), "1": counts("1", "-1", "1")}}
NCCL = {"pg_status": {"0": counts(9, 8, 7)}}
KNOWN = [("0", "default_pg", "gloo", "0-2"), ("1", "undefined", "gloo", "0,2"), ("2", "undefined", "gloo", "1-2")]

ASKED = """
import os, sys, time
import muster._recorder as recorder
recorder._sources = lambda: [1]
recorder.state = lambda only_numbers: {state}
recorder.install()
{before}
print(os.getpid(), flush=True)
time.sleep(60)
"""


def states(backend: str, dumped: dict, known: list) -> dict:
    return {state["group"]: state for state in recorder._states(backend, dumped, known)}


def test_a_group_is_known_by_its_name_and_one_that_has_done_nothing_is_there() -> None:
    found = states("gloo", GLOO, KNOWN)
    assert (found["0"]["enqueued"], found["0"]["started"], found["0"]["completed"]) == (4, 0, 3)
    assert (found["0"]["operation"], found["2"]["operation"]) == ("all_reduce", "barrier")
    assert (found["1"]["enqueued"], found["1"]["ranks"]) == (0, "0,2")


def test_nccls_groups_are_numbered_as_they_were_made_or_left_out() -> None:
    found = states("nccl", NCCL, [("0", "default_pg", "cpu:gloo,cuda:nccl", "0-2"), ("1", "tp", "gloo", "0-2")])
    assert list(found) == ["0"] and (found["0"]["enqueued"], found["0"]["started"]) == (9, 8)
    assert states("nccl", {"pg_status": {"3": NCCL["pg_status"]["0"]}}, [("0", "default_pg", "nccl", "0-2")]) == {}


def test_of_two_groups_with_one_name_the_later_counts() -> None:
    entries = [{**GLOO["entries"][0], "pg_id": number} for number in (0, 1)]
    assert states("gloo", {**GLOO, "entries": entries}, KNOWN[:1])["0"]["enqueued"] == 1


def test_ranks_are_short() -> None:
    assert recorder._ranges([3, 0, 1, 2, 8]) == "0-3,8"
    assert recorder._ranges(range(0, 2000, 2)) == ""


def asked(process: subprocess.Popen, word: str = "a-word") -> dict:
    pid = process.stdout.readline().strip()
    folder = Path("/proc") / pid / "fd"
    links = {fd.name: os.readlink(fd) for fd in folder.iterdir()}
    file, link = next((fd, link) for fd, link in links.items() if link.startswith("/memfd:muster-recorder-"))
    pipe = link.split()[0].rsplit("-", 1)[1]
    (folder / pipe).write_text(f"{word}\n")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        words, _, answer = (folder / file).read_text().partition("\n")
        if word in words.split() and answer.endswith("\n"):
            return json.loads(answer)
        time.sleep(0.01)
    raise AssertionError("no answer")


def start(state: str, before: str = "", **variables: str) -> subprocess.Popen:
    environment = {**os.environ, "SLURM_TASK_PID": "1", "WORLD_SIZE": "2", **variables}
    return subprocess.Popen([sys.executable, "-c", ASKED.format(state=state, before=before)], env=environment, text=True,
                            stdout=subprocess.PIPE)


@pytest.mark.parametrize(("state", "answer"), [
    ("{'rank': 5}", {"rank": 5}), ("1 / 0", {"error": "ZeroDivisionError: division by zero"})])
def test_whoever_writes_a_word_gets_the_answer(state: str, answer: dict) -> None:
    with start(state) as process:
        try:
            assert asked(process) == answer
        finally:
            process.kill()


@pytest.mark.parametrize(("word", "only_numbers"), [("1-2-3", False), ("1-2-3n", True)])
def test_whoever_asks_again_and_again_gets_numbers_alone(word: str, only_numbers: bool) -> None:
    with start("{'numbers': only_numbers}") as process:
        try:
            assert asked(process, word) == {"numbers": only_numbers}
        finally:
            process.kill()


@pytest.mark.parametrize(("before", "variables"), [
    ("", {"MUSTER_STACKS": "0"}), ("", {"WORLD_SIZE": "1"}), ("", {"SLURM_TASK_PID": None}),
    ("pid = os.fork()\nif pid: os.waitpid(pid, 0); os._exit(0)", {})], ids=["switched off", "one rank", "no task", "forked"])
def test_nothing_is_opened_where_it_is_not_wanted_nor_kept_in_a_child(before: str, variables: dict) -> None:
    environment = {**os.environ, "SLURM_TASK_PID": "1", "WORLD_SIZE": "2", **variables}
    links = "[os.readlink(f'/proc/self/fd/{fd}') for fd in range(3, 20) if os.path.exists(f'/proc/self/fd/{fd}')]"
    program = ASKED.format(state="{}", before=before).replace("time.sleep(60)", f"print({links})")
    shown = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True, timeout=60, check=True,
                           env={name: value for name, value in environment.items() if value is not None})
    assert "muster-recorder" not in shown.stdout and "[" in shown.stdout


STACKS = """
import threading
def wait_in_a_thread():
    threading.Event().wait()
threading.Thread(target=wait_in_a_thread, name="its own", daemon=True).start()
"""


def answer_lines(process: subprocess.Popen, *words: str) -> list:
    pid = process.stdout.readline().strip()
    folder = Path("/proc") / pid / "fd"
    links = {fd.name: os.readlink(fd) for fd in folder.iterdir()}
    file, link = next((fd, link) for fd, link in links.items() if link.startswith("/memfd:muster-recorder-"))
    lines: list = []
    for word in words:
        (folder / link.split()[0].rsplit("-", 1)[1]).write_text(f"{word}\n")
        deadline = time.monotonic() + 60
        while word not in (lines or [""])[0].split() and time.monotonic() < deadline:
            time.sleep(0.01)
            lines = (folder / file).read_text().split("\n")
    return lines


def test_stacks_stand_below_the_last_answer_with_the_names_of_the_threads() -> None:
    with start("{'only_numbers': only_numbers}", STACKS) as process:
        try:
            words, collectives, stacks, end = answer_lines(process, "1-2-3n", "1-2-4s")
        finally:
            process.kill()
    assert (words, collectives, end) == ("1-2-3n 1-2-4s", '{"only_numbers": true}', "")
    threads = json.loads(stacks)["threads"]
    assert [thread["name"] for thread in threads] == ["its own", "MainThread"], "not the thread that answers"
    assert "in wait_in_a_thread\n" in threads[0]["frames"]
    assert threads[1]["frames"].startswith('  File "<string>", line ') and "in <module>" in threads[1]["frames"]


def test_the_next_question_about_collectives_takes_the_stacks_away() -> None:
    with start("{}") as process:
        try:
            assert answer_lines(process, "a-s", "a-n")[1:] == ["{}", ""]
        finally:
            process.kill()


def test_more_threads_than_python_prints_are_an_error() -> None:
    many = STACKS + "for _ in range(120): threading.Thread(target=wait_in_a_thread, daemon=True).start()"
    with start("{}", many) as process:
        try:
            stacks = answer_lines(process, "a-s")[2]
        finally:
            process.kill()
    assert json.loads(stacks) == {"error": "RuntimeError: more than 100 threads"}


@pytest.mark.parametrize("seconds", [1.0])
def test_stacks_of_threads_that_compute_cost_the_program_nothing(seconds: float) -> None:
    """Other threads call, return, and make code that is freed again. At a signal, faulthandler would crash there."""
    busy = """
import threading
def deep(n):
    return deep(n - 1) + 1 if n else 0
def churn():
    while True:
        deep(100)
        exec("def f(x): return [y + x for y in range(9)]\\nf(3)", {})
for _ in range(3): threading.Thread(target=churn, daemon=True).start()
"""
    with start("{}", busy) as process:
        try:
            pid = process.stdout.readline().strip()
            folder = Path("/proc") / pid / "fd"
            link = next(link for link in map(os.readlink, folder.iterdir()) if "muster-recorder-" in link)
            pipe = folder / link.split()[0].rsplit("-", 1)[1]
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                pipe.write_text("a-s\n")
                time.sleep(0.002)
            assert process.poll() is None
        finally:
            process.kill()


def entry(created: int, number: int = 1, name: str = "0", **changes: object) -> dict:
    """In torch's order of the fields."""
    return {"collective_seq_id": number, "is_p2p": False, "op_id": number, "process_group": [name, "default_pg"],
            "profiling_name": "gloo:all_reduce", "record_id": number, "time_created_ns": created, **changes}


def dumped(*entries: dict) -> bytes:
    return json.dumps({"comm_lib_version": "", "entries": entries, "pg_status": {}}, separators=(",", ":")).encode()


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> "list[bytes]":
    """What the recorder dumps, in a rank that is number 5 of the groups "0" and "1"."""
    dumps: "list[bytes]" = []
    torch = SimpleNamespace(distributed=SimpleNamespace(is_initialized=lambda: True, get_rank=lambda: 5))
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr(recorder, "_sources", lambda: [("gloo", lambda operations: dumps[0], True)])
    monkeypatch.setattr(recorder, "_sizes", lambda: [("0", "default_pg", [0, 1, 5]), ("1", "tp", [4, 5])])
    return dumps


def test_times_are_those_after_the_last_that_was_told(told: list) -> None:
    told.append(dumped(*[entry(100 + 10 * n, n) for n in range(1, 6)]))
    found = recorder.times(130)
    assert (found["rank"], found["operations"], found["base"]) == (5, ["all_reduce"], 140)
    assert found["groups"] == [{"group": "0", "text": "default_pg", "backend": "gloo", "size": 3, "ranks": "0-1,5",
                                "pairs": False}]
    assert found["times"] == [[0, 4, 0, 0], [0, 5, 0, 10]]
    assert [number for _, number, _, _ in recorder.times(0)["times"]] == [1, 2, 3, 4, 5]
    assert recorder.times(150)["times"] == []


def test_times_are_bounded_and_the_newest(told: list) -> None:
    told.append(dumped(*[entry(n, n) for n in range(1, 5000)]))
    found = recorder.times(0)["times"]
    assert (len(found), found[0][1], found[-1][1]) == (768, 4232, 4999)
    assert len(json.dumps(recorder.times(0), separators=(",", ":"))) < 32768


@pytest.mark.parametrize("changes", [{"is_p2p": True}, {"op_id": 9}])
def test_messages_between_two_ranks_are_known_and_no_collectives(told: list, changes: dict) -> None:
    told.append(dumped(entry(100), entry(200, 2, **changes)))
    found = recorder.times(0)
    assert found["groups"][0]["pairs"]
    assert len(found["times"]) == (1 if "is_p2p" in changes else 2)


def test_groups_that_are_gone_are_left_out_and_others_kept_apart(told: list) -> None:
    told.append(dumped(entry(100, 1, "gone"), entry(110, 7, "1"), entry(120, 2)))
    found = recorder.times(0)
    assert [group["group"] for group in found["groups"]] == ["1", "0"]
    assert found["times"] == [[0, 7, 0, 0], [1, 2, 0, 10]]


def test_a_recorder_of_another_order_or_without_entries_is_read_as_well(told: list) -> None:
    told.append(json.dumps({"entries": [dict(sorted(entry(100).items(), reverse=True))]}).encode())
    assert len(recorder.times(0)["times"]) == 1
    told[0] = dumped()
    assert recorder.times(0)["times"] == []


@pytest.mark.parametrize("nonsense", [b"", b"garbage", b'{"entries":[{"collective_seq_id":1,', b'{"entries":[{"x":1}]}'])
def test_garbage_is_an_error_in_the_answer_and_nothing_else(told: list, nonsense: bytes) -> None:
    told.append(nonsense)
    assert "error" in json.loads(recorder._answer(lambda: recorder._about_collectives(["1-2-3-0t"])))


def test_nccls_recorder_is_left_alone_unless_cuda_lets_it(told: list, monkeypatch: pytest.MonkeyPatch) -> None:
    told.append(dumped(entry(100)))
    monkeypatch.setattr(recorder, "_sources", lambda: [("nccl", lambda operations: told[0], False)])
    assert recorder.times(0)["times"] == []  # no CUDA is loaded here
    monkeypatch.setattr(recorder, "_allow_captures", lambda: True)
    assert len(recorder.times(0)["times"]) == 1


def test_how_long_a_collective_took_is_told_once_it_has_ended(told: list, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "_sources", lambda: [("nccl", lambda operations: told[0], False)])
    monkeypatch.setattr(recorder, "_allow_captures", lambda: True)
    in_graph = entry(110, 2)  # torch never measures it
    told.append(dumped(entry(100, 1, duration_ms=1.5), in_graph, entry(120, 3, duration_ms=0.25), entry(130, 4), entry(140, 5)))
    assert recorder.times(0)["times"] == [[0, 1, 0, 0, 1500], [0, 2, 0, 10], [0, 3, 0, 20, 250]]
    told[0] = dumped(entry(120, 3, duration_ms=0.25), entry(130, 4, duration_ms=7), entry(140, 5, duration_ms=8))
    assert recorder.times(120)["times"] == [[0, 4, 0, 0, 7000], [0, 5, 0, 10, 8000]]


def test_a_wait_of_an_hour_is_told_as_the_longest_that_the_agent_reads(told: list, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "_sources", lambda: [("nccl", lambda operations: told[0], False)])
    monkeypatch.setattr(recorder, "_allow_captures", lambda: True)
    told.append(dumped(entry(100, 1, duration_ms=3_600_000.0), entry(200, 2, duration_ms=-1.0)))
    assert [took for *_, took in recorder.times(0)["times"]] == [600_000_000, 0]


@pytest.mark.parametrize(("timing", "answers"), [("1", 0), ("true", 0), ("0", 1), (None, 1)])
def test_nobody_waits_for_how_long_it_took_where_torch_does_not_measure(
        told: list, monkeypatch: pytest.MonkeyPatch, timing: "str | None", answers: int) -> None:
    monkeypatch.setattr(recorder, "_sources", lambda: [("nccl", lambda operations: told[0], False)])
    monkeypatch.setattr(recorder, "_allow_captures", lambda: True)
    monkeypatch.delenv("TORCH_NCCL_ENABLE_TIMING", raising=False)
    if timing is not None:
        monkeypatch.setenv("TORCH_NCCL_ENABLE_TIMING", timing)
    told.append(dumped(entry(100)))
    assert len(recorder.times(0)["times"]) == answers


def test_another_backends_collectives_wait_for_nccls(told: list, monkeypatch: pytest.MonkeyPatch) -> None:
    gloo = dumped(entry(90, 1, "1"), entry(150, 2, "1"))
    nccl = dumped(entry(100, 1, duration_ms=1), entry(120, 2))
    monkeypatch.setattr(recorder, "_sources", lambda: [("gloo", lambda operations: gloo, True), ("nccl", lambda operations: nccl, True)])
    assert [number for _, number, *_ in recorder.times(0)["times"]] == [1, 1]


@pytest.mark.parametrize(("asked_for", "answer"), [(["1-2-3-1ft"], 31), (["1-1-1-1ft", "2-2-2-10t", "1-1-2s"], 16), (["1-2-3-1ft", "2-2-2n"], None)])
def test_times_are_an_answer_only_to_those_who_all_want_them(monkeypatch: pytest.MonkeyPatch, asked_for: list, answer: object) -> None:
    monkeypatch.setattr(recorder, "times", lambda since: {"since": since})
    monkeypatch.setattr(recorder, "state", lambda only_numbers: {"numbers": only_numbers})
    assert recorder._about_collectives(asked_for) == ({"since": answer} if answer else {"numbers": False})
