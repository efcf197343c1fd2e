"""A mistake produces one line that says what is wrong, why, and what to do; nothing is allocated and nothing hangs."""

import signal
from pathlib import Path

import pytest
from cluster import Cluster
from command import Result


def check_refused(cluster: Cluster, result: Result, before: set[str], *words: str) -> None:
    """Refused with one line, before anything was allocated."""
    assert result.code != 0
    assert len(result.err.splitlines()) == 1, result.err
    assert len(result.complaints) == 1
    for word in words:
        assert word in result.complaints[0]
    assert result.out == ""
    assert cluster.jobs() <= before


@pytest.mark.parametrize(("value", "words"), [
    ("torhc", ["torhc", "torch"]),
    ("torch,prot=29500", ["prot", "port"]),
    ("torch,bind=non", ["non", "none"]),
    ("torch,supervise=maybe", ["maybe", "on"]),
    ("torch,verbos", ["verbos", "verbose"]),
    ("torch,port=80", ["80", "1024"]),
    ("torch,port=5000-4000", ["5000-4000"]),
    ("torch,port=70000", ["70000"]),
    ("torch,port=", ["port"]),
    ("torch,restarts=-1", ["restarts=-1", "0 to 1000"]),
    ("torch,norestart=0", ["norestart=0", "1 to 255"]),
    ("torch,nodes=4:2", ["nodes=4:2", "2:4"]),
    ("torch,spares=many", ["spares=many", "0 to 1000"]),
    ("torch,restarts=3,supervise=off", ["restarts", "supervise=off"]),
    ("torch,,", ["torch,,"]),
    ("../../etc/passwd", ["profile"]),
])
def test_a_wrong_word_is_refused_before_anything_is_allocated(cluster: Cluster, value: str, words: list[str]) -> None:
    before = cluster.jobs()
    check_refused(cluster, cluster.srun(f"--distributed={value} -N3 -n6 true"), before, *words)


def test_a_wrong_word_in_the_environment_is_refused_by_the_variables_name(cluster: Cluster) -> None:
    before = cluster.jobs()
    result = cluster.srun("-n1 true", env={"MUSTER_DISTRIBUTED": "torhc"})
    check_refused(cluster, result, before, "torhc", "torch")


def test_a_program_that_is_not_there_is_refused(cluster: Cluster) -> None:
    before = cluster.jobs()
    check_refused(cluster, cluster.srun("--distributed=torch -N3 -n6 ./nosuch"), before, "./nosuch")


def test_a_program_that_is_on_no_nodes_path_ends_the_step_by_one_line(cluster: Cluster) -> None:
    result = cluster.srun("--distributed=torch -N3 -n6 nosuch")
    assert result.code != 0
    assert len(result.complaints) == 1, result.err
    assert "nosuch" in result.complaints[0]


def test_a_network_that_no_node_has_ends_the_step_by_one_line(cluster: Cluster) -> None:
    result = cluster.srun("--distributed=torch,network=ib* -N3 -n6 true", timeout=20)
    assert result.code != 0
    assert len(result.complaints) == 1, result.err
    assert "network=ib*" in result.complaints[0]
    assert "eth0" in result.complaints[0]


def test_a_master_port_that_is_none_is_named(cluster: Cluster) -> None:
    for port in ("80", "abc"):
        result = cluster.srun("--distributed=torch -n1 true", env={"MASTER_PORT": port})
        assert result.code != 0
        assert len(result.complaints) == 1, result.err
        assert "MASTER_PORT" in result.complaints[0]


def test_a_port_that_is_taken_is_named_with_its_owner(cluster: Cluster) -> None:
    listen = "import socket as s; l = s.create_server((str(), 31999)); print(1, flush=True); l.accept()"
    owner = cluster.start(f"srun -w node1 -n1 python3 -c '{listen}'", user="bob")
    owner.await_output("1")
    result = cluster.srun("--distributed=torch,port=31999 -w node1 -n1 true")
    owner.signal(signal.SIGTERM)
    owner.wait()
    assert result.code != 0
    assert len(result.complaints) == 1, result.err
    for word in ("31999", "node1", "bob"):
        assert word in result.complaints[0]


