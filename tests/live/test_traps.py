"""Common typos and omissions: an error before anything is allocated if the mistake is certain, otherwise a one-line
warning."""

import contextlib
import re
import shutil
import subprocess
from collections.abc import Iterator

import pytest
from cluster import CHECKOUT, Cluster
from command import Result
from own_cluster import BUILD, own_cluster


@pytest.fixture
def train(cluster: Cluster) -> Iterator[Cluster]:
    """alice's directory contains the program train.py."""
    cluster.write("train.py", "#!/usr/bin/env python3\nprint('trained')\n").chmod(0o755)
    yield cluster
    (cluster.home / "train.py").unlink()


@pytest.fixture(scope="module")
def large() -> Iterator[Cluster]:
    """Nodes with more CPUs than this machine may have, and with GPUs."""
    with own_cluster("traps", 3, "--cpus", "8", "--gpus", "4") as cluster:
        yield cluster


def remarks(result: Result, words: str) -> list[str]:
    """muster's lines that contain these words."""
    return [line for line in result.complaints if words in line]


def refused(cluster: Cluster, line: str, *words: str) -> None:
    """Checks that the line is refused with one line of output and no job."""
    before = cluster.jobs()
    result = cluster.run(line)
    assert result.code == 1
    assert result.out == ""
    assert result.err.startswith("muster: error: "), result.err
    assert len(result.err.splitlines()) == 1, result.err
    for word in words:
        assert word in result.err
    assert cluster.jobs() <= before


@pytest.mark.parametrize("value", ["torch", "torch,verbose", "bind=none", "off"])
def test_a_value_behind_a_space_is_no_program(train: Cluster, value: str) -> None:
    refused(train, f"srun --distributed {value} ./train.py", f"did you mean --distributed={value}?")


def test_sallocs_value_behind_a_space_is_no_program_either(train: Cluster) -> None:
    refused(train, "salloc -N2 --distributed torch srun ./train.py", "did you mean --distributed=torch?")


def test_a_program_of_that_name_is_started(cluster: Cluster) -> None:
    program = cluster.write("bin/jax", "#!/bin/sh\necho started\n")
    program.chmod(0o755)
    result = cluster.shell("PATH=$HOME/bin:$PATH srun --distributed jax")
    assert (result.code, result.out) == (0, "started\n"), result.err


def test_a_program_of_this_directory_needs_its_path(train: Cluster) -> None:
    refused(train, "srun --distributed=torch -N2 -n2 train.py", "train.py is not on PATH", "did you mean ./train.py?")


def test_a_script_without_x_bit_needs_its_interpreter(train: Cluster) -> None:
    (train.home / "train.py").chmod(0o644)
    refused(train, "srun --distributed=torch train.py", "did you mean python")


@contextlib.contextmanager
def image_plugin(cluster: Cluster) -> Iterator[None]:
    """Another plugin, with the option --environment."""
    target = cluster.site_file("image_plugin.so", "")
    shutil.copy(BUILD / "tests" / "live" / "compiled" / "image_plugin.so", target)
    before = cluster.plugstack_file.read_text()
    cluster.plugstack_file.write_text(f"required {target}\n{before}")
    try:
        yield
    finally:
        cluster.plugstack_file.write_text(before)


def test_with_another_plugins_option_the_missing_program_is_only_a_remark(train: Cluster) -> None:
    with image_plugin(train):
        there = train.srun("--distributed=torch --environment=image -n1 train.py")
        quiet = train.srun("--distributed=torch --environment=image -Q -n1 train.py")
        elsewhere = train.srun("--distributed=torch --environment=image -n1 only-in-the-image")
    assert [line for line in there.complaints if "did you mean ./train.py?" in line], there.err
    assert (there.code, there.out) == (0, "trained\n"), there.err  # Slurm looks there as well
    assert (quiet.code, quiet.complaints) == (0, []), quiet.err
    assert elsewhere.code != 0
    assert elsewhere.complaints == [], elsewhere.err  # slurmstepd looks in the image


def test_another_plugins_option_of_the_job_counts_as_well(train: Cluster) -> None:
    lines = "#!/bin/bash\n#SBATCH --environment=image --distributed=torch\nsrun train.py\nsrun only-in-the-image\n"
    with image_plugin(train):
        done = train.sbatch(lines)
    assert "trained" in done.out
    assert [line for line in done.lines if "muster: " in line] == [
        "muster: warning: the program train.py is not on PATH, but it is in this directory; did you mean ./train.py?"]


