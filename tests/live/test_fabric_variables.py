"""Variables from the site's file, by partition and by fabric: the user's variables and NCCL's own files take precedence
over them, and they take precedence over the profile's."""

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cluster import Cluster

RULES = """variables:
  - partition: "*"
    set: {SITE_ONE: one, NCCL_PROTO: Simple}
  - partition: none-of-this-name
    set: {SITE_NEVER: x}
  - fabric: slingshot
    set: {SITE_FABRIC: slingshot}
  - fabric: ethernet
    set: {SITE_FABRIC: ethernet}
"""
@pytest.fixture
def configured(cluster: Cluster) -> Iterator[Callable]:
    """configured(TEXT): replaces the site's file from now on."""
    with contextlib.ExitStack() as stack:
        def use(text: str) -> Path:
            config = cluster.site_file("variables.yaml", text)
            stack.enter_context(cluster.plugstack("optional", config=config))
            return config
        yield use


@contextlib.contextmanager
def slingshot(cluster: Cluster, node: str) -> Iterator[None]:
    """Root makes the node appear to have a Slingshot device. Users cannot: the agent reads only /sys."""
    made_up = cluster.state / "etc" / "site" / "class"
    (made_up / "cxi" / "cxi0").mkdir(parents=True, exist_ok=True)
    with cluster.covered(node, Path("/sys/class"), made_up):
        yield


def site_variables(task) -> dict[str, str]:
    names = ("SITE_ONE", "NCCL_PROTO", "SITE_NEVER", "SITE_FABRIC")
    return {name: task[name] for name in names if name in task.environment}


def test_rules_hold_by_partition_and_by_fabric(cluster: Cluster, configured) -> None:
    configured(RULES)
    for task in cluster.probe("--distributed=torch -N2 -n2"):
        assert site_variables(task) == {"SITE_ONE": "one", "NCCL_PROTO": "Simple", "SITE_FABRIC": "ethernet"}


def test_each_node_has_the_variables_of_its_own_fabric(cluster: Cluster, configured) -> None:
    configured(RULES)
    with slingshot(cluster, "node2"):
        tasks = cluster.probe("--distributed=torch -w node[1-2] -N2 -n2")
    assert [task["SITE_FABRIC"] for task in tasks] == ["ethernet", "slingshot"]


def test_a_users_export_wins(cluster: Cluster, configured) -> None:
    configured(RULES)
    (task,) = cluster.probe("--distributed=torch -N1 -n1", env={"NCCL_PROTO": "LL", "SITE_FABRIC": ""})
    assert site_variables(task) == {"SITE_ONE": "one", "NCCL_PROTO": "LL", "SITE_FABRIC": ""}


def test_no_variable_of_a_users_makes_another_fabric(cluster: Cluster, configured) -> None:
    configured(RULES)
    own = {name: "slingshot" for name in ("MUSTER_FABRIC", "FABRIC")} | {"MUSTER_ROOT": "/home/alice"}
    (task,) = cluster.probe("--distributed=torch -N1 -n1", env=own)
    assert task["SITE_FABRIC"] == "ethernet"


def test_nccls_own_files_win(cluster: Cluster, configured) -> None:
    configured(RULES)
    conf = cluster.site_file("nccl.conf", "# of the site\nNCCL_PROTO=LL128\nNCCL_SOCKET_IFNAME=eth9\n")
    cluster.node("node1", "touch /etc/nccl.conf")
    try:
        with cluster.covered("node1", Path("/etc/nccl.conf"), conf):
            (task,) = cluster.probe("--distributed=torch -w node1 -N1 -n1")
    finally:
        cluster.node("node1", "rm -f /etc/nccl.conf")
    assert "NCCL_PROTO" not in task.environment
    assert "NCCL_SOCKET_IFNAME" not in task.environment
    assert task["SITE_ONE"] == "one"
    cluster.write("nccl-own.conf", "NCCL_PROTO=LL\n")
    (task,) = cluster.probe("--distributed=torch -N1 -n1", env={"NCCL_CONF_FILE": "/home/alice/nccl-own.conf"})
    assert "NCCL_PROTO" not in task.environment


