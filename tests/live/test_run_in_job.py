"""`muster run` inside a Slurm allocation: the same command line becomes the srun that it needs."""

from collections.abc import Iterator

import pytest
from cluster import Cluster

SHOW = """
import os, sys
said = [os.environ[name] for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "ROLE_NAME", "TORCHELASTIC_MAX_RESTARTS")]
os.write(1, (" ".join([os.uname().nodename, *said, *map(repr, sys.argv[1:])]) + "\\n").encode())  # whole
"""


@pytest.fixture
def run(cluster: Cluster) -> str:
    cluster.write("show.py", SHOW)
    return f"{cluster.prefix}/bin/muster run"


def test_in_a_batch_job_it_takes_all_nodes(cluster: Cluster, run: str) -> None:
    script = f"#!/bin/bash\n#SBATCH -N2 --exclusive\n{run} --nnodes=2 --nproc-per-node=2 --role=trainer --max-restarts=1 show.py a 'b  c'\n"
    result = cluster.sbatch(script)
    assert result.code == 0, result.out
    assert sorted(result.lines) == [f"node{rank // 2 + 1} {rank} 4 {rank % 2} trainer 1 'a' 'b  c'" for rank in range(4)]


def test_at_a_prompt_it_takes_as_many_nodes_as_the_line_says(cluster: Cluster, run: str) -> None:
    result = cluster.run(f"salloc -N3 --ntasks-per-node=1 {run} --nnodes=2 --nproc-per-node=1 show.py")
    assert result.code == 0, result.err
    assert sorted(result.lines) == [f"node{rank + 1} {rank} 2 0 default 0" for rank in range(2)]
    other = cluster.run(f"salloc -N3 --ntasks-per-node=1 {run} --nnodes=2:3 --no-python hostname")
    assert (other.code, sorted(other.lines)) == (0, ["node1", "node2", "node3"]), other.err


def test_a_rank_that_fails_there_is_reported_as_under_srun(cluster: Cluster, run: str) -> None:
    cluster.write("fails.py", "import os, sys, time\nsys.exit(7) if os.environ['RANK'] == '1' else time.sleep(60)\n")
    result = cluster.run(f"salloc -N2 --ntasks-per-node=1 {run} --nnodes=2 --nproc-per-node=1 fails.py", timeout=60)
    assert result.code != 0
    assert "Root Cause" in result.err and "rank      : 1" in result.err, result.err


def test_more_nodes_than_the_job_has_is_slurms_word(cluster: Cluster, run: str) -> None:
    result = cluster.run(f"salloc -N2 {run} --nnodes=3 show.py")
    assert result.code != 0
    assert "Only allocated 2 nodes asked for 3" in result.err, result.err


def test_in_a_task_it_starts_ranks_beside_itself(cluster: Cluster, run: str) -> None:
    result = cluster.run(f"srun -N1 -n1 -c2 {run} --nproc-per-node=2 show.py")
    assert result.code == 0, result.err
    assert sorted(result.lines) == [f"node1 {rank} 2 {rank} default 0" for rank in range(2)]
    several = cluster.run(f"srun -N2 -n2 {run} --nnodes=2 show.py")
    assert several.code != 0
    assert several.err.count("remove the srun in front of muster run") == 2, several.err


def test_several_nodes_without_a_job_is_one_line(cluster: Cluster, run: str) -> None:
    result = cluster.run(f"{run} --nnodes=2 show.py")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("muster: error: --nnodes=2: ") and "salloc --nodes=2 muster run" in result.err


WAITS = """
import pathlib, sys, time
pathlib.Path(sys.argv[1]).touch()
end = time.monotonic() + 20
while not pathlib.Path(sys.argv[2]).exists():
    if time.monotonic() > end:
        sys.exit(3)
    time.sleep(0.05)
"""


def test_two_that_wait_for_each_other_run_at_the_same_time(cluster: Cluster, run: str) -> None:
    cluster.write("waits.py", WAITS)
    result = cluster.sbatch("#!/bin/bash\n#SBATCH -N1 --exclusive\nrm -f here there\n"
                            f"{run} --nproc-per-node=1 waits.py here there & one=$!\n"
                            f"{run} --nproc-per-node=1 waits.py there here & two=$!\nwait $one && wait $two\n")
    assert result.code == 0, result.out


def test_a_profile_for_slurm_is_the_sruns(cluster: Cluster, run: str) -> None:
    line = f"salloc -N1 {run} --distributed=jax,bind=none --no-python sh -c 'echo $JAX_COORDINATOR_ADDRESS'"
    result = cluster.run(line)
    assert result.code == 0 and ":" in result.out, result.err


@pytest.fixture
def without_plugin(cluster: Cluster, run: str) -> Iterator[str]:
    with cluster.plugstack("none"):
        yield run


def test_without_the_plugin_it_starts_the_ranks_by_muster_exec(cluster: Cluster, without_plugin: str) -> None:
    result = cluster.run(f"salloc -N2 --ntasks-per-node=2 {without_plugin} --nnodes=2 --nproc-per-node=2 --role=trainer "
                         "show.py a 'b  c'")
    assert result.code == 0, result.err
    assert sorted(result.lines) == [f"node{rank // 2 + 1} {rank} 4 {rank % 2} trainer 0 'a' 'b  c'" for rank in range(4)]
    assert "so `muster exec` starts the ranks without restarts or a report" in result.err
    again = cluster.run(f"salloc -N2 --ntasks-per-node=1 {without_plugin} --nnodes=2 --nproc-per-node=1 --max-restarts=1 show.py")
    assert again.code != 0
    assert "restarts=1 needs a supervisor, which muster exec does not provide" in again.err
