"""torch's processes rendezvous through muster: with the Python package as the site has installed it, and Debian's
torch."""

import re
import shutil

import pytest
from cluster import CHECKOUT, Cluster
from command import Result
from releases import slurm_has_pmix

BLOCK = "-N3 -n6"
# With Slurm alone; if it has no PMIx, the ranks rendezvous at the launcher's port.
PLAIN = "--mpi=pmix" if slurm_has_pmix() else "--mpi=none --distributed=torch"
SAID = re.compile(r"^rank (\d+) of (\d+) sum (\d+) on (\w+): first (.*), last (.*)$", re.MULTILINE)


@pytest.fixture(autouse=True)
def torch_there(cluster: Cluster) -> None:
    if cluster.run("python3 -c 'import torch'").code != 0:
        pytest.skip("no PyTorch for the cluster's python3; scripts/setup --with=training installs it")


@pytest.fixture
def package(cluster: Cluster) -> dict[str, str]:
    """The environment of a user who uses the site's package."""
    return {"PYTHONPATH": str(cluster.prefix / "share" / "muster" / "python")}


def placed(result: Result) -> dict[int, str]:
    """Maps rank to node, for ranks that formed one group and left it cleanly."""
    assert result.code == 0, result.out + result.err
    said = SAID.findall(result.out)
    size = len(said)
    assert {(int(world), int(total)) for _, world, total, *_ in said} == {(size, size * (size - 1) // 2)}, result.out
    assert all(first == last for *_, first, last in said), result.out
    return {int(rank): node for rank, _, _, node, *_ in said}


@pytest.mark.slow
@pytest.mark.parametrize("launch", [pytest.param("--mpi=pmix", marks=pytest.mark.pmix), "--distributed=torch"],
                         ids=["plain", "distributed"])
@pytest.mark.parametrize("layout", [
    pytest.param(BLOCK, id="block", marks=pytest.mark.long), pytest.param(f"{BLOCK} --distribution=cyclic", id="cyclic"),
    pytest.param("-N3 -n5", id="uneven", marks=pytest.mark.long), pytest.param("-N1 -n1", id="one")])
def test_ranks_are_where_slurm_put_them(cluster: Cluster, package, launch: str, layout: str) -> None:
    told = cluster.srun(f"{layout} bash -c 'echo $SLURM_PROCID $(hostname)'").lines
    assert placed(cluster.srun(f"{launch} {layout} ./muster_groups 1", env=package, timeout=90)) == {
        int(rank): node for rank, node in map(str.split, told)}


@pytest.mark.slow
def test_contiguous_ranks_are_torchs_ranks(cluster: Cluster, package) -> None:
    options = f"--distributed=torch,ranks=contiguous {BLOCK} --distribution=cyclic"
    assert placed(cluster.srun(f"{options} ./muster_groups 1", env=package, timeout=90)) == {
        0: "node1", 1: "node1", 2: "node2", 3: "node2", 4: "node3", 5: "node3"}


@pytest.mark.slow
def test_a_training_on_three_nodes_learns(cluster: Cluster, package) -> None:
    cluster.give("alice", CHECKOUT / "examples" / "train_ddp.py")
    result = cluster.srun(f"{PLAIN} -N3 -n3 ./train_ddp.py --init muster --check", env=package, timeout=120)
    assert result.code == 0, result.err
    assert sorted(re.findall(r"^rank (\d) of 3 on (\w+), cpu", result.out, re.MULTILINE)) == [
        ("0", "node1"), ("1", "node2"), ("2", "node3")]
    assert result.lines[-1].startswith("learned: largest error")


STOPPED = """
srun --distributed=torch ./train_ddp.py --epochs 100000 --checkpoint stop.pt >stop.out &
until grep -q '^epoch 2 ' stop.out; do sleep 0.1; done
scancel --signal={name} $SLURM_JOB_ID.0
wait $! && cat stop.out
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param("USR1", marks=pytest.mark.long), "TERM"])
def test_a_training_stops_in_order_at_a_signal_and_the_next_one_goes_on(cluster: Cluster, package, name: str) -> None:
    cluster.give("alice", CHECKOUT / "examples" / "train_ddp.py")
    for file in ("stop.out", "stop.pt"):
        (cluster.home / file).unlink(missing_ok=True)
    script = cluster.write("stop.sh", STOPPED.format(name=name))
    result = cluster.run(f"salloc -N2 -n3 bash {script}", env=package, timeout=120)
    assert result.code == 0, result.out + result.err
    (epoch,) = re.findall(r"^epoch (\d+) stopped$", result.out, re.MULTILINE)
    assert result.out.count("stopped") == 1
    again = cluster.srun(f"--distributed=torch -N2 -n3 ./train_ddp.py --epochs {epoch} --checkpoint stop.pt", env=package,
                         timeout=120)
    assert f"resumed from stop.pt after epoch {int(epoch) - 1}\n" in again.out, again.out + again.err


@pytest.mark.slow
def test_an_exception_without_record_is_in_the_ranks_error_file(cluster: Cluster, package) -> None:
    """In a program without the start hook, for example in a container."""
    rank = cluster.write("rank.sh", "python3 -c 'import muster; 1 / 0' 2>/dev/null; code=$?\n"
                                    "cd ${TORCHELASTIC_ERROR_FILE%/*}; echo $code $(ls) $(cat error.json)\n")
    result = cluster.srun(f"--distributed=torch,python=off -N2 -n2 bash {rank}", env=package)
    assert result.code == 0, result.err
    for line in result.lines:
        assert line.startswith('1 error.json fault.txt {"message": {"message": "ZeroDivisionError: division by zero",'), line
    assert len(result.lines) == 2


@pytest.mark.slow
def test_groups_are_made_again_and_again_and_nothing_is_left_of_them(cluster: Cluster, package) -> None:
    placed(cluster.srun(f"{PLAIN} {BLOCK} ./muster_groups 8", env=package, timeout=120))


@pytest.mark.slow
def test_where_slurm_has_no_pmix_they_meet_at_the_launchers_port(cluster: Cluster, package) -> None:
    options = f"--mpi=none --distributed=torch {BLOCK}"
    assert len(placed(cluster.srun(f"{options} ./muster_groups 3", env=package, timeout=90))) == 6


@pytest.mark.slow
def test_two_trainings_on_the_same_nodes_do_not_meet(cluster: Cluster, package) -> None:
    step = f"srun --overlap {PLAIN} -N3 -n3 ./muster_groups 3"
    result = cluster.run(f"salloc {BLOCK} bash -c '{step} >one & {step} >two; wait; cat one two'", env=package, timeout=120)
    assert result.code == 0, result.err
    assert len(re.findall(r"^rank \d of 3 sum 3", result.out, re.MULTILINE)) == 6


@pytest.mark.slow
@pytest.mark.parametrize(("name", "program"), [
    ("exits", "exit 0"), pytest.param("sleeps", "sleep 20", marks=pytest.mark.long)])
def test_when_one_rank_does_not_come_every_other_ends_in_time_by_one_line(
        cluster: Cluster, package, name: str, program: str) -> None:
    (meeting := cluster.home / f"meeting-{name}").mkdir()
    meeting.chmod(0o777)
    line = f'if [ $SLURM_PROCID = 3 ]; then {program}; else exec ./muster_groups 1 muster:// 8 {meeting}; fi'
    result = cluster.srun(f"{PLAIN} -K0 {BLOCK} bash -c '{line}'", env=package, timeout=60)
    assert result.code != 0
    ended = {int(rank): (float(seconds), text) for rank, seconds, text in re.findall(
        r"^rank (\d) after ([\d.]+) s: (.*)$", result.err, re.MULTILINE)}
    assert set(ended) == {0, 1, 2, 4, 5}, result.err
    for seconds, text in ended.values():
        assert seconds < 12
        assert text.startswith("TIMEOUT exchange 'torch store's address'"), text
        assert "rank 3 (node2)" in text, text
    # Slurm's PMIx plugin keeps asking a slurmstepd that has already ended, and exits after that. This happens when a
    # rank's time is up a moment after the others'.
    cluster.await_clean(60)
    shutil.rmtree(meeting)


# --- unmodified scripts

SCRIPT = """\
import os, socket, torch, torch.distributed as dist
dist.init_process_group("gloo")
total = torch.tensor([dist.get_rank()])
dist.all_reduce(total)
with socket.socket() as probe:
    served = probe.connect_ex((os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))) == 0
dist.barrier()
print(f"rank {dist.get_rank()} of {dist.get_world_size()} sum {int(total)} on {socket.gethostname()} served {served}", flush=True)
dist.destroy_process_group()
"""


@pytest.mark.slow
@pytest.mark.parametrize(("runner", "by_torch", "mpi"), [
    ("", True, ""), ("-m muster.torch", False, ""), ("-m muster.torch", False, "--mpi=none")],
    ids=["by_torch", "by_muster", "by_muster_without_pmix"])
def test_a_script_of_env_meets_by_torch_or_by_muster(
        cluster: Cluster, package, runner: str, by_torch: bool, mpi: str) -> None:
    cluster.write("script.py", SCRIPT)
    result = cluster.srun(f"{mpi} --distributed=torch {BLOCK} python3 {runner} script.py", env=package, timeout=90)
    assert result.code == 0, result.err
    assert sorted(result.lines) == [
        f"rank {rank} of 6 sum 15 on node{rank // 2 + 1} served {by_torch}" for rank in range(6)]


@pytest.mark.slow
def test_ctrl_c_ends_a_rank_that_waits(cluster: Cluster, package) -> None:
    cluster.write("wait.py", "import muster, time\n"
                             "step = muster.init()\n"
                             "try:\n"
                             "    step.barrier() if step.rank == 0 else time.sleep(60)\n"
                             "except KeyboardInterrupt:\n"
                             "    print('rank', step.rank, 'was interrupted')\n")
    # In the foreground, timeout sends the signal once; otherwise it also signals its group, and thus itself and its
    # child again.
    result = cluster.srun(f"-K0 {PLAIN} -N2 -n2 timeout --foreground -s INT 3 python3 wait.py", env=package)
    assert "rank 0 was interrupted" in result.lines
    assert result.seconds < 20


@pytest.mark.slow
def test_forked_workers_leave_the_step_alone(cluster: Cluster, package) -> None:
    cluster.write("load.py", "import muster, torch\n"
                             "from torch.utils.data import DataLoader, TensorDataset\n"
                             "with muster.init(timeout=30) as step:\n"
                             "    step.barrier()\n"
                             "    loader = DataLoader(TensorDataset(torch.arange(8)), num_workers=2, multiprocessing_context='fork')\n"
                             "    sums = [sum(int(batch) for batch, in loader) for _ in range(3)]\n"
                             "    print(step.exchange('sums', str(sums).encode(), [5])[5].decode(), flush=True)\n")
    result = cluster.srun(f"{PLAIN} {BLOCK} python3 -W ignore load.py", env=package, timeout=90)
    assert result.code == 0, result.err
    assert result.lines == ["[28, 28, 28]"] * 6
    assert result.err == ""
