"""Failures of a training job with real torch: DDP over gloo, where each peer of a lost rank fails by itself."""

import re

import pytest
from cluster import PROGRAMS, Cluster
from failing_step import Reported, fail

pytestmark = pytest.mark.slow

FAULTY = 3  # on node2
MOST_LINES = 24


@pytest.fixture(autouse=True)
def fault(cluster: Cluster) -> None:
    if cluster.run("python3 -c 'import torch'").code != 0:
        pytest.skip("no PyTorch for the cluster's python3; scripts/setup --with=training installs it")
    cluster.give("alice", PROGRAMS / "torch_fault")


@pytest.fixture
def package(cluster: Cluster) -> dict[str, str]:
    return {"PYTHONPATH": str(cluster.prefix / "share" / "muster" / "python")}


def fail_in_training(cluster: Cluster, kind: str, env: dict[str, str] | None = None) -> Reported:
    failed = fail(cluster, f"./torch_fault {kind} {FAULTY}", env=env, timeout=90)
    assert len(failed.screen) <= MOST_LINES
    return failed


def is_rank_3s(failed: Reported, reason: str) -> None:
    assert (failed.first["rank"], failed.first["node"], failed.first["local_rank"]) == (FAULTY, "node2", 1), failed.result.err
    assert failed.first["reason"].startswith(reason)
    assert failed.victims("ended_by_muster", "lost_peer") == 5, failed.report["victims"]


@pytest.mark.parametrize("kind", ["record", "exception"])
def test_an_exception_is_named_with_and_without_record_although_peers_fail_for_it(
        cluster: Cluster, package, kind: str) -> None:
    failed = fail_in_training(cluster, kind, None if kind == "record" else package)
    is_rank_3s(failed, "ValueError: the loss is not finite")
    assert (failed.result.code, failed.report["cause"]) == (1, "program")
    assert 'in fail\n    raise ValueError("the loss is not finite")' in failed.first["traceback"]
    assert "  error     : ValueError: the loss is not finite" in failed.screen


def test_an_exception_in_a_data_loaders_worker_is_named_with_its_reason(cluster: Cluster, package) -> None:
    failed = fail_in_training(cluster, "worker", package)
    is_rank_3s(failed, "ValueError: Caught ValueError in DataLoader worker process 0.")
    assert "    ValueError: sample 3 is broken" in failed.screen


def test_a_rank_that_hangs_behind_its_exception_is_named_once_its_peers_have_given_up(cluster: Cluster, package) -> None:
    failed = fail_in_training(cluster, "hang", package)
    is_rank_3s(failed, "ValueError: the loss is not finite")
    assert failed.first["ended_by_muster"]
    assert failed.result.code == 1


def test_a_crash_in_c_has_the_stack_of_its_python_code(cluster: Cluster, package) -> None:
    failed = fail_in_training(cluster, "segv", package)
    is_rank_3s(failed, "Fatal Python error: Segmentation fault")
    assert (failed.result.code, failed.first["signal"], failed.report["cause"]) == (139, "SIGSEGV", "signal")
    calls = re.findall(r" in (\S+)$", failed.first["traceback"], re.MULTILINE)
    assert (calls[0], calls[-1]) == ("<module>", "string_at")


def test_an_import_error_of_all_ranks_is_shown_once(cluster: Cluster, package) -> None:
    failed = fail_in_training(cluster, "import", package)
    assert failed.first["reason"] == "ModuleNotFoundError: No module named 'a_module_that_is_not_there'"
    assert failed.result.code == 1
    assert failed.victims("same_failure", "ended_by_muster") == 5, failed.report["victims"]
    assert "\n".join(failed.screen).count("Traceback") == 1


def test_a_rank_that_leaves_early_is_named_where_the_others_fail_by_the_lost_peer(cluster: Cluster, package) -> None:
    failed = fail_in_training(cluster, "leave", package)
    assert failed.first["lost_peer"]
    assert [rank["rank"] for rank in failed.report["left_early"]] == [FAULTY], failed.result.err
    assert any(line.startswith("  left early: rank 3 on node2, with exit code 0") for line in failed.screen)
    assert failed.result.code == 1
