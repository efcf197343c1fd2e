"""What the bootstrap's curves predict for larger steps: straight lines fitted to CPU times, and a cost model based on
them.

A process's time grows as a + b N with the ranks N of the step. The fit minimises the squares of relative errors, so
that small steps count as much as large ones. Wall-clock time is not extrapolated: here all nodes share a few CPUs, so
it is the sum of all nodes' work.
"""

from dataclasses import dataclass

import numpy

RANKS_PER_NODE = 16
HOP = 60e-6          # for PMIx's ring between two nodes: computing and transfer
ROUND_TRIP = 100e-6  # for a client of TCPStore
TCPSTORE_TRIPS = 5   # connect, greeting, counting in, give, read
EXTRAPOLATED = (1024, 10240, 102400)


@dataclass(frozen=True)
class Fit:
    """Seconds at N ranks: fixed + each * N; `error` is the largest relative error at a measured size."""

    fixed: float
    each: float
    error: float

    def at(self, ranks):
        return self.fixed + self.each * ranks


def fit(points):
    """`points`: seconds, by number of ranks."""
    ranks = numpy.array(list(points), dtype=float)
    seconds = numpy.array(list(points.values()), dtype=float)
    weights = 1 / seconds
    rows = numpy.stack([weights, ranks * weights], axis=1)
    fixed, each = numpy.linalg.lstsq(rows, numpy.ones_like(seconds), rcond=None)[0]
    return Fit(float(fixed), float(each), float(max(abs((fixed + each * ranks) * weights - 1))))


def exponent(points):
    """How time grows between the last two sizes: 1 means in proportion, 0 not at all."""
    (less, small), (more, large) = list(points.items())[-2:]
    return float(numpy.log(large / small) / numpy.log(more / less))


def hops(ranks):
    return max(0, -(-ranks // RANKS_PER_NODE) - 1)


def pmix_seconds(ranks, rank, daemon):
    """Nodes work in parallel; a node's ranks wait for its slurmstepd, which waits for the ring."""
    return rank.at(ranks) + daemon.at(ranks) + HOP * hops(ranks)


def store_seconds(ranks, server):
    """All ranks wait for one server."""
    return server.at(ranks) + ROUND_TRIP * TCPSTORE_TRIPS
