"""explain, dry-run and `muster plan`: the tasks get the plan that is shown."""

import json
import os
import pty
import subprocess

import pytest
from cluster import SCRIPT, Cluster, Task

# Variables that only a real step knows.
LIVE_ONLY = {"MASTER_ADDR", "MASTER_PORT", "GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME", "TORCHELASTIC_RUN_ID",
             "TORCHELASTIC_ERROR_FILE", "NCCL_RAS_ADDR", "VLLM_HOST_IP"}


def muster(cluster: Cluster) -> str:
    return str(cluster.prefix / "bin" / "muster")


def live_plan(cluster: Cluster, srun: str, option: str = "torch", **more) -> dict:
    result = cluster.run(f"{muster(cluster)} plan --distributed={option} --json -- {srun}", **more)
    assert result.code == 0, result.err
    return json.loads(result.out)


def variables(rank: dict) -> dict[str, str]:
    return {name: variable["value"] for name, variable in rank["env"].items()}


def test_a_dry_run_shows_the_plan_on_stdout_and_starts_nothing(cluster: Cluster) -> None:
    file = cluster.home / "started"
    result = cluster.srun("--distributed=torch,dry-run -N3 -n6 touch started")
    assert result.code == 0, result.err
    assert result.out.startswith("profile torch: 6 ranks on 3 nodes, rendezvous at ")
    assert not file.exists()
    assert result.complaints == []


def test_explain_shows_the_plan_on_stderr_before_the_program_prints(cluster: Cluster) -> None:
    result = cluster.srun("--distributed=torch,explain -N3 -n6 bash -c 'echo started >&2'")
    assert result.code == 0
    lines = result.err.splitlines()
    assert lines[0].startswith("profile torch: 6 ranks on 3 nodes")
    assert lines.count("started") == 6
    assert lines.index("started") > max(i for i, line in enumerate(lines) if line.startswith("  RANK"))
    assert result.out == ""


@pytest.mark.parametrize("options", ["-N3 -n6", "-N3 -n6 --distribution=cyclic", "-N3 -n5", "-n1"])
def test_the_plan_that_is_shown_is_what_the_tasks_get(cluster: Cluster, options: str) -> None:
    plan = live_plan(cluster, options)
    assert plan["version"] == 1
    tasks = cluster.probe(f"--distributed=torch {options}")
    assert [rank["procid"] for rank in plan["ranks"]] == list(range(len(tasks)))
    for rank, task in zip(plan["ranks"], tasks, strict=True):
        check_rank(rank, task)
    assert plan["master"]["addr"] == tasks[0]["MASTER_ADDR"]
    assert plan["master"]["node"] == tasks[0].host


