"""Every shell command in the README and the guides does what the text says, or is listed here with what runs it."""

import os
import re
import subprocess
from html import unescape
from pathlib import Path

import pytest
from cluster import CHECKOUT, Cluster
from waiting import wait_until

DOCUMENTS = [CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md", CHECKOUT / "packaging" / "README.md",
             *sorted((CHECKOUT / "docs").rglob("*.md"))]
BUILD = Path(os.environ.get("MUSTER_BUILD", CHECKOUT / "build"))

# Commands that would build or install on this very machine, and what runs in their place.
ELSEWHERE = {
    "scripts/test": "this is it",
    "scripts/test --suite trixie": "CI, as part of the matrix",
    "scripts/test --suite forky": "CI, as part of the matrix",
    "scripts/test --matrix": "CI, with --release-specific",
    "scripts/test --arm64": "by hand, because qemu-user takes an hour or more",
    "scripts/setup": "scripts/test begins with it",
    "scripts/setup --with=tests,cluster,training --preset dev": "scripts/test begins with it",
    "scripts/setup --with=packaging --packages-only": "scripts/test with another group",
    "scripts/bench launch -- --record": "takes minutes and a quiet machine",
    "scripts/bench storm -- --record": "takes half an hour; test_storm.py is the same, smaller",
    "cmake --preset release -DMUSTER_BUILD_SPANK=OFF -DCMAKE_INSTALL_PREFIX=$HOME/muster": "scripts/setup but for the plugin",
    "srun -N4 --ntasks-per-node=8 --gpus-per-node=8 --cpus-per-task=12 --distributed=torch ./train_ddp.py":
        "test_traps.py, with fewer GPUs",
    "srun --distributed=torch -N4 --ntasks-per-node=8 --gpus-per-node=8 ./train.py": "test_worker_torch.py, without GPUs",
    "srun --distributed=torch -N2 --ntasks-per-node=8 python3 -m muster.torch train.py --epochs 3": "test_worker_torch.py, with the example",
    "MUSTER_TORCH_ENV=1 srun --distributed=torch -N2 --ntasks-per-node=8 ./train.py     # torch 2.5 and newer": "live/frameworks",
    "srun -K --mpi=pmix ~/muster/bin/muster exec --distributed=torch -- ./train": "test_exec.py, from the cluster's prefix",
    "srun --distributed=torch,restarts=10,requeue=5,stop=5 ./train.py": "test_requeue.py, in shorter jobs",
    "salloc --no-shell --exclusive -N1 --dependency=expand:JOB   # prints the id of the second job": "test_growing.py",
    "scontrol update JobId=SECOND NumNodes=0                     # moves its node to the first job": "test_growing.py",
    "srun -N4 --ntasks-per-node=1 --gpus-per-node=8 --cpus-per-task=96 --distributed=ray python3 -m muster.ray train.py":
        "live/frameworks/test_ray.py, without GPUs",
    "srun -N2 --ntasks-per-node=1 --gpus-per-node=8 --distributed=vllm python3 -m muster.vllm serve MODEL --tensor-parallel-size=8 "
    "--pipeline-parallel-size=2": "live/frameworks/test_vllm.py, on processors and without stages",
    "srun -N4 --ntasks-per-node=8 --distributed=torchft,groups=4,restarts=10 python3 train.py":
        "live/frameworks/test_torchft.py, with one rank per node",
    "srun -N4 --ntasks-per-node=8 --distributed=torch,groups=2,restarts=5 ./train.py : -N2 --ntasks-per-node=8 ./generate.py":
        "test_groups.py, with other programs",
    "srun --distributed=torch,restarts=3,spares=1,drain ./train_ddp.py --epochs 20 --checkpoint drain.pt": "test_drain.py",
    "muster dump                 # your running step; inside a job, the step of that job": "test_dump.py",
    "muster dump 4711.0          # this job or step": "test_dump.py",
    "srun --distributed=torch,hang=10 ./train.py                      # warn and continue": "test_hang.py",
    "srun --distributed=torch,hang=10+restart,restarts=3 ./train.py   # stop and restart": "test_hang.py",
    "muster status": "test_status.py",
    "muster report out": "test_report_page.py",
    "muster report -o page.html out   # another place": "test_report_page.py",
    "muster report -o - out           # standard output": "test_report_page.py",
    "packaging/build deb": "packaging/check, which builds everything again for the prefix /usr",
    "packaging/build tarball": "packaging/check",
    "packaging/build wheel": "packaging/check; test_wheel_install.py, with the program of this build",
    "packaging/check bookworm trixie forky wheel": "scripts/test --packages",
    "cmake --preset release -DCMAKE_INSTALL_PREFIX=/usr": "packaging/build",
    "cmake --build build": "scripts/setup",
}
EXAMPLES = ("train_ddp.py", "job.sbatch")


