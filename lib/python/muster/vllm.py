"""A vLLM server on the nodes of a step.

    srun --ntasks-per-node=1 --distributed=vllm python -m muster.vllm serve MODEL [--OPTION=VALUE]...
    srun --ntasks-per-node=1 --distributed=vllm python -m muster.vllm -- COMMAND... serve MODEL [--OPTION=VALUE]...

The arguments are those of `vllm`; COMMAND is a program that receives them instead. Every node runs its part of the
server, and rank 0's node also serves the API. The step determines how many nodes there are, which one this is and where
they rendezvous: --nnodes, --node-rank, --master-addr, --master-port and --headless are added. When the head ends, the
parts on the other nodes also end, and the step gets the head's exit code; without muster.vllm they would wait forever.
Needs Python 3.8 and vLLM 0.12 or newer.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import List, Mapping, NoReturn, Tuple

from muster._children import adopt_orphans, die_with_parent, end_all, exit_code

USAGE = "usage: python -m muster.vllm serve MODEL [--OPTION=VALUE]... | -- COMMAND... serve MODEL [--OPTION=VALUE]..."
THE_STEPS = ("--nnodes", "--node-rank", "--master-addr", "--master-port", "--headless", "-n", "-r")
PATIENCE = 300.0  # seconds until the head is up; reading Python's packages from a busy file system takes minutes
INTERVAL = 0.2
GONE = 3  # this many consecutive checks find no head
TIME_TO_FOLLOW = 10.0  # seconds for the head to end after another node's part has ended successfully

Address = Tuple[str, int]


def fail(why: str, code: int = 1) -> NoReturn:
    print("muster.vllm: " + why, file=sys.stderr)
    sys.exit(code)


def parse(words: List[str], vllm: str) -> List[str]:
    """The command, without the options that the step adds. vllm: the program to use if the user gives no COMMAND."""
    if words[:1] in (["-h"], ["--help"]):
        print(USAGE)
        sys.exit(0)
    command = words[1:] if words[:1] == ["--"] else [vllm, *words]
    if "serve" not in command:
        fail(f"no 'serve' given; {USAGE}")
    for word in command[command.index("serve"):]:
        option = word.partition("=")[0].replace("_", "-") if word.startswith("--") else word
        if option in THE_STEPS:
            fail(f"{word}: the step sets this option; leave it out")
    return command


class Place:
    """This task's position in the step, from the profile's variables."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        try:
            self.rank = int(environment["RANK"])
            self.nodes = int(environment["WORLD_SIZE"])
            self.meeting: Address = environment["MASTER_ADDR"], int(environment["MASTER_PORT"])
            # Nothing is sent there: the port is open as long as the head is running.
            host, _, port = json.loads(environment["MUSTER_ENDPOINTS"])[0].rpartition(":")
            self.head: Address = host.strip("[]"), int(port)
        except (KeyError, ValueError, IndexError, TypeError, AttributeError) as error:
            fail(f"{error}: this is not a muster step; start it with srun --ntasks-per-node=1 --distributed=vllm")

    def words(self) -> List[str]:
        """What `vllm serve` needs to know."""
        if self.nodes == 1:
            return []
        address, port = self.meeting
        return [f"--nnodes={self.nodes}", f"--node-rank={self.rank}", f"--master-addr={address}",
                f"--master-port={port}", *(["--headless"] if self.rank > 0 else [])]


def start(command: List[str]) -> "subprocess.Popen[bytes]":
    try:
        process = subprocess.Popen(command, preexec_fn=die_with_parent)
    except OSError as error:
        fail(f"{command[0]}: {error.strerror}", 127 if isinstance(error, FileNotFoundError) else 126)
    for number in (signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, lambda received, _: process.send_signal(received))
    return process


def be_there(address: Address) -> None:
    """Accepts connections at the address as long as this process lives."""
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    try:
        server = socket.create_server(address, family=family, backlog=1024)
    except OSError as error:
        fail(f"{address[0]} port {address[1]}: {error.strerror}")

    def answer() -> None:
        while True:
            try:
                server.accept()[0].close()
            except OSError:
                time.sleep(INTERVAL)  # no free descriptor, or the peer is gone
    threading.Thread(target=answer, daemon=True).start()


def is_there(head: Address) -> bool:
    try:
        socket.create_connection(head, timeout=5).close()
    except OSError:
        return False
    return True


def is_gone(head: Address) -> bool:
    for _ in range(GONE):
        if is_there(head):
            return False
        time.sleep(INTERVAL)
    return True


def be_head(place: Place, command: List[str]) -> int:
    be_there(place.head)
    process = start(command)
    try:
        return exit_code(process.wait())
    finally:
        end_all(process)


def await_head(place: Place) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_there(place.head):
        if time.monotonic() > deadline:
            fail(f"the head at {place.head[0]} was not up within {PATIENCE:.0f} s")
        time.sleep(INTERVAL)


def be_worker(place: Place, command: List[str]) -> int:
    await_head(place)
    process = start(command)
    try:
        while process.poll() is None and not is_gone(place.head):
            time.sleep(5 * INTERVAL)
        code = exit_code(process.returncode or 0)
        # This node may notice the end first. Its own failure is what to report, not what the head does afterwards.
        deadline = time.monotonic() + TIME_TO_FOLLOW
        while code == 0 and not is_gone(place.head):
            if time.monotonic() > deadline:
                fail(f"vLLM exited with code 0 on {socket.gethostname()} while its head ran")
        if code != 0:
            fail(f"vLLM exited with code {code} on {socket.gethostname()}", code)
    finally:
        end_all(process)
    return 0


def vllm_program() -> str:
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", "")
    return shutil.which("vllm", path=path) or "vllm"


def main() -> None:
    command = parse(sys.argv[1:], vllm_program())
    adopt_orphans()
    place = Place(os.environ)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    command += place.words()
    sys.exit(be_head(place, command) if place.rank == 0 else be_worker(place, command))


if __name__ == "__main__":
    main()
