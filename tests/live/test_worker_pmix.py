"""The worker library over real PMIx: many calls, every layout, both numberings, together with MPI, and with a library
that is not PMIx."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from cluster import CHECKOUT, Cluster
from command import Result

COMPILED = Path(os.environ.get("MUSTER_BUILD", CHECKOUT / "build")) / "tests" / "live" / "compiled"
PMIX = 1  # muster_transport
Run = Callable[..., Result]


@dataclass(frozen=True)
class Place:
    rank: int
    procid: int
    contiguous: int
    node_rank: int
    node: str


def places(result: Result) -> list[Place]:
    pattern = (r"rank=(\d+) size=\d+ procid=(\d+) contiguous=(\d+) local=\d+/\d+ node=(\d+)/\d+ name=(\S+) "
               rf"transport={PMIX} first=\S*@[\d.]+")
    found = (re.fullmatch(pattern, line) for line in result.lines)
    numbers = [(int(m[1]), int(m[2]), int(m[3]), int(m[4]), m[5]) for m in found if m]
    return [Place(*one) for one in sorted(numbers)]


@pytest.fixture
def run(cluster: Cluster) -> Run:
    cluster.give("alice", COMPILED / "many_phases")
    library = next(cluster.prefix.rglob("libmuster.so.0")).parent

    def start(options: str, program: str = "./many_phases 25 slurm", **variables: str) -> Result:
        environment = {"LD_LIBRARY_PATH": str(library), **variables}
        return cluster.srun(f"--overcommit {options} {program}", env=environment, timeout=60)

    return start


@pytest.mark.pmix
@pytest.mark.parametrize("numbering", ["slurm", "contiguous"])
@pytest.mark.parametrize("distribution", ["block", "cyclic", "plane=2"])
def test_every_rank_reads_what_the_others_gave_in_each_of_many_calls(run: Run, distribution: str,
                                                                     numbering: str) -> None:
    result = run(f"--mpi=pmix -N3 -n8 --distribution={distribution}", f"./many_phases 25 {numbering}")
    assert result.code == 0, result.err
    told = places(result)
    assert [place.rank for place in told] == list(range(8))
    assert {place.procid for place in told} == set(range(8))
    for place in told:
        assert place.rank == (place.contiguous if numbering == "contiguous" else place.procid)
    by_node = [place.node_rank for place in sorted(told, key=lambda place: place.contiguous)]
    assert by_node == sorted(by_node)


@pytest.mark.pmix
def test_nodes_count_in_the_order_of_their_lowest_rank_however_srun_was_told(cluster: Cluster, run: Run) -> None:
    cluster.write("hosts", "node3\nnode1\nnode1\nnode3\nnode2\n")
    result = run("--mpi=pmix --distribution=arbitrary -n5", "./many_phases 3 contiguous", SLURM_HOSTFILE="hosts")
    assert result.code == 0, result.err
    told = places(result)
    assert [place.node for place in told] == ["node3", "node3", "node1", "node1", "node2"]
    assert [place.procid for place in told] == [0, 3, 1, 2, 4]
    assert [place.node_rank for place in told] == [0, 0, 1, 1, 2]


def test_ranks_are_counted_as_the_launcher_counted_them(cluster: Cluster, run: Run) -> None:
    cluster.write("same", """#!/bin/bash
        ./many_phases 3 auto > place.$SLURM_PROCID && grep -q "^rank=$RANK " place.$SLURM_PROCID
        """).chmod(0o755)
    for ranks in ("slurm", "contiguous"):
        result = run(f"--distributed=torch,ranks={ranks} -N3 -n6 --distribution=cyclic", "./same")
        assert result.code == 0, result.err


@pytest.mark.pmix
def test_a_single_rank_needs_no_other(run: Run) -> None:
    result = run("--mpi=pmix -N1 -n1")
    assert result.code == 0, result.err
    assert len(places(result)) == 1


@pytest.mark.pmix
def test_two_programs_of_one_task_do_not_read_each_others_data(cluster: Cluster, run: Run) -> None:
    # With one rank per node: between two programs, libpmix 4 does not wait for a rank if there are others on its node.
    cluster.write("both", "#!/bin/bash\n./many_phases 3 slurm > first && ./many_phases 4 slurm\n").chmod(0o755)
    result = run("--mpi=pmix -N3 -n3", "./both")
    assert result.code == 0, result.err
    assert len(places(result)) == 3


@pytest.mark.pmix
@pytest.mark.parametrize("order", ["mpi-first", pytest.param("muster-first", marks=pytest.mark.mpi_second)])
def test_mpi_in_the_same_process_keeps_working_before_and_after(cluster: Cluster, run: Run, order: str) -> None:
    if cluster.run("/usr/bin/python3 -c 'import mpi4py'").code != 0:
        pytest.skip("no python3-mpi4py here")
    cluster.write("beside_mpi.py", """
        import ctypes, sys
        import mpi4py; mpi4py.rc.initialize = mpi4py.rc.finalize = False
        from mpi4py import MPI
        library = ctypes.CDLL("libmuster.so.0")
        library.muster_last_error.restype = ctypes.c_char_p
        def checked(status):
            if status != 0: sys.exit(library.muster_last_error().decode())
        def with_muster():
            step = ctypes.c_void_p()
            checked(library.muster_init(ctypes.byref(step), None))
            checked(library.muster_barrier(step, 20000))
            return step
        def without(step):
            checked(library.muster_finalize(ctypes.byref(step), 20000))
        def with_mpi():
            total = MPI.COMM_WORLD.allreduce(MPI.COMM_WORLD.rank)
            if total != 15: sys.exit(f"MPI says {total}")
        if sys.argv[1] == "mpi-first":
            MPI.Init(); step = with_muster(); with_mpi(); without(step); with_mpi()
            step = with_muster(); without(step); with_mpi(); MPI.Finalize()
        else:
            step = with_muster(); MPI.Init(); with_mpi(); without(step); with_mpi(); MPI.Finalize()
        print("good")
        """.replace("\n        ", "\n"))
    result = run("--mpi=pmix -N3 -n6", f"/usr/bin/python3 beside_mpi.py {order}")
    assert result.code == 0, result.err
    assert result.lines.count("good") == 6


@pytest.mark.pmix
@pytest.mark.parametrize(("content", "words"), [
    (None, "cannot open shared object file"),
    ("I am a text file, and no library.\n" * 20, "invalid ELF header"),
])
def test_a_libpmix_that_is_none_is_told_with_its_path(cluster: Cluster, run: Run, content: str | None,
                                                      words: str) -> None:
    if content is not None:
        cluster.write("libpmix.so.2", content)
    result = run("--mpi=pmix -N1 -n1", MUSTER_PMIX_LIBRARY="/home/alice/libpmix.so.2")
    assert result.code != 0
    assert "MUSTER_PMIX_LIBRARY=/home/alice/libpmix.so.2 cannot be loaded" in result.err
    assert words in result.err
    (cluster.home / "libpmix.so.2").unlink(missing_ok=True)


def test_a_step_without_pmix_is_told_what_to_do(run: Run) -> None:
    result = run("--mpi=none -N3 -n3", MUSTER_TRANSPORT="pmix")
    assert result.code != 0
    assert "srun was started without PMIx: add --mpi=pmix" in result.err


@pytest.mark.pmix
def test_the_pmix_of_another_step_is_not_used(cluster: Cluster, run: Run) -> None:
    cluster.write("inner", "#!/bin/bash\nexec srun --overlap --mpi=none -N1 -n1 ./many_phases 1 slurm\n").chmod(0o755)
    result = run("--mpi=pmix -N1 -n1", "./inner", MUSTER_TRANSPORT="pmix")
    assert result.code != 0
    assert "does not belong to this step" in result.err