def test_exec_gives_the_same_without_the_plugin(cluster: Cluster, configured) -> None:
    config = configured(RULES)
    with cluster.plugstack("none"):
        (task,) = cluster.probe(f"-N1 -n1 {cluster.prefix}/bin/muster exec --config={config} --distributed=torch --",
                                env={"NCCL_PROTO": "LL"})
    assert site_variables(task) == {"SITE_ONE": "one", "NCCL_PROTO": "LL", "SITE_FABRIC": "ethernet"}


def test_explain_names_the_place_of_each_value(cluster: Cluster, configured) -> None:
    configured(RULES)
    result = cluster.srun("--distributed=torch,explain -N1 -n1 true", env={"SITE_ONE": "mine"})
    assert result.code == 0, result.err
    rows = {words[0]: words[1:] for words in map(str.split, result.err.splitlines()) if words}
    assert rows["SITE_ONE"] == ["user", "mine"]
    assert rows["SITE_FABRIC"][:2] == ["site", "ethernet"]
    assert rows["SITE_FABRIC"][2].endswith("variables.yaml:9:11)")


def test_plan_as_json_has_the_place_too(cluster: Cluster, configured) -> None:
    config = configured(RULES)
    result = cluster.shell(f"salloc -Q -N1 -n1 {cluster.prefix}/bin/muster plan --json --config={config} 2>&1")
    assert result.code == 0, result.out
    variable = json.loads(result.out)["ranks"][0]["env"]["NCCL_PROTO"]
    assert variable["origin"] == "site" and variable["where"].endswith("variables.yaml:3:26")


def test_the_lint_speaks_once_and_only_when_asked(cluster: Cluster, configured) -> None:
    configured("variables:\n  - set: {NCCL_IB_RETRY_CNT: 15, NCCL_SHM_DISABLE: 1}\n")
    assert cluster.srun("--distributed=torch -N1 -n1 true").complaints == []
    complaints = cluster.srun("--distributed=torch,verbose -N2 -n2 true").complaints
    (line,) = [line for line in complaints if "NCCL_IB_RETRY_CNT=15" in line]
    assert "variables.yaml:2:11): the field has three bits" in line and line.endswith("(1 more: muster doctor)")


# --- scripts

def script(cluster: Cluster, text: str) -> Path:
    return cluster.site_file("profile.sh", text)


def rule_of(file: Path) -> str:
    return f"variables:\n  - script: {file}\n    set: {{SITE_ONE: one}}\n"


def test_a_script_gives_what_it_exports(cluster: Cluster, configured) -> None:
    file = script(cluster, "echo noise; export FROM_SCRIPT=\"two words\" LD_PRELOAD=/x.so RANK=7 PATH=/none\n"
                           "GIVEN=$SITE_ONE; export GIVEN SECRET_SEEN=$SECRET\n")
    configured(rule_of(file))
    (task,) = cluster.probe("--distributed=torch -N1 -n1", env={"SECRET": "x"})
    assert (task["FROM_SCRIPT"], task["GIVEN"], task["SECRET_SEEN"]) == ("two words", "one", "")
    assert task["RANK"] == "0" and "LD_PRELOAD" not in task.environment and task["PATH"] != "/none"


def test_a_script_runs_once_on_a_node(cluster: Cluster, configured) -> None:
    configured(rule_of(script(cluster, "echo run >> /home/alice/runs; export A=1\n")))
    for _ in range(3):
        (task,) = cluster.probe("--distributed=torch -w node1 -N1 -n1")
        assert task["A"] == "1"
    assert (cluster.home / "runs").read_text() == "run\n"
    script(cluster, "export A=changed # by the site\n")
    (task,) = cluster.probe("--distributed=torch -w node1 -N1 -n1")
    assert task["A"] == "changed"


