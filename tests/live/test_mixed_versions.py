"""Nodes with different versions of muster, as in the middle of an upgrade: a step with the option ends with one line that
names the versions, and all other steps run. The other version is a copy of this one with another number in it."""

import contextlib
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cluster import CHECKOUT, Cluster

VERSION = re.search(r"project\(muster VERSION (\S+)", (CHECKOUT / "CMakeLists.txt").read_text())[1].encode()
OTHER = b"9" + VERSION[1:]


def other_version(program: Path) -> Path:
    """A copy of the program next to it, with the other version."""
    copy = program.with_name(f"other-{program.name}")
    # The compiler may have made instructions of the text's end.
    copy.write_bytes(program.read_bytes().replace(VERSION[:4], OTHER[:4]))
    copy.chmod(program.stat().st_mode & 0o777)
    if program.name == "muster":
        assert subprocess.run([copy, "--version"], capture_output=True, check=True).stdout == b"muster " + OTHER + b"\n"
    return copy


@pytest.fixture
def other_agent(cluster: Cluster) -> Iterator[Path]:
    copy = other_version(cluster.prefix / "bin/muster-agent")
    yield copy
    copy.unlink()


@contextlib.contextmanager
def upgradable(cluster: Cluster) -> Iterator[Callable[[], None]]:
    """The function installs the other version as a package manager does: by renaming its files over those in use."""
    programs = [cluster.prefix / "bin" / name for name in ("muster", "muster-agent")]
    kept = [program.with_name(f"kept-{program.name}") for program in programs]
    others = [other_version(program) for program in programs]
    for program, copy in zip(programs, kept, strict=True):
        copy.hardlink_to(program)

    def upgrade() -> None:
        for program, other in zip(programs, others, strict=True):
            other.rename(program)

    try:
        yield upgrade
    finally:
        for program, copy, other in zip(programs, kept, others, strict=True):
            copy.rename(program)
            other.unlink(missing_ok=True)


@pytest.mark.parametrize("keys", [pytest.param("torch", marks=pytest.mark.long), "torch,restarts=3"])
def test_a_step_names_the_versions_and_the_node(cluster: Cluster, other_agent: Path, keys: str) -> None:
    with cluster.covered("node2", cluster.prefix / "bin/muster-agent", other_agent):
        result = cluster.run(f"srun --distributed={keys} -N3 sh -c 'echo $RANK'", timeout=60)
        plain = cluster.run("srun -N3 sh -c 'echo runs'")
    assert result.code != 0
    assert not result.out
    assert (f"srun's host has muster {VERSION.decode()}, and this node has muster {OTHER.decode()}: install the same version "
            "on all nodes") in result.err
    assert "node2" in result.err
    assert (plain.code, plain.lines) == (0, 3 * ["runs"])


# Each rank says its attempt; rank 1 of the first one fails when the file is there.
RANKS = ("sh -c 'echo rank $RANK attempt $TORCHELASTIC_RESTART_COUNT read $(cat); "
         "test $TORCHELASTIC_RESTART_COUNT = 1 && exit 0; while ! test -e fail; do sleep 0.1; done; "
         "test $RANK = 1 && exit 7; sleep 600'")


@pytest.mark.parametrize("line", [
    "srun -N3 --distributed=torch,restarts=2,grace=1 RANKS < /dev/null",
    "salloc -Q -N3 srun --distributed=torch,restarts=2,grace=1,spares=1 -n2 RANKS < /dev/null",
    "printf 'a pipe' | srun -N3 --distributed=torch,restarts=2,grace=1 --input=all RANKS",
])
def test_a_run_that_is_upgraded_continues_with_the_new_version(cluster: Cluster, line: str) -> None:
    ranks = 2 if "-n2" in line else 3
    (cluster.home / "fail").unlink(missing_ok=True)
    cluster.write("line", line.replace("RANKS", RANKS))
    with upgradable(cluster) as upgrade:
        command = cluster.start("sh line")
        command.await_output("attempt 0", times=ranks)
        upgrade()
        cluster.write("fail", "")
        result = command.wait(60)
    assert result.code == 0, result.err
    assert result.out.count("attempt 1") == ranks, result.out
    assert f"muster {OTHER.decode()} has been installed during this run and takes over" in result.err
    assert "restart 1 of 2" in result.err
    assert ("attempt 1 read a pipe" in result.out) == ("pipe" in line)
