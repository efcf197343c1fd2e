"""What each profile's tasks find, and known pitfalls of frameworks; no framework is needed to check them."""

import json
import re
from collections.abc import Iterator

import pytest
from cluster import Cluster
from own_cluster import own_cluster

RANK_MODE = ["torch", "lightning", "accelerate", "deepspeed", "megatron"]
ALL = [*RANK_MODE, "torchrun", "jax", "tensorflow", "horovod", "mpi", "ray", "vllm", "none"]


@pytest.fixture(scope="module")
def gpu_cluster() -> Iterator[Cluster]:
    """Nodes with four GPUs each, as far as Slurm knows."""
    with own_cluster("profiles", 2, "--gpus", "4") as cluster:
        yield cluster


def test_help_lists_every_profile(cluster: Cluster) -> None:
    said = cluster.srun("--distributed=help").out
    assert [name for name in ALL if f"\n  {name} " not in said] == []


@pytest.mark.parametrize("columns", [200, 80, 60, 40])
def test_help_fits_the_terminal(cluster: Cluster, columns: int) -> None:
    terminal = cluster.terminal(f"bash -c 'stty cols {columns} && srun --distributed=help'", env={"TERM": "xterm"})
    assert terminal.wait() == 0
    lines = terminal.shown.replace("\r", "").splitlines()
    assert [line for line in lines if len(line) > min(columns, 80) and len(line.rstrip(" \\").split()) > 1] == []
    assert "usage: srun|sbatch|salloc" in lines[0]


def test_help_groups_the_keys_and_ends_with_examples_that_are_valid(cluster: Cluster) -> None:
    lines = cluster.srun("--distributed=help").out.splitlines()
    headings = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert headings == ["placement:", "rendezvous:", "recovery:", "output:", "debugging:", "profiles:", "examples:"]
    keys = [line.strip().partition("=")[0].split()[0] for line in lines[lines.index("placement:"):lines.index("profiles:")]
            if re.match(r"  [a-z]", line)]
    assert len(keys) == len(set(keys)) and {"bind", "hang", "dry-run"} <= set(keys)
    columns = {len(found[0]) for line in lines if (found := re.match(r"(  \S+  +)\S", line))}
    assert len(columns) == 1, "the meanings begin in one column"
    examples = [line.strip() for line in lines[lines.index("examples:") + 1:]]
    assert len(examples) == 3
    for example in examples:
        value = re.search(r"--distributed=(\S+)", example)
        assert value and cluster.run(f"{cluster.prefix}/bin/muster check --distributed={value[1]}").code == 0, example


@pytest.mark.parametrize("profile", ALL)
def test_no_task_waits_for_a_store_that_nobody_serves(cluster: Cluster, profile: str) -> None:
    for task in cluster.probe(f"--distributed={profile} -N3 -n3"):
        assert task.environment.get("TORCHELASTIC_USE_AGENT_STORE", "False") == "False"


def test_lightning_is_not_taken_for_torchelastic(cluster: Cluster) -> None:
    for task in cluster.probe("--distributed=lightning -N3 -n6"):
        assert "TORCHELASTIC_RUN_ID" not in task.environment
        assert task["SLURM_NTASKS_PER_NODE"] == "2"


def test_lightnings_step_does_not_keep_its_jobs_tasks_per_node(cluster: Cluster) -> None:
    probe = cluster.new_probe()
    job = f"#!/bin/bash\nsrun --distributed=lightning -N3 -n3 --ntasks-per-node=1 {probe}\n"
    done = cluster.sbatch(job, "-N3 --ntasks-per-node=2")
    assert (done.code, done.out) == (0, "")
    assert [task["SLURM_NTASKS_PER_NODE"] for task in probe.tasks()] == ["1", "1", "1"]


@pytest.mark.parametrize("profile", [*RANK_MODE, "torchrun"])
def test_gloo_gets_one_concrete_interface(cluster: Cluster, profile: str) -> None:
    for task in cluster.probe(f"--distributed={profile} -N3 -n3"):
        assert task["GLOO_SOCKET_IFNAME"] == "eth0"


