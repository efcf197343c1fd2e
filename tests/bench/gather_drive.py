"""One meeting of the case `gather`, in a separate network namespace. The argument and the answer are JSON:

    {"program", "nodes", "width", "descriptors", "seconds", "processes"}
"""

import json
import subprocess
import sys
import time

import namespace

PORT = 9000


def start(task, role, *words):
    command = [task["program"], role, str(task["nodes"]), str(task["width"]), str(PORT), str(task["seconds"]), *map(str, words)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def begin(processes):
    for process in processes:
        if process.stdout.readline() != "ready\n":
            sys.exit(f"bench: {process.args[1]} did not start")
    began = time.monotonic()
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    return began


def meet(task):
    processes = [start(task, "leader", task["descriptors"])]
    processes += [start(task, "members", *share) for share in namespace.shares(1, task["nodes"], task["processes"])]
    began = begin(processes)
    leader, *members = (json.loads(process.communicate()[0]) for process in processes)
    return {"go": max(one["end"] for one in members) - began, "leader": leader["end"] - began, "cpu": leader["cpu"],
            "peak": leader["peak_kib"], "start": leader["start_kib"], "met": sum(one["met"] for one in members),
            "failure": leader["failure"]}


if __name__ == "__main__":
    namespace.answer(meet)
