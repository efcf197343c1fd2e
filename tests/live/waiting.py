"""Waits for conditions, never for time to pass."""

import time
from collections.abc import Callable

import releases


def wait_until(condition: Callable[[], object], seconds: float, what: str) -> None:
    """Fails if `condition` does not become true in time; `what` describes it for the message."""
    end = time.monotonic() + seconds * releases.slowness()
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.02)
