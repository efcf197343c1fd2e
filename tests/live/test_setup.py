"""scripts/setup while it installs packages: however it ends, it leaves nothing behind. Its apt-get and dpkg-query are
doubles, and its /usr/sbin is the test's folder in a mount namespace."""

import os
import shlex
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import CHECKOUT
from waiting import wait_until

APT_GET = """#!/bin/sh
[ "$1" != update ] || exit 0
{before}
: >"$STARTED"
{then}
"""

pytestmark = pytest.mark.machine


@pytest.fixture(autouse=True)
def cluster() -> None:
    """No cluster is needed here."""


class Setup:
    """scripts/setup --packages-only on a machine without any packages."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.policy = root / "sbin" / "policy-rc.d"
        for name in ("bin", "sbin", "tmp"):
            (root / name).mkdir()
        self._command("dpkg-query", "#!/bin/sh\nexit 1\n")
        self.process: subprocess.Popen[str] | None = None

    def _command(self, name: str, text: str) -> None:
        (self.root / "bin" / name).write_text(text)
        (self.root / "bin" / name).chmod(0o755)

    def start(self, then: str, before: str = "") -> "subprocess.Popen[str]":
        self._command("apt-get", APT_GET.format(before=before, then=then))
        setup = f"mount --bind {shlex.quote(str(self.root / 'sbin'))} /usr/sbin && exec scripts/setup --packages-only"
        # A background test runner ignores SIGINT, and a shell could not change that.
        self.process = subprocess.Popen(
            ["unshare", "--mount", "bash", "-c", setup], cwd=CHECKOUT, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            start_new_session=True,
            env={**os.environ, "PATH": f"{self.root / 'bin'}:{os.environ['PATH']}", "TMPDIR": str(self.root / "tmp"),
                 "STARTED": str(self.root / "started")})
        wait_until(lambda: (self.root / "started").exists(), 20, "apt-get started")
        return self.process

    def left_behind(self) -> list[str]:
        return sorted(file.name for folder in ("sbin", "tmp") for file in (self.root / folder).iterdir())

    def end(self) -> None:
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@pytest.fixture
def setup(tmp_path: Path) -> Iterator[Setup]:
    machine = Setup(tmp_path)
    yield machine
    machine.end()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_interrupted_setup_leaves_neither_policy_nor_log(setup: Setup, number: int, code: int) -> None:
    process = setup.start("exec sleep 600")
    assert "exit 101" in setup.policy.read_text()
    assert os.access(setup.policy, os.X_OK)
    os.kill(process.pid, number)
    output, _ = process.communicate(timeout=20)
    assert process.returncode == code, output
    assert setup.left_behind() == []
    assert "interrupted after" in output


def test_daemons_stay_forbidden_until_apt_get_has_ended(setup: Setup) -> None:
    # Like apt-get in the middle of a package: the signal does not stop it.
    process = setup.start(before="""trap ': >"$STARTED.signal"' TERM""", then="""
n=0
until [ -e "$STARTED.end" ] || [ $((n += 1)) -gt 3000 ]; do sleep 0.02; done
[ ! -e /usr/sbin/policy-rc.d ] || : >"$STARTED.kept" """)
    os.kill(process.pid, signal.SIGTERM)
    wait_until(lambda: (setup.root / "started.signal").exists(), 20, "apt-get got the signal")
    assert process.poll() is None
    (setup.root / "started.end").touch()
    output, _ = process.communicate(timeout=20)
    assert process.returncode == 143, output
    assert (setup.root / "started.kept").exists()
    assert setup.left_behind() == []


def test_another_ones_policy_stays(setup: Setup) -> None:
    setup.policy.write_text("#!/bin/sh\nexit 104\n")
    process = setup.start("exec sleep 600")
    os.kill(process.pid, signal.SIGTERM)
    process.communicate(timeout=20)
    assert setup.policy.read_text() == "#!/bin/sh\nexit 104\n"
    assert setup.left_behind() == ["policy-rc.d"]


def test_failed_installation_shows_why_and_keeps_its_log(setup: Setup) -> None:
    process = setup.start("echo 'E: Unable to locate package'; exit 100")
    output, _ = process.communicate(timeout=20)
    assert process.returncode == 1
    assert "E: Unable to locate package" in output
    (log,) = setup.left_behind()
    assert str(setup.root / "tmp" / log) in output


def test_installation_is_one_line_of_the_log(setup: Setup) -> None:
    process = setup.start("echo 'Setting up things'; echo 'pmstatus:things:50.0:Installing' >&3; exit 0")
    output, _ = process.communicate(timeout=20)
    assert process.returncode == 0, output
    (line,) = output.splitlines()
    assert line.startswith("step 1 of 1: packages, ")
    assert line.endswith(" s")
    assert setup.left_behind() == []
