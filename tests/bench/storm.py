"""The case `storm`: whether steps that start at the same time get different ports.

Steps of two to four ranks, up to eight at once on a node and by three users, really meet, while short-lived clients
take ephemeral ports on every node. The same jobs run with muster and with port rules that others publish. Started by
scripts/bench; brings up its own clusters and takes them down.
"""

import argparse
import contextlib
import copy
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import case
from bench_cluster import running_cluster
from case import CHECKOUT, OUT, say
from report import circumstances, describe_circumstances
from storm_count import KINDS, Count
from storm_plan import jobs
from storm_rules import RULES
from storm_site import StormSite

NODES = 3
FIRST_JOB = 4718000  # as on a cluster that has run for a while
CONF = f"FirstJobId={FIRST_JOB}\n"
NO_LEASES = CONF + "MpiParams=\n"


@contextlib.contextmanager
def running_site(name, build, conf):
    """A cluster whose nodes have room for eight simultaneous steps."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(conf)
        file.flush()
        options = ["--nodes", str(NODES), "--cpus", "32", "--slurm-conf", file.name]
        with running_cluster(name, build, *options) as cluster:
            yield StormSite(cluster.words, cluster.state, NODES, FIRST_JOB)


class Storm:
    def __init__(self, options):
        self.options = options
        self.counts = {rule.name: Count() for rule in RULES}
        self.seconds = dict.fromkeys(self.counts, 0.0)
        self.failed, self.time_wait, self.discarded = [], [], []

    def launches_of(self, rule):
        return self.options.launches if rule.ours else self.options.peer_launches

    def rounds(self):
        """Round by round, each with all rules that have launches left, in a different order each time."""
        number = 0
        while True:
            open_rules = [rule for rule in RULES if self.counts[rule.name].launches < self.launches_of(rule)]
            if not open_rules:
                return
            planned = jobs(self.options.seed, number, self.options.round, [f"node{i + 1}" for i in range(NODES)])
            random.Random(number).shuffle(open_rules)
            for rule in open_rules:
                yield number, rule, copy.deepcopy(planned)
            number += 1

    def run(self, leased, unleased):
        with (OUT / "storm.log").open("wb") as log:
            for number, rule, planned in self.rounds():
                site = leased if rule.leases else unleased
                begin = time.monotonic()
                counted, failed = site.run(rule, planned, number, self.options.at_once, stderr=log)
                self.seconds[rule.name] += time.monotonic() - begin
                if dead := site.revive():
                    self.discarded.append({"rule": rule.name, "round": number, "nodes": dead, **vars(counted)})
                    say(f"round {number}, {rule.name}: slurmd has died on {dead}; the round does not count")
                    continue
                self.counts[rule.name] += counted
                self.failed += failed
                self.time_wait += site.time_wait()
                say(f"round {number}, {rule.name}: {counted.failed} of {counted.launches} failed "
                    f"{dict(counted.kinds)}, {counted.most_at_once} at once, {time.monotonic() - begin:.0f} s")
                if rule.ours:
                    for launch in failed:
                        say(f"  {json.dumps(launch)}")


def table(storm):
    rows = ["| rule | launches | failed | " + " | ".join(KINDS) + " | failed in jobs with one step | steps at once |",
            "|---|---|---|" + "---|" * (len(KINDS) + 2)]
    for rule in RULES:
        one = storm.counts[rule.name]
        kinds = " | ".join(str(one.kinds[kind]) for kind in KINDS)
        rows.append(f"| {rule.shown} | {one.launches} | {one.failed} ({one.failed / max(1, one.launches):.1%}) | {kinds} "
                    f"| {one.failed_alone} of {one.alone} | {one.most_at_once} |")
    return "\n".join(rows) + "\n"


def describe_churn(storm, told):
    connections = sum(connections for connections, _ in told)
    ports = [ports for _, ports in told]
    waits = sorted(storm.time_wait)
    return (f"The short-lived clients made {connections} connections on {len(told)} nodes; on each node, they used "
            f"{min(ports)} to {max(ports)} of the 28232 ephemeral ports. After a round, a node had a median of "
            f"{waits[len(waits) // 2]} sockets in TIME_WAIT, and at most {waits[-1]}.{describe_discarded(storm)}")


def describe_kinds(kinds):
    return ", ".join(f"{kind} {number}" for kind, number in kinds.items()) or "none"


def describe_discarded(storm):
    """Rounds in which slurmd itself died: their results about ports are still valid."""
    if not storm.discarded:
        return ""
    rounds = "; ".join(f"{one['rule']} ({describe_kinds(one['kinds'])})" for one in storm.discarded)
    return (f" The table does not count {len(storm.discarded)} rounds in which Slurm's own slurmd died. "
            f"Failed launches in these rounds: {rounds}.")


def parse():
    parser = argparse.ArgumentParser(prog="scripts/bench storm")
    parser.add_argument("--build", type=pathlib.Path, default=CHECKOUT / "build")
    parser.add_argument("--launches", type=int, default=1000, help="launches with each of muster's two rules")
    parser.add_argument("--peer-launches", type=int, default=1000, help="launches with each other rule")
    parser.add_argument("--round", type=int, default=50, help="launches with one rule before the next one's turn")
    parser.add_argument("--at-once", type=int, default=8, help="maximum number of simultaneous steps on a node")
    parser.add_argument("--churn", type=int, default=100, help="connections per second on each node")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="write the table into docs/explain/port-storm.md")
    return parser.parse_args()


def main():
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the clusters are taken down
    OUT.mkdir(parents=True, exist_ok=True)
    facts, storm = circumstances(CHECKOUT), Storm(options)
    with contextlib.ExitStack() as stack:
        leased = stack.enter_context(running_site("storm-a", options.build, CONF))
        unleased = stack.enter_context(running_site("storm-b", options.build, NO_LEASES))
        told = [stack.enter_context(site.churn(options.churn)) for site in (leased, unleased)]
        try:
            storm.run(leased, unleased)
        except subprocess.CalledProcessError as error:
            sys.exit(f"bench: {error.cmd[0]} {error.cmd[3]} ended with {error.returncode}; see {OUT}/storm.log")
        churn = describe_churn(storm, [node for tell in told for node in tell()])
    text = f"Test setup: {describe_circumstances(facts)}.\n\n{table(storm)}\n{churn}\n"
    (OUT / "storm.json").write_text(json.dumps({
        "circumstances": facts, "seed": options.seed, "churn": churn, "discarded": storm.discarded, "seconds": storm.seconds,
        "rules": {name: vars(one) for name, one in storm.counts.items()}, "failed": storm.failed,
    }, indent=1) + "\n", encoding="utf-8")
    if options.record:
        case.record("storm", text, CHECKOUT / "docs/explain/port-storm.md")
    case.leave_text("storm", text)
    ours = sum(storm.counts[rule.name].failed for rule in RULES if rule.ours)
    sys.exit(f"bench: {ours} of muster's launches failed; see {OUT}/storm.json" if ours else 0)


if __name__ == "__main__":
    main()
