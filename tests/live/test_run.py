"""`muster run`: torchrun's command line on one machine, without Slurm."""

import json
import os
import signal
import time
from pathlib import Path

import pytest
from this_machine import Machine
from waiting import wait_until

# In a single write: the ranks share a pipe, and an unbuffered print() writes a line and its newline separately.
SHOW = """
import json, os, sys
seen = {"argv": sys.argv[1:], "env": dict(os.environ), "cpus": sorted(os.sched_getaffinity(0))}
os.write(1, (json.dumps(seen) + "\\n").encode())
"""
# argv: what rank 1 does, and what the other ranks do.
FAIL = """
import os, signal, sys, time
rank = int(os.environ["RANK"])
if "ignore" in sys.argv[2:]:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("up", rank, flush=True)
if rank == 1:
    time.sleep(0.3)
    exec(sys.argv[1])
time.sleep(60)
"""
# A child that leaves its session and its parent, and ignores every signal that it can.
DAEMON = """
import os, signal, subprocess, sys, time
subprocess.Popen(["setsid", "sh", "-c", "trap '' TERM HUP INT; (sleep 600 & echo daemon; wait)"])
time.sleep(0.5)
print("up", os.environ["RANK"], flush=True)
time.sleep(600)
"""


@pytest.fixture(autouse=True)
def cluster() -> None:
    """These tests need no cluster."""


def ranks(out: str) -> list[dict]:
    return sorted((json.loads(line) for line in out.splitlines()), key=lambda each: int(each["env"]["RANK"]))


def test_every_rank_has_torchruns_variables(machine: Machine) -> None:
    machine.write("show.py", SHOW)
    result = machine.run("--nproc-per-node=2", "show.py")
    assert result.code == 0, result.err
    both = ranks(result.out)
    for rank, each in enumerate(both):
        env = each["env"]
        same = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2",
                "GROUP_RANK": "0", "GROUP_WORLD_SIZE": "1", "ROLE_NAME": "default", "ROLE_RANK": str(rank),
                "ROLE_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "TORCHELASTIC_RESTART_COUNT": "0",
                "TORCHELASTIC_MAX_RESTARTS": "0", "TORCHELASTIC_USE_AGENT_STORE": "False",
                "TORCH_NCCL_ASYNC_ERROR_HANDLING": "1", "PYTHONUNBUFFERED": "1"}
        assert {name: env.get(name) for name in same} == same
        assert 1024 <= int(env["MASTER_PORT"]) < 65536
        assert Path(env["TORCHELASTIC_ERROR_FILE"]).name == "error.json"
        assert not [name for name in env if name.startswith("SLURM_") or env[name] == "no-muster.so-on-this-node"]
        assert "MUSTER_SUPERVISOR" not in env
    assert both[0]["env"]["MASTER_PORT"] == both[1]["env"]["MASTER_PORT"]
    assert both[0]["env"]["TORCHELASTIC_RUN_ID"] == both[1]["env"]["TORCHELASTIC_RUN_ID"]


def test_nothing_behind_the_script_is_read(machine: Machine) -> None:
    machine.write("show.py", SHOW)
    words = ["--nproc-per-node", "7", "", "a b", "--", "-m", "${local_rank}", "'\"", "\udcff", "--standalone"]
    result = machine.run("--nproc_per_node", "1", "--standalone", "show.py", *words)
    assert result.code == 0, result.err
    assert ranks(result.out)[0]["argv"] == words


@pytest.mark.parametrize("words", [
    ("--nproc-per-node=2",), ("--nproc-per-node", "2"), ("--nproc_per_node=2",), ("--nproc_per_node", "2"), ("--nproc=2",)])
def test_a_flag_may_be_spelled_as_for_torchrun(machine: Machine, words: tuple[str, ...]) -> None:
    result = machine.run(*words, "--no-python", "printenv", "RANK")
    assert sorted(result.lines) == ["0", "1"], result


def test_a_line_for_one_machine_or_more_starts_on_this_one_and_says_so(machine: Machine) -> None:
    """As in torch's own tests of its launcher."""
    machine.write("show.py", SHOW)
    elastic = ("--nnodes=1:2", "--nproc-per-node=2", "--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0",
               "--rdzv-conf='join_timeout=5,last_call_timeout=1,timeout=5'", "--monitor-interval=1", "--start-method=spawn")
    result = machine.run(*elastic, "show.py")
    assert result.code == 0, result.err
    assert [each["env"]["WORLD_SIZE"] for each in ranks(result.out)] == ["2", "2"]
    assert result.err == "muster: warning: --nnodes=1:2: using only this machine, because there is no allocation\n"
    elsewhere = machine.run("--nnodes=1:2", "--rdzv-endpoint=node1:29400", "show.py")
    assert elsewhere.code == 2 and "the rendezvous would be at node1:29400" in elsewhere.err