def test_every_option_of_this_srun_is_known_as_its_own(cluster: Cluster) -> None:
    own = cluster.srun("--help").out.partition("Options provided by plugins:")[0]
    shown = set(re.findall(r"--([a-z][a-z0-9-]+)", own))
    table = (CHECKOUT / "lib/core/srun/options.cpp").read_text()
    assert len(shown) > 80
    assert not shown - set(re.findall(r'"([a-z0-9-]+)"', table))


def test_uneven_tasks_that_nobody_asked_for_are_one_line(large: Cluster) -> None:
    result = large.srun("--distributed=torch -N3 -n6 hostname")
    assert sorted(result.lines) == ["node1"] * 4 + ["node2", "node3"]
    (line,) = remarks(result, "spread unevenly")
    assert line == ("muster: warning: 6 tasks are spread unevenly over 3 nodes, from 4 on node1 to 1 on node2; submit "
                    "the job with --ntasks-per-node=2 for the same number on each node")
    assert result.code == 0
    assert remarks(large.srun("--distributed=torch -Q -N3 -n6 true"), "spread unevenly") == []
    assert remarks(large.srun("--distributed=torch -J -Q -N3 -n6 true"), "spread unevenly") == [line]


@pytest.mark.parametrize("options", ["-N3 --ntasks-per-node=2", "-N3 -n6 -m plane=4",
                                     "-N3 -n6 -m block,Pack", "-N1 -n4"])
def test_even_tasks_and_those_that_were_asked_for_are_none(large: Cluster, options: str) -> None:
    result = large.srun(f"--distributed=torch {options} true")
    assert (result.code, remarks(result, "spread unevenly")) == (0, []), result.err


def test_steps_that_share_a_job_may_have_one_core_per_task(large: Cluster) -> None:
    result = large.run("salloc -N2 --ntasks-per-node=2 --exclusive srun --exact --distributed=torch true")
    assert (result.code, remarks(result, "core per task")) == (0, []), result.err


def test_one_core_per_task_is_one_line_where_the_node_has_more(large: Cluster) -> None:
    drawn = subprocess.run(["lstopo-no-graphics", "--of", "xml", "-i", "core:96 pu:1"], check=True, capture_output=True,
                           text=True, timeout=30)
    nodes = large.site_file("nodes.xml", drawn.stdout)
    config = large.site_file("large.yaml", f"topology:\n  rules:\n    - {{nodes: 'node*', file: {nodes}}}\n")
    with large.plugstack("optional", config=config):
        result = large.srun("--distributed=torch -N2 --ntasks-per-node=2 true")
        chosen = large.srun("--distributed=torch -N2 --ntasks-per-node=2 -c1 true")
        mpi = large.srun("--distributed=mpi -N2 --ntasks-per-node=2 true")
    (line,) = remarks(result, "cores per task")
    assert line == ("muster: warning: node1, node2: 1 of 96 cores per task: DataLoader workers share that core; submit the "
                    "job with --cpus-per-task=48, or with --exclusive for all cores")
    assert remarks(chosen, "per task") == remarks(mpi, "per task") == []


def test_sbatchs_cpus_per_task_hold_for_its_steps(cluster: Cluster) -> None:
    probe = cluster.new_probe()
    done = cluster.sbatch(f"#!/bin/bash\n#SBATCH -N2 -n2 -c2 --distributed=torch\nsrun --exact {probe}\n")
    assert (done.code, done.out) == (0, "")
    assert [task.cpus for task in probe.tasks()] == [[0, 1], [0, 1]]
    assert [task["OMP_NUM_THREADS"] for task in probe.tasks()] == ["2", "2"]


def test_several_gpus_of_a_single_task_are_one_line(large: Cluster) -> None:
    result = large.srun("--distributed=torch -N2 --ntasks-per-node=1 --gpus-per-node=4 true")
    (line,) = remarks(result, "GPUs and")
    assert line == ("muster: warning: node1, node2: 4 GPUs and 1 task: a rank uses one GPU, so use --ntasks-per-node=4, or "
                    "profile torchrun; if the program starts its own ranks, use profile none; if the rank uses all of the "
                    "GPUs, add gpus=own")
    assert result.code == 0


