"""The start hook of Python: programs that nobody has changed, on the default line."""

import json
import time

import pytest
from cluster import Cluster
from command import Result

SEEN = """
import json, os, subprocess, sys
mine = set(os.environ.get("MUSTER_SET", "").split()) | {"PMIX_RANK"}
def own(variables):
    return {key: value for key, value in variables.items()
            if key not in mine and not key.startswith(("SLURM", "PMIX", "OMPI_", "MUSTER_", "TORCH", "_"))}
child = "import json, os; print(json.dumps(dict(os.environ)))"
def below(command):
    return own(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
files = sorted(int(each) for each in os.listdir("/proc/self/fd") if int(each) < 900)
print(json.dumps({
    "modules": sorted(sys.modules), "path": sys.path, "argv": sys.argv,
    "environment": own(os.environ), "python": below([sys.executable, "-c", child]),
    "shell": below(["bash", "-c", f"exec {sys.executable} -c '{child}'"]),
    "next file": os.open("/dev/null", os.O_RDONLY) if not [each for each in files if each > 3] else 3,
    "threads": len(os.listdir("/proc/self/task"))}))
"""


def json_of(result: Result) -> dict:
    assert result.code == 0, result.err
    return json.loads(result.lines[-1])


@pytest.mark.parametrize("path", [None, "", "/home/alice/modules"], ids=["unset", "empty", "set"])
def test_a_rank_and_its_children_see_what_they_see_under_plain_srun(cluster: Cluster, path: str | None) -> None:
    cluster.write("modules/sitecustomize.py", "import sys\nsys.argv_seen = True\n")
    cluster.write("seen.py", SEEN)
    env = {} if path is None else {"PYTHONPATH": path}
    plain = json_of(cluster.srun("-n1 python3 seen.py", env=env))
    ours = json_of(cluster.srun("-n1 --distributed=torch python3 seen.py", env=env))
    assert ours == plain
    assert ("sitecustomize" in ours["modules"]) or path != "/home/alice/modules"


def test_an_exception_is_named_on_the_default_line(cluster: Cluster) -> None:
    cluster.write("fails.py", "import os, time\nif os.environ['RANK'] == '1':\n    {}['missing']\ntime.sleep(30)\n")
    result = cluster.srun("-N3 -n3 --distributed=torch python3 fails.py")
    assert result.code == 1
    assert "Root Cause" in result.err and "error     : KeyError: 'missing'" in result.err
    assert 'File "/home/alice/fails.py", line 3, in <module>' in result.err


# Like hydra.main, which catches the program's exception, prints it and exits, unless this variable is 1.
CATCHES = """
import os, sys, time, traceback
def train():
    if os.environ["SLURM_PROCID"] == "1":
        {}["missing"]
    time.sleep(30)
try:
    train()
except Exception:
    if os.environ.get("HYDRA_FULL_ERROR") == "1":
        raise
    traceback.print_exc()
    sys.exit(1)
"""


@pytest.mark.parametrize("profile", ["torch", "jax"])
def test_an_exception_that_hydra_would_catch_is_named(cluster: Cluster, profile: str) -> None:
    cluster.write("catches.py", CATCHES)
    result = cluster.srun(f"-N2 -n2 --distributed={profile} python3 catches.py")
    assert "Root Cause" in result.err and "error     : KeyError: 'missing'" in result.err
    own = cluster.srun(f"-N2 -n2 --distributed={profile} python3 catches.py", env={"HYDRA_FULL_ERROR": "0"})
    assert own.code == 1 and "error     : KeyError" not in own.err


@pytest.mark.parametrize("profile", ["jax", "accelerate", "lightning", "deepspeed", "megatron"])
def test_every_profile_for_python_has_it(cluster: Cluster, profile: str) -> None:
    cluster.write("fails.py", "{}['missing']\n")
    result = cluster.srun(f"-n1 --distributed={profile} python3 fails.py")
    assert "error     : KeyError: 'missing'" in result.err


