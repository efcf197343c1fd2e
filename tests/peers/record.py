"""Writes the results of suites into docs/explain/peers-cases.md: record.py FOLDER PAGE. Suites without a result in the
folder keep their sections of the page."""

import re
import sys
from pathlib import Path

import results
import table

HEAD = """# Every case of other projects' test suites, under muster

This page has one table for each suite. `scripts/peers --record` writes it. [How muster does in other projects' test
suites](peers-suites.md) defines the terms, and explains the differences.

"""
FOOT = "\nBack to [the summary](peers-suites.md).\n"


def sections_of(text: str) -> dict[str, str]:
    """By suite, as table.markdown() wrote them."""
    parts = re.split(r"^(?=## )", text.removesuffix(FOOT), flags=re.MULTILINE)[1:]
    return {part.partition("\n")[0].removeprefix("## "): part.rstrip("\n") + "\n" for part in parts}


def page_with(text: str, new: dict[str, str]) -> str:
    sections = sections_of(text) | new
    return HEAD + "\n".join(sections[suite] for suite in sorted(sections)) + FOOT


if __name__ == "__main__":
    folder, page = Path(sys.argv[1]), Path(sys.argv[2])
    found = {file.stem: table.markdown(file.stem, results.read(file)) for file in sorted(folder.glob("*.json"))}
    page.write_text(page_with(page.read_text() if page.exists() else "", found))
