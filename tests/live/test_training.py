"""The main use case: an unmodified DDP training script over gloo on several nodes, started with one option."""

import os
import re
import signal

import pytest
from cluster import CHECKOUT, Cluster

EXAMPLE = CHECKOUT / "examples" / "train_ddp.py"


def losses(text: str) -> list[float]:
    return [float(loss) for loss in re.findall(r"^epoch \d+ loss (\S+)$", text, re.MULTILINE)]


@pytest.fixture(autouse=True)
def example(cluster: Cluster) -> None:
    if cluster.run("python3 -c 'import torch'").code != 0:
        pytest.skip("no PyTorch for the cluster's python3; scripts/setup --with=training installs it")
    cluster.give("alice", EXAMPLE)


@pytest.mark.slow
def test_a_training_on_three_nodes_learns(cluster: Cluster) -> None:
    result = cluster.srun("--distributed=torch -N3 -n3 ./train_ddp.py --check", timeout=120)
    assert result.code == 0, result.err
    said = re.findall(r"^rank (\d) of 3 on (\w+), cpu", result.out, re.MULTILINE)
    assert sorted(said) == [("0", "node1"), ("1", "node2"), ("2", "node3")]
    curve = losses(result.out)
    assert len(curve) == 10
    assert curve[0] > 10 * curve[4] > 10 * 0.001
    assert min(curve) > 0  # the noise of the samples cannot be learned
    # gloo in torch 2.14 prints a line for each context that it connects.
    assert [line for line in result.err.splitlines() if not line.startswith("[./gloo/")] == []


@pytest.mark.slow
def test_a_training_goes_on_from_its_checkpoint_and_with_check_its_exit_code_tells(cluster: Cluster) -> None:
    command = "--distributed=torch -N2 -n2 ./train_ddp.py --checkpoint half.pt --epochs"
    first = cluster.srun(f"{command} 3", timeout=120)
    assert first.code == 0, "a short training is no failure"
    assert "not yet learned, needs more epochs: largest error" in first.out
    assert len(losses(first.out)) == 3
    # The exit of one rank does not end the other, so the exit code is the program's own.
    checked = cluster.srun(f"{command} 3 --check", env={"SLURM_KILL_BAD_EXIT": "0"}, timeout=120)
    assert checked.code == 1, "three epochs are too few to learn it"
    second = cluster.srun(f"{command} 10 --check", timeout=120)
    assert second.code == 0, second.err
    assert "resumed from half.pt after epoch 3" in second.out
    assert len(losses(second.out)) == 7
    assert losses(second.out)[0] < losses(first.out)[-1]


@pytest.mark.slow
def test_a_checkpoint_that_cannot_be_saved_is_reported_with_rank_and_reason(cluster: Cluster) -> None:
    """docs/start/tutorial.md crashes a rank in this way."""
    result = cluster.srun("--distributed=torch,logs=crash -N3 --ntasks-per-node=2 ./train_ddp.py --checkpoint missing/ddp.pt",
                          timeout=120)
    assert result.code == 1
    report = result.err.partition("Root Cause (first observed failure):")[2]
    assert "  rank      : 0 (local_rank: 0)\n" in report, result.err
    assert "Parent directory missing does not exist." in report


@pytest.mark.slow
def test_the_batch_script_of_the_examples_trains(cluster: Cluster) -> None:
    script = (CHECKOUT / "examples" / "job.sbatch").read_text()
    done = cluster.sbatch(script, "--nodes=2 --ntasks-per-node=1", timeout=120)
    assert done.code == 0, done.out
    assert sorted(done.lines[:2]) == ["node1", "node2"]
    assert done.lines[-1].startswith("learned: largest error")
    assert (cluster.home / "train_ddp.pt").exists()


@pytest.mark.slow
def test_a_training_that_loses_a_rank_goes_on_from_its_checkpoint(cluster: Cluster) -> None:
    running = cluster.start("srun --distributed=torch,restarts=2,grace=2 -N3 -n3 ./train_ddp.py --epochs 60 "
                            "--checkpoint lost.pt --check")
    running.await_output("epoch 3 loss", timeout=90)
    (rank,) = [process for process in cluster.processes("node2") if process.uid != 0 and "train_ddp.py" in process.command]
    os.kill(rank.pid, signal.SIGKILL)
    result = running.wait(120)
    assert result.code == 0, result.err
    assert "restart 1 of 2 starts on the same nodes" in result.err
    (epoch,) = re.findall(r"resumed from lost.pt after epoch (\d+)", result.out)
    assert int(epoch) >= 3
    assert "learned: largest error" in result.out