@pytest.mark.parametrize("option", ["torch,python=off", "none", "mpi"])
def test_it_can_be_left_out(cluster: Cluster, option: str) -> None:
    cluster.write("fails.py", "import os\nassert 'muster' not in os.environ.get('PYTHONPATH', '')\n{}['missing']\n")
    result = cluster.srun(f"-n1 --distributed={option} python3 fails.py")
    assert result.code == 1 and "KeyError: 'missing'\n" in result.err
    assert "error     :" not in result.err


def test_explain_names_it(cluster: Cluster) -> None:
    result = cluster.srun("-n1 --distributed=torch,dry-run python3 x.py", env={"PYTHONPATH": "/mine"})
    (line,) = [line for line in result.lines if line.split()[:1] == ["PYTHONPATH"]]
    assert line.split()[1] == "default" and line.endswith("/share/muster/start/.:/mine")
    assert "MUSTER_RANK_DIRECTORY" not in result.out


def test_a_script_that_tries_a_module_and_continues_is_not_stopped(cluster: Cluster) -> None:
    """The record of an exception gives a rank 10 s to end."""
    script = "python3 -c \"import no_such_module\" 2>/dev/null || sleep 11.5; echo trained"
    begin = time.monotonic()
    result = cluster.srun(f"-N2 -n2 --distributed=torch bash -c '{script}'", timeout=60)
    assert (result.code, result.lines) == (0, ["trained", "trained"]), result.err
    assert time.monotonic() - begin > 11


def test_a_rank_that_hangs_behind_its_exception_ends_the_step(cluster: Cluster) -> None:
    cluster.write("stuck.py", "import os, threading, time\n"
                              "if os.environ['RANK'] == '1':\n"
                              "    threading.Thread(target=time.sleep, args=(60,)).start()\n"
                              "    {}['missing']\n"
                              "time.sleep(60)\n")
    result = cluster.srun("-N2 -n2 --distributed=torch python3 stuck.py", timeout=40)
    assert "Root Cause" in result.err and "error     : KeyError: 'missing'" in result.err
    assert "sent by muster because the rank hung at exit" in result.err


def test_a_rank_that_still_writes_after_its_exception_has_time_to_finish(cluster: Cluster) -> None:
    """Python waits for the thread, as it does for the one of torch's asynchronous checkpoints."""
    cluster.write("saves.py", "import os, threading, time\n"
                              "def save():\n"
                              "    with open('checkpoint', 'wb') as file:\n"
                              "        for _ in range(15):\n"
                              "            file.write(bytes(2 << 20)); file.flush(); os.fsync(file.fileno())\n"
                              "            time.sleep(1)\n"
                              "    os.rename('checkpoint', 'checkpoint.complete')\n"
                              "if os.environ['RANK'] == '1':\n"
                              "    threading.Thread(target=save).start()\n"
                              "    {}['missing']\n"
                              "time.sleep(120)\n")
    result = cluster.srun("-N2 -n2 --distributed=torch python3 saves.py", timeout=60)
    assert (cluster.home / "checkpoint.complete").stat().st_size == 30 << 20, result.err
    assert "Root Cause" in result.err and "error     : KeyError: 'missing'" in result.err
    assert "sent by muster because the rank hung at exit" not in result.err
    (line,) = [line for line in result.err.splitlines() if "still writing" in line]
    assert line.endswith("rank 1 has failed but is still writing, so it has up to 10 min to exit: KeyError: 'missing'")
    assert result.code == 1


def test_a_thread_that_failed_before_is_named_with_the_exception(cluster: Cluster) -> None:
    cluster.write("thread.py", "import threading\n"
                               "thread = threading.Thread(target=lambda: {}['missing'], name='loader')\n"
                               "thread.start(); thread.join()\n"
                               "raise RuntimeError('no data')\n")
    result = cluster.srun("-n1 --distributed=torch,report=report.json python3 thread.py")
    assert "error     : RuntimeError: no data" in result.err
    assert "before that, thread loader: KeyError: 'missing'" in result.err


