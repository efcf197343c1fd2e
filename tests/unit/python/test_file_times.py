"""The table of the slowest files at the end of a run of live tests."""

import sys
from pathlib import Path

LIVE = Path(__file__).resolve().parents[3] / "tests" / "live"
sys.path.insert(0, str(LIVE))

from file_times import MOST, table  # noqa: E402


def test_the_longest_file_comes_first_with_its_share_of_the_time() -> None:
    assert table({"tests/live/test_a.py": 25.0, "tests/live/test_b.py": 75.0}) == [
        "     75 s 75.0%  test_b.py", "     25 s 25.0%  test_a.py"]


def test_short_files_are_added_up() -> None:
    lines = table({f"test_{number}.py": 10.0 for number in range(MOST)} | {"test_y.py": 1.0, "test_z.py": 4.0})
    assert len(lines) == MOST + 1
    assert lines[-1] == "      5 s  4.0%  2 other files"


def test_a_run_without_tests_has_no_table() -> None:
    assert table({}) == []
