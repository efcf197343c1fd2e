"""The part of a storm that runs inside a cluster, as root on its login node: starts the jobs of one round.

The program's one argument is a JSON object; the result of each launch goes to standard output:

  jobs       in the form that storm_plan makes
  directory  contains the programs and receives the results; visible to every node
  srun       options of each step, such as --distributed=torch
  ports      a file with a port for each job, or null if muster chooses
  first_job  the job that the file's first line is for
  at_once    the maximum number of steps on one node
"""

import json
import os
import pwd
import shlex
import signal
import subprocess
import sys
import time

DEADLINE = 60  # seconds for one job, including its wait for nodes


def address(node):
    with open("/etc/hosts", encoding="utf-8") as hosts:
        return next(line.split()[0] for line in hosts if node in line.split()[1:])


class Job:
    """One job of a user: a plain srun, or an allocation with several simultaneous steps."""

    def __init__(self, task, job):
        self.nodes, self.steps = job["nodes"], job["steps"]
        self._directory = task["directory"]
        self._task = task
        account = pwd.getpwnam(job["user"])
        lines = [self._line(step, inside=len(self.steps) > 1) for step in self.steps]
        if len(lines) == 1:
            script = lines[0]
        else:
            ranks = max(step["ranks"] for step in self.steps)
            inner = " & ".join(lines) + " & wait"
            script = f"salloc -Q {self._size(ranks)} bash -c {shlex.quote(inner)}"
        self._process = subprocess.Popen(
            ["bash", "-c", script], user=account.pw_uid, group=account.pw_gid, extra_groups=[], cwd="/",
            env=self._environment(account), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
        self._end = time.monotonic() + DEADLINE
        self._patient = True

    def _environment(self, account):
        own = {"PATH": os.environ["PATH"], "HOME": account.pw_dir, "USER": account.pw_name, "LANG": "C.UTF-8",
               "SLURM_CONF": os.environ["SLURM_CONF"]}
        if self._task["ports"]:
            own["MASTER_ADDR"] = address(self.nodes[0])  # the correct address, because only the port is tested
        return own

    def _size(self, ranks):
        return f"-N2 -n{ranks} --overcommit --oversubscribe -w {','.join(self.nodes)}"

    def _line(self, step, inside):
        where = f"--overlap -N2 -n{step['ranks']}" if inside else self._size(step["ranks"])
        words = [f"{self._directory}/storm_rank", self._directory, step["launch"], step["nonce"], str(step["hold"]),
                 step["server"]]
        if self._task["ports"]:
            words += [self._task["ports"], str(self._task["first_job"])]
        said = f"{self._directory}/said/{step['launch']}"
        options = shlex.join(self._task["srun"])
        return f"{{ srun {where} {options} {shlex.join(words)} >{said} 2>&1; echo $? >{said}.code; }}"

    def runs(self):
        if self._process.poll() is None and time.monotonic() > self._end:
            # Signals the whole session: an srun left behind would disturb the next round.
            os.killpg(self._process.pid, signal.SIGTERM if self._patient else signal.SIGKILL)
            self._patient = False
            self._end += 10
        return self._process.poll() is None

    def outcome(self):
        return [step | {"alone": len(self.steps) == 1, **self._said(step["launch"])} for step in self.steps]

    def _said(self, launch):
        said = f"{self._directory}/said/{launch}"
        try:
            with open(said, encoding="utf-8", errors="replace") as text, open(f"{said}.code", encoding="ascii") as code:
                return {"code": int(code.read()), "said": text.read()[:2000]}
        except (OSError, ValueError):
            return {"code": None, "said": "srun did not end in time"}


def drive(task):
    waiting, running, ended = list(task["jobs"]), [], []
    load = {}
    while waiting or running:
        for job in [job for job in running if not job.runs()]:
            running.remove(job)
            ended.append(job)
            for node in job.nodes:
                load[node] -= len(job.steps)
        while waiting and all(load.get(node, 0) + len(waiting[0]["steps"]) <= task["at_once"]
                              for node in waiting[0]["nodes"]):
            job = Job(task, waiting.pop(0))
            running.append(job)
            for node in job.nodes:
                load[node] = load.get(node, 0) + len(job.steps)
        time.sleep(0.02)
    return [step for job in ended for step in job.outcome()]


def main():
    task = json.loads(sys.argv[1])
    for name in ("said", "failed"):
        path = f"{task['directory']}/{name}"
        os.makedirs(path, exist_ok=True)
        os.chmod(path, 0o1777)
    notes = f"{task['directory']}/notes"
    with open(notes, "w", encoding="utf-8"):
        os.chmod(notes, 0o666)
    launches = drive(task)
    with open(notes, encoding="utf-8") as file:
        json.dump({"launches": launches, "notes": file.read().splitlines()}, sys.stdout)


if __name__ == "__main__":
    main()