# As Ultralytics does: a process without LOCAL_RANK starts one with LOCAL_RANK for each GPU.
STARTS_RANKS = """
import os, subprocess, sys
if "LOCAL_RANK" in os.environ:
    os.write(1, f"rank {os.environ['LOCAL_RANK']} of {os.environ['WORLD_SIZE']}\\n".encode())
    sys.exit()
size = len(os.environ["CUDA_VISIBLE_DEVICES"].split(","))
for rank in range(size):
    own = {"LOCAL_RANK": str(rank), "WORLD_SIZE": str(size)}
    subprocess.run([sys.executable, __file__], env={**os.environ, **own}, check=True)
"""


def test_a_program_that_starts_its_own_ranks_does_so_with_profile_none(large: Cluster) -> None:
    large.write("own.py", STARTS_RANKS)
    for profile, ranks in (("torch", 1), ("none", 4)):
        result = large.srun(f"--distributed={profile} -N1 --ntasks-per-node=1 --gpus-per-node=4 python3 own.py")
        assert (result.code, result.lines) == (0, [f"rank {rank} of {ranks}" for rank in range(ranks)]), result.err
        assert len(remarks(result, "use profile none")) == (1 if profile == "torch" else 0)


@pytest.mark.parametrize("options", [
    "torch -N2 --ntasks-per-node=4 --gpus-per-node=4 --cpus-per-task=2", "torch,gpus=own -N2 --ntasks-per-node=1 --gpus-per-node=4",
    "torch -N2 --ntasks-per-node=1 --gpus-per-task=4", "jax -N2 --ntasks-per-node=1 --gpus-per-node=4",
    "torchrun -N2 --ntasks-per-node=1 --gpus-per-node=4", "torch -N2 --ntasks-per-node=1 --gpus-per-node=4 -Q"])
def test_gpus_that_have_a_task_or_are_meant_for_one_are_none(large: Cluster, options: str) -> None:
    result = large.srun(f"--distributed={options} true")
    assert (result.code, remarks(result, "GPUs and")) == (0, []), result.err


JOINS = "import os\nprint('rank', os.environ.get('RANK'))\n"


def batch(*lines: str) -> str:
    return "\n".join(["#!/bin/bash", *lines, ""])


@pytest.mark.parametrize(("line", "profile", "remedy"), [
    ("python3 train.py", "torch", "write srun python3 train.py"),
    ("./torchrun train.py", "torch", "write srun in place of torchrun"),
    ("./torchrun train.py", "torchrun", "write srun torchrun"),
])
def test_a_batch_script_without_srun_is_one_line_of_sbatch(train: Cluster, line: str, profile: str,
                                                          remedy: str) -> None:
    train.write("train.py", JOINS)
    train.write("torchrun", "#!/bin/sh\n").chmod(0o755)
    train.write("job.sh", batch(f"#SBATCH --distributed={profile}", line))
    submitted = train.run("sbatch --output=/dev/null job.sh")
    start = "torchrun" if "torchrun" in line else line
    assert submitted.code == 0
    assert submitted.err == (f"muster: warning: the script starts {start} without srun, but --distributed applies only to the "
                             f"tasks of srun; {remedy}\n")
    assert train.run("sbatch -Q --output=/dev/null job.sh").err == ""


def test_wraps_command_without_srun_is_one_line_of_sbatch(train: Cluster) -> None:
    train.write("train.py", JOINS)
    submitted = train.run("sbatch --output=/dev/null --distributed=torch --wrap 'python3 train.py'")
    assert (submitted.code, len(submitted.complaints)) == (0, 1), submitted.err


def test_a_batch_script_with_srun_and_one_that_did_not_ask_are_none(train: Cluster) -> None:
    train.write("train.py", JOINS)
    train.write("job.sh", batch("#SBATCH --distributed=torch", "srun python3 train.py"))
    assert train.run("sbatch --output=/dev/null job.sh").err == ""
    train.write("plain.sh", batch("python3 train.py"))
    assert train.run("sbatch --output=/dev/null plain.sh", env={"MUSTER_DISTRIBUTED": "torch"}).err == ""