def test_deepspeed_finds_what_its_launcher_sets(cluster: Cluster) -> None:
    tasks = cluster.probe("--distributed=deepspeed -N3 -n5")
    assert [tuple(task.number(name) for name in ("LOCAL_SIZE", "CROSS_RANK", "CROSS_SIZE")) for task in tasks] == [
        (2, 0, 3), (2, 0, 3), (2, 1, 3), (2, 1, 3), (1, 2, 3)]


def test_torchrun_finds_its_flags(cluster: Cluster) -> None:
    tasks = cluster.probe("--distributed=torchrun -N3 --ntasks-per-node=1")
    assert [task["PET_NODE_RANK"] for task in tasks] == ["0", "1", "2"]
    assert [task["PET_LOCAL_ADDR"] for task in tasks] == [cluster.address(node) for node in cluster.nodes]
    assert {(task["PET_NNODES"], task["PET_MASTER_ADDR"], task["PET_RDZV_BACKEND"]) for task in tasks} == {
        ("3", cluster.address("node1"), "static")}
    assert "PET_NPROC_PER_NODE" not in tasks[0].environment  # no GPU: torchrun's default, or the user's choice
    assert "RANK" not in tasks[0].environment


def test_torchruns_workers_are_the_nodes_gpus(gpu_cluster: Cluster) -> None:
    tasks = gpu_cluster.probe("--distributed=torchrun -N2 --ntasks-per-node=1 --gpus-per-node=4")
    assert [task["PET_NPROC_PER_NODE"] for task in tasks] == ["4", "4"]


def test_jax_finds_its_coordinator(cluster: Cluster) -> None:
    for task in cluster.probe("--distributed=jax -N3 -n6"):
        address, _, port = task["JAX_COORDINATOR_ADDRESS"].rpartition(":")
        assert address == cluster.address("node1")
        assert 0 < int(port) < 65536
        assert "no_grpc_proxy" not in task.environment  # JAX warns about its name


def test_jax_reaches_its_coordinator_past_the_sites_proxy(cluster: Cluster) -> None:
    exported = {"http_proxy": "http://proxy:3128", "no_proxy": "localhost"}
    for task in cluster.probe("--distributed=jax -N3 -n3", env=exported):
        assert task["no_grpc_proxy"] == f"localhost,{cluster.address('node1')}"


def test_two_steps_of_a_job_have_two_coordinators(cluster: Cluster) -> None:
    probes = [cluster.new_probe(), cluster.new_probe()]
    steps = "; ".join(f"srun --overlap --distributed=jax -N3 -n3 {probe} & " for probe in probes).replace("& ;", "&")
    done = cluster.run(f"salloc -N3 -n6 bash -c '{steps} wait'")
    assert done.code == 0, done.err
    assert len({task["JAX_COORDINATOR_ADDRESS"] for probe in probes for task in probe.tasks()}) == 2


def test_jax_is_told_its_gpu_among_all_that_it_sees(gpu_cluster: Cluster) -> None:
    tasks = gpu_cluster.probe("--distributed=jax -N2 -n4 --ntasks-per-node=2 --gpus-per-node=2")
    assert [task["JAX_LOCAL_DEVICE_IDS"] for task in tasks] == ["0", "1", "0", "1"]


@pytest.mark.parametrize(("gpus", "devices"), [(1, "0"), (2, "0,1")])
def test_jax_with_gpus_per_task_takes_what_the_task_sees(gpu_cluster: Cluster, gpus: int, devices: str) -> None:
    tasks = gpu_cluster.probe(f"--distributed=jax -N2 -n4 --ntasks-per-node=2 --gpus-per-task={gpus}")
    assert [task["JAX_LOCAL_DEVICE_IDS"] for task in tasks] == [devices] * 4
    assert [len(task["CUDA_VISIBLE_DEVICES"].split(",")) for task in tasks] == [gpus] * 4


def test_jax_tasks_with_several_shared_gpus_have_different_ones(gpu_cluster: Cluster) -> None:
    tasks = gpu_cluster.probe("--distributed=jax -N1 -n2 --gpus-per-node=4")
    devices = [task["JAX_LOCAL_DEVICE_IDS"].split(",") for task in tasks]
    assert [len(task["CUDA_VISIBLE_DEVICES"].split(",")) for task in tasks] == [4, 4]
    assert [own[0] for own in devices] == ["0", "1"]  # LOCAL_RANK's own GPU comes first
    assert sorted(devices[0] + devices[1]) == ["0", "1", "2", "3"]


