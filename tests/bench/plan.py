"""The case `plan`: how long an agent takes to plan one node of a huge step, and how much memory it needs; how long
`muster plan` takes for 4096 ranks.

Started by scripts/bench. It does not need Slurm.
"""

import argparse
import json
import pathlib
import subprocess
import time

from case import CHECKOUT, OUT, say
from paired import summary
from report import Line, circumstances, milliseconds, plot, record, text_of, write_json

# The project's own limits.
PLAN_SECONDS = 0.050
PEAK_KIB = 64 * 1024
EXPLAIN_SECONDS = 1.0

STEP = "16384 nodes x 8 tasks"
CASES = {"plan_of_block": "block distribution", "plan_of_cyclic": "cyclic distribution",
         "plan_of_cyclic_renumbered": "cyclic distribution, ranks=contiguous"}
PEAKS = {"block": "block distribution", "cyclic": "cyclic distribution",
         "renumbered": "cyclic distribution, ranks=contiguous"}


def verdict(worst, limit):
    return "met" if worst <= limit else "missed"


def spread(samples):
    one = summary(samples)
    return (f"{milliseconds(one.median)} (min {milliseconds(one.least)}, max {milliseconds(max(samples))}, "
            f"n={one.count})")


def plan_times(program, rounds):
    """Samples by case, one per round; the cases take turns in each round."""
    samples = {case: [] for case in CASES}
    for _ in range(rounds):
        done = subprocess.run([program, "--benchmark_format=json", "--benchmark_min_time=0.05"], check=True,
                              capture_output=True, text=True)
        for one in json.loads(done.stdout)["benchmarks"]:
            samples[one["name"]].append(one["real_time"] / 1000)
    return samples


def explain_times(build, rounds):
    command = [build / "launcher/muster", "plan", "--config", CHECKOUT / "config/muster.yaml", "--trust-any-owner",
               "--layout", "node[1-512]:8"]
    environment = {"XDG_CONFIG_HOME": str(OUT / "home"), "PATH": "/usr/bin:/bin"}
    profiles = OUT / "home/muster"
    profiles.mkdir(parents=True, exist_ok=True)
    link = profiles / "profiles"
    if not link.exists():
        link.symlink_to(CHECKOUT / "config/profiles")
    samples = {"table": [], "JSON": []}
    for _ in range(rounds):
        for kind, more in (("table", []), ("JSON", ["--json"])):
            start = time.perf_counter()
            subprocess.run([*command, *more], check=True, stdout=subprocess.DEVNULL, env=environment)
            samples[kind].append(time.perf_counter() - start)
    return samples


def lines_of(times, peaks, explains):
    lines = [Line(f"time for an agent to plan its node, {STEP}, {CASES[case]}", spread(samples),
                  milliseconds(PLAN_SECONDS), verdict(max(samples), PLAN_SECONDS)) for case, samples in times.items()]
    lines += [Line(f"peak resident memory while planning, {PEAKS[case]}", f"{kib / 1024:.1f} MiB",
                   f"{PEAK_KIB // 1024} MiB", verdict(kib, PEAK_KIB)) for case, kib in peaks.items()]
    lines += [Line(f"`muster plan`, 512 nodes x 8 tasks, {kind} output", spread(samples), milliseconds(EXPLAIN_SECONDS),
                   verdict(max(samples), EXPLAIN_SECONDS)) for kind, samples in explains.items()]
    return lines


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench plan --", description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=CHECKOUT / "build")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--record", action="store_true", help="write the table into docs/explain/benchmark-tables.md")
    options = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    facts = circumstances(CHECKOUT)
    subprocess.run(["cmake", "--build", options.build, "--target", "plan_bench", "muster"], check=True,
                   stdout=subprocess.DEVNULL)
    program = options.build / "tests/bench/plan_bench"
    say("the agent's plan")
    times = plan_times(program, options.rounds)
    peaks = {case: int(subprocess.run([program, "--peak", case], check=True, capture_output=True).stdout)
             for case in PEAKS}
    say("muster plan")
    explains = explain_times(options.build, options.rounds)
    lines = lines_of(times, peaks, explains)
    write_json(OUT / "plan.json", facts, lines, {**times, **explains})
    (OUT / "plan.md").write_text(text_of(facts, lines), encoding="utf-8")
    plot(OUT / "plan.svg", f"time for an agent to plan its node, {STEP}",
         {CASES[case]: samples for case, samples in times.items()})
    print(text_of(facts, lines), end="")
    if options.record:
        record(CHECKOUT / "docs/explain/benchmark-tables.md", "plan", facts, lines)


if __name__ == "__main__":
    main()
