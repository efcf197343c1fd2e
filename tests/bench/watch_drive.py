"""One watched step of the case `watch`, in a separate network namespace. The argument and the answer are JSON:

    {"program", "nodes", "heartbeat", "descriptors", "seconds", "processes"}
"""

import json
import subprocess
import sys
import time

import namespace


def start(task, *words):
    command = [task["program"], words[0], str(task["nodes"]), str(task["heartbeat"]), *map(str, words[1:])]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(supervisor):
    supervisor.stdin.write("\n")
    supervisor.stdin.flush()
    return json.loads(supervisor.stdout.readline())


def watch(task):
    supervisor = start(task, "supervisor", task["descriptors"], task["seconds"])
    port = supervisor.stdout.readline().strip()
    agents = [start(task, "agents", port, *share) for share in namespace.shares(0, task["nodes"], task["processes"])]
    try:
        began = time.monotonic()
        for process in agents:
            if process.stdout.readline() != "ready\n":
                sys.exit("bench: agents did not connect")
        established = time.monotonic() - began
        time.sleep(task["heartbeat"] / 1000 / 3)  # until all heartbeats have settled into their rhythm
        watching = ask(supervisor)
        return {"established": established, "watching": watching, "ending": ask(supervisor)}
    finally:
        for process in [*agents, supervisor]:
            process.kill()
            process.wait()


if __name__ == "__main__":
    namespace.answer(watch)