@pytest.mark.parametrize(("text", "why"), [
    ("exit 3\n", "exits the shell, or is not a bash script"),
    ("sleep 765432 & sleep 765432\n", "did not finish within 5 s"),
    ("head -c 200000 /dev/zero | tr '\\0' a; export A=$(head -c 100000 /dev/zero | tr '\\0' a)\n",
     "exports more than 65536 bytes"),
])
def test_a_script_that_fails_is_one_line_and_the_job_runs(cluster: Cluster, configured, text: str, why: str) -> None:
    config = configured(rule_of(script(cluster, text)))
    probe = cluster.new_probe()
    result = cluster.srun(f"--distributed=torch -N2 -n2 {probe}")
    assert result.code == 0, result.err
    assert [task["SITE_ONE"] for task in probe.tasks()] == ["one", "one"]
    (line,) = result.complaints
    assert why in line and config.name in line and "start without the script's variables" in line
    assert cluster.run("pgrep -f sleep.765432", user="root").out == ""


def test_a_script_that_others_can_write_is_not_run(cluster: Cluster, configured) -> None:
    file = script(cluster, "export A=1\n")
    file.chmod(0o666)
    configured(rule_of(file))
    probe = cluster.new_probe()
    result = cluster.srun(f"--distributed=torch -N1 -n1 {probe}")
    assert result.code == 0
    (task,) = probe.tasks()
    assert "A" not in task.environment
    (line,) = result.complaints
    assert "profile.sh" in line and "write" in line


def test_a_script_may_print_garbage(cluster: Cluster, configured) -> None:
    configured(rule_of(script(cluster, "head -c 300000 /dev/urandom; echo A=2; export A=1; env() { echo B=1; }\n")))
    result = cluster.srun("--distributed=torch -N1 -n1 bash -c 'echo $A$B'")
    assert (result.lines, result.complaints) == (["1"], [])


# --- wrong files, samples, doctor

@pytest.mark.parametrize(("rule", "why"), [
    ("set: {RANK: 1}", "'RANK' cannot be set by a variable rule: it differs from rank to rank"),
    ("set: {LD_PRELOAD: x}", "'LD_PRELOAD' cannot be set by a variable rule: it decides which code programs load"),
    ("{fabric: slingshott, set: {A: 1}}", "did you mean 'slingshot'?"),
])
def test_a_wrong_rule_is_one_line_and_harms_no_other_job(cluster: Cluster, configured, rule: str, why: str) -> None:
    configured(f"variables:\n  - {rule}\n")
    result = cluster.srun("--distributed=torch -N1 -n1 echo ran")
    assert result.code != 0 and result.out == ""
    (line,) = result.complaints
    assert why in line and "variables.yaml:2:" in line
    assert cluster.srun("-N1 -n1 echo ran").lines == ["ran"]


def test_the_samples_are_installed_and_work_as_site_files(cluster: Cluster, configured) -> None:
    samples = sorted((cluster.prefix / "share" / "muster" / "samples").glob("*.yaml"))
    assert len(samples) == 9
    rules = "".join(file.read_text().split("variables:\n", 1)[1] for file in samples)
    configured("variables:\n" + rules)
    with slingshot(cluster, "node2"):
        ethernet, own = cluster.probe("--distributed=torch -w node[1-2] -N2 -n2")
    assert "NCCL_NET" not in ethernet.environment
    assert (own["NCCL_NET"], own["FI_MR_CACHE_MONITOR"]) == ("AWS Libfabric", "userfaultfd")


def test_doctor_names_what_is_obsolete_and_where_it_is_set(cluster: Cluster, configured) -> None:
    configured("variables:\n  - set: {NCCL_IB_RETRY_CNT: 15}\n")
    result = cluster.run(f"{cluster.prefix}/bin/muster doctor -- -N1", env={"NCCL_SHM_DISABLE": "1"})
    assert "NCCL_SHM_DISABLE=1 (environment)" in result.out
    assert "NCCL_IB_RETRY_CNT=15 (" in result.out and "variables.yaml:2:11)" in result.out
