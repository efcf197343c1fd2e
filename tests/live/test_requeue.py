"""requeue= and stop=: a batch job that cannot continue in its allocation runs again, and its attempts continue."""

import re
import shutil
import time
from collections.abc import Iterator

import pytest
from batch_job import BatchJob, field
from cluster import PROGRAMS, Cluster
from node_faults import off_the_network
from own_cluster import own_cluster
from waiting import wait_until

# A job in `urgent` takes the nodes of one in the other partitions: `all` and `grace` lose their job, `again` has it
# requeued. KillWait is Slurm's default: on a busy machine the supervisor of a cancelled job needs more than the test
# cluster's 5 s to exit.
CONF = """PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
KillWait=30
SlurmdTimeout=30
MessageTimeout=5
RequeueExit=77,140
PartitionName=all Nodes=node[1-3] Default=YES PriorityTier=1 PreemptMode=CANCEL MaxTime=INFINITE State=UP
PartitionName=again Nodes=node[1-3] PriorityTier=1 PreemptMode=REQUEUE MaxTime=INFINITE State=UP
PartitionName=grace Nodes=node[1-3] PriorityTier=1 PreemptMode=CANCEL GraceTime=20 MaxTime=INFINITE State=UP
PartitionName=urgent Nodes=node[1-3] PriorityTier=10 PreemptMode=OFF MaxTime=INFINITE State=UP
"""


@pytest.fixture(scope="module")
def whole_own() -> Iterator[Cluster]:
    with own_cluster("requeue", 3, conf=CONF) as cluster:
        yield cluster


@pytest.fixture
def own(whole_own: Cluster) -> Iterator[Cluster]:
    try:
        yield whole_own
        whole_own.await_clean(20)
    finally:
        whole_own.end_all()
        whole_own.clear()


class RequeuedJob(BatchJob):
    def release(self, timeout: float = 60) -> None:
        """Slurm makes a job wait two minutes after a requeue, but its user can shorten that. Do not release it in the
        same second: slurmd would mistake the second launch for the one that has just been revoked, and the job would
        fail."""
        wait_until(lambda: self.shown("JobState") == "PENDING" and self.shown("Restarts") != "0", timeout, "the requeue")
        released = self.cluster.run(f"scontrol update JobId={self.number} StartTime=now+4")
        assert released.code == 0, released.err

    def release_with_time(self, minutes: int) -> None:
        wait_until(lambda: self.shown("JobState") == "PENDING", 60, "the requeue")
        self.cluster.run(f"scontrol update JobId={self.number} TimeLimit={minutes}", user="root")
        self.release()

    def left(self) -> list[str]:
        """The state files. The file that counts identical lines remains."""
        files = (self.cluster.home / ".local/state/muster").glob(f"requeue-*-{self.number}-*")
        return [file.name for file in files if file.suffix != ".lines"]


class Job(RequeuedJob):
    """A batch job with one srun of the `resume` program, and what follows it in the script."""

    def __init__(self, cluster: Cluster, keys: str, arguments: str, options: str = "", before: str = "") -> None:
        cluster.give("alice", PROGRAMS / "resume")
        super().__init__(cluster, f"{before}\nsrun --distributed=torch,heartbeat=3,grace=2,{keys} "
                                  f"./resume {arguments}\ncode=$?\necho \"after $code\"\nexit $code",
                         f"-N3 -n6 {options}")

    def await_attempts_again(self) -> None:
        """After a requeue whose state is lost, the attempts begin at 0."""
        wait_until(lambda: len(self.ready(1)) == 12, 60, "attempt 1 of the second run")

    def await_attempt(self, attempt: int, ranks: int = 6, timeout: float = 60) -> None:
        super().await_attempt(attempt, ranks, timeout)

    def writes(self, attempt: int) -> list[float]:
        return sorted(float(line) for file in self.cluster.home.glob(f"writes.{attempt}.*")
                      for line in file.read_text().split("\n")[:-1])


@pytest.mark.slow
def test_a_job_whose_time_limit_nears_goes_on_after_a_requeue(own: Cluster) -> None:
    job = Job(own, "requeue=2,stop=1", "0.2 0:9:wait", "--time=10", before="until [ -e go ]; do sleep 0.1; done")
    wait_until(lambda: job.shown("JobState") == "RUNNING", 20, "the job")
    own.run(f"scontrol update JobId={job.number} EndTime=now+66", user="root")
    own.write("go", "")
    try:
        job.await_attempt(0)
        job.release_with_time(10)
        assert job.await_end() == "COMPLETED", job.text
    finally:
        (own.home / "go").unlink()
    assert "stopping the ranks (stop=)" in job.text
    assert f"job {job.number} goes back into the queue: the time limit is near (requeue 1 of 2)" in job.text
    assert f"job {job.number} continues after requeue 1 with attempt 1" in job.text
    assert job.done == {1}
    assert {rank.most for rank in job.ready(1)} == {2}
    assert job.text.count("after ") == 1 + job.text.count("continues after ")  # the script's next line ran once
    assert not job.left()


