"""slow=: on real nodes, the rank that holds all others up is named with the reason, and nobody in a healthy run.

    MUSTER_TORCH=DIR[:DIR]      a torch with a flight recorder: the folders that PYTHONPATH needs for it
    MUSTER_SLOW_RUNS=N          how many runs there are of each kind; 1 if not set
    MUSTER_SLOW_AT_ONCE=N       how many of them at the same time; 8 if not set
    MUSTER_SLOW_MINUTES=N       how long a healthy run trains; 2.5 if not set
    MUSTER_SLOW_SEED=N          chooses the nodes and the slow rank of each run; 1 if not set
    MUSTER_SLOW_RESULTS=FILE    a line of JSON for each run is added to this file

The runs need real minutes, because a rank is named only after the first one. On a machine that is busy with other
things, ranks are rightly named for having to wait for a CPU.
"""

import json
import os
from collections.abc import Iterator

import pytest
from cluster import Cluster
from own_cluster import left_clean, own_cluster
from slow_runs import CAUSES, HEALTHY, Case, Runs, Training, random_cases
from waiting import wait_until

TORCH = os.environ.get("MUSTER_TORCH", "")
RUNS = int(os.environ.get("MUSTER_SLOW_RUNS", "1"))
AT_ONCE = int(os.environ.get("MUSTER_SLOW_AT_ONCE", "8"))
SEED = int(os.environ.get("MUSTER_SLOW_SEED", "1"))
NODES = 9
CPUS = 32  # of a node, as Slurm counts them: room for all runs

pytestmark = pytest.mark.skipif(not TORCH, reason="needs a torch with a flight recorder: MUSTER_TORCH")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with own_cluster("slow", NODES, "--cpus", str(CPUS)) as cluster, left_clean(cluster):
        yield cluster


@pytest.fixture(scope="module")
def runs(cluster: Cluster, request: pytest.FixtureRequest) -> Iterator[Runs]:
    """Begins all runs of the selected tests."""
    parameters = [getattr(item, "callspec", None) for item in request.session.items if item.fspath == request.path]
    selected = [spec.params["case"] for spec in parameters if spec and "case" in spec.params]
    runs = Runs(cluster, selected, AT_ONCE)
    yield runs
    runs.end()


@pytest.mark.parametrize("case", random_cases(tuple(CAUSES), RUNS, SEED), ids=str)
def test_a_slow_rank_is_named_with_the_reason(runs: Runs, case: Case) -> None:
    found = runs.result(case)
    assert [(each["rank"], each["node"]) for each in found.slow] == [(case.rank, case.hosts[case.rank])], found
    assert found.slow[0]["cause"].startswith(CAUSES[case.kind]), found
    assert len(found.lines) == 1 and "arrives last in" in found.lines[0] and CAUSES[case.kind] in found.lines[0], found


@pytest.mark.parametrize("case", random_cases(HEALTHY, RUNS, SEED), ids=str)
def test_nobody_is_named_in_a_healthy_run(runs: Runs, case: Case) -> None:
    found = runs.result(case)
    assert (found.lines, found.slow) == ([], []), found


def named(training: Training) -> None:
    wait_until(lambda: training.lines or not training.step.running, 240, f"a name in {training.name}")
    assert len(training.lines) == 1, str(training.step)


def status(cluster: Cluster) -> tuple[str, dict]:
    """Of the only step that runs, as a table and as JSON."""
    step, = json.loads(cluster.run("muster status --json").out)["steps"]
    return cluster.run(f"muster status {step['step']}").out, step


def test_status_shows_a_slow_rank_until_it_has_caught_up_and_the_report_shows_it_after_a_failure(cluster: Cluster) -> None:
    training = Training(cluster, Case("sleep", 0), keys="slow=on,logs=logs-slow", seconds=600)
    training.await_ranks()
    training.begin()
    named(training)
    line = training.lines[0].partition("slow=: ")[2]
    who, _, cause = line.partition(" arrives last in ")
    assert who == "rank 1 on node2" and "; it waits, and" in cause
    table, step = status(cluster)
    assert f"slow: {who} arrives last in" in table
    assert [(each["rank"], each["node"], each["over"]) for each in step["slow"]] == [(1, "node2", False)]
    assert step["run"]["slow_ranks"] == 1

    training.no_longer("slow")
    wait_until(lambda: not status(cluster)[1]["slow"], 180, "a status without a slow rank")
    table, step = status(cluster)
    assert "slow: " not in table and step["run"]["slow_ranks"] == 0
    assert len(training.lines) == 1

    training.tell("fail")
    result = training.step.wait(60)
    assert result.code != 0
    shown = [each for each in result.err.splitlines() if "slow" in each and "arrives last" in each]
    assert len(shown) == 2 and f"{who} arrives last in" in shown[1], shown  # the warning and the failure report
    found, = training.slow()
    assert (found["rank"], found["node"], found["over"]) == (1, "node2", True)
    assert found["lost_seconds"] > 1 and found["text"].startswith(who)
    page = cluster.run("muster report -o - logs-slow")
    assert page.code == 0, page.err
    assert f"{who} arrives last in" in page.out and "(until it caught up)" in page.out


@pytest.mark.parametrize(("nodes", "keys", "after"), [
    (4, "restarts=1,spares=1", ["node1", "node3", "node4"]),
    (3, "restarts=1", ["node1", "node2", "node3"])], ids=["with a spare", "without another node"])
def test_the_next_attempt_avoids_the_slow_node_if_it_can(cluster: Cluster, nodes: int, keys: str, after: list[str]) -> None:
    srun = f"salloc -Q -N{nodes} --nodelist=node[1-{nodes}] --ntasks-per-node=1 srun"
    training = Training(cluster, Case("sleep", 0), keys=f"slow=on+replace,{keys}", seconds=300, srun=srun)
    training.await_ranks()
    assert training.nodes(0) == ["node1", "node2", "node3"]
    training.begin()
    named(training)
    assert "rank 1 on node2" in training.lines[0]
    training.no_longer("slow")
    training.tell("fail")
    training.await_ranks(attempt=1)
    assert training.nodes(1) == after
    training.tell("end")
    result = training.step.wait(120)
    assert result.code == 0, result.err
