"""Which attempt of the run this is."""

import os


def restart_count() -> int:
    """How many times the launcher has restarted this run: 0 in the first attempt, and without a launcher."""
    text = os.environ.get("TORCHELASTIC_RESTART_COUNT", "")
    return int(text) if text.isascii() and text.isdigit() else 0
