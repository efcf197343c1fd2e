"""What every case has: the location of its files, its options, what it builds, its messages and its results."""

import argparse
import pathlib
import subprocess
import sys
import time

from report import record_text, write_json

HERE = pathlib.Path(__file__).resolve().parent
CHECKOUT = HERE.parent.parent
OUT = CHECKOUT / "build/bench"
BENCHMARK_TABLES = CHECKOUT / "docs/explain/benchmark-tables.md"


def say(text):
    print(f"bench: {time.strftime('%X')} {text}", file=sys.stderr, flush=True)


def parser(case, description, rounds):
    """A parser with the options that most cases share; each case adds its own."""
    options = argparse.ArgumentParser(prog=f"scripts/bench {case} --", description=description)
    options.add_argument("--build", type=pathlib.Path, default=CHECKOUT / "build")
    options.add_argument("--rounds", type=int, default=rounds)
    options.add_argument("--record", action="store_true", help="write the table into docs/explain/benchmark-tables.md")
    return options


def build(folder, *targets):
    """Builds this folder's programs; returns where they are."""
    subprocess.run(["cmake", "--build", folder, "--target", *targets], check=True, stdout=subprocess.DEVNULL)
    return folder / "tests/bench"


def leave(case, facts, lines, samples, text):
    write_json(OUT / f"{case}.json", facts, lines, samples)
    leave_text(case, text)


def leave_text(case, text):
    (OUT / f"{case}.md").write_text(text, encoding="utf-8")
    print(text, end="")
    say(f"JSON and tables are in {OUT}")


def record(case, text, page=BENCHMARK_TABLES):
    record_text(page, case, text)
