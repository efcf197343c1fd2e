"""The newest torch and JAX rendezvous through muster's Python package, as installed at the site."""

import re

import pytest
from cluster import CHECKOUT, Cluster
from framework import ENVIRONMENTS, PATIENCE, PROGRAMS, hosts, hosts_by_slurm

LAYOUT = "-N3 -n5 --distribution=cyclic"
TORCH = ENVIRONMENTS / "torch" / "bin" / "python"
TORCHRUN = ENVIRONMENTS / "torch" / "bin" / "torchrun"
JAX = ENVIRONMENTS / "jax" / "bin" / "python"


@pytest.fixture(autouse=True)
def programs(cluster: Cluster) -> None:
    for program in (*PROGRAMS.glob("*.py"), *(CHECKOUT / "examples").glob("*.py")):
        cluster.give("alice", program)


@pytest.fixture
def package(cluster: Cluster) -> dict[str, str]:
    return {"PYTHONPATH": str(cluster.prefix / "share" / "muster" / "python")}


@pytest.mark.slow
@pytest.mark.parametrize(("url", "variable", "backend"), [
    ("muster://", None, "libuv"), ("muster://", "0", "threads"), ("muster://?use_libuv=0", None, "threads")])
def test_torch_knows_muster_without_an_import_and_either_backend_serves(
        cluster: Cluster, package, url: str, variable, backend: str) -> None:
    env = {**package, **({"USE_LIBUV": variable} if variable else {})}
    result = cluster.srun(f"--mpi=pmix {LAYOUT} {TORCH} torch_muster.py {url}", env=env, timeout=PATIENCE)
    assert hosts(result) == hosts_by_slurm(cluster, LAYOUT)
    assert result.out.count(f"by {backend}") == 5


@pytest.mark.slow
def test_a_group_is_made_again_and_again_and_nothing_is_left_of_it(cluster: Cluster, package) -> None:
    result = cluster.srun(f"--mpi=pmix {LAYOUT} {TORCH} ./muster_groups 6", env=package, timeout=PATIENCE)
    assert hosts(result) == hosts_by_slurm(cluster, LAYOUT)
    for line in result.lines:
        first, last = line.partition(": first ")[2].split(", last ")
        assert first == last


@pytest.mark.slow
@pytest.mark.parametrize("switch", ["0", "1"])
def test_an_unmodified_script_meets_by_torch_and_by_muster_where_a_variable_says_so(
        cluster: Cluster, package, switch: str) -> None:
    result = cluster.srun(f"--distributed=torch {LAYOUT} {TORCH} torch_env.py", env={**package, "MUSTER_TORCH_ENV": switch},
                          timeout=PATIENCE)
    assert hosts(result) == hosts_by_slurm(cluster, LAYOUT)
    assert result.out.count("served True" if switch == "0" else "served False") == 5


@pytest.mark.slow
def test_torchruns_workers_meet_by_its_own_store_as_ever(cluster: Cluster, package) -> None:
    result = cluster.srun(f"--distributed=torchrun -N2 --ntasks-per-node=1 {TORCHRUN} torch_sum.py",
                          env={**package, "MUSTER_TORCH_ENV": "1", "PET_NPROC_PER_NODE": "2"}, timeout=PATIENCE)
    assert hosts(result) == {0: "node1", 1: "node1", 2: "node2", 3: "node2"}


@pytest.mark.slow
def test_the_example_trains(cluster: Cluster, package) -> None:
    result = cluster.srun(f"--distributed=torch -N3 -n3 {TORCH} train_ddp.py --init muster --check", env=package, timeout=PATIENCE)
    assert result.code == 0, result.err
    assert result.lines[-1].startswith("learned: largest error")


@pytest.mark.slow
@pytest.mark.parametrize("launch", ["--mpi=pmix", "--distributed=jax"], ids=["plain", "distributed"])
def test_jax_sums_over_all_processes(cluster: Cluster, package, launch: str) -> None:
    result = cluster.srun(f"{launch} {LAYOUT} {JAX} jax_allreduce.py", env=package, timeout=PATIENCE)
    assert hosts(result) == hosts_by_slurm(cluster, LAYOUT)


@pytest.mark.slow
def test_two_steps_of_one_job_have_a_coordinator_each(cluster: Cluster, package) -> None:
    step = f"srun --overlap --mpi=pmix -N3 -n3 {JAX} jax_allreduce.py"
    result = cluster.run(f"salloc -N3 -n6 bash -c '{step} >one & {step} >two; wait; cat one two'", env=package,
                         timeout=PATIENCE)
    assert result.code == 0, result.err
    assert result.out.count("of 3 sum 3") == 6


@pytest.mark.slow
def test_a_proxy_of_the_site_does_not_hang_jax(cluster: Cluster, package) -> None:
    nothing_answers = "http://10.86.255.250:3128"
    result = cluster.srun(f"--mpi=pmix {LAYOUT} {JAX} jax_allreduce.py",
                          env={**package, "http_proxy": nothing_answers, "https_proxy": nothing_answers}, timeout=120)
    assert hosts(result) == hosts_by_slurm(cluster, LAYOUT)


@pytest.mark.slow
def test_a_lightning_run_saves_the_same_step_on_all_ranks_at_sigterm_and_continues_from_it(cluster: Cluster, package) -> None:
    line = f"srun --distributed=lightning -N2 -n4 {TORCH} lightning_stop.py 2 2"
    steps = 0
    for _ in range(2):
        training = cluster.start(line, env=package)
        training.await_output("trains in ", times=4, timeout=PATIENCE)
        step = re.search(r"trains in (\S+)", training.out)[1]
        cluster.run(f"scancel --signal=TERM {step}")
        result = training.wait(timeout=PATIENCE)
        assert result.code == 0, result.err
        ends = re.findall(r"^rank \d stopped after (\d+) steps, saved (\d+)$", result.out, re.MULTILINE)
        assert len(ends) == 4 and len(set(ends)) == 1, result.out
        ended, saved = map(int, ends[0])
        assert ended == saved > steps
        steps = saved
