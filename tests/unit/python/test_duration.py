"""Timeouts in seconds and as timedelta."""

from datetime import timedelta

import pytest

import muster
from muster._duration import milliseconds


@pytest.mark.parametrize(("given", "expected"), [
    (None, -1), (1, 1000), (0.25, 250), (timedelta(minutes=2), 120_000), (0.0001, 1), (1.0001, 1001), (86400, 86_400_000)])
def test_a_timeout_is_whole_milliseconds_and_never_shorter_than_asked_for(given, expected: int) -> None:
    assert milliseconds(given) == expected


@pytest.mark.parametrize("given", [0, -1, timedelta(0), float("nan"), float("inf"), 86401, timedelta(days=7)])
def test_a_timeout_that_cannot_be_kept_is_refused(given) -> None:
    with pytest.raises(muster.Error, match="use more than 0 s and at most 24 hours") as refused:
        milliseconds(given)
    assert refused.value.status == muster.Status.ARGUMENT
