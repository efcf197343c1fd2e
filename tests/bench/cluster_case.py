"""The common parts of cases that measure something on their own cluster and produce one table."""

import signal
import sys

import case
from bench_cluster import running_cluster
from report import circumstances, text_of


def run(name, options, nodes, work):
    """Records and saves what `work(cluster, options)` returns: the table's lines, and the samples."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the cluster is taken down
    case.OUT.mkdir(parents=True, exist_ok=True)
    facts = circumstances(case.CHECKOUT)
    with running_cluster(f"bench-{name}", options.build, "--nodes", str(nodes), "--timeout", "300") as cluster:
        lines, samples = work(cluster, options)
    text = text_of(facts, lines)
    if options.record:
        case.record(name, text)
    case.leave(name, facts, lines, samples, text)
