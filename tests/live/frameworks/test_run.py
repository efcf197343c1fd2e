"""Compares `muster run` with the real torchrun: runs the same lines with each, and compares what the ranks saw."""

import json
import re
import subprocess

import pytest
from cluster import CHECKOUT
from command import Result
from framework import ENVIRONMENTS, PATIENCE
from this_machine import USER, Machine

BIN = ENVIRONMENTS / "torch" / "bin"
PATHS = {"PATH": f"{BIN}:/usr/bin:/bin"}

SHOW = """
import json, os, sys
line = json.dumps({"argv": sys.argv, "env": dict(os.environ)}) + "\\n"
os.write(1, line.encode())  # whole
"""
SUM = """
import os, torch, torch.distributed as dist
dist.init_process_group("gloo")
total = torch.tensor([dist.get_rank() + 1])
dist.all_reduce(total)
dist.barrier()
os.write(1, f"rank {dist.get_rank()} of {dist.get_world_size()} sum {int(total)}\\n".encode())
dist.destroy_process_group()
"""
# As in PyTorch's tutorials: the program starts its ranks itself and chooses the address. It needs no launcher, and a
# launcher must not get in its way.
SPAWN = """
import os, sys, torch, torch.distributed as dist, torch.multiprocessing as mp
def work(rank, url):
    if url == "env://":
        os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "127.0.0.1", sys.argv[2]
    dist.init_process_group("gloo", init_method=url, rank=rank, world_size=4)
    total = torch.tensor([rank + 1])
    dist.all_reduce(total)
    os.write(1, f"rank {rank} of 4 sum {int(total)}\\n".encode())
    dist.destroy_process_group()
if __name__ == "__main__":
    mp.spawn(work, args=(sys.argv[1],), nprocs=4)
"""
# Variables whose values may differ; docs/guides/without-slurm.md says why.
OTHER_VALUES = {"MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_ERROR_FILE",
                "TORCHELASTIC_USE_AGENT_STORE", "OMP_NUM_THREADS"}
TORCHRUNS_ALONE = {"TORCHELASTIC_SIGNALS_TO_HANDLE", "TORCHELASTIC_HEALTH_CHECK_PORT"}


@pytest.fixture(autouse=True)
def cluster() -> None:
    """These tests need no cluster."""


def by_muster(machine: Machine, *words: str) -> Result:
    return machine.run(*words, environment=PATHS, timeout=PATIENCE)


