"""The site's configuration in several files, and with rules for some jobs: users cannot evade the rules, and a broken
file harms no user who does not use muster."""

import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import releases
from cluster import Cluster
from command import Result
from own_cluster import own_cluster


@pytest.fixture
def site(cluster: Cluster) -> Iterator["Site"]:
    main = cluster.site_file("rules.yaml", "include: rules.d\n")
    main.parent.joinpath("rules.d").mkdir(exist_ok=True)
    with cluster.plugstack("optional", config=main):
        yield Site(cluster, main)
    for file in main.parent.joinpath("rules.d").iterdir():
        file.unlink()


class Site:
    def __init__(self, cluster: Cluster, main: Path) -> None:
        self.cluster, self.main = cluster, main

    def say(self, text: str, name: str = "10.yaml") -> None:
        file = self.main.parent / "rules.d" / name
        file.write_text(text)
        file.chmod(0o644)

    def srun(self, line: str, **more) -> Result:
        return self.cluster.srun(line, **more)


def affinity(result: Result) -> set[str]:
    assert result.code == 0, result.err
    return set(result.lines)


CPUS = "bash -c \"grep Cpus_allowed_list /proc/self/status\""


def test_a_broken_file_stops_only_steps_that_use_muster(site: Site) -> None:
    site.say("defaults:\n  bindd: none\n")
    plain = site.srun("-N1 -n1 echo started")
    assert (plain.code, plain.out, plain.complaints) == (0, "started\n", [])
    used = site.srun("--distributed=torch -N1 -n1 echo started")
    assert used.code != 0 and used.out == ""
    (line,) = used.complaints
    assert "rules.d/10.yaml:2:3: unknown key 'bindd'" in line and "did you mean 'bind'?" in line


def test_a_rule_for_the_default_partition_holds_before_there_is_a_job(site: Site) -> None:
    site.say("rules:\n  - partition: all\n    policy: {max: {restarts: 1}}\n")
    (line,) = site.srun("--distributed=torch,restarts=2 -N1 -n1 true").complaints
    assert "restarts=2: the site's policy allows at most 1" in line and "10.yaml:3:30" in line
    assert site.srun("--distributed=torch,restarts=1 -N1 -n1 true").code == 0


FORBIDDEN = "--distributed=torch,bind=none -N2 -n2 echo started"
FORGE = "export SLURM_JOB_PARTITION=other SLURM_JOB_ACCOUNT=other; "


def check_refused(result: Result, words: str = "bind=none: the site's policy on this node") -> None:
    assert result.code != 0 and result.out == ""
    assert any(words in line for line in result.complaints), result.err


def test_a_forged_environment_does_not_lift_a_rule_of_the_partition(site: Site) -> None:
    site.say("rules:\n  - partition: all\n    policy: {forbid: [bind=none]}\n")
    inner = shlex.quote(f"{FORGE} srun {FORBIDDEN}")
    check_refused(site.cluster.run(f"bash -c {inner}"), "bind=none: the site's policy forbids")
    check_refused(site.cluster.run(f"salloc -N2 bash -c {inner}"))


def test_a_forged_account_does_not_make_a_job_one_of_another_account(site: Site) -> None:
    """A rule that allows more to an account must not apply to every user who exports that account's name."""
    site.say("policy: {forbid: [bind=none], max: {restarts: 1}}\n"
             "rules:\n  - account: other\n    policy: {max: {restarts: 9}}\n")
    inner = f"{FORGE} srun --distributed=torch,restarts=5 -N1 -n1 echo started"
    result = site.cluster.run(f"salloc -N1 bash -c {shlex.quote(inner)}")
    assert result.out == ""
    assert any("restarts=5: the site's policy on this node allows at most 1" in line for line in result.complaints)


@pytest.mark.parametrize("key", ["kept", "zero"])
def test_an_srun_whose_words_are_changed_does_not_lift_a_rule(site: Site, key: str) -> None:
    """A user's own client may send any environment to the nodes. Without a key the agents cannot talk to each other, so
    each of them has to check for itself."""
    site.say("rules:\n  - partition: all\n    policy: {forbid: [bind=none]}\n")
    source = site.cluster.write("forge.c", FORGED_CLIENT)
    library = site.cluster.write("forge.so", "")
    compiled = subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], capture_output=True, text=True)
    assert compiled.returncode == 0, compiled.stderr
    library.chmod(0o755)
    log = site.cluster.write("forged", "")
    log.chmod(0o666)
    inner = shlex.quote(f"export LD_PRELOAD={library} FORGED_KEY={key} FORGED_LOG={log}; {FORGE} srun {FORBIDDEN}")
    result = site.cluster.run(f"salloc -N2 bash -c {inner}")
    assert log.read_text() == f"partition other, key {key}\n"
    check_refused(result)


