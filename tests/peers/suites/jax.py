"""jax: its tests for several processes, on CPUs. Their own launcher is the test file itself, which starts its processes;
under muster, they are the tasks of a step."""

from pathlib import Path

import command_suite
from outcome import HERE, Row

SOURCES = "jax"
PROCESSES = 2
PATIENT = ["--heartbeat_timeout=60", "--initialization_timeout=300", "--shutdown_timeout=120", "--barrier_timeout=300"]


def rows(sources: Path, python: str, words: list[str]) -> list[Row]:
    folder = sources / SOURCES / "tests" / "multiprocess"
    cases = []
    for file in sorted(folder.glob("*_test.py")):
        line = [python, str(file), f"--num_processes={PROCESSES}", *PATIENT]
        cases.append(command_suite.Case(
            file.name, [*line, "--cpu_collectives_implementation=gloo"],
            ["srun", "-N2", f"-n{PROCESSES}", "--distributed=jax", str(HERE / "bin" / "jax_worker"), *line,
             "--jax_cpu_collectives_implementation=gloo"]))
    return command_suite.rows("jax", cases, python, words)
