"""A cluster keeps its users while a package adds an account on the machine. The package replaces /etc/passwd by
rename(), which removes a mount on that file. Everything happens on a copy of /etc, in the test's own mount
namespace."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import CHECKOUT
from reaper import Reaper

pytestmark = pytest.mark.machine

NAME = f"accounts-{os.getpid()}"
CLUSTER = shlex.join([str(CHECKOUT / "scripts" / "cluster"), "--name", NAME])
# Adds the account as a package's script does.
SCRIPT = f"""
set -e
cp -a /etc {{copy}}
mount --bind {{copy}} /etc
{CLUSTER} up --nodes 1 --cpus 2 --plugin none
useradd --system {NAME}
{CLUSTER} exec -- srun -n1 id --user --name
"""
NO_OVERLAY = """#!/bin/sh
case "$*" in *"-t overlay"*) exit 32 ;; esac
exec /bin/mount "$@"
"""


@pytest.fixture(autouse=True)
def cluster() -> Iterator[None]:
    """These tests start their own cluster."""
    reaper = Reaper(str(CHECKOUT / "scripts" / "cluster"), "--name", NAME, "down")
    yield
    assert reaper.reap() == 0


def after_a_new_account(copy: Path, path: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["unshare", "--mount", "bash", "-c", SCRIPT.format(copy=shlex.quote(str(copy)))],
                          env={**os.environ, "PATH": path}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=120, check=False)


def test_a_package_that_adds_an_account_leaves_the_clusters_users_alone(tmp_path: Path) -> None:
    done = after_a_new_account(tmp_path / "etc", os.environ["PATH"])
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "alice"), done.stderr


@pytest.fixture
def path_without_overlay() -> Iterator[str]:
    with tempfile.TemporaryDirectory(dir="/run") as folder:  # nodes have their own /tmp
        Path(folder).chmod(0o755)
        mount = Path(folder) / "mount"
        mount.write_text(NO_OVERLAY)
        mount.chmod(0o755)
        yield f"{folder}:{os.environ['PATH']}"


def test_where_there_is_no_overlay_the_next_command_names_the_cause_and_the_remedy(
        tmp_path: Path, path_without_overlay: str) -> None:
    done = after_a_new_account(tmp_path / "etc", path_without_overlay)
    assert done.returncode == 1
    assert done.stderr == (f"cluster: a package has replaced this machine's /etc/passwd, and with it the accounts of cluster "
                           f"{NAME}; run scripts/cluster --name {NAME} down, then up\n")