def questions(cluster: Cluster) -> Counter[str]:
    """The requests to slurmctld, by kind."""
    found = re.findall(r"^\s*(REQUEST_\w+)\s.*?count:(\d+)", cluster.run("sdiag", user="root").out, re.MULTILINE)
    return Counter({kind: int(count) for kind, count in found})


def test_a_policy_by_partition_costs_two_questions_from_each_node(site: Site) -> None:
    """squeue requests the job, and the partitions, which it needs to sort its output."""
    asked = {}
    for what in ("defaults: {restarts: 0}", "policy: {forbid: [bind=none]}"):
        site.say(f"rules:\n  - partition: all\n    {what}\n")
        before = questions(site.cluster)
        assert site.srun("--distributed=torch -N3 -n3 true").code == 0
        asked[what.split()[0]] = questions(site.cluster) - before
    more = asked["policy:"] - asked["defaults:"]
    assert {kind: count for kind, count in more.items() if kind.endswith(("_INFO", "_SINGLE"))} == {
        "REQUEST_JOB_INFO_SINGLE": 3, "REQUEST_PARTITION_INFO": 3}


BY_PARTITION = "rules:\n  - partition: all\n    policy: {forbid: [bind=none]}\n"
OTHER_USER = 450


@contextlib.contextmanager
def owned_by_another_user(cluster: Cluster, program: str) -> Iterator[str]:
    """Gives that program on node1 to a user who is neither root nor alice. Yields its path."""
    path = Path(cluster.node("node1", f"command -v {program}").strip())
    copy = cluster.state / "etc" / "site" / program
    shutil.copy(path, copy)
    os.chown(copy, OTHER_USER, OTHER_USER)
    copy.chmod(0o775)
    with cluster.covered("node1", path, copy):
        yield str(path)


def test_a_squeue_that_others_could_replace_is_named(site: Site) -> None:
    site.say(BY_PARTITION)
    with owned_by_another_user(site.cluster, "squeue") as squeue:
        result = site.srun("--distributed=torch -w node1 -N1 -n1 echo started")
    assert result.code != 0 and result.out == ""
    (line,) = result.complaints
    assert f"{squeue} is not used, because {squeue} belongs to user {OTHER_USER}" in line
    assert "slurmctld" not in line


def test_a_policy_by_partition_works_where_slurm_belongs_to_another_user(site: Site) -> None:
    """As after `chown -R slurm:slurm /opt/slurm`: root runs slurmstepd from the same tree."""
    site.say(BY_PARTITION)
    with owned_by_another_user(site.cluster, "squeue"), owned_by_another_user(site.cluster, "slurmstepd"):
        result = site.srun("--distributed=torch -w node1 -N1 -n1 echo started")
    assert (result.code, result.out) == (0, "started\n"), result.err


LIMITED = """SlurmctldParameters=rl_enable,rl_bucket_size=8,rl_refill_rate=2
SlurmctldDebug=verbose
DebugFlags=AuditRPCs
"""


@pytest.mark.slow
@pytest.mark.skipif(releases.slurm() < (24, 5), reason="older slurmctlds limit no rate, or do not log each question")
def test_nodes_whose_questions_slurmctld_puts_off_ask_again() -> None:
    with own_cluster("limited", 3, conf=LIMITED) as cluster:
        rules = cluster.site_file("rules.yaml", "rules:\n  - partition: all\n    policy: {forbid: [bind=none]}\n")
        with cluster.plugstack("optional", config=rules):
            result = cluster.srun("--distributed=torch -N3 -n3 echo started")
        assert (result.code, result.lines) == (0, ["started"] * 3), result.err
        log = (cluster.state / "log" / "slurmctld.log").read_text()
        assert re.search(r"RPC rate limit exceeded by uid \d+ with REQUEST_(JOB|PARTITION)_INFO", log)
        asked = Counter(re.findall(r"msg_type=(REQUEST_\w+)", log))
        assert asked["REQUEST_JOB_INFO_SINGLE"] >= 3
        assert asked["REQUEST_FED_INFO"] == 0  # about a federation; squeue requests this unless told not to


