"""The case `launch`: what muster costs a step that does not use it, and what it adds to one that does.

Started by scripts/bench; brings up its own clusters and takes them down.
"""

import argparse
import json
import pathlib
import signal
import subprocess
import sys
import tempfile

from bench_cluster import Cluster, running_cluster
from case import CHECKOUT, HERE, OUT, say
from report import (Line, circumstances, compare, describe, describe_circumstances, milliseconds, plot, record,
                    table, write_json)

NAME = "bench-launch"

# The project's own limits.
UNUSED_RATIO = 1.01
LAUNCH_RATIO = 1.12
SHIM_KIB = 1024
AGENT_KIB = 9 * 1024
# Libraries that every program gets from libc's package.
LIBC = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}

PMIX = ["--mpi=pmix", "true"]
TORCH = ["--distributed=torch", "true"]
UNSUPERVISED = ["--distributed=torch,supervise=off", "true"]


def measure(**task):
    """What measure.py prints; srun's own output goes to a log."""
    with (HERE / "measure.py").open("rb") as program, (OUT / "launch.log").open("ab") as log:
        done = subprocess.run(Cluster(NAME).as_user("root", "python3", "-", json.dumps(task)), check=True,
                              stdin=program, stdout=subprocess.PIPE, stderr=log)
    return json.loads(done.stdout)


def arm(name, srun, plugin=True):
    return {"name": name, "plugin": plugin, "srun": srun}


def unused(rounds, samples):
    say(f"srun true with and without the plugin, {rounds} pairs")
    arms = [arm("without the plugin", ["true"], plugin=False), arm("with the plugin, unused", ["true"])]
    kinds = measure(what="pairs", rounds=rounds, nodes=["-N1", "-n1"], arms=arms)
    samples["srun true, one task"] = kinds
    base, plugin = kinds.values()
    return [Line("`srun true`, no plugin", describe(base), "-", "-"),
            Line("`srun true`, plugin loaded but unused", describe(plugin), "-", "-"),
            compare("`srun true`: unused plugin / no plugin", plugin, base, UNUSED_RATIO)]


def launch(rounds, samples, nodes, title, supervise_off=True):
    say(f"srun --distributed=torch and --mpi=pmix, {title}, {rounds} rounds")
    arms = [arm("--mpi=pmix", PMIX), arm("--distributed=torch", TORCH)]
    if supervise_off:
        arms.append(arm("torch,supervise=off", UNSUPERVISED))
    kinds = measure(what="pairs", rounds=rounds, nodes=nodes, arms=arms)
    samples[title] = kinds
    line = " ".join(nodes)
    base = kinds["--mpi=pmix"]
    lines = [Line(f"`srun --mpi=pmix {line} true`", describe(base), "-", "-"),
             Line(f"`srun --distributed=torch {line} true`", describe(kinds["--distributed=torch"]), "-", "-")]
    lines.append(compare(f"`{line}`: `--distributed=torch` / `--mpi=pmix`", kinds["--distributed=torch"], base,
                         LAUNCH_RATIO))
    if supervise_off:
        lines.append(compare(f"`{line}`: `--distributed=torch,supervise=off` / `--mpi=pmix`",
                             kinds["torch,supervise=off"], base))
    return lines


def memory(rounds, samples, nodes, agents, seconds):
    say(f"memory of {agents} agents")
    result = measure(what="memory", rounds=rounds, nodes=nodes, agents=agents, seconds=seconds,
                     srun=["--distributed=torch"])
    samples[f"memory of {agents} agents"] = result
    peak = max(result["peak_kilobytes"])
    waits = result["seconds_until_gone"]
    gone = result["left"] == 0 and None not in waits
    count = len(result["peak_kilobytes"])
    return [Line(f"peak resident memory of an agent ({agents} nodes), largest of {count} agents",
                 f"{peak / 1024:.1f} MiB", f"{AGENT_KIB // 1024} MiB", "met" if peak <= AGENT_KIB else "missed"),
            Line(f"agents left after the step ({agents} nodes)", f"{result['left']}" + (
                f"; the last one ended at most {milliseconds(max(waits))} after srun" if gone else ""), "0",
                 "met" if gone else "missed")]


def needed(path):
    text = subprocess.run(["readelf", "-d", str(path)], check=True, capture_output=True, text=True).stdout
    return {line.split("[")[1].rstrip("]") for line in text.splitlines() if "(NEEDED)" in line}


def shim(build):
    """Size and libraries of muster.so as a package installs it: stripped."""
    with tempfile.TemporaryDirectory() as stage:
        subprocess.run(["cmake", "--install", str(build), "--strip"], check=True, stdout=subprocess.DEVNULL,
                       env={"PATH": "/usr/bin:/bin", "DESTDIR": stage})
        plugin = next(pathlib.Path(stage).rglob("muster.so"))
        size, added = plugin.stat().st_size / 1024, needed(plugin) - LIBC
    return [Line("size of muster.so on disk, stripped", f"{size:.0f} KiB", f"{SHIM_KIB} KiB",
                 "met" if size <= SHIM_KIB else "missed"),
            Line("shared libraries that muster.so adds to srun and slurmstepd",
                 ", ".join(sorted(added)) or "none", "none", "missed" if added else "met")]


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench launch")
    parser.add_argument("--build", type=pathlib.Path, default=CHECKOUT / "build")
    parser.add_argument("--rounds", type=int, default=200, help="pairs per comparison (a verdict needs at least 100)")
    parser.add_argument("--large-rounds", type=int, default=40, help="rounds on 32 nodes; 0: none")
    parser.add_argument("--record", action="store_true", help="write the table into docs/explain/benchmark-tables.md")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the cluster is taken down
    try:
        run(options)
    except subprocess.CalledProcessError as error:
        sys.exit(f"bench: {error.cmd[0]} {error.cmd[3]} ended with {error.returncode}; see {OUT}/launch.log")


def run(options):
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / "launch.log").write_bytes(b"")
    facts, samples = circumstances(CHECKOUT), {}
    lines = shim(options.build)
    with running_cluster(NAME, options.build):
        # The tightest limit needs the most pairs.
        lines += unused(2 * options.rounds, samples)
        lines += launch(options.rounds, samples, ["-N3", "-n6"], "six tasks on three nodes")
        lines += memory(5, samples, ["-N3", "-n6"], 3, 2)
    if options.large_rounds:
        with running_cluster(NAME, options.build, "--nodes", "32", "--cpus", "16", "--timeout", "300"):
            lines += launch(options.large_rounds, samples, ["-N32", "-n512"], "512 tasks on 32 nodes", False)
            lines += memory(1, samples, ["-N32", "-n512"], 32, 20)

    write_json(OUT / "launch.json", facts, lines, samples)
    (OUT / "launch.md").write_text(f"{describe_circumstances(facts)}\n\n{table(lines)}", encoding="utf-8")
    for title, kinds in samples.items():
        if not title.startswith("memory"):
            plot(OUT / f"launch-{title.replace(' ', '-').replace(',', '')}.svg", title, kinds)
    if options.record:
        record(CHECKOUT / "docs/explain/benchmark-tables.md", "launch", facts, lines)
    print((OUT / "launch.md").read_text(encoding="utf-8"), end="")
    say(f"JSON, table and plots are in {OUT}")


if __name__ == "__main__":
    main()