def by_torchrun(machine: Machine, *words: str) -> Result:
    done = subprocess.run([BIN / "torchrun", *words], cwd=machine.home, user=USER, group=USER, extra_groups=[],
                          env={**PATHS, "HOME": str(machine.home), "TMPDIR": str(machine.home / "tmp")}, check=False,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    return Result(done.returncode, done.stdout, done.stderr, 0.0)


def ranks(result: Result) -> list[dict]:
    assert result.code == 0, result.err
    return sorted((json.loads(line) for line in result.lines), key=lambda each: int(each["env"]["RANK"]))


def test_every_variable_of_torchruns_is_there(machine: Machine) -> None:
    machine.write("show.py", SHOW)
    words = ("--nproc-per-node=2", "--max-restarts=3", "--role=trainer", "show.py", "--epochs", "2")
    ours, theirs = ranks(by_muster(machine, *words)), ranks(by_torchrun(machine, *words))
    for one, other in zip(ours, theirs, strict=True):
        assert one["argv"] == other["argv"]
        set_by_torchrun = {name for name in other["env"] if name not in {*PATHS, "HOME", "TMPDIR", "LC_CTYPE", "PWD"}}
        assert set_by_torchrun - one["env"].keys() <= TORCHRUNS_ALONE
        differing = {name for name in set_by_torchrun & one["env"].keys() if one["env"][name] != other["env"][name]}
        assert differing <= OTHER_VALUES, differing


def test_each_flag_and_variable_of_torchruns_is_on_its_page(machine: Machine) -> None:
    page = (CHECKOUT / "docs/start/from-torchrun.md").read_text()
    told = by_torchrun(machine, "--help")
    flags = set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", told.out, re.MULTILINE)) | set(re.findall(r"--[a-z-]+(?=[, ])", told.out))
    assert len(flags) > 25, told.out
    assert [flag for flag in sorted(flags) if flag != "--help" and f"`{flag}" not in page] == []
    machine.write("show.py", SHOW)
    (rank,) = ranks(by_torchrun(machine, "--nproc-per-node=1", "show.py"))
    variables = {name for name in rank["env"] if name not in {*PATHS, "HOME", "TMPDIR", "LC_CTYPE", "PWD"}}
    assert [name for name in sorted(variables) if name not in page] == []


# torchrun's documented command lines for one machine.
@pytest.mark.slow
@pytest.mark.parametrize("words", [
    ("--nproc-per-node=2", "train.py"),
    ("--standalone", "--nnodes=1", "--nproc-per-node=2", "train.py"),
    ("--nnodes=1", "--nproc_per_node", "2", "--rdzv_backend=c10d", "--rdzv_endpoint=localhost:0", "train.py"),
    ("--nproc-per-node=2", "--max-restarts=3", "-m", "train"),
    ("--nproc-per-node=2", "--no-python", str(BIN / "python"), "train.py"),
], ids=["plain", "standalone", "two-instances", "module", "no-python"])
def test_torchruns_documented_lines_train(machine: Machine, words: tuple[str, ...]) -> None:
    machine.write("train.py", SUM)
    ours, theirs = by_muster(machine, *words), by_torchrun(machine, *words)
    assert sorted(ours.lines) == ["rank 0 of 2 sum 3", "rank 1 of 2 sum 3"], ours
    assert sorted(theirs.lines) == sorted(ours.lines), theirs


@pytest.mark.slow
def test_two_instances_of_one_script_on_one_machine_do_not_meet(machine: Machine) -> None:
    machine.write("train.py", SUM)
    runs = [machine.start("--nproc-per-node=2", "train.py", environment=PATHS) for _ in range(2)]
    for run in runs:
        assert sorted(run.wait(PATIENCE).lines) == ["rank 0 of 2 sum 3", "rank 1 of 2 sum 3"]


@pytest.mark.slow
@pytest.mark.parametrize("url", ["env://", "tcp://127.0.0.1:{port}"])
def test_a_program_that_spawns_its_ranks_itself_is_left_alone(machine: Machine, url: str) -> None:
    import socket
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    machine.write("spawn.py", SPAWN)
    result = by_muster(machine, "--nproc-per-node=1", "spawn.py", url.format(port=port), str(port))
    assert sorted(result.lines) == [f"rank {rank} of 4 sum 10" for rank in range(4)], result


# One stream of a rank on the console, the other in a file.
@pytest.mark.slow
@pytest.mark.parametrize("redirects", ["1", "2", "3", "0:1,1:2", "1:2"])
def test_redirected_streams_are_those_of_torchrun(machine: Machine, redirects: str) -> None:
    machine.write("speak.py", 'import os, sys\nsys.stdout.write(f"out {os.environ[\'RANK\']}\\n")\n'
                              'sys.stderr.write(f"err {os.environ[\'RANK\']}\\n")\n')
    words = ("--nproc-per-node=2", f"--redirects={redirects}", "--log-dir=logs", "speak.py")
    ours, theirs = by_muster(machine, *words), by_torchrun(machine, *words)
    assert ours.code == theirs.code == 0, (ours, theirs)

    def said(text: str, stream: str) -> "list[str]":
        return sorted(line for line in text.splitlines() if line.startswith(f"{stream} "))
    assert said(ours.out, "out") == said(theirs.out, "out"), (ours, theirs)
    assert said(ours.err, "err") == said(theirs.err, "err"), (ours, theirs)


# torchrun's own error cases: the same exit code, but one line instead of a traceback.
@pytest.mark.slow
@pytest.mark.parametrize("words", [
    ("--nope", "show.py"), (), ("--nproc-per-node=0", "show.py"), ("--nproc-per-node=x", "show.py"),
    ("--nproc-per-node=gpu", "show.py"), ("missing.py",), ("--no-python", "./missing"), ("--no-python", "-m", "show"),
    ("--nnodes=0", "show.py"), ("--redirects=7", "show.py"), ("fails.py",)])
def test_what_torchrun_refuses_has_its_code_here(machine: Machine, words: tuple[str, ...]) -> None:
    machine.write("show.py", SHOW)
    machine.write("fails.py", "import sys; sys.exit(7)\n")
    ours, theirs = by_muster(machine, *words), by_torchrun(machine, *words)
    assert ours.code == theirs.code, (ours, theirs)
    if words != ("fails.py",):
        assert len(ours.err.splitlines()) == 1 < len(theirs.err.splitlines())
