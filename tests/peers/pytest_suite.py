"""Runs test files that pytest collects, unmodified: once under their own launcher, and once with muster in its place."""

import os
import subprocess
import tempfile
import xml.etree.ElementTree as xml
from dataclasses import dataclass, field, replace
from pathlib import Path

from outcome import HERE, Outcome


@dataclass(frozen=True)
class Files:
    """Test files below a directory of sources, and how muster comes in."""

    root: Path
    paths: list[str]
    python: str
    plugin: str = ""  # muster in the place of a launcher that the files call as a Python function
    as_torchrun: bool = False  # muster in the place of a launcher that they call as a command
    inside: dict[str, tuple[str, ...]] = field(default_factory=dict)  # by launcher: what pytest itself is started by
    seconds: int = 300  # for one case
    path: tuple[str, ...] = ()  # folders below the root where Python finds the files' helpers
    options: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)


def outcome_of(case: xml.Element) -> Outcome:
    for kind, word in (("skipped", "skip"), ("failure", "fail"), ("error", "fail")):
        found = case.find(kind)
        if found is not None:
            message = (found.get("message") or "").strip()
            return Outcome(word, message.splitlines()[0][:200] if message else "")
    return Outcome("pass")


def read(report: Path, file: Path) -> dict[str, Outcome]:
    def name(case: xml.Element) -> str:
        owner = case.get("classname", "").rsplit(".", 1)[-1]
        return f"{file.name}::{'' if owner == file.stem else owner + '::'}{case.get('name')}"

    return {name(case): outcome_of(case) for case in xml.parse(report).iter("testcase")}


def environment_of(files: Files, suite: str, under: str) -> dict[str, str]:
    programs = [str(Path(files.python).parent), os.environ["PATH"]]
    if under == "muster" and files.as_torchrun:
        programs.insert(0, str(HERE / "bin"))
    modules = [str(HERE), *(str(files.root / folder) for folder in files.path)]
    return {**os.environ, "PATH": ":".join(programs), "PYTHONPATH": ":".join(modules), "PEERS_SUITE": suite,
            "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1", **files.variables}


def command(files: Files, path: str, *more: str) -> list[str]:
    return [files.python, "-m", "pytest", "-p", "no:cacheprovider", "-p", "selection", "-q", "--tb=short",
            f"--confcutdir={files.root}", f"--timeout={files.seconds}", *files.options, *more, str(files.root / path)]


def run(files: Files, suite: str, under: str) -> dict[str, Outcome]:
    """`under`: "own" or "muster"."""
    found: dict[str, Outcome] = {}
    for path in files.paths:
        # Where the cluster's other nodes see it, too.
        with tempfile.TemporaryDirectory(prefix="peers-", dir=os.environ.get("PEERS_SHARED")) as folder:
            report = Path(folder) / "report.xml"
            words = command(files, path, f"--junitxml={report}")
            if under == "muster" and files.plugin:
                words += ["-p", files.plugin]
            log = Path(os.environ["PEERS_LOGS"]) / f"{suite}.{Path(path).stem}.{under}.log"
            with log.open("w") as out:
                subprocess.run([*files.inside.get(under, ()), *words], cwd=folder, env=environment_of(files, suite, under),
                               stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, check=False)
            if not report.exists():
                raise SystemExit(f"peers: pytest could not run {path}: see {log}")
            found.update(read(report, Path(path)))
    return found


def narrowed(files: Files, words: list[str]) -> Files:
    """Only the cases that pytest finds by these words."""
    return replace(files, options=(*files.options, "-k", " or ".join(words)))


def left_out(files: Files, suite: str) -> list[str]:
    """The cases that are not run because of a note."""
    found = []
    for path in files.paths:
        environment = {**environment_of(files, suite, "own"), "PEERS_LEFT_OUT": "1"}
        done = subprocess.run(command(files, path, "--collect-only"), env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        found += [f"{Path(path).name}::{line.split('::', 1)[1]}" for line in done.stdout.splitlines() if "::" in line]
    return found
