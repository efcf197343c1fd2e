"""Where a node's topology comes from: a site's file, a cache, NCCL's file. The GPUs are fictional, the CPUs real."""

import contextlib
from collections.abc import Callable, Iterator

import pytest
from cluster import Cluster, Task
from node_xml import NVIDIA, machine
from own_cluster import own_cluster


@pytest.fixture(scope="module")
def site() -> Iterator[Cluster]:
    """A cluster on which Slurm knows no GPU."""
    with own_cluster("topology", 1) as cluster:
        yield cluster


@pytest.fixture
def configured(site: Cluster) -> Iterator[Callable]:
    """configured(TEXT): replaces the site's file from now on."""
    with contextlib.ExitStack() as stack:
        yield lambda text: stack.enter_context(
            site.plugstack("optional", config=site.site_file("topology.yaml", text)))


def rules(site: Cluster, xml: str, more: str = "gpus: all") -> str:
    file = site.site_file("node.xml", xml)
    return f"topology:\n  {more}\n  rules:\n    - {{nodes: 'node*', file: {file}}}\n"


def crossed() -> str:
    """GPU 0 (the lower bus) is near CPU 1, GPU 1 near CPU 0."""
    return machine("0000:02:00.0", "0000:01:00.0")


def visible(task: Task) -> list[str]:
    return task["CUDA_VISIBLE_DEVICES"].split(",")


