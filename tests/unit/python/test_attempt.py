"""Which attempt of the run this is."""

import pytest

import muster


@pytest.mark.parametrize(("value", "count"), [("0", 0), ("3", 3), ("", 0), ("-1", 0), ("two", 0), ("²", 0)])
def test_the_restarts_are_those_that_the_launcher_has_counted(monkeypatch: pytest.MonkeyPatch, value: str, count: int) -> None:
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", value)
    assert muster.restart_count() == count


def test_without_a_launcher_there_were_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCHELASTIC_RESTART_COUNT", raising=False)
    assert muster.restart_count() == 0
