"""muster-plugstack, which switches the plugin on and off, with a fake /etc/slurm. packaging/check tests it with a real
one."""

import os
import subprocess
from pathlib import Path

import pytest
from cluster import CHECKOUT

BUILD = Path(os.environ.get("MUSTER_BUILD", CHECKOUT / "build"))

pytestmark = pytest.mark.machine


@pytest.fixture(autouse=True)
def cluster() -> None:
    """No cluster is needed here."""


class Site:
    """The built script, with its snippets below `root`."""

    def __init__(self, root: Path) -> None:
        self.snippets = root / "plugstack"
        self.into = root / "slurm" / "plugstack.conf.d"
        self.line = self.into / "zz-muster.conf"
        self.former = self.into / "90-muster.conf"
        self.kept = root / "slurm" / "zz-muster.conf.removed"
        self.fetched = root / "fetched"
        self.script = root / "muster-plugstack"
        self.agent = root / "bin" / "muster-agent"
        self.agent.parent.mkdir()
        self.agent.touch(0o711)
        self.agent.chmod(0o711)
        self.snippets.mkdir()
        self.into.parent.mkdir()
        (self.into.parent / "slurm.conf").touch()
        (self.into.parent / "plugstack.conf").write_text(f"include {self.into}/*.conf\n")
        text = (BUILD / "config" / "muster-plugstack").read_text()
        for name, folder in (("snippets", self.snippets), ("fetched", self.fetched),
                             ("program", self.agent.with_name("muster"))):
            (installed,) = [line for line in text.splitlines() if line.startswith(f"{name}=")]
            text = text.replace(installed, f"{name}={folder}")
        self.script.write_text(text)

    def install(self, name: str = "slurm-24.11", plugin: str = "muster.so") -> str:
        """Installs a package's files, without its script. Returns the plugin's line."""
        file = self.snippets.parent / plugin
        file.touch()
        (self.snippets / f"{name}.conf").write_text(f"# for\n# {self.into}\noptional {file}\n")
        return f"optional {file}"

    def __call__(self, *words: str, code: int = 0) -> str:
        done = subprocess.run(["sh", self.script, *words], capture_output=True, text=True, timeout=30, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_it_is_off_until_it_is_switched_on_and_off_again(site: Site) -> None:
    line = site.install()
    site("package-installed", "slurm-24.11")
    assert not site.line.exists()
    assert "disabled" in site("status")
    assert "enabled" in site("enable")
    assert line in site.line.read_text()
    assert site.line.stat().st_mode & 0o777 == 0o644
    assert str(site.line) in site("status")
    assert "already" in site("enable")
    assert "disabled" in site("disable")
    assert not list(site.into.iterdir())
    assert "not enabled" in site("disable")


def test_a_plugin_for_another_architecture_is_not_switched_on(site: Site) -> None:
    """Slurm would say at each launch that the file does not exist."""
    plugin = Path(site.install().split()[1])
    header = bytearray(Path("/bin/sh").read_bytes()[:64])
    plugin.write_bytes(header[:18] + b"\x32\x00" + header[20:])  # Itanium's number
    assert f"{plugin} is for a different architecture than this host" in site("enable", code=1)
    assert not site.line.exists()
    plugin.write_bytes(header)
    assert "enabled" in site("enable")


def test_no_half_file_is_ever_in_the_folder(site: Site) -> None:
    """Not even for a moment: in the folder there is only one rename, and never a file that is being written."""
    site.install()
    site.into.mkdir()
    seen = subprocess.run(["strace", "-f", "-e", "trace=openat,rename,renameat,renameat2,creat", "sh", site.script, "enable"],
                          capture_output=True, text=True, timeout=60, check=True).stderr
    written = [line for line in seen.splitlines() if str(site.into) in line and ("O_CREAT" in line or "creat(" in line)]
    assert not written
    assert len([line for line in seen.splitlines() if "rename" in line and str(site.line) in line]) == 1


def test_removing_the_package_keeps_the_sites_line_for_the_next_one(site: Site) -> None:
    site.install()
    site("enable")
    with site.line.open("a") as file:
        file.write("# the site says\n")
    said = site("package-removed", "slurm-24.11")
    assert f"{site.kept} keeps the plugin's line for the next installation" in said
    assert not site.line.exists()
    (site.snippets / "slurm-24.11.conf").unlink()
    site.install("slurm-26.05")
    site("package-installed", "slurm-26.05")
    assert "the site says" in site.line.read_text()
    assert not site.kept.exists()


def test_another_package_with_the_same_plugin_keeps_it_on(site: Site) -> None:
    """RPM installs the new package before it removes the old one."""
    site.install("slurm-24.11")
    site("enable")
    site.install("slurm-26.05")
    site("package-installed", "slurm-26.05")
    site("package-removed", "slurm-24.11")
    assert site.line.exists()


def test_the_first_packages_line_is_moved_behind_the_others(site: Site) -> None:
    line = site.install()
    site.into.mkdir()
    (site.into / "muster.conf").write_text(f"{line} timeout=30\n")
    site("package-installed", "slurm-24.11")
    assert [file.name for file in site.into.iterdir()] == [site.line.name]
    assert "timeout=30" in site.line.read_text()


def test_the_line_is_read_after_that_of_every_other_plugin(site: Site) -> None:
    """Slurm reads the folder's files in the order of their names, in the C locale."""
    site.install()
    site("enable")
    for other in ("50-spool.conf", "pyxis.conf", "Uenv.conf", "x11.conf"):
        (site.into / other).touch()
    assert max(file.name for file in site.into.iterdir()) == site.line.name


@pytest.mark.parametrize("words", [("package-installed", "slurm-24.11"), ("enable",)])
def test_the_line_that_0_2_wrote_gets_the_name_that_sorts_last(site: Site, words: tuple[str, ...]) -> None:
    """In one rename: an srun in between would find the line twice, or not at all."""
    line = site.install()
    site.into.mkdir()
    site.former.write_text(f"{line} timeout=30\n")
    assert f"enabled by {site.former}" in site("status")
    seen = subprocess.run(["strace", "-f", "-e", "trace=openat,rename,renameat,renameat2,unlink,unlinkat", "sh",
                           site.script, *words], capture_output=True, text=True, timeout=60, check=True).stderr
    assert [file.name for file in site.into.iterdir()] == [site.line.name]
    assert "timeout=30" in site.line.read_text()
    assert len([text for text in seen.splitlines() if "rename" in text and str(site.line) in text]) == 1
    assert not [text for text in seen.splitlines() if "unlink" in text and str(site.into) in text and "= 0" in text]
    assert f"enabled by {site.line}" in site("status")


def test_the_line_that_0_2_wrote_is_switched_off_and_kept_as_well(site: Site) -> None:
    line = site.install()
    site.into.mkdir()
    site.former.write_text(f"{line}\n")
    assert "disabled" in site("disable")
    assert not list(site.into.iterdir())
    site.former.write_text(f"{line} timeout=30\n")
    site("package-removed", "slurm-24.11")
    assert not list(site.into.iterdir())
    site.kept.rename(site.kept.with_name("90-muster.conf.removed"))  # where the script of 0.2 keeps it
    site("package-installed", "slurm-24.11")
    assert "timeout=30" in site.line.read_text()
    assert not list(site.into.parent.glob("*.removed"))


def test_what_cannot_be_done_is_said(site: Site) -> None:
    assert "no plugin is installed" in site("enable", code=1)
    site.install()
    (site.snippets.parent / "muster.so").unlink()
    assert "is not installed" in site("enable", code=1)
    site.install()
    site.install("slurm-26.05-opt", "other.so")
    assert "slurm-24.11 slurm-26.05-opt" in site("enable", code=1)
    assert "enabled" in site("enable", "slurm-24.11")
    assert "disable that first" in site("enable", "slurm-26.05-opt", code=1)
    assert "there is no" in site("enable", "slurm-23.02", code=1)
    assert "/no/slurm" in site("enable", "slurm-24.11", "/no/slurm/plugstack.conf.d", code=1)
    site("enable", "two", "many", "words", code=2)
    site("switch", code=2)


def test_a_plugstack_that_does_not_include_the_folder_is_named(site: Site) -> None:
    site.install()
    (site.into.parent / "plugstack.conf").write_text("# nothing\n")
    assert f"add the line: include {site.into}/*.conf" in site("enable")


def test_on_a_configless_host_the_plugstack_that_slurmctld_sends_counts(site: Site) -> None:
    site.install()
    for name in ("slurm.conf", "plugstack.conf"):
        (site.into.parent / name).unlink()
    site.fetched.mkdir()
    (site.fetched / "slurm.conf").touch()
    sent = site.fetched / "plugstack.conf"
    assert f"{sent} does not include the plugin's file yet; on slurmctld's host, add the line" in site("enable")
    sent.write_text(f"include {site.into}/*.conf\n")
    assert "include" not in site("enable")
    assert f"enabled by {site.line}" in site("status")


def test_an_include_that_does_not_lead_to_the_file_is_no_include(site: Site) -> None:
    """An include of one other file, or of another Slurm's folder with the same name, is none of this folder."""
    site.install()
    plugstack = site.into.parent / "plugstack.conf"
    for include in (f"{site.into}/pyxis.conf", "/no/slurm/plugstack.conf.d/*.conf", f"{site.into}/*.conf # not"):
        plugstack.write_text(f"include {include}\n" if "#" not in include else f"# include {include}\n")
        said = site("enable")
        assert f"{plugstack} does not include the plugin's file yet" in said, include
        assert "enabled" not in said, include
        assert f"disabled: {site.line} is there, but {plugstack} does not include it" in site("status")


@pytest.mark.parametrize("include", ["{into}/*", "plugstack.conf.d/*.conf", "{into}/zz-muster.conf", "more.conf"])
def test_every_include_that_leads_to_the_file_counts(site: Site, include: str) -> None:
    site.install()
    (site.into.parent / "more.conf").write_text("include plugstack.conf.d/*.conf\n")
    (site.into.parent / "plugstack.conf").write_text(f"  include\t{include.format(into=site.into)} # all\n")
    said = site("enable")
    assert "enabled: " in said and "does not include" not in said
    assert f"enabled by {site.line}" in site("status")


def test_a_folder_of_another_name_is_included_as_well(site: Site) -> None:
    site.install()
    into = site.into.with_name("plugstack.d")
    (site.into.parent / "plugstack.conf").write_text(f"include {into}/*\n")
    said = site("enable", "slurm-24.11", str(into))
    assert "enabled: " in said and "does not include" not in said
    assert f"enabled by {into}/{site.line.name}" in site("status")


def test_the_file_that_slurm_conf_names_is_read_instead_of_plugstack_conf(site: Site) -> None:
    site.install()
    other = site.into.parent / "spank.conf"
    (site.into.parent / "slurm.conf").write_text(f"ClusterName=blue\nPlugstackConfig={other} # ours\n")
    assert f"{other} does not include the plugin's file yet" in site("enable")
    other.write_text(f"include {site.into}/*.conf\n")
    assert "already enabled" in site("enable")


def test_an_agent_that_the_plugin_would_refuse_is_named_before_it_is_switched_on(site: Site) -> None:
    """As Spack's permissions leave it. The plugin would refuse every step."""
    site.install()
    for mode in (0o755, 0o731):
        site.agent.chmod(mode)
        assert f"chmod 711 {site.agent}" in site("enable", code=1)
        assert not site.line.exists()
    site.agent.unlink()
    assert f"there is no {site.agent}" in site("enable", code=1)
