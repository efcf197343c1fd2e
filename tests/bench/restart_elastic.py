"""The same faults under muster, torchrun and NVRx's ft_launcher, on three nodes: for the case `restart`.

torchrun is run as its documentation describes for an elastic job under Slurm: one agent per node, `--nnodes=2:3
--max-restarts=3` and the c10d rendezvous on the first node; once with its defaults, once with a shorter --rdzv-conf.
Slurm must not end its job because of the lost node (--no-kill), nor its step because of an agent's exit code. The c10d
rendezvous ends with its host, so a different node is lost; under muster all nodes are alike.
"""

import contextlib
import shlex
import shutil
import subprocess
import sys
import time

from case import HERE, OUT, say
from failure import Fifos, await_nodes
from report import Line, describe, milliseconds

NODES = 3
SAID = OUT / "restart-elastic.out"  # output of the last launcher
LIMIT = 180  # seconds, for a launcher to recover
COLLECTIVE_TIMEOUT = 10  # seconds; torch's default for gloo is 30 minutes
# A silent agent counts as gone after three intervals (default 5 s). last_call_timeout is how long the other agents wait
# for it once there are enough of them (default 30 s).
TUNED = "--rdzv-conf=last_call_timeout=5,keep_alive_interval=2"

# As many ranks as the world has must report. One rank of the first attempt fails when told to.
RANK = """exec 3>up; echo "ready $WORLD_SIZE" >&3
if [ $RANK = {faulty} ] && [ ! -e failed ]; then read line <go; touch failed; echo "$EPOCHREALTIME" >&3; exit 7; fi
exec sleep 300
"""

ELASTIC = ("srun --no-kill --kill-on-bad-exit=0 -N3 -n3 --ntasks-per-node=1 --cpus-per-task={tasks} {launcher} "
           "--nnodes=2:3 --nproc-per-node={tasks} --max-restarts=3 --rdzv-backend=c10d --rdzv-endpoint=node1:{port} --rdzv-id={port} {more}")
MUSTER = ("salloc -Q -N3 --ntasks-per-node={tasks} srun --distributed=torch,restarts=3,nodes=2,heartbeat={heartbeat} "
          "--ntasks-per-node={tasks}")


class Training:
    """A user's launcher on three nodes, until close()."""

    def __init__(self, cluster, line, ranks):
        self._cluster = cluster
        home = cluster.state / "home/alice"
        (home / "failed").unlink(missing_ok=True)
        self._fifos = Fifos(home)
        self._said = b""
        words = cluster.as_user("alice", "env", f"COLLECTIVE_TIMEOUT={COLLECTIVE_TIMEOUT}", *shlex.split(line))
        with SAID.open("wb") as said:
            self._launcher = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        if self.await_ranks(ranks) is None:
            self.close()
            sys.exit(f"bench: no ranks of {line}: {SAID.read_text(errors='replace')[-2000:]}")
        self._said = b""
        time.sleep(2)

    def _is_whole(self, least):
        """Whether all ranks of a world of at least `least` ranks have reported that they are running."""
        lines = [line for line in self._said.split(b"\n")[:-1] if line.startswith(b"ready ")]
        worlds = {line: int(line.split()[1]) for line in lines}
        return any(size >= least and lines.count(line) >= size for line, size in worlds.items())

    def _read(self):
        """Empty if nothing arrives for a moment, or while no rank has the FIFO open."""
        more = self._fifos.read_within(0.1)
        if more == b"":
            time.sleep(0.005)
        self._said += more or b""
        return more

    def await_ranks(self, least):
        """When they started running; None if they did not in time."""
        deadline = time.time() + LIMIT
        while not self._is_whole(least):
            more = self._read()
            if time.time() > deadline or (not more and self._launcher.poll() is not None):
                return None
        return time.time()

    def fail(self):
        """The time at which the rank failed."""
        self._fifos.say_go()
        while b"." not in self._said:
            self._read()
        return float(next(word for word in self._said.split() if b"." in word))

    def close(self):
        self._cluster.run("exec", "--user", "root", "--", "scancel", "--user=alice", stdout=subprocess.DEVNULL)
        self._launcher.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._launcher.wait(60)
        self._launcher.kill()
        self._fifos.close()


