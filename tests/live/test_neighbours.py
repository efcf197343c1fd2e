"""A site's other plugins and scripts alongside muster, before and after its line in plugstack.conf: either the program
sees what muster has set up, or one line says what to change."""

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import Cluster
from own_cluster import BUILD, own_cluster

# Ranks that are not SLURM_PROCID, on two named nodes: two steps are compared, and Slurm may choose other nodes for
# each.
STEP = "-w node1,node2 -N2 -n4 --distribution=cyclic --distributed=torch,ranks=contiguous"
LAST = "put muster.so's line last in plugstack.conf"
# What an image and its runtime's hooks set.
IMAGE = {"MASTER_ADDR": "image.invalid", "MASTER_PORT": "29400", "WORLD_SIZE": "1", "OMP_NUM_THREADS": "1",
         "NCCL_SOCKET_IFNAME": "image0", "PYTORCH_VERSION": "2.6"}

orders = pytest.mark.parametrize("order", ["before", "after"])
needs_two_cores = pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="needs two cores")


@contextlib.contextmanager
def neighbour(cluster: Cluster, name: str, order: str, words: str = "", line: str = "") -> Iterator[None]:
    """Another plugin's line, before or after muster's."""
    target = cluster.site_file(f"{name}.so", "")
    shutil.copy(BUILD / f"tests/live/compiled/neighbours/{name}.so", target)
    lines = [f"required {target} {words}".strip(), line or cluster.plugstack_file.read_text().strip()]
    with cluster.plugstack_line("\n".join(lines if order == "before" else reversed(lines))):
        yield


@pytest.fixture
def image(cluster: Cluster) -> Path:
    """A container's root."""
    return cluster.site_file("image/environment", "".join(f"{name}={value}\n" for name, value in IMAGE.items())).parent


@pytest.fixture
def image_with_modules(cluster: Cluster) -> Path:
    """A container's root whose environment has a PYTHONPATH."""
    return cluster.site_file("modules-image/environment", "PYTHONPATH=/opt/image/modules\n").parent


@pytest.fixture
def image_without_muster(cluster: Cluster, image_with_modules: Path) -> Iterator[Path]:
    hidden = cluster.site_file("modules-image/hidden", f"{cluster.prefix}\n")
    yield image_with_modules
    hidden.unlink()


@pytest.fixture
def roots(cluster: Cluster) -> Path:
    folder = cluster.state / "etc" / "other-root"
    folder.mkdir(exist_ok=True)
    return folder


def replaced(result) -> list[str]:
    return [line for line in result.complaints if "was replaced" in line]


def met(result) -> list[str]:
    return sorted(line.partition(" of ")[0] for line in result.lines)


# --- a container's environment and namespaces


def test_in_a_container_that_is_entered_first_the_program_has_what_muster_planned(cluster: Cluster, image: Path) -> None:
    plain = cluster.probe(STEP)
    with neighbour(cluster, "container", "before"):
        tasks = cluster.probe(f"{STEP} --container-image={image}")
    assert [task.number("RANK") for task in tasks] == [0, 2, 1, 3]
    assert [task.number("LOCAL_RANK") for task in tasks] == [0, 0, 1, 1]
    for task, outside in zip(tasks, plain, strict=True):
        assert task["PYTORCH_VERSION"] == IMAGE["PYTORCH_VERSION"], "not in the container"
        assert task["MASTER_PORT"] != IMAGE["MASTER_PORT"]
        for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "OMP_NUM_THREADS", "NCCL_SOCKET_IFNAME"):
            assert task.environment.get(name) == outside.environment.get(name)
        assert task.cpus == outside.cpus
        assert task.error_directory_is_mine


# What a Python program and another one see.
SHOWS_PATH = "bash -c 'echo $PYTHONPATH; python3 -c \"import os; print(os.environ[\\\"PYTHONPATH\\\"])\"'"


