"""What a storm needs in a running cluster: its programs, its churn on every node, a place for its results."""

import contextlib
import json
import pathlib
import subprocess

from storm_count import count
from storm_plan import named
from storm_rules import port_lines

HERE = pathlib.Path(__file__).resolve().parent
JOBS = 20000  # the number of jobs that a storm's cluster will run


def compile_programs(into):
    for name in ("storm_rank", "storm_churn"):
        subprocess.run(["c++", "-std=c++20", "-O1", "-o", str(into / name), str(HERE / f"{name}.cpp")], check=True)


class StormSite:
    """`cluster` is the words that begin each scripts/cluster command; `state` is a folder that all nodes see."""

    def __init__(self, cluster, state, nodes, first_job):
        self._cluster, self._first_job = cluster, first_job
        self.directory = state / "storm"
        self.directory.mkdir()
        self.nodes = [f"node{i + 1}" for i in range(nodes)]
        compile_programs(self.directory)

    @contextlib.contextmanager
    def churn(self, rate):
        """Yields a function that returns, for each node, the connections made and the different ephemeral ports
        used."""
        with contextlib.ExitStack() as stack:
            logs = [self.directory / f"churn.{node}" for node in self.nodes]
            for node, log in zip(self.nodes, logs, strict=True):
                file = stack.enter_context(log.open("w", encoding="ascii"))
                process = subprocess.Popen(
                    [*self._cluster, "node", node, str(self.directory / "storm_churn"), str(rate)],
                    stdin=subprocess.DEVNULL, stdout=file)
                stack.callback(process.wait)
                stack.callback(process.terminate)
            yield lambda: [[int(word) for word in (log.read_text().splitlines() or ["0 0"])[-1].split()]
                           for log in logs]

    def time_wait(self):
        """Sockets in TIME_WAIT, one number per node."""
        done = [subprocess.run([*self._cluster, "node", node, "cat", "/proc/net/sockstat"], check=True,
                               capture_output=True, text=True).stdout.split() for node in self.nodes]
        return [int(words[words.index("tw") + 1]) for words in done]

    def revive(self):
        """Restarts slurmd wherever it has died, and returns on which nodes."""
        dead = [node for node in self.nodes if not self._has_slurmd(node)]
        for node in dead:
            subprocess.run([*self._cluster, "start", node, "slurmd"], check=True, capture_output=True)
        return dead

    def _has_slurmd(self, node):
        looked = [*self._cluster, "node", node, "bash", "-c", "grep -sq ^slurmd /proc/[0-9]*/comm"]
        return subprocess.run(looked, stdin=subprocess.DEVNULL, check=False).returncode == 0

    def run(self, rule, jobs, prefix, at_once, srun=None, stderr=None):
        """One round with one rule: the counts, and the launches that failed."""
        ports = None if rule.ours else self._ports(rule)
        default = ["--distributed=torch"] if rule.ours else []
        task = {"jobs": named(jobs, f"{rule.name}-{prefix}", rule.servers), "directory": str(self.directory),
                "srun": default if srun is None else srun, "ports": ports, "first_job": self._first_job,
                "at_once": at_once}
        with (HERE / "storm_drive.py").open("rb") as program:
            done = subprocess.run([*self._cluster, "exec", "--user", "root", "--", "python3", "-", json.dumps(task)],
                                  stdin=program, stdout=subprocess.PIPE, stderr=stderr, check=True)
        return count(json.loads(done.stdout))

    def _ports(self, rule):
        file = self.directory / f"ports.{rule.name}"
        if not file.exists():
            file.write_text(port_lines(rule, self._first_job, JOBS), encoding="ascii")
        return str(file)
