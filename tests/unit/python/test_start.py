"""The start hook of Python (lib/python/start), in every Python that this machine has."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Dict, List, Optional

import pytest
from conftest import BUILD

HOOK = BUILD / "share/muster/start"


def pythons() -> List[str]:
    """One of each release, by name; MUSTER_PYTHONS adds further ones, separated by colons."""
    found = {os.path.realpath(sys.executable): sys.executable}
    names = [f"python3.{minor}" for minor in range(6, 16)] + ["python2.7", "pypy3"]
    for place in os.environ.get("MUSTER_PYTHONS", "").split(":") + [shutil.which(name) or "" for name in names]:
        if place and subprocess.run([place, "-c", ""], capture_output=True, check=False).returncode == 0:
            found.setdefault(os.path.realpath(place), place)
    return sorted(found.values())


PYTHONS = pythons()


def with_hook(users: Optional[str] = None) -> str:
    """As lib/wire/python_path.cpp writes it."""
    return f"{HOOK}" if users is None else f"{HOOK}/" if not users else f"{HOOK}/.:{users}"


class Rank:
    def __init__(self, directory: Path, python: str = sys.executable) -> None:
        self.directory = directory
        self.python = python
        self.environment: Dict[str, str] = {**os.environ, "PYTHONPATH": with_hook(), "MUSTER_RANK_DIRECTORY": str(directory),
                                            "PYTHONDONTWRITEBYTECODE": "1"}

    def run(self, program: str, *options: str, code: int = 0, **variables: str) -> str:
        done = subprocess.run([self.python, *options, "-c", program], env={**self.environment, **variables},
                              capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    def said(self, file: str = "exception.json") -> dict:
        return json.loads((self.directory / file).read_text())["message"]

    def files(self) -> List[str]:
        return sorted(file.name for file in self.directory.iterdir())


@pytest.fixture
def rank(tmp_path: Path) -> Rank:
    (tmp_path / "rank").mkdir()
    return Rank(tmp_path / "rank")


@pytest.fixture(params=PYTHONS, ids=[os.path.basename(os.path.dirname(os.path.dirname(each))) + "-" + os.path.basename(each)
                                     for each in PYTHONS])
def any_rank(request, tmp_path: Path) -> Rank:
    (tmp_path / "rank").mkdir()
    return Rank(tmp_path / "rank", request.param)


SURROUNDINGS = """
import os, sys
atexit = sys.version_info < (3, 10)  # an older Python keeps it
first = sorted(set(sys.modules) - ({"atexit"} if atexit else set()))
files = [f for f in map(int, os.listdir("/proc/self/fd")) if f < 900 and os.path.exists("/proc/self/fd/%d" % f)]
free = os.open("/dev/null", os.O_RDONLY)
print(sorted((k, v) for k, v in os.environ.items() if k != "_"))
print(sys.path)
print(first)
print([f for f in files], free)
print(sorted(k for k in sys.path_importer_cache if "muster" in k))
print(sys.flags, sys.excepthook is sys.__excepthook__, getattr(sys, "argv", None))
import signal, threading
print([str(signal.getsignal(s)) for s in range(1, 65) if s not in (32, 33)])
print(threading.active_count(), len(os.listdir("/proc/self/task")))
print(getattr(threading, "excepthook", 0) is getattr(threading, "__excepthook__", getattr(threading, "excepthook", 0)))
print(os.popen("env | grep -c MUSTER_RANK; echo $PYTHONPATH").read())
"""


@pytest.mark.parametrize("users", [None, "", "/nowhere", "/nowhere:/tmp", ":/nowhere", "/nowhere:"],
                         ids=["unset", "empty", "one", "two", "colon_first", "colon_last"])
def test_the_program_sees_what_it_would_see_without_muster(any_rank: Rank, users: Optional[str]) -> None:
    plain = {key: value for key, value in any_rank.environment.items() if key not in ("PYTHONPATH", "MUSTER_RANK_DIRECTORY")}
    if users is not None:
        plain["PYTHONPATH"] = users
    if "2.7" in any_rank.python and users == "":
        pytest.skip("Python 2 takes an empty PYTHONPATH for the current directory: sys.path has one entry less")
    expected = subprocess.run([any_rank.python, "-c", SURROUNDINGS], env=plain, capture_output=True, text=True, timeout=60,
                              check=True)
    assert any_rank.run(SURROUNDINGS, PYTHONPATH=with_hook(users)) == expected.stdout + expected.stderr


@pytest.mark.parametrize("options", [("-B",), ("-u",), ("-O",), ("-s",), ("-X", "utf8"), ("-W", "error")], ids=" ".join)
def test_options_of_python_change_nothing_about_it(rank: Rank, options) -> None:
    rank.run("raise KeyError('x')", *options, code=1)
    assert rank.said()["message"] == "KeyError: 'x'"


@pytest.mark.parametrize("options", [("-I",), ("-E",), ("-S",)], ids=" ".join)
def test_it_does_nothing_where_python_is_told_not_to_look(rank: Rank, options) -> None:
    rank.run("raise KeyError('x')", *options, code=1)
    assert rank.files() == []


def test_arguments_that_are_no_text_change_nothing(any_rank: Rank) -> None:
    done = subprocess.run([any_rank.python, "-c", "import os; print(os.environ.get('PYTHONPATH'))", b"\xff\xfe", "x" * 100000],
                          env=any_rank.environment, capture_output=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == (b"None\n", b"")


def test_an_error_inside_the_hook_is_silent(rank: Rank, tmp_path: Path) -> None:
    """For example where /proc is missing."""
    broken = tmp_path / "start"
    shutil.copytree(HOOK, broken)
    text = (broken / "sitecustomize.py").read_text()
    (broken / "sitecustomize.py").write_text(text.replace('"/proc/self/cmdline"', '"/nowhere"'))
    assert rank.run("import sys; print(len([each for each in sys.path if 'start' in each]))",
                    PYTHONPATH=str(broken)) == "0\n"


def test_what_a_script_has_added_to_the_path_is_kept(rank: Rank, tmp_path: Path) -> None:
    show = "import os, sys; print(os.environ['PYTHONPATH'], [each for each in sys.path if each in ('/my', os.getcwd())])"
    assert rank.run(show, PYTHONPATH="/my:" + with_hook("/a")).split()[0] == "/my:/a"
    # An empty place is the current directory: that is what the script has made without muster.
    assert rank.run(show, PYTHONPATH="/my:" + with_hook()) == f"/my: ['/my', '{os.getcwd()}']\n"


SITECUSTOMIZE = "import sys\nsys.own = repr((__name__, __file__, sys.modules[__name__] is not None))\n"


def test_a_sitecustomize_of_the_users_own_runs_and_is_the_one_that_is_imported(any_rank: Rank, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(SITECUSTOMIZE)
    shown = any_rank.run("import sys, sitecustomize; print('%s %s' % (sys.own, sitecustomize.__file__))", PYTHONPATH=with_hook(str(tmp_path)))
    file = f"{tmp_path}/sitecustomize.py"
    assert shown == f"('sitecustomize', '{file}', True) {file}\n"


def test_an_error_in_the_users_own_sitecustomize_is_pythons_own(rank: Rank, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("1 / 0\n")
    plain = subprocess.run([sys.executable, "-c", ""], env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True,
                           text=True, timeout=60, check=True)
    assert rank.run("", PYTHONPATH=with_hook(str(tmp_path))) == plain.stdout + plain.stderr != ""


def test_children_of_every_kind_see_nothing(rank: Rank, tmp_path: Path) -> None:
    program = tmp_path / "children.py"
    program.write_text("""