def test_a_launcher_in_every_task_is_one_line(cluster: Cluster) -> None:
    cluster.write("torchrun", "#!/bin/sh\n").chmod(0o755)
    result = cluster.srun("--distributed=torch -N2 -n2 ./torchrun train.py")
    assert result.code == 0
    (line,) = remarks(result, "starts ranks itself")
    assert line == ("muster: warning: torchrun starts ranks itself, and it would do so in every task; leave it out, because "
                    "profile torch makes each task a rank, or use profile torchrun with --ntasks-per-node=1")
    for options in ("--distributed=torch -Q", "--distributed=torchrun", "--distributed=none"):
        assert remarks(cluster.srun(f"{options} -n1 ./torchrun train.py"), "starts ranks") == []


@pytest.mark.parametrize("start", ["bash -c 'cd . && exec ./torchrun train.py'", "env A=B nice -n 1 ./torchrun train.py"])
def test_a_launcher_inside_a_wrapper_is_the_same_line(cluster: Cluster, start: str) -> None:
    cluster.write("torchrun", "#!/bin/sh\n").chmod(0o755)
    result = cluster.srun(f"--distributed=torch -N2 -n2 {start}")
    assert result.code == 0
    (line,) = remarks(result, "starts ranks itself")
    assert line.startswith("muster: warning: torchrun starts ranks itself, and it would do so in every task; leave it out")


def test_ms_swift_starts_ranks_only_if_a_variable_says_so(cluster: Cluster) -> None:
    cluster.write("swift", "#!/bin/sh\n").chmod(0o755)
    (line,) = remarks(cluster.srun("--distributed=torch -N2 -n2 ./swift sft", env={"NPROC_PER_NODE": "8"}), "starts ranks")
    assert line == ("muster: warning: with NPROC_PER_NODE set, swift sft starts ranks itself, and it would do so in every "
                    "task; unset NPROC_PER_NODE and NNODES, because profile torch makes each task a rank")
    assert remarks(cluster.srun("--distributed=torch -N2 -n2 ./swift sft"), "starts ranks") == []


def test_the_report_ends_with_what_is_probably_wrong(cluster: Cluster) -> None:
    """With profile torch, torchrun writes dozens of lines after the line printed at launch."""
    cluster.write("torchrun", "#!/bin/sh\nexit 3\n").chmod(0o755)
    result = cluster.srun("--distributed=torch -N2 -n2 ./torchrun train.py")
    assert result.code == 3
    assert result.err.splitlines()[-1].startswith("muster: hint: torchrun starts ranks itself"), result.err
    again = cluster.srun("--distributed=torch,restarts=1 -N1 -n1 ./torchrun train.py")
    assert len(remarks(again, "muster: warning: torchrun starts ranks itself")) == 1, again.err
    assert "starts ranks itself" not in cluster.srun("--distributed=torch -Q -n1 ./torchrun train.py").err


def test_muster_run_in_every_task_is_refused(train: Cluster) -> None:
    refused(train, f"srun -n2 --distributed=torch {train.prefix}/bin/muster run ./train.py", "without srun")


def test_a_command_of_salloc_without_srun_is_one_line(train: Cluster) -> None:
    train.write("train.py", JOINS)
    result = train.run("salloc -N1 --distributed=torch python3 train.py")
    (line,) = remarks(result, "muster: warning:")
    assert line.startswith("muster: warning: salloc starts python3 train.py once, on this host and without a rank")
    assert result.out == "rank None\n"
    assert remarks(train.run("salloc -N1 --distributed=torch srun python3 train.py"), "warning:") == []


def test_spares_that_nothing_can_use_are_one_line(cluster: Cluster) -> None:
    result = cluster.run("salloc -N2 srun --distributed=torch,spares=1 true")
    (line,) = remarks(result, "spares=1")
    assert line.startswith("muster: warning: spares=1 reserves a node that will never be used"), result.err
    at_prompt = cluster.srun("-N1 -n1 --distributed=torch,spares=1 true")
    assert len(remarks(at_prompt, "spares=1")) == 1, at_prompt.err
    assert remarks(cluster.run("salloc -N2 srun --distributed=torch,spares=1,restarts=1 true"), "spares") == []


def test_an_exported_address_of_another_node_is_one_line(cluster: Cluster) -> None:
    result = cluster.srun("-N2 -n2 --distributed=torch true", env={"MASTER_ADDR": "10.9.9.9"})
    (line,) = remarks(result, "MASTER_ADDR")
    assert line.startswith("muster: warning: MASTER_ADDR=10.9.9.9 is exported, so it is kept, but rank 0 runs on node1"), line
    (task,) = cluster.probe("-w node1 -n1 --distributed=torch")
    for right in ("node1", task["MASTER_ADDR"]):
        kept = cluster.srun("-w node1 -N1 -n1 --distributed=torch true", env={"MASTER_ADDR": right})
        assert remarks(kept, "MASTER_ADDR") == [], kept.err