def test_an_images_own_pythonpath_stays_with_the_start_hook_before_it(cluster: Cluster, image_with_modules: Path) -> None:
    # The agent needs more than a moment to see the files of a task with another /tmp.
    cluster.write("fails.py", "import sys, time\nassert '/opt/image/modules' in sys.path\ntime.sleep(2)\n{}['missing']\n")
    with neighbour(cluster, "container", "before"):
        shown = cluster.srun(f"-n1 --distributed=torch --container-image={image_with_modules} {SHOWS_PATH}")
        failed = cluster.srun(f"-n1 --distributed=torch --container-image={image_with_modules} python3 fails.py")
    assert shown.lines == [f"{cluster.prefix}/share/muster/start/.:/opt/image/modules", "/opt/image/modules"], shown.err
    assert "error     : KeyError: 'missing'" in failed.err


def test_a_container_without_muster_has_its_own_pythonpath_and_no_start_hook(
        cluster: Cluster, image_without_muster: Path) -> None:
    with neighbour(cluster, "container", "before"):
        shown = cluster.srun(f"-n1 --distributed=torch --container-image={image_without_muster} {SHOWS_PATH}")
        left = cluster.srun(f"-n1 --distributed=torch --container-image={image_without_muster} "
                            "bash -c 'echo ${MUSTER_RANK_DIRECTORY-none}'")
    assert shown.lines == ["/opt/image/modules"] * 2, shown.err
    assert left.lines == ["none"], left.err


# Sets what the image's own scripts would set: only what has no value yet.
APPTAINER = """#!/bin/bash
shift 2
export PYTHONPATH="${PYTHONPATH:-/opt/image/modules}"
exec "$@"
"""


def test_an_image_that_apptainer_starts_keeps_its_own_pythonpath(cluster: Cluster) -> None:
    cluster.write("bin/apptainer", APPTAINER).chmod(0o755)
    started = "-n1 --distributed=torch nice -n 0 bin/apptainer exec image.sif"
    assert cluster.srun(f"{started} {SHOWS_PATH}").lines == ["/opt/image/modules"] * 2
    own = cluster.srun(f"{started} {SHOWS_PATH}", env={"PYTHONPATH": "/mine"})
    assert own.lines == [f"{cluster.prefix}/share/muster/start/.:/mine", "/mine"], own.err


def test_a_program_of_an_image_that_a_variable_names_is_started(cluster: Cluster, image: Path) -> None:
    with neighbour(cluster, "container", "before"):
        result = cluster.srun("-N2 -n2 --distributed=torch /tmp/program", env={"PYXIS_CONTAINER_IMAGE": str(image)})
    assert result.code == 0, result.err
    assert not result.complaints


def test_musters_own_steps_do_not_run_in_the_image_that_a_variable_names(cluster: Cluster) -> None:
    with neighbour(cluster, "container", "before"):
        result = cluster.run(f"{cluster.prefix}/bin/muster doctor --seconds=60 --json -- -N2", timeout=90,
                             env={"PYXIS_CONTAINER_IMAGE": "/nowhere"})
    assert "/nowhere" not in result.err
    assert len(json.loads(result.out)["nodes"]) == 2, result.err


def test_ranks_meet_at_the_held_port_in_a_container_that_is_entered_first(cluster: Cluster, image: Path) -> None:
    with neighbour(cluster, "container", "before"):
        result = cluster.srun(f"{STEP} --container-image={image} ./meet")
    assert result.code == 0, result.err
    assert met(result) == [f"rank {rank}" for rank in range(4)]
    assert not result.complaints


def test_a_container_that_is_entered_last_and_replaces_the_ranks_is_told_of_in_one_line(
        cluster: Cluster, image: Path) -> None:
    with neighbour(cluster, "container", "after"):
        result = cluster.srun(f"{STEP} --container-image={image} sleep 3")
    assert result.code == 0, result.err
    (line,) = replaced(result)
    assert line.startswith("muster: warning: MASTER_")
    assert LAST in line


@orders
def test_a_container_plugin_that_a_step_does_not_use_changes_nothing(cluster: Cluster, order: str) -> None:
    with neighbour(cluster, "container", order):
        result = cluster.srun(f"{STEP} ./meet")
    assert result.code == 0, result.err
    assert met(result) == [f"rank {rank}" for rank in range(4)]
    assert not result.complaints


# --- another root