import multiprocessing, os, subprocess, sys
def work(number):
    assert "muster" not in os.environ.get("PYTHONPATH", "") and "MUSTER_RANK_DIRECTORY" not in os.environ
    if number == 2:
        raise KeyError(number)
if __name__ == "__main__":
    for kind in ("fork", "spawn", "forkserver"):
        children = [multiprocessing.get_context(kind).Process(target=work, args=(number,)) for number in (1, 2)]
        for child in children: child.start()
        for child in children: child.join()
        assert [child.exitcode for child in children] == [0, 1], kind
    subprocess.run([sys.executable, "-c", "1 / 0"])
    if os.fork() == 0:
        1 / 0
    os.wait()
    if os.fork() == 0:
        os.abort()
    os.wait()
""")
    done = subprocess.run([sys.executable, str(program)], env=rank.environment, capture_output=True, text=True, timeout=60,
                          check=False)
    assert done.returncode == 0, done.stderr
    assert rank.files() == ["fault.txt"] and (rank.directory / "fault.txt").read_text() == ""


def test_an_exception_is_recorded_as_torchs_record_writes_it(any_rank: Rank) -> None:
    if "2.7" in any_rank.python or "pypy" in any_rank.python:
        any_rank.run("raise KeyError('x')", code=1)
        assert any_rank.files() == []
        return
    shown = any_rank.run("def inner(): raise KeyError('x')\ninner()", code=1)
    found = any_rank.said()
    assert found["message"] == "KeyError: 'x'" and found["extraInfo"]["py_callstack"] == shown
    assert int(found["extraInfo"]["process"]) > 0
    assert any_rank.files() == ["exception.json", "fault.txt"]


@pytest.mark.parametrize(("end", "code"), [
    ("sys.exit(3)", 3), ("sys.exit('why')", 1), ("raise KeyboardInterrupt", -signal.SIGINT), ("os._exit(4)", 4), ("", 0),
    ("class A:\n def __del__(self): 1 / 0\ndel A", 0), ("try: 1 / 0\nexcept ZeroDivisionError: pass", 0)])
def test_what_is_no_exception_is_not_recorded(rank: Rank, end: str, code: int) -> None:
    rank.run(f"import os, sys\n{end}\n", code=code)
    assert rank.files() == ["fault.txt"]


SHOWS = """
import sys
def show():
    try: 1 / 0
    except ZeroDivisionError: {}
{}
"""


@pytest.mark.parametrize("show", ["sys.excepthook(*sys.exc_info())", "sys.__excepthook__(*sys.exc_info())",
                                  "import traceback; traceback.print_exc()"])
@pytest.mark.parametrize("call", ["show()", "import threading; t = threading.Thread(target=show); t.start(); t.join()"],
                         ids=["main", "thread"])
@pytest.mark.parametrize("way", ["-c", "-m"])
def test_an_exception_that_the_program_shows_and_survives_is_not_its_end(rank: Rank, tmp_path: Path, show: str, call: str,
                                                                        way: str) -> None:
    """A record of it would end a rank that runs on for more than 10 s."""
    program = SHOWS.format(show, call)
    if way == "-c":
        rank.run(program)
    else:
        (tmp_path / "shows.py").write_text(program)
        rank.run("import runpy; runpy._run_module_as_main('shows')", PYTHONPATH=with_hook(str(tmp_path)))
    assert rank.files() == ["fault.txt"]


@pytest.mark.parametrize("hook", ["lambda *_: print('own')", "lambda *a: (print('own'), before(*a))",
                                  "lambda *a: (print('own'), sys.__excepthook__(*a))"],
                         ids=["replaces", "chains", "calls_pythons"])
def test_a_hook_of_the_programs_own_runs_and_the_exception_is_recorded(any_rank: Rank, hook: str) -> None:
    if "2.7" in any_rank.python or "pypy" in any_rank.python:
        return
    shown = any_rank.run(f"import sys\nbefore = sys.excepthook\nsys.excepthook = {hook}\nraise KeyError('x')", code=1)
    assert "own\n" in shown
    assert any_rank.said()["message"] == "KeyError: 'x'"


def test_the_first_exception_of_a_thread_is_beside_it(rank: Rank) -> None:
    program = ("import threading, time\n"
               "def work(text): raise KeyError(text)\n"
               "for text in 'ab':\n"
               "    t = threading.Thread(target=work, args=(text,), name='loader-' + text); t.start(); t.join()\n")
    assert rank.run(program).count("Traceback") == 2
    assert rank.files() == ["fault.txt", "thread.json"]
    found = rank.said("thread.json")
    assert found["message"] == "KeyError: 'a'" and found["extraInfo"]["thread"] == "loader-a"


def test_a_programs_own_hook_for_threads_replaces_ours(rank: Rank) -> None:
    rank.run("import threading\nthreading.excepthook = lambda args: print('own')\n"
             "t = threading.Thread(target=lambda: 1 / 0); t.start(); t.join()\n")
    assert rank.files() == ["fault.txt"]


def test_a_program_that_a_script_tries_first_leaves_nothing(rank: Rank) -> None:
    rank.run("import no_such_module", code=1)
    assert rank.files() == ["exception.json", "fault.txt"]
    rank.run("pass")
    assert rank.files() == ["fault.txt"]


@pytest.mark.parametrize("end", ["os.abort()", "os.kill(os.getpid(), signal.SIGSEGV)"])
def test_the_stacks_at_a_fatal_signal_are_in_a_file(rank: Rank, end: str) -> None:
    done = rank.run(f"import os, signal\ndef crash(): {end}\ncrash()\n", code=-6 if "abort" in end else -11)
    dump = (rank.directory / "fault.txt").read_text()
    assert dump.startswith("Fatal Python error: ") and "in crash" in dump
    assert "Fatal Python error" not in done


def test_pythons_own_choice_of_faulthandler_is_kept(rank: Rank) -> None:
    done = rank.run("import os; os.abort()", code=-6, PYTHONFAULTHANDLER="1")
    assert "Fatal Python error: Aborted" in done
    assert rank.files() == []


def test_it_can_be_switched_off_in_parts(rank: Rank) -> None:
    stacks = "import os; print([os.readlink('/proc/self/fd/%s' % f) for f in os.listdir('/proc/self/fd') if int(f) > 900])"
    assert "muster-stacks" in rank.run(stacks) and "fault.txt" in rank.run(stacks)
    assert "muster-stacks" not in rank.run(stacks, MUSTER_STACKS="0")
    assert "fault.txt" not in rank.run(stacks, MUSTER_RECORD="0")
    rank.run("raise KeyError", code=1, MUSTER_RECORD="0")
    assert "exception.json" not in rank.files()


@pytest.mark.parametrize("place", ["", "/nowhere", "/proc"])
def test_a_place_that_cannot_be_written_changes_nothing(rank: Rank, place: str) -> None:
    shown = rank.run("raise KeyError('x')", code=1, MUSTER_RANK_DIRECTORY=place)
    assert shown.startswith("Traceback") and shown.endswith("KeyError: 'x'\n") and "During handling" not in shown


def test_a_directory_of_the_rank_that_only_the_agent_sees_is_made(rank: Rank, tmp_path: Path) -> None:
    """As in a container with a /tmp of its own."""
    for number in ("0", "1"):
        rank.directory = tmp_path / "muster-42.0-node1-abcdef" / number
        rank.run("raise KeyError('x')", code=1, MUSTER_RANK_DIRECTORY=str(rank.directory))
        assert rank.said()["message"] == "KeyError: 'x'"
        assert rank.directory.parent.stat().st_mode & 0o777 == rank.directory.stat().st_mode & 0o777 == 0o700


def test_a_hook_that_is_not_there_changes_nothing(rank: Rank) -> None:
    """As in a container without muster."""
    shown = rank.run("import sys; print(len(sys.path), 'muster' in sys.modules); raise KeyError('x')", code=1,
                     PYTHONPATH="/nowhere/share/muster/start")
    assert shown.splitlines()[1:2] == ["Traceback (most recent call last):"] and rank.files() == []


def test_a_program_that_embeds_python_is_left_alone(rank: Rank, tmp_path: Path) -> None:
    """It may show an exception and continue. A Python of another name stands for it."""
    embedding = tmp_path / "solver"
    shutil.copy(os.path.realpath(sys.executable), embedding)
    rank.python = str(embedding)
    rank.run("raise KeyError", code=1, PYTHONHOME=sys.base_prefix)
    assert rank.files() == []


def test_a_virtual_environment_has_it_too(rank: Rank, tmp_path: Path) -> None:
    made = subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=False,
                          capture_output=True)
    if made.returncode != 0:
        pytest.skip("this python3 has no venv")
    rank.python = str(tmp_path / "venv/bin/python")
    rank.run("raise KeyError('x')", code=1)
    assert rank.said()["message"] == "KeyError: 'x'"


@pytest.mark.parametrize("starter", ["conda", "mamba", "poetry"])
def test_a_program_that_starts_the_ranks_own_python_passes_it_on(rank: Rank, tmp_path: Path, starter: str) -> None:
    (tmp_path / starter).write_text("import os, subprocess, sys\n"
                                    "assert not [each for each in sys.path if 'muster/start' in each]\n"
                                    "subprocess.run(['sh', '-c', sys.executable + ' -c \"{}[1]\"'])\n"
                                    "sys.exit(7)\n")
    done = subprocess.run([sys.executable, str(tmp_path / starter), "run"], env=rank.environment, capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode == 7, done.stderr
    assert rank.said()["message"] == "KeyError: 1"


def test_a_program_with_the_name_of_a_starter_as_its_argument_has_it_too(rank: Rank, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("raise KeyError('x')\n")
    done = subprocess.run([sys.executable, str(tmp_path / "train.py"), "conda"], env=rank.environment, capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert rank.said()["message"] == "KeyError: 'x'"


def test_a_starter_is_also_known_to_what_stops_a_rank() -> None:
    (starters,) = re.findall(r"^_STARTERS = \((.*)\)$", (HOOK / "sitecustomize.py").read_text(), re.MULTILINE)
    known = (Path(__file__).resolve().parents[3] / "launcher/agent/ranks/starter.cpp").read_text()
    assert [each for each in re.findall(r'b("\w+")', starters) if each not in known] == []


def test_a_zipped_program_has_it_too(rank: Rank, tmp_path: Path) -> None:
    import zipfile
    with zipfile.ZipFile(tmp_path / "app.pyz", "w") as out:
        out.writestr("__main__.py", "raise KeyError('x')")
    done = subprocess.run([sys.executable, str(tmp_path / "app.pyz")], env=rank.environment, capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 1
    assert rank.said()["message"] == "KeyError: 'x'"


def test_the_time_of_the_file_is_that_of_the_exception(rank: Rank) -> None:
    program = ("import sys, time\n"
               "class Slow(Exception):\n"
               "    def __str__(self): time.sleep(0.5); return 'slow'\n"
               "print(time.time(), flush=True)\n"
               "raise Slow\n")
    raised = float(rank.run(program, code=1).splitlines()[0])
    assert abs((rank.directory / "exception.json").stat().st_mtime - raised) < 0.25


TORCH = """
import os, sys
import torch, torch.distributed as dist
def threads(): return [link for f in os.listdir("/proc/self/fd") for link in [os.path.realpath("/proc/self/fd/" + f)]
                       if "muster-recorder" in link]
