"""`muster report`: the logs= of real steps as one page."""

import json
import re
import stat
from collections.abc import Iterator
from datetime import datetime

import pytest
from cluster import Cluster
from page import Page
from releases import slurm_has_pmix
from waiting import wait_until

FAILS_ONCE = """#!/bin/bash
echo "attempt $TORCHELASTIC_RESTART_COUNT of rank $RANK"
if [ "$TORCHELASTIC_RESTART_COUNT$RANK" = 03 ]; then
  printf 'loading <script>alert(1)</script> \\033[31mred\\033[0m \\033[2J \\377 &amp;\\n' >&2
  exit 9
fi
sleep 0.5
"""


TRAINS = """
import glob, os, time
import torch, torch.distributed as dist
import muster.torch

# However long the imports take: this rank comes two seconds after the last of the others.
if os.environ["RANK"] == "{late}":
    while len(glob.glob("came-*")) < 3:
        time.sleep(0.05)
    time.sleep(2)
else:
    open("came-" + os.environ["RANK"], "w").close()
dist.init_process_group("gloo", init_method="muster://")
total = torch.tensor([float(os.environ["RANK"])])
dist.all_reduce(total)
assert total.item() == 6
dist.destroy_process_group()
"""

PHASE = re.compile(r"^phase (\d+) (\d+) (own|all) ok (.*)$", re.MULTILINE)


def report(cluster: Cluster, words: str = "logs", **more):
    return cluster.run(f"{cluster.prefix}/bin/muster report {words}", **more)


@pytest.fixture(autouse=True)
def no_logs(cluster: Cluster) -> Iterator[None]:
    yield
    cluster.shell("rm -rf logs page.html go many once train.py came-*")


def page_of(cluster: Cluster, words: str = "logs") -> Page:
    result = report(cluster, words)
    assert (result.code, result.out, result.err) == (0, f"{words}/report.html\n", ""), result
    return Page((cluster.home / words / "report.html").read_text())


def test_a_run_of_two_attempts_is_one_page(cluster: Cluster) -> None:
    (cluster.home / "once").write_text(FAILS_ONCE)
    (cluster.home / "once").chmod(0o755)
    result = cluster.shell("salloc -Q -N2 -n4 srun --distributed=torch,restarts=1,logs=logs ./once --epochs '<3>'", timeout=90)
    assert result.code == 0, result.err
    page = page_of(cluster)
    top = page.text_of()
    assert "./once --epochs <3>" in top and "Succeeded, after 1 restart" in top and "4 ranks on 2 nodes" in top, top
    attempts = page.text_of("attempts")
    assert re.search(r"Attempt 0 step \d+\.0.*failed after .*: rank 3 on node2: exit code 9.*Attempt 1 step "
                     r"\d+\.1.*succeeded", attempts)
    failure = page.text_of("attempt-0")
    assert "rank 3 failed first" in failure and "exit code 9" in failure
    assert r"loading <script>alert(1)</script> red \x1b[2J \xff &amp;" in failure, failure
    assert "stopped by muster" in failure
    nodes = page.text_of("nodes")
    assert "node1" in nodes and nodes.count("succeeded") >= 4
    assert "all ranks ran" in page.text_of("time").lower()
    assert "CPUs" in page.text_of("bindings")
    assert "after the launch" in page.text_of("start")
    assert "4 ranks wrote 80 B" in page.text_of("output")
    page.assert_links_lead_somewhere(cluster.home / "logs")
    assert stat.S_IMODE((cluster.home / "logs" / "report.html").stat().st_mode) == 0o600


def test_the_folder_of_an_attempt_is_that_attempt(cluster: Cluster) -> None:
    failed = cluster.srun("--distributed=torch,logs=logs -N2 -n2 sh -c 'exit $((RANK == 1 ? 5 : 0))'")
    (folder,) = [each.name for each in (cluster.home / "logs").iterdir() if not each.is_symlink()]
    assert f"  logs      : /home/alice/logs/{folder} (muster report makes a page from it)\n" in failed.err, failed.err
    for words in (f"logs/{folder}", "logs/latest"):
        page = page_of(cluster, words)
        assert "Failed, exit code 5" in page.text_of()
        page.assert_links_lead_somewhere(cluster.home / words)
    other = report(cluster, "-o page.html logs")
    assert (other.code, other.out) == (0, "page.html\n"), other
    assert not [link for link in Page((cluster.home / "page.html").read_text()).links if not link.startswith("#")]
    assert Page(report(cluster, "-o - logs").out).text_of("nodes").count("rank") > 0


def test_a_run_that_goes_on_says_so(cluster: Cluster) -> None:
    step = cluster.start("srun --distributed=torch,logs=logs -N2 -n2 sh -c 'echo up; until [ -e go ]; do sleep 0.2; done'")
    wait_until(lambda: len(list((cluster.home / "logs").glob("latest/plan.json"))) == 1
               and sum(file.stat().st_size for file in (cluster.home / "logs").glob("latest/rank-*.out")) == 6, 60, "output")
    result = report(cluster)
    cluster.shell("touch go")
    assert step.wait(60).code == 0
    assert result.code == 0 and "no report.json yet: the run is in progress, or its supervisor was killed" in result.err, result
    page = Page((cluster.home / "logs" / "report.html").read_text())
    assert "Still running" in page.text_of() and "2 ranks on 2 nodes" in page.text_of()
    assert "Succeeded" in page_of(cluster).text_of()


