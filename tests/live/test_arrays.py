"""Several tasks of one job array at once. Slurm gives the last of them the array's own number, and what it shows for
that number covers all tasks, so a training job must consider only its own steps."""

import re

import pytest
from batch_job import field
from cluster import PROGRAMS, Cluster
from node_faults import off_the_network
from restarted import ranks_in
from waiting import wait_until

TIME_TO_END = 30  # seconds, for a job whose batch host has died, with Slurm's own limits and the default heartbeat


class Array:
    """Two tasks of two nodes each. The one with the array's own number runs `script` on node1 and node2, the other one
    runs `other` on node3 and node2. Their output is in array.1 and array.2."""

    def __init__(self, cluster: Cluster, script: str, other: str, options: str = "") -> None:
        self.cluster = cluster
        cluster.give("alice", PROGRAMS / "resume")
        for pattern in ("writes.*", "array.*"):
            for old in cluster.home.glob(pattern):
                old.unlink()
        cluster.write("array.sh", f"#!/bin/bash\nif [ $SLURM_JOB_ID = $SLURM_ARRAY_JOB_ID ]; then\n{script}\nelse\n{other}\n"
                                  "fi\n")
        self.number = cluster.run("sbatch --parsable --hold --array=1-2 -N2 --ntasks-per-node=1 --mem=0 --open-mode=append "
                                  f"-o array.%a {options} array.sh").out.strip()
        # Each task that is changed gets its own number, except for the last.
        for task, nodes in ((1, "node2,node3"), (2, "node1,node2")):
            changed = cluster.run(f"scontrol update JobId={self.number}_{task} ReqNodeList={nodes}")
            assert changed.code == 0, changed.err
        assert cluster.run(f"scontrol release {self.number}").code == 0

    @property
    def text(self) -> str:
        out = self.cluster.home / "array.2"
        return out.read_text() if out.exists() else ""

    def shown(self, name: str) -> str:
        lines = self.cluster.run(f"scontrol -o show job {self.number}").lines
        return next((field(name, line) for line in lines if field("JobId", line) == self.number), "")

    def await_attempt(self, attempt: int) -> None:
        wait_until(lambda: sum(rank.attempt == attempt for rank in ranks_in(self.text)) == 2, 60, f"attempt {attempt}")
        assert (self.shown("ArrayTaskId"), self.shown("BatchHost")) == ("2", "node1")

    def cancel(self) -> None:
        self.cluster.run(f"scancel {self.number}")


ALWAYS_ANOTHER_STEP = "while :; do srun -N1 -n1 --overlap sleep 1; done"


@pytest.mark.slow
def test_a_task_whose_batch_host_dies_is_requeued_whatever_steps_the_other_tasks_start(patient: Cluster) -> None:
    array = Array(patient, "srun --distributed=torch,restarts=1,requeue=1 ./resume 0.2 0:9:wait", ALWAYS_ANOTHER_STEP,
                  "--requeue --no-kill")
    array.await_attempt(0)
    with off_the_network(patient, "node1"):
        wait_until(lambda: array.shown("Restarts") == "1", TIME_TO_END, "the requeue")
        array.cancel()


def test_a_restart_waits_for_no_step_of_another_task(patient: Cluster) -> None:
    """A restart uses --overlap because of the remaining step of its own failed attempt, not because of another task's
    step."""
    array = Array(patient, "srun --distributed=torch,restarts=1 ./resume 0.2 0:0:1 1:9:wait", "srun sleep 600")
    array.await_attempt(1)
    sruns = [process.command for process in patient.processes("node1") if "./resume" in process.command]
    array.cancel()
    assert sruns and not [line for line in sruns if "--overlap" in line], sruns


PATTERNS = "%A_%a-%4j-%x-%u-%N"  # the patterns of sbatch's -o
# On a busy machine srun prints this if the previous step has not released its CPUs; with muster no more often than
# without.
SRUN_WAITS = re.compile(r"srun: (Job \d+ step creation temporarily disabled, retrying .*|Step created for .*)")


def said(text: str) -> list[str]:
    return [line for line in text.splitlines() if not SRUN_WAITS.fullmatch(line)]


def test_the_patterns_of_logs_and_report_are_slurms(patient: Cluster) -> None:
    """Slurm makes the name of the script's own output from the same patterns."""
    patient.write("two.sh", "#!/bin/bash\nsrun --distributed=torch,logs=log-%A_%a,report=rep-%A_%a-%4j-%x-%u-%N true\n"
                        "srun --distributed=torch,logs=logs-%A_%a-%4j-%x-%u-%N true\n")
    assert patient.run(f"sbatch --wait --array=3,5 -J sweep -N1 -n2 --mem=0 -o 'out-{PATTERNS}' two.sh", timeout=90).code == 0
    names = {file.name.removeprefix("out-"): file for file in patient.home.glob("out-*")}
    assert len(names) == 2 and not [line for file in names.values() for line in said(file.read_text())]
    assert {file.name.removeprefix("rep-") for file in patient.home.glob("rep-*")} == set(names)
    assert {file.name.removeprefix("logs-") for file in patient.home.glob("logs-*")} == set(names)
    for folder in patient.home.glob("logs-*"):
        assert (folder / "latest" / "rank-1.out").exists(), folder


@pytest.mark.parametrize("key", ["logs=x/%q", "report=x-%t", "report=%A_%"])
@pytest.mark.parametrize("command", ["sbatch --wrap true", "salloc true", "srun true"])
def test_a_pattern_that_does_not_exist_is_refused_at_submission(patient: Cluster, key: str, command: str) -> None:
    name, _, rest = command.partition(" ")
    refused = patient.run(f"{name} --distributed=torch,{key} {rest}")
    assert refused.code != 0
    assert f"{key}: " in refused.err and "Submitted" not in refused.out, refused.err
    assert not patient.run("squeue -h").out


def test_the_attempts_of_a_folder_that_is_named_by_the_job_do_not_meet(patient: Cluster) -> None:
    patient.give("alice", PROGRAMS / "resume")
    patient.write("one.sh", "#!/bin/bash\nsrun --distributed=torch,restarts=1,logs=folder-%j ./resume 0.2 0:0:1\n")
    done = patient.run("sbatch --wait -N1 -n1 --mem=0 -o one.out one.sh", timeout=90)
    assert done.code == 0, (patient.home / "one.out").read_text()
    first, second = sorted(patient.home.glob("folder-*"))
    assert second.name == f"{first.name}-attempt-1" and (second / "rank-0.out").exists()
