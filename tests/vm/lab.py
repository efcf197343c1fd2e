"""Whole machines with a real kernel (scripts/vm), used as their users and their administrator would use them.

    result = lab.srun("--distributed=torch -n2 ./fault exit")
    assert result.code == 7

They are emulated, some 15 times slower than this machine: every deadline here is long, and no test judges by time what
it can judge by order.
"""

import contextlib
import json
import os
import shlex
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from command import Command, Result
from waiting import wait_until

CHECKOUT = Path(__file__).resolve().parents[2]
SCRIPT = CHECKOUT / "scripts" / "vm"
PROGRAMS = CHECKOUT / "tests" / "live" / "programs"  # those of the live tests
RUNNING = os.environ.get("MUSTER_VM_RUNNING") == "1"  # use the machines that are up, and leave them so


@dataclass(frozen=True)
class Process:
    pid: int
    user: str
    state: str
    command: str


@dataclass(frozen=True)
class Reported:
    result: Result
    report: dict[str, Any]

    @property
    def first(self) -> dict[str, Any]:
        return self.report["first"]


class Lab:
    def __init__(self, machines: int) -> None:
        self.machines = machines
        self._started: list[Command] = []
        if RUNNING:
            return
        done = subprocess.run([*self._script("up"), "--machines", str(machines),
                               "--build", os.environ.get("MUSTER_BUILD", str(CHECKOUT / "build"))],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    @staticmethod
    def _script(*words: str) -> list[str]:
        return [str(SCRIPT), "--suite", os.environ.get("MUSTER_SUITE", "trixie"), *words]

    def down(self) -> None:
        if RUNNING:
            return
        subprocess.run(self._script("down"), check=True, capture_output=True)

    def start(self, line: str, *, user: str = "alice", machine: int = 1, stdin: str | None = None) -> Command:
        """`line`: as typed into that user's shell."""
        words = self._script("run", "--machine", str(machine), "--user", user, "--", "sh", "-c", line)
        started = Command(words, line, stdin)
        self._started.append(started)
        return started

    def run(self, line: str, *, user: str = "alice", machine: int = 1, timeout: float = 180,
            stdin: str | None = None) -> Result:
        return self.start(line, user=user, machine=machine, stdin=stdin).wait(timeout)

    def root(self, line: str, *, machine: int = 1, timeout: float = 180, stdin: str | None = None) -> str:
        """The output of what must succeed."""
        done = self.run(line, user="root", machine=machine, timeout=timeout, stdin=stdin)
        assert done.code == 0, f"{line}: {done.code}: {done.out}{done.err}"
        return done.out

    def without_login(self, line: str, timeout: float = 180) -> str:
        """As alice on vm1, but not through a login: neither PAM nor logind know of it."""
        return self.root("setpriv --reuid=alice --regid=alice --init-groups env -i -C /home/alice HOME=/home/alice "
                         f"USER=alice PATH=/usr/local/bin:/usr/bin:/bin sh -c {shlex.quote(line)}", timeout=timeout)

    def everywhere(self, line: str) -> None:
        for machine in range(1, self.machines + 1):
            self.root(line, machine=machine)

    def give(self, *programs: Path) -> None:
        """Copies programs into alice's home on every machine."""
        for program in programs:
            for machine in range(1, self.machines + 1):
                done = self.run(f"cat >{program.name} && chmod 755 {program.name}", machine=machine,
                                stdin=program.read_text())
                assert done.code == 0, done.err

    def srun(self, words: str, timeout: float = 240) -> Result:
        return self.run(f"srun {words}", timeout=timeout)

    def fail(self, words: str, keys: str = "grace=5", timeout: float = 240) -> Reported:
        """Runs a step from its start to its report."""
        self.run("rm -f report.json")
        return self.reported(self.srun(f"--distributed=torch,report=report.json,{keys} {words}", timeout))

    def reported(self, result: Result) -> Reported:
        report = self.run("cat report.json")
        assert report.code == 0, result.err
        return Reported(result, json.loads(report.out))

    def processes(self, machine: int = 1) -> list[Process]:
        listed = self.root("ps -e -ww -o pid=,user=,state=,args=", machine=machine)
        return [Process(int(pid), user, state, command)
                for pid, user, state, command in (line.split(None, 3) for line in listed.splitlines())]

    def ranks(self, program: str, machine: int = 1) -> list[Process]:
        return [process for process in self.processes(machine)
                if process.user == "alice" and process.command.startswith("python3") and f"/{program}" in process.command]

    def monitor(self, machine: int, *words: str) -> None:
        subprocess.run(self._script("monitor", str(machine), *words), check=True, capture_output=True)

    @contextlib.contextmanager
    def paused(self, machine: int) -> Iterator[None]:
        """As a hypervisor pauses it: nothing in it runs, and its clock stands still."""
        self.monitor(machine, "stop")
        try:
            yield
        finally:
            self.monitor(machine, "cont")

    def await_machine(self, machine: int, timeout: float = 600) -> None:
        """Until it answers after a boot."""
        self.end_logins(machine)
        wait_until(lambda: self.run("true", user="root", machine=machine, timeout=60).code == 0, timeout, "a login")

    def end_logins(self, machine: int) -> None:
        """The connections that scripts/vm keeps open do not notice that the machine has booted again."""
        for socket in Path("/run/muster-vm").glob(f"ssh-*-{machine}"):
            subprocess.run(["ssh", "-F", "none", "-o", f"ControlPath={socket}", "-O", "exit", "127.0.0.1"],
                           check=False, capture_output=True)

    def restart_slurm(self) -> None:
        """After a change of slurm.conf on every machine."""
        self.everywhere("test ! -f /var/lib/slurm/slurmctld/clustername || systemctl restart slurmctld")
        self.everywhere("systemctl restart slurmd")
        self.await_idle()

    def idle(self) -> bool:
        return set(self.root("sinfo -h -N -o %t").split()) == {"idle"}

    def await_idle(self, timeout: float = 240) -> None:
        wait_until(self.idle, timeout, "idle nodes")

    def clean(self) -> None:
        """Ends what a test has left; the next one begins with idle nodes and no job."""
        for started in self._started:
            started.kill()
        self._started.clear()
        self.root("scancel --quiet --user=alice || true")
        if self.machines > 1:
            # A pause has stopped the machine's clock as well, and munge rejects a credential that is minutes old.
            self.everywhere(f"date --set=@{time.time():.0f}")
        wait_until(lambda: not self.root("squeue -h").strip(), 120, "the end of all jobs")
        self.await_idle()

    def left(self) -> list[Process]:
        """What still runs of the users' programs, on any machine, apart from their logins."""
        return [process for machine in range(1, self.machines + 1) for process in self.processes(machine)
                if process.user in ("alice", "bob")
                and not process.command.startswith(("sshd", "(sd-pam)", "/usr/lib/systemd/systemd"))
                and process.state != "Z"]

    def dump(self, words: str = "") -> dict[str, Any]:
        shown = self.run(f"muster dump --json --seconds=120 {words}")
        assert shown.code == 0, shown.err
        return json.loads(shown.out)