def test_directories_of_patterns_are_listed(cluster: Cluster) -> None:
    for _ in range(2):
        assert cluster.srun("--distributed=torch,logs=many/%j/%a -N1 -n1 true").code == 0
    jobs = sorted(each.name for each in (cluster.home / "many").iterdir())
    result = report(cluster, "many")
    assert result.code == 1 and result.err.count("\n") == 1, result
    assert f"name one of many/{jobs[0]}, many/{jobs[1]}" in result.err, result.err
    assert "Succeeded" in page_of(cluster, f"many/{jobs[1]}").text_of()


def test_another_users_logs_are_not_written_to(cluster: Cluster) -> None:
    cluster.srun("--distributed=torch,logs=logs -N1 -n1 true")
    cluster.shell("chmod -R a+rX /home/alice/logs", user="root")
    result = report(cluster, "/home/alice/logs", user="root")
    assert result.code == 1 and "belongs to another user; choose where to write the page: -o FILE" in result.err, result
    assert "Succeeded" in Page(report(cluster, "-o - /home/alice/logs", user="root").out).text_of()


def seconds_between(times: dict, begin: str, end: str) -> float:
    first, last = (datetime.fromisoformat(times[name][:-1]) for name in (begin, end))
    return (last - first).total_seconds()


@pytest.mark.slow
def test_a_training_over_muster_has_the_times_of_its_start(cluster: Cluster) -> None:
    """Rank 2 is made late: the page must name it, and no time may be longer than the attempt."""
    if cluster.run("python3 -c 'import torch'").code != 0:
        pytest.skip("no PyTorch for the cluster's python3; scripts/setup --with=training installs it")
    (cluster.home / "train.py").write_text(TRAINS.format(late=2))
    package = {"PYTHONPATH": str(cluster.prefix / "share" / "muster" / "python")}
    result = cluster.srun("--distributed=torch,logs=logs -N2 -n4 python3 train.py", env=package, timeout=120)
    assert result.code == 0, result.err
    folder = (cluster.home / "logs" / "latest").resolve()

    phases = {rank: PHASE.findall((folder / f"rank-{rank}.times").read_text()) for rank in range(4)}
    names = {rank: [name for *_, name in each] for rank, each in phases.items()}
    exchanges = [f"exchange 'torch store's {what}'" for what in ("address", "clients", "verdict")]
    assert names[0] == ["join", "torch store of rank 0", *exchanges, "leave"], names
    assert names[3] == ["join", exchanges[0], "torch store's connection", *exchanges[1:], "leave"], names
    assert stat.S_IMODE((folder / "rank-0.times").stat().st_mode) == 0o600

    told = json.loads((folder / "report.json").read_text())
    (attempt,) = told["attempts"]
    for each in phases.values():
        moments = [int(moment) for begin, end, *_ in each for moment in (begin, end)]
        assert moments == sorted(moments), each
        assert sum(int(end) - int(begin) for begin, end, *_ in each) / 1e6 < attempt["seconds"]
    first = {rank: int(each[0][0]) / 1e6 for rank, each in phases.items()}
    assert first[2] - max(first[rank] for rank in (0, 1, 3)) > 0.5, first
    waited = {rank: sum(int(end) - int(begin) for begin, end, _, name in each if name == exchanges[0]) / 1e6
              for rank, each in phases.items()}
    assert min(waited, key=waited.get) == 2 and waited[0] - waited[2] > 0.5, waited

    times = attempt["times"]
    steps = ("launch", "first_agent", "rendezvous_begin", "rendezvous_end", "all_started", "over")
    for begin, end in zip(steps, steps[1:]):
        assert -0.05 <= seconds_between(times, begin, end) <= attempt["seconds"], times
    for node in told["nodes"]:
        assert seconds_between(node, "agent_start", "rendezvous_begin") >= 0
        assert seconds_between(node, "rendezvous_begin", "rendezvous_end") >= 0
        assert seconds_between(times, "rendezvous_end", "over") > max(first.values())

    start = page_of(cluster).text_of("start")
    assert "The agents' rendezvous took" in start and "Agents had met" in start, start
    way = "PMIx" if slurm_has_pmix() else "TCP to rank 0"
    assert f"4 ranks using libmuster connected over {way}." in start, start
    node = next(line["node"] for line in json.loads((folder / "plan.json").read_text())["ranks"] if line["rank"] == 2)
    assert re.search(rf"address' waits for all ranks rank 2 on {node} arrived last, \d+\.\d s after the first",
                     start), start
    assert re.search(rf"Rank reached libmuster[\d. ms]*rank 2 on {node}", start), start


def test_without_libmuster_the_page_has_the_rendezvous_and_no_bootstrap(cluster: Cluster) -> None:
    assert cluster.srun("--distributed=torch,logs=logs -N2 -n2 sleep 1").code == 0
    assert not list((cluster.home / "logs").glob("latest/*.times"))
    start = page_of(cluster).text_of("start")
    assert "The agents' rendezvous took" in start and "Bootstrap" not in start, start


def test_a_program_without_logs_is_told_of_no_times(cluster: Cluster) -> None:
    result = cluster.srun("--distributed=torch -N1 -n1 sh -c 'echo \"${MUSTER_TIMES-none}\"'")
    assert result.out == "none\n", result
