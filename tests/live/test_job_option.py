"""A rich --distributed for a whole job: it is meant for the training, but each other srun of the job has it as well."""

import json
import re

import pytest
from batch_job import BatchJob
from cluster import Cluster, Result

THREE_NODES = "#!/bin/bash\n#SBATCH -N3 --ntasks-per-node=2 --distributed="


def job(cluster: Cluster, option: str, script: str, options: str = "") -> Result:
    """A batch job of three nodes with two tasks each."""
    done = cluster.sbatch(f"{THREE_NODES}{option}\nexport SLURM_OVERLAP=1\n{script}\n", options, timeout=90)
    assert done.code == 0, done.out
    return done


def own_lines(result: Result) -> list[str]:
    return [line for line in result.out.splitlines() if not line.startswith(("muster:", "srun:"))]


def told(result: Result) -> list[str]:
    return re.findall(r"^muster: (?:warning: )?(.*)$", result.out, re.M)


# --- stop=


def test_the_results_of_a_stopped_run_can_still_be_copied(cluster: Cluster) -> None:
    batch = BatchJob(cluster, "srun -N2 -n2 sleep 60\nsrun -N2 -n2 echo copied",
                     "-N2 --time=1 --distributed=torch,stop=50s,grace=1")
    batch.await_end(90)
    assert "stopping the ranks (stop=)" in batch.text, batch.text
    assert batch.text.count("\ncopied") == 2, batch.text
    assert re.search(rf"^muster: warning: stop=50s: job {batch.number} has only \d+s left, so this step runs without "
                     "stop=, at most until the time limit$", batch.text, re.M), batch.text


# --- spares= and nodes=


@pytest.mark.parametrize("keys, srun, lines, line", [
    ("spares=1", '--nodes=1 --ntasks=1 -w "$(scontrol show hostnames | tail -n 1)" hostname', ["node3"],
     "spares=: this srun specifies its nodes, so no other nodes can replace them; this step runs without spares="),
    # srun takes the number of tasks from the job.
    ("spares=1", "--nodes=$SLURM_JOB_NUM_NODES --ntasks-per-node=1 hostname", 2 * ["node1"] + 2 * ["node2"] + 2 * ["node3"],
     "spares=1: 3 nodes for the run leave 0 of 3 in reserve; this step runs without spares="),
    ("spares=1", "--ntasks=$SLURM_JOB_NUM_NODES --ntasks-per-node=1 hostname", ["node1", "node2", "node3"],
     "spares=1: 3 nodes for the run leave 0 of 3 in reserve; this step runs without spares="),
    ("nodes=2", "-N1 -n1 echo one", ["one"], "nodes=2: this srun uses 1 node; this step runs without nodes="),
    ("spares=1,nodes=2", "-n1 echo one", ["one"],
     "spares=: 1 task cannot be divided evenly among 2 nodes, so no other number of nodes is possible; "
     "this step runs without spares= and nodes="),
])
def test_a_step_of_its_own_size_does_without_the_jobs_spares(
        cluster: Cluster, keys: str, srun: str, lines: list[str], line: str) -> None:
    done = job(cluster, f"torch,restarts=1,{keys}", f"srun {srun}")
    assert sorted(own_lines(done)) == lines
    assert told(done) == [line]


def test_a_key_on_the_line_itself_is_still_an_error(cluster: Cluster) -> None:
    result = cluster.run("salloc -Q -N2 --distributed=torch srun -N2 --distributed=torch,restarts=1,spares=1 true")
    assert result.code != 0
    assert "spares=1: 2 nodes for the run leave 0 of 2 in reserve; request more nodes, or fewer spares" in result.err


def test_a_run_of_the_jobs_own_size_is_still_refused_impossible_spares(cluster: Cluster) -> None:
    result = cluster.run("salloc -Q -N2 --distributed=torch,restarts=1,spares=2 srun true")
    assert result.code != 0
    assert "spares=2 leaves no node for the run (available: 2); request more nodes" in result.err


def test_a_step_has_the_lines_tasks_whatever_the_job_has_on_each_node(cluster: Cluster) -> None:
    done = job(cluster, "torch,restarts=1,spares=1", "srun -N1 -n1 echo one")
    assert own_lines(done) == ["one"]


