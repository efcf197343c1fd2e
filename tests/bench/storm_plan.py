"""The jobs of a storm: which user starts which steps where. The same seed and round give the same jobs to every
rule."""

import random

USERS = ("alice", "bob", "carol")
STEPS_OF_A_JOB = (1, 1, 2, 3, 4)  # weighted by how often they appear here
RANKS = (2, 3, 4)
HOLD_MS = (300, 1200)


def jobs(seed: int, number: int, launches: int, nodes: list[str]) -> list[dict]:
    """Jobs with `launches` steps in total, each on two nodes."""
    chance = random.Random(f"{seed}/{number}")
    planned, left = [], launches
    while left:
        steps = min(chance.choice(STEPS_OF_A_JOB), left)
        left -= steps
        planned.append({
            "user": chance.choice(USERS),
            "nodes": sorted(chance.sample(nodes, 2)),
            "steps": [{"ranks": chance.choice(RANKS), "hold": chance.randint(*HOLD_MS)} for _ in range(steps)],
        })
    return planned


def named(planned: list[dict], prefix: str, servers: tuple[str, ...]) -> list[dict]:
    """The same jobs with what is specific to one rule's run: launch names, nonces, kinds of server."""
    secret = random.SystemRandom()
    number = 0
    for job in planned:
        for step in job["steps"]:
            step |= {"launch": f"{prefix}-{number}", "nonce": f"{secret.getrandbits(64):016x}",
                     "server": servers[number % len(servers)]}
            number += 1
    return planned
