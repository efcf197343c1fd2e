"""Cases that are command lines: a script of theirs by its own launcher, and by muster."""

import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from outcome import Outcome, Row, judge, note_of, read_notes


@dataclass(frozen=True)
class Case:
    name: str
    own: list[str]
    muster: list[str]
    seconds: int = 600
    path: tuple[Path, ...] = ()  # where Python finds the script's helpers


def run(suite: str, case: Case, under: str, python: str) -> Outcome:
    log = Path(os.environ["PEERS_LOGS"]) / f"{suite}.{case.name.replace('/', '-').replace(' ', '-')}.{under}.log"
    environment = {**os.environ, "PATH": f"{Path(python).parent}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1",
                   "PYTHONPATH": ":".join(map(str, case.path)), "PYTHONDONTWRITEBYTECODE": "1"}
    with (tempfile.TemporaryDirectory(prefix="peers-", dir=os.environ.get("PEERS_SHARED")) as folder,
          log.open("w") as out):
        try:
            # timeout(1) ends what the launcher leaves behind, too.
            done = subprocess.run(["timeout", "--kill-after=30", str(case.seconds), *getattr(case, under)], cwd=folder,
                                  env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, check=False)
        except OSError as error:
            return Outcome("fail", str(error))
    if done.returncode == 0:
        return Outcome("pass")
    return Outcome("fail", f"not done after {case.seconds} s" if done.returncode == 124 else f"exit code {done.returncode}")


def rows(suite: str, cases: list[Case], python: str, words: list[str]) -> list[Row]:
    notes = read_notes(suite)
    found = []
    for case in cases:
        if words and not any(word in case.name for word in words):
            continue
        note = note_of(notes, case.name)
        if note and note.kind == "n/a":
            found.append(judge(suite, case.name, None, None, note))
            continue
        found.append(judge(suite, case.name, run(suite, case, "own", python), run(suite, case, "muster", python), note))
    return found


