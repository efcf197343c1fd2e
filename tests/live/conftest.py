"""One cluster for all live tests of a process; after each test it must be as clean as before."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import file_times
import pytest
import releases
import workers
from cluster import CHECKOUT, Cluster
from own_cluster import left_clean, own_cluster
from this_machine import machine  # noqa: F401 (a fixture)

SKIPPED = 77  # ctest's code for "not run"


def missing() -> str:
    """Why the live tests cannot run on this machine; empty if they can."""
    if os.geteuid() != 0:
        return "only root can make a cluster's namespaces"
    absent = [tool for tool in ("slurmctld", "slurmd", "munged", "srun") if not shutil.which(tool)]
    if absent:
        return f"no {', '.join(absent)} here; scripts/setup --with=cluster installs Slurm"
    namespaces = ["unshare", "--mount", "--net", "--uts", "--ipc", "--pid", "--fork", "true"]
    if subprocess.run(namespaces, capture_output=True, check=False).returncode != 0:
        return "this machine refuses namespaces to root"
    return ""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than five seconds")
    releases.configure(config)
    if not workers.is_worker(config):
        config.pluginmanager.register(workers.FailuresAtOnce(config))
        config.pluginmanager.register(file_times.FileTimes())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None  # for xdist
    return workers.number_of_workers(len(os.sched_getaffinity(0)), workers.gib_of_memory())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    selected, left_out = releases.select(items)
    workers.remember_left_out(config, left_out)
    config.hook.pytest_deselected(items=[item for item in items if item not in selected])
    items[:] = workers.long_files_first(selected)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if workers.is_worker(session.config):
        workers.send_left_out(session.config)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node) -> None:
    workers.receive_left_out(node)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    workers.end_without_cluster(report)


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    for test, why in workers.left_out(config).items():
        terminalreporter.write_line(f"not selected: {test}: {why}")


def pytest_sessionstart() -> None:
    if why := missing():
        pytest.exit(f"skipped: {why}", returncode=SKIPPED)


@pytest.fixture(scope="session")
def whole_cluster() -> Iterator[Cluster]:
    build = Path(os.environ.get("MUSTER_BUILD", CHECKOUT / "build"))
    try:
        cluster = Cluster(f"live-{os.getpid()}", nodes=3, build=build)
    except AssertionError as error:
        pytest.fail(f"{workers.NO_CLUSTER}{error}", pytrace=False)
    yield cluster
    cluster.down()


@pytest.fixture(autouse=True)
def cluster(whole_cluster: Cluster) -> Iterator[Cluster]:
    """Every test uses it, and none may leave a process, a file, a job or a drained node behind."""
    yield whole_cluster
    try:
        whole_cluster.await_clean()
    except AssertionError:
        whole_cluster.end_all()
        whole_cluster.clear()
        raise
    whole_cluster.end_all()


@pytest.fixture(scope="module")
def whole_patient() -> Iterator[Cluster]:
    with own_cluster("patient", 3, conf="SlurmdTimeout=300\nMessageTimeout=10\nTCPTimeout=2\n") as cluster:
        yield cluster


@pytest.fixture
def patient(whole_patient: Cluster) -> Iterator[Cluster]:
    """A cluster for one test file. It does not mark a node down during a test, because it has Slurm's default
    SlurmdTimeout, 300 s."""
    with left_clean(whole_patient):
        yield whole_patient
