"""muster.vllm's arguments and position in the step, and how the parts of a server end together: a stand-in program
replaces vLLM."""

import json
import os
import socket
import subprocess
import sys
import time

import pytest

from muster import vllm

STEP = {"RANK": "1", "WORLD_SIZE": "3", "MASTER_ADDR": "10.0.0.1", "MASTER_PORT": "20001",
        "MUSTER_ENDPOINTS": '["10.0.0.1:20002", "10.0.0.2:20005", "10.0.0.3:20003"]'}
# Exits with the code and after the time that precede `serve`; with "stay", only on a signal. "stubborn" starts a
# process that ignores the signal.
PART = """
import signal, subprocess, sys, time
print("started", *sys.argv[sys.argv.index("serve"):], flush=True)
if sys.argv[1] == "stubborn":
    subprocess.Popen(["sh", "-c", "trap '' TERM; exec sleep 600"])
if sys.argv[1].startswith("st"):
    time.sleep(600)
time.sleep(float(sys.argv[2]))
sys.exit(int(sys.argv[1]))
"""


@pytest.mark.parametrize(("words", "command"), [
    (["serve", "m", "--port=1"], ["/bin/vllm", "serve", "m", "--port=1"]),
    (["--", "apptainer", "exec", "-n", "i", "vllm", "serve", "m"], ["apptainer", "exec", "-n", "i", "vllm", "serve", "m"])])
def test_the_words_are_vllms(words, command):
    assert vllm.parse(words, "/bin/vllm") == command


@pytest.mark.parametrize("words", [[], ["m"], ["--"], ["bench", "m"]])
def test_what_serves_nothing_is_one_line(words, capsys):
    with pytest.raises(SystemExit):
        vllm.parse(words, "vllm")
    assert capsys.readouterr().err.startswith("muster.vllm: no 'serve' given; usage: ")


@pytest.mark.parametrize("word", ["--nnodes=2", "--nnodes", "--node_rank=1", "--master-addr", "--master-port=1", "--headless",
                                  "-n", "-r"])
def test_what_the_step_decides_is_refused(word, capsys):
    with pytest.raises(SystemExit):
        vllm.parse(["serve", "m", word], "vllm")
    assert capsys.readouterr().err == f"muster.vllm: {word}: the step sets this option; leave it out\n"


def test_a_node_is_told_where_it_stands():
    together = ["--nnodes=3", "--node-rank=1", "--master-addr=10.0.0.1", "--master-port=20001"]
    assert vllm.Place(STEP).words() == [*together, "--headless"]
    assert vllm.Place({**STEP, "RANK": "0"}).words() == ["--nnodes=3", "--node-rank=0", *together[2:]]
    assert vllm.Place({**STEP, "RANK": "0", "WORLD_SIZE": "1"}).words() == []
    assert vllm.Place(STEP).head == ("10.0.0.1", 20002)
    assert vllm.Place({**STEP, "MUSTER_ENDPOINTS": '["[fd00::1]:20002"]'}).head == ("fd00::1", 20002)


@pytest.mark.parametrize("step", [
    *({each: text for each, text in STEP.items() if each != missing} for missing in STEP),
    *({**STEP, "MUSTER_ENDPOINTS": text} for text in ("x", "[]", '["x"]', "[1]", "7")), {**STEP, "RANK": "x"}])
def test_outside_of_a_step_it_says_how_to_start(step, capsys):
    with pytest.raises(SystemExit):
        vllm.Place(step)
    assert "start it with srun --ntasks-per-node=1 --distributed=vllm" in capsys.readouterr().err


class Parts:
    """A head and a worker on this machine."""

    def __init__(self, directory):
        (directory / "part.py").write_text(PART)
        self.program = str(directory / "part.py")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.environment = {**os.environ, "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1",
                            "MUSTER_ENDPOINTS": json.dumps([f"127.0.0.1:{port}", "127.0.0.1:2"])}

    def start(self, rank, *words):
        return subprocess.Popen([sys.executable, "-m", "muster.vllm", "--", sys.executable, self.program, *words, "serve", "m"],
                                env={**self.environment, "RANK": str(rank)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, start_new_session=True)


@pytest.fixture
def parts(tmp_path):
    return Parts(tmp_path)


def left(process):
    """The remaining processes of the session that it started."""
    listed = subprocess.run(["ps", "-o", "pid=,stat=", "-s", str(process.pid)], stdout=subprocess.PIPE, text=True, check=False)
    return [line for line in listed.stdout.splitlines() if " Z" not in line]


@pytest.mark.parametrize("code", [0, 7])
def test_the_others_end_with_the_head(parts, code):
    worker, head = parts.start(1, "stubborn"), parts.start(0, str(code), "2")
    out, err = head.communicate(timeout=60)
    assert (head.returncode, err) == (code, "")
    assert "--nnodes=2 --node-rank=0" in out and "--headless" not in out
    out, err = worker.communicate(timeout=60)
    assert (worker.returncode, err) == (0, "")
    assert "--node-rank=1" in out and out.rstrip().endswith("--headless")
    assert left(head) == left(worker) == []


@pytest.mark.parametrize("code", [0, 7])
def test_a_part_that_ends_while_the_head_runs_has_failed(parts, code):
    head, worker = parts.start(0, "stay"), parts.start(1, str(code), "0.5")
    try:
        _, err = worker.communicate(timeout=60)
        assert worker.returncode == (code or 1)
        assert err.startswith(f"muster.vllm: vLLM exited with code {code} on ")
        assert head.poll() is None
    finally:
        head.terminate()
        head.communicate(timeout=60)
    assert head.returncode == 128 + 15
    assert left(head) == left(worker) == []


def test_a_worker_waits_for_its_head(parts):
    worker = parts.start(1, "stay")
    time.sleep(1.5)
    assert worker.poll() is None
    head = parts.start(0, "0", "1")
    assert "started" not in head.communicate(timeout=60)[1]
    assert worker.communicate(timeout=60)[0].startswith("started serve m ")


def test_a_program_that_is_not_there_is_one_line(parts):
    parts.program = "x"
    head = subprocess.Popen([sys.executable, "-m", "muster.vllm", "--", "/no/such", "serve"], stderr=subprocess.PIPE, text=True,
                            env={**parts.environment, "RANK": "0"})
    assert head.communicate(timeout=60)[1] == "muster.vllm: /no/such: No such file or directory\n"
    assert head.returncode == 127