def blocks() -> list[str]:
    """The contents of all ```bash blocks, without duplicates."""
    found = []
    for document in DOCUMENTS:
        found += re.findall(r"^```bash\n(.*?)^```$", document.read_text(), re.MULTILINE | re.DOTALL)
    return list(dict.fromkeys(found))


def commands() -> list[str]:
    lines = [line for block in blocks() if not block.startswith("#!") for line in block.splitlines() if line]
    return list(dict.fromkeys(lines))


def scripts() -> list[str]:
    return [block for block in blocks() if block.startswith("#!")]


@pytest.fixture
def home(cluster: Cluster) -> Cluster:
    """alice's home with the examples in it."""
    for name in EXAMPLES:
        cluster.give("alice", CHECKOUT / "examples" / name)
    return cluster


def assert_trained(output: str) -> None:
    assert "learned: largest error" in output


@pytest.mark.slow
@pytest.mark.parametrize("command", [line for line in commands()
                                     if line not in ELSEWHERE and not line.startswith(("scripts/", "cmake "))])
def test_command_works_as_it_is_written(home: Cluster, command: str) -> None:
    result = home.shell(command, timeout=180)
    assert result.code == 0, result.err
    if command.startswith("sbatch "):
        wait_until(lambda: not home.run("squeue -h").out.strip(), 180, "the end of the job")
    if "--svg plan.svg" in command:
        drawn = home.home / "plan.svg"
        assert "class='legend'" in drawn.read_text()
        drawn.unlink()
    elif "dry-run" in command:
        assert result.out.startswith("profile torch: 6 ranks on 3 nodes")
    elif "train_ddp.py" in command:
        assert_trained(result.out)


@pytest.mark.slow
@pytest.mark.parametrize("script", scripts())
def test_batch_script_works_as_it_is_written(home: Cluster, script: str) -> None:
    result = home.sbatch(script, timeout=180)
    assert result.code == 0, result.out
    assert_trained(result.out)


@pytest.mark.machine
def test_build_is_installed_by_one_command(tmp_path: Path) -> None:
    assert "cmake --install build" in commands()
    subprocess.run(["cmake", "--install", BUILD], env={**os.environ, "DESTDIR": str(tmp_path)}, check=True,
                   stdout=subprocess.DEVNULL)
    installed = {file.name for file in tmp_path.rglob("*") if file.is_file()}
    assert installed >= {"muster", "muster-agent", "muster-preflight-nccl"}
    assert installed >= {"muster.so", "muster.yaml", "muster-plugstack", "torch.yaml", "muster.1"}
    line = next(tmp_path.rglob("plugstack/slurm-*.conf")).read_text().splitlines()[-1]
    assert (tmp_path / line.split()[1].lstrip("/")).is_file()
    assert installed >= {"muster-srun", "_muster", "_muster_srun", "muster.fish", "muster-srun.fish", "libmuster.3", "muster.yaml.5"}


