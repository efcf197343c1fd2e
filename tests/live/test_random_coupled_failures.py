"""Random failures in a training job whose ranks are coupled: real DDP over gloo, where each peer of a lost rank fails
by itself, with default options: no logs=, no `import muster`. The report must never name a wrong rank with certainty, and
must always name the rank that raised an exception, with the exception. A few failures are always tested; others on
request:

    MUSTER_COUPLED_FAILURES=100  how many
    MUSTER_RANDOM_SEED=31        repeats them
    MUSTER_TORCH=DIR[:DIR]       a torch other than the system's: the folders that PYTHONPATH needs for it
    MUSTER_PYTHON=PROGRAM        a Python other than the cluster's python3, where its nodes and users can read it

pytest -s prints a table of the ranks that the report named correctly, wrongly or not at all, by kind of failure."""

import collections
import json
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from cluster import PROGRAMS, Cluster
from control_groups import CGROUP_CONF, CONF, GROUPS
from own_cluster import own_cluster

COUNT = int(os.environ.get("MUSTER_COUPLED_FAILURES", "4"))
SEED = int(os.environ.get("MUSTER_RANDOM_SEED", "31"))
TORCH = os.environ.get("MUSTER_TORCH", "")
PYTHON = os.environ.get("MUSTER_PYTHON", "python3")
NODES = 3
KINDS = ("exception", "exit1", "exit3", "_exit1", "_exit7", "abort", "kill", "memory")
# These can be distinguished from the effects of a lost peer, whenever the ranks end.
TOLD = ("exception", "_exit7", "kill", "memory")
ENDS = ("plain", "destroy", "atexit", "slow")

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Failure:
    kind: str
    tasks: int  # on each node
    rank: int
    step: int
    end: str

    @classmethod
    def by_chance(cls, chance: random.Random, number: int) -> "Failure":
        """Each kind is equally likely."""
        tasks = chance.choice((1, 2))
        return cls(KINDS[number % len(KINDS)], tasks, chance.randrange(NODES * tasks), chance.randrange(1, 40),
                   chance.choice(ENDS))


@pytest.fixture(scope="module")
def own() -> Iterator[Cluster]:
    """Its steps are confined, so that the kernel kills a process that takes too much memory."""
    if not (GROUPS / "memory").is_dir():
        pytest.skip("no cgroup v1 here")
    with own_cluster("coupled", NODES, "--names", f"cc{os.getpid()}n[1-3]", "--cgroups", "v1", conf=CONF,
                     etc={"cgroup.conf": CGROUP_CONF}) as cluster:
        if cluster.run(f"{PYTHON} -c 'import torch'", env={"PYTHONPATH": TORCH}, timeout=120).code != 0:
            pytest.skip(f"no PyTorch for the cluster's {PYTHON}; scripts/setup --with=training installs it")
        cluster.give("alice", PROGRAMS / "coupled")
        yield cluster


def report_of(cluster: Cluster, failure: Failure) -> dict[str, Any]:
    report = cluster.home / "report.json"
    report.unlink(missing_ok=True)
    result = cluster.srun(f"--distributed=torch,report=report.json --mem=2000 -N{NODES} --ntasks-per-node={failure.tasks} "
                          f"{PYTHON} coupled {failure.kind} {failure.rank} {failure.step} {failure.end}",
                          env={"PYTHONPATH": TORCH}, timeout=180)
    assert report.exists(), result.err
    said = json.loads(report.read_text())
    assert said["certain"] == ("Root Cause" in result.err), result.err
    assert result.code == said["exit_code"] != 0
    return said


def judged(failure: Failure, said: dict[str, Any]) -> str:
    if not said["certain"]:
        return "not sure" if failure.rank in [suspect["rank"] for suspect in said["suspects"]] else "wrong suspects"
    if not said["first"] or said["first"]["rank"] != failure.rank:
        return "wrong"
    if failure.kind == "exception" and said["first"]["reason"] != "KeyError: 'accuracy'":
        return "wrong reason"
    return "right"


def names_ranks(cluster: Cluster) -> bool:
    """Whether this torch begins the lines of a traceback with the rank."""
    version = cluster.run(f"{PYTHON} -c 'import torch; print(torch.__version__)'", env={"PYTHONPATH": TORCH}, timeout=120).out
    return tuple(int(part) for part in version.split(".")[:2]) >= (2, 2)


def table_of(judgements: list[tuple[Failure, str]]) -> str:
    counts = collections.Counter((failure.kind, word) for failure, word in judgements)
    words = ("right", "not sure", "wrong suspects", "wrong reason", "wrong")
    lines = [f"{kind:12}" + "".join(f"{word} {counts[kind, word]:3}   " for word in words) for kind in KINDS]
    return "\n".join(["", f"seed {SEED}, {len(judgements)} failures, torch {TORCH or 'of the system'}, {PYTHON}", *lines])


def test_in_a_batch_job_the_exception_is_named_too(own: Cluster) -> None:
    (own.home / "report.json").unlink(missing_ok=True)
    job = own.sbatch(f"#!/bin/bash\nsrun --distributed=torch,report=report.json {PYTHON} coupled exception 0 5 slow\n",
                     "-N3 -n3 --mem=2000", env={"PYTHONPATH": TORCH}, timeout=180)
    said = json.loads((own.home / "report.json").read_text())
    assert (said["certain"], said["first"]["rank"], said["first"]["reason"]) == (True, 0, "KeyError: 'accuracy'"), job.out
    assert said["summary"].endswith("failed first: KeyError: 'accuracy'")
    assert job.code == 1


def test_without_the_hook_the_output_tells_whose_exception_it_was_if_torch_numbers_its_lines(own: Cluster) -> None:
    (own.home / "report.json").unlink(missing_ok=True)
    job = own.sbatch("#!/bin/bash\nsrun --distributed=torch,python=off,report=report.json "
                     f"{PYTHON} coupled exception 0 5 slow\n",
                     "-N3 -n3 --mem=2000", env={"PYTHONPATH": TORCH}, timeout=180)
    said = json.loads((own.home / "report.json").read_text())
    if names_ranks(own):
        assert (said["certain"], said["first"]["rank"]) == (True, 0), job.out
        assert said["first"]["last_lines"][-1] == "[rank0]: KeyError: 'accuracy'"
        assert said["first"]["reason"] == "KeyError: 'accuracy'"
    else:
        assert not said["certain"] or said["first"]["rank"] == 0, job.out
    assert job.code == 1


def test_no_wrong_rank_is_ever_named_with_certainty(own: Cluster) -> None:
    chance = random.Random(SEED)
    judgements = []
    wrong = []
    for number in range(COUNT):
        failure = Failure.by_chance(chance, number if COUNT >= len(KINDS) else number * 2)
        said = report_of(own, failure)
        word = judged(failure, said)
        judgements.append((failure, word))
        print(number, failure, word, said["summary"], flush=True)
        if "wrong" in word or (failure.kind in TOLD and word != "right"):
            wrong.append(f"{failure}: {word}: {json.dumps(said)}")
    print(table_of(judgements))
    assert not wrong, f"{len(wrong)} of {COUNT}:\n" + "\n".join(wrong)
