"""Two machines: a network between them, pauses as a hypervisor makes them, and a node that boots again in mid run."""

import contextlib
import time
from collections.abc import Iterator

import pytest
from lab import PROGRAMS, Lab
from waiting import wait_until

MACHINES = 2
RESTARTS = "restarts=3,nodes=1"


class Run:
    """A rank on each machine, which write the time into files of their own machine until they are told to stop."""

    def __init__(self, lab: Lab, keys: str) -> None:
        self.lab = lab
        lab.give(PROGRAMS / "until_told")
        lab.everywhere("rm -f /home/alice/writes.* /home/alice/enough")
        self.step = lab.start(f"salloc -Q -N2 --ntasks-per-node=1 srun --distributed=torch,grace=5{keys and ','}{keys} "
                              "./until_told")
        self.step.await_output("ready attempt=0", times=2, timeout=300)
        time.sleep(5)  # by then the supervisor has answered each agent

    def writes(self, machine: int) -> dict[int, tuple[float, float]]:
        """The times of the first and the last, by attempt, in that machine's clock."""
        listed = self.lab.root("cd /home/alice; for f in writes.*; do echo $f $(head -n 1 $f) $(tail -n 1 $f); done",
                               machine=machine)
        times: dict[int, list[float]] = {}
        for line in listed.splitlines():
            name, *seconds = line.split()
            if len(seconds) == 2:
                times.setdefault(int(name.split(".")[1]), []).extend(map(float, seconds))
        return {attempt: (min(found), max(found)) for attempt, found in times.items()}

    def end(self, machines: tuple[int, ...] = (1, 2)) -> tuple[int, str, str]:
        for machine in machines:
            self.lab.root("touch /home/alice/enough", machine=machine)
        result = self.step.wait(300)
        return result.code, result.out, result.err


def test_ranks_on_two_machines_meet(lab: Lab) -> None:
    shown = lab.srun("-N2 --ntasks-per-node=1 --distributed=torch sh -c 'echo $RANK $(hostname) $MASTER_ADDR'")
    assert shown.code == 0, shown.err
    assert sorted(shown.lines) == ["0 vm1 10.77.0.1", "1 vm2 10.77.0.1"]  # not 10.0.2.15, which both have


# Without another attempt and without heartbeat=, muster waits for 90 s.
@pytest.mark.parametrize(("keys", "seconds"), [("", 40), (f"{RESTARTS},heartbeat=20", 12)])
def test_a_pause_shorter_than_the_heartbeat_costs_nothing(lab: Lab, keys: str, seconds: float) -> None:
    run = Run(lab, keys)
    with lab.paused(2):
        time.sleep(seconds)
    time.sleep(5)
    code, out, err = run.end()
    assert (code, out.count("done attempt=0")) == (0, 2), err
    assert "lost" not in err


def test_without_restarts_a_long_pause_is_a_lost_node_on_which_nothing_goes_on(lab: Lab) -> None:
    run = Run(lab, "heartbeat=10")
    with lab.paused(2):
        result = run.step.wait(300)
    assert result.code != 0 and "vm2" in result.err, result.err
    wait_until(lambda: not lab.ranks("until_told", 2), 120, "the end of the rank that was paused")


def test_a_machine_that_wakes_up_beside_the_next_attempt_stands_still(lab: Lab) -> None:
    run = Run(lab, f"{RESTARTS},heartbeat=10")
    with lab.paused(2):
        run.step.await_output("ready attempt=1", timeout=300)
        time.sleep(5)
    lab.root("true", machine=2)  # it answers again
    time.sleep(5)
    before = run.writes(2)[0][1]
    time.sleep(10)
    assert run.writes(2)[0][1] == before  # nobody writes on there
    code, out, err = run.end()
    assert code == 0, err
    assert "vm2" in err and "done attempt=1" in out, err


@contextlib.contextmanager
def cut_off(lab: Lab, machine: int) -> Iterator[None]:
    link = "$(ip -br link | awk '/52:54:00:77/ { print $1 }')"
    lab.root(f"ip link set {link} down", machine=machine)
    try:
        yield
    finally:
        lab.root(f"ip link set {link} up", machine=machine)


def test_with_hidepid_the_ranks_of_a_machine_that_is_cut_off_stand_still(lab: Lab) -> None:
    lab.root("mount -o remount,hidepid=2 /proc", machine=2)
    try:
        run = Run(lab, f"{RESTARTS},heartbeat=10")
        with cut_off(lab, 2):
            run.step.await_output("ready attempt=1", timeout=300)
            states = {rank.state for rank in lab.ranks("until_told", 2)}
            assert states <= {"T"}, states
        code, _, err = run.end()
        assert code == 0, err
    finally:
        # Slurm calls the node down meanwhile; its slurmd registers when it starts.
        lab.root("mount -o remount,hidepid=0 /proc && systemctl restart slurmd", machine=2)
        wait_until(lab.idle, 300, "idle nodes")


def test_a_node_that_boots_again_in_mid_run_costs_one_attempt(lab: Lab) -> None:
    """Last, because it undoes what other tests may have left on that machine. First, at the highest of Yama's scopes,
    which only a boot takes back, a dump."""
    run = Run(lab, f"{RESTARTS},heartbeat=20")
    lab.root("echo 3 >/proc/sys/kernel/yama/ptrace_scope", machine=2)
    groups = lab.dump()["groups"]
    assert sorted(rank for group in groups for rank in group["ranks"]) == [0, 1]
    assert all("write" in [frame["function"] for frame in group["stack"]] for group in groups), groups
    lab.monitor(2, "system_reset")
    run.step.await_output("ready attempt=1", timeout=400)
    code, out, err = run.end((1,))
    assert code == 0, err
    assert "vm2" in err, err
    lab.await_machine(2)
    wait_until(lab.idle, 600, "both nodes idle")