@pytest.mark.parametrize("text", ["environment: [", "mode: nosuch\n", "environment:\n  RANK: '{rnak}'\n", "\0\1\2"])
def test_a_broken_profile_of_the_site_is_refused_by_its_file(cluster: Cluster, text: str) -> None:
    broken = cluster.site_file("profiles/broken.yaml", text)
    config = cluster.site_file("muster.yaml", f"profiles: [{broken.parent}]\n")
    before = cluster.jobs()
    with cluster.plugstack("optional", config=config):
        check_refused(cluster, cluster.srun("--distributed=broken -n1 true"), before, "broken.yaml")


@pytest.mark.parametrize("text", ["port_range: 80-90\n", "port_range: 9000-8000\n", "prot_range: 1\n", "defaults: [\n"])
def test_a_broken_site_file_is_refused_by_its_name(cluster: Cluster, text: str) -> None:
    config = cluster.site_file("broken-site.yaml", text)
    before = cluster.jobs()
    with cluster.plugstack("optional", config=config):
        check_refused(cluster, cluster.srun("--distributed=torch -n1 true"), before, "broken-site.yaml")


def test_a_users_broken_file_is_refused_by_its_name(cluster: Cluster) -> None:
    file = cluster.write(".config/muster/config.yaml", "defaults:\n  prot: 1\n")
    before = cluster.jobs()
    try:
        check_refused(cluster, cluster.srun("--distributed=torch -n1 true"), before, "config.yaml", "port")
    finally:
        file.unlink()


def test_what_the_site_forbids_is_refused(cluster: Cluster) -> None:
    config = cluster.site_file("policy.yaml", "policy:\n  forbid: [port]\n")
    before = cluster.jobs()
    with cluster.plugstack("optional", config=config):
        check_refused(cluster, cluster.srun("--distributed=torch,port=4000 -n1 true"), before, "port", "policy.yaml")


@pytest.mark.parametrize("arguments", ["", "nosuch", "agent", "check --distributed=torhc", "supervise"])
def test_muster_by_hand_says_one_line(cluster: Cluster, arguments: str) -> None:
    result = cluster.run(f"muster {arguments}")
    assert result.code != 0
    assert result.out == ""
    assert len(result.err.splitlines()) == 1, result.err
    assert result.err.startswith("muster: error: ")


def test_the_word_error_is_in_colour_on_a_terminal_that_wants_it(cluster: Cluster) -> None:
    line = "srun --distributed=torhc -n1 true"
    coloured = cluster.terminal(line, env={"TERM": "xterm"})
    assert coloured.wait() != 0
    assert coloured.shown.startswith("muster: \x1b[1;31merror:\x1b[0m "), coloured.shown
    for plain in ({"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}):
        terminal = cluster.terminal(line, env=plain)
        assert terminal.wait() != 0
        assert terminal.shown.startswith("muster: error: ") and "\x1b" not in terminal.shown


def test_fewer_tasks_than_nodes_run_on_as_many_nodes(cluster: Cluster) -> None:
    tasks = cluster.probe("--distributed=torch -N3 -n2")
    assert [task["GROUP_WORLD_SIZE"] for task in tasks] == ["2", "2"]


def test_a_bad_argument_in_plugstack_hurts_only_those_who_use_muster(cluster: Cluster) -> None:
    with cluster.plugstack("required", timeout=99999):
        assert cluster.srun("-n1 true").code == 0
        result = cluster.srun("--distributed=torch -n1 true")
    assert result.code != 0
    assert "timeout" in result.complaints[0]


def test_a_muster_that_is_not_installed_fails_before_anything_is_allocated(cluster: Cluster) -> None:
    before = cluster.jobs()
    with cluster.plugstack("optional", muster=Path("/nosuch/muster")):
        check_refused(cluster, cluster.srun("--distributed=torch -n1 true"), before, "/nosuch/muster")
        assert cluster.srun("-n1 true").code == 0