def test_a_path_to_run_is_a_script(machine: Machine) -> None:
    file = machine.write("show.py", SHOW)
    for more in ((), ("--no-python",)):
        result = machine.run("--run-path", *more, str(file or machine.home / "show.py"), "x")
        assert result.code == 0, result.err
        assert [each["argv"] for each in ranks(result.out)] == [["x"]]


def test_variables_stand_in_for_flags(machine: Machine) -> None:
    result = machine.run("printenv", "ROLE_NAME", environment={
        "PET_NPROC_PER_NODE": "3", "PET_NO_PYTHON": "1", "PET_ROLE": "trainer"})
    assert result.lines == ["trainer"] * 3, result


def test_modules_and_other_programs_are_started(machine: Machine) -> None:
    machine.write("tool.py", SHOW)
    module = machine.run("--nproc-per-node=1", "-m", "tool", "x")
    assert ranks(module.out)[0]["argv"] == ["x"], module
    assert machine.run("--no-python", "echo", "-m").out == "-m\n"


def test_a_failed_rank_ends_the_others_and_is_reported(machine: Machine) -> None:
    machine.write("fail.py", FAIL)
    result = machine.run("--nproc-per-node=3", "fail.py", "sys.exit(7)")
    assert result.code == 1
    assert "rank 1" in result.err and "exit code 7" in result.err or "exitcode" in result.err, result.err
    assert "srun" not in result.err
    assert result.seconds < 15


def test_the_code_of_the_rank_is_there_for_who_asks(machine: Machine) -> None:
    machine.write("fail.py", FAIL)
    result = machine.run("--distributed=exit=first,report=report.json", "--nproc-per-node=2", "fail.py", "sys.exit(7)")
    assert result.code == 7
    report = json.loads((machine.home / "report.json").read_text())
    assert (report["first"]["rank"], report["first"]["code"], report["exit_code"]) == (1, 7, 7)


def test_a_rank_that_ignores_sigterm_is_killed_after_the_grace(machine: Machine) -> None:
    machine.write("fail.py", FAIL)
    result = machine.run("--shutdown-timeout=1", "--nproc-per-node=2", "fail.py", "sys.exit(7)", "ignore")
    assert result.code == 1
    assert 1 < result.seconds < 20


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_reaches_the_ranks_and_ends_the_run(machine: Machine, number: signal.Signals) -> None:
    machine.write("wait.py", """
import os, signal, sys, time
def end(number, frame):
    os.write(1, f"got {signal.Signals(number).name}\\n".encode())  # whole
    sys.exit(0)
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, end)
open("up" + os.environ["RANK"], "w").close()
time.sleep(60)
""")
    run = machine.start("--nproc-per-node=2", "wait.py")
    wait_until(lambda: all((machine.home / f"up{rank}").exists() for rank in (0, 1)), 20, "the ranks")
    run.signal(number)
    result = run.wait()
    assert result.lines == [f"got {number.name}"] * 2, result
    run.await_nothing_left()


def test_another_signal_is_passed_on_and_ends_nothing(machine: Machine) -> None:
    machine.write("wait.py", """
import os, signal, time
got = []
signal.signal(signal.SIGUSR1, lambda number, frame: got.append(number))
open("up", "w").close()
while not got:
    time.sleep(0.05)
print("saved", flush=True)
""")
    run = machine.start("wait.py")
    wait_until((machine.home / "up").exists, 20, "the rank")
    run.signal(signal.SIGUSR1)
    result = run.wait()
    assert (result.code, result.out) == (0, "saved\n"), result


@pytest.mark.parametrize("victim", ["muster", "muster-starter"])
def test_nothing_survives_a_killed_launcher(machine: Machine, victim: str) -> None:
    machine.write("daemon.py", DAEMON)
    run = machine.start("--nproc-per-node=2", "daemon.py")
    wait_until(lambda: len([pid for pid in run.pids() if b"sleep" in Path(f"/proc/{pid}/cmdline").read_bytes()]) >= 2,
               20, "the daemons")
    time.sleep(0.7)
    os.kill(run.named(victim), signal.SIGKILL)
    run.await_nothing_left(10)
    run.process.communicate()


