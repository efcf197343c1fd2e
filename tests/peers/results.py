"""The results of a suite, in a file. A run of some cases replaces only theirs. What they mean is judged when they are
read, by the notes as they are then."""

import json
from dataclasses import asdict
from pathlib import Path

from outcome import Outcome, Row, judge, note_of, read_notes


def outcome(kept: dict | None) -> Outcome | None:
    return None if kept is None else Outcome(**kept)


def read(file: Path) -> list[Row]:
    if not file.exists():
        return []
    notes = read_notes(file.stem)
    return [judge(file.stem, kept["case"], outcome(kept["own"]), outcome(kept["muster"]), note_of(notes, kept["case"]))
            for kept in json.loads(file.read_text())]


def keep(folder: Path, suite: str, rows: list[Row]) -> None:
    file = folder / f"{suite}.json"
    merged = {row.case: row for row in [*read(file), *rows]}
    file.write_text(json.dumps(
        [{name: value for name, value in asdict(merged[case]).items() if name in ("case", "own", "muster")}
         for case in sorted(merged)], indent=1))