@pytest.mark.slow
def test_stop_follows_a_time_limit_that_is_shortened(own: Cluster) -> None:
    job = Job(own, "stop=1", "0.2 0:9:wait", "--time=60")
    job.await_attempt(0)
    shortened = own.run(f"scontrol update JobId={job.number} TimeLimit=4")
    assert shortened.code == 0, shortened.err
    assert job.await_end(240) != "TIMEOUT", job.text
    assert "ends in 1m: stopping the ranks (stop=)" in job.text


@pytest.mark.slow
def test_a_requeued_job_has_a_folder_of_its_own(own: Cluster) -> None:
    job = RequeuedJob(own, "srun --distributed=torch,logs=folder-%j sh -c 'echo run $SLURM_RESTART_COUNT; "
                           "[ $SLURM_RESTART_COUNT ] || sleep 100'", "--requeue -N2 -n2")
    first = own.home / f"folder-{job.number}"
    again = own.home / f"folder-{job.number}-run-1"
    try:
        wait_until(lambda: (first / "rank-1.out").exists() and (first / "rank-1.out").read_text(), 60, "rank 1")
        assert own.run(f"scontrol requeue {job.number}").code == 0
        job.release()
        assert job.await_end() == "COMPLETED", job.text
        assert (first / "rank-1.out").read_text() == "run\n"
        assert (again / "rank-1.out").read_text() == "run 1\n"
    finally:
        own.shell(f"rm -rf {first} {again}")


@pytest.mark.slow
@pytest.mark.parametrize("partition", [pytest.param("all", marks=pytest.mark.long), "again"])
def test_a_preempted_job_goes_on_after_the_one_that_took_its_nodes(own: Cluster, partition: str) -> None:
    job = Job(own, "requeue=2,restarts=1", "0.2 0:9:wait", f"--exclusive --requeue --partition={partition}")
    job.await_attempt(0)
    urgent = own.start("srun --partition=urgent --exclusive -N3 -n3 bash -c 'date +%s.%N; sleep 12; date +%s.%N'")
    job.release()
    assert job.await_end() == "COMPLETED", job.text
    result = urgent.wait()
    assert result.code == 0, result.err
    first, *_, last = sorted(map(float, result.lines))
    assert job.writes(0)[-1] < first and last < job.writes(1)[0]
    assert job.done == {1}
    assert not job.left()


@pytest.mark.slow
@pytest.mark.parametrize("stops", ["", pytest.param("export STOPS=1", marks=pytest.mark.long)])
def test_a_preempted_job_is_requeued_within_its_grace_time(own: Cluster, stops: str) -> None:
    job = Job(own, "requeue=2,restarts=1", "0.2 0:9:wait", "--exclusive --requeue --partition=grace", before=stops)
    job.await_attempt(0)
    began = time.monotonic()
    urgent = own.start("srun --partition=urgent --exclusive -N3 -n3 true")
    wait_until(lambda: "goes back into the queue: preemption" in job.text, 20, "the requeue")
    assert urgent.wait().code == 0
    assert time.monotonic() < began + 20  # the nodes are free before the grace period is over
    job.release()
    assert job.await_end() in ("COMPLETED", "PREEMPTED"), job.text  # newer Slurm has not forgotten the earlier run
    assert job.done == {1}
    assert not job.left()


@pytest.mark.slow
@pytest.mark.parametrize("stops", ["", pytest.param("export STOPS=1", marks=pytest.mark.long)])
def test_a_job_at_its_time_limit_goes_on_after_a_requeue(own: Cluster, stops: str) -> None:
    job = Job(own, "requeue=2,restarts=1", "0.2 0:9:wait", "--time=10 --requeue", before=stops)
    job.await_attempt(0)
    own.run(f"scontrol update JobId={job.number} EndTime=now+1second", user="root")
    wait_until(lambda: "goes back into the queue: the time limit" in job.text, 90, "the requeue")
    job.release_with_time(10)
    assert job.await_end() == "COMPLETED", job.text
    assert job.done == {1}
    assert not job.left()