def test_what_a_rank_leaves_behind_ends_with_the_run(machine: Machine) -> None:
    machine.write("leave.py", DAEMON.replace("time.sleep(600)", ""))
    assert machine.run("--nproc-per-node=2", "leave.py").code == 0


def test_all_ranks_start_again_after_a_failure(machine: Machine) -> None:
    machine.write("again.py", """
import os, sys
count = os.environ["TORCHELASTIC_RESTART_COUNT"]
os.write(1, f"{os.environ['RANK']} {count} {os.environ['TORCHELASTIC_MAX_RESTARTS']}\\n".encode())  # whole
sys.exit(3 if count != "2" and os.environ["RANK"] == "1" else 0)
""")
    result = machine.run("--nproc-per-node=2", "--max-restarts=2", "again.py")
    assert result.code == 0, result.err
    assert {"1 0 2", "1 1 2", "0 2 2", "1 2 2"} <= set(result.lines), result.out
    exhausted = machine.run("--nproc-per-node=2", "--max-restarts=1", "again.py")
    assert exhausted.code == 1
    assert "the only restart is used up" in exhausted.err


def test_help_shows_the_letters_of_flags(machine: Machine) -> None:
    told = machine.run("--help").out
    assert all(f"  {flag} " in told for flag in ("-m,--module", "-r,--redirects", "-t,--tee")), told


