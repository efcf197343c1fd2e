"""The packages on Debian's own Slurm: its units, cgroup v2, AppArmor."""

from lab import PROGRAMS, Lab
from waiting import wait_until


def test_the_machine_is_what_this_suite_is_for(lab: Lab) -> None:
    """Without this, other tests could pass because nothing is protected."""
    assert lab.root("stat -f -c %T /sys/fs/cgroup") == "cgroup2fs\n"
    assert lab.root("cat /sys/module/apparmor/parameters/enabled") == "Y\n"
    assert lab.root("systemctl is-active slurmd slurmctld munge systemd-logind").split() == ["active"] * 4
    assert "slurmd.service" in lab.root("cat /proc/$(pidof -s slurmd)/cgroup") + lab.root("systemctl status slurmd")
    assert "zz-muster.conf" in lab.root("muster-plugstack status")
    assert lab.root("ls -d /sys/devices/system/node/node[0-9]").split()[-1].endswith("node1")


def test_an_unmodified_step_gets_its_ranks(lab: Lab) -> None:
    shown = lab.srun("--distributed=torch -n4 sh -c 'echo $RANK $LOCAL_RANK $WORLD_SIZE $MASTER_ADDR:$MASTER_PORT'")
    assert shown.code == 0, shown.err
    ranks = sorted(line.split() for line in shown.lines)
    assert [rank[:3] for rank in ranks] == [[str(rank), str(rank), "4"] for rank in range(4)]
    assert len({rank[3] for rank in ranks}) == 1


def test_the_agent_is_in_the_steps_control_group_without_any_right_of_root(lab: Lab) -> None:
    lab.give(PROGRAMS / "fault")
    step = lab.start("srun --distributed=torch,grace=5 -n2 ./fault exit 1 100000")
    step.await_output("ready", times=2, timeout=240)
    (agent,) = [process for process in lab.processes() if process.command.startswith("muster-agent")
                or "/muster-agent" in process.command.split()[0]]
    status = dict(line.split(":\t", 1) for line in lab.root(f"cat /proc/{agent.pid}/status").splitlines() if ":\t" in line)
    alice = lab.run("id -u").out.strip()
    assert status["Uid"].split() == [alice] * 4
    assert {status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
    assert lab.root(f"cat /proc/{agent.pid}/oom_score_adj") == "0\n"
    assert "/step_0/" in lab.root(f"cat /proc/{agent.pid}/cgroup")
    lab.run("scancel --user=alice")
    step.wait(120)


def test_slurmd_can_be_restarted_in_mid_step(lab: Lab) -> None:
    lab.give(PROGRAMS / "fault")
    step = lab.start("srun --distributed=torch,grace=5,report=report.json -n2 ./fault exit 1 40")
    step.await_output("ready", times=2, timeout=240)
    lab.root("systemctl restart slurmd")
    failed = lab.reported(step.wait(240))
    assert (failed.result.code, failed.first["rank"], failed.report["lost_nodes"]) == (7, 1, []), failed.result.err
    wait_until(lab.idle, 240, "idle nodes")
