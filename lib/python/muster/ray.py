"""A Ray cluster on the nodes of a step, for as long as one program runs.

    srun --ntasks-per-node=1 --distributed=ray python -m muster.ray [--RAY-START-OPTION=VALUE]... PROGRAM.py [ARGUMENT]...
    srun --ntasks-per-node=1 --distributed=ray python -m muster.ray [--RAY-START-OPTION=VALUE]... -- COMMAND...

Rank 0's node is the head, at the step's own address and port; the others join it. Once all have joined, the program
runs on the head with RAY_ADDRESS set, so that ray.init() finds the cluster. When the program ends, the cluster ends,
and the step gets its exit code. Each step has its own cluster, separate from other users and steps on the same nodes.

Ray starts as many workers as the task has CPUs; the options are those of `ray start`. Needs Python 3.8 and the package
ray.
"""

import hashlib
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from typing import Dict, List, MutableMapping, NoReturn, Tuple

from muster._children import adopt_orphans, die_with_parent, end_all, exit_code

USAGE = "usage: python -m muster.ray [--OPTION=VALUE]... PROGRAM.py [ARGUMENT]... | [--OPTION=VALUE]... -- COMMAND..."
PATIENCE = 300.0  # seconds until all nodes have joined; reading Python's packages from a busy file system takes minutes
INTERVAL = 0.2
AUTHENTICATING = (2, 52)  # the first Ray whose clusters can require a token
GONE = 3  # this many consecutive checks find no head
# To the program and to Ray's workers these would say "one rank of many", which meets the others at Ray's own port.
PLACING = ("RANK", "WORLD_SIZE", "NODE_RANK", "MASTER_ADDR", "MASTER_PORT")


def fail(why: str) -> NoReturn:
    sys.exit("muster.ray: " + why)


def parse(words: List[str]) -> Tuple[List[str], List[str]]:
    """Returns the options for `ray start`, and the command."""
    options = []
    while words and words[0].startswith("-") and words[0] != "--":
        if words[0] in ("-h", "--help"):
            sys.exit(USAGE)
        options.append(words[0])
        words = words[1:]
    if words[:1] == ["--"]:
        command = words[1:]
    else:
        command = [sys.executable, *words] if words else []
    if not command:
        fail(f"no program given; {USAGE}")
    return options, command


class Place:
    """This task's position in the step, from the profile's variables."""

    def __init__(self, environment: Dict[str, str]) -> None:
        try:
            self.rank = int(environment["RANK"])
            self.nodes = int(environment["WORLD_SIZE"])
            self.head = environment["MASTER_ADDR"], int(environment["MASTER_PORT"])
        except (KeyError, ValueError) as error:
            fail(f"{error}: this is not a muster step; start it with srun --ntasks-per-node=1 --distributed=ray")
        self.address = "[{}]:{}".format(*self.head) if ":" in self.head[0] else "{}:{}".format(*self.head)
        step = "{}.{}".format(environment.get("SLURM_JOB_ID", "0"), environment.get("SLURM_STEP_ID", "0"))
        # Ray's default, /tmp/ray, belongs to the first user on the node. A socket's path can have at most 107 bytes.
        self.folder = os.path.join(tempfile.gettempdir(), f"ray-{os.getuid()}-{step}")

    def own_address(self) -> str:
        """The address that this node uses to reach the head."""
        if self.rank == 0:
            return self.head[0]
        family = socket.AF_INET6 if ":" in self.head[0] else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect(self.head)
            return str(probe.getsockname()[0])

    def head_listens(self) -> bool:
        try:
            socket.create_connection(self.head, timeout=5).close()
        except OSError:
            return False
        return True


def forget_place(environment: MutableMapping[str, str]) -> None:
    """A program that trains in one process, or a trial that does, must not believe that it is a rank of the step.
    Libraries that form groups of Ray's workers, such as Ray Train and vLLM, set these variables themselves."""
    for name in PLACING:
        environment.pop(name, None)


