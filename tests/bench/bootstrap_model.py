"""What the bootstrap's curves say of larger steps: straight lines fitted to processor times, and the cost model on them.

A process's time grows as a + b N with the ranks N of the step; least squares of relative errors, so that small steps count as
much as large ones. Time by the clock is not extrapolated: here all nodes share a few CPUs, and it is the sum of all.
"""

from dataclasses import dataclass

import numpy

RANKS_PER_NODE = 16
HOP = 60e-6          # of PMIx's ring between two nodes: work and wire
ROUND_TRIP = 100e-6  # of a client of TCPStore
TCPSTORE_TRIPS = 5   # connect, greeting, counted in, give, read
EXTRAPOLATED = (1024, 10240, 102400)


@dataclass(frozen=True)
class Fit:
    """Seconds at N ranks: fixed + each N; `error` is the largest relative one at a measured size."""

    fixed: float
    each: float
    error: float

    def at(self, ranks):
        return self.fixed + self.each * ranks


def fit(points):
    """`points`: seconds by ranks."""
    ranks = numpy.array(list(points), dtype=float)
    seconds = numpy.array(list(points.values()), dtype=float)
    weights = 1 / seconds
    rows = numpy.stack([weights, ranks * weights], axis=1)
    fixed, each = numpy.linalg.lstsq(rows, numpy.ones_like(seconds), rcond=None)[0]
    return Fit(float(fixed), float(each), float(max(abs((fixed + each * ranks) * weights - 1))))


def exponent(points):
    """How the last two sizes differ: 1 is in proportion, 0 not at all."""
    (less, small), (more, large) = list(points.items())[-2:]
    return float(numpy.log(large / small) / numpy.log(more / less))


def hops(ranks):
    return max(0, -(-ranks // RANKS_PER_NODE) - 1)


def pmix_seconds(ranks, rank, daemon):
    """Nodes work beside each other; a node's ranks wait for its slurmstepd, and that for the ring."""
    return rank.at(ranks) + daemon.at(ranks) + HOP * hops(ranks)


def store_seconds(ranks, server):
    """All wait for one server."""
    return server.at(ranks) + ROUND_TRIP * TCPSTORE_TRIPS