def test_every_rank_is_beside_its_gpu_where_the_sites_file_crosses_them(site: Cluster, configured) -> None:
    configured(rules(site, crossed()))
    first, second = site.probe("--distributed=torch -N1 -n2")
    assert visible(first) == visible(second) == ["0", "1"]
    assert (first.cpus, second.cpus) == ([1], [0])
    assert first["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"


def test_gpus_own_gives_each_rank_the_one_beside_it(site: Cluster, configured) -> None:
    configured(rules(site, crossed()))
    first, second = site.probe("--distributed=torch,gpus=own -N1 -n2")
    assert (visible(first), first.cpus) == (["0"], [1])
    assert (visible(second), second.cpus) == (["1"], [0])


def test_the_users_own_list_is_the_gpus_to_use(site: Cluster, configured) -> None:
    configured(rules(site, crossed()))
    tasks = site.probe("--distributed=torch -N1 -n1", env={"CUDA_VISIBLE_DEVICES": "1"})
    assert [visible(task) for task in tasks] == [["1"]]


# CUDA shows a program only the first instance of a list.
def test_each_rank_sees_its_own_mig_instance_and_one_line_says_so(site: Cluster, configured) -> None:
    configured(rules(site, crossed()))
    instances = {"CUDA_VISIBLE_DEVICES": "MIG-1,MIG-2"}
    for option, lines in (("torch", 1), ("torch,gpus=own", 0), ("jax", 0)):
        probe = site.new_probe()
        result = site.srun(f"--distributed={option} -N1 -n2 {probe}", env=instances)
        assert result.code == 0, result.err
        assert [visible(task) for task in probe.tasks()] == [["MIG-1"], ["MIG-2"]]
        assert len([line for line in result.complaints if "LOCAL_RANK" in line]) == lines, result.err


def test_without_gpus_all_a_step_without_gres_has_none(site: Cluster, configured) -> None:
    configured(rules(site, crossed(), "gpus: gres"))
    (task,) = site.probe("--distributed=torch -N1 -n1")
    assert "CUDA_VISIBLE_DEVICES" not in task.environment


def test_muster_exec_gives_what_the_plugin_gives(site: Cluster, configured) -> None:
    text = rules(site, crossed())
    configured(text)
    theirs = site.probe("--distributed=torch -N1 -n2")
    file = site.site_file("topology.yaml", text)
    with site.plugstack("none"):
        probe = site.new_probe()
        muster = site.prefix / "bin" / "muster"
        result = site.srun(f"-N1 -n2 {muster} exec --config={file} --distributed=torch -- {probe}")
    assert result.code == 0, result.err
    ours = probe.tasks()
    assert [visible(task) for task in ours] == [visible(task) for task in theirs]
    assert [task.cpus for task in ours] == [task.cpus for task in theirs]


def test_nccls_file_tells_where_gpus_are_that_the_machine_hides(site: Cluster, configured) -> None:
    hidden = machine(None, None).replace("</object>\n</topology>", """
      <object type="Bridge" gp_index="900" bridge_type="0-1" depth="0" bridge_pci="0000:[00-0f]">
        <object type="PCIDev" gp_index="901" pci_busid="0000:01:00.0" pci_type="{0}" pci_link_speed="0.0"/>
        <object type="PCIDev" gp_index="902" pci_busid="0000:02:00.0" pci_type="{0}" pci_link_speed="0.0"/>
      </object></object>
</topology>""".format(NVIDIA))
    nccl = site.site_file("nccl.xml", """<system version="1">
      <cpu numaid="1" affinity="ffffffff"><pci busid="0000:01:00.0"/></cpu>
      <cpu numaid="0" affinity="ffffffff"><pci busid="0000:02:00.0"/></cpu></system>""")
    configured(rules(site, hidden))
    blind = site.probe("--distributed=torch,gpus=own -N1 -n2")
    told = site.probe("--distributed=torch,gpus=own -N1 -n2", env={"NCCL_TOPO_FILE": str(nccl)})
    assert sorted(visible(task) for task in blind) == [["0"], ["1"]]
    assert {tuple(task.cpus): visible(task) for task in told} == {(0,): ["1"], (1,): ["0"]}


@pytest.mark.parametrize(("text", "why"), [
    ("<topology version='3.0'></topology>", "hwloc"),
    ("<topology><object type='Machine'/></topology>", "hwloc 1"),
    (crossed()[:700], "is truncated"),
    (crossed().replace("complete_cpuset", "complet_cpuset", 1), "finds it damaged"),  # crashes hwloc 2.9
    ("<!DOCTYPE t [<!ENTITY a 'b'>]><topology version='2.0'></topology>", "entities"),
    (machine(None), "lacks this machine's CPUs"),
])
def test_a_bad_file_of_the_sites_is_one_line_and_the_step_runs(site: Cluster, configured, text: str, why: str) -> None:
    configured(rules(site, text, "gpus: gres"))
    result = site.srun("--distributed=torch -N1 -n2 true")
    assert result.code == 0, result.err
    lines = [line for line in result.complaints if "node.xml" in line]
    assert len(lines) == 1, result.err
    assert why in lines[0]


def cache_files(site: Cluster, directory: str = "/dev/shm/muster-cache-*") -> list[str]:
    return site.node("node1", f"ls -1 {directory}/*.topology 2>/dev/null || true").split()


def test_a_second_step_finds_what_the_first_has_read(site: Cluster, configured) -> None:
    configured("topology: {cache: auto}\n")
    site.node("node1", "rm -rf /dev/shm/muster-cache-*")
    assert site.srun("--distributed=torch -N1 -n1 true").code == 0
    files = cache_files(site)
    assert len(files) == 1
    written = site.node("node1", f"stat -c %y {files[0]}")
    assert site.srun("--distributed=torch -N1 -n1 true").code == 0
    assert cache_files(site) == files
    assert site.node("node1", f"stat -c %y {files[0]}") == written


def test_a_damaged_cache_is_replaced_and_told_only_under_verbose(site: Cluster, configured) -> None:
    configured("topology: {cache: auto}\n")
    assert site.srun("--distributed=torch -N1 -n1 true").code == 0
    (file,) = cache_files(site)
    for option, told in (("torch", False), ("torch,verbose", True)):
        site.node("node1", f"truncate -s 100 {file}")
        result = site.srun(f"--distributed={option} -N1 -n1 true")
        assert result.code == 0, result.err
        assert ("damaged" in result.err) == told, result.err
        assert int(site.node("node1", f"stat -c %s {file}")) > 100


def test_a_directory_that_another_user_has_made_is_not_used(site: Cluster, configured) -> None:
    configured("topology: {cache: auto}\n")
    uid = site.run("id -u").out.strip()
    site.node("node1", f"rm -rf /dev/shm/muster-cache-{uid}; install -d -o bob -m 0777 /dev/shm/muster-cache-{uid}")
    try:
        assert site.srun("--distributed=torch -N1 -n1 true").code == 0
        assert cache_files(site, f"/dev/shm/muster-cache-{uid}") == []
    finally:
        site.node("node1", f"rm -rf /dev/shm/muster-cache-{uid} /tmp/muster-cache-{uid}")


def test_a_cache_of_roots_is_read_and_not_written(site: Cluster, configured) -> None:
    configured("topology: {cache: /dev/shm/site-cache}\n")
    site.node("node1", "install -d -m 0755 /dev/shm/site-cache")
    try:
        assert site.srun("--distributed=torch -N1 -n1 true").code == 0
        assert cache_files(site, "/dev/shm/site-cache") == []
    finally:
        site.node("node1", "rm -rf /dev/shm/site-cache")


def test_root_fills_a_cache_that_every_user_reads(site: Cluster, configured) -> None:
    configured("topology: {cache: /dev/shm/site-cache}\n")
    words = f"{site.prefix / 'bin' / 'muster'} topo --config={site.state / 'etc' / 'site' / 'topology.yaml'}"
    site.node("node1", "install -d -m 0755 /dev/shm/site-cache")
    try:
        assert "/dev/shm/site-cache" in site.node("node1", f"{words} --cache")
        assert len(cache_files(site, "/dev/shm/site-cache")) == 2
        shown = site.srun(f"-N1 -n1 {words}")
        assert "from the cache in /dev/shm/site-cache" in shown.out, shown.err
        refused = site.srun(f"-N1 -n1 {words} --cache")
        assert refused.code != 0
        assert "cannot fill the topology cache" in refused.err
    finally:
        site.node("node1", "rm -rf /dev/shm/site-cache")