def test_horovod_and_mpi_keep_slurms_ranks(cluster: Cluster) -> None:
    tasks = cluster.probe("--distributed=horovod -N3 -n5")
    assert [(task["HOROVOD_RANK"], task["HOROVOD_CROSS_RANK"], task["HOROVOD_CROSS_SIZE"]) for task in tasks] == [
        ("0", "0", "3"), ("1", "0", "2"), ("2", "1", "3"), ("3", "1", "2"), ("4", "2", "3")]
    assert {task["HOROVOD_CONTROLLER"] for task in tasks} == {"mpi"}
    assert [task["HOROVOD_HOSTNAME"] for task in tasks] == [task.host for task in tasks]


@pytest.mark.parametrize("profile", ["lightning", "jax", "horovod", "mpi"])
def test_a_framework_that_reads_slurms_ranks_is_not_renumbered(cluster: Cluster, profile: str) -> None:
    result = cluster.srun(f"--distributed={profile},ranks=contiguous -N3 -n6 --distribution=cyclic true")
    assert result.code == 1
    refusals = [line for line in result.complaints if "no PMIx plugin" not in line]  # a remark if Slurm lacks PMIx
    assert "ranks=contiguous" in refusals[0]


@pytest.mark.parametrize(("variable", "profile"), [
    ("PET_NPROC_PER_NODE", "torchrun"), ("JAX_LOCAL_DEVICE_IDS", "jax"), ("no_grpc_proxy", "jax"),
    ("grpc_proxy", "tensorflow"), ("HOROVOD_CONTROLLER", "horovod"), ("OMP_NUM_THREADS", "mpi")])
def test_the_users_own_value_wins(cluster: Cluster, variable: str, profile: str) -> None:
    tasks = cluster.probe(f"--distributed={profile} -N3 -n3", env={variable: "7"})
    assert {task[variable] for task in tasks} == {"7"}


@pytest.mark.parametrize("profile", ["lightning", "torchrun", "jax"])
def test_the_users_kill_on_bad_exit_is_kept(cluster: Cluster, profile: str) -> None:
    line = "bash -c '[ $SLURM_PROCID = 1 ] && exit 3; sleep 2; echo survived'"
    result = cluster.srun(f"--distributed={profile} --kill-on-bad-exit=0 -N3 -n3 {line}")
    assert result.code == 3
    assert result.lines == ["survived", "survived"]


def test_tensorflow_finds_all_workers_and_itself(cluster: Cluster) -> None:
    tasks = cluster.probe("--distributed=tensorflow -N3 -n5")
    told = [json.loads(task["TF_CONFIG"]) for task in tasks]
    workers = told[0]["cluster"]["worker"]
    assert len(set(workers)) == 5
    assert [worker.rpartition(":")[0] for worker in workers] == [cluster.address(task.host) for task in tasks]
    assert told == [{"cluster": {"worker": workers}, "task": {"type": "worker", "index": rank}} for rank in range(5)]
    assert tasks[0]["grpc_proxy"] == ""


def test_tensorflow_sees_its_own_gpus_only(gpu_cluster: Cluster) -> None:
    tasks = gpu_cluster.probe("--distributed=tensorflow -N2 -n4 --ntasks-per-node=2 --gpus-per-node=4")
    seen = [task["CUDA_VISIBLE_DEVICES"].split(",") for task in tasks]
    assert [len(gpus) for gpus in seen] == [2, 2, 2, 2]
    assert sorted(seen[0] + seen[1]) == sorted(seen[2] + seen[3]) == ["0", "1", "2", "3"]


def test_tensorflow_sees_all_gpus_where_the_user_says_so(gpu_cluster: Cluster) -> None:
    tasks = gpu_cluster.probe("--distributed=tensorflow,gpus=shared -N1 -n2 --gpus-per-node=2")
    assert [sorted(task["CUDA_VISIBLE_DEVICES"].split(",")) for task in tasks] == [["0", "1"], ["0", "1"]]
