"""The files of live tests that took longest, printed at the end of a run. All tests together have an hour of CI's time
(.ci/run), and a file's time also limits how short a run on several clusters can be (workers.py)."""

from collections import Counter
from collections.abc import Mapping
from pathlib import PurePath

import pytest

MOST = 12  # files that are printed


def table(seconds: Mapping[str, float]) -> list[str]:
    """One line per file, the longest first, with its share of the time of all; the shorter files together."""
    total = sum(seconds.values())
    if not total:
        return []
    longest = sorted(seconds.items(), key=lambda item: -item[1])
    shown, others = longest[:MOST], longest[MOST:]
    lines = [f"{each:7.0f} s {each / total:5.1%}  {PurePath(file).name}" for file, each in shown]
    if others:
        rest = sum(each for _, each in others)
        lines.append(f"{rest:7.0f} s {rest / total:5.1%}  {len(others)} other file{'s' if len(others) > 1 else ''}")
    return lines


class FileTimes:
    """Adds up what each file's tests and fixtures take. With several workers, pytest-xdist sends their reports here."""

    def __init__(self) -> None:
        self._seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid.partition("::")[0]] += report.duration

    def pytest_terminal_summary(self, terminalreporter) -> None:
        lines = table(self._seconds)
        if len(self._seconds) < 2:
            return
        terminalreporter.section("time by file")
        for line in lines:
            terminalreporter.write_line(line)
