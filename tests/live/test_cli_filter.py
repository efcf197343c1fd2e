"""A site's cli_filter plugin in Lua, which Slurm runs in every srun."""

from collections.abc import Iterator

import pytest
from cluster import Cluster
from own_cluster import own_cluster

# Notes each srun's job name, and whether a supervisor has started it.
FILTER = """
function slurm_cli_setup_defaults(options, early) return slurm.SUCCESS end

function slurm_cli_pre_submit(options, offset)
  local log = os.getenv("FILTER_LOG")
  if log == nil then return slurm.SUCCESS end
  local file = io.open(log, "a")
  file:write(options["type"], " ", options["job-name"] or "-", " ",
             os.getenv("MUSTER_SUPERVISOR") and "supervised" or "typed", "\\n")
  file:close()
  return slurm.SUCCESS
end

function slurm_cli_post_submit(offset, job, step) return slurm.SUCCESS end
"""


@pytest.fixture(scope="module")
def filtered() -> Iterator[Cluster]:
    with own_cluster("filter", 2, conf="CliFilterPlugins=cli_filter/lua\n", etc={"cli_filter.lua": FILTER}) as cluster:
        if cluster.srun("true").code != 0:
            pytest.skip("this Slurm has no cli_filter/lua")
        yield cluster


def seen(cluster: Cluster, line: str) -> list[tuple[str, str]]:
    """The job names, and who started the sruns, in the order in which the filter ran."""
    log = cluster.home / "filter.log"
    log.unlink(missing_ok=True)
    result = cluster.run(line, env={"FILTER_LOG": str(log)}, timeout=90)
    assert result.code == 0, result.err
    calls = [line.split() for line in log.read_text().splitlines()]
    return [(name, who) for kind, name, who in calls if kind == "srun"]


def test_a_filter_sees_the_users_srun_once_and_recognizes_the_others(filtered: Cluster) -> None:
    calls = seen(filtered, "srun --distributed=torch --job-name=mine -N2 -n2 true")
    assert calls == [("mine", "typed"), ("mine", "supervised")]
    twice = seen(filtered, "salloc -Q -N1 srun --distributed=torch,restarts=1 --job-name=mine -n1 "
                           "sh -c 'test $TORCHELASTIC_RESTART_COUNT = 1'")
    assert [who for name, who in twice if name == "mine"] == ["typed", "supervised", "supervised"]
    doctor = seen(filtered, f"{filtered.prefix}/bin/muster doctor --seconds=60 -- -N2")
    assert doctor and all(name.startswith("muster-") for name, _ in doctor)
