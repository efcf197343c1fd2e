"""scripts/cluster check, which quickstart and test run before they install or build anything."""

import subprocess
from pathlib import Path

import pytest
from cluster import CHECKOUT

pytestmark = pytest.mark.machine

# What the scripts need to get this far.
CHROOT = """
mount -t tmpfs none {root} && cd {root} && mkdir -p proc dev tmp .{checkout}
for folder in usr etc; do mkdir $folder; mount --rbind /$folder $folder; done
for link in bin sbin lib lib64; do ln -s usr/$link $link; done
mount --rbind /dev dev; mount -t proc proc proc; mount --rbind {checkout} .{checkout}
exec chroot . {checkout}/{script}
"""


@pytest.fixture(autouse=True)
def cluster() -> None:
    """No cluster is needed here."""


def refused(*words: str | Path) -> str:
    done = subprocess.run(words, cwd=CHECKOUT, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    return done.stderr


def test_a_machine_that_can_run_a_cluster_is_told_nothing() -> None:
    done = subprocess.run(["scripts/cluster", "check"], cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("script", ["scripts/quickstart", "scripts/test"])
def test_a_machine_without_namespaces_is_told_before_anything_is_built(script: str) -> None:
    assert refused("setpriv", "--bounding-set=-sys_admin", "--inh-caps=-all", script) == (
        "cluster: this machine refuses namespaces: unshare: unshare failed: Operation not permitted; "
        "run it on a virtual machine, or in a container with --privileged\n")


@pytest.mark.parametrize("script", ["scripts/quickstart", "scripts/test"])
def test_a_chroot_is_told_before_anything_is_built(script: str, tmp_path: Path) -> None:
    """The nodes of its cluster would start at the machine's own root."""
    commands = CHROOT.format(root=tmp_path, checkout=CHECKOUT, script=script)
    assert refused("unshare", "--mount", "bash", "-c", commands) == (
        "cluster: this is a chroot, and a node of the cluster would not see it as its root; "
        "enter it as a container (systemd-nspawn, podman run --rootfs)\n")
