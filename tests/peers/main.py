"""scripts/peers runs this inside its cluster."""

import argparse
import importlib
import os
import sys
from pathlib import Path

import pytest_suite
import results
import table
from outcome import HERE, Row, judge, note_of, read_notes

SUITES = [file.stem for file in sorted((HERE / "suites").glob("*.py"))]


def run_files(name: str, files: pytest_suite.Files, words: list[str], kept: list[Row]) -> list[Row]:
    """Without words, all cases. A result under their own launcher that is kept from an earlier run is not made again."""
    notes = read_notes(name)
    left_out = [] if words else pytest_suite.left_out(files, name)
    if words:
        files = pytest_suite.narrowed(files, words)
    muster = pytest_suite.run(files, name, "muster")
    own = {row.case: row.own for row in kept if row.own and row.case in muster}
    if set(muster) - set(own):
        own.update(pytest_suite.run(files, name, "own"))
    cases = sorted({*left_out, *own, *muster})
    return [judge(name, case, own.get(case), muster.get(case), note_of(notes, case)) for case in cases]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("-k", dest="words", action="append", default=[])
    args = parser.parse_args()
    os.environ["PEERS_LOGS"] = str(args.out)
    suite = importlib.import_module(f"suites.{args.suite}")
    if hasattr(suite, "files"):
        kept = results.read(args.out / f"{args.suite}.json")
        rows = run_files(args.suite, suite.files(args.sources, args.python), args.words, kept)
    else:
        rows = suite.rows(args.sources, args.python, args.words)
    results.keep(args.out, args.suite, rows)
    print(table.terminal(rows))
    return 1 if any(row.verdict == "wrong" for row in rows) else 0


sys.exit(main())
