"""muster:// and env:// with the torch that this Python has; tests that need several ranks are in tests/live."""

import gc
import os
import socket
from datetime import timedelta
from pathlib import Path

import pytest
from conftest import python
from together import free_ports

import muster

torch = pytest.importorskip("torch", reason="no PyTorch for this python3; scripts/setup --with=training installs it")
dist = torch.distributed

import muster.torch  # noqa: E402
from muster.torch import env, rendezvous  # noqa: E402
from muster.torch.env import a_task_of_the_step  # noqa: E402
from muster.torch.rendezvous import Query  # noqa: E402

PMIX = {"RANK": "0", "WORLD_SIZE": "1", "SLURM_NTASKS": "1"}


@pytest.fixture(autouse=True)
def torch_as_before():
    """serve_env() lasts for the life of a process."""
    yield
    if dist.is_initialized():
        dist.destroy_process_group()
    if env._torchs_own is not None:
        rendezvous._rendezvous_handlers["env"] = env._torchs_own


def left() -> tuple:
    gc.collect()
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))


def sum_of_ones() -> int:
    total = torch.ones(1)
    dist.all_reduce(total)
    return int(total)


def test_groups_come_and_go_and_leave_no_descriptor_thread_or_store_behind() -> None:
    seen = []
    for _ in range(4):
        dist.init_process_group("gloo", init_method="muster://")
        assert (dist.get_rank(), dist.get_world_size(), sum_of_ones()) == (0, 1, 1)
        part = dist.new_group([0])
        dist.barrier(part)
        assert muster.current() is None, "the step is left as soon as all are connected"
        del part
        dist.destroy_process_group()
        seen.append(left())
    assert seen[1:] == seen[:-1]


def test_a_rendezvous_is_told_phase_by_phase_to_whoever_reads_the_logs(tmp_path: Path) -> None:
    file = tmp_path / "rank-0.times"
    script = "import muster.torch, torch.distributed as dist; dist.init_process_group('gloo', init_method='muster://')"
    assert python(script, {"MUSTER_TIMES": f"0:{file}", "RANK": "0"}).returncode == 0
    names = [line.split(" ", 5)[5] for line in file.read_text().splitlines() if line.startswith("phase ")]
    exchanges = [f"exchange 'torch store's {what}'" for what in ("address", "clients", "verdict")]
    assert names == ["join", "torch store of rank 0", *exchanges, "leave"]


def test_the_store_is_on_a_port_of_its_own_and_keeps_torchs_timeout() -> None:
    stores = [next(dist.rendezvous("muster://", timeout=timedelta(seconds=7)))[0] for _ in range(2)]
    ports = {store.port for store in stores}
    assert len(ports) == 2 and 0 not in ports
    assert all(store.timeout == timedelta(seconds=7) for store in stores)


def test_the_port_is_free_again_when_torch_lets_go_of_the_store() -> None:
    store, _, _ = next(dist.rendezvous("muster://"))
    port = store.port
    socket.create_connection((store.host, port), timeout=5).close()
    del store
    gc.collect()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)


def test_a_step_that_the_program_has_joined_is_used_and_stays() -> None:
    with muster.init() as step:
        dist.init_process_group("gloo", init_method="muster://")
        assert muster.current() is step
        step.barrier()


@pytest.mark.parametrize("arguments", [{"rank": 1, "world_size": 2}, {"rank": 0, "world_size": 2}])
def test_a_rank_that_is_not_the_steps_is_an_error(arguments) -> None:
    with pytest.raises(muster.Error, match="got rank=. world_size=2, but this process is rank 0 of 1 of the step"):
        dist.init_process_group("gloo", init_method="muster://", **arguments)
    assert muster.current() is None


def test_the_same_rank_may_be_said() -> None:
    dist.init_process_group("gloo", init_method="muster://", rank=0, world_size=1)


@pytest.mark.skipif("use_libuv" not in (dist.TCPStore.__init__.__doc__ or ""), reason="this torch has one backend")
@pytest.mark.parametrize(("url", "variable", "libuv"), [
    ("muster://", None, True), ("muster://", "0", False), ("muster://?use_libuv=0", "1", False)])
def test_libuv_is_chosen_as_for_env(monkeypatch: pytest.MonkeyPatch, url: str, variable, libuv: bool) -> None:
    if variable:
        monkeypatch.setenv("USE_LIBUV", variable)
    assert next(dist.rendezvous(url))[0].libuvBackend == libuv


@pytest.mark.parametrize("words", [
    "use_libuv was requested but PyTorch was build without libuv support",  # Debian's 2.6
    "use_libuv was requested but PyTorch was built without libuv support, run with USE_LIBUV=0 to disable it."])
def test_a_build_without_libuv_serves_without_being_told(words: str) -> None:
    from muster.torch.store import Backend

    def make(use_libuv: bool = True):
        if use_libuv:
            raise RuntimeError(words)
        return "legacy"

    assert Backend({}, may_change=True).make(make) == "legacy"
    with pytest.raises(RuntimeError, match="without libuv"):
        Backend({"use_libuv": True}, may_change=False).make(make)


# --- env://

ENV = {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1"}


def test_env_without_a_step_is_torchs_own(monkeypatch: pytest.MonkeyPatch) -> None:
    port = str(free_ports())
    for name, value in {**ENV, "MASTER_PORT": port}.items():
        monkeypatch.setenv(name, value)
    muster.torch.serve_env()
    muster.torch.serve_env()
    store, rank, size = next(dist.rendezvous("env://"))
    assert (store.port, rank, size) == (int(port), 0, 1)


@pytest.mark.parametrize(("query", "environment"), [
    ("env://", {}),
    ("env://", {**PMIX, "WORLD_SIZE": "8"}),
    ("env://?rank=3&world_size=8", PMIX),
    ("env://", {**PMIX, "TORCHELASTIC_USE_AGENT_STORE": "True"}),
], ids=["no_step", "spawned_workers", "ranks_of_the_users", "torchrun"])
def test_env_is_left_to_torch_where_its_ranks_are_not_the_steps_tasks(query: str, environment) -> None:
    assert not a_task_of_the_step(Query.of(query), environment)


def test_env_is_ours_while_the_program_is_in_the_step_itself() -> None:
    with muster.init():
        assert a_task_of_the_step(Query.of("env://"), {"RANK": "0", "WORLD_SIZE": "1"})
        assert not a_task_of_the_step(Query.of("env://"), {"RANK": "1", "WORLD_SIZE": "2"})


def test_a_script_runs_unchanged_by_the_module(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("import sys, helper, torch.distributed as dist\n"
                      "from torch.distributed.rendezvous import _rendezvous_handlers\n"
                      "print(__name__, sys.argv[1:], _rendezvous_handlers['env'].__module__)\n")
    (tmp_path / "helper.py").write_text("")
    done = python(f"import runpy, sys; sys.argv = ['muster.torch', {str(script)!r}, '--epochs', '3']; "
                  "runpy.run_module('muster.torch', run_name='__main__', alter_sys=True)")
    assert done.stdout == "__main__ ['--epochs', '3'] muster.torch.env\n", done.stderr
