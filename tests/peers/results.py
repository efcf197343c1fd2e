"""The results of a suite, in a file. A run of some cases replaces only theirs."""

import json
from dataclasses import asdict
from pathlib import Path

from outcome import Outcome, Row


def outcome(kept: dict | None) -> Outcome | None:
    return None if kept is None else Outcome(**kept)


def read(file: Path) -> list[Row]:
    if not file.exists():
        return []
    return [Row(**{**kept, "own": outcome(kept["own"]), "muster": outcome(kept["muster"])})
            for kept in json.loads(file.read_text())]


def keep(folder: Path, suite: str, rows: list[Row]) -> None:
    file = folder / f"{suite}.json"
    merged = {row.case: row for row in [*read(file), *rows]}
    file.write_text(json.dumps([asdict(merged[case]) for case in sorted(merged)], indent=1))
