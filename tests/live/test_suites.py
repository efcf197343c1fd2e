"""The chroots of other Debian releases: made once, made again for other packages, and removed if interrupted.

mmdebstrap and apt-get are doubles; the namespaces are real.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import CHECKOUT
from waiting import wait_until

pytestmark = pytest.mark.machine

SCRIPTS = CHECKOUT / "scripts"

MIRROR = "http://mirror.example/debian"
BOOTSTRAP = """#!/bin/bash
root=${@: -2:1}
mkdir "$root" && mount -t tmpfs muster-suite-test "$root" && touch "$root/unfinished"
echo "$@" >>"$STARTED"
[[ ! -e $STARTED.wait ]] || sleep 600
umount "$root"
"""


@pytest.fixture(autouse=True)
def cluster() -> None:
    """No cluster is needed here."""


class Suites:
    """scripts/cluster suite SUITE on a machine whose mmdebstrap makes an empty chroot."""

    def __init__(self, root: Path) -> None:
        self.directory = root / "suites"
        self._started = root / "started"
        self._bin = root / "bin"
        self._bin.mkdir()
        self._command("mmdebstrap", BOOTSTRAP)
        self._command("apt-get", f"#!/bin/sh\necho {MIRROR} Debian\n")
        self._processes: list[subprocess.Popen[str]] = []

    def _command(self, name: str, text: str) -> None:
        (self._bin / name).write_text(text)
        (self._bin / name).chmod(0o755)

    def start(self, *, wait: bool = False) -> "subprocess.Popen[str]":
        waits = Path(f"{self._started}.wait")
        waits.touch() if wait else waits.unlink(missing_ok=True)
        self._processes.append(subprocess.Popen(
            [CHECKOUT / "scripts" / "cluster", "suite", "trixie"], text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True,
            env={**os.environ, "PATH": f"{self._bin}:{os.environ['PATH']}", "MUSTER_SUITES": str(self.directory),
                 "STARTED": str(self._started)}))
        return self._processes[-1]

    def make(self) -> None:
        process = self.start()
        output, _ = process.communicate(timeout=30)
        assert process.returncode == 0, output

    @property
    def bootstraps(self) -> list[str]:
        """The command lines of mmdebstrap."""
        return self._started.read_text().splitlines() if self._started.exists() else []

    def running(self) -> list[str]:
        """Processes that belong to it."""
        listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
        return [line for line in listed.splitlines() if str(self.directory) in line]

    def left(self) -> list[str]:
        return sorted(file.name for file in (self.directory / "trixie").iterdir())

    def end(self) -> None:
        for process in self._processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


@pytest.fixture
def suites(tmp_path: Path) -> Iterator[Suites]:
    machine = Suites(tmp_path)
    yield machine
    machine.end()


def test_chroot_comes_from_this_machines_mirror_and_is_made_once(suites: Suites) -> None:
    suites.make()
    suites.make()
    (line,) = suites.bootstraps
    assert line.endswith(f"{MIRROR} trixie main")
    assert suites.left() == ["made-from", "root"]


def test_chroot_of_other_packages_is_made_again(suites: Suites) -> None:
    suites.make()
    origin = suites.directory / "trixie" / "made-from"
    origin.write_text(origin.read_text().replace("cmake\n", ""))
    suites.make()
    assert len(suites.bootstraps) == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_bootstrap_leaves_nothing(suites: Suites, number: signal.Signals) -> None:
    process = suites.start(wait=True)
    wait_until(lambda: suites.bootstraps, 20, "mmdebstrap")
    process.send_signal(number)
    assert process.wait(20) == 143
    wait_until(lambda: not suites.running(), 10, "the end of all processes")
    assert suites.left() == []
    assert str(suites.directory) not in Path("/proc/mounts").read_text()


def test_killed_bootstrap_leaves_no_process_and_no_mount_and_the_next_one_begins_anew(suites: Suites) -> None:
    process = suites.start(wait=True)
    wait_until(lambda: suites.bootstraps, 20, "mmdebstrap")
    process.kill()
    wait_until(lambda: not suites.running(), 10, "the end of all processes")
    assert str(suites.directory) not in Path("/proc/mounts").read_text()
    assert "made-from" not in suites.left()
    suites.make()
    assert suites.left() == ["made-from", "root"]


# scripts/cluster suite SUITE [COMMAND...], which records whether another one runs at the same time.
CLUSTER = """#!/bin/bash
shift 2
(($#)) || exit 0
mkdir "$STARTED.running" || echo "$1 beside another" >>"$STARTED"
echo "$1" >>"$STARTED"
sleep 0.5
rmdir "$STARTED.running"
"""


def test_of_two_builds_of_a_suite_one_waits_for_the_other(tmp_path: Path) -> None:
    """scripts/test builds a suite in the background, and needs it built later."""
    scripts, started = tmp_path / "scripts", tmp_path / "started"
    shutil.copytree(SCRIPTS, scripts)
    for name, text in {"cluster": CLUSTER, "setup": "#!/bin/sh\n"}.items():
        (scripts / name).write_text(text)
    both = [subprocess.Popen([scripts / "suite", "trixie"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             env={**os.environ, "STARTED": str(started), "TMPDIR": str(tmp_path)}) for _ in range(2)]
    for process in both:
        output, _ = process.communicate(timeout=60)
        assert process.returncode == 0, output
    assert sorted(started.read_text().splitlines()) == ["cmake", "cmake", "ninja", "ninja"]
