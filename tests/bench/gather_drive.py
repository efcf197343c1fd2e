"""One meeting of the case `gather`, in a network namespace of its own: nobody else's ports, no TIME_WAIT of an
earlier one. The argument is JSON, and so is the answer:

  {"program", "nodes", "width", "descriptors", "seconds", "processes"}
"""

import json
import subprocess
import sys
import time

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
    parts = task["processes"]
    bounds = [1 + (task["nodes"] - 1) * part // parts for part in range(parts + 1)]
    processes = [start(task, "leader", task["descriptors"])]
    processes += [start(task, "members", first, last) for first, last in zip(bounds, bounds[1:], strict=False)]
    began = begin(processes)
    leader, *members = (json.loads(process.communicate()[0]) for process in processes)
    return {"go": max(one["end"] for one in members) - began, "leader": leader["end"] - began, "cpu": leader["cpu"],
            "peak": leader["peak_kib"], "start": leader["start_kib"], "met": sum(one["met"] for one in members),
            "failure": leader["failure"]}


def main():
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with open("/proc/sys/net/ipv4/ip_local_port_range", "w", encoding="utf-8") as file:
        file.write("10000 65535")
    json.dump(meet(json.loads(sys.argv[1])), sys.stdout)


if __name__ == "__main__":
    main()
