"""Which NICs a training job is told to use. They are fictional, from a site's topology file; the CPUs are real."""

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cluster import Cluster
from own_cluster import own_cluster

VARIABLES = ("NCCL_IB_HCA", "UCX_NET_DEVICES", "FI_CXI_DEVICE_NAME")


@pytest.fixture(scope="module")
def site() -> Iterator[Cluster]:
    with own_cluster("nics", 1) as cluster:
        yield cluster


def nic(name: str, bus: int) -> str:
    return f"""
      <object type="Bridge" gp_index="{bus}0" bridge_type="0-1" depth="0" bridge_pci="0000:[{bus:02x}-{bus:02x}]">
        <object type="PCIDev" gp_index="{bus}1" pci_busid="0000:{bus:02x}:00.0" pci_type="0207 [15b3:1021] [0000:0000] 00"
                pci_link_speed="0.0">
          <object type="OSDev" gp_index="{bus}2" name="{name}" osdev_type="3"/>
        </object>
      </object>"""


def socket(number: int, *nics: str) -> str:
    """A package with one core and these NICs."""
    cpus, n = f"0x{1 << number:08x}", 10000 * (number + 1)
    sets = f'cpuset="{cpus}" complete_cpuset="{cpus}" nodeset="{cpus}" complete_nodeset="{cpus}"'
    return f"""
    <object type="Package" os_index="{number}" gp_index="{n}" {sets}>
      <object type="NUMANode" os_index="{number}" gp_index="{n + 1}" local_memory="1073741824" {sets}/>
      <object type="Core" os_index="{number}" gp_index="{n + 2}" {sets}>
        <object type="PU" os_index="{number}" gp_index="{n + 3}" {sets}/>
      </object>{"".join(nics)}
    </object>"""


# Two NICs for ranks, one near each CPU, and one for storage.
SETS = " ".join(f'{when}{what}="0x00000003"' for what in ("cpuset", "nodeset") for when in ("", "complete_", "allowed_"))
XML = f"""<?xml version="1.0" encoding="UTF-8"?>
<topology version="2.0">
  <object type="Machine" os_index="0" {SETS} gp_index="1">{socket(0, nic("mlx5_0", 16))}{
    socket(1, nic("mlx5_1", 32), nic("mlx5_2", 48))}
  </object>
</topology>
"""


@pytest.fixture
def configured(site: Cluster) -> Iterator[Callable]:
    """configured(TEXT): adds TEXT to the site's file, which already names the topology file."""
    drawing = site.site_file("nics.xml", XML)
    with contextlib.ExitStack() as stack:
        def use(text: str = "") -> Path:
            config = site.site_file("nics.yaml", f"topology:\n  rules:\n    - file: {drawing}\n{text}")
            stack.enter_context(site.plugstack("optional", config=config))
            return config
        yield use


def told(site: Cluster, option: str = "torch", **more) -> list[tuple]:
    return [tuple(task.environment.get(name) for name in VARIABLES)
            for task in site.probe(f"--distributed={option} -N1 -n2", **more)]


@pytest.mark.parametrize("option", ["torch", "mpi"])
def test_ucx_has_the_nearest_port_and_nccl_all_devices(site: Cluster, configured, option: str) -> None:
    configured("nics: {exclude: [mlx5_2]}\n")
    hcas = "=mlx5_0,mlx5_1" if option == "torch" else None
    assert told(site, option) == [(hcas, "mlx5_0:1", None), (hcas, "mlx5_1:1", None)]


def test_a_nic_that_no_rule_excludes_is_used(site: Cluster, configured) -> None:
    configured()
    assert told(site)[1] == ("=mlx5_0,mlx5_1,mlx5_2", "mlx5_1:1,mlx5_2:1", None)


def test_rules_hold_for_their_nodes(site: Cluster, configured) -> None:
    configured("nics:\n  - {nodes: other, exclude: 'mlx5_*'}\n  - {nodes: 'node[1-4]', exclude: '0000:30:*'}\n")
    assert told(site)[1] == ("=mlx5_0,mlx5_1", "mlx5_1:1", None)


def test_what_the_user_said_stands(site: Cluster, configured) -> None:
    configured()
    own = {"NCCL_IB_DISABLE": "1", "UCX_NET_DEVICES": "all"}
    assert told(site, env=own) == [(None, "all", None)] * 2


def test_what_a_users_file_says_stands(site: Cluster, configured) -> None:
    configured()
    file = site.home / ".nccl.conf"
    file.write_text("NCCL_IB_HCA=mlx5_1\n")
    try:
        assert [hcas for hcas, _, _ in told(site)] == [None, None]
    finally:
        file.unlink()


def test_the_plan_names_binding_as_the_origin_with_and_without_a_step(site: Cluster, configured) -> None:
    config = configured("nics: {exclude: [mlx5_2]}\n")
    muster = site.prefix / "bin" / "muster"
    described = f"--config {config} --trust-any-owner --layout node1:2 --topology {site.state}/etc/site/nics.xml"
    for source in ("-- -N1 -n2", described):
        result = site.run(f"{muster} plan --json {source}")
        assert result.code == 0, result.err
        first, second = json.loads(result.out)["ranks"]
        assert first["env"]["NCCL_IB_HCA"] == {"value": "=mlx5_0,mlx5_1", "origin": "binding"}
        assert second["env"]["UCX_NET_DEVICES"] == {"value": "mlx5_1:1", "origin": "binding"}
        assert (first["nics"], second["nics"]) == (["mlx5_0"], ["mlx5_1"])


def test_a_mistake_is_told_with_its_place(site: Cluster, configured) -> None:
    configured("nics:\n  exclude: [mlx5_2]\n  node: node1\n")
    result = site.srun("--distributed=torch -n1 true")
    assert result.code != 0
    assert "nics.yaml:6:3: unknown key 'node': not part of a NIC rule; did you mean 'nodes'?" in result.err
