"""The tables of all cases: one for the terminal, one for docs/explain/peers-cases.md."""

from outcome import Outcome, Row


def word(outcome: Outcome | None) -> str:
    return "not run" if outcome is None else {"pass": "passes", "fail": "fails", "skip": "skipped"}[outcome.word]


def counts(rows: list[Row]) -> dict[str, int]:
    found = {"cases": len(rows)}
    for verdict in ("same", "differs", "n/a", "wrong"):
        found[verdict] = sum(row.verdict == verdict for row in rows)
    found["fails"] = sum(row.verdict == "same" and row.own is not None and row.own.word == "fail" for row in rows)
    return found


def terminal(rows: list[Row]) -> str:
    lines = [f"{row.verdict:8} {word(row.own):8} {word(row.muster):8} {row.suite}: {row.case}"
             + (f" ({row.reason})" if row.reason else "") for row in rows]
    found = counts(rows)
    lines.append(f"{found['cases']} cases: {found['same']} the same ({found['fails']} fail under both), "
                 f"{found['differs']} documented differences, "
                 f"{found['n/a']} not applicable, {found['wrong']} wrong")
    return "\n".join(lines)


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def markdown(suite: str, rows: list[Row]) -> str:
    """The section of a suite."""
    found = counts(rows)
    head = (f"## {suite}\n\n{found['cases']} cases: {found['same']} the same ({found['fails']} fail under both), "
            f"{found['differs']} different, {found['n/a']} not applicable.\n\n")
    if found["wrong"]:
        head += f"{found['wrong']} wrong.\n\n"
    lines = ["| case | own launcher | muster | result |", "|---|---|---|---|"]
    for row in rows:
        result = row.verdict if not row.reason else f"{row.verdict}: {row.reason}"
        lines.append(f"| {cell(row.case)} | {word(row.own)} | {word(row.muster)} | {cell(result)} |")
    return head + "\n".join(lines) + "\n"