def test_steps_in_the_background_have_a_node_each(cluster: Cluster) -> None:
    # Each waits for the other two. Without --overlap, a step has its node alone.
    wait = 'touch met.$0; for i in $(seq 150); do set -- met.*; [ $# = 3 ] && echo met && exit; sleep 0.1; done; exit 1'
    done = cluster.sbatch(f"{THREE_NODES}torch,restarts=1,spares=1\nrm -f met.*\n"
                          f"for i in 1 2 3; do srun -N1 -n2 --ntasks-per-node=2 sh -c '{wait}' $i & done\nwait\nrm met.*",
                          timeout=90)
    assert done.out.count("met\n") == 6, done.out


# --- preflight=


def test_a_small_step_does_not_wait_for_the_jobs_preflight(cluster: Cluster) -> None:
    done = job(cluster, "torch,preflight=on,verbose", "srun -N1 -n1 echo small\necho ---\nsrun -N3 -n3 echo whole")
    small, whole = done.out.split("---\n")
    assert "preflight: " not in small and "small" in small, done.out
    assert whole.count("preflight: 3 nodes") == 1 and whole.count("whole") == 3, done.out


# --- report=


def test_a_failed_runs_report_is_kept(cluster: Cluster) -> None:
    script = """rm -f report*.json
echo notes >report.1.json
srun -N1 -n1 true
srun -n2 sh -c 'exit 7' 2>/dev/null
srun -N1 -n1 echo copied
srun -N1 -n1 true
srun -N1 -n1 sh -c 'exit 3' 2>/dev/null
true"""
    done = job(cluster, "torch,report=report.json", script)
    notes = cluster.home / "report.1.json"
    assert notes.read_text() == "notes\n", "a file that is no report is not overwritten"
    notes.unlink()
    reports = {file.name: json.loads(file.read_text()) for file in sorted(cluster.home.glob("report*.json"))}
    number = reports["report.json"]["attempts"][0]["step"].partition(".")[0]
    assert {name: (report["exit_code"], report["attempts"][0]["step"]) for name, report in reports.items()} == {
        "report.json": (7, f"{number}.1"), "report.2.json": (3, f"{number}.4")}
    assert told(done) == 2 * [f"report.json keeps the report of step {number}.1; the report of this step is in report.2.json"]


# --- logs=


def test_the_reader_of_a_pipe_gets_the_output_of_all_ranks(cluster: Cluster) -> None:
    done = job(cluster, "torch,logs=logs",
               "rm -rf logs\nnodes=($(srun hostname | sort -u))\necho ${nodes[@]}\nsrun hostname | tee kept | wc -l")
    assert own_lines(done) == ["node1 node2 node3", "6"]
    assert sorted(set((cluster.home / "kept").read_text().split())) == ["node1", "node2", "node3"]
    assert len({file.resolve() for file in cluster.home.glob("logs/*/rank-*.out")}) == 12


def test_the_view_of_the_job_holds_for_a_pipe(cluster: Cluster) -> None:
    assert own_lines(job(cluster, "torch,logs=logs,view=first", "srun hostname | cat")) == ["node1"]


def test_a_file_gets_the_output_of_the_first_rank(cluster: Cluster) -> None:
    assert own_lines(job(cluster, "torch,logs=logs", "srun hostname >kept\ncat kept")) == ["node1"]


# srun writes both streams to --output if there is no --error.
@pytest.mark.parametrize("options, name, lines", [
    ("--output=kept", "--output", 4), ("-e errors -o kept", "--output", 2), ("-e kept", "--error", 2)])
def test_sruns_own_files_replace_the_jobs_logs(cluster: Cluster, options: str, name: str, lines: int) -> None:
    done = job(cluster, "torch,logs=logs", f"rm -rf logs kept\nsrun -n2 {options} sh -c 'echo x; echo x >&2'")
    assert (cluster.home / "kept").read_text() == lines * "x\n"
    assert told(done) == [f"{name}: this step runs without logs=, set for the whole job"]
    assert not (cluster.home / "logs").exists()


# --- shells


def test_a_shell_is_not_restarted_after_its_last_command(cluster: Cluster) -> None:
    terminal = cluster.terminal("salloc -Q -N2 -n2 --distributed=torch,restarts=3,spares=1,logs=logs srun --pty bash --norc")
    terminal.await_text("--pty: this step runs without restarts=, spares=, logs=, set for the whole job")
    terminal.type("echo read''y\n")
    terminal.await_text("ready")
    terminal.type("(exit 3)\nexit\n")
    assert terminal.wait() == 3, terminal.shown
    assert "restart" not in terminal.shown.partition("ready")[2], terminal.shown