print(len(threads()), [type(each).__name__ for each in sys.meta_path if "Torch" in type(each).__name__])
dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
print(len(threads()), dist.distributed_c10d._update_default_pg.__module__)
"""


def test_the_door_to_the_flight_recorder_opens_with_the_first_process_group(rank: Rank) -> None:
    torch = pytest.importorskip("torch", reason="no PyTorch for this python3")
    has_recorder = hasattr(torch._C._distributed_c10d, "_dump_fr_trace_json")
    shown = rank.run(TORCH, SLURM_TASK_PID="1", WORLD_SIZE="2", SLURM_STEP_NUM_TASKS="2",
                     PYTHONPATH=with_hook(str(Path(torch.__file__).parents[1])))
    assert shown.splitlines()[-2:] == ["0 []", f"{int(has_recorder)} torch.distributed.distributed_c10d"]


GROUP = """
import os, sys
import torch.distributed as dist
dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
"""


def told(rank: Rank, program: str = GROUP, **variables: str) -> List[str]:
    torch = pytest.importorskip("torch", reason="no PyTorch for this python3")
    rank.run(program, SLURM_TASK_PID="1", PYTHONPATH=with_hook(str(Path(torch.__file__).parents[1])), **variables)
    return (rank.directory / "group").read_text().splitlines()


def test_the_first_process_group_is_told_to_the_agent(rank: Rank) -> None:
    assert [line.split()[0] for line in told(rank)] == ["nccl", "missing"]
    assert told(rank)[1] == "missing "  # without inspect=on


def test_a_program_of_one_rank_and_torch_without_recorder_tell_it_too(rank: Rank) -> None:
    program = "import torch._C._distributed_c10d as c\nfor n in ('fr', 'nccl'): vars(c).pop('_dump_%s_trace_json' % n, 0)\n" + GROUP
    assert told(rank, program)


@pytest.mark.parametrize("plugin", ["libnccl-profiler-inspector.so", "/nowhere/libnccl-profiler-inspector.so"])
def test_an_inspector_that_the_loader_does_not_find_is_named(rank: Rank, tmp_path: Path, plugin: str) -> None:
    assert told(rank, NCCL_PROFILER_PLUGIN=plugin)[1] == f"missing {plugin}"
    (tmp_path / "libnccl-profiler-inspector.so").write_bytes(b"")
    there = f"{tmp_path}/{os.path.basename(plugin)}" if "/" in plugin else plugin
    assert told(rank, NCCL_PROFILER_PLUGIN=there, LD_LIBRARY_PATH=f"/nowhere:{tmp_path}")[1] == "missing "


def test_a_group_that_cannot_be_told_changes_nothing(rank: Rank) -> None:
    torch = pytest.importorskip("torch", reason="no PyTorch for this python3")
    shown = rank.run(GROUP, MUSTER_RANK_DIRECTORY="/proc", PYTHONPATH=with_hook(str(Path(torch.__file__).parents[1])))
    assert "group" not in shown and "Traceback" not in shown