def test_a_step_within_a_task_has_the_users_own_path(cluster: Cluster) -> None:
    script = ("srun --overlap -n1 printenv PYTHONPATH; "
              "srun --overlap -n1 --distributed=torch python3 -c \"import os; print(os.environ[\\\"PYTHONPATH\\\"])\"")
    result = cluster.srun(f"-n1 --distributed=torch bash -c '{script}'", env={"PYTHONPATH": "/mine"}, timeout=60)
    assert result.code == 0, result.err
    assert result.lines[-1] == "/mine"


def test_without_slurm_it_is_the_same(cluster: Cluster) -> None:
    cluster.write("fails.py", "{}['missing']\n")
    result = cluster.run("muster run --nproc-per-node=2 fails.py", timeout=60)
    assert result.code == 1 and "error     : KeyError: 'missing'" in result.err


def test_a_fatal_signal_has_its_stack(cluster: Cluster) -> None:
    cluster.write("crash.py", "import ctypes\ndef crash(): ctypes.string_at(0)\ncrash()\n")
    result = cluster.srun("-n1 --distributed=torch python3 crash.py")
    assert "Fatal Python error: Segmentation fault" in result.err and "in crash" in result.err


def test_what_a_rank_says_when_it_aborts_is_shown_with_its_stack(cluster: Cluster) -> None:
    """As NCCL's watchdog in torch writes it: the reason, and then more lines of a C++ stack than muster keeps."""
    words = "[PG 0 Rank 0] Process group watchdog thread terminated with exception: CUDA error: out of memory"
    frames = "".join(f"frame #{number}: f() + 0x1 (0x2 in libtorch_cuda.so)\n" for number in range(20))
    cluster.write("abort.py", "import os, sys\n"
                              f"sys.stderr.write({'  what():  ' + words + chr(10) + frames!r})\n"
                              "def stop(): os.abort()\nstop()\n")
    result = cluster.srun("-n1 --distributed=torch,logs=out python3 abort.py")
    assert f"error     : {words[:60]}" in result.err and "in stop" in result.err, result.err
    assert result.code == 134


def test_a_directory_that_cannot_be_written_costs_only_the_files(cluster: Cluster) -> None:
    cluster.write("fails.py", "{}['missing']\n")
    result = cluster.srun("-n1 --distributed=torch python3 fails.py", env={"TMPDIR": "/proc"})
    assert result.code == 1 and "KeyError: 'missing'" in result.err


def test_an_exception_is_named_where_a_rank_makes_itself_a_tmp_of_its_own(cluster: Cluster) -> None:
    """As in a container that sees muster's prefix."""
    cluster.write("fails.py", "import os, time\nassert os.listdir('/tmp')[0].startswith('muster-')\ntime.sleep(2)\n{}['missing']\n")
    script = "mount -t tmpfs none /tmp && exec python3 fails.py"
    if cluster.srun("-n1 unshare -Urm true").code != 0:
        pytest.skip("users cannot make namespaces here")
    result = cluster.srun(f"-n2 --distributed=torch unshare -Urm bash -c '{script}'")
    assert result.code == 1
    assert "error     : KeyError: 'missing'" in result.err, result.err


def test_the_files_of_a_rank_go_away_with_the_step(cluster: Cluster) -> None:
    cluster.write("fails.py", "{}['missing']\n")
    assert cluster.srun("-n1 --distributed=torch python3 fails.py").code == 1
    cluster.await_clean()
    assert "muster-" not in cluster.node("node1", "ls -A /tmp")


def test_the_report_has_the_traceback(cluster: Cluster) -> None:
    cluster.write("fails.py", "{}['missing']\n")
    cluster.srun("-n1 --distributed=torch,report=report.json python3 fails.py")
    said = json.loads((cluster.home / "report.json").read_text())
    assert said["certain"] and said["first"]["reason"] == "KeyError: 'missing'"
    assert "line 1, in <module>" in said["first"]["traceback"]