# srun overwrites its own variables just before it launches. (In some releases envc is 0, and a NULL ends the list.)
FORGED_CLIENT = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <slurm/slurm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void forge_key(char *request, const char *key) {
  if (strcmp(key, "kept") == 0) return;
  for (size_t digits; *request; request += digits + 1) {  // the key is 64 of them, as nothing else is
    digits = strspn(request, "0123456789abcdef");
    if (digits >= 64) memset(request, '0', 64);
    if (!request[digits]) return;
  }
}

int slurm_step_launch(slurm_step_ctx_t *ctx, const slurm_step_launch_params_t *params,
                      const slurm_step_launch_callbacks_t *callbacks) {
  extern char **environ;
  char **all = params->env ? params->env : environ;
  const char *key = getenv("FORGED_KEY");
  FILE *log = fopen(getenv("FORGED_LOG"), "w");
  for (char **one = all; *one; one++) {
    if (strncmp(*one, "SLURM_JOB_PARTITION=", 20) == 0) {
      *one = "SLURM_JOB_PARTITION=other";
      fprintf(log, "partition other, ");
    }
    if (strncmp(*one, "SLURM_MUSTER_REQUEST=", 21) == 0) forge_key(*one, key);
  }
  fprintf(log, "key %s\n", key);
  fclose(log);
  int (*real)(slurm_step_ctx_t *, const slurm_step_launch_params_t *, const slurm_step_launch_callbacks_t *) =
      dlsym(RTLD_NEXT, "slurm_step_launch");
  return real(ctx, params, callbacks);
}
"""


def test_a_rule_by_group_holds_for_its_members(site: Site) -> None:
    site.say("rules:\n  - group: alice\n    policy: {forbid: [bind=none]}\n")
    (line,) = site.srun("--distributed=torch,bind=none -N1 -n1 true").complaints
    assert "the site's policy forbids this value" in line
    assert site.srun("--distributed=torch,bind=none -N1 -n1 true", user="bob").code == 0


def test_a_rule_by_partition_gives_a_default(site: Site) -> None:
    site.say("rules:\n  - {partition: all, defaults: {bind: none, explain: on}}\n")
    result = site.srun("--distributed=torch -N1 -n1 true")
    assert result.code == 0, result.err
    assert "profile torch: 1 rank on 1 node" in result.err
    site.say("rules:\n  - {partition: other, defaults: {explain: on}}\n")
    assert site.srun("--distributed=torch -N1 -n1 true").err == ""


def test_only_the_profiles_of_the_policy_start(site: Site) -> None:
    site.say("policy: {profiles: [torch]}\n")
    assert site.srun("--distributed=torch -N1 -n1 true").code == 0
    (line,) = site.srun("--distributed=jax -N1 -n1 true").complaints
    assert "profile 'jax': the site's policy allows only torch" in line


def test_config_check_names_every_faulty_file(site: Site) -> None:
    site.say("defaults: {bindd: none}\n")
    site.say("polcy: {}\n", "20.yaml")
    muster = site.cluster.prefix / "bin" / "muster"
    result = site.cluster.run(f"{muster} config check {site.main}")
    assert result.code == 1
    assert [line.split(":")[0] for line in result.lines] == ["error", "error"]
    site.say("rules:\n  - {partition: '*', defaults: {smt: on}}\n  - {partition: b, defaults: {smt: off}}\n")
    site.say("", "20.yaml")
    result = site.cluster.run(f"{muster} config check {site.main}")
    assert result.code == 0
    assert result.lines[0].startswith("warning: ") and "never applies" in result.lines[0]
    assert result.lines[1].endswith("and 2 included files: no errors")


def test_config_show_is_what_a_launch_gets(site: Site) -> None:
    site.say("rules:\n  - {partition: all, group: bob, defaults: {smt: off}}\n")
    muster = site.cluster.prefix / "bin" / "muster"

    def smt(user: str) -> dict[str, object]:
        result = site.cluster.run(f"{muster} config show --json --as={user},all {site.main}")
        return json.loads(result.out)["keys"]["smt"]

    assert smt("alice")["value"] == "on"
    assert smt("bob")["value"] == "off"
    assert str(smt("bob")["where"]).endswith("10.yaml:2:50")


def test_a_default_by_the_number_of_nodes(site: Site) -> None:
    site.say("rules:\n  - {min_nodes: 2, defaults: {explain: on}}\n")
    assert "profile torch: 2 ranks on 2 nodes" in site.srun("--distributed=torch -N2 -n2 true").err
    assert site.srun("--distributed=torch -N1 -n1 true").err == ""


POLICY = "policy: {variables: {fix: {NCCL_IB_TC: 106}, forbid: [NCCL_P2P_DISABLE=1], max: {OMP_NUM_THREADS: 3}}}\n"


def test_a_variable_that_the_policy_forbids_ends_the_step_before_it_begins(site: Site) -> None:
    site.say(POLICY)
    result = site.srun("--distributed=torch -N2 -n2 echo started", env={"NCCL_P2P_DISABLE": "1"})
    assert result.code != 0 and result.out == ""
    (line,) = result.complaints
    assert "NCCL_P2P_DISABLE=1: the site's policy forbids this value" in line and "10.yaml:1:" in line
    allowed = site.srun("--distributed=torch -N2 -n2 echo started", env={"NCCL_P2P_DISABLE": "0"})
    assert (allowed.code, allowed.out) == (0, "started\n" * 2), allowed.err


def test_the_nodes_see_a_variable_that_srun_hands_on_alone(site: Site) -> None:
    site.say(POLICY)
    check_refused(site.srun("--distributed=torch --export=ALL,NCCL_P2P_DISABLE=1 -N2 -n2 echo started"),
                  "NCCL_P2P_DISABLE=1: the site's policy forbids this value")
    kept_back = site.srun("--distributed=torch --export=NONE -N1 -n1 /bin/echo started", env={"NCCL_P2P_DISABLE": "1"})
    assert (kept_back.code, kept_back.out) == (0, "started\n"), kept_back.err


def test_the_nodes_see_the_users_nccl_conf(site: Site) -> None:
    site.say(POLICY)
    file = site.cluster.write(".nccl.conf", "NCCL_P2P_DISABLE=1\n")
    try:
        check_refused(site.srun("--distributed=torch -N2 -n2 echo started"), ".nccl.conf:1: NCCL_P2P_DISABLE=1: ")
    finally:
        file.unlink()


def test_a_fixed_variable_reaches_every_rank_and_another_value_is_refused(site: Site) -> None:
    site.say(POLICY)
    result = site.srun("--distributed=torch -N2 -n2 printenv NCCL_IB_TC")
    assert (result.code, result.out) == (0, "106\n" * 2), result.err
    same = site.srun("--distributed=torch -N1 -n1 printenv NCCL_IB_TC", env={"NCCL_IB_TC": "106"})
    assert (same.code, same.out) == (0, "106\n"), same.err
    (line,) = site.srun("--distributed=torch -N1 -n1 true", env={"NCCL_IB_TC": "0"}).complaints
    assert "NCCL_IB_TC=0: the site's policy fixes NCCL_IB_TC=106" in line


def test_what_muster_sets_moves_to_its_bound(site: Site) -> None:
    site.say("policy: {variables: {max: {OMP_NUM_THREADS: 1}}}\n")
    result = site.srun("--distributed=torch -N1 -n1 -c2 printenv OMP_NUM_THREADS")
    assert (result.code, result.out) == (0, "1\n"), result.err
    (line,) = site.srun("--distributed=torch -N1 -n1 true", env={"OMP_NUM_THREADS": "2"}).complaints
    assert "OMP_NUM_THREADS=2: the site's policy allows at most 1" in line


def test_without_the_option_the_policy_for_variables_is_nobodys(site: Site) -> None:
    site.say(POLICY)
    plain = site.srun("-N1 -n1 printenv NCCL_P2P_DISABLE", env={"NCCL_P2P_DISABLE": "1"})
    assert (plain.code, plain.out, plain.complaints) == (0, "1\n", [])


def test_check_says_what_a_user_would_hear_of_a_variable(site: Site) -> None:
    site.say(POLICY)
    result = site.cluster.run(f"{site.cluster.prefix}/bin/muster check --config={site.main} --distributed=torch",
                              env={"NCCL_P2P_DISABLE": "1"})
    assert result.code != 0
    assert "NCCL_P2P_DISABLE=1: the site's policy forbids this value" in result.err
