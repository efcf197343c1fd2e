"""The results of a benchmark: JSON, a markdown table and SVG plots."""

import json
import platform
import subprocess
import time
from dataclasses import asdict, dataclass

import plots
from paired import ratio, summary


@dataclass(frozen=True)
class Line:
    """One line of the table: what was measured, the value, the limit and whether it holds."""

    what: str
    measured: str
    limit: str
    verdict: str


def milliseconds(seconds):
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def describe(samples):
    one = summary(samples)
    return (f"{milliseconds(one.median)} (min {milliseconds(one.least)}, "
            f"quartiles {milliseconds(one.first_quartile)} to {milliseconds(one.third_quartile)}, n={one.count})")


def compare(what, samples, reference, limit=None):
    """A line that compares two kinds of one run, pair by pair."""
    one = ratio(samples, reference)
    measured = (f"{one.median:.3f} x, 95 % CI {one.low:.3f} to {one.high:.3f}, "
                f"quartiles {one.first_quartile:.3f} to {one.third_quartile:.3f}")
    return Line(what, measured, f"{limit} x" if limit else "-", one.verdict(limit) if limit else "-")


def table(lines):
    rows = ["| measurement | result | limit | verdict |", "|---|---|---|---|"]
    rows += [f"| {line.what} | {line.measured} | {line.limit} | {line.verdict} |" for line in lines]
    return "\n".join(rows) + "\n"


def output(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip()


def package(name):
    return output("dpkg-query", "-W", "-f=${Version}", name) or "unknown"


def cpu_ticks():
    """Over all CPUs since boot: busy ticks, and all ticks."""
    with open("/proc/stat", encoding="utf-8") as file:
        user, nice, system, idle, iowait, irq, softirq, steal = map(int, file.readline().split()[1:9])
    busy = user + nice + system + irq + softirq + steal
    return busy, busy + idle + iowait


def busy_share(seconds=2.0):
    """Over all CPUs, during that time. The load average would still include what ended a minute ago."""
    busy, everything = cpu_ticks()
    time.sleep(seconds)
    busy_after, everything_after = cpu_ticks()
    return (busy_after - busy) / (everything_after - everything)


def circumstances(checkout):
    """The conditions of the measurement."""
    with open("/proc/meminfo", encoding="utf-8") as file:
        memory = int(file.readline().split()[1]) // 2**20
    return {
        "CPUs": output("nproc"),
        "memory": f"{memory} GiB",
        "kernel": platform.release().split("-")[0],
        "system": output("sh", "-c", ". /etc/os-release && echo \"$PRETTY_NAME\""),
        "Slurm": package("slurmd"),
        "PMIx": package("libpmix2"),
        "muster": output("git", "-C", str(checkout), "describe", "--always", "--dirty"),
        "date": output("date", "+%Y-%m-%d"),
        "background CPU load": f"{busy_share():.0%}",
    }


def describe_circumstances(facts):
    return ", ".join(f"{name} {value}" for name, value in facts.items())


def text_of(facts, lines):
    return f"Test setup: {describe_circumstances(facts)}.\n\n{table(lines)}"


def record(page, section, facts, lines):
    """Puts the table into a page."""
    record_text(page, section, text_of(facts, lines))


def record_text(page, section, text):
    """Puts a text into a page, between the section's two marks."""
    begin, end = f"<!-- {section}: begin -->\n", f"<!-- {section}: end -->"
    before, rest = page.read_text(encoding="utf-8").split(begin)
    after = rest.split(end)[1]
    page.write_text(before + begin + text + end + after, encoding="utf-8")


def write_json(path, facts, lines, samples):
    path.write_text(json.dumps({"circumstances": facts, "lines": [asdict(line) for line in lines],
                                "samples": samples}, indent=1) + "\n", encoding="utf-8")


def plot(path, title, kinds):
    """One box per kind: median, quartiles, whiskers at 5 and 95 %, every sample as a dot."""
    names = list(kinds)[::-1]
    values = [[1000 * sample for sample in kinds[name]] for name in names]
    with plots.drawn(path, 7, 0.9 + 0.55 * len(kinds)) as (axes,):
        lines = {"color": plots.GREY}
        axes.boxplot(values, vert=False, whis=(5, 95), showfliers=False, widths=0.5, boxprops=lines, whiskerprops=lines,
                     capprops=lines, medianprops={"color": plots.ORANGE})
        for place, samples in enumerate(values, 1):
            heights = [place + 0.2 * ((17 * i) % 21 - 10) / 10 for i in range(len(samples))]
            axes.plot(samples, heights, ".", markersize=2.5, alpha=0.35, color=plots.BLUE)
        axes.set_yticks(range(1, len(names) + 1), names)
        axes.set_xlabel("milliseconds")
        axes.set_title(title, loc="left")
        # One stalled sample must not squeeze all the others.
        axes.set_xlim(right=1.1 * max(sorted(samples)[int(0.97 * (len(samples) - 1))] for samples in values))
