"""The case `logs`: what it costs to keep the output of 64 ranks, each writing 1 MB/s of lines, in one file per rank.

Started by scripts/bench; brings up a two-node cluster and takes it down. Three arms take turns: srun --output with a
file per rank; muster's logs= with the view on rank 0 and a reader that keeps up; the same with a reader that never
reads. CPU time is that of all processes of the cluster while the ranks write, from /proc, so that other programs on the
machine do not count. Every file is compared, byte by byte, with what its rank wrote.
"""

import contextlib
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import threading
import time

import case
import cluster_case
from case import HERE, say
from failure import await_nodes
from report import Line, compare, describe

RATIO = 1.1  # the project's own limit
PATIENCE = 300
PLAIN, LOGS = "`srun --output`", "`logs=`, `view=0`"
STILL = f"{LOGS}, srun's output not read"


def cpu_seconds(tag):
    """For every process of the cluster, and for those that are not ranks."""
    total = others = 0.0
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if tag not in (folder / "mountinfo").read_text():
                continue
            # Nanoseconds of each thread, because the process's own figures are in ticks of 10 ms.
            seconds = sum(int(file.read_text().split()[0]) for file in folder.glob("task/*/schedstat")) / 1e9
            total += seconds
            if not (folder / "cmdline").read_bytes().startswith(b"/usr/bin/python3\0logs_rank.py"):
                others += seconds
        except OSError:
            continue  # the process has just ended
    return total, others


class Step:
    """The ranks of one arm, with the FIFOs that make them start and end together."""

    def __init__(self, cluster, options, words, reads):
        self._home = cluster.state / "home/alice"
        for name in ("up", "go", "end"):
            (self._home / name).unlink(missing_ok=True)
            os.mkfifo(self._home / name)
            (self._home / name).chmod(0o666)
        self._up = os.open(self._home / "up", os.O_RDWR | os.O_NONBLOCK)
        self._ranks = options.ranks
        rank = ["/usr/bin/python3", "logs_rank.py", str(options.rate), str(options.seconds)]
        self._srun = subprocess.Popen(cluster.as_user("alice", *words, *rank), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self._reader = threading.Thread(target=self._read)
        if reads:
            self._reader.start()
        self._read_late = not reads

    def _read(self):
        while os.read(self._srun.stdout.fileno(), 1 << 20):
            pass

    def await_all(self, word):
        """Waits until all ranks have written the word."""
        said = b""
        deadline = time.time() + PATIENCE
        while said.count(word) < self._ranks:
            if time.time() > deadline or self._srun.poll() is not None:
                sys.exit("bench: the ranks neither write anything nor end")
            with contextlib.suppress(BlockingIOError):
                said += os.read(self._up, 65536)
            time.sleep(0.01)
        return said

    @contextlib.contextmanager
    def opened(self, name):
        """All readers that are waiting to open it continue once it has a writer."""
        descriptor = os.open(self._home / name, os.O_RDWR)
        try:
            yield
        finally:
            os.close(descriptor)

    def end(self):
        with self.opened("end"):
            if self._read_late:
                self._reader.start()
            code = self._srun.wait(PATIENCE)
        self._reader.join()
        os.close(self._up)
        self._srun.stdout.close()
        if code:
            sys.exit(f"bench: srun ended with {code}")


def words_of(arm, options):
    layout = f"-N2 -n{options.ranks} -O"
    if arm == PLAIN:
        return ["srun", *shlex.split(layout), "--output=kept/rank-%t.out"]
    return ["srun", "--distributed=torch,bind=none,logs=kept,view=0", *shlex.split(layout)]


def sizes(home):
    return {file: file.stat().st_size for file in home.glob("kept/**/rank-*.out")}


def check(home, options):
    """Checks that every byte of every rank is in its file."""
    files = sorted(home.glob("kept/**/rank-*.out"))
    if len(files) != options.ranks:
        sys.exit(f"bench: {len(files)} files from {options.ranks} ranks")
    beats = int(options.seconds / 0.02)
    for file in files:
        rank = file.name.removeprefix("rank-").removesuffix(".out").lstrip("0") or "0"
        text = file.read_bytes()
        block = text[:len(text) // beats]
        if not text.startswith(f"rank {rank} step ".encode()) or text != block * beats or len(block) < options.rate * 0.02 - 100:
            sys.exit(f"bench: {file.name} differs from what its rank wrote")


def run(cluster, options, arm):
    home = cluster.state / "home/alice"
    shutil.rmtree(home / "kept", ignore_errors=True)
    cluster.run("exec", "--user", "alice", "--", "mkdir", "kept", stdout=subprocess.DEVNULL)
    step = Step(cluster, options, words_of(arm, options), reads=arm != STILL)
    tag = f" muster-cluster:{cluster.name} "
    step.await_all(b"ready")
    time.sleep(2)  # until the one-time work of a launch is done
    before = cpu_seconds(tag)
    with step.opened("go"):
        said = step.await_all(b"done")
    last, since = None, time.time()
    while (now := sizes(home)) != last or time.time() - since < 1:  # until no data is in flight to a file
        last, since = now, since if now == last else time.time()
        time.sleep(0.1)
    after = cpu_seconds(tag)
    step.end()
    check(home, options)
    elapsed = max(float(word) for word in said.decode().split() if word[0].isdigit())
    return {"CPU": after[0] - before[0], "CPU without the ranks": after[1] - before[1], "wall": elapsed}


def measure(cluster, options):
    shutil.copy(HERE / "logs_rank.py", cluster.state / "home/alice/logs_rank.py")
    samples = {arm: [] for arm in (PLAIN, LOGS, STILL)}
    for number in range(options.rounds):
        order = list(samples)
        for arm in order[number % 3:] + order[:number % 3]:
            await_nodes(cluster)
            samples[arm].append(run(cluster, options, arm))
        say(f"round {number + 1}: " + ", ".join(f"{arm} {rounds[-1]['CPU']:.2f} s" for arm, rounds in samples.items()))
    return samples


def lines_of(samples, options):
    of = {arm: {key: [one[key] for one in rounds] for key in rounds[0]} for arm, rounds in samples.items()}
    what = f"{options.ranks} ranks, {options.rate / 1e6:g} MB/s each for {options.seconds:g} s"
    lines = [Line(f"{what}: CPU time of all processes, {arm}", describe(of[arm]["CPU"]), "-", "-") for arm in of]
    lines += [Line(f"{what}: CPU time of all processes except the ranks, {arm}",
                   describe(of[arm]["CPU without the ranks"]), "-", "-") for arm in of]
    lines += [compare(f"CPU time of all processes: {LOGS} / {PLAIN}", of[LOGS]["CPU"], of[PLAIN]["CPU"], RATIO),
              compare(f"wall-clock time of the slowest rank, {LOGS}: srun's output not read / read", of[STILL]["wall"],
                      of[LOGS]["wall"]),
              Line("contents of the ranks' files", "as the ranks wrote them", "all", "met")]
    return lines


def parse():
    parser = case.parser("logs", __doc__, rounds=10)
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--rate", type=int, default=1_000_000, help="bytes per second from each rank")
    parser.add_argument("--seconds", type=float, default=10)
    return parser.parse_args()


def work(cluster, options):
    samples = measure(cluster, options)
    return lines_of(samples, options), samples


if __name__ == "__main__":
    cluster_case.run("logs", parse(), 2, work)
