"""A task hands its own variables on to the steps that it starts and the jobs that it submits: they are not the user's
requests."""

import pytest
from cluster import Cluster, Probe, Task
from test_binding import needs_numa, needs_two_cores

# A task on node1, which may use one core.
TASK = "-w node1 -n1 -c1"


def job_of_a_task(cluster: Cluster, options: str, command: str) -> str:
    """What the script of a job on node2 prints if a task on node1 submits it."""
    cluster.write("job.sh", f"#!/bin/bash\n#SBATCH -w node2 {options}\n{command}\n")
    submitted = cluster.srun(f"{TASK} sbatch --wait --output=job.out job.sh")
    assert submitted.code == 0, (submitted.err, (cluster.home / "job.out").read_text())
    return (cluster.home / "job.out").read_text()


def assert_muster_bound(probe: Probe) -> None:
    first, second = probe.tasks()
    assert not set(first.cpus) & set(second.cpus)
    assert [task["OMP_NUM_THREADS"] for task in (first, second)] == ["1", "1"]


@needs_two_cores
@pytest.mark.parametrize("more", ["", ",supervise=off"])
def test_the_binding_of_the_task_that_submitted_a_job_does_not_hold_in_it(cluster: Cluster, more: str) -> None:
    probe = cluster.new_probe()
    said = job_of_a_task(cluster, "-n2", f"srun -n2 --distributed=torch,verbose{more} {probe}")
    assert said.count("SLURM_CPU_BIND is left over from a task of another step: ignored") == 1, said
    assert_muster_bound(probe)


@needs_two_cores
def test_the_binding_of_a_task_does_not_hold_for_a_step_that_it_starts(cluster: Cluster) -> None:
    probe = cluster.new_probe()
    result = cluster.run(f"salloc -N1 -n2 srun -n1 -c1 srun --overlap -n2 --distributed=torch {probe}")
    assert result.code == 0, result.err
    assert_muster_bound(probe)


@needs_numa
@pytest.mark.parametrize("options", ["--threads-per-core=1", "--ntasks-per-core=1", "--ntasks-per-socket=2"])
def test_options_that_imply_a_cpu_bind_leave_binding_to_muster(cluster: Cluster, options: str) -> None:
    def policies(tasks: list[Task]) -> set[bool]:
        return {task.memory == "default" for task in tasks}

    plain = cluster.probe(f"-N1 -n2 {options}")
    tasks = cluster.probe(f"-N1 -n2 {options} --distributed=torch")
    chosen = cluster.probe(f"-N1 -n2 {options} --distributed=torch --cpu-bind=cores")
    assert (policies(plain), policies(tasks), policies(chosen)) == ({True}, {False}, {True})


def test_the_cpus_of_the_task_that_submitted_a_job_are_not_the_jobs(cluster: Cluster) -> None:
    probe = cluster.new_probe()
    job_of_a_task(cluster, "-n1", f"srun -n1 --distributed=torch {probe}")
    (task,) = probe.tasks()
    assert "SRUN_CPUS_PER_TASK" not in task.environment


def test_a_script_that_a_task_submitted_is_no_task(cluster: Cluster) -> None:
    said = job_of_a_task(cluster, "-n1", f"{cluster.prefix}/bin/muster exec -- true || true")
    assert "but this is a batch script or a shell of the job (SLURM_STEP_ID is not set)" in said
