"""Several ranks in separate processes, over TCP on this machine."""

import re
import stat
from pathlib import Path

import pytest
from together import run, words


JOIN = "import muster, os, sys, threading, time\nstep = muster.init(timeout=20)\n"


def test_everyone_reads_what_everyone_gave() -> None:
    done = run(JOIN + "print(step.exchange('n', b'%d' % step.rank), step.exchange('n', b'%d' % step.rank, [2, 0]))", 3)
    assert set(words(done).values()) == {"[b'0', b'1', b'2'] {2: b'2', 0: b'0'}"}


def test_only_the_root_knows_the_length_of_a_broadcast() -> None:
    done = run(JOIN + "print(len(step.broadcast(b'x' * 1000 if step.rank == 1 else None, root=1)))", 3)
    assert set(words(done).values()) == {"1000"}


def test_ranks_that_broadcast_from_different_roots_are_told() -> None:
    done = run(JOIN + "step.broadcast(b'x', root=step.rank)", 2)
    assert all(rank.returncode == 1 for rank in done.values())
    assert any("every rank must make the same calls in the same order" in rank.stderr for rank in done.values())


def test_a_rank_keeps_the_times_of_its_start_in_the_file_that_the_launcher_named(tmp_path: Path) -> None:
    program = JOIN + """
with step:
    time.sleep(0 if step.rank else 0.5)
    step.mark("model")
    step.barrier()
"""
    file = tmp_path / "rank-1.times"  # rank 0 finds a different rank's name
    assert set(words(run(program, 2, {"MUSTER_TIMES": f"0:{file}"})).values()) == {""}
    assert [each.name for each in tmp_path.glob("rank-*")] == [file.name]
    phases = re.findall(r"^phase (\d+) (\d+) (\w+) ok (\w+)$", file.read_text(), re.MULTILINE)
    assert [phase[2:] for phase in phases] == [("own", "join"), ("own", "model"), ("all", "barrier"), ("own", "leave")]
    begin, end = map(int, phases[2][:2])
    assert end - begin > 300_000, "rank 1 waits in the barrier for rank 0"


@pytest.mark.parametrize("mark", ["", "x" * 64, "a\\nb"])
def test_a_mark_that_names_nothing_is_an_error(mark: str) -> None:
    done = run(JOIN + f"step.mark('{mark}')", 1)
    assert done[0].returncode == 1 and "a mark must " in done[0].stderr, done[0].stderr


def test_other_threads_run_while_a_rank_waits() -> None:
    program = JOIN + """
if step.rank == 1:
    time.sleep(1)
    step.barrier()
else:
    waiting = threading.Thread(target=step.barrier)
    waiting.start()
    count = 0
    while waiting.is_alive():
        count += 1
        time.sleep(0.01)
    print("counted" if count > 10 else f"only {count}")
"""
    assert words(run(program, 2))[0] == "counted"


def test_a_rank_that_never_comes_is_a_timeout_that_names_it() -> None:
    program = JOIN + """
if step.rank != 1:
    try:
        step.barrier(timeout=2)
    except muster.Timeout as why:
        print(why)
"""
    said = words(run(program, 3))
    assert "rank 1" in said[0] and "rank 1" in said[2]


# --- the key, if no launcher provides one


def test_ranks_of_one_user_make_a_secret_and_meet_by_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MUSTER_SECRET_FILE")
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    assert set(words(run(JOIN + "step.barrier()\nprint('met')", 4, {"HOME": str(tmp_path)})).values()) == {"met"}
    secret = tmp_path / ".local" / "state" / "muster" / "secret"
    assert len(secret.read_bytes()) == 32
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert [file.name for file in secret.parent.iterdir()] == ["secret"]


def test_ranks_with_different_secrets_end_with_the_remedy(tmp_path: Path) -> None:
    own = "import os\nos.environ['MUSTER_SECRET_FILE'] = os.environ['FILE'] + os.environ['RANK']\n"
    done = run(own + JOIN + "step.barrier(timeout=4)", 2, {"FILE": str(tmp_path / "of-rank-")})
    for rank, process in done.items():
        assert process.returncode == 1
        assert f"{tmp_path}/of-rank-{rank} and 127.0.0.1:" in process.stderr
        assert "copy this file to every node" in process.stderr


# --- torch

TORCH = """
import datetime, gc, os, sys
import muster, muster.torch
import torch, torch.distributed as dist
from muster.torch import store
rank = int(os.environ["RANK"])
def meet(timeout=60, **more):
    try:
        dist.init_process_group("gloo", init_method="muster://", timeout=datetime.timedelta(seconds=timeout), **more)
    except muster.Error as why:
        sys.exit(str(why))
def refuse(*arguments, **more):
    raise RuntimeError("no route to host\\nand a stack of frames")
"""
needs_torch = pytest.mark.skipif(
    "not __import__('importlib').util.find_spec('torch')", reason="no PyTorch for this python3; scripts/setup --with=training")


@needs_torch
def test_a_group_is_made_of_all_ranks_over_and_over() -> None:
    program = TORCH + """
seen = []
for _ in range(3):
    meet()
    total = torch.tensor([dist.get_rank()])
    dist.all_reduce(total)
    dist.destroy_process_group()
    gc.collect()
    seen.append((int(total), len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))))
print(seen[0][0], seen[1] == seen[2], rank)
"""
    assert words(run(program, 3)) == {rank: f"3 True {rank}" for rank in range(3)}


@needs_torch
@pytest.mark.parametrize(("who", "line"), [
    (0, "rank 0 on .*: no route to host"),
    (2, "rank 2 on .*: the store of rank 0 at .* port .* cannot be reached: no route to host"),
])
def test_the_trouble_of_one_rank_is_the_same_line_on_all(who: int, line: str) -> None:
    done = run(TORCH + f"if rank == {who}:\n    store.serve = store.connect = refuse\nmeet()\n", 3)
    told = {rank: process.stderr.splitlines()[-1] for rank, process in done.items()}
    assert len(set(told.values())) == 1, told
    assert re.fullmatch(line, told[1]), told


@needs_torch
def test_a_rank_that_was_told_another_world_is_an_error_on_all() -> None:
    done = run(TORCH + "meet(**({'rank': 1, 'world_size': 3} if rank == 2 else {}))", 3)
    assert all("rank 2 on" in process.stderr and "got rank=1 world_size=3" in process.stderr for process in done.values())


@needs_torch
def test_a_rank_that_never_meets_is_named_by_the_others() -> None:
    together_first = "with muster.init(timeout=60) as step:\n    step.barrier()\n"  # imports may take a long time
    done = run(TORCH + together_first + "if rank != 1:\n    meet(timeout=4)\n", 3)
    for rank in (0, 2):
        assert done[rank].returncode == 1
        assert re.match("exchange 'torch store's address': rank 1 ", done[rank].stderr.splitlines()[-1]), done[rank].stderr
