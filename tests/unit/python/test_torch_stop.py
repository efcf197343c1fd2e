"""The ranks of a training job stop together, after the same step: real processes over gloo."""

import os
import signal
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Dict, Iterator, List

import pytest

torch = pytest.importorskip("torch", reason="no PyTorch for this python3; scripts/setup --with=training installs it")

import muster.torch  # noqa: E402
from muster.torch.stop import _device  # noqa: E402

LOOP = """
import os, sys
import torch.distributed as dist
import muster.torch
rank = int(os.environ["RANK"])
dist.init_process_group("gloo", init_method=sys.argv[1], rank=rank, world_size=3)
parts = [dist.new_group([0, 1]), dist.new_group([2])]
group = parts[rank // 2] if sys.argv[2] == "parts" else None
step = 0
while not muster.torch.stop_requested(group):
    step += 1
    print(step, flush=True)
print("stopped", step, muster.stop_requested(), flush=True)
dist.barrier(group)
"""


@pytest.fixture
def ranks(tmp_path: Path, request) -> Iterator[Dict[int, subprocess.Popen]]:
    environment = {**os.environ, "GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", LOOP, f"file://{tmp_path}/store", request.param]
    started = {rank: subprocess.Popen(command, env={**environment, "RANK": str(rank)}, text=True, stdout=subprocess.PIPE)
               for rank in range(3)}
    yield started
    for process in started.values():
        process.kill()
        process.communicate()


def until(process: subprocess.Popen, line: str) -> None:
    assert any(said == f"{line}\n" for said in process.stdout), f"{line} was never said"


def last_words(process: subprocess.Popen) -> List[str]:
    said = process.communicate(timeout=60)[0]
    assert process.returncode == 0
    return said.splitlines()[-1].split()


@pytest.mark.parametrize("ranks", ["all"], indirect=True)
def test_all_ranks_stop_after_the_same_step_when_one_gets_the_signal(ranks) -> None:
    until(ranks[1], "5")
    ranks[1].send_signal(signal.SIGTERM)
    words = {rank: last_words(process) for rank, process in ranks.items()}
    assert {rank: asked for rank, (_, _, asked) in words.items()} == {0: "False", 1: "True", 2: "False"}
    assert len({step for _, step, _ in words.values()}) == 1 and int(words[0][1]) >= 5, words


@pytest.mark.parametrize("ranks", ["parts"], indirect=True)
def test_the_ranks_of_a_group_stop_without_the_others(ranks) -> None:
    until(ranks[0], "5")
    ranks[0].send_signal(signal.SIGUSR1)
    first, second = last_words(ranks[0]), last_words(ranks[1])
    assert first[1] == second[1]
    assert ranks[2].poll() is None, "a group of its own goes on"
    ranks[2].send_signal(signal.SIGUSR1)
    assert last_words(ranks[2])[0] == "stopped"


def test_without_a_group_it_is_the_ranks_own_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    for own in (False, True):
        monkeypatch.setattr(muster._stop, "stop_requested", lambda own=own: own)
        assert muster.torch.stop_requested() is own


def test_the_number_is_where_the_backend_can_reduce_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 3)
    devices = {backend: str(_device(backend)) for backend in ("gloo", "mpi", "nccl", "cuda:nccl", "cpu:gloo,cuda:nccl")}
    assert devices == {"gloo": "cpu", "mpi": "cpu", "nccl": "cuda:3", "cuda:nccl": "cuda:3", "cpu:gloo,cuda:nccl": "cpu"}


def test_what_was_reduced_is_still_there_when_the_group_is_destroyed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Gloo's own thread may hold a tensor for a moment, and would need the GIL to free it."""
    reduced = []
    all_reduce = torch.distributed.all_reduce

    def watched(tensor, **more) -> None:
        reduced.append(weakref.ref(tensor))
        all_reduce(tensor, **more)

    monkeypatch.setattr(torch.distributed, "all_reduce", watched)
    torch.distributed.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    try:
        for _ in range(3):
            muster.torch.stop_requested()
    finally:
        torch.distributed.destroy_process_group()
    assert len(reduced) == 3 and all(tensor() is not None for tensor in reduced)
