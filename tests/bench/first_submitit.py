"""The case `first` with submitit starting the ranks. first_submitit.py NODES prints what the ranks print."""

import runpy
import sys
import tempfile

import submitit


def work():
    submitit.helpers.TorchDistributedEnvironment().export()
    runpy.run_path("first_rank.py")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=".") as folder:
        executor = submitit.AutoExecutor(folder=folder, cluster="slurm")
        executor.update_parameters(nodes=int(sys.argv[1]), tasks_per_node=1, timeout_min=3, slurm_srun_args=["--quiet"])
        job = executor.submit(work)
        job.results()
        for task in range(job.num_tasks):
            sys.stdout.write(job.task(task).stdout() or "")
