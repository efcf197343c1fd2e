"""The case `hook`: what the start hook of Python adds to a rank's start, and to its first all-reduce.

Started by scripts/bench. Needs no cluster: the processes get the variables that muster gives a rank.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

from case import CHECKOUT, OUT, leave, parser, record, say
from report import Line, circumstances, compare, describe, milliseconds, text_of

# The project's own limits.
START_SECONDS = 0.003
FIRST_RATIO = 1.01

# They meet in a file: a TCP store that is not there yet would cost a second, now and then.
FIRST = """
import sys, torch, torch.distributed as dist
dist.init_process_group("gloo", init_method=f"file://{sys.argv[2]}", rank=int(sys.argv[1]), world_size=2)
dist.all_reduce(torch.ones(1))
"""


def environment(build, directory):
    """Without bytecode, as where the user cannot write beside the hook."""
    plain = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "MUSTER_RANK_DIRECTORY")}
    plain["PYTHONDONTWRITEBYTECODE"] = "1"
    return plain, {**plain, "PYTHONPATH": str(build / "share/muster/start"), "MUSTER_RANK_DIRECTORY": directory,
                   "SLURM_TASK_PID": "1", "WORLD_SIZE": "2"}


def start(python, env):
    begin = time.perf_counter()
    subprocess.run([python, "-c", "pass"], env=env, check=True)
    return time.perf_counter() - begin


def first(python, env):
    with tempfile.TemporaryDirectory() as directory:
        begin = time.perf_counter()
        ranks = [subprocess.Popen([python, "-c", FIRST, str(rank), f"{directory}/store"], env=env, stderr=subprocess.DEVNULL)
                 for rank in (0, 1)]
        for rank in ranks:
            rank.wait()
        return time.perf_counter() - begin


def in_pairs(rounds, what, python, environments):
    """Each pair in the other order, so that neither always comes first."""
    plain, hooked = [], []
    for number in range(rounds):
        kinds = [(environments[0], plain), (environments[1], hooked)]
        for env, samples in kinds if number % 2 else kinds[::-1]:
            samples.append(what(python, env))
    return plain, hooked


def main():
    options = parser("hook", __doc__, rounds=200)
    options.add_argument("--python", default=sys.executable)
    options.add_argument("--torch-rounds", type=int, default=20, help="0: no all-reduce")
    options = options.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    facts, samples, lines = circumstances(CHECKOUT), {}, []
    facts["Python"] = subprocess.run([options.python, "-V"], capture_output=True, text=True, check=True).stdout.split()[1]
    with tempfile.TemporaryDirectory() as directory:
        environments = environment(pathlib.Path(options.build).resolve(), directory)
        say(f"python3 -c pass, {options.rounds} pairs")
        plain, hooked = in_pairs(options.rounds, start, options.python, environments)
        samples["start of Python"] = {"plain": plain, "with the hook": hooked}
        more = sorted(one - base for one, base in zip(hooked, plain, strict=True))
        median, low, high = (more[len(more) * part // 100] for part in (50, 25, 75))
        lines += [Line("`python3 -c pass`, without the start hook", describe(plain), "-", "-"),
                  Line("`python3 -c pass`, with the start hook", describe(hooked), "-", "-"),
                  Line("time added by the start hook (difference within each pair of runs)",
                       f"{milliseconds(median)} (quartiles {milliseconds(low)} to {milliseconds(high)})",
                       milliseconds(START_SECONDS), "met" if median <= START_SECONDS else "missed")]
        if options.torch_rounds:
            say(f"first all-reduce of two ranks, {options.torch_rounds} pairs")
            plain, hooked = in_pairs(options.torch_rounds, first, options.python, environments)
            samples["first all-reduce"] = {"plain": plain, "with the hook": hooked}
            what = "two ranks, from start to exit, with one all-reduce over gloo"
            lines += [Line(f"{what}, without the start hook", describe(plain), "-", "-"),
                      compare(f"{what}: with / without the start hook", hooked, plain, FIRST_RATIO)]
    text = text_of(facts, lines)
    leave("hook", facts, lines, samples, text)
    if options.record:
        record("hook", text)


if __name__ == "__main__":
    main()
