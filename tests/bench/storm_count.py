"""The results of a storm's launches: each one is good, or has failed in one or more ways."""

import collections
import itertools
from dataclasses import dataclass

TAKEN, MIXED, UNMET, OTHER = "port taken", "mixed group", "no meeting", "other"
KINDS = (TAKEN, MIXED, UNMET, OTHER)
OF_A_NOTE = {"taken": TAKEN, "mixed": MIXED, "unmet": UNMET, "broken": OTHER}


@dataclass(frozen=True)
class Note:
    """What one rank recorded about its meeting. Times are in milliseconds of the machine's single clock."""

    launch: str
    rank: int
    node: str
    port: int
    begin: int
    end: int
    kind: str
    detail: str


def read_note(line):
    launch, rank, node, port, begin, end, kind, detail = line.split(" ", 7)
    return Note(launch, int(rank), node, int(port), int(begin), int(end), kind, detail)


def failures(launch, notes):
    """The ways in which a launch has failed; empty if every rank has met its own rank 0 and srun has succeeded."""
    kinds = {OF_A_NOTE[note.kind] for note in notes if note.kind in OF_A_NOTE}
    met = {note.rank for note in notes if note.kind == "met"}
    if launch["code"] == 0 and not kinds and met == set(range(launch["ranks"])):
        return set()
    if not kinds and ("is taken" in launch["said"] or "are taken" in launch["said"]):
        kinds.add(TAKEN)  # muster's own message, before any rank has started
    return kinds or {OTHER}


@dataclass
class Count:
    launches: int = 0
    alone: int = 0  # launches that were the only step of their job
    failed: int = 0
    failed_alone: int = 0
    kinds: collections.Counter = None
    most_at_once: int = 0

    def __post_init__(self):
        self.kinds = collections.Counter()

    def __iadd__(self, other):
        for name in ("launches", "alone", "failed", "failed_alone"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.kinds += other.kinds
        self.most_at_once = max(self.most_at_once, other.most_at_once)
        return self


def count(result):
    """For one run of storm_drive: the counts, and the launches that failed."""
    notes = collections.defaultdict(list)
    for line in result["notes"]:
        note = read_note(line)
        notes[note.launch].append(note)
    total, failed = Count(most_at_once=most_at_once(notes)), []
    for launch in result["launches"]:
        kinds = failures(launch, notes[launch["launch"]])
        total.launches += 1
        total.alone += launch["alone"]
        total.failed += bool(kinds)
        total.failed_alone += bool(kinds) and launch["alone"]
        total.kinds.update(kinds)
        if kinds:
            failed.append(launch | {"kinds": sorted(kinds), "notes": [str(note) for note in notes[launch["launch"]]]})
    return total, failed


def most_at_once(notes_by_launch):
    """The most steps whose ranks were alive on one node at the same moment."""
    lives = collections.defaultdict(lambda: [float("inf"), 0])
    for note in itertools.chain.from_iterable(notes_by_launch.values()):
        life = lives[note.node, note.launch]
        life[0], life[1] = min(life[0], note.begin), max(life[1], note.end)
    changes = collections.defaultdict(list)
    for (node, _), (begin, end) in lives.items():
        changes[node] += [(begin, 1), (end, -1)]
    return max((max(itertools.accumulate(change for _, change in sorted(each))) for each in changes.values()),
               default=0)
