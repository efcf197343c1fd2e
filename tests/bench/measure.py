"""The part of the launch benchmark that runs inside a cluster, as root on its login node.

The program arrives on standard input and its results go to standard output as JSON, so that no file of
the checkout has to be visible in the cluster's namespaces. The first argument is one JSON object that says what to do:

  pairs    {"rounds": N, "arms": [{"name", "plugin": bool, "srun": [...]}, ...], "nodes": "-N3 -n6"}
  memory   {"rounds": N, "srun": [...]}

Everything is timed inside one allocation of an ordinary user, so that scheduling is not included.
"""

import glob
import json
import os
import pwd
import subprocess
import sys
import time

USER = "alice"


def fail(text):
    sys.exit(f"bench: {text}")


class Plugstack:
    """The one file that loads the plugin. srun and slurmstepd read it again at each launch, so emptying it removes the
    plugin from both."""

    def __init__(self):
        self.path = os.path.dirname(os.environ["SLURM_CONF"]) + "/plugstack.conf.d/muster.conf"
        with open(self.path, encoding="utf-8") as file:
            self.line = file.read()
        self.installed = True

    def set(self, installed):
        if installed == self.installed:
            return
        # Written in place, because the nodes see this same file.
        with open(self.path, "r+", encoding="utf-8") as file:
            file.write(self.line if installed else "")
            file.truncate()
        self.installed = installed


class Allocation:
    """One user's nodes, held for the whole measurement."""

    def __init__(self, size):
        self.account = pwd.getpwnam(USER)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": self.account.pw_dir, "USER": USER,
            "SLURM_CONF": os.environ["SLURM_CONF"], "LANG": "C.UTF-8",
        }
        done = self.run(["salloc", "--no-shell", "--exclusive", *size], stderr=subprocess.PIPE)
        words = done.stderr.split()
        if done.returncode or "allocation" not in words:
            fail(f"no allocation: {done.stderr.strip()}")
        self.job = words[words.index("allocation") + 1].rstrip(".")
        self.environment["SLURM_JOB_ID"] = self.job

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run(["scancel", self.job])

    def start(self, command, **more):
        return subprocess.Popen(
            command, user=self.account.pw_uid, group=self.account.pw_gid, extra_groups=[],
            env=self.environment, cwd="/", stdin=subprocess.DEVNULL, text=True, **more)

    def run(self, command, **more):
        process = self.start(command, **more)
        _, error = process.communicate()
        return subprocess.CompletedProcess(command, process.returncode, None, error)

    def seconds(self, command):
        begin = time.monotonic()
        done = self.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        seconds = time.monotonic() - begin
        if done.returncode:
            fail(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()}")
        return seconds


def processes(name):
    """Ids of this cluster's processes that run this program (Debian has slurmstepd-wlm)."""
    ids = []
    for path in glob.glob("/proc/[0-9]*/exe"):
        try:
            if os.path.basename(os.readlink(path)).startswith(name) and in_this_cluster(path):
                ids.append(path.split("/")[2])
        except OSError:
            continue  # the process has just ended
    return ids


def in_this_cluster(exe):
    # The mounts of a cluster's processes begin with a tag that contains the cluster's name.
    with open(exe.replace("exe", "mountinfo"), encoding="utf-8") as mounts:
        return f" muster-cluster:{os.environ['SLURM_CONF'].split('/')[-3]} " in mounts.read()


def agents():
    found = []
    for process in processes("muster-agent"):
        try:
            with open(f"/proc/{process}/cmdline", encoding="utf-8") as file:
                if file.read().split("\0")[1:2] == ["agent"]:
                    found.append(process)
        except OSError:
            continue
    return found


def peak_kilobytes(process):
    with open(f"/proc/{process}/status", encoding="utf-8") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0


def wait_for(condition, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    return None


def loaded_in_slurmstepd():
    """Whether the running slurmstepds have mapped the plugin, one answer each."""
    answers = []
    for process in processes("slurmstepd"):
        try:
            with open(f"/proc/{process}/maps", encoding="utf-8") as maps:
                answers.append("/muster.so" in maps.read())
        except OSError:
            continue
    return answers


def check_switch(plugstack, allocation, nodes):
    """Checks that emptying the file really removes the plugin from srun and slurmstepd."""
    for installed in (True, False):
        plugstack.set(installed)
        known = not allocation.run(["srun", *nodes, "--distributed=off", "true"],
                                   stderr=subprocess.DEVNULL).returncode
        step = allocation.start(["srun", *nodes, "sleep", "1000"])
        wait_for(loaded_in_slurmstepd, 20)
        time.sleep(0.5)  # slurmstepd has just started: it may not have loaded its plugins yet
        loaded = loaded_in_slurmstepd()
        step.terminate()
        step.wait()
        if known != installed or loaded != [installed]:
            fail(f"plugin {'in' if installed else 'out'}: srun knows the option: {known}, in slurmstepd: {loaded}")


def measure_pairs(task):
    plugstack = Plugstack()
    arms = task["arms"]
    seconds = {arm["name"]: [] for arm in arms}
    with Allocation(task["nodes"]) as allocation:
        try:
            if any(not arm["plugin"] for arm in arms):
                check_switch(plugstack, allocation, task["nodes"])
            for number in range(-task.get("warm_up", 3), task["rounds"]):
                # Each round starts with a different arm, so that the after-effects of one arm affect all others
                # equally.
                first = number % len(arms)
                for arm in arms[first:] + arms[:first]:
                    plugstack.set(arm["plugin"])
                    # --overlap: otherwise a step may have to wait for resources that the previous one has not released
                    # yet.
                    taken = allocation.seconds(["srun", "--overlap", *task["nodes"], *arm["srun"]])
                    if number >= 0:
                        seconds[arm["name"]].append(taken)
        finally:
            plugstack.set(True)
    return seconds


def measure_memory(task):
    peaks, waits = [], []
    with Allocation(task["nodes"]) as allocation:
        for _ in range(task["rounds"]):
            step = allocation.start(["srun", *task["nodes"], *task["srun"], "sleep", str(task["seconds"])])
            if not wait_for(lambda: len(agents()) == task["agents"], task["seconds"]):
                fail(f"{len(agents())} agents run, not {task['agents']}")
            # In the middle of the step: the plan has been made and the tasks are running.
            time.sleep(task["seconds"] / 2)
            peaks += [peak_kilobytes(agent) for agent in agents()]
            if step.wait():
                fail(f"srun ended with {step.returncode}")
            begin = time.monotonic()
            gone = wait_for(lambda: not agents(), 10)
            waits.append(time.monotonic() - begin if gone else None)
    return {"peak_kilobytes": peaks, "seconds_until_gone": waits, "left": len(agents())}


def main():
    task = json.loads(sys.argv[1])
    measure = {"pairs": measure_pairs, "memory": measure_memory}[task["what"]]
    json.dump(measure(task), sys.stdout)


if __name__ == "__main__":
    main()
