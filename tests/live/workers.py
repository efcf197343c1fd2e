"""How the live tests are shared among pytest-xdist's workers (-n auto --dist loadfile). Each worker has its own
cluster, and a file's tests stay together, because many of them share a cluster for their file.

Workers send what only they know to the process that prints the results: the tests that were left out, and why there is
no cluster.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

# Tests mostly wait for Slurm. Those that import PyTorch compute, and with three clusters the cores were half idle while
# none of them ran.
EACH_TWO_CORES = 4
GIB_EACH = 2  # what a cluster and its tests may need
MOST = 8  # with more workers, the longest file alone determines the time

# These run first, the longest at the beginning: otherwise one of them would run alone at the end. Files that compute
# (readme, worker_torch, random_coupled_failures, store, training, failures_torch, public_lines, storm) are among files
# that wait, so that few of them run at once.
LONG_FILES = ("test_slow_links.py", "test_slow.py", "test_readme.py", "test_requeue.py", "test_worker_torch.py",
              "test_pauses.py", "test_lost_nodes.py", "test_preflight.py", "test_node_loss.py",
              "test_random_coupled_failures.py", "test_lost_batch_host.py", "test_restart_faults.py", "test_drain.py",
              "test_store.py", "test_cost.py", "test_hang.py", "test_hidepid.py", "test_training.py", "test_endings.py",
              "test_health.py", "test_growing.py", "test_failures_torch.py", "test_faults.py", "test_worker_failures.py",
              "test_signals.py", "test_public_lines.py", "test_networks.py", "test_failures.py", "test_groups.py",
              "test_storm.py", "test_random_restarts.py", "test_binding.py", "test_conformance.py", "test_layouts.py",
              "test_session.py")

NO_CLUSTER = "no cluster: "
LEFT_OUT = pytest.StashKey[dict[str, str]]()


def gib_of_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 30


def number_of_workers(cores: int, gib: int) -> int:
    return max(1, min(cores * EACH_TWO_CORES // 2, gib // GIB_EACH, MOST))


def long_files_first(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    rank = {name: place for place, name in enumerate(LONG_FILES)}
    return sorted(items, key=lambda item: rank.get(item.path.name, len(rank)))


def is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workeroutput")


def remember_left_out(config: pytest.Config, left_out: Mapping[str, str]) -> None:
    config.stash.setdefault(LEFT_OUT, {}).update(left_out)


def left_out(config: pytest.Config) -> dict[str, str]:
    return config.stash.get(LEFT_OUT, {})


def send_left_out(config: pytest.Config) -> None:
    config.workeroutput["left_out"] = left_out(config)


def receive_left_out(node) -> None:
    """`node`: the worker, as its controller sees it. A crashed worker has sent nothing."""
    remember_left_out(node.config, getattr(node, "workeroutput", {}).get("left_out", {}))


class FailuresAtOnce:
    """Prints each failure as it happens, because a run that is stopped at its time limit never prints its summary.
    `run` finds the failures in the file that MUSTER_FAILED_TESTS names."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        # Hidden from the sessions that tests start: their failures are intended.
        self._file = os.environ.pop("MUSTER_FAILED_TESTS", None)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.failed:
            return
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        crash = getattr(report.longrepr, "reprcrash", None)
        first_line, _, _ = (crash.message if crash else report.longreprtext).partition("\n")
        reporter.ensure_newline()
        reporter.write_line(f"failed ({report.when}): {report.nodeid}: {first_line[:200]}")
        if self._file:
            with Path(self._file).open("a", encoding="utf-8") as failed:
                failed.write(f"{self._config.rootpath / report.nodeid}\n")


def end_without_cluster(report: pytest.TestReport) -> None:
    """Without a cluster every test would fail for the same reason, so the session ends, and prints the reason once."""
    _, found, why = report.longreprtext.partition(NO_CLUSTER) if report.failed else ("", "", "")
    if found and "PYTEST_XDIST_WORKER" not in os.environ:  # a worker's exit would not show the reason
        pytest.exit(f"{NO_CLUSTER}{why}", returncode=1)