def crash(cluster, line, ranks):
    (cluster.state / "home/alice/rank.sh").write_text(RANK.format(faulty=ranks // 2), encoding="ascii")
    with contextlib.closing(Training(cluster, line, ranks)) as training:
        failed = training.fail()
        back = training.await_ranks(ranks)
        return back and back - failed


def cut(cluster, line):
    shutil.copy(HERE / "restart_train.py", cluster.state / "home/alice/train.py")
    with contextlib.closing(Training(cluster, line, NODES)) as training:
        began = time.time()
        cluster.run("cut", "node3", stdout=subprocess.DEVNULL)
        try:
            back = training.await_ranks(NODES - 1)
            return back and back - began
        finally:
            cluster.run("heal", "node3", stdout=subprocess.DEVNULL)


class Ports:
    """One port per run: a listener from the previous run may still exist."""

    def __init__(self):
        self._next = 29511

    def elastic(self, launcher, tasks, more=""):
        self._next += 1
        return ELASTIC.format(launcher=launcher, tasks=tasks, more=more, port=self._next)


def launchers(options):
    """The commands to compare with muster, by name."""
    found = {"torchrun": f"{options.python} -m torch.distributed.run"}
    if options.ft_launcher:
        found["ft_launcher"] = options.ft_launcher
    return found


def arms(cluster, options, ports):
    """What to measure, by name."""
    crash_words = "bash rank.sh"
    found = {"crash, muster": lambda: crash(cluster, f"{MUSTER.format(heartbeat=10, tasks=2)} {crash_words}", 2 * NODES)}
    for name, launcher in launchers(options).items():
        found[f"crash, {name}"] = lambda launcher=launcher: crash(
            cluster, f"{ports.elastic(launcher, 2, '--no-python')} {crash_words}", 2 * NODES)
    train = f"{options.python} train.py"
    found["cut, muster, `heartbeat=10`"] = lambda: cut(cluster, f"{MUSTER.format(heartbeat=10, tasks=1)} {train}")
    for name, launcher in launchers(options).items():
        found[f"cut, {name}"] = lambda launcher=launcher: cut(cluster, f"{ports.elastic(launcher, 1)} train.py")
        found[f"cut, {name}, `{TUNED}`"] = lambda launcher=launcher: cut(cluster, f"{ports.elastic(launcher, 1, TUNED)} train.py")
    return found


def measure(cluster, options):
    """Seconds by name; None: it did not recover."""
    samples = {}
    ports = Ports()
    for _ in range(options.elastic_rounds):
        for name, arm in arms(cluster, options, ports).items():
            await_nodes(cluster)
            samples.setdefault(name, []).append(arm())
            seconds = samples[name][-1]
            say(f"{name}: {milliseconds(seconds) if seconds else 'not back'}")
    return samples


WORDS = {"crash": f"{NODES} nodes with 2 ranks each, {{}}: from a rank crashing to all ranks running again",
         "cut": f"{NODES} nodes, PyTorch over gloo, {{}}: from a node being cut off to the next training step on the "
                "other two nodes"}


def lines_of(samples):
    lines = []
    for name, seconds in samples.items():
        fault, _, launcher = name.partition(", ")
        back = [one for one in seconds if one is not None]
        lost = f"not back within {LIMIT} s in {len(seconds) - len(back)} of {len(seconds)}"
        measured = "; ".join([*([describe(back)] if back else []), *([lost] if len(back) < len(seconds) else [])])
        lines.append(Line(WORDS[fault].format(launcher), measured, "-", "-"))
    return lines