@pytest.mark.slow
@pytest.mark.parametrize("option, before", [
    ("--signal=USR1@60", ""),
    pytest.param("--signal=B:USR1@60", "exec \\", marks=pytest.mark.long),
    pytest.param("--signal=B:TERM@60", "export STOPS=1\nexec \\", marks=pytest.mark.long)])
def test_slurms_signal_before_the_time_limit_requeues_the_job(own: Cluster, option: str, before: str) -> None:
    job = Job(own, "requeue=2,restarts=1", "0.2 0:9:wait", f"--time=1 --requeue {option}", before=before)
    job.await_attempt(0)
    wait_until(lambda: "goes back into the queue: a signal to the job" in job.text, 60, "the requeue")
    job.release_with_time(10)
    assert job.await_end() == "COMPLETED", job.text
    assert job.done == {1}
    assert not job.left()


@pytest.mark.slow
def test_a_job_with_too_few_nodes_left_goes_on_after_a_requeue(own: Cluster) -> None:
    job = Job(own, "requeue=1,restarts=2", "0.2 0:9:wait")
    job.await_attempt(0)
    with off_the_network(own, "node3"):
        wait_until(lambda: "goes back into the queue: too few nodes are left" in job.text, 60, "the requeue")
    job.release()
    assert job.await_end() == "COMPLETED", job.text
    assert job.done == {1}
    assert not job.left()


@pytest.mark.slow
def test_slurms_own_requeue_keeps_the_count_of_attempts(own: Cluster) -> None:
    job = Job(own, "requeue=2,restarts=1", "0.2 0:1:7 1:9:wait 2:1:8", "--requeue")
    job.await_attempt(1)
    assert own.run(f"scontrol requeue {job.number}").code == 0
    job.release()
    assert job.await_end() == "FAILED", job.text
    assert job.ready(2) and not job.ready(3)
    assert "the only restart is used up" in job.text
    assert "after 8" in job.text
    assert not job.left()


@pytest.mark.slow
def test_a_signal_to_the_script_requeues_the_job(own: Cluster) -> None:
    job = Job(own, "requeue=1", "0.2 0:9:wait", before="exec \\")
    job.await_attempt(0)
    assert own.run(f"scancel --batch --signal=TERM {job.number}").code == 0  # as --signal=B:TERM@SECONDS does
    wait_until(lambda: "goes back into the queue: a signal to the job" in job.text, 20, "the requeue")
    job.release()
    assert job.await_end() == "COMPLETED", job.text
    assert job.done == {1}


def test_a_signal_between_two_attempts_requeues_the_job(own: Cluster) -> None:
    (own.home / "asked").unlink(missing_ok=True)
    own.write("health", "#!/bin/sh\necho asked >>asked; sleep 1000\n").chmod(0o755)
    job = Job(own, "requeue=1,restarts=1,health=./health,health-timeout=300", "0.1 0:1:7", before="exec \\")
    wait_until(lambda: (own.home / "asked").exists(), 60, "the health command")
    assert own.run(f"scancel --batch --signal=TERM {job.number}").code == 0
    wait_until(lambda: job.shown("Restarts") == "1", 60, "the requeue")
    own.run(f"scancel {job.number}")
    assert "no further attempt: SIGTERM arrived between two attempts" in job.text
    assert f"job {job.number} goes back into the queue: a signal to the job (requeue 1 of 1)" in job.text
    assert len(job.left()) == 1  # the attempts would have continued
    assert not job.ready(1)


# Each line runs in a separate folder, and does there what the file RUN.ATTEMPT says; without one it succeeds.
LINE = """#!/bin/sh
now=${SLURM_RESTART_COUNT:-0}.$TORCHELASTIC_RESTART_COUNT
echo "line $(basename "$PWD") $now"
>began.$now
if [ -e $now ]; then . ./$now; fi
"""
SAME_LINE = "srun --overlap -N1 -n1 --mem=0 --distributed=torch,grace=2,requeue=1,restarts=5 ../line"


class SameLines(RequeuedJob):
    """A job of two identical srun lines. One attempt of the first fails, and two of the second."""

    def __init__(self, cluster: Cluster, script: str, plan: dict[str, str]) -> None:
        for folder in ("first", "second"):
            shutil.rmtree(cluster.home / folder, ignore_errors=True)
        for name, text in plan.items():
            cluster.write(name, text)
        cluster.write("line", LINE).chmod(0o755)
        super().__init__(cluster, script, "-N1 -n2 --mem=0 --requeue")

    @property
    def begun(self) -> list[str]:
        return re.findall(r"^line (.*)$", self.text, re.MULTILINE)

    def await_begun(self, *lines: str) -> None:
        wait_until(lambda: set(lines) <= set(self.begun), 60, f"{lines} in {self.text}")


