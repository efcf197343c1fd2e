"""Durations: seconds or timedelta in the interface, whole milliseconds in the C library."""

import math
from datetime import timedelta
from typing import Optional, Union

from . import _abi
from .errors import Error, Status

Duration = Union[float, timedelta]  # a number is seconds

MAX_SECONDS = 24 * 60 * 60  # the limit in muster.h


def seconds(duration: Duration) -> float:
    return duration.total_seconds() if isinstance(duration, timedelta) else float(duration)


def milliseconds(duration: Optional[Duration]) -> int:
    """Rounds up, so that no wait is shorter than requested. None means the default of the step."""
    if duration is None:
        return _abi.DEFAULT
    asked = seconds(duration)
    if not 0 < asked <= MAX_SECONDS:
        raise Error(Status.ARGUMENT, f"a timeout of {asked:g} s is out of range: use more than 0 s and at most 24 hours")
    return max(1, math.ceil(asked * 1000))
