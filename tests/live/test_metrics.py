"""metrics= and `muster metrics`: what Prometheus learns of a run, and that nothing else suffers from it."""

import pytest
from cluster import PROGRAMS, Cluster
from command import Result
from prometheus_text import value, values
from waiting import wait_until

PORT = 19400


@pytest.fixture(autouse=True)
def programs(cluster: Cluster) -> None:
    for program in ("counting", "wait_for"):
        cluster.give("alice", PROGRAMS / program)
    cluster.shell("rm -rf go go.data.* steps.log checkpoint progress *.prom metrics.d")


def srun(keys: str, program: str, options: str = "") -> str:
    return f"salloc -Q -N2 -n4 srun {options} --distributed=torch,restarts=9,grace=1,{keys} {program}"


def test_a_file_has_the_metrics_of_the_run_from_its_start_to_its_end(cluster: Cluster) -> None:
    command = cluster.start(srun("progress=progress,metrics=job-%j-%s.prom", "./counting step 60 0"))

    def files() -> list:
        return list(cluster.home.glob("job-*.prom"))

    wait_until(lambda: bool(files()), 30, "the file")
    (file,) = files()
    wait_until(lambda: value(file.read_text(), "muster_ranks") == 4, 60, "a file with all ranks")
    assert sum(values(file.read_text())["muster_nodes"].values()) == 2
    result = command.wait(120)
    assert result.code == 0, result.err
    assert files() == [file]
    text = file.read_text()
    attempts = value(text, "muster_attempts_total", job=file.stem.split("-")[1], step=file.stem.split("-")[2], user="alice")
    assert attempts == 1 + result.err.count("muster: restart ") >= 2
    assert sum(values(text)["muster_restarts_total"].values()) == attempts - 1
    assert value(text, "muster_ranks_up") == 0
    assert value(text, "muster_progress_step") == 60
    lost = sum(values(text)["muster_lost_seconds"].values())
    assert value(text, "muster_effective_seconds") + lost == pytest.approx(value(text, "muster_run_seconds"), abs=0.01)
    assert value(text, "muster_lost_seconds", cause="lost_work") > 0


def get(cluster: Cluster, accept: str) -> Result:
    """What a scraper on the host of srun gets."""
    return cluster.shell("python3 -c 'import sys, urllib.request as u; print(u.urlopen(u.Request(*sys.argv[1:2], "
                         "headers={\"Accept\": sys.argv[2]}), timeout=10).read().decode(), end=\"\")' "
                         f"http://127.0.0.1:{PORT}/metrics {accept}")


def test_a_port_answers_on_the_host_of_srun(cluster: Cluster) -> None:
    command = cluster.start(srun(f"metrics=:{PORT}", "./wait_for go"))
    wait_until(lambda: "muster_ranks_up{" in get(cluster, "text/plain").out, 30, "metrics")
    wait_until(lambda: value(get(cluster, "text/plain").out, "muster_ranks_up") == 4, 30, "all ranks")
    assert values(get(cluster, "application/openmetrics-text").out)
    cluster.write("go", "")
    assert command.wait(60).code == 0
    assert get(cluster, "text/plain").code != 0


def test_muster_metrics_prints_those_of_the_running_steps(cluster: Cluster) -> None:
    command = cluster.start(srun("verbose", "./wait_for go"))
    wait_until(lambda: "4 of 4 ranks up" in cluster.run("muster status").out, 30, "all ranks")
    text = cluster.run("muster metrics").out
    assert value(text, "muster_ranks_up") == 4
    assert value(text, "muster_restarts_left") == 9
    assert value(cluster.run("muster metrics --openmetrics").out, "muster_attempts_total") == 1
    assert cluster.run("muster metrics 4711 4712").code == 2
    cluster.write("go", "")
    assert command.wait(60).code == 0
    assert "you have no running job" in cluster.run("muster metrics").err


@pytest.mark.parametrize("keys, why", [
    ("metrics=missing/a.prom", "No such file or directory"),
    ("metrics=metrics.d", "Is a directory"),
    (f"metrics=192.0.2.1:{PORT}", "Cannot assign requested address"),
])
def test_what_cannot_be_written_is_one_line_and_the_run_goes_on(cluster: Cluster, keys: str, why: str) -> None:
    cluster.shell("mkdir metrics.d")
    result = cluster.run(srun(keys, "sleep 3"))
    assert result.code == 0, result.err
    (line,) = [line for line in result.err.splitlines() if "metrics=" in line]
    assert line.startswith("muster: warning: metrics=: cannot ") and why in line, line


def test_a_port_that_is_taken_is_one_line_and_the_run_goes_on(cluster: Cluster) -> None:
    first = cluster.start(srun(f"metrics=:{PORT}", "./wait_for go"))
    wait_until(lambda: get(cluster, "text/plain").code == 0, 30, "metrics")
    second = cluster.run(srun(f"metrics=:{PORT}", "true", "--overlap").replace("-N2 -n4", "-N1 -n1 --oversubscribe"))
    assert second.code == 0, second.err
    assert "muster: warning: metrics=: cannot listen" in second.err and "Address already in use" in second.err, second.err
    cluster.write("go", "")
    assert first.wait(60).code == 0


@pytest.mark.parametrize("keys, why", [
    ("metrics=host:9400", "is not an IP address"),
    ("metrics=:80", "ports below 1024 are privileged"),
    ("metrics=:99999", "65535"),
    ("metrics=%Z.prom", "%Z"),
    ("metrics=a.prom,supervise=off", "metrics"),
])
def test_a_wrong_value_is_refused_before_the_launch(cluster: Cluster, keys: str, why: str) -> None:
    result = cluster.run(f"srun -n1 --distributed=torch,{keys} true")
    assert result.code != 0
    assert why in result.err, result.err