def make_folder(folder: str) -> None:
    """Makes the user's own folder: its name is predictable, and another user who created it first could read and
    replace Ray's sockets."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        found = os.lstat(folder)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) & 0o077:
            fail(f"{folder} is not yours alone: someone else may have created it; set TMPDIR to a folder of your own")
    except OSError as error:
        fail(f"{folder}: {error.strerror}; set TMPDIR to a place that you can write to on every node")


def start_ray(place: Place, options: List[str]) -> "subprocess.Popen[bytes]":
    ray = shutil.which("ray", path=os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", ""))
    if ray is None:
        fail("no ray program next to this Python or on PATH; run pip install ray")
    make_folder(place.folder)
    words = [ray, "start", "--block", f"--node-ip-address={place.own_address()}", "--disable-usage-stats"]
    if place.rank == 0:
        words += ["--head", f"--port={place.head[1]}", f"--temp-dir={place.folder}", "--include-dashboard=false"]
    else:
        words.append(f"--address={place.address}")
    if not any(option.startswith("--num-cpus") for option in options):
        words.append(f"--num-cpus={len(os.sched_getaffinity(0))}")
    environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    with open(os.devnull, "wb") as nothing:
        # Discards its messages, which are for people at a terminal; its logs are below the temporary folder.
        return subprocess.Popen(words + options, env=environment, stdin=nothing, stdout=nothing, preexec_fn=die_with_parent)


def await_head(place: Place, ray: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + PATIENCE
    while not place.head_listens():
        if ray.poll() is not None:
            fail(f"ray start exited with code {ray.returncode} on {socket.gethostname()}; its logs are in {place.folder}")
        if time.monotonic() > deadline:
            fail(f"Ray's head at {place.address} was not up within {PATIENCE:.0f} s; its logs are in {place.folder} there")
        time.sleep(INTERVAL)


def await_nodes(place: Place, process: "subprocess.Popen[bytes]") -> None:
    import ray

    ray.init(address=place.address, log_to_driver=False, logging_level="error")
    deadline = time.monotonic() + PATIENCE
    while True:
        there = sum(1 for node in ray.nodes() if node["Alive"])
        if there >= place.nodes:
            break
        if process.poll() is not None:
            fail(f"ray start exited with code {process.returncode} on the head; its logs are in {place.folder}")
        if time.monotonic() > deadline:
            fail(f"only {there} of {place.nodes} nodes joined Ray's head at {place.address} within {PATIENCE:.0f} s")
        time.sleep(INTERVAL)
    ray.shutdown()


def run_program(place: Place, command: List[str], ray: "subprocess.Popen[bytes]") -> int:
    program = subprocess.Popen(command, env={**os.environ, "RAY_ADDRESS": place.address}, preexec_fn=die_with_parent)
    for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, lambda received, _: program.send_signal(received))
    while program.poll() is None:
        if ray.poll() is not None:
            fail(f"Ray's head exited with code {ray.returncode} while the program ran; its logs are in {place.folder}")
        time.sleep(INTERVAL / 4)
    return exit_code(program.returncode)


def be_head(place: Place, options: List[str], command: List[str]) -> int:
    ray = start_ray(place, options)
    try:
        await_head(place, ray)
        await_nodes(place, ray)
        code = run_program(place, command, ray)
    finally:
        end_all(ray)  # Ray's agents outlive `ray start` and its raylet
    if code == 0:
        shutil.rmtree(place.folder, ignore_errors=True)
    else:
        print(f"muster.ray: Ray's logs are in {place.folder} on {socket.gethostname()}", file=sys.stderr)
    return code


def be_worker(place: Place, options: List[str]) -> int:
    deadline = time.monotonic() + PATIENCE
    while not place.head_listens():
        if time.monotonic() > deadline:
            fail(f"Ray's head at {place.address} was not up within {PATIENCE:.0f} s")
        time.sleep(INTERVAL)
    ray = start_ray(place, options)
    missed = 0
    try:
        # Ray itself would retry for a minute in case its head comes back.
        while ray.poll() is None and missed < GONE:
            missed = 0 if place.head_listens() else missed + 1
            time.sleep(INTERVAL)
        # Ray's own processes may be the first to notice that the head has ended.
        while missed < GONE and not place.head_listens():
            missed += 1
            time.sleep(INTERVAL)
        if missed < GONE:
            fail(f"Ray exited with code {ray.returncode} on {socket.gethostname()} while its head ran; "
                 f"its logs are in {place.folder}")
    finally:
        end_all(ray)
    shutil.rmtree(place.folder, ignore_errors=True)
    return 0


def only_for_this_step(environment: MutableMapping[str, str], version: Tuple[int, ...]) -> str:
    """Anyone who can reach an open Ray cluster can run programs in it. All nodes of the step share the step's own key.

    Returns why the cluster is open although the user has not chosen that; empty if it is closed or the user chose
    it."""
    if "RAY_AUTH_MODE" in environment:
        return ""
    if version < AUTHENTICATING:
        return "this Ray has no authentication: use Ray 2.52 or newer"
    key = environment.get("MUSTER_EXCHANGE_KEY", "")
    if not key:
        return "the step has no key: start it with srun --distributed=ray and without supervise=off"
    environment["RAY_AUTH_MODE"] = "token"
    environment["RAY_AUTH_TOKEN"] = hashlib.sha256(b"ray " + key.encode()).hexdigest()
    return ""


def version_of_ray() -> Tuple[int, ...]:
    """(2, 52) for "2.52.0rc1"; () without Ray, in which case `ray start` reports more."""
    from importlib import metadata

    try:
        words = metadata.version("ray").split(".")
    except metadata.PackageNotFoundError:
        return ()
    return tuple(int(word) for word in words[:2] if word.isdigit())


def main() -> None:
    options, command = parse(sys.argv[1:])
    adopt_orphans()
    place = Place(dict(os.environ))
    forget_place(os.environ)
    version = version_of_ray()
    why_open = only_for_this_step(os.environ, version)
    if version and why_open and place.rank == 0:
        print(f"muster.ray: warning: anyone who can reach {place.address} can run programs as you, because {why_open}; "
              "export RAY_AUTH_MODE=disabled if this is intended", file=sys.stderr)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    sys.exit(be_head(place, options, command) if place.rank == 0 else be_worker(place, options))


if __name__ == "__main__":
    main()
