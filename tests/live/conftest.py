"""One cluster for all live tests; after each of them it must be as clean as before."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import releases
from cluster import CHECKOUT, Cluster

SKIPPED = 77  # what ctest takes for "not run"


def missing() -> str:
    """Why the live tests cannot run on this machine; empty when they can."""
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


LEFT_OUT = pytest.StashKey[dict[str, str]]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    selected, config.stash[LEFT_OUT] = releases.select(items)
    config.hook.pytest_deselected(items=[item for item in items if item not in selected])
    items[:] = selected


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    for test, why in config.stash.get(LEFT_OUT, {}).items():
        terminalreporter.write_line(f"not selected: {test}: {why}")


def pytest_sessionstart(session: pytest.Session) -> None:
    if why := missing():
        pytest.exit(f"skipped: {why}", returncode=SKIPPED)


@pytest.fixture(scope="session")
def whole_cluster() -> Iterator[Cluster]:
    build = Path(os.environ.get("MUSTER_BUILD", CHECKOUT / "build"))
    try:
        cluster = Cluster(f"live-{os.getpid()}", nodes=3, build=build)
    except AssertionError as error:
        pytest.exit(f"no cluster: {error}", returncode=1)
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
