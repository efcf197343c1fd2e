"""muster exec: does what the plugin does, from inside each task, on a site without the plugin."""

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from cluster import CHECKOUT, Cluster, Task

COMPILED = Path(os.environ.get("MUSTER_BUILD", CHECKOUT / "build")) / "tests" / "live" / "compiled"

# These differ between any two steps; the agent cleans up the directory for error files.
OF_THE_STEP = {"MASTER_PORT", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_ERROR_FILE", "NCCL_RAS_ADDR"}

LAYOUTS = {
    "block": "-N3 -n6 -m block",
    "cyclic": "-N3 -n6 -m cyclic",
    "plane": "-N2 -n4 -m plane=2",
    "uneven": "-N3 -n5",
    "one task": "-n1",
    "a task per node": "-N3 -n3",
    "more tasks than CPUs": "-N2 -n8 -O",
}


@pytest.fixture
def muster(cluster: Cluster) -> Iterator[str]:
    """The program, on a site without the plugin."""
    with cluster.plugstack("none"):
        yield str(cluster.prefix / "bin" / "muster")


def by_muster(tasks: Sequence[Task]) -> list[dict[str, str]]:
    """For each task, what muster has set, without what differs between any two steps."""
    return [{name: task[name] for name in task["MUSTER_SET"].split() if name not in OF_THE_STEP} for task in tasks]


def with_plugin(cluster: Cluster, options: str, value: str = "torch", **more) -> list[Task]:
    with cluster.plugstack("optional"):
        return cluster.probe(f"--distributed={value} {options}", **more)


def with_exec(cluster: Cluster, muster: str, options: str, value: str = "torch", **more) -> list[Task]:
    return cluster.probe(f"{options} {muster} exec --distributed={value} --", **more)


@pytest.mark.parametrize("options", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_environment_and_cpus_are_those_that_the_plugin_gives(cluster: Cluster, muster: str, options: str) -> None:
    ours = with_exec(cluster, muster, options)
    theirs = with_plugin(cluster, options)
    assert by_muster(ours) == by_muster(theirs)
    assert [(task.host, task.cpus, task.memory) for task in ours] == [
        (task.host, task.cpus, task.memory) for task in theirs]
    assert len({task["MASTER_PORT"] for task in ours}) == 1


def test_an_arbitrary_layout_is_known_where_slurm_names_its_hosts_by_task(cluster: Cluster, muster: str) -> None:
    cluster.write("hosts", "node2\nnode1\nnode2\n")
    env = {"SLURM_HOSTFILE": "hosts", "SLURM_ARBITRARY_NODELIST": "node2,node1,node2"}
    ours = with_exec(cluster, muster, "-m arbitrary -n3", env=env)
    assert [(task.host, task["RANK"], task["LOCAL_RANK"], task["MASTER_ADDR"]) for task in ours] == [
        ("node2", "0", "0", cluster.address("node2")), ("node1", "1", "0", cluster.address("node2")),
        ("node2", "2", "1", cluster.address("node2"))]


def test_an_arbitrary_layout_that_nobody_tells_is_not_guessed(cluster: Cluster, muster: str) -> None:
    cluster.write("hosts", "node1\nnode3\nnode2\n")
    result = cluster.srun(f"-m arbitrary -n3 {muster} exec -- echo started", env={"SLURM_HOSTFILE": "hosts"})
    assert result.code == 1
    assert "started" not in result.out
    assert len([line for line in result.complaints if "SLURM_ARBITRARY_NODELIST is not set; export it" in line]) == 3


def test_a_step_on_a_part_of_its_job_meets_on_its_own_first_node(cluster: Cluster, muster: str) -> None:
    probe = cluster.new_probe()
    result = cluster.run(f"salloc -N3 -n3 srun -N2 -n2 -r1 {muster} exec -- {probe}")
    assert result.code == 0, result.err
    assert [(task.host, task["RANK"], task["MASTER_ADDR"]) for task in probe.tasks()] == [
        ("node2", "0", cluster.address("node2")), ("node3", "1", cluster.address("node2"))]


def test_a_heterogeneous_step_is_one_training(cluster: Cluster, muster: str) -> None:
    probe = cluster.new_probe()
    program = f"{muster} exec -- {probe}"
    result = cluster.srun(f"-N1 -n2 {program} : -N1 -n1 {program}")
    assert result.code == 0, result.err
    tasks = probe.tasks()
    assert [(task["RANK"], task["LOCAL_RANK"], task["WORLD_SIZE"]) for task in tasks] == [
        ("0", "0", "3"), ("1", "1", "3"), ("2", "0", "3")]
    assert len({(task["MASTER_ADDR"], task["MASTER_PORT"]) for task in tasks}) == 1


def test_tasks_of_a_node_have_disjoint_cpus(cluster: Cluster, muster: str) -> None:
    first, second = with_exec(cluster, muster, "-N1 -n2")
    assert first.cpus
    assert second.cpus
    assert not set(first.cpus) & set(second.cpus)


def test_a_binding_that_the_user_chose_is_kept(cluster: Cluster, muster: str) -> None:
    assert [task.cpus for task in with_exec(cluster, muster, "-N1 -n2 --cpu-bind=map_cpu:1,0")] == [[1], [0]]


def test_the_users_own_variables_win_and_who_a_task_is_does_not(cluster: Cluster, muster: str) -> None:
    own = {"MASTER_PORT": "23456", "OMP_NUM_THREADS": "7", "RANK": "99"}
    tasks = with_exec(cluster, muster, "-N2 -n2", env=own)
    assert [(task["MASTER_PORT"], task["OMP_NUM_THREADS"], task["RANK"]) for task in tasks] == [
        ("23456", "7", "0"), ("23456", "7", "1")]


@pytest.mark.parametrize("options", ["-N3 -n6", "-N2 -n3 -m cyclic", pytest.param("-n2 --mpi=pmix", marks=pytest.mark.pmix)])
def test_the_ranks_meet(cluster: Cluster, muster: str, options: str) -> None:
    result = cluster.srun(f"{options} {muster} exec --distributed=torch -- ./meet")
    assert result.code == 0, result.err
    assert all(re.fullmatch(r"rank \d of (\S+) met \1 at port \d+", line) for line in result.lines)


@pytest.fixture
def no_secret(cluster: Cluster) -> Iterator[None]:
    """alice has no secret yet, as before her first step."""
    state = cluster.home / ".local" / "state" / "muster"
    shutil.rmtree(state, ignore_errors=True)
    yield
    shutil.rmtree(state, ignore_errors=True)


@pytest.mark.usefixtures("no_secret")
def test_the_worker_library_has_a_port_and_a_key_on_every_node_that_only_this_step_has(
        cluster: Cluster, muster: str) -> None:
    steps = [with_exec(cluster, muster, "-N2 -n4") for _ in range(2)]
    keys = set()
    for tasks in steps:
        ((place, key),) = {(task["MUSTER_EXCHANGE"], task["MUSTER_EXCHANGE_KEY"]) for task in tasks}
        address, _, port = place.rpartition(":")
        assert address == tasks[0]["MASTER_ADDR"] == cluster.address("node1")
        assert int(port) not in {0, tasks[0].number("MASTER_PORT")}
        assert re.fullmatch(r"[0-9a-f]{64}", key)
        keys.add(key)
    assert len(keys) == 2
    secret = cluster.home / ".local" / "state" / "muster" / "secret"
    assert (secret.stat().st_size, secret.stat().st_mode & 0o7777) == (32, 0o600)
    assert secret.stat().st_uid == cluster.home.stat().st_uid
    assert [file.name for file in secret.parent.iterdir()] == ["secret"]


@pytest.mark.usefixtures("no_secret")
def test_the_worker_librarys_ranks_meet_there(cluster: Cluster, muster: str) -> None:
    cluster.give("alice", COMPILED / "many_phases")
    library = next(cluster.prefix.rglob("libmuster.so.0")).parent
    env = {"LD_LIBRARY_PATH": str(library), "MUSTER_TRANSPORT": "tcp"}
    result = cluster.srun(f"--mpi=none -N2 -n4 {muster} exec -- ./many_phases 3 slurm", env=env, timeout=60)
    assert result.code == 0, result.err
    assert result.complaints == []


def test_without_a_secret_one_line_says_why_and_the_step_goes_on(cluster: Cluster, muster: str) -> None:
    probe = cluster.new_probe()
    result = cluster.srun(f"-N2 -n4 {muster} exec -- {probe}", env={"MUSTER_SECRET_FILE": "/proc/secret"})
    assert result.code == 0, result.err
    (line,) = result.complaints
    assert line.startswith("muster: warning: node1: no key for the exchange between the ranks: /proc/secret: ")
    for task in probe.tasks():
        assert task["MUSTER_EXCHANGE"]
        assert "MUSTER_EXCHANGE_KEY" not in task.environment


def test_a_place_of_the_users_own_is_kept(cluster: Cluster, muster: str) -> None:
    (task,) = with_exec(cluster, muster, "-n1", env={"MUSTER_EXCHANGE": "10.9.9.9:1234"})
    assert task["MUSTER_EXCHANGE"] == "10.9.9.9:1234"
    assert "MUSTER_EXCHANGE_KEY" not in task.environment


def test_one_value_asks_for_it_also_by_the_environment(cluster: Cluster, muster: str) -> None:
    off = cluster.srun(f"-n1 {muster} exec -- printenv RANK", env={"MUSTER_DISTRIBUTED": "off"})
    assert (off.code, off.out) == (1, "")
    (none,) = cluster.probe(f"-n1 {muster} exec --", env={"MUSTER_DISTRIBUTED": "none"})
    assert none["MUSTER_SET"] == ""


def test_exit_codes_and_signals_are_the_programs(cluster: Cluster, muster: str) -> None:
    assert cluster.srun(f"-n2 {muster} exec -- bash -c 'exit 7'").code == 7
    assert cluster.srun(f"-n1 {muster} exec -- bash -c 'kill -TERM $$'").code == 143


def test_a_program_that_is_missing_is_one_line_of_each_node(cluster: Cluster, muster: str) -> None:
    result = cluster.srun(f"-N1 -n2 {muster} exec -- ./absent")
    assert result.code == 127
    assert result.complaints == [
        "muster: error: node1: cannot start ./absent: No such file or directory; check that the path is right "
        "and the file is executable"]


def test_a_wrong_word_is_one_line_of_each_node(cluster: Cluster, muster: str) -> None:
    result = cluster.srun(f"-N1 -n2 {muster} exec --distributed=torhc -- ./meet")
    assert result.code == 1
    (line,) = result.complaints
    assert "did you mean 'torch'?" in line


@pytest.mark.parametrize("absent", [0, 1])
def test_a_task_that_never_comes_is_named(cluster: Cluster, muster: str, absent: int) -> None:
    config = cluster.site_file("hurry.yaml", "gather_timeout: 2\n")
    cluster.write("two.conf", f"{absent} sleep 20\n{1 - absent} {muster} exec --config {config} -- ./meet\n")
    result = cluster.srun("-N1 -n2 -K1 --multi-prog two.conf")
    assert result.code != 0
    assert result.seconds < 15
    assert result.complaints == [
        f"muster: error: task {absent} on node1 did not arrive within 2 s (gather_timeout); muster exec must be "
        f"started in every task of the step"]


def test_a_port_that_is_taken_is_told_with_its_owner_before_any_program_of_the_node(
        cluster: Cluster, muster: str) -> None:
    server = "python3 -c 'import socket,sys; s=socket.create_server((\"\", 31777)); print(1, flush=True); sys.stdin.read()'"
    holder = cluster.start(f"srun --overlap -w node1 -n1 {server}", stdin=-1)
    holder.await_output("1")
    result = cluster.srun(f"--overlap -w node1 -n2 -O {muster} exec --distributed=torch,port=31777 -- echo started")
    holder.close_input()
    assert result.code == 1
    assert "started" not in result.out
    (line,) = result.complaints
    assert re.search(r"port 31777 \(port=\) on node1 is taken by pid \d+ \(alice\)", line)


def test_dry_run_shows_the_nodes_part_and_starts_nothing(cluster: Cluster, muster: str) -> None:
    result = cluster.srun(f"-N1 -n2 {muster} exec --distributed=torch,dry-run -- echo started")
    assert result.code == 0, result.err
    assert "profile torch: 2 ranks on 1 node" in result.out
    assert "started" not in result.out


def test_explain_shows_it_before_the_program_runs(cluster: Cluster, muster: str) -> None:
    result = cluster.srun(f"-N1 -n2 {muster} exec --distributed=torch,explain -- echo started")
    assert result.lines == ["started", "started"]
    assert "profile torch: 2 ranks on 1 node" in result.err


def test_an_installation_of_the_users_own_is_good_enough(cluster: Cluster, muster: str) -> None:
    cluster.write("own/muster.yaml", "defaults:\n  port: 31444\n")
    (task,) = cluster.probe(f"-n1 {muster} exec --config own/muster.yaml --")
    assert task["MASTER_PORT"] == "31444"
    cluster.write("own/muster.yaml", "defaults:\n  port: 31444\n").chmod(0o666)
    refused = cluster.srun(f"-n1 {muster} exec --config own/muster.yaml -- true")
    assert refused.code == 1
    assert "its group or other users can write to it" in refused.err


def test_a_profile_with_a_port_for_every_task_is_refused_with_the_remedy(cluster: Cluster, muster: str) -> None:
    cluster.write(".config/muster/profiles/ports.yaml", 'environment: {PORT: "{task_port}"}')
    result = cluster.srun(f"-N1 -n2 {muster} exec --distributed=ports -- echo started")
    assert (result.code, result.out) == (1, "")
    (line,) = result.complaints
    assert "profile ports needs a port for every task" in line
    assert "start with srun --distributed=ports where the site has the plugin" in line


def test_outside_a_step_it_says_what_to_do(cluster: Cluster, muster: str) -> None:
    result = cluster.run(f"{muster} exec -- ./meet")
    assert result.code == 1
    assert result.complaints == [
        "muster: error: muster exec runs inside each task of a Slurm step, but this is not one (SLURM_STEP_ID is not set); "
        "start it with srun: srun [OPTION]... muster exec -- PROGRAM"]
    batch = cluster.sbatch(f"#!/bin/bash\n{muster} exec -- ./meet\n")
    assert batch.code == 1
    assert "this is a batch script or a shell of the job (" in batch.out


def test_it_steps_aside_where_the_plugin_has_planned_the_step(cluster: Cluster, muster: str) -> None:
    with cluster.plugstack("optional"):
        probe = cluster.new_probe()
        result = cluster.srun(f"--distributed=torch -N1 -n2 {muster} exec --distributed=torch,verbose -- {probe}")
    assert result.code == 0, result.err
    assert "muster: this step has already been planned: exec only starts the program" in result.complaints
    assert all(task["TORCHELASTIC_ERROR_FILE"] for task in probe.tasks())


def test_a_step_inside_a_planned_task_is_planned_anew(cluster: Cluster, muster: str) -> None:
    probe = cluster.new_probe()
    inner = f"srun --overlap -N2 -n2 {muster} exec -- {probe}"
    result = cluster.run(f"salloc -N2 -n2 srun -N1 -n1 {muster} exec -- {inner}")
    assert result.code == 0, result.err
    tasks = probe.tasks()
    assert [task["RANK"] for task in tasks] == ["0", "1"]
    assert {task["TORCHELASTIC_RUN_ID"] for task in tasks} == {
        f"{tasks[0]['SLURM_JOB_ID']}.{tasks[0]['SLURM_STEP_ID']}"}
