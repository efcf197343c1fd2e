"""A real Slurm of a few nodes on this machine, used as its users and its administrator would use it.

    result = cluster.srun("--distributed=torch -N3 -n6 env")
    assert result.code == 0

Users type command lines; everything has a deadline. Files in the users' homes and configuration files are accessed from
outside, by their paths below the cluster's own folder.
"""

import contextlib
import errno
import itertools
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import releases
from command import Command, Result
from processes import Process, processes_beside
from reaper import Reaper
from terminal import Terminal
from waiting import wait_until

CHECKOUT = Path(__file__).resolve().parents[2]
SCRIPT = CHECKOUT / "scripts" / "cluster"
PROGRAMS = Path(__file__).resolve().parent / "programs"
Environment = Mapping[str, str]


@dataclass(frozen=True)
class Task:
    """What a task observed about itself."""

    environment: dict[str, str]
    host: str
    cpus: list[int]
    memory: str  # the policy as in numa_maps; empty if the kernel does not support NUMA
    error_directory_is_mine: bool

    def __getitem__(self, name: str) -> str:
        return self.environment[name]

    def number(self, name: str) -> int:
        return int(self.environment[name])


class Probe:
    """A program that reports what its task sees. As text, it is the command that starts the program."""

    def __init__(self, directory: Path, inside: str) -> None:
        self._directory = directory
        self._inside = inside

    def __str__(self) -> str:
        return f"./probe {self._inside}"

    def tasks(self) -> list[Task]:
        """Ordered by SLURM_PROCID."""
        files = sorted(self._directory.glob("*.json"), key=lambda file: int(file.stem))
        return [Task(**json.loads(file.read_text())) for file in files]