def test_two_lines_of_the_same_words_go_on_each_with_its_own_attempts(own: Cluster) -> None:
    job = SameLines(own, f"(cd first && {SAME_LINE}) && (cd second && {SAME_LINE})", {
        "first/0.0": "exit 7", "second/0.0": "exit 7", "second/0.1": "exit 7", "second/0.2": "exec sleep 600"})
    job.await_begun("second 0.2")
    assert own.run(f"scontrol requeue {job.number}").code == 0
    job.release()
    assert job.await_end() == "COMPLETED", job.text
    # The first line had finished, and starts over together with the script.
    assert job.begun == ["first 0.0", "first 0.1", "second 0.0", "second 0.1", "second 0.2", "first 1.0", "second 1.3"]
    assert not job.left()


def test_two_lines_of_the_same_words_in_the_background_go_on_each_with_its_own_attempts(own: Cluster) -> None:
    first_began = "first/began.${SLURM_RESTART_COUNT:-0}.*"
    job = SameLines(own, f"(cd first && exec {SAME_LINE}) & one=$!\nuntil ls {first_began}; do sleep 0.1; done >/dev/null 2>&1\n"
                         f"(cd second && exec {SAME_LINE}) & two=$!\nwait $one && wait $two", {
        "first/0.0": "exit 7", "first/0.1": "exec sleep 600",
        "second/0.0": "exit 7", "second/0.1": "exit 7", "second/0.2": "exec sleep 600"})
    job.await_begun("first 0.1", "second 0.2")
    assert own.run(f"scontrol requeue {job.number}").code == 0
    job.release()
    assert job.await_end() == "COMPLETED", job.text
    assert {line for line in job.begun if " 1." in line} == {"first 1.2", "second 1.3"}, job.text
    assert not job.left()


ARRAY = """#!/bin/bash
[ "$SLURM_JOB_ID" = "$SLURM_ARRAY_JOB_ID" ] || exec sleep 300
exec srun --distributed=torch,grace=2,requeue=1 ./resume 0.2 0:0:wait
"""


def test_of_an_array_only_the_task_goes_back_into_the_queue(own: Cluster) -> None:
    own.give("alice", PROGRAMS / "resume")
    own.write("array.sh", ARRAY)
    out = own.home / "batch.out"
    out.unlink(missing_ok=True)
    array = own.run("sbatch --parsable --array=1-2 -N1 -n1 -o batch.out --requeue array.sh").out.strip()

    def shown(name: str) -> dict[str, str]:
        lines = own.run(f"scontrol -o show job {array}").lines
        return {field("JobId", line): field(name, line) for line in lines if "JobId=" in line}

    wait_until(lambda: out.exists() and "ready attempt=0" in out.read_text() and
               list(shown("JobState").values()) == ["RUNNING"] * 2, 60, "both tasks")
    task = shown("ArrayTaskId")[array]
    assert own.run(f"scancel --batch --signal=TERM {array}_{task}").code == 0
    wait_until(lambda: shown("Restarts").get(array) == "1", 60, "the requeue")
    others = {state for job, state in shown("JobState").items() if job != array}
    own.run(f"scancel {array}")
    assert others == {"RUNNING"}
    assert f"job {array} goes back into the queue" in out.read_text()


def test_an_exit_code_that_forbids_restarts_forbids_a_requeue(own: Cluster) -> None:
    job = Job(own, "requeue=1,restarts=1", "0.1 0:1:93")
    assert job.await_end() == "FAILED", job.text
    assert "after 93" in job.text and "goes back" not in job.text
    assert not job.left()


def test_a_failure_whose_restarts_are_used_up_is_not_requeued(own: Cluster) -> None:
    job = Job(own, "requeue=1,restarts=0", "0.1 0:1:7")
    assert job.await_end() == "FAILED", job.text
    assert "after 7" in job.text and "goes back" not in job.text
    assert not job.left()


