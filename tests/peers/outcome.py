"""What became of one case: under its own launcher, under muster, and what the two together mean."""

import fnmatch
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Outcome:
    word: str  # "pass", "fail" or "skip"
    why: str = ""


@dataclass(frozen=True)
class Note:
    """A line of notes/SUITE.txt: why a case cannot be run under muster, or how it differs there."""

    pattern: str
    kind: str  # "n/a", "differs", "fails" (under both), or "runs" for a case that a later pattern describes
    reason: str


@dataclass(frozen=True)
class Row:
    suite: str
    case: str
    own: Outcome | None
    muster: Outcome | None
    verdict: str  # "same", "differs", "n/a" or "wrong"
    reason: str = ""


def read_notes(suite: str) -> list[Note]:
    file = HERE / "notes" / f"{suite}.txt"
    if not file.exists():
        return []
    lines = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
    return [Note(*(part.strip() for part in line.split(" | ", 2))) for line in lines]


def note_of(notes: list[Note], case: str) -> Note | None:
    note = next((note for note in notes if fnmatch.fnmatchcase(case, note.pattern)), None)
    return None if note and note.kind == "runs" else note


def judge(suite: str, case: str, own: Outcome | None, muster: Outcome | None, note: Note | None) -> Row:
    """A note that is no longer true is wrong as well: the page must not claim a difference that is gone."""
    def row(verdict: str, reason: str = "") -> Row:
        return Row(suite, case, own, muster, verdict, reason)

    if note and note.kind == "n/a":
        return row("n/a", note.reason)
    if own and own.word == "skip":
        return row("n/a", own.why)
    if own is None or muster is None:
        return row("wrong", "it did not run under both launchers")
    if own.word == muster.word and note and note.kind == "differs":
        return row("wrong", f"noted as different: {note.reason}")
    if own.word == muster.word:
        return row("same", note.reason if note else "")
    if note and note.kind == "differs":
        return row("differs", note.reason)
    return row("wrong", muster.why or own.why)
