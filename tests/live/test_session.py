"""A session of the live tests itself: with several workers it reports what a single process would have reported, and
however it ends, no cluster is left behind."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import workers
from cluster import CHECKOUT
from waiting import wait_until

pytestmark = pytest.mark.machine

HERE = Path(__file__).resolve().parent
CLUSTERS = Path("/run/muster-cluster")
WAITS = """
import os, pathlib, time
def test_waits(cluster):
    pathlib.Path("{started}", os.environ["PYTEST_XDIST_WORKER"]).write_text(cluster.name)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def cluster() -> None:
    """These tests have their own clusters."""


class Session:
    """Runs pytest with the live tests' conftest.py and with tests from this file."""

    def __init__(self, root: Path) -> None:
        self.started = root / "started"
        self._tests = root / "tests"
        self._processes: list[subprocess.Popen[str]] = []
        for folder in (self.started, self._tests):
            folder.mkdir()

    def write(self, name: str, text: str) -> None:
        (self._tests / name).write_text(text.format(started=self.started))

    def start(self, *options: str, env: Mapping[str, str] | None = None) -> "subprocess.Popen[str]":
        ours = ("PYTEST_", "MUSTER_SUITE", "MUSTER_RELEASE_SPECIFIC", "MUSTER_SHIM", "MUSTER_MODE")  # the outer session's
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        paths = {"PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1", "MUSTER_BUILD": os.environ.get("MUSTER_BUILD", str(CHECKOUT / "build"))}
        self._processes.append(subprocess.Popen(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "conftest", "--rootdir", self._tests,
             f"--basetemp={self._tests.parent / 'tmp'}", *options, self._tests], text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            env={**inherited, **paths, **(env or {})}))
        return self._processes[-1]

    def run(self, *options: str, env: Mapping[str, str] | None = None) -> "tuple[int, str]":
        process = self.start(*options, env=env)
        output, _ = process.communicate(timeout=120)
        return process.returncode, output

    def end(self) -> None:
        for process in self._processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    session = Session(tmp_path)
    yield session
    session.end()


WAYS = [[], ["-n", "2", "--dist", "loadfile"]]


@pytest.mark.parametrize("options", WAYS)
def test_each_test_that_is_left_out_is_printed_once_with_its_reason(session: Session, options: list[str]) -> None:
    for name in ("test_a.py", "test_b.py"):
        session.write(name, "import pytest\n@pytest.fixture(autouse=True)\ndef cluster(): pass\n"
                            "def test_runs(): pass\n@pytest.mark.machine\ndef test_of_this_machine(): pass\n")
    code, output = session.run(*options, "-q", "--durations=1", env={"MUSTER_SUITE": "forky"})
    assert code == 0, output
    left_out = re.findall(r"^not selected: (\S+): (.*)$", output, re.MULTILINE)
    assert sorted(left_out) == [(f"test_{file}.py::test_of_this_machine", "tests this machine's scripts, build or "
                                 "documents, not Slurm") for file in "ab"]
    assert "2 passed" in output and "slowest 1 durations" in output


@pytest.mark.parametrize("options", WAYS)
def test_a_session_that_cannot_run_here_ends_with_77(session: Session, options: list[str]) -> None:
    session.write("test_a.py", "def test_runs(cluster): pass\n")
    code, output = session.run(*options, env={"PATH": "/nonexistent"})
    assert code == 77, output
    assert "skipped: no slurmctld, slurmd, munged, srun here; scripts/setup --with=cluster installs Slurm" in output


@pytest.mark.parametrize("options", WAYS)
def test_a_session_whose_cluster_does_not_start_says_why_once(session: Session, options: list[str]) -> None:
    for name in ("test_a.py", "test_b.py"):
        session.write(name, "def test_one(cluster): pass\ndef test_two(cluster): pass\n")
    code, output = session.run(*options, env={"MUSTER_BUILD": "/nonexistent"})
    assert code == 1, output
    (line,) = [line for line in output.splitlines() if "no cluster: " in line and line.startswith("!")]
    assert "scripts/cluster up" in line and "/nonexistent" in output


@pytest.mark.slow
@pytest.mark.parametrize("number", [
    pytest.param(signal.SIGINT, marks=pytest.mark.long), signal.SIGTERM, signal.SIGKILL])
def test_whatever_ends_a_session_its_clusters_end_too(session: Session, number: signal.Signals) -> None:
    for name in ("test_a.py", "test_b.py"):
        session.write(name, WAITS)
    process = session.start("-n", "2", "--dist", "loadfile")
    wait_until(lambda: len(list(session.started.iterdir())) == 2, 120, "two tests that wait")
    clusters = [CLUSTERS / file.read_text() for file in session.started.iterdir()]
    assert len(set(clusters)) == 2 and all(cluster.is_dir() for cluster in clusters)
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # as the terminal does
    else:
        process.send_signal(number)
    process.wait(60)
    wait_until(lambda: not any(cluster.exists() for cluster in clusters), 60, "the end of both clusters")


@pytest.mark.parametrize(("cores", "gib", "count"), [(1, 16, 2), (2, 16, 4), (2, 4, 2), (2, 1, 1), (64, 256, 8)])
def test_there_are_as_many_workers_as_cores_and_memory_bear(cores: int, gib: int, count: int) -> None:
    assert workers.number_of_workers(cores, gib) == count


def test_every_long_file_is_there() -> None:
    assert not [name for name in workers.LONG_FILES if not (HERE / name).is_file()]


def test_a_cluster_that_goes_does_not_keep_another_from_coming(tmp_path: Path) -> None:
    """The last cluster to end removes the folder of all clusters, even if the next one has just found it to exist."""
    text = (CHECKOUT / "scripts" / "cluster.d" / "state.sh").read_text()
    functions = tmp_path / "state.sh"
    functions.write_text(text.replace("state_base=/run/muster-cluster", f"state_base={tmp_path}/clusters"))
    script = f"""
die() {{ echo "$*"; exit 1; }}
source {functions}
choose_cluster next
mkdir() {{
  command mkdir "$@" || return
  [[ $* != "-p $state_base" || -e {tmp_path}/gone ]] || {{ touch {tmp_path}/gone; rmdir "$state_base"; }}
}}
make_state && [[ -d $state/etc ]]
"""
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, timeout=10)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "gone").exists()
