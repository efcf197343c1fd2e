"""Checks metrics as Prometheus reads them: text format 0.0.4, and OpenMetrics 1.0 as far as muster writes it."""

import re
import shutil
import subprocess

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABELS = r'(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*)\})?'
SAMPLE = re.compile(rf"({NAME}){LABELS} (-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?|NaN|[+-]Inf)")


def values(text: str) -> dict[str, dict[str, float]]:
    """By series' name and labels, once the text is found to be well-formed."""
    openmetrics = text.endswith("# EOF\n")
    found: dict[str, dict[str, float]] = {}
    types: dict[str, str] = {}
    family = ""
    for line in text.removesuffix("# EOF\n").split("\n")[:-1]:
        if line.startswith("# "):
            word, name, rest = line[2:].split(" ", 2)
            assert word in ("HELP", "TYPE", *(["UNIT"] if openmetrics else [])), line
            assert rest, line
            if word == "HELP":
                assert name not in types, f"{name} comes twice"
                family = name
            if word == "TYPE":
                types[name] = rest
                assert rest in ("counter", "gauge"), line
            assert name == family, f"{line} is about another family"
            continue
        sample = SAMPLE.fullmatch(line)
        assert sample, f"not a sample: {line!r}"
        counter = types[family] == "counter"
        assert sample[1] == family + ("_total" if counter and openmetrics else ""), f"{line} is not in {family}"
        assert sample[1].endswith("_total") == counter, line
        series = found.setdefault(sample[1], {})
        assert sample[2] not in series, f"{line} comes twice"
        series[sample[2]] = float(sample[3])
    if not openmetrics and (promtool := shutil.which("promtool")):
        done = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done
    return found


def value(text: str, name: str, **labels: str) -> float:
    """Of the only series with these labels."""
    (found,) = [number for given, number in values(text)[name].items()
                if all(f'{label}="{wanted}"' in given for label, wanted in labels.items())]
    return found