def check_rank(rank: dict, task: Task) -> None:
    assert rank["node"] == task.host
    assert str(rank["local_rank"]) == task["LOCAL_RANK"]
    assert rank["cpus"] in ("", listed(task.cpus))
    different = {"MASTER_PORT", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_ERROR_FILE", "NCCL_RAS_ADDR"}  # per step
    different.add("PYTHONPATH")  # which the start hook restores
    for name, value in variables(rank).items():
        assert name in different or task[name] == value
    assert {*task["MUSTER_SET"].split(), "PYTHONPATH"} == set(rank["env"])


def listed(cpus: list[int]) -> str:
    """[0, 1, 2, 5] -> 0-2,5"""
    spans: list[list[int]] = []
    for cpu in cpus:
        if spans and spans[-1][-1] == cpu - 1:
            spans[-1].append(cpu)
        else:
            spans.append([cpu])
    return ",".join(str(span[0]) if len(span) == 1 else f"{span[0]}-{span[-1]}" for span in spans)


@pytest.mark.parametrize(("srun", "words"), [
    ("-N3 -n6", "--layout node[1-3]:2"),
    ("-N3 -n6 --distribution=cyclic", "--layout node[1-3]:2 --distribution=cyclic"),
    ("-N3 -n6 --distribution=plane=2", "--layout node[1-3]:2 --distribution=plane=2"),
    ("-N1 -n2 -w node2", "--layout node2:2"),
])
def test_offline_equals_live(cluster: Cluster, srun: str, words: str) -> None:
    live = live_plan(cluster, srun)
    # The same machine's topology, given to a muster that does not ask Slurm.
    result = cluster.run(f"{muster(cluster)} plan --distributed=torch --json {words}")
    assert result.code == 0, result.err
    offline = json.loads(result.out)
    for here, there in zip(offline["ranks"], live["ranks"], strict=True):
        kept = {name: value for name, value in there["env"].items() if name not in LIVE_ONLY}
        assert {name: value for name, value in here["env"].items() if name not in LIVE_ONLY} == kept
        for field in ("rank", "procid", "local_rank", "node_rank", "node", "cpus", "numa", "gpus", "nics"):
            assert here[field] == there[field], field


def test_origins_tell_why(cluster: Cluster) -> None:
    plan = live_plan(cluster, "-n1", "torch,port=31313", env={"OMP_NUM_THREADS": "3"})
    origins = {name: variable["origin"] for name, variable in plan["ranks"][0]["env"].items()}
    assert origins["RANK"] == "slurm"
    assert origins["MASTER_ADDR"] == "rendezvous"
    assert origins["MASTER_PORT"] == "option"
    assert origins["OMP_NUM_THREADS"] == "user"
    assert origins["PYTHONUNBUFFERED"] == "profile"
    assert origins["TORCHELASTIC_MAX_RESTARTS"] == "default"


def test_inside_an_allocation_the_plan_is_of_that(cluster: Cluster) -> None:
    result = cluster.run(f"salloc -N2 -n4 {muster(cluster)} plan --distributed=torch")
    assert result.code == 0, result.err
    assert "4 ranks on 2 nodes" in result.out


def test_inside_a_step_that_holds_the_allocation_the_plan_does_not_wait_for_it(cluster: Cluster) -> None:
    result = cluster.run(f"salloc -N2 -n4 srun -n1 {muster(cluster)} plan --distributed=torch --json -- -N2 -n4")
    assert result.code == 0, result.err
    assert len(json.loads(result.out)["ranks"]) == 4


def test_outside_an_allocation_a_plan_without_a_layout_says_what_to_give(cluster: Cluster) -> None:
    result = cluster.run(f"{muster(cluster)} plan")
    assert result.code == 1
    assert "--layout=HOSTLIST:TASKS" in result.complaints[0]


@pytest.mark.parametrize(("words", "node", "ranks"), [("", "node1", "ranks 0-1 of 6"),
                                                      ("--node node3", "node3", "ranks 4-5 of 6")])
def test_a_node_is_drawn_with_its_ranks(cluster: Cluster, words: str, node: str, ranks: str) -> None:
    file = cluster.home / "plan.svg"
    result = cluster.run(f"{muster(cluster)} plan --distributed=torch --svg plan.svg {words} -- -N3 -n6")
    assert result.code == 0, result.err
    assert "6 ranks on 3 nodes" in result.out
    svg = file.read_text()
    assert f">{node}: profile torch, {ranks}</text>" in svg
    assert svg.count("class='legend'") == 2
    first = int(ranks.split()[1].split("-")[0])
    assert f">r{first} 0" in svg and f">r{first + 1} 1" in svg
    file.unlink()


def test_a_picture_goes_to_a_pipe_alone(cluster: Cluster) -> None:
    for words in ("--layout node[1-4]:2", "-- -N1 -n2"):
        result = cluster.run(f"{muster(cluster)} plan --svg - {words}")
        assert result.code == 0, result.err
        assert result.out.startswith("<?xml")
        assert result.out.endswith("</svg>\n")


@pytest.mark.parametrize(("words", "said"), [
    ("--svg /no/such/file.svg --layout node1:2", "cannot write the picture"),
    ("--svg /dev/null --layout node1:2", "cannot write the picture"),
    ("--svg plan.svg --node node9 --layout node1:2", "the plan has no node"),
    ("--svg plan.svg --node node9 -- -N1 -n2", "the plan has no node"),
    ("--node node1 --layout node1:2", "add --svg=FILE"),
])
def test_a_picture_that_cannot_be_made_is_one_line(cluster: Cluster, words: str, said: str) -> None:
    result = cluster.run(f"{muster(cluster)} plan {words}")
    assert result.code == 1
    assert result.out == ""
    assert len(result.complaints) == 1, result.err
    assert said in result.complaints[0]
    assert not (cluster.home / "plan.svg").exists()


def test_without_lstopo_the_package_is_named(cluster: Cluster) -> None:
    result = cluster.run(f"{muster(cluster)} plan --svg plan.svg --layout node1:2", env={"PATH": "/nowhere"})
    assert result.code == 1
    assert "hwloc-nox" in result.complaints[0]


def test_a_plan_that_cannot_be_made_is_an_error_of_one_line(cluster: Cluster) -> None:
    result = cluster.srun("--distributed=torch,dry-run,network=nosuch0 -N2 -n2 true")
    assert result.code != 0
    assert result.out == ""
    assert len(result.complaints) == 1, result.err


def test_a_plan_that_nobody_would_show_is_an_error_before_anything_is_allocated(cluster: Cluster) -> None:
    before = cluster.jobs()
    result = cluster.srun("--distributed=torch,explain,supervise=off -n1 true")
    assert result.code == 1
    assert "needs the supervisor" in result.complaints[0]
    assert cluster.jobs() <= before


def test_nodes_without_the_plugin_make_a_dry_run_fail(cluster: Cluster) -> None:
    with cluster.plugstack("none"):
        result = cluster.run(f"{muster(cluster)} supervise --distributed=torch,dry-run -- srun -n1 true")
    assert result.code == 1
    assert "the nodes sent no plan" in result.complaints[-1]


@pytest.mark.parametrize(("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_the_table_is_coloured_on_a_terminal_unless_its_user_wants_none(cluster: Cluster, environment: dict,
                                                                        coloured: bool) -> None:
    master, slave = pty.openpty()
    env = [f"--env={name}={value}" for name, value in {"TERM": "xterm", **environment}.items()]
    words = [SCRIPT, "--name", cluster.name, "exec", *env, "--", muster(cluster), "plan", "--layout", "node1:1"]
    subprocess.run(words, stdout=slave, stdin=subprocess.DEVNULL, timeout=20, check=True)
    os.close(slave)
    assert (b"\033[" in os.read(master, 1 << 16)) == coloured
    os.close(master)
