"""Which GPUs a task sees, and with which index. The GPUs are fake: Slurm allocates them like real ones."""

import os
from collections.abc import Iterator

import pytest
from cluster import Cluster, Task
from node_xml import machine
from own_cluster import own_cluster

REMEDY = "add --gpu-bind=none"
two_cpus = pytest.mark.skipif(os.cpu_count() != 2, reason="the made-up node has two CPUs")


@pytest.fixture(scope="module")
def gpus() -> Iterator[Cluster]:
    with own_cluster("gpus", 2, "--gpus", "4") as cluster:
        yield cluster


def visible(task: Task) -> list[str]:
    return task["CUDA_VISIBLE_DEVICES"].split(",")


def test_all_gpus_of_the_step_are_visible_to_each_rank_and_index_local_rank_is_its_own(gpus: Cluster) -> None:
    tasks = gpus.probe("--distributed=torch -N2 -n4 --gpus-per-node=2")
    assert {tuple(visible(task)) for task in tasks} == {("0", "1")}
    for task in tasks:
        assert task["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"
        assert task["ROCR_VISIBLE_DEVICES"] == task["ZE_AFFINITY_MASK"] == task["CUDA_VISIBLE_DEVICES"]
        assert visible(task)[task.number("LOCAL_RANK")] == task["LOCAL_RANK"]


def test_an_exported_list_is_replaced(gpus: Cluster) -> None:
    tasks = gpus.probe("--distributed=torch -N1 --ntasks-per-node=2 --gpus-per-node=2",
                       env={"CUDA_VISIBLE_DEVICES": "1,0"})
    for task in tasks:
        assert visible(task) == ["0", "1"]
        assert visible(task)[task.number("LOCAL_RANK")] == task["LOCAL_RANK"]


def test_a_step_on_some_of_its_jobs_gpus_sees_those(gpus: Cluster) -> None:
    probe = gpus.new_probe()
    result = gpus.run(f"salloc -N1 -n2 --gres=gpu:4 srun --distributed=torch -n2 --gres=gpu:2 {probe}")
    assert result.code == 0, result.err
    for task in probe.tasks():
        assert visible(task) == task["SLURM_STEP_GPUS"].split(",")
        assert len(visible(task)) == 2


def test_tasks_with_several_gpus_have_different_ones_first(gpus: Cluster) -> None:
    first, second = gpus.probe("--distributed=torch -N1 -n2 --gpus-per-node=4")
    assert visible(first) == visible(second)
    assert sorted(visible(first)) == ["0", "1", "2", "3"]
    assert visible(first)[0] != visible(second)[1]


def test_gpus_own_shows_each_rank_only_its_share(gpus: Cluster) -> None:
    first, second = gpus.probe("--distributed=torch,gpus=own -N1 -n2 --gpus-per-node=4")
    assert len(visible(first)) == len(visible(second)) == 2
    assert not set(visible(first)) & set(visible(second))


def test_more_ranks_than_gpus_are_named_in_one_line_with_the_remedy(gpus: Cluster) -> None:
    result = gpus.srun("--distributed=torch -N1 -n2 --gpus-per-node=1 true")
    assert result.code == 0, result.err
    (line,) = [line for line in result.complaints if "LOCAL_RANK" in line]
    assert "2 tasks and 1 GPU: there is no GPU number 1 for LOCAL_RANK 1; use --ntasks-per-node=1" in line
    for fitting in ("torch -n2 --gpus-per-node=2", "torch,gpus=own -n2 --gpus-per-node=1", "none -n2 --gpus-per-node=1"):
        quiet = gpus.srun(f"--distributed={fitting} -N1 true")
        assert not [line for line in quiet.complaints if "LOCAL_RANK" in line], quiet.err


def test_jax_is_told_its_devices_instead_of_being_shown_fewer(gpus: Cluster) -> None:
    gpus.write(".config/muster/profiles/devices.yaml", 'environment: {DEVICES: "{gpu_indexes}", N: "{workers}"}')
    shared = gpus.probe("--distributed=devices -N2 -n4 --gpus-per-node=4")
    assert [task["N"] for task in shared] == ["2"] * 4
    assert not set(shared[0]["DEVICES"].split(",")) & set(shared[1]["DEVICES"].split(","))
    confined = gpus.probe("--distributed=devices -N1 -n2 --gpus-per-task=2")
    assert [task["DEVICES"] for task in confined] == ["0,1", "0,1"]


@pytest.mark.parametrize("options", ["--gpus-per-task=1", "--gpus-per-node=2 --gpu-bind=single:1",
                                     "--gpus=2 --ntasks-per-gpu=1"])
def test_gpus_that_slurm_hides_from_tasks_stay_hidden_and_the_remedy_is_named_once(gpus: Cluster,
                                                                                   options: str) -> None:
    probe = gpus.new_probe()
    result = gpus.srun(f"--distributed=torch -N1 -n2 {options} {probe}")
    assert result.code == 0, result.err
    assert [visible(task) for task in probe.tasks()] == [["0"], ["1"]]
    assert len([line for line in result.complaints if REMEDY in line]) == 1, result.err


def test_the_remedy_works(gpus: Cluster) -> None:
    probe = gpus.new_probe()
    result = gpus.srun(f"--distributed=torch -N1 -n2 --gpus-per-task=1 --gpu-bind=none {probe}")
    assert result.code == 0, result.err
    assert [visible(task) for task in probe.tasks()] == [["0", "1"], ["0", "1"]]
    assert not [line for line in result.complaints if REMEDY in line]


def test_confined_gpus_are_what_gpus_own_asks_for(gpus: Cluster) -> None:
    result = gpus.srun("--distributed=torch,gpus=own -N1 -n2 --gpus-per-task=1 true")
    assert result.code == 0
    assert not [line for line in result.complaints if REMEDY in line]


def test_a_step_without_gpus_is_left_alone(gpus: Cluster) -> None:
    (plain,) = gpus.probe("-n1", env={"CUDA_VISIBLE_DEVICES": "7"})
    (task,) = gpus.probe("--distributed=torch -n1", env={"CUDA_VISIBLE_DEVICES": "7"})
    assert task.environment.get("CUDA_VISIBLE_DEVICES") == plain.environment.get("CUDA_VISIBLE_DEVICES")
    assert "CUDA_DEVICE_ORDER" not in task.environment


def test_explain_names_each_ranks_gpus(gpus: Cluster) -> None:
    result = gpus.srun("--distributed=torch,explain -N1 -n2 --gpus-per-node=2 true")
    assert result.code == 0, result.err
    rows = [line.split() for line in result.err.splitlines() if " node1 " in line]
    assert [row[-1] for row in rows] == ["0", "1"]


@pytest.mark.parametrize("options", ["-N2 -n4 --gpus-per-node=2", "-N1 -n2 --gpus-per-node=4", "-N1 -n2 --gpus-per-task=1",
                                     "-N1 -n2 --gpus-per-node=2 --gpu-bind=single:1"])
def test_muster_exec_shows_the_gpus_that_the_plugin_shows(gpus: Cluster, options: str) -> None:
    gpus.write(".config/muster/profiles/devices.yaml", 'environment: {DEVICES: "{gpu_indexes}", N: "{workers}"}')
    names = ["CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "DEVICES", "N"]
    theirs = gpus.probe(f"--distributed=devices {options}")
    with gpus.plugstack("none"):
        probe = gpus.new_probe()
        result = gpus.srun(f"{options} {gpus.prefix / 'bin' / 'muster'} exec --distributed=devices -- {probe}")
    assert result.code == 0, result.err
    ours = probe.tasks()
    for name in names:
        assert [task.environment.get(name) for task in ours] == [task.environment.get(name) for task in theirs], name
    assert [task.cpus for task in ours] == [task.cpus for task in theirs]
    confined = "per-task" in options or "single" in options
    assert len([line for line in result.complaints if REMEDY in line]) == (1 if confined else 0), result.err


# --- Two sockets. The site's file and gres.conf agree: GPU 0 is near CPU 1, and GPU 1 near CPU 0.


@pytest.fixture(scope="module")
def sockets() -> Iterator[Cluster]:
    with own_cluster("sockets", 1, "--gpus", "2", "--sockets", "2") as cluster:
        file = cluster.site_file("node.xml", machine("0000:02:00.0", "0000:01:00.0"))
        config = cluster.site_file("sockets.yaml", f"topology: {{rules: [{{file: {file}}}]}}\n")
        with cluster.plugstack("optional", config=config):
            yield cluster


def cpus_near_gpus(task: Task) -> list[int]:
    return sorted(1 - int(gpu) for gpu in visible(task))


BOTH = "-N1 --gpus-per-node=2"
BY_CPUS = [f"{BOTH} --gpu-bind=closest", f"{BOTH} --gpu-bind=single:1", "-N1 --gpus=2 --ntasks-per-gpu=1"]
BY_LIST = [f"{BOTH} --gpu-bind=map_gpu:0,1", f"{BOTH} --gpu-bind=map_gpu:1,0", f"{BOTH} --gpu-bind=mask_gpu:0x1,0x2"]
PER_TASK = ["-N1 --gpus-per-task=1", f"{BOTH} --gpu-bind=per_task:1"]


@two_cpus
def test_slurm_chooses_gpus_by_the_cpus_that_it_gives_the_tasks(sockets: Cluster) -> None:
    """What the tests below rely on, without muster."""
    tasks = sockets.probe(f"-n2 {BY_CPUS[0]}")
    assert [(task.cpus, visible(task)) for task in tasks] == [([0], ["1"]), ([1], ["0"])]


@two_cpus
@pytest.mark.parametrize("options", BY_CPUS + BY_LIST + PER_TASK)
def test_each_rank_is_beside_the_gpu_that_slurm_chose_for_it(sockets: Cluster, options: str) -> None:
    tasks = sockets.probe(f"--distributed=torch -n2 {options}")
    assert [task.cpus for task in tasks] == [cpus_near_gpus(task) for task in tasks]
    assert {task["OMP_NUM_THREADS"] for task in tasks} == {"1"}


@two_cpus
@pytest.mark.parametrize("options", [BY_CPUS[0], PER_TASK[0], BY_LIST[0]])
def test_muster_exec_leaves_each_rank_beside_its_gpu(sockets: Cluster, options: str) -> None:
    config = sockets.state / "etc" / "site" / "sockets.yaml"
    with sockets.plugstack("none"):
        probe = sockets.new_probe()
        muster = sockets.prefix / "bin" / "muster"
        result = sockets.srun(f"-n2 {options} {muster} exec --config={config} --distributed=torch -- {probe}")
    assert result.code == 0, result.err
    tasks = probe.tasks()
    assert [task.cpus for task in tasks] == [cpus_near_gpus(task) for task in tasks]


@two_cpus
def test_explain_says_that_slurm_binds_a_rank_whose_gpu_only_slurm_knows(sockets: Cluster) -> None:
    result = sockets.srun(f"--distributed=torch,explain -n2 {BY_CPUS[0]} true")
    assert result.code == 0, result.err
    assert result.err.count("as Slurm binds") == 2
    listed = sockets.srun(f"--distributed=torch,explain -n2 {BY_LIST[0]} true")
    rows = [line.split() for line in listed.err.splitlines() if " node1 " in line]
    assert [(row[3], row[5]) for row in rows] == [("1", "0"), ("0", "1")]


@two_cpus
@pytest.mark.parametrize("options", BY_CPUS)
def test_a_policy_that_needs_to_know_a_ranks_gpu_says_that_only_slurm_does(sockets: Cluster, options: str) -> None:
    with sockets.plugstack("optional"):  # without the site's file, both CPUs are one socket
        probe = sockets.new_probe()
        result = sockets.srun(f"--distributed=torch,bind=socket -n2 {options} {probe}")
        refused = sockets.srun(f"--distributed=torch,bind=exclusive -n2 {options} true")
    assert result.code == 0, result.err
    assert [task.cpus for task in probe.tasks()] == [[0], [1]]
    (line,) = [line for line in result.complaints if "needs to know each task's GPU" in line]
    assert "so the tasks keep the CPUs that Slurm gave them" in line
    assert refused.code != 0
    assert "bind=exclusive needs to know each task's GPU, but only Slurm knows it" in refused.err