def test_an_exported_port_is_one_line(cluster: Cluster) -> None:
    result = cluster.srun("-N2 -n2 --distributed=torch true", env={"MASTER_PORT": "29511"})
    (line,) = remarks(result, "MASTER_PORT=29511")
    assert line.startswith("muster: warning: MASTER_PORT=29511 is exported, so it is kept"), result.err
    for options in ("--distributed=torch -Q", "--distributed=none"):
        quiet = cluster.srun(f"-N2 -n2 {options} true", env={"MASTER_PORT": "29511"})
        assert remarks(quiet, "MASTER_PORT") == [], quiet.err
    assert remarks(cluster.srun("--distributed=torch,port=29511 -n1 true"), "29511") == []


def test_a_script_that_needs_torchrun_is_one_line_under_its_profile(train: Cluster) -> None:
    train.write("train.py", JOINS)
    result = train.srun("--distributed=torchrun -n1 python3 train.py")
    assert (result.code, result.out) == (0, "rank None\n")
    assert result.complaints == ["muster: warning: profile torchrun leaves RANK to torchrun, but this command does not "
                                 "start torchrun; did you mean --distributed=torch, or torchrun train.py?"]


@pytest.mark.parametrize(("line", "suggestion"), [
    ("muster foo", "use one of --help, --version, check, config, doctor, dump, exec, plan, report, run, status, metrics, "
                   "topo"),
    ("muster paln", "did you mean 'plan'?"),
    ("muster --layot a:1", "did you mean `muster plan --layout`?"),
    ("muster plan --layot a:1", "did you mean '--layout'?"),
    ("muster check torch", "did you mean --distributed=torch?"),
])
def test_a_mistyped_word_of_muster_gets_a_suggestion(cluster: Cluster, line: str, suggestion: str) -> None:
    result = cluster.run(line)
    assert (result.code, result.out) == (2, "")
    (complaint,) = result.err.splitlines()
    assert complaint.endswith(suggestion)


def test_help_is_about_what_people_call(cluster: Cluster) -> None:
    overview = cluster.run("muster --help").out
    assert {"check", "exec", "plan", "topo"} <= {line.split()[0] for line in overview.splitlines() if line.strip()}
    for word in ("agent", "supervise", "SUBCOMMAND"):
        assert word not in overview
    for command in ("check", "exec", "plan", "topo", "supervise"):
        shown = cluster.run(f"muster {command} --help")
        assert shown.code == 0
        for word in ("Positionals", "REQUIRED", "TEXT=", "[OPTIONS]", "program-index"):
            assert word not in shown.out, shown.out
    assert "srun --distributed=help" in cluster.run("muster supervise --help").out


@pytest.mark.parametrize(("value", "answer"), [
    ("torch,nproc-per-node=2", "use srun --ntasks-per-node=N; torchrun calls this nproc-per-node"),
    ("torch,nnode=2", "did you mean nnodes? use srun --nodes=N, or nodes=MIN:MAX for an elastic size; torchrun calls this nnodes"),
    ("torch,nodes=2", "set the number of nodes at the start with srun --nodes=N"),
    ("torch,rdzv_endpoint=a:1", "leave it out: muster finds the nodes and sets up the rendezvous"),
    ("torch,shutdown-timeout=9", "use grace=TIME; torchrun calls this shutdown-timeout"),
    ("torch,gpus=4", "use srun --gpus-per-node=4"),
    ("torch,ntasks-per-node=2", "this is an srun option: use srun --ntasks-per-node"),
    ("torch,net=eth0", "did you mean 'network'?"),
    ("standalone", "leave it out: muster finds the nodes and sets up the rendezvous"),
    ("explan", "did you mean 'explain'?"),
])
def test_another_launchers_word_is_answered_by_slurms_or_musters(train: Cluster, value: str, answer: str) -> None:
    refused(train, f"srun --distributed={value} ./train.py", answer)


