"""Tasks whose /tmp is not the node's, because of Slurm's job_container/tmpfs: either they see what muster writes for
them, or a line says that they do not."""

from collections.abc import Iterator

import pytest
from cluster import Cluster
from command import Result
from own_cluster import own_cluster

# With this many tasks the variable is longer than Linux allows.
MANY = "-n32 --overcommit"
LONG = "environment:\n  WORKERS: '" + "{endpoints}" * 350 + "'\n"


@pytest.fixture(scope="module")
def private() -> Iterator[Cluster]:
    with own_cluster("private", 1, conf="JobContainerType=job_container/tmpfs\nPrologFlags=Contain\n",
                     etc={"job_container.conf": "AutoBasePath=true\nBasePath=@STATE@/containers\n"}) as cluster:
        yield cluster


def step(private: Cluster, line: str, **more) -> Result:
    """Slurm fails some jobs, even plain ones, in this plugin's prolog before there is a step: 22.05 prints a line about
    it, and 26.05 ends srun without one."""
    for _ in range(40):
        result = private.srun(line, **more)
        silent = result.code != 0 and result.out + result.err == ""
        if not silent and "are still not ready" not in result.err:
            break
    return result


def test_the_error_file_can_be_written_where_the_tasks_have_their_own_tmp(private: Cluster) -> None:
    result = step(private, "--distributed=torch -n2 bash -c 'echo broken >$TORCHELASTIC_ERROR_FILE && "
                          "stat -c %U:%a ${TORCHELASTIC_ERROR_FILE%/*} && cat $TORCHELASTIC_ERROR_FILE'")
    assert result.code == 0, result.err
    assert sorted(result.lines) == ["alice:700"] * 2 + ["broken"] * 2


def test_an_exception_is_named_where_the_tasks_have_their_own_tmp(private: Cluster) -> None:
    private.write("fails.py", "import time\ntime.sleep(2)\n{}['missing']\n")
    result = step(private, "--distributed=torch -n2 python3 fails.py")
    assert result.code == 1
    assert "error     : KeyError: 'missing'" in result.err, result.err


def test_nothing_stays_behind_on_the_node(private: Cluster) -> None:
    assert step(private, "--distributed=torch -n2 true").code == 0
    private.await_clean()
    assert private.node("node1", "ls -A /tmp").strip() == ""


def test_long_variables_in_a_tmp_that_tasks_do_not_see_are_refused_in_one_line(private: Cluster) -> None:
    private.write(".config/muster/profiles/long.yaml", LONG)
    result = step(private, f"--distributed=long {MANY} echo started")
    assert result.code != 0
    assert result.out == ""
    (line,) = [line for line in result.complaints if "too long for its environment" in line]
    assert "set TMPDIR to a directory that the node and the program share" in line


def test_long_variables_come_where_tmpdir_is_one_that_tasks_see(private: Cluster) -> None:
    private.write(".config/muster/profiles/long.yaml", LONG)
    result = step(private, f"--distributed=long {MANY} bash -c 'wc -c <$WORKERS_FILE'", env={"TMPDIR": str(private.home)})
    assert result.code == 0, result.err
    assert all(int(size) > 128 * 1024 for size in result.lines)
    assert len(result.lines) == 32
