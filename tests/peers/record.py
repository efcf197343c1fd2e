"""Writes docs/explain/peers-cases.md from the suites' results: record.py FOLDER PAGE."""

import sys
from pathlib import Path

import results
import table

HEAD = """# Every case of other projects' test suites, under muster

One table for each suite. `scripts/peers --record` writes this page; [how muster does in other projects' test
suites](peers-suites.md) says what the words mean, and explains the differences.

"""

folder, page = Path(sys.argv[1]), Path(sys.argv[2])
sections = [table.markdown(file.stem, results.read(file)) for file in sorted(folder.glob("*.json"))]
page.write_text(HEAD + "\n".join(sections) + "\nBack to [the summary](peers-suites.md).\n")