def test_a_cancelled_job_does_not_come_back(own: Cluster) -> None:
    # A bash would end immediately, and Slurm would then kill what is left of its script: the supervisor, whatever it is
    # doing.
    job = Job(own, "requeue=1,restarts=1", "0.2 0:9:wait", before="exec \\")
    job.await_attempt(0)
    own.run(f"scancel {job.number}")
    assert job.await_end() == "CANCELLED"
    assert "goes back" not in job.text
    # The ranks may exit so long before the supervisor's own SIGTERM that Slurm may just as well requeue the job.
    if "resume CANCELLED" in job.text:
        wait_until(lambda: not job.left(), 20, "the end of the supervisor")


def test_a_job_that_may_not_be_requeued_says_so_at_its_start_and_keeps_its_exit_code(own: Cluster) -> None:
    job = Job(own, "requeue=1,restarts=1", "0.1 0:1:7 1:1:8", "--no-requeue")
    assert job.await_end() == "FAILED", job.text
    (complaint,) = [line for line in job.text.splitlines() if "requeue" in line]
    assert f"requeue=1: Slurm will not requeue job {job.number}" in complaint
    assert "after 8" in job.text
    assert job.shown("ExitCode") == "8:0"


@pytest.mark.slow
def test_a_requeue_that_slurm_refuses_is_said_and_keeps_the_exit_code(own: Cluster) -> None:
    job = Job(own, "requeue=1", "0.2 0:9:wait", "--requeue", before="exec \\")
    job.await_attempt(0)
    own.run(f"scontrol update JobId={job.number} Requeue=0", user="root")
    own.run(f"scancel --batch --signal=TERM {job.number}")
    assert job.await_end() == "FAILED", job.text
    (complaint,) = [line for line in job.text.splitlines() if "refused to requeue" in line]
    assert f"Slurm refused to requeue job {job.number}: " in complaint
    assert job.shown("ExitCode") == "143:0"
    assert not job.left()


@pytest.mark.slow
@pytest.mark.parametrize("fault, code", [("77", 77), ("SIGUSR2", 140)])
def test_an_exit_code_of_requeue_exit_is_the_sites_business(own: Cluster, fault: str, code: int) -> None:
    job = Job(own, f"restarts=1,norestart={code}", f"0.1 0:1:{fault}", "--requeue")
    wait_until(lambda: job.shown("JobState") == "PENDING" and job.shown("Restarts") == "1", 30, "Slurm's requeue")
    own.run(f"scancel {job.number}")
    assert f"after {code}" in job.text
    assert not job.ready(1)


@pytest.mark.slow
@pytest.mark.parametrize("fill, why", [
    ("mount -t tmpfs -o size=4k,mode=777 full {folder} && head -c 8192 /dev/zero >{folder}/full", "No space left on device"),
    pytest.param("mount -t tmpfs -o mode=755 unwritable {folder}", "Permission denied", marks=pytest.mark.long),
])
def test_a_job_that_cannot_write_its_state_says_so_and_goes_on(own: Cluster, fill: str, why: str) -> None:
    own.write(".local/state/muster/under", "")
    folder = "/home/alice/.local/state/muster"
    for node in own.nodes:
        own.node(node, fill.format(folder=folder) + " || true")
    try:
        job = Job(own, "requeue=1,restarts=1", "0.2 0:3:7 1:9:wait", "--requeue", before="exec \\")
        job.await_attempt(1)
        own.run(f"scancel --batch --signal=TERM {job.number}")
        job.release()
        job.await_attempts_again()
        own.run(f"scancel {job.number}")
        wait_until(lambda: not job.shown("JobState").startswith("RUN"), 30, "the job's end")
    finally:
        for node in own.nodes:
            own.node(node, f"umount --lazy {folder}")  # the supervisor may still be exiting
    said = [line for line in job.text.splitlines() if "cannot write" in line]
    assert len(said) == 2 and all(why in line and "restarts are counted from zero" in line for line in said)


@pytest.mark.parametrize("line", ["srun OPTION -N3 -n6 true", "salloc -Q -N3 -n6 srun OPTION true"])
def test_without_a_batch_job_there_is_nothing_to_requeue(own: Cluster, line: str) -> None:
    result = own.run(line.replace("OPTION", "--distributed=torch,requeue=1,restarts=1"))
    assert result.code != 0
    (complaint,) = [text for text in result.err.splitlines() if "muster" in text]
    assert "requeue=1: this is not a batch job" in complaint


def test_a_job_that_ends_before_stop_is_refused(own: Cluster) -> None:
    job = Job(own, "requeue=1,stop=5", "0.1", "--time=2")
    assert job.await_end() == "FAILED"
    assert f"stop=5: job {job.number} ends sooner than that" in job.text