@pytest.mark.machine
@pytest.mark.slow
@pytest.mark.skipif(BUILD != CHECKOUT / "build", reason="quickstart builds in build/, another one is tested")
def test_quickstart_trains_and_cleans_up() -> None:
    done = subprocess.run([CHECKOUT / "scripts" / "quickstart"], capture_output=True, text=True, timeout=900,
                          stdin=subprocess.DEVNULL, check=False,
                          env={**os.environ, "MUSTER_CLUSTER": f"quickstart-{os.getpid()}"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert_trained(done.stdout)
    assert not Path(f"/run/muster-cluster/quickstart-{os.getpid()}").exists()


def boxes(svg: str) -> list[str]:
    """The words and colours of a picture, without positions, which differ between releases of lstopo."""
    words = [" ".join(text.split()) for text in re.findall(r"<text [^>]*>(.*?)</text>", svg)]
    colours = re.findall(r"<rect id='[^']*' class='(\w+)'[^>]* fill='(rgb\([^)]*\))'", svg)
    return sorted(words) + sorted(" ".join(each) for each in colours)


@pytest.mark.machine
def test_picture_is_what_the_program_draws(tmp_path: Path) -> None:
    drawn = tmp_path / "binding.svg"
    subprocess.run([CHECKOUT / "docs" / "images" / "make", BUILD / "launcher" / "muster", drawn], check=True, timeout=60)
    shown = (CHECKOUT / "docs" / "images" / "binding.svg").read_text()
    assert boxes(drawn.read_text()) == boxes(shown), "docs/images/make draws it again"
    assert len([box for box in boxes(shown) if box.startswith("Core rgb")]) == 64


@pytest.mark.machine
def test_every_command_is_run_by_something() -> None:
    known = [*ELSEWHERE, "scripts/quickstart", "cmake --install build"]
    assert not [line for line in commands() if line.startswith(("scripts/", "cmake ", "packaging/")) and line not in known]
    assert not [line for line in ELSEWHERE if line not in commands()], "no document has these any more"


def source_text() -> str:
    """All of muster's strings, with C++'s adjacent literals joined."""
    files = [file for folder in ("spank", "launcher", "lib") for file in (CHECKOUT / folder).rglob("*.cpp")]
    text = "\n".join(file.read_text() for file in files)
    return re.sub(r'"\s*\n\s*"', "", text)


@pytest.mark.machine
def test_troubleshooting_quotes_what_muster_says() -> None:
    words = source_text()
    guide = (CHECKOUT / "docs" / "reference" / "messages.md").read_text()
    guide = re.sub(r"^## In Python$.*?^(?=## )", "", guide, flags=re.MULTILINE | re.DOTALL)  # torch's own messages
    rows = re.findall(r"^\| (`.*?`) \|", guide, re.MULTILINE)
    assert rows
    quoted = [text for row in rows for text in re.findall(r"`(.*?)`", row)]
    pieces = [piece.strip("' :,()=;\t.") for text in quoted for piece in text.split("...")]
    assert not [piece for piece in pieces if piece not in words], "muster does not say this"


def test_option_and_migration_say_the_same_of_gpus_and_nics() -> None:
    """test_gpus.py and test_nics.py test that what they say is true."""
    for name in ("docs/reference/variables.md", "docs/explain/centre-scripts.md"):
        text = " ".join((CHECKOUT / name).read_text().split())
        for sentence in (
            "In a step with GPUs, muster sets CUDA_VISIBLE_DEVICES to all GPUs that the step has on the node, with the rank's "
            "own GPU at index LOCAL_RANK, and replaces an exported value.",
            "NCCL_IB_HCA lists all of the node's NICs that ranks may use. The list is the same for every rank, and NCCL uses the "
            "nearest NIC.",
            "UCX_NET_DEVICES lists the rank's nearest NICs.",
        ):
            assert sentence in text, f"{name}: {sentence}"


def slug(heading: str) -> str:
    """A heading's anchor, as GitHub generates it."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(page: Path) -> set[str]:
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return {slug(heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


@pytest.mark.machine
def test_every_link_leads_somewhere() -> None:
    pages = [*DOCUMENTS, CHECKOUT / "SECURITY.md", CHECKOUT / "CHANGELOG.md"]
    dead, linked = [], set()
    for page in pages:
        text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if target.startswith(("http://", "https://", "mailto:")):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            linked.add(file)
            if not file.exists() or (anchor and anchor not in anchors(file)):
                dead.append(f"{page.relative_to(CHECKOUT)}: {target}")
    assert not dead
    index = {page for page in pages if page.is_relative_to(CHECKOUT / "docs")} - {CHECKOUT / "docs" / "README.md"}
    assert not [str(page) for page in index - linked], "no page leads there"


# README's words for a figure (times are in seconds), the page with the measurement, and its row there.
FIGURES = [
    ("[{:.3f} times as long](docs/explain/benchmarks.md)", "explain/benchmark-tables.md",
     "`srun true`: unused plugin / no plugin"),
    ("a {:.0f} KiB plugin", "explain/benchmark-tables.md", "size of muster.so on disk, stripped"),
    ("[{:.1f} s](docs/explain/benchmarks.md#the-first-all-reduce)", "explain/benchmark-tables.md",
     "3 nodes, muster: from the command until all ranks have finished their first all-reduce"),
    ("by hand: {:.1f} s", "explain/benchmark-tables.md",
     "3 nodes, srun by hand: from the command until all ranks have finished their first all-reduce"),
    ("torchrun: {:.0f} s |", "explain/benchmark-tables.md",
     "3 nodes, torchrun (c10d): from the command until all ranks have finished their first all-reduce"),
    ("[{:.0f} of 1000](docs/explain/port-storm.md)", "explain/port-storm.md", "muster, ports leased by Slurm (MpiParams=ports=)"),
    ("a port computed from the job id: {:.0f} of 1000", "explain/port-storm.md", "enroot's PyTorch hook: 61000 + job id mod 4536"),
    ("[{:.2f} s](docs/explain/benchmarks.md#a-restart)", "explain/benchmark-tables.md",
     "3 nodes with 2 ranks each, muster: from a rank crashing to all ranks running again"),
    ("torchrun: {:.1f} s |", "explain/benchmark-tables.md",
     "3 nodes with 2 ranks each, torchrun: from a rank crashing to all ranks running again"),
    ("[{:.0f} s](docs/explain/benchmarks.md#a-restart)", "explain/benchmark-tables.md",
     "3 nodes, PyTorch over gloo, muster, `heartbeat=10`: "
     "from a node being cut off to the next training step on the other two nodes"),
    ("torchrun: {:.0f} s (", "explain/benchmark-tables.md",
     "3 nodes, PyTorch over gloo, torchrun: "
     "from a node being cut off to the next training step on the other two nodes"),
    ("({:.0f} s with shortened timeouts)", "explain/benchmark-tables.md",
     "3 nodes, PyTorch over gloo, torchrun, `--rdzv-conf=last_call_timeout=5,keep_alive_interval=2`: "
     "from a node being cut off to the next training step on the other two nodes"),
]


def measured(row: list[str]) -> float:
    """From a row of these pages: how many launches failed, or the median of the measurements."""
    if row[1].isdigit():
        return float(row[2].split()[0])
    (number, unit) = row[1].split()[:2]
    return float(number) * (0.001 if unit == "ms" else 1)


@pytest.mark.machine
@pytest.mark.parametrize(("words", "page", "what"), FIGURES)
def test_readmes_figures_are_those_that_were_measured(words: str, page: str, what: str) -> None:
    rows = [line.strip("| ").split(" | ") for line in (CHECKOUT / "docs" / page).read_text().splitlines()]
    figure = next(measured(row) for row in rows if row[0] == what)
    assert words.format(figure) in (CHECKOUT / "README.md").read_text(), f"measured: {figure}, {what}"


@pytest.mark.machine
def test_summary_of_benchmarks_has_the_figures_of_the_tables() -> None:
    explain = CHECKOUT / "docs" / "explain"
    tables = (explain / "benchmark-tables.md").read_text()
    sections = {slug(section.partition("\n")[0]): section for section in re.split(r"^#+ ", tables, flags=re.MULTILINE)}
    link = re.compile(r"\[([^]]*)\]\(benchmark-tables\.md#([^)]*)\)")
    figure = re.compile(r"\d+\.\d+(?: ms| s| MiB|%)?")
    found = 0
    for line in (explain / "benchmarks.md").read_text().splitlines():
        for words, section in link.findall(line):
            figures = figure.findall(line if line.startswith("| ") else words)
            found += len(figures)
            assert not [one for one in figures if one not in sections[section]], line
    assert found > 40


@pytest.mark.machine
def test_readme_is_read_at_one_sitting() -> None:
    assert len((CHECKOUT / "README.md").read_text().splitlines()) <= 150


STEADY = ("epoch ", "learned: ", "attempt ", "done", "profile torch: ", " rank node", " WORLD_SIZE ", " MASTER_PORT ", "Root Cause",
          " rank :", " error :", "muster: attempt", "muster: warning: attempt")


def steady(lines: list[str]) -> list[str]:
    """What muster and the example print, without the parts that differ from run to run."""
    said = [line for line in (re.sub(" +", " ", line) for line in lines) if line.startswith(STEADY)]
    return [re.sub(r"after [\d.]+ m?s;.*|\d", "", line) for line in said]


def is_shown(line: str, rows: list[str]) -> bool:
    """A line longer than the terminal continues in the next row, which is not checked."""
    almost_full = 80
    return any(line == row or (len(row) > almost_full and line.startswith(row)) for row in rows)


@pytest.mark.slow
def test_recording_shows_what_the_programs_say(home: Cluster) -> None:
    home.give("alice", CHECKOUT / "docs" / "images" / "fails_once.py")
    picture = (CHECKOUT / "docs" / "images" / "recording.svg").read_text()
    lines = [re.sub(r"</tspan><tspan[^>]*>", " ", line) for line in re.findall(r"<text [^>]*>(.*?)</text>", picture)]
    shown = [unescape(re.sub(r"<[^>]*>", "", line)) for line in lines]
    typed = {line.removeprefix("$ ") for line in shown if re.fullmatch(r"\$ srun .*(\.py|head -15)", line)}
    commands = {line for line in typed if f"{line} | head -15" not in typed}
    assert len(commands) == 4
    for command in commands:
        result = home.shell(command, timeout=120)
        fails = "fails_once" in command and "restarts=" not in command
        assert result.code == fails, result.err
        said = steady((result.out + result.err).splitlines())
        assert len(said) > 3
        rows = steady(shown)
        assert not [line for line in said if not is_shown(line, rows)], "docs/images/record writes it again"


def test_examples_say_how_many_tasks_a_node_gets() -> None:
    """-N3 -n6 alone gives 4, 1 and 1 on nodes with more CPUs than tasks."""
    assert not [line for line in commands() if re.search(r"-N ?([2-9]|\d\d)", line) and re.search(r" -n ?\d", line)]
