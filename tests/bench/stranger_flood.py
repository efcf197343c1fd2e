"""What one user can do to another on a node that both use, repeated until standard input ends or time is up.
Runs as a task of the stranger's own step, one on each node:

    stranger_flood.py SECONDS COUNTS

It takes ports and abstract names, connects to every listener, tries to signal, trace and read other users' processes,
and puts its own files where others look for theirs. COUNTS gets one JSON object with how often each succeeded.
"""

import collections
import contextlib
import ctypes
import json
import os
import pathlib
import random
import signal
import socket
import sys
import time

from stranger_sockets import named, open_as_many_as_allowed, server  # from the live tests, copied next to this file

PORTS = [*range(20000, 30000), *range(61000, 65536)]
MOST_PORTS, MOST_VISITS = 3000, 800
PTRACE_SEIZE, PTRACE_DETACH = 0x4206, 17
GARBAGE = [b"", b"\0", b"muster", b"GET / HTTP/1.0\r\n\r\n", bytes(range(256)), b"\xff" * 4096]

counts = collections.Counter()
libc = ctypes.CDLL(None, use_errno=True)


def take_ports(held):
    """With SO_REUSEADDR and SO_REUSEPORT, like a process that wants to be reached in place of another one."""
    for port in random.sample(PORTS, 200):
        with contextlib.suppress(OSError):
            held.append(server(random.choice(["0.0.0.0", "::"]), port, socket.SO_REUSEADDR, socket.SO_REUSEPORT))
            held[-1].setblocking(False)
            counts["ports taken"] += 1
    while len(held) > MOST_PORTS:
        held.pop(random.randrange(len(held))).close()


def greet_visitors(held):
    for one in random.sample(held, min(len(held), 300)):
        with contextlib.suppress(OSError):
            visitor, _ = one.accept()
            counts["incoming connections answered"] += 1
            with visitor:
                visitor.send(random.choice(GARBAGE))


def listeners():
    """Ports on which others listen here."""
    for table in ("tcp", "tcp6"):
        for line in pathlib.Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and int(words[7]) != os.getuid():
                yield int(words[1].rpartition(":")[2], 16)


def visit(held):
    """Connections that send nothing, or hostile data, and stay open."""
    for port in [*listeners()][:100]:
        one = socket.socket()
        one.settimeout(0.05)
        try:
            one.connect((socket.gethostname(), port))
            one.send(random.choice(GARBAGE))
        except OSError:
            one.close()
            continue
        counts["connections to other users' ports"] += 1
        held.append(one)
    while len(held) > MOST_VISITS:
        held.pop(0).close()


def take_names(held):
    for name in [f"muster/port/{random.choice(PORTS)}", f"muster/exec/{random.randrange(20000, 20010)}/1.0/node1"]:
        with contextlib.suppress(OSError):
            held.append(named(name, socket.SOCK_STREAM))
            counts["abstract socket names taken"] += 1
    for line in pathlib.Path("/proc/net/unix").read_text().splitlines()[1:]:
        name = line.partition("@")[2]
        if not name:
            continue
        with socket.socket(socket.AF_UNIX) as one, contextlib.suppress(OSError):
            one.settimeout(0.05)
            one.connect("\0" + name)
            one.send(random.choice(GARBAGE))
            counts["connections to abstract sockets"] += 1
    del held[:-500]


def others():
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if folder.stat().st_uid != os.getuid():
                yield int(folder.name)


def harm_processes():
    for pid in others():
        for number in (0, signal.SIGSTOP, signal.SIGKILL):
            with contextlib.suppress(OSError):
                os.kill(pid, number)
                counts["signals to others"] += 1
        if libc.ptrace(PTRACE_SEIZE, pid, 0, 0) == 0:
            counts["others traced"] += 1
            libc.ptrace(PTRACE_DETACH, pid, 0, 0)
        for name in ("environ", "mem", "maps"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/{name}", "rb") as file:
                if file.read(1):  # a process that has just ended has nothing left to read
                    counts[f"others' {name} read"] += 1


def squat():
    for folder in ("/tmp", "/dev/shm"):
        job = random.randrange(400)
        for name in (f"muster-cache-{random.randrange(20000, 20010)}", f"muster-{job}.0-node1-abcdef"):
            with contextlib.suppress(OSError):
                os.symlink("/etc", f"{folder}/{name}")
                counts["symlinks planted"] += 1


def main():
    end = time.monotonic() + float(sys.argv[1])
    open_as_many_as_allowed()
    ports, visits, names = [], [], []
    while time.monotonic() < end:
        for step in (lambda: take_ports(ports), lambda: greet_visitors(ports), lambda: visit(visits),
                     lambda: take_names(names), harm_processes, squat):
            step()
        counts["rounds"] += 1
        time.sleep(0.05)  # two CPUs serve all nodes
    pathlib.Path(sys.argv[2]).write_text(json.dumps(counts), encoding="utf-8")


main()
