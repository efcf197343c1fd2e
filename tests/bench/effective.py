"""The case `effective`: which share of its time a run trains if it fails every half hour, and whether muster's report says so.

Started by scripts/bench; brings up its own cluster and takes it down. Time is scaled: the program's start, its steps, its
checkpoints and the time between faults are all divided by --scale. What muster and Slurm need for a restart is not scaled,
so it weighs --scale times as much as in the run that this one stands for. The truth is what the program itself logs.
"""

import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

import case
import cluster_case
from case import say
from paired import summary
from report import Line

# The project's own limits.
SHARE = 0.97
DIFFERENCE = 0.01

OF_MUSTER = ("start_seconds", "detection_seconds", "stop_seconds", "pauses_seconds")


class Run:
    """One training, in a folder of its own."""

    def __init__(self, cluster, options, seed):
        home = cluster.state / "home/alice"
        self._folder = home / f"effective-{seed}"
        self._folder.mkdir()
        os.chown(self._folder, home.stat().st_uid, home.stat().st_gid)
        shutil.copy(pathlib.Path(__file__).with_name("effective_train.py"), self._folder / "train.py")
        scaled = {name: getattr(options, name) / options.scale for name in ("fault", "start", "checkpoint", "step")}
        steps = round(options.hours * 3600 / options.step)
        plan = shlex.quote(json.dumps({**scaled, "steps": steps, "seed": seed}))
        option = "--distributed=torch,restarts=1000,progress=progress,report=report.json"
        line = f"cd {self._folder.name} && TRAINING={plan} salloc -Q -N2 srun --ntasks-per-node=1 {option} python3 train.py"
        self._process = subprocess.Popen(cluster.as_user("alice", "bash", "-c", line), stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def end(self, timeout):
        """What the report says, with the true share of the steps that no later attempt did again."""
        _, error = self._process.communicate(timeout=timeout)
        if self._process.returncode != 0:
            sys.exit(f"bench: the run failed: {error}")
        report = json.loads((self._folder / "report.json").read_text())
        kept = {}
        for line in (self._folder / "steps.log").read_text().splitlines():
            step, seconds = line.split()
            kept[int(step)] = float(seconds)
        effective = report["effective"]
        return {"truth": sum(kept.values()) / effective["wall_seconds"], "faults": len(report["attempts"]) - 1, **effective}


def scaled_share(run, scale):
    """The share if the restarts were scaled as well."""
    restarts = sum(run[part] for part in OF_MUSTER)
    trained = run["share"] * run["wall_seconds"]
    return trained / (run["wall_seconds"] - restarts + restarts / scale)


def measure(cluster, options):
    runs = []
    for begin in range(0, options.rounds, options.at_once):
        started = [Run(cluster, options, seed) for seed in range(begin, min(begin + options.at_once, options.rounds))]
        for each in started:
            runs.append(each.end(4 * options.hours * 3600 / options.scale + 60))
            say(f"{runs[-1]['faults']} faults in {runs[-1]['wall_seconds']:.0f} s: the run trained {runs[-1]['truth']:.2%}, and "
                f"muster reports {runs[-1]['share']:.2%}")
    return runs


def percent(samples):
    one = summary(samples)
    return (f"{one.median:.1%} (min {one.least:.1%}, quartiles {one.first_quartile:.1%} to {one.third_quartile:.1%}, "
            f"n={one.count})")


def lines_of(runs, options):
    share = [run["truth"] for run in runs]
    difference = max(abs(run["share"] - run["truth"]) for run in runs)
    faults = sum(run["faults"] for run in runs)
    lost = [run["lost_work_seconds"] / run["wall_seconds"] for run in runs]
    starts = [run["startup_seconds"] / run["wall_seconds"] for run in runs]
    restarts = [sum(run[part] for part in OF_MUSTER) / run["wall_seconds"] for run in runs]
    is_scaled = options.scale != 1
    setting = (f"program start {options.start:g} s, a checkpoint every {options.checkpoint:g} s, a fault every "
               f"{options.fault / 60:g} min on average, {options.hours:g} h of training per run; "
               f"{faults} faults in {len(runs)} runs")
    if is_scaled:
        setting = f"1 s stands for {options.scale:g} s; {setting}"
    part = "as a share of the run time"
    lines = [Line(f"effective training time, {part} ({setting})", percent(share), f"{SHARE:.0%}",
                  "met" if summary(share).median >= SHARE else "missed")]
    if is_scaled:
        lines.append(Line("the same share, computed as if the restarts were scaled as well",
                          percent([scaled_share(run, options.scale) for run in runs]), "-", "-"))
    unscaled = "; not scaled" if is_scaled else ""
    lines += [Line(f"lost work, {part}", percent(lost), "-", "-"),
              Line(f"program starts, {part}", percent(starts), "-", "-"),
              Line(f"restarts (step start, failure detection, stop, pauses{unscaled}), {part}", percent(restarts),
                   "-", "-"),
              Line("largest difference between the share in muster's report and the share from the program's log",
                   f"{difference * 100:.2f} points (n={len(runs)})", f"{DIFFERENCE * 100:g} point",
                   "met" if difference <= DIFFERENCE else "missed")]
    return lines


def parse():
    parser = case.parser("effective", __doc__, rounds=6)
    parser.add_argument("--scale", type=float, default=30, help="how many seconds one second of the run stands for")
    parser.add_argument("--fault", type=float, default=1800, help="mean time between faults, in scaled seconds, as all below")
    parser.add_argument("--start", type=float, default=20, help="the program's start")
    parser.add_argument("--checkpoint", type=float, default=30, help="time between two checkpoints")
    parser.add_argument("--step", type=float, default=3, help="time of a step")
    parser.add_argument("--hours", type=float, default=2, help="length of the training")
    parser.add_argument("--at-once", type=int, default=3)
    return parser.parse_args()


def work(cluster, options):
    runs = measure(cluster, options)
    return lines_of(runs, options), runs


if __name__ == "__main__":
    options = parse()
    cluster_case.run("effective", options, 2 * options.at_once, work)
