"""Lines of public batch scripts (public_lines.py), each compared with plain srun: the same output, codes and signals.
muster is switched on by the option, by #SBATCH or by the variable: each line in one of these ways, with --long in all
of them."""

import os
import re
import shlex
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from cluster import Cluster
from public_lines import JOBS, LINES, Job, Line

LONG = os.environ.get("MUSTER_LONG") == "1"
WAYS = ("option", "directive", "variable")
FOLDER = "public"
NAMES = [line.name for line in LINES]
# In one job: each script in a separate folder, which is the same for all ways.
JOB = """#!/bin/bash
#SBATCH -N3 --ntasks-per-node=2
{directive}
export SLURM_OVERLAP=1 # slurmctld frees a step's cores only some time after its srun has ended
for name in {names}; do
  (cd ~/{folder}/$name && timeout 40 bash script.sh >.out 2>.err </dev/null; echo $? >.code)
done
"""


@dataclass(frozen=True)
class Outcome:
    code: int
    out: list[str]
    err: list[str]


def outcome(folder: Path, line: Line) -> Outcome:
    def lines(name: str) -> list[str]:
        text = (folder / name).read_text(errors="replace")
        return sorted(each for each in text.splitlines() if not (line.differs and re.match(line.differs, each)))

    return Outcome(int((folder / ".code").read_text()), lines(".out"), lines(".err"))


def variables(way: str) -> dict[str, str] | None:
    return {"MUSTER_DISTRIBUTED": "torch"} if way == "variable" else None


def under_muster(script: str) -> str:
    script = re.sub(r"\bsrun(?= )", "srun --distributed=torch", script)
    return script.replace('"srun", ', '"srun", "--distributed=torch", ')


def run(cluster: Cluster, way: str, lines: list[Line], option: str = "torch") -> dict[str, Outcome]:
    folder = cluster.home / FOLDER
    try:
        for line in lines:
            script = under_muster(line.script) if way == "option" else line.script
            cluster.write(f"{FOLDER}/{line.name}/script.sh", script + "\n")
        job = JOB.format(directive=f"#SBATCH --distributed={option}" if way == "directive" else "", folder=FOLDER,
                         names=shlex.join(line.name for line in lines))
        done = cluster.sbatch(job, env=variables(way), timeout=10 * len(lines))
        assert done.code == 0, done.out
        return {line.name: outcome(folder / line.name, line) for line in lines}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def plain(whole_cluster: Cluster) -> Mapping[str, Outcome]:
    return run(whole_cluster, "plain", LINES)


@pytest.fixture(scope="module", params=WAYS)
def ours(request: pytest.FixtureRequest, whole_cluster: Cluster) -> Mapping[str, Outcome]:
    place = WAYS.index(request.param)
    return run(whole_cluster, request.param, LINES if LONG else LINES[place::len(WAYS)])


# The keys of a long run, for a whole job. Steps with a size of their own do without the spare; shells and srun's own
# files do without the logs. Lines without `SIZED` leave the size to the job, whose spare they would keep free.
RICH = "torch,restarts=1,spares=1,logs=logs,view=all,prefix=none,report=report.json"
SIZED = re.compile(r"\s(-[nNw] ?[\d\"$]|--n(odes|tasks)=)")
# With logs=, there are no labels, and the streams are files.
NOT_SHOWN = ("plane", "label_by_variable", "whole_environment", "descriptors")
# Helper steps of published scripts.
HELPERS = ("head_node_address", "one_node", "relative_node", "one_per_node", "node_local_stage", "captured",
           "terminal_of_its_own", "files_by_job", "no_output", "pipe_of_output", "background", "input_file")


def is_sized(line: Line) -> bool:
    steps = re.split(r"\bsrun(?= )", line.script)[1:]
    return bool(steps) and line.errors and all(SIZED.search(re.split(r"[\n|&;]", step)[0]) for step in steps)


