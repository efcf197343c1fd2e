"""`muster report`: logs= of real steps as one page."""

import re
import stat
from collections.abc import Iterator

import pytest
from cluster import Cluster
from page import Page
from waiting import wait_until

FAILS_ONCE = """#!/bin/bash
echo "attempt $TORCHELASTIC_RESTART_COUNT of rank $RANK"
if [ "$TORCHELASTIC_RESTART_COUNT$RANK" = 03 ]; then
  printf 'loading <script>alert(1)</script> \\033[31mred\\033[0m \\033[2J \\377 &amp;\\n' >&2
  exit 9
fi
sleep 0.5
"""


def report(cluster: Cluster, words: str = "logs", **more):
    return cluster.run(f"{cluster.prefix}/bin/muster report {words}", **more)


@pytest.fixture(autouse=True)
def no_logs(cluster: Cluster) -> Iterator[None]:
    yield
    cluster.shell("rm -rf logs page.html go many once")


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
    assert "./once --epochs <3>" in top and "Ended well, after 1 restart" in top and "4 ranks on 2 nodes" in top, top
    attempts = page.text_of("attempts")
    assert re.search(r"Attempt 0 step \d+\.0.*failed after .*: rank 3 on node2: exit code 9.*Attempt 1 step \d+\.1.*ended well", attempts)
    failure = page.text_of("attempt-0")
    assert "rank 3 failed first" in failure and "exit code 9" in failure
    assert r"loading <script>alert(1)</script> red \x1b[2J \xff &amp;" in failure, failure
    assert "ended by muster" in failure
    nodes = page.text_of("nodes")
    assert "node1" in nodes and nodes.count("ended well") >= 4
    assert "all ranks ran" in page.text_of("time").lower()
    assert "CPUs" in page.text_of("bindings")
    assert "after the launch" in page.text_of("start")
    assert "4 ranks wrote 80 B" in page.text_of("output")
    page.assert_links_lead_somewhere(cluster.home / "logs")
    assert stat.S_IMODE((cluster.home / "logs" / "report.html").stat().st_mode) == 0o600


def test_the_folder_of_an_attempt_is_that_attempt(cluster: Cluster) -> None:
    failed = cluster.srun("--distributed=torch,logs=logs -N2 -n2 sh -c 'exit $((RANK == 1 ? 5 : 0))'")
    (folder,) = [each.name for each in (cluster.home / "logs").iterdir() if not each.is_symlink()]
    assert f"  logs      : /home/alice/logs/{folder} (muster report makes a page of it)\n" in failed.err, failed.err
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
    assert result.code == 0 and "no report.json yet; the run goes on, or its supervisor was killed" in result.err, result
    page = Page((cluster.home / "logs" / "report.html").read_text())
    assert "Not over" in page.text_of() and "2 ranks on 2 nodes" in page.text_of()
    assert "Ended well" in page_of(cluster).text_of()


def test_directories_of_patterns_are_listed(cluster: Cluster) -> None:
    for _ in range(2):
        assert cluster.srun("--distributed=torch,logs=many/%j/%a -N1 -n1 true").code == 0
    jobs = sorted(each.name for each in (cluster.home / "many").iterdir())
    result = report(cluster, "many")
    assert result.code == 1 and result.err.count("\n") == 1, result
    assert f"name one of many/{jobs[0]}, many/{jobs[1]}" in result.err, result.err
    assert "Ended well" in page_of(cluster, f"many/{jobs[1]}").text_of()


def test_another_users_logs_are_not_written_to(cluster: Cluster) -> None:
    cluster.srun("--distributed=torch,logs=logs -N1 -n1 true")
    cluster.shell("chmod -R a+rX /home/alice/logs", user="root")
    result = report(cluster, "/home/alice/logs", user="root")
    assert result.code == 1 and "belongs to another user; say where the page goes: -o FILE" in result.err, result
    assert "Ended well" in Page(report(cluster, "-o - /home/alice/logs", user="root").out).text_of()
