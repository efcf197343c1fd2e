"""A node as hwloc's XML: 2 x 64 cores of two hardware threads, 8 GPUs and 8 NICs, each pair behind its own switch. The
processors are hwloc's synthetic ones; the devices are added to the text."""

import re
import subprocess

SHAPE = "pack:2 [numa] l3:8 core:8 pu:2"
PAIRS = (4, 4)  # per package


def bridge(domain, first, last, kind, depth, inside):
    bus = f'bridge_pci="{domain:04x}:[{first:02x}-{last:02x}]"'
    if kind == "0-1":
        return f'<object type="Bridge" bridge_type="0-1" depth="{depth}" {bus}>{inside}</object>'
    address = f"{domain:04x}:{first - 1:02x}:01.0"
    return (f'<object type="Bridge" bridge_type="1-1" depth="{depth}" {bus} pci_busid="{address}" '
            f'pci_type="0604 [1000:c030] [0000:0000] 00" pci_link_speed="64.0">{inside}</object>')


def device(address, pci_type, inside=""):
    return (f'<object type="PCIDev" pci_busid="{address}" pci_type="{pci_type}" '
            f'pci_link_speed="64.0">{inside}</object>')


def nvml_device(number):
    """What hwloc adds to a GPU if NVIDIA's library is installed."""
    infos = {"Backend": "NVML", "GPUVendor": "NVIDIA Corporation", "GPUModel": "made up",
             "NVIDIAUUID": f"GPU-00000000-0000-0000-0000-{number:012d}"}
    return (f'<object type="OSDev" name="nvml{number}" subtype="NVML" osdev_type="1">'
            + "".join(f'<info name="{name}" value="{value}"/>' for name, value in infos.items()) + "</object>")


def pair(number, nvml):
    """A GPU and a NIC behind one switch, in a separate PCI domain."""
    gpu = device(f"{number:04x}:02:00.0", "0302 [10de:2330] [0000:0000] a1", nvml_device(number) if nvml else "")
    nic = device(f"{number:04x}:03:00.0", "0207 [15b3:1021] [0000:0000] 00",
                 f'<object type="OSDev" name="mlx5_{number}" osdev_type="3"/>')
    return bridge(number, 0, 3, "0-1", 0, bridge(number, 1, 3, "1-1", 1, gpu + nic))


def xml(shape=SHAPE, pairs=PAIRS, nvml=False):
    """nvml: write the GPUs as hwloc does with its GPU backends. muster does not need that; mpibind recognises GPUs by
    it."""
    text = subprocess.run(["lstopo-no-graphics", "--input", shape, "--of", "xml"], check=True,
                          capture_output=True, text=True).stdout
    ends = [match.start() for match in re.finditer(r"^    </object>", text, re.M)]
    if len(ends) != len(pairs):
        raise RuntimeError("lstopo writes its XML in another way than this expects")
    for package, end in reversed(list(enumerate(ends))):
        first = sum(pairs[:package])
        devices = "".join(pair(number, nvml) for number in range(first, first + pairs[package]))
        text = text[:end] + devices + "\n" + text[end:]
    return text