class Cluster:
    def __init__(self, name: str, nodes: int, build: Path, more: Sequence[str] = ()) -> None:
        """`more`: further arguments for scripts/cluster up."""
        self.name = name
        self._numbers = itertools.count()
        self._started: list[Command] = []
        self._terminals: list[Terminal] = []
        self._reaper = Reaper(str(SCRIPT), "--name", self.name, "down")
        suite = os.environ.get("MUSTER_SUITE")  # another Debian release, for which `build` was made
        more = ["--suite", suite, *more] if suite else more
        shim = os.environ.get("MUSTER_SHIM")  # built with a sanitizer, for the nodes
        more = ["--shim", shim, *more] if shim and "none" not in more else more
        mode = releases.mode()
        more = ["--mode", mode, *more] if mode and "--mode" not in more else more
        self._up(["--nodes", str(nodes), "--build", str(build), *more])
        self.prefix = Path(self.script("prefix").strip())
        self.state = self.prefix.parent
        self.nodes = sorted(set(self.run("sinfo -h -N -o %N", user="root").lines))  # one line per partition
        self.home = self.state / "home" / "alice"
        self._plugin = next(self.prefix.rglob("muster.so"))
        for program in PROGRAMS.iterdir():
            for user in ("alice", "bob"):
                self.give(user, program)

    # --- the cluster itself

    def _up(self, options: list[str]) -> None:
        cpus = [] if (os.cpu_count() or 1) > 1 else ["--cpus", "2"]
        patience = ["--timeout", "600"] if releases.slowness() > 1 else []
        self.script("up", *options, *cpus, *patience, timeout=120)

    def script(self, *words: str, timeout: float = 60) -> str:
        """Runs scripts/cluster with this cluster's name."""
        done = subprocess.run([SCRIPT, "--name", self.name, *words], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=timeout * releases.slowness(), check=False)
        assert done.returncode == 0, f"scripts/cluster {shlex.join(words)}: {done.stdout}{done.stderr}"
        return done.stdout

    def down(self) -> None:
        assert self._reaper.reap() == 0, f"scripts/cluster --name {self.name} down failed"

    def node(self, name: str, line: str) -> str:
        """Runs a line in a root shell on a node."""
        return self.script("node", name, "bash", "-c", line)

    # --- what a user types

    def _exec(self, words: list[str], user: str, env: Environment | None) -> list[str]:
        variables = [f"--env={name}={value}" for name, value in {**releases.environment(), **(env or {})}.items()]
        return [str(SCRIPT), "--name", self.name, "exec", "--user", user, *variables, "--", *words]

    def start(self, line: str, *, user: str = "alice", env: Environment | None = None,
              stdin: str | int | None = None) -> Command:
        command = Command(self._exec(shlex.split(line), user, env), line, stdin)
        self._started.append(command)
        return command

    def run(self, line: str, *, user: str = "alice", env: Environment | None = None, stdin: str | None = None,
            timeout: float = 30) -> Result:
        return self.start(line, user=user, env=env, stdin=stdin).wait(timeout)

    def srun(self, line: str, **more) -> Result:
        return self.run(f"srun {line}", **more)

    def shell(self, script: str, **more) -> Result:
        return self.run(f"bash -c {shlex.quote(script)}", **more)

    def terminal(self, line: str, *, env: Environment | None = None) -> Terminal:
        terminal = Terminal(self._exec(shlex.split(line), "alice", env))
        self._terminals.append(terminal)
        return terminal

    def sbatch(self, script: str, options: str = "", *, env: Environment | None = None,
               timeout: float = 60) -> Result:
        """Submits the script and waits for the job to end: `code` and `out` are the job's, or those of a failed
        sbatch."""
        name = f"job-{next(self._numbers)}"
        self.write(f"{name}.sh", script)
        submitted = self.run(f"sbatch --parsable --output={name}.out {options} {name}.sh", env=env)
        if submitted.code != 0:
            return submitted
        job = submitted.out.strip()
        wait_until(lambda: not self.run(f"squeue -h -o %i -j {job}").out.strip(), timeout, f"the end of job {job}")
        shown = self.run(f"scontrol -o show job {job}").out
        code = int(re.search(r"ExitCode=(\d+):", shown)[1])
        return Result(code, (self.home / f"{name}.out").read_text(), submitted.err, 0.0)

    # --- files and probes

    def give(self, user: str, program: Path, name: str | None = None) -> Path:
        """Puts a copy of a program into a user's home."""
        home = self.home.parent / user
        target = home / (name or program.name)
        shutil.copy(program, target)
        os.chown(target, home.stat().st_uid, home.stat().st_gid)
        target.chmod(0o755)
        return target

    def write(self, name: str, text: str) -> Path:
        """Writes a file in alice's home."""
        file = self.home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        for path in (file, *file.relative_to(self.home).parents):
            os.chown(self.home / path, self.home.stat().st_uid, self.home.stat().st_gid)
        return file

    def probe(self, options: str, **more) -> list[Task]:
        """What every task of `srun OPTIONS` sees."""
        probe = self.new_probe()
        result = self.srun(f"{options} {probe}", **more)
        assert result.code == 0, result.err
        return probe.tasks()

    def new_probe(self) -> Probe:
        directory = self.home / f"probe-{next(self._numbers)}"
        directory.mkdir()
        os.chown(directory, self.home.stat().st_uid, self.home.stat().st_gid)
        return Probe(directory, f"/home/alice/{directory.name}")

    # --- what an administrator changes

    @property
    def plugstack_file(self) -> Path:
        configless = (self.state / "configless").exists()
        return self.state / "etc" / ("plugstack.conf" if configless else "plugstack.conf.d/muster.conf")

    @contextlib.contextmanager
    def plugstack(self, mode: str, *, muster: Path | None = None, config: Path | None = None,
                  timeout: int | None = None, trust: bool = False) -> Iterator[None]:
        """Loads the plugin in another way, or not at all (`none`). Slurm reads the line at every launch. `trust` is
        needed by scripts that replace the agent, because bash has to read them."""
        line = f"{mode} {self._plugin} muster={muster or self.prefix / 'bin' / 'muster'}"
        line += f" config={config}" if config else ""
        line += f" timeout={timeout}" if timeout else ""
        line += " trust_any_owner" if trust else ""
        with self.plugstack_line("" if mode == "none" else line):
            yield

    @contextlib.contextmanager
    def plugstack_line(self, line: str) -> Iterator[None]:
        before = self.plugstack_file.read_text()
        self.plugstack_file.write_text(line + "\n")
        try:
            yield
        finally:
            self.plugstack_file.write_text(before)

    def site_file(self, name: str, text: str) -> Path:
        """Writes a file of root's that every node can read."""
        file = self.state / "etc" / "site" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o644)
        return file

    @contextlib.contextmanager
    def covered(self, node: str, path: Path, by: Path) -> Iterator[None]:
        """Covers `path` with `by` on one node. At the end this is undone even while a process still runs the file: a
        failed test must not leave it covered for later tests."""
        self.node(node, f"mount --bind {by} {path}")
        try:
            yield
        finally:
            self.node(node, f"umount --lazy {path}")

    @contextlib.contextmanager
    def cut(self, sender: str, receiver: str) -> Iterator[None]:
        """Drops packets that one node sends to the other."""
        self.script("cut", sender, receiver)
        try:
            yield
        finally:
            self.script("heal", sender, receiver)

    @contextlib.contextmanager
    def cpuset(self, process: Process, cpus: str) -> Iterator[None]:
        """Restricts a process, and what it starts from now on, to these CPUs; the kernel enforces it."""
        root = Path("/sys/fs/cgroup/cpuset")
        if not (root / "cpuset.cpus").exists():
            pytest.skip("no cpuset hierarchy of cgroup v1 here")
        group = root / f"muster-{self.name}-{next(self._numbers)}"
        with (self.state / "cgroup-branches").open("a") as branches:
            branches.write(f"{group}\n")  # for scripts/cluster down, if this process is killed
        group.mkdir()
        try:
            (group / "cpuset.mems").write_text((root / "cpuset.mems").read_text())
            (group / "cpuset.cpus").write_text(cpus)
            (group / "cgroup.procs").write_text(str(process.pid))
            yield
        finally:
            wait_until(lambda: self._dissolved(group), 20, f"the end of {group}")

    @contextlib.contextmanager
    def cpu_quota(self, node: str, share: float) -> Iterator[None]:
        """Limits all of the node's processes together to this share of one CPU, in a group below their current one."""
        root = Path("/sys/fs/cgroup/cpu")
        if not (root / "cpu.cfs_quota_us").exists():
            pytest.skip("no cpu hierarchy of cgroup v1 here")
        processes = self.processes(node)
        above = re.search(r":cpu:(/.*)", Path(f"/proc/{processes[0].pid}/cgroup").read_text()).group(1)
        group = root / above.lstrip("/") / f"muster-{self.name}-{next(self._numbers)}"
        with (self.state / "cgroup-branches").open("a") as branches:
            branches.write(f"{group}\n")  # for scripts/cluster down, if this process is killed
        group.mkdir()
        try:
            period = int((group / "cpu.cfs_period_us").read_text())
            (group / "cpu.cfs_quota_us").write_text(str(int(period * share)))
            for process in processes:
                with contextlib.suppress(ProcessLookupError):
                    (group / "cgroup.procs").write_text(str(process.pid))
            yield
        finally:
            wait_until(lambda: self._dissolved(group), 20, f"the end of {group}")

    @staticmethod
    def _dissolved(group: Path) -> bool:
        """Whether the group has been removed. If its processes have forked in the meantime, the children are in it: try
        again later."""
        for pid in (group / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                (group.parent / "cgroup.procs").write_text(pid)
        try:
            group.rmdir()
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            return False
        return True

    def restart_slurmd(self, node: str) -> None:
        self.script("kill", node, "slurmd")
        wait_until(lambda: not any(process.name == "slurmd" for process in self.processes(node)), 10, "slurmd's end")
        self.script("start", node, "slurmd")

    def confine_steps(self, node: str) -> None:
        """From now on, slurmd on that node puts each step into a cpuset (TaskPlugin=task/cgroup)."""
        conf = "CgroupPlugin=cgroup/v1\nCgroupMountpoint=/sys/fs/cgroup\nConstrainCores=yes\n"
        (self.state / "etc" / "cgroup.conf").write_text(conf)
        self.restart_slurmd(node)
        wait_until(lambda: not self._slurm_traces(), 30, "an idle node")

    # --- what is there

    def address(self, node: str) -> str:
        for line in (self.state / "host" / "hosts").read_text().splitlines():
            address, name, *_ = line.split()
            if name == node:
                return address
        raise KeyError(node)

    def hosts(self, *names: str) -> str:
        """Lines for /etc/hosts."""
        return "".join(f"{self.address(name)} {name}\n" for name in names)

    def second_address(self, node: str) -> str:
        """The address on the network that connects only the nodes."""
        words = self.node(node, "ip -o address show scope global").split()
        (address,) = {word.split("/")[0] for word in words if "/" in word} - {self.address(node)}
        return address

    def jobs(self) -> set[str]:
        """All jobs that slurmctld remembers, including ended ones. It forgets a job some minutes after its end."""
        return set(re.findall(r"^JobId=(\d+)", self.run("scontrol -o show jobs").out, re.MULTILINE))

    def processes(self, node: str) -> list[Process]:
        holder = int((self.state / "pid" / node).read_text())
        return list(processes_beside(holder))

    def agents(self, node: str) -> list[Process]:
        return [process for process in self.processes(node)
                if " agent" in process.command and process.name != "muster-guard"]

    def guards(self, node: str) -> list[Process]:
        """The agents' guards, on nodes where another attempt could start."""
        return [process for process in self.processes(node) if process.name == "muster-guard"]

    def children(self, parent: int, node: str = "login") -> list[Process]:
        return [process for process in self.processes(node) if process.parent == parent]

    def traces(self) -> list[str]:
        """What a step must not leave behind. A clean cluster has no traces."""
        return [*self._stray_processes(), *self._stray_files(), *self._slurm_traces(), *self._dead_slurmds(),
                *self._sanitizer_reports()]

    def _stray_processes(self) -> list[str]:
        ours = self.home.stat().st_uid
        stray = [f"login: {process}" for process in self.processes("login") if process.uid >= ours]
        for node in self.nodes:
            stray += [f"{node}: {process}" for process in self.processes(node)
                      if process.uid >= ours or process.name in ("slurmstepd", "muster", "muster-agent")]
        return stray

    def _stray_files(self) -> list[str]:
        return [f"{node}: {file}" for node, root in self._roots().items() for file in root.glob("tmp/muster-*")]

    def _roots(self) -> dict[str, Path]:
        """The nodes' own file systems."""
        return {node: Path(f"/proc/{(self.state / 'pid' / node).read_text().strip()}/root") for node in self.nodes}

    def _slurm_traces(self) -> list[str]:
        looked = self.run("bash -c 'squeue -h -o \"job %i %T\"; sinfo -h -N -o \"%N %t\"'", user="root").lines
        return [line for line in looked if not line.endswith(" idle")]

    def _dead_slurmds(self) -> list[str]:
        """Slurm 22.05's slurmd sometimes dies under load. slurmctld notices it a minute later, during another test."""
        return [f"{node}: slurmd has died; the last of its log: {self._last_words(node)}"
                for node in self.nodes if not self._has_slurmd(node)]

    def _has_slurmd(self, node: str) -> bool:
        # Debian's is named slurmd-wlm after `scontrol reconfigure` has made a newer Slurm's slurmd restart itself.
        return any(process.name.startswith("slurmd") for process in self.processes(node))

    def _last_words(self, node: str) -> str:
        logs = [self.state / "log" / f"slurmd.{node}.{end}" for end in ("log", "out")]
        return " | ".join(line for log in logs if log.exists()
                          for line in log.read_text(errors="replace").splitlines()[-5:])

    def _sanitizer_reports(self) -> list[str]:
        folder = self.state / "log" / "sanitizer"
        return [file.read_text(errors="replace") for file in sorted(folder.glob("*"))]

    def await_clean(self, timeout: float = 15) -> None:
        with contextlib.suppress(AssertionError):
            wait_until(lambda: not self.traces(), timeout, "a clean cluster")
        left = self.traces()
        assert not left, "left behind: " + "; ".join(left)

    def await_next_agents_cleaning(self, srun: str) -> None:
        """The user's next agent on that node, started by `srun`, removes what an agent could not remove."""
        left = self._stray_files()
        assert self.srun(f"--distributed=torch {srun}").code == 0
        wait_until(lambda: not set(left) & set(self._stray_files()), 5, f"the removal of {left}")
        # On a busy machine, Slurm kills an agent that has not exited within 2 s of the last rank.
        if self._stray_files():
            self.srun(f"--distributed=torch {srun}")

    def end_all(self) -> None:
        """Ends what a failed test has left running, so that the next one starts clean."""
        for command in self._started:
            command.kill()
        for terminal in self._terminals:
            terminal.close()
        self._started.clear()
        self._terminals.clear()

    def clear(self) -> None:
        """Ends the users' jobs and processes by force, and restarts slurmd wherever it is lost: one test's failure must
        not cause another."""
        for user in ("alice", "bob"):
            self.run(f"scancel --user={user}", user="root")
        for node in ("login", *self.nodes):
            for process in self.processes(node):
                if process.uid >= self.home.stat().st_uid:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(process.pid, signal.SIGKILL)
        with contextlib.suppress(AssertionError):
            wait_until(lambda: not self._slurm_traces(), 20, "idle nodes")
        for root in self._roots().values():
            for directory in root.glob("tmp/muster-*"):
                shutil.rmtree(directory, ignore_errors=True)
        with contextlib.suppress(AssertionError):
            self._revive_slurmds()

    def _revive_slurmds(self) -> None:
        lost = {line.split()[0] for line in self._slurm_traces() if line.endswith("*")}
        for node in self.nodes:
            if not self._has_slurmd(node):
                self.script("start", node, "slurmd")
            elif node in lost:  # it is running but does not answer
                self.restart_slurmd(node)
        wait_until(lambda: not self._slurm_traces(), 30, "idle nodes")
