"""Compares mpibind with muster: both map the same nodes in turn; measures how long that takes, and what the tasks get.

mpibind is not built here: --mpibind names a libmpibind.so, built from LLNL's sources as they describe.
"""

import json
import subprocess
from dataclasses import dataclass

import bind_node
from paired import quartiles
from report import Line, compare, milliseconds

MAPPERS = ("muster", "mpibind")
# Fewer tasks than GPUs, more, and numbers that do not divide the number of cores.
TASKS = (1, 2, 3, 4, 5, 8, 16)
MADE_UP = {
    "2 x 64 cores, 8 GPUs": {},
    "2 x 28 cores, 8 GPUs": {"shape": "pack:2 [numa] l3:4 core:7 pu:2"},
    "2 x 32 cores, 4 GPUs on one package": {"shape": "pack:2 [numa] l3:4 core:8 pu:2", "pairs": (4, 0)},
    "2 x 32 cores, 3 GPUs on one package, 1 on the other": {"shape": "pack:2 [numa] l3:4 core:8 pu:2", "pairs": (3, 1)},
    "2 x 48 cores, no GPUs": {"shape": "pack:2 [numa] l3:6 core:8 pu:1", "pairs": (0, 0)},
}


def cpus_of(text):
    """Parses hwloc's lists: "0-7,64-71"."""
    ends = [part.split("-") for part in text.split(",") if part]
    return frozenset(cpu for part in ends for cpu in range(int(part[0]), int(part[-1]) + 1))


@dataclass(frozen=True)
class Quality:
    """What a node's tasks get."""

    cores: tuple  # fewest and most that any task has
    unused: int  # cores that no task has
    sharing: int  # tasks that share a CPU with another task
    gpus: tuple  # fewest and most that any task has
    near: int  # tasks whose GPUs are all near all of their CPUs
    with_gpus: int

    def text(self):
        def span(ends):
            return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
        near = f"{self.near} of {self.with_gpus}" if self.with_gpus else "-"
        return f"{span(self.cores)} | {self.unused} | {self.sharing} | {span(self.gpus)} | {near}"


def quality(node, tasks):
    """node: the output of bind_compare; tasks: those of one mapper."""
    sets = [cpus_of(task["cpus"]) for task in tasks]
    cores = [cpus_of(core) for core in node["cores"]]
    near = {address: cpus_of(text) for address, text in node["near"].items()}
    counts = [sum(1 for core in cores if core & cpus) for cpus in sets]
    everything = frozenset().union(*sets)
    gpus = [len(task["gpus"]) for task in tasks]
    beside = [all(cpus <= near[gpu] for gpu in task["gpus"])
              for task, cpus in zip(tasks, sets, strict=True) if task["gpus"]]
    return Quality((min(counts), max(counts)), sum(1 for core in cores if not core & everything),
                   sum(1 for i, one in enumerate(sets) if any(one & other for other in sets[:i] + sets[i + 1:])),
                   (min(gpus), max(gpus)), sum(beside), len(beside))


def machines(directory, captures):
    """XML files by the machine's name."""
    found = {}
    for number, (name, words) in enumerate(MADE_UP.items()):
        found[name] = directory / f"made-up-{number}.xml"
        found[name].write_text(bind_node.xml(**words, nvml=True), encoding="utf-8")
    return {**found, **({file.stem: file for file in sorted(captures.glob("*.xml"))} if captures else {})}


def answers(build, library, rounds, first, files):
    """Answers by machine. Without the variable, hwloc would read another machine's XML as this machine's."""
    found = {}
    for name, file in files.items():
        done = subprocess.run([*first, build / "tests/bench/bind_compare", library, str(rounds), file, *map(str, TASKS)],
                              check=True, capture_output=True, text=True, env={"HWLOC_THISSYSTEM": "0", "PATH": "/usr/bin:/bin"})
        found[name] = json.loads(done.stdout)
    return found


def time_lines(found):
    """All machines and numbers of tasks together, pair by pair."""
    lines = []
    for phase, what in (("map", "time for one mapping, topology in memory"), ("read", "time to read the node's XML")):
        samples = {mapper: [sample for node in found.values() for each in node["tasks"].values()
                            for sample in each[mapper][phase]] for mapper in MAPPERS}
        for mapper in MAPPERS:
            first, median, third = (f"{1e6 * each:.0f} us" for each in quartiles(samples[mapper]))
            lines.append(Line(f"{what}: {mapper}", f"{median} (quartiles {first} to {third}, max "
                              f"{milliseconds(max(samples[mapper]))}, n={len(samples[mapper])})", "-", "-"))
        lines.append(compare(f"{what}: muster / mpibind", samples["muster"], samples["mpibind"]))
    return lines


def quality_table(found):
    rows = ["| node | tasks | mapper | cores per task | unused cores | tasks that share a CPU | GPUs per task "
            "| tasks whose CPUs are all near all their GPUs |", "|---|---|---|---|---|---|---|---|"]
    equal = 0
    for name, node in found.items():
        for tasks, each in node["tasks"].items():
            both = {mapper: quality(node, each[mapper]["tasks"]) for mapper in MAPPERS}
            if both["muster"] == both["mpibind"]:
                equal += 1
            else:
                rows += [f"| {name} | {tasks} | {mapper} | {both[mapper].text()} |" for mapper in MAPPERS]
    cases = sum(len(node["tasks"]) for node in found.values())
    return (f"In {equal} of {cases} cases, the two mappings are equal in every column of this table, which shows "
            "only the other cases:\n\n" + "\n".join(rows) + "\n")
