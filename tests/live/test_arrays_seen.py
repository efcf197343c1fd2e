"""What a user asks from the login node about a running step: for a job array, and for the user's only job."""

import json
from collections.abc import Iterator

import pytest
from cluster import PROGRAMS, Cluster
from waiting import wait_until


@pytest.fixture
def array(cluster: Cluster) -> Iterator[str]:
    """A job array with two tasks whose ranks are running."""
    cluster.give("alice", PROGRAMS / "wait_for")
    cluster.shell("rm -rf never.data.* muster-dump-*")
    cluster.write("array.sh", "#!/bin/bash\nsrun --distributed=torch -n2 ./wait_for /home/alice/never\n")
    job = cluster.run("sbatch --parsable --array=1-2 -N1 -n2 --output=array-%a.out array.sh").out.strip()
    try:
        wait_until(lambda: len(cluster.run("squeue -h --steps -o %j").out.split("wait_for")) == 3, 30, "both steps")
        wait_until(lambda: all((cluster.home / f"array-{task}.out").exists()
                               and (cluster.home / f"array-{task}.out").read_text().count("ready") == 2
                               for task in (1, 2)), 30, "all ranks")
        yield job
    finally:
        cluster.run(f"scancel --signal=KILL {job}")
        cluster.run(f"scancel {job}")
        wait_until(lambda: not cluster.run("squeue -h").out.strip(), 30, "the array's end")


def number_of(cluster: Cluster, task: str) -> str:
    return cluster.run(f"squeue -h -j {task} -o %A").out.strip()


def test_a_step_of_a_job_array_is_found_by_every_name_that_slurm_shows(cluster: Cluster, array: str) -> None:
    muster = f"{cluster.prefix}/bin/muster"
    number = number_of(cluster, f"{array}_2")
    for name in (f"{array}_2.0", f"{array}_2", f"{number}.0"):
        shown = cluster.run(f"{muster} dump --json --seconds=60 {name}", timeout=90)
        assert shown.code == 0, f"{name}: {shown.err}"
        groups = json.loads(shown.out)["groups"]
        assert sorted(rank for group in groups for rank in group["ranks"]) == [0, 1]
        assert not [group for group in groups if group["state"] == "no answer"], name
        status = cluster.run(f"{muster} status --json {name}", timeout=60)
        assert status.code == 0, f"{name}: {status.err}"
        assert [step["step"] for step in json.loads(status.out)["steps"]] == [f"{number}.0"]
    both = cluster.run(f"{muster} dump")
    assert (both.code, "2 of your steps are running" in both.err) == (1, True)
    assert f"{array}_1.0, {array}_2.0" in both.err or f"{array}_2.0, {array}_1.0" in both.err
    several = cluster.run(f"{muster} status")
    assert several.code == 1 and "2 of your jobs are running (" in several.err, several.err


def test_status_on_the_login_node_finds_the_only_job(cluster: Cluster, array: str) -> None:
    cluster.run(f"scancel --signal=KILL {array}_1")
    cluster.run(f"scancel {array}_1")
    wait_until(lambda: len(cluster.run("squeue -h --me").lines) == 1, 30, "the end of the first task")
    shown = cluster.run(f"{cluster.prefix}/bin/muster status --json", timeout=60)
    assert shown.code == 0, shown.err
    (step,) = json.loads(shown.out)["steps"]
    assert step["step"] == f"{number_of(cluster, f'{array}_2')}.0"


def test_a_job_number_that_a_shell_has_kept_is_named_as_such(cluster: Cluster) -> None:
    shown = cluster.run(f"{cluster.prefix}/bin/muster status", env={"SLURM_JOB_ID": "4711"})
    assert shown.code == 1
    assert "(SLURM_JOB_ID=4711 is set here; for another job: muster status JOB)" in shown.err


def test_status_without_a_job_says_so(cluster: Cluster) -> None:
    shown = cluster.run(f"{cluster.prefix}/bin/muster status")
    assert (shown.code, shown.out) == (1, "")
    assert "you have no running job" in shown.err


def test_a_file_that_is_not_roots_is_checked_at_will(cluster: Cluster) -> None:
    cluster.write("draft.yaml", "profile: torch\n")
    shown = cluster.run(f"{cluster.prefix}/bin/muster config check draft.yaml")
    assert shown.code == 1 and "use --trust-any-owner to check" in shown.err, shown
    shown = cluster.run(f"{cluster.prefix}/bin/muster config check --trust-any-owner draft.yaml")
    assert "--trust-any-owner" not in shown.err


def test_equal_warnings_of_many_nodes_are_one(cluster: Cluster) -> None:
    shown = cluster.run(f"{cluster.prefix}/bin/muster plan --json --layout 'n[1-64]:8'", timeout=60)
    assert shown.code == 0, shown.err
    warnings = json.loads(shown.out)["warnings"]
    assert len(warnings) <= 3, warnings
    assert [text for text in warnings if text.startswith("n[1-9,10-64]: ")], warnings
