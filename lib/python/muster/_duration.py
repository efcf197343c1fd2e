"""Durations: seconds or timedelta outside, whole milliseconds in the C library."""

import math
from datetime import timedelta
from typing import Optional, Union

from . import _abi
from .errors import Error, Status

Duration = Union[float, timedelta]  # a number is seconds

LONGEST = 24 * 60 * 60  # seconds; muster.h's own bound


def seconds(duration: Duration) -> float:
    return duration.total_seconds() if isinstance(duration, timedelta) else float(duration)


def milliseconds(duration: Optional[Duration]) -> int:
    """Rounded up, so that no wait is shorter than asked for. None is the default of the step."""
    if duration is None:
        return _abi.DEFAULT
    asked = seconds(duration)
    if not 0 < asked <= LONGEST:
        raise Error(Status.ARGUMENT, f"a timeout of {asked:g} s cannot be kept: give more than 0 s and at most 24 hours")
    return max(1, math.ceil(asked * 1000))
