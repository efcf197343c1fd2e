"""What a user exports for other purposes does not stop a launch that plain srun would make."""

import re

import pytest
from cluster import Cluster


@pytest.mark.parametrize("variable", ["SLURM_WORKING_DIR", "SLURM_REMOTE_CWD"])
def test_a_program_is_looked_for_where_a_variable_of_srun_says(cluster: Cluster, variable: str) -> None:
    cluster.write("work/only-there", "#!/bin/sh\npwd\n").chmod(0o755)
    env = {variable: "/home/alice/work"}
    plain = cluster.srun("-n1 ./only-there", env=env)
    result = cluster.srun("-n1 --distributed=torch ./only-there", env=env)
    assert plain.lines == ["/home/alice/work"], plain.err
    assert (result.code, result.lines) == (0, plain.lines), result.err


def test_other_libraries_on_the_users_library_path_do_not_stop_a_launch(cluster: Cluster) -> None:
    """As in a conda environment with an older hwloc."""
    linked = cluster.run(f"ldd {cluster.prefix}/bin/muster").out
    (wrong,) = re.findall(r"=> (\S*/libm\.so\.6)", linked)
    names = {"libhwloc.so.15", *re.findall(r"(lib(?:hwloc|udev|yaml-cpp|fmt|pugixml|sodium|stdc\+\+)\.so\S*) =>", linked)}
    cluster.shell("mkdir -p other; " + "; ".join(f"cp {wrong} other/{name}" for name in names))
    result = cluster.srun("-n1 --distributed=torch true", env={"LD_LIBRARY_PATH": "/home/alice/other"})
    assert result.code == 0, result.err
