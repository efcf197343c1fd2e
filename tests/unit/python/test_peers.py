"""What scripts/peers says about a case."""

import sys
from pathlib import Path

import pytest

PEERS = Path(__file__).resolve().parents[3] / "tests" / "peers"
sys.path.insert(0, str(PEERS))

from outcome import Note, Outcome, judge, note_of, read_notes  # noqa: E402
from record import page_with, sections_of  # noqa: E402

PASS, FAIL, SKIP = Outcome("pass"), Outcome("fail", "boom"), Outcome("skip", "needs a GPU")
DIFFERS, NOT_HERE = Note("a", "differs", "by design"), Note("a", "n/a", "a mock")


@pytest.mark.parametrize(("own", "muster", "note", "verdict", "reason"), [
    (PASS, PASS, None, "same", ""),
    (FAIL, FAIL, None, "same", ""),
    (FAIL, FAIL, Note("a", "fails", "needs a network"), "same", "needs a network"),
    (PASS, FAIL, None, "wrong", "boom"),
    (FAIL, PASS, None, "wrong", "boom"),
    (PASS, FAIL, DIFFERS, "differs", "by design"),
    (PASS, PASS, DIFFERS, "wrong", "noted as different: by design"),
    (SKIP, None, None, "n/a", "needs a GPU"),
    (PASS, SKIP, None, "wrong", "needs a GPU"),
    (None, None, NOT_HERE, "n/a", "a mock"),
    (PASS, None, None, "wrong", "it did not run under both launchers"),
])
def test_a_case_is_the_same_or_has_a_reason(own, muster, note, verdict, reason) -> None:
    row = judge("torch", "a", own, muster, note)
    assert (row.verdict, row.reason) == (verdict, reason)


def test_the_first_note_that_matches_counts() -> None:
    notes = [Note("x::test_one", "runs", ""), Note("x::test_*", "n/a", "no")]
    assert note_of(notes, "x::test_one") is None
    assert note_of(notes, "x::test_two") == notes[1]


@pytest.mark.parametrize("suite", [file.stem for file in sorted((PEERS / "suites").glob("*.py"))])
def test_each_note_is_complete(suite: str) -> None:
    for note in read_notes(suite):
        assert note.kind in ("n/a", "differs", "fails", "runs") and note.reason, note


def test_a_suite_that_did_not_run_keeps_its_section_of_the_page() -> None:
    first = page_with("", {"torch": "## torch\n\n| a |\n", "jax": "## jax\n\n| b |\n"})
    assert list(sections_of(first)) == ["jax", "torch"]
    second = page_with(first, {"jax": "## jax\n\n| new |\n"})
    assert second == first.replace("| b |", "| new |")
    assert page_with(second, {}) == second
