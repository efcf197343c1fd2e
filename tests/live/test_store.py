"""store=: torch's store, served by muster's agent or by rank 0."""

import json
import os
import re
import shutil

import pytest
from cluster import CHECKOUT, Cluster
from releases import RELEASES
from this_machine import Machine
from waiting import wait_until

PROGRAMS = CHECKOUT / "tests" / "live" / "programs"
TORCH = os.environ.get("MUSTER_TORCH", "")  # another torch than the system's: the folders that PYTHONPATH needs for it
VARIABLES = {"OMP_NUM_THREADS": "1", **({"PYTHONPATH": TORCH} if TORCH else {})}
# A program that is its own server at MASTER_PORT, or that meets at a port where nobody serves, needs rank 0's store, as
# under torchrun. One that is only a client needs the agent's.
WAYS = {"rank0": ["tcp", "other-port", "own-store", "file", "spawn", "twice", "env"], "agent": ["tcp", "client", "file", "env"]}
USUAL = {("rank0", "own-store"), ("rank0", "other-port"), ("agent", "env"), ("agent", "client")}
EACH_WAY = [pytest.param(store, way, id=f"{store}-{way}", marks=() if (store, way) in USUAL else pytest.mark.long)
            for store, ways in WAYS.items() for way in ways]
# The beginning of a program in which every rank is a client. Debian builds torch without libuv.
CLIENT = """
import os, time
from datetime import timedelta
from torch.distributed import TCPStore
libuv = {"use_libuv": False} if os.environ.get("USE_LIBUV") == "0" else {}
store = TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), None, False,
                 timedelta(seconds=float(os.environ.get("STORE_SECONDS", "30"))), wait_for_workers=False, **libuv)
"""

pytestmark = pytest.mark.skipif(not shutil.which("python3"), reason="needs Python")


@pytest.fixture(autouse=True)
def _has_torch(cluster: Cluster) -> None:
    if cluster.run("python3 -c 'import torch'", env=VARIABLES).code != 0:
        pytest.skip("no PyTorch for the cluster's python3; scripts/setup --with=training installs it")


def skip_without_libuv(store: str, way: str = "env") -> None:
    """torch 2.6 asks for libuv at a store that an agent serves, whatever USE_LIBUV says, and so does torchrun's."""
    release = RELEASES.get(os.environ.get("MUSTER_SUITE", ""))
    if release and "USE_LIBUV" in release.environment and store == "agent" and way in ("env", "tcp"):
        pytest.skip("this release's PyTorch is built without libuv, which it asks for at a store that an agent serves")


def met(out: str) -> list[str]:
    return sorted(line for line in out.splitlines() if line.startswith("met "))


def test_the_agents_store_answers_as_torchs_own(machine: Machine) -> None:
    machine.write("store_beside_torch", (PROGRAMS / "store_beside_torch").read_text())
    result = machine.run("--nproc-per-node=1", "--no-python", "--distributed=store=agent", "./store_beside_torch", "2000",
                         environment=VARIABLES, timeout=120)
    assert result.code == 0, result.err
    operations = dict(each.split("=") for each in result.out.split()[1:])
    assert {"set", "get", "add", "compare_set", "delete_key", "num_keys"} <= set(operations)
    assert sum(map(int, operations.values())) == 2000


@pytest.mark.parametrize(("store", "way"), EACH_WAY)
def test_programs_meet_in_each_way_under_srun(cluster: Cluster, store: str, way: str) -> None:
    skip_without_libuv(store, way)
    result = cluster.srun(f"--distributed=torch,store={store} -N2 --ntasks-per-node=2 ./ways_to_meet {way}", env=VARIABLES,
                          timeout=120)
    assert result.code == 0, result.err
    assert met(result.out) == [f"met {rank} {store == 'agent'}" for rank in range(4)]


@pytest.mark.parametrize(("store", "way"), [
    pytest.param("rank0", "own-store", marks=pytest.mark.long), pytest.param("agent", "env", marks=pytest.mark.long),
    ("agent", "client")])
def test_programs_meet_in_each_way_under_muster_run(machine: Machine, store: str, way: str) -> None:
    skip_without_libuv(store, way)
    machine.write("ways_to_meet", (PROGRAMS / "ways_to_meet").read_text())
    result = machine.run("--nproc-per-node=2", f"--distributed=store={store}", "ways_to_meet", way, environment=VARIABLES,
                         timeout=120)
    assert result.code == 0, result.err
    assert met(result.out) == [f"met {rank} {store == 'agent'}" for rank in range(2)]


def test_each_attempt_has_a_store_of_its_own(cluster: Cluster) -> None:
    cluster.write("again.py", CLIENT + """print("came as", store.add("came", 1), flush=True)
store.set(os.environ["RANK"], "")
store.wait(["0", "1"])
if os.environ["TORCHELASTIC_RESTART_COUNT"] == "0" and os.environ["RANK"] == "0":
    raise SystemExit(3)
""")
    result = cluster.srun("--distributed=torch,store=agent,restarts=1 -N2 -n2 python3 again.py", env=VARIABLES, timeout=120)
    assert result.code == 0, result.err
    assert sorted(result.out.splitlines()) == ["came as 1", "came as 1", "came as 2", "came as 2"]


