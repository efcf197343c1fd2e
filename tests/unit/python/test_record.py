"""Exceptions and fatal signals as evidence for the launcher, in programs without @record."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Mapping

import pytest

CRASH = "def inner(): raise ValueError('boom')\ninner()\n"


@pytest.fixture
def step(tmp_path: Path) -> Mapping[str, str]:
    """What profile torch gives to a task."""
    return {"TORCHELASTIC_ERROR_FILE": str(tmp_path / "error.json"), "MUSTER_SET": "RANK TORCHELASTIC_ERROR_FILE"}


def ends(tmp_path: Path, program: str, env: Mapping[str, str], code: int = 1) -> subprocess.CompletedProcess:
    script = tmp_path / "train.py"
    script.write_text(program)
    done = subprocess.run([sys.executable, str(script)], env={**os.environ, **env}, capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == code, done.stderr
    return done


def record(tmp_path: Path) -> dict:
    left = sorted(file.name for file in tmp_path.iterdir() if file.name not in ("train.py", "secret"))
    assert left == ["error.json", "fault.txt"], "nothing else is left behind"
    return json.loads((tmp_path / "error.json").read_text())["message"]


def test_an_exception_is_written_as_torchs_record_writes_it(tmp_path: Path, step) -> None:
    done = ends(tmp_path, "import muster\n" + CRASH, step)
    assert "ValueError: boom" in done.stderr, "Python's own traceback is where it was"
    found = record(tmp_path)
    assert found["message"] == "ValueError: boom"
    assert found["extraInfo"]["py_callstack"] == done.stderr
    assert found["extraInfo"]["timestamp"].isdigit()
    assert set(found) == {"message", "extraInfo"} and set(found["extraInfo"]) == {"py_callstack", "timestamp"}
    assert (tmp_path / "error.json").stat().st_mode & 0o777 == 0o600


def test_torch_itself_reads_it(tmp_path: Path, step) -> None:
    errors = pytest.importorskip("torch.distributed.elastic.multiprocessing.errors", reason="no PyTorch for this python3")
    ends(tmp_path, "import muster\n" + CRASH, step)
    failure = errors.ProcessFailure(local_rank=0, pid=1, exitcode=1, error_file=step["TORCHELASTIC_ERROR_FILE"])
    assert "ValueError: boom" in str(failure.message) and failure.timestamp > 0


def test_it_is_what_record_itself_writes(tmp_path: Path, step) -> None:
    pytest.importorskip("torch", reason="no PyTorch for this python3")
    program = ("from torch.distributed.elastic.multiprocessing.errors import record\n%s"
               "def main():\n    raise ValueError('boom')\nmain()\n")
    ends(tmp_path, "import muster\n" + program % "@record\n", step)
    by_torch = record(tmp_path)
    (tmp_path / "error.json").unlink()
    ends(tmp_path, "import muster\n" + program % "", step)
    by_muster = record(tmp_path)
    for found in (by_torch, by_muster):
        found["extraInfo"]["timestamp"] = type(found["extraInfo"]["timestamp"])
        found["extraInfo"]["py_callstack"] = found["extraInfo"]["py_callstack"].splitlines()[-2:]
    assert by_muster == by_torch


def test_an_error_at_a_prompt_is_none_of_the_program(tmp_path: Path, step) -> None:
    program = ("import code, io, sys\nimport muster\nsys.stdin = io.StringIO('1 / 0\\nprint(40 + 2)\\n')\n"
               "code.interact()\n")
    done = ends(tmp_path, program, step, code=0)
    assert "ZeroDivisionError" in done.stderr and "42" in done.stdout
    assert not (tmp_path / "error.json").exists()


def test_a_program_that_is_inspected_after_its_end_goes_on(tmp_path: Path, step) -> None:
    (tmp_path / "train.py").write_text("import muster\n" + CRASH)
    done = subprocess.run([sys.executable, "-i", str(tmp_path / "train.py")], env={**os.environ, **step},
                          input="print(40 + 2)\n", capture_output=True, text=True, timeout=60, check=False)
    assert "ValueError: boom" in done.stderr and "42" in done.stdout
    assert not (tmp_path / "error.json").exists()


def test_a_file_that_is_there_is_kept(tmp_path: Path, step) -> None:
    (tmp_path / "error.json").write_text('{"message": "of @record"}')
    ends(tmp_path, "import muster\n" + CRASH, step)
    assert record(tmp_path) == "of @record"


@pytest.mark.parametrize("different", [
    {"MUSTER_SET": "RANK"}, {"MUSTER_SET": ""}, {"MUSTER_RECORD": "0"}, {"TORCHELASTIC_ERROR_FILE": ""}],
    ids=["file_of_torchrun", "no_launcher", "switched_off", "no_file"])
def test_nothing_is_done_where_the_launcher_has_given_no_file(tmp_path: Path, step, different) -> None:
    program = "import sys, faulthandler\nhook = sys.excepthook\nimport muster\n" \
              "assert sys.excepthook is hook and not faulthandler.is_enabled()\nsys.exit(5)\n"
    ends(tmp_path, program, {**step, **different}, code=5)
    assert [file.name for file in tmp_path.iterdir()] == ["train.py"]


@pytest.mark.parametrize(("end", "code"), [
    ("sys.exit(3)", 3), ("sys.exit('why')", 1), ("raise KeyboardInterrupt", -signal.SIGINT), ("os._exit(4)", 4), ("", 0)])
def test_what_is_no_exception_is_not_recorded(tmp_path: Path, step, end: str, code: int) -> None:
    ends(tmp_path, f"import os, sys, muster\n{end}\n", step, code=code)
    assert not (tmp_path / "error.json").exists()


def test_the_exception_of_a_thread_is_not_the_end_of_the_rank(tmp_path: Path, step) -> None:
    ends(tmp_path, "import muster, threading\n"
                   "thread = threading.Thread(target=lambda: 1 / 0); thread.start(); thread.join()\n", step, code=0)
    assert not (tmp_path / "error.json").exists()


def test_a_hook_that_was_there_still_runs(tmp_path: Path, step) -> None:
    done = ends(tmp_path, "import sys\nsys.excepthook = lambda *_: print('own hook')\nimport muster\n" + CRASH, step)
    assert (done.stdout, done.stderr) == ("own hook\n", "")
    assert record(tmp_path)["message"] == "ValueError: boom"


def test_an_exception_is_recorded_under_a_hook_that_came_later(tmp_path: Path, step) -> None:
    done = ends(tmp_path, "import muster, sys\nsys.excepthook = lambda *_: print('own hook')\n" + CRASH, step)
    assert (done.stdout, done.stderr) == ("own hook\n", "")
    found = record(tmp_path)
    assert found["message"] == "ValueError: boom" and "in inner" in found["extraInfo"]["py_callstack"]


@pytest.mark.parametrize("child", [
    "subprocess.run([sys.executable, '-c', 'import muster; 1 / 0'])",
    "os.fork() == 0 and 1 / 0 or os.wait()"], ids=["another_python", "fork"])
def test_an_exception_of_a_child_is_not_the_ranks(tmp_path: Path, step, child: str) -> None:
    done = ends(tmp_path, f"import muster, os, subprocess, sys\n{child}\n", step, code=0)
    assert "ZeroDivisionError" in done.stderr
    assert not (tmp_path / "error.json").exists()


def test_a_rank_below_a_step_of_another_file_has_its_own(tmp_path: Path, step) -> None:
    inner = {**step, "TORCHELASTIC_ERROR_FILE": str(tmp_path / "inner.json")}
    program = f"import muster, os, subprocess, sys\n" \
              f"subprocess.run([sys.executable, '-c', 'import muster; 1 / 0'], env={{**os.environ, **{inner!r}}})\n"
    ends(tmp_path, program, step, code=0)
    assert json.loads((tmp_path / "inner.json").read_text())["message"]["message"] == "ZeroDivisionError: division by zero"
    assert not (tmp_path / "error.json").exists()


@pytest.mark.parametrize(("raised", "begins"), [
    ("ValueError('x' * 10_000_000)", "ValueError: xxx"),
    ("FileNotFoundError('\\udcff')", "FileNotFoundError: \\udcff"),
    ("type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})()", "Odd: (its text is not available)")],
    ids=["huge", "half_characters", "without_a_text"])
def test_a_strange_exception_is_recorded_within_bounds(tmp_path: Path, step, raised: str, begins: str) -> None:
    ends(tmp_path, f"import muster\nraise {raised}\n", step)
    assert record(tmp_path)["message"].startswith(begins)
    assert (tmp_path / "error.json").stat().st_size < 1024 * 1024


@pytest.mark.parametrize("place", ["/nowhere/error.json", "/proc/error.json"])
def test_a_place_that_cannot_be_written_changes_nothing(tmp_path: Path, step, place: str) -> None:
    done = ends(tmp_path, "import muster\n" + CRASH, {**step, "TORCHELASTIC_ERROR_FILE": place})
    assert done.stderr.startswith("Traceback") and done.stderr.endswith("ValueError: boom\n")
    assert "During handling" not in done.stderr


def test_a_link_that_leads_elsewhere_is_not_followed(tmp_path: Path, step) -> None:
    (tmp_path / "error.json").symlink_to(tmp_path / "elsewhere")
    ends(tmp_path, "import muster\n" + CRASH, step)
    assert not (tmp_path / "elsewhere").exists()


SEGV = "os.kill(os.getpid(), signal.SIGSEGV)"


def test_the_stacks_at_a_fatal_signal_are_beside_it(tmp_path: Path, step) -> None:
    done = ends(tmp_path, f"import muster, os, signal\ndef crash(): {SEGV}\ncrash()\n", step, code=-signal.SIGSEGV)
    dump = (tmp_path / "fault.txt").read_text()
    assert dump.startswith("Fatal Python error: Segmentation fault\n")
    assert "(most recent call first)" in dump and 'line 2 in crash' in dump
    assert "Fatal Python error" not in done.stderr


@pytest.mark.parametrize("chosen", ["before", "variable"])
def test_the_programs_own_choice_of_a_file_is_kept(tmp_path: Path, step, chosen: str) -> None:
    first, env = ("faulthandler.enable()", {}) if chosen == "before" else ("", {"PYTHONFAULTHANDLER": "1"})
    done = ends(tmp_path, f"import faulthandler, os, signal\n{first}\nimport muster\n{SEGV}\n", {**step, **env},
                code=-signal.SIGSEGV)
    assert "Fatal Python error: Segmentation fault" in done.stderr
    assert not (tmp_path / "fault.txt").exists()


def test_a_program_that_handles_faults_itself_is_left_alone(tmp_path: Path, step) -> None:
    ends(tmp_path, "import signal, faulthandler\nsignal.signal(signal.SIGBUS, lambda *_: None)\nimport muster\n"
                   "assert not faulthandler.is_enabled()\n", step, code=0)
    assert not (tmp_path / "fault.txt").exists()
