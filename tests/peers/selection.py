"""A pytest plugin: leaves out the cases that a note says cannot run under muster; or, with PEERS_LEFT_OUT, all others."""

import os

import pytest
from outcome import note_of, read_notes

NOTES = read_notes(os.environ["PEERS_SUITE"])


def is_out(item: pytest.Item) -> bool:
    owner = f"{item.cls.__name__}::" if getattr(item, "cls", None) else ""
    note = note_of(NOTES, f"{item.path.name}::{owner}{item.name}")
    return (note is not None and note.kind == "n/a") != ("PEERS_LEFT_OUT" in os.environ)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.hook.pytest_deselected(items=[item for item in items if is_out(item)])
    items[:] = [item for item in items if not is_out(item)]