def test_the_store_outlives_rank_0(cluster: Cluster) -> None:
    """As long as another rank of its node runs."""
    cluster.write("outlives.py", CLIENT + """rank = os.environ["RANK"]
if rank == "0":
    store.set("pid", str(os.getpid()))
else:
    pid = store.get("pid").decode()
    while os.path.exists(f"/proc/{pid}") and rank == "1":
        time.sleep(0.1)
    store.set(rank, "")
    store.wait(["1", "2"])
    print(store.get("pid").decode() == pid, flush=True)
""")
    result = cluster.srun("--distributed=torch,store=agent -N2 -n3 --distribution=block:block:block,pack python3 outlives.py",
                          env=VARIABLES, timeout=60)
    assert result.code == 0, result.err
    assert result.out == "True\nTrue\n"


@pytest.mark.parametrize(("value", "store"), [("True", "agent"), ("False", "rank0")])
def test_a_variable_that_the_user_exports_decides(cluster: Cluster, value: str, store: str) -> None:
    other = {"agent": "rank0", "rank0": "agent"}[store]
    way = {"agent": "client", "rank0": "own-store"}[store]
    result = cluster.srun(f"--distributed=torch,store={other} -N1 -n2 ./ways_to_meet {way}",
                          env={**VARIABLES, "TORCHELASTIC_USE_AGENT_STORE": value}, timeout=60)
    assert result.code == 0, result.err
    assert met(result.out) == [f"met {rank} {value}" for rank in range(2)]


def test_the_report_hints_at_the_agents_store_if_nobody_serves_it(cluster: Cluster) -> None:
    cluster.write("nobody.py", CLIENT)
    result = cluster.srun("--distributed=torch -N2 -n2 python3 nobody.py", env={**VARIABLES, "STORE_SECONDS": "3"}, timeout=60)
    assert result.code != 0
    assert "The client socket has timed out" in result.err
    hint = r"^ +hint +: no torch store answered at that address; .*store=agent"
    assert re.search(hint, result.err, re.MULTILINE), result.err


def test_a_profile_whose_programs_have_no_such_store_refuses_it(cluster: Cluster) -> None:
    result = cluster.srun("--distributed=jax,store=agent -N2 -n2 true")
    assert result.code != 0
    assert "store=agent: programs of profile jax do not use a store that muster could serve; leave store= out" in result.err


def test_a_value_that_is_too_long_is_refused_with_a_warning(cluster: Cluster) -> None:
    cluster.write("long.py", CLIENT + """store.set("long", "x" * (9 << 20))
store.get("long")
""")
    result = cluster.srun("--distributed=torch,store=agent -N1 -n1 python3 long.py", env=VARIABLES, timeout=60)
    assert result.code != 0
    assert re.search(r"^muster: warning: node1: the store has disconnected a client at [0-9.]+: a value of 9437184 bytes; "
                     r"at most 8388608 are allowed$", result.err, re.MULTILINE), result.err


# Two ranks wait for the third.
LATE = """
import os, time
while os.environ["RANK"] == "2" and not os.path.exists("come"):
    time.sleep(0.1)
import datetime
import torch.distributed as dist
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=float(os.environ.get("STORE_SECONDS", "300"))))
open("met-" + os.environ["RANK"], "w").close()
while not os.path.exists("end"):
    time.sleep(0.1)
dist.destroy_process_group()
"""


@pytest.mark.parametrize("store", ["rank0", "agent"])
def test_status_says_who_is_missing_at_the_rendezvous(cluster: Cluster, store: str) -> None:
    skip_without_libuv(store)
    cluster.write("late.py", LATE)
    cluster.shell("rm -f come end met-*")
    step = cluster.start(f"srun --distributed=torch,store={store} -N2 -n3 python3 late.py", env=VARIABLES)

    def said() -> list[str]:
        return [line for line in cluster.run("muster status").out.splitlines() if line.startswith("rendezvous: ")]

    wait_until(lambda: said() == ["rendezvous: 2 of 3 ranks; missing: rank 2 on node2"], 60, "the ranks that have come")
    cluster.write("come", "")
    wait_until(lambda: len(list(cluster.home.glob("met-*"))) == 3, 60, "the last rank")
    assert said() == []
    cluster.write("end", "")
    result = step.wait(60)
    assert result.code == 0, result.err


@pytest.mark.parametrize("store", ["rank0", pytest.param("agent", marks=pytest.mark.long)])
def test_the_report_says_who_was_missing_at_the_rendezvous(cluster: Cluster, store: str) -> None:
    skip_without_libuv(store)
    cluster.write("late.py", LATE)
    cluster.shell("rm -f come end met-*")
    result = cluster.srun(f"--distributed=torch,store={store},report=missing.json -N2 -n3 python3 late.py",
                          env={**VARIABLES, "STORE_SECONDS": "10"}, timeout=120)
    assert result.code != 0
    assert re.search(r"^ +rendezvous: 2 of 3 ranks; missing: rank 2 on node2$", result.err, re.MULTILINE), result.err
    nodes = json.loads((cluster.home / "missing.json").read_text())["nodes"]
    assert [node["store"] for node in nodes] == [{"ranks": 2, "missing": []}, {"ranks": 0, "missing": [2]}]


def test_a_hang_at_the_rendezvous_says_who_is_missing(cluster: Cluster) -> None:
    skip_without_libuv("rank0")
    cluster.write("late.py", LATE)
    cluster.shell("rm -f come end met-*")
    step = cluster.start("srun --distributed=torch,hang=6s -N2 -n3 python3 late.py", env=VARIABLES)
    wait_until(lambda: "no rank has made progress" in step.err, 90, "the hang")
    assert re.search(r"no rank has made progress for .*: rendezvous: 2 of 3 ranks; missing: rank 2 on node2; "
                     r"rank 2 on node2: ", step.err), step.err
    cluster.write("come", "")
    cluster.write("end", "")
    assert step.wait(60).code == 0
