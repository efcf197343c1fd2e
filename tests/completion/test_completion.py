"""What a user gets by pressing TAB."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from terminal import Terminal

CHECKOUT = Path(__file__).resolve().parents[2]
FILES = CHECKOUT / "packaging" / "completion"
PROGRAM = Path(os.environ.get("MUSTER_BUILD", CHECKOUT / "build")) / "launcher" / "muster"
BASH_COMPLETION = "/usr/share/bash-completion/bash_completion"

SLURMS = """_slurms_srun() { COMPREPLY=($(compgen -W '--slurms-own --slurms-other' -- "$2")); }
complete -F _slurms_srun srun
complete -F _slurms_srun sbatch
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A user's home with a profile, and Slurm's completion where bash-completion looks for it first."""
    profiles = tmp_path / ".config" / "muster" / "profiles"
    profiles.mkdir(parents=True)
    (profiles / "zebra.yaml").write_text("summary: mine\nenvironment: {}\n")
    folder = tmp_path / ".local" / "share" / "bash-completion" / "completions"
    folder.mkdir(parents=True)
    (folder / "srun").write_text(SLURMS)
    return tmp_path


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "TERM": "dumb", "INPUTRC": "/dev/null",
            "LC_ALL": "C.UTF-8"}


class Shell:
    """A prompt at which TAB can be pressed."""

    def __init__(self, words: list[str], environment: dict[str, str], setup: list[str]) -> None:
        self.terminal = Terminal(["env", "-i", *(f"{name}={value}" for name, value in environment.items()), *words])
        for line in setup:
            self.terminal.type(line + "\n")
        self.terminal.type("echo rea''dy\n")
        self.terminal.await_text("ready")

    def completed(self, line: str, awaited: str) -> str:
        """What is on the screen after `line` and TAB; `awaited` is a pattern."""
        self.terminal.type(line + "\t\t")
        before = len(self.terminal.shown)
        for _ in range(100):
            self.terminal._read(0.1)
            shown = self.terminal.shown[before:].replace("\a", "").replace("\r", "")
            if re.search(awaited, shown):
                break
        else:
            raise AssertionError(f"no {awaited!r} after {line!r}, only {shown!r}")
        size = -1
        while size != len(self.terminal.shown):  # until the whole list has been shown
            size = len(self.terminal.shown)
            self.terminal._read(0.3)
        self.terminal.type("\x15")  # Ctrl-U: an empty line
        return self.terminal.shown[before:]


def make_bash(environment: dict[str, str], setup: list[str]) -> Shell:
    return Shell(["bash", "--noprofile", "--norc", "-i"], environment,
                 ["PS1='> '; bind 'set enable-bracketed-paste off'; bind 'set page-completions off'",
                  "bind 'set completion-query-items 0'; bind 'set show-all-if-ambiguous on'", *setup])


@pytest.fixture(params=["with bash-completion", "without it"])
def bash(request: pytest.FixtureRequest, environment: dict[str, str]) -> Iterator[Shell]:
    loads = [f"source {BASH_COMPLETION}"] if request.param == "with bash-completion" else []
    shell = make_bash(environment, [*loads, f"source {FILES / 'muster.bash'}; source {FILES / 'srun.bash'}"])
    yield shell
    shell.terminal.close()


@pytest.mark.parametrize("command", ["srun", "sbatch", "salloc", "srun -N2"])
def test_bash_completes_the_option(bash: Shell, command: str) -> None:
    bash.completed(f"{command} --distributed=torchr", "--distributed=torchrun")
    bash.completed(f"{command} --distributed=zeb", "--distributed=zebra")
    bash.completed(f"{command} --distributed=torch,expl", "--distributed=torch,explain")
    bash.completed(f"{command} --distributed=torch,bind=so", "--distributed=torch,bind=socket")
    bash.completed(f"{command} --distributed=bind=core,hang=5+", r"--distributed=bind=core,hang=5\+restart")
    shown = bash.completed(f"{command} --distributed=torch,gpus=", "shared")
    assert "own" in shown and "explain" not in shown
    shown = bash.completed(f"{command} --distributed=", "deepspeed")
    assert {"zebra", "torchrun", "bind=", "off"} <= set(shown.split())


def test_bash_completes_muster(bash: Shell) -> None:
    bash.completed("muster doc", "muster doctor ")
    bash.completed("muster doctor --str", "--strict ")
    bash.completed("muster plan --distributed=torch,bind=so", "torch,bind=socket")
    assert "--help" in bash.completed("muster topo --", "--topology=")
    shown = bash.completed("muster ", "status")
    assert "doctor-node" not in shown


def test_bash_completes_files_of_programs(bash: Shell, home: Path) -> None:
    (home / "train.py").touch()
    bash.terminal.type("cd\n")
    bash.completed("muster exec -- ./tra", r"\./train\.py")


def test_bash_leaves_the_rest_to_slurms_completion(environment: dict[str, str]) -> None:
    shell = make_bash(environment, [f"source {BASH_COMPLETION}", f"source {FILES / 'srun.bash'}"])
    try:
        shown = shell.completed("srun --slurms-o", "--slurms-own")
        assert "--slurms-other" in shown
        shell.completed("srun --slurms-ow", "--slurms-own ")
        shell.completed("srun --dis", "--distributed=")
        shell.completed("srun --distributed=torchr", "torchrun")
        shell.completed("sbatch --slurms-ow", "--slurms-own ")  # completion that srun's file has set up
    finally:
        shell.terminal.close()


def test_bash_remembers_a_completion_that_was_there_before(environment: dict[str, str], home: Path) -> None:
    earlier = home / "earlier"
    earlier.write_text(SLURMS)
    shell = make_bash(environment, [f"source {earlier}", f"source {FILES / 'srun.bash'}"])
    try:
        shell.completed("srun --slurms-ow", "--slurms-own ")
        shell.completed("srun --distributed=torchr", "torchrun")
    finally:
        shell.terminal.close()


@pytest.mark.skipif(not Path("/usr/share/bash-completion/completions/srun").exists(), reason="no completion of Slurm's here")
def test_bash_uses_the_file_that_slurm_installs(environment: dict[str, str], home: Path) -> None:
    (home / ".local/share/bash-completion/completions/srun").unlink()
    shell = make_bash(environment, [f"source {BASH_COMPLETION}", f"source {FILES / 'srun.bash'}"])
    try:
        shell.completed("srun --jobi", "--jobid")
        shell.completed("srun --distributed=torchr", "torchrun")
    finally:
        shell.terminal.close()


def test_bash_without_muster_completes_files(environment: dict[str, str], home: Path) -> None:
    (home / "train.py").touch()
    environment["PATH"] = "/usr/bin:/bin"
    shell = make_bash(environment, [f"source {FILES / 'srun.bash'}", "cd"])
    try:
        shell.completed("srun ./tra", r"\./train\.py")
        assert "error" not in shell.completed("srun --distributed=torch", "torch")
    finally:
        shell.terminal.close()


@pytest.fixture
def zsh(environment: dict[str, str], home: Path) -> Iterator[Shell]:
    slurms = home / "zsh"
    slurms.mkdir()
    (slurms / "_slurms").write_text("#compdef srun\ncompadd -- --slurms-own\n")
    shell = Shell(["zsh", "-f", "-i"], environment,
                  ["PS1='> '; unsetopt prompt_sp beep; LISTMAX=1000",
                   f"fpath=({FILES} {slurms} $fpath); autoload -Uz compinit; compinit -u -D"])
    yield shell
    shell.terminal.close()


def test_zsh_completes_the_option_and_leaves_the_rest(zsh: Shell) -> None:
    zsh.completed("srun --distributed=torchr", "torchrun|un")
    zsh.completed("sbatch --distributed=torch,bind=so", "socket|cket")
    assert "own" in zsh.completed("salloc --distributed=torch,gpus=", "shared")
    zsh.completed("srun --distributed=zeb", "zebra|ra")
    zsh.completed("srun --slurms", "--slurms-own|-own")
    zsh.completed("srun --distr", "--distributed=|ibuted=")


def test_zsh_completes_muster(zsh: Shell) -> None:
    zsh.completed("muster doct", "or")
    zsh.completed("muster doctor --stri", "ct")
    zsh.completed("muster plan --distributed=torch,bind=so", "cket")


def fish(environment: dict[str, str], line: str) -> set[str]:
    files = f"source {FILES / 'muster.fish'}; source {FILES / 'srun.fish'}"
    done = subprocess.run(["fish", "--no-config", "-c", f"{files}; complete -c srun -l slurms-own; complete -C '{line}'"],
                          env=environment, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return {found.split("\t")[0] for found in done.stdout.splitlines()}


@pytest.mark.parametrize("command", ["srun", "sbatch", "salloc"])
def test_fish_completes_the_option(environment: dict[str, str], command: str) -> None:
    assert fish(environment, f"{command} --distributed=torchr") == {"--distributed=torchrun"}
    assert fish(environment, f"{command} --distributed=torch,bind=so") == {"--distributed=torch,bind=socket"}
    assert "--distributed=zebra" in fish(environment, f"{command} --distributed=")
    assert "--distributed" in fish(environment, f"{command} --dis")


def test_fish_leaves_the_rest(environment: dict[str, str]) -> None:
    assert "--slurms-own" in fish(environment, "srun --slu")


def test_fish_completes_muster(environment: dict[str, str]) -> None:
    assert fish(environment, "muster doc") == {"doctor"}
    assert fish(environment, "muster doctor --stri") == {"--strict"}
    assert fish(environment, "muster plan --distributed=torch,bind=so") == {"--distributed=torch,bind=socket"}