@pytest.mark.parametrize(("value", "answer"), [
    ("ddp", "use torch, which is the profile for ddp"),
    ("fsdp,restarts=1", "use torch, which is the profile for fsdp"),
    ("tf", "use tensorflow, which is the profile for tf"),
    ("hf", "use accelerate, which is the profile for hf"),
    ("dry_run", "did you mean 'dry-run'?"),
])
def test_what_people_call_a_framework_is_answered_by_its_profile(train: Cluster, value: str, answer: str) -> None:
    refused(train, f"srun --distributed={value} ./train.py", answer)


def test_a_key_may_be_spelled_with_underscores(train: Cluster) -> None:
    shown = train.srun("--distributed=torch,dry_run,health_timeout=2m -n1 ./train.py")
    assert (shown.code, "trained" in shown.out) == (0, False), shown.err
    assert "RANK" in shown.out


@pytest.mark.parametrize(("line", "answer"), [
    ("srun --distributed= torch ./train.py", "did you mean --distributed=torch?"),
    ("srun --distributed=torch bind=core ./train.py", "did you mean --distributed=torch,bind=core?"),
    ("srun --distributed=torch,restarts=1 hang=10m ./train.py", "did you mean --distributed=torch,restarts=1,hang=10m?"),
    ("salloc --distributed= torch", "did you mean --distributed=torch?"),
])
def test_a_space_inside_the_value_is_found_before_anything_is_allocated(train: Cluster, line: str, answer: str) -> None:
    refused(train, line, answer)


@pytest.mark.parametrize(("name", "value", "meant"), [
    ("MUSTER_RESTART", "1", "MUSTER_RESTARTS"), ("MUSTER_DRYRUN", "on", "MUSTER_DRY_RUN"),
])
def test_a_mistyped_variable_of_musters_is_one_warning(train: Cluster, name: str, value: str, meant: str) -> None:
    result = train.srun("--distributed=torch -n1 ./train.py", env={name: value})
    assert (result.code, result.out) == (0, "trained\n"), result.err
    assert result.complaints == [f"muster: warning: nothing reads {name} in the environment; did you mean {meant}?"]
    assert train.srun("--distributed=torch -Q -n1 ./train.py", env={name: value}).complaints == []
    submitted = train.run("sbatch --output=/dev/null --distributed=torch --wrap 'srun ./train.py'", env={name: value})
    assert [line for line in submitted.complaints if f"did you mean {meant}?" in line], submitted.err


def test_a_mistyped_muster_distributed_is_one_warning_of_a_step_without_muster(train: Cluster) -> None:
    result = train.srun("-n1 ./train.py", env={"MUSTER_DISTRIBUTD": "torch"})
    assert (result.code, result.out) == (0, "trained\n"), result.err
    (line,) = result.complaints
    assert line.endswith("muster: warning: nothing reads MUSTER_DISTRIBUTD in the environment; did you mean MUSTER_DISTRIBUTED?")
    assert train.srun("-n1 ./train.py", env={"MUSTER_DISTRIBUTED": "torch", "MUSTER_DATA": "x"}).complaints == []


@pytest.mark.parametrize(("file", "why"), [
    ("nowhere/report.json", "No such file or directory; create the directory nowhere/"),
    ("/etc/report.json", "Permission denied; use another file for report="),
])
def test_a_report_that_cannot_be_written_is_said_before_the_training(train: Cluster, file: str, why: str) -> None:
    train.write("look.sh", "#!/bin/sh\nls said >/dev/null && cat said\n").chmod(0o755)
    result = train.shell(f"srun --distributed=torch,report={file} -n1 ./look.sh 2>said; code=$?; cat said >&2; exit $code")
    said = f"muster: warning: report={file}: there will be no report, because the file cannot be written: {why}"
    assert said in result.out, "the program does not see the warning: it came too late"
    assert result.code == 0, result.err
    assert any("cannot write the report" in line for line in result.complaints), result.err
    assert train.srun(f"--distributed=torch,report={file} -Q -n1 ./train.py").code == 0


@pytest.mark.parametrize("command", ["check --distributed=torch", "plan --layout node1:2", "topo"])
def test_a_mistyped_configuration_file_is_an_error(cluster: Cluster, command: str) -> None:
    name, _, more = command.partition(" ")
    result = cluster.run(f"muster {name} --config /etc/muster/mustre.yaml {more}")
    assert (result.code, result.out) == (1, "")
    assert result.err == "muster: error: --config /etc/muster/mustre.yaml: there is no such file; check its path\n"