def test_two_runs_at_once_never_meet(machine: Machine) -> None:
    machine.write("show.py", SHOW + "\nimport time; time.sleep(1)\n")
    runs = [machine.start("--nproc-per-node=2", "show.py") for _ in range(3)]
    seen = [ranks(run.wait().out) for run in runs]
    for name in ("MASTER_PORT", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_ERROR_FILE"):
        assert len({both[0]["env"][name] for both in seen}) == 3


def test_output_goes_where_it_is_redirected(machine: Machine) -> None:
    machine.write("speak.py", 'import os, sys\nprint("out", os.environ["RANK"])\nprint("err", file=sys.stderr)\n')
    quiet = machine.run("--nproc-per-node=2", "--redirects=3", "--log-dir=quiet", "speak.py")
    assert (quiet.code, quiet.out) == (0, ""), quiet
    assert [file.read_text() for file in sorted((machine.home / "quiet").glob("*-*/rank-*.out"))] == ["out 0\n", "out 1\n"]
    half = machine.run("--nproc-per-node=2", "--redirects=0:1,1:3", "--log-dir=half", "speak.py")
    assert (half.code, half.out, half.err) == (0, "", "err\n"), half
    assert len(list((machine.home / "half").glob("*-*/rank-*"))) == 4
    both = machine.run("--nproc-per-node=2", "--tee=3", "--log-dir=both", "speak.py")
    assert sorted(both.lines) == ["[0] out 0", "[1] out 1"], both
    one = machine.run("--nproc-per-node=2", "--local-ranks-filter=1", "--log-dir=one", "speak.py")
    assert one.out == "out 1\n", one
    own = machine.run("--nproc-per-node=2", "-r3", "speak.py")
    assert own.code == 0 and "output is in " in own.err


@pytest.mark.parametrize(("words", "code", "part"), [
    (("--nope", "show.py"), 2, "--nope"),
    ((), 2, "script"),
    (("--nproc-per-node=0", "show.py"), 1, "--nproc-per-node"),
    (("--nproc-per-node=x", "show.py"), 1, "--nproc-per-node"),
    (("--nproc-per-node=gpu", "show.py"), 1, "no GPU"),
    (("missing.py",), 1, "there is no script missing.py in this directory; "),
    (("/nowhere/missing.py",), 1, "there is no script /nowhere/missing.py; "),
    (("--distributed=jax", "show.py"), 1, "muster run starts them without Slurm"),
    (("--distributed=lightning,explain", "show.py"), 1, "srun --distributed=lightning in a job"),
    (("--distributed=horovod", "show.py"), 1, "muster run starts them without Slurm"),
    (("--distributed=mpi", "show.py"), 1, "muster run starts them without Slurm"),
    (("--master-port=42", "show.py"), 1, "--master-port 42: ports below 1024 are privileged"),
    (("--logs-specs=mine", "show.py"), 1, "only default"),
    (("--quite-another", "show.py"), 2, "see `muster run --help`"),
    (("--no-python", "./missing"), 1, "missing"),
    (("--no-python", "-m", "show"), 1, "--no-python"),
    (("--nnodes=0", "show.py"), 1, "--nnodes"),
    (("--nnodes=2", "show.py"), 2, "salloc --nodes=2 muster run"),
    (("--redirects=7", "show.py"), 1, "--redirects"),
    (("--max-restarts=-1", "show.py"), 1, "--max-restarts"),
    (("--log-dir=/proc/nope", "show.py"), 1, "/proc/nope"),
    (("--virtual-local-rank", "show.py"), 1, "gpus=own"),
    (("--distributed=nodes=1", "show.py"), 1, "needs Slurm"),
    (("--distributed=preflight=on", "show.py"), 1, "needs Slurm"),
    (("--distributed=torch,nonsense=1", "show.py"), 1, "nonsense"),
    (("--node-rank=1", "show.py"), 1, "--node-rank"),
])
def test_what_is_wrong_is_one_line_and_torchruns_code(
        machine: Machine, words: tuple[str, ...], code: int, part: str) -> None:
    machine.write("show.py", SHOW)
    result = machine.run(*words)
    assert result.code == code, result
    assert len(result.err.splitlines()) == 1 and result.err.startswith("muster: error: ") and part in result.err, result.err
    assert result.out == ""


@pytest.mark.parametrize("word", ["--use-env", "--use_env", "--logs-specs=default"])
def test_a_word_that_changes_nothing_is_accepted(machine: Machine, word: str) -> None:
    machine.write("show.py", SHOW)
    result = machine.run(word, "show.py")
    assert (result.code, result.err) == (0, ""), result.err


def test_the_template_for_the_prefix_of_lines_is_torchruns(machine: Machine) -> None:
    machine.write("says.py", "import os\nprint('here is', os.environ['LOCAL_RANK'])\nprint('all the same')\n")
    words = ("--nproc-per-node=2", "--tee=3", "--role=trainer", "says.py")
    result = machine.run(*words, environment={"TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE": "<${role_name}/${rank}/${local_rank}>:"})
    assert sorted(result.out.splitlines()) == ["<trainer/0/0>:all the same", "<trainer/0/0>:here is 0",
                                               "<trainer/1/1>:all the same", "<trainer/1/1>:here is 1"], result
    assert "[0] here is 0" in machine.run(*words).out


def test_ranks_that_share_cpus_get_no_advice_for_srun(machine: Machine) -> None:
    cpus = len(os.sched_getaffinity(0))
    result = machine.run(f"--nproc-per-node={cpus + 1}", "--no-python", "true")
    assert result.code == 0 and "fewer CPUs than tasks" in result.err, result.err
    assert "--cpus-per-task" not in result.err


def test_a_port_that_is_taken_is_one_line(machine: Machine) -> None:
    import socket
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = machine.run(f"--master-port={port}", "--no-python", "true")
    assert result.code == 1
    assert str(port) in result.err and len(result.err.splitlines()) == 1, result.err


def test_a_run_is_looked_at_without_slurm(machine: Machine) -> None:
    machine.write("stand.py", "import os, time\nos.write(1, b'up\\n')\ntime.sleep(60)\n")
    run = machine.start("--distributed=hang=5s", "--nproc-per-node=2", "stand.py")
    other = machine.start("--nproc-per-node=1", "stand.py")
    try:
        wait_until(lambda: len(machine.command("status", "--json").out) > 2 and
                   sum(step["ranks_up"] for step in json.loads(machine.command("status", "--json").out)["steps"]) == 3,
                   20, "the ranks")
        steps = {step["ranks"]: step["step"] for step in json.loads(machine.command("status", "--json").out)["steps"]}
        shown = machine.command("dump", "--json", steps[2])
        assert shown.code == 0, shown.err
        assert sorted(rank for group in json.loads(shown.out)["groups"] for rank in group["ranks"]) == [0, 1]
        assert "2 of your steps are running" in machine.command("dump").err
        time.sleep(10)
    finally:
        for each in (run, other):
            each.signal(signal.SIGTERM)
        result = run.wait()
        other.wait()
    assert "muster: warning: hang=5s: no rank has made progress for 5." in result.err, result.err


def test_the_temporary_files_are_removed(machine: Machine) -> None:
    machine.run("--nproc-per-node=2", "--no-python", "true")
    assert list((machine.home / "tmp").iterdir()) == []