RICH_LINES = [line for line in LINES if is_sized(line) and line.name not in NOT_SHOWN and (LONG or line.name in HELPERS)]


def test_helper_lines_do_the_same_in_a_job_with_a_rich_option(whole_cluster: Cluster, plain: Mapping[str, Outcome]) -> None:
    assert {line.name for line in RICH_LINES} >= set(HELPERS)
    ours = run(whole_cluster, "directive", RICH_LINES, RICH)
    found = [difference(line, plain[line.name], ours[line.name]) for line in RICH_LINES]
    assert not any(found), "\n" + "\n".join(filter(None, found))


def difference(line: Line, plain: Outcome, ours: Outcome) -> str:
    if line.name == "whole_environment":
        ours = Outcome(ours.code, without_our_variables(ours.out), ours.err)
    parts = [("code", [str(plain.code)], [str(ours.code)]), ("output", plain.out, ours.out)]
    if line.errors:  # srun reads its options twice, so it warns about them twice
        told = {each for each in ours.err if not re.match(r"(\w+: )?muster: ", each)}
        parts.append(("errors", sorted(set(plain.err)), sorted(told)))
    return "\n".join(f"{line.name}: {what}: only plain {only(was, now)}, only ours {only(now, was)}"
                     for what, was, now in parts if was != now)


def only(these: list[str], others: list[str]) -> list[str]:
    return sorted((Counter(these) - Counter(others)).elements())


def without_our_variables(lines: list[str]) -> list[str]:
    names = {name for each in lines if each.startswith("MUSTER_SET=") for name in each.partition("=")[2].split()}
    # sbatch uses the last one to pass a plugin's option to the srun of its job.
    ours = ("MUSTER_", "SLURM_SPANK__SLURM_SPANK_OPTION_muster_")
    # A program that is not Python sees the directory of the start hook for Python.
    return [each for each in lines if each.partition("=")[0] not in names and not each.startswith(ours)
            and not (each.startswith("PYTHONPATH=") and each.endswith("/share/muster/start"))]


def test_a_line_does_under_muster_what_it_does_without(plain: Mapping[str, Outcome], ours: Mapping[str, Outcome]) -> None:
    found = [difference(line, plain[line.name], ours[line.name]) for line in LINES if line.name in ours]
    assert not any(found), "\n" + "\n".join(filter(None, found))


def test_each_line_really_does_something(plain: Mapping[str, Outcome]) -> None:
    silent = {line.name for line in LINES if line.differs} | {"no_output"}
    assert [name for name, done in plain.items() if not done.out and not done.code and name not in silent] == []
    assert len(plain) >= 60


def run_job(cluster: Cluster, way: str, job: Job) -> tuple[int, list[str]]:
    """The job's exit code, and the lines of its output."""
    folder = cluster.home / FOLDER / job.name
    try:
        script = under_muster(job.script) if way == "option" else job.script
        directive = "#SBATCH --distributed=torch\n" if way == "directive" else ""
        cluster.write(f"{FOLDER}/{job.name}/job.sh", f"#!/bin/bash\n{directive}{script}\n")
        words = shlex.join(job.script.partition("# with: ")[2].split())
        done = cluster.shell(f"cd {FOLDER}/{job.name} && sbatch --wait --quiet {job.options} job.sh {words}",
                             env=variables(way), timeout=90)
        lines = [line for file in folder.glob("out*") for line in file.read_text().splitlines()]
        return done.code, sorted(line for line in lines if "muster: " not in line)
    finally:
        shutil.rmtree(cluster.home / FOLDER, ignore_errors=True)


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_a_job_does_under_muster_what_it_does_without(cluster: Cluster, job: Job) -> None:
    plain = run_job(cluster, "plain", job)
    assert plain[1]
    for way in WAYS if LONG else [WAYS[JOBS.index(job) % len(WAYS)]]:
        assert run_job(cluster, way, job) == plain, way