@orders
@pytest.mark.parametrize("root", ["hidden", "pivoted"])
def test_the_agent_works_where_another_plugin_has_hidden_its_files(
        cluster: Cluster, roots: Path, order: str, root: str) -> None:
    words = f"hide={cluster.prefix}" + (f" root={roots}" if root == "pivoted" else "")
    with neighbour(cluster, "pivot", order, words):
        assert cluster.run(f"srun -N1 ls {cluster.prefix}").out == "", "nothing is hidden"
        result = cluster.srun(f"{STEP} ./meet")
    assert result.code == 0, result.err
    assert met(result) == [f"rank {rank}" for rank in range(4)]
    assert not result.complaints


def test_a_program_that_only_the_other_root_has_starts(cluster: Cluster) -> None:
    cluster.write("other-root/train", "not a program on the node")
    program = "/home/alice/other-root/train"
    with neighbour(cluster, "pivot", "before", f"hide={cluster.prefix} program={program}"):
        result = cluster.srun(f"-N2 -n2 --distributed=torch {program}")
    assert result.code == 0, result.err
    assert not result.complaints


@orders
def test_the_sites_policy_holds_where_another_plugin_has_hidden_its_file(cluster: Cluster, order: str) -> None:
    config = cluster.site_file("hidden/policy.yaml", "policy:\n  forbid: [bind=none]\n")
    own = cluster.write("mine.yaml", "{}\n")
    muster = cluster.prefix / "bin" / "muster"
    line = cluster.plugstack_file.read_text().split()
    line = " ".join([*(word for word in line if not word.startswith("config=")), f"config={config}"])
    with neighbour(cluster, "pivot", order, f"hide={config.parent}", line):
        result = cluster.run(f"{muster} supervise --config={own} --trust-any-owner --distributed=torch,bind=none "
                             "-- srun -N2 -n2 echo started")
    assert result.code != 0
    assert result.out == ""
    (said,) = [said for said in result.complaints if "policy.yaml:2:12" in said]
    assert "bind=none: the site's policy" in said


# --- other CPUs


@needs_two_cores
@orders
def test_whoever_binds_last_wins_and_verbose_names_another_plugin(cluster: Cluster, order: str) -> None:
    with neighbour(cluster, "bind", order, "cpu=1"):
        (task,) = cluster.probe("-N1 -n1 --cpus-per-task=1 --distributed=torch")
        result = cluster.srun("-N1 -n1 --cpus-per-task=1 --distributed=torch,verbose sleep 2.5")
    assert result.code == 0, result.err
    bound = [line for line in result.complaints if "although muster bound it to 0" in line]
    assert task.cpus == ([0] if order == "before" else [1])
    assert len(bound) == (0 if order == "before" else 1)
    assert all("another plugin" in line for line in bound)


# --- a task's prolog


def test_what_a_task_prolog_exports_reaches_the_program_and_a_replaced_rank_is_told_of(prolog: Cluster) -> None:
    result = prolog.srun("-n1 --distributed=torch bash -c 'echo $RANK $FOO ${GONE-none}; sleep 2.5'", env={"GONE": "here"})
    assert result.code == 0, result.err
    assert result.lines == ["a word of the site", "7 bar none"]
    (line,) = replaced(result)
    assert line.startswith("muster: warning: RANK was replaced")
    assert "TaskProlog" in line


def test_a_users_task_prolog_that_replaces_nothing_is_not_told_of(cluster: Cluster) -> None:
    script = cluster.write("prolog.sh", "#!/bin/bash\necho export FOO=bar\necho export OMP_NUM_THREADS=1\n")
    script.chmod(0o755)
    result = cluster.srun(f"{STEP} --task-prolog=/home/alice/{script.name} bash -c 'echo $FOO; sleep 2.5'")
    assert result.code == 0, result.err
    assert result.lines == ["bar"] * 4
    assert not result.complaints


PROLOG = "#!/bin/bash\necho export RANK=7\necho export FOO=bar\necho unset GONE\necho print a word of the site\n"


@pytest.fixture(scope="module")
def prolog() -> Iterator[Cluster]:
    """A site whose slurm.conf has TaskProlog=."""
    with own_cluster("prolog", 1, conf="TaskProlog=@STATE@/etc/task_prolog\n", etc={"task_prolog": PROLOG}) as cluster:
        yield cluster
