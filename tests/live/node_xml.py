"""hwloc's XML of made-up nodes with this machine's CPUs and fictional GPUs."""

NVIDIA = "0302 [10de:2330] [10de:0000] a1"


def socket(number: int, cpu: int, gpu: str | None) -> str:
    """A package with one core and a GPU attached to it."""
    cpus, nodes, n = f"0x{1 << cpu:08x}", f"0x{1 << number:08x}", 100 * (number + 1)
    sets = f'cpuset="{cpus}" complete_cpuset="{cpus}" nodeset="{nodes}" complete_nodeset="{nodes}"'
    bridge = "" if gpu is None else f"""
      <object type="Bridge" gp_index="{n + 4}" bridge_type="0-1" depth="0" bridge_pci="{gpu[:4]}:[00-0f]">
        <object type="PCIDev" gp_index="{n + 5}" pci_busid="{gpu}" pci_type="{NVIDIA}" pci_link_speed="0.0"/>
      </object>"""
    return f"""
    <object type="Package" os_index="{number}" gp_index="{n}" {sets}>
      <object type="NUMANode" os_index="{number}" gp_index="{n + 1}" local_memory="1073741824" {sets}/>
      <object type="Core" os_index="{number}" gp_index="{n + 2}" {sets}>
        <object type="PU" os_index="{cpu}" gp_index="{n + 3}" {sets}/>
      </object>{bridge}
    </object>"""


def machine(*gpus: str | None) -> str:
    """Package i has CPU i and the i-th of these GPUs."""
    all_of_them = f"0x{(1 << len(gpus)) - 1:08x}"
    sets = " ".join(f'{when}{what}="{all_of_them}"' for what in ("cpuset", "nodeset")
                    for when in ("", "complete_", "allowed_"))
    packages = "".join(socket(i, i, gpu) for i, gpu in enumerate(gpus))
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<topology version="2.0">
  <object type="Machine" os_index="0" {sets} gp_index="1">{packages}
  </object>
</topology>
"""
