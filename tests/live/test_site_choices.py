"""muster respects what a site has chosen for its users' programs: how MPI starts, a home that this host cannot read, a
TMPDIR that is created when tasks start. And mpirun starts its ranks as it does without muster."""

from collections.abc import Iterator

import pytest
from cluster import Cluster
from own_cluster import own_cluster

MPI = "printenv SLURM_MPI_TYPE; env | grep -c ^PMI_FD; env | grep -c ^PMIX_RANK; true"


@pytest.fixture(scope="module", params=["pmi2", "cray_shasta", "pmix_v4"])
def with_mpi(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    with own_cluster(f"mpi-{request.param[-3:]}".replace("_", ""), 1, conf=f"MpiDefault={request.param}\n") as cluster:
        yield cluster


@pytest.mark.parametrize("profile", ["mpi", "torch", "none"])
def test_the_sites_default_way_of_starting_mpi_stays(with_mpi: Cluster, profile: str) -> None:
    plain = with_mpi.srun(f"-n1 sh -c '{MPI}'")
    ours = with_mpi.srun(f"--distributed={profile} -n1 sh -c '{MPI}'")
    assert ours.code == plain.code, ours.err
    assert ours.out == plain.out


def test_a_site_without_a_default_has_pmix(cluster: Cluster) -> None:
    assert cluster.srun(f"--distributed=mpi -n1 sh -c '{MPI}'").lines == ["pmix", "0", "1"]


def test_the_users_own_choice_holds(with_mpi: Cluster) -> None:
    for line, env in (("--mpi=none", {}), ("", {"SLURM_MPI_TYPE": "none"})):
        plain, ours = (with_mpi.srun(f"{option} {line} -n1 sh -c '{MPI}'", env=env) for option in ("", "--distributed"))
        assert ours.lines == plain.lines, ours.err
        assert ours.lines[-2:] == ["0", "0"]


MPIRUN = "mpirun --oversubscribe -n 4 --map-by node sh -c 'echo $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE " \
         "RANK=$RANK WORLD_SIZE=$WORLD_SIZE MASTER_ADDR=$MASTER_ADDR STEP=$MUSTER_STEP'"


def test_mpirun_starts_its_ranks_as_without_muster(cluster: Cluster) -> None:
    plain = cluster.sbatch(f"#!/bin/bash\n{MPIRUN}\n", "-N2", timeout=120)
    ours = cluster.sbatch(f"#!/bin/bash\n#SBATCH --distributed=torch\n{MPIRUN}\n", "-N2", timeout=120)
    assert sorted(ours.lines) == sorted(plain.lines)
    assert len(plain.lines) == 4 and all(line.endswith("RANK= WORLD_SIZE= MASTER_ADDR= STEP=") for line in plain.lines)
    assert ours.code == plain.code == 0


@pytest.mark.parametrize("line", ["srun --distributed=torch -n1 ./orted", "srun --distributed -n1 -- ./orted",
                                  "salloc -n1 --distributed=torch srun ./orted"])
def test_an_srun_of_such_a_daemon_is_left_alone_whoever_asks_for_muster(cluster: Cluster, line: str) -> None:
    cluster.write("orted", "#!/bin/sh\necho RANK=$RANK STEP=$MUSTER_STEP $#\n").chmod(0o755)
    result = cluster.run(line)
    assert result.lines == ["RANK= STEP= 0"], result.err
    (said,) = result.complaints
    assert "mpirun starts the ranks, so --distributed has no effect on them; use srun instead of mpirun" in said


@pytest.fixture
def locked(cluster: Cluster) -> Iterator[str]:
    """A home that cannot be read: as for root with root_squash, or for a user without a ticket."""
    cluster.write("locked/.config/muster/config.yaml", "defaults: {restarts: 1}\n")
    home = cluster.home / "locked"
    home.chmod(0)
    yield "/home/alice/locked"
    home.chmod(0o755)


@pytest.mark.parametrize("keys", ["torch", "none", "torch,verbose"])
def test_a_home_that_cannot_be_read_costs_one_line(cluster: Cluster, locked: str, keys: str) -> None:
    result = cluster.srun(f"--distributed={keys} -N2 -n2 echo started", env={"HOME": locked})
    assert result.code == 0, result.err
    assert result.lines == ["started"] * 2
    (line,) = [line for line in result.complaints if "locked" in line]
    assert "cannot be read (Permission denied)" in line
    assert "continuing without your settings and profiles" in line


def test_a_profile_in_a_home_that_cannot_be_read_is_an_error_that_says_why(cluster: Cluster, locked: str) -> None:
    result = cluster.srun("--distributed=mine -n1 echo started", env={"HOME": locked})
    assert result.code != 0 and result.out == ""
    assert "unknown profile \"mine\"" in result.complaints[-1].replace("'", '"')
    assert "cannot be read (Permission denied)" in result.complaints[-1]


def test_only_the_users_file_cannot_be_read(cluster: Cluster) -> None:
    file = cluster.write(".config/muster/config.yaml", "defaults: {restarts: 1}\n")
    file.chmod(0)
    try:
        result = cluster.srun("--distributed=torch -n1 echo started")
    finally:
        file.unlink()
    assert result.lines == ["started"], result.err
    (line,) = result.complaints
    assert "config.yaml: cannot be read (Permission denied)" in line


def test_without_slurm_such_a_home_costs_one_line_too(cluster: Cluster, locked: str) -> None:
    result = cluster.run(f"{cluster.prefix}/bin/muster run --no-python echo started", env={"HOME": locked})
    assert result.lines == ["started"], result.err
    assert len([line for line in result.complaints if "cannot be read" in line]) == 1


@pytest.fixture(scope="module")
def late_tmp() -> Iterator[Cluster]:
    """The prolog of a job's tasks creates its TMPDIR."""
    prolog = "#!/bin/sh\nmkdir -p /tmp/job-$SLURM_JOB_ID\necho export TMPDIR=/tmp/job-$SLURM_JOB_ID\n"
    with own_cluster("late-tmp", 1, conf="TaskProlog=@STATE@/etc/prolog\n", etc={"prolog": prolog}) as cluster:
        yield cluster
        cluster.node("node1", "rm -rf /tmp/job-*")


@pytest.mark.parametrize("directory", ["/tmp/made-when-tasks-start", "/proc"])
def test_a_tmpdir_that_does_not_exist_yet_leaves_the_error_file_set(late_tmp: Cluster, directory: str) -> None:
    result = late_tmp.srun("--distributed=torch -n2 bash -c 'echo broken >$TORCHELASTIC_ERROR_FILE && "
                           "cat $TORCHELASTIC_ERROR_FILE && echo $TMPDIR'", env={"TMPDIR": directory})
    assert result.code == 0, result.err
    assert result.lines.count("broken") == 2
    assert all(line.startswith("/tmp/job-") for line in result.lines if line != "broken")


def test_where_no_directory_can_be_made_a_line_says_so(cluster: Cluster) -> None:
    cluster.node("node1", "mount -t tmpfs -o mode=755 tmpfs /tmp")
    try:
        result = cluster.srun("--distributed=torch -w node1 -n1 sh -c 'echo file=$TORCHELASTIC_ERROR_FILE'",
                              env={"TMPDIR": "/proc"})
    finally:
        cluster.node("node1", "umount --lazy /tmp")
    assert result.lines == ["file="], result.err
    (line,) = result.complaints
    assert "cannot create a directory in /proc or /tmp, so there are no files for torch's errors; set TMPDIR" in line
